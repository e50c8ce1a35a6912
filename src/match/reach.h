/* reach.h: how far before a literal a match of its pattern can begin. Private
 * to match/. */
#ifndef MATCH_REACH_H
#define MATCH_REACH_H

#include "match/match.h"

/* Every match holds one of its pattern's literals, which ends at most `bytes`
 * folded bytes behind a place that stands in the match's first line or, over
 * `lines` blank runs with a line's end in them, in one of those after it. */
struct reach {
    bool is_known;
    uint32_t bytes, lines;
};

struct reach reach_of(struct arena *a, struct str pattern);
/* The earliest start of a match whose literal ends at `end` or later. */
size_t reach_back(const struct reach *r, struct str text, size_t end);

#endif
