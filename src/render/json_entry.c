/* json_entry.c: a whole entry as JSON, texts in one language, and the parts
 * of an entry that a finding shows too. */
#include "render/parts.h"

struct json *json_range(const struct teller *t,
                        const struct version_range *r) {
    return JSON(t, {"product", json_text(t->a, r->product)},
                {"events", json_events(t, r->events, r->event_count)});
}

struct json *json_references(const struct teller *t,
                             const struct reference *at, size_t count) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < count; i++) {
        json_push(list, JSON(t, {"url", json_text(t->a, at[i].url)},
                             {"seen", json_str_or_null(t->a, at[i].seen)},
                             {"claim", json_said(t, &at[i].claim)}));
    }
    return list;
}

static struct json *see_row(const struct teller *t, struct json *kind,
                            struct str entry, struct str url,
                            const struct text *text) {
    return JSON(t, {"kind", kind}, {"entry", json_str_or_null(t->a, entry)},
                {"url", json_str_or_null(t->a, url)},
                {"text", json_said(t, text)});
}

/* Related entries, then documentation. */
struct json *json_see_also(const struct teller *t, const struct entry *e) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < e->relation_count; i++) {
        const struct relation *r = &e->relations[i];
        json_push(list, see_row(t, json_word(t, WORDS_RELATION, (int)r->kind),
                                r->entry, STR(""), &r->tell_apart));
    }
    for (size_t i = 0; i < e->doc_count; i++) {
        json_push(list, see_row(t, json_spelling(t, "docs"), STR(""),
                                e->docs[i].url, &e->docs[i].claim));
    }
    return list;
}

struct json *json_rate(const struct teller *t, const struct rate *rate,
                       const char *worked_key) {
    if (rate->basis == BASIS_none) {
        return json_new_null(t->a);
    }
    bool has_counts =
        rate->basis == BASIS_reports || rate->basis == BASIS_measured;
    return JSON(
        t, {"basis", json_word(t, WORDS_BASIS, (int)rate->basis)},
        {worked_key, json_int_or_null(t, has_counts, rate->worked)},
        {"tried", json_int_or_null(t, has_counts, rate->tried)},
        {"maintainers", json_maintainers(t, rate->maintainers_worked,
                                         rate->maintainers_tried)},
        {"rate", json_micro_or_null(t, has_counts ? -1 : rate->rate_micro)},
        {"because", json_said(t, &rate->because)},
        {"source", json_str_or_null(t->a, rate->source)},
        {"links", json_strings(t, &rate->links)});
}

/* Beside its keys: its id, and relations and documentation as a report has
 * them. */
struct json *json_entry_object(const struct teller *t, const struct entry *e) {
    struct json *o = json_shape(t, &shape_entry, e);
    JSON_ADD(o, {"id", json_text(t->a, e->id)},
             {"see_also", json_see_also(t, e)});
    return o;
}
