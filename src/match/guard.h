/* guard.h: what must not stand where a match begins. Private to match/. */
#ifndef MATCH_GUARD_H
#define MATCH_GUARD_H

#include "match/pattern_tree.h"

struct guarded {
    struct str body;        /* the pattern without its guards */
    struct str_list guards; /* each a pattern that is anchored */
};

/* A match of the pattern is a match of the body where every guard matches. */
struct guarded guards_of(struct arena *a, const struct pattern_text *text);

#endif
