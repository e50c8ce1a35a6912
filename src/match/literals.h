/* literals.h: what a pattern cannot match without. Private to match/. */
#ifndef MATCH_LITERALS_H
#define MATCH_LITERALS_H

#include "match/pattern_tree.h"

#define LITERALS_PER_PATTERN 64 /* more branches than that: no literal */

/* A front: so many folded bytes, or the beginning of the literal's line, or of
 * one before that, or anywhere. */
enum {
    FRONT_BYTES = 64,
    FRONT_LINE = FRONT_BYTES + 1,
    FRONT_LINES = 8, /* before the literal's */
    FRONT_ANY = FRONT_LINE + FRONT_LINES + 1
};

struct literals {
    struct str_list best; /* folded, outer blanks off: every match contains
                             one; empty: there is none */
    struct str fronts; /* a byte for each: how far before it a match may begin */
};

struct literals literals_of(struct arena *a, const struct pattern_text *text);

/* literal_worth.c: what a set is worth: that of its weakest member, less for
 * many of them; and lines of logs in which nothing is wrong, folded. */
size_t literal_worth(const struct str_list *set);
/* Are the words of y poor, and those of x, of which there are more, better? */
bool literals_tell_more(const struct str_list *x, const struct str_list *y);
const struct str *healthy_lines(size_t *count);

#endif
