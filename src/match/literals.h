/* literals.h: words that every match of a pattern contains. Private to match/.
 */
#ifndef MATCH_LITERALS_H
#define MATCH_LITERALS_H

#include "match/pattern_tree.h"

#define LITERALS_PER_PATTERN 64 /* a pattern with more has none */

/* How far before its literal a match may begin (a front): up to FRONT_BYTES
 * folded bytes; FRONT_LINE + n: the beginning of the n-th line before the
 * literal's; FRONT_ANY: anywhere. */
enum {
    FRONT_BYTES = 64,
    FRONT_LINE = FRONT_BYTES + 1,
    FRONT_LINES = 8, /* n at most */
    FRONT_ANY = FRONT_LINE + FRONT_LINES + 1
};

struct literals {
    struct str_list best; /* folded, without outer blanks: every match contains
                             one; empty: there is none */
    struct str fronts;    /* a byte for each: its front */
};

struct literals literals_of(struct arena *a, const struct pattern_text *text);

/* literal_worth.c: how rare a set is: the worth of its most frequent member,
 * less for a larger set; 0 if it is no more than `least`. */
size_t literal_worth(const struct str_list *set, size_t least);
/* Bytes of the shortest one; 0: the set is empty. */
size_t shortest_literal(const struct str_list *set);
/* True if the words of y are poor, and those of x, of which there are more, are
 * better. */
bool literals_tell_more(const struct str_list *x, const struct str_list *y);
/* Lines of logs in which nothing is wrong, folded; each ends with '\0'. */
struct str healthy_lines(void);

#endif
