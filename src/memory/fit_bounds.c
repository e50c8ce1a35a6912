/* fit_bounds.c: three amounts that only a run would print, bounded by shape.
 *
 *   activation   logits of a warm-up of max_num_seqs requests, which sampling
 *                copies up to a dozen times, or the widest layer of one step
 *                of so many tokens; a vision tower may double it
 *   non-torch    context, NCCL, libraries
 *   graphs       captured once per batch size: a few MiB per layer and size
 *
 * A step is max_num_batched_tokens long (vLLM, TensorRT-LLM, TGI, LMDeploy),
 * a micro-batch of 512 (llama.cpp), a piece of 2,048 (MLX) or the whole prompt
 * (transformers). vLLM starts on H100 cards printed 4.8 to 7.4 GiB of
 * activations for 1,024 sequences: 9.7 copies of the logits, over four
 * vocabularies. Each stands in the inputs as a derived interval with its
 * reason, and a measured one replaces it.
 */
#include "corpus/version.h"
#include "memory/budget.h"
#include "memory/case.h"
#include "memory/engine_kv.h"
#include "memory/fit_case.h"
#include "memory/llama_cpp.h"
#include "memory/rules.h"
#include "memory/span.h"
#include "memory/weights.h"

#define MIB (INT64_C(1) << 20)
#define GIB (INT64_C(1) << 30)
#define LOGIT_BYTES 4
#define LOGIT_COPIES 11
#define LARGE_CARD (70 * GIB)
#define USUAL_STEP 2048
#define UBATCH 512
#define EXLLAMA_CHUNK 2048

struct fact fit_derived(enum fact_name name, struct span s, const char *why) {
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

struct fact fit_default(enum fact_name name, int64_t n, struct str word,
                        const char *why) {
    struct fact f = fit_derived(name, span_exact(n), why);
    f.source = SOURCE_DEFAULT;
    f.word = word;
    return f;
}

static bool is_open(const struct memory_case *c, enum fact_name name) {
    return !c->in[name].known;
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
            fit_default(FACT_max_num_batched_tokens, is_large ? 8192 : 2048,
                        (struct str){0}, "of the server, by size of the card");
    }
    if (is_open(c, FACT_max_num_seqs)) {
        c->in[FACT_max_num_seqs] =
            fit_default(FACT_max_num_seqs, is_large ? 1024 : 256,
                        (struct str){0}, "of the server, by size of the card");
    }
}

/* ---- a step ---- */

static struct span logits_of(const struct memory_case *c, int64_t rows) {
    struct span one = span_times(span_exact(c->model->vocab_size), LOGIT_BYTES);
    return span_times(one, rows);
}

/* In and out of the widest layer, in 16 bits. */
static struct span layer_of(const struct memory_case *c, int64_t tokens) {
    int64_t tp = setting_of(c, FACT_tensor_parallel, 1);
    struct span width =
        span_plus(span_times(span_exact(c->model->hidden_size), 4),
                  span_share(span_times(
                                 span_exact(c->model->intermediate_size), 3),
                             1, tp));
    return span_times(span_times(width, tokens), 2);
}

static struct span of_vllm(const struct memory_case *c) {
    int64_t length = setting_of(c, FACT_max_model_len, USUAL_STEP);
    int64_t batch = setting_of(c, FACT_max_num_batched_tokens,
                           length > USUAL_STEP ? length : USUAL_STEP);
    struct span sampler = logits_of(c, setting_of(c, FACT_max_num_seqs, 256));
    struct span step = layer_of(c, batch);
    struct span most = span_plus(span_times(sampler, LOGIT_COPIES),
                                 span_times(step, 2));
    int64_t least = sampler.low < step.low ? sampler.low : step.low;
    return most.known ? span_of(least / 2, most.high) : most;
}

/* Releases before 4.45 make logits of the whole prompt. */
static struct span of_transformers(const struct memory_case *c) {
    const struct fact *version = &c->in[FACT_engine_version];
    int64_t rows = setting_of(c, FACT_batch_size, 1), tokens;
    int order;
    bool is_old = version->known &&
                  version_compare(version->word, STR("4.45.0"), &order) &&
                  order < 0;
    if (!mul_i64(rows, setting_of(c, FACT_max_model_len, USUAL_STEP), &tokens)) {
        return span_none();
    }
    struct span step = layer_of(c, tokens);
    struct span logits = logits_of(c, is_old ? tokens : rows);
    struct span most = span_plus(span_share(step, 3, 2),
                                 span_times(logits, 3));
    return most.known ? span_of(step.low / 2, most.high) : most;
}

/* Scores of one layer take no room where flash attention is on, which newer
 * builds see to themselves. */
static struct span of_llama(const struct memory_case *c) {
    const struct fact *flash = &c->in[FACT_flash_attention];
    int64_t rows = setting_of(c, FACT_max_num_batched_tokens, UBATCH);
    struct span logits = logits_of(c, rows);
    struct span most = span_plus(span_times(layer_of(c, rows), 3),
                                 span_plus(logits, span_exact(256 * MIB)));
    struct memory_case at = *c;
    at.in[FACT_context_length] = at.in[FACT_max_model_len];
    struct span scores = llama_score_bytes(&at);
    if (flash->known && !flash->number && scores.known) {
        most = span_plus(most, scores);
    }
    return most.known ? span_of(64 * MIB, most.high) : most;
}

