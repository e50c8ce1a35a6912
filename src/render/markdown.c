/* markdown.c: a document as Markdown that shows exactly its text, for an issue,
 * a wiki or a site. Only this file knows the markup of Markdown.
 *
 * A character is escaped where it could be markup: `*` and `[` everywhere, `_`
 * except inside a word, `<` and entities always, `-`, `#`, `1.` at the
 * beginning. A `code span` stays one; a lone backquote is escaped. Pages also
 * interpret plain words (@name is a mention, an address a link, `:x:` a
 * picture): a word joiner in them prevents that. A paragraph is one line, since
 * a comment breaks where a line breaks. Fixes are no list, so their commands
 * stand at the left edge, ready to be copied. Bars stand in a block of code,
 * where every renderer keeps them aligned. */
#include "base/limits.h"
#include "render/parts.h"

#include "base/utf8.h"

#define BARS_WIDTH 72
#define DASH " \u2014 "
#define DOT " \u00b7 "

struct md_writer {
    const struct render *t;
    struct buf *out;
};

static void raw(struct md_writer *w, const char *markup) {
    buf_add(w->out, str_of(markup));
}

static void blank(struct md_writer *w) {
    struct str so_far = buf_str(w->out);
    if (so_far.n > 0 && !str_ends(so_far, STR("\n")))
        buf_add_char(w->out, '\n');
    so_far = buf_str(w->out);
    if (so_far.n > 0 && !str_ends(so_far, STR("\n\n")))
        buf_add_char(w->out, '\n');
}

/* ---- inline ---- */

static bool is_alnum(char c) {
    return is_digit(c) || is_letter(c) || (unsigned char)c >= 0x80;
}

/* True if Jekyll, which makes GitHub Pages, would run the text that begins
 * here. It does so in code as well. */
static bool is_liquid(const struct md_writer *w, char c, char next) {
    return w->t->o->is_site && c == '{' && (next == '{' || next == '%');
}

static bool has_liquid(const struct md_writer *w, struct str text) {
    for (size_t i = 0; i + 1 < text.n; i++)
        if (is_liquid(w, text.p[i], text.p[i + 1]))
            return true;
    return false;
}

static void put_character(struct md_writer *w, struct str line, size_t at);

static void put_span(struct md_writer *w, struct str code) {
    struct str line = str_trim(short_text(w->t, code, SIZE_MAX));
    if (!has_liquid(w, line)) {
        buf_add(w->out, in_backquotes(w->t->a, line));
        return;
    }
    raw(w, "<code>");
    for (size_t at = 0; at < line.n; at++)
        put_character(w, line, at);
    raw(w, "</code>");
}

/* True for the "." or ")" of "12. item". */
static bool ends_number(struct str line, size_t at) {
    bool is_end = at + 1 == line.n || line.p[at + 1] == ' ';
    return is_end && is_any(line.p[at], ".)") &&
           are_digits(str_slice(line, 0, at));
}

/* True if the character at `at` needs a backslash. */
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
    return ends_number(line, at) || (at == 0 && is_any(c, "-+>="));
}

/* True for ":joy:"; false for "12:34:56" and "c10::Error:". */
static bool begins_picture(struct str behind) {
    static const char *const bytes = "abcdefghijklmnopqrstuvwxyz0123456789_+-";
    size_t n = 0;
    while (n < behind.n && is_any(behind.p[n], bytes))
        n++;
    return n > 0 && n < behind.n && behind.p[n] == ':' &&
           !are_digits(str_slice(behind, 0, 1));
}

/* True for the last character of "http:", "www.", "GH-" and "@", and for the
 * first of ":joy:", if the text behind it makes a link or a picture. */
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

static void put_character(struct md_writer *w, struct str line, size_t at) {
    char next = at + 1 < line.n ? line.p[at + 1] : ' ';
    char c = line.p[at];
    if (c == '<') {
        raw(w, "&lt;");
        return;
    }
    if (c == '&' && (next == '#' || is_alnum(next))) {
        raw(w, "&amp;");
        return;
    }
    if (is_liquid(w, c, next)) {
        raw(w, "&#123;");
        return;
    }
    raw(w, is_markup(line, at) ? "\\" : "");
    buf_add_char(w->out, c);
    if (begins_action(line, at))
        utf8_put(w->out, 0x2060); /* word joiner */
}

