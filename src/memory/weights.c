/* weights.c: parameters x bytes, per rank.
 *
 *   unquantized   all x 2 (bfloat16, float16), x 4 (float32)
 *   8 bits        matrices x 1 + a scale per channel or block of 128
 *   4 bits        matrices x 0.5 + scale and zero per group of 32 to 128:
 *                 20 bits (AWQ, GPTQ), 16 (compressed-tensors), a byte per 32
 *                 (MXFP4) or per 16 (NVFP4), 32 bits per 64 (bitsandbytes);
 *                 embeddings (and the head) mostly stay at 16 bits
 *   GGUF          mixes of block types: bits per weight as llama.cpp's own
 *                 table has them for Llama-3.1-8B (tools/quantize/README.md);
 *                 embeddings are 6 to 8 bits, rows that are no multiple of
 *                 256 fall back to wider blocks
 *
 * TP divides the matrices; norms, latent projections of MLA and KV heads
 * beyond their number are on every rank: up to 2 % more. PP divides layers;
 * embeddings lie on the first or last rank. It refuses formats of unknown
 * width: those want the printed size.
 */
#include "memory/amount.h"
#include "memory/card.h"
#include "memory/engines.h"

#define GGUF_ROW 256
#define GGUF_WIDEST 1062500 /* 8.5 bits */
#define MXFP4 531250

struct width {
    const char *name; /* a part of the quantization's name */
    int64_t bits;
    int64_t low_micro, high_micro; /* bytes of a weight */
    bool is_gguf;
};

#define WIDTH(text, bits, low, high)                                           \
    { text, bits, low, high, false }
/* ten-thousandths of a bit, of all weights of an 8B model: smaller ones have
 * larger embeddings, larger ones smaller */
#define MIX(text, bits, each)                                                  \
    { text, bits, (each)*25 / 2 * 94 / 100, (each)*25 / 2 * 102 / 100, true }

/* First that the name contains, so the longer come first. */
static const struct width widths[] = {
    MIX("iq1_s", 2, 20042),   MIX("iq1_m", 2, 21460),
    MIX("iq2_xxs", 2, 23824), MIX("iq2_xs", 2, 25882),
    MIX("iq2_s", 3, 27403),   MIX("iq2_m", 3, 29294),
    MIX("iq3_xxs", 3, 32548), MIX("iq3_xs", 3, 34977),
    MIX("iq3_s", 4, 36606),   MIX("iq3_m", 4, 37628),
    MIX("iq4_xs", 4, 44597),  MIX("iq4_nl", 4, 46818),
    MIX("q2_k_s", 3, 29697),  MIX("q2_k", 3, 31593),
    MIX("q3_k_s", 4, 36429),  MIX("q3_k_m", 4, 40030),
    MIX("q3_k_l", 4, 42979),  MIX("q4_k_s", 4, 46672),
    MIX("q4_k", 4, 48944),    MIX("q5_k_s", 5, 55704),
    MIX("q5_k", 5, 57036),    MIX("q6_k", 6, 65633),
    MIX("q8_0", 8, 85008),    MIX("q4_0", 4, 46600),
    MIX("q4_1", 4, 51300),    MIX("q5_0", 5, 56000),
    MIX("q5_1", 5, 60700),
    WIDTH("gguf", 0, 0, 0),
    WIDTH("gptq-int8", 8, MICRO, 1050000),
    WIDTH("gptq_int8", 8, MICRO, 1050000),
    WIDTH("int8", 8, MICRO, 1050000),
    WIDTH("w8a8", 8, MICRO, 1030000),
    WIDTH("8bit", 8, MICRO, 1063000),
    WIDTH("fp8", 8, MICRO, 1030000),
    WIDTH("mxfp4", 4, 531250, 563000),
    WIDTH("nvfp4", 4, 562500, 625000),
    WIDTH("modelopt_fp4", 4, 562500, 625000),
    WIDTH("fp4", 4, 500000, 625000),
    WIDTH("awq", 4, 515000, 580000),
    WIDTH("gptq", 4, 500000, 590000),
    WIDTH("int4", 4, 500000, 590000),
    WIDTH("w4a16", 4, 500000, 590000),
    WIDTH("bitsandbytes", 4, 515000, 563000),
    WIDTH("bnb", 4, 515000, 563000),
    WIDTH("nf4", 4, 515000, 563000),
    WIDTH("4bit", 4, 500000, 625000),
    WIDTH("modelopt", 8, MICRO, 1030000),
    WIDTH("fbgemm", 8, MICRO, 1030000),
};

static bool is_none(struct str q) {
    return q.n == 0 || str_eq_nocase(q, STR("none"));
}

static const struct width *width_of(struct str quantization) {
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        if (has_part(quantization, widths[i].name))
            return widths[i].bits ? &widths[i] : NULL;
    return NULL;
}

static int64_t dtype_bytes(struct str dtype) {
    return has_part(dtype, "float32") || str_eq(dtype, STR("float")) ? 4 : 2;
}

