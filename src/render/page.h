/* page.h: the terminal page that text.c and its parts write on. Private to
 * render/. A page wraps, indents and colours; what is written on it is
 * cleaned, so that nothing from a log reaches a terminal as it came. */
#ifndef RENDER_PAGE_H
#define RENDER_PAGE_H

#include "render/parts.h"

enum ink { INK_PLAIN, INK_STRONG, INK_DIM, INK_GOOD, INK_BAD, INK_WARN,
           INK_COMMAND };

struct page {
    const struct teller *t;
    struct buf *out;
    uint32_t width;
    bool color;
};

#define PAGE_WIDTH_MIN 60
#define PAGE_WIDTH_MAX 120
#define PAGE_WIDTH_DEFAULT 80

struct page page_open(const struct teller *t, struct buf *out);
void page_blank(struct page *p);
/* text wrapped, every line indented. Empty text writes nothing. */
void page_text(struct page *p, uint32_t indent, enum ink ink, struct str text);
/* mark stands before the first line; the others are indented by its width. */
void page_item(struct page *p, uint32_t indent, struct str mark, enum ink ink,
               struct str text);
/* The same, and right stands at the right edge of the first line; below it,
 * where both do not fit. */
void page_pair(struct page *p, uint32_t indent, struct str mark, enum ink ink,
               struct str left, enum ink right_ink, struct str right);
/* Line for line as it is, never wrapped. */
void page_command(struct page *p, uint32_t indent, struct str command);
/* One piece of a line; nothing is wrapped. */
void page_put(struct page *p, enum ink ink, struct str text);

/* wrap.c: clean text, broken into lines of at most first, then rest columns.
 * Breaks at blanks and between East Asian characters; never inside a flag, a
 * path or a `quoted` command that would fit a line of its own. */
struct str_list wrap_text(struct arena *a, struct str text, size_t first,
                     size_t rest);

/* text_bar.c */
void text_bars(struct page *p, const struct finding *f);
/* text_numbers.c: what was asked for, what was there, in one sentence */
struct str text_numbers(const struct teller *t, const struct report *rep,
                        const struct finding *f);
/* text_fix.c: fixes and dead ends, in the order of the report */
void text_fixes(struct page *p, const struct report *rep,
                const struct finding *f, bool is_main);
/* text_source.c: versions, evidence */
void text_sources(struct page *p, const struct finding *f);

#endif
