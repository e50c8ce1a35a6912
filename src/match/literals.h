/* literals.h: what a pattern cannot match without. Private to match/. */
#ifndef MATCH_LITERALS_H
#define MATCH_LITERALS_H

#include "match/pattern_tree.h"

#define LITERALS_PER_PATTERN 64 /* more branches than that: no literal */
#define ALSO_SETS 3 /* of literals beside the best */

struct literals {
    struct str_list best; /* folded, outer blanks off: every match contains
                             one; empty: there is none */
    struct str_list also; /* others: of those before each empty one, every
                             match contains one too; the best first */
    uint32_t lines; /* ends of them in a match, at most: as in struct front */
    struct front front; /* between a match's begin and the best literal in it */
};

struct literals literals_of(struct arena *a, const struct pattern_text *text);

#endif
