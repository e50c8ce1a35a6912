/* effect.h: what the effects share. Each computes whether after this fix what
 * is needed (`after`) fits into what there is (`limit`).
 *
 *     before   needed now             limit      room after the fix
 *     after    needed after the fix   short_by   what is still missing
 *
 * effect.c knows which function answers for which effect; estimate.c has what
 * they all use, and turns two amounts into a verdict.
 */
#ifndef MEMORY_EFFECT_H
#define MEMORY_EFFECT_H

#include "memory/amount.h"
#include "memory/card.h"
#include "memory/demand.h"
#include "memory/engines.h"

/* The arguments of every effect. */
struct query {
    struct arena *a;
    const struct inputs *c;
    enum shortage what;
    enum effect effect;
};

/* The estimate of an effect if all defaults are in force: effect.c. */
struct estimate effect_compute(const struct query *q);

/* FORMULA_OF() for an effect. */
#define EXPLAIN(q, used, pattern, ...)                                         \
    FORMULA_OF((q)->a, (q)->c, used, pattern, __VA_ARGS__)

/* ---- estimate.c ---- */

struct estimate estimate_none(enum fact_name quantity);
struct estimate estimate_unknown(enum fact_name quantity);
/* Unknown yet: so much is needed, before and after, and this is the room. */
struct estimate estimate_of(enum fact_name quantity, struct span asked,
                            struct span room);
/* What was refused against what was free, as the log prints both. */
struct estimate estimate_of_allocation(const struct inputs *c);
/* Verdict and short_by from after and limit. */
void estimate_judge(struct estimate *e);
/* Enough: it is not needed any more. */
void estimate_gone(struct estimate *e);
/* Adds the fact to `needs` unless it is known. */
void estimate_needs(struct estimate *e, bool is_known, enum fact_name name);

/* may_be_enough, on this condition (a key of i18n, verdict.if.*). */
void estimate_if(struct estimate *e, const char *key);
void estimate_if_of(const struct query *q, struct estimate *e, const char *key,
                    const struct term *terms, size_t count);
#define ESTIMATE_IF(q, e, key, ...)                                            \
    estimate_if_of(q, e, key, (const struct term[]){__VA_ARGS__},              \
                   sizeof((const struct term[]){__VA_ARGS__}) /                \
                       sizeof(struct term))

struct fact propose(enum fact_name name, int64_t number);
struct fact propose_word(enum fact_name name, struct str word);

/* True if the failure is of this stage. */
bool stage_is(const struct inputs *c, const char *stage);
bool is_allocation(const struct query *q);
/* True if one request of full length, or the pool for it, is short. */
bool is_pool(const struct query *q);

/* The KV side of a case, computed once. */
struct kv_side {
    struct demand demand;
    struct span need, pool;
    int64_t length;     /* max_model_len; 0: unknown */
    bool counts_tokens; /* V0's refusal of an unknown model: pool_tokens */
    int64_t pool_tokens;
    bool has_no_pool; /* nothing is left for KV at all */
};
struct kv_side kv_side_of(const struct query *q);
struct estimate estimate_of_kv(const struct kv_side *kv);

#define INFORMATIVE_BYTES                                                      \
    (512 * MIB) /* a larger request shows what was short */

/* A request that was refused, and what there was; each may be unknown. */
struct shortfall {
    struct span asked, free, missing; /* missing = asked - free, 0 at least */
    struct span held;                 /* by the program: at most this */
    struct span total;                /* of the GPU */
    bool has_limit;                   /* the framework's own, and it is known */
};
struct shortfall shortfall_of(const struct query *q);
/* False if nearly every fix frees so much of what is held, or hardly any. */
bool is_informative(struct span part, struct span whole);

/* Of all differences between limit and after, those of zero and more. */
int64_t share_that_passes(struct span after, struct span limit);
/* An open verdict gets the bound that its amounts allow. */
void estimate_bound(const struct query *q, struct estimate *e);
/* A firm verdict that another value of a default would change becomes open. */
void estimate_vary_defaults(const struct query *q, struct estimate *e);

/* ---- parts that several effects use ---- */

/* A fraction of the GPU, whatever it is, lowered by what gives back the gap. */
void estimate_less_share(const struct query *q, struct estimate *e,
                         struct span total, struct span gap);
/* Bytes to be allocated after the allocation that failed. */
struct span more_after_failure(const struct inputs *c);
/* effect_step.c: a setting that tensors grow with; a fact, or -1. */
struct estimate step_scaled(const struct query *q, int setting);
/* At most so much of what the program holds is given back. */
struct estimate step_freeing(const struct query *q, int64_t percent);
/* effect_kv.c: the estimate of a fix of the pool for another failure. */
struct estimate estimate_beside_pool(const struct query *q);
/* effect_host.c: one request of host memory that was refused. */
struct estimate host_refusal(const struct query *q);

/* ---- shares of a card: gpu_memory_utilization and mem_fraction_static, in
 * millionths and steps of a hundredth: effect_utilization.c ---- */

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
struct estimate share_of_host(const struct query *q);

/* Proposes a share that gives back what failed. more: what it covers as well;
 * NULL: not known, and `open` is the fact that would show it. */
void put_lowered(const struct query *q, struct estimate *e,
                 struct fact proposed, const struct span *more,
                 enum fact_name open);

/* ---- one for each effect; see the table in effect.c ---- */

effect_fn effect_max_model_len, effect_kv_dtype, effect_tensor_parallel,
    effect_pipeline_parallel, effect_decode_context_parallel;
effect_fn effect_kv_cache_memory;
effect_fn effect_utilization_up, effect_utilization_down;
effect_fn effect_quantization, effect_cpu_offload;
effect_fn effect_max_num_seqs, effect_max_num_batched_tokens,
    effect_enforce_eager;
effect_fn effect_step_size, effect_chunk, effect_vae_tiles, effect_bigger_gpu,
    effect_graph_sizes;
effect_fn effect_free_other_process, effect_expandable_segments;
effect_fn effect_host_memory, effect_shm_size, effect_raise_limit,
    effect_wired_limit, effect_fewer_workers;
effect_fn effect_kernel, effect_kernel_tile, effect_other_device,
    effect_build_jobs, effect_fewer_weights, effect_half_precision;
effect_fn effect_training, effect_seq_len;

#endif
