/* kv_row.c: the layout of one token in one layer.
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
#include "memory/kv_row.h"

#include "memory/engines.h"

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
    FORMAT("bfloat16", 2),
    FORMAT("bf16", 2),
    FORMAT("torch.bfloat16", 2),
    FORMAT("float16", 2),
    FORMAT("fp16", 2),
    FORMAT("half", 2),
    FORMAT("torch.float16", 2),
    FORMAT("float32", 4),
    FORMAT("float", 4),
    FORMAT("torch.float32", 4),
    FORMAT("fp8", 1),
    FORMAT("fp8_e4m3", 1),
    FORMAT("fp8_e5m2", 1),
    FORMAT("fp8_inc", 1),
    FORMAT("fp8_ds_mla", 1),
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
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (str_eq_nocase(name, formats[i].name)) {
            return &formats[i];
        }
    }
    return NULL;
}

static bool is_set(const struct fact *f) {
    return f->known && f->word.n > 0 && !str_eq_nocase(f->word, STR("auto"));
}

bool kv_dtype_is_said(const struct inputs *c) {
    return is_set(&c->in[FACT_kv_cache_dtype]);
}

static bool is_sparse_latent(const struct model *m) {
    bool has_latent = false, has_index = false;
    for (size_t i = 0; m && i < m->group_count; i++) {
        has_latent = has_latent || m->groups[i].kind == KV_mla;
        has_index = has_index || m->groups[i].kind == KV_indexer;
    }
    return has_latent && has_index;
}

struct str kv_dtype_of(const struct inputs *c) {
    if (kv_dtype_is_said(c)) {
        return c->in[FACT_kv_cache_dtype].word;
    }
    if (c->model && c->model->kv_dtype.n > 0 &&
        rules_take_cache_scheme(c) != ANSWER_NO) {
        return c->model->kv_dtype;
    }
    if (engine_of(c)->is_named && is_sparse_latent(c->model) &&
        rules_pack_by_default(c) == ANSWER_YES) {
        return STR("fp8_ds_mla");
    }
    if (is_set(&c->in[FACT_dtype]) &&
        c->in[FACT_dtype].source != SOURCE_CATALOGUE) {
        return c->in[FACT_dtype].word;
    }
    if (c->model == NULL) {
        return (struct str){0};
    }
    /* vLLM runs float32 checkpoints in 16 bits unless told otherwise. */
    if (str_eq_nocase(c->model->dtype, STR("float32"))) {
        return STR("float16");
    }
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
    if (!bytes.known) {
        return span_none();
    }
    return span_plus(span_exact(bytes.high), span_exact(p.extra));
}

static struct span latent_row(const struct kv_group *g, const struct format *f,
                              struct str dtype, bool has_indexer,
                              enum latent_rule latent) {
    bool is_packed = str_eq_nocase(dtype, STR("fp8_ds_mla")) ||
                     (has_indexer && kv_dtype_is_fp8(dtype));
    if (latent <= LATENT_SPREAD || f->key.extra != 0) {
        return span_none();
    }
    if (is_packed) {
        return g->latent_dim == PACKED_LATENT_DIM ? span_exact(PACKED_ROW_BYTES)
                                                  : span_none();
    }
    int64_t elements = g->latent_dim;
    if (latent == LATENT_PADDED) {
        elements = ceil_div(elements, PADDED_ROW_ELEMENTS) *
                   PADDED_ROW_ELEMENTS;
    }
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
    if (f == NULL || heads <= 0 || f->key.extra != 0) {
        return span_none();
    }
    return span_times(span_plus(packed(f->key, dim), packed(f->value, dim)),
                      kv_heads_of_rank(heads, tp));
}

struct span kv_row_bytes(const struct kv_group *g, int64_t tp, struct str dtype,
                         bool has_indexer, enum latent_rule latent) {
    const struct format *f = format_named(dtype);
    if (f == NULL) {
        return span_none();
    }
    if (g->kind == KV_mla) {
        return shared_row(g, latent_row(g, f, dtype, has_indexer, latent));
    }
    if (g->kind == KV_indexer) {
        struct span row = g->latent_dim > 0 ? span_exact(g->latent_dim)
                                            : packed(f->key, g->k_dim);
        return shared_row(g, row);
    }
    struct span head =
        span_plus(packed(f->key, g->k_dim), packed(f->value, g->v_dim));
    if (f->rounds_to_even && head.known) {
        head = span_exact(head.low + head.low % 2);
    }
    return span_times(head, kv_heads_of_rank(g->kv_heads, tp));
}
