/* trace.h: the lines that belong to one traceback. Private to match/. */
#ifndef MATCH_TRACE_H
#define MATCH_TRACE_H

#include "match/match.h"

/* Bytes of the input, other streams included, that a line of a traceback may be
 * behind the last sure one, and behind the line that counts as its first. */
#define TRACE_REACH (32 * 1024)
#define TRACE_STEP (4 * 1024) /* the first sure line in each is remembered */
#define TRACE_STEPS 16

enum line_kind {
    LINE_BLANK,    /* or a fence of quoted text */
    LINE_HEADER,   /* Traceback (most recent call last): */
    LINE_FRAME,    /*   File "x.py", line 3, in f */
    LINE_NATIVE,   /* frame #4: ..., #3 0x... in, Thread 0x... */
    LINE_MARK,     /*     ^^^^~~ */
    LINE_CHAIN,    /* During handling of the above exception ... */
    LINE_ELLIPSIS, /* [...]  [Previous line repeated 3 more times] */
    LINE_PROCESS,  /* Process EngineCore_DP0: */
    LINE_ERROR,    /* torch.OutOfMemoryError: ..., KeyboardInterrupt */
    LINE_TEXT
};

struct line_shape {
    enum line_kind kind;
    uint32_t indent;
};

struct shapes; /* the compiled table of shapes */
const struct shapes *shapes_new(struct arena *a);
struct line_shape line_shape(const struct shapes *shapes, struct str text);

/* The state of one stream. Zeroed: outside of a traceback. */
struct trace {
    enum trace_state {
        TRACE_NONE,
        TRACE_FRAMES,  /* frames and their code */
        TRACE_MESSAGE, /* the exception and what continues it */
        TRACE_GAP      /* blank lines behind either */
    } state;
    bool was_frames;    /* TRACE_GAP: the state before was TRACE_FRAMES */
    bool expects_code;  /* the line before was a frame */
    bool is_native;     /* the last frame was not one of Python */
    bool expects_chain; /* behind LINE_CHAIN: a header continues the block */
    uint32_t frame_indent;
    uint32_t soft_lines;  /* since the last line that surely belongs */
    uint32_t id;          /* of the block, from 1; rises */
    uint32_t first;       /* number of its first line */
    uint64_t first_place; /* place of that line */
    uint64_t sure_place;  /* of its last sure line */
    uint32_t step_line[TRACE_STEPS]; /* its first sure line in each of the last
                                        parts of the input, by part modulo
                                        TRACE_STEPS */
    uint64_t step[TRACE_STEPS]; /* 1 + the number of that part */
    uint32_t indented_first, indented_count; /* run of indented lines before */
    uint32_t last_indented; /* line number of the run's end */
};

struct trace_step {
    uint32_t block, first; /* of the line's block; block 0: it has none */
    bool is_solid;         /* it surely belongs to the block */
};

struct trace_step trace_line(struct trace *t, struct line_shape shape,
                             bool is_record, uint32_t number,
                             uint64_t place);

#endif
