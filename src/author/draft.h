/* draft.h: what the files of a draft share. Private to author/.
 *
 *   draft_line.c     a log -> the line that failed, and who it may have been
 *   draft_pattern.c  a line -> a pattern that matches it and its like
 *   draft.c          the door: the page of YAML (author_draft(), author.h)
 */
#ifndef AUTHOR_DRAFT_H
#define AUTHOR_DRAFT_H

#include "author/author.h"

/* The line to draft from, without its frame and without blanks round it. */
struct draft_line {
    struct str text;
    uint32_t number;      /* 0: the log has none */
    struct str component; /* empty: nothing in the log tells */
};
/* at: where the failure stands, if that is known; 0: to be found. */
struct draft_line draft_line_find(struct arena *a, struct str log,
                                  uint32_t at);

/* The lines around that one that do not say that something failed. */
struct draft_lines {
    struct draft_line *at;
    size_t count, cap;
};
struct draft_lines draft_healthy(struct arena *a, struct str log,
                                 uint32_t around);

/* The pattern for a line in which <path-1> and the like stand for what was
 * taken out; is_whole: of all its words, else up to its last number, for words
 * after it change. */
struct str draft_pattern(struct arena *a, struct str line, bool is_whole);

#endif
