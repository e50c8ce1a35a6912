/* html.c: a document as HTML: headings, lists, tables with scopes, code. Only
 * this file knows the markup of HTML.
 *
 * It is a whole page, to be opened or mailed; in a site it is the <article>
 * alone, since the site has its own frame (author/site_html.c). It has no
 * style, script or picture: elements have classes, and without a style sheet
 * the page reads in order. Bars are rectangles of an SVG, as wide as the page,
 * with a list of their parts for screen readers.
 *
 *     title          <h1>, of an answer within a page <h2>
 *     section        <section> with a heading of the next level
 *     item           <li>; numbered ones in an <ol>
 *     text, code     <p>, <pre><code>
 */
#include "base/limits.h"
#include "render/parts.h"

#include "base/utf8.h"

#define BAR_UNITS 1000 /* of a bar of full length, in the SVG's own units */

struct html_writer {
    const struct render *t;
    struct buf *out;
};

static void raw(struct html_writer *w, const char *markup) {
    buf_add(w->out, str_of(markup));
}

/* ---- inline ---- */

static void put_escaped(struct html_writer *w, struct str text) {
    for (size_t i = 0; i < text.n; i++) {
        switch (text.p[i]) {
        case '&': raw(w, "&amp;"); break;
        case '<': raw(w, "&lt;"); break;
        case '>': raw(w, "&gt;"); break;
        case '"': raw(w, "&quot;"); break;
        default: buf_add_char(w->out, text.p[i]);
        }
    }
}

static void put(struct html_writer *w, struct str text) {
    struct str line = str_trim(short_text(w->t, text, SIZE_MAX)), inside;
    while (line.n > 0) {
        size_t n = 0;
        if (line.p[0] == '`' && code_span_at(line, &inside, &n)) {
            raw(w, "<code>");
            put_escaped(w, str_trim(inside));
            raw(w, "</code>");
        } else {
            n = line.p[0] == '`' ? backquotes_at(line)
                                 : str_find_char(line, '`');
            put_escaped(w, str_slice(line, 0, n));
        }
        line = str_from(line, n);
    }
}

struct str html_of(const struct render *t, struct str text) {
    struct buf out = buf_in(t->a, 65536 + text.n * 8);
    struct html_writer w = {t, &out};
    put(&w, text);
    return buf_str(&out);
}

struct str html_plain(struct arena *a, struct str text) {
    struct buf out = buf_in(a, 65536 + text.n * 8);
    struct html_writer w = {NULL, &out};
    put_escaped(&w, text);
    return buf_str(&out);
}

static const char *const classes[] = {
    [TONE_PLAIN] = "",    [TONE_STRONG] = "strong", [TONE_DIM] = "dim",
    [TONE_GOOD] = "good", [TONE_BAD] = "bad",       [TONE_WARN] = "warn",
    [TONE_CODE] = "code",
};

/* <tag class="tone"> */
static void open_toned(struct html_writer *w, const char *tag, enum tone tone) {
    buf_printf(w->out, "<%s", tag);
    if (tone != TONE_PLAIN)
        buf_printf(w->out, " class=\"%s\"", classes[tone]);
    buf_add_char(w->out, '>');
}

static void put_toned(struct html_writer *w, const char *tag, enum tone tone,
                      struct str text) {
    open_toned(w, tag, tone);
    put(w, text);
    buf_printf(w->out, "</%s>", tag);
}

static void put_labelled(struct html_writer *w, const char *label,
                         enum tone tone, struct str text) {
    if (text.n > 0) {
        buf_printf(w->out, " <span class=\"%s%s%s\">", label,
                   tone == TONE_PLAIN ? "" : " ", classes[tone]);
        put(w, text);
        raw(w, "</span>");
    }
}

/* ---- links ---- */

static bool is_web(struct str href) {
    return str_starts(href, STR("https://")) ||
           str_starts(href, STR("http://"));
}

/* The HTML page of a site beside a Markdown page of the same name. */
static struct str page_of(struct html_writer *w, struct str href) {
    bool is_readme = str_ends(href, STR("README.md"));
    if (is_web(href) || !str_ends(href, STR(".md")))
        return href;
    size_t n = href.n - (is_readme ? STR("README.md").n : STR(".md").n);
    return arena_printf(w->t->a, "%.*s%s.html", STR_ARG(str_slice(href, 0, n)),
                        is_readme ? "index" : "");
}

static void put_link(struct html_writer *w, struct str href, struct str text) {
    struct buf address = buf_in(w->t->a, CODE_BYTES_MAX);
    put_address(&address, page_of(w, href));
    raw(w, "<a href=\"");
    put_escaped(w, kept_text(w->t->a, &address));
    raw(w, "\">");
    put(w, text.n > 0 ? text : link_name(w->t, href));
    raw(w, "</a>");
}

/* ---- blocks ---- */

