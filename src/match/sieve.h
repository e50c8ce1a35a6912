/* sieve.h: where in a block of raw log a literal may stand. Private to match/.
 *
 *     literal   "cuda out of memory. tried"
 *     window        "f memory. t"   11 bytes, the rarest in logs
 *     grams          f memory        of 8: whichever the text has at a
 *                     memory.        multiple of SIEVE_STRIDE
 *                     memory.
 *                      emory. t
 *
 * A literal too short for that has grams of four bytes, which text without any
 * literal has far more often.
 *
 * The text is raw: frames, quotes, escapes and colours are in it, and what is
 * cut by a wrap or a carrier is not joined. So beside grams the sieve looks at
 * breaks: line ends, runs of blanks, escapes, ends of JSON texts. Where the
 * beginning of a literal stands before one, and its rest comes soon behind, a
 * literal may go on there. It never misses one that the prefilter would find
 * in the text as it is read; it may find some that are none.
 */
#ifndef MATCH_SIEVE_H
#define MATCH_SIEVE_H

#include "match/prefilter.h"

#define SIEVE_STRIDE 4
#define SIEVE_WINDOW(gram_bytes) ((gram_bytes) + SIEVE_STRIDE - 1)
#define WIDE_BYTES 8
#define SIEVE_TAIL 4 /* bytes before a break: fewer are not known again */

/* What may stand beside a gram, by the byte's low bits, as a mask; blanks and
 * what is below are one. Found by the gram's hash, whatever shares it. */
#define SIEVE_NEAR_LOG2 13

static inline uint64_t long_at(const unsigned char *table, size_t i) {
    return word_at(table, 2 * i) | (uint64_t)word_at(table, 2 * i + 1) << 32;
}

static inline uint32_t near_class(char c) {
    return (unsigned char)c <= ' ' ? 0 : (unsigned char)c & 31;
}

static inline uint32_t narrow_hash(const char *p) {
    return gram_hash(gram_at(p));
}

static inline uint32_t wide_hash(const char *p) {
    return narrow_hash(p) + gram_at(p + GRAM_BYTES) * 0x85ebca6bu;
}

/* An entry's words: a literal that has this gram, the gram's place in it (-1:
 * one before), and eight bytes of the text round the gram, the first `back`
 * before it, as they must be where the mask says so. */
enum sieve_word {
    ENTRY_LITERAL, ENTRY_AT, ENTRY_BACK, ENTRY_VALUE, ENTRY_VALUE_HIGH,
    ENTRY_MASK, ENTRY_MASK_HIGH, ENTRY_WORDS
};
#define ENTRY_BYTES 8
#define SIEVE_LEAD 3 /* first bytes of a literal that may stand elsewhere */

/* The slot, of so many (a power of two), that remembers a place. */
static inline size_t place_slot(size_t at, size_t count) {
    return (size_t)(gram_hash((uint32_t)at) >> 16) & (count - 1);
}

/* ---- at build ---- */

struct sieve_entry { /* literal's byte `at` is the gram's first; -1: one before */
    uint32_t hash, literal;
    int32_t at;
    uint32_t bytes; /* of the gram */
};

struct sieve_tail { /* a beginning of a literal */
    uint32_t hash, word;
};

struct sieve_choice {
    struct sieve_entry *entries;
    size_t count, cap;
    size_t gram_count, wide_count; /* different ones */
    uint32_t *shorts;  /* literals of too few bytes for a gram */
    uint32_t short_count;
    const struct str *literals;
    uint32_t literal_count, literal_bytes;
    struct sieve_tail *tails; /* by hash */
    size_t tail_count, tail_cap;
};

/* is_sieved: false: no text is looked at for these, only literals are kept. */
void sieve_choose(struct arena *a, struct sieve_choice *c,
                  const struct str *literals, uint32_t count, bool is_sieved);
void sieve_measure(const struct sieve_choice *c, struct prefilter_sizes *s);
void sieve_write(const struct sieve_choice *c, const struct prefilter_sizes *s,
                 const struct prefilter_layout *l, unsigned char *out);

