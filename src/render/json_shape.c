/* json_shape.c: a noun of the corpus as JSON, by the keys of corpus/fields.h;
 * texts in one language. An absent value is null. */
#include <string.h>

#include "render/parts.h"

struct json *json_word(const struct render *t, enum vocabulary which,
                       int value) {
    return json_spelling(t->a, word_spelling(which, value));
}

struct json *json_strings(const struct render *t, const struct str_list *list) {
    struct json *array = json_new_array(t->a);
    for (size_t i = 0; i < list->count; i++)
        json_push(array, json_text(t->a, list->at[i]));
    return array;
}

static struct json *json_events(const struct render *t,
                                const struct version_event *at, size_t count) {
    struct json *events = json_new_array(t->a);
    for (size_t i = 0; i < count; i++)
        json_push(events, JSON(t, {at[i].is_fixed ? "fixed" : "introduced",
                                   json_text(t->a, at[i].version)}));
    return events;
}

static struct json *number(const struct render *t, const struct field *f,
                           int64_t n) {
    if (n < 0 && f->absent < 0)
        return json_new_null(t->a);
    bool is_micro = f->type == FIELD_RATIO || f->type == FIELD_DECIMAL;
    return is_micro ? json_micro(t->a, n) : json_int(t->a, n);
}

static struct json *json_rate(const struct render *t, const struct rate *rate,
                              const char *worked_key) {
    if (rate->basis == BASIS_none)
        return json_new_null(t->a);
    bool has_counts =
        rate->basis == BASIS_reports || rate->basis == BASIS_measured;
    return JSON(
        t, {"basis", json_word(t, WORDS_BASIS, (int)rate->basis)},
        {worked_key, json_int_or_null(t, has_counts, rate->worked)},
        {"tried", json_int_or_null(t, has_counts, rate->tried)},
        {"maintainers", json_maintainers(t, rate->maintainers_worked,
                                         rate->maintainers_tried)},
        {"rate", json_micro_or_null(t, has_counts ? -1 : rate->rate_micro)},
        {"because", json_local(t, &rate->because)},
        {"source", json_str_or_null(t->a, rate->source)},
        {"links", json_strings(t, &rate->links)});
}

/* ---- shapes in shapes ---- */

static struct json *value(const struct render *t, const struct shape *shape,
                          const struct field *f, const char *noun);

/* The offset of the bool that separates the items of two keys with one list; 0:
 * the list has one key. */
static size_t mark_of(const struct shape *shape, const struct field *f) {
    for (const struct field *o = shape->fields; o->key != NULL; o++)
        if (o->at == f->at && o->mark_at != 0 && o->type == FIELD_LIST)
            return o->mark_at;
    return 0;
}

static struct json *items(const struct render *t, const struct shape *shape,
                          const struct field *f, const char *noun) {
    struct json *list = json_new_array(t->a);
    size_t count = *(const size_t *)(const void *)(noun + f->count_at);
    const char *at = *(char *const *)(const void *)(noun + f->at);
    size_t mark = mark_of(shape, f);
    for (size_t i = 0; i < count; i++) {
        const char *item = at + i * f->shape->size;
        bool is_marked = mark != 0 && *(const bool *)(item + mark);
        if (is_marked == (f->mark_at != 0))
            json_push(list, json_shape(t, f->shape, item));
    }
    return list;
}

/* An object: the first field of an item is its key, the second the value. */
static struct json *pairs(const struct render *t, const struct field *f,
                          const char *item, size_t count) {
    const struct shape *shape = field_shape(f);
    const struct field *first = &shape->fields[0];
    struct json *o = json_new_object(t->a);
    for (size_t i = 0; i < count; i++, item += shape->size) {
        const void *at = item + first->at;
        const char *key = first->type == FIELD_FACT
                              ? fact_spelling(*(const enum fact_name *)at)
                              : arena_str(t->a, *(const struct str *)at).p;
        json_set(o, key, value(t, shape, &shape->fields[1], item));
    }
    return o;
}

/* A rate and acts_on have their own forms. Another mapping is absent if its
 * first key has no value. */
