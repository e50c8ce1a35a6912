/* grams.h: four bytes of each literal, by which text without any literal is
 * told quickly. Private to match/.
 *
 *     literal   cuda out of memory        every place of the text:
 *     gram           no blank: "memo"     4 bytes -> hash -> bit -> slot?
 *
 * A gram holds no blank, since a blank of a literal may be many in the text.
 * The bit tells most places off; the slots hold the grams themselves, so that
 * what passes is one of them and no chance.
 */
#ifndef MATCH_GRAMS_H
#define MATCH_GRAMS_H

#include "match/match.h"

#define GRAM_BYTES 4
#define GRAM_BITS_LOG2_MIN 13u
#define GRAM_BITS_LOG2_MAX 28u
#define GRAM_SLOT_LOG2 4u     /* bits to a slot */
#define GRAM_PROBES_MAX 64u   /* then a place counts as one of them */

/* Letters of one case, as the text has them: superset of fold_byte(). */
static inline uint32_t gram_at(const char *p) {
    const unsigned char *b = (const unsigned char *)p;
    uint32_t word = (uint32_t)b[0] | (uint32_t)b[1] << 8 |
                    (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return word | 0x20202020u;
}

static inline uint32_t gram_hash(uint32_t gram) {
    return gram * 0x9e3779b1u;
}

struct gram_choice { /* made at build */
    uint32_t *grams;
    size_t count, cap;
    uint32_t back;    /* most bytes that a literal has before its gram */
    bool is_complete; /* each literal has one; else all text must be read */
};

/* Of one folded literal, the rarest; four bytes if it has them in one word,
 * or three and whatever follows. */
void gram_choose(struct arena *a, struct gram_choice *c, struct str literal);
/* How often logs have these folded four bytes, as far as that is known. */
uint32_t gram_cost(const char *p);
/* How many bits there ought to be, as a power of two. */
uint32_t gram_bits_log2(const struct gram_choice *c);
/* bits: zeroed, 1 << (log2 - 3) bytes; slots: zeroed, 4 << (log2 -
 * GRAM_SLOT_LOG2) bytes. */
void gram_write(const struct gram_choice *c, uint32_t log2,
                unsigned char *bits, unsigned char *slots);

#endif
