/* sort.c: bottom-up merge sort between two arrays of pointers, since elements
 * may be large. Runs double in length; the left one of two equals is taken
 * first. At the end each element moves once. */
#include "base/sort.h"

#include <string.h>

typedef int compare_fn(const void *x, const void *y);

/* Merge from[0, middle) and from[middle, end) into to. */
static void merge(compare_fn *compare, char *const *from, size_t middle,
                  size_t end, char **to) {
    size_t left = 0, right = middle;
    while (left < middle || right < end) {
        bool is_left = right == end ||
                       (left < middle && compare(from[left], from[right]) <= 0);
        *to++ = from[is_left ? left++ : right++];
    }
}

static size_t least(size_t x, size_t y) {
    return x < y ? x : y;
}

/* Element i becomes the one that from[i] points to. */
static void arrange(char *list, char **from, size_t count, size_t size,
                    char *held) {
    for (size_t i = 0; i < count; i++) {
        size_t at = i, next = (size_t)(from[i] - list) / size;
        memcpy(held, list + i * size, size);
        for (; next != i; next = (size_t)(from[at] - list) / size) {
            memcpy(list + at * size, list + next * size, size);
            from[at] = list + at * size;
            at = next;
        }
        memcpy(list + at * size, held, size);
        from[at] = list + at * size;
    }
}

void sort_stable(struct arena *a, void *list, size_t count, size_t size,
                 compare_fn *compare) {
    if (count < 2)
        return;
    char **from = arena_array(a, count, sizeof *from);
    char **to = arena_array(a, count, sizeof *to);
    for (size_t i = 0; i < count; i++)
        from[i] = (char *)list + i * size;
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t at = 0; at < count; at += 2 * run) {
            size_t end = least(2 * run, count - at);
            merge(compare, from + at, least(run, end), end, to + at);
        }
        char **filled = to;
        to = from;
        from = filled;
    }
    arrange(list, from, count, size, arena_room(a, size));
}
