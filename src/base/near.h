/* near.h: the edit distance of two short words, and the few nearest names, for
 * "did you mean". */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"

enum { NEAR_FEW = 3 };

/* The edit distance in bytes: a change, an insertion, a deletion or a swap of
 * two neighbours costs 1 (optimal string alignment). NEAR_BYTES_MAX if either
 * word is longer than that. */
size_t near_distance(struct str a, struct str b);
/* The largest distance that counts as a typo in a word of this length. */
size_t near_enough(struct str word);

/* The nearest names offered so far, nearest first, ties in order of offer. */
struct near {
    struct str names[NEAR_FEW];
    size_t distance[NEAR_FEW];
    size_t count;
};
/* Add a name at that distance. A name that is there already is kept once, with
 * the smaller distance. */
void near_offer(struct near *near, struct str name, size_t distance);
/* Add the name if what was typed may be a typo of it. */
void near_weigh(struct near *near, struct str typed, struct str name);
/* "a, b or c" */
struct str near_names(struct arena *a, const struct near *near);

#endif
