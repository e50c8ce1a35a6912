/* page.h: the terminal page that text.c writes on. Private to render/. */
#ifndef RENDER_PAGE_H
#define RENDER_PAGE_H

#include "render/parts.h"

struct page {
    const struct teller *t;
    struct buf *out;
    uint32_t width;
    bool color;
    size_t columns[COLUMNS]; /* how wide verdict and cost are, in all items */
};

/* One piece of a line; nothing is wrapped. */
void page_put(struct page *p, enum tone tone, struct str text);
/* bar.c: bars in lines, with the names of their parts */
void page_bars(struct page *p, const struct bars *bars);
/* One amount of at most so much, in at most so many columns. */
void page_amount(struct page *p, enum tone tone, int64_t amount, int64_t most,
                 size_t columns);

/* wrap.c: clean text, broken into lines of at most first, then rest columns.
 * Breaks at blanks and between East Asian characters; never inside a flag, a
 * path or a `quoted` command that would fit a line of its own. */
struct str_list wrap_text(struct arena *a, struct str text, size_t first,
                     size_t rest);

#endif
