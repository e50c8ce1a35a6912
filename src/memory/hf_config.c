/* hf_config.c: config.json of a checkpoint -> the shape of its caches.
 *
 *     {"num_hidden_layers": 32, "num_key_value_heads": 8, "head_dim": 128}
 *       --> 32 full layers of 8 x (128 + 128)
 *
 * A multimodal model keeps its language model under text_config (or one of a
 * few other names). Fields have several spellings; the first that is there
 * counts. Which layer is what comes from `layer_types`, else from the pattern
 * that the architecture is known to use (window_period, layer_kind).
 *
 * Parameters are reckoned from the shape and are approximate for designs with
 * parts that this file does not know (towers, adapters).
 */
#include "base/json.h"
#include "memory/shape.h"
#include "memory/span.h"

#define VALUE_MAX INT64_C(100000000)
#define EXPERTS_MAX 100000
#define WIDTH_MAX 100000 /* of what is multiplied for parameters */
#define STATE_BYTES 2 /* the catalogue's unit: 16 bits */
#define INDEX_SCALE 4

#define NAMES 6
struct names {
    const char *at[NAMES];
};

struct config {
    struct arena *a;
    struct json *top, *text; /* text: where the language model stands */
    struct str name;
    int64_t layers, hidden, heads, kv_heads, head_dim;
};

static bool find_int(struct json *o, const struct names *names, int64_t *out) {
    for (size_t i = 0; i < NAMES && names->at[i]; i++) {
        int64_t n;
        if (json_get_int(o, names->at[i], &n) && n >= 0 && n <= VALUE_MAX) {
            *out = n;
            return true;
        }
    }
    return false;
}

static int64_t value(const struct config *c, const struct names *names,
                     int64_t otherwise) {
    int64_t n = otherwise;
    return find_int(c->text, names, &n) ? n : otherwise;
}

#define ONE(c, name, otherwise) value(c, &(struct names){{name}}, otherwise)

static int64_t needed(const struct config *c, const struct names *names) {
    int64_t n = value(c, names, 0);
    if (n <= 0) {
        arena_raise(c->a, FAIL_INPUT, "%.*s: %s is missing: it should be the "
                    "config.json of a language model",
                    (int)(c->name.n < 100 ? c->name.n : 100), c->name.p,
                    names->at[0]);
    }
    return n;
}

static bool flag(const struct config *c, const char *name) {
    bool is_set = false;
    return json_get_bool(c->text, name, &is_set) && is_set;
}

static struct str word(const struct config *c, const char *name) {
    struct str s = {NULL, 0};
    if (!json_get_text(c->text, name, &s)) {
        json_get_text(c->top, name, &s);
    }
    return s;
}

static bool type_is(const struct config *c, const char *type) {
    return str_starts(word(c, "model_type"), str_of(type));
}

/* ---- what a layer keeps ---- */

static struct kv_group full_layer(const struct config *c) {
    int64_t rank = ONE(c, "kv_lora_rank", 0);
    struct kv_group g = {.kind = KV_full,
                         .layers = 1,
                         .kv_heads = c->kv_heads,
                         .k_dim = c->head_dim,
                         .v_dim = ONE(c, "v_head_dim", c->head_dim)};
    if (rank > 0) {
        return (struct kv_group){
            .kind = KV_mla,
            .layers = 1,
            .latent_dim = rank + ONE(c, "qk_rope_head_dim", 64)};
    }
    g.k_dim = ONE(c, "global_head_dim", g.k_dim);
    g.v_dim = g.k_dim == c->head_dim ? g.v_dim : g.k_dim;
    g.kv_heads = ONE(c, "num_global_key_value_heads", g.kv_heads);
    return g;
}

static struct kv_group window_layer(const struct config *c,
                                    enum kv_kind kind) {
    int64_t window =
        kind == KV_chunked
            ? ONE(c, "attention_chunk_size", 8192)
            : value(c, &(struct names){{"sliding_window",
                                        "sliding_window_size", "window_size"}},
                    0);
    struct kv_group g = {
        .kind = window > 0 ? kind : KV_full,
        .layers = 1,
        .kv_heads = ONE(c, "swa_num_key_value_heads", c->kv_heads),
        .k_dim = ONE(c, "swa_head_dim", c->head_dim),
        .window = window};
    g.v_dim = ONE(c, "swa_v_head_dim", ONE(c, "v_head_dim", g.k_dim));
    return g;
}

