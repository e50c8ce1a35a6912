/* scanner.h: what the files of a scan share. Private to match/.
 *
 *   scan.c           lines of the log -> buffers; the result
 *   stream_buffer.c  a buffer's text -> literals (prefilter.c) -> ranges
 *                    -> matches (PCRE2)
 *   message.c        a match -> its message, traceback, extracts
 *   guard.c          what must not stand where a match begins
 *   keep.c           -> hits that anybody asks for, within bounds
 *   budget.c         the work that all this may be
 */
#ifndef MATCH_SCANNER_H
#define MATCH_SCANNER_H

#include "base/limits.h"
#include "match/pattern.h"
#include "match/prefilter.h"
#include "match/window.h"

#define KEEP_FIRST 32 /* hits kept of a pattern that is no signature ... */
#define KEEP_LAST 32  /* ... and of those after them, the last ones */
#define SUFFIX_RUNS 256 /* of which an eighth has to deny, or it is left */
#define SUFFIX_AFTER 128 /* literals of a pattern; then its suffix is tried */

/* How far a match reaches from its literal, in positions: text before a
 * literal, and text that has to be there behind it before PCRE2 is asked.
 * Literals of one pattern that stand close are asked about at once. */
#define REACH_BACK (8 * 1024)
#define REACH_AHEAD (8 * 1024)
/* The same in bytes of the input, where lines of other streams stand between:
 * a match begins no earlier before its literal's line and ends no later behind
 * it, and no message is longer. So the places round literals are all that has
 * to be read (candidates.h). */
#define SIGNATURE_REACH (8 * 1024)
#define OTHER_REACH (4 * 1024) /* of a pattern that is no signature */
/* From the start of a match: all that could end its message is known. */
#define MESSAGE_AHEAD (MATCH_MESSAGE_MAX + REACH_AHEAD + SEARCH_RANGE_MAX)

struct range { /* literals of one pattern end between first and last */
    struct pattern_state *pattern;
    uint64_t begin; /* of their matches, at the earliest */
    uint64_t first, last;
};

struct capture_at {
    const struct named_group *group;
    uint64_t from, to;
};

struct found { /* a match */
    uint32_t pattern;
    uint64_t from, to;
    size_t capture_from, capture_count; /* in the buffer's captures */
};

static inline uint64_t found_last(const struct found *f) { /* its last byte */
    return f->to > f->from ? f->to - 1 : f->from;
}

struct pattern_place { /* one pattern in one stream */
    uint64_t next;  /* its next match begins here or later */
    size_t range;   /* 1 + its open range; 0: none */
};

struct stream_buffer { /* the text of one stream */
    uint32_t stream;
    struct window w;
    struct pattern_place *places; /* by the pattern's number in the scan */
    size_t place_count, place_cap;
    struct range *ranges;
    size_t range_count, range_cap;
    struct found *found;
    size_t found_count, found_cap;
    struct capture_at *captures;
    size_t capture_count, capture_cap;
    uint32_t *trace_last; /* line of traceback_block, which still goes on; NULL:
                             nobody waits for it */
    uint32_t traceback_block;
};

struct slot { /* a kept hit and the memory of its texts */
    struct hit hit;
    char *memory;
    size_t memory_bytes;
    const uint32_t *trace_last; /* of a traceback that went on; NULL: none */
    uint32_t line; /* of the match's last byte */
};

struct slots { /* in the order of the log */
    struct slot **at;
    size_t count, cap;
};

struct pattern_state { /* a pattern that a literal has named */
    const struct pattern *is;
    struct regex *regex; /* NULL: not compiled yet */
    struct regex **extract; /* compiled at the first message */
    struct guard **guards;  /* NULL: none was asked yet */
    /* What is behind this is of one scan. */
    uint32_t number;        /* from 1, in the order of being named; 0: it is not */
    struct regex *suffix;   /* NULL: none, or not asked for yet */
    uint32_t named;         /* so often; up to SUFFIX_AFTER */
    uint32_t suffix_runs, suffix_denials; /* in the lines that are read */
    uint64_t steps;         /* all work of its searches */
    bool has_given_up;
    struct slots slots; /* no signature: KEEP_FIRST + KEEP_LAST at most */
};

/* What scans of one thread, one after the other, know of patterns. */
struct known_patterns {
    struct arena *a;
    struct reader *reader;
    struct matcher *matcher;
    uint64_t steps_before;       /* of the matcher, where this scan began */
    struct guard *guards;        /* of all patterns */
    struct pattern_state **by_id; /* NULL: no scan has named it */
    struct pattern_state **named; /* by this scan, in order */
    size_t named_count, named_cap;
};

struct occurrence { /* of a literal, in a buffer's text */
    uint32_t literal;
    uint32_t folded; /* its first byte there */
    uint32_t begin, end;
};

struct occurrences {
    const struct prefilter *f;
    struct folded folded; /* the text that is looked at */
    size_t found_to;      /* literals that end here or before were found before */
    struct occurrence *at;
    size_t count, cap;
};

/* Which patterns a scanner looks for. */
enum scan_scope {
    SCOPE_ALL,
    SCOPE_SIGNATURES, /* the others are found beside */
    SCOPE_BESIDE
};

