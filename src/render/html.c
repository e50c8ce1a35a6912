/* html.c: a document as HTML: headings, lists, tables with scopes, code. The
 * only file that knows what HTML takes for markup.
 *
 * A whole page, to be opened or mailed; of a site the <article> alone, since
 * the site has its own frame (author/site_html.c). Nothing in it has a style,
 * a script or a picture: classes say what a thing is, and without a style sheet
 * the page reads in order. Bars are rectangles of an SVG with a list of their
 * parts, so they are as wide as the page and read aloud.
 *
 *     title          <h1>, of an answer within a page <h2>
 *     section        <section> with a heading of the next level
 *     item           <li>; numbered ones in an <ol>
 *     text, code     <p>, <pre><code>
 */
#include "base/limits.h"
#include "render/parts.h"

#include "base/utf8.h"

#define BAR_UNITS 1000 /* width of a bar in full length, in an SVG's own units */

struct sheet {
    const struct teller *t;
    struct buf *out;
};

static void raw(struct sheet *s, const char *markup) {
    buf_add(s->out, str_of(markup));
}

/* ---- inline ---- */

static void put_escaped(struct sheet *s, struct str text) {
    for (size_t i = 0; i < text.n; i++) {
        switch (text.p[i]) {
        case '&': raw(s, "&amp;"); break;
        case '<': raw(s, "&lt;"); break;
        case '>': raw(s, "&gt;"); break;
        case '"': raw(s, "&quot;"); break;
        default: buf_add_char(s->out, text.p[i]);
        }
    }
}

static void put(struct sheet *s, struct str text) {
    struct str line = str_trim(shown_short(s->t, text, SIZE_MAX)), inside;
    while (line.n > 0) {
        size_t n = 0;
        if (line.p[0] == '`' && code_span_at(line, &inside, &n)) {
            raw(s, "<code>");
            put_escaped(s, str_trim(inside));
            raw(s, "</code>");
        } else {
            n = line.p[0] == '`' ? backquotes_at(line)
                                 : str_find_char(line, '`');
            put_escaped(s, str_slice(line, 0, n));
        }
        line = str_from(line, n);
    }
}

struct str html_of(const struct teller *t, struct str text) {
    struct buf out;
    buf_init_in(&out, t->a, 65536 + text.n * 8);
    struct sheet s = {t, &out};
    put(&s, text);
    return buf_str(&out);
}

struct str html_plain(struct arena *a, struct str text) {
    struct buf out;
    buf_init_in(&out, a, 65536 + text.n * 8);
    struct sheet s = {NULL, &out};
    put_escaped(&s, text);
    return buf_str(&out);
}

static const char *const classes[] = {
    [TONE_PLAIN] = "",    [TONE_STRONG] = "strong", [TONE_DIM] = "dim",
    [TONE_GOOD] = "good", [TONE_BAD] = "bad",       [TONE_WARN] = "warn",
    [TONE_CODE] = "code",
};

/* <tag class="tone"> */
static void open_toned(struct sheet *s, const char *tag, enum tone tone) {
    buf_printf(s->out, "<%s", tag);
    if (tone != TONE_PLAIN)
        buf_printf(s->out, " class=\"%s\"", classes[tone]);
    buf_add_char(s->out, '>');
}

static void put_toned(struct sheet *s, const char *tag, enum tone tone,
                      struct str text) {
    open_toned(s, tag, tone);
    put(s, text);
    buf_printf(s->out, "</%s>", tag);
}

static void put_labelled(struct sheet *s, const char *label, enum tone tone,
                         struct str text) {
    if (text.n > 0) {
        buf_printf(s->out, " <span class=\"%s%s%s\">", label,
                   tone == TONE_PLAIN ? "" : " ", classes[tone]);
        put(s, text);
        raw(s, "</span>");
    }
}

/* ---- links ---- */

static bool is_web(struct str href) {
    return str_starts(href, STR("https://")) ||
           str_starts(href, STR("http://"));
}

