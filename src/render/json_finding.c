/* json_finding.c: one finding as JSON, in the order of the report. */
#include "render/parts.h"

#define HUNDREDTH_MICRO INT64_C(10000) /* max_concurrency has two places */

static struct json *owner(const struct teller *t, int64_t n) {
    return n == FACT_NONE ? json_new_null(t->a) : json_int(t->a, n);
}

static struct json *instances(const struct teller *t,
                              const struct finding *f) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < f->instance_count; i++) {
        const struct instance *is = &f->instances[i];
        struct json *o = json_new_object(t->a);
        json_set(o, "first_line", json_int(t->a, is->first_line));
        json_set(o, "rank", owner(t, is->rank));
        json_set(o, "gpu", owner(t, is->gpu));
        json_set(o, "facts", json_facts(t, &is->facts));
        json_push(list, o);
    }
    return list;
}

static struct json *hundredths(const struct teller *t, int64_t n) {
    int64_t micro = 0;
    return mul_i64(n, HUNDREDTH_MICRO, &micro) ? json_micro(t->a, micro)
                                               : json_new_null(t->a);
}

struct json *json_hundredths(const struct teller *t, struct span s) {
    if (!s.known) {
        return json_new_null(t->a);
    }
    if (s.low == s.high) {
        return hundredths(t, s.low);
    }
    struct json *o = json_new_object(t->a);
    json_set(o, "low", hundredths(t, s.low));
    json_set(o, "high", hundredths(t, s.high));
    return o;
}

static struct json *fits(const struct teller *t, const struct kv *kv) {
    switch (kv->fits) {
    case FIT_LIKELY:
    case FIT_UNKNOWN: return json_new_null(t->a);
    case FIT_YES: return json_bool(t->a, true);
    case FIT_NO: return json_bool(t->a, false);
    }
    return json_new_null(t->a);
}

struct json *json_kv(const struct teller *t, const struct kv *kv) {
    struct json *o = json_new_object(t->a);
    struct json *per_token = json_new_object(t->a);
    json_set(per_token, "fixed", json_span(t, kv->fixed));
    json_set(per_token, "slope", json_span(t, kv->slope));
    json_set(o, "bytes_per_token", per_token);
    json_set(o, "bytes_per_block", json_span(t, kv->bytes_per_block));
    json_set(o, "bytes_per_request", json_span(t, kv->bytes_per_request));
    json_set(o, "blocks", json_span(t, kv->blocks));
    json_set(o, "tokens", json_span(t, kv->tokens));
    json_set(o, "max_concurrency", json_hundredths(t, kv->max_concurrency));
    json_set(o, "est_max_model_len", json_span(t, kv->est_max_model_len));
    json_set(o, "fits", fits(t, kv));
    json_set(o, "needs", json_needs(t, &kv->needs));
    return o;
}

struct json *json_budget(const struct teller *t, const struct budget *b) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < b->count; i++) {
        struct json *o = json_new_object(t->a);
        json_set(o, "part", json_text(t->a, str_of(b->parts[i].part)));
        json_set(o, "bytes", json_span(t, b->parts[i].bytes));
        json_set(o, "source", json_str_or_null(t->a, b->parts[i].source));
        json_push(list, o);
    }
    return list;
}

struct json *json_formulas(const struct teller *t,
                           const struct formulas *f) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < f->count; i++) {
        json_push(list, json_text(t->a, f->at[i]));
    }
    return list;
}

static struct json *notes(const struct teller *t, const struct note *at,
                          size_t count) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < count; i++) {
        json_push(list, json_text(t->a, said_note(t, &at[i])));
    }
    return list;
}

static struct json *own(const struct teller *t, const struct own_success *s) {
    struct json *o = json_new_object(t->a);
    json_set(o, "worked", json_int(t->a, s->worked));
    json_set(o, "failed", json_int(t->a, s->failed));
    json_set(o, "mean", json_micro(t->a, s->mean));
    return o;
}