struct scan_rules {
    struct prefilter filter[PREFILTER_KINDS];
    struct log_tables tables;
    const struct shapes *shapes;
    size_t pattern_count, entry_count;
};

struct scanner {
    struct arena *a;
    const struct scan_rules *rules;
    enum scan_scope scope;
    struct scanner *owner; /* of the log, patterns and what is kept: itself, but
                              of SCOPE_BESIDE */
    uint64_t late_from; /* SCOPE_BESIDE: before this place no pattern is looked
                           for whose first hits are all there */
    struct reader *reader;
    struct matcher *matcher;
    struct occurrences occurrences;
    struct log_reader *log;
    enum scan_way way;
    uint32_t threads;
    bool is_begun;
    bool is_final;       /* all signatures have been matched */
    unsigned char *sighted; /* by entry: a signature of its group matched; NULL:
                               none did */
    struct stream_buffer *buffers[LOG_STREAMS_MAX];
    struct known_patterns *known;
    bool has_failure; /* a message that leaves no doubt was matched */
    struct slots signatures; /* MATCH_INCIDENTS_MAX at most */
    uint64_t place, order; /* of the line; of its text in it */
    uint64_t bytes;        /* of all lines */
    char last_line[LAST_LINE_MAX];
    size_t last_line_n;
    uint32_t last_line_number, last_line_stream;
    struct scan_result result;
};

/* Text in a line may take three bytes where the input has one. */
#define ORDER_OF(place) (4 * (place))

/* The lines that follow are no neighbours of those before, in any stream. */
void scan_break(struct scanner *s);
/* scan.c: what is known of a pattern, and the same with its regex compiled */
struct pattern_state *scan_known(struct scanner *s, uint32_t id);
struct pattern_state *scan_pattern(struct scanner *s, uint32_t id);
/* Its text (which: 0), one of its extracts (from 1) or guards (behind those),
 * compiled. */
struct regex *scan_regex(struct scanner *s, const struct pattern *p,
                         size_t which);
/* Of a literal of the pattern that begins at `at`: can there be no match that
 * it is part of, whatever the text goes on with? */
bool scan_denies(struct scanner *s, struct pattern_state *p, struct str text,
                 size_t at);

/* guard.c: do the pattern's guards let it match at this place of the text? */
enum holding guards_hold(struct scanner *s, struct pattern_state *p,
                        const struct search *search, size_t at);
/* The text has changed. */
void guards_forget(struct scanner *s);

/* budget.c: may the pattern be searched for any longer? */
bool budget_allows(struct scanner *s, const struct pattern_state *p);
/* What was searched since regex_steps() was `before` was for this pattern. */
void budget_charge(struct scanner *s, struct pattern_state *p,
                   uint64_t before);
/* It was not, or not to the end, searched for in this line. */
void budget_note(struct scanner *s, struct pattern_state *p, uint32_t line);

/* stream_buffer.c */
void stream_buffer_line(struct scanner *s, struct stream_buffer *l, const struct line *line,
               uint64_t order);
void stream_buffer_end(struct scanner *s, struct stream_buffer *l);
/* Which patterns are matched. Prose is looked for where no message stands. */
enum matched { MATCHED_MESSAGES, MATCHED_SIGNATURES, MATCHED_ALL };
/* In all that the buffer has. */
void stream_buffer_match(struct scanner *s, struct stream_buffer *l,
                         enum matched which);
/* The lines that follow are no neighbours of those before. */
void stream_buffer_break(struct scanner *s, struct stream_buffer *l);
/* Named groups of the last find, in text order, appended to out. at: position
 * for an offset. */
void stream_buffer_captures(struct scanner *s, struct stream_buffer *l, const struct regex *r);

/* The place up to which its traceback may go on. */
uint64_t stream_buffer_trace_end(const struct stream_buffer *l);

/* choose.c: small: an input of fewer bytes is read without asking. */
const struct log_selector *choose_failures(struct scanner *s, size_t small);

/* message.c: found[i] of the buffer becomes a hit. */
void message_finish(struct scanner *s, struct stream_buffer *l, size_t i);

/* keep.c: a signature has matched; and, once all have: will anybody ask for
 * hits of this pattern? */
void wanted_note(struct scanner *s, const struct pattern *signature);
bool wanted_is(const struct scanner *s, const struct pattern *p);
struct hit_draft {
    const struct stream_buffer *buffer;
    struct pattern_state *pattern;
    const struct found *found;
    uint64_t end; /* of the message */
    uint32_t first_line, last_line, trace_first, trace_last;
    const uint32_t *open_last; /* line of a traceback that still goes on */
    const struct capture_at *captures;
    size_t capture_count;
};
/* False for a signature's match behind all that may be kept: it was counted. */
bool keep_wants(struct scanner *s, const struct window *w,
                const struct found *f, const struct pattern_state *p);
/* Are these all that is kept of what stands before this order? */
bool keep_is_full_to(const struct pattern_state *p, uint64_t order);
void keep_hit(struct scanner *s, const struct hit_draft *d);
int hits_by_order(const void *x, const void *y); /* for qsort() */
struct hit_list keep_list(struct scanner *s);

/* A capture as facts are read from it: a wrap in it is a blank. Writes at most
 * text.n bytes; returns how many. */
size_t capture_unwrap(struct str text, char *out);

#endif
