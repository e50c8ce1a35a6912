/* parallel.h: finds candidates in one text with several threads. Private to
 * match/. */
#ifndef MATCH_PARALLEL_H
#define MATCH_PARALLEL_H

#include "base/limits.h"
#include "match/candidates.h"

struct worker_pool;

/* threads: from 1 to SCAN_WORKERS_MAX, the caller's included. */
struct worker_pool *worker_pool_new(struct arena *a, const struct prefilter *f,
                                    const struct frames *frames,
                                    uint32_t threads);
/* As candidates_find(). The places do not depend on the number of threads.
 * found is called by the caller's own thread, in order, when all threads are
 * done. */
void worker_pool_look(struct worker_pool *g, struct str text, size_t from,
                      size_t to, candidate_fn found, void *ctx);

#endif
