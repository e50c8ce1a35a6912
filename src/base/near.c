/* near.c: edit distance, one row at a time. */
#include "base/near.h"

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

size_t near_distance(struct str a, struct str b) {
    if (a.n > NEAR_BYTES_MAX || b.n > NEAR_BYTES_MAX)
        return NEAR_BYTES_MAX;
    size_t row[NEAR_BYTES_MAX + 1];
    for (size_t j = 0; j <= b.n; j++)
        row[j] = j;
    for (size_t i = 1; i <= a.n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.n; j++) {
            size_t swap = diagonal + (a.p[i - 1] != b.p[j - 1]);
            diagonal = row[j];
            row[j] = least(swap, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[b.n];
}

size_t near_enough(struct str word) {
    return word.n < 6 ? 1 : word.n / 3;
}
