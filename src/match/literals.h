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

/* literal_worth.c: what a set is worth: that of its weakest member, less for
 * many of them; and lines of logs in which nothing is wrong, folded. */
size_t literal_worth(const struct str_list *set);
const struct str *healthy_lines(size_t *count);

#endif
