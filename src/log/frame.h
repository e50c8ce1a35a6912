/* frame.h: what others put before a message, taken off. */
#ifndef LOG_FRAME_H
#define LOG_FRAME_H

#include "log/log.h"

/* What kinds of frame were taken off a line, as bits. */
enum frame_kind {
    FRAME_QUOTE = 1,     /* "> ", "# ", "// ": who pasted it */
    FRAME_TRANSPORT = 2, /* who carried it: CRI, kubectl, compose, syslog */
    FRAME_WHO = 4,       /* which process or rank said it */
    FRAME_RECORD = 8     /* the program's own time and level */
};

struct frames; /* the table of frames, compiled */
struct frames *frames_new(struct arena *a);

struct frame {
    const struct frames *frames; /* in: the table */
    struct str whole;     /* in: the line with its frames */
    struct str text;      /* what is left */
    struct stream who;    /* views into the line */
    unsigned kinds;       /* enum frame_kind, or-ed */
    uint64_t rows;        /* out: those taken off, or-ed: 1 << row */
    bool is_record;       /* a new message begins */
    bool is_partial;      /* CRI: the rest comes in the next line */
    bool is_stderr;
    struct str prefix;    /* the record's; empty: none. Who finds it again on
                             the next line may see one record */
    bool repeats_surely;  /* it does stand before every line (vLLM's) */
    uint32_t columns;     /* of that prefix, right before the text: who wraps
                             a program's lines counts them */
    uint64_t follows_mark; /* in: the line before began with this one, "# " or
                             "rem "; 0: none */
    uint64_t follows_bar; /* in: the same of "pod worker | " */
    size_t follows_label; /* in: the row of a label that was seen to be one
                             lately, from 1; 0: none was */
    size_t label;         /* out: of the one that was taken off, likewise */
    bool may_follow;      /* out: either would change what is left */
    uint64_t mark, bar;   /* out: what this line begins with, taken or not */
    uint32_t mark_columns; /* out: of a mark that was not taken */
    bool is_sure_label;   /* out: it can be nothing else */
    bool has_stamp;       /* a time was taken off: a level may follow */
    bool has_level;
    bool is_inner;        /* a line of a text that a JSON string held */
};

/* Takes off all frames but JSON's, outermost first. */
void frame_strip(struct frame *f);
/* Takes off CRI's alone; false: there is none. */
bool frame_take_cri(struct frame *f);

#endif
