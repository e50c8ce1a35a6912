/* effect.h: what the effects share. Each answers one question: after this fix,
 * does what is asked (`after`) fit into what there is (`limit`)?
 *
 *     before   asked now             limit   room after the fix
 *     after    asked after the fix   short_by   what is still missing
 */
#ifndef MEMORY_EFFECT_H
#define MEMORY_EFFECT_H

#include "memory/demand.h"
#include "memory/case.h"

/* What every effect is asked. */
struct ask {
    struct arena *a;
    const struct memory_case *c;
    enum shortage what;
};

/* The KV side of a case, reckoned once. */
struct kv_side {
    struct demand demand;
    struct span need, pool;
    int64_t length;     /* max_model_len; 0: unknown */
    bool counts_tokens; /* V0's refusal of an unknown model: pool_tokens */
    int64_t pool_tokens;
    bool has_no_pool; /* nothing is left for KV at all */
};

struct kv_side kv_side_of(const struct ask *q);

struct estimate estimate_none(enum fact_name quantity);
struct estimate estimate_unknown(enum fact_name quantity);
struct estimate estimate_of_kv(const struct kv_side *kv);
/* Verdict and short_by from after and limit. */
void estimate_judge(struct estimate *e);

/* ---- verdict.c ---- */
/* may_be_enough, on this condition (a key of i18n, verdict.if.*). */
void estimate_if(struct estimate *e, const char *key);
void condition_add(struct estimate *e, struct str arg);
/* Of all differences between limit and after, those of zero and more. */
int64_t share_that_passes(struct span after, struct span limit);
/* An open verdict gets the bound that its amounts allow. */
void estimate_bound(const struct ask *q, struct estimate *e);
/* A firm verdict that another value of a default would change is none. */
void estimate_doubt(const struct ask *q, enum effect effect,
                    struct estimate *e);

/* The arithmetic of an effect, defaults taken at their word: effect.c. */
struct estimate effect_reckon(const struct ask *q, enum effect effect);
struct fact propose(enum fact_name name, int64_t number);
struct fact propose_word(enum fact_name name, struct str word);

/* Is the failed allocation of this stage? */
bool stage_is(const struct memory_case *c, const char *stage);

/* A fraction of the GPU, whatever it is, lowered by what gives back the gap. */
void estimate_less_share(const struct ask *q, struct estimate *e,
                         struct span total, struct span gap);

/* Bytes asked for after the allocation that failed. */
struct span more_after_failure(const struct memory_case *c);

/* A request that was refused, and what there was; each may be unknown. */
struct shortfall {
    struct span asked, free, missing; /* missing = asked - free, 0 at least */
    struct span held;  /* by the program: at most this */
    struct span total; /* of the GPU */
};
struct shortfall shortfall_of(const struct ask *q);
/* effect_step.c: a setting that tensors grow with; a fact, or -1. */
struct estimate step_scaled(const struct ask *q, int setting);
/* At most so much of what the program holds is given back. */
struct estimate step_freeing(const struct ask *q, int64_t percent);
struct estimate effect_chunk(const struct ask *q);
struct estimate effect_vae_tiles(const struct ask *q);
struct estimate effect_bigger_gpu(const struct ask *q);
struct estimate effect_graph_sizes(const struct ask *q);
/* effect_host.c: limits that somebody set. */
/* One request of host memory that was refused, and what is missing for it. */
struct estimate host_refusal(const struct ask *q);
struct estimate effect_shm_size(const struct ask *q);
struct estimate effect_raise_limit(const struct ask *q);
struct estimate effect_wired_limit(const struct ask *q);
struct estimate effect_fewer_workers(const struct ask *q);

/* effect_place.c: where it may fit. */
struct estimate effect_kernel(const struct ask *q);
struct estimate effect_kernel_tile(const struct ask *q);
struct estimate effect_pool(const struct ask *q);
struct estimate effect_other_device(const struct ask *q);
struct estimate effect_build_jobs(const struct ask *q);

struct estimate effect_max_model_len(const struct ask *q);
struct estimate effect_utilization_up(const struct ask *q);
struct estimate effect_utilization_down(const struct ask *q);
struct estimate effect_kv_dtype(const struct ask *q);
struct estimate effect_tensor_parallel(const struct ask *q);
struct estimate effect_pipeline_parallel(const struct ask *q);
struct estimate effect_decode_context_parallel(const struct ask *q);
struct estimate effect_quantization(const struct ask *q);
struct estimate effect_cpu_offload(const struct ask *q);
struct estimate effect_max_num_seqs(const struct ask *q);
struct estimate effect_max_num_batched_tokens(const struct ask *q);
struct estimate effect_enforce_eager(const struct ask *q);
struct estimate effect_free_other_process(const struct ask *q);
struct estimate effect_expandable_segments(const struct ask *q);
struct estimate effect_host_memory(const struct ask *q);
/* effect_training.c: batch, checkpoints, moments, adapters, shards. */
struct estimate effect_training(const struct ask *q, enum effect effect);

#endif
