/* sort.c: bottom-up merge sort between two arrays. Runs double in length; the
 * left one of two equals is taken first. */
#include "base/sort.h"

#include <string.h>

struct merging {
    size_t size;
    int (*compare)(const void *x, const void *y);
};

/* Merge from[0, middle) and from[middle, end) into to. */
static void merge(const struct merging *m, const char *from, size_t middle,
                  size_t end, char *to) {
    size_t left = 0, right = middle;
    while (left < middle || right < end) {
        bool is_left = right == end ||
                       (left < middle && m->compare(from + left * m->size,
                                                    from + right * m->size) <= 0);
        size_t taken = is_left ? left++ : right++;
        memcpy(to, from + taken * m->size, m->size);
        to += m->size;
    }
}

static size_t least(size_t x, size_t y) {
    return x < y ? x : y;
}

void sort_stable(struct arena *a, void *list, size_t count, size_t size,
                 int (*compare)(const void *x, const void *y)) {
    if (count < 2)
        return;
    struct merging m = {size, compare};
    char *from = list, *to = arena_array(a, count, size);
    for (size_t run = 1; run < count; run *= 2) {
        for (size_t at = 0; at < count; at += 2 * run) {
            size_t end = least(2 * run, count - at);
            merge(&m, from + at * size, least(run, end), end, to + at * size);
        }
        char *filled = to;
        to = from;
        from = filled;
    }
    if (from != list)
        memcpy(list, from, count * size);
}
