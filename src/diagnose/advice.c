/* advice.c: decides for each workaround of the entry whether it applies here.
 *
 *   release     this release does not take the setting: no
 *   when        false: no     unknown: if, with the facts     true: yes
 *   flag        the value is in force: already; it is beyond: no
 *   attempts    that value failed earlier in this log: no
 *   effect      arithmetic: enough, not enough, or what it needs
 *
 * Then texts and command are filled in. A value that the user set and a value
 * that the engine has by default are treated alike: both are in force.
 */
#include "diagnose/work.h"

struct applying {
    enum applies applies;
    struct note because;
};

int flag_fact(const struct engine *e, struct str flag) {
    for (size_t i = 0; e && i < e->flag_count; i++) {
        const struct flag *f = &e->flags[i];
        if (str_eq(f->flag, flag) || list_has(&f->aliases, flag) ||
            list_has(&f->keys, flag))
            return (int)f->fact;
    }
    return -1;
}

static int acted_on_by(struct diagnosis *d, const struct entry *e,
                       const struct workaround *w, const struct inputs *c) {
    int fact = flag_sets(d, e, w->acts_on.flag);
    bool is_step = w->effect == EFFECT_batch_size ||
                   w->effect == EFFECT_seq_len;
    if (fact < 0 && is_step)
        return (int)step_setting(c, w->effect);
    return fact >= 0 ? fact : effect_setting(w->effect);
}

/* ---- when ---- */

/* The reason: "Not here: gpu_free = 6.10 GiB", or that the log has no such
 * fact. */
static struct note why_not(struct diagnosis *d, const struct verdict_when *v,
                           const struct fact_list *facts,
                           const struct signature *form) {
    size_t count = v->name_count < 16 ? v->name_count : 16;
    struct str known = grounds_written(d, v->names, count, facts, form);
    return known.n > 0 ? NOTE("diagnose.applies.no", known)
                       : NOTE("diagnose.applies.absent",
                              fact_names(d->a, v->names, count));
}

/* True if only the engine is unknown and the message has frames. Frames would
 * show an engine that the condition names. */
static bool is_no_engine(const struct diagnosis *d, const struct finding *f,
                         const struct verdict_when *v) {
    return v->truth == TRUTH_UNKNOWN && v->name_count == 1 &&
           v->names[0] == FACT_engine && d->engine == NULL && f->has_trace;
}

static struct applying check_when(struct diagnosis *d, const struct finding *f,
                                  const struct str_list *when,
                                  const struct fact_list *facts) {
    struct applying out = {.applies = APPLIES_YES};
    for (size_t i = 0; i < when->count; i++) {
        struct verdict_when v = when_truth(d, when->at[i], facts, f->form);
        size_t count = v.name_count < 16 ? v.name_count : 16;
        if (v.truth == TRUTH_FALSE || is_no_engine(d, f, &v)) {
            out.applies = APPLIES_NO;
            out.because = why_not(d, &v, facts, f->form);
            return out;
        }
        if (v.truth == TRUTH_UNKNOWN && out.applies == APPLIES_YES) {
            out.applies = APPLIES_IF;
            out.because = NOTE("diagnose.applies.if",
                               fact_names(d->a, v.names, count));
        }
    }
    return out;
}

/* ---- values in force, values that failed ---- */

/* The value that a fix would set: the value in its command, else the proposed
 * one. Known false: unknown. */
static struct fact target_of(struct diagnosis *d, const struct entry *e,
                             const struct fix *fix, int acted_on,
                             const struct fact *proposed) {
    struct fact none = fact_blank(FACT_engine, SOURCE_DERIVED);
    if (acted_on < 0)
        return none;
    enum fact_name name = (enum fact_name)acted_on;
    struct fact typed = command_sets(d, e, fix->command, name);
    return !typed.known && proposed->known && proposed->name == name
               ? *proposed
               : typed;
}

/* The fact of an earlier attempt that had this value and failed; NULL: none. */
static const struct fact *tried_before(const struct finding *f,
                                       const struct fact *target) {
    for (size_t i = 0; i < f->instance_count; i++) {
        const struct fact_list *facts = &f->instances[i].facts;
        for (size_t k = 0; k < facts->count; k++)
            if (facts->at[k].known && facts_same(&facts->at[k], target))
                return &facts->at[k];
    }
    return NULL;
}

/* True if the setting was named but was never in force. That it did not help
 * then proves nothing. */
static bool was_named_in_vain(const struct diagnosis *d, int acted_on) {
    for (size_t i = 0; i < d->overruled_count; i++)
        if ((int)d->overruled[i].named.name == acted_on)
            return true;
    return false;
}

/* True if the log shows the setting, in force or named in vain. */
static bool is_shown(const struct diagnosis *d, const struct fact_list *facts,
                     int acted_on) {
    return acted_on >= 0 && (was_named_in_vain(d, acted_on) ||
                             facts_last(facts, (enum fact_name)acted_on));
}

