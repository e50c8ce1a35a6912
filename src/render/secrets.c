/* secrets.c: the table of one report's secrets. Placeholders are numbered per
 * kind in the order of their first sight; the report is always gone through in
 * the same order, so every format and language shows the same ones. */
#include "base/limits.h"
#include "render/redact.h"

#define KNOWN_BYTES_MIN 3 /* shorter ones stand in too many words */

static const char *const kind_names[SECRET_KIND_COUNT_OF] = {
    [SECRET_PATH] = "path",   [SECRET_HOST] = "host",
    [SECRET_IP] = "ip",       [SECRET_USER] = "user",
    [SECRET_EMAIL] = "email", [SECRET_TOKEN] = "token",
    [SECRET_MODEL] = "model", [SECRET_POD] = "pod",
    [SECRET_CONTAINER] = "container", [SECRET_NAMESPACE] = "namespace",
};

struct str secret_placeholder(struct secrets *s, enum secret_kind kind,
                              struct str text) {
    for (size_t i = 0; i < s->count; i++) {
        if (s->at[i].kind == kind && str_eq(s->at[i].text, text))
            return s->at[i].placeholder;
    }
    if (s->count == SECRETS_MAX)
        return arena_printf(s->a, "<%s>", kind_names[kind]);
    s->at = arena_grow(s->a, s->at, s->count, &s->cap, sizeof *s->at);
    struct secret *made = &s->at[s->count++];
    made->kind = kind;
    made->text = arena_str(s->a, text);
    made->placeholder = arena_printf(s->a, "<%s-%u>", kind_names[kind],
                                     (unsigned)++s->numbers[kind]);
    return made->placeholder;
}

/* ASCII: Chinese parts no words. */
static bool is_in_word(struct str s, size_t at) {
    return at < s.n && is_word(s.p[at]);
}

const struct secret *secret_at(const struct secrets *s, struct str text,
                               size_t at) {
    const struct secret *longest = NULL;
    if (at > 0 && is_in_word(text, at - 1) && is_in_word(text, at))
        return NULL;
    for (size_t i = 0; i < s->count; i++) {
        struct str is = s->at[i].text;
        bool is_there = is.n >= KNOWN_BYTES_MIN &&
                        str_starts(str_slice(text, at, text.n), is) &&
                        !(is_in_word(is, is.n - 1) &&
                          is_in_word(text, at + is.n));
        if (is_there && (longest == NULL || is.n > longest->text.n))
            longest = &s->at[i];
    }
    return longest;
}
