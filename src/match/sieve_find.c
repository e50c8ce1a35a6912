/* sieve_find.c: the loops that see every byte. One is written for AVX2, chosen
 * when the machine has it; the plain one does the same and is what all others
 * run, and the last bytes of a text.
 *
 *     text    ....|....|....|....|....|....|....|....      8 grams of 4 bytes
 *     hash       h    h    h    h    h    h    h    h
 *     bits     gathered from the table, tested at once
 */
#include "match/sieve_avx2.h"

#include <string.h>


/* ---- the plain way ---- */

static void put_place(struct sieve_places *out, size_t at) {
    out->at[out->count++] = (uint32_t)at;
}

const char *sieve_bytes(struct str text, size_t at, char room[WIDE_BYTES]) {
    size_t left = text.n - at;
    if (left >= WIDE_BYTES)
        return text.p + at;
    memset(room, 0, WIDE_BYTES);
    return memcpy(room, text.p + at, left);
}

/* Of grams[from..] only those whose neighbours are right. */
static void keep_near(const struct prefilter *f, struct str text, size_t from,
                      struct sieve_places *grams) {
    size_t kept = from;
    for (size_t k = from; k < grams->count; k++) {
        size_t at = grams->at[k];
        grams->at[kept] = (uint32_t)at;
        if (at == 0 || text.n - at <= GRAM_BYTES) {
            kept++;
            continue;
        }
        size_t row = narrow_hash(text.p + at) >> (32 - SIEVE_NEAR_LOG2);
        uint32_t before = word_at(f->sieve_near, 2 * row);
        uint32_t behind = word_at(f->sieve_near, 2 * row + 1);
        kept += before >> near_class(text.p[at - 1]) &
                behind >> near_class(text.p[at + GRAM_BYTES]) & 1;
    }
    grams->count = kept;
}

static bool has_bit(const unsigned char *bits, uint32_t log2, uint32_t hash) {
    uint32_t bit = hash >> (32 - log2);
    return bits[bit / 8] >> bit % 8 & 1;
}

static void find_grams(const struct prefilter *f, struct str text, size_t from,
                       size_t to, struct sieve_places *narrow,
                       struct sieve_places *wide) {
    char room[WIDE_BYTES];
    for (size_t i = from; i < to; i += SIEVE_STRIDE) {
        const char *p = sieve_bytes(text, i, room);
        if (has_bit(f->sieve_bits, f->sieve_log2, narrow_hash(p)))
            put_place(narrow, i);
        if (has_bit(f->wide_bits, f->wide_log2, wide_hash(p)))
            put_place(wide, i);
    }
}

static bool is_blank(unsigned char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_break(unsigned char c, unsigned char next) {
    switch (c) {
    case '\n':
    case '\r':
    case '\t':
    case '\\': return true;
    case ' ': return is_blank(next);
    case '"': return next == ',' || next == '}';
    default: return false;
    }
}

static bool is_suspect(unsigned char c, unsigned char next) {
    switch (c) {
    case '[': return next >= '0' && next <= '9';
    case '#': return next == '0';
    case '^': return next == '[';
    default: return c >= 0x80;
    }
}

static bool is_odd(unsigned char c) {
    return c == 0x7F || (c < ' ' && c != '\t' && c != '\n' && c != '\r');
}

static bool find_breaks(struct str text, size_t from, size_t to,
                        struct sieve_places *breaks,
                        struct sieve_places *suspects) {
    bool odd = false;
    for (size_t i = from; i < to; i++) {
        unsigned char c = (unsigned char)text.p[i];
        unsigned char next =
            i + 1 < text.n ? (unsigned char)text.p[i + 1] : '\n';
        odd = odd || is_odd(c);
        if (is_break(c, next))
            put_place(breaks, i);
        if (is_suspect(c, next))
            put_place(suspects, i);
    }
    return odd;
}

/* ---- AVX2 ---- */

#ifdef HAS_AVX2_BUILD


/* at + step k for each bit k of mask. Writes eight, whatever the mask: a branch
 * that cannot be foretold costs more. */
AVX2 static inline size_t put_lanes(uint32_t *out, size_t at, unsigned step,
                                    unsigned mask) {
    uint64_t bytes = _pdep_u64(mask, UINT64_C(0x0101010101010101)) * 0xFF;
    uint64_t lanes = _pext_u64(UINT64_C(0x0706050403020100) * step, bytes);
    __m256i offsets = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)lanes));
    __m256i places = _mm256_add_epi32(_mm256_set1_epi32((int)at), offsets);
    _mm256_storeu_si256((void *)out, places);
    return (size_t)_mm_popcnt_u32(mask);
}

