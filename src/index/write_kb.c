/* write_kb.c: what stands beside the entries: engines, models, GPUs, the
 * components and the program's own texts. A model's names are stored as they
 * stand and, for the look-up, in the forms that model_name.h takes apart. */
#include "corpus/fields.h"
#include "index/model_name.h"
#include "index/write.h"

static const char *const kv_kinds[] = {
#define X(w) #w,
    KV_KIND_WORDS(X)
#undef X
};

static struct row row_at(struct writer *w, enum insert into, size_t number,
                         size_t ordinal) {
    struct row row = row_of(w->db, (int)into);
    row_bind_int(&row, (int64_t)number);
    row_bind_int(&row, (int64_t)ordinal);
    return row;
}

static void write_flag_words(struct writer *w, size_t engine,
                             const char *field, size_t ordinal,
                             const struct str_list *words) {
    for (size_t i = 0; i < words->count; i++) {
        struct row row = row_of(w->db, INSERT_flag_word);
        row_bind_int(&row, (int64_t)engine);
        row_bind_text(&row, str_of(field));
        row_bind_int(&row, (int64_t)ordinal);
        row_bind_int(&row, (int64_t)i);
        row_bind_text(&row, words->at[i]);
        row_write(&row);
    }
}

static void write_flags(struct writer *w, const struct engine *e,
                        size_t engine) {
    for (size_t i = 0; i < e->flag_count; i++) {
        const struct flag *flag = &e->flags[i];
        struct row row = row_at(w, INSERT_flag, engine, i);
        row_bind_text(&row, str_of(fact_spelling(flag->fact)));
        row_bind_text(&row, flag->flag);
        row_bind_text(&row, flag->scale);
        row_bind_text(&row, flag->exists.product);
        row_write(&row);
        write_flag_words(w, engine, "aliases", i, &flag->aliases);
        write_flag_words(w, engine, "keys", i, &flag->keys);
        write_events(w, (struct place){"flag", engine, i, 0}, &flag->exists);
    }
    for (size_t i = 0; i < e->option_count; i++) {
        const struct option *option = &e->options[i];
        struct row row = row_at(w, INSERT_engine_option, engine, i);
        row_bind_text(&row, option->flag);
        row_bind_text(&row, option->exists.product);
        row_bind_text(&row, option->source);
        row_write(&row);
        write_flag_words(w, engine, "options", i, &option->aliases);
        write_events(w, (struct place){"option", engine, i, 0},
                     &option->exists);
    }
    for (size_t i = 0; i < e->default_count; i++) {
        const struct engine_default *value = &e->defaults[i];
        struct row row = row_at(w, INSERT_engine_default, engine, i);
        row_bind_text(&row, str_of(fact_spelling(value->fact)));
        row_bind_text(&row, value->value);
        row_bind_text(&row, value->versions.product);
        row_bind_text(&row, value->source);
        row_write(&row);
        write_events(w, (struct place){"default", engine, i, 0},
                     &value->versions);
    }
}

void write_engine(struct writer *w, const struct engine *e, size_t number) {
    struct row row = row_of(w->db, INSERT_engine);
    row_bind_int(&row, (int64_t)number);
    row_bind_text(&row, e->id);
    row_bind_text(&row, e->name);
    row_bind_text(&row, e->newest);
    row_bind_text(&row, e->command);
    row_bind_text(&row, e->task);
    row_write(&row);
    for (size_t i = 0; i < e->context_count; i++) {
        row = row_at(w, INSERT_context_pattern, number, i);
        row_bind_int(&row, w->next_pattern++);
        row_write(&row);
        write_settings(w, (struct place){"context", number, i, 0},
                       e->contexts[i].set, e->contexts[i].set_count);
    }
    for (size_t i = 0; i < e->stage_count; i++) {
        row = row_at(w, INSERT_stage_anchor, number, i);
        row_bind_text(&row, e->stages[i].stage);
        row_bind_int(&row, w->next_pattern++);
        row_bind_int(&row, e->stages[i].is_frame);
        row_write(&row);
        write_settings(w, (struct place){"stage", number, i, 0},
                       e->stages[i].set, e->stages[i].set_count);
    }
    write_flags(w, e, number);
}

