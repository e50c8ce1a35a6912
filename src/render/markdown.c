/* markdown.c: a document as Markdown that shows this very text and does
 * nothing else, for an issue, a wiki or a site. The only file that knows what
 * Markdown takes for markup.
 *
 * Escaped is what could act where it stands: `*` and `[` everywhere, `_` but
 * inside a word, `<` and entities always, `-`, `#`, `1.` at the beginning. A
 * `span` between backquotes stays one; a lone backquote is escaped. What pages
 * make of words after Markdown is done (a name behind @ is called, an address
 * becomes a link, `:x:` a picture) a word joiner breaks up. A paragraph is
 * one line, for comments break where a line breaks; fixes are no list, so that
 * their commands stand at the left edge, ready to be copied; bars stand in a
 * block of code, where every renderer keeps them aligned.
 */
#include "base/limits.h"
#include "render/parts.h"

#include "base/utf8.h"

#define BARS_WIDTH 72
#define DASH " \u2014 "
#define DOT " \u00b7 "

struct sheet {
    const struct teller *t;
    bool is_page; /* its title is of the first level, else of the second */
    struct buf *out;
};

static void raw(struct sheet *s, const char *markup) {
    buf_add(s->out, str_of(markup));
}

static void blank(struct sheet *s) {
    struct str so_far = buf_str(s->out);
    if (so_far.n > 0 && !str_ends(so_far, STR("\n")))
        buf_add_char(s->out, '\n');
    so_far = buf_str(s->out);
    if (so_far.n > 0 && !str_ends(so_far, STR("\n\n")))
        buf_add_char(s->out, '\n');
}

/* ---- inline ---- */

static bool is_alnum(char c) {
    return is_digit(c) || is_letter(c) || (unsigned char)c >= 0x80;
}

static bool is_one_of(char c, const char *set) {
    return c != '\0' && str_find_char(str_of(set), c) < str_of(set).n;
}

/* Would Jekyll, which makes the pages of GitHub Pages, run what begins here?
 * It does so in code as well. */
static bool is_liquid(const struct sheet *s, char c, char next) {
    return s->t->o->is_site && c == '{' && (next == '{' || next == '%');
}

static bool has_liquid(const struct sheet *s, struct str text) {
    for (size_t i = 0; i + 1 < text.n; i++)
        if (is_liquid(s, text.p[i], text.p[i + 1]))
            return true;
    return false;
}

static void put_character(struct sheet *s, struct str line, size_t at);

static void put_span(struct sheet *s, struct str code) {
    struct str line = str_trim(shown_short(s->t, code, SIZE_MAX));
    if (!has_liquid(s, line)) {
        buf_add(s->out, in_backquotes(s->t->a, line));
        return;
    }
    raw(s, "<code>");
    for (size_t at = 0; at < line.n; at++)
        put_character(s, line, at);
    raw(s, "</code>");
}

/* Is the . or ) at byte at behind digits alone, as in "12. item"? */
static bool ends_number(struct str line, size_t at) {
    bool is_end = at + 1 == line.n || line.p[at + 1] == ' ';
    return is_end && is_one_of(line.p[at], ".)") &&
           are_digits(str_slice(line, 0, at));
}

/* Must the character at byte at of a line be escaped with a backslash? */
static bool is_markup(struct str line, size_t at) {
    char prev = at > 0 ? line.p[at - 1] : ' ';
    char next = at + 1 < line.n ? line.p[at + 1] : ' ';
    char c = line.p[at];
    switch (c) {
    case '*': case '[': case ']': case '~': case '$': case '`': return true;
    case '_': return !is_alnum(prev) || !is_alnum(next);
    case '\\':
        return (next > ' ' && next < 0x7f && !is_alnum(next)) ||
               at + 1 == line.n;
    case '#': return prev == ' ';
    case '|': return at == 0 || prev == c || next == c;
    default: break;
    }
    return ends_number(line, at) || (at == 0 && is_one_of(c, "-+>="));
}