struct span weight_micro(struct str quantization, struct str dtype) {
    const struct width *w = width_of(quantization);
    return is_none(quantization) ? span_exact(dtype_bytes(dtype) * MICRO)
           : w                   ? span_of(w->low_micro, w->high_micro)
                                 : span_none();
}

struct str quantization_of(const struct inputs *c) {
    const struct fact *f = &c->in[FACT_quantization];
    if (f->known && !is_none(f->word))
        return f->word;
    return c->model ? c->model->quantization : (struct str){0};
}

int64_t weight_bits(const struct inputs *c) {
    struct str q = quantization_of(c);
    const struct width *w = width_of(q);
    return is_none(q) ? 16 : w ? w->bits : 0;
}

/* vLLM runs float32 checkpoints in 16 bits unless dtype is given. */
static struct str run_dtype(const struct inputs *c) {
    const struct fact *f = &c->in[FACT_dtype];
    bool is_stated = f->known && f->source != SOURCE_CATALOGUE &&
                   !str_eq_nocase(f->word, STR("auto"));
    return is_stated ? f->word : STR("bfloat16");
}

/* A mix of block types: embeddings inside its bits, at most at 8.5. */
static struct span whole_mix(const struct model *m, struct span micro,
                             int64_t kept) {
    bool is_ragged = m->hidden_size % GGUF_ROW != 0;
    bool keeps_experts = has_part(m->quantization, "mxfp4");
    int64_t least = keeps_experts && micro.low > MXFP4 ? MXFP4 : micro.low;
    struct span rest = span_exact(m->params - kept);
    struct span most = span_share(rest, micro.high, MICRO);
    most = is_ragged ? span_share(most, 5, 4) : most;
    most = span_plus(most, span_share(span_exact(kept), GGUF_WIDEST, MICRO));
    struct span all = span_share(span_exact(m->params), least, MICRO);
    return span_between(all, most);
}

/* Weights of all experts; 0: none, or not known. */
static int64_t expert_params(const struct model *m) {
    struct span all = span_times(
        span_times(span_times(span_exact(m->hidden_size * 3), m->expert_size),
                   m->experts),
        m->layers - m->dense_layers);
    return m->is_moe && !m->has_plain_mlp && all.known && all.low < m->params
               ? all.low
               : 0;
}

/* A checkpoint that was made in MXFP4 has experts alone in it: of gpt-oss
 * 60.8 and 12.8 GiB (arXiv:2508.10925, table 1). Kernels pad rows of 2,880 to
 * 3,072, both ways. */
static struct span whole_mxfp4(const struct model *m, int64_t experts,
                               bool is_padded) {
    struct span narrow = span_share(span_exact(experts), MXFP4, MICRO);
    struct span rest = span_times(span_exact(m->params - experts), 2);
    return span_between(span_plus(narrow, rest),
                        span_plus(
                            span_share(narrow, is_padded ? 114 : 100, 100),
                            rest));
}

/* Embeddings in at least a byte each, at most as they were. */
static struct span whole_model(const struct inputs *c,
                               struct str quantization) {
    const struct model *m = c->model;
    struct span micro = weight_micro(quantization, run_dtype(c));
    if (m == NULL || m->params <= 0 || !micro.known)
        return span_none();
    struct span params = span_exact(m->params);
    if (is_none(quantization))
        return span_share(params, micro.low, MICRO);
    int64_t bits = width_of(quantization)->bits;
    if (engine_of(c)->quantizes_all && has_part(quantization, "bit")) {
        /* every matrix, embeddings too, with a scale and a bias of 16 bits per
         * 64; some mixes keep a few layers wider */
        int64_t each = bits * (MICRO / 8) + MICRO / 16;
        struct span least = span_share(params, each, MICRO);
        return span_between(least, span_share(least, 108, 100));
    }
    int64_t kept = m->embedding_params < m->params ? m->embedding_params : 0;
    struct span rest = span_exact(m->params - kept), held = span_exact(kept);
    if (width_of(quantization)->is_gguf)
        return whole_mix(m, micro, kept);
    int64_t experts = has_part(quantization, "mxfp4") &&
                              str_eq(quantization, m->quantization)
                          ? expert_params(m)
                          : 0;
    if (experts > 0)
        return whole_mxfp4(m, experts, !engine_of(c)->has_cells);
    struct span most = span_plus(span_share(rest, micro.high, MICRO),
                                 span_times(held, dtype_bytes(run_dtype(c))));
    /* other layers left at 16 bits: of experts, often what all tokens share */
    most = span_share(most, m->is_moe && bits < 8 ? 115 : 105, 100);
    return span_between(span_plus(span_share(rest, micro.low, MICRO), held),
                        most);
}

/* vLLM's expert parallelism deals experts out over data-parallel ranks, too;
 * all else is on each of them. */
