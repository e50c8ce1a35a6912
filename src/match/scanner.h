/* scanner.h: the state that the files of a scan share. Private to match/.
 *
 *   scan.c           lines of the log -> buffers; the result
 *   stream_buffer.c  a buffer's text -> literals (prefilter.c) -> ranges
 *                    -> matches (PCRE2)
 *   message.c        a match -> its message, traceback, extracts
 *   guard.c          conditions on the line where a match begins
 *   keep.c           hits that are used, within bounds
 *   budget.c         limits on work
 */
#ifndef MATCH_SCANNER_H
#define MATCH_SCANNER_H

#include "base/limits.h"
#include "match/pattern.h"
#include "match/prefilter.h"
#include "match/window.h"

#define KEEP_FIRST 32 /* hits kept of a pattern that is no signature ... */
#define KEEP_LAST 32  /* ... and of those after them, the last ones */
#define SUFFIX_RUNS 256  /* of which an eighth must deny, or it is given up */
#define SUFFIX_AFTER 128 /* literals of a pattern before its suffix is tried */

/* How far a match may reach from its literal, in positions. So much text must
 * stand behind a literal before PCRE2 searches. */
#define REACH_BACK (8 * 1024)
#define REACH_AHEAD (8 * 1024)
/* The same in bytes of the input, with lines of other streams: how far a match
 * may begin before its literal's line, or end behind it, and the most bytes of
 * a message. So only the text around literals must be read (candidates.h). */
#define SIGNATURE_REACH (8 * 1024)
#define OTHER_REACH (4 * 1024) /* of a pattern that is no signature */
/* So far behind the start of a match all that could end its message is known.
 */
#define MESSAGE_AHEAD (MATCH_MESSAGE_MAX + REACH_AHEAD + SEARCH_RANGE_MAX)

struct range { /* of positions where literals of one pattern end */
    struct pattern_state *pattern;
    uint64_t begin; /* the first position where their matches may begin */
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
    uint32_t *trace_last; /* last line of traceback_block so far, which a hit
                             belongs to; NULL: it has ended */
    uint32_t traceback_block;
};

struct slot { /* a kept hit and the memory of its texts */
    struct hit hit;
    char *memory;
    size_t memory_bytes;
    const uint32_t *trace_last; /* of a traceback that had not ended; NULL: it
                                   had */
    uint32_t line; /* of the match's last byte */
};

struct slots { /* in the order of the log */
    struct slot **at;
    size_t count, cap;
};

struct pattern_state { /* a pattern of which a literal was found */
    const struct pattern *is;
    struct regex *regex;    /* NULL: not compiled yet */
    struct regex **extract; /* compiled at the first message */
    struct guard **guards;  /* NULL: none was used yet */
    /* The members from here on are of one scan. */
    uint32_t number;        /* from 1, by first literal; 0: it had none */
    struct regex *suffix;   /* NULL: none, or not compiled yet */
    uint32_t named;         /* literals found; up to SUFFIX_AFTER + 1 */
    uint32_t suffix_runs, suffix_denials; /* in the lines that are read */
    uint64_t steps;         /* all work of its searches */
    bool has_given_up;
    struct slots slots; /* no signature: KEEP_FIRST + KEEP_LAST at most */
};

/* What the scans of one thread share, one after the other. */
struct known_patterns {
    struct arena *a;
    struct reader *reader;
    struct matcher *matcher;
    uint64_t steps_before;        /* of the matcher, when this scan began */
    struct guard *guards;         /* of all patterns */
    struct pattern_state **by_id; /* NULL: no literal of it was found */
    struct pattern_state **named; /* those of this scan, by number */
    size_t named_count, named_cap;
};

struct occurrence { /* of a literal, in a buffer's text */
    uint32_t literal;
    uint32_t folded; /* offset of its first byte in the folded text */
    uint32_t begin, end;
};

struct occurrences {
    const struct prefilter *f;
    struct folded folded; /* the text that is searched */
    size_t found_to; /* literals that end here or before were found before */
    struct occurrence *at;
    size_t count, cap;
};

/* The patterns that a scanner searches for. */
enum scan_scope {
    SCOPE_ALL,
    SCOPE_SIGNATURES, /* the others follow in a scan of SCOPE_BESIDE */
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
    struct scanner *owner; /* of the log, patterns and hits: itself, unless it
                              is SCOPE_BESIDE */
    uint64_t late_from; /* SCOPE_BESIDE: before this place a pattern whose first
                           hits are all there is not searched for */
    struct reader *reader;
    struct matcher *matcher;
    struct occurrences occurrences;
    struct folded ahead; /* the subject from ahead_at to ahead_end: guard.c */
    size_t ahead_at, ahead_end;
    struct log_reader *log;
    enum scan_way way;
    uint32_t threads;
    bool is_begun;
    bool is_final;       /* all signatures have been matched */
    unsigned char *sighted; /* by entry: a signature of its group matched; NULL:
                               none did */
    struct stream_buffer *buffers[LOG_STREAMS_MAX];
    struct known_patterns *known;
    bool has_failure; /* a pattern with is_failure has matched */
    struct slots signatures; /* MATCH_INCIDENTS_MAX at most */
    uint64_t place, order; /* of the line; offset of its text in it */
    uint64_t bytes;        /* of all lines */
    char last_line[LAST_LINE_MAX];
    size_t last_line_n;
    uint32_t last_line_number, last_line_stream;
    struct scan_result result;
};

