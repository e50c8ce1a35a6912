/* json_finding.c: one finding as JSON, in the order of the report. */
#include "render/parts.h"

static const char *const certainties[] = {[CERTAINTY_EXACT] = "exact",
                                          [CERTAINTY_BY_FACTS] = "by_facts",
                                          [CERTAINTY_BY_CONTEXT] = "by_context",
                                          [CERTAINTY_GENERIC] = "generic"};

static const char *const applying[] = {[APPLIES_YES] = "yes",
                                       [APPLIES_IF] = "if",
                                       [APPLIES_NO] = "no",
                                       [APPLIES_ALREADY] = "already"};

static struct json *instances(const struct render *t, const struct finding *f) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < f->instance_count; i++) {
        const struct instance *is = &f->instances[i];
        json_push(
            list,
            JSON(t, {"first_line", json_int(t->a, is->first_line)},
                 {"rank", json_int_or_null(t, is->rank != FACT_NONE, is->rank)},
                 {"gpu", json_int_or_null(t, is->gpu != FACT_NONE, is->gpu)},
                 {"facts", json_facts(t, is->facts.at, is->facts.count)}));
    }
    return list;
}

struct json *json_kv(const struct render *t, const struct kv *kv) {
    return JSON(t,
                {"bytes_per_token", JSON(t, {"fixed", json_span(t, kv->fixed)},
                                         {"slope", json_span(t, kv->slope)})},
                {"bytes_per_block", json_span(t, kv->bytes_per_block)},
                {"bytes_per_request", json_span(t, kv->bytes_per_request)},
                {"blocks", json_span(t, kv->blocks)},
                {"tokens", json_span(t, kv->tokens)},
                {"max_concurrency", json_hundredths(t, kv->max_concurrency)},
                {"est_max_model_len", json_span(t, kv->est_max_model_len)},
                {"fits", json_truth(t, kv->fits)},
                {"needs", json_needs(t, &kv->needs)});
}

struct json *json_budget(const struct render *t, const struct budget *b) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < b->count; i++) {
        const struct budget_part *part = &b->parts[i];
        json_push(list, JSON(t, {"part", json_spelling(t->a, part->part)},
                             {"bytes", json_span(t, part->bytes)},
                             {"source", json_str_or_null(t->a, part->source)}));
    }
    return list;
}

struct json *json_formulas(const struct render *t, const struct formulas *f) {
    return json_strings(t, &(struct str_list){f->at, f->count});
}

struct json *json_notes(const struct render *t, const struct note *at,
                        size_t count) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < count; i++)
        json_push(list, json_text(t->a, note_text(t, &at[i])));
    return list;
}

static struct json *own_object(const struct render *t,
                               const struct own_success *own) {
    if (own->worked + own->failed == 0)
        return NULL;
    return JSON(t, {"worked", json_int(t->a, own->worked)},
                {"failed", json_int(t->a, own->failed)},
                {"mean", json_micro(t->a, own->mean)});
}

static struct json *fix_object(const struct render *t, const struct fix *fix) {
    const struct workaround *is = fix->workaround;
    return JSON(t, {"rank", json_int(t->a, fix->rank)},
                {"id", json_text(t->a, is->id)},
                {"action", json_text(t->a, fix_title(t, fix))},
                {"how", json_text(t->a, localized(t, &fix->how))},
                {"command", json_str_or_null(t->a, fix->command)},
                {"first_try", json_str_or_null(t->a, fix->first_try)},
                {"acts_on", json_acts_on(t, &is->acts_on)},
                {"use", json_str_or_null(t->a, is->use)},
                {"effort", json_word(t, WORDS_EFFORT, (int)fix->effort)},
                {"loses", json_word(t, WORDS_LOSES, (int)is->loses)},
                {"frees", json_word(t, WORDS_FREES, (int)is->frees)},
                {"trade_off", json_local(t, &is->trade_off)},
                {"success", json_success(t, &fix->success, "worked")},
                {"own", own_object(t, &fix->own)},
                {"applies", json_spelling(t->a, applying[fix->applies])},
                {"because", json_note(t, &fix->because)},
                {"estimate", json_estimate(t, fix)},
                {"p", json_micro(t->a, fix->p_micro)},
                {"price", json_micro(t->a, fix->cost_micro)},
                {"gain", json_micro(t->a, fix->gain_micro)},
                {"worth", t->o->why ? json_text(t->a, fix_worth(t, fix))
                                      : NULL});
}

static struct json *fixes(const struct render *t, const struct finding *f) {
    struct json *list = json_new_array(t->a);
    size_t most = t->o->top != 0 ? t->o->top : SIZE_MAX;
    for (size_t i = 0; i < f->fix_count && i < most; i++)
        json_push(list, fix_object(t, &f->fixes[i]));
    return list;
}

