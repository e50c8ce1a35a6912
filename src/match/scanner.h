/* scanner.h: what the files of a scan share. Private to match/.
 *
 *   scan.c     lines of the log -> lanes; the result
 *   lane.c     a lane's text -> literals -> ranges -> matches (PCRE2)
 *   message.c  a match -> its message, traceback, extracts
 *   keep.c     -> hits, within bounds
 */
#ifndef MATCH_SCANNER_H
#define MATCH_SCANNER_H

#include "match/pattern.h"
#include "match/reach.h"
#include "match/window.h"

#define KEEP_FIRST 32 /* hits kept of a pattern that is no signature ... */
#define KEEP_LAST 32  /* ... and of those after them, the last ones */
#define CAPTURES_MAX 256     /* of one hit */
#define COMMAND_MAX 8192     /* bytes of the group `command` */
#define CAPTURE_TEXT_MAX 1024
#define LAST_LINE_MAX 512

/* How far a match reaches from its literal, in positions: text before a
 * literal, and text that has to be there behind it before PCRE2 is asked.
 * Literals of one pattern that stand close are asked about at once. */
#define REACH_BACK (8 * 1024)
#define REACH_AHEAD (8 * 1024)
#define RANGE_MAX (8 * 1024)
/* From the start of a match: all that could end its message is known. */
#define MESSAGE_AHEAD (MATCH_MESSAGE_MAX + REACH_AHEAD + RANGE_MAX)

struct range { /* literals of one pattern end between first and last */
    uint32_t pattern;
    uint64_t first, last;
};

struct capture_at {
    const struct named_group *group;
    uint64_t from, to;
};

struct found { /* a match */
    uint32_t pattern;
    uint64_t from, to;
    size_t capture_from, capture_count; /* in the lane's captures */
};

struct pattern_place { /* one pattern in one stream */
    uint64_t next;  /* its next match begins here or later */
    size_t range;   /* 1 + its open range; 0: none */
};

struct tail { /* a traceback that still goes on */
    uint32_t last_line;
};

struct lane { /* one stream */
    uint32_t stream;
    struct window w;
    struct pattern_place *places; /* by pattern; NULL until one is named */
    struct range *ranges;
    size_t range_count, range_cap;
    struct found *found;
    size_t found_count, found_cap;
    struct capture_at *captures;
    size_t capture_count, capture_cap;
    struct tail *tail; /* of tail_block; NULL: nobody waits for it */
    uint32_t tail_block;
};

struct slot { /* a kept hit and the memory of its texts */
    struct hit hit;
    char *memory;
    size_t memory_bytes;
    struct tail *tail;
};

struct pattern_state { /* a pattern that a literal has named */
    struct pattern_state *older;
    const struct pattern *is;
    struct regex *regex; /* NULL: not compiled yet */
    struct reach reach;
    struct regex **extract; /* compiled at the first message */
    struct slot *slots;     /* no signature: KEEP_FIRST + KEEP_LAST of them */
    uint64_t hits;
};

struct scanner {
    struct arena *a;
    struct reader *reader;
    struct prefilter filter;
    size_t pattern_count;
    struct matcher *matcher;
    struct log_reader *log;
    struct lane *lanes[LOG_STREAMS_MAX];
    struct pattern_state **patterns; /* by id */
    struct pattern_state *newest;    /* of those that are known */
    struct slot **signatures; /* MATCH_INCIDENTS_MAX at most */
    size_t signature_count, signature_cap;
    uint64_t order; /* of the next line's first byte */
    char last_line[LAST_LINE_MAX];
    size_t last_line_n;
    uint32_t last_line_number, last_line_stream;
    struct scan_result result;
};

/* scan.c: what is known of a pattern, and the same with its regex compiled */
struct pattern_state *scan_known(struct scanner *s, uint32_t id);
struct pattern_state *scan_pattern(struct scanner *s, uint32_t id);
struct regex *scan_compile(struct scanner *s, struct str text);

/* lane.c */
void lane_line(struct scanner *s, struct lane *l, const struct line *line);
void lane_end(struct scanner *s, struct lane *l);
/* Named groups of the last find, in text order, appended to out. at: position
 * for an offset. */
void lane_captures(struct scanner *s, struct lane *l, const struct regex *r);

/* message.c: found[i] of the lane becomes a hit. */
void message_finish(struct scanner *s, struct lane *l, size_t i);

/* keep.c */
struct hit_draft {
    const struct lane *lane;
    struct pattern_state *pattern;
    const struct found *found;
    uint64_t end; /* of the message */
    uint32_t first_line, last_line, trace_first, trace_last;
    struct tail *tail;
    const struct capture_at *captures;
    size_t capture_count;
};
/* False when a signature's hits are full: only counted then. */
bool keep_has_room(struct scanner *s, const struct pattern_state *p);
void keep_hit(struct scanner *s, const struct hit_draft *d);
struct hit_list keep_list(struct scanner *s);

/* A capture as facts are read from it: a wrap in it is a blank. Writes at most
 * text.n bytes; returns how many. */
size_t capture_unwrap(struct str text, char *out);

#endif