/* ---- models ---- */

static void write_strings(struct writer *w, enum insert into, size_t number,
                          const struct str_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        struct row row = row_at(w, into, number, i);
        row_bind_text(&row, list->at[i]);
        row_write(&row);
    }
}

static void write_name_form(struct writer *w, const char *form,
                            struct str name, size_t model) {
    if (name.n == 0) {
        return;
    }
    struct row row = row_of(w->db, INSERT_model_name);
    row_bind_text(&row, str_of(form));
    row_bind_text(&row, name);
    row_bind_int(&row, (int64_t)model);
    row_write(&row);
    pack_model_name(w, form, name, model);
}

/* An Ollama name without its tag says no size: it is looked up whole, and no
 * part of another name. */
static void write_name(struct writer *w, struct str given, size_t model) {
    struct arena *a = w->db->arena;
    struct model_name name = model_name_of(a, given);
    struct str quantization;
    struct str bare = model_name_bare(a, name.last, &quantization);
    struct model_words words = model_words_of(a, bare);
    write_name_form(w, "name", name.full, model);
    write_name_form(w, "last", name.last, model);
    if (str_ends(name.full, STR(":latest"))) {
        return;
    }
    write_name_form(w, "words", model_words_join(a, &words, 0, words.count),
                    model);
}

static void write_state(struct row *row, const struct kv_group *group) {
    row_bind_int(row, group->ratio);
    row_bind_text(row, group->mixer);
    row_bind_int(row, group->conv_channels);
    row_bind_int(row, group->conv_steps);
    row_bind_int(row, group->conv_groups);
    row_bind_int(row, group->group_channels);
    row_bind_int(row, group->state_elements);
    row_bind_text(row, group->state_dtype);
}

static void write_groups(struct writer *w, const struct model *m,
                         size_t number) {
    for (size_t i = 0; i < m->group_count; i++) {
        const struct kv_group *group = &m->groups[i];
        struct row row = row_at(w, INSERT_kv_group, number, i);
        row_bind_text(&row, str_of(kv_kinds[group->kind]));
        row_bind_int(&row, group->layers);
        row_bind_int(&row, group->kv_heads);
        row_bind_int(&row, group->k_dim);
        row_bind_int(&row, group->v_dim);
        row_bind_int(&row, group->window);
        row_bind_int(&row, group->latent_dim);
        row_bind_int(&row, group->state_bytes);
        row_bind_int(&row, group->q_rank);
        row_bind_int(&row, group->rope_dim);
        row_bind_int(&row, group->params);
        row_bind_int(&row, group->is_gated);
        write_state(&row, group);
        row_write(&row);
    }
}

/* What the parameters are counted from. */
static void write_counts(struct row *row, const struct model *m) {
    row_bind_int(row, m->experts);
    row_bind_int(row, m->expert_size);
    row_bind_int(row, m->shared_size);
    row_bind_int(row, m->dense_layers);
    row_bind_int(row, m->mlp_layers);
    row_bind_int(row, m->draft_layers);
    row_bind_int(row, m->other_params);
    row_bind_int(row, m->has_plain_mlp);
    row_bind_text(row, m->uncounted);
}

static void write_model(struct writer *w, const struct model *m,
                        size_t number) {
    struct row row = row_of(w->db, INSERT_model);
    row_bind_int(&row, (int64_t)number);
    row_bind_text(&row, m->id);
    row_bind_text(&row, m->family);
    row_bind_int(&row, m->params);
    row_bind_int(&row, m->embedding_params);
    row_bind_int(&row, m->layers);
    row_bind_int(&row, m->hidden_size);
    row_bind_int(&row, m->heads);
    row_bind_int(&row, m->vocab_size);
    row_bind_int(&row, m->intermediate_size);
    row_bind_int(&row, m->max_position);
    row_bind_text(&row, m->dtype);
    row_bind_text(&row, m->quantization);
    row_bind_int(&row, m->is_moe);
    row_bind_int(&row, m->is_multimodal);
    row_bind_text(&row, m->verified);
    write_counts(&row, m);
    row_write(&row);
}

