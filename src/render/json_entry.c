/* json_entry.c: a whole entry as JSON, texts in one language, and the parts
 * of an entry that a finding shows too. */
#include "render/parts.h"

struct json *json_range(const struct teller *t,
                        const struct version_range *r) {
    struct json *o = json_new_object(t->a);
    json_set(o, "product", json_text(t->a, r->product));
    json_set(o, "events", json_events(t, r->events, r->event_count));
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

static struct json *ratio_or_null(const struct teller *t, int64_t micro) {
    return micro >= 0 ? json_micro(t->a, micro) : json_new_null(t->a);
}

struct json *json_rate(const struct teller *t, const struct rate *rate,
                       const char *worked_key) {
    if (rate->basis == BASIS_none) {
        return json_new_null(t->a);
    }
    bool has_counts =
        rate->basis == BASIS_reports || rate->basis == BASIS_measured;
    struct json *o = json_new_object(t->a);
    json_set(o, "basis", json_word(t, WORDS_BASIS, (int)rate->basis));
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
    json_set(o, "links", json_strings(t, &rate->links));
    return o;
}

/* Beside its keys: its id, and relations and documentation as a report has
 * them. */
struct json *json_entry_object(const struct teller *t, const struct entry *e) {
    struct json *o = json_shape(t, &shape_entry, e);
    json_set(o, "id", json_text(t->a, e->id));
    json_set(o, "see_also", json_see_also(t, e));
    return o;
}
