/* catalogue.h: models and GPUs as kb/models/ and kb/gpus.yaml describe them and
 * as the index returns them. Shapes only; their memory is computed in
 * memory/. */
#ifndef CORPUS_CATALOGUE_H
#define CORPUS_CATALOGUE_H

#include "corpus/entry.h"

#define KV_KIND_WORDS(X) \
    X(full) X(sliding) X(chunked) X(mla) X(state) X(cross) X(indexer)
#define X(w) KV_##w,
enum kv_kind { KV_KIND_WORDS(X) KV_KIND_COUNT_OF };
#undef X

/* Layers that keep the same kind of cache. A model's groups are in the order of
 * their first layers: what vLLM 0.14 to 0.18 report as the need of a request
 * depends on the kind that comes first. */
struct kv_group {
    enum kv_kind kind;
    int64_t layers;
    int64_t kv_heads;     /* full, sliding, chunked, cross */
    int64_t k_dim, v_dim; /* elements per head */
    int64_t window;       /* sliding, chunked: tokens */
    int64_t latent_dim;   /* mla: kv_lora_rank + qk_rope_head_dim; indexer:
                             bytes per row as stored (128 + 4); 0: k_dim
                             elements of the cache's type */
    int64_t ratio;        /* mla, indexer: tokens that share one row; 0: one */
    int64_t state_bytes;  /* state: per layer and sequence, unsharded, 16 bits
                             per element; 0: unknown */
    /* The parts of that state; all 0: only the sum is known. */
    struct str mixer;        /* mamba1 mamba2 gdn kda linear conv */
    int64_t conv_channels;   /* channels of the convolution's state */
    int64_t conv_steps;      /* past tokens in the convolution's state */
    int64_t conv_groups;     /* mamba2: n_groups, copied to each rank if TP does
                                not divide it */
    int64_t group_channels;  /* mamba2: conv_channels of one group */
    int64_t state_elements;  /* elements of the recurrent state */
    struct str state_dtype;  /* in the checkpoint's config; empty: none */
    /* For counting parameters (tests/corpus/quality_check.py). mla has k_dim
     * and v_dim, too: elements of a head after decompression of the latent. */
    int64_t q_rank, rope_dim; /* mla; q_rank 0: queries are not compressed */
    int64_t params;           /* state: weights of one layer's mixer */
    bool is_gated;            /* a gate as wide as the queries */
};

/* Set a state group's state_bytes from its parts. False: it has no parts. */
bool kv_group_sum_state(struct kv_group *g);

struct model {
    struct str id; /* Hugging Face id */
    struct str_list aliases;
    struct str family;
    int64_t params;          /* total; 0: unknown */
    int64_t embedding_params; /* left at full precision by most quantizers; 0:
                                 unknown */
    int64_t layers, hidden_size, heads, vocab_size, intermediate_size;
    int64_t max_position;   /* 0: unknown */
    struct str dtype;        /* bfloat16, float16, float32 */
    struct str quantization; /* of the checkpoint: fp8 ...; empty: none */
    int64_t scale_block;     /* side of the blocks of weights that share a scale
                                in the publisher's quantized checkpoint; 0:
                                unknown or other */
    struct str_list since;   /* "vllm 0.8.5": the first release of an engine
                                that loads it; engines left out: unknown */
    struct str kv_dtype;     /* of the cache, from a user's config.json; empty
                                for models of the catalogue */
    struct kv_group *groups;
    size_t group_count;
    bool is_moe, is_multimodal;
    bool is_encoder; /* each token sees all others: none is kept */
    bool is_pooling; /* a decoder that answers with vectors or scores */
    /* For counting parameters; 0: the model has none. */
    int64_t experts, expert_size, shared_size; /* of one MoE layer */
    int64_t dense_layers; /* MoE: layers with a dense feed-forward part */
    int64_t mlp_layers;   /* layers with a feed-forward part; 0: all */
    int64_t draft_layers; /* layers for multi-token prediction, in params */
    int64_t other_params; /* towers, encoders, position tables: as declared */
    bool has_plain_mlp;   /* two matrices; else three, one of them a gate */
    struct str uncounted; /* why params cannot be counted; empty: they can */
    struct str verified; /* seen | computed | recalled; given: from the user's
                            own file, not from the catalogue */
    struct str_list sources;
};

struct component {
    struct str id, name;
    struct str_list aliases; /* other names, for search */
    struct str folds_into; /* ggml-metal -> llama.cpp; empty: itself */
};

struct gpu {
    struct str id; /* "A100 80GB SXM" */
    struct str_list aliases;
    struct str vendor;
    int64_t nominal_gb;
    int64_t total_low, total_high; /* bytes that torch reports; 0: not seen */
    int64_t has_fp8;               /* 0 no, 1 yes, -1 not known */
    bool is_unified;               /* it shares the host's memory */
    struct str compute_capability;
    struct str source;
};

/* The model of the catalogue for a name that a user or a log has. is_guess: the
 * match was by a shortened or repacked name; reports must say so. */
struct model_match {
    const struct model *model;
    bool is_guess;
    struct str quantization; /* from the name: AWQ, GPTQ, FP8, 4bit */
};

/* Parameters from the name: "Carnice-V2-27B-Q5_K_M.gguf" has 27 x 10^9; 0: the
 * name has no size. */
int64_t params_named(struct str name);

#endif
