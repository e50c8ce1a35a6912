/* trace.c: tells tracebacks from other lines by the shapes of lines alone.
 *
 *     Traceback (most recent call last):      HEADER   -> FRAMES, new block
 *       File "main.py", line 3, in main       FRAME
 *         model.to("cuda")                    deeper than the frame: code
 *         ~~~~~~~~^^^^^^^^                    MARK
 *     OutOfMemoryError: CUDA out of memory.   -> MESSAGE
 *     GPU 0 has a total capacity of ...       continues the message (soft)
 *                                             -> GAP
 *     During handling of the above ...        CHAIN: the next header continues
 *                                             the block
 *
 * A block begins at its header, or at the first frame of an excerpt. It ends
 * TRACE_REACH bytes behind its last frame, so that a reader of only the lines
 * near a failure gets the same block. Soft lines belong to a block only if a
 * sure line follows. A record ends a block unless its text is a frame: engines
 * put a prefix before every line of a traceback. Indentation counts relative to
 * the frames, since whole tracebacks are indented, or lose their indentation,
 * on the way. */
#include "match/trace.h"

#include <string.h>

#include "base/limits.h"
#include "base/peg.h"

/* ---- the shape of one line ---- */

/* The first row that matches the trimmed line counts. NULL: anything. */
static const struct shape_row {
    enum line_kind kind;
    const char *begins; /* a pattern (peg.h) */
    const char *holds;  /* behind that */
    const char *ends;
    bool is_indented; /* it must be */
} shape_rows[] = {
#define SHAPE(name, ...) {.kind = LINE_##name, __VA_ARGS__},
#include "match/shapes.def"
#undef SHAPE
};

#define SHAPE_ROWS (sizeof shape_rows / sizeof shape_rows[0])

struct shapes {
    struct peg_set *pegs;
    uint16_t patterns[SHAPE_ROWS];
    struct peg_index rows;
};

const struct shapes *shapes_new(struct arena *a) {
    struct shapes *s = arena_alloc(a, sizeof *s);
    s->pegs = peg_set_new(a, 160);
    for (size_t i = 0; i < SHAPE_ROWS; i++) {
        const char *begins = shape_rows[i].begins;
        s->patterns[i] = peg_add(s->pegs, begins ? begins : "[^\n]");
        peg_index_add(&s->rows, s->pegs, s->patterns[i], (unsigned)i);
    }
    return s;
}

static bool is_shaped(const struct shapes *shapes, size_t row, struct str s,
                      uint32_t indent) {
    const struct shape_row *r = &shape_rows[row];
    struct peg_match m;
    return (!r->is_indented || indent > 0) &&
           (!r->ends || str_ends(s, str_of(r->ends))) &&
           peg_match(shapes->pegs, shapes->patterns[row], s, &m) &&
           (!r->holds ||
            str_find(str_slice(s, m.n, s.n), str_of(r->holds)) < s.n - m.n);
}

struct line_shape line_shape(const struct shapes *shapes, struct str text) {
    struct str s = str_trim(text);
    uint32_t indent = 0;
    while (indent < text.n &&
           (text.p[indent] == ' ' || text.p[indent] == '\t'))
        indent++;
    if (s.n == 0)
        return (struct line_shape){LINE_BLANK, indent};
    uint64_t rows = peg_index_find(&shapes->rows, s);
    while (rows != 0 && !is_shaped(shapes, (size_t)__builtin_ctzll(rows), s,
                                   indent))
        rows &= rows - 1;
    return (struct line_shape){
        rows ? shape_rows[__builtin_ctzll(rows)].kind : LINE_TEXT, indent};
}

/* ---- blocks ---- */

static void end_block(struct trace *t) {
    t->state = TRACE_NONE;
    t->expects_chain = false;
}

static void begin_block(struct trace *t, uint32_t number) {
    t->id++;
    t->first = number;
    t->state = TRACE_FRAMES;
    t->frame_indent = UINT32_MAX; /* nothing is code before the first frame */
    t->is_native = false;
    t->expects_chain = false;
}

/* Begins a block of an excerpt. It may have the code of a frame that was cut
 * off before its first frame. */
static void begin_inside(struct trace *t, uint32_t number) {
    bool has_lead = t->indented_count > 0 &&
                    t->indented_count <= TRACE_LEAD_LINES_MAX &&
                    number - t->last_indented <= 1;
    begin_block(t, has_lead ? t->indented_first : number);
}

static void note_indented(struct trace *t, struct line_shape shape,
                          uint32_t number) {
    if (shape.indent == 0 || shape.kind != LINE_TEXT) {
        t->indented_count = 0;
        return;
    }
    if (t->indented_count++ == 0)
        t->indented_first = number;
    t->last_indented = number;
}

static bool on_frame(struct trace *t, struct line_shape shape,
                     uint32_t number) {
    if (t->state == TRACE_NONE)
        begin_inside(t, number);
    t->state = TRACE_FRAMES;
    t->expects_code = shape.kind == LINE_FRAME;
    t->is_native = shape.kind == LINE_NATIVE;
    if (shape.kind == LINE_FRAME)
        t->frame_indent = shape.indent;
    t->expects_chain = false;
    return true;
}

