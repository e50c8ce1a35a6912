/* fit_case.c: from what the user says to a whole case.
 *
 * After the catalogue and the engine's defaults, three amounts are left that
 * only a run would print. They are bounded by shape:
 *
 *   activation   logits of a warm-up of max_num_seqs requests, which sampling
 *                copies up to a dozen times, or the widest layer of one step
 *                of max_num_batched_tokens; a vision tower may double it
 *   non-torch    context, NCCL, libraries
 *   graphs       captured once per batch size: a few MiB per layer and size
 *
 * Starts on H100 cards printed 4.8 to 7.4 GiB of activations for 1,024
 * sequences: 9.7 copies of the logits, over four vocabularies. Each stands in
 * the inputs as a derived interval with its reason, and a measured one
 * replaces it.
 */
#include "memory/fit_case.h"

#include "memory/budget.h"
#include "memory/rules.h"
#include "memory/span.h"

#define MIB (INT64_C(1) << 20)
#define GIB (INT64_C(1) << 30)
#define LOGIT_BYTES 4
#define LOGIT_COPIES 11
#define LARGE_CARD (70 * GIB)
#define NOMINAL_LEAST 97 /* percent of the decimal gigabytes on the label */

static struct fact derived(enum fact_name name, struct span s,
                           const char *why) {
    return (struct fact){.name = name,
                         .source = SOURCE_DERIVED,
                         .known = s.known,
                         .number = s.known ? span_middle(s) : 0,
                         .ranged = s.known && s.low != s.high,
                         .low = s.low,
                         .high = s.high,
                         .gpu = FACT_NONE,
                         .rank = FACT_NONE,
                         .pid = FACT_NONE,
                         .why = str_of(why)};
}

static struct fact fallback(enum fact_name name, int64_t n, struct str word,
                            const char *why) {
    struct fact f = derived(name, span_exact(n), why);
    f.source = SOURCE_DEFAULT;
    f.word = word;
    return f;
}

static bool is_open(const struct memory_case *c, enum fact_name name) {
    return !c->in[name].known;
}

static int64_t number(const struct memory_case *c, enum fact_name name,
                      int64_t otherwise) {
    const struct fact *f = &c->in[name];
    return f->known && f->number > 0 ? f->number : otherwise;
}

static bool is_eager(const struct memory_case *c) {
    return c->in[FACT_enforce_eager].known && c->in[FACT_enforce_eager].number;
}

/* ---- the card ---- */

/* Nobody has printed this card's total: a little less than its label. */
static void take_label(struct memory_case *c) {
    if (!is_open(c, FACT_gpu_total) || c->gpu == NULL ||
        c->gpu->nominal_gb <= 0) {
        return;
    }
    int64_t decimal = c->gpu->nominal_gb * 1000000000;
    struct span total =
        span_of(decimal / 100 * NOMINAL_LEAST, c->gpu->nominal_gb * GIB);
    c->in[FACT_gpu_total] =
        derived(FACT_gpu_total, total, "from the label; no log seen");
}

/* ---- what vLLM sets by the size of the card ---- */

static bool is_a100(const struct memory_case *c) {
    return c->gpu && str_find(c->gpu->id, STR("A100")) < c->gpu->id.n;
}

static void take_batch(struct memory_case *c) {
    struct span total = span_of_fact(&c->in[FACT_gpu_total]);
    if (!total.known || rules_is_v0(c) != ANSWER_NO) {
        return;
    }
    bool is_large = total.low >= LARGE_CARD && !is_a100(c);
    if (is_open(c, FACT_max_num_batched_tokens)) {
        c->in[FACT_max_num_batched_tokens] =
            fallback(FACT_max_num_batched_tokens, is_large ? 8192 : 2048,
                     (struct str){0}, "of the server, by size of the card");
    }
    if (is_open(c, FACT_max_num_seqs)) {
        c->in[FACT_max_num_seqs] =
            fallback(FACT_max_num_seqs, is_large ? 1024 : 256,
                     (struct str){0}, "of the server, by size of the card");
    }
}

/* ---- what only a run would measure ---- */

static struct span sampler_bytes(const struct memory_case *c) {
    struct span one = span_times(span_exact(c->model->vocab_size), LOGIT_BYTES);
    return span_times(one, number(c, FACT_max_num_seqs, 256));
}

