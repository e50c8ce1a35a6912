/* near.h: how far one short word is from another, for "did you mean". */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include "base/str.h"

enum { NEAR_BYTES_MAX = 96 };

/* Bytes to change, add, drop or swap with the next; NEAR_BYTES_MAX where either
 * is longer. */
size_t near_distance(struct str a, struct str b);
/* The most that a slip of the hand makes in a word of this length. */
size_t near_enough(struct str word);

#endif