/* A note: {0} is {1}, and the fix would set it to {2}. */
static struct applying not_applying(struct diagnosis *d, enum applies applies,
                                    const char *key, const struct fact *current,
                                    const struct fact *target) {
    return (struct applying){applies,
                             NOTE(key, fact_label(d->a, target->name),
                                  fact_written(d->a, current, false),
                                  fact_written(d->a, target, false))};
}

/* APPLIES_YES: neither the value in force nor an earlier one is against the
 * fix. */
static struct applying check_values(struct diagnosis *d,
                                    const struct finding *f, enum change change,
                                    const struct fact_list *facts,
                                    const struct fact *target) {
    const struct applying yes = {.applies = APPLIES_YES};
    const struct fact *current = facts_last(facts, target->name);
    if (!target->known)
        return yes;
    if (current && facts_same(target, current))
        return not_applying(d, APPLIES_ALREADY, "diagnose.applies.already",
                            current, target);
    if (current && is_wrong_direction(change, target, current))
        return not_applying(d, APPLIES_NO, "diagnose.applies.astray", current,
                            target);
    const struct fact *tried = tried_before(f, target);
    return tried ? (struct applying){APPLIES_NO,
                                     NOTE("diagnose.applies.tried",
                                          fact_written(d->a, tried, false),
                                          written_line(d->a, tried->line))}
                 : yes;
}

/* "--lowvram" is in force (line 3). */
static struct note note_of_option(struct diagnosis *d,
                                  const struct option_seen *seen) {
    return NOTE(seen->is_done ? "diagnose.applies.option"
                              : "diagnose.applies.further",
                seen->text, written_line(d->a, seen->line));
}

static bool is_of_step(enum effect effect) {
    return effect == EFFECT_batch_size || effect == EFFECT_seq_len ||
           effect == EFFECT_gradient_checkpointing ||
           effect == EFFECT_step_size;
}

/* If the training state of Adam for all weights fills the GPU before any sample
 * is loaded, a smaller step helps only a run that trains otherwise. */
static struct applying check_training_state(struct diagnosis *d,
                                            const struct fact_list *facts) {
    struct applying out = {.applies = APPLIES_YES};
    const struct fact *state = facts_last(facts, FACT_full_state_bytes);
    const struct fact *total = facts_last(facts, FACT_gpu_total);
    if (state && total && state->number > total->number / 10 * 9) {
        out.applies = APPLIES_IF;
        bool is_counted = facts_last(facts, FACT_trainable_params) != NULL;
        out.because = NOTE(is_counted ? "diagnose.applies.state_counted"
                                      : "diagnose.applies.state",
                           fact_written(d->a, state, false));
    }
    return out;
}

static struct applying applying_of(struct diagnosis *d, const struct finding *f,
                                   struct fix *fix,
                                   const struct fact_list *facts, int acted_on,
                                   const struct fact *proposed) {
    const struct workaround *w = fix->workaround;
    struct fact target = target_of(d, f->entry, fix, acted_on, proposed);
    struct note release = {0};
    enum lacking lacking = release_lacks(d, w, f->form, facts, &release);
    if (lacking == LACKS_IT)
        return (struct applying){APPLIES_NO, release};
    struct applying out = check_values(d, f, w->acts_on.change, facts, &target);
    if (out.applies != APPLIES_YES)
        return out;
    struct option_seen seen = {0};
    if (w->source.n > 0 || !is_shown(d, facts, acted_on))
        seen = option_in_force(d, fix);
    if (seen.is_done)
        return (struct applying){APPLIES_ALREADY, note_of_option(d, &seen)};
    out = check_when(d, f, &w->when, facts);
    if (out.applies == APPLIES_YES && is_of_step(w->effect))
        out = check_training_state(d, facts);
    if (out.applies == APPLIES_YES && was_named_in_vain(d, acted_on))
        out.because = NOTE("diagnose.applies.in_vain",
                           fact_label(d->a, (enum fact_name)acted_on));
    else if (out.applies == APPLIES_YES && seen.text.n > 0)
        out.because = note_of_option(d, &seen);
    else if (out.applies == APPLIES_YES && lacking == LACKS_PART)
        out.because = release;
    return out;
}

/* ---- one fix ---- */

/* For a request that is longer than the whole KV cache, the bottleneck is the
 * pool that the start printed. */
static enum shortage shortage_for(const struct finding *f,
                                  const struct workaround *w,
                                  const struct inputs *c) {
    bool is_at_run = f->entry->mechanism == MECHANISM_kv_cache_runtime;
    bool is_counted = c->in[FACT_kv_blocks].known ||
                      c->in[FACT_kv_tokens].known;
    return f->shortage == SHORT_UNKNOWN && is_at_run && is_counted &&
                   w->effect == EFFECT_max_model_len
               ? SHORT_KV_POOL
               : f->shortage;
}

/* True for limits that are printed in a message and are no shortage of GPU or
 * host memory. */
static bool is_of_a_limit(enum effect effect) {
    return effect == EFFECT_shm_size || effect == EFFECT_raise_limit ||
           effect == EFFECT_wired_limit || effect == EFFECT_vae_tiles ||
           effect == EFFECT_kernel || effect == EFFECT_kernel_tile ||
           effect == EFFECT_build_jobs || effect == EFFECT_step_size;
}

