/* hf_layer.c: which layer of a config.json is of which kind.
 *
 *     layer_types, hybrid_layer_pattern, "M-M*-E", kda_layers, block_configs
 *       else every n-th by a period that the file gives
 *       else the pattern that the architecture is known for
 *
 * The first that has the layer decides. Beside attention a layer may keep
 * an index of what to look at: on all layers, or on those that a list, a word
 * of F and S, or a frequency names; the others share it.
 */
#include "base/limits.h"
#include "memory/hf_config.h"

#define INDEX_SCALE 4
#define INDEX_OFFSET 2 /* of the layer that the frequency counts from */

enum layer {
    LAYER_UNSAID,
    LAYER_FULL,
    LAYER_WINDOW,
    LAYER_CHUNK,
    LAYER_STATE,
    LAYER_BOTH,
    LAYER_CROSS,
    LAYER_NOTHING
};

/* ---- what the file has of each layer ---- */

static enum layer layer_of_word(const struct config *c, struct str w) {
    static const struct {
        const char *part;
        enum layer layer;
    } words[] = {{"sliding", LAYER_WINDOW},  {"window", LAYER_WINDOW},
                 {"chunked", LAYER_CHUNK},   {"linear", LAYER_STATE},
                 {"mamba", LAYER_STATE},     {"conv", LAYER_STATE},
                 {"recurrent", LAYER_STATE}, {"cross", LAYER_CROSS},
                 {"attention", LAYER_FULL},  {"full", LAYER_FULL},
                 {"sparse", LAYER_FULL},     {"global", LAYER_FULL},
                 {"local", LAYER_WINDOW}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (STR_HAS_ONE(w, words[i].part))
            return words[i].layer;
    if (str_eq(w, STR("hybrid"))) { /* Zamba 2: shared attention and a state */
        return hf_type_is(c, "zamba") ? LAYER_BOTH : LAYER_FULL;
    }
    return LAYER_NOTHING;
}

static enum layer by_words(const struct config *c, int64_t i) {
    static const char *const lists[] = {"layer_types", "layers_block_type",
                                        "block_types"};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        struct str w;
        if (json_as_text(hf_item(c, lists[k], i), &w))
            return layer_of_word(c, w);
    }
    return LAYER_UNSAID;
}

/* Nemotron-H: "M-M*-E": mamba, nothing to keep, attention, experts. */
static enum layer by_letters(const struct config *c, int64_t i) {
    struct str letters = hf_word(c, "hybrid_override_pattern");
    if ((size_t)i >= letters.n)
        return LAYER_UNSAID;
    return letters.p[i] == 'M'   ? LAYER_STATE
           : letters.p[i] == '*' ? LAYER_FULL
                                 : LAYER_NOTHING;
}

/* Numbers: 1 is a window (MiMo), or full attention (MiniMax). */
static enum layer by_numbers(const struct config *c, int64_t i) {
    int64_t n;
    if (json_as_int(hf_item(c, "hybrid_layer_pattern", i), &n))
        return n == 1 ? LAYER_WINDOW : LAYER_FULL;
    if (json_as_int(hf_item(c, "attn_type_list", i), &n))
        return n == 1 ? LAYER_FULL : LAYER_STATE;
    return LAYER_UNSAID;
}

static bool lists_layer(struct json *list, int64_t layer) {
    for (size_t i = 0; i < json_count(list); i++) {
        int64_t n;
        if (json_as_int(json_at(list, i), &n) && n == layer)
            return true;
    }
    return false;
}

/* Lists of layers: Kimi counts them from one, Bamba and LFM from nought. */
static enum layer by_lists(const struct config *c, int64_t i) {
    struct json *linear = json_get(c->text, "linear_attn_config");
    struct json *kda = json_get(linear, "kda_layers");
    struct json *full = json_get(c->text, "full_attn_idxs");
    struct json *cross = json_get(c->text, "cross_attention_layers");
    int64_t base = hf_value_in(linear, "kda_layer_index_base", 1);
    full = full ? full : json_get(c->text, "attn_layer_indices");
    if (json_count(kda) > 0)
        return lists_layer(kda, i + base) ? LAYER_STATE : LAYER_FULL;
    if (json_count(full) > 0)
        return lists_layer(full, i) ? LAYER_FULL : LAYER_STATE;
    if (json_count(cross) > 0)
        return lists_layer(cross, i) ? LAYER_CROSS : LAYER_FULL;
    return LAYER_UNSAID;
}

