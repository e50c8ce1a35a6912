/* field_names.c: finding a key in a shape, and the key that was meant. */
#include <string.h>

#include "author/fields.h"

enum { KEY_BYTES_MAX = 32 };

const char *field_type_name(enum field_type type) {
    static const char *const names[] = {
#define X(type, name, doc) name,
        FIELD_TYPES(X)
#undef X
    };
    return names[type];
}

const char *field_type_doc(enum field_type type) {
    static const char *const docs[] = {
#define X(type, name, doc) doc,
        FIELD_TYPES(X)
#undef X
    };
    return docs[type];
}

const struct field *field_named(const struct shape *shape, struct str key) {
    for (const struct field *f = shape->fields; f->key != NULL; f++)
        if (str_eq(key, str_of(f->key)))
            return f;
    return NULL;
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Letters to change, add or drop; keys are short, longer ones are far off. */
static size_t distance(struct str a, struct str b) {
    if (a.n > KEY_BYTES_MAX || b.n > KEY_BYTES_MAX)
        return KEY_BYTES_MAX;
    size_t row[KEY_BYTES_MAX + 1];
    for (size_t j = 0; j <= b.n; j++)
        row[j] = j;
    for (size_t i = 1; i <= a.n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.n; j++) {
            size_t swap = diagonal + (a.p[i - 1] != b.p[j - 1]);
            diagonal = row[j];
            row[j] = least(swap, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[b.n];
}

const char *field_meant(const struct shape *shape, struct str key) {
    const char *best = NULL;
    size_t best_distance = 1 + (key.n < 6 ? 1 : key.n / 3);
    for (const struct field *f = shape->fields; f->key != NULL; f++) {
        size_t d = distance(key, str_of(f->key));
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
