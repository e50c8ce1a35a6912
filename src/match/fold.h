/* fold.h: text as literals have it: small ASCII letters, one blank for each run
 * of what \s matches. Private to match/.
 *
 *     text      CUDA  out of\n  memory
 *     folded    cuda out of memory
 */
#ifndef MATCH_FOLD_H
#define MATCH_FOLD_H

#include "match/literals.h"

#define FOLD_SLACK 80 /* bytes behind the text that may be read */

struct fold_shift { /* from folded byte `at` on, the text's begin at `raw`; not
                       noted of lines */
    uint32_t at, raw;
};

struct folded_line {
    uint32_t at, end; /* folded; its last blank excluded */
    uint32_t raw;
    bool is_plain;   /* it stands there as in the log */
    bool is_simple;  /* and has nothing odd in it */
};

#define FOLD_STEP 64
#define FOLD_STEPS 64 /* of a block */

/* Bytes of a text as steps of FOLD_STEP, in small letters. A bit for each step:
 * it may have a run of blanks; a line of it may be odd by a byte of it and the
 * one behind. */
struct fold_block {
    const char *from; /* NULL: none */
    size_t n;
    uint64_t runs, odds;
    uint64_t newlines[FOLD_STEPS]; /* a bit for each byte */
    char small[(FOLD_STEPS + 1) * FOLD_STEP];
};

struct folded { /* zeroed but for a: empty */
    struct arena *a;
    struct fold_block *raw;   /* of fold_lines(), the last one */
    struct fold_block *other; /* of fold_add() */
    char *text;
    size_t n, cap;
    struct fold_shift *shifts;
    size_t shift_count, shift_cap;
    struct folded_line *lines; /* of fold_lines() */
    size_t line_count, line_cap;
};

void fold_clear(struct folded *f);
void fold_blank(struct folded *f);
/* Appends text that stands at `raw`. A run of blanks may go on over calls. */
void fold_add(struct folded *f, struct str text, size_t raw);
/* The same of its lines, up to and with the first in which there may be
 * something odd: what cleaning changes (log/clean.h), an escape, or the end of
 * a string. Returns how many bytes they have. What stands behind the folded
 * text is not zeroed. */
size_t fold_lines(struct folded *f, struct str text, size_t raw);
/* What was folded from `at` on is a line that begins at `raw`. */
struct folded_line *fold_line(struct folded *f, size_t at, size_t raw);
/* The last line was never there. */
void fold_drop_line(struct folded *f);
struct str fold_str(const struct folded *f);
/* Where the folded byte stands in the text; not of lines. */
size_t fold_raw(const struct folded *f, size_t at);
/* Where the folded byte of a plain line stands in it. */
const char *fold_line_place(const struct folded *f, const struct folded_line *l,
                            struct str line, size_t at);

#endif
