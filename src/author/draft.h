/* draft.h: shared by the files of a draft. Private to author/.
 *
 *   draft_line.c     a log -> the line of the failure, and its component
 *   draft_pattern.c  a line -> a pattern that matches it and similar lines
 *   draft.c          author_draft(), author.h: the YAML
 */
#ifndef AUTHOR_DRAFT_H
#define AUTHOR_DRAFT_H

#include "author/author.h"

/* The line to draft from, without its frame and without blanks round it. */
struct draft_line {
    struct str text;
    uint32_t number;      /* 0: the log has no such line */
    struct str component; /* empty: not known */
};
/* at: the number of the line, if it is known; 0: find it. */
struct draft_line draft_line_find(struct arena *a, struct str log,
                                  uint32_t at);

/* The lines around that line without words of a failure. */
struct draft_lines {
    struct draft_line *at;
    size_t count, cap;
};
struct draft_lines draft_healthy(struct arena *a, struct str log,
                                 uint32_t around);

/* The pattern of a redacted line (with <path-1> ...). is_whole: of the whole
 * line; else up to its last number, since words after it often change. */
struct str draft_pattern(struct arena *a, struct str line, bool is_whole);

#endif
