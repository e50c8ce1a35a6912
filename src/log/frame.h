/* frame.h: what others put before a message, taken off. */
#ifndef LOG_FRAME_H
#define LOG_FRAME_H

#include "log/cursor.h"
#include "log/log.h"

/* What kinds of frame were taken off a line, as bits. */
enum frame_kind {
    FRAME_QUOTE = 1,     /* "> ", "# ", "// ": who pasted it */
    FRAME_TRANSPORT = 2, /* who carried it: CRI, kubectl, compose, syslog */
    FRAME_WHO = 4,       /* which process or rank said it */
    FRAME_RECORD = 8     /* the program's own time and level */
};

/* What may stand before every line and prove nothing alone. */
enum frame_label {
    LABEL_ANY,     /* in: each is believed */
    LABEL_RANK,    /* "3: " */
    LABEL_HOST,    /* "node7: " */
    LABEL_BRACKET, /* "[3] ", "[proc 3] ", "[worker3]:", "[node7:3]: " */
    LABEL_BAR,     /* "node7 | ", "pod worker | ", "a | b | " */
    LABEL_TWO,     /* "serve-6c9 main " */
    LABEL_SLASH,   /* "trainer/3 " */
    LABEL_NUMBER,  /* of the line: "  12\t", "12:", "12 | " */
    LABEL_FILE,    /* "train.log:", "train.log:12:" */
    LABEL_CLOCK,   /* "10:47:37 ", "[10:47:37] ", "Jan 02 10:47:37 " */
    LABEL_LOG_STREAM /* behind a time: "serve/main/0123456789abcdef " */
};

#define MARK_MOST 7 /* bytes of what quotes a line, its indentation included */
#define MARK_ANY UINT64_MAX
#define BAR_ANY UINT64_MAX

struct frame {
    struct str whole;     /* in: the line with its frames */
    struct str text;      /* what is left */
    struct stream who;    /* views into the line */
    unsigned kinds;       /* enum frame_kind, or-ed */
    bool is_record;       /* a new message begins */
    bool is_partial;      /* CRI: the rest comes in the next line */
    bool is_stderr;
    struct str prefix;    /* the record's; empty: none. Who finds it again on
                             the next line may see one record */
    bool repeats_surely;  /* it does stand before every line (vLLM's) */
    uint32_t columns;     /* of that prefix, right before the text: who wraps
                             a program's lines counts them */
    uint64_t follows_mark; /* in: the line before began with this one, "# " or
                             "rem "; MARK_ANY: each is believed; 0: none */
    uint64_t follows_bar; /* in: the same of "pod worker | " */
    bool follows_label;   /* in: a label was seen to be one lately, */
    enum frame_label label; /* in: of this kind; out: the one taken off */
    bool has_label;
    bool may_follow;      /* out: either would change what is left */
    uint64_t mark, bar;   /* out: what this line begins with, taken or not */
    uint32_t mark_columns; /* out: of a mark that was not taken */
    bool is_sure_label;   /* out: it can be nothing else */
    bool has_stamp;       /* a time was taken off: a level may follow */
    bool has_level;
    bool is_inner;        /* a line of a text that a JSON string held */
};

/* "torch.OutOfMemoryError: ", "CUDA error: " */
bool frame_begins_with_error(struct str s);

/* Takes off all frames but JSON's, outermost first. */
void frame_strip(struct frame *f);

/* The readers of one kind each; true when they took something off. */
bool frame_take_quote(struct frame *f);
bool frame_take_mark(struct frame *f);
bool frame_take_priority(struct frame *f);
bool frame_take_cri(struct frame *f);
bool frame_take_kubectl(struct frame *f);
bool frame_take_compose(struct frame *f);
bool frame_take_syslog(struct frame *f);
bool frame_take_syslog_5424(struct frame *f);
bool frame_take_job(struct frame *f);
bool frame_take_unit(struct frame *f);
bool frame_take_dmesg(struct frame *f);
bool frame_take_mpirun(struct frame *f);
bool frame_take_rank(struct frame *f);
bool frame_take_label(struct frame *f);
bool frame_take_process(struct frame *f);
bool frame_take_stamp(struct frame *f);
bool frame_take_stamp_in_brackets(struct frame *f);
bool frame_take_glog(struct frame *f);
bool frame_take_vllm(struct frame *f);
bool frame_take_level(struct frame *f);
bool frame_take_level_after_stamp(struct frame *f);
bool frame_take_source(struct frame *f);
bool frame_take_logfmt(struct frame *f);

#endif
