/* pattern_text.h: from the text an author writes to the text PCRE2 is given.
 * Private to match/. */
#ifndef MATCH_PATTERN_TEXT_H
#define MATCH_PATTERN_TEXT_H

#include "match/match.h"

struct pattern_tree;

struct pattern_text {
    struct str text;       /* for PCRE2 */
    const uint32_t *place; /* place[i]: byte of the original behind text[i];
                              text.n + 1 of them */
    bool needs_utf;        /* beyond ASCII: characters, not bytes */
    bool is_anchored;      /* matches begin where the search does */
    const struct pattern_tree *tree; /* NULL: not understood */
};

/* False and *error when it uses what the language of patterns leaves out. */
bool pattern_text_prepare(struct arena *a, struct str original,
                          struct pattern_text *out,
                          struct pattern_error *error);

/* One that was prepared before: no byte of it has a place. */
struct pattern_text pattern_text_prepared(struct arena *a, struct str text,
                                          bool needs_utf);

/* Where the class that opens at text[at] ends: the byte behind its ']', or
 * text.n when it does not. */
size_t pattern_class_end(struct str text, size_t at);

/* Inline options at text[at], "(?i-s)" or "(?^i:": the byte behind the letters
 * (a ')' or ':'), or 0 when this is another kind of group. on: the letters
 * that are set, a view. */
size_t pattern_options(struct str text, size_t at, struct str *on);

#endif
