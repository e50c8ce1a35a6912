/* fields.c: finding keys in a shape, copying and comparing what they hold. */
#include "corpus/fields.h"

#include <stdio.h>
#include <string.h>

#include "base/near.h"

const char *field_type_name(enum field_type type) {
    static const char *const names[] = {
#define X(type, name, doc) name,
        FIELD_TYPES(X)
#undef X
    };
    return names[type];
}

/* What a field takes in its struct; of a list, without its count. */
static size_t field_bytes(const struct field *f) {
    switch (f->type) {
    case FIELD_LINE: case FIELD_ID: case FIELD_PATTERN: case FIELD_LINK:
    case FIELD_DATE: case FIELD_ENTRY: case FIELD_CHOICE:
    case FIELD_PREDICATE:
        return sizeof(struct str);
    case FIELD_TEXT:
        return sizeof(struct text);
    case FIELD_PATTERNS: case FIELD_LINES: case FIELD_LINKS: case FIELD_WHEN:
    case FIELD_ENTRIES:
        return sizeof(struct str_list);
    case FIELD_FACT: case FIELD_WORD:
        return sizeof(int);
    case FIELD_YES_NO:
        return sizeof(bool);
    case FIELD_YES_NO_UNKNOWN: case FIELD_INTEGER: case FIELD_RATIO:
    case FIELD_DECIMAL: case FIELD_WEIGHT: case FIELD_AMOUNTS:
        return sizeof(int64_t);
    case FIELD_MAP:
        return f->shape->size;
    case FIELD_LIST: case FIELD_SETTINGS: case FIELD_EVENTS:
    case FIELD_SHARES: case FIELD_CURES:
        return sizeof(void *);
    }
    return 0;
}

void field_copy(const struct field *to_field, void *to,
                const struct field *from_field, const void *from) {
    char *out = to;
    const char *in = from;
    memcpy(out + to_field->at, in + from_field->at, field_bytes(to_field));
    if (to_field->count_at != 0)
        memcpy(out + to_field->count_at, in + from_field->count_at,
               sizeof(size_t));
}

const struct field *field_written(const struct field *f) {
    while (f->key != NULL && f->is_derived)
        f++;
    return f->key != NULL ? f : NULL;
}

const struct field *field_placed(const struct field *f) {
    while (f->key != NULL && (f->is_alias || f->at == FIELD_NOWHERE))
        f++;
    return f->key != NULL ? f : NULL;
}

const struct field *field_named(const struct shape *shape, struct str key) {
    for (const struct field *f = field_written(shape->fields); f != NULL;
         f = field_written(f + 1))
        if (str_eq(key, str_of(f->key)))
            return f;
    return NULL;
}

const char *field_meant(const struct shape *shape, struct str key) {
    const char *best = NULL;
    size_t best_distance = 1 + near_enough(key);
    for (const struct field *f = field_written(shape->fields); f != NULL;
         f = field_written(f + 1)) {
        size_t d = near_distance(key, str_of(f->key));
        if (d < best_distance) {
            best = f->key;
            best_distance = d;
        }
    }
    return best;
}

const char *field_word(const struct field *f, int i) {
    if (f->choices == NULL)
        return word_spelling(f->words, i);
    for (int k = 0; k < i; k++)
        if (f->choices[k] == NULL)
            return NULL;
    return f->choices[i];
}

const char *lang_name(enum lang lang) {
    static const char *const names[LANG_COUNT_OF] = {"en", "zh"};
    return names[lang];
}

/* ---- comparing ---- */

static bool same_strings(const struct str_list *a, const struct str_list *b) {
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = str_eq(a->at[i], b->at[i]);
    return same;
}

static bool same_settings(const struct setting *a, const struct setting *b,
                          size_t count) {
    bool same = true;
    for (size_t i = 0; same && i < count; i++)
        same = a[i].name == b[i].name && str_eq(a[i].value, b[i].value);
    return same;
}

static bool same_events(const struct version_event *a,
                        const struct version_event *b, size_t count) {
    bool same = true;
    for (size_t i = 0; same && i < count; i++)
        same = a[i].is_fixed == b[i].is_fixed
               && str_eq(a[i].version, b[i].version);
    return same;
}

