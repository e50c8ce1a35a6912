/* gguf_shape.c: what the layers of a GGUF file keep, by llama.cpp's keys.
 *
 *     ssm.inner_size, state_size, group_count   a convolution over inner + two
 *                                               states a group, and inner x
 *                                               state: Mamba and delta nets
 *     kda.head_dim                              Kimi's delta attention
 *     shortconv.l_cache                         a short convolution alone
 *     attention.head_count_kv                   one per layer; 0: no cache
 *     attention.sliding_window_pattern          one per layer, or every n-th
 *
 * What has no key, llama.cpp knows by the architecture, and so does this file.
 */
#include "base/limits.h"
#include "memory/gguf.h"

#include "base/units.h"

#define INDEX_SCALE 4

static int64_t of_layer(const struct header *h, enum key key, int64_t i,
                        int64_t otherwise) {
    const struct list *l = &h->value[key];
    if (!l->is_there || l->count == 0) {
        return otherwise;
    }
    return l->count == 1          ? l->at[0]
           : (size_t)i < l->count ? l->at[i]
                                  : otherwise;
}

static int64_t one(const struct header *h, enum key key, int64_t otherwise) {
    return of_layer(h, key, 0, otherwise);
}

static bool arch_is(const struct header *h, const char *architecture) {
    return str_eq(h->architecture, str_of(architecture));
}

/* llama.cpp knows these by architecture, not by a key. */
static int64_t window_period(const struct header *h) {
    static const struct {
        const char *architecture;
        int64_t period;
    } known[] = {{"gemma2", 2},       {"gemma3", 6},  {"gemma3n", 5},
                 {"cohere2", 4},      {"gpt-oss", 2}, {"llama4", 4},
                 {"exaone4", 4},      {"olmo2", 4},   {"gemma4", 6},
                 {"smallthinker", 4}, {"afmoe", 4}};
    const struct list *said = &h->value[KEY_pattern];
    if (said->is_there && said->count == 1) {
        return said->at[0];
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (str_eq(h->architecture, str_of(known[i].architecture))) {
            return known[i].period;
        }
    }
    return 0;
}

static bool is_windowed(const struct header *h, int64_t i) {
    const struct list *said = &h->value[KEY_pattern];
    int64_t period = window_period(h);
    bool is_llama4 = arch_is(h, "llama4");
    if (one(h, KEY_window, 0) <= 0 && !is_llama4) {
        return false;
    }
    if (said->count > 1) {
        return of_layer(h, KEY_pattern, i, 0) != 0;
    }
    return period > 1 && (i + 1) % period != 0;
}

/* Kimi's delta attention: heads x dim x dim; a short convolution alone; else a
 * delta net or Mamba. */
static struct kv_group state_layer(const struct header *h) {
    int64_t dim = one(h, KEY_kda_dim, 0), heads = one(h, KEY_heads, 0);
    int64_t groups = one(h, KEY_groups, 0), kernel = one(h, KEY_conv, 4);
    bool is_delta = str_starts(h->architecture, STR("qwen3"));
    struct kv_group g;
    if (h->value[KEY_kda_dim].is_there) {
        g = shape_delta("kda", heads, dim, heads, dim, kernel);
    } else if (h->value[KEY_short_conv].is_there) {
        g = shape_convolution(one(h, KEY_hidden, 0), one(h, KEY_short_conv, 0));
    } else {
        g = shape_mamba(is_delta      ? "gdn"
                        : groups == 0 ? "mamba1"
                                      : "mamba2",
                        one(h, KEY_inner, 0), groups, one(h, KEY_state, 0),
                        kernel);
    }
    if (is_delta) {
        g.conv_groups = g.group_channels = 0;
    }
    kv_group_sum_state(&g);
    return g;
}

/* Where layers differ, one without heads is recurrent, unless it has a
 * feed-forward part of its own and nothing else (Nemotron-H). */
static bool is_recurrent(const struct header *h, int64_t i) {
    int64_t interval = one(h, KEY_interval, 0);
    bool has_state = h->value[KEY_inner].is_there ||
                     h->value[KEY_short_conv].is_there ||
                     h->value[KEY_kda_dim].is_there;
    if (interval == 0 && str_starts(h->architecture, STR("qwen3next"))) {
        interval = 4;
    }
    if (interval > 0) {
        return (i + 1) % interval != 0;
    }
    bool is_wide =
        h->value[KEY_wide].count > 1 && of_layer(h, KEY_wide, i, 0) > 0;
    bool is_plain = str_starts(h->architecture, STR("nemotron_h")) && is_wide;
    return has_state && !is_plain && of_layer(h, KEY_kv_heads, i, 0) == 0;
}