/* ":joy:"; "12:34:56" and "c10::Error:" are none. */
static bool begins_picture(struct str behind) {
    static const char *const bytes = "abcdefghijklmnopqrstuvwxyz0123456789_+-";
    size_t n = 0;
    while (n < behind.n && is_one_of(behind.p[n], bytes))
        n++;
    return n > 0 && n < behind.n && behind.p[n] == ':' &&
           !are_digits(str_slice(behind, 0, 1));
}

/* "http:", "www.", "GH-", "@" and ":joy:" act by what stands behind. */
static bool begins_action(struct str line, size_t at) {
    char prev = at > 0 ? line.p[at - 1] : ' ';
    struct str behind = str_from(line, at + 1);
    struct str so_far = str_slice(line, 0, at + 1);
    char next = behind.n > 0 ? behind.p[0] : ' ';
    switch (line.p[at]) {
    case '@': return !is_alnum(prev) && is_alnum(next);
    case ':':
        return str_starts(behind, STR("//")) || begins_picture(behind);
    case '.': return str_ends(so_far, STR("www.")) && is_alnum(next);
    case '-': return str_ends(so_far, STR("GH-")) && is_alnum(next);
    default: return false;
    }
}

static void put_character(struct sheet *s, struct str line, size_t at) {
    char next = at + 1 < line.n ? line.p[at + 1] : ' ';
    char c = line.p[at];
    if (c == '<') {
        raw(s, "&lt;");
        return;
    }
    if (c == '&' && (next == '#' || is_alnum(next))) {
        raw(s, "&amp;");
        return;
    }
    if (is_liquid(s, c, next)) {
        raw(s, "&#123;");
        return;
    }
    raw(s, is_markup(line, at) ? "\\" : "");
    buf_add_char(s->out, c);
    if (begins_action(line, at))
        utf8_put(s->out, 0x2060); /* word joiner */
}

static void put(struct sheet *s, struct str text) {
    struct str line = str_trim(shown_short(s->t, text, SIZE_MAX));
    for (size_t at = 0; at < line.n;) {
        struct str inside, rest = str_from(line, at);
        size_t n = 0;
        if (rest.p[0] == '`' && code_span_at(rest, &inside, &n)) {
            put_span(s, inside);
            at += n;
            continue;
        }
        /* a run that closes nothing is escaped whole */
        n = rest.p[0] == '`' ? backquotes_at(rest) : 1;
        for (size_t i = 0; i < n; i++)
            put_character(s, line, at++);
    }
}

struct str markdown_of(const struct teller *t, struct str text) {
    struct buf out;
    buf_init_in(&out, t->a, 65536 + text.n * 8);
    struct sheet s = {t, false, &out};
    put(&s, text);
    return buf_str(&out);
}

static void put_link(struct sheet *s, struct str text, struct str href) {
    raw(s, "[");
    put(s, text);
    raw(s, "](");
    put_address(s->out, href);
    raw(s, ")");
}

static void put_web_link(struct sheet *s, struct str url) {
    put_link(s, link_name(s->t, url), url);
}

/* ---- blocks ---- */

static void put_behind(struct sheet *s, const char *mark, struct str text) {
    if (text.n > 0) {
        raw(s, mark);
        put(s, text);
    }
}

static void put_heading(struct sheet *s, const char *mark, struct str text) {
    blank(s);
    put_behind(s, mark, text);
    raw(s, "\n");
}

/* The same in HTML, where a brace can be written as an entity. */
static void put_preformatted(struct sheet *s, size_t indent, const char *kind,
                             struct str code) {
    buf_fill(s->out, ' ', indent);
    buf_printf(s->out, "<pre lang=\"%s\"><code>", kind);
    for (size_t i = 0; i < code.n; i++) {
        char c = code.p[i], next = i + 1 < code.n ? code.p[i + 1] : ' ';
        if (is_one_of(c, "<>&") || is_liquid(s, c, next))
            buf_printf(s->out, "&#%d;", c);
        else
            buf_add_char(s->out, c);
        buf_fill(s->out, ' ', c == '\n' ? indent : 0);
    }
    raw(s, "</code></pre>\n");
}

