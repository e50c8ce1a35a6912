/* reader.c: from the bytes of a log to its lines.
 *
 *     feed -> inflate, twice -> count -> encoding -> cut at \n and \r -> clean
 *          -> frames -> JSON (and frames again) -> repr -> on_line
 *
 * The reader holds one segment of at most LOG_LINE_MAX bytes, the stream table,
 * and a few words per stream (what was cut, how wide it was). Nothing grows
 * with the input. The reader does not look ahead: how a line is read depends
 * on the lines before it.
 */
#include "log/reader.h"

#include <string.h>

#include "base/utf8.h"
#include "log/clean.h"
#include "log/margin.h"
#include "log/record.h"
#include "log/repr.h"
#include "log/value.h"

/* ---- what is remembered ----
 *
 * Only the last LOG_MEMORY bytes count. So a reader that begins in the middle
 * of an input, a little before what matters, gives the same lines as one that
 * has read everything. */

static uint64_t least_place(const struct log_reader *r) {
    uint64_t least = r->place > LOG_MEMORY ? r->place - LOG_MEMORY : 0;
    return least > r->began ? least : r->began;
}

static bool is_near(const struct log_reader *r, uint64_t noted) {
    return noted > least_place(r);
}

static enum wrap_seam find_seam(struct log_reader *r,
                                struct wrap_widths *widths,
                                struct wrap_line *before, struct str text,
                                uint32_t quote_width, bool may_join) {
    widths->place = r->place;
    widths->least = least_place(r);
    return wrap_find_seam(widths, before, text, quote_width, may_join);
}

/* The next line of the stream continues none. */
static void forget_wrap(struct log_reader *r, uint32_t stream) {
    r->recent.framed_wrap[stream] = (struct wrap_line){0};
}

static bool is_cut(const struct log_reader *r, bool is_stderr) {
    return is_near(r, r->recent.cut_at[is_stderr]);
}

/* Counted from the end of the line, since the line may be long. */
static void note_cut(struct log_reader *r, bool is_stderr, uint32_t stream) {
    r->recent.cut_at[is_stderr] = r->place + r->segment_bytes + 1;
    r->recent.cut_stream[is_stderr] = stream;
}

/* ---- out ---- */

static void hand_out(struct log_reader *r, struct str text, uint32_t stream,
                     bool is_joined, bool is_record) {
    uint64_t number = r->stats.lines + 1;
    struct line line = {
        .number = number > UINT32_MAX ? UINT32_MAX : (uint32_t)number,
        .stream = stream,
        .place = r->place,
        .stamp = r->stamp,
        .is_joined = is_joined,
        .is_record = is_record,
    };
    r->has_output = true;
    r->stream = r->last_stream = stream;
    do {
        line.text = str_slice(text, 0, utf8_cut(text, LOG_LINE_MAX));
        text = str_slice(text, line.text.n, text.n);
        r->on_line(r->ctx, &line);
        line.is_joined = true;
        line.is_record = false;
    } while (text.n > 0);
}

/* Removes the place in the code at the right edge of a line. What stands behind
 * it becomes a line of its own, which continues the message. */
static void hand_out_message(struct log_reader *r, struct str text,
                             uint32_t stream, bool is_joined,
                             bool is_record) {
    struct margin margin;
    if (!margin_find(text, is_record, &margin)) {
        hand_out(r, text, stream, is_joined, is_record);
        return;
    }
    hand_out(r, margin.before, stream, is_joined, is_record);
    if (margin.after.n > 0)
        hand_out(r, margin.after, stream, false, false);
}

static bool begins_traceback(struct str s) {
    return str_starts(s, STR("Traceback (most recent call last)"));
}

/* Hands out a text without frames, which may be a repr of several lines. */
static void hand_out_text(struct log_reader *r, struct str text,
                          uint32_t stream, bool is_joined, bool is_record) {
    if (!repr_unfold(text, &r->bufs[BUF_UNFOLDED])) {
        hand_out_message(r, text, stream, is_joined, is_record);
        return;
    }
    struct str rest = buf_str(&r->bufs[BUF_UNFOLDED]);
    while (rest.n > 0) {
        struct str line = str_cut(rest, '\n', &rest);
        hand_out(r, line, stream, is_joined,
                 is_record || begins_traceback(line));
        is_joined = is_record = false;
    }
}

