/* frame_rows.h: the rows of the table of frames, and the check of marks and
 * labels. Private to the files frame*.c. */
#ifndef LOG_FRAME_ROWS_H
#define LOG_FRAME_ROWS_H

#include "log/frame.h"
#include "base/limits.h"
#include "base/peg.h"

/* When a row of the table is tried, and what it means for the line, as bits. */
enum frame_rule {
    IS_LABEL = 1, /* it may be part of the message: see frame_proof.c */
    IF_OUTERMOST = 1 << 4,
    IF_TAB = 1 << 5,         /* there is a tab near */
    IF_BAR = 1 << 6,         /* there is a "|" near */
    IF_STAMPED = 1 << 7,     /* behind a time */
    IF_NO_RECORD = 1 << 8,   /* not behind a time or level */
    IF_NO_LEVEL = 1 << 9,    /* not behind a level */
    IF_NO_PROCESS = 1 << 10, /* no process is named yet */
    IF_NO_SOURCE = 1 << 11,  /* no container is named yet */
    IS_STAMP = 1 << 12,
    IS_LEVEL = 1 << 13,
    IS_RECORD = 1 << 14,
    NO_RECORD = 1 << 15, /* the time before it is a carrier's */
    OWN_BLANK = 1 << 16, /* the blank at its end may belong to the text, and
                            then counts in the width of a wrapped line */
    IS_MARK = 1 << 17,   /* as IS_LABEL, for a mark */
    IF_COLUMN = 1 << 18, /* the first "|" is near, and a blank before it */
    AFTER_STAMP = IF_STAMPED | IF_NO_LEVEL | IS_LEVEL | IS_RECORD
};

struct frame_row {
    const char *name;
    enum frame_kind kind;
    unsigned rules; /* enum frame_rule, or-ed */
    const char *pattern, *sample;
};

/* frame_table.c. A row without a name ends it. */
extern const struct frame_row frame_rows[];

struct frames {
    struct peg_set *pegs;
    uint16_t patterns[FRAME_ROWS_MAX];
    struct peg_index rows;
    uint64_t stamped, labels; /* bits of the rows IF_STAMPED; IS_LABEL */
    uint64_t bars, columns;   /* bits of the rows IF_BAR or IF_COLUMN; of the
                                 latter alone */
    uint16_t sure, unmistakable, block_count, begins_record;
};

/* frame_proof.c: true if this mark or label is none of the message's text. m:
 * the match at the front of f->text. They set the members of f that the next
 * line depends on. */
extern const char frame_sure[], frame_unmistakable[], frame_block_count[];
bool frame_accept_mark(struct frame *f, const struct peg_match *m);
bool frame_accept_label(struct frame *f, size_t row,
                        const struct peg_match *m);

#endif
