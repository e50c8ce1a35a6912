/* pattern_tree.h: a prepared pattern as a tree, for what is found out about
 * patterns: which words their matches hold (literals.c), what stands behind
 * these (suffix.c), where work may grow (steps.c). Private to match/.
 *
 *     ^(?:CUDA|HIP) out       branch: EMPTY, GROUP, CHAR ' ', CHAR 'o' ...
 *                                              '- branches: C U D A, H I P
 */
#ifndef MATCH_PATTERN_TREE_H
#define MATCH_PATTERN_TREE_H

#include "match/pattern_text.h"

enum node_kind {
    NODE_EMPTY,  /* takes nothing: an anchor; its branches look around */
    NODE_CHAR,   /* one character, known but for its case */
    NODE_ONE,    /* one character of several */
    NODE_GROUP,  /* one of its branches */
    NODE_UNKNOWN /* what was matched before, or a call */
};

struct branch;

struct node {
    enum node_kind kind;
    char c;             /* NODE_CHAR, folded */
    bool may_end_line;  /* NODE_CHAR and NODE_ONE: it may be a newline */
    bool is_digit;      /* \d */
    size_t from, end;   /* in the text, with its repeat */
    size_t least, most; /* how often; SIZE_MAX: no end */
    struct str opening; /* of a group, without its name: "(?:", "(?i:" */
    struct branch *branches;
    struct node *next;
};

struct branch {
    struct node *first;
    size_t end;
    struct branch *next;
};

struct pattern_tree {
    struct branch *branches;
    bool is_odd; /* it refers to what was matched, or sets options half-way:
                    a part of it means something else by itself */
    bool is_nocase; /* somewhere */
};

/* One character; a run of blanks is one, too. */
static inline bool node_is_plain(const struct node *n) {
    return n->kind == NODE_CHAR && n->least > 0 &&
           ((n->least == 1 && n->most == 1) || n->c == ' ');
}

/* NULL: not understood. Only the syntax of a pattern that PCRE2 accepts is
 * read right; of others, something is returned. */
const struct pattern_tree *pattern_tree_read(struct arena *a, struct str text,
                                             bool needs_utf);

/* How text is folded for the prefilter, and literals with it: ASCII letters
 * are small, and what \s matches is a blank. Runs of blanks count as one. */
static inline unsigned char fold_byte(unsigned char c) {
    if (c >= 'A' && c <= 'Z')
        return (unsigned char)(c - 'A' + 'a');
    return c >= 9 && c <= 13 ? ' ' : c;
}
static inline bool fold_is_blank(char c) {
    return fold_byte((unsigned char)c) == ' ';
}

#endif