static struct json *fix_object(const struct teller *t, const struct fix *fix) {
    const struct workaround *is = fix->is;
    struct json *o = json_new_object(t->a);
    json_set(o, "rank", json_int(t->a, fix->rank));
    json_set(o, "id", json_text(t->a, is->id));
    json_set(o, "action", json_text(t->a, said_text(t, &is->action)));
    json_set(o, "how", json_text(t->a, said_text(t, &fix->how)));
    json_set(o, "command", json_str_or_null(t->a, fix->command));
    json_set(o, "acts_on", json_acts_on(t, &is->acts_on));
    json_set(o, "use", json_str_or_null(t->a, is->use));
    json_set(o, "effort", json_word(t, WORDS_EFFORT, (int)is->effort));
    json_set(o, "loses", json_word(t, WORDS_LOSES, (int)is->loses));
    json_set(o, "frees", json_word(t, WORDS_FREES, (int)is->frees));
    json_set(o, "trade_off", json_said(t, &is->trade_off));
    json_set(o, "success", json_success(t, &fix->success, "worked"));
    if (fix->own.worked + fix->own.failed > 0) {
        json_set(o, "own", own(t, &fix->own));
    }
    json_set(o, "applies",
             json_text(t->a, str_of(applies_spelling(fix->applies))));
    json_set(o, "because", json_str_or_null(t->a, said_note(t, &fix->because)));
    json_set(o, "estimate", json_estimate(t, fix));
    json_set(o, "p", json_micro(t->a, fix->p_micro));
    json_set(o, "price", json_micro(t->a, fix->cost_micro));
    json_set(o, "gain", json_micro(t->a, fix->gain_micro));
    if (t->o->why) {
        json_set(o, "worth", json_text(t->a, said_note(t, &fix->worth)));
    }
    return o;
}

static struct json *fixes(const struct teller *t, const struct finding *f) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < f->fix_count; i++) {
        if (t->o->top != 0 && i >= t->o->top) {
            break;
        }
        json_push(list, fix_object(t, &f->fixes[i]));
    }
    return list;
}

static struct json *dead_ends(const struct teller *t,
                              const struct finding *f) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < f->dead_end_count; i++) {
        const struct dead_end_shown *d = &f->dead_ends[i];
        struct str action = said_note(t, &d->action);
        struct str why = said_note(t, &d->why);
        struct str instead = {NULL, 0};
        if (d->is != NULL) {
            action = said_text(t, &d->is->action);
            why = said_text(t, &d->is->why);
            instead = said_text(t, &d->is->instead);
        }
        struct json *o = json_new_object(t->a);
        json_set(o, "action", json_text(t->a, action));
        json_set(o, "why", json_text(t->a, why));
        json_set(o, "fail", json_success(t, &d->fail, "failed"));
        json_set(o, "instead", json_str_or_null(t->a, instead));
        json_push(list, o);
    }
    return list;
}

static struct json *in_range(const struct teller *t, enum in_range where) {
    switch (where) {
    case RANGE_OUTSIDE: return json_bool(t->a, false);
    case RANGE_INSIDE: return json_bool(t->a, true);
    case RANGE_UNKNOWN: return json_new_null(t->a);
    }
    return json_new_null(t->a);
}

static struct json *versions(const struct teller *t,
                             const struct finding *f) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < f->version_count; i++) {
        const struct version_line *v = &f->versions[i];
        struct json *o = json_range(t, &v->is->range);
        json_set(o, "status", json_word(t, WORDS_RANGE_STATUS, (int)v->is->status));
        json_set(o, "version", json_str_or_null(t->a, v->version));
        json_set(o, "in_range", in_range(t, v->in_range));
        json_set(o, "note", json_said(t, &v->is->note));
        json_push(list, o);
    }
    return list;
}

static void set_head(const struct teller *t, struct json *o,
                     const struct finding *f) {
    const struct entry *e = f->entry;
    json_set(o, "id", json_text(t->a, f->id));
    json_set(o, "entry", json_text(t->a, e->id));
    json_set(o, "component", json_text(t->a, e->component));
    json_set(o, "mechanism", json_word(t, WORDS_MECHANISM, (int)f->mechanism));
    json_set(o, "title", json_text(t->a, said_text(t, &e->title)));
    json_set(o, "root_cause", json_text(t->a, said_text(t, &e->root_cause)));
    json_set(o, "role", json_word(t, WORDS_ROLE, (int)f->role));
    json_set(o, "cause",
             f->cause >= 0 ? json_int(t->a, f->cause) : json_new_null(t->a));
    json_set(o, "severity", json_word(t, WORDS_SEVERITY, (int)e->severity));
    json_set(o, "certainty",
             json_text(t->a, str_of(certainty_spelling(f->certainty))));
    json_set(o, "because", json_str_or_null(t->a, said_note(t, &f->because)));
    json_set(o, "first_line", json_int(t->a, f->first_line));
    json_set(o, "last_line", json_int(t->a, f->last_line));
    json_set(o, "count", json_int(t->a, (int64_t)f->count));
}

