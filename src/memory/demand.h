/* demand.h: how much KV cache a request takes, by the best knowledge there is:
 * the model's layers where they explain the log; else a straight line through
 * what the log prints.
 *
 *     bytes
 *       |                      o (max_model_len, kv_needed)
 *       |          o (est_max_model_len, kv_available)
 *       |- fixed
 *       +----------------------- tokens
 */
#ifndef MEMORY_DEMAND_H
#define MEMORY_DEMAND_H

#include "memory/kv.h"

struct linear_fit {
    bool known;
    int64_t tokens;    /* the anchor: a length ... */
    struct span bytes; /* ... and what it needs */
    struct span fixed, slope;
    int64_t block_tokens;
};

struct demand {
    bool known;
    bool by_model;
    struct variants variants; /* if not by_model: none explains the log */
    struct linear_fit line; /* otherwise */
    int64_t block_tokens;
};

/* The line that printed numbers alone allow. */
struct linear_fit linear_fit_of(const struct inputs *c);
void demand_show_line(struct arena *a, const struct inputs *c,
                      struct formulas *f);

struct demand demand_of(struct arena *a, const struct inputs *c);
struct span demand_bytes(const struct demand *d, int64_t tokens);
/* What the pool keeps for it, which may be more: variant_kept(). */
struct span demand_kept(const struct demand *d, int64_t tokens);
/* Longest request that the check at start lets pass, as a refusal names it. */
struct span demand_estimate(const struct demand *d, struct span pool,
                            int64_t ceiling);
/* Longest request that the pool holds: low surely, high perhaps. */
struct span demand_tokens(const struct demand *d, struct span pool,
                          int64_t ceiling);
struct span demand_slope(const struct demand *d);
struct span demand_fixed(const struct demand *d, int64_t tokens);

/* The same request under another setting, by the model alone: an fp8
 * cache (n: 0), ranks, ranks that share the tokens of a request, at most so
 * many tokens in a step. */
struct demand demand_with(struct arena *a, const struct demand *d,
                          enum fact_name fact, int64_t n);
/* An fp8 cache, of the line as well. */
struct demand demand_with_fp8(struct arena *a, const struct demand *d);
/* Over so many ranks instead of those before: tensor_parallel cuts heads,
 * pipeline_parallel layers. */
struct demand demand_split(struct arena *a, const struct demand *d,
                           enum fact_name fact, int64_t before, int64_t ranks);

/* What the engine requires: printed, else from the demand. */
struct span needed_bytes(const struct inputs *c, const struct demand *d);
/* What there is for KV: printed, else blocks, else from the budget. */
struct span pool_bytes(const struct inputs *c, const struct demand *d);

#endif
