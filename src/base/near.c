/* near.c: edit distance with three rows of the matrix; the third is needed for
 * a swap of two neighbours, which costs 1 and not 2. */
#include "base/near.h"

#include <string.h>

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

struct rows { /* of byte i of a, i - 1 and i - 2 */
    size_t now[NEAR_BYTES_MAX + 1];
    size_t last[NEAR_BYTES_MAX + 1];
    size_t before[NEAR_BYTES_MAX + 1];
};

static bool is_swapped(struct str a, struct str b, size_t i, size_t j) {
    return i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] &&
           a.p[i - 2] == b.p[j - 1];
}

static void fill_row(struct rows *r, struct str a, struct str b, size_t i) {
    r->now[0] = i;
    for (size_t j = 1; j <= b.n; j++) {
        size_t change = r->last[j - 1] + (a.p[i - 1] != b.p[j - 1]);
        size_t shift = least(r->last[j], r->now[j - 1]) + 1;
        r->now[j] = least(change, shift);
        if (is_swapped(a, b, i, j))
            r->now[j] = least(r->now[j], r->before[j - 2] + 1);
    }
}

size_t near_distance(struct str a, struct str b) {
    if (a.n > NEAR_BYTES_MAX || b.n > NEAR_BYTES_MAX)
        return NEAR_BYTES_MAX;
    struct rows r;
    for (size_t j = 0; j <= b.n; j++)
        r.now[j] = j;
    for (size_t i = 1; i <= a.n; i++) {
        memcpy(r.before, r.last, sizeof r.last);
        memcpy(r.last, r.now, sizeof r.now);
        fill_row(&r, a, b, i);
    }
    return r.now[b.n];
}

size_t near_enough(struct str word) {
    return word.n < 6 ? 1 : word.n / 3;
}

void near_offer(struct near *near, struct str name, size_t distance) {
    size_t at = 0;
    while (at < near->count && !str_eq(near->names[at], name))
        at++;
    if (at == NEAR_FEW)
        at--;
    if (at < near->count && near->distance[at] <= distance)
        return;
    near->count += at == near->count;
    for (; at > 0 && near->distance[at - 1] > distance; at--) {
        near->names[at] = near->names[at - 1];
        near->distance[at] = near->distance[at - 1];
    }
    near->names[at] = name;
    near->distance[at] = distance;
}

void near_weigh(struct near *near, struct str typed, struct str name) {
    size_t d = near_distance(typed, name);
    if (d <= near_enough(typed))
        near_offer(near, name, d);
}

struct str near_names(struct arena *a, const struct near *near) {
    struct str all = STR("");
    for (size_t i = 0; i < near->count; i++) {
        const char *between = i == 0                 ? ""
                              : i + 1 < near->count ? ", "
                                                     : " or ";
        all = arena_printf(a, "%.*s%s%.*s", STR_ARG(all), between,
                           STR_ARG(near->names[i]));
    }
    return all;
}
