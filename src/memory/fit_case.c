/* fit_case.c: from what the user gives to a whole case: the catalogue, the
 * defaults of the engine's version, what follows from the question itself (one
 * rank, the model's longest request), and bounds by shape for three amounts
 * that only a run would print:
 *
 *   activation   logits of a warm-up of max_num_seqs requests, which sampling
 *                copies up to a dozen times, or the widest layer of one step
 *                of so many tokens; a vision tower may double it
 *   non-torch    context, NCCL, libraries
 *   graphs       captured once per batch size: a few MiB per layer and size
 *
 * Each stands in the inputs as a derived interval with its reason, and a
 * measured one replaces it. */
#include "memory/fit_case.h"
#include "base/limits.h"
#include "memory/kv.h"

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
    if (!c->in[name].known && s.known)
        c->in[name] = fit_derived(name, s, why);
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
    static const char why[] = "of the server, by size of the card";
    struct span total = span_in(c, FACT_gpu_total);
    bool is_large =
        total.low >= LARGE_CARD && !(c->gpu && has_part(c->gpu->id, "A100"));
    if (!total.known || rules_is_v0(c) != ANSWER_NO)
        return;
    int64_t batch = is_large ? 8192 : 2048;
    int64_t length = setting_of(c, FACT_max_model_len, 0);
    if (!engine_keeps_cache(c) && length > batch)
        batch = length; /* a text is computed in one pass */
    fit_take_default(c, FACT_max_num_batched_tokens, batch, "", why);
    fit_take_default(c, FACT_max_num_seqs, is_large ? 1024 : 256, "", why);
}

/* ---- a step ---- */

struct span step_logits(const struct inputs *c, int64_t rows) {
    return span_times(span_times(span_exact(c->model->vocab_size), LOGIT_BYTES),
                      rows);
}

struct span step_layer(const struct inputs *c, int64_t tokens) {
    struct span inner = span_times(span_exact(c->model->intermediate_size), 3);
    struct span width =
        span_plus(span_times(span_exact(c->model->hidden_size), 4),
                  span_share(inner, 1, tensor_ranks(c)));
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
        c->model->hidden_size <= 0 || e->activation == NULL)
        return;
    struct span bytes = e->activation(c);
    if (bytes.known && c->model->is_multimodal && !e->has_cells)
        bytes.high = span_plus(bytes, span_exact(3 * GIB)).high; /* a tower */
    fit_take(c, FACT_activation_peak, bytes,
             "bounded by vocabulary, batch and layer width");
}

static void take_context(struct inputs *c) {
    bool is_parallel = tensor_ranks(c) > 1 ||
                       (pipeline_ranks(c) > 1 && !engine_of(c)->spreads_layers);
    fit_take(c, FACT_non_torch,
             span_of(0, is_parallel ? 3 * GIB / 2 : 600 * MIB),
             "bounded by what starts have printed");
}

static void take_graphs(struct inputs *c) {
    int64_t layers = c->model ? c->model->layers : 0;
    struct span graphs = inputs_is_eager(c) ? span_exact(0)
                         : layers > 0
                             ? span_of(32 * MIB, 256 * MIB + layers * 32 * MIB)
                             : span_none();
    fit_take(c, FACT_cuda_graph_bytes, graphs,
             "bounded by the number of layers");
}

/* A format of unknown width: between 4 bits and what is not quantized. What
 * lies in cells has the file's size. */
static void take_weights(struct inputs *c) {
    int64_t ranks = tensor_ranks(c) * pipeline_ranks(c);
    int64_t params = c->model ? c->model->params : 0;
    if (params > 0 && weight_bits(c) == 0)
        fit_take(c, FACT_weights_bytes,
                 span_share(span_of(params / 2, params * 2), 1,
                            engine_of(c)->has_cells ? 1 : ranks),
                 "between 4 and 16 bits: this format may be either");
}

static void fit_take_bounds(struct inputs *c) {
    bool is_vllm = engine_of(c)->takes_share;
    if (is_vllm)
        take_batch(c);
    if (inputs_states_pool(c))
        return; /* what else is on the card does not matter */
    take_weights(c);
    if (engine_of(c)->pool == POOL_OF_STATIC)
        return; /* its share is of weights and pool alone */
    take_activation(c);
    take_context(c);
    if (is_vllm)
        take_graphs(c);
}

/* ---- what follows from the question ---- */

#define NO_LENGTH 2048
#define NOMINAL_LEAST 97 /* percent of the decimal gigabytes on the label */

/* No log has shown this card's total: a little less than its label. */
static void take_label(struct inputs *c) {
    int64_t label = c->gpu ? c->gpu->nominal_gb : 0;
    if (label > 0)
        fit_take(c, FACT_gpu_total,
                 span_of(label * 1000000000 / 100 * NOMINAL_LEAST, label * GIB),
                 "from the label; no log seen");
}

/* ---- all of it ---- */

/* Several cards and no word on how to use them: as many tensor-parallel ranks
 * as the model can be cut into, pipeline stages for the rest. No engine that
 * cuts layers does so by itself, so the answer names what was assumed. */