/* (heads x dim x state) + what the convolution looks back on. */
static int64_t gated_delta(const struct config *c) {
    int64_t k = ONE(c, "linear_num_key_heads", 0) *
                ONE(c, "linear_key_head_dim", 0);
    int64_t v = ONE(c, "linear_num_value_heads", 0) *
                ONE(c, "linear_value_head_dim", 0);
    int64_t conv = ONE(c, "linear_conv_kernel_dim", 4) - 1;
    int64_t dk = ONE(c, "linear_key_head_dim", 0);
    bool is_sane = k > 0 && v > 0 && k < 1000000 && v < 1000000 &&
                   dk < 100000 && conv < 1000;
    return is_sane ? (v * dk + (2 * k + v) * conv) * STATE_BYTES : 0;
}

static int64_t mamba(const struct config *c) {
    int64_t heads = value(
        c, &(struct names){{"mamba_num_heads", "mamba_n_heads"}}, 0);
    int64_t dim = value(
        c, &(struct names){{"mamba_head_dim", "mamba_d_head"}}, 0);
    int64_t state = value(c,
                          &(struct names){{"ssm_state_size", "mamba_d_state",
                                           "state_size"}},
                          0);
    int64_t conv = value(c,
                         &(struct names){{"conv_kernel", "mamba_d_conv",
                                          "conv_kernel_size"}},
                         4) - 1;
    int64_t groups = value(
        c, &(struct names){{"n_groups", "mamba_n_groups"}}, 1);
    int64_t inner = ONE(c, "mamba_d_ssm", heads * dim);
    bool is_second = heads > 0;
    if (!is_second) {
        inner = ONE(c, "intermediate_size_mamba",
                    value(c, &(struct names){{"mamba_expand", "expand"}}, 2) *
                        c->hidden);
        groups = 0;
    }
    bool is_sane = inner > 0 && inner < 10000000 && state > 0 &&
                   state < 100000 && conv >= 0 && conv < 1000 &&
                   groups < 10000;
    return is_sane ? (inner * state + (inner + 2 * groups * state) * conv) *
                         STATE_BYTES
                   : 0;
}

static struct kv_group state_layer(const struct config *c) {
    int64_t conv = ONE(c, "conv_L_cache", 0);
    int64_t bytes = gated_delta(c);
    bytes = bytes > 0 ? bytes : mamba(c);
    if (conv > 1 && conv < 1000) { /* LFM2: a short convolution alone */
        bytes = c->hidden * (conv - 1) * STATE_BYTES;
    }
    return (struct kv_group){
        .kind = KV_state, .layers = 1, .state_bytes = bytes};
}

/* ---- which layer is what ---- */

/* Every n-th layer is full, the others see a window; 0: not so. */
static int64_t window_period(const struct config *c) {
    int64_t said = ONE(c, "sliding_window_pattern", 0);
    if (said > 1) {
        return said;
    }
    static const struct {
        const char *type;
        int64_t period;
    } known[] = {{"gemma2", 2}, {"gemma3n", 5}, {"gemma3", 6}, {"cohere2", 4},
                 {"gpt_oss", 2}, {"llama4", 4}, {"exaone4", 4}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (type_is(c, known[i].type)) {
            return known[i].period;
        }
    }
    return 0;
}

static bool has_window(const struct config *c) {
    bool has_switch = json_get(c->text, "use_sliding_window") != NULL;
    bool is_on = !has_switch || flag(c, "use_sliding_window");
    return is_on && ONE(c, "sliding_window", 0) > 0;
}

enum layer { LAYER_FULL, LAYER_WINDOW, LAYER_CHUNK, LAYER_STATE, LAYER_BOTH,
             LAYER_NOTHING };

static enum layer layer_of_word(struct str w) {
    if (str_find(w, STR("sliding")) < w.n) {
        return LAYER_WINDOW;
    }
    if (str_find(w, STR("chunked")) < w.n) {
        return LAYER_CHUNK;
    }
    static const char *const states[] = {"linear", "mamba", "conv",
                                         "recurrent", "hybrid_mamba"};
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        if (str_find(w, str_of(states[i])) < w.n) {
            return LAYER_STATE;
        }
    }
    bool is_attention = str_find(w, STR("attention")) < w.n ||
                        str_find(w, STR("full")) < w.n ||
                        str_eq(w, STR("hybrid"));
    return is_attention ? LAYER_FULL : LAYER_NOTHING;
}

/* Nemotron-H: "M-M-M*-": mamba, nothing to keep, attention. */
static enum layer layer_of_letter(char letter) {
    return letter == 'M'   ? LAYER_STATE
           : letter == '*' ? LAYER_FULL
                           : LAYER_NOTHING;
}