/* Nemotron-NAS: a block may do without attention. */
static enum layer by_block(const struct config *c, int64_t i) {
    struct json *attention =
        json_get(hf_item(c, "block_configs", i), "attention");
    bool is_gone = false, is_linear = false;
    if (attention == NULL)
        return LAYER_UNSAID;
    json_get_bool(attention, "no_op", &is_gone);
    json_get_bool(attention, "replace_with_linear", &is_linear);
    return is_gone || is_linear ? LAYER_NOTHING : LAYER_FULL;
}

/* ---- what is known of the design ---- */

/* Every n-th layer is full, the others see a window; 0: not so. */
static int64_t window_period(const struct config *c) {
    int64_t said = ONE(c, "sliding_window_pattern", 0);
    struct str letters = hf_word(c, "sliding_window_pattern");
    if (said > 1 || letters.n > 1) { /* 4, or "LLLG" */
        return said > 1 ? said : (int64_t)letters.n;
    }
    struct str own = {NULL, 0};
    json_get_text(c->text, "model_type", &own);
    int64_t period = shape_window_period(own);
    return period > 0 ? period : shape_window_period(hf_word(c, "model_type"));
}

static enum layer windowed_layer(const struct config *c, int64_t i) {
    int64_t every = window_period(c), rotates = 0;
    bool is_full = every > 1 && (i + 1) % every == 0;
    bool has_window = ONE(c, "sliding_window", 0) > 0;
    if (every > 1 && hf_type_is(c, "llama4")) {
        /* layers without rotation see everything */
        struct json *item = hf_item(c, "no_rope_layers", i);
        is_full = item && json_as_int(item, &rotates) ? rotates == 0 : is_full;
        return is_full ? LAYER_FULL : LAYER_CHUNK;
    }
    if (every > 1 && has_window)
        return is_full ? LAYER_FULL : LAYER_WINDOW;
    bool is_low = json_get(c->text, "max_window_layers") != NULL &&
                  i < ONE(c, "max_window_layers", 0);
    bool is_off = json_get(c->text, "use_sliding_window") != NULL &&
                  !hf_flag(c, "use_sliding_window");
    return has_window && !is_off && !is_low ? LAYER_WINDOW : LAYER_FULL;
}

static enum layer by_design(const struct config *c, int64_t i) {
    int64_t interval = ONE(c, "full_attention_interval", 0);
    int64_t period = ONE(c, "attn_layer_period", 0);
    if (interval > 0)
        return (i + 1) % interval == 0 ? LAYER_FULL : LAYER_STATE;
    if (period > 0)
        return i % period == ONE(c, "attn_layer_offset", 0) ? LAYER_FULL
                                                            : LAYER_STATE;
    if (hf_type_is(c, "falcon_h1"))
        return LAYER_BOTH;
    if (hf_type_is(c, "mamba") || hf_type_is(c, "falcon_mamba"))
        return LAYER_STATE;
    return windowed_layer(c, i);
}

/* ---- what stands beside attention ---- */

static bool has_index(const struct config *c, int64_t i) {
    struct json *list = json_get(c->text, "indexer_types");
    struct str letters = hf_word(c, "index_topk_pattern"), w;
    int64_t every = ONE(c, "index_topk_freq", 1);
    int64_t offset = ONE(c, "index_skip_topk_offset", INDEX_OFFSET);
    if (json_count(list) == 0)
        list = json_get(c->text, "index_topk_pattern");
    if (json_count(list) > 0)
        return json_as_text(json_at(list, (size_t)i), &w) &&
               STR_IS_ONE(w, "full", "F");
    if (letters.n > 0)
        return (size_t)i < letters.n && letters.p[i] == 'F';
    int64_t at = i - offset + 1;
    return every <= 1 || at <= 0 || at % every == 0;
}

/* MiniMax-M3 has keys of one head, of the cache's own type, where its sparse
 * attention is on; DeepSeek's have a row of bytes. */