/* ---- one segment ---- */

static bool is_indented(struct str s) {
    return s.n > 0 && (s.p[0] == ' ' || s.p[0] == '\t');
}

/* True if a carrier has named the line above but not this indented one: syslog
 * does so with a message of several lines. */
static bool is_below_carried(const struct log_reader *r,
                             const struct frame *f) {
    return f->kinds == 0 && is_indented(f->text) &&
           is_near(r, r->recent.carried_at);
}

/* True if the line continues a record of several lines of which only the first
 * has a frame, and that one is full. At most UNNAMED_LINES_MAX lines do; a
 * traceback is a record of its own. */
static bool is_below_named(const struct log_reader *r,
                           const struct frame *f) {
    bool goes_on = r->recent.wrap.is_filled_above ||
                   (r->recent.unnamed_lines > 0 && f->text.n > 0 &&
                    r->recent.unnamed_lines < UNNAMED_LINES_MAX &&
                    !is_indented(f->text) && !begins_traceback(f->text));
    return (f->kinds & ~(unsigned)FRAME_QUOTE) == 0 && !f->is_record &&
           goes_on && is_near(r, r->recent.named_at);
}

/* True if an indented line without a frame stands right below a line that has
 * one: a record that somebody broke by hand. If the lines without a stream are
 * within a traceback of their own, or this one is a frame, it is theirs. */
static bool is_inset(const struct log_reader *r, const struct frame *f) {
    return f->kinds == 0 && !f->is_record && is_indented(f->text) &&
           r->recent.inset_lines < UNNAMED_LINES_MAX &&
           is_near(r, r->recent.named_at) &&
           !is_near(r, r->recent.plain_inset_at) &&
           !str_starts(str_trim(f->text), STR("File \""));
}

static uint32_t stream_of(struct log_reader *r, const struct frame *f) {
    uint32_t stream = stream_find(r->streams, &f->who);
    if (stream == 0 && r->has_output)
        return r->stream;
    bool goes_on = stream == 0 && is_below_named(r, f);
    bool is_below = stream == 0 && is_inset(r, f);
    r->recent.unnamed_lines = goes_on ? r->recent.unnamed_lines + 1 : 0;
    r->recent.inset_lines = is_below ? r->recent.inset_lines + 1 : 0;
    if (stream == 0 && (goes_on || is_below || is_below_carried(r, f)))
        return r->last_stream;
    if (stream == 0)
        r->recent.plain_inset_at = is_indented(f->text) ? r->place + 1 : 0;
    bool is_carried = (f->kinds & FRAME_TRANSPORT) != 0;
    r->recent.named_at = stream != 0 ? r->place + 1 : 0;
    r->recent.carried_at = is_carried ? r->recent.named_at : 0;
    return stream;
}

/* True if the prefix is that of the stream's last line. Remembers it. */
static bool note_prefix(struct log_reader *r, const struct frame *f,
                              uint32_t stream) {
    uint64_t prefix = f->prefix.n > 0 ? str_hash(f->prefix) : 0;
    bool is_alike = prefix != 0 && prefix == r->recent.prefix[stream] &&
                    is_near(r, r->recent.prefix_at[stream]);
    r->recent.prefix[stream] = prefix;
    r->recent.prefix_at[stream] = r->place + 1;
    return is_alike;
}

/* vLLM puts the same prefix before every line of one record. Other programs do
 * so if the record was wrapped before it was framed. */
static bool is_new_record(const struct frame *f, const struct wrap_line *wrap,
                          bool is_alike) {
    bool goes_on = is_alike && (f->repeats_surely || wrap->is_filled_above ||
                                is_indented(f->text));
    return (f->is_record && !goes_on) || begins_traceback(f->text);
}

/* Puts back the blank at which the line was folded. */
static struct str with_blank(struct log_reader *r, struct str text) {
    buf_clear(&r->bufs[BUF_FOLDED]);
    buf_add_char(&r->bufs[BUF_FOLDED], ' ');
    buf_add(&r->bufs[BUF_FOLDED], text);
    return buf_str(&r->bufs[BUF_FOLDED]);
}

