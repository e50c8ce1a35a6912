/* utilization.h: shares of a card: gpu_memory_utilization and
 * mem_fraction_static, both ways. Private to the effects. Shares are
 * millionths of the GPU, in steps of a hundredth. */
#ifndef MEMORY_UTILIZATION_H
#define MEMORY_UTILIZATION_H

#include "memory/effect.h"

#define MICRO UNITS_MICRO
#define STEP (MICRO / 100) /* two decimals */
#define MOST (98 * STEP)
#define LEAST_SHARE (10 * STEP) /* below it workspace alone takes all */

static inline struct span share_of(struct span total, int64_t micro) {
    return span_share(total, micro, MICRO);
}

static inline int64_t step_down(int64_t micro) {
    return micro - micro % STEP;
}

static inline int64_t step_up(int64_t micro) {
    return micro % STEP ? step_down(micro) + STEP : micro;
}

/* On the CPU backend the share is of the host's memory (effect_host.c). */
struct estimate share_of_host(const struct ask *q);

/* A share that gives back what failed: `more`, which it covers as well, or
 * NULL, and the fact that would tell what is still to come. */
void put_lowered(const struct ask *q, struct estimate *e, struct fact proposed,
                 const struct span *more, enum fact_name open);

#endif
