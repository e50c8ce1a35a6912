/* candidates.h: lines of a raw log in which a literal may stand, whole or cut.
 * Private to match/. */
#ifndef MATCH_CANDIDATES_H
#define MATCH_CANDIDATES_H

#include "match/prefilter.h"

struct candidates; /* scratch of one thread */

/* A literal may stand in the line that begins at `line`. */
typedef void (*candidate_fn)(void *ctx, uint32_t literal, size_t line);

struct candidates *candidates_new(struct arena *a, const struct prefilter *f,
                                  const struct frames *frames);
/* Of text[from, to), whole lines. What stands before and behind is looked at
 * for literals that are cut. */
void candidates_find(struct candidates *c, struct str text, size_t from,
                     size_t to, candidate_fn found, void *ctx);

#endif
