/* engines.h: the rules of an engine: how large its KV cache is,
 * what there is for it, what a step takes beside it, and what its settings do.
 * Each is a struct in engine_list.c, sglang.c or llama_cpp.c, with the sources
 * of its numbers; no other file compares names of engines.
 *
 *     | weights | rest: activations, context | x fraction |  KV  |  kept free |
 */
#ifndef MEMORY_ENGINES_H
#define MEMORY_ENGINES_H

#include "memory/span.h"

struct query;
typedef struct estimate effect_fn(const struct query *q); /* effect.h */

/* Elements of one head in so many bits, and what comes with them per head and
 * per group of elements. */
struct packing {
    const char *word; /* of kv_cache_dtype; NULL ends a list */
    int64_t bits, head_extra, group, group_extra;
};

struct engine_rules {
    const char *id; /* "": no engine is named, NULL: one without rules */

    /* gpu_memory_utilization: the pool is what this share of the card leaves.
     * vLLM, whose releases rules.c knows; if no engine is named it counts as
     * vLLM, less what is true of a named one alone. */
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
    bool spreads_layers; /* layers over all cards, without a setting */
    bool checks_split;   /* refuses what does not divide: fit_check.c */
    bool has_expert_ranks, may_share_ranks, splits_by_itself;

    /* What a run takes beside weights and KV, bounded by shape; NULL: not
     * known. */
    struct span (*activation)(const struct inputs *c);
    bool lacks_torch;    /* nothing lies "outside" of PyTorch's count */
    bool starts_short;   /* with a pool for less than one full request; it
                            refuses a prompt that is longer */
    bool keeps_pool;     /* of a step only what was refused grows */
    bool counts_prefill; /* prints the tokens of a prefill that was refused */
    bool trains, may_train, shards_fully, has_buckets;
    bool is_of_kaito;               /* that operator serves with it */
    const char *usual_quantization; /* of a model that does not say; NULL */
    /* Tokens of a context that nobody gives; 0: not known. NULL: the model's */
    int64_t (*usual_length)(const struct inputs *c);
    /* Tokens that a context has at least, whatever is asked for; NULL: 0 */
    int64_t (*least_length)(const struct inputs *c);
    /* It keeps with the host the layers that the GPU does not hold; NULL: no */
    bool (*places_layers)(const struct inputs *c);
    bool (*caches_encoder)(const struct inputs *c); /* NULL: no */
    const char *position; /* what it does with a context beyond the model's
                             own; NULL: nothing */
    bool has_slots; /* max_num_seqs caches of full length are made at start */
    bool quantizes_all;             /* embeddings too, in "4bit" and the like */

    /* What `fit` may change: see fit_search.c. */
    enum fact_name share; /* that gives the pool more, where share_most > 0 */
    int64_t share_most;
    bool can_batch;            /* batch_size is a setting to halve */
    const char *narrow;        /* kv_cache_dtype; NULL: none */
    const char *bits8, *bits4; /* quantization */

    /* Effects that it has in its own way; NULL: none. */
    effect_fn *const *effects;
};

extern const struct engine_rules engine_sglang, engine_llama, engine_ollama;

const struct engine_rules *engine_of(const struct inputs *c);

/* True if it can cut a layer over several cards. */
bool engine_splits_layers(const struct inputs *c);
/* Share of what is free that becomes KV; all of it where there is none. */
struct span engine_fraction(const struct inputs *c); /* millionths */

/* False for a model of which the engine keeps no KV cache. Encoders: every
 * token of a text is computed in one pass, and no later one looks back; SGLang
 * and old llama.cpp keep one all the same. Decoders that embed: vLLM until
 * 0.9.1. */
bool engine_keeps_cache(const struct inputs *c);
/* What is left of the card without one. */
struct span engine_free(const struct inputs *c);

/* Bytes of a further token in all layers of a card; unknown without a model. */
struct span engine_kv_slope(const struct inputs *c);
/* Weights of one card, as far as they are on it. */
struct span engine_weights(const struct inputs *c);
/* What the engine's share leaves to steps and graphs; unknown where it has no
 * share. */
