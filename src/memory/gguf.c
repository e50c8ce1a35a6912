/* gguf.c: the header of a GGUF file -> the shape of its caches.
 *
 *     "GGUF" version tensors pairs | key type value ... | name dims type at ...
 *
 * Only metadata and the list of tensors are read; the weights follow and are
 * not needed. Nothing in the file is trusted: lengths are checked against what
 * is there, arrays are skipped by arithmetic, nothing is allocated by a number
 * from the file. Little-endian, versions 2 and 3 (1 had other lengths).
 *
 * What the layers keep, by llama.cpp's keys:
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
#include "memory/shape.h"
#include "base/limits.h"
#include "base/units.h"

#define INDEX_SCALE 4

struct list { /* a number, or one per layer */
    int64_t at[SHAPE_LAYERS_MAX];
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
    int64_t file_type;  /* -1: not there */
    int64_t tokens;     /* of the tokenizer */
    int64_t params, bytes;
};

static int64_t of_layer(const struct header *h, enum key key, int64_t i,
                        int64_t otherwise) {
    const struct list *l = &h->value[key];
    size_t at = l->count == 1 ? 0 : (size_t)i;
    return l->is_there && at < l->count ? l->at[at] : otherwise;
}

static int64_t one(const struct header *h, enum key key, int64_t otherwise) {
    return of_layer(h, key, 0, otherwise);
}

static bool arch_is(const struct header *h, const char *architecture) {
    return str_eq(h->architecture, str_of(architecture));
}

static bool is_windowed(const struct header *h, int64_t i) {
    const struct list *said = &h->value[KEY_pattern];
    int64_t period = said->is_there && said->count == 1
                         ? said->at[0]
                         : shape_window_period(h->architecture);
    bool is_llama4 = arch_is(h, "llama4");
    if (one(h, KEY_window, 0) <= 0 && !is_llama4)
        return false;
    if (said->count > 1)
        return of_layer(h, KEY_pattern, i, 0) != 0;
    return period > 1 && (i + 1) % period != 0;
}

/* Kimi's delta attention: heads x dim x dim; a short convolution alone; else a
 * delta net or Mamba. */
static struct kv_group state_layer(const struct header *h) {
    int64_t dim = one(h, KEY_kda_dim, 0), heads = one(h, KEY_heads, 0);
    int64_t groups = one(h, KEY_groups, 0), kernel = one(h, KEY_conv, 4);
    bool is_delta = str_starts(h->architecture, STR("qwen3"));
    struct kv_group g;
    if (h->value[KEY_kda_dim].is_there)
        g = shape_delta("kda", heads, dim, heads, dim, kernel);
    else if (h->value[KEY_short_conv].is_there)
        g = shape_convolution(one(h, KEY_hidden, 0), one(h, KEY_short_conv, 0));
    else
        g = shape_mamba(is_delta      ? "gdn"
                        : groups == 0 ? "mamba1"
                                      : "mamba2",
                        one(h, KEY_inner, 0), groups, one(h, KEY_state, 0),
                        kernel);
    if (is_delta)
        g.conv_groups = g.group_channels = 0;
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
    if (interval == 0 && str_starts(h->architecture, STR("qwen3next")))
        interval = 4;
    if (interval > 0)
        return (i + 1) % interval != 0;
    bool is_wide =
        h->value[KEY_wide].count > 1 && of_layer(h, KEY_wide, i, 0) > 0;
    bool is_plain = str_starts(h->architecture, STR("nemotron_h")) && is_wide;
    return has_state && !is_plain && of_layer(h, KEY_kv_heads, i, 0) == 0;
}

static struct kv_group layer(const struct header *h, int64_t i) {
    int64_t heads = of_layer(h, KEY_heads, i, 1);
    int64_t usual = heads > 0 ? one(h, KEY_hidden, 0) / heads : 0;
    struct kv_group g = {.kind = KV_full, .layers = 1,
                         .kv_heads = of_layer(h, KEY_kv_heads, i, heads),
                         .k_dim = one(h, KEY_k_dim, usual),
                         .v_dim = one(h, KEY_v_dim, usual)};
    if (is_recurrent(h, i))
        return state_layer(h);
    if (h->value[KEY_k_mla].is_there && one(h, KEY_kv_rank, 0) > 0)
        return (struct kv_group){
            .kind = KV_mla, .layers = 1,
            .latent_dim = one(h, KEY_kv_rank, 0) + one(h, KEY_rope, 64)};
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
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (types[i].type == type)
            return str_of(types[i].name);
    return STR("gguf");
}

