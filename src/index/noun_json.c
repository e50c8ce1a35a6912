/* noun_json.c: a noun of the corpus as JSON: its keys of corpus/fields.h, texts
 * in both languages. A key that is absent, empty, `none` or false is left
 * out. */
#include "index/write.h"

static struct json *text_or_none(struct arena *a, struct str s) {
    return s.n > 0 && !str_eq(s, STR("none")) ? json_text(a, s) : NULL;
}

static struct json *list_json(struct arena *a, const struct shape *shape,
                              const void *at, size_t count) {
    struct json *list = json_new_array(a);
    for (size_t i = 0; i < count; i++)
        json_push(list, shape == NULL
                            ? json_text(a, ((const struct str *)at)[i])
                            : noun_json(a, shape, (const char *)at +
                                                      i * shape->size));
    return count > 0 ? list : NULL;
}

static struct json *number_json(struct arena *a, const struct field *f,
                                int64_t n) {
    bool is_micro = f->type == FIELD_RATIO || f->type == FIELD_DECIMAL;
    return n == f->absent ? NULL : is_micro ? json_micro(a, n) : json_int(a, n);
}

/* NULL: it is left out. */
static struct json *value_json(struct arena *a, const struct field *f,
                               const char *noun) {
    const void *at = noun + f->at, *more = noun + f->count_at;
    const struct text *text = at;
    const struct str_list *lines = at;
    switch (field_kind(f)) {
    case KIND_STR: return text_or_none(a, *(const struct str *)at);
    case KIND_TEXT:
        return text->in[LANG_EN].n + text->in[LANG_ZH].n == 0
                   ? NULL
                   : JSON_OBJECT(a, {"en", text_or_none(a, text->in[LANG_EN])},
                                 {"zh", text_or_none(a, text->in[LANG_ZH])});
    case KIND_WORD:
        return text_or_none(a, str_of(field_word(f, *(const int *)at)));
    case KIND_BOOL: return *(const bool *)at ? json_bool(a, true) : NULL;
    case KIND_NUMBER: return number_json(a, f, *(const int64_t *)at);
    case KIND_RANGE:
        return *(const int64_t *)more == 0
                   ? NULL
                   : JSON_LIST(a, json_int(a, *(const int64_t *)at),
                               json_int(a, *(const int64_t *)more));
    case KIND_MAP: return noun_json(a, f->shape, at);
    case KIND_STRINGS: return list_json(a, NULL, lines->at, lines->count);
    case KIND_LIST:
        return list_json(a, field_shape(f), *(const void *const *)at,
                         *(const size_t *)more);
    }
    return NULL;
}

struct json *noun_json(struct arena *a, const struct shape *shape,
                       const void *noun) {
    struct json *o = json_new_object(a);
    for (const struct field *f = field_placed(shape->fields); f != NULL;
         f = field_placed(f + 1))
        JSON_ADD(o, {f->key, value_json(a, f, noun)});
    return o;
}