static bool on_header(struct trace *t, uint32_t number) {
    if (t->state == TRACE_NONE || !t->expects_chain)
        begin_block(t, number);
    t->state = TRACE_FRAMES;
    t->expects_chain = false;
    return true;
}

static bool on_chain(struct trace *t, uint32_t number) {
    if (t->state == TRACE_NONE)
        begin_block(t, number);
    t->state = TRACE_FRAMES;
    t->expects_chain = true;
    t->frame_indent = UINT32_MAX;
    t->is_native = false;
    return true;
}

static bool on_blank(struct trace *t) {
    if (t->state == TRACE_FRAMES || t->state == TRACE_MESSAGE) {
        t->was_frames = t->state == TRACE_FRAMES;
        t->state = TRACE_GAP;
        t->soft_lines = 0;
    }
    if (++t->soft_lines > TRACE_GAP_LINES_MAX)
        end_block(t);
    return false;
}

/* A line of words among frames: code, or the message. */
static bool on_text_in_frames(struct trace *t, struct line_shape shape,
                              bool is_record) {
    bool is_deeper = shape.indent > t->frame_indent;
    bool is_code = is_deeper || (t->expects_code && shape.kind == LINE_TEXT);
    t->expects_code = false;
    if (is_code)
        return true;
    if ((is_record || t->is_native) && shape.kind == LINE_TEXT) {
        end_block(t); /* native frames end without a message */
        return false;
    }
    t->state = TRACE_MESSAGE;
    t->soft_lines = 0;
    return true;
}

static bool on_text(struct trace *t, struct line_shape shape,
                    bool is_record) {
    switch (t->state) {
    case TRACE_NONE:
        break;
    case TRACE_FRAMES:
        return on_text_in_frames(t, shape, is_record);
    case TRACE_MESSAGE:
        if (is_record || ++t->soft_lines > TRACE_CODE_LINES_MAX)
            end_block(t);
        break;
    case TRACE_GAP:
        if (t->was_frames && !is_record && !t->expects_chain &&
            (shape.kind == LINE_ERROR || shape.indent > t->frame_indent)) {
            t->state = TRACE_FRAMES;
            return on_text_in_frames(t, shape, is_record);
        }
        end_block(t);
        break;
    }
    return false;
}

/* Marks and dots belong to a block only among its frames. */
static bool on_filler(struct trace *t, bool is_record) {
    if (t->state == TRACE_GAP && t->was_frames)
        t->state = TRACE_FRAMES;
    if (t->state == TRACE_FRAMES)
        return true;
    if (t->state != TRACE_NONE && is_record)
        end_block(t);
    return false;
}

/* True if the line surely belongs to the block. */
static bool add_line(struct trace *t, struct line_shape shape, bool is_record,
                     uint32_t number) {
    switch (shape.kind) {
    case LINE_BLANK: return on_blank(t);
    case LINE_HEADER: return on_header(t, number);
    case LINE_FRAME:
    case LINE_NATIVE: return on_frame(t, shape, number);
    case LINE_MARK:
    case LINE_ELLIPSIS: return on_filler(t, is_record);
    case LINE_CHAIN: return on_chain(t, number);
    case LINE_PROCESS: end_block(t); return false;
    case LINE_ERROR:
    case LINE_TEXT: return on_text(t, shape, is_record);
    }
    return false;
}

/* True for a line that shows a traceback by itself, wherever reading begins. */
static bool is_sure(struct line_shape shape) {
    return shape.kind == LINE_HEADER || shape.kind == LINE_FRAME ||
           shape.kind == LINE_NATIVE || shape.kind == LINE_CHAIN;
}

/* The first line of the block; of one that began too far back, its first sure
 * line within TRACE_REACH. */
static uint32_t near_first(struct trace *t, uint32_t number, uint64_t place,
                           bool is_sure_line) {
    uint64_t step = place / TRACE_STEP;
    if (is_sure_line && t->step[step % TRACE_STEPS] != step + 1) {
        t->step[step % TRACE_STEPS] = step + 1;
        t->step_line[step % TRACE_STEPS] = number;
    }
    if (place - t->first_place <= TRACE_REACH)
        return t->first;
    uint64_t near = (place - TRACE_REACH) / TRACE_STEP + 1;
    while (near <= step && t->step[near % TRACE_STEPS] != near + 1)
        near++;
    return near <= step ? t->step_line[near % TRACE_STEPS] : number;
}

struct trace_step trace_line(struct trace *t, struct line_shape shape,
                             bool is_record, uint32_t number,
                             uint64_t place) {
    uint32_t id = t->id;
    if (place - t->sure_place > TRACE_REACH)
        end_block(t);
    bool is_solid = add_line(t, shape, is_record, number);
    bool is_sure_line = is_sure(shape);
    if (is_sure_line)
        t->sure_place = place;
    if (t->id != id) {
        t->first_place = place;
        memset(t->step, 0, sizeof t->step);
    }
    note_indented(t, shape, number);
    if (t->state == TRACE_NONE)
        return (struct trace_step){0};
    return (struct trace_step){
        t->id, near_first(t, number, place, is_sure_line), is_solid};
}
