/* guard.h: conditions on the line where a match begins. Private to match/. */
#ifndef MATCH_GUARD_H
#define MATCH_GUARD_H

#include "match/pattern_tree.h"

struct guarded {
    struct str body;        /* the pattern without its guards */
    struct str_list guards; /* each an anchored pattern */
};

/* Splits a pattern: it matches where its body does and every guard holds. */
struct guarded guards_of(struct arena *a, const struct pattern_text *text);

#endif