static struct span of_steps(const struct memory_case *c, int64_t tokens,
                            int64_t rows) {
    struct span step = layer_of(c, tokens);
    struct span most = span_plus(span_times(step, 2),
                                 span_times(logits_of(c, rows), 3));
    return most.known ? span_of(step.low / 4, most.high) : most;
}

/* TurboMind takes the share before any step; the PyTorch engine after it has
 * set logits of a step aside. */
static struct span of_lmdeploy(const struct memory_case *c) {
    int64_t rows = setting_of(c, FACT_max_num_batched_tokens, 8192);
    struct span most = span_share(logits_of(c, rows + 512), 1, 2);
    return most.known ? span_of(0, most.high) : most;
}

static struct span activation_of(const struct memory_case *c) {
    int64_t batch = setting_of(c, FACT_max_num_batched_tokens, 0);
    if (rules_is_vllm(c)) {
        return of_vllm(c);
    }
    if (engine_is_llama(c)) {
        return of_llama(c);
    }
    if (case_is_engine(c, "transformers")) {
        return of_transformers(c);
    }
    if (case_is_engine(c, "lmdeploy")) {
        return of_lmdeploy(c);
    }
    if (case_is_engine(c, "mlx") || case_is_engine(c, "exllama")) {
        return of_steps(c, EXLLAMA_CHUNK, 1);
    }
    bool has_step = case_is_engine(c, "tensorrt-llm") || case_is_engine(c, "tgi");
    return has_step ? of_steps(c, batch > 0 ? batch : 8192, 256)
                    : span_none();
}

static void take_activation(struct memory_case *c) {
    bool has_tower = c->model && c->model->is_multimodal &&
                     !engine_is_llama(c);
    if (!is_open(c, FACT_activation_peak) || c->model == NULL ||
        c->model->vocab_size <= 0 || c->model->hidden_size <= 0) {
        return;
    }
    struct span bytes = activation_of(c);
    if (bytes.known && has_tower) {
        bytes = span_of(bytes.low, span_plus(bytes, span_exact(3 * GIB)).high);
    }
    if (bytes.known) {
        c->in[FACT_activation_peak] =
            fit_derived(FACT_activation_peak, bytes,
                        "bounded by vocabulary, batch and layer width");
    }
}

static void take_context(struct memory_case *c) {
    bool is_parallel = setting_of(c, FACT_tensor_parallel, 1) > 1 ||
                       (setting_of(c, FACT_pipeline_parallel, 1) > 1 &&
                        !engine_spreads_layers(c));
    struct span rest = span_of(0, is_parallel ? 3 * GIB / 2 : 600 * MIB);
    if (is_open(c, FACT_non_torch)) {
        c->in[FACT_non_torch] = fit_derived(
            FACT_non_torch, rest, "bounded by what starts have printed");
    }
}

static void take_graphs(struct memory_case *c) {
    int64_t layers = c->model ? c->model->layers : 0;
    struct span graphs =
        case_is_eager(c) ? span_exact(0)
                    : span_of(32 * MIB, 256 * MIB + layers * 32 * MIB);
    if (is_open(c, FACT_cuda_graph_bytes)) {
        c->in[FACT_cuda_graph_bytes] =
            fit_derived(FACT_cuda_graph_bytes,
                        layers > 0 || case_is_eager(c) ? graphs : span_none(),
                        "bounded by the number of layers");
    }
}

/* A format of unknown width: between 4 bits and what is not quantized. */
static void take_weights(struct memory_case *c) {
    int64_t ranks = setting_of(c, FACT_tensor_parallel, 1) *
                    setting_of(c, FACT_pipeline_parallel, 1);
    if (!is_open(c, FACT_weights_bytes) || c->model == NULL ||
        c->model->params <= 0 || weight_bits(c) != 0) {
        return;
    }
    struct span whole = span_of(c->model->params / 2, c->model->params * 2);
    ranks = engine_is_llama(c) ? 1 : ranks; /* there it is the file's size */
    c->in[FACT_weights_bytes] =
        fit_derived(FACT_weights_bytes, span_share(whole, 1, ranks),
                    "between 4 and 16 bits: this format may be either");
}

void fit_take_bounds(struct memory_case *c) {
    static const enum fact_name pools[] = {FACT_kv_available, FACT_kv_blocks,
                                           FACT_kv_bytes};
    if (rules_is_vllm(c)) {
        take_batch(c);
    }
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++) {
        if (!is_open(c, pools[i])) {
            return; /* what else is on the card does not matter */
        }
    }
    take_weights(c);
    if (case_is_engine(c, "sglang")) {
        return; /* its share is of weights and pool alone */
    }
    take_activation(c);
    take_context(c);
    if (rules_is_vllm(c)) {
        take_graphs(c);
    }
}
