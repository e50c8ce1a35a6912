/* log.h: bytes to lines. Input is hostile and endless: any size, one pass,
 * bounded memory. What comes out is decoded (UTF-8, UTF-16; gzip, zstd and xz by
 * content), free of ANSI colours and control bytes, taken out of its frames
 * (docker JSON, CRI, journald, syslog, kubectl prefixes, timestamps, Ray and
 * rank prefixes, `> ` and `# ` quotes), told apart by stream, and knows when
 * it goes on where the line before was cut.
 *
 * Numbers of lines count '\n' of the decompressed input, from 1. One physical
 * line may give several lines (a \r progress bar, "\n" inside a repr) of the
 * same number.
 */
#ifndef LOG_LOG_H
#define LOG_LOG_H

#include "base/arena.h"
#include "base/str.h"

#define LOG_LINE_MAX (64 * 1024)  /* a longer line comes in pieces, joined */
#define LOG_STREAMS_MAX 256       /* further ones share the last */

/* Who printed a line, as far as its frame says. */
struct stream {
    int64_t rank, pid;         /* -1: not said */
    struct str pod, container, process; /* "EngineCore_DP0", "Worker_TP1" */
};

struct line {
    struct str text;   /* valid during the call; UTF-8, at most LOG_LINE_MAX */
    uint32_t number;   /* saturates */
    uint32_t stream;   /* 0: no stream named */
    bool is_joined;    /* goes on where the stream's last line was cut, no
                          blank between */
    bool is_record;    /* begins with a timestamp or level of its own, or with
                          "Traceback": a new message. A carrier's clock does
                          not count, nor does vLLM's prefix repeated on the
                          further lines of one record */
};

typedef void (*log_line_fn)(void *ctx, const struct line *line);

struct log_stats {
    uint64_t lines, bytes; /* of the decompressed input */
    bool truncated;        /* the compressed input ended early, or max_bytes */
};

struct log_reader;

/* max_bytes 0: no end. All memory is in the arena. Never raises on content,
 * except FAIL_INPUT for a damaged compressed stream at its very start. */
struct log_reader *log_open(struct arena *a, uint64_t max_bytes,
                            log_line_fn on_line, void *ctx);
void log_feed(struct log_reader *r, struct str bytes);
void log_end(struct log_reader *r);
struct log_stats log_stats(const struct log_reader *r);
const struct stream *log_stream(const struct log_reader *r, uint32_t stream);
size_t log_stream_count(const struct log_reader *r);

#endif
