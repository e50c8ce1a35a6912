/* prefilter.h: finds all literals of all patterns in folded text. Private to
 * match/.
 *
 *     literal   "cuda out of memory. tried"
 *     window                "mory. tr"      of 8 bytes, its rarest
 *     grams                  mory.          of 5: whichever the text has at a
 *                             ory. ...      multiple of the stride, 4
 *     text      ....|....|....|....|        one gram looked up at each
 *
 * A gram that is found leads to literals. Their windows are compared with the
 * text, then the whole literals. Literals of few bytes have grams of two, which
 * are looked up at twice as many places.
 *
 * In a raw log a literal may be cut by a wrap and a frame. If the cut is inside
 * its window, the literal is found by the bytes before the cut.
 *
 * The index holds the blob as prefilter_build() makes it: little-endian, no
 * pointers, any alignment, the same bytes for the same patterns. Opening a blob
 * checks every number once, so that none is checked again.
 */
#ifndef MATCH_PREFILTER_H
#define MATCH_PREFILTER_H

#include <string.h>

#include "match/fold.h"
#include "match/match.h"

enum gram_kind { GRAM_FIVE, GRAM_TWO, GRAM_KINDS };

struct gram_rule {
    uint32_t bytes;  /* of a gram */
    uint32_t stride; /* of the places looked at */
    uint32_t least;  /* bytes of a literal that has such grams */
};
#define GRAM_STRIDE 4
static const struct gram_rule gram_rules[GRAM_KINDS] = {
    [GRAM_FIVE] = {5, GRAM_STRIDE, 8},
    [GRAM_TWO] = {2, GRAM_STRIDE / 2, 3},
};

/* A Bloom filter. For grams of two bytes it has a bit for each. */
struct hash_set {
    const unsigned char *words;
    uint32_t log2; /* of its bits */
};

struct gram_table { /* entries by the hash of their gram */
    struct hash_set set;
    const unsigned char *rows; /* by hash: where its entries begin */
    const unsigned char *entries;
    uint32_t row_log2, entry_count;
};

struct prefilter { /* views into the blob */
    uint32_t literals;
    const unsigned char *ref_from, *refs, *literal_from, *literal_bytes;
    struct gram_table grams[GRAM_KINDS], cuts;
};

/* Signatures are searched for in all of a log, other patterns only in parts of
 * it, so each have a prefilter. PREFILTER_SIGNATURES has those without prose.
 */
enum prefilter_of { PREFILTER_SIGNATURES, PREFILTER_OTHERS, PREFILTER_ALL };
#define PREFILTER_KINDS PREFILTER_ALL

struct str prefilter_build(struct arena *a, const struct pattern_list *set,
                           enum prefilter_of which);
/* Raises FAIL_INDEX if the blob is damaged, or is for another number of
 * patterns. is_own: it is a part of this program, and is not checked. */
struct prefilter prefilter_open(struct arena *a, struct str blob,
                                size_t pattern_count, bool is_own);

/* Byte `at` of the literal is the folded byte at `place`. */
typedef void (*literal_fn)(void *ctx, uint32_t literal, size_t at,
                           size_t place);
/* Finds each literal in the text, in the order of their grams. is_whole false:
 * each literal whose window is in the text. FOLD_SLACK bytes behind the text
 * may be read. */
void prefilter_find(const struct prefilter *f, struct str text, bool is_whole,
                    literal_fn found, void *ctx);

/* Literals that can be cut inside their window are found by the last LONG_END,
 * or SHORT_END, bytes before the cut. */
#define LONG_END 8
#define SHORT_END 4
struct cut_row { /* entries of the table [from, to) */
    size_t from, to;
};
typedef void (*cut_fn)(void *ctx, struct cut_row row);
/* Finds each row that is not empty for a text that ends at `end`. */
void prefilter_find_cuts(const struct prefilter *f, struct str text,
                         size_t end, cut_fn found, void *ctx);

