/* plain.c: see plain.h. */
#include "base/plain.h"

#define EIGHT(c) c, c, c, c, c, c, c, c
#define EACH(c) {EIGHT(c), EIGHT(c), EIGHT(c), EIGHT(c)}
#define EACH_OF_4(c) EACH(c), EACH(c + 1), EACH(c + 2), EACH(c + 3)
#define EACH_OF_16(c)                                                          \
    EACH_OF_4(c), EACH_OF_4(c + 4), EACH_OF_4(c + 8), EACH_OF_4(c + 12)
_Alignas(PLAIN_LONG_STEP) const char plain_each[128][PLAIN_LONG_STEP] = {
    EACH_OF_16(0),  EACH_OF_16(16), EACH_OF_16(32), EACH_OF_16(48),
    EACH_OF_16(64), EACH_OF_16(80), EACH_OF_16(96), EACH_OF_16(112)};

/* A sum per byte of at most 127 steps fits a signed char. */
PLAIN_INLINE uint64_t count(struct str s, char c) {
    uint64_t n = 0;
    size_t i = 0;
    while (s.n - i >= PLAIN_LONG_STEP) {
        size_t steps = (s.n - i) / PLAIN_LONG_STEP;
        plain_long sum = {0}, bytes;
        for (steps = steps < 127 ? steps : 127; steps > 0; steps--) {
            memcpy(&bytes, s.p + i, sizeof bytes);
            sum -= bytes == (signed char)c;
            i += PLAIN_LONG_STEP;
        }
        for (size_t k = 0; k < PLAIN_LONG_STEP; k++)
            n += (uint64_t)sum[k];
    }
    for (; i < s.n; i++)
        n += s.p[i] == c;
    return n;
}

static uint64_t count_any(struct str s, char c) {
    return count(s, c);
}

PLAIN_WIDE static uint64_t count_wide(struct str s, char c) {
    return count(s, c);
}

uint64_t plain_count(struct str s, char c) {
    return PLAIN_HAS_WIDE ? count_wide(s, c) : count_any(s, c);
}
