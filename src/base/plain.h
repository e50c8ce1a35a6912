/* plain.h: scanning bytes 16 at a time, by the vector extensions of gcc and
 * clang, which compile to what the target has. */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include <string.h>

#include "base/str.h"

#define PLAIN_STEP 16

typedef signed char plain_bytes __attribute__((vector_size(PLAIN_STEP)));

static inline plain_bytes plain_load(const char *p) {
    plain_bytes v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* One bit for each byte of the mask, the first byte in the lowest bit. */
static inline uint32_t plain_bits(plain_bytes mask) {
#if defined(__SSE2__)
    typedef char chars __attribute__((vector_size(PLAIN_STEP)));
    return (uint32_t)__builtin_ia32_pmovmskb128((chars)mask);
#else
    uint32_t bits = 0;
    for (uint32_t i = 0; i < PLAIN_STEP; i++)
        bits |= (mask[i] & UINT32_C(1)) << i;
    return bits;
#endif
}

/* Of 64 flags, 0 or -1, a bit each, the first one lowest. */
static inline __attribute__((always_inline)) uint64_t
plain_flags(const char *flags) {
    uint64_t bits = 0;
#pragma GCC unroll 4
    for (size_t i = 0; i < 64; i += PLAIN_STEP)
        bits |= (uint64_t)plain_bits(plain_load(flags + i)) << i;
    return bits;
}

static inline bool plain_any(plain_bytes mask) {
#if defined(__SSE2__)
    return plain_bits(mask) != 0;
#else
    uint64_t halves[2];
    memcpy(halves, &mask, sizeof halves);
    return (halves[0] | halves[1]) != 0;
#endif
}

/* Bytes are signed here, so bytes beyond ASCII are below ' ', too. */
static inline plain_bytes plain_is_unprintable(plain_bytes v) {
    return (v < ' ') | (v == 0x7F);
}

/* True if all of s is printable ASCII; a tab is not. */
static inline bool plain_is_printable(struct str s) {
    size_t i = 0;
    plain_bytes bad = {0};
    for (; i + PLAIN_STEP <= s.n; i += PLAIN_STEP)
        bad |= plain_is_unprintable(plain_load(s.p + i));
    if (i < s.n && s.n >= PLAIN_STEP) {
        bad |= plain_is_unprintable(plain_load(s.p + s.n - PLAIN_STEP));
        i = s.n;
    }
    for (; i < s.n; i++)
        if (s.p[i] < ' ' || s.p[i] >= 0x7F)
            return false;
    return !plain_any(bad);
}

/* The offset behind the last c of s; 0 if there is none. */
static inline size_t plain_behind_last(struct str s, char c) {
    size_t n = s.n;
    while (n >= PLAIN_STEP &&
           !plain_any(plain_load(s.p + n - PLAIN_STEP) == c))
        n -= PLAIN_STEP;
    while (n > 0 && s.p[n - 1] != c)
        n--;
    return n;
}

/* How often c occurs in s. A sum per byte of at most 127 steps fits a signed
 * char. */
static inline uint64_t plain_count(struct str s, char c) {
    uint64_t n = 0;
    size_t i = 0;
    while (s.n - i >= PLAIN_STEP) {
        size_t steps = (s.n - i) / PLAIN_STEP;
        plain_bytes sum = {0};
        for (steps = steps < 127 ? steps : 127; steps > 0; steps--) {
            sum -= plain_load(s.p + i) == c;
            i += PLAIN_STEP;
        }
        for (size_t k = 0; k < PLAIN_STEP; k++)
            n += (uint64_t)sum[k];
    }
    for (; i < s.n; i++)
        n += s.p[i] == c;
    return n;
}

#endif
