/* markup.c: shared by Markdown and HTML: code spans between backquotes,
 * addresses and their names. */
#include "base/limits.h"
#include "render/parts.h"

#include "base/utf8.h"

#define NAME_COLUMNS 60

size_t backquotes_at(struct str s) {
    size_t n = 0;
    while (n < s.n && s.p[n] == '`')
        n++;
    return n;
}

bool code_span_at(struct str s, struct str *inside, size_t *n) {
    size_t open = backquotes_at(s);
    for (size_t at = open; at < s.n; at++) {
        size_t run = backquotes_at(str_from(s, at));
        if (run == open) {
            *inside = str_slice(s, open, at - open);
            *n = at + run;
            return str_trim(*inside).n > 0;
        }
        at += run;
    }
    return false;
}

struct str clean_code(const struct render *t, struct str code) {
    struct buf clean = buf_in(t->a, CODE_BYTES_MAX);
    utf8_clean(&clean, str_slice(code, 0, CODE_BYTES_MAX / 4));
    return kept_text(t->a, &clean);
}

bool are_digits(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
    return s.n > 0;
}

void put_address(struct buf *out, struct str url) {
    struct str unsafe = STR("<>\\(){}\"`");
    for (size_t i = 0; i < url.n; i++) {
        unsigned char c = (unsigned char)url.p[i];
        bool is_unsafe = c <= ' ' || c == 0x7f ||
                         str_find_char(unsafe, (char)c) < unsafe.n;
        if (is_unsafe)
            buf_printf(out, "%%%02X", c);
        else
            buf_add_char(out, (char)c);
    }
}

struct str link_name(const struct render *t, struct str url) {
    static const char *const kinds[] = {"/issues/", "/pull/", "/discussions/"};
    struct str name = str_from(url, STR("https://").n), host, thread;
    host = str_cut(name, '/', &thread);
    for (size_t i = 0; i < 3 && str_eq(host, STR("github.com")); i++) {
        size_t at = str_find(thread, str_of(kinds[i]));
        struct str number = str_from(thread, at + str_of(kinds[i]).n);
        if (at < thread.n && are_digits(number))
            return arena_printf(t->a, "%.*s#%.*s",
                                STR_ARG(str_slice(thread, 0, at)),
                                STR_ARG(number));
    }
    return short_text(t, name, NAME_COLUMNS);
}
