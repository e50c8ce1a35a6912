/* fold.h: text as literals have it: small ASCII letters, one blank for each run
 * of what \s matches. Private to match/.
 *
 *     text      CUDA  out of\n  memory
 *     folded    cuda out of memory
 */
#ifndef MATCH_FOLD_H
#define MATCH_FOLD_H

#include "match/literals.h"

#define FOLD_SLACK 64 /* bytes behind the text that may be read */

struct fold_shift { /* from folded byte `at` on, the text's begin at `raw` */
    uint32_t at, raw;
};

struct folded { /* zeroed but for a: empty */
    struct arena *a;
    char *text;
    size_t n, cap;
    struct fold_shift *shifts;
    size_t shift_count, shift_cap;
};

void fold_clear(struct folded *f);
void fold_blank(struct folded *f);
/* Appends text that stands at `raw`. A run of blanks may go on over calls. */
void fold_add(struct folded *f, struct str text, size_t raw);
/* The same of its first line, with the newline; returns how many bytes it has.
 * *has_odd: there may be something in it that cleaning changes (log/clean.h),
 * or an escape, or the end of a string. What stands behind the folded text is
 * not zeroed. */
size_t fold_line(struct folded *f, struct str text, size_t raw,
                 bool *has_odd);
struct str fold_str(const struct folded *f);
/* Where the folded byte stands in the text. */
size_t fold_raw(const struct folded *f, size_t at);

#endif
