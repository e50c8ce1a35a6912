/* memory.h: the arithmetic. Given what is known of a model, a GPU, an engine
 * version and its settings, how many bytes (tokens, blocks) go where, and what
 * a change would make of it. Pure integers, overflow-checked; an amount is
 * exact or an interval; an unknown one has the facts that would make it known.
 *
 * Formulas and their sources: kb/engines/<engine>.yaml, ARCHITECTURE.md.
 */
#ifndef MEMORY_MEMORY_H
#define MEMORY_MEMORY_H

#include "base/arena.h"
#include "base/note.h"
#include "corpus/catalogue.h"
#include "corpus/engine.h"
#include "corpus/fact.h"

/* Everything the arithmetic may use. in[f].known: fact f is known;
 * its source (log, user, catalogue, default) goes into formulas. Per
 * GPU and rank, as the engine's rank 0 sees it. */
struct inputs {
    struct str engine; /* "vllm"; empty: unknown */
    const struct model *model; /* NULL: unknown */
    bool model_is_guess;
    const struct gpu *gpu; /* NULL: unknown */
    bool is_silent; /* only verdicts are looked at: no formula is written */
    struct fact in[FACT_COUNT_OF];
};

/* [low, high]; exact when equal. */
struct span {
    bool known;
    int64_t low, high;
};

struct needs { /* facts that would make it known */
    enum fact_name at[8];
    size_t count;
};

struct formulas { /* "kv_needed = 2 x 32 layers x ... = 2.00 GiB" */
    struct str *at;
    size_t count, cap;
};

/* What the KV cache is and holds, per rank: `kv` in the JSON. */
struct kv {
    struct span fixed, slope; /* bytes; bytes per further token of a request */
    struct span bytes_per_block;
    struct span bytes_per_request; /* at max_model_len, by that version */
    struct span bytes_kept; /* of the pool, by it: vLLM's check at start may
                               count less, never more; else unknown */
    struct span bytes_held; /* the same, and the block that no request gets */
    struct span pool;           /* bytes for KV: printed, or from the budget */
    struct span blocks, tokens, est_max_model_len;
    struct span max_concurrency; /* hundredths */
    /* likely: need and room overlap */
    enum truth_fit { FIT_UNKNOWN, FIT_YES, FIT_LIKELY, FIT_NO } fits;
    struct needs needs;
};

/* What a request of full length takes of the pool. */
static inline struct span kv_request(const struct kv *kv) {
    return kv->bytes_kept.known ? kv->bytes_kept : kv->bytes_per_request;
}

/* True if the pool may hold a request, but not the null block as well. */
bool kv_lacks_a_block(const struct kv *kv);

/* As JSON and the rules of `lint` spell it: "fits", "likely", "does_not_fit",
 * "unknown". */
const char *fit_spelling(enum truth_fit fits);

struct budget_part {
    const char *part; /* weights kv_cache activation non_torch free ... */
    struct span bytes;
    struct str source; /* "log line 12", "catalogue ...", "derived" */
};

struct budget {
    struct span total; /* of one GPU */
    struct budget_part *parts;
    size_t count;
};

/* Fill in[] from the catalogue and the engine's defaults for its version,
 * where neither log nor user give it: each marked with its source. Numbers that
 * no machine has (fact_is_absurd) are bounded first. */
void memory_complete(struct inputs *c, const struct engine *engine,
                     struct arena *a);

struct kv memory_kv(struct arena *a, const struct inputs *c,
                    struct formulas *f);
/* Of a model of so many parameters on one rank: x width / ranks. */
struct span memory_weights_of(const struct inputs *c, int64_t params);
struct span memory_weights(struct arena *a, const struct inputs *c,
                           struct formulas *f, struct needs *needs);
struct budget memory_budget(struct arena *a, const struct inputs *c,
                            struct formulas *f);

/* What a fix does to the quantity that failed. */
enum verdict {
    VERDICT_ENOUGH,        /* holds at the worst corner; no default in it */
    VERDICT_MAY_BE_ENOUGH, /* holds at the best corner, or on `condition` */
    VERDICT_NOT_ENOUGH,    /* fails at the best corner; no default in it */
    VERDICT_UNKNOWN,       /* no bound can be given: see `needs` */
    VERDICT_NONE           /* the fix has no arithmetic, or acts elsewhere */
};

