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
#define NIBBLES 16

/* Which of the texts, in eight groups, have a byte with this low half, and this
 * high half, at a place: one bit for each group. */
struct halves {
    unsigned char low[LOOKED_AT][NIBBLES], high[LOOKED_AT][NIBBLES];
};

static void add_halves(struct halves *h, const struct few *one,
                       unsigned char group) {
    for (size_t k = 0; k < LOOKED_AT; k++) {
        for (size_t i = 0; k >= one->n && i < NIBBLES; i++) {
            h->low[k][i] |= group;
            h->high[k][i] |= group;
        }
        if (k < one->n) {
            h->low[k][one->bytes[k] & 15] |= group;
            h->high[k][(unsigned char)one->bytes[k] >> 4] |= group;
        }
    }
}

static void find_halves(const struct few_list *list, struct halves *h) {
    memset(h, 0, sizeof *h);
    for (size_t i = 0; i < list->count; i++)
        add_halves(h, &list->at[i], (unsigned char)(1u << i % 8));
}

AVX2 static inline __m256i twice(const unsigned char half[NIBBLES]) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)half));
}

AVX2 static inline __m256i folded_at(const char *p) {
    const __m256i blank = _mm256_set1_epi8(' ');
    __m256i v = _mm256_loadu_si256((const void *)p);
    return _mm256_or_si256(_mm256_max_epu8(v, blank), blank);
}

AVX2 static inline __m256i groups_at(const char *p, __m256i low,
                                     __m256i high) {
    const __m256i half = _mm256_set1_epi8(15);
    __m256i v = folded_at(p);
    __m256i rest = _mm256_and_si256(_mm256_srli_epi16(v, 4), half);
    return _mm256_and_si256(
        _mm256_shuffle_epi8(low, _mm256_and_si256(v, half)),
        _mm256_shuffle_epi8(high, rest));
}

/* The first place that is one, or the first that was not looked at. */
AVX2 static size_t find_avx2(struct str text, size_t from, size_t to,
                             const struct few_list *list) {
    struct halves h;
    __m256i low[LOOKED_AT], high[LOOKED_AT];
    find_halves(list, &h);
    for (size_t k = 0; k < LOOKED_AT; k++) {
        low[k] = twice(h.low[k]);
        high[k] = twice(h.high[k]);
    }
    size_t i = from;
    for (; i + STEP <= to && i + STEP + LOOKED_AT <= text.n; i += STEP) {
        const char *p = text.p + i;
        __m256i found = groups_at(p, low[0], high[0]);
        for (int k = 1; k < LOOKED_AT; k++)
            found = _mm256_and_si256(found,
                                     groups_at(p + k, low[k], high[k]));
        __m256i none = _mm256_cmpeq_epi8(found, _mm256_setzero_si256());
        unsigned mask = ~(unsigned)_mm256_movemask_epi8(none);
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
