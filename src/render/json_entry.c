/* json_entry.c: a whole entry as JSON, texts in one language, and the parts
 * of an entry that a finding shows too. */
#include "render/parts.h"

static struct json *word(const struct teller *t, enum vocabulary which,
                         int value) {
    return json_text(t->a, str_of(word_spelling(which, value)));
}

static struct json *strings(const struct teller *t,
                            const struct str_list *list) {
    struct json *array = json_new_array(t->a);
    for (size_t i = 0; i < list->count; i++) {
        json_push(array, json_text(t->a, list->at[i]));
    }
    return array;
}

struct json *json_range(const struct teller *t,
                        const struct version_range *r) {
    struct json *o = json_new_object(t->a);
    struct json *events = json_new_array(t->a);
    for (size_t i = 0; i < r->event_count; i++) {
        const struct version_event *e = &r->events[i];
        struct json *event = json_new_object(t->a);
        json_set(event, e->is_fixed ? "fixed" : "introduced",
                 json_text(t->a, e->version));
        json_push(events, event);
    }
    json_set(o, "product", json_text(t->a, r->product));
    json_set(o, "events", events);
    return o;
}

struct json *json_references(const struct teller *t,
                             const struct reference *at, size_t count) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < count; i++) {
        struct json *o = json_new_object(t->a);
        json_set(o, "url", json_text(t->a, at[i].url));
        json_set(o, "seen", json_str_or_null(t->a, at[i].seen));
        json_set(o, "claim", json_said(t, &at[i].claim));
        json_push(list, o);
    }
    return list;
}

static struct json *see_row(const struct teller *t, struct str kind,
                            struct str entry, struct str url,
                            struct str text) {
    struct json *o = json_new_object(t->a);
    json_set(o, "kind", json_text(t->a, kind));
    json_set(o, "entry", json_str_or_null(t->a, entry));
    json_set(o, "url", json_str_or_null(t->a, url));
    json_set(o, "text", json_str_or_null(t->a, text));
    return o;
}

/* Related entries, then documentation. */
struct json *json_see_also(const struct teller *t, const struct entry *e) {
    static const struct str none = {NULL, 0};
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < e->relation_count; i++) {
        const struct relation *r = &e->relations[i];
        struct str kind = str_of(word_spelling(WORDS_RELATION, (int)r->kind));
        json_push(list, see_row(t, kind, r->entry, none,
                                said_text(t, &r->tell_apart)));
    }
    for (size_t i = 0; i < e->doc_count; i++) {
        const struct reference *d = &e->docs[i];
        json_push(list, see_row(t, STR("docs"), none, d->url,
                                said_text(t, &d->claim)));
    }
    return list;
}

static struct json *settings(const struct teller *t, const struct setting *at,
                             size_t count) {
    struct json *o = json_new_object(t->a);
    for (size_t i = 0; i < count; i++) {
        json_set(o, fact_spelling(at[i].name), json_text(t->a, at[i].value));
    }
    return o;
}

static struct json *signatures(const struct teller *t,
                               const struct entry *e) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < e->signature_count; i++) {
        const struct signature *s = &e->signatures[i];
        struct json *ranges = json_new_array(t->a);
        for (size_t v = 0; v < s->version_count; v++) {
            json_push(ranges, json_range(t, &s->versions[v]));
        }
        struct json *o = json_new_object(t->a);
        json_set(o, "id", json_text(t->a, s->id));
        json_set(o, "pattern", json_text(t->a, s->pattern));
        json_set(o, "weak", json_bool(t->a, s->is_weak));
        json_set(o, "versions", ranges);
        json_set(o, "set", settings(t, s->set, s->set_count));
        json_set(o, "extract", strings(t, &s->extract));
        json_set(o, "sample", json_str_or_null(t->a, s->sample));
        json_push(list, o);
    }
    return list;
}

