/* sort.h: a stable qsort(). The C standard leaves the order of equal elements
 * open and libraries differ; answers must be the same everywhere. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include "base/arena.h"

/* Its second array is allocated in a. */
void sort_stable(struct arena *a, void *list, size_t count, size_t size,
                 int (*compare)(const void *x, const void *y));

/* Binary search: the index of the last of `count` elements whose position,
 * at(list, i), is `place` or before it. Positions ascend. 0 if there is
 * none. */
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
