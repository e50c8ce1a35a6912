/* reader.h: the state that the parts of the reader share. prescan.c and
 * history.c choose the bytes to read, reader_cut.c cuts them into lines,
 * reader.c reads a line. Private to log/. */
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

#define LABEL_LINES 64 /* so long a "3: " counts as a rank */

/* Buffers for the rewritten text of a line. */
enum {
    BUF_SEGMENT, /* of the physical line being read */
    BUF_UNFOLDED,
    BUF_FOLDED,
    BUF_CLEAN, /* one for each depth */
    BUF_VALUES = BUF_CLEAN + LOG_JSON_DEPTH_MAX + 1,
    READER_BUFS = BUF_VALUES + LOG_JSON_DEPTH_MAX
};

/* What is remembered of the lines before. `*_at`: 1 + the place of the last
 * line of that kind; 0: there was none, or it is forgotten. */
struct recent {
    uint64_t line_at;
    uint64_t mark, bar;   /* hashes of what that line begins with: "# ",
                             "pod worker | "; 0: none */
    uint64_t label_at;    /* a line whose label is proved: "3: ", "node7: " */
    size_t label;         /* its row of the table, from 1 */
    uint32_t label_lines; /* so many more lines may have this label */
    uint64_t carried_at;  /* a line whose stream a carrier names */
    uint64_t named_at;    /* a line whose stream any frame names */
    uint32_t unnamed_lines; /* lines without a frame that continue it */
    uint32_t inset_lines;   /* indented ones */
    uint64_t plain_inset_at; /* the last line without a stream is indented */
    uint64_t cut_at[2]; /* a line that docker or CRI cut: stdout, stderr */
    uint32_t cut_stream[2];
    struct wrap_widths widths; /* of lines as printed, with their frames */
    struct wrap_line wrap;
    struct wrap_widths framed_widths; /* of the texts behind frames */
    struct wrap_line framed_wrap[LOG_STREAMS_MAX];
    uint64_t prefix_at[LOG_STREAMS_MAX];
    uint64_t prefix[LOG_STREAMS_MAX]; /* hash of the last record's; 0: none */
};

struct log_reader {
    struct arena *a;
    struct arena scratch; /* JSON of the line being read */
    log_line_fn on_line;
    void *ctx;
    uint64_t max_bytes;
    struct log_stats stats;
    struct inflater *inflater, *inner; /* inner: for a second compression */
    struct decoder *decoder;
    struct prescan *prescan; /* NULL: every line is read */
    struct history *history; /* NULL: likewise */
    bool is_ended;

    /* the physical line being read */
    bool has_bytes;       /* since the last '\n' */
    bool has_output;      /* a segment of it was handed on */
    bool is_long;         /* pieces of this segment were handed on */
    uint32_t stream;      /* of its last segment */
    uint32_t last_stream; /* of the last line */
    uint64_t place;       /* of the segment's first byte */
    size_t segment_bytes;

    uint64_t began; /* where reading began: at the start, or behind a gap */
    struct recent recent;

    struct stream_table *streams;
    struct log_tables tables;
    struct buf bufs[READER_BUFS];
    struct log_stamp stamp; /* of the line being read */
};

/* Reads a segment: a line, or a part of it that ends with '\r' or has
 * LOG_LINE_MAX bytes. */
void reader_segment(struct log_reader *r, struct str raw);

/* The next bytes begin at this place, behind so many lines. */
void reader_begin(struct log_reader *r, uint64_t place, uint64_t lines);
/* So many bytes and lines are skipped. */
void reader_skip(struct log_reader *r, uint64_t bytes, uint64_t lines);
/* Reads bytes of the decoded input, in pieces of any size. */
void reader_block(struct log_reader *r, struct str bytes);
/* Reads a last line that has no newline. */
void reader_end(struct log_reader *r);

#endif