static struct json *conditions(const struct teller *t, const struct entry *e,
                               bool is_none_of) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < e->condition_count; i++) {
        const struct condition *c = &e->conditions[i];
        if (c->is_none_of != is_none_of) {
            continue;
        }
        struct json *o = json_new_object(t->a);
        json_set(o, "pattern", json_text(t->a, c->pattern));
        json_set(o, "scope", word(t, WORDS_SCOPE, (int)c->scope));
        json_push(list, o);
    }
    return list;
}

static struct json *ratio_or_null(const struct teller *t, int64_t micro) {
    return micro >= 0 ? json_micro(t->a, micro) : json_new_null(t->a);
}

static struct json *json_rate(const struct teller *t,
                              const struct rate *rate,
                              const char *worked_key) {
    if (rate->basis == BASIS_none) {
        return json_new_null(t->a);
    }
    bool has_counts =
        rate->basis == BASIS_reports || rate->basis == BASIS_measured;
    struct json *o = json_new_object(t->a);
    json_set(o, "basis", word(t, WORDS_BASIS, (int)rate->basis));
    json_set(o, worked_key,
             has_counts ? json_int(t->a, rate->worked) : json_new_null(t->a));
    json_set(o, "tried",
             has_counts ? json_int(t->a, rate->tried) : json_new_null(t->a));
    if (rate->maintainers_tried > 0) {
        json_set(o, "maintainers",
                 json_worked(t, rate->maintainers_worked,
                             rate->maintainers_tried));
    }
    json_set(o, "rate",
             has_counts ? json_new_null(t->a)
                        : ratio_or_null(t, rate->rate_micro));
    json_set(o, "because", json_said(t, &rate->because));
    json_set(o, "source", json_str_or_null(t->a, rate->source));
    json_set(o, "links", strings(t, &rate->links));
    return o;
}

static struct json *cures(const struct teller *t,
                          const struct workaround *w) {
    struct json *o = json_new_object(t->a);
    for (size_t i = 0; i < w->cure_count; i++) {
        json_set(o, arena_str(t->a, w->cures[i].cause).p,
                 word(t, WORDS_STRENGTH, (int)w->cures[i].strength));
    }
    return o;
}

static struct json *causes(const struct teller *t, const struct entry *e) {
    struct json *o = json_new_object(t->a);
    for (size_t i = 0; i < e->cause_count; i++) {
        json_set(o, arena_str(t->a, e->causes[i].cause).p,
                 json_micro(t->a, e->causes[i].share_micro));
    }
    return o;
}

static struct json *workarounds(const struct teller *t,
                                const struct entry *e) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < e->workaround_count; i++) {
        const struct workaround *w = &e->workarounds[i];
        struct json *o = json_new_object(t->a);
        json_set(o, "id", json_text(t->a, w->id));
        json_set(o, "action", json_text(t->a, said_text(t, &w->action)));
        json_set(o, "how", json_text(t->a, said_text(t, &w->how)));
        json_set(o, "command", json_str_or_null(t->a, w->command));
        json_set(o, "acts_on", json_acts_on(t, &w->acts_on));
        json_set(o, "use", json_str_or_null(t->a, w->use));
        json_set(o, "effort", word(t, WORDS_EFFORT, (int)w->effort));
        json_set(o, "loses", word(t, WORDS_LOSES, (int)w->loses));
        json_set(o, "frees", word(t, WORDS_FREES, (int)w->frees));
        json_set(o, "cures", cures(t, w));
        json_set(o, "trade_off", json_said(t, &w->trade_off));
        json_set(o, "when", strings(t, &w->when));
        json_set(o, "effect", word(t, WORDS_EFFECT, (int)w->effect));
        json_set(o, "success", json_rate(t, &w->success, "worked"));
        json_push(list, o);
    }
    return list;
}

