/* field_names.c: finding a key in a shape, and the key that was meant. */
#include "author/fields.h"

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

const struct field *field_named(const struct shape *shape, struct str key) {
    for (const struct field *f = shape->fields; f->key != NULL; f++)
        if (str_eq(key, str_of(f->key)))
            return f;
    return NULL;
}

const char *field_meant(const struct shape *shape, struct str key) {
    const char *best = NULL;
    size_t best_distance = 1 + near_enough(key);
    for (const struct field *f = shape->fields; f->key != NULL; f++) {
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
