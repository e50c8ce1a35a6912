/* literals.h: what a pattern cannot match without. Private to match/. */
#ifndef MATCH_LITERALS_H
#define MATCH_LITERALS_H

#include "match/pattern_tree.h"

#define LITERALS_PER_PATTERN 64 /* more branches than that: no literal */

struct literals {
    struct str_list best; /* folded, outer blanks off: every match contains
                             one; empty: there is none */
    uint32_t front_lines; /* that end between a match's begin and the best
                             literal in it */
};

struct literals literals_of(struct arena *a, const struct pattern_text *text);

#endif
