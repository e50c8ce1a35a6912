/* gguf.h: what the two halves of the GGUF reader share: the header as it
 * stands (gguf.c) and what follows from it (gguf_shape.c). Inside memory/
 * only; the door is gguf_model() in shape.h. */
#ifndef MEMORY_GGUF_H
#define MEMORY_GGUF_H

#include "base/limits.h"
#include "memory/shape.h"

#define LIST_MAX SHAPE_LAYERS_MAX

struct list { /* a number, or one per layer */
    int64_t at[LIST_MAX];
    size_t count;
    bool is_there;
};

#define KEYS(X)                                                                \
    X(layers, "block_count") X(context, "context_length")                      \
    X(hidden, "embedding_length") X(wide, "feed_forward_length")               \
    X(heads, "attention.head_count") X(kv_heads, "attention.head_count_kv")    \
    X(k_dim, "attention.key_length") X(v_dim, "attention.value_length")        \
    X(k_mla, "attention.key_length_mla")                                       \
    X(k_swa, "attention.key_length_swa")                                       \
    X(v_swa, "attention.value_length_swa")                                     \
    X(kv_rank, "attention.kv_lora_rank") X(rope, "rope.dimension_count")       \
    X(window, "attention.sliding_window")                                      \
    X(pattern, "attention.sliding_window_pattern")                             \
    X(shared, "attention.shared_kv_layers")                                    \
    X(conv, "ssm.conv_kernel") X(inner, "ssm.inner_size")                      \
    X(state, "ssm.state_size") X(groups, "ssm.group_count")                    \
    X(interval, "full_attention_interval") X(vocab, "vocab_size")              \
    X(short_conv, "shortconv.l_cache") X(experts, "expert_count")              \
    X(rank, "ssm.time_step_rank") X(kda_dim, "kda.head_dim")                   \
    X(index_dim, "attention.indexer.key_length")                               \
    X(draft, "nextn_predict_layers")

enum key {
#define X(name, text) KEY_##name,
    KEYS(X)
#undef X
        KEY_COUNT
};

struct header {
    struct str architecture, name;
    struct list *value; /* KEY_COUNT of them */
    int64_t file_type;  /* -1: not said */
    int64_t tokens;     /* of the tokenizer */
    int64_t params, bytes;
};

/* NULL: its metadata name no number of layers or no width. */
struct model *gguf_shape(struct arena *a, const struct header *h,
                         struct str name);

#endif
