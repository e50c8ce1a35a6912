/* walk_kb.c: patterns, engines and the catalogue, field by field. */
#include "index/walk.h"

#define LAYERS_MAX 65536

static void walk_study(struct record *r, struct pattern_study *study) {
    record_str(r, &study->prepared);
    record_bool(r, &study->needs_utf);
    record_bool(r, &study->has_reach);
    record_number(r, &study->reach_bytes);
    record_number(r, &study->reach_lines);
    record_strings(r, &study->also);
}

void walk_pattern(struct record *r, struct pattern *p) {
    int kind = record_word(r, (int)p->kind, PATTERN_STAGE + 1);
    p->kind = (enum pattern_kind)kind;
    record_number(r, &p->owner);
    record_number(r, &p->ordinal);
    record_bool(r, &p->is_weak);
    record_str(r, &p->text);
    record_strings(r, &p->extract);
    walk_study(r, &p->study);
}

/* ---- predicates ---- */

static enum truth walk_truth(struct record *r, enum truth truth) {
    return (enum truth)record_word(r, (int)truth, TRUTH_UNKNOWN + 1);
}

void walk_foregone(struct record *r, struct foregone *f) {
    f->fact_count = (size_t)record_word(r, (int)f->fact_count,
                                        PREDICATE_FACTS_MAX + 1);
    for (size_t i = 0; i < f->fact_count; i++) {
        f->facts[i] = record_fact(r, f->facts[i]);
    }
    record_str(r, &f->sql);
    f->unknown = walk_truth(r, f->unknown);
    LIST(r, f->values, f->value_count);
    for (size_t i = 0; i < f->value_count; i++) {
        record_str(r, &f->values[i].word);
        f->values[i].truth = walk_truth(r, f->values[i].truth);
    }
}

/* ---- engines ---- */

static void walk_flag(struct record *r, struct flag *flag) {
    flag->fact = record_fact(r, flag->fact);
    record_str(r, &flag->flag);
    record_strings(r, &flag->aliases);
    record_strings(r, &flag->keys);
    record_str(r, &flag->scale);
    walk_range(r, &flag->exists);
}

void walk_engine(struct record *r, struct engine *e) {
    record_str(r, &e->id);
    record_str(r, &e->name);
    record_str(r, &e->newest);
    record_strings(r, &e->calls);
    record_str(r, &e->command);
    record_str(r, &e->task);
    record_bool(r, &e->is_everywhere);
    LIST(r, e->contexts, e->context_count);
    for (size_t i = 0; i < e->context_count; i++) {
        record_str(r, &e->contexts[i].pattern);
        walk_settings(r, &e->contexts[i].set, &e->contexts[i].set_count);
        record_bool(r, &e->contexts[i].is_prose);
    }
    LIST(r, e->stages, e->stage_count);
    for (size_t i = 0; i < e->stage_count; i++) {
        record_str(r, &e->stages[i].stage);
        walk_settings(r, &e->stages[i].set, &e->stages[i].set_count);
        record_str(r, &e->stages[i].pattern);
        record_bool(r, &e->stages[i].holds);
        record_bool(r, &e->stages[i].is_frame);
        record_bool(r, &e->stages[i].is_weak);
    }
    LIST(r, e->flags, e->flag_count);
    for (size_t i = 0; i < e->flag_count; i++) {
        walk_flag(r, &e->flags[i]);
    }
    LIST(r, e->options, e->option_count);
    for (size_t i = 0; i < e->option_count; i++) {
        record_str(r, &e->options[i].flag);
        record_strings(r, &e->options[i].aliases);
        walk_range(r, &e->options[i].exists);
        record_str(r, &e->options[i].source);
    }
    LIST(r, e->defaults, e->default_count);
    for (size_t i = 0; i < e->default_count; i++) {
        struct engine_default *value = &e->defaults[i];
        value->fact = record_fact(r, value->fact);
        record_str(r, &value->value);
        walk_range(r, &value->versions);
        record_str(r, &value->source);
    }
}

/* ---- models ---- */