/* Windows everywhere but in every n-th layer, or everywhere, or nowhere. */
static enum layer windowed_layer(const struct config *c, int64_t i) {
    int64_t every = window_period(c);
    bool is_full = every > 1 && (i + 1) % every == 0;
    if (every > 1 && type_is(c, "llama4")) {
        return is_full ? LAYER_FULL : LAYER_CHUNK;
    }
    if (every > 1 && ONE(c, "sliding_window", 0) > 0) {
        return is_full ? LAYER_FULL : LAYER_WINDOW;
    }
    bool is_low = json_get(c->text, "max_window_layers") != NULL &&
                  i < ONE(c, "max_window_layers", 0);
    return has_window(c) && !is_low ? LAYER_WINDOW : LAYER_FULL;
}

/* By the pattern that the architecture is known for. */
static enum layer layer_by_design(const struct config *c, int64_t i) {
    int64_t interval = ONE(c, "full_attention_interval", 0);
    int64_t period = ONE(c, "attn_layer_period", 0);
    if (interval > 0) {
        return (i + 1) % interval == 0 ? LAYER_FULL : LAYER_STATE;
    }
    if (period > 0) {
        return i % period == ONE(c, "attn_layer_offset", 0) ? LAYER_FULL
                                                            : LAYER_STATE;
    }
    if (type_is(c, "falcon_h1")) {
        return LAYER_BOTH;
    }
    if (type_is(c, "mamba") || type_is(c, "falcon_mamba")) {
        return LAYER_STATE;
    }
    return windowed_layer(c, i);
}

static enum layer layer_kind(const struct config *c, int64_t i) {
    static const char *const lists[] = {"layer_types", "layers_block_type",
                                        "block_types"};
    struct str letters = word(c, "hybrid_override_pattern");
    if ((size_t)i < letters.n) {
        return layer_of_letter(letters.p[i]);
    }
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        struct json *list = json_get(c->text, lists[k]);
        struct json *item = json_at(list, (size_t)i);
        struct str w;
        if (item && json_as_text(item, &w)) {
            return layer_of_word(w);
        }
    }
    return layer_by_design(c, i);
}

static void add_layers(const struct config *c, struct model *m) {
    int64_t shared = ONE(c, "num_kv_shared_layers", 0);
    int64_t own = shared < c->layers ? c->layers - shared : c->layers;
    for (int64_t i = 0; i < own; i++) {
        enum layer kind = layer_kind(c, i);
        struct kv_group full = full_layer(c), state = state_layer(c);
        struct kv_group sliding = window_layer(c, KV_sliding);
        struct kv_group chunked = window_layer(c, KV_chunked);
        switch (kind) {
        case LAYER_FULL: shape_add(c->a, m, &full); break;
        case LAYER_WINDOW: shape_add(c->a, m, &sliding); break;
        case LAYER_CHUNK: shape_add(c->a, m, &chunked); break;
        case LAYER_STATE: shape_add(c->a, m, &state); break;
        case LAYER_BOTH:
            shape_add(c->a, m, &full);
            shape_add(c->a, m, &state);
            break;
        case LAYER_NOTHING: break;
        }
    }
    int64_t index_dim = ONE(c, "index_head_dim", 0);
    if (index_dim > 0) {
        struct kv_group indexer = {.kind = KV_indexer,
                                   .layers = own,
                                   .latent_dim = index_dim + INDEX_SCALE};
        shape_add(c->a, m, &indexer);
    }
}

/* ---- parameters ---- */

static int64_t attention_params(const struct config *c) {
    int64_t q = ONE(c, "q_lora_rank", 0), rank = ONE(c, "kv_lora_rank", 0);
    int64_t rope = ONE(c, "qk_rope_head_dim", 64);
    int64_t nope = ONE(c, "qk_nope_head_dim", 128);
    int64_t v = ONE(c, "v_head_dim", c->head_dim);
    if (rank == 0) {
        return c->hidden * c->head_dim * (2 * c->heads + 2 * c->kv_heads);
    }
    int64_t heads_dim = c->heads * (nope + rope);
    int64_t query = q > 0 ? c->hidden * q + q * heads_dim
                          : c->hidden * heads_dim;
    return query + c->hidden * (rank + rope) + rank * c->heads * (nope + v) +
           c->heads * v * c->hidden;
}

static bool is_sane(const struct config *c, const struct model *m) {
    static const char *const widths[] = {"q_lora_rank", "kv_lora_rank",
                                         "qk_rope_head_dim",
                                         "qk_nope_head_dim", "v_head_dim"};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        if (ONE(c, widths[i], 0) >= WIDTH_MAX) {
            return false;
        }
    }
    return c->hidden < 1000000 && m->intermediate_size < 10000000 &&
           c->heads < WIDTH_MAX && c->kv_heads < WIDTH_MAX &&
           c->head_dim < WIDTH_MAX && m->vocab_size > 0;
}

