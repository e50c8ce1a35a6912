/* sieve_avx2.h: what the loops for AVX2 share. Private to sieve_find.c and
 * sieve_few.c. HAS_AVX2_BUILD: they can be compiled; whether they can be run is
 * asked when they would be. */
#ifndef MATCH_SIEVE_AVX2_H
#define MATCH_SIEVE_AVX2_H

#include "match/sieve.h"

#if defined(__x86_64__)
#include <immintrin.h>
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#define HAS_AVX2_BUILD 1
#define STEP 32 /* bytes at a time */
#define AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

AVX2 static inline __m256i is_between(__m256i v, int low, int high) {
    __m256i floor = _mm256_set1_epi8((char)low);
    __m256i width = _mm256_set1_epi8((char)(high - low));
    __m256i x = _mm256_sub_epi8(v, floor);
    return _mm256_cmpeq_epi8(_mm256_min_epu8(x, width), x);
}

AVX2 static inline __m256i is_byte(__m256i v, char c) {
    return _mm256_cmpeq_epi8(v, _mm256_set1_epi8(c));
}

/* The C library has looked already; the compiler's own function would look
 * once more, at the start of every run, and that is slow on rented machines. */
static inline bool sieve_has_avx2(void) {
#if __has_include(<sys/platform/x86.h>)
    return CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(BMI1) &&
           CPU_FEATURE_ACTIVE(BMI2) && CPU_FEATURE_ACTIVE(POPCNT);
#else
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#endif
}
#endif

#endif