struct bit_table {
    const void *bits;
    __m128i to_bit, to_word; /* shifts of a hash */
};

static inline struct bit_table bit_table(const unsigned char *bits,
                                         uint32_t log2) {
    return (struct bit_table){bits, _mm_cvtsi32_si128((int)(32 - log2)),
                              _mm_cvtsi32_si128((int)(37 - log2))};
}

/* One bit for each of eight hashes. */
AVX2 static inline unsigned bits_of(struct bit_table t, __m256i hash) {
    const __m256i low = _mm256_set1_epi32(31);
    __m256i word =
        _mm256_i32gather_epi32(t.bits, _mm256_srl_epi32(hash, t.to_word), 4);
    __m256i bit = _mm256_and_si256(_mm256_srl_epi32(hash, t.to_bit), low);
    /* the bit of each becomes its sign */
    __m256i sign = _mm256_sllv_epi32(word, _mm256_xor_si256(bit, low));
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(sign));
}

AVX2 static size_t find_grams_avx2(const struct prefilter *f, struct str text,
                                   size_t from, size_t to,
                                   struct sieve_places *narrow,
                                   struct sieve_places *wide) {
    const __m256i small = _mm256_set1_epi32(0x20202020);
    const __m256i times = _mm256_set1_epi32((int)0x9e3779b1u);
    const __m256i times_next = _mm256_set1_epi32((int)0x85ebca6bu);
    struct bit_table narrow_bits = bit_table(f->sieve_bits, f->sieve_log2);
    struct bit_table wide_bits = bit_table(f->wide_bits, f->wide_log2);
    size_t i = from, n = narrow->count, m = wide->count;
    for (; i + STEP <= to && i + STEP + GRAM_BYTES <= text.n; i += STEP) {
        __m256i v = _mm256_loadu_si256((const void *)(text.p + i));
        __m256i next =
            _mm256_loadu_si256((const void *)(text.p + i + GRAM_BYTES));
        __m256i hash = _mm256_mullo_epi32(_mm256_or_si256(v, small), times);
        __m256i more =
            _mm256_mullo_epi32(_mm256_or_si256(next, small), times_next);
        n += put_lanes(narrow->at + n, i, SIEVE_STRIDE,
                       bits_of(narrow_bits, hash));
        m += put_lanes(wide->at + m, i, SIEVE_STRIDE,
                       bits_of(wide_bits, _mm256_add_epi32(hash, more)));
    }
    narrow->count = n;
    wide->count = m;
    return i;
}

/* The same for every place, not only for multiples of the stride. */
AVX2 static size_t find_all_grams_avx2(const unsigned char *bits,
                                       uint32_t log2, struct str text,
                                       size_t from, size_t to,
                                       struct sieve_places *out) {
    const __m256i small = _mm256_set1_epi32(0x20202020);
    const __m256i times = _mm256_set1_epi32((int)0x9e3779b1u);
    const __m256i spread = _mm256_setr_epi8(
        0, 1, 2, 3, 1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6,
        4, 5, 6, 7, 5, 6, 7, 8, 6, 7, 8, 9, 7, 8, 9, 10);
    struct bit_table table = bit_table(bits, log2);
    size_t i = from, n = out->count;
    for (; i + 8 <= to && i + 16 <= text.n; i += 8) {
        __m128i here = _mm_loadu_si128((const void *)(text.p + i));
        __m256i v = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(here),
                                        spread);
        __m256i hash = _mm256_mullo_epi32(_mm256_or_si256(v, small), times);
        n += put_lanes(out->at + n, i, 1, bits_of(table, hash));
    }
    out->count = n;
    return i;
}

/* at + k for each bit k of mask: four at once, and on where there are more. */
AVX2 static size_t put_bits(uint32_t *out, size_t count, size_t at,
                            uint64_t mask) {
    uint32_t *end = out + count;
    size_t n = (size_t)_mm_popcnt_u64(mask);
    for (size_t done = 0; done < n; done += 4)
        for (size_t k = 0; k < 4; k++, mask &= mask - 1)
            end[done + k] = (uint32_t)(at + (size_t)_tzcnt_u64(mask));
    return count + n;
}

struct masks {
    uint32_t ends, escapes, blanks, suspects;
    __m256i odds;
};

