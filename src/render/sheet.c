/* sheet.c: text to Markdown that shows this very text and does nothing else.
 * The only file that knows what Markdown takes for markup.
 *
 * Escaped is what could act where it stands: `*` and `[` everywhere, `_` but
 * inside a word, `<` and entities always, `-`, `#`, `1.` at the beginning.
 * A `span` between backquotes stays one; a lone backquote is escaped. A word
 * joiner behind @ keeps a name in a log from calling somebody.
 */
#include "render/sheet.h"

#include "base/utf8.h"

#define CODE_BYTES_MAX ((size_t)4 << 20)

void sheet_raw(struct sheet *s, const char *markup) {
    buf_add(s->out, str_of(markup));
}

void sheet_blank(struct sheet *s) {
    struct str so_far = buf_str(s->out);
    if (so_far.n > 0 && !str_ends(so_far, STR("\n"))) {
        buf_add_char(s->out, '\n');
    }
    so_far = buf_str(s->out);
    if (so_far.n > 0 && !str_ends(so_far, STR("\n\n"))) {
        buf_add_char(s->out, '\n');
    }
}

/* ---- inline ---- */

static bool is_alnum(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static bool is_punctuation(char c) {
    return c > ' ' && c < 0x7f && !is_alnum(c);
}

static bool is_one_of(char c, const char *set) {
    return c != '\0' && str_find_char(str_of(set), c) < str_of(set).n;
}

/* Length of the run of backquotes at the front. */
static size_t run_of_quotes(struct str s) {
    size_t n = 0;
    while (n < s.n && s.p[n] == '`') {
        n++;
    }
    return n;
}

static size_t longest_run(struct str s) {
    size_t longest = 0;
    for (size_t at = 0; at < s.n; at++) {
        size_t n = run_of_quotes(str_slice(s, at, s.n));
        longest = n > longest ? n : longest;
        at += n;
    }
    return longest;
}

void sheet_span(struct sheet *s, struct str code) {
    struct str line = str_trim(shown_short(s->t, code, SIZE_MAX));
    if (line.n == 0) {
        return;
    }
    size_t fence = longest_run(line) + 1;
    bool is_padded = line.p[0] == '`' || line.p[line.n - 1] == '`';
    buf_fill(s->out, '`', fence);
    buf_add(s->out, is_padded ? STR(" ") : STR(""));
    buf_add(s->out, line);
    buf_add(s->out, is_padded ? STR(" ") : STR(""));
    buf_fill(s->out, '`', fence);
}

/* The span that opens at the front of s: its inside, and in *n how many bytes
 * it takes. False: nothing closes it. */
static bool span_at(struct str s, struct str *inside, size_t *n) {
    size_t open = run_of_quotes(s);
    for (size_t at = open; at < s.n; at++) {
        size_t run = run_of_quotes(str_slice(s, at, s.n));
        if (run == open) {
            *inside = str_slice(s, open, at - open);
            *n = at + run;
            return str_trim(*inside).n > 0;
        }
        at += run;
    }
    return false;
}

static bool begins_number(struct str line) {
    size_t at = 0;
    while (at < line.n && line.p[at] >= '0' && line.p[at] <= '9') {
        at++;
    }
    return at > 0 && at < line.n && is_one_of(line.p[at], ".)");
}

/* Must the character at byte at of a line be escaped with a backslash? */
static bool is_markup(struct str line, size_t at) {
    char prev = at > 0 ? line.p[at - 1] : ' ';
    char next = at + 1 < line.n ? line.p[at + 1] : ' ';
    char c = line.p[at];
    if (is_one_of(c, "*[]~$`")) {
        return true;
    }
    if (c == '_') {
        return !is_alnum(prev) || !is_alnum(next);
    }
    if (c == '\\') {
        return is_punctuation(next) || at + 1 == line.n;
    }
    if (c == '#') {
        return prev == ' ';
    }
    bool is_after_digits = is_one_of(c, ".)") && begins_number(line);
    for (size_t i = 0; i < at && is_after_digits; i++) {
        is_after_digits = line.p[i] >= '0' && line.p[i] <= '9';
    }
    return is_after_digits || (at == 0 && is_one_of(c, "-+>=|"));
}

static void put_character(struct sheet *s, struct str line, size_t at) {
    char prev = at > 0 ? line.p[at - 1] : ' ';
    char next = at + 1 < line.n ? line.p[at + 1] : ' ';
    char c = line.p[at];
    if (c == '<') {
        buf_add(s->out, STR("&lt;"));
        return;
    }
    if (c == '&' && (next == '#' || is_alnum(next))) {
        buf_add(s->out, STR("&amp;"));
        return;
    }
    if (is_markup(line, at)) {
        buf_add_char(s->out, '\\');
    }
    buf_add_char(s->out, c);
    if (c == '@' && !is_alnum(prev) && is_alnum(next)) {
        utf8_put(s->out, 0x2060); /* word joiner */
    }
}

void sheet_put(struct sheet *s, struct str text) {
    struct str line = str_trim(shown_short(s->t, text, SIZE_MAX));
    for (size_t at = 0; at < line.n;) {
        struct str inside, rest = str_slice(line, at, line.n);
        size_t n = 0;
        if (rest.p[0] == '`' && span_at(rest, &inside, &n)) {
            sheet_span(s, inside);
            at += n;
            continue;
        }
        /* a run that closes nothing is escaped whole */
        n = rest.p[0] == '`' ? run_of_quotes(rest) : 1;
        for (size_t i = 0; i < n; i++) {
            put_character(s, line, at++);
        }
    }
}

void sheet_strong(struct sheet *s, struct str text) {
    sheet_raw(s, "**");
    sheet_put(s, text);
    sheet_raw(s, "**");
}

/* The corpus compiler lets only https through; what could end the link is
 * written as the bytes that it is. */
void sheet_url(struct sheet *s, struct str https_url) {
    buf_add_char(s->out, '<');
    for (size_t i = 0; i < https_url.n; i++) {
        unsigned char c = (unsigned char)https_url.p[i];
        if (c <= ' ' || c == '<' || c == '>' || c == '\\' || c == 0x7f) {
            buf_printf(s->out, "%%%02X", c);
        } else {
            buf_add_char(s->out, (char)c);
        }
    }
    buf_add_char(s->out, '>');
}

void sheet_entry(struct sheet *s, struct str id) {
    if (!s->t->o->is_site) {
        sheet_span(s, id);
        return;
    }
    buf_printf(s->out, "[%.*s](../%.*s.md)", STR_ARG(id), STR_ARG(id));
}

/* ---- blocks ---- */

static void put_block(struct sheet *s, const char *mark, struct str text) {
    if (text.n == 0) {
        return;
    }
    sheet_blank(s);
    sheet_raw(s, mark);
    sheet_put(s, text);
    buf_add_char(s->out, '\n');
}

void sheet_heading(struct sheet *s, int level, struct str text) {
    static const char marks[] = "###### ";
    put_block(s, marks + 6 - level, text);
}

void sheet_text(struct sheet *s, struct str text) {
    put_block(s, "", text);
}

void sheet_quote(struct sheet *s, struct str text) {
    put_block(s, "> ", text);
}

void sheet_code(struct sheet *s, uint32_t indent, const char *kind,
                struct str code) {
    struct buf clean;
    buf_init_in(&clean, s->t->a, CODE_BYTES_MAX);
    utf8_clean(&clean, str_slice(code, 0, CODE_BYTES_MAX / 4));
    struct str rest = str_trim(settled(s->t->a, &clean));
    if (rest.n == 0) {
        return;
    }
    size_t run = longest_run(rest);
    size_t fence = run < 3 ? 3 : run + 1;
    sheet_blank(s);
    buf_fill(s->out, ' ', indent);
    buf_fill(s->out, '`', fence);
    sheet_raw(s, kind);
    while (rest.n > 0) {
        struct str line = str_cut(rest, '\n', &rest);
        buf_add_char(s->out, '\n');
        buf_fill(s->out, ' ', line.n > 0 ? indent : 0);
        buf_add(s->out, line);
    }
    buf_add_char(s->out, '\n');
    buf_fill(s->out, ' ', indent);
    buf_fill(s->out, '`', fence);
    buf_add_char(s->out, '\n');
}