static bool same_shares(const struct cause_share *a,
                        const struct cause_share *b, size_t count) {
    bool same = true;
    for (size_t i = 0; same && i < count; i++)
        same = a[i].share_micro == b[i].share_micro
               && str_eq(a[i].cause, b[i].cause);
    return same;
}

static bool same_cures(const struct cure *a, const struct cure *b,
                       size_t count) {
    bool same = true;
    for (size_t i = 0; same && i < count; i++)
        same = a[i].strength == b[i].strength && str_eq(a[i].cause, b[i].cause);
    return same;
}

/* Of a field that holds no other shape. */
static bool same_value(const struct field *f, const char *a, const char *b) {
    const void *x = a + f->at, *y = b + f->at;
    size_t count = f->count_at != 0 ? *(const size_t *)(a + f->count_at) : 0;
    bool as_many = f->count_at == 0
                   || count == *(const size_t *)(b + f->count_at);
    switch (f->type) {
    case FIELD_LINE: case FIELD_ID: case FIELD_PATTERN: case FIELD_LINK:
    case FIELD_DATE: case FIELD_ENTRY: case FIELD_CHOICE:
    case FIELD_PREDICATE:
        return str_eq(*(const struct str *)x, *(const struct str *)y);
    case FIELD_TEXT:
        return str_eq(((const struct text *)x)->in[LANG_EN],
                      ((const struct text *)y)->in[LANG_EN])
               && str_eq(((const struct text *)x)->in[LANG_ZH],
                         ((const struct text *)y)->in[LANG_ZH]);
    case FIELD_PATTERNS: case FIELD_LINES: case FIELD_LINKS: case FIELD_WHEN:
    case FIELD_ENTRIES:
        return same_strings(x, y);
    case FIELD_FACT: case FIELD_WORD: case FIELD_YES_NO:
    case FIELD_YES_NO_UNKNOWN: case FIELD_INTEGER: case FIELD_RATIO:
    case FIELD_DECIMAL: case FIELD_WEIGHT:
        return memcmp(x, y, field_bytes(f)) == 0;
    case FIELD_AMOUNTS: /* two numbers, and no list */
        return memcmp(x, y, sizeof(int64_t)) == 0 && as_many;
    case FIELD_SETTINGS:
        return as_many && same_settings(*(struct setting *const *)x,
                                        *(struct setting *const *)y, count);
    case FIELD_EVENTS:
        return as_many && same_events(*(struct version_event *const *)x,
                                      *(struct version_event *const *)y, count);
    case FIELD_SHARES:
        return as_many && same_shares(*(struct cause_share *const *)x,
                                      *(struct cause_share *const *)y, count);
    case FIELD_CURES:
        return as_many && same_cures(*(struct cure *const *)x,
                                     *(struct cure *const *)y, count);
    case FIELD_MAP:
    case FIELD_LIST:
        break;
    }
    return true;
}

static const char *list_difference(const struct field *f, const char *a,
                                   const char *b, char out[FIELD_PATH_MAX]) {
    size_t count = *(const size_t *)(a + f->count_at);
    if (count != *(const size_t *)(b + f->count_at))
        return "";
    const char *x = *(char *const *)(a + f->at);
    const char *y = *(char *const *)(b + f->at);
    for (size_t i = 0; i < count; i++) {
        size_t from = i * f->shape->size;
        if (shape_difference(f->shape, x + from, y + from, out) != NULL)
            return out;
    }
    return NULL;
}

const char *shape_difference(const struct shape *shape, const void *a,
                             const void *b, char out[FIELD_PATH_MAX]) {
    for (const struct field *f = field_placed(shape->fields); f != NULL;
         f = field_placed(f + 1)) {
        const char *within = NULL;
        if (f->type == FIELD_MAP)
            within = shape_difference(f->shape, (const char *)a + f->at,
                                      (const char *)b + f->at, out);
        else if (f->type == FIELD_LIST)
            within = list_difference(f, a, b, out);
        else
            within = same_value(f, a, b) ? NULL : "";
        if (within == NULL)
            continue;
        char rest[FIELD_PATH_MAX];
        snprintf(rest, sizeof rest, "%s", within);
        snprintf(out, FIELD_PATH_MAX, "%.30s%s%.60s", f->key,
                 rest[0] != '\0' ? "." : "", rest);
        return out;
    }
    return NULL;
}