static struct json *dead_ends(const struct teller *t, const struct entry *e) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < e->dead_end_count; i++) {
        const struct dead_end *d = &e->dead_ends[i];
        struct json *o = json_new_object(t->a);
        json_set(o, "action", json_text(t->a, said_text(t, &d->action)));
        json_set(o, "why", json_text(t->a, said_text(t, &d->why)));
        json_set(o, "acts_on", json_acts_on(t, &d->acts_on));
        json_set(o, "when", strings(t, &d->when));
        json_set(o, "fail", json_rate(t, &d->fail, "failed"));
        json_set(o, "instead", json_said(t, &d->instead));
        json_push(list, o);
    }
    return list;
}

static struct json *versions(const struct teller *t, const struct entry *e) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < e->version_count; i++) {
        const struct compatibility *c = &e->versions[i];
        struct json *o = json_range(t, &c->range);
        json_set(o, "status", word(t, WORDS_RANGE_STATUS, (int)c->status));
        json_set(o, "note", json_said(t, &c->note));
        json_push(list, o);
    }
    return list;
}

static struct json *hardware(const struct teller *t, const struct entry *e) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < e->hardware_count; i++) {
        const struct hardware *h = &e->hardware[i];
        struct json *o = json_new_object(t->a);
        json_set(o, "name", json_text(t->a, h->name));
        json_set(o, "status", word(t, WORDS_RANGE_STATUS, (int)h->status));
        json_set(o, "note", json_said(t, &h->note));
        json_push(list, o);
    }
    return list;
}

static struct json *provenance(const struct teller *t, const struct entry *e) {
    const struct provenance *p = &e->provenance;
    if (p->source.n == 0 && p->verification.n == 0) {
        return json_new_null(t->a);
    }
    struct json *o = json_new_object(t->a);
    json_set(o, "source", json_str_or_null(t->a, p->source));
    json_set(o, "verification", json_str_or_null(t->a, p->verification));
    json_set(o, "confidence", ratio_or_null(t, p->confidence_micro));
    json_set(o, "fix_rate", ratio_or_null(t, p->fix_rate_micro));
    json_set(o, "evidence_count", p->evidence_count >= 0
                                      ? json_int(t->a, p->evidence_count)
                                      : json_new_null(t->a));
    return o;
}

static void set_head(const struct teller *t, struct json *o,
                     const struct entry *e) {
    json_set(o, "id", json_text(t->a, e->id));
    json_set(o, "component", json_text(t->a, e->component));
    json_set(o, "mechanism", word(t, WORDS_MECHANISM, (int)e->mechanism));
    json_set(o, "causes", causes(t, e));
    json_set(o, "severity", word(t, WORDS_SEVERITY, (int)e->severity));
    json_set(o, "role", word(t, WORDS_ROLE, (int)e->role));
    json_set(o, "title", json_text(t->a, said_text(t, &e->title)));
    json_set(o, "root_cause", json_text(t->a, said_text(t, &e->root_cause)));
}

struct json *json_entry_object(const struct teller *t, const struct entry *e) {
    struct json *o = json_new_object(t->a);
    set_head(t, o, e);
    json_set(o, "signatures", signatures(t, e));
    json_set(o, "same_words_as", json_str_or_null(t->a, e->same_words_as));
    json_set(o, "prefer", strings(t, &e->prefer));
    json_set(o, "all_of", conditions(t, e, false));
    json_set(o, "none_of", conditions(t, e, true));
    json_set(o, "when", strings(t, &e->when));
    json_set(o, "workarounds", workarounds(t, e));
    json_set(o, "dead_ends", dead_ends(t, e));
    json_set(o, "versions", versions(t, e));
    json_set(o, "hardware", hardware(t, e));
    json_set(o, "docs", json_references(t, e->docs, e->doc_count));
    json_set(o, "evidence", json_references(t, e->evidence, e->evidence_count));
    json_set(o, "see_also", json_see_also(t, e));
    json_set(o, "first_seen", json_str_or_null(t->a, e->first_seen));
    json_set(o, "last_verified", json_str_or_null(t->a, e->last_verified));
    json_set(o, "renamed_from", strings(t, &e->renamed_from));
    json_set(o, "withdrawn", json_said(t, &e->withdrawn));
    json_set(o, "provenance", provenance(t, e));
    return o;
}
