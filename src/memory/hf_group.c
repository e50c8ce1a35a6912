/* hf_group.c: what one layer of each kind keeps, by the fields of config.json.
 *
 *   attention   kv heads x head dim; wide layers of a model may have others
 *               than those that see a window
 *   latent      kv_lora_rank + qk_rope_head_dim
 *   recurrent   a convolution and a state: Mamba 1 and 2, gated delta nets,
 *               Kimi's delta attention, lightning attention, short convolutions
 */
#include "base/limits.h"
#include "memory/hf_config.h"

static bool is_dim(int64_t n) {
    return n > 0 && n < MODEL_DIM_MAX;
}

/* ---- attention ---- */

/* A number, or one per layer; of Nemotron-NAS each block says how many query
 * heads share a pair. */
static int64_t heads_of(const struct config *c, int64_t layer) {
    struct json *item = hf_item(c, "num_key_value_heads", layer);
    struct json *block = hf_item(c, "block_configs", layer);
    int64_t n, per_group = hf_value_in(json_get(block, "attention"),
                                       "n_heads_in_group", 0);
    if (item && json_as_int(item, &n) && is_dim(n)) {
        return n;
    }
    return per_group > 0 ? c->heads / per_group : c->kv_heads;
}

struct kv_group hf_full_group(const struct config *c, int64_t layer) {
    int64_t rank = ONE(c, "kv_lora_rank", 0);
    struct kv_group g = {.kind = KV_full,
                         .layers = 1,
                         .kv_heads = heads_of(c, layer),
                         .k_dim = c->head_dim,
                         .v_dim = ONE(c, "v_head_dim", c->head_dim)};
    if (rank > 0) {
        return (struct kv_group){.kind = KV_mla,
                                 .layers = 1,
                                 .latent_dim =
                                     rank + ONE(c, "qk_rope_head_dim", 64)};
    }
    g.k_dim = ONE(c, "global_head_dim", g.k_dim);
    g.v_dim = g.k_dim == c->head_dim ? g.v_dim : g.k_dim;
    g.kv_heads = ONE(c, "num_global_key_value_heads", g.kv_heads);
    return g;
}

struct kv_group hf_window_group(const struct config *c, enum kv_kind kind) {
    int64_t window =
        kind == KV_chunked
            ? ONE(c, "attention_chunk_size", 8192)
            : ANY(c, 0, "sliding_window", "sliding_window_size", "window_size");
    struct kv_group g = {.kind = window > 0 ? kind : KV_full,
                         .layers = 1,
                         .kv_heads =
                             ONE(c, "swa_num_key_value_heads", c->kv_heads),
                         .k_dim = ONE(c, "swa_head_dim", c->head_dim),
                         .window = window};
    /* Step-3.5 keeps the window layers' heads apart. */
    struct json *other = json_get(c->text, "attention_other_setting");
    g.kv_heads = hf_value_in(other, "num_attention_groups", g.kv_heads);
    g.k_dim = hf_value_in(other, "head_dim", g.k_dim);
    g.v_dim = ONE(c, "swa_v_head_dim", ONE(c, "v_head_dim", g.k_dim));
    return g;
}

/* What the decoder keeps of the encoder: of Whisper 1,500 frames; of images
 * that vary nothing is said. */
struct kv_group hf_cross_group(const struct config *c) {
    return (struct kv_group){.kind = KV_cross,
                             .layers = 1,
                             .kv_heads = c->kv_heads,
                             .k_dim = c->head_dim,
                             .v_dim = c->head_dim,
                             .window = ONE(c, "max_source_positions", 0)};
}

/* ---- recurrent ---- */

static struct kv_group kimi_delta(struct json *linear) {
    int64_t heads = hf_value_in(linear, "num_heads", 0);
    int64_t dim = hf_value_in(linear, "head_dim", 0);
    return shape_delta("kda", hf_value_in(linear, "num_k_heads", heads),
                       hf_value_in(linear, "head_k_dim", dim), heads, dim,
                       hf_value_in(linear, "short_conv_kernel_size", 4));
}

/* Layers with heads are Mamba 2. */
static struct kv_group mamba(const struct config *c) {
    int64_t heads = ANY(c, hf_type_is(c, "mamba2") ? ONE(c, "num_heads", 0) : 0,
                        "mamba_num_heads", "mamba_n_heads", "n_mamba_heads");
    int64_t expand = ANY(c, 2, "mamba_expand", "expand");
    int64_t size =
        ANY(c, 0, "ssm_state_size", "mamba_d_state", "state_size", "d_state");
    int64_t kernel =
        ANY(c, 4, "conv_kernel", "mamba_d_conv", "conv_kernel_size", "d_conv");
    int64_t wide = expand < MODEL_EXPAND_MAX ? expand * c->hidden : 0;
    if (heads <= 0) {
        return shape_mamba(
            "mamba1",
            ANY(c, wide, "intermediate_size_mamba", "mamba_intermediate_size"),
            0, size, kernel);
    }
    int64_t dim = ANY(c, 0, "mamba_head_dim", "mamba_d_head", "mamba_headdim");
    int64_t groups = ANY(c, 1, "n_groups", "mamba_n_groups", "mamba_ngroups");
    dim = dim == 0 && is_dim(heads) ? wide / heads : dim;
    int64_t inner = is_dim(heads) && is_dim(dim) ? heads * dim : 0;
    return shape_mamba("mamba2", ONE(c, "mamba_d_ssm", inner), groups, size,
                       kernel);
}

/* Lightning attention: heads x dim x dim, and no convolution. */
static struct kv_group lightning(const struct config *c) {
    struct kv_group g = shape_state("linear");
    if (is_dim(c->heads) && is_dim(c->head_dim) && c->head_dim < 10000) {
        g.state_elements = c->heads * c->head_dim * c->head_dim;
    }
    return g;
}

static struct kv_group of_design(const struct config *c) {
    struct json *linear = json_get(c->text, "linear_attn_config");
    if (linear) {
        return kimi_delta(linear);
    }
    if (ONE(c, "linear_num_key_heads", 0) > 0) { /* a gated delta net */
        return shape_delta("gdn", ONE(c, "linear_num_key_heads", 0),
                           ONE(c, "linear_key_head_dim", 0),
                           ONE(c, "linear_num_value_heads", 0),
                           ONE(c, "linear_value_head_dim", 0),
                           ONE(c, "linear_conv_kernel_dim", 4));
    }
    if (ONE(c, "conv_L_cache", 0) > 0) {
        return shape_convolution(c->hidden, ONE(c, "conv_L_cache", 0));
    }
    if (json_get(c->text, "attn_type_list") || hf_type_is(c, "minimax")) {
        return lightning(c);
    }
    return mamba(c);
}

struct kv_group hf_state_group(const struct config *c) {
    struct kv_group g = of_design(c);
    struct str dtype = hf_word(c, "mamba_ssm_dtype");
    dtype = dtype.n > 0 ? dtype : hf_word(c, "mamba_ssm_cache_dtype");
    if (STR_IS_ONE(dtype, "float32", "float16", "bfloat16")) {
        g.state_dtype = arena_str(c->a, dtype);
    }
    kv_group_sum_state(&g);
    return g;
}
