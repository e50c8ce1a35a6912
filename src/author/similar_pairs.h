/* similar_pairs.h: which of many sets of numbers may be alike, without
 * comparing each with each. */
#ifndef AUTHOR_SIMILAR_PAIRS_H
#define AUTHOR_SIMILAR_PAIRS_H

#include "base/arena.h"

struct number_set {
    uint64_t *at; /* sorted, each once */
    size_t count;
};

/* Pairs of places in a list, as later << 32 | earlier. */
struct pairs {
    struct arena *a;
    uint64_t *at;
    size_t count, cap;
};

/* Every pair of sets that share so many tenths of all that either holds, and
 * some that do not. */
void pairs_of_similar(struct pairs *out, const struct number_set *sets,
                    size_t count, size_t tenths);
/* Every pair of equal keys; 0 is the key of what has none. */
void pairs_of_equal(struct pairs *out, const uint64_t *keys, size_t count);
/* In order, each once. */
void pairs_settle(struct pairs *p);

#endif
