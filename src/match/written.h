/* written.h: a pattern as an author wrote it, read once for all that the build
 * does with it. Private to match/. */
#ifndef MATCH_WRITTEN_H
#define MATCH_WRITTEN_H

#include "match/guard.h"
#include "match/literals.h"
#include "match/pattern.h"

struct written_pattern {
    struct arena *a;
    struct str written;
    struct matcher *matcher;
    struct pattern_text text;
    struct regex *regex; /* of the whole text */
    struct guarded parts;
    struct literals literals;
};

#endif