static void take_split(struct inputs *c) {
    static const char why[] = "assumed, to use all cards";
    int64_t cards = c->in[FACT_gpu_count].number;
    int64_t ranks = cards < FIT_RANKS_MAX ? cards : FIT_RANKS_MAX;
    if (!inputs_states_any(c, FACT_LIST(FACT_gpu_count)) || cards <= 1 ||
        c->model == NULL || !engine_splits_layers(c) ||
        inputs_states_any(c,
                        FACT_LIST(FACT_tensor_parallel, FACT_pipeline_parallel,
                                  FACT_data_parallel)))
        return;
    while (ranks > 1 && (cards % ranks != 0 || !fit_can_split(c, ranks)))
        ranks--;
    c->in[FACT_tensor_parallel].known = false;
    fit_take_default(c, FACT_tensor_parallel, ranks, "", why);
    if (engine_of(c)->takes_share && cards / ranks > 1 &&
        cards / ranks <= c->model->layers) {
        c->in[FACT_pipeline_parallel].known = false;
        fit_take_default(c, FACT_pipeline_parallel, cards / ranks, "", why);
    }
}

/* vLLM runs float32 checkpoints in 16 bits unless told otherwise. */
static void take_dtype(struct inputs *c) {
    struct fact *f = &c->in[FACT_dtype];
    struct str own = f->word;
    bool is_wide = str_eq_nocase(own, STR("float32"));
    if (f->known && f->source == SOURCE_CATALOGUE) {
        f->known = false;
        fit_take_default(c, FACT_dtype, 0, "float16",
                         is_wide ? "of a float32 model" : "the model's");
        f->word = is_wide ? f->word : own;
    }
}

/* Where a context is not given, the engine's default, if it has one, up to
 * the model's own length. */
static void take_usual_length(struct inputs *c) {
    struct fact *length = &c->in[FACT_max_model_len];
    const struct engine_rules *e = engine_of(c);
    int64_t most = c->model ? c->model->max_position : 0;
    int64_t usual = e->usual_length != NULL ? e->usual_length(c) : 0;
    if (usual <= 0 || (most > 0 && most <= usual))
        return;
    length->known = false;
    fit_take_default(c, FACT_max_model_len, usual, "", "the engine's");
}

static void take_least_length(struct inputs *c) {
    struct fact *length = &c->in[FACT_max_model_len];
    const struct engine_rules *e = engine_of(c);
    int64_t least = e->least_length != NULL ? e->least_length(c) : 0;
    if (!length->known || length->number >= least)
        return;
    length->known = false;
    fit_take_default(c, FACT_max_model_len, least, "",
                     "the engine's least for this model");
}

/* Engines of cells call it the context. */
static void take_length(struct inputs *c) {
    const struct fact *context = &c->in[FACT_context_length];
    struct fact *length = &c->in[FACT_max_model_len];
    if (length->known && length->source != SOURCE_CATALOGUE)
        return;
    if (context->known && context->number > 0 && !engine_of(c)->takes_share) {
        *length = *context;
        length->name = FACT_max_model_len;
        return;
    }
    if (c->model && c->model->max_position > 0) {
        length->known = false;
        fit_take(c, FACT_max_model_len, span_exact(c->model->max_position),
                 "the model's longest");
        length->source = SOURCE_CATALOGUE;
    } else if (c->model) {
        fit_take_default(c, FACT_max_model_len, NO_LENGTH, "",
                         "vLLM's where the config names no length");
    }
    take_usual_length(c);
}

/* A checkpoint in FP8 is no GGUF file: its tags are of the usual type, too. */
static void take_tag(struct inputs *c) {
    const char *usual = engine_of(c)->usual_quantization;
    struct fact *how = &c->in[FACT_quantization];
    if (usual == NULL || c->model == NULL || c->model->is_encoder ||
        c->in[FACT_weights_bytes].known)
        return;
    if (how->source == SOURCE_CATALOGUE && has_part(how->word, "fp8"))
        how->known = false;
    if (c->model->quantization.n == 0 || !how->known)
        fit_take_default(c, FACT_quantization, 0, usual, "of Ollama's tags");
}

void fit_complete(struct arena *a, struct fit_question *q) {
    struct inputs *c = &q->c;
    const struct engine_rules *e = engine_of(c);
    memory_complete(c, q->engine, a);
    int64_t cards = setting_of(c, FACT_gpu_count, 1);
    take_dtype(c);
    take_label(c);
    if (training_is_run(c)) {
        fit_take_training(c);
        return;
    }
    take_tag(c);
    if (e->spreads_layers && cards > 1 &&
        c->in[FACT_tensor_parallel].number <= 1)
        fit_take_default(c, FACT_pipeline_parallel, cards, "",
                         "layers are laid over all cards");
    take_split(c);
    fit_take_default(c, FACT_tensor_parallel, 1, "", "one rank");
    fit_take_default(c, FACT_pipeline_parallel, 1, "", "one rank");
    fit_take_default(c, FACT_data_parallel, 1, "", "one rank");
    fit_take_default(c, FACT_kv_cache_dtype, 0, "auto", "as the model");
    take_length(c);
    take_least_length(c);
    if (e->has_slots && setting_of(c, FACT_max_num_seqs, 0) > q->requests)
        q->requests = setting_of(c, FACT_max_num_seqs, 0);
    fit_take_bounds(c);
}