static struct json *mapping(const struct render *t, const struct field *f,
                            const void *at) {
    if (f->shape == &shape_rate) {
        bool is_fail = str_eq(str_of(f->key), STR("fail"));
        return json_rate(t, at, is_fail ? "failed" : "worked");
    }
    if (f->shape == &shape_acts_on)
        return json_acts_on(t, at);
    const struct field *first = f->shape->fields;
    const struct str *key = (const void *)((const char *)at + first->at);
    return key->n > 0 ? json_shape(t, f->shape, at) : json_new_null(t->a);
}

static struct json *value(const struct render *t, const struct shape *shape,
                          const struct field *f, const char *noun) {
    const void *at = noun + f->at;
    size_t count = 0;
    if (f->count_at != 0)
        memcpy(&count, noun + f->count_at, sizeof count);
    switch (f->type) {
    case FIELD_LINE: case FIELD_ID: case FIELD_PATTERN: case FIELD_LINK:
    case FIELD_DATE: case FIELD_ENTRY: case FIELD_CHOICE:
    case FIELD_PREDICATE:
        return json_str_or_null(t->a, *(const struct str *)at);
    case FIELD_TEXT: return json_local(t, at);
    case FIELD_PATTERNS: case FIELD_LINES: case FIELD_LINKS: case FIELD_WHEN:
    case FIELD_ENTRIES: return json_strings(t, at);
    case FIELD_FACT:
        return json_spelling(t->a, fact_spelling(*(const enum fact_name *)at));
    case FIELD_WORD:
        return json_spelling(t->a, field_word(f, *(const int *)at));
    case FIELD_YES_NO: return json_bool(t->a, *(const bool *)at);
    case FIELD_YES_NO_UNKNOWN: case FIELD_INTEGER: case FIELD_RATIO:
    case FIELD_DECIMAL: case FIELD_WEIGHT: case FIELD_AMOUNTS:
        return number(t, f, *(const int64_t *)at);
    case FIELD_EVENTS:
        return json_events(t, *(struct version_event *const *)at, count);
    case FIELD_SETTINGS: case FIELD_SHARES: case FIELD_CURES:
        return pairs(t, f, *(const char *const *)at, count);
    case FIELD_MAP: return mapping(t, f, at);
    case FIELD_LIST: return items(t, shape, f, noun);
    }
    return json_new_null(t->a);
}

struct json *json_shape(const struct render *t, const struct shape *shape,
                        const void *noun) {
    struct json *o = json_new_object(t->a);
    for (const struct field *f = field_written(shape->fields); f != NULL;
         f = field_written(f + 1)) {
        if (f->at != FIELD_NOWHERE)
            json_set(o, f->key, value(t, shape, f, noun));
    }
    return o;
}

/* ---- an entry, and its parts that a finding has too ---- */

struct json *json_range(const struct render *t, const struct version_range *r) {
    return JSON(t, {"product", json_text(t->a, r->product)},
                {"events", json_events(t, r->events, r->event_count)});
}

struct json *json_references(const struct render *t,
                             const struct reference *at, size_t count) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < count; i++)
        json_push(list, JSON(t, {"url", json_text(t->a, at[i].url)},
                             {"seen", json_str_or_null(t->a, at[i].seen)},
                             {"claim", json_local(t, &at[i].claim)}));
    return list;
}

static struct json *see_row(const struct render *t, struct json *kind,
                            struct str entry, struct str url,
                            const struct text *text) {
    return JSON(t, {"kind", kind}, {"entry", json_str_or_null(t->a, entry)},
                {"url", json_str_or_null(t->a, url)},
                {"text", json_local(t, text)});
}

/* Related entries, then documentation. */
struct json *json_see_also(const struct render *t, const struct entry *e) {
    struct json *list = json_new_array(t->a);
    for (size_t i = 0; i < e->relation_count; i++) {
        const struct relation *r = &e->relations[i];
        json_push(list, see_row(t, json_word(t, WORDS_RELATION, (int)r->kind),
                                r->entry, STR(""), &r->tell_apart));
    }
    for (size_t i = 0; i < e->doc_count; i++)
        json_push(list, see_row(t, json_spelling(t->a, "docs"), STR(""),
                                e->docs[i].url, &e->docs[i].claim));
    return list;
}

/* Its keys, its id, and its relations and documentation as in a report. */
struct json *json_entry_object(const struct render *t, const struct entry *e) {
    struct json *o = json_shape(t, &shape_entry, e);
    JSON_ADD(o, {"id", json_text(t->a, e->id)},
             {"see_also", json_see_also(t, e)});
    return o;
}
