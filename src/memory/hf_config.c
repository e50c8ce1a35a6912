/* hf_config.c: config.json of a checkpoint -> the shape of its caches.
 *
 *     {"num_hidden_layers": 32, "num_key_value_heads": 8, "head_dim": 128}
 *       --> 32 full layers of 8 x (128 + 128)
 *
 * A multimodal model keeps its language model under text_config (or one of a
 * few other names). Fields have several spellings; the first that is there
 * counts. Which layer is what is hf_layer.c's. What a layer keeps:
 *
 *   attention   kv heads x head dim; wide layers of a model may have others
 *               than those that see a window
 *   latent      kv_lora_rank + qk_rope_head_dim
 *   recurrent   a convolution and a state: Mamba 1 and 2, gated delta nets,
 *               Kimi's delta attention, lightning attention, short convolutions
 *
 * Parameters are approximate for designs with parts that are not listed there
 * (towers, adapters, compressors), and 0 where the fields do not add up.
 */
#include "memory/hf_config.h"
#include "base/limits.h"
#include "memory/amount.h"

/* ---- attention ---- */

struct kv_group hf_full_group(const struct config *c, int64_t layer) {
    int64_t rank = ONE(c, "kv_lora_rank", 0), n;
    struct json *block = hf_item(c, "block_configs", layer);
    int64_t per_group =
        hf_value_in(json_get(block, "attention"), "n_heads_in_group", 0);
    struct kv_group g = {.kind = KV_full,
                         .layers = 1,
                         .kv_heads =
                             per_group > 0 ? c->heads / per_group : c->kv_heads,
                         .k_dim = ONE(c, "global_head_dim", c->head_dim)};
    if (rank > 0)
        return (struct kv_group){
            .kind = KV_mla, .layers = 1,
            .latent_dim = rank + ONE(c, "qk_rope_head_dim", 64)};
    if (json_as_int(hf_item(c, "num_key_value_heads", layer), &n) &&
        shape_is_dim(n))
        g.kv_heads = n;
    g.v_dim =
        g.k_dim == c->head_dim ? ONE(c, "v_head_dim", c->head_dim) : g.k_dim;
    g.kv_heads = ONE(c, "num_global_key_value_heads", g.kv_heads);
    return g;
}

struct kv_group hf_window_group(const struct config *c, enum kv_kind kind) {
    int64_t window =
        kind == KV_chunked
            ? ONE(c, "attention_chunk_size", 8192)
            : ANY(c, 0, "sliding_window", "sliding_window_size", "window_size");
    struct kv_group g = {
        .kind = window > 0 ? kind : KV_full, .layers = 1, .window = window,
        .kv_heads = ONE(c, "swa_num_key_value_heads", c->kv_heads),
        .k_dim = ONE(c, "swa_head_dim", c->head_dim)};
    /* Step-3.5 keeps the window layers' heads apart. */
    struct json *other = json_get(c->text, "attention_other_setting");
    g.kv_heads = hf_value_in(other, "num_attention_groups", g.kv_heads);
    g.k_dim = hf_value_in(other, "head_dim", g.k_dim);
    g.v_dim = ONE(c, "swa_v_head_dim", ONE(c, "v_head_dim", g.k_dim));
    return g;
}

/* What the decoder keeps of the encoder: of Whisper 1,500 frames; of images
 * whose number varies nothing is known. */
struct kv_group hf_cross_group(const struct config *c) {
    return (struct kv_group){.kind = KV_cross, .layers = 1,
                             .kv_heads = c->kv_heads, .k_dim = c->head_dim,
                             .v_dim = c->head_dim,
                             .window = ONE(c, "max_source_positions", 0)};
}

/* ---- recurrent ---- */

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
    if (heads <= 0)
        return shape_mamba(
            "mamba1",
            ANY(c, wide, "intermediate_size_mamba", "mamba_intermediate_size"),
            0, size, kernel);
    int64_t dim = ANY(c, 0, "mamba_head_dim", "mamba_d_head", "mamba_headdim");
    int64_t groups = ANY(c, 1, "n_groups", "mamba_n_groups", "mamba_ngroups");
    dim = dim == 0 && shape_is_dim(heads) ? wide / heads : dim;
    int64_t inner = shape_is_dim(heads) && shape_is_dim(dim) ? heads * dim : 0;
    return shape_mamba("mamba2", ONE(c, "mamba_d_ssm", inner), groups, size,
                       kernel);
}