/* Beginnings of literals are found by their last bytes: eight of them, four of
 * those that have fewer. All of four are bits in a table as well. One is a
 * word: its literal, and how many bytes of it. */
#define TAIL_LITERAL(word) ((word) >> 9)
#define TAIL_BYTES(word) ((word) & 511)

/* Three bits in a word of 64 for each tail. */
#define TAIL_WORD_LOG2 6

static inline size_t tail_word(uint32_t hash, uint32_t log2) {
    return hash >> (32 - (log2 - TAIL_WORD_LOG2));
}

static inline uint64_t tail_mask(uint32_t hash) {
    uint32_t more = gram_hash(hash);
    return UINT64_C(1) << (more >> 26) | UINT64_C(1) << (more >> 20 & 63) |
           UINT64_C(1) << (more >> 14 & 63);
}

static inline uint32_t tail_hash(const char *end) {
    uint32_t hash = narrow_hash(end - SIEVE_TAIL);
    return gram_hash(hash ^ hash >> 15);
}

static inline uint32_t long_tail_hash(const char *end) {
    uint32_t hash = wide_hash(end - WIDE_BYTES);
    return gram_hash(hash ^ hash >> 15);
}

static inline bool tail_is_in(const unsigned char *bits, uint32_t log2,
                              uint32_t hash) {
    uint64_t wanted = tail_mask(hash);
    return (long_at(bits, tail_word(hash, log2)) & wanted) == wanted;
}

/* ---- at run ---- */

struct sieve; /* scratch of one thread */

/* A literal may stand in the line that begins at `line`; is_whole: and all of
 * it, if it does. */
typedef void (*sieve_fn)(void *ctx, uint32_t literal, size_t line,
                         bool is_whole);

/* Raises FAIL_INDEX when its tables are damaged. */
struct sieve *sieve_new(struct arena *a, const struct prefilter *f);
/* Of text[from, to), whole lines; lines in rising order within a literal's. */
void sieve_look(struct sieve *s, struct str text, size_t from, size_t to,
                sieve_fn found, void *ctx);

/* ---- the inner loops, in sieve_find.c ---- */

struct sieve_places { /* offsets, rising */
    uint32_t *at; /* with room for some more than there are */
    size_t count;
};

/* Multiples of SIEVE_STRIDE behind from where a gram may stand: a wide one, or
 * a narrow one with the right neighbours. */
void sieve_find_grams(const struct prefilter *f, struct str text, size_t from,
                      size_t to, struct sieve_places *narrow,
                      struct sieve_places *wide);
/* Places of [from, to) where a gram of this table may stand, all of them;
 * GRAM_BYTES stand at each, and out has room for eight more. */
void sieve_find_all_grams(const unsigned char *bits, uint32_t log2,
                          struct str text, size_t from, size_t to,
                          struct sieve_places *out);
/* WIDE_BYTES of text at `at`; zeroes stand for what is behind its end. */
const char *sieve_bytes(struct str text, size_t at, char room[WIDE_BYTES]);
/* Some bytes, one at least; a blank stands for any byte below. */
#define FEW_BYTES 4
#define FEW_MAX 16

struct few {
    char bytes[FEW_BYTES];
    uint8_t n;
};

struct few_list {
    struct few at[FEW_MAX];
    size_t count;
};

void few_add(struct few_list *list, struct few one);
/* The first place of [from, to) where one of them stands, letters of any case,
 * perhaps others that look alike to gram_at(); to: none. */
size_t sieve_find_few(struct str text, size_t from, size_t to,
                      const struct few_list *list);
/* Breaks; true: something there has to be cleaned first, perhaps. suspects:
 * what may begin a colour or a character that is none. */
bool sieve_find_breaks(struct str text, size_t from, size_t to,
                       struct sieve_places *breaks,
                       struct sieve_places *suspects);

#endif