void markdown_code(const struct teller *t, struct buf *out, size_t indent,
                   const char *kind, struct str code) {
    struct sheet s = {t, false, out};
    struct str rest = clean_code(t, code);
    while (rest.n > 0 && (rest.p[rest.n - 1] == '\n' || rest.p[0] == '\n'))
        rest = str_slice(rest, rest.p[0] == '\n', rest.n - 1);
    size_t run = longest_backquotes(rest), fence = run < 3 ? 3 : run + 1;
    blank(&s);
    if (has_liquid(&s, rest)) {
        put_preformatted(&s, indent, kind, rest);
        return;
    }
    buf_fill(out, ' ', indent);
    buf_fill(out, '`', fence);
    raw(&s, kind);
    while (rest.n > 0) {
        struct str line = str_cut(rest, '\n', &rest);
        buf_add_char(out, '\n');
        buf_fill(out, ' ', line.n > 0 ? indent : 0);
        buf_add(out, line);
    }
    buf_add_char(out, '\n');
    buf_fill(out, ' ', indent);
    buf_fill(out, '`', fence);
    buf_add_char(out, '\n');
}

/* A `|` would end the cell, in code, too. */
static void put_cell(struct sheet *s, struct str text, struct str href) {
    struct buf cell;
    buf_init_in(&cell, s->t->a, CODE_BYTES_MAX);
    struct sheet in = {s->t, s->is_page, &cell};
    if (href.n > 0)
        put_link(&in, text, href);
    else
        put(&in, text);
    struct str made = settled(s->t->a, &cell);
    for (size_t i = 0; i < made.n; i++) {
        bool is_bare = made.p[i] == '|' && (i == 0 || made.p[i - 1] != '\\');
        raw(s, is_bare ? "\\" : "");
        buf_add_char(s->out, made.p[i]);
    }
}

static void put_table(struct sheet *s, const struct table *table) {
    blank(s);
    for (size_t row = 0; row < table->count; row++) {
        const struct row *is = &table->rows[row];
        for (size_t i = 0; i < table->columns; i++) {
            raw(s, i == 0 ? "| " : " | ");
            put_cell(s, is->cells[i], i == 0 ? is->href : STR(""));
        }
        raw(s, " |\n");
        for (size_t i = 0; i < table->columns && row == 0; i++)
            raw(s, i + 1 < table->columns ? "| --- " : "| --- |\n");
    }
}

static void put_id(struct sheet *s, const struct block *b) {
    blank(s);
    put_span(s, b->text);
    put_behind(s, DOT, b->column[0]);
    raw(s, "\n");
    blank(s);
    for (const struct block *in = b->first; in != NULL; in = in->next) {
        raw(s, in == b->first ? "" : DOT);
        put_link(s, in->text, in->href);
    }
    raw(s, b->first != NULL ? "\n" : "");
}

/* A fix, with its command at the left edge; or a point of a list. */
static bool is_wide(const struct block *b) {
    return b->mark.n > 0 && is_alnum(b->mark.p[0]) && b->mark.p[0] != 'x' &&
           b->first != NULL;
}

static void put_block(struct sheet *s, const struct block *under,
                      const struct block *b);

static bool is_point(const struct block *b) {
    return b->kind == BLOCK_LINK || (b->kind == BLOCK_ITEM && !is_wide(b));
}

/* A list begins behind a blank line: kramdown wants one. */
static void put_below(struct sheet *s, const struct block *b) {
    bool is_list = false;
    for (const struct block *in = b->first; in != NULL; in = in->next) {
        if (is_point(in) && !is_list && b->kind != BLOCK_ITEM)
            blank(s);
        is_list = is_point(in);
        put_block(s, b, in);
    }
}

