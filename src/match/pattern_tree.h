/* pattern_tree.h: the syntax tree of a prepared pattern. literals.c reads the
 * words from it that matches contain, suffix.c the part behind them, steps.c
 * the repeats, guard.c the guards. Private to match/.
 *
 *     ^(?:CUDA|HIP) out       branch: EMPTY, GROUP, CHAR ' ', CHAR 'o' ...
 *                                              '- branches: C U D A, H I P
 */
#ifndef MATCH_PATTERN_TREE_H
#define MATCH_PATTERN_TREE_H

#include "match/pattern_text.h"

enum node_kind {
    NODE_EMPTY,  /* takes no text: an anchor, or a lookaround with branches */
    NODE_CHAR,   /* one character, known except for its case */
    NODE_ONE,    /* one character of several */
    NODE_GROUP,  /* one of its branches */
    NODE_UNKNOWN /* a reference, a call, or several characters */
};

struct branch;

struct node {
    enum node_kind kind;
    char c;             /* NODE_CHAR, folded */
    bool may_end_line;  /* NODE_CHAR and NODE_ONE: it may be a newline */
    bool is_digit;      /* \d */
    size_t from, end;   /* in the text, with its repeat */
    size_t least, most; /* repeats; SIZE_MAX: no limit */
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
    bool is_odd; /* it refers to what was matched, or sets options inside: a
                    part of it has another meaning by itself */
    bool has_nocase; /* the option i is set somewhere */
};

/* True for one known character, or a run of blanks. */
static inline bool node_is_plain(const struct node *n) {
    return n->kind == NODE_CHAR && n->least > 0 &&
           ((n->least == 1 && n->most == 1) || n->c == ' ');
}

/* NULL: not understood. The pattern must be one that PCRE2 accepts: for others
 * the tree means nothing. */
const struct pattern_tree *pattern_tree_read(struct arena *a, struct str text,
                                             bool needs_utf);

/* Folds a byte of a literal or of the text for the prefilter: ASCII letters
 * become small, and what \s matches becomes a blank. Runs of blanks count as
 * one. */
static inline unsigned char fold_byte(unsigned char c) {
    if (c >= 'A' && c <= 'Z')
        return (unsigned char)(c - 'A' + 'a');
    return c >= 9 && c <= 13 ? ' ' : c;
}
static inline bool fold_is_blank(char c) {
    return fold_byte((unsigned char)c) == ' ';
}

#endif