static void put_bar(struct html_writer *w, const struct bar *bar,
                    int64_t scale) {
    buf_printf(w->out, "<svg viewBox=\"0 0 %d 24\" "
               "preserveAspectRatio=\"none\" aria-hidden=\"true\" "
               "focusable=\"false\">", BAR_UNITS);
    int64_t at = 0;
    for (size_t i = 0; i < bar->count; i++) {
        int64_t end = at + bar->part[i].bytes;
        int64_t x = scale > 0 ? at * BAR_UNITS / scale : 0;
        int64_t to = scale > 0 ? end * BAR_UNITS / scale : 0;
        buf_printf(w->out, "<rect class=\"part%zu\" x=\"%lld\" y=\"0\" "
                   "width=\"%lld\" height=\"24\"/>", i % BAR_PARTS,
                   (long long)x, (long long)(to > x ? to - x : 1));
        at = end;
    }
    raw(w, "</svg>\n");
}

static void put_bars(struct html_writer *w, const struct bars *bars) {
    raw(w, "<figure class=\"bars\">\n");
    for (size_t k = 0; k < bars->count; k++) {
        const struct bar *bar = &bars->bar[k];
        raw(w, "<p>");
        put_toned(w, "span", TONE_STRONG, bar->label);
        put_labelled(w, "end", TONE_PLAIN, bar->end);
        raw(w, "</p>\n");
        put_bar(w, bar, bars->scale_bytes);
        raw(w, bar->count > 1 ? "<ul class=\"parts\">\n" : "");
        for (size_t i = 0; i < bar->count && bar->count > 1; i++) {
            buf_printf(w->out, "<li class=\"part%zu\">", i % BAR_PARTS);
            put(w, bar->part[i].name);
            put_labelled(w, "amount", TONE_PLAIN, bar->part[i].shown);
            raw(w, "</li>\n");
        }
        raw(w, bar->count > 1 ? "</ul>\n" : "");
    }
    raw(w, "</figure>\n");
}

static void put_cell(struct html_writer *w, const struct row *row,
                     bool is_title, size_t column) {
    struct str text = row->cells[column];
    const char *tag = (!is_title && column > 0) || text.n == 0 ? "td"
                      : is_title ? "th scope=\"col\""
                                 : "th scope=\"row\"";
    buf_printf(w->out, "<%s>", tag);
    if (column == 0 && row->href.n > 0)
        put_link(w, row->href, text);
    else
        put(w, text);
    buf_printf(w->out, "</%.2s>", tag);
}

/* A wide table scrolls by itself, also by keys. */
static void put_table(struct html_writer *w, const struct table *t) {
    raw(w, "<div class=\"table\" tabindex=\"0\"><table>\n");
    for (size_t row = 0; row < t->count; row++) {
        raw(w, row == 0 ? "<thead>" : row == 1 ? "<tbody>\n" : "");
        open_toned(w, "tr", row == 0 ? TONE_PLAIN : t->rows[row].tone);
        for (size_t i = 0; i < t->columns; i++)
            put_cell(w, &t->rows[row], row == 0, i);
        raw(w, row == 0 ? "</tr></thead>\n" : "</tr>\n");
    }
    raw(w, t->count > 1 ? "</tbody>\n" : "");
    raw(w, "</table></div>\n");
}

static void put_heading(struct html_writer *w, int level, struct str text) {
    buf_printf(w->out, "<h%d>", level);
    put(w, text);
    buf_printf(w->out, "</h%d>\n", level);
}

static void put_below(struct html_writer *w, const struct block *b, int level);

static void put_id(struct html_writer *w, const struct block *b) {
    raw(w, "<p class=\"id\"><code>");
    put_escaped(w, str_trim(short_text(w->t, b->text, SIZE_MAX)));
    raw(w, "</code>");
    put_labelled(w, "kind", TONE_PLAIN, b->column[0]);
    raw(w, "</p>\n");
    raw(w, b->first != NULL ? "<p class=\"pages\">" : "");
    for (const struct block *in = b->first; in != NULL; in = in->next) {
        raw(w, in == b->first ? "" : " \u00b7 ");
        put_link(w, in->href, in->text);
    }
    raw(w, b->first != NULL ? "</p>\n" : "");
}

static void put_item(struct html_writer *w, const struct block *b, int level) {
    bool is_numbered = are_digits(b->mark);
    bool is_strong = is_numbered || b->tone == TONE_STRONG;
    raw(w, "<li");
    if (is_numbered)
        buf_printf(w->out, " value=\"%.*s\"", STR_ARG(b->mark));
    raw(w, is_strong ? "><p><strong>" : "><p>");
    if (b->href.n > 0)
        put_link(w, b->href, b->text);
    else
        put(w, b->mark.n == 0 ? in_backquotes(w->t->a, b->text) : b->text);
    raw(w, is_strong ? "</strong>" : "");
    put_labelled(w, "verdict", b->column_tone, b->column[0]);
    put_labelled(w, "cost", TONE_PLAIN, b->column[1]);
    raw(w, "</p>\n");
    put_below(w, b, level);
    raw(w, "</li>\n");
}

