/* prefilter.h: all literals of all patterns in one automaton. Private to
 * match/.
 *
 * The blob stands in the index as prefilter_build() made it: little-endian, no
 * pointers, any alignment, the same bytes for the same patterns. Opening it
 * reads every number once, so that stepping needs no bounds checks; those of
 * the sieve, which short logs do not need, are read when it is.
 */
#ifndef MATCH_PREFILTER_H
#define MATCH_PREFILTER_H

#include "match/grams.h"
#include "match/match.h"

struct prefilter { /* views into the blob */
    uint32_t states, literals;
    const unsigned char *root, *child_from, *fail, *report, *literal_of,
        *ref_from, *refs, *bytes, *gram_bits, *gram_slots;
    uint32_t gram_log2; /* 1 << gram_log2 bits; 0: there are no grams */
    uint32_t gram_back; /* most bytes of a literal before its gram */
    uint32_t shallow;   /* states below: at most one byte was read */

    /* what sieve.c looks at: see there */
    const unsigned char *sieve_bits, *wide_bits, *sieve_near, *sieve_slots,
        *sieve_entries, *sieve_shorts, *tail_bits, *tail_slots, *tails,
        *literal_from, *literal_bytes;
    uint32_t sieve_log2, wide_log2, slot_log2, tail_log2, tail_slot_log2,
        entries, shorts, tail_count, all_literal_bytes;
    struct str sieve_part; /* of the blob */
    uint32_t sieve_check;
    bool is_own;
};

/* Where one stream stands. Zeroed: at its beginning. */
struct prefilter_place {
    uint32_t state;
    bool is_in_blank; /* the last byte was a blank: further ones add nothing */
    bool is_live;     /* a literal may have begun */
    bool is_hunted;   /* by a finder: what is untried may be a literal's begin */
    size_t unread;    /* bytes at the text's end that the automaton skipped */
    size_t untried;   /* places at the text's end that were no gram yet */
};

/* Patterns of one literal: ids refs[0..count-1] of a found literal. */
struct prefilter_find {
    const unsigned char *refs; /* 4 bytes each, little-endian */
    uint32_t count, literal;
};

/* Signatures are looked for in all of a log, the others only where one of them
 * stands, so each have their own. */
enum prefilter_of { PREFILTER_SIGNATURES, PREFILTER_OTHERS, PREFILTER_ALL };
#define PREFILTER_KINDS PREFILTER_ALL

struct str prefilter_build(struct arena *a, const struct pattern_list *set,
                           enum prefilter_of which);
/* Raises FAIL_INDEX when the blob is none, damaged, or for another number of
 * patterns. */
struct prefilter prefilter_open(struct arena *a, struct str blob,
                                size_t pattern_count);

/* The same, of a blob that is a part of this program, and is trusted as its
 * code is: not read through. */
struct prefilter prefilter_own(struct arena *a, struct str blob,
                               size_t pattern_count);
/* Raises FAIL_INDEX when what the sieve looks at is damaged. */
void prefilter_open_sieve(struct arena *a, const struct prefilter *f);

typedef void (*prefilter_fn)(void *ctx, const struct prefilter_find *found,
                             size_t end);
/* Go on with this text; found(ctx, literal, end) for each literal that ends
 * behind its byte end - 1. */
void prefilter_feed(const struct prefilter *f, struct prefilter_place *place,
                    struct str text, prefilter_fn found, void *ctx);

/* The same over a sliding text of which `fresh` bytes at its end are new; only
 * places round a gram are read. Before them stands what is left of the text as
 * it was: where that is cut, literals that began there are lost. is_end: no
 * more will come. */
void prefilter_scan(const struct prefilter *f, struct prefilter_place *place,
                    struct str text, size_t fresh, bool is_end,
                    prefilter_fn found, void *ctx);

uint32_t prefilter_ref(const struct prefilter_find *found, uint32_t i);
struct prefilter_find prefilter_refs(const struct prefilter *f,
                                     uint32_t literal);
/* Where the literal begins that was found before `end`; SIZE_MAX: before the
 * text. */
size_t prefilter_begin(const struct prefilter *f,
                       const struct prefilter_find *found, struct str text,
                       size_t end);
/* The state behind `state` and a folded byte; 0: no literal goes on so. */
uint32_t prefilter_child(const struct prefilter *f, uint32_t state,
                         unsigned char byte);
