/* frame.h: removes what is printed before a message. */
#ifndef LOG_FRAME_H
#define LOG_FRAME_H

#include "log/log.h"

/* Kinds of frames, as bits. */
enum frame_kind {
    FRAME_QUOTE = 1,     /* "> ", "# ", "// ": a mark of who pasted it */
    FRAME_TRANSPORT = 2, /* of a carrier: CRI, kubectl, compose, syslog */
    FRAME_WHO = 4,       /* the process or rank that printed it */
    FRAME_RECORD = 8     /* the program's own time and level */
};

struct frames; /* the compiled table of frames */
struct frames *frames_new(struct arena *a);

struct frame {
    const struct frames *frames; /* in: the table */
    struct str whole;     /* in: the line with its frames */
    struct str text;      /* in: the line; out: what is left of it */
    struct stream who;    /* views into the line */
    unsigned kinds;       /* enum frame_kind, or-ed */
    uint64_t rows;        /* out: the rows taken off, or-ed: 1 << row */
    bool is_record;       /* a new message begins */
    bool is_partial;      /* CRI: the rest comes in the next line */
    bool is_stderr;
    struct str prefix;    /* of the record; empty: none. If it repeats on the
                             next line, both may be one record */
    bool repeats_surely;  /* it stands before every line of a record (vLLM) */
    uint32_t columns;     /* of the prefix, right before the text: they count
                             where the program's lines are wrapped */
    uint64_t follows_mark; /* in: hash of the mark that the line before begins
                              with, "# " or "rem "; 0: none */
    uint64_t follows_bar; /* in: the same of "pod worker | " */
    size_t follows_label; /* in: the row of a label proved lately, from 1; 0:
                             none */
    size_t label;         /* out: likewise, of the label taken off */
    bool may_follow;      /* out: another follows_* would take more off */
    uint64_t mark, bar;   /* out: hashes of what this line begins with, taken
                             off or not */
    uint32_t mark_columns; /* out: of a mark that was not taken off */
    bool is_sure_label;   /* out: the label is proved by this line alone */
    bool has_stamp;       /* a time was taken off: a level may follow */
    bool has_level;
    bool is_inner;        /* a line of a text in a JSON string */
};

/* Removes all frames except JSON, outermost first. */
void frame_strip(struct frame *f);
/* Removes a frame of CRI; false: there is none. */
bool frame_take_cri(struct frame *f);

#endif