static void put(struct md_writer *w, struct str text) {
    struct str line = str_trim(short_text(w->t, text, SIZE_MAX));
    for (size_t at = 0; at < line.n;) {
        struct str inside, rest = str_from(line, at);
        size_t n = 0;
        if (rest.p[0] == '`' && code_span_at(rest, &inside, &n)) {
            put_span(w, inside);
            at += n;
            continue;
        }
        /* a run that closes nothing is escaped whole */
        n = rest.p[0] == '`' ? backquotes_at(rest) : 1;
        for (size_t i = 0; i < n; i++)
            put_character(w, line, at++);
    }
}

static void put_link(struct md_writer *w, struct str text, struct str href) {
    raw(w, "[");
    put(w, text);
    raw(w, "](");
    put_address(w->out, href);
    raw(w, ")");
}

/* ---- blocks ---- */

static void put_behind(struct md_writer *w, const char *mark, struct str text) {
    if (text.n > 0) {
        raw(w, mark);
        put(w, text);
    }
}

/* Writes a title (level 1) or a heading. Those of a part are a level deeper. */
static void put_heading(struct md_writer *w, int level, struct str text) {
    static const char *const marks[] = {"# ", "## ", "### "};
    blank(w);
    put_behind(w, marks[level - w->t->d->is_page], text);
    raw(w, "\n");
}

/* Writes code as HTML, where a brace can be an entity. */
static void put_preformatted(struct md_writer *w, size_t indent,
                             const char *kind, struct str code) {
    buf_fill(w->out, ' ', indent);
    buf_printf(w->out, "<pre lang=\"%s\"><code>", kind);
    for (size_t i = 0; i < code.n; i++) {
        char c = code.p[i], next = i + 1 < code.n ? code.p[i + 1] : ' ';
        if (is_any(c, "<>&") || is_liquid(w, c, next))
            buf_printf(w->out, "&#%d;", c);
        else
            buf_add_char(w->out, c);
        buf_fill(w->out, ' ', c == '\n' ? indent : 0);
    }
    raw(w, "</code></pre>\n");
}

static void put_code(struct md_writer *w, size_t indent, const char *kind,
                     struct str code) {
    struct str rest = clean_code(w->t, code);
    while (rest.n > 0 && (rest.p[rest.n - 1] == '\n' || rest.p[0] == '\n'))
        rest = str_slice(rest, rest.p[0] == '\n', rest.n - 1);
    size_t run = longest_backquotes(rest), fence = run < 3 ? 3 : run + 1;
    blank(w);
    if (has_liquid(w, rest)) {
        put_preformatted(w, indent, kind, rest);
        return;
    }
    buf_fill(w->out, ' ', indent);
    buf_fill(w->out, '`', fence);
    raw(w, kind);
    while (rest.n > 0) {
        struct str line = str_cut(rest, '\n', &rest);
        buf_add_char(w->out, '\n');
        buf_fill(w->out, ' ', line.n > 0 ? indent : 0);
        buf_add(w->out, line);
    }
    buf_add_char(w->out, '\n');
    buf_fill(w->out, ' ', indent);
    buf_fill(w->out, '`', fence);
    buf_add_char(w->out, '\n');
}

/* Escapes every `|`, which would end the cell, even in code. */
static void put_cell(struct md_writer *w, struct str text, struct str href) {
    struct buf cell = buf_in(w->t->a, CODE_BYTES_MAX);
    struct md_writer in = {w->t, &cell};
    if (href.n > 0)
        put_link(&in, text, href);
    else
        put(&in, text);
    struct str made = kept_text(w->t->a, &cell);
    for (size_t i = 0; i < made.n; i++) {
        bool is_bare = made.p[i] == '|' && (i == 0 || made.p[i - 1] != '\\');
        raw(w, is_bare ? "\\" : "");
        buf_add_char(w->out, made.p[i]);
    }
}

static void put_table(struct md_writer *w, const struct table *table) {
    blank(w);
    for (size_t row = 0; row < table->count; row++) {
        const struct row *is = &table->rows[row];
        for (size_t i = 0; i < table->columns; i++) {
            raw(w, i == 0 ? "| " : " | ");
            put_cell(w, is->cells[i], i == 0 ? is->href : STR(""));
        }
        raw(w, " |\n");
        for (size_t i = 0; i < table->columns && row == 0; i++)
            raw(w, i + 1 < table->columns ? "| --- " : "| --- |\n");
    }
}

static void put_id(struct md_writer *w, const struct block *b) {
    blank(w);
    put_span(w, b->text);
    put_behind(w, DOT, b->column[0]);
    raw(w, "\n");
    blank(w);
    for (const struct block *in = b->first; in != NULL; in = in->next) {
        raw(w, in == b->first ? "" : DOT);
        put_link(w, in->text, in->href);
    }
    raw(w, b->first != NULL ? "\n" : "");
}