/* The time in the frames that were taken off. */
static struct log_stamp stamp_of(const struct log_reader *r,
                                 const struct frame *f) {
    bool is_part = f->text.p >= f->whole.p &&
                   f->text.p <= f->whole.p + f->whole.n;
    size_t n = is_part && f->text.p ? (size_t)(f->text.p - f->whole.p) : 0;
    return n > 0 ? stamp_read(r->tables.stamps, str_slice(f->whole, 0, n))
                 : (struct log_stamp){0};
}

static void read_plain(struct log_reader *r, const struct frame *f) {
    r->stamp = stamp_of(r, f);
    uint32_t stream = stream_of(r, f);
    struct wrap_line *wrap = &r->recent.framed_wrap[stream];
    bool is_alike = note_prefix(r, f, stream);
    bool is_framed = (f->kinds & ~(unsigned)FRAME_QUOTE) != 0;
    enum wrap_seam seam =
        is_framed ? find_seam(r, &r->recent.framed_widths, wrap, f->text,
                              f->columns, !f->is_record || is_alike)
                  : WRAP_NONE;
    bool is_folded = f->is_inner && seam == WRAP_FOLD;
    bool is_joined = is_folded || seam == WRAP_CUT;
    bool is_record = !is_joined && is_new_record(f, wrap, is_alike);
    if (!is_framed)
        forget_wrap(r, stream);
    hand_out_text(r, is_folded ? with_blank(r, f->text) : f->text, stream,
                  is_joined, is_record);
    if (f->is_partial)
        note_cut(r, f->is_stderr, stream);
}

static struct frame frame_of(const struct log_reader *r, struct str text) {
    bool is_below = is_near(r, r->recent.line_at);
    bool is_labelled =
        r->recent.label_lines > 0 && is_near(r, r->recent.label_at);
    return (struct frame){
        .frames = r->tables.frames,
        .whole = text,
        .text = text,
        .who = stream_none(),
        .follows_mark = is_below ? r->recent.mark : 0,
        .follows_bar = is_below ? r->recent.bar : 0,
        .follows_label = is_labelled ? r->recent.label : 0,
    };
}

/* Reads the rest of a line that a carrier cut: it has no frames of its own, and
 * no blank before it. False if no line was cut. */
static bool read_rest(struct log_reader *r, struct str text, bool is_stderr,
                      bool is_partial) {
    if (!is_cut(r, is_stderr))
        return false;
    uint32_t stream = r->recent.cut_stream[is_stderr];
    forget_wrap(r, stream);
    hand_out_text(r, text, stream, true, false);
    r->recent.cut_at[is_stderr] = 0;
    if (is_partial)
        note_cut(r, is_stderr, stream);
    return true;
}

static void read_framed(struct log_reader *r, struct frame *f, int depth);

/* Reads the lines of a text of a JSON record. */
static void read_inner(struct log_reader *r, struct str text,
                       const struct frame *outer, int depth, bool is_record) {
    if (str_ends(text, STR("\n")))
        text.n--;
    do {
        struct str line = str_cut(text, '\n', &text);
        while (str_ends(line, STR("\r")))
            line.n--;
        line = clean_line(line, &r->bufs[BUF_CLEAN + depth]);
        struct frame f = frame_of(r, line);
        f.who = outer->who;
        frame_strip(&f);
        f.kinds |= FRAME_TRANSPORT;
        f.is_inner = true;
        f.is_record = f.is_record || is_record;
        if (is_record && f.prefix.n == 0)
            f.prefix = STR("{");
        is_record = false;
        read_framed(r, &f, depth);
    } while (text.n > 0);
}

static bool may_be_json(struct str s) {
    return s.n > 0 && (s.p[0] == '{' || (s.p[0] >= '\t' && s.p[0] <= ' '));
}