/* The pages of a site stand beside its Markdown, under the same name. */
static struct str page_of(struct sheet *s, struct str href) {
    struct str path = href, readme = STR("README.md"), suffix = STR(".md");
    if (is_web(href) || !str_ends(path, suffix))
        return href;
    if (str_ends(path, readme))
        return arena_printf(s->t->a, "%.*sindex.html",
                            STR_ARG(str_slice(path, 0, path.n - readme.n)));
    return arena_printf(s->t->a, "%.*s.html",
                        STR_ARG(str_slice(path, 0, path.n - suffix.n)));
}

static void put_link(struct sheet *s, struct str href, struct str text) {
    struct buf address;
    buf_init_in(&address, s->t->a, CODE_BYTES_MAX);
    put_address(&address, page_of(s, href));
    raw(s, "<a href=\"");
    put_escaped(s, settled(s->t->a, &address));
    raw(s, "\">");
    put(s, text.n > 0 ? text : link_name(s->t, href));
    raw(s, "</a>");
}

/* ---- blocks ---- */

static void put_code(struct sheet *s, const char *language, struct str code) {
    buf_printf(s->out, "<pre><code class=\"language-%s\">", language);
    put_escaped(s, str_trim(clean_code(s->t, code)));
    raw(s, "</code></pre>\n");
}

static void put_bar(struct sheet *s, const struct bar *bar, int64_t scale) {
    buf_printf(s->out, "<svg viewBox=\"0 0 %d 24\" "
               "preserveAspectRatio=\"none\" aria-hidden=\"true\" "
               "focusable=\"false\">", BAR_UNITS);
    int64_t at = 0;
    for (size_t i = 0; i < bar->count; i++) {
        int64_t end = at + bar->part[i].bytes;
        int64_t x = scale > 0 ? at * BAR_UNITS / scale : 0;
        int64_t to = scale > 0 ? end * BAR_UNITS / scale : 0;
        buf_printf(s->out, "<rect class=\"part%zu\" x=\"%lld\" y=\"0\" "
                   "width=\"%lld\" height=\"24\"/>", i % BAR_PARTS,
                   (long long)x, (long long)(to > x ? to - x : 1));
        at = end;
    }
    raw(s, "</svg>\n");
}

static void put_bars(struct sheet *s, const struct bars *bars) {
    raw(s, "<figure class=\"bars\">\n");
    for (size_t k = 0; k < bars->count; k++) {
        const struct bar *bar = &bars->bar[k];
        raw(s, "<p>");
        put_toned(s, "span", TONE_STRONG, bar->label);
        put_labelled(s, "end", TONE_PLAIN, bar->end);
        raw(s, "</p>\n");
        put_bar(s, bar, bars->scale_bytes);
        raw(s, bar->count > 1 ? "<ul class=\"parts\">\n" : "");
        for (size_t i = 0; i < bar->count && bar->count > 1; i++) {
            buf_printf(s->out, "<li class=\"part%zu\">", i % BAR_PARTS);
            put(s, bar->part[i].name);
            put_labelled(s, "amount", TONE_PLAIN, bar->part[i].shown);
            raw(s, "</li>\n");
        }
        raw(s, bar->count > 1 ? "</ul>\n" : "");
    }
    raw(s, "</figure>\n");
}

static void put_cell(struct sheet *s, const struct row *row, bool is_title,
                     size_t column) {
    struct str text = row->cells[column];
    const char *tag = (!is_title && column > 0) || text.n == 0 ? "td"
                      : is_title ? "th scope=\"col\""
                                 : "th scope=\"row\"";
    buf_printf(s->out, "<%s>", tag);
    if (column == 0 && row->href.n > 0)
        put_link(s, row->href, text);
    else
        put(s, text);
    buf_printf(s->out, "</%.2s>", tag);
}

/* A wide table scrolls by itself, by keys as well. */
static void put_table(struct sheet *s, const struct table *t) {
    raw(s, "<div class=\"table\" tabindex=\"0\"><table>\n");
    for (size_t row = 0; row < t->count; row++) {
        raw(s, row == 0 ? "<thead>" : row == 1 ? "<tbody>\n" : "");
        open_toned(s, "tr", row == 0 ? TONE_PLAIN : t->rows[row].tone);
        for (size_t i = 0; i < t->columns; i++)
            put_cell(s, &t->rows[row], row == 0, i);
        raw(s, row == 0 ? "</tr></thead>\n" : "</tr>\n");
    }
    raw(s, t->count > 1 ? "</tbody>\n" : "");
    raw(s, "</table></div>\n");
}

