/* parallel.h: the parts of a job, done by several threads. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include "base/arena.h"

/* One part. own: an arena of the thread, which lives as long as the pool;
 * worker: the number of the thread, below threads. */
typedef void parallel_part(void *job, struct arena *own, uint32_t worker,
                           size_t part);

/* Lives as long as a. threads: with the caller's own; 1 or more. */
struct parallel *parallel_new(struct arena *a, uint32_t threads);
/* Does the parts 0 .. count - 1, handed out in this order. A fault of a part is
 * raised in the pool's arena after all threads have ended: that of the first
 * part, if several have one. */
void parallel_run(struct parallel *p, size_t count, parallel_part *part,
                  void *job);
/* The processors of this machine, at most PARALLEL_THREADS_MAX. */
uint32_t parallel_processors(void);

#endif