static const char *const outcomes[] = {
    [RECONCILE_UNKNOWN] = NULL,
    [RECONCILE_AGREES] = "agrees",
    [RECONCILE_EXPLAINED] = "explained",
    [RECONCILE_RESIDUAL] = "residual",
};

static struct json *settings(const struct teller *t,
                             const struct reconciliation *r) {
    struct fact_list list = {.count = 0};
    struct fact *at = arena_array(t->a, RECONCILE_SETTINGS, sizeof *at);
    for (size_t i = 0; i < r->setting_count; i++) {
        at[i] = r->setting[i];
    }
    list.at = at;
    list.count = r->setting_count;
    return json_facts(t, &list);
}

/* NULL where nothing was printed that a model could be held against. */
static struct json *reconciliation(const struct teller *t,
                                   const struct finding *f) {
    const struct reconciliation *r = &f->reconciliation;
    if (outcomes[r->outcome] == NULL && !r->per_token.known) {
        return json_new_null(t->a);
    }
    struct json *o = json_new_object(t->a), *models = json_new_array(t->a);
    struct str outcome = outcomes[r->outcome] ? str_of(outcomes[r->outcome])
                                              : STR("unknown");
    for (size_t i = 0; i < f->models_like.count; i++) {
        json_push(models, json_text(t->a, f->models_like.at[i]));
    }
    json_set(o, "outcome", json_text(t->a, outcome));
    json_set(o, "quantity",
             json_text(t->a, str_of(fact_spelling(r->quantity))));
    json_set(o, "printed", json_span(t, r->printed));
    json_set(o, "computed", json_span(t, r->computed));
    json_set(o, "residual", json_span(t, r->residual));
    json_set(o, "bytes_per_token", json_span(t, r->per_token));
    json_set(o, "settings", settings(t, r));
    json_set(o, "models", models);
    json_set(o, "models_count",
             json_int(t->a, (int64_t)f->models_like_count));
    json_set(o, "formula", json_str_or_null(t->a, r->formula));
    return o;
}

/* Most probable first, with the evidence that moved it. */
static struct json *causes(const struct teller *t, const struct finding *f) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < f->cause_count; i++) {
        const struct belief *b = &f->causes[i];
        struct json *o = json_new_object(t->a), *because = json_new_array(t->a);
        for (size_t k = 0; k < b->because_count; k++) {
            json_push(because,
                      json_text(t->a, said_text(t, &b->because[k]->because)));
        }
        json_set(o, "cause", json_text(t->a, b->is->id));
        json_set(o, "name", json_text(t->a, said_text(t, &b->is->name)));
        json_set(o, "p", json_micro(t->a, b->p_micro));
        json_set(o, "because", because);
        json_push(list, o);
    }
    return list;
}

static struct json *outlook(const struct teller *t, const struct finding *f) {
    struct json *o = json_new_object(t->a);
    json_set(o, "restart", json_word(t, WORDS_RESTART, (int)f->outlook.restart));
    json_set(o, "because",
             json_str_or_null(t->a, said_note(t, &f->outlook.because)));
    return o;
}

struct json *json_finding(const struct teller *t, const struct finding *f) {
    const struct entry *e = f->entry;
    struct json *o = json_new_object(t->a);
    set_head(t, o, f);
    json_set(o, "facts", json_facts(t, &f->facts));
    json_set(o, "instances", instances(t, f));
    json_set(o, "kv", f->has_kv ? json_kv(t, &f->kv) : json_new_null(t->a));
    json_set(o, "reconciliation", reconciliation(t, f));
    json_set(o, "budget", json_budget(t, &f->budget));
    json_set(o, "formulas", json_formulas(t, &f->formulas));
    json_set(o, "outlook", outlook(t, f));
    json_set(o, "causes", causes(t, f));
    json_set(o, "remarks", notes(t, f->remarks, f->remark_count));
    json_set(o, "fixes", fixes(t, f));
    json_set(o, "dead_ends", dead_ends(t, f));
    json_set(o, "versions", versions(t, f));
    json_set(o, "evidence", json_references(t, e->evidence, e->evidence_count));
    json_set(o, "see_also", json_see_also(t, e));
    return o;
}