static void add_index(const struct config *c, struct model *m, int64_t i) {
    struct json *sparse = json_get(c->text, "sparse_attention_config");
    struct json *on =
        json_at(json_get(sparse, "sparse_attention_freq"), (size_t)i);
    int64_t n = 0, dim = ONE(c, "index_head_dim", 0);
    struct str w = {NULL, 0};
    bool is_used = true;
    json_get_bool(sparse, "use_sparse_attention", &is_used);
    json_as_text(hf_item(c, "layer_types", i), &w);
    struct kv_group g = {.kind = KV_indexer, .layers = 1};
    bool is_sparse =
        (json_as_int(on, &n) && n == 1) || STR_HAS_ONE(w, "minimax_m3_sparse");
    if (is_used && is_sparse)
        g.k_dim = ONE(c, "index_head_dim",
                      hf_value_in(sparse, "sparse_index_dim", 128));
    else if (dim > 0 && ONE(c, "kv_lora_rank", 0) > 0 && has_index(c, i))
        g.latent_dim = dim + INDEX_SCALE;
    else
        return;
    shape_add(c->a, m, &g);
}

/* DeepSeek-V4: every layer has a window; most keep one row for 4 or for 128
 * tokens besides, and those with 4 an index of them. */
static bool add_compressed(const struct config *c, struct model *m, int64_t i) {
    int64_t ratio, dim = ONE(c, "index_head_dim", 128);
    if (!json_as_int(hf_item(c, "compress_ratios", i), &ratio) || ratio < 0 ||
        ratio > SHAPE_LAYERS_MAX)
        return false;
    struct kv_group window = {.kind = KV_sliding, .layers = 1, .kv_heads = 1,
                              .k_dim = c->head_dim,
                              .window = ONE(c, "sliding_window", 128)};
    struct kv_group latent = {.kind = KV_mla, .layers = ratio > 1,
                              .latent_dim = c->head_dim, .ratio = ratio};
    struct kv_group index = {.kind = KV_indexer, .layers = ratio == 4,
                             .latent_dim = dim + INDEX_SCALE, .ratio = ratio};
    shape_add(c->a, m, &window);
    shape_add(c->a, m, &latent);
    shape_add(c->a, m, &index);
    return true;
}

static void add_layer(const struct config *c, struct model *m, int64_t i) {
    enum layer (*const readers[])(const struct config *, int64_t) = {
        by_letters, by_words, by_numbers, by_lists, by_block, by_design};
    struct kv_group full = hf_full_group(c, i), state = hf_state_group(c);
    struct kv_group sliding = hf_window_group(c, KV_sliding);
    struct kv_group chunked = hf_window_group(c, KV_chunked);
    struct kv_group cross = hf_cross_group(c);
    enum layer kind = LAYER_UNSAID;
    for (size_t k = 0; kind == LAYER_UNSAID; k++)
        kind = readers[k](c, i); /* the last one always knows */
    if (kind == LAYER_FULL || kind == LAYER_BOTH)
        shape_add(c->a, m, &full);
    if (kind == LAYER_FULL)
        add_index(c, m, i);
    if (kind == LAYER_WINDOW)
        shape_add(c->a, m, &sliding);
    if (kind == LAYER_CHUNK)
        shape_add(c->a, m, &chunked);
    if (kind == LAYER_STATE || kind == LAYER_BOTH)
        shape_add(c->a, m, &state);
    if (kind == LAYER_CROSS)
        shape_add(c->a, m, &cross);
    if (hf_flag(c, "is_encoder_decoder")) /* each layer of a decoder has it */
        shape_add(c->a, m, &cross);
}

void hf_add_layers(const struct config *c, struct model *m) {
    int64_t shared = ONE(c, "num_kv_shared_layers", 0);
    int64_t own = shared < c->layers ? c->layers - shared : c->layers;
    /* A shortcut layer of LongCat holds two attentions. */
    int64_t times = hf_type_is(c, "longcat") ? 2 : 1;
    for (int64_t i = 0; i < own; i++) {
        if (add_compressed(c, m, i))
            continue;
        for (int64_t k = 0; k < times; k++)
            add_layer(c, m, i);
    }
}
