/* trace.h: which lines belong to one traceback. Private to match/. */
#ifndef MATCH_TRACE_H
#define MATCH_TRACE_H

#include "match/match.h"

/* How far back in the input a traceback is followed from each of its lines, in
 * steps; and how much of other streams may stand between two of them. */
#define TRACE_REACH (32 * 1024)
#define TRACE_STEP (4 * 1024)
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

struct shapes; /* the table of shapes, compiled */
const struct shapes *shapes_new(struct arena *a);
struct line_shape line_shape(const struct shapes *shapes, struct str text);

/* One stream's way through its tracebacks. Zeroed: outside of any. */
struct trace {
    enum trace_state {
        TRACE_NONE,
        TRACE_FRAMES,  /* frames and their code */
        TRACE_MESSAGE, /* the exception and what continues it */
        TRACE_GAP      /* blank lines behind either */
    } state;
    bool was_frames;    /* before the gap */
    bool expects_code;  /* the line before was a frame */
    bool is_native;     /* the last frame was no Python one */
    bool expects_chain; /* "the above exception": the next header goes on */
    uint32_t frame_indent;
    uint32_t soft_lines; /* since the last line that surely belongs */
    uint32_t id;         /* of the block, from 1; rises */
    uint32_t first;      /* line where it began */
    uint64_t first_place; /* and its place */
    uint64_t sure_place;  /* of its last line that shows it by itself */
    uint32_t step_line[TRACE_STEPS]; /* its first such line in each of the last
                                        stretches of the input */
    uint64_t step[TRACE_STEPS];      /* 1 + which stretches these are */
    uint32_t indented_first, indented_count; /* run of indented lines before */
    uint32_t last_indented; /* line number of the run's end */
};

/* What one line is to the block it stands in. */
struct trace_step {
    uint32_t block, first; /* block 0: outside */
    bool is_solid;         /* surely a line of the traceback */
};

struct trace_step trace_line(struct trace *t, struct line_shape shape,
                             bool is_record, uint32_t number,
                             uint64_t place);

#endif