static struct kv_group of_design(const struct config *c) {
    struct json *linear = json_get(c->text, "linear_attn_config");
    int64_t heads = hf_value_in(linear, "num_heads", 0);
    int64_t dim = hf_value_in(linear, "head_dim", 0);
    if (linear) /* Kimi's delta attention */
        return shape_delta("kda", hf_value_in(linear, "num_k_heads", heads),
                           hf_value_in(linear, "head_k_dim", dim), heads, dim,
                           hf_value_in(linear, "short_conv_kernel_size", 4));
    if (ONE(c, "linear_num_key_heads", 0) > 0) /* a gated delta net */
        return shape_delta("gdn", ONE(c, "linear_num_key_heads", 0),
                           ONE(c, "linear_key_head_dim", 0),
                           ONE(c, "linear_num_value_heads", 0),
                           ONE(c, "linear_value_head_dim", 0),
                           ONE(c, "linear_conv_kernel_dim", 4));
    if (ONE(c, "conv_L_cache", 0) > 0)
        return shape_convolution(c->hidden, ONE(c, "conv_L_cache", 0));
    if (!json_get(c->text, "attn_type_list") && !hf_type_is(c, "minimax"))
        return mamba(c);
    /* lightning attention: heads x dim x dim, and no convolution */
    struct kv_group g = shape_state("linear");
    if (shape_is_dim(c->heads) && shape_is_dim(c->head_dim) &&
        c->head_dim < 10000)
        g.state_elements = c->heads * c->head_dim * c->head_dim;
    return g;
}

struct kv_group hf_state_group(const struct config *c) {
    struct kv_group g = of_design(c);
    struct str dtype = hf_word(c, "mamba_ssm_dtype");
    dtype = dtype.n > 0 ? dtype : hf_word(c, "mamba_ssm_cache_dtype");
    if (STR_IS_ONE(dtype, "float32", "float16", "bfloat16"))
        g.state_dtype = arena_str(c->a, dtype);
    kv_group_sum_state(&g);
    return g;
}

/* ---- parameters ---- */

static int64_t attention_params(const struct config *c) {
    int64_t q = ONE(c, "q_lora_rank", 0), rank = ONE(c, "kv_lora_rank", 0);
    int64_t rope = ONE(c, "qk_rope_head_dim", 64);
    int64_t nope = ONE(c, "qk_nope_head_dim", 128);
    int64_t v = ONE(c, "v_head_dim", c->head_dim);
    if (rank == 0)
        return c->hidden * c->head_dim * (2 * c->heads + 2 * c->kv_heads);
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
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        if (ONE(c, widths[i], 0) >= MODEL_WIDTH_MAX)
            return false;
    return c->hidden < 1000000 && m->intermediate_size < 10000000 &&
           c->heads < MODEL_WIDTH_MAX && c->kv_heads < MODEL_WIDTH_MAX &&
           c->head_dim < MODEL_WIDTH_MAX && m->vocab_size > 0;
}

