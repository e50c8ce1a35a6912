/* noun_json.c: a noun of the corpus as JSON: its keys of corpus/fields.h, texts
 * in both languages. A key that is absent, empty, `none` or false is left
 * out. */
#include "base/units.h"
#include "index/write.h"

static void put_quoted(struct buf *out, struct str s) {
    size_t from = 0;
    buf_add_char(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c >= ' ' && c != '"' && c != '\\')
            continue;
        buf_add(out, str_slice(s, from, i - from));
        if (c < ' ')
            buf_printf(out, "\\u%04x", (unsigned)c);
        else
            buf_printf(out, "\\%c", c);
        from = i + 1;
    }
    buf_add(out, str_from(s, from));
    buf_add_char(out, '"');
}

static const struct field text_fields[] = {
    {.key = "en", .at = offsetof(struct text, in[LANG_EN]), .type = FIELD_LINE},
    {.key = "zh", .at = offsetof(struct text, in[LANG_ZH]), .type = FIELD_LINE},
    {0}};
static const struct shape shape_text = {"text", "", text_fields,
                                        sizeof(struct text)};

static void put_items(struct buf *out, const struct field *f, const void *at,
                      size_t count) {
    const struct shape *shape = field_shape(f);
    buf_add_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        buf_add(out, i > 0 ? STR(",") : STR(""));
        if (shape == NULL)
            put_quoted(out, ((const struct str *)at)[i]);
        else
            noun_json(out, shape, (const char *)at + i * shape->size);
    }
    buf_add_char(out, ']');
}

static void put_number(struct buf *out, const struct field *f, int64_t n) {
    if (n == f->absent)
        return;
    if (f->type == FIELD_RATIO || f->type == FIELD_DECIMAL)
        buf_printf(out, "%lld.%06lld", (long long)(n / UNITS_MICRO),
                   (long long)(n % UNITS_MICRO));
    else
        buf_printf(out, "%lld", (long long)n);
}

/* Nothing, or an empty text or list: the value is absent. */
static void put_value(struct buf *out, const struct field *f,
                      const char *noun) {
    const void *at = noun + f->at, *more = noun + f->count_at;
    switch (field_kind(f)) {
    case KIND_STR: put_quoted(out, *(const struct str *)at); return;
    case KIND_TEXT: noun_json(out, &shape_text, at); return;
    case KIND_WORD:
        put_quoted(out, str_of(field_word(f, *(const int *)at)));
        return;
    case KIND_BOOL:
        buf_add(out, *(const bool *)at ? STR("true") : STR(""));
        return;
    case KIND_NUMBER: put_number(out, f, *(const int64_t *)at); return;
    case KIND_RANGE:
        buf_printf(out, "[%lld,%lld]", (long long)*(const int64_t *)at,
                   (long long)*(const int64_t *)more);
        return;
    case KIND_MAP: noun_json(out, f->shape, at); return;
    case KIND_STRINGS: {
        const struct str_list *lines = at;
        put_items(out, f, lines->at, lines->count);
        return;
    }
    case KIND_LIST:
        put_items(out, f, *(const void *const *)at, *(const size_t *)more);
        return;
    }
}

void noun_json(struct buf *out, const struct shape *shape, const void *noun) {
    size_t start = out->n;
    for (const struct field *f = field_placed(shape->fields); f != NULL;
         f = field_placed(f + 1)) {
        size_t before = out->n;
        buf_printf(out, "%c\"%s\":", before == start ? '{' : ',', f->key);
        size_t value = out->n;
        put_value(out, f, noun);
        struct str is = str_from(buf_str(out), value);
        if (is.n == 0 ||
            STR_IS_ONE(is, "\"\"", "\"none\"", "[]", "[0,0]", "{}"))
            out->n = before;
    }
    buf_add(out, out->n == start ? STR("{}") : STR("}"));
}
