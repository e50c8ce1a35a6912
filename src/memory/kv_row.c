/* kv_row.c: the layout of one token in one layer, and the state of a recurrent
 * layer in vLLM.
 *
 *   heads      H x (D + Dv) x bytes of an element
 *   scaled     H x (row of K + row of V) + 2 scales of 4 bytes per head
 *   latent     (kv_lora_rank + rope) x bytes; TP does not divide it
 *   spread     until 0.7.1: latents as full heads; until 0.7.0 padded to 256
 *              elements
 *   packed     656 bytes: 512 of fp8 latent, 16 of scales, 128 of bf16 rope
 *
 * It refuses data types it has no layout for: unknown, not a guess.
 */
#include "memory/engines.h"
#include "memory/kv.h"

#define PACKED_LATENT_DIM 576
#define PACKED_ROW_BYTES 656
#define PADDED_ROW_ELEMENTS 128 /* 256 bytes of 16-bit elements */
#define SPREAD_DIM 256 /* 192, padded to what the kernel of then could read */

/* What K or V of one head of `dim` elements takes:
 * dim x num / den (rounded up) + extra. */
struct cell {
    int64_t num, den, extra;
};

struct format {
    struct str name;
    struct cell key, value;
    bool rounds_to_even;
};

#define FORMAT(text, bytes)                                                    \
    { {text, sizeof text - 1}, {bytes, 1, 0}, {bytes, 1, 0}, false }
#define SCALED(text, num)                                                      \
    { {text, sizeof text - 1}, {num, 2, 4}, {num, 2, 4}, false }
#define TURBO(text, kn, kd, ke, vn, vd)                                        \
    { {text, sizeof text - 1}, {kn, kd, ke}, {vn, vd, 4}, true }

static const struct format formats[] = {
    FORMAT("bfloat16", 2), FORMAT("bf16", 2), FORMAT("torch.bfloat16", 2),
    FORMAT("float16", 2), FORMAT("fp16", 2), FORMAT("half", 2),
    FORMAT("torch.float16", 2), FORMAT("float32", 4), FORMAT("float", 4),
    FORMAT("fp32", 4),
    FORMAT("torch.float32", 4), FORMAT("fp8", 1), FORMAT("fp8_e4m3", 1),
    FORMAT("fp8_e5m2", 1), FORMAT("fp8_inc", 1), FORMAT("fp8_ds_mla", 1),
    FORMAT("int8", 1),
    SCALED("int8_per_token_head", 2),
    SCALED("fp8_per_token_head", 2),
    SCALED("int4_per_token_head", 1),
    {{"nvfp4", 5}, {9, 16, 0}, {9, 16, 0}, false},
    TURBO("turboquant_k8v4", 1, 1, 0, 4, 8),
    TURBO("turboquant_4bit_nc", 4, 8, 2, 4, 8),
    TURBO("turboquant_k3v4_nc", 3, 8, 2, 4, 8),
    TURBO("turboquant_3bit_nc", 3, 8, 2, 3, 8),
};

static const struct format *format_named(struct str name) {
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (str_eq_nocase(name, formats[i].name))
            return &formats[i];
    return NULL;
}

static bool is_set(const struct fact *f) {
    return f->known && f->word.n > 0 && !str_eq_nocase(f->word, STR("auto"));
}

bool kv_dtype_is_stated(const struct inputs *c) {
    return is_set(&c->in[FACT_kv_cache_dtype]);
}

struct str kv_dtype_of(const struct inputs *c) {
    const struct model *m = c->model;
    if (kv_dtype_is_stated(c))
        return c->in[FACT_kv_cache_dtype].word;
    if (m && m->kv_dtype.n > 0 && rules_take_cache_scheme(c) != ANSWER_NO)
        return m->kv_dtype;
    if (engine_of(c)->is_named && model_has(m, KV_mla) &&
        model_has(m, KV_indexer) && rules_pack_by_default(c) == ANSWER_YES)
        return STR("fp8_ds_mla");
    if (is_set(&c->in[FACT_dtype]) &&
        c->in[FACT_dtype].source != SOURCE_CATALOGUE)
        return c->in[FACT_dtype].word;
    /* vLLM runs float32 checkpoints in 16 bits unless told otherwise. */
    return m == NULL                                 ? (struct str){0}
           : str_eq_nocase(m->dtype, STR("float32")) ? STR("float16")
                                                     : m->dtype;
}

bool kv_dtype_is_fp8(struct str dtype) {
    return str_starts(dtype, STR("fp8"));
}

int64_t kv_heads_of_rank(int64_t heads, int64_t tp) {
    int64_t share = tp > 0 ? heads / tp : heads;
    return share > 0 ? share : 1;
}

static struct span packed(struct cell p, int64_t dim) {
    struct span bytes =
        span_share(span_times(span_exact(dim), p.num), 1, p.den);
    return bytes.known ? span_plus(span_exact(bytes.high), span_exact(p.extra))
                       : bytes;
}

static struct span latent_row(const struct kv_group *g, const struct format *f,
                              struct str dtype, bool has_indexer,
                              enum latent_rule latent) {
    bool is_packed = str_eq_nocase(dtype, STR("fp8_ds_mla")) ||
                     (has_indexer && kv_dtype_is_fp8(dtype));
    int64_t pad = latent == LATENT_PADDED ? PADDED_ROW_ELEMENTS : 1;
    if (latent <= LATENT_SPREAD || f->key.extra != 0 ||
        (is_packed && g->latent_dim != PACKED_LATENT_DIM))
        return span_none();
    return is_packed ? span_exact(PACKED_ROW_BYTES)
                     : packed(f->key, ceil_div(g->latent_dim, pad) * pad);
}