/* Eight bytes, the first one lowest. */
static inline uint64_t eight_at(const void *p) {
    uint64_t word;
    memcpy(&word, p, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline uint32_t word_at(const unsigned char *table, size_t i) {
    uint32_t word;
    memcpy(&word, table + 4 * i, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word;
}

/* Literal i, folded. */
static inline struct str prefilter_literal(const struct prefilter *f,
                                           uint32_t i) {
    uint32_t from = word_at(f->literal_from, i);
    return (struct str){(const char *)f->literal_bytes + from,
                        word_at(f->literal_from, (size_t)i + 1) - from};
}

/* Words of an entry. Of a gram: its literal; the offset of the window, and <<
 * 16 that of the gram in it; the window's bytes. Of a cut: its literal; bytes
 * of it before the cut. */
enum { ENTRY_LITERAL, ENTRY_AT, ENTRY_WINDOW, ENTRY_WORDS = 4 };
struct cut { /* before the literal's byte `at` */
    uint32_t literal, at;
};

static inline struct cut prefilter_cut(const struct prefilter *f, size_t i) {
    const unsigned char *entry = f->cuts.entries + 4 * ENTRY_WORDS * i;
    return (struct cut){word_at(entry, ENTRY_LITERAL),
                        word_at(entry, ENTRY_AT)};
}

/* Patterns of literal i. */
static inline uint32_t prefilter_ref_count(const struct prefilter *f,
                                           uint32_t i) {
    return word_at(f->ref_from, (size_t)i + 1) - word_at(f->ref_from, i);
}

#define REF_PATTERN 0xFFFFFFu /* its bits of a ref; the others are the front */
struct literal_use {
    uint32_t pattern;
    uint8_t front; /* of its matches before the literal: match/literals.h */
};
static inline struct literal_use prefilter_use(const struct prefilter *f,
                                               uint32_t i, uint32_t k) {
    uint32_t ref = word_at(f->refs, (size_t)word_at(f->ref_from, i) + k);
    return (struct literal_use){ref & REF_PATTERN, (uint8_t)(ref >> 24)};
}

/* ---- the layout, shared by the writer and the reader ---- */

#define PREFILTER_MAGIC 0x4650414fu /* "OAPF" */
#define PREFILTER_VERSION 11u
#define HASH_SET_LOG2_MIN 13u
#define HASH_SET_LOG2_MAX 28u

/* Header words, each 4 bytes; then WORDS_OF_TABLE for each table of hashes. */
enum prefilter_word {
    WORD_MAGIC, WORD_VERSION, WORD_BYTES, WORD_CHECK, WORD_PATTERNS,
    WORD_LITERALS, WORD_REFS, WORD_LITERAL_BYTES, WORD_TABLES
};
enum { TABLE_SET_LOG2, TABLE_ROW_LOG2, TABLE_ENTRIES, WORDS_OF_TABLE };
#define TABLE_CUTS GRAM_KINDS /* behind those of grams */
#define TABLES (GRAM_KINDS + 1)
#define WORD_COUNT_OF (WORD_TABLES + TABLES * WORDS_OF_TABLE)

#define WINDOW_BYTES(kind)                                                     \
    (gram_rules[kind].bytes + gram_rules[kind].stride - 1)

struct prefilter_layout { /* places of the tables, each behind the one above */
    uint64_t ref_from;     /* [literals + 1] patterns of literal k: refs[..] */
    uint64_t refs;         /* [refs] pattern ids, fronts */
    uint64_t literal_from; /* [literals + 1] literal k: literal_bytes[..] */
    uint64_t rows[TABLES];    /* [(1 << row_log2) + 1] */
    uint64_t entries[TABLES]; /* [ENTRY_WORDS * entries] */
    uint64_t sets[TABLES];    /* [(1 << log2) / 8] bytes */
    uint64_t literal_bytes;
    uint64_t end; /* a multiple of 4 */
};

/* header: its words have the sizes. */
struct prefilter_layout prefilter_layout(const unsigned char *header);
/* The check word: over all other bytes of the blob. */
uint32_t prefilter_check(const unsigned char *blob, size_t n);

static inline void prefilter_put(unsigned char *table, size_t i,
                                 uint32_t word) {
    for (size_t k = 0; k < 4; k++)
        table[4 * i + k] = (unsigned char)(word >> (8 * k));
}

/* The hash of the first n of eight bytes: the product drops the others. */
static inline uint64_t word_hash(uint64_t eight, uint32_t n) {
    return eight * (UINT64_C(0x9e3779b97f4a7c15) << (64 - 8 * n));
}

/* Eight bytes at p may be read. */
static inline uint64_t bytes_hash(const char *p, uint32_t n) {
    return word_hash(eight_at(p), n);
}

static inline uint32_t hash_place(uint64_t hash, uint32_t log2) {
    return (uint32_t)(hash >> (64 - log2));
}

static inline bool hash_is_in(struct hash_set s, uint64_t hash) {
    uint32_t word = word_at(s.words, hash >> (64 - s.log2 + 5));
    return (word >> (hash >> (64 - s.log2)) % 32 & 1) != 0;
}

/* False: no literal is cut at `end`. At least LONG_END bytes must stand before
 * it. */
static inline bool prefilter_may_cut(const struct prefilter *f,
                                     const char *end) {
    uint64_t eight = eight_at(end - LONG_END);
    return hash_is_in(f->cuts.set, word_hash(eight >> 32, SHORT_END));
}

#endif