/* What a recurrent state is made of. */
static void walk_state(struct record *r, struct kv_group *group) {
    record_count(r, &group->ratio);
    record_str(r, &group->mixer);
    record_count(r, &group->conv_channels);
    record_count(r, &group->conv_steps);
    record_count(r, &group->conv_groups);
    record_count(r, &group->group_channels);
    record_count(r, &group->state_elements);
    record_str(r, &group->state_dtype);
}

/* Sums over layers are made without looking for an end of 64 bits. */
static void walk_layers(struct record *r, int64_t *layers) {
    record_count(r, layers);
    if (*layers > LAYERS_MAX) {
        record_damaged(r, "a model has more layers than there can be");
    }
}

static void walk_group(struct record *r, struct kv_group *group) {
    WORD(r, group->kind, kv_kind, KV_KIND);
    walk_layers(r, &group->layers);
    record_count(r, &group->kv_heads);
    record_count(r, &group->k_dim);
    record_count(r, &group->v_dim);
    record_count(r, &group->window);
    record_count(r, &group->latent_dim);
    record_count(r, &group->state_bytes);
    record_count(r, &group->q_rank);
    record_count(r, &group->rope_dim);
    record_count(r, &group->params);
    record_bool(r, &group->is_gated);
    walk_state(r, group);
}

/* What the parameters are counted from. */
static void walk_counts(struct record *r, struct model *m) {
    record_count(r, &m->experts);
    record_count(r, &m->expert_size);
    record_count(r, &m->shared_size);
    record_count(r, &m->dense_layers);
    record_count(r, &m->mlp_layers);
    record_count(r, &m->draft_layers);
    record_count(r, &m->other_params);
    record_bool(r, &m->has_plain_mlp);
    record_str(r, &m->uncounted);
}

void walk_model(struct record *r, struct model *m) {
    record_str(r, &m->id);
    record_strings(r, &m->aliases);
    record_str(r, &m->family);
    record_count(r, &m->params);
    record_count(r, &m->embedding_params);
    walk_layers(r, &m->layers);
    record_count(r, &m->hidden_size);
    record_count(r, &m->heads);
    record_count(r, &m->vocab_size);
    record_count(r, &m->intermediate_size);
    record_count(r, &m->max_position);
    record_str(r, &m->dtype);
    record_str(r, &m->quantization);
    LIST(r, m->groups, m->group_count);
    for (size_t i = 0; i < m->group_count; i++) {
        walk_group(r, &m->groups[i]);
    }
    record_bool(r, &m->is_moe);
    record_bool(r, &m->is_multimodal);
    walk_counts(r, m);
    record_str(r, &m->verified);
    record_strings(r, &m->sources);
}

/* ---- causes, and the numbers that rank ---- */

void walk_cause(struct record *r, struct cause *c) {
    record_str(r, &c->id);
    WORD(r, c->mechanism, mechanism, MECHANISM);
    WORD(r, c->restart, restart, RESTART);
    record_text(r, &c->name);
    LIST(r, c->evidence, c->evidence_count);
    for (size_t i = 0; i < c->evidence_count; i++) {
        record_str(r, &c->evidence[i].when);
        record_int(r, &c->evidence[i].weight);
        record_str(r, &c->evidence[i].family);
        record_text(r, &c->evidence[i].because);
    }
}

void walk_ranking(struct record *r, struct ranking *ranking) {
    for (int i = 0; i < RANKING_COUNT_OF; i++) {
        record_int(r, &ranking->micro[i]);
        record_text(r, &ranking->origin[i]);
    }
}

/* ---- GPUs ---- */

void walk_gpu(struct record *r, struct gpu *gpu) {
    record_str(r, &gpu->id);
    record_strings(r, &gpu->aliases);
    record_str(r, &gpu->vendor);
    record_count(r, &gpu->nominal_gb);
    record_count(r, &gpu->total_low);
    record_count(r, &gpu->total_high);
    record_int(r, &gpu->has_fp8);
    record_bool(r, &gpu->is_unified);
    record_str(r, &gpu->compute_capability);
    record_str(r, &gpu->source);
}