static void put_wide(struct sheet *s, const struct block *b) {
    blank(s);
    raw(s, "**");
    put(s, b->mark);
    raw(s, ". ");
    put(s, b->text);
    raw(s, "**");
    put_behind(s, DASH, b->column[0]);
    put_behind(s, DOT, b->column[1]);
    raw(s, "\n");
    put_below(s, b);
    blank(s);
}

/* Links without a word of their own, as many as there are, in one line. The
 * last of them. */
static const struct block *put_bare_links(struct sheet *s,
                                          const struct block *b) {
    raw(s, "  - ");
    put_web_link(s, b->href);
    while (b->next != NULL && b->next->kind == BLOCK_LINK &&
           b->next->text.n == 0) {
        b = b->next;
        raw(s, ", ");
        put_web_link(s, b->href);
    }
    raw(s, "\n");
    return b;
}

static void put_point(struct sheet *s, const struct block *b) {
    raw(s, "- ");
    if (b->href.n > 0) {
        put_link(s, b->text, b->href);
    } else if (b->mark.n == 0) {
        put_span(s, b->text);
    } else {
        raw(s, b->tone == TONE_STRONG ? "**" : "");
        put(s, b->text);
        raw(s, b->tone == TONE_STRONG ? "**" : "");
    }
    const struct block *in = b->first;
    if (b->mark.n == 0 && in != NULL && in->kind == BLOCK_TEXT) {
        put_behind(s, DASH, in->text);
        in = in->next;
    }
    put_behind(s, DOT, b->column[0]);
    put_behind(s, DOT, b->column[1]);
    raw(s, "\n");
    for (; in != NULL; in = in->next) {
        if (in->kind == BLOCK_LINK && in->text.n == 0)
            in = put_bare_links(s, in);
        else
            put_block(s, b, in);
    }
}

static void put_block(struct sheet *s, const struct block *under,
                      const struct block *b) {
    bool is_in_list = under->kind == BLOCK_ITEM && !is_wide(under);
    switch (b->kind) {
    case BLOCK_TITLE: put_heading(s, s->is_page ? "# " : "## ", b->text); break;
    case BLOCK_ID: put_id(s, b); break;
    case BLOCK_SECTION:
        put_heading(s, s->is_page ? "## " : "### ", b->text);
        blank(s);
        put_below(s, b);
        break;
    case BLOCK_TEXT:
        if (!is_in_list) {
            put_heading(s, "", b->text);
        } else {
            put_behind(s, "  - ", b->text);
            raw(s, "\n");
        }
        break;
    case BLOCK_ITEM:
        if (is_wide(b))
            put_wide(s, b);
        else
            put_point(s, b);
        break;
    case BLOCK_CODE:
        markdown_code(s->t, s->out, is_in_list ? 2 : 0,
                      b->language != NULL         ? b->language
                      : under->kind == BLOCK_ITEM ? "sh"
                                                  : "text",
                      b->text);
        break;
    case BLOCK_BARS:
        markdown_code(s->t, s->out, 0, "text",
                      text_of_bars(s->t, b->bars, BARS_WIDTH));
        break;
    case BLOCK_TABLE: put_table(s, b->table); break;
    case BLOCK_LINK:
        raw(s, is_in_list ? "  - " : "- ");
        if (str_starts(b->href, STR("https://"))) {
            put_web_link(s, b->href);
            put_behind(s, DASH, b->text);
            put_behind(s, DOT, b->column[0]);
        } else {
            put_link(s, b->text, b->href);
        }
        raw(s, "\n");
        break;
    case BLOCK_RULE:
        blank(s);
        raw(s, "---\n\n");
        break;
    }
}

void markdown_walk(const struct teller *t, struct buf *out) {
    struct sheet s = {t, t->d->is_page, out};
    put_below(&s, &t->d->top);
}
