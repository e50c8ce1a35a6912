/* near.h: how far one short word is from another, and the few names that
 * somebody may have meant, for "did you mean". */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"

enum { NEAR_FEW = 3 };

/* Bytes to change, add, drop or swap with the next; NEAR_BYTES_MAX where either
 * is longer. */
size_t near_distance(struct str a, struct str b);
/* The most that a slip of the hand makes in a word of this length. */
size_t near_enough(struct str word);

/* The nearest names that were offered, nearest first; of equals the first. */
struct near {
    struct str names[NEAR_FEW];
    size_t distance[NEAR_FEW];
    size_t count;
};
/* Offer a name at that distance; a name that is there already stays once. */
void near_offer(struct near *near, struct str name, size_t distance);
/* Offer it where a slip of the hand makes what was typed of it. */
void near_weigh(struct near *near, struct str typed, struct str name);
/* "a, b or c" */
struct str near_names(struct arena *a, const struct near *near);

#endif