/* True for a fix with its command at the left edge; else it is in a list. */
static bool is_wide(const struct block *b) {
    return b->mark.n > 0 && is_alnum(b->mark.p[0]) && b->mark.p[0] != 'x' &&
           b->first != NULL;
}

static void put_block(struct md_writer *w, const struct block *under,
                      const struct block *b);

static bool is_in_list(const struct block *b) {
    return b->kind == BLOCK_LINK || (b->kind == BLOCK_ITEM && !is_wide(b));
}

/* Writes the blocks of b. kramdown needs a blank line before a list. */
static void put_below(struct md_writer *w, const struct block *b) {
    bool is_list = false;
    for (const struct block *in = b->first; in != NULL; in = in->next) {
        if (is_in_list(in) && !is_list && b->kind != BLOCK_ITEM)
            blank(w);
        is_list = is_in_list(in);
        put_block(w, b, in);
    }
}

static void put_wide(struct md_writer *w, const struct block *b) {
    blank(w);
    raw(w, "**");
    put(w, b->mark);
    raw(w, ". ");
    put(w, b->text);
    raw(w, "**");
    put_behind(w, DASH, b->column[0]);
    put_behind(w, DOT, b->column[1]);
    raw(w, "\n");
    put_below(w, b);
    blank(w);
}

static bool is_bare_link(const struct block *b) {
    return b != NULL && b->kind == BLOCK_LINK && b->text.n == 0;
}

/* Writes links without a text on one line. Returns the last of them. */
static const struct block *put_bare_links(struct md_writer *w,
                                          const struct block *b) {
    for (const char *mark = "  - ";; mark = ", ", b = b->next) {
        raw(w, mark);
        put_link(w, link_name(w->t, b->href), b->href);
        if (!is_bare_link(b->next))
            break;
    }
    raw(w, "\n");
    return b;
}

static void put_point(struct md_writer *w, const struct block *b) {
    const char *bold = b->tone == TONE_STRONG ? "**" : "";
    raw(w, "- ");
    if (b->href.n > 0) {
        put_link(w, b->text, b->href);
    } else if (b->mark.n == 0) {
        put_span(w, b->text);
    } else {
        put_behind(w, bold, b->text);
        raw(w, bold);
    }
    const struct block *in = b->first;
    if (b->mark.n == 0 && in != NULL && in->kind == BLOCK_TEXT) {
        put_behind(w, DASH, in->text);
        in = in->next;
    }
    put_behind(w, DOT, b->column[0]);
    put_behind(w, DOT, b->column[1]);
    raw(w, "\n");
    for (; in != NULL; in = in->next) {
        if (is_bare_link(in))
            in = put_bare_links(w, in);
        else
            put_block(w, b, in);
    }
}

static void put_block(struct md_writer *w, const struct block *under,
                      const struct block *b) {
    bool is_listed = under->kind == BLOCK_ITEM && !is_wide(under);
    switch (b->kind) {
    case BLOCK_TITLE: put_heading(w, 1, b->text); break;
    case BLOCK_ID: put_id(w, b); break;
    case BLOCK_SECTION:
        put_heading(w, 2, b->text);
        blank(w);
        put_below(w, b);
        break;
    case BLOCK_TEXT:
        if (!is_listed)
            blank(w);
        put_behind(w, is_listed ? "  - " : "", b->text);
        raw(w, "\n");
        break;
    case BLOCK_ITEM:
        if (is_wide(b))
            put_wide(w, b);
        else
            put_point(w, b);
        break;
    case BLOCK_CODE:
        put_code(w, is_listed ? 2 : 0,
                 b->language != NULL         ? b->language
                 : under->kind == BLOCK_ITEM ? "sh"
                                             : "text",
                 b->text);
        break;
    case BLOCK_BARS:
        put_code(w, 0, "text", text_of_bars(w->t, b->bars, BARS_WIDTH));
        break;
    case BLOCK_TABLE: put_table(w, b->table); break;
    case BLOCK_LINK:
        raw(w, is_listed ? "  - " : "- ");
        if (str_starts(b->href, STR("https://"))) {
            put_link(w, link_name(w->t, b->href), b->href);
            put_behind(w, DASH, b->text);
            put_behind(w, DOT, b->column[0]);
        } else {
            put_link(w, b->text, b->href);
        }
        raw(w, "\n");
        break;
    case BLOCK_RULE:
        blank(w);
        raw(w, "---\n\n");
        break;
    }
}

void markdown_walk(const struct render *t, struct buf *out) {
    struct md_writer w = {t, out};
    put_below(&w, &t->d->top);
}