static bool read_json(struct log_reader *r, struct frame *f, int depth) {
    struct record record;
    if (!may_be_json(f->text) || depth + 1 > LOG_JSON_DEPTH_MAX ||
        !record_read(&r->scratch, f->text, &record))
        return false;
    bool is_rest = record.is_docker && record.count > 0 &&
                   is_cut(r, record.is_stderr);
    r->recent.named_at = 0;
    stream_merge(&f->who, &record.who);
    for (size_t i = 0; i < record.count; i++) {
        struct str text = record.texts[i];
        if (is_rest && i == 0) {
            if (!record.is_partial)
                text.n--;
            read_rest(r, clean_line(text, &r->bufs[BUF_CLEAN + depth + 1]),
                      record.is_stderr, record.is_partial);
        } else {
            read_inner(r, text, f, depth + 1,
                       i == 0 && (!record.is_docker || f->is_record));
        }
    }
    if (record.is_partial && record.count > 0)
        note_cut(r, record.is_stderr, r->last_stream);
    if (record.count == 0)
        hand_out(r, STR(""), stream_of(r, f), false, false);
    return true;
}

/* Reads the logs inside a line that is no record: strings of several lines
 * under any key. */
static bool read_values(struct log_reader *r, const struct frame *f,
                        int depth) {
    struct value v = {.rest = f->text};
    bool is_record = f->is_record, has_value = false;
    while (!f->is_partial && depth < LOG_JSON_DEPTH_MAX &&
           value_find(v.rest, &r->bufs[BUF_VALUES + depth], &v)) {
        uint32_t stream = stream_of(r, f);
        hand_out_text(r, v.before, stream, false, is_record);
        forget_wrap(r, stream);
        read_inner(r, buf_str(&r->bufs[BUF_VALUES + depth]), f, depth + 1,
                   false);
        forget_wrap(r, stream);
        is_record = false;
        has_value = true;
    }
    if (has_value && v.rest.n > 0)
        hand_out_text(r, v.rest, stream_of(r, f), false, false);
    return has_value;
}

static void read_framed(struct log_reader *r, struct frame *f, int depth) {
    if (!read_json(r, f, depth) && !read_values(r, f, depth))
        read_plain(r, f);
    if (depth == 0)
        arena_free(&r->scratch);
}

/* Whether the line continues the one before. */
static enum wrap_seam seam_above(struct log_reader *r, struct str text,
                                 const struct frame *f) {
    bool is_framed =
        f->is_record || (f->kinds & ~(unsigned)FRAME_QUOTE) != 0;
    struct str seen = is_framed ? text : f->text;
    enum wrap_seam seam =
        find_seam(r, &r->recent.widths, &r->recent.wrap, seen,
                  (uint32_t)(text.n - seen.n), !is_framed && !r->has_output);
    if (seam == WRAP_NONE && r->recent.wrap.text_width > f->mark_columns)
        r->recent.wrap.text_width -= f->mark_columns; /* a mark, perhaps */
    return seam;
}

static void note_frames(struct log_reader *r, const struct frame *f) {
    r->recent.line_at = r->place + 1;
    r->recent.mark = f->mark;
    r->recent.bar = f->bar;
    if (r->recent.label_lines > 0)
        r->recent.label_lines--;
    if (f->is_sure_label) {
        r->recent.label_at = r->recent.line_at;
        r->recent.label = f->label;
        r->recent.label_lines = LABEL_LINES;
    }
}

/* Reads the line if it is the rest of one that CRI cut. */
static bool read_cri_rest(struct log_reader *r, struct str text) {
    if (!is_cut(r, false) && !is_cut(r, true))
        return false;
    struct frame f = frame_of(r, text);
    return frame_take_cri(&f) &&
           read_rest(r, f.text, f.is_stderr, f.is_partial);
}

void reader_segment(struct log_reader *r, struct str raw) {
    r->segment_bytes = raw.n;
    struct str text = clean_line(raw, &r->bufs[BUF_CLEAN]);
    if (r->is_long) {
        hand_out_text(r, text, r->stream, true, false);
        return;
    }
    if (read_cri_rest(r, text))
        return;
    struct frame f = frame_of(r, text);
    frame_strip(&f);
    note_frames(r, &f);
    enum wrap_seam seam = seam_above(r, text, &f);
    if (seam == WRAP_NONE) {
        read_framed(r, &f, 0);
        return;
    }
    forget_wrap(r, r->last_stream);
    hand_out_text(r, seam == WRAP_FOLD ? with_blank(r, f.text) : f.text,
                  r->last_stream, true, false);
}

