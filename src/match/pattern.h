/* pattern.h: one compiled pattern, and the tools that all of one thread share.
 * pattern.c is the only file that includes <pcre2.h>. Private to match/. */
#ifndef MATCH_PATTERN_H
#define MATCH_PATTERN_H

#include "match/pattern_text.h"

struct matcher; /* contexts, stacks and the last result: one per thread */
struct regex;   /* a compiled pattern */

struct named_group { /* a named one */
    uint32_t number;
    struct str spelling;
    bool is_fact; /* else `command`, or nothing known */
    enum fact_name name;
    int64_t scale;
};

struct text_range {
    size_t from, to;
};

struct matcher *matcher_new(struct arena *a);
/* One that counts all steps, and is slow. */
struct matcher *matcher_counting(struct arena *a);

/* NULL and *error when PCRE2 refuses it. */
struct regex *regex_compile(struct matcher *m, const struct pattern_text *text,
                            struct pattern_error *error);
/* From the text as written. */
struct regex *regex_of(struct matcher *m, struct str text,
                       struct pattern_error *error);

/* What PCRE2 made of it, as bytes: the same ones by the same PCRE2. */
struct str regex_serialize(struct matcher *m, const struct regex *r);
/* And back, without compiling; bytes are head and rest one behind the other.
 * NULL where they are of another PCRE2. They are believed: only what is part of
 * the program may come here. */
struct regex *regex_deserialize(struct matcher *m,
                                const struct serialized *bytes);

size_t regex_group_count(const struct regex *r);
const struct named_group *regex_groups(const struct regex *r); /* by spelling */

struct search {
    struct str subject;
    size_t from;          /* a match begins here or later ... */
    size_t latest;        /* ... and not behind this */
    bool starts_mid_line; /* subject begins inside of a line */
};

/* The leftmost match. False: none, or none within the limits on work. */
bool regex_find(struct matcher *m, struct regex *r, const struct search *s,
                struct text_range *whole);
/* Does it match where the search begins? The last find stays as it is; of one
 * that passes a limit on work, regex_gave_up() says so. */
enum holding { HOLDS, HOLDS_NOT, HOLDS_UNKNOWN };
enum holding regex_holds(struct matcher *m, struct regex *r,
                         const struct search *s);
/* Could more text behind the subject make a match that begins in s->from ..
 * s->latest, or does one stand there already? */
bool regex_may_match(struct matcher *m, struct regex *r,
                     const struct search *s);
/* Did the last find end at a limit? Then it has not looked at everything. */
bool regex_gave_up(const struct matcher *m);
/* The last place that it tried then, or one before it. */
size_t regex_came_to(const struct matcher *m);
/* Work of all searches so far. */
uint64_t regex_steps(const struct matcher *m);
/* What a group matched in the last find; false: nothing. */
bool regex_group(const struct matcher *m, uint32_t number, struct text_range *out);

#endif
