/* pattern.h: compiled patterns, and what those of one thread share. pattern.c
 * is the only file that includes <pcre2.h>. Private to match/. */
#ifndef MATCH_PATTERN_H
#define MATCH_PATTERN_H

#include "match/pattern_text.h"

struct matcher; /* contexts, stacks and the last result: one per thread */
struct regex;   /* a compiled pattern */

struct named_group {
    uint32_t number;
    struct str spelling;
    bool is_fact; /* otherwise `command` or an unknown name */
    enum fact_name name;
    int64_t scale;
};

struct text_range {
    size_t from, to;
};

struct matcher *matcher_new(struct arena *a);
/* Counts all steps (STEPS_OF_ALL), and is slow. */
struct matcher *matcher_counting(struct arena *a);

/* NULL and *error: PCRE2 refuses it. */
struct regex *regex_compile(struct matcher *m, const struct pattern_text *text,
                            struct pattern_error *error);
/* The same, from the text as written. */
struct regex *regex_of(struct matcher *m, struct str text,
                       struct pattern_error *error);

/* PCRE2's compiled form as bytes, which are always the same for one release of
 * PCRE2. */
struct str regex_serialize(struct matcher *m, const struct regex *r);
/* Restores it without compiling. bytes: head and then rest. NULL: they are of
 * another PCRE2. The bytes are not checked, so they must be part of the
 * program. */
struct regex *regex_deserialize(struct matcher *m,
                                const struct serialized *bytes);

/* True if each match begins where a line does. */
bool regex_begins_lines(const struct regex *r);
size_t regex_group_count(const struct regex *r);
const struct named_group *regex_groups(const struct regex *r); /* by spelling */

struct search {
    struct str subject;
    size_t from;          /* a match begins here or later ... */
    size_t latest;        /* ... and not behind this */
    bool starts_mid_line; /* subject begins inside of a line */
};

/* Finds the leftmost match. False: there is none, or a limit on work was
 * reached. */
bool regex_find(struct matcher *m, struct regex *r, const struct search *s,
                struct text_range *whole);
/* Whether it matches where the search begins. The result of the last find is
 * kept, but at a limit on work regex_gave_up() becomes true. */
enum holding { HOLDS, HOLDS_NOT, HOLDS_UNKNOWN };
enum holding regex_holds(struct matcher *m, struct regex *r,
                         const struct search *s);
/* True if there is a match that begins in s->from .. s->latest, or if more text
 * behind the subject could make one. */
bool regex_may_match(struct matcher *m, struct regex *r,
                     const struct search *s);
/* True if the last find ended at a limit: then some text was not searched. */
bool regex_gave_up(const struct matcher *m);
/* The last place that it tried then, or a place before that. */
size_t regex_came_to(const struct matcher *m);
/* Work of all searches so far. */
uint64_t regex_steps(const struct matcher *m);
/* The text of a group in the last find; false: it has none. */
bool regex_group(const struct matcher *m, uint32_t number,
                 struct text_range *out);

#endif
