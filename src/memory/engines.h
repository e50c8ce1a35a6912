/* engines.h: what this house knows of an engine: how large its KV cache is,
 * what there is for it, what a step takes beside it, and what its settings do.
 * One file per engine, engine_<id>.c, with the sources that say so; nobody else
 * asks which engine it is.
 *
 *     | weights | rest: activations, context | x fraction |  KV  |  kept free |
 */
#ifndef MEMORY_ENGINES_H
#define MEMORY_ENGINES_H

#include "memory/inputs.h"
#include "memory/span.h"

struct ask;
typedef struct estimate effect_fn(const struct ask *q); /* effect.h */

/* Elements of one head in so many bits, and what comes with them per head and
 * per group of elements. */
struct packing {
    const char *word; /* of kv_cache_dtype; NULL ends a list */
    int64_t bits, head_extra, group, group_extra;
};

struct engine_rules {
    const char *id; /* "": no engine is named, NULL: one without rules */

    /* gpu_memory_utilization: the pool is what this share of the card leaves.
     * vLLM, whose releases rules.h knows; an engine that nobody names counts
     * as vLLM, less what is true of a named one alone. */
    bool takes_share;
    bool is_named;

    /* The pool where there is no such share. */
    enum pool_rule {
        POOL_UNKNOWN,
        POOL_OF_FREE,   /* a fraction of what is free after loading */
        POOL_OF_STATIC, /* a fraction of the card, weights included */
        POOL_REST       /* none: the cache may grow until the card is full */
    } pool;
    int64_t fraction_low, fraction_high; /* millionths; 0: all */
    bool prints_free; /* "available" is what is free before the fraction */
    struct span (*card)(const struct inputs *c); /* NULL: all of it */

    /* What a request takes. */
    enum window_keep {
        KEEP_OPEN, /* between the window and all, by release and settings */
        KEEP_WHOLE,
        KEEP_WINDOW,
        KEEP_RATIO /* a pool of their own */
    } windows;
    int64_t block;   /* tokens, where no default stands in kb/engines; 0: 1 */
    bool is_batched; /* batch_size requests of full length */
    bool expands_latent; /* MLA is kept as whole heads */
    const struct packing *packings;

    /* Cells that are made at start, of weights that lie on the card in part:
     * llama.cpp and Ollama. */
    bool has_cells;

    /* How cards are used. */
    bool spreads_layers; /* layers over all cards, without being told */
    bool checks_split;   /* refuses what does not divide: fit_split.c */
    bool has_expert_ranks, may_share_ranks, splits_by_itself;

    /* What a run takes beside weights and KV, bounded by shape; NULL: not
     * known. */
    struct span (*activation)(const struct inputs *c);
    bool lacks_torch;    /* nothing lies "outside" of PyTorch's count */
    bool keeps_pool;     /* of a step only what was refused grows */
    bool counts_prefill; /* prints the tokens of a prefill that was refused */
    bool trains, may_train, shards_fully, has_buckets;
    bool is_of_kaito;               /* that operator serves with it */
    const char *usual_quantization; /* of a model that does not say; NULL */
    bool quantizes_all;             /* embeddings too, in "4bit" and the like */

    /* What `fit` may change: see fit_search.c. */
    enum fact_name share; /* that gives the pool more; FACT_COUNT_OF: none */
    int64_t share_most;
    bool can_batch;            /* batch_size is a setting to halve */
    const char *narrow;        /* kv_cache_dtype; NULL: none */
    const char *bits8, *bits4; /* quantization */

    /* Effects that it has in its own way; NULL: none. */
    effect_fn *const *effects;
};

extern const struct engine_rules engine_vllm, engine_unnamed, engine_sglang,
    engine_llama, engine_ollama, engine_tensorrt_llm, engine_tgi,
    engine_lmdeploy, engine_transformers, engine_mlx, engine_exllama;

const struct engine_rules *engine_of(const struct inputs *c);

/* It can lay a layer over several cards. */
bool engine_splits_layers(const struct inputs *c);
/* Tokens that a request takes at a time. */
int64_t engine_block_tokens(const struct inputs *c);
/* Share of what is free that becomes KV; all of it where there is none. */
struct span engine_fraction(const struct inputs *c); /* millionths */

/* Bytes of one further token, of `tokens` of one request (times the batch
 * where the engine takes one), and of what is there for all of them. Not of
 * vLLM, whose cache is by release: memory_kv(). */
struct span engine_kv_slope(const struct inputs *c);
struct span engine_kv_bytes(const struct inputs *c, int64_t tokens);
struct span engine_kv_pool(const struct inputs *c);
/* Weights of one card, as far as they are on it. */
struct span engine_weights(const struct inputs *c);
/* What the engine's share leaves to steps and graphs; unknown where it has no
 * share. */
struct span engine_left_over(const struct inputs *c);

/* "32 layers x 8 kv heads x (128 + 128) x 2 bytes"; empty where there is no
 * one number. */
struct str engine_write_slope(struct arena *a, const struct inputs *c);
/* "kv_available = (...)": the worst corner. */
struct str engine_write_pool(struct arena *a, const struct inputs *c);

/* ---- what a step takes, for the files of engines: fit_bounds.c ---- */

/* Logits of so many rows in 32 bits; in and out of the widest layer of so many
 * tokens in 16; and between a quarter of the layer and twice it with logits. */
struct span step_logits(const struct inputs *c, int64_t rows);
struct span step_layer(const struct inputs *c, int64_t tokens);
struct span step_bound(const struct inputs *c, int64_t tokens, int64_t rows);

#endif