static int64_t params_of(const struct config *c, const struct model *m) {
    int64_t experts = value(c,
                            &(struct names){{"num_local_experts",
                                             "num_experts",
                                             "n_routed_experts"}},
                            0);
    int64_t wide = ONE(c, "moe_intermediate_size", m->intermediate_size);
    int64_t dense = ONE(c, "first_k_dense_replace", 0);
    int64_t common = value(c,
                           &(struct names){{"n_shared_experts",
                                            "num_shared_experts"}},
                           0);
    if (!is_sane(c, m) || wide >= 10000000 || experts >= EXPERTS_MAX ||
        common >= 1000) {
        return 0;
    }
    dense = experts == 0 || dense > c->layers ? c->layers : dense;
    struct span matrices = span_exact(3 * c->hidden);
    struct span sparse = span_times(
        span_times(span_times(matrices, wide), experts + common),
        c->layers - dense);
    struct span plain =
        span_times(span_times(matrices, m->intermediate_size), dense);
    struct span attention =
        span_times(span_exact(attention_params(c)), c->layers);
    struct span all = span_plus(
        span_plus(sparse, plain),
        span_plus(attention, span_exact(m->embedding_params)));
    return all.known ? all.low : 0;
}

/* ---- together ---- */

static struct json *text_part(struct json *top) {
    static const char *const inner[] = {"text_config", "llm_config",
                                        "language_config"};
    struct json *thinker = json_get(top, "thinker_config");
    if (thinker && json_get(thinker, "text_config")) {
        return json_get(thinker, "text_config");
    }
    for (size_t i = 0; i < sizeof inner / sizeof inner[0]; i++) {
        if (json_get(top, inner[i])) {
            return json_get(top, inner[i]);
        }
    }
    return top;
}

static void read_sizes(struct config *c, struct model *m) {
    c->layers = needed(c, &(struct names){{"num_hidden_layers", "n_layer",
                                           "num_layers", "n_layers"}});
    if (c->layers > SHAPE_LAYERS_MAX) {
        arena_raise(c->a, FAIL_INPUT, "%.*s: more than %d layers",
                    (int)(c->name.n < 100 ? c->name.n : 100), c->name.p,
                    SHAPE_LAYERS_MAX);
    }
    c->hidden = needed(c, &(struct names){{"hidden_size", "n_embd",
                                           "d_model"}});
    c->heads = value(c, &(struct names){{"num_attention_heads", "n_head",
                                         "n_heads", "num_heads"}}, 1);
    c->heads = c->heads > 0 ? c->heads : 1;
    c->kv_heads = value(c, &(struct names){{"num_key_value_heads",
                                            "num_kv_heads", "n_head_kv",
                                            "multi_query_group_num"}},
                        flag(c, "multi_query") ? 1 : c->heads);
    c->head_dim = value(c, &(struct names){{"head_dim", "kv_channels",
                                            "attention_head_dim"}},
                        c->hidden / c->heads);
    m->vocab_size = value(c, &(struct names){{"vocab_size",
                                              "padded_vocab_size"}}, 0);
    m->intermediate_size = value(
        c, &(struct names){{"intermediate_size", "ffn_hidden_size", "n_inner",
                            "ffn_dim"}}, 4 * c->hidden);
    m->max_position = value(
        c, &(struct names){{"max_position_embeddings", "n_positions",
                            "seq_length", "max_seq_len",
                            "max_sequence_length"}}, 0);
    m->layers = c->layers;
    m->hidden_size = c->hidden;
    m->heads = c->heads;
}

const struct model *hf_config_model(struct arena *a, struct str text,
                                    struct str name) {
    struct json *top = json_parse(a, text, name);
    struct config c = {.a = a, .top = top, .text = text_part(top),
                       .name = name};
    struct model *m = arena_alloc(a, sizeof *m);
    read_sizes(&c, m);
    struct str id = word(&c, "_name_or_path"), dtype = word(&c, "torch_dtype");
    m->id = arena_str(a, id.n > 0 ? id : name);
    m->dtype = arena_str(a, dtype.n > 0 ? dtype : word(&c, "dtype"));
    m->dtype = m->dtype.n > 0 ? m->dtype : STR("bfloat16");
    json_get_text(json_get(top, "quantization_config"), "quant_method",
                  &m->quantization);
    m->is_multimodal = c.text != top || json_get(top, "vision_config") != NULL;
    m->family = word(&c, "model_type");
    m->verified = STR("computed");
    add_layers(&c, m);
    bool is_tied = flag(&c, "tie_word_embeddings");
    if (m->vocab_size < 10000000 && c.hidden < 1000000) {
        m->embedding_params = m->vocab_size * c.hidden * (is_tied ? 1 : 2);
    }
    m->params = params_of(&c, m);
    m->is_moe = value(&c, &(struct names){{"num_local_experts", "num_experts",
                                           "n_routed_experts"}}, 0) > 1;
    return m;
}