static int64_t hf_params(const struct config *c, const struct model *m) {
    int64_t experts =
        ANY(c, 0, "num_local_experts", "num_experts", "n_routed_experts");
    int64_t wide = ONE(c, "moe_intermediate_size", m->intermediate_size);
    int64_t dense = ONE(c, "first_k_dense_replace", 0);
    int64_t common = ANY(c, 0, "n_shared_experts", "num_shared_experts");
    if (!is_sane(c, m) || wide >= 10000000 || experts >= MODEL_EXPERTS_MAX ||
        common >= 1000)
        return 0;
    dense = experts == 0 || dense > c->layers ? c->layers : dense;
    struct span matrices = span_exact((m->has_plain_mlp ? 2 : 3) * c->hidden);
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

/* ---- the file ---- */

static bool find_int(struct json *o, const struct names *names, int64_t *out) {
    for (size_t i = 0; i < NAMES && names->at[i]; i++) {
        int64_t n;
        if (json_get_int(o, names->at[i], &n) && n >= 0 &&
            n <= MODEL_NUMBER_MAX) {
            *out = n;
            return true;
        }
    }
    return false;
}

int64_t hf_value(const struct config *c, const struct names *names,
                 int64_t otherwise) {
    int64_t n = otherwise;
    return find_int(c->text, names, &n) ? n : otherwise;
}

int64_t hf_value_in(struct json *object, const char *name, int64_t otherwise) {
    int64_t n = otherwise;
    return find_int(object, &(struct names){{name}}, &n) ? n : otherwise;
}

struct json *hf_item(const struct config *c, const char *name, int64_t i) {
    return json_at(json_get(c->text, name), (size_t)i);
}

static int64_t needed(const struct config *c, const struct names *names) {
    int64_t n = hf_value(c, names, 0);
    if (n <= 0)
        arena_raise(c->a, FAIL_INPUT,
                    "%.*s: %s is missing: it should be the "
                    "config.json of a language model",
                    (int)(c->name.n < 100 ? c->name.n : 100), c->name.p,
                    names->at[0]);
    return n;
}

bool hf_flag(const struct config *c, const char *name) {
    bool is_set = false;
    return json_get_bool(c->text, name, &is_set) && is_set;
}

struct str hf_word(const struct config *c, const char *name) {
    struct str s = {NULL, 0};
    if (!json_get_text(c->text, name, &s))
        json_get_text(c->top, name, &s);
    return s;
}

bool hf_type_is(const struct config *c, const char *type) {
    struct str own = {NULL, 0};
    json_get_text(c->text, "model_type", &own);
    return str_starts(own, str_of(type)) ||
           str_starts(hf_word(c, "model_type"), str_of(type));
}

static struct json *text_part(struct json *top) {
    static const char *const inner[] = {"text_config", "llm_config",
                                        "language_config"};
    struct json *thinker = json_get(top, "thinker_config");
    if (thinker && json_get(thinker, "text_config"))
        return json_get(thinker, "text_config");
    for (size_t i = 0; i < sizeof inner / sizeof inner[0]; i++)
        if (json_get(top, inner[i]))
            return json_get(top, inner[i]);
    return top;
}

static void read_layers(struct config *c) {
    bool is_decoder = hf_flag(c, "is_encoder_decoder");
    struct names usual = {{"num_hidden_layers", "n_layer", "num_layers",
                           "n_layers", "decoder_layers"}};
    struct names decoder = {{"decoder_layers", "num_decoder_layers",
                             "num_layers", "num_hidden_layers"}};
    c->layers = needed(c, is_decoder ? &decoder : &usual);
    if (c->layers > SHAPE_LAYERS_MAX)
        arena_raise(c->a, FAIL_INPUT, "%.*s: more than %d layers",
                    (int)(c->name.n < 100 ? c->name.n : 100), c->name.p,
                    SHAPE_LAYERS_MAX);
}

static void read_sizes(struct config *c, struct model *m) {
    read_layers(c);
    c->hidden =
        needed(c, &(struct names){{"hidden_size", "n_embd", "d_model"}});
    c->heads = ANY(c, 1, "num_attention_heads", "n_head", "n_heads",
                   "num_heads", "decoder_attention_heads");
    c->heads = c->heads > 0 ? c->heads : 1;
    /* MPT and DBRX keep KV heads apart */
    int64_t kv_heads =
        hf_value_in(json_get(c->text, "attn_config"), "kv_n_heads",
                    hf_flag(c, "multi_query") ? 1 : c->heads);
    c->kv_heads = ANY(c, kv_heads, "num_key_value_heads", "num_kv_heads",
                      "n_head_kv", "multi_query_group_num",
                      "num_attention_groups", "decoder_attention_heads");
    c->head_dim = ANY(c, c->hidden / c->heads, "head_dim", "kv_channels",
                      "attention_head_dim", "d_kv");
    m->vocab_size = ANY(c, 0, "vocab_size", "padded_vocab_size");
    m->intermediate_size =
        ANY(c, 4 * c->hidden, "intermediate_size", "ffn_hidden_size", "n_inner",
            "ffn_dim", "decoder_ffn_dim", "d_ff");
    m->max_position =
        ANY(c, ONE(c, "max_sequence_length", 0), "max_position_embeddings",
            "n_positions", "seq_length", "max_seq_len", "model_max_length",
            "max_target_positions");
    m->draft_layers = ANY(c, 0, "num_nextn_predict_layers",
                          "mtp_num_hidden_layers", "num_mtp_modules");
    m->layers = c->layers;
    m->hidden_size = c->hidden;
    m->heads = c->heads;
}

/* "kv_cache_scheme": {"num_bits": 8} of compressed-tensors,
 * "kv_cache_quant_algo": "FP8" of ModelOpt. */
static struct str cache_scheme(struct json *quantization) {
    struct json *scheme = json_get(quantization, "kv_cache_scheme");
    struct str algorithm = {NULL, 0};
    json_get_text(quantization, "kv_cache_quant_algo", &algorithm);
    bool is_fp8 = hf_value_in(scheme, "num_bits", 0) == 8 ||
                  str_eq_nocase(algorithm, STR("FP8"));
    return is_fp8 ? STR("fp8") : (struct str){NULL, 0};
}

/* A head it has none; the first ones have feed-forward parts without a gate. */
static void read_encoder(const struct config *c, struct model *m) {
    m->is_encoder = shape_is_encoder(m->family) ||
                    hf_flag(c, "use_bidirectional_attention");
    m->has_plain_mlp =
        STR_IS_ONE(m->family, "bert", "roberta", "xlm-roberta", "camembert",
                   "distilbert", "mpnet", "electra", "deberta", "deberta-v2");
}

const struct model *hf_config_model(struct arena *a, struct str text,
                                    struct str name) {
    struct json *top = json_parse(a, text, name);
    struct json *quantization = json_get(top, "quantization_config");
    struct config c = {
        .a = a, .top = top, .text = text_part(top), .name = name};
    struct model *m = arena_alloc(a, sizeof *m);
    read_sizes(&c, m);
    struct str id = hf_word(&c, "_name_or_path");
    struct str dtype = hf_word(&c, "torch_dtype");
    m->id = arena_str(a, id.n > 0 ? id : name);
    m->dtype = arena_str(a, dtype.n > 0 ? dtype : hf_word(&c, "dtype"));
    m->dtype = m->dtype.n > 0 ? m->dtype : STR("bfloat16");
    json_get_text(quantization, "quant_method", &m->quantization);
    m->kv_dtype = cache_scheme(quantization);
    /* "weight_block_size": [128, 128] of fp8, "group_size" of AWQ and GPTQ */
    int64_t block = hf_value_in(quantization, "group_size", 0);
    json_as_int(json_at(json_get(quantization, "weight_block_size"), 0),
                &block);
    m->scale_block = block > 0 && block < 100000 ? block : 0;
    m->is_multimodal = c.text != top || json_get(top, "vision_config") != NULL;
    m->family = hf_word(&c, "model_type");
    m->verified = STR("given");
    hf_add_layers(&c, m);
    read_encoder(&c, m);
    bool is_tied = hf_flag(&c, "tie_word_embeddings") || m->is_encoder;
    if (m->vocab_size < 10000000 && c.hidden < 1000000)
        m->embedding_params = m->vocab_size * c.hidden * (is_tied ? 1 : 2);
    m->params = hf_params(&c, m);
    m->experts =
        ANY(&c, 0, "num_local_experts", "num_experts", "n_routed_experts");
    m->is_moe = m->experts > 1;
    m->expert_size =
        ONE(&c, "moe_intermediate_size", m->is_moe ? m->intermediate_size : 0);
    m->dense_layers = ONE(&c, "first_k_dense_replace", 0);
    return m;
}