AVX2 static inline struct masks masks_at(const char *p) {
    __m256i v = _mm256_loadu_si256((const void *)p);
    __m256i next = _mm256_loadu_si256((const void *)(p + 1));
    __m256i newline = is_byte(v, '\n');
    __m256i line = _mm256_or_si256(
        newline, _mm256_or_si256(is_byte(v, '\r'), is_byte(v, '\t')));
    __m256i space = is_byte(v, ' ');
    __m256i blank =
        _mm256_or_si256(is_byte(next, ' '), is_between(next, '\t', '\r'));
    __m256i ends = _mm256_or_si256(is_byte(next, ','), is_byte(next, '}'));
    __m256i brk = _mm256_or_si256(line, _mm256_and_si256(space, blank));
    __m256i escape = _mm256_or_si256(
        is_byte(v, '\\'), _mm256_and_si256(is_byte(v, '"'), ends));
    __m256i sus = _mm256_or_si256(
        _mm256_or_si256(
            v, _mm256_and_si256(is_byte(v, '['), is_between(next, '0', '9'))),
        _mm256_or_si256(
            _mm256_and_si256(is_byte(v, '#'), is_byte(next, '0')),
            _mm256_and_si256(is_byte(v, '^'), is_byte(next, '['))));
    return (struct masks){
        .ends = (uint32_t)_mm256_movemask_epi8(brk),
        .escapes = (uint32_t)_mm256_movemask_epi8(escape),
        .blanks = (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(line, space)),
        .suspects = (uint32_t)_mm256_movemask_epi8(sus),
        .odds = _mm256_or_si256(_mm256_andnot_si256(line, is_between(v, 0, 31)),
                                is_byte(v, 0x7F))};
}

AVX2 static size_t find_breaks_avx2(struct str text, size_t from, size_t to,
                                    struct sieve_places *breaks,
                                    struct sieve_places *suspects, bool *odd) {
    __m256i odds = _mm256_setzero_si256();
    uint64_t carry = 0; /* was the byte before a blank? */
    size_t i = from, n = breaks->count, m = suspects->count;
    for (; i + 2 * STEP <= to && i + 2 * STEP < text.n; i += 2 * STEP) {
        struct masks a = masks_at(text.p + i);
        struct masks b = masks_at(text.p + i + STEP);
        uint64_t brk = a.ends | (uint64_t)b.ends << STEP;
        uint64_t blanks = a.blanks | (uint64_t)b.blanks << STEP;
        uint64_t sus = a.suspects | (uint64_t)b.suspects << STEP;
        brk &= ~(blanks << 1 | carry); /* where a run of them begins */
        brk |= a.escapes | (uint64_t)b.escapes << STEP;
        carry = blanks >> 63;
        odds = _mm256_or_si256(odds, _mm256_or_si256(a.odds, b.odds));
        n = put_bits(breaks->at, n, i, brk);
        m = put_bits(suspects->at, m, i, sus);
    }
    breaks->count = n;
    suspects->count = m;
    *odd = _mm256_testz_si256(odds, odds) == 0;
    return i;
}

#endif

/* ---- the doors ---- */

void sieve_find_grams(const struct prefilter *f, struct str text, size_t from,
                      size_t to, struct sieve_places *narrow,
                      struct sieve_places *wide) {
    size_t first = narrow->count;
#ifdef HAS_AVX2_BUILD
    if (sieve_has_avx2())
        from = find_grams_avx2(f, text, from, to, narrow, wide);
#endif
    find_grams(f, text, from, to, narrow, wide);
    keep_near(f, text, first, narrow);
}

void sieve_find_all_grams(const unsigned char *bits, uint32_t log2,
                          struct str text, size_t from, size_t to,
                          struct sieve_places *out) {
#ifdef HAS_AVX2_BUILD
    if (sieve_has_avx2())
        from = find_all_grams_avx2(bits, log2, text, from, to, out);
#endif
    for (size_t i = from; i < to; i++)
        if (has_bit(bits, log2, narrow_hash(text.p + i)))
            put_place(out, i);
}

bool sieve_find_breaks(struct str text, size_t from, size_t to,
                       struct sieve_places *breaks,
                       struct sieve_places *suspects) {
    bool odd = false;
#ifdef HAS_AVX2_BUILD
    if (sieve_has_avx2())
        from = find_breaks_avx2(text, from, to, breaks, suspects, &odd);
#endif
    bool is_end_odd = find_breaks(text, from, to, breaks, suspects);
    return odd || is_end_odd;
}