/* The order of a place: a byte of the input may become three in a line. */
#define ORDER_OF(place) (4 * (place))

/* The next lines are not contiguous with those before, in any stream. */
void scan_break(struct scanner *s);
/* scan.c: the state of a pattern; scan_pattern() also compiles its regex */
struct pattern_state *scan_known(struct scanner *s, uint32_t id);
struct pattern_state *scan_pattern(struct scanner *s, uint32_t id);
/* Compiles the pattern (which: 0), one of its extracts (from 1) or one of its
 * guards (behind those). */
struct regex *scan_regex(struct scanner *s, const struct pattern *p,
                         size_t which);
/* True if the literal of the pattern that begins at `at` cannot be part of a
 * match, whatever text follows. */
bool scan_denies(struct scanner *s, struct pattern_state *p, struct str text,
                 size_t at);

/* guard.c: whether the guards of the pattern hold at this offset of the text */
enum holding guards_hold(struct scanner *s, struct pattern_state *p,
                         const struct search *search, size_t at);
/* False if the folded text has none of the words, one of which each match
 * contains. Words stand between tabs; without words nothing is known. */
bool words_may_match(struct str folded, struct str words);
/* To be called when the text has changed. */
void guards_forget(struct scanner *s);

/* budget.c: false if the pattern must not be searched for any longer */
bool budget_allows(struct scanner *s, const struct pattern_state *p);
/* Counts the steps since regex_steps() was `before` for this pattern. */
void budget_charge(struct scanner *s, struct pattern_state *p,
                   uint64_t before);
/* The search for the pattern in this line was given up. */
void budget_note(struct scanner *s, struct pattern_state *p, uint32_t line);

/* stream_buffer.c */
void stream_buffer_line(struct scanner *s, struct stream_buffer *l,
                        const struct line *line, uint64_t order);
void stream_buffer_end(struct scanner *s, struct stream_buffer *l);
/* The patterns that are matched. Signatures of prose are matched only if there
 * is no message. */
enum matched { MATCHED_MESSAGES, MATCHED_SIGNATURES, MATCHED_ALL };
/* Matches in all of the buffer's text. */
void stream_buffer_match(struct scanner *s, struct stream_buffer *l,
                         enum matched which);
/* The next lines are not contiguous with those before. */
void stream_buffer_break(struct scanner *s, struct stream_buffer *l);
/* Appends the named groups of the last find to the captures, in text order. */
void stream_buffer_captures(struct scanner *s, struct stream_buffer *l,
                            const struct regex *r);

/* The place up to which the buffer's traceback may continue. */
uint64_t stream_buffer_trace_end(const struct stream_buffer *l);

/* choose.c: small: an input of fewer bytes is read whole */
const struct log_selector *choose_failures(struct scanner *s, size_t small);

/* message.c: makes a hit of found[i] of the buffer. */
void message_finish(struct scanner *s, struct stream_buffer *l, size_t i);

/* keep.c: notes that a signature has matched; and, once all have: true if hits
 * of the pattern are used */
void wanted_note(struct scanner *s, const struct pattern *signature);
bool wanted_is(const struct scanner *s, const struct pattern *p);
struct hit_draft {
    const struct stream_buffer *buffer;
    struct pattern_state *pattern;
    const struct found *found;
    uint64_t end; /* of the message */
    uint32_t first_line, last_line, trace_first, trace_last;
    const uint32_t *open_last; /* last line of a traceback that has not ended;
                                  NULL: it has */
    const struct capture_at *captures;
    size_t capture_count;
};
/* False for a match of a signature behind all that are kept: it is counted. */
bool keep_wants(struct scanner *s, const struct window *w,
                const struct found *f, const struct pattern_state *p);
/* True if no further hit of the pattern before this order is kept. */
bool keep_is_full_to(const struct pattern_state *p, uint64_t order);
void keep_hit(struct scanner *s, const struct hit_draft *d);
int hits_by_order(const void *x, const void *y); /* for qsort() */
struct hit_list keep_list(struct scanner *s);

/* Copies a capture, with a blank for each wrap in it. Writes at most text.n
 * bytes and returns their number. */
size_t capture_unwrap(struct str text, char *out);

#endif
