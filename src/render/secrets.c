/* secrets.c: the table of one report's secrets. Placeholders are numbered per
 * kind in the order of their first sight; the report is always gone through in
 * the same order, so every format and language shows the same ones. */
#include "render/redact.h"

#define KNOWN_BYTES_MIN 3 /* shorter ones stand in too many words */
#define SECRETS_MAX 1000  /* more are no longer told apart: "<path>" */

static const char *const kind_names[SECRET_KIND_COUNT_OF] = {
    [SECRET_PATH] = "path",   [SECRET_HOST] = "host",
    [SECRET_IP] = "ip",       [SECRET_USER] = "user",
    [SECRET_EMAIL] = "email", [SECRET_TOKEN] = "token",
    [SECRET_MODEL] = "model", [SECRET_POD] = "pod",
    [SECRET_CONTAINER] = "container",
};

size_t run_of(struct str s, size_t at, const char *more) {
    struct str set = str_of(more);
    size_t n = 0;
    while (at + n < s.n) {
        char c = s.p[at + n];
        bool is_word = is_digit(c) || is_letter(c);
        if (!is_word && str_find_char(set, c) == set.n) {
            break;
        }
        n++;
    }
    return n;
}

bool str_is_one_of(struct str s, const char *const list[]) {
    for (size_t i = 0; list[i] != NULL; i++) {
        if (str_eq_nocase(s, str_of(list[i]))) {
            return true;
        }
    }
    return false;
}

bool is_common_user(struct str name) {
    static const char *const common[] = {
        "root", "admin", "administrator", "user", "users", "ubuntu", "debian",
        "ec2-user", "git", "jovyan", "nobody", "public", "default", "app",
        "docker", "ray", "vllm", "ollama", "python", "service", "none", NULL};
    return name.n < KNOWN_BYTES_MIN || str_is_one_of(name, common);
}

struct str secret_placeholder(struct secrets *s, enum secret_kind kind,
                              struct str text) {
    for (size_t i = 0; i < s->count; i++) {
        if (s->at[i].kind == kind && str_eq(s->at[i].text, text)) {
            return s->at[i].placeholder;
        }
    }
    if (s->count == SECRETS_MAX) {
        return arena_printf(s->a, "<%s>", kind_names[kind]);
    }
    s->at = arena_grow(s->a, s->at, s->count, &s->cap, sizeof *s->at);
    struct secret *made = &s->at[s->count++];
    made->kind = kind;
    made->text = arena_str(s->a, text);
    made->placeholder = arena_printf(s->a, "<%s-%u>", kind_names[kind],
                                     (unsigned)++s->numbers[kind]);
    return made->placeholder;
}

const struct secret *secret_at(const struct secrets *s, struct str text,
                               size_t at) {
    const struct secret *longest = NULL;
    if (is_in_word(char_before(text, at)) && is_in_word(char_at(text, at))) {
        return NULL;
    }
    for (size_t i = 0; i < s->count; i++) {
        struct str is = s->at[i].text;
        bool is_there = is.n >= KNOWN_BYTES_MIN &&
                        str_starts(str_slice(text, at, text.n), is) &&
                        !(is_in_word(is.p[is.n - 1]) &&
                          is_in_word(char_at(text, at + is.n)));
        if (is_there && (longest == NULL || is.n > longest->text.n)) {
            longest = &s->at[i];
        }
    }
    return longest;
}