/* The same, else that of the longest end of what was read. */
uint32_t prefilter_step(const struct prefilter *f, uint32_t state,
                        unsigned char byte);

/* ---- the layout, shared by the writer and the reader ---- */

#define PREFILTER_MAGIC 0x4650414fu /* "OAPF" */
#define PREFILTER_VERSION 7u

/* Header words, each 4 bytes. */
enum prefilter_word {
    WORD_MAGIC, WORD_VERSION, WORD_BYTES, WORD_CHECK, WORD_PATTERNS,
    WORD_STATES, WORD_LITERALS, WORD_REFS, WORD_GRAM_LOG2, WORD_GRAM_BACK,
    WORD_SIEVE_LOG2, WORD_WIDE_LOG2, WORD_SLOT_LOG2, WORD_TAIL_LOG2,
    WORD_TAIL_SLOT_LOG2, WORD_ENTRIES, WORD_SHORTS, WORD_TAILS,
    WORD_LITERAL_BYTES, WORD_SIEVE_CHECK, WORD_COUNT_OF
};

struct prefilter_sizes {
    uint32_t states, literals, refs, gram_log2;
    uint32_t sieve_log2, wide_log2, slot_log2, tail_log2, tail_slot_log2,
        entries, shorts, tails, literal_bytes;
};

/* Tables behind the header, in this order; all down to gram_slots are words,
 * and so are those of the sieve down to sieve_shorts. */
struct prefilter_layout {
    uint64_t root;       /* [256] state behind the root for a folded byte */
    uint64_t child_from; /* [states + 1] children of s: child_from[s].. */
    uint64_t fail;       /* [states] longest proper suffix that is a state */
    uint64_t report;     /* [states] nearest state on that road, itself
                            included, where a literal ends; 0: none */
    uint64_t literal_of; /* [states] literal that ends here, from 1; 0: none */
    uint64_t ref_from;   /* [literals + 1] patterns of literal k: refs[..] */
    uint64_t refs;       /* [refs] pattern ids */
    uint64_t literal_from; /* [literals + 1] literal k: literal_bytes[..] */
    uint64_t gram_slots; /* [1 << (log2 - GRAM_SLOT_LOG2)] grams; 0: empty */
    uint64_t gram_bits;  /* [(1 << log2) / 8] bytes */
    uint64_t bytes;      /* [states] the byte that leads into the state */
    uint64_t literal_bytes; /* [literal_bytes] */
    uint64_t sieve;      /* from here on only the sieve looks */
    uint64_t sieve_near;    /* [2 << SIEVE_NEAR_LOG2] bytes beside a gram */
    uint64_t sieve_slots;   /* [3 << slot_log2] a gram's hash, its entries,
                               how many */
    uint64_t sieve_entries; /* [ENTRY_WORDS * entries]: see sieve.h */
    uint64_t sieve_shorts;  /* [shorts] literals */
    uint64_t tail_slots; /* [3 << tail_slot_log2] as sieve_slots */
    uint64_t tails;      /* [tails] beginnings of literals: TAIL_LITERAL */
    uint64_t sieve_bits; /* [(1 << sieve_log2) / 8] */
    uint64_t wide_bits;  /* [(1 << wide_log2) / 8] */
    uint64_t tail_bits;  /* [(1 << tail_log2) / 8] */
    uint64_t end;
};

struct prefilter_layout prefilter_layout(const struct prefilter_sizes *s);
/* Over the blob's first n bytes, up to its sieve, but the check word itself. */
uint32_t prefilter_check(const unsigned char *blob, size_t n);
uint32_t prefilter_check_sieve(struct str part);

static inline void prefilter_put(unsigned char *table, size_t i,
                                 uint32_t word) {
    for (size_t k = 0; k < 4; k++)
        table[4 * i + k] = (unsigned char)(word >> (8 * k));
}

static inline uint32_t word_at(const unsigned char *table, size_t i) {
    const unsigned char *p = table + 4 * i;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

/* Literal i, folded. */
static inline struct str prefilter_literal(const struct prefilter *f,
                                           uint32_t i) {
    uint32_t from = word_at(f->literal_from, i);
    return (struct str){(const char *)f->literal_bytes + from,
                        word_at(f->literal_from, (size_t)i + 1) - from};
}

#endif