static void put_heading(struct sheet *s, int level, struct str text) {
    buf_printf(s->out, "<h%d>", level);
    put(s, text);
    buf_printf(s->out, "</h%d>\n", level);
}

static void put_below(struct sheet *s, const struct block *b, int level);

static void put_id(struct sheet *s, const struct block *b) {
    raw(s, "<p class=\"id\"><code>");
    put_escaped(s, str_trim(shown_short(s->t, b->text, SIZE_MAX)));
    raw(s, "</code>");
    put_labelled(s, "kind", TONE_PLAIN, b->column[0]);
    raw(s, "</p>\n");
    raw(s, b->first != NULL ? "<p class=\"pages\">" : "");
    for (const struct block *in = b->first; in != NULL; in = in->next) {
        raw(s, in == b->first ? "" : " \u00b7 ");
        put_link(s, in->href, in->text);
    }
    raw(s, b->first != NULL ? "</p>\n" : "");
}

static void put_item(struct sheet *s, const struct block *b, int level) {
    bool is_numbered = are_digits(b->mark);
    bool is_strong = is_numbered || b->tone == TONE_STRONG;
    raw(s, "<li");
    if (is_numbered)
        buf_printf(s->out, " value=\"%.*s\"", STR_ARG(b->mark));
    raw(s, is_strong ? "><p><strong>" : "><p>");
    if (b->href.n > 0)
        put_link(s, b->href, b->text);
    else if (b->mark.n == 0)
        put(s, in_backquotes(s->t->a, b->text));
    else
        put(s, b->text);
    raw(s, is_strong ? "</strong>" : "");
    put_labelled(s, "verdict", b->column_tone, b->column[0]);
    put_labelled(s, "cost", TONE_PLAIN, b->column[1]);
    raw(s, "</p>\n");
    put_below(s, b, level);
    raw(s, "</li>\n");
}

static void put_source(struct sheet *s, const struct block *b) {
    raw(s, "<li>");
    put_link(s, b->href, is_web(b->href) ? STR("") : b->text);
    if (is_web(b->href) && b->text.n > 0) {
        raw(s, " \u2014 ");
        put(s, b->text);
    }
    put_labelled(s, "date", TONE_DIM, b->column[0]);
    raw(s, "</li>\n");
}

/* What stands in one list with what comes before it; NULL: no list. */
static const char *list_of(const struct block *b) {
    if (b->kind == BLOCK_LINK)
        return b->text.n > 0 ? "<ul class=\"links\">" : "<ul class=\"threads\">";
    if (b->kind != BLOCK_ITEM)
        return NULL;
    return are_digits(b->mark)              ? "<ol>"
           : str_eq(b->mark, STR("x"))      ? "<ul class=\"not\">"
           : str_eq(b->mark, STR("?"))      ? "<ul class=\"ask\">"
           : str_eq(b->mark, STR("+"))      ? "<ul class=\"fixes\">"
                                            : "<ul>";
}

static void put_section(struct sheet *s, const struct block *b, int level) {
    raw(s, "<section>\n");
    put_heading(s, level + 1, b->text);
    put_below(s, b, level + 1);
    raw(s, "</section>\n");
}

static void put_block(struct sheet *s, const struct block *under,
                      const struct block *b, int level) {
    const char *language = under->kind == BLOCK_ITEM ? "sh" : "text";
    switch (b->kind) {
    case BLOCK_TITLE: put_heading(s, level, b->text); break;
    case BLOCK_ID: put_id(s, b); break;
    case BLOCK_SECTION: put_section(s, b, level); break;
    case BLOCK_TEXT:
        put_toned(s, "p", b->tone, b->text);
        raw(s, "\n");
        break;
    case BLOCK_ITEM: put_item(s, b, level); break;
    case BLOCK_CODE:
        put_code(s, b->language != NULL ? b->language : language, b->text);
        break;
    case BLOCK_BARS: put_bars(s, b->bars); break;
    case BLOCK_TABLE: put_table(s, b->table); break;
    case BLOCK_LINK: put_source(s, b); break;
    case BLOCK_RULE: raw(s, "<hr>\n"); break;
    }
}

