/* literals.h: what a pattern cannot match without. Private to match/. */
#ifndef MATCH_LITERALS_H
#define MATCH_LITERALS_H

#include "match/pattern_text.h"

#define LITERALS_PER_PATTERN 64 /* more branches than that: no literal */

/* Folded literals, of which every match contains one, outer blanks off; an
 * empty list where there is none. also: others, of which every match contains
 * one as well. */
struct str_list literals_of(struct arena *a, const struct pattern_text *text,
                            struct str_list *also);

/* How text is folded for the prefilter, and literals with it: ASCII letters
 * are small, and what \s matches is a blank. Runs of blanks count as one. */
static inline unsigned char fold_byte(unsigned char c) {
    if (c >= 'A' && c <= 'Z')
        return (unsigned char)(c - 'A' + 'a');
    return c >= 9 && c <= 13 ? ' ' : c;
}

#endif
