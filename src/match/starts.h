/* starts.h: where words begin in folded text, found by their first bytes.
 * Private to match/.
 *
 *     killed process 4711 (python3)
 *     ^      ^       ^    ^^          behind no letter and no digit
 *
 * Of one stretch of the text at a time.
 */
#ifndef MATCH_STARTS_H
#define MATCH_STARTS_H

#include "base/str.h"

#define STARTS_STRETCH (8 * 1024)
#define STARTS_BYTES 3 /* that a word is found by */
#define STARTS_LOG2 10u

struct starts {
    size_t from; /* of the stretch: a multiple of STARTS_STRETCH */
    bool is_noted;
    uint16_t first[1 << STARTS_LOG2]; /* by hash: 1 + where; 0: none */
    uint16_t next[STARTS_STRETCH];    /* the one before with the same hash */
};

/* The stretch that the byte at `at` stands in. FOLD_SLACK bytes behind the text
 * may be read. */
void starts_note(struct starts *w, struct str text, size_t at);

/* Behind the stretch that the byte at `at` stands in. */
static inline size_t starts_end(size_t at) {
    return (at / STARTS_STRETCH + 1) * STARTS_STRETCH;
}

/* Places of words that may begin with STARTS_BYTES of word, the last one first;
 * 0: no more. The text's first byte is never told. */
size_t starts_first(const struct starts *w, const char *word);
size_t starts_next(const struct starts *w, size_t place);

#endif