static void close_list(struct sheet *s, const char *list) {
    raw(s, list == NULL ? "" : str_starts(str_of(list), STR("<ol")) ? "</ol>\n"
                                                                 : "</ul>\n");
}

/* Items and links that follow each other are one list. */
static void put_below(struct sheet *s, const struct block *b, int level) {
    const char *open = NULL;
    for (const struct block *in = b->first; in != NULL; in = in->next) {
        const char *list = list_of(in);
        if (list != open) {
            close_list(s, open);
            raw(s, list != NULL ? list : "");
            raw(s, list != NULL ? "\n" : "");
            open = list;
        }
        put_block(s, b, in, level);
    }
    close_list(s, open);
}

static struct str title_of(const struct document *d) {
    const struct block *b = d->top.first;
    while (b != NULL && b->kind != BLOCK_TITLE)
        b = b->next;
    return b != NULL ? b->text : STR("oomkb");
}

void html_walk(const struct teller *t, struct buf *out) {
    struct sheet s = {t, out};
    const char *lang = lang_name(t->lang);
    if (!t->o->is_site) {
        buf_printf(out, "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n"
                   "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                   "content=\"width=device-width, initial-scale=1\">\n"
                   "<title>", lang);
        put_escaped(&s, str_trim(shown_short(t, title_of(t->d), SIZE_MAX)));
        raw(&s, "</title>\n</head>\n<body>\n<main>\n");
    }
    buf_printf(out, "<article lang=\"%s\">\n", lang);
    put_below(&s, &t->d->top, t->o->is_part ? 2 : 1);
    raw(&s, "</article>\n");
    raw(&s, t->o->is_site ? "" : "</main>\n</body>\n</html>\n");
}

/* Templates of pages, filled: a page of the site is a frame round an
 * answer. What is filled in from i18n is escaped, a slot is HTML already. */
static struct str slot_named(const struct html_slot *slots, size_t count,
                             struct str name, bool *is_there) {
    for (size_t i = 0; i < count; i++) {
        if (str_eq(str_of(slots[i].name), name)) {
            *is_there = true;
            return slots[i].html;
        }
    }
    return STR("");
}

static struct str filling(const struct teller *t, const struct html_slot *slots,
                          size_t count, struct str name) {
    bool is_there = false, is_value = str_starts(name, STR("="));
    struct str slot = slot_named(slots, count, name, &is_there);
    if (is_there)
        return slot;
    struct str key =
        arena_printf(t->a, "site.%.*s", STR_ARG(str_from(name, is_value)));
    struct str text = said(t, key.p);
    if (str_eq(text, key))
        arena_raise(t->a, FAIL_USAGE,
                    "the knowledge base has no text %.*s for its pages: build "
                    "it with i18n/ of this release", STR_ARG(key));
    return is_value ? html_plain(t->a, text) : html_of(t, text);
}

void html_fill(struct arena *a, struct reader *r, enum lang lang,
               struct str template, const struct html_slot *slots,
               size_t slot_count, struct buf *out) {
    struct teller t = {.a = a, .r = r, .lang = lang};
    while (template.n > 0) {
        size_t open = str_find(template, STR("{{"));
        buf_add(out, str_slice(template, 0, open));
        template = str_from(template, open);
        size_t close = str_find(template, STR("}}"));
        if (close < template.n) {
            buf_add(out, filling(&t, slots, slot_count,
                                 str_slice(template, 2, close - 2)));
            close += 2;
        }
        template = str_from(template, close);
    }
}

struct str text_in(struct arena *a, enum lang lang, const struct text *text) {
    struct teller t = {.a = a, .lang = lang};
    return said_text(&t, text);
}