static struct json *dead_ends(const struct render *t, const struct finding *f) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < f->dead_end_count; i++) {
        const struct dead_end_shown *d = &f->dead_ends[i];
        struct dead_end_words words = dead_end_words(t, d);
        json_push(list,
                  JSON(t, {"action", json_text(t->a, words.action)},
                       {"why", json_text(t->a, words.why)},
                       {"fail", json_success(t, &d->fail, "failed")},
                       {"instead", json_str_or_null(t->a, words.instead)}));
    }
    return list;
}

static struct json *versions(const struct render *t, const struct finding *f) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < f->version_count; i++) {
        const struct version_line *v = &f->versions[i];
        struct json *o = json_range(t, &v->row->range);
        JSON_ADD(
            o,
            {"status", json_word(t, WORDS_RANGE_STATUS, (int)v->row->status)},
            {"version", json_str_or_null(t->a, v->version)},
            {"in_range", v->in_range == RANGE_UNKNOWN
                             ? json_new_null(t->a)
                             : json_bool(t->a, v->in_range == RANGE_INSIDE)},
            {"note", json_local(t, &v->row->note)});
        json_push(list, o);
    }
    return list;
}

static const char *const outcomes[] = {
    [RECONCILE_UNKNOWN] = "unknown",
    [RECONCILE_AGREES] = "agrees",
    [RECONCILE_EXPLAINED] = "explained",
    [RECONCILE_RESIDUAL] = "residual",
};

/* Null if the log has no amount to compare a model with. */
static struct json *reconciliation(const struct render *t,
                                   const struct finding *f) {
    const struct reconciliation *r = &f->reconciliation;
    if (r->outcome == RECONCILE_UNKNOWN && !r->per_token.known)
        return json_new_null(t->a);
    return JSON(
        t, {"outcome", json_spelling(t->a, outcomes[r->outcome])},
        {"quantity", json_spelling(t->a, fact_spelling(r->quantity))},
        {"printed", json_span(t, r->printed)},
        {"computed", json_span(t, r->computed)},
        {"residual", json_span(t, r->residual)},
        {"bytes_per_token", json_span(t, r->per_token)},
        {"settings", json_facts(t, r->setting, r->setting_count)},
        {"models", json_strings(t, &f->models_like)},
        {"models_count", json_int(t->a, (int64_t)f->models_like_count)},
        {"formula", json_str_or_null(t->a, r->formula)});
}

/* Most probable first, each with its evidence. */
static struct json *causes(const struct render *t, const struct finding *f) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < f->cause_count; i++) {
        const struct belief *b = &f->causes[i];
        struct json *because = json_new_array(t->a);
        for (size_t k = 0; k < b->because_count; k++)
            json_push(because,
                      json_text(t->a, localized(t, &b->because[k]->because)));
        json_push(list,
                  JSON(t, {"cause", json_text(t->a, b->cause->id)},
                       {"name", json_text(t->a, localized(t, &b->cause->name))},
                       {"p", json_micro(t->a, b->p_micro)},
                       {"because", because}));
    }
    return list;
}

struct json *json_finding(const struct render *t, const struct finding *f) {
    const struct entry *e = f->entry;
    return JSON(
        t, {"id", json_text(t->a, f->id)},
        {"fingerprint", json_text(t->a, f->fingerprint)},
        {"entry", json_text(t->a, e->id)},
        {"component", json_text(t->a, e->component)},
        {"mechanism", json_word(t, WORDS_MECHANISM, (int)f->mechanism)},
        {"title", json_text(t->a, title_text(t, f))},
        {"root_cause", json_text(t->a, localized(t, &e->root_cause))},
        {"role", json_word(t, WORDS_ROLE, (int)f->role)},
        {"cause", json_int_or_null(t, f->cause >= 0, f->cause)},
        {"severity", json_word(t, WORDS_SEVERITY, (int)e->severity)},
        {"certainty", json_spelling(t->a, certainties[f->certainty])},
        {"because", json_note(t, &f->because)},
        {"first_line", json_int(t->a, f->first_line)},
        {"last_line", json_int(t->a, f->last_line)},
        {"count", json_int(t->a, (int64_t)f->count)},
        {"facts", json_facts(t, f->facts.at, f->facts.count)},
        {"instances", instances(t, f)},
        {"kv", f->has_kv ? json_kv(t, &f->kv) : json_new_null(t->a)},
        {"reconciliation", reconciliation(t, f)},
        {"release_change",
         f->turn != NULL ? json_step(t, f->turn) : json_new_null(t->a)},
        {"budget", json_budget(t, &f->budget)},
        {"formulas", json_formulas(t, &f->formulas)},
        {"outlook",
         JSON(t,
              {"restart", json_word(t, WORDS_RESTART, (int)f->outlook.restart)},
              {"because", json_note(t, &f->outlook.because)})},
        {"causes", causes(t, f)},
        {"remarks", json_notes(t, f->remarks, f->remark_count)},
        {"fixes", fixes(t, f)}, {"dead_ends", dead_ends(t, f)},
        {"versions", versions(t, f)},
        {"evidence", json_references(t, e->evidence, e->evidence_count)},
        {"see_also", json_see_also(t, e)});
}
