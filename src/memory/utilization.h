/* utilization.h: what both ways of gpu_memory_utilization reckon with. Private
 * to the effects. Shares are millionths of the GPU, in steps of a hundredth. */
#ifndef MEMORY_UTILIZATION_H
#define MEMORY_UTILIZATION_H

#include "memory/effect.h"
#include "memory/span.h"

#define MICRO UNITS_MICRO
#define STEP (MICRO / 100) /* two decimals */
#define MOST (98 * STEP)
#define LEAST_SHARE (10 * STEP) /* below it workspace alone takes all */

static inline struct span share_of(struct span total, int64_t micro) {
    return span_share(total, micro, MICRO);
}

/* The size of the GPU and the share in force, where they are not known. */
void need_share_inputs(const struct memory_case *c, struct needs *needs);

/* The least share that lets the pool hold the need at the worst corner; 0:
 * none. */
int64_t least_share(struct span need, struct span pool, struct span total,
                    int64_t now);

#endif