static struct span less_experts(const struct inputs *c, struct span all) {
    const struct model *m = c->model;
    int64_t dp = setting_of(c, FACT_data_parallel, 1), matrices, experts,
            layers;
    bool is_dealt = c->in[FACT_expert_parallel].known &&
                    c->in[FACT_expert_parallel].number && dp > 1;
    if (!is_dealt || !all.known || m->params <= 0 ||
        !mul_i64(m->hidden_size, m->has_plain_mlp ? 2 : 3, &matrices) ||
        !mul_i64(matrices, m->expert_size, &experts) ||
        !mul_i64(experts, m->experts, &experts) ||
        !mul_i64(experts, m->layers - m->dense_layers, &layers) ||
        layers <= 0 || layers > m->params)
        return all;
    struct span own = span_share(all, m->params - layers, m->params);
    return span_plus(own,
                     span_share(span_share(all, layers, m->params), 1, dp));
}

struct span weights_computed(const struct inputs *c, int64_t tp, int64_t pp,
                             struct str quantization) {
    struct span all = less_experts(c, whole_model(c, quantization));
    if (!all.known || tp < 1 || pp < 1)
        return span_none();
    struct span low = span_share(all, 99, 100);
    /* ROCm's kernels want wider rows: a 4B model of 7.49 GiB took 7.68. */
    bool pads_tensors = (c->gpu && str_eq(c->gpu->vendor, STR("amd"))) ||
                        word_is(c, FACT_device_kind, "hip");
    struct span high = span_share(all, pads_tensors ? 103 : 101, 100);
    int64_t layers = c->model->layers;
    if (pp > 1 && layers > 0) {
        /* embeddings and head lie whole on the first or last stage */
        const struct width *w =
            is_none(quantization) ? NULL : width_of(quantization);
        int64_t each = w != NULL && w->is_gguf
                           ? GGUF_WIDEST
                           : dtype_bytes(run_dtype(c)) * MICRO;
        struct span ends =
            span_share(span_exact(c->model->embedding_params), each, MICRO);
        low = span_share(span_minus(low, ends), layers / pp, layers);
        high = span_plus(
            span_share(span_minus(high, ends), ceil_div(layers, pp), layers),
            ends);
    }
    high = tp > 1 ? span_share(high, 102, 100) : high;
    return span_between(span_share(low, 1, tp), span_share(high, 1, tp));
}

struct span weights_bytes(const struct inputs *c) {
    struct span printed = span_in(c, FACT_weights_bytes);
    struct span offload = span_in(c, FACT_cpu_offload);
    if (printed.known)
        return printed;
    struct span all = weights_computed(c, tensor_ranks(c), pipeline_ranks(c),
                                       quantization_of(c));
    return offload.known ? span_beyond(all, offload) : all;
}

struct span weights_over(const struct inputs *c, int64_t now, int64_t ranks) {
    struct span even = span_share(weights_bytes(c), now, ranks);
    return span_between(even, span_share(even, 105, 100));
}

/* Of weights at `from` bits, what other widths leave: embeddings and scales
 * may keep a tenth of a 16-bit model. */
struct span weights_with_bits(const struct inputs *c, int64_t bits) {
    const struct model *m = c->model;
    int64_t from = weight_bits(c);
    struct span now = weights_bytes(c);
    if (from == 0 || bits >= from)
        return span_none();
    struct span least = span_share(now, bits, from);
    struct span kept = m && m->params > 0 && m->embedding_params > 0
                           ? span_share(now, m->embedding_params, m->params)
                           : span_share(now, 12, 100);
    struct span scales = span_share(least, 12, 100);
    return span_between(least, span_plus(span_plus(least, kept), scales));
}

struct span memory_weights_of(const struct inputs *c, int64_t params) {
    struct span micro = weight_micro(quantization_of(c), run_dtype(c));
    int64_t ranks;
    if (!micro.known || params <= 0 ||
        !mul_i64(tensor_ranks(c), pipeline_ranks(c), &ranks))
        return span_none();
    struct span all = span_share(span_exact(params), span_middle(micro), MICRO);
    return span_exact(span_middle(span_share(all, 1, ranks)));
}

struct span weights_nominal(const struct inputs *c) {
    struct span printed = span_in(c, FACT_weights_bytes);
    return printed.known ? span_exact(span_middle(printed))
           : c->model    ? memory_weights_of(c, c->model->params)
                         : printed;
}

struct span memory_weights(struct arena *a, const struct inputs *c,
                           struct formulas *f, struct needs *needs) {
    static const enum fact_name used[] =
        FACTS(FACT_model, FACT_quantization, FACT_dtype, FACT_tensor_parallel,
              FACT_pipeline_parallel);
    struct span bytes = weights_bytes(c);
    struct span micro = weight_micro(quantization_of(c), run_dtype(c));
    int64_t ranks;
    if (!bytes.known && needs)
        needs_add(needs, c->model ? FACT_weights_bytes : FACT_model);
    if (bytes.known && !c->in[FACT_weights_bytes].known && micro.known &&
        mul_i64(tensor_ranks(c), pipeline_ranks(c), &ranks))
        formula_put(a, f,
                    FORMULA_OF(a, c, used,
                               "weights = % params x % bytes / % % = about %",
                               COUNT(c->model->params),
                               RATIO(span_middle(micro)), PLAIN(ranks),
                               TEXT(ranks == 1 ? STR("rank") : STR("ranks")),
                               MIDDLE(weights_nominal(c))));
    return bytes;
}
