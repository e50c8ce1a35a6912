/* text_writer.h: the state of writing for a terminal. Used by text.c, bar.c and
 * launch/. */
#ifndef RENDER_TEXT_WRITER_H
#define RENDER_TEXT_WRITER_H

#include "render/parts.h"

struct text_writer {
    const struct render *t;
    struct buf *out;
    uint32_t width;
    bool color;
    size_t columns[COLUMNS]; /* widths of verdict and cost, in all items */
    bool counts; /* lines only: what they say does not matter */
};

/* Writes a part of a line, without breaks. */
void text_put(struct text_writer *w, enum tone tone, struct str text);
/* bar.c: lines with bars and the names of their parts */
void text_bars(struct text_writer *w, const struct bars *bars);
/* Writes a bar of `amount`; one of `most` has so many columns. */
void text_amount(struct text_writer *w, enum tone tone, int64_t amount,
                 int64_t most, size_t columns);

/* wrap.c: the cleaned text in lines: the first of at most `first` columns, the
 * others of at most `rest`. It breaks at blanks and between East Asian
 * characters; never inside a flag, a path or a `quoted` command that would fit
 * a line of its own. */
struct str_list wrap_text(struct arena *a, struct str text, size_t first,
                          size_t rest);

#endif
