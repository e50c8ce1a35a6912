/* fit_bounds.c: three amounts that only a run would print, bounded by shape.
 *
 *   activation   logits of a warm-up of max_num_seqs requests, which sampling
 *                copies up to a dozen times, or the widest layer of one step
 *                of so many tokens; a vision tower may double it
 *   non-torch    context, NCCL, libraries
 *   graphs       captured once per batch size: a few MiB per layer and size
 *
 * How long a step is, the files of engines say. Each amount stands in the
 * inputs as a derived interval with its reason, and a measured one replaces it.
 */
#include "memory/budget.h"
#include "memory/inputs.h"
#include "memory/engines.h"
#include "memory/fit_case.h"
#include "memory/rules.h"
#include "memory/span.h"
#include "memory/weights.h"

#define MIB (INT64_C(1) << 20)
#define GIB (INT64_C(1) << 30)
#define LOGIT_BYTES 4
#define LARGE_CARD (70 * GIB)

struct fact fit_derived(enum fact_name name, struct span s, const char *why) {
    struct fact f = fact_blank(name, SOURCE_DERIVED);
    f.known = s.known;
    f.number = s.known ? span_middle(s) : 0;
    f.ranged = s.known && s.low != s.high;
    f.low = s.low;
    f.high = s.high;
    f.why = str_of(why);
    return f;
}

void fit_take(struct inputs *c, enum fact_name name, struct span s,
              const char *why) {
    if (!c->in[name].known && s.known) {
        c->in[name] = fit_derived(name, s, why);
    }
}

void fit_take_default(struct inputs *c, enum fact_name name, int64_t n,
                      const char *word, const char *why) {
    if (!c->in[name].known) {
        c->in[name] = fit_derived(name, span_exact(n), why);
        c->in[name].source = SOURCE_DEFAULT;
        c->in[name].word = str_of(word);
    }
}

static void take_batch(struct inputs *c) {
    struct span total = span_in(c, FACT_gpu_total);
    if (!total.known || rules_is_v0(c) != ANSWER_NO) {
        return;
    }
    bool is_a100 = c->gpu && has_part(c->gpu->id, "A100");
    bool is_large = total.low >= LARGE_CARD && !is_a100;
    static const char why[] = "of the server, by size of the card";
    fit_take_default(c, FACT_max_num_batched_tokens, is_large ? 8192 : 2048, "",
                     why);
    fit_take_default(c, FACT_max_num_seqs, is_large ? 1024 : 256, "", why);
}

/* ---- a step ---- */

struct span step_logits(const struct inputs *c, int64_t rows) {
    struct span one = span_times(span_exact(c->model->vocab_size), LOGIT_BYTES);
    return span_times(one, rows);
}

struct span step_layer(const struct inputs *c, int64_t tokens) {
    int64_t tp = setting_of(c, FACT_tensor_parallel, 1);
    struct span inner = span_times(span_exact(c->model->intermediate_size), 3);
    struct span width =
        span_plus(span_times(span_exact(c->model->hidden_size), 4),
                  span_share(inner, 1, tp));
    return span_times(span_times(width, tokens), 2);
}

struct span step_bound(const struct inputs *c, int64_t tokens, int64_t rows) {
    struct span step = step_layer(c, tokens);
    struct span most =
        span_plus(span_times(step, 2), span_times(step_logits(c, rows), 3));
    return most.known ? span_of(step.low / 4, most.high) : most;
}

static void take_activation(struct inputs *c) {
    const struct engine_rules *e = engine_of(c);
    if (c->model == NULL || c->model->vocab_size <= 0 ||
        c->model->hidden_size <= 0 || e->activation == NULL) {
        return;
    }
    struct span bytes = e->activation(c);
    if (bytes.known && c->model->is_multimodal && !e->has_cells) {
        bytes.high = span_plus(bytes, span_exact(3 * GIB)).high; /* a tower */
    }
    fit_take(c, FACT_activation_peak, bytes,
             "bounded by vocabulary, batch and layer width");
}

static void take_context(struct inputs *c) {
    bool is_parallel = setting_of(c, FACT_tensor_parallel, 1) > 1 ||
                       (setting_of(c, FACT_pipeline_parallel, 1) > 1 &&
                        !engine_of(c)->spreads_layers);
    fit_take(c, FACT_non_torch,
             span_of(0, is_parallel ? 3 * GIB / 2 : 600 * MIB),
             "bounded by what starts have printed");
}

static void take_graphs(struct inputs *c) {
    int64_t layers = c->model ? c->model->layers : 0;
    bool is_eager = inputs_is_eager(c);
    struct span graphs = is_eager
                             ? span_exact(0)
                             : span_of(32 * MIB, 256 * MIB + layers * 32 * MIB);
    fit_take(c, FACT_cuda_graph_bytes,
             layers > 0 || is_eager ? graphs : span_none(),
             "bounded by the number of layers");
}

/* A format of unknown width: between 4 bits and what is not quantized. What
 * lies in cells has the file's size. */
static void take_weights(struct inputs *c) {
    int64_t ranks = setting_of(c, FACT_tensor_parallel, 1) *
                    setting_of(c, FACT_pipeline_parallel, 1);
    if (c->model != NULL && c->model->params > 0 && weight_bits(c) == 0) {
        struct span whole = span_of(c->model->params / 2, c->model->params * 2);
        fit_take(c, FACT_weights_bytes,
                 span_share(whole, 1, engine_of(c)->has_cells ? 1 : ranks),
                 "between 4 and 16 bits: this format may be either");
    }
}

void fit_take_bounds(struct inputs *c) {
    bool is_vllm = engine_of(c)->takes_share;
    if (is_vllm) {
        take_batch(c);
    }
    if (inputs_says_pool(c)) {
        return; /* what else is on the card does not matter */
    }
    take_weights(c);
    if (engine_of(c)->pool == POOL_OF_STATIC) {
        return; /* its share is of weights and pool alone */
    }
    take_activation(c);
    take_context(c);
    if (is_vllm) {
        take_graphs(c);
    }
}
