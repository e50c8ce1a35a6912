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

bool kv_dtype_is_said(const struct inputs *c) {
    return is_set(&c->in[FACT_kv_cache_dtype]);
}

struct str kv_dtype_of(const struct inputs *c) {
    if (kv_dtype_is_said(c))
        return c->in[FACT_kv_cache_dtype].word;
    if (c->model && c->model->kv_dtype.n > 0 &&
        rules_take_cache_scheme(c) != ANSWER_NO)
        return c->model->kv_dtype;
    if (engine_of(c)->is_named && model_has(c->model, KV_mla) &&
        model_has(c->model, KV_indexer) &&
        rules_pack_by_default(c) == ANSWER_YES)
        return STR("fp8_ds_mla");
    if (is_set(&c->in[FACT_dtype]) &&
        c->in[FACT_dtype].source != SOURCE_CATALOGUE)
        return c->in[FACT_dtype].word;
    if (c->model == NULL)
        return (struct str){0};
    /* vLLM runs float32 checkpoints in 16 bits unless told otherwise. */
    if (str_eq_nocase(c->model->dtype, STR("float32")))
        return STR("float16");
    return c->model->dtype;
}

bool kv_dtype_is_fp8(struct str dtype) {
    return str_starts(dtype, STR("fp8"));
}

int64_t kv_heads_of_rank(int64_t heads, int64_t tp) {
    int64_t share = tp > 0 ? heads / tp : heads;
    return share > 0 ? share : 1;
}

static struct span packed(struct cell p, int64_t dim) {
    struct span bits = span_times(span_exact(dim), p.num);
    struct span bytes = span_share(bits, 1, p.den);
    if (!bytes.known)
        return span_none();
    return span_plus(span_exact(bytes.high), span_exact(p.extra));
}

static struct span latent_row(const struct kv_group *g, const struct format *f,
                              struct str dtype, bool has_indexer,
                              enum latent_rule latent) {
    bool is_packed = str_eq_nocase(dtype, STR("fp8_ds_mla")) ||
                     (has_indexer && kv_dtype_is_fp8(dtype));
    if (latent <= LATENT_SPREAD || f->key.extra != 0)
        return span_none();
    if (is_packed)
        return g->latent_dim == PACKED_LATENT_DIM ? span_exact(PACKED_ROW_BYTES)
                                                  : span_none();
    int64_t elements = g->latent_dim;
    if (latent == LATENT_PADDED)
        elements = ceil_div(elements, PADDED_ROW_ELEMENTS) *
                   PADDED_ROW_ELEMENTS;
    return packed(f->key, elements);
}

static struct span shared_row(const struct kv_group *g, struct span row) {
    struct span share = span_share(row, 1, g->ratio > 1 ? g->ratio : 1);
    return share.known ? span_exact(share.high) : share;
}

struct span kv_row_spread(const struct kv_group *g, int64_t heads, int64_t tp,
                          struct str dtype, enum latent_rule latent) {
    int64_t dim = latent == LATENT_SPREAD ? g->k_dim : SPREAD_DIM;
    const struct format *f = format_named(dtype);
    if (f == NULL || heads <= 0 || f->key.extra != 0)
        return span_none();
    return span_times(span_plus(packed(f->key, dim), packed(f->value, dim)),
                      kv_heads_of_rank(heads, tp));
}

struct span kv_row_bytes(const struct kv_group *g, int64_t tp, struct str dtype,
                         bool has_indexer, enum latent_rule latent) {
    const struct format *f = format_named(dtype);
    if (f == NULL)
        return span_none();
    if (g->kind == KV_mla)
        return shared_row(g, latent_row(g, f, dtype, has_indexer, latent));
    if (g->kind == KV_indexer) {
        struct span row = g->latent_dim > 0 ? span_exact(g->latent_dim)
                                            : packed(f->key, g->k_dim);
        return shared_row(g, row);
    }
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

/* "auto" says nothing. */
static int64_t said(const struct inputs *c, enum fact_name name) {
    const struct fact *f = &c->in[name];
    return f->known ? bytes_of_dtype(f->word) : 0;
}

/* float32 checkpoints run in 16 bits unless told otherwise. */
static int64_t of_model(const struct inputs *c) {
    const struct fact *f = &c->in[FACT_dtype];
    bool is_said = f->known && f->source != SOURCE_CATALOGUE &&
                   f->source != SOURCE_DEFAULT;
    int64_t bytes = is_said ? bytes_of_dtype(f->word) : 0;
    return bytes > 0 ? bytes : ELEMENT_BYTES;
}

struct state_setting kv_state_setting(const struct inputs *c,
                                      const struct kv_group *g) {
    const struct fact *draft = &c->in[FACT_num_speculative_tokens];
    struct state_setting s = {0};
    s.conv_bytes = said(c, FACT_mamba_cache_dtype);
    s.conv_bytes = s.conv_bytes > 0 ? s.conv_bytes : of_model(c);
    s.recurrent_bytes = said(c, FACT_mamba_ssm_cache_dtype);
    if (str_eq(g->mixer, STR("kda")))
        s.recurrent_bytes = 4;
    else if (str_eq(g->mixer, STR("linear")))
        s.recurrent_bytes = s.conv_bytes;
    if (s.recurrent_bytes == 0)
        s.recurrent_bytes = bytes_of_dtype(g->state_dtype);
    if (s.recurrent_bytes == 0)
        s.recurrent_bytes = s.conv_bytes;
    s.draft_tokens = draft->known && draft->number > 0 ? draft->number : 0;
    return s;
}

static struct span conv_bytes(const struct kv_group *g, int64_t tp,
                              const struct state_setting *set) {
    struct span channels = span_exact(g->conv_channels);
    struct span steps =
        span_plus(span_exact(g->conv_steps), span_exact(set->draft_tokens));
    bool is_alone =
        str_eq(g->mixer, STR("mamba1")) || str_eq(g->mixer, STR("conv"));
    if (g->conv_channels == 0)
        return span_exact(0);
    if (is_alone) { /* these draft no tokens */
        steps = span_exact(g->conv_steps);
    }
    if (g->conv_groups > 0 && tp > g->conv_groups && g->conv_groups % tp != 0) {
        struct span more =
            span_times(span_exact(g->group_channels), tp - g->conv_groups);
        channels = span_plus(channels, more);
    }
    struct span mine = span_share(channels, 1, tp);
    return span_times(span_product(span_of(mine.high, mine.high), steps),
                      set->conv_bytes);
}

struct span kv_state_bytes(const struct kv_group *g, int64_t tp,
                           const struct state_setting *set, int64_t scale) {
    if (g->conv_channels == 0 && g->state_elements == 0) {
        struct span all =
            g->state_bytes > 0 ? span_exact(g->state_bytes) : span_none();
        struct span mine = span_share(all, scale, tp);
        return mine.known ? span_exact(mine.high) : mine;
    }
    struct span mine = span_share(span_exact(g->state_elements), 1, tp);
    struct span recurrent =
        span_times(span_exact(mine.high), set->recurrent_bytes);
    return span_plus(recurrent, conv_bytes(g, tp, set));
}