static void put_source(struct html_writer *w, const struct block *b) {
    raw(w, "<li>");
    put_link(w, b->href, is_web(b->href) ? STR("") : b->text);
    if (is_web(b->href) && b->text.n > 0) {
        raw(w, " \u2014 ");
        put(w, b->text);
    }
    put_labelled(w, "date", TONE_DIM, b->column[0]);
    raw(w, "</li>\n");
}

/* The list that the block belongs to; NULL: none. */
static const char *list_of(const struct block *b) {
    if (b->kind == BLOCK_LINK)
        return b->text.n > 0 ? "<ul class=\"links\">"
                             : "<ul class=\"threads\">";
    if (b->kind != BLOCK_ITEM)
        return NULL;
    return are_digits(b->mark)              ? "<ol>"
           : str_eq(b->mark, STR("x"))      ? "<ul class=\"not\">"
           : str_eq(b->mark, STR("?"))      ? "<ul class=\"ask\">"
           : str_eq(b->mark, STR("+"))      ? "<ul class=\"fixes\">"
                                            : "<ul>";
}

static void put_block(struct html_writer *w, const struct block *under,
                      const struct block *b, int level) {
    const char *language = under->kind == BLOCK_ITEM ? "sh" : "text";
    switch (b->kind) {
    case BLOCK_TITLE: put_heading(w, level, b->text); break;
    case BLOCK_ID: put_id(w, b); break;
    case BLOCK_SECTION:
        raw(w, "<section>\n");
        put_heading(w, level + 1, b->text);
        put_below(w, b, level + 1);
        raw(w, "</section>\n");
        break;
    case BLOCK_TEXT:
        put_toned(w, "p", b->tone, b->text);
        raw(w, "\n");
        break;
    case BLOCK_ITEM: put_item(w, b, level); break;
    case BLOCK_CODE:
        buf_printf(w->out, "<pre><code class=\"language-%s\">",
                   b->language != NULL ? b->language : language);
        put_escaped(w, str_trim(clean_code(w->t, b->text)));
        raw(w, "</code></pre>\n");
        break;
    case BLOCK_BARS: put_bars(w, b->bars); break;
    case BLOCK_TABLE: put_table(w, b->table); break;
    case BLOCK_LINK: put_source(w, b); break;
    case BLOCK_RULE: raw(w, "<hr>\n"); break;
    }
}

static void close_list(struct html_writer *w, const char *list) {
    raw(w, list == NULL ? "" : str_starts(str_of(list), STR("<ol")) ? "</ol>\n"
                                                                 : "</ul>\n");
}

/* Consecutive blocks of the same list are one list. */
static void put_below(struct html_writer *w, const struct block *b, int level) {
    const char *open = NULL;
    for (const struct block *in = b->first; in != NULL; in = in->next) {
        const char *list = list_of(in);
        if (list != open) {
            close_list(w, open);
            if (list != NULL)
                buf_printf(w->out, "%s\n", list);
            open = list;
        }
        put_block(w, b, in, level);
    }
    close_list(w, open);
}

static struct str title_of(const struct document *d) {
    const struct block *b = d->top.first;
    while (b != NULL && b->kind != BLOCK_TITLE)
        b = b->next;
    return b != NULL ? b->text : STR("oomkb");
}

void html_walk(const struct render *t, struct buf *out) {
    struct html_writer w = {t, out};
    const char *lang = lang_name(t->lang);
    if (!t->o->is_site) {
        buf_printf(out, "<!DOCTYPE html>\n<html lang=\"%s\">\n<head>\n"
                   "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                   "content=\"width=device-width, initial-scale=1\">\n"
                   "<title>", lang);
        put_escaped(&w, str_trim(short_text(t, title_of(t->d), SIZE_MAX)));
        raw(&w, "</title>\n</head>\n<body>\n<main>\n");
    }
    buf_printf(out, "<article lang=\"%s\">\n", lang);
    put_below(&w, &t->d->top, t->o->is_part ? 2 : 1);
    raw(&w, "</article>\n");
    raw(&w, t->o->is_site ? "" : "</main>\n</body>\n</html>\n");
}

/* ---- the frame of a page of the site ---- */

/* The HTML of a slot, or of a text of i18n. */
static struct str filling(const struct render *t, const struct html_slot *slots,
                          size_t count, struct str name) {
    bool is_value = str_starts(name, STR("="));
    for (size_t i = 0; i < count; i++)
        if (str_eq(str_of(slots[i].name), name))
            return slots[i].html;
    struct str key =
        arena_printf(t->a, "site.%.*s", STR_ARG(str_from(name, is_value)));
    struct str text = tr(t, key.p);
    if (str_eq(text, key))
        arena_raise(t->a, FAIL_USAGE,
                    "the knowledge base has no text %.*s for its pages: build "
                    "it with i18n/ of this release", STR_ARG(key));
    return is_value ? html_plain(t->a, text) : html_of(t, text);
}

void html_fill(struct arena *a, struct reader *r, enum lang lang,
               struct str template, const struct html_slot *slots,
               size_t slot_count, struct buf *out) {
    struct render t = {.a = a, .r = r, .lang = lang};
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
    struct render t = {.a = a, .lang = lang};
    return localized(&t, text);
}
