/* log.h: bytes to lines. Input is hostile and endless: any size, one pass,
 * bounded memory. A line is decoded (UTF-8, UTF-16; gzip, zstd and xz by
 * content, also one in another), free of ANSI colours and control bytes, taken
 * out of its frames (frame_table.c; JSON: record.c) and assigned to a stream.
 * It is marked if it continues a line that was cut.
 *
 * A line without a frame belongs to the stream of the line above if that line
 * had no room for its first word: it was wrapped after it was framed.
 *
 * Line numbers count the '\n' of the decompressed input, from 1. One physical
 * line may give several lines (a \r progress bar, "\n" inside a repr) of the
 * same number.
 */
#ifndef LOG_LOG_H
#define LOG_LOG_H

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "log/stamp.h"
#include "log/kind.h"

/* How a line is read depends on so many bytes before it, and on no more. */
#define LOG_MEMORY 2048

/* Who printed a line, as far as its frame shows. */
struct stream {
    int64_t rank, pid;         /* -1: unknown */
    struct str pod, container, process; /* "EngineCore_DP0", "Worker_TP1" */
};

struct line {
    struct str text;   /* valid during the call; UTF-8, at most LOG_LINE_MAX */
    uint64_t place;    /* of its first byte in the decoded input */
    uint32_t number;   /* saturates */
    uint32_t stream;   /* 0: no frame names one */
    struct log_stamp stamp; /* of its frame */
    bool is_joined;    /* it continues the stream's last line, which was cut,
                          without a blank between them */
    bool is_record;    /* it begins a new message: with a timestamp or level
                          of its own, or with "Traceback". The clock of a
                          carrier does not count, nor does a prefix that
                          repeats the one above: vLLM's on further lines of
                          one record, any other below a full line */
};

typedef void (*log_line_fn)(void *ctx, const struct line *line);

struct log_stats {
    uint64_t lines, bytes; /* of the decompressed input */
    bool truncated;        /* the compressed input is damaged or ends early, or
                              the input is longer than max_bytes */
    enum log_kind kind;    /* of an input that is no log nothing is read */
};

/* ---- reading only the parts that may matter ----
 *
 * A selector looks at the decoded input before it is cut into lines, and marks
 * what may matter. Lines around a mark are read as if the whole input were
 * read, except that the stream of a line without a frame may differ. Lines that
 * are near no mark are skipped and only counted. Streams are numbered in the
 * order in which they are read. */

/* Bytes of text behind `to` that a selector may see. */
#define LOG_SELECTOR_AHEAD (16 * 1024)

struct log_mark { /* so many bytes before and behind `at` are read */
    size_t at;
    uint32_t before, behind;
};

struct log_marks { /* in ascending order */
    struct arena *a;
    struct log_mark *at;
    size_t count, cap;
};

struct log_selector {
    void *ctx;
    size_t small; /* an input of fewer bytes is read without looking */
    uint32_t at_once; /* number of threads of look(): above 1 it gets a larger
                         block, a part for each of them */
    /* Marks what may matter in text[from, to), which are whole lines. The text
     * before `from` was looked at before; the text behind `to` comes with the
     * next call. place: of the text. */
    void (*look)(void *ctx, struct str text, uint64_t place, size_t from,
                 size_t to, struct log_marks *marks);
    /* Called when what was marked has been read. Returns the place up to which
     * further lines are read; 0: none. */
    uint64_t (*pause)(void *ctx);
    /* Called before a small input is read whole, without look(). */
    void (*whole)(void *ctx);
    /* Called when lines were skipped before the next. */
    void (*gap)(void *ctx);
};

struct log_reader;
struct frames;
struct stamps;

/* The patterns of frames and times, compiled once for any number of readers in
 * any number of threads. */
struct log_tables {
    const struct frames *frames;
    const struct stamps *stamps;
};
struct log_tables log_tables_new(struct arena *a);

/* max_bytes 0: no limit. All memory is in the arena. Content raises nothing,
 * except FAIL_INPUT if nothing of a compressed stream can be read, and
 * FAIL_CEILING if its window is too large. */
struct log_reader *log_open(struct arena *a, struct log_tables tables,
                            uint64_t max_bytes, log_line_fn on_line,
                            void *ctx);
/* To be called before the first log_feed(). The selector must outlive the
 * reader. */
void log_prescan(struct log_reader *r, const struct log_selector *selector);
void log_feed(struct log_reader *r, struct str bytes);
/* Bytes of the decoded input that were read or skipped. */
uint64_t log_place(const struct log_reader *r);
/* Keeps the text around this place for log_again(). */
void log_keep(struct log_reader *r, uint64_t place);
/* Reads what is kept of a log again, after its end. on_end is called after each
 * contiguous part. Streams keep their numbers. is_all: everything kept is read;
 * otherwise only a little of both ends. */
void log_again(struct log_reader *r, bool is_all, log_line_fn on_line,
               void (*on_end)(void *ctx), void *ctx);
void log_end(struct log_reader *r);
struct log_stats log_stats(const struct log_reader *r);
/* By number; log_stream_count() of them. */
const struct stream *log_streams(const struct log_reader *r);
size_t log_stream_count(const struct log_reader *r);

#endif
