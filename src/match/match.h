/* match.h: lines to hits. The build takes the literals that every match of a
 * pattern contains out of it (literals.h), and compiles them into one prefilter
 * that is stored in the index. PCRE2 searches only for patterns that the
 * prefilter finds, in a window of joined text around the literal. This layer
 * reads no file and prints nothing.
 *
 * A blank of a pattern matches any run of blanks and line ends. Macros such as
 * (?&amount) are replaced by their meaning (macros.def); see kb/WRITING.md.
 */
#ifndef MATCH_MATCH_H
#define MATCH_MATCH_H

#include "base/arena.h"
#include "base/limits.h"
#include "corpus/fact.h"
#include "index/index.h"
#include "log/log.h"

#define WEAK_LITERAL_MIN 3 /* bytes of a literal of a weak pattern */
#define MATCH_LITERAL_MIN 8

/* ---- at build ---- */

struct pattern_error {
    size_t offset; /* byte in the pattern's own text */
    struct str message;
};
enum pattern_flaw {
    PATTERN_GOOD,
    PATTERN_SYNTAX,     /* refused by PCRE2 or by pattern_text_prepare() */
    PATTERN_NO_LITERAL, /* every literal is too short */
    PATTERN_BAD_GROUP   /* a named group that is no fact */
};
/* A pattern as it is written, read once for all that the build does with it. It
 * lives in a. NULL and *error: it has a syntax error. */
struct written_pattern;
struct written_pattern *pattern_read(struct arena *a, struct str text,
                                     struct pattern_error *error);
/* The first flaw. A context pattern may also have the group `command`. */
enum pattern_flaw written_flaw(const struct written_pattern *w, bool is_weak,
                               bool is_context, struct pattern_error *error);
bool written_matches(const struct written_pattern *w, struct str text);
/* The same for a text that is used for nothing else. */
enum pattern_flaw pattern_check(struct arena *a, struct str text, bool is_weak,
                                bool is_context, struct pattern_error *error);
/* True if the work of a search grows faster than its text: the pattern's own
 * words, or its sample (may be empty) and the beginnings of it, repeated. */
struct pattern_growth {
    struct str text; /* was repeated so many times, and twice as many */
    uint32_t repeats;
    uint64_t steps, steps_twice; /* of searches that begin in two of them */
};
bool written_grows(const struct written_pattern *w, struct str sample,
                   struct pattern_growth *worst);
/* Longest mandatory literals, one per branch; empty list: none. */
struct str_list pattern_literals(struct arena *a, struct str text);
/* True if it occurs in lines that programs print while nothing is wrong. */
bool literal_is_common(struct str literal);
/* Fills in p->analysis, which lives as long as w. extracts: those of the
 * pattern. */
void written_analyze(const struct written_pattern *w,
                     struct written_pattern *const *extracts,
                     struct pattern *p);
/* The same from p->text. Raises FAIL_INDEX if pattern_read() refuses it. */
void pattern_analyze(struct arena *a, struct pattern *p);
/* The opaque prefilter that index_write() stores, from analyzed patterns. */
struct str scan_rules_build(struct arena *a, const struct pattern_list *set);

/* ---- at run ---- */

struct capture {
    enum fact_name name;
    int64_t scale; /* for fact_read() */
    struct str text;
    struct str front; /* the text before it on its line, CAPTURE_LEAD_MAX bytes
                         at most */
    uint32_t line;
};

struct hit {
    uint32_t pattern;
    enum pattern_kind kind;
    uint32_t owner, ordinal;
    uint32_t stream;
    uint32_t first_line, last_line; /* of the message with its continuations */
    uint32_t trace_first, trace_last; /* lines of its traceback, with chained
                                         ones; of the message if it has none */
    struct log_stamp stamp; /* of the line that it begins in */
    uint64_t order; /* rises with the place in the input: see hit_place() */
    struct str text; /* the message, verbatim without frames, arena-owned */
    struct str command; /* group `command` of a context pattern */
    struct str command_line; /* the same with the front of its line */
    size_t command_at;       /* where it begins there */
    struct capture *captures; /* of the pattern in text order, then of its
                                 extracts in text order */
    size_t capture_count;
};

/* The place of the hit's line in the decoded input, in bytes. */
static inline uint64_t hit_place(uint64_t order) {
    return order / 4;
}

struct hit_list {
    struct hit *at;
    size_t count;
};

/* Searches that reached a limit on work. */
struct gave_up {
    uint32_t line;     /* the first line that was not searched to its end */
    uint32_t patterns; /* whose search gave up; 0: none */
};

struct scan_result {
    struct hit_list hits; /* by place; at one place signatures come first */
    uint64_t uncounted;   /* hits of signatures beyond MATCH_INCIDENTS_MAX */
    uint32_t uncounted_to; /* the last line of these */
    struct gave_up gave_up;
    const struct stream *streams;
    size_t stream_count;
    struct log_stats stats;
    struct str last_line; /* the last line that is not blank, without frames */
    uint32_t last_line_number;
};

/* The compiled rules that all scans of an index share. They are opened once and
 * never change, for any number of threads. Raises FAIL_INDEX. */
struct scan_rules;
const struct scan_rules *scan_rules_open(struct arena *a,
                                         const struct index *ix);

struct scanner;

/* Hits live in a. Each stream is scanned by itself: ranks whose lines are mixed
 * do not mix. */
struct scanner *scan_new(struct arena *a, const struct scan_rules *rules,
                         struct reader *r, uint64_t max_bytes);
/* Keeps compiled patterns for the next scan of the same thread. All scans use
 * this reader, which must live as long. scan_next() ends the scan before. */
struct known_patterns;
struct known_patterns *known_patterns_new(struct arena *a,
                                          const struct scan_rules *rules,
                                          struct reader *r);
struct scanner *scan_next(struct arena *a, const struct scan_rules *rules,
                          struct known_patterns *known, uint64_t max_bytes);
/* Sets how lines are chosen, before the first feed. The hits are the same. */
enum scan_way {
    SCAN_SELECTED, /* lines near a literal; small inputs whole */
    SCAN_STRICT,   /* lines near a literal, in small inputs, too */
    SCAN_WHOLE     /* all lines */
};
void scan_by(struct scanner *s, enum scan_way way);
/* Sets the number of threads that look at a long log, before the first feed; 1
 * if this is not called. The result is the same. */
void scan_threads(struct scanner *s, uint32_t threads);
void scan_feed(struct scanner *s, struct str bytes);
/* The kind of what was fed so far. An input that is no log is not scanned. */
enum log_kind scan_kind(const struct scanner *s);
const struct scan_result *scan_end(struct scanner *s);

/* Joins the results of scans of the same input by several indexes, in the order
 * in which index_join() joins these. Of all indexes but the first only the hits
 * of entries count. */
const struct scan_result *scan_join(struct arena *a,
                                    const struct scan_result *const *list,
                                    const struct index *const *of,
                                    size_t count);

/* naming.c: the engine that a pattern names in a text which is no line of the
 * log; empty: none does. */
struct str engine_named_in(struct arena *a, struct reader *r, struct str text);

/* For the build: true if the pattern matches in the text. */
bool pattern_matches(struct arena *a, struct str pattern, struct str text);

#endif
