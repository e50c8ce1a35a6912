/* patterns.h: a log against a few patterns, through a real index. */
#ifndef SUPPORT_PATTERNS_H
#define SUPPORT_PATTERNS_H

#include "match/match.h"

#define SPEC_EXTRACTS 8

/* A signature is an entry of its own (owner: its place among the signatures);
 * conditions belong to entry 0, contexts and stages to engine 0. One that is
 * tied to the line's beginning is weak. */
struct pattern_spec {
    enum pattern_kind kind;
    const char *text;
    const char *extract[SPEC_EXTRACTS];
};

struct pattern_specs {
    const struct pattern_spec *at;
    size_t count;
};

/* The image of an index that holds just these. */
struct str patterns_image(struct arena *a, struct pattern_specs specs);
/* Scan log in pieces of that many bytes; 0: at once. */
const struct scan_result *patterns_scan(struct arena *a,
                                        struct pattern_specs specs,
                                        struct str log, size_t piece);
/* The n-th hit of that pattern kind, in order; NULL: there are not so many. */
const struct hit *hit_of_kind(const struct scan_result *r,
                              enum pattern_kind kind, size_t n);
size_t hits_of_kind(const struct scan_result *r, enum pattern_kind kind);
/* One text against one pattern, no prefilter. False when it does not match; the
 * hit's lines count from 1 in text. */
bool pattern_hit(struct arena *a, struct str pattern, struct str text,
                 struct hit *hit);

#endif
