/* plain.h: scanning bytes 16 at a time, by the vector extensions of gcc and
 * clang, which compile to what the target has. */
#ifndef BASE_PLAIN_H
#define BASE_PLAIN_H

#include <string.h>

#include "base/str.h"

#define PLAIN_STEP 16

typedef signed char plain_bytes __attribute__((vector_size(PLAIN_STEP)));

/* The same of twice as many. */
#define PLAIN_LONG_STEP 32
typedef signed char plain_long __attribute__((vector_size(PLAIN_LONG_STEP)));

/* A byte of ASCII as a vector, from memory: of constants, compilers make each
 * one again wherever there are too many for the registers. */
#define PLAIN_EACH(c) (*(const plain_long *)(const void *)plain_each[c])
extern const char plain_each[128][PLAIN_LONG_STEP];

static inline plain_bytes plain_load(const char *p) {
    plain_bytes v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* A function may be compiled twice for x86-64: the second time as PLAIN_WIDE,
 * for machines with AVX2 and BMI2, and called if PLAIN_HAS_WIDE. Both share one
 * body that is PLAIN_INLINE. A build with a sanitizer has the first alone, so
 * that tests run both. */
#define PLAIN_INLINE static inline __attribute__((always_inline))
#if defined(__x86_64__) && !defined(__AVX2__) && !defined(__SANITIZE_ADDRESS__)
#define PLAIN_WIDE __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define PLAIN_HAS_WIDE                                                         \
    (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&        \
     __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt"))
PLAIN_WIDE static inline uint32_t plain_wide_bits(const plain_long *mask) {
    typedef char chars __attribute__((vector_size(PLAIN_LONG_STEP)));
    return (uint32_t)__builtin_ia32_pmovmskb256((chars)*mask);
}
#else
#define PLAIN_WIDE
#define PLAIN_HAS_WIDE false
#define plain_wide_bits(mask) 0
#endif

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

static inline bool plain_any(plain_bytes mask) {
#if defined(__SSE2__)
    return plain_bits(mask) != 0;
#else
    uint64_t halves[2];
    memcpy(halves, &mask, sizeof halves);
    return (halves[0] | halves[1]) != 0;
#endif
}

/* The same of more bytes. is_wide: the caller is PLAIN_WIDE. */
PLAIN_INLINE uint32_t plain_long_bits(const plain_long *mask, bool is_wide) {
    plain_bytes halves[2];
    if (is_wide)
        return plain_wide_bits(mask);
    memcpy(halves, mask, sizeof halves);
    return plain_bits(halves[0]) | plain_bits(halves[1]) << PLAIN_STEP;
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

/* How often c occurs in s. */
uint64_t plain_count(struct str s, char c);

#endif
