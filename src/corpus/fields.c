/* fields.c: finding keys in a shape, and copying their values. */
#include "corpus/fields.h"

#include <string.h>

#include "base/near.h"

const char *field_type_name(enum field_type type) {
    static const char *const names[] = {
#define X(type, kind, name, doc) name,
        FIELD_TYPES(X)
#undef X
    };
    return names[type];
}

/* The size of a field in its struct; of a list, without its count. */
static size_t field_bytes(const struct field *f) {
    static const size_t bytes[] = {
        [KIND_STR] = sizeof(struct str), [KIND_TEXT] = sizeof(struct text),
        [KIND_STRINGS] = sizeof(struct str_list), [KIND_WORD] = sizeof(int),
        [KIND_BOOL] = sizeof(bool), [KIND_NUMBER] = sizeof(int64_t),
        [KIND_RANGE] = sizeof(int64_t), [KIND_LIST] = sizeof(void *)};
    enum field_kind kind = field_kind(f);
    return kind == KIND_MAP ? f->shape->size : bytes[kind];
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

const struct field *field_named(const struct shape *shape, struct str key) {
    for (const struct field *f = field_written(shape->fields); f != NULL;
         f = field_written(f + 1))
        if (str_eq(key, str_of(f->key)))
            return f;
    return NULL;
}

const char *field_meant(const struct shape *shape, struct str key) {
    struct near near = {.count = 0};
    for (const struct field *f = field_written(shape->fields); f != NULL;
         f = field_written(f + 1))
        near_weigh(&near, key, str_of(f->key));
    return near.names[0].p;
}

int field_word_count(const struct field *f) {
    int count = 0;
    if (f->type == FIELD_FACT)
        return FACT_COUNT_OF;
    if (f->choices == NULL)
        return word_count(f->words);
    while (f->choices[count] != NULL)
        count++;
    return count;
}

const char *field_word(const struct field *f, int i) {
    if (i < 0 || i >= field_word_count(f))
        return NULL;
    return f->type == FIELD_FACT ? fact_spelling((enum fact_name)i)
           : f->choices != NULL  ? f->choices[i]
                                 : word_spelling(f->words, i);
}

const char *lang_name(enum lang lang) {
    static const char *const names[LANG_COUNT_OF] = {"en", "zh"};
    return names[lang];
}
