/* frame_rows.h: the table of frames, and what its loop shares with the proof of
 * marks and labels. Private to the files frame*.c. */
#ifndef LOG_FRAME_ROWS_H
#define LOG_FRAME_ROWS_H

#include "log/frame.h"
#include "base/limits.h"
#include "base/peg.h"

/* When a row of the table is tried, and what it says of the line, as bits. */
enum frame_rule {
    IS_LABEL = 1, /* it may stand before every line and proves nothing alone */
    IF_OUTERMOST = 1 << 4,
    IF_TAB = 1 << 5,        /* one stands near */
    IF_BAR = 1 << 6,        /* "|" does */
    IF_STAMPED = 1 << 7,    /* behind a time */
    IF_NO_RECORD = 1 << 8,  /* not behind a time or level */
    IF_NO_LEVEL = 1 << 9,
    IF_NO_PROCESS = 1 << 10, /* none is named yet */
    IF_NO_SOURCE = 1 << 11,  /* nor a container */
    IS_STAMP = 1 << 12,
    IS_LEVEL = 1 << 13,
    IS_RECORD = 1 << 14,
    NO_RECORD = 1 << 15, /* the time before it is a carrier's */
    OWN_BLANK = 1 << 16, /* the blank at its end may have been the text's: who
                            wrapped that counted it */
    IS_MARK = 1 << 17,   /* the same of a mark */
    AFTER_STAMP = IF_STAMPED | IF_NO_LEVEL | IS_LEVEL | IS_RECORD
};

struct frame_row {
    const char *name;
    enum frame_kind kind;
    unsigned rules; /* enum frame_rule, or-ed */
    const char *pattern, *sample;
};

/* frame_table.c; behind the last row stands one without a name. */
extern const struct frame_row frame_rows[];

struct frames {
    struct peg_set *pegs;
    uint16_t patterns[FRAME_ROWS_MAX];
    struct peg_index rows;
    uint64_t stamped, labels; /* those rows that ask for a time; the labels */
    uint16_t sure, unmistakable, block_count, begins_record;
};

/* frame_proof.c: is this mark or label one? m: what it took of f->text. Notes
 * in f what the next line wants to know. */
extern const char frame_sure[], frame_unmistakable[], frame_block_count[];
bool frame_believe_mark(struct frame *f, const struct peg_match *m);
bool frame_believe_label(struct frame *f, size_t row,
                         const struct peg_match *m);

#endif
