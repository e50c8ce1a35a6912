/* difference.c: two nouns, compared by the table of their fields. */
#include "support/difference.h"

#include <stdio.h>

static bool same_strings(const struct str_list *a, const struct str_list *b) {
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = str_eq(a->at[i], b->at[i]);
    return same;
}

static const char *list_difference(const struct field *f, const char *a,
                                   const char *b, char out[FIELD_PATH_MAX]) {
    const void *counts[] = {a + f->count_at, b + f->count_at};
    const void *lists[] = {a + f->at, b + f->at};
    const struct shape *shape = field_shape(f);
    size_t count = *(const size_t *)counts[0];
    if (count != *(const size_t *)counts[1])
        return "";
    for (size_t i = 0; i < count; i++)
        if (shape_difference(shape,
                             *(char *const *)lists[0] + i * shape->size,
                             *(char *const *)lists[1] + i * shape->size, out))
            return out;
    return NULL;
}

/* NULL: there is none; else the path in a mapping or a list, or "". */
static const char *difference(const struct field *f, const char *a,
                              const char *b, char out[FIELD_PATH_MAX]) {
    const void *x = a + f->at, *y = b + f->at;
    const void *most_x = a + f->count_at, *most_y = b + f->count_at;
    bool same = false;
    switch (field_kind(f)) {
    case KIND_STR:
        same = str_eq(*(const struct str *)x, *(const struct str *)y);
        break;
    case KIND_TEXT:
        same = true;
        for (int i = 0; i < LANG_COUNT_OF; i++)
            same = same && str_eq(((const struct text *)x)->in[i],
                                  ((const struct text *)y)->in[i]);
        break;
    case KIND_STRINGS: same = same_strings(x, y); break;
    case KIND_WORD: same = *(const int *)x == *(const int *)y; break;
    case KIND_BOOL: same = *(const bool *)x == *(const bool *)y; break;
    case KIND_NUMBER: same = *(const int64_t *)x == *(const int64_t *)y; break;
    case KIND_RANGE:
        same = *(const int64_t *)x == *(const int64_t *)y &&
               *(const int64_t *)most_x == *(const int64_t *)most_y;
        break;
    case KIND_MAP: return shape_difference(f->shape, x, y, out);
    case KIND_LIST: return list_difference(f, a, b, out);
    }
    return same ? NULL : "";
}

const char *shape_difference(const struct shape *shape, const void *a,
                             const void *b, char out[FIELD_PATH_MAX]) {
    for (const struct field *f = field_placed(shape->fields); f != NULL;
         f = field_placed(f + 1)) {
        const char *within = difference(f, a, b, out);
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
