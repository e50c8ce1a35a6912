/* finder.h: the prefilter's literals in much text of one stream. Private to
 * match/. */
#ifndef MATCH_FINDER_H
#define MATCH_FINDER_H

#include "match/prefilter.h"

struct finder;

/* Costs as much as reading some ten kilobytes. f outlives it. */
struct finder *finder_new(struct arena *a, const struct prefilter *f);
/* As prefilter_scan(), of the same places or zeroed ones; what is found is told
 * in the order of the literals' grams, so their ends nearly rise. */
void finder_scan(const struct finder *d, struct prefilter_place *place,
                 struct str text, size_t fresh, bool is_end,
                 prefilter_fn found, void *ctx);

#endif