static struct span shared_row(const struct kv_group *g, struct span row) {
    struct span share = span_share(row, 1, g->ratio > 1 ? g->ratio : 1);
    return share.known ? span_exact(share.high) : share;
}

struct span kv_row_spread(const struct kv_group *g, int64_t heads, int64_t tp,
                          struct str dtype, enum latent_rule latent) {
    int64_t dim = latent == LATENT_SPREAD ? g->k_dim : SPREAD_DIM;
    const struct format *f = format_named(dtype);
    return f != NULL && heads > 0 && f->key.extra == 0
               ? span_times(
                     span_plus(packed(f->key, dim), packed(f->value, dim)),
                     kv_heads_of_rank(heads, tp))
               : span_none();
}

struct span kv_row_bytes(const struct kv_group *g, int64_t tp, struct str dtype,
                         bool has_indexer, enum latent_rule latent) {
    const struct format *f = format_named(dtype);
    if (f == NULL)
        return span_none();
    if (g->kind == KV_mla)
        return shared_row(g, latent_row(g, f, dtype, has_indexer, latent));
    if (g->kind == KV_indexer)
        return shared_row(g, g->latent_dim > 0 ? span_exact(g->latent_dim)
                                               : packed(f->key, g->k_dim));
    struct span head =
        span_plus(packed(f->key, g->k_dim), packed(f->value, g->v_dim));
    if (f->rounds_to_even && head.known)
        head = span_exact(head.low + head.low % 2);
    return span_times(head, kv_heads_of_rank(g->kv_heads, tp));
}

/* ---- the state of a recurrent layer ----
 *
 *     convolution   channels / TP x (steps + draft tokens) x bytes
 *     recurrence    elements / TP x bytes of its own
 *
 * A convolution of Mamba 2 looks at inner channels and at groups of B and C;
 * a rank has at least one group, so where TP does not divide the groups there
 * are as many as ranks. The recurrence has a type of its own: many checkpoints
 * ask for 32 bits, Kimi's delta attention always has them.
 *
 * Sources: vllm/model_executor/layers/mamba/mamba_utils.py (shapes and types),
 * models/config.py (mamba_ssm_dtype, mamba_ssm_cache_dtype of config.json).
 * Held against the block sizes that vLLM prints: see tests/memory.
 */

#define ELEMENT_BYTES 2

static int64_t bytes_of_dtype(struct str dtype) {
    const struct format *f = format_named(dtype);
    return f != NULL && f->key.den == 1 && f->key.num > 1 ? f->key.num : 0;
}

/* 0 if it is not known, or "auto". */
static int64_t dtype_bytes_of(const struct fact *f) {
    return f->known ? bytes_of_dtype(f->word) : 0;
}

struct state_setting kv_state_setting(const struct inputs *c,
                                      const struct kv_group *g) {
    const struct fact *dtype = &c->in[FACT_dtype];
    bool is_stated =
        dtype->source != SOURCE_CATALOGUE && dtype->source != SOURCE_DEFAULT;
    /* float32 checkpoints run in 16 bits unless told otherwise */
    int64_t usual = is_stated ? dtype_bytes_of(dtype) : 0;
    int64_t conv = dtype_bytes_of(&c->in[FACT_mamba_cache_dtype]);
    conv = conv > 0 ? conv : usual > 0 ? usual : ELEMENT_BYTES;
    int64_t own = dtype_bytes_of(&c->in[FACT_mamba_ssm_cache_dtype]);
    own = own > 0 ? own : bytes_of_dtype(g->state_dtype);
    return (struct state_setting){
        .conv_bytes = conv,
        .recurrent_bytes = str_eq(g->mixer, STR("kda"))      ? 4
                           : str_eq(g->mixer, STR("linear")) ? conv
                           : own > 0                         ? own
                                                             : conv,
        .draft_tokens = setting_of(c, FACT_num_speculative_tokens, 0)};
}

static struct span conv_bytes(const struct kv_group *g, int64_t tp,
                              const struct state_setting *set) {
    /* these draft no tokens */
    bool is_alone =
        str_eq(g->mixer, STR("mamba1")) || str_eq(g->mixer, STR("conv"));
    struct span channels = span_exact(g->conv_channels);
    struct span steps = span_plus(span_exact(g->conv_steps),
                                  span_exact(is_alone ? 0 : set->draft_tokens));
    if (g->conv_channels == 0)
        return span_exact(0);
    if (g->conv_groups > 0 && tp > g->conv_groups && g->conv_groups % tp != 0)
        channels = span_plus(channels, span_times(span_exact(g->group_channels),
                                                  tp - g->conv_groups));
    struct span mine = span_share(channels, 1, tp);
    return span_times(span_product(span_exact(mine.high), steps),
                      set->conv_bytes);
}

struct span kv_state_bytes(const struct kv_group *g, int64_t tp,
                           const struct state_setting *set, int64_t scale) {
    bool has_parts = g->conv_channels != 0 || g->state_elements != 0;
    struct span mine = has_parts
                           ? span_share(span_exact(g->state_elements), 1, tp)
                           : span_share(span_exact(g->state_bytes), scale, tp);
    if (!has_parts)
        return g->state_bytes > 0 && mine.known ? span_exact(mine.high)
                                                : span_none();
    return span_plus(span_times(span_exact(mine.high), set->recurrent_bytes),
                     conv_bytes(g, tp, set));
}
