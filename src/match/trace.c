/* trace.c: telling tracebacks from the lines between them, by shape alone.
 *
 *     Traceback (most recent call last):      HEADER   -> FRAMES, new block
 *       File "main.py", line 3, in main       FRAME
 *         model.to("cuda")                    deeper than the frame: code
 *         ~~~~~~~~^^^^^^^^                    MARK
 *     OutOfMemoryError: CUDA out of memory.   -> MESSAGE
 *     GPU 0 has a total capacity of ...       goes on with the message (soft)
 *                                             -> GAP
 *     During handling of the above ...        CHAIN: the next header goes on
 *
 * A block begins at its header, or where an excerpt breaks into the frames.
 * It ends where the last frame has become too far (TRACE_REACH), so that who
 * reads only what is near sees the same.
 * Soft lines belong to it only if something sure follows. A log line of its own
 * (a record) ends a block unless its text is a frame's: engines prefix every
 * line of a traceback. Indentation counts relative to the frames, since whole
 * tracebacks are indented, or robbed of their indentation, on the way.
 */
#include "match/trace.h"

#include <string.h>

#include "base/limits.h"

/* ---- the shape of one line ---- */

static bool is_mark(struct str s) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '^' && s.p[i] != '~' && s.p[i] != ' ')
            return false;
    return true;
}

/* "#12 0x7f.. in f", "#3 c10::Error(...) from x.so" */
static bool is_numbered_frame(struct str s) {
    size_t i = 1;
    while (i < s.n && is_digit(s.p[i]))
        i++;
    struct str rest = str_slice(s, i, s.n);
    if (i == 1 || rest.n == 0 || (rest.p[0] != ' ' && rest.p[0] != ':'))
        return false;
    return str_find(rest, STR("0x")) < rest.n ||
           str_find(rest, STR(" in ")) < rest.n ||
           str_find_char(rest, '(') < rest.n;
}

static bool is_native(struct str s, uint32_t indent) {
    switch (s.p[0]) {
    case 'f': return str_starts(s, STR("frame #"));
    case '#': return is_numbered_frame(s);
    case '@': return str_find(s, STR(" 0x")) < s.n;
    case 'E': return str_starts(s, STR("Exception raised from "));
    case 'C':
        return str_starts(s, STR("C++ CapturedTraceback")) ||
               str_starts(s, STR("Current thread 0x"));
    case 'T': return str_starts(s, STR("Thread 0x"));
    case '/': return s.p[s.n - 1] == ']' && str_find(s, STR("[0x")) < s.n;
    case 'a':
        return indent > 0 && str_starts(s, STR("at ")) &&
               str_find_char(s, '(') < s.n;
    default: return false;
    }
}

