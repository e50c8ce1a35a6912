/* catalogue.h: models and GPUs, as kb/models/ and kb/gpus.yaml have them and as
 * the index gives them back. Shapes only; what they cost is memory/'s. */
#ifndef CORPUS_CATALOGUE_H
#define CORPUS_CATALOGUE_H

#include "corpus/entry.h"

#define KV_KIND_WORDS(X) \
    X(full) X(sliding) X(chunked) X(mla) X(state) X(cross) X(indexer)
#define X(w) KV_##w,
enum kv_kind { KV_KIND_WORDS(X) KV_KIND_COUNT_OF };
#undef X

/* Layers that keep the same kind of cache. A model's groups stand in the order
 * of their first layers: which kind comes first decides what vLLM 0.14 to 0.18
 * say a request needs. */
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
    int64_t state_bytes;  /* state: per layer and sequence, unsharded, all of it
                             in 16 bits; 0: unknown */
    /* What that state is made of; all 0: only the sum is known. */
    struct str mixer;        /* mamba1 mamba2 gdn kda linear conv */
    int64_t conv_channels;   /* that a convolution looks back on ... */
    int64_t conv_steps;      /* ... and how far */
    int64_t conv_groups;     /* mamba2: groups that ranks copy where TP does
                                not divide them ... */
    int64_t group_channels;  /* ... and the channels of one */
    int64_t state_elements;  /* of the recurrent state */
    struct str state_dtype;  /* that the checkpoint asks for; empty: none */
    /* For counting parameters (tests/corpus/quality_check.py). mla takes k_dim and
     * v_dim too: of a head, once its latent is spread out. */
    int64_t q_rank, rope_dim; /* mla; q_rank 0: queries are not compressed */
    int64_t params;           /* state: weights of one layer's mixer */
    bool is_gated;            /* a gate as wide as the queries */
};

/* A state group's state_bytes from its parts; false: it has none. */
bool kv_group_sum_state(struct kv_group *g);

struct model {
    struct str id; /* Hugging Face id */
    struct str_list aliases;
    struct str family;
    int64_t params;          /* total; 0: unknown */
    int64_t embedding_params; /* kept at full precision by most quantizers; 0: unknown */
    int64_t layers, hidden_size, heads, vocab_size, intermediate_size;
    int64_t max_position;   /* 0: unknown */
    struct str dtype;        /* bfloat16, float16, float32 */
    struct str quantization; /* fp8, mxfp4 ...: of the checkpoint; empty: none */
    int64_t scale_block;     /* side of the blocks of weights that share a scale,
                                in its maker's quantized checkpoint; 0: unknown
                                or other */
    struct str_list since;   /* "vllm 0.8.5": the first release of an engine
                                that loads it; engines left out: unknown */
    struct str kv_dtype;     /* that a checkpoint's own config.json asks for
                                its cache; of no model of the catalogue */
    struct kv_group *groups;
    size_t group_count;
    bool is_moe, is_multimodal;
    /* For counting parameters, as far as a model has them; 0: it has none. */
    int64_t experts, expert_size, shared_size; /* of one MoE layer */
    int64_t dense_layers; /* MoE: layers whose feed-forward part is dense */
    int64_t mlp_layers;   /* that have a feed-forward part; 0: all */
    int64_t draft_layers; /* that predict further tokens, counted in params */
    int64_t other_params; /* towers, encoders, position tables: as declared */
    bool has_plain_mlp;   /* two matrices; else three, one of them a gate */
    struct str uncounted; /* why the count cannot be made; empty: it can */
    struct str verified; /* seen | computed | recalled; given: the user's own
                            file, in no catalogue */
    struct str_list sources;
};

struct component {
    struct str id, name;
    struct str_list aliases; /* what else people call it: search */
    struct str folds_into; /* ggml-metal -> llama.cpp; empty: itself */
};

struct gpu {
    struct str id; /* "A100 80GB SXM" */
    struct str_list aliases;
    struct str vendor;
    int64_t nominal_gb;
    int64_t total_low, total_high; /* bytes that torch reports; 0: not seen */
    int64_t has_fp8;               /* 0 no, 1 yes, -1 not known */
    bool is_unified;               /* its memory is the host's too */
    struct str compute_capability;
    struct str source;
};

/* What a user or a log calls a model -> catalogue. is_guess: the match was by
 * a shortened or repacked name and must be said to be one. */
struct model_match {
    const struct model *model;
    bool is_guess;
    struct str quantization; /* read off the name: AWQ, GPTQ, FP8, 4bit */
};

/* "Carnice-V2-27B-Q5_K_M.gguf": 27 x 10^9 parameters; 0: its name has no size. */
int64_t params_named(struct str name);

#endif
