/* page.c: indentation, colour, the right edge. The only file of the text
 * format that knows escape sequences. */
#include "render/page.h"

#include "base/utf8.h"

#define GAP 2 /* columns between a left text and what stands at the right */

struct page page_open(const struct teller *t, struct buf *out) {
    uint32_t width = t->o->width == 0 ? PAGE_WIDTH_DEFAULT : t->o->width;
    if (width < PAGE_WIDTH_MIN) {
        width = PAGE_WIDTH_MIN;
    }
    if (width > PAGE_WIDTH_MAX) {
        width = PAGE_WIDTH_MAX;
    }
    return (struct page){t, out, width, t->o->color};
}

static struct str escape_of(enum ink ink) {
    switch (ink) {
    case INK_PLAIN: return (struct str){NULL, 0};
    case INK_STRONG: return STR("\033[1m");
    case INK_DIM: return STR("\033[2m");
    case INK_GOOD: return STR("\033[32m");
    case INK_BAD: return STR("\033[31m");
    case INK_WARN: return STR("\033[33m");
    case INK_COMMAND: return STR("\033[36m");
    }
    return (struct str){NULL, 0};
}

void page_put(struct page *p, enum ink ink, struct str text) {
    bool is_inked = p->color && ink != INK_PLAIN && text.n > 0;
    if (is_inked) {
        buf_add(p->out, escape_of(ink));
    }
    utf8_clean(p->out, text);
    if (is_inked) {
        buf_add(p->out, STR("\033[0m"));
    }
}

static void newline(struct page *p) {
    buf_add_char(p->out, '\n');
}

void page_blank(struct page *p) {
    struct str so_far = buf_str(p->out);
    if (so_far.n > 0 && !str_ends(so_far, STR("\n\n"))) {
        newline(p);
    }
}

void page_text(struct page *p, uint32_t indent, enum ink ink,
               struct str text) {
    page_item(p, indent, (struct str){NULL, 0}, ink, text);
}

void page_item(struct page *p, uint32_t indent, struct str mark, enum ink ink,
               struct str text) {
    page_pair(p, indent, mark, ink, text, INK_PLAIN, (struct str){NULL, 0});
}

static void put_right(struct page *p, size_t used, enum ink ink,
                      struct str right) {
    size_t width = utf8_width(right);
    size_t blanks = used + width < p->width ? p->width - used - width : GAP;
    buf_fill(p->out, ' ', blanks);
    page_put(p, ink, right);
}

void page_pair(struct page *p, uint32_t indent, struct str mark, enum ink ink,
               struct str left, enum ink right_ink, struct str right) {
    size_t margin = indent + utf8_width(mark);
    size_t rest = p->width - margin;
    size_t edge = right.n > 0 ? utf8_width(right) + GAP : 0;
    bool is_beside = edge * 2 < rest;
    struct str_list lines =
        wrap_text(p->t->a, left, is_beside ? rest - edge : rest, rest);
    for (size_t i = 0; i < lines.count; i++) {
        buf_fill(p->out, ' ', i == 0 ? indent : margin);
        if (i == 0) {
            page_put(p, ink, mark);
        }
        page_put(p, ink, lines.at[i]);
        if (i == 0 && right.n > 0 && is_beside) {
            put_right(p, margin + utf8_width(lines.at[i]), right_ink, right);
        }
        newline(p);
    }
    if (right.n > 0 && !is_beside) {
        page_text(p, (uint32_t)margin, right_ink, right);
    }
}

void page_command(struct page *p, uint32_t indent, struct str command) {
    while (command.n > 0) {
        struct str rest;
        struct str line = str_cut(command, '\n', &rest);
        buf_fill(p->out, ' ', indent);
        page_put(p, INK_COMMAND, line);
        newline(p);
        command = rest;
    }
}
