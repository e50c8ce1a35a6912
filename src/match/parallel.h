/* parallel.h: one text is looked at by several threads. Private to
 * match/. */
#ifndef MATCH_PARALLEL_H
#define MATCH_PARALLEL_H

#include "base/limits.h"
#include "match/candidates.h"

struct worker_pool;

/* threads: the caller's own counts; 1 or more, at most SCAN_WORKERS_MAX. */
struct worker_pool *worker_pool_new(struct arena *a, const struct prefilter *f,
                                    const struct frames *frames,
                                    uint32_t threads);
/* As candidates_find(), and it tells of the same places whatever the number of
 * threads. found is called by the caller's own thread, part after part, when all
 * have been looked at. */
void worker_pool_look(struct worker_pool *g, struct str text, size_t from,
                      size_t to, candidate_fn found, void *ctx);

#endif