static bool ends_like_error(struct str name) {
    static const char *const ends[] = {
        "Error", "Exception", "Interrupt", "Exit", "OutOfMemory",
        "OutOfResources", "Warning", "Failure", "Timeout", "Died", ".error"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (str_ends(name, str_of(ends[i])))
            return true;
    return false;
}

/* "vllm.engine.Dead": the last part begins with a capital. */
static bool names_class(struct str name) {
    size_t last = name.n;
    while (last > 0 && name.p[last - 1] != '.')
        last--;
    return last < name.n && name.p[last] >= 'A' && name.p[last] <= 'Z';
}

/* "torch.OutOfMemoryError: ...", "MemoryError", "RayTaskError(OOM): ..." */
static bool is_error(struct str s) {
    size_t n = 0;
    bool is_dotted = false;
    while (n < s.n && n < 200 && (is_word(s.p[n]) || s.p[n] == '.')) {
        is_dotted = is_dotted || s.p[n] == '.';
        n++;
    }
    char after = n < s.n ? s.p[n] : '\0';
    if (n == 0 || is_digit(s.p[0]) || (n < s.n && after != ':' &&
                                       after != '('))
        return false;
    struct str name = str_slice(s, 0, n);
    return ends_like_error(name) ||
           (is_dotted && after == ':' && names_class(name));
}

/* ``` and ```text part lines as an empty one does. */
static bool is_fence(struct str s) {
    struct str word = str_slice(s, 3, s.n);
    return str_starts(s, STR("```")) && str_find_char(word, ' ') == word.n &&
           str_find_char(word, '`') == word.n;
}

/* "Process EngineCore_DP0:" is what multiprocessing puts above a traceback. */
static bool is_announced(struct str s) {
    struct str rest;
    return str_eq(str_cut(s, ' ', &rest), STR("Process")) && rest.n > 1 &&
           str_find_char(rest, ':') == rest.n - 1;
}

/* "5 frames": Colab shows the outermost and the innermost. */
static bool is_count_of_frames(struct str s) {
    size_t i = 0;
    while (i < s.n && is_digit(s.p[i]))
        i++;
    return i > 0 && str_eq(str_slice(s, i, s.n), STR(" frames"));
}

static bool is_ellipsis(struct str s) {
    return is_count_of_frames(s) || str_starts(s, STR("...")) || str_starts(s, STR("[...")) ||
           str_starts(s, STR("[Previous line repeated"));
}

static bool is_chain(struct str s) {
    return str_starts(s, STR("During handling of the above exception")) ||
           str_starts(s, STR("The above exception was the direct cause"));
}

/* "[/opt/x.py](https://localhost:8080/#) in f(a)": Colab's are links. */
static bool is_linked_frame(struct str s) {
    bool may_be = s.n > 1 && (s.p[1] == '/' || s.p[1] == '<' || s.p[1] == '~');
    size_t link = may_be ? str_find(s, STR("](http")) : s.n;
    return str_find(str_slice(s, link, s.n), STR(") in ")) < s.n - link;
}

/* "C:\\x.py in f(a)" */
static bool is_windows_frame(struct str s) {
    return s.n > 3 && s.p[1] == ':' && s.p[2] == '\\' &&
           str_find(s, STR(".py in ")) < s.n;
}

/* IPython's frames: "/opt/x.py in f(a)", "File /opt/x.py:12, in f(a)",
 * "<ipython-input-3-1f> in <module>", "Cell In[3], line 2". */
static bool is_notebook_frame(struct str s) {
    switch (s.p[0]) {
    case '/':
    case '~': return str_find(s, STR(".py in ")) < s.n;
    case '<': return str_starts(s, STR("<ipython-input-"));
    case '[': return is_linked_frame(s);
    case 'C':
        return str_starts(s, STR("Cell In[")) || is_windows_frame(s);
    case 'D':
    case 'E':
    case 'c':
    case 'd':
    case 'e': return is_windows_frame(s);
    case 'F':
        return str_starts(s, STR("File ")) &&
               str_find(s, STR(".py:")) < s.n && str_find(s, STR(", in ")) < s.n;
    default: return false;
    }
}

/* "line 12, in f", behind what wrapped the frame at its blanks. */
static bool is_rest_of_frame(struct str s) {
    struct str line = STR("line ");
    if (str_starts(s, STR(", ")))
        s = str_slice(s, 2, s.n);
    size_t i = line.n;
    while (i < s.n && is_digit(s.p[i]))
        i++;
    return str_starts(s, line) && i > line.n &&
           str_starts(str_slice(s, i, s.n), STR(", in"));
}

/* 'File', 'File "x.py",', 'File "/opt/x', '"/opt/x.py", line 12, in f' */
static bool is_wrapped_frame(struct str s) {
    struct str open = STR("File \"");
    if (s.p[0] == '"')
        return str_starts(s, STR("\"/")) &&
               str_find(s, STR(".py\", line ")) < s.n;
    if (!str_starts(s, open))
        return str_eq(s, STR("File"));
    struct str path = str_slice(s, open.n, s.n);
    size_t end = str_find_char(path, '"');
    return end == path.n || str_eq(str_slice(path, end, path.n), STR("\",")) ||
           str_ends(s, STR("\", line"));
}

static bool is_frame(struct str s) {
    switch (s.p[0]) {
    case 'F':
        if (str_starts(s, STR("File \"")) &&
            str_find(s, STR("\", line ")) < s.n)
            return true;
        break;
    case 'l':
    case ',': return is_rest_of_frame(s);
    default: break;
    }
    return is_notebook_frame(s) || is_wrapped_frame(s);
}

/* "----> 1 trainer.fit(model)": the line of code that was running. */
static bool is_arrow(struct str s) {
    size_t i = 0;
    while (i < s.n && s.p[i] == '-')
        i++;
    return i > 0 && i + 2 < s.n && s.p[i] == '>' && s.p[i + 1] == ' ' &&
           is_digit(s.p[i + 2]);
}

static enum line_kind kind_of(struct str s, uint32_t indent) {
    if (s.n == 0 || is_fence(s))
        return LINE_BLANK;
    if (is_announced(s))
        return LINE_PROCESS;
    if (str_ends(s, STR("(most recent call last):")))
        return str_starts(s, STR("Exception raised")) ? LINE_NATIVE
                                                      : LINE_HEADER;
    if (is_frame(s))
        return LINE_FRAME;
    if (str_ends(s, STR(" Traceback (most recent call last)")))
        return LINE_HEADER;
    if (is_mark(s))
        return LINE_MARK;
    if (is_ellipsis(s) || is_arrow(s))
        return LINE_ELLIPSIS;
    if (is_chain(s))
        return LINE_CHAIN;
    if (is_native(s, indent))
        return LINE_NATIVE;
    return is_error(s) ? LINE_ERROR : LINE_TEXT;
}

struct line_shape line_shape(struct str text) {
    uint32_t indent = 0;
    while (indent < text.n &&
           (text.p[indent] == ' ' || text.p[indent] == '\t'))
        indent++;
    return (struct line_shape){kind_of(str_trim(text), indent), indent};
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

/* An excerpt may begin with the code of a frame that was cut off. */
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

/* A line of words while frames are read: code, or the message. */
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

/* Marks and dots are nothing by themselves. */
static bool on_filler(struct trace *t, bool is_record) {
    if (t->state == TRACE_GAP && t->was_frames)
        t->state = TRACE_FRAMES;
    if (t->state == TRACE_FRAMES)
        return true;
    if (t->state != TRACE_NONE && is_record)
        end_block(t);
    return false;
}

static bool step(struct trace *t, struct line_shape shape, bool is_record,
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

/* What shows a traceback wherever reading begins. */
static bool is_sure(struct line_shape shape) {
    return shape.kind == LINE_HEADER || shape.kind == LINE_FRAME ||
           shape.kind == LINE_NATIVE || shape.kind == LINE_CHAIN;
}

/* Of a traceback that began too far back, the first sure line that is near. */
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
    bool is_solid = step(t, shape, is_record, number);
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
