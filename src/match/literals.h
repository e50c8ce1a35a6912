/* literals.h: what a pattern cannot match without. Private to match/. */
#ifndef MATCH_LITERALS_H
#define MATCH_LITERALS_H

#include "match/pattern_tree.h"

#define LITERALS_PER_PATTERN 64 /* more branches than that: no literal */
#define LINES_KNOWN 8           /* more are not worth knowing */

struct literals {
    struct str_list best; /* folded, outer blanks off: every match contains
                             one; empty: there is none */
    struct str_list also; /* others, of which every match contains one too */
    uint32_t lines; /* between a match's begin and the best literal in it, so
                       many line ends at most; LINES_KNOWN + 1: any number */
};

struct literals literals_of(struct arena *a, const struct pattern_text *text);

#endif
