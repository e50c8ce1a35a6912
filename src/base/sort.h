/* sort.h: qsort(), but that equals keep their order. C leaves open which of
 * two equals comes first, and libraries differ: an answer must not. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include "base/arena.h"

/* What it takes beside the list is in a until a is freed. */
void sort_stable(struct arena *a, void *list, size_t count, size_t size,
                 int (*compare)(const void *x, const void *y));

/* Of `count` things that stand in order, at(list, i): the last one that stands
 * at `place` or before it; 0: none does. */
static inline size_t last_up_to(const void *list, size_t count,
                                uint64_t (*at)(const void *list, size_t i),
                                uint64_t place) {
    size_t from = 0, to = count;
    while (to - from > 1) {
        size_t middle = from + (to - from) / 2;
        if (at(list, middle) <= place)
            from = middle;
        else
            to = middle;
    }
    return from;
}

#endif