/* True if the flag belongs to certain programs, and the engine of the log is
 * none of them and has no flag of its own for the same setting. If no engine is
 * known, the flag is taken as available. */
static bool is_flag_of_others(const struct diagnosis *d, const struct fix *fix,
                              int acted_on) {
    const struct workaround *w = fix->workaround;
    bool has_own = acted_on >= 0 &&
                   engine_flag_of(d->engine, (enum fact_name)acted_on);
    return d->engine && !has_own && w->acts_on.flag.n > 0 &&
           w->command_when.count > 0 && w->command.n > 0 &&
           fix->command.n == 0;
}

/* A fix that is a flag of some programs needs code in a program that is not
 * known to have the flag. */
static enum effort effort_here(const struct diagnosis *d,
                               const struct fix *fix, int acted_on) {
    const struct acts_on *on = &fix->workaround->acts_on;
    struct str how = fix->workaround->how.in[LANG_EN];
    bool is_size = fix->workaround->effect == EFFECT_step_size ||
                   fix->workaround->effect == EFFECT_batch_size ||
                   fix->workaround->effect == EFFECT_seq_len;
    bool names_one = on->flag.n > 0 || fix->command.n > 0 ||
                     str_find(how, STR("`--")) < how.n || is_size;
    bool is_hidden = is_flag_of_others(d, fix, acted_on) && !is_size;
    bool is_code = is_hidden || (on->kind == ACT_KIND_code && !names_one);
    return is_code && fix->workaround->effort == EFFORT_flag
               ? EFFORT_code
               : fix->workaround->effort;
}

/* Adapts the condition of a verdict: a limit of one buffer does not depend on
 * free memory, and attention that keeps no scores splits none. */
static void condition_adapt(const struct entry *e, const struct workaround *w,
                            struct estimate *estimate) {
    struct note *n = &estimate->condition;
    struct str key = n->key ? str_of(n->key) : STR("");
    bool is_limit = e->mechanism == MECHANISM_allocation_limit;
    struct str flag = w->acts_on.flag;
    bool is_attention = str_find(flag, STR("attention")) < flag.n ||
                        str_eq(flag, STR("attn_implementation"));
    if (is_limit && str_eq(key, STR("verdict.if.free")))
        n->key = "verdict.if.allowed";
    else if (is_attention && str_eq(key, STR("verdict.if.pieces")))
        *n = note_of("verdict.if.scores");
}

/* True if the title shows both values. Then the note about the value in force
 * is left out. */
static bool title_has_values(const struct fix *fix,
                             const struct note *because) {
    return fix->lowers.key != NULL && because->key != NULL &&
           str_eq(str_of(because->key), STR("diagnose.applies.further"));
}

static struct fix fix_of(struct diagnosis *d, const struct finding *f,
                         const struct workaround *w,
                         const struct inputs *c,
                         const struct fact_list *facts) {
    struct fix fix = {.workaround = w};
    int acted_on = acted_on_by(d, f->entry, w, c);
    struct fact none = fact_blank(FACT_engine, SOURCE_DERIVED);
    enum shortage what = shortage_for(f, w, c);
    bool is_computed = w->effect != EFFECT_none &&
                       (what != SHORT_UNKNOWN || is_of_a_limit(w->effect)) &&
                       facts_reconcile(&f->facts);
    if (is_computed) {
        fix.has_estimate = true;
        fix.estimate = memory_effect(d->a, c, what, w->effect);
        condition_adapt(f->entry, w, &fix.estimate);
    }
    const struct fact *proposed = is_computed ? &fix.estimate.proposed : &none;
    texts_fill(d, &fix, f->entry, facts, acted_on);
    struct applying verdict = applying_of(d, f, &fix, facts, acted_on,
                                          proposed);
    fix.applies = verdict.applies;
    fix.because = title_has_values(&fix, &verdict.because) ? (struct note){0}
                                                       : verdict.because;
    fix.success = success_of(d->r, &w->success, f->entry->mechanism, w);
    fix.own = own_success_of(d, f->entry, w, &fix.success);
    if (release_lacks_command(d, w, f->form) ||
        check_when(d, f, &w->command_when, facts).applies != APPLIES_YES) {
        fix.command = (struct str){NULL, 0};
        title_by_value(d, &fix, facts, acted_on);
    }
    fix.effort = effort_here(d, &fix, acted_on);
    return fix;
}

void fixes_find(struct diagnosis *d, struct finding *f,
                const struct inputs *c) {
    const struct entry *e = f->entry;
    struct fact_list facts = facts_in_force(d, &f->facts);
    struct workaround_list here = workarounds_here(d, e);
    f->fixes = arena_array(d->a, here.count, sizeof *f->fixes);
    f->fix_count = here.count;
    for (size_t i = 0; i < here.count; i++)
        f->fixes[i] = fix_of(d, f, &here.at[i], c, &facts);
}
