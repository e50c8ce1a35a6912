/* sieve_few.c: the next place where one of some short texts stands. Their first
 * three bytes are looked for at once, 32 places of the text at a time; what
 * passes is compared whole.
 */
#include "match/sieve_avx2.h"

#include <string.h>

void few_add(struct few_list *list, struct few one) {
    for (size_t i = 0; i < one.n; i++)
        one.bytes[i] = (char)(one.bytes[i] | 0x20);
    for (size_t i = 0; i < list->count; i++)
        if (list->at[i].n == one.n &&
            memcmp(list->at[i].bytes, one.bytes, one.n) == 0)
            return;
    list->at[list->count++] = one;
}

/* ---- the plain way ---- */

static bool is_like(unsigned char c, char wanted) {
    return (char)((c < ' ' ? ' ' : c) | 0x20) == wanted;
}

static bool is_few(struct str text, size_t at, const struct few *few) {
    if (text.n - at < few->n)
        return false;
    for (size_t i = 0; i < few->n; i++)
        if (!is_like((unsigned char)text.p[at + i], few->bytes[i]))
            return false;
    return true;
}

static bool is_one(struct str text, size_t at, const struct few_list *list) {
    for (size_t i = 0; i < list->count; i++)
        if (is_few(text, at, &list->at[i]))
            return true;
    return false;
}

/* ---- AVX2 ---- */

#ifdef HAS_AVX2_BUILD

#define LOOKED_AT 3

struct wanted { /* of one text: its bytes, and whether there are so many */
    __m256i bytes[LOOKED_AT], any[LOOKED_AT];
};

AVX2 static void spread(const struct few_list *list, struct wanted *out) {
    for (size_t i = 0; i < list->count; i++) {
        for (size_t k = 0; k < LOOKED_AT; k++) {
            const struct few *one = &list->at[i];
            out[i].bytes[k] = _mm256_set1_epi8(k < one->n ? one->bytes[k] : 0);
            out[i].any[k] = _mm256_set1_epi8(k < one->n ? 0 : -1);
        }
    }
}

AVX2 static inline __m256i folded_at(const char *p) {
    const __m256i blank = _mm256_set1_epi8(' ');
    __m256i v = _mm256_loadu_si256((const void *)p);
    return _mm256_or_si256(_mm256_max_epu8(v, blank), blank);
}

AVX2 static inline unsigned ones_at(const char *p, const struct wanted *wanted,
                                    size_t count) {
    __m256i first = folded_at(p), second = folded_at(p + 1);
    __m256i third = folded_at(p + 2), found = _mm256_setzero_si256();
    for (size_t i = 0; i < count; i++) {
        const struct wanted *w = &wanted[i];
        __m256i a = _mm256_cmpeq_epi8(first, w->bytes[0]);
        __m256i b = _mm256_cmpeq_epi8(second, w->bytes[1]);
        __m256i c = _mm256_cmpeq_epi8(third, w->bytes[2]);
        a = _mm256_and_si256(a, _mm256_or_si256(b, w->any[1]));
        a = _mm256_and_si256(a, _mm256_or_si256(c, w->any[2]));
        found = _mm256_or_si256(found, a);
    }
    return (unsigned)_mm256_movemask_epi8(found);
}

/* The first place that is one, or the first that was not looked at. */
AVX2 static size_t find_avx2(struct str text, size_t from, size_t to,
                             const struct few_list *list) {
    struct wanted wanted[FEW_MAX];
    spread(list, wanted);
    size_t i = from;
    for (; i + STEP <= to && i + STEP + LOOKED_AT <= text.n; i += STEP) {
        unsigned mask = ones_at(text.p + i, wanted, list->count);
        for (; mask != 0; mask &= mask - 1) {
            size_t at = i + (size_t)__builtin_ctz(mask);
            if (is_one(text, at, list))
                return at;
        }
    }
    return i;
}

#endif

size_t sieve_find_few(struct str text, size_t from, size_t to,
                      const struct few_list *list) {
#ifdef HAS_AVX2_BUILD
    if (sieve_has_avx2() && to - from > STEP)
        from = find_avx2(text, from, to, list);
#endif
    while (from < to && !is_one(text, from, list))
        from++;
    return from;
}
