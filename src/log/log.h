/* log.h: bytes to lines. Input is hostile and endless: any size, one pass,
 * bounded memory. What comes out is decoded (UTF-8, UTF-16; gzip, zstd and xz
 * by content, one in another too), free of ANSI colours and control bytes,
 * taken out of its frames (frame_table.c; JSON: record.c), told apart by
 * stream, and knows when it goes on where the line before was cut.
 *
 * A line that no frame names goes on with who spoke above, where that line had
 * no room for its first word: it was folded behind its frame.
 *
 * Numbers of lines count '\n' of the decompressed input, from 1. One physical
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

#define LOG_MEMORY 2048 /* bytes back; what stood before leaves no trace in how
                           a line is read */

/* Who printed a line, as far as its frame says. */
struct stream {
    int64_t rank, pid;         /* -1: not said */
    struct str pod, container, process; /* "EngineCore_DP0", "Worker_TP1" */
};

struct line {
    struct str text;   /* valid during the call; UTF-8, at most LOG_LINE_MAX */
    uint64_t place;    /* of its first byte in the decoded input */
    uint32_t number;   /* saturates */
    uint32_t stream;   /* 0: no stream named */
    struct log_stamp stamp; /* of its frame */
    bool is_joined;    /* goes on where the stream's last line was cut, no
                          blank between */
    bool is_record;    /* begins with a timestamp or level of its own, or with
                          "Traceback": a new message. A carrier's clock does
                          not count, nor does vLLM's prefix repeated on the
                          further lines of one record, nor another's where the
                          line above was full */
};

typedef void (*log_line_fn)(void *ctx, const struct line *line);

struct log_stats {
    uint64_t lines, bytes; /* of the decompressed input */
    bool truncated;        /* the compressed input ended early, or max_bytes */
    enum log_kind kind;    /* no log: nothing of it was read */
};

/* ---- reading only where it may be worth it ----
 *
 * A selector looks at the decoded input before it is cut into lines, and marks
 * what may matter. Lines round a mark are read as if all had been, but for who
 * printed an unnamed line; what no mark is near is passed over, its lines only
 * counted. Streams are then numbered as they are met. */

#define LOG_SELECTOR_AHEAD (16 * 1024) /* text behind `to` that a selector may see */

struct log_mark { /* read so many bytes before and behind */
    size_t at;
    uint32_t before, behind;
};

struct log_marks { /* their places rise */
    struct arena *a;
    struct log_mark *at;
    size_t count, cap;
};

struct log_selector {
    void *ctx;
    size_t small; /* an input of fewer bytes is read without looking */
    uint32_t at_once; /* blocks that look() is given, where there are so many:
                         one for each of its threads */
    /* Mark what may matter of text[from, to), which are whole lines. The text
     * goes on behind `to`, as far as is known; before `from` stands what was
     * looked at before. place: of the text. */
    void (*look)(void *ctx, struct str text, uint64_t place, size_t from,
                 size_t to, struct log_marks *marks);
    /* What was marked has been read. The place up to which lines are still
     * wanted; 0: none. */
    uint64_t (*pause)(void *ctx);
    /* The input is small: all of it is read without a look. */
    void (*whole)(void *ctx);
    /* Lines were passed over before the next. */
    void (*gap)(void *ctx);
};

struct log_reader;
struct frames;
struct stamps;

/* Framings and forms of times, compiled: once, for any number of readers in any
 * number of threads. */
struct log_tables {
    const struct frames *frames;
    const struct stamps *stamps;
};
struct log_tables log_tables_new(struct arena *a);

/* max_bytes 0: no end. All memory is in the arena. Never raises on content,
 * except FAIL_INPUT for a damaged compressed stream at its very start. */
struct log_reader *log_open(struct arena *a, struct log_tables tables,
                            uint64_t max_bytes, log_line_fn on_line,
                            void *ctx);
/* Before the first feed. The selector outlives the reader. */
void log_prescan(struct log_reader *r, const struct log_selector *selector);
void log_feed(struct log_reader *r, struct str bytes);
/* So much of the decoded input was read or passed over. */
uint64_t log_place(const struct log_reader *r);
/* What stands round this place may be read again. */
void log_keep(struct log_reader *r, uint64_t place);
/* When the log has ended: the lines of what is kept of it, stretch by stretch,
 * each a text of its own with an end; streams keep their numbers. is_all is
 * false where nothing was kept on purpose: then little. */
void log_again(struct log_reader *r, bool is_all, log_line_fn on_line,
               void (*on_end)(void *ctx), void *ctx);
void log_end(struct log_reader *r);
struct log_stats log_stats(const struct log_reader *r);
/* Behind it stand the streams of higher numbers. */
const struct stream *log_stream(const struct log_reader *r, uint32_t stream);
size_t log_stream_count(const struct log_reader *r);

#endif