struct span engine_left_over(const struct inputs *c);

/* ---- what a step takes, for the structs of engines: fit_case.c ---- */

/* Logits of so many rows in 32 bits; in and out of the widest layer of so many
 * tokens in 16; and between a quarter of the layer and twice it with logits. */
struct span step_logits(const struct inputs *c, int64_t rows);
struct span step_layer(const struct inputs *c, int64_t tokens);
struct span step_bound(const struct inputs *c, int64_t tokens, int64_t rows);

/* ---- llama.cpp, and Ollama with it: llama_cpp.c ----
 *
 *     weights of -ngl layers | K and V of n_ctx cells | compute buffer (-ub)
 *
 * All three are buffers of fixed size, allocated one after the other. */

/* Bytes of so many elements: "f16", "q8_0" ...; unknown for other types. */
struct span llama_type_bytes(struct str type, int64_t elements);
/* Cells that n_ctx becomes: padded to 32 or 256 by build. */
struct span llama_cells(const struct inputs *c, int64_t tokens);
/* K and V of every layer, of the types in force, and recurrent state. */
struct span llama_cache_bytes(const struct inputs *c, int64_t tokens);
/* One cell in one layer that keeps rows; unknown for a state. */
struct span llama_row_bytes(const struct inputs *c, const struct kv_group *g);
/* Of what all layers take, the part of one card: -ngl layers are on cards,
 * which share them evenly. */
struct span llama_share_of_cards(const struct inputs *c, struct span all);
struct span llama_weights_on_card(const struct inputs *c, struct span all);
/* The cache on one card, of the types in force. */
struct span llama_cache_on_card(const struct inputs *c, int64_t tokens);
/* The types in force: kv_cache_dtype ("q8_0", "q8_0,f16"), else f16. */
void llama_cache_types(const struct inputs *c, struct str *key,
                       struct str *value);
/* How many equal layers a printed buffer of the cache holds; 0: it is not
 * made of this model's layers. */
int64_t llama_layers_in(const struct inputs *c, struct span buffer);
/* The context whose whole cache on one card is exactly this buffer, where the
 * model's cache has one row per token; 0: none. */
int64_t llama_context_of(const struct inputs *c, struct span buffer);
/* True if all of the buffer grows with the context. */
bool llama_is_linear(const struct inputs *c, struct span buffer);
/* Heads x micro-batch x n_ctx: scores of one layer in 32 bits, which flash
 * attention does without. */
struct span llama_score_bytes(const struct inputs *c);
/* The compute buffer, of weights and cache of that context. */
struct span llama_compute_bytes(const struct inputs *c);

struct span llama_activation(const struct inputs *c);
extern effect_fn *const llama_own_effects[];

#define LLAMA_CELLS                                                            \
    .pool = POOL_REST, .windows = KEEP_WHOLE, .has_cells = true,               \
    .spreads_layers = true, .activation = llama_activation,                    \
    .lacks_torch = true, .narrow = "q8_0", .bits4 = "Q4_K_M",                  \
    .effects = llama_own_effects

/* Of any engine's three settings that only llama.cpp has: the library's own
 * lines name no engine. */
effect_fn llama_effect;

/* ---- the static share of SGLang: sglang.c ----
 *
 *     |<------ base x mem_fraction_static ------>|
 *     | weights |          token pool            | graphs, activations |
 *
 * base: what was free before loading, a little less than the card. */

/* mem_fraction_static: given, else what the release chooses for this card;
 * millionths. Unknown where the release's rule is. */
struct span sglang_fraction(const struct inputs *c);
/* What was free before loading, as far as the card is known. */
struct span sglang_base_bytes(const struct inputs *c);
/* Weights and pool together. */
struct span sglang_static_bytes(const struct inputs *c, int64_t micro);

effect_fn sglang_fraction_up, sglang_fraction_down;
/* A pool that is counted in tokens was short of them. */
effect_fn effect_of_tokens;

#endif
