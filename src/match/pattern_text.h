/* pattern_text.h: translates the text that an author writes into the text that
 * PCRE2 compiles. Private to match/. */
#ifndef MATCH_PATTERN_TEXT_H
#define MATCH_PATTERN_TEXT_H

#include "match/match.h"

struct pattern_tree;

struct pattern_text {
    struct str text;       /* for PCRE2 */
    const uint32_t *place; /* place[i]: offset in the original of what text[i]
                              comes from; text.n + 1 of them; NULL: unknown */
    bool needs_utf;        /* it matches characters, not bytes */
    bool is_anchored;      /* it matches only where the search begins */
    const struct pattern_tree *tree; /* NULL: its syntax is not understood */
};

/* False and *error: it uses syntax that patterns may not use here. */
bool pattern_text_prepare(struct arena *a, struct str original,
                          struct pattern_text *out,
                          struct pattern_error *error);

/* The same for a text that was prepared before; place is NULL. */
struct pattern_text pattern_text_prepared(struct arena *a, struct str text,
                                          bool needs_utf);

/* The offset behind the ']' of the class that opens at text[at], or text.n if
 * it is not closed. */
size_t pattern_class_end(struct str text, size_t at);

/* Inline options at text[at], "(?i-s)" or "(?^i:": the offset behind the
 * letters (of a ')' or ':'), or 0 for another kind of group. on: a view of the
 * letters that are set. */
size_t pattern_options(struct str text, size_t at, struct str *on);

#endif
