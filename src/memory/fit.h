/* fit.h: whether a model fits, what is the most that fits, and what is the
 * cheapest change that makes it fit. This answers `oomkb fit`: settings and
 * facts in, everything this layer can compute from them out.
 *
 *     question --fit_complete--> case --memory_kv, budget--> verdict
 *                                     --inverses-->           limits
 *                                     --plan (if it does not fit)--> changes
 *
 * What was not measured (activations, graphs) is an interval; a verdict holds
 * at its worst corner. What is not known at all is named in `needs`.
 */
#ifndef MEMORY_FIT_H
#define MEMORY_FIT_H

#include "corpus/words.h"
#include "memory/training.h"

struct fit_question {
    struct inputs c;               /* what is given, by fact */
    const struct engine *engine;   /* NULL: not in the knowledge base */
    int64_t requests;              /* at once, of full length; 0: one */
    const struct gpu *const *gpus; /* the catalogue's, for the least card */
    size_t gpu_count;
    const struct note *remarks; /* on the question itself */
    size_t remark_count;
    struct str offload; /* a flag that moves an unknown part to the host */
    size_t questions_most; /* in search of plans; 0: FIT_QUESTIONS_MAX */
    bool is_verdict;    /* one of many: neither plans nor the least card */
};

#define FIT_REMARKS 12
#define FIT_REMARK_CUT "fit.remark.search_cut"
#define FIT_SPLIT_STAGES "fit.split.stages"
#define FIT_CHANGES 10
#define FIT_PLANS 12

/* What is tried first; of a set, its last. Speed: what slows every step
 * (no graphs, layers or state with the host), not a smaller batch. */
enum fit_tier { TIER_flag, TIER_speed, TIER_quality, TIER_hardware };

struct fit_plan { /* changes that together make it fit */
    struct fact change[FIT_CHANGES];
    size_t count;
    enum fit_tier tier; /* the dearest of them */
    bool is_likely;     /* no more than that: an estimate decides */
    struct span needed, pool;
    struct str formula;
};

/* What it takes to try a plan, and what is given up for it. */
enum effort fit_plan_effort(const struct fit_plan *plan);
enum loses fit_plan_loses(const struct fit_plan *plan);

/* Checks of an engine or an operator beside the arithmetic: fit_check.c. */
enum fit_check {
    CHECK_HEADS,    /* attention heads divide among TP ranks */
    CHECK_SPLIT,    /* so do KV heads, vocabulary, columns, experts */
    CHECK_FLASH,    /* llama.cpp: a quantized V cache wants flash attention */
    CHECK_RELEASE,  /* the release knows the model */
    CHECK_RANKS,    /* tp x pp x dp ranks and that many cards */
    CHECK_POSITION, /* max_model_len within the model's own */
    CHECK_FREE,     /* free at start >= total x utilization */
    CHECK_KV,       /* what vLLM counts of a request <= pool: where it counts
                       less than the pool keeps */
    CHECK_SKU,      /* KAITO: unquantized weights <= all cards together */
    CHECK_COUNT_OF
};

extern const struct fit_check_row {
    const char *name; /* in JSON */
    const char *key;  /* of what is wrong; NULL: in the check's own note */
    enum unit unit;   /* of `asked` and `there` */
    bool refuses; /* an engine that does not start, whatever room there is */
} fit_checks[CHECK_COUNT_OF];

struct fit_checked {
    enum verdict verdict; /* VERDICT_NONE: it does not come up */
    struct span asked, there;
    bool is_bypassed; /* CHECK_SKU: fails, but quantized weights would fit */
    struct note why;  /* what is wrong, where its check alone does not say it */
};

struct fit {
    struct inputs c;  /* completed: every input with its source */
    bool is_vllm;     /* else another engine's simpler rules */
    bool is_training; /* then no KV, but `training` */
    bool has_cache;   /* false: the engine keeps no KV of this model */
    struct training training;
    int64_t requests;
    struct kv kv;
    struct span weights;
    int64_t weights_bytes; /* the best single figure; 0: unknown */
    struct budget budget;
    struct formulas formulas;
    struct fit_checked checks[CHECK_COUNT_OF];
    enum truth_fit fits; /* all of it: KV, requests at once, checks */
    struct span longest; /* tokens: largest max_model_len, up to the model's */
    struct span concurrency;             /* hundredths */
    struct span least_share, most_share; /* millionths */
    struct span least_tensor_parallel;   /* ranks */
    struct span least_cards;     /* where layers or state are laid over all */
    struct span largest_batch;   /* of a training step */
    const struct gpu *least_gpu; /* NULL: none, or not known */
    struct fit_plan plans[FIT_PLANS];
    size_t plan_count;
    size_t questions;     /* tried in search of plans */
    bool is_search_cut; /* the limit of them was reached; there may be others */
    struct note because; /* why it is only likely; key NULL: nothing to say */
    struct note remarks[FIT_REMARKS]; /* what the answer rests on, or leaves
                                         out */
    size_t remark_count;
};

struct fit memory_fit(struct arena *a, const struct fit_question *q);

/* The request's KV at other lengths, for a curve: bytes and whether it fits
 * into the same pool. */
struct fit_point {
    int64_t tokens;
    struct span bytes;
    struct span concurrency; /* hundredths */
    enum truth_fit fits;
};
/* At most n points, the shortest first, the last one `most`: between them
 * 2^k and 3 x 2^k. */
size_t memory_fit_sweep(struct arena *a, const struct fit *fit, int64_t most,
                        struct fit_point *out, size_t n);

#endif
