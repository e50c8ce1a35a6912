/* fold.h: folds text as literals are folded: small ASCII letters, one blank for
 * each run of what \s matches. Private to match/.
 *
 *     text      CUDA  out of\n  memory
 *     folded    cuda out of memory
 */
#ifndef MATCH_FOLD_H
#define MATCH_FOLD_H

#include "match/literals.h"

#define FOLD_SLACK 80 /* bytes behind the text that may be read */

struct fold_shift { /* folded byte `at` is byte `raw` of the text, and so on;
                       not noted for lines */
    uint32_t at, raw;
};

struct folded_line {
    uint32_t at, end; /* folded; its last blank excluded */
    uint32_t raw;
    bool is_plain;  /* it is folded from the text of the log itself */
    bool is_simple; /* and has no odd byte: see fold_lines() */
};

struct folded { /* zeroed except for a: empty */
    struct arena *a;
    char *text;
    size_t n, cap;
    struct fold_shift *shifts;
    size_t shift_count, shift_cap;
    struct folded_line *lines; /* of fold_lines() */
    size_t line_count, line_cap;
};

void fold_clear(struct folded *f);
/* Appends a blank, unless the text ends with one. */
void fold_blank(struct folded *f);
/* Appends text whose place is `raw`. A run of blanks may continue over calls.
 */
void fold_add(struct folded *f, struct str text, size_t raw);
/* Appends lines of the text, up to and with the first that may be odd: that has
 * bytes that cleaning changes (log/clean.h), an escape, or the end of a string.
 * Returns the bytes of these lines. The bytes behind the folded text are not
 * zeroed. */
size_t fold_lines(struct folded *f, struct str text, size_t raw);
/* Notes that what was folded from `at` on is a line whose place is `raw`. */
struct folded_line *fold_line(struct folded *f, size_t at, size_t raw);
/* Drops the last line and its text. */
void fold_drop_line(struct folded *f);
struct str fold_str(const struct folded *f);
/* The place in the text of a folded byte; not for lines. */
size_t fold_raw(const struct folded *f, size_t at);
/* The byte of a plain line that a folded byte comes from. */
const char *fold_line_place(const struct folded *f, const struct folded_line *l,
                            struct str line, size_t at);

#endif