static struct span step_bytes(const struct memory_case *c) {
    int64_t tp = number(c, FACT_tensor_parallel, 1);
    int64_t length = number(c, FACT_max_model_len, 2048);
    int64_t batch = number(c, FACT_max_num_batched_tokens,
                           length > 2048 ? length : 2048);
    struct span width =
        span_plus(span_times(span_exact(c->model->hidden_size), 4),
                  span_share(span_times(
                                 span_exact(c->model->intermediate_size), 3),
                             1, tp));
    return span_times(span_times(width, batch), 2);
}

static void take_activation(struct memory_case *c) {
    if (!is_open(c, FACT_activation_peak) || c->model == NULL ||
        c->model->vocab_size <= 0 || c->model->hidden_size <= 0) {
        return;
    }
    struct span sampler = sampler_bytes(c), step = step_bytes(c);
    struct span most = span_plus(span_times(sampler, LOGIT_COPIES),
                                 span_times(step, 2));
    if (c->model->is_multimodal) {
        most = span_plus(most, span_exact(3 * GIB));
    }
    if (!most.known) {
        return;
    }
    int64_t least = sampler.low < step.low ? sampler.low : step.low;
    c->in[FACT_activation_peak] =
        derived(FACT_activation_peak, span_of(least / 2, most.high),
                "bounded by vocabulary, batch and layer width");
}

static void take_rest(struct memory_case *c) {
    bool is_parallel = number(c, FACT_tensor_parallel, 1) > 1 ||
                       number(c, FACT_pipeline_parallel, 1) > 1;
    if (is_open(c, FACT_non_torch)) {
        struct span rest =
            span_of(0, is_parallel ? 3 * GIB / 2 : 600 * MIB);
        c->in[FACT_non_torch] =
            derived(FACT_non_torch, rest, "bounded by what starts have printed");
    }
    if (is_open(c, FACT_cuda_graph_bytes)) {
        int64_t layers = c->model ? c->model->layers : 0;
        struct span graphs =
            is_eager(c) ? span_exact(0)
                        : span_of(32 * MIB, 256 * MIB + layers * 32 * MIB);
        c->in[FACT_cuda_graph_bytes] = derived(
            FACT_cuda_graph_bytes, layers > 0 || is_eager(c) ? graphs
                                                             : span_none(),
            "bounded by the number of layers");
    }
}

/* ---- all of it ---- */

static void take_parallel(struct memory_case *c) {
    static const enum fact_name ones[] = {
        FACT_tensor_parallel, FACT_pipeline_parallel, FACT_data_parallel};
    for (size_t i = 0; i < sizeof ones / sizeof ones[0]; i++) {
        if (is_open(c, ones[i])) {
            c->in[ones[i]] = fallback(ones[i], 1, (struct str){0}, "one rank");
        }
    }
    if (is_open(c, FACT_kv_cache_dtype)) {
        c->in[FACT_kv_cache_dtype] =
            fallback(FACT_kv_cache_dtype, 0, STR("auto"), "as the model");
    }
}

/* vLLM runs float32 checkpoints in 16 bits unless told otherwise. */
static void take_dtype(struct memory_case *c) {
    struct fact *f = &c->in[FACT_dtype];
    if (!f->known || f->source != SOURCE_CATALOGUE) {
        return;
    }
    bool is_wide = str_eq_nocase(f->word, STR("float32"));
    *f = fallback(FACT_dtype, 0, is_wide ? STR("float16") : f->word,
                  is_wide ? "of a float32 model" : "the model's");
}

void fit_complete(struct arena *a, struct fit_question *q) {
    struct memory_case *c = &q->c;
    bool is_vllm = rules_is_vllm(c);
    memory_complete(c, q->engine, a);
    take_dtype(c);
    take_label(c);
    take_parallel(c);
    if (c->model && is_open(c, FACT_max_model_len) &&
        c->model->max_position > 0) {
        struct span most = span_exact(c->model->max_position);
        c->in[FACT_max_model_len] =
            derived(FACT_max_model_len, most, "the model's longest");
        c->in[FACT_max_model_len].source = SOURCE_CATALOGUE;
    }
    if (!is_vllm) {
        return;
    }
    take_batch(c);
    /* A pool that is said needs no bounds on what else is on the card. */
    if (is_open(c, FACT_kv_available) && is_open(c, FACT_kv_blocks) &&
        is_open(c, FACT_kv_bytes)) {
        take_activation(c);
        take_rest(c);
    }
}