static struct kv_group layer(const struct header *h, int64_t i) {
    int64_t heads = of_layer(h, KEY_heads, i, 1);
    int64_t usual = heads > 0 ? one(h, KEY_hidden, 0) / heads : 0;
    struct kv_group g = {.kind = KV_full,
                         .layers = 1,
                         .kv_heads = of_layer(h, KEY_kv_heads, i, heads),
                         .k_dim = one(h, KEY_k_dim, usual),
                         .v_dim = one(h, KEY_v_dim, usual)};
    if (is_recurrent(h, i)) {
        return state_layer(h);
    }
    if (h->value[KEY_k_mla].is_there && one(h, KEY_kv_rank, 0) > 0) {
        return (struct kv_group){.kind = KV_mla,
                                 .layers = 1,
                                 .latent_dim = one(h, KEY_kv_rank, 0) +
                                               one(h, KEY_rope, 64)};
    }
    if (is_windowed(h, i)) {
        g.kind = arch_is(h, "llama4") ? KV_chunked : KV_sliding;
        g.window = one(h, KEY_window, 8192);
        g.k_dim = one(h, KEY_k_swa, g.k_dim);
        g.v_dim = one(h, KEY_v_swa, g.v_dim);
    }
    return g;
}

static struct str type_of_file(int64_t type) {
    static const struct {
        int64_t type;
        const char *name;
    } types[] = {{0, "F32"},     {1, "F16"},     {2, "Q4_0"},    {3, "Q4_1"},
                 {7, "Q8_0"},    {8, "Q5_0"},    {9, "Q5_1"},    {10, "Q2_K"},
                 {11, "Q3_K_S"}, {12, "Q3_K_M"}, {13, "Q3_K_L"}, {14, "Q4_K_S"},
                 {15, "Q4_K_M"}, {16, "Q5_K_S"}, {17, "Q5_K_M"}, {18, "Q6_K"},
                 {32, "BF16"},   {38, "MXFP4"}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].type == type) {
            return str_of(types[i].name);
        }
    }
    return STR("gguf");
}

/* Layers that draft come last and keep no cache here. */
static int64_t layers_with_cache(const struct header *h, int64_t layers) {
    int64_t own = layers - one(h, KEY_shared, 0);
    own = own > 0 ? own : layers;
    int64_t draft = one(h, KEY_draft, 0);
    return draft < own ? own - draft : own;
}

static void add_layers(struct arena *a, struct model *m,
                       const struct header *h) {
    int64_t count = layers_with_cache(h, m->layers);
    int64_t index = one(h, KEY_index_dim, 0);
    for (int64_t i = 0; i < count; i++) {
        struct kv_group g = layer(h, i);
        if (g.kv_heads > 0 || g.kind == KV_mla || g.kind == KV_state) {
            shape_add(a, m, &g);
        }
        if (arch_is(h, "falcon-h1")) { /* each layer has both */
            struct kv_group both = state_layer(h);
            shape_add(a, m, &both);
        }
        if (index > 0 && g.kind == KV_mla) {
            struct kv_group keys = {.kind = KV_indexer,
                                    .layers = 1,
                                    .latent_dim = index + INDEX_SCALE};
            shape_add(a, m, &keys);
        }
    }
}

struct model *gguf_shape(struct arena *a, const struct header *h,
                         struct str name) {
    struct model *m = arena_alloc(a, sizeof *m);
    m->layers = one(h, KEY_layers, 0);
    m->hidden_size = one(h, KEY_hidden, 0);
    m->heads = one(h, KEY_heads, 0);
    if (m->layers <= 0 || m->hidden_size <= 0 || m->layers > SHAPE_LAYERS_MAX) {
        return NULL;
    }
    add_layers(a, m, h);
    m->id = arena_str(a, h->name.n > 0 ? h->name : name);
    m->family = arena_str(a, h->architecture);
    m->max_position = one(h, KEY_context, 0);
    m->intermediate_size = one(h, KEY_wide, 0);
    m->vocab_size = one(h, KEY_vocab, h->tokens);
    m->params = h->params;
    m->dtype = STR("float16");
    struct str type = type_of_file(h->file_type);
    bool is_plain = STR_IS_ONE(type, "F16", "BF16", "F32");
    m->quantization = is_plain ? (struct str){NULL, 0} : type;
    m->is_moe = one(h, KEY_experts, 0) > 1;
    m->draft_layers = one(h, KEY_draft, 0);
    m->verified = STR("given");
    return m;
}
