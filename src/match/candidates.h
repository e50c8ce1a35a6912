/* candidates.h: finds the lines of a raw log that may have a literal, whole or
 * cut. Private to match/. */
#ifndef MATCH_CANDIDATES_H
#define MATCH_CANDIDATES_H

#include "match/prefilter.h"

struct candidates; /* scratch of one thread */

/* The line that begins at `line` may have the literal. */
typedef void (*candidate_fn)(void *ctx, uint32_t literal, size_t line);

struct candidates *candidates_new(struct arena *a, const struct prefilter *f,
                                  const struct frames *frames);
/* Searches text[from, to), which are whole lines. The text before and behind is
 * searched for the parts of cut literals. */
void candidates_find(struct candidates *c, struct str text, size_t from,
                     size_t to, candidate_fn found, void *ctx);

#endif
