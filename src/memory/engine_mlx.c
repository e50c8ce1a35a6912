/* engine_mlx.c: steps of 256 tokens, windows rotate; 8 or 4 bits have scale and
 * bias per 64; the working set is two thirds to three quarters of the machine's
 * memory.
 *
 * Source: mlx_lm/models/cache.py, 0.28. */
#include "memory/engines.h"

#include "memory/budget.h"

#define LARGE (INT64_C(36) << 30)
#define STEP_TOKENS 2048

static const struct packing packings[] = {{"8", 8, 0, 64, 4},
                                          {"int8", 8, 0, 64, 4},
                                          {"4", 4, 0, 64, 4},
                                          {"int4", 4, 0, 64, 4},
                                          {NULL, 0, 0, 0, 0}};

static struct span working_set(const struct inputs *c) {
    struct span total = gpu_total_bytes(c);
    bool is_large = total.low >= LARGE;
    struct span least = span_share(total, is_large ? 3 : 2, is_large ? 4 : 3);
    if (!total.known || c->in[FACT_alloc_limit].known) {
        return total.known ? span_in(c, FACT_alloc_limit) : total;
    }
    return span_of(least.low, span_share(total, 3, 4).high);
}

static struct span activation(const struct inputs *c) {
    return step_bound(c, STEP_TOKENS, 1);
}

const struct engine_rules engine_mlx = {.id = "mlx",
                                        .pool = POOL_REST,
                                        .card = working_set,
                                        .windows = KEEP_WINDOW,
                                        .block = 256,
                                        .is_batched = true,
                                        .packings = packings,
                                        .lacks_torch = true,
                                        .quantizes_all = true,
                                        .activation = activation,
                                        .share = FACT_COUNT_OF,
                                        .can_batch = true,
                                        .narrow = "8",
                                        .bits4 = "4bit"};
