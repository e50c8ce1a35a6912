/* match.h: lines to hits. The literals that a pattern cannot do without are
 * taken out of it at build (literals), compiled into one prefilter that is
 * stored in the index, and only where the prefilter names a pattern is PCRE2
 * asked, on a window of joined text round the place. Pure: it reads no file,
 * says nothing, decides nothing.
 *
 * A literal blank of a pattern matches any run of blanks and line wraps;
 * (?&amount) (?&int) (?&dec) (?&mild) (?&prose) are spelled out; see kb/WRITING.md.
 */
#ifndef MATCH_MATCH_H
#define MATCH_MATCH_H

#include "base/arena.h"
#include "base/limits.h"
#include "corpus/fact.h"
#include "index/index.h"
#include "log/log.h"

#define WEAK_LITERAL_MIN 3  /* of a weak pattern */
#define MATCH_LITERAL_MIN 8

/* ---- at build ---- */

struct pattern_error {
    size_t offset; /* byte in the pattern's own text */
    struct str message;
};
enum pattern_flaw {
    PATTERN_GOOD, PATTERN_SYNTAX /* PCRE2 refuses it */,
    PATTERN_NO_LITERAL /* none of MATCH_LITERAL_MIN bytes, weak or not as asked */,
    PATTERN_BAD_GROUP /* a named group that is no fact */
};
/* A pattern as it is written, read once for all that is asked of it; it lives in
 * a. NULL and *error for one that will not do. */
struct written_pattern;
struct written_pattern *pattern_read(struct arena *a, struct str text,
                                     struct pattern_error *error);
/* context patterns may also have the group `command`. */
enum pattern_flaw written_flaw(const struct written_pattern *w, bool is_weak,
                               bool is_context, struct pattern_error *error);
bool written_matches(const struct written_pattern *w, struct str text);
/* The same of a text that nothing else is asked of. */
enum pattern_flaw pattern_check(struct arena *a, struct str text, bool is_weak,
                                bool is_context, struct pattern_error *error);
/* Is the work of looking for it more than linear on its own words repeated, or
 * on its sample (may be empty) and the beginnings of that? */
struct pattern_growth {
    struct str text; /* what was repeated, so many times and twice as many */
    uint32_t repeats;
    uint64_t steps, steps_twice; /* of searches that begin in two of them */
};
bool written_grows(const struct written_pattern *w, struct str sample,
                   struct pattern_growth *worst);
bool pattern_grows(struct arena *a, struct str text, struct str sample,
                   struct pattern_growth *worst);
/* Longest mandatory literals, one per branch; empty list: none. */
struct str_list pattern_literals(struct arena *a, struct str text);
/* Does it stand in lines that programs print while nothing is wrong? */
bool literal_is_common(struct str literal);
/* Fills in what a run wants to know of it, which lives as long as w. extracts:
 * those of the pattern. */
void written_study(const struct written_pattern *w,
                   struct written_pattern *const *extracts, struct pattern *p);
/* The same from p->text. Raises FAIL_INDEX for one that pattern_read() refuses. */
void pattern_study(struct arena *a, struct pattern *p);
/* The opaque prefilter that index_write() stores, of studied patterns. */
struct str scan_kit_build(struct arena *a, const struct pattern_list *set);

/* ---- at run ---- */

struct capture {
    enum fact_name name;
    int64_t scale; /* for fact_read() */
    struct str text;
    struct str front; /* what stands before it on its line: its last bytes */
    uint32_t line;
};

struct hit {
    uint32_t pattern;
    enum pattern_kind kind;
    uint32_t owner, ordinal;
    uint32_t stream;
    uint32_t first_line, last_line;   /* of the message, continuations included */
    uint32_t trace_first, trace_last; /* lines of the traceback it belongs to, chained ones included; = the message when there is none */
    struct log_stamp stamp;           /* of the line that it begins in */
    uint64_t order;                   /* rises with the place in the input: hit_place() */
    struct str text;    /* the message, verbatim after de-framing, arena-owned */
    struct str command; /* group `command` of a context pattern */
    struct str command_line; /* the same with the front of its line, */
    size_t command_at;       /* where it begins in there */
    struct capture *captures; /* of the pattern, then of its extracts, in text order */
    size_t capture_count;
};

/* Where the line of a hit begins, in bytes of the decoded input. */
static inline uint64_t hit_place(uint64_t order) {
    return order / 4;
}

struct hit_list {
    struct hit *at;
    size_t count;
};

/* Where patterns were more work than a line or a log may be. */
struct gave_up {
    uint32_t line;     /* the first one that was not searched to its end */
    uint32_t patterns; /* so many; 0: all lines were */
};

struct scan_result {
    struct hit_list hits;       /* in order of place; signatures, then what helps judge them */
    uint64_t uncounted;         /* signature hits past MATCH_INCIDENTS_MAX */
    uint32_t uncounted_to;      /* the last line of these */
    struct gave_up gave_up;
    const struct stream *streams;
    size_t stream_count;
    struct log_stats stats;
    struct str last_line;       /* the last line that was not blank, de-framed */
    uint32_t last_line_number;
};

/* What all scans of an index share: opened once, never changed, for any number
 * of threads. Raises FAIL_INDEX. */
struct scan_kit;
const struct scan_kit *scan_kit_open(struct arena *a, const struct index *ix);

struct scanner;

/* Hits live in a. Streams are told apart: interleaved ranks do not mix. */
struct scanner *scan_new(struct arena *a, const struct scan_kit *kit,
                         struct reader *r, uint64_t max_bytes);
/* For scans of one thread, one after the other: what is found out about patterns
 * in one is known to the next. The reader is the one of all of them, and has to
 * live as long; scan_next() ends what is left of the scan before. */
struct known_patterns;
struct known_patterns *known_patterns_new(struct arena *a,
                                          const struct scan_kit *kit,
                                          struct reader *r);
struct scanner *scan_next(struct arena *a, const struct scan_kit *kit,
                          struct known_patterns *known, uint64_t max_bytes);
/* How lines are chosen, before the first feed; the hits are the same. */
enum scan_way {
    SCAN_SELECTED, /* where a literal may stand; small inputs whole */
    SCAN_STRICT, /* the same, however small */
    SCAN_WHOLE   /* all lines are read */
};
void scan_by(struct scanner *s, enum scan_way way);
/* Before the first byte: so many threads look at a long log, 1 if this is not
 * called. The result is the same. */
void scan_threads(struct scanner *s, uint32_t threads);
void scan_feed(struct scanner *s, struct str bytes);
/* What was fed so far, as far as it tells: no log is scanned no further. */
enum log_kind scan_kind(const struct scanner *s);
const struct scan_result *scan_end(struct scanner *s);

/* What scans of the same input by several indexes found, as one by all of them,
 * joined in that order (index_join()). Of all but the first only entries count. */
const struct scan_result *scan_join(struct arena *a,
                                    const struct scan_result *const *list,
                                    const struct index *const *of,
                                    size_t count);

/* One text against one pattern, no prefilter: for checks. */
bool pattern_matches(struct arena *a, struct str pattern, struct str text);

#endif