static void add_layers(struct arena *a, struct model *m,
                       const struct header *h) {
    /* layers that draft come last and keep no cache here */
    int64_t draft = one(h, KEY_draft, 0), index = one(h, KEY_index_dim, 0);
    int64_t own = m->layers - one(h, KEY_shared, 0);
    own = own > 0 ? own : m->layers;
    own -= draft < own ? draft : 0;
    for (int64_t i = 0; i < own; i++) {
        struct kv_group g = layer(h, i);
        if (g.kv_heads > 0 || g.kind == KV_mla || g.kind == KV_state)
            shape_add(a, m, &g);
        if (arch_is(h, "falcon-h1")) { /* each layer has both */
            struct kv_group both = state_layer(h);
            shape_add(a, m, &both);
        }
        if (index > 0 && g.kind == KV_mla) {
            struct kv_group keys = {.kind = KV_indexer, .layers = 1,
                                    .latent_dim = index + INDEX_SCALE};
            shape_add(a, m, &keys);
        }
    }
}

static struct model *gguf_shape(struct arena *a, const struct header *h,
                         struct str name) {
    struct model *m = arena_alloc(a, sizeof *m);
    m->layers = one(h, KEY_layers, 0);
    m->hidden_size = one(h, KEY_hidden, 0);
    m->heads = one(h, KEY_heads, 0);
    if (m->layers <= 0 || m->hidden_size <= 0 || m->layers > SHAPE_LAYERS_MAX)
        return NULL;
    add_layers(a, m, h);
    m->id = arena_str(a, h->name.n > 0 ? h->name : name);
    m->family = arena_str(a, h->architecture);
    m->is_encoder = shape_is_encoder(h->architecture);
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

/* ---- the file ---- */

struct cursor {
    struct arena *a;
    struct str left, name;
    bool is_cut; /* ran out: only asked about among the tensors */
};

enum value_type {
    U8, I8, U16, I16, U32, I32, F32, BOOL, STRING, ARRAY, U64, I64, F64,
    TYPE_COUNT
};

static _Noreturn void refuse(const struct cursor *c, const char *why) {
    arena_raise(c->a, FAIL_INPUT, "%.*s: %s",
                (int)(c->name.n < 100 ? c->name.n : 100), c->name.p, why);
}

static uint64_t take(struct cursor *c, size_t bytes) {
    uint64_t n = 0;
    if (c->left.n < bytes) {
        c->is_cut = true;
        c->left.n = 0;
        return 0;
    }
    for (size_t i = bytes; i > 0; i--)
        n = n << 8 | (unsigned char)c->left.p[i - 1];
    c->left = str_slice(c->left, bytes, c->left.n);
    return n;
}

static void skip(struct cursor *c, uint64_t count, size_t bytes) {
    if (count > c->left.n / bytes) {
        c->is_cut = true;
        c->left.n = 0;
        return;
    }
    c->left = str_slice(c->left, (size_t)count * bytes, c->left.n);
}

static struct str take_text(struct cursor *c) {
    uint64_t n = take(c, 8);
    struct str left = c->left;
    skip(c, n, 1);
    return c->is_cut ? (struct str){NULL, 0} : str_slice(left, 0, (size_t)n);
}

static size_t size_of(uint32_t type) {
    static const size_t sizes[TYPE_COUNT] = {1, 1, 2, 2, 4, 4, 4,
                                             1, 0, 0, 8, 8, 8};
    return type < TYPE_COUNT ? sizes[type] : 0;
}

/* ---- what is kept of the metadata (KEYS in gguf.h) ---- */

static const char *const key_texts[KEY_COUNT] = {
#define X(name, text) text,
    KEYS(X)
#undef X
};

static int64_t clamp(uint64_t n, uint32_t type) {
    if (type == I32)
        n = (uint64_t)(int64_t)(int32_t)(uint32_t)n;
    return n > (uint64_t)MODEL_NUMBER_MAX ? 0 : (int64_t)n;
}

static bool is_whole(uint32_t type) {
    return type < TYPE_COUNT && type != F32 && type != F64 && type != STRING &&
           type != ARRAY;
}

static void take_array(struct cursor *c, struct list *into, uint64_t *length) {
    uint32_t type = (uint32_t)take(c, 4);
    uint64_t count = take(c, 8);
    *length = count;
    if (type == STRING) {
        for (uint64_t i = 0; i < count && !c->is_cut; i++)
            take_text(c);
        return;
    }
    size_t bytes = size_of(type);
    if (bytes == 0)
        refuse(c, "an array of a type that GGUF does not have");
    if (into == NULL || count > SHAPE_LAYERS_MAX || !is_whole(type)) {
        skip(c, count, bytes);
        return;
    }
    into->is_there = true;
    for (uint64_t i = 0; i < count && !c->is_cut; i++)
        into->at[into->count++] = clamp(take(c, bytes), type);
}

static struct list *list_of(struct header *h, struct str key) {
    struct str rest;
    struct str first = str_cut(key, '.', &rest);
    if (h->architecture.n > 0 && !str_eq(first, h->architecture))
        return NULL;
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (str_eq(rest, str_of(key_texts[i])) && !h->value[i].is_there)
            return &h->value[i];
    return NULL;
}

static void take_pair(struct cursor *c, struct header *h) {
    struct str key = take_text(c);
    uint32_t type = (uint32_t)take(c, 4);
    struct list *into = key.n <= GGUF_KEY_BYTES_MAX ? list_of(h, key) : NULL;
    uint64_t n = 0;
    if (type == STRING) {
        struct str text = take_text(c);
        if (str_eq(key, STR("general.architecture")))
            h->architecture = text;
        else if (str_eq(key, STR("general.name")))
            h->name = text;
    } else if (type == ARRAY) {
        take_array(c, into, &n);
        if (str_eq(key, STR("tokenizer.ggml.tokens")))
            h->tokens = n < (uint64_t)MODEL_NUMBER_MAX ? (int64_t)n : 0;
    } else if (size_of(type) > 0) {
        n = take(c, size_of(type));
        if (str_eq(key, STR("general.file_type")))
            h->file_type = clamp(n, type);
        if (into && is_whole(type)) {
            into->is_there = true;
            into->at[into->count++] = clamp(n, type);
        }
    } else if (!c->is_cut) {
        refuse(c, "a value of a type that GGUF does not have");
    }
}

/* ---- tensors ---- */

static const struct ggml_type types[] = {
    {0, "f32", 4, 1},      {1, "f16", 2, 1},     {30, "bf16", 2, 1},
    {2, "q4_0", 18, 32},   {3, "q4_1", 20, 32},  {6, "q5_0", 22, 32},
    {7, "q5_1", 24, 32},   {8, "q8_0", 34, 32},  {20, "iq4_nl", 18, 32},
    {9, NULL, 36, 32},     {10, NULL, 84, 256},  {11, NULL, 110, 256},
    {12, NULL, 144, 256},  {13, NULL, 176, 256}, {14, NULL, 210, 256},
    {15, NULL, 292, 256},  {16, NULL, 66, 256},  {17, NULL, 74, 256},
    {18, NULL, 98, 256},   {19, NULL, 50, 256},  {21, NULL, 110, 256},
    {22, NULL, 82, 256},   {23, NULL, 136, 256}, {24, NULL, 1, 1},
    {25, NULL, 2, 1},      {26, NULL, 4, 1},     {27, NULL, 8, 1},
    {28, NULL, 8, 1},      {29, NULL, 56, 256},  {34, NULL, 54, 256},
    {35, NULL, 66, 256},   {39, NULL, 17, 32},
};
#define TYPES (sizeof types / sizeof types[0])

const struct ggml_type *ggml_type_named(struct str name) {
    for (size_t i = 0; i < TYPES; i++)
        if (types[i].name && str_eq_nocase(name, str_of(types[i].name)))
            return &types[i];
    return NULL;
}

static bool take_tensor(struct cursor *c, struct header *h) {
    take_text(c);
    uint64_t dims = take(c, 4);
    int64_t elements = 1, size;
    bool ok = dims <= 8;
    size_t i = 0;
    for (uint64_t d = 0; ok && d < dims; d++) {
        uint64_t n = take(c, 8);
        ok = n <= INT64_MAX && mul_i64(elements, (int64_t)n, &elements);
    }
    uint32_t type = (uint32_t)take(c, 4);
    take(c, 8);
    while (i < TYPES && types[i].id != type)
        i++;
    return ok && !c->is_cut && i < TYPES &&
           mul_div_floor(elements, types[i].bytes, types[i].elements, &size) &&
           add_i64(h->params, elements, &h->params) &&
           add_i64(h->bytes, size, &h->bytes);
}

bool gguf_is_one(struct str bytes) {
    return str_starts(bytes, STR("GGUF"));
}

const struct model *gguf_model(struct arena *a, struct str bytes,
                               struct str name, int64_t *weights_bytes) {
    struct cursor c = {.a = a, .left = bytes, .name = name};
    struct header h = {.file_type = -1};
    h.value = arena_array(a, KEY_COUNT, sizeof *h.value);
    if (!gguf_is_one(bytes))
        refuse(&c, "not a GGUF file");
    take(&c, 4);
    uint64_t version = take(&c, 4);
    if (version < 2 || version > 3)
        refuse(&c, "a GGUF version other than 2 and 3, or big-endian");
    uint64_t tensors = take(&c, 8), pairs = take(&c, 8);
    for (uint64_t i = 0; i < pairs && i < GGUF_KEYS_MAX && !c.is_cut; i++)
        take_pair(&c, &h);
    if (c.is_cut || pairs > GGUF_KEYS_MAX)
        refuse(&c, "its metadata end in the middle");
    bool are_listed = tensors <= GGUF_TENSORS_MAX;
    for (uint64_t i = 0; are_listed && i < tensors; i++)
        are_listed = take_tensor(&c, &h);
    if (!are_listed) /* cut, or of a type of tomorrow: then nothing is summed */
        h.params = h.bytes = 0;
    *weights_bytes = h.bytes;
    const struct model *m = gguf_shape(a, &h, name);
    if (m == NULL)
        refuse(&c, "its metadata name no number of layers or no width: it "
                   "should be the first file of a language model");
    return m;
}
