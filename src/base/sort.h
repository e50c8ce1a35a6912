/* sort.h: qsort(), but that equals keep their order. C leaves open which of
 * two equals comes first, and libraries differ: an answer must not. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include "base/arena.h"

/* What it takes beside the list is in a until a is freed. */
void sort_stable(struct arena *a, void *list, size_t count, size_t size,
                 int (*compare)(const void *x, const void *y));

#endif
