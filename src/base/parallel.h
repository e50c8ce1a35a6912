/* parallel.h: the parts of a job, done by several threads. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include "base/arena.h"

/* One part. own: an arena of the thread, which lives as long as a; worker: the
 * number of the thread, below threads. */
typedef void parallel_part(void *job, struct arena *own, uint32_t worker,
                           size_t part);

/* Does the parts 0 .. count - 1, handed out in this order. A fault of a part is
 * raised in a after all threads have ended: that of the first part, if several
 * have one. */
void parallel_run(struct arena *a, uint32_t threads, size_t count,
                  parallel_part *part, void *job);
/* The processors of this machine, at most PARALLEL_THREADS_MAX. */
uint32_t parallel_processors(void);

#endif
