/* prefilter.h: all literals of all patterns in one automaton. Private to
 * match/.
 *
 * The blob stands in the index as prefilter_build() made it: little-endian, no
 * pointers, any alignment, the same bytes for the same patterns. Opening it
 * reads every number once, so that stepping needs no bounds checks.
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
};

/* Where one stream stands. Zeroed: at its beginning. */
struct prefilter_place {
    uint32_t state;
    bool is_in_blank; /* the last byte was a blank: further ones add nothing */
    bool is_live;     /* a literal may have begun */
    size_t unread;    /* bytes at the text's end that the automaton skipped */
    size_t untried;   /* places at the text's end that were no gram yet */
};

/* Patterns of one literal: ids refs[0..count-1] of a found literal. */
struct prefilter_find {
    const unsigned char *refs; /* 4 bytes each, little-endian */
    uint32_t count;
};

/* Raises FAIL_INDEX when the blob is none, damaged, or for another number of
 * patterns. */
struct prefilter prefilter_open(struct arena *a, struct str blob,
                                size_t pattern_count);

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

/* ---- the layout, shared by the writer and the reader ---- */

#define PREFILTER_MAGIC 0x4650414fu /* "OAPF" */
#define PREFILTER_VERSION 2u

/* Header words, each 4 bytes. */
enum prefilter_word {
    WORD_MAGIC, WORD_VERSION, WORD_BYTES, WORD_CHECK, WORD_PATTERNS,
    WORD_STATES, WORD_LITERALS, WORD_REFS, WORD_GRAM_LOG2, WORD_GRAM_BACK,
    WORD_COUNT_OF
};

/* Tables behind the header, in this order; all but the last two are words. */
struct prefilter_layout {
    uint64_t root;       /* [256] state behind the root for a folded byte */
    uint64_t child_from; /* [states + 1] children of s: child_from[s].. */
    uint64_t fail;       /* [states] longest proper suffix that is a state */
    uint64_t report;     /* [states] nearest state on that road, itself
                            included, where a literal ends; 0: none */
    uint64_t literal_of; /* [states] literal that ends here, from 1; 0: none */
    uint64_t ref_from;   /* [literals + 1] patterns of literal k: refs[..] */
    uint64_t refs;       /* [refs] pattern ids */
    uint64_t gram_slots; /* [1 << (log2 - GRAM_SLOT_LOG2)] grams; 0: empty */
    uint64_t gram_bits;  /* [(1 << log2) / 8] bytes */
    uint64_t bytes;      /* [states] the byte that leads into the state */
    uint64_t end;
};

struct prefilter_layout prefilter_layout(uint32_t states, uint32_t literals,
                                         uint32_t refs, uint32_t gram_log2);
/* Over the whole blob but the check word itself. */
uint32_t prefilter_check(const unsigned char *blob, size_t n);

static inline uint32_t word_at(const unsigned char *table, size_t i) {
    const unsigned char *p = table + 4 * i;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

#endif