void write_models(struct writer *w, const struct corpus *c) {
    for (size_t i = 0; i < c->model_count; i++) {
        const struct model *m = &c->models[i];
        write_model(w, m, i);
        write_strings(w, INSERT_model_alias, i, &m->aliases);
        write_strings(w, INSERT_model_source, i, &m->sources);
        write_groups(w, m, i);
        write_name(w, m->id, i);
        for (size_t k = 0; k < m->aliases.count; k++) {
            write_name(w, m->aliases.at[k], i);
        }
    }
}

/* ---- GPUs, components, texts ---- */

void write_gpus(struct writer *w, const struct corpus *c) {
    for (size_t i = 0; i < c->gpu_count; i++) {
        const struct gpu *gpu = &c->gpus[i];
        struct row row = row_of(w->db, INSERT_gpu);
        row_bind_int(&row, (int64_t)i);
        row_bind_text(&row, gpu->id);
        row_bind_text(&row, gpu->vendor);
        row_bind_int(&row, gpu->nominal_gb);
        row_bind_int(&row, gpu->total_low);
        row_bind_int(&row, gpu->total_high);
        row_bind_int(&row, gpu->has_fp8);
        row_bind_int(&row, gpu->is_unified);
        row_bind_text(&row, gpu->compute_capability);
        row_bind_text(&row, gpu->source);
        row_write(&row);
        write_strings(w, INSERT_gpu_alias, i, &gpu->aliases);
    }
}

static void bind_text(struct row *row, const struct text *text) {
    for (int lang = 0; lang < LANG_COUNT_OF; lang++) {
        row_bind_text(row, text->in[lang]);
    }
}

static void write_evidence(struct writer *w, const struct cause *c,
                           size_t number) {
    for (size_t i = 0; i < c->evidence_count; i++) {
        struct row row = row_at(w, INSERT_cause_evidence, number, i);
        row_bind_text(&row, c->evidence[i].when);
        row_bind_int(&row, c->evidence[i].weight);
        row_bind_text(&row, c->evidence[i].family);
        bind_text(&row, &c->evidence[i].because);
        row_write(&row);
    }
}

void write_causes(struct writer *w, const struct corpus *c) {
    for (size_t i = 0; i < c->cause_count; i++) {
        struct row row = row_of(w->db, INSERT_cause);
        row_bind_int(&row, (int64_t)i);
        row_bind_text(&row, c->causes[i].id);
        row_bind_word(&row, WORDS_MECHANISM, (int)c->causes[i].mechanism);
        row_bind_word(&row, WORDS_RESTART, (int)c->causes[i].restart);
        bind_text(&row, &c->causes[i].name);
        row_write(&row);
        write_evidence(w, &c->causes[i], i);
    }
    for (int i = 0; i < RANKING_COUNT_OF; i++) {
        struct row row = row_of(w->db, INSERT_ranking);
        row_bind_text(&row, str_of(ranking_spelling((enum ranking_number)i)));
        row_bind_int(&row, c->ranking.micro[i]);
        bind_text(&row, &c->ranking.origin[i]);
        row_write(&row);
    }
}

static struct str lines_of(struct arena *a, const struct str_list *list) {
    struct str lines = STR("");
    for (size_t i = 0; i < list->count; i++) {
        lines = arena_printf(a, "%.*s%.*s\n", STR_ARG(lines),
                             STR_ARG(list->at[i]));
    }
    return lines;
}

void write_words(struct writer *w, const struct corpus *c) {
    for (size_t i = 0; i < c->component_count; i++) {
        struct row row = row_of(w->db, INSERT_component);
        row_bind_text(&row, c->components[i].id);
        row_bind_text(&row, c->components[i].name);
        row_bind_text(&row, c->components[i].folds_into);
        row_bind_text(&row, lines_of(w->db->arena,
                                     &c->components[i].aliases));
        row_write(&row);
    }
    for (size_t i = 0; i < c->message_count; i++) {
        for (int lang = 0; lang < LANG_COUNT_OF; lang++) {
            struct row row = row_of(w->db, INSERT_message);
            row_bind_text(&row, c->messages[i].key);
            row_bind_text(&row, str_of(lang_name((enum lang)lang)));
            row_bind_text(&row, c->messages[i].text.in[lang]);
            row_write(&row);
        }
    }
}
