/* hf_params.c: parameters of a config.json's shape. Approximate for designs
 * with parts that nobody lists there (towers, adapters, compressors); 0 where
 * the fields do not add up to a count. */
#include "base/limits.h"
#include "memory/hf_config.h"
#include "memory/span.h"

static int64_t attention_params(const struct config *c) {
    int64_t q = ONE(c, "q_lora_rank", 0), rank = ONE(c, "kv_lora_rank", 0);
    int64_t rope = ONE(c, "qk_rope_head_dim", 64);
    int64_t nope = ONE(c, "qk_nope_head_dim", 128);
    int64_t v = ONE(c, "v_head_dim", c->head_dim);
    if (rank == 0) {
        return c->hidden * c->head_dim * (2 * c->heads + 2 * c->kv_heads);
    }
    int64_t heads_dim = c->heads * (nope + rope);
    int64_t query =
        q > 0 ? c->hidden * q + q * heads_dim : c->hidden * heads_dim;
    return query + c->hidden * (rank + rope) + rank * c->heads * (nope + v) +
           c->heads * v * c->hidden;
}

static bool is_sane(const struct config *c, const struct model *m) {
    static const char *const widths[] = {"q_lora_rank", "kv_lora_rank",
                                         "qk_rope_head_dim", "qk_nope_head_dim",
                                         "v_head_dim"};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        if (ONE(c, widths[i], 0) >= MODEL_WIDTH_MAX) {
            return false;
        }
    }
    return c->hidden < 1000000 && m->intermediate_size < 10000000 &&
           c->heads < MODEL_WIDTH_MAX && c->kv_heads < MODEL_WIDTH_MAX &&
           c->head_dim < MODEL_WIDTH_MAX && m->vocab_size > 0;
}

int64_t hf_params(const struct config *c, const struct model *m) {
    int64_t experts =
        ANY(c, 0, "num_local_experts", "num_experts", "n_routed_experts");
    int64_t wide = ONE(c, "moe_intermediate_size", m->intermediate_size);
    int64_t dense = ONE(c, "first_k_dense_replace", 0);
    int64_t common = ANY(c, 0, "n_shared_experts", "num_shared_experts");
    if (!is_sane(c, m) || wide >= 10000000 || experts >= MODEL_EXPERTS_MAX ||
        common >= 1000) {
        return 0;
    }
    dense = experts == 0 || dense > c->layers ? c->layers : dense;
    struct span matrices = span_exact(3 * c->hidden);
    struct span sparse =
        span_times(span_times(span_times(matrices, wide), experts + common),
                   c->layers - dense);
    struct span plain =
        span_times(span_times(matrices, m->intermediate_size), dense);
    struct span attention =
        span_times(span_exact(attention_params(c)), c->layers);
    struct span all =
        span_plus(span_plus(sparse, plain),
                  span_plus(attention, span_exact(m->embedding_params)));
    return all.known ? all.low : 0;
}
