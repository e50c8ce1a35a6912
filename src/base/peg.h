/* peg.h: small patterns that match at the beginning of a text. They look like
 * regular expressions and match as parsing expressions (PEG): from left to
 * right, each part takes as much as it can and never backtracks. So the time
 * of a match is linear in the text.
 *
 *     abc.          these characters; a dot is a dot
 *     %d %l %w %s   digit; letter; letter, digit or '_'; blank or tab
 *     %[ %( %| ...  the character itself
 *     [a-z%d_]      one of these; [^ :] one of all others
 *     x? x* x+ x{2} x{1,6} x{3,}   of a character, a set or a group
 *     (a|b)         the first alternative that matches
 *     (?<name>a)    a group whose text is captured under this name
 *     (?=a) (?!a)   a follows, or does not; nothing is taken
 *     $             the end of the text
 */
#ifndef BASE_PEG_H
#define BASE_PEG_H

#include "base/arena.h"
#include "base/limits.h"

struct peg_set; /* compiled patterns */

struct peg_bytes { /* a set of byte values */
    uint64_t bits[4];
};

static inline bool peg_has(const struct peg_bytes *set, char c) {
    unsigned char byte = (unsigned char)c;
    return (set->bits[byte >> 6] >> (byte & 63) & 1) != 0;
}

struct peg_match {
    struct str text;
    size_t n; /* bytes taken */
    size_t capture_count;
    struct peg_capture {
        struct str name, text;
    } captures[PEG_CAPTURES_MAX]; /* the last one of a name counts */
};

/* With room for the patterns of so many nodes (parts with one count); it
 * grows. */
struct peg_set *peg_set_new(struct arena *a, size_t nodes);
/* Returns the pattern's number. The pattern must be valid: its syntax is not
 * checked. It must outlive the set, which keeps pointers into it. */
uint16_t peg_add(struct peg_set *s, const char *pattern);
/* The first bytes of the non-empty texts that it may match. */
struct peg_bytes peg_first(const struct peg_set *s, uint16_t pattern);
/* A filter: which of up to 64 patterns may match a text, by its first bytes. */
#define PEG_AHEAD 3
struct peg_index { /* bit `number` of each pattern that may have this byte */
    uint64_t by_byte[PEG_AHEAD][256];
    uint64_t any[PEG_AHEAD]; /* patterns that may have any byte there */
};
void peg_index_add(struct peg_index *x, const struct peg_set *s,
                   uint16_t pattern, unsigned number);
/* The text must not be empty. */
static inline uint64_t peg_index_find(const struct peg_index *x,
                                      struct str text) {
    uint64_t found = x->by_byte[0][(unsigned char)text.p[0]];
    for (size_t i = 1; i < PEG_AHEAD && i < text.n; i++)
        found &= x->any[i] | x->by_byte[i][(unsigned char)text.p[i]];
    return found;
}
/* If false, *m is undefined. */
bool peg_match(const struct peg_set *s, uint16_t pattern, struct str text,
               struct peg_match *m);

#endif
