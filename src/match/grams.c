/* grams.c: choosing and writing down the grams that stand for literals.
 *
 * Of a literal the gram is taken that logs have least often, by a table of the
 * commonest ones (grams.def); among equals the one near its front, since the
 * automaton begins that much before each place where a gram is met.
 */
#include "match/grams.h"

#include <string.h>

#define FRONT_BYTES 12

struct common_gram {
    char text[GRAM_BYTES + 1];
    uint32_t count;
};

#define GRAM(text, count) {text, count},
static const struct common_gram common[] = {
#include "match/grams.def"
};
#undef GRAM

static int compare_gram(const char *p, const struct common_gram *g) {
    return memcmp(p, g->text, GRAM_BYTES);
}

/* p: folded as grams are. */
static uint32_t commonness(const char *p) {
    size_t from = 0, to = sizeof common / sizeof common[0];
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = compare_gram(p, &common[middle]);
        if (order == 0)
            return common[middle].count;
        if (order < 0)
            to = middle;
        else
            from = middle + 1;
    }
    return 0;
}

uint32_t gram_cost(const char *p) {
    char folded[GRAM_BYTES];
    uint32_t digits = 0;
    for (size_t i = 0; i < GRAM_BYTES; i++) {
        folded[i] = (char)(p[i] | 0x20);
        digits += p[i] >= '0' && p[i] <= '9';
    }
    return commonness(folded) + 100 * digits;
}

static void add_gram(struct arena *a, struct gram_choice *c, const char *p) {
    c->grams = arena_grow(a, c->grams, c->count, &c->cap, sizeof *c->grams);
    c->grams[c->count++] = gram_at(p);
}

static bool has_blank(const char *p, size_t n) {
    return memchr(p, ' ', n) != NULL;
}

/* The place of the cheapest stretch of n bytes without a blank, near the front
 * if there is one; s.n: none. */
static size_t best_place(struct str s, size_t n) {
    size_t best = s.n;
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i + n <= s.n; i++) {
        if (i > FRONT_BYTES && best < s.n)
            break;
        if (has_blank(s.p + i, n))
            continue;
        uint32_t here = n == GRAM_BYTES ? gram_cost(s.p + i) : 0;
        if (here < least) {
            least = here;
            best = i;
        }
    }
    return best;
}

void gram_choose(struct arena *a, struct gram_choice *c, struct str literal) {
    size_t at = best_place(literal, GRAM_BYTES);
    if (at < literal.n) {
        add_gram(a, c, literal.p + at);
    } else {
        at = best_place(literal, GRAM_BYTES - 1);
        c->is_complete = c->is_complete && at < literal.n;
        if (at == literal.n)
            return;
        char any[GRAM_BYTES];
        memcpy(any, literal.p + at, GRAM_BYTES - 1);
        for (int last = 0; last < 256; last++) {
            any[GRAM_BYTES - 1] = (char)last;
            add_gram(a, c, any);
        }
    }
    c->back = at > c->back ? (uint32_t)at : c->back;
}

uint32_t gram_bits_log2(const struct gram_choice *c) {
    uint32_t log2 = GRAM_BITS_LOG2_MIN;
    while (log2 < GRAM_BITS_LOG2_MAX && c->count * 64 > (size_t)1 << log2)
        log2++;
    return log2;
}

static uint32_t slot_word(const unsigned char *slots, size_t i) {
    return gram_at((const char *)slots + 4 * i);
}

static void put_slot(unsigned char *slots, uint32_t log2, uint32_t gram) {
    uint32_t mask = (1u << (log2 - GRAM_SLOT_LOG2)) - 1;
    uint32_t at = gram_hash(gram) >> (32 - log2 + GRAM_SLOT_LOG2);
    for (uint32_t probe = 0; probe < GRAM_PROBES_MAX; probe++) {
        unsigned char *slot = slots + 4 * (size_t)at;
        bool is_empty = (slot[0] | slot[1] | slot[2] | slot[3]) == 0;
        if (!is_empty && slot_word(slots, at) == gram)
            return;
        if (is_empty) {
            for (int k = 0; k < 4; k++)
                slot[k] = (unsigned char)(gram >> (8 * k));
            return;
        }
        at = (at + 1) & mask;
    }
}

void gram_write(const struct gram_choice *c, uint32_t log2,
                unsigned char *bits, unsigned char *slots) {
    for (size_t i = 0; i < c->count; i++) {
        uint32_t bit = gram_hash(c->grams[i]) >> (32 - log2);
        bits[bit / 8] = (unsigned char)(bits[bit / 8] | 1u << bit % 8);
        put_slot(slots, log2, c->grams[i]);
    }
}
