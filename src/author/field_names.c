/* field_names.c: finding a key in a shape, and the key that was meant. */
#include "author/fields.h"
#include "base/near.h"

const char *field_type_name(enum field_type type) {
    static const char *const names[] = {
#define X(type, name, doc) name,
        FIELD_TYPES(X)
#undef X
    };
    return names[type];
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