/* Unknown or may be: more of the log would decide. */
bool verdict_is_open(enum verdict v);
/* enough fits, may_be_enough is likely to, not_enough does not. */
enum truth_fit fit_of_verdict(enum verdict v);
/* It fits, or it does not: no further number would change that. */
static inline bool fit_is_settled(enum truth_fit fits) {
    return fits == FIT_YES || fits == FIT_NO;
}

#define SHARE_NONE (-1)

/* before and after: what is needed, now and under the fix. limit: the room
 * under the fix. Enough: after <= limit at the worst corner. short_by: what is
 * still missing then; for free_other_process and a verdict that is not firm,
 * what is missing now. */
struct estimate {
    enum verdict verdict;
    enum fact_name quantity; /* what is compared: kv_needed, tried_alloc, ... */
    struct span limit, before, after; /* in that fact's unit */
    struct span short_by;
    int64_t share_micro; /* may_be_enough: the share of the interval that
                            passes, 0 to UNITS_MICRO; SHARE_NONE: no interval */
    int64_t capacity_micro; /* what the fix leaves of the length, of the
                               requests or of the layers on the GPU, new / old;
                               SHARE_NONE: all of it */
    struct note condition; /* may_be_enough: what it rests on */
    bool is_trifle; /* the amount of that condition is a trifle of what is in
                       use, or nearly all of it: not informative */
    struct needs needs;
    struct str formula;
    struct fact proposed; /* value that the fix should set; known false: none */
};

/* What was short. */
enum shortage {
    SHORT_KV_POOL,      /* kv_needed > kv_available, or no blocks at all */
    SHORT_FREE_AT_START, /* free < total x utilization */
    SHORT_ALLOCATION,   /* one allocation: tried_alloc > what was free */
    SHORT_HOST,         /* host memory */
    SHORT_TOKENS,       /* a pool's tokens: tried_tokens > available_tokens */
    SHORT_UNKNOWN
};

struct estimate memory_effect(struct arena *a, const struct inputs *c,
                              enum shortage what, enum effect effect);

/* The fact that an effect sets; -1: none. */
int effect_setting(enum effect effect);

/* Tokens of the block that vLLM's estimate of the longest request counts, but
 * no request gets; 0: none. */
int64_t memory_null_block(struct arena *a, const struct inputs *c);
/* The longest request, less that block. */
static inline int64_t kv_usable_length(int64_t estimate, int64_t block) {
    return block > 0 && estimate > block ? (estimate / block - 1) * block
                                         : estimate;
}
/* Inverses: [sure, at best]; unknown where an input is. */
struct span memory_longest_request(struct arena *a,
                                   const struct inputs *c); /* tokens */
/* Millionths, two decimals: the least share whose pool holds one request;
 * the largest that passes the check of free memory at start. */
struct span memory_least_utilization(struct arena *a,
                                     const struct inputs *c);
struct span memory_largest_utilization(const struct inputs *c);
/* Ranks: weights and one request fit into each one's share. */
struct span memory_least_tensor_parallel(struct arena *a,
                                         const struct inputs *c);

/* Which setting of the log a smaller step (batch_size, seq_len) makes smaller:
 * for example frames where the batch is not known or 1. */
enum fact_name step_setting(const struct inputs *c, enum effect effect);

/* Whether the catalogue's model gives the numbers that the log prints. */
enum reconcile {
    RECONCILE_UNKNOWN,  /* no model, or nothing printed to compare it with */
    RECONCILE_AGREES,
    RECONCILE_EXPLAINED, /* not as set, but with `setting` */
    RECONCILE_RESIDUAL   /* no: this model is not to be used */
};

#define RECONCILE_SETTINGS 2

struct reconciliation {
    enum reconcile outcome;
    enum fact_name quantity;         /* kv_needed; kv_blocks or kv_tokens of
                                        a printed pool */
    struct span printed, computed;   /* in its unit */
    struct span residual;            /* printed - computed */
    struct span per_token;           /* bytes, by printed numbers alone */
    /* Settings that the log does not show and that explain the numbers; of two,
     * neither alone does. */
    struct fact setting[RECONCILE_SETTINGS];
    size_t setting_count;
    struct str formula;
};

struct reconciliation memory_reconcile(struct arena *a, const struct inputs *c);
/* True if the log prints numbers that differ between models. */
bool memory_can_check_model(const struct inputs *c);
/* True if c->model needs what the log prints, with all settings as they are. */
bool memory_explains(struct arena *a, const struct inputs *c);

#endif