void reader_begin(struct log_reader *r, uint64_t place, uint64_t lines) {
    if (place < r->place) /* what is remembered stands behind it */
        r->recent = (struct recent){0};
    r->place = r->began = place;
    r->stats.lines = lines;
}

void reader_skip(struct log_reader *r, uint64_t bytes, uint64_t lines) {
    r->place += bytes;
    r->stats.lines += lines;
    r->began = r->place;
}

static bool take_utf8(void *ctx, struct str bytes) {
    struct log_reader *r = ctx;
    if (r->prescan)
        prescan_feed(r->prescan, bytes);
    else
        reader_block(r, bytes);
    return true;
}

static bool take_plain(void *ctx, struct str bytes) {
    struct log_reader *r = ctx;
    bool is_over = r->max_bytes > 0 &&
                   bytes.n > r->max_bytes - r->stats.bytes;
    if (is_over) {
        bytes.n = (size_t)(r->max_bytes - r->stats.bytes);
        r->stats.truncated = true;
    }
    r->stats.bytes += bytes.n;
    encoding_feed(r->decoder, bytes);
    return !is_over && encoding_kind(r->decoder) == LOG_KIND_LOG;
}

static bool take_inner(void *ctx, struct str bytes) {
    struct log_reader *r = ctx;
    inflate_feed(r->inner, bytes);
    return encoding_kind(r->decoder) == LOG_KIND_LOG;
}

/* ---- log.h ---- */

static struct log_reader *open_bare(struct arena *a, log_line_fn on_line,
                                    void *ctx) {
    struct log_reader *r = arena_alloc(a, sizeof *r);
    r->a = a;
    r->on_line = on_line;
    r->ctx = ctx;
    arena_init_inside(&r->scratch, a, LOG_SCRATCH_BYTES_MAX);
    for (size_t i = 0; i < READER_BUFS; i++)
        r->bufs[i] = buf_in(a, LOG_CLEAN_BYTES_MAX);
    return r;
}

struct log_tables log_tables_new(struct arena *a) {
    return (struct log_tables){frames_new(a), stamps_new(a)};
}

struct log_reader *log_open(struct arena *a, struct log_tables tables,
                            uint64_t max_bytes, log_line_fn on_line,
                            void *ctx) {
    struct log_reader *r = open_bare(a, on_line, ctx);
    r->max_bytes = max_bytes;
    r->streams = stream_table_new(a);
    r->tables = tables;
    r->inner = inflate_open(a, take_plain, r);
    r->inflater = inflate_open(a, take_inner, r);
    r->decoder = encoding_open(a, take_utf8, r);
    return r;
}

void log_prescan(struct log_reader *r, const struct log_selector *selector) {
    r->prescan = prescan_new(r->a, selector, r);
    r->history = prescan_history(r->prescan);
}

uint64_t log_place(const struct log_reader *r) {
    return r->place;
}

void log_keep(struct log_reader *r, uint64_t place) {
    if (r->history)
        history_mark(r->history, place);
}

void log_again(struct log_reader *r, bool is_all, log_line_fn on_line,
               void (*on_end)(void *ctx), void *ctx) {
    if (!r->history)
        return;
    struct log_reader *beside = open_bare(r->a, on_line, ctx);
    beside->streams = r->streams;
    beside->tables = r->tables;
    history_read(r->history, is_all, beside, on_end);
}

void log_feed(struct log_reader *r, struct str bytes) {
    if (r->is_ended || bytes.n == 0)
        return;
    inflate_feed(r->inflater, bytes);
}

void log_end(struct log_reader *r) {
    if (r->is_ended)
        return;
    r->is_ended = true;
    bool is_whole = inflate_end(r->inflater);
    if (!inflate_end(r->inner) || !is_whole)
        r->stats.truncated = true;
    encoding_end(r->decoder);
    if (r->prescan)
        prescan_end(r->prescan);
    reader_end(r);
}

struct log_stats log_stats(const struct log_reader *r) {
    struct log_stats stats = r->stats;
    stats.kind = encoding_kind(r->decoder);
    return stats;
}

const struct stream *log_streams(const struct log_reader *r) {
    return stream_all(r->streams);
}

size_t log_stream_count(const struct log_reader *r) {
    return stream_count(r->streams);
}
