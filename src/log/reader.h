/* reader.h: what the parts of the reader share: reader.c reads a line,
 * reader_cut.c cuts bytes into lines, prescan.c and history.c choose which bytes
 * these are. Private to log/. */
#ifndef LOG_READER_H
#define LOG_READER_H

#include "log/encoding.h"
#include "log/frame.h"
#include "log/history.h"
#include "log/inflate.h"
#include "log/log.h"
#include "log/prescan.h"
#include "log/stream.h"
#include "log/wrap.h"
#include "base/limits.h"

#define LABEL_LINES 64  /* how long a "3: " is believed to be a rank */

/* Where the text of a line is rewritten. */
enum {
    BUF_SEGMENT,  /* of the physical line being read */
    BUF_UNFOLDED,
    BUF_FOLDED,
    BUF_CLEAN,    /* one for each depth */
    BUF_VALUES = BUF_CLEAN + LOG_JSON_DEPTH_MAX + 1,
    READER_BUFS = BUF_VALUES + LOG_JSON_DEPTH_MAX
};

/* What lines leave for those that follow, and where they did: 1 + a place; 0:
 * nowhere, or it is forgotten. */
struct traces {
    uint64_t above;      /* the line before stood there, */
    uint64_t mark, bar;  /* and began with these: "# ", "pod worker | " */
    uint64_t labelled;   /* "3: " was a rank there, "node7: " a machine, */
    size_t label;        /* by this row of the table (frame.h) */
    uint32_t label_lines; /* how many more may carry it */
    uint64_t carried;    /* a carrier named the stream of a line */
    uint64_t named;      /* a frame did; lines behind may go on with it */
    uint32_t unnamed_lines; /* so many just did, whose record named it */
    uint64_t cut[2];     /* by docker or CRI, on stdout, on stderr */
    uint32_t goes_on[2]; /* in this stream */
    struct wrap_page page, framed_page;
    struct wrap wrap;
    struct wrap framed_wrap[LOG_STREAMS_MAX];
    uint64_t prefixed[LOG_STREAMS_MAX];
    uint64_t prefix[LOG_STREAMS_MAX]; /* hash of the last record's; 0: none */
};

struct log_reader {
    struct arena *a;
    struct arena scratch; /* JSON of the line being read */
    log_line_fn on_line;
    void *ctx;
    uint64_t max_bytes;
    struct log_stats stats;
    struct inflater *inflater, *inner; /* what was compressed twice */
    struct decoder *decoder;
    struct prescan *prescan; /* NULL: every line is read */
    struct history *history; /* NULL likewise */
    bool is_ended;

    /* the physical line being read */
    bool has_bytes;   /* since the last '\n' */
    bool has_output;  /* a segment of it was handed on */
    bool is_long;     /* pieces of this segment were handed on */
    uint32_t stream;  /* of its last segment */
    uint32_t last_stream; /* of the last line */
    uint64_t place;   /* of the segment's first byte */
    size_t raw_n;     /* its bytes */

    uint64_t began; /* reading began here: at the start, or behind a gap */
    struct traces left;

    struct stream_table *streams;
    struct log_tables tables;
    struct buf bufs[READER_BUFS];
    struct log_stamp stamp; /* of the line being read */
};

/* One line, or a piece of it that a '\r' ends or that is as long as may be. */
void reader_segment(struct log_reader *r, struct str raw);

/* What follows stands at this place, so many lines before it; or so much
 * further on than what was read. */
void reader_begin(struct log_reader *r, uint64_t place, uint64_t lines);
void reader_pass(struct log_reader *r, uint64_t bytes, uint64_t lines);
/* Bytes of the decoded input, as they come. */
void reader_block(struct log_reader *r, struct str bytes);
/* The last line has no newline. */
void reader_end(struct log_reader *r);
/* The most of s that ends with a whole character. */
size_t reader_whole_characters(struct str s);

#endif
