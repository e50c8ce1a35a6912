/* engine_list.c: the engines there are, one struct each, with the sources that
 * say so. llama.cpp and SGLang, whose cells and shares take more than that,
 * have files of their own; vLLM's cache and releases are in kv*.c and rules.c.
 *
 *   vLLM           what a step takes: starts on H100 cards printed 4.8 to 7.4
 *                  GiB of activations for 1,024 sequences: 9.7 copies of the
 *                  logits, over four vocabularies
 *   TensorRT-LLM   0.9 of what is free after a trial step of max_num_tokens;
 *                  blocks of 32, of 64 before 0.17. It prints as available what
 *                  is free before it takes its share. PyTorch runtime:
 *                  _torch/pyexecutor/_util.py, 1.0; kvCacheConfig.h, executor.h
 *                  before
 *   TGI            0.95, later 0.90 of what is free after a prefill of
 *                  max_batch_prefill_tokens; windows are kept whole. The
 *                  launcher cuts the model over all cards by itself
 *                  (find_num_shards()). flash_causal_lm.py, globals.py
 *                  (TGI_WIGGLE_ROOM), 3.0
 *   LMDeploy       0.8 of what is free after loading, blocks of 64. TurboMind
 *                  takes the share before any step; the PyTorch engine first
 *                  takes out (prefill + 2 x batch) x vocabulary logits.
 *                  quant_policy 8 or 4: scale and zero of 16 bits per head and
 *                  token. pytorch/engine/executor/base.py, 0.10;
 *                  BlockManager.cc
 *   Transformers   no pool: the cache grows until the card is full. MLA is kept
 *                  as whole heads; windows by release. Releases before 4.45
 *                  make logits of the whole prompt. cache_utils.py, 4.56
 *   MLX            steps of 256 tokens, windows rotate; 8 or 4 bits have scale
 *                  and bias per 64; the working set is two thirds to three
 *                  quarters of the machine's memory. mlx_lm/models/cache.py,
 *                  0.28
 *   ExLlamaV2      made at start: fp16, or 8 and 4 bits with a scale per 32.
 *                  exllamav2/cache.py, 0.3
 */
#include "corpus/version.h"
#include "memory/amount.h"
#include "memory/card.h"
#include "memory/engines.h"

#define USUAL_STEP 2048
#define USUAL_PREFILL 8192
#define USUAL_SEQUENCES 256
#define LOGIT_COPIES 11 /* of a warm-up of max_num_seqs, while sampling */
#define LARGE_MAC (INT64_C(36) << 30)

/* ---- vLLM ---- */

static struct span vllm_step(const struct inputs *c) {
    int64_t length = setting_of(c, FACT_max_model_len, USUAL_STEP);
    int64_t batch = setting_of(c, FACT_max_num_batched_tokens,
                               length > USUAL_STEP ? length : USUAL_STEP);
    bool samples = !c->model->is_encoder && !c->model->is_pooling;
    struct span sampler =
        samples
            ? step_logits(c, setting_of(c, FACT_max_num_seqs, USUAL_SEQUENCES))
            : span_exact(0);
    struct span step = step_layer(c, batch);
    struct span most =
        span_plus(span_times(sampler, LOGIT_COPIES), span_times(step, 2));
    int64_t least =
        samples && sampler.low < step.low ? sampler.low : step.low;
    return most.known ? span_of(least / 2, most.high) : most;
}

#define VLLM                                                                   \
    .takes_share = true, .is_of_kaito = true, .checks_split = true,            \
    .position = "fit.position.vllm",                                           \
    .activation = vllm_step

static const struct engine_rules vllm = {
    .id = "vllm", VLLM, .is_named = true, .keeps_pool = true,
    .share = FACT_gpu_memory_utilization, .share_most = 970000, .narrow = "fp8",
    .bits8 = "fp8", .bits4 = "awq"};

static const struct engine_rules unnamed = {.id = "", VLLM};

/* ---- servers with a share of what is free ---- */

static struct span prefill_step(const struct inputs *c) {
    return step_bound(
        c, setting_of(c, FACT_max_num_batched_tokens, USUAL_PREFILL), 256);
}

static const struct engine_rules tensorrt_llm = {
    .id = "tensorrt-llm", .pool = POOL_OF_FREE, .fraction_low = 900000,
    .fraction_high = 900000, .prints_free = true, .block = 32,
    .keeps_pool = true, .activation = prefill_step,
    .share = FACT_kv_free_fraction, .share_most = 950000, .narrow = "fp8",
    .bits8 = "fp8", .bits4 = "awq"};

static const struct engine_rules tgi = {
    .id = "tgi", .pool = POOL_OF_FREE, .fraction_low = 900000,
    .fraction_high = 950000, .windows = KEEP_WHOLE, .splits_by_itself = true,
    .keeps_pool = true, .counts_prefill = true, .activation = prefill_step,
    .narrow = "fp8_e5m2", .bits4 = "awq"};

static const struct packing lmdeploy_packings[] = {{"int8", 8, 4, 1, 0},
                                                   {"8", 8, 4, 1, 0},
                                                   {"int4", 4, 4, 1, 0},
                                                   {"4", 4, 4, 1, 0},
                                                   {NULL, 0, 0, 0, 0}};

static struct span lmdeploy_step(const struct inputs *c) {
    int64_t rows = setting_of(c, FACT_max_num_batched_tokens, USUAL_PREFILL);
    struct span most = span_share(step_logits(c, rows + 512), 1, 2);
    return most.known ? span_of(0, most.high) : most;
}

static const struct engine_rules lmdeploy = {
    .id = "lmdeploy", .pool = POOL_OF_FREE, .fraction_low = 800000,
    .fraction_high = 800000, .block = 64, .packings = lmdeploy_packings,
    .lacks_torch = true, .keeps_pool = true, .activation = lmdeploy_step,
    .share = FACT_kv_free_fraction, .share_most = 900000, .narrow = "8",
    .bits4 = "awq"};

/* ---- programs without a pool ---- */

static struct span transformers_step(const struct inputs *c) {
    const struct fact *version = &c->in[FACT_engine_version];
    int64_t rows = setting_of(c, FACT_batch_size, 1), tokens;
    int order;
    bool is_old = version->known &&
                  version_compare(version->word, STR("4.45.0"), &order) &&
                  order < 0;
    if (!mul_i64(rows, setting_of(c, FACT_max_model_len, USUAL_STEP), &tokens))
        return span_none();
    struct span step = step_layer(c, tokens);
    struct span logits = step_logits(c, is_old ? tokens : rows);
    struct span most = span_plus(span_share(step, 3, 2), span_times(logits, 3));
    return most.known ? span_of(step.low / 2, most.high) : most;
}

static const struct engine_rules transformers = {
    .id = "transformers", .pool = POOL_REST, .is_batched = true,
    .expands_latent = true, .spreads_layers = true, .may_train = true,
    .is_of_kaito = true, .activation = transformers_step, .can_batch = true,
    .bits4 = "bitsandbytes"};

static struct span usual_step(const struct inputs *c) {
    return step_bound(c, USUAL_STEP, 1);
}

static struct span working_set(const struct inputs *c) {
    struct span total = span_in(c, FACT_gpu_total);
    bool is_large = total.low >= LARGE_MAC;
    struct span least = span_share(total, is_large ? 3 : 2, is_large ? 4 : 3);
    if (!total.known || c->in[FACT_alloc_limit].known)
        return total.known ? span_in(c, FACT_alloc_limit) : total;
    return span_of(least.low, span_share(total, 3, 4).high);
}

static const struct packing mlx_packings[] = {{"8", 8, 0, 64, 4},
                                              {"int8", 8, 0, 64, 4},
                                              {"4", 4, 0, 64, 4},
                                              {"int4", 4, 0, 64, 4},
                                              {NULL, 0, 0, 0, 0}};

static const struct engine_rules mlx = {
    .id = "mlx", .pool = POOL_REST, .card = working_set, .windows = KEEP_WINDOW,
    .block = 256, .is_batched = true, .packings = mlx_packings,
    .lacks_torch = true, .quantizes_all = true, .activation = usual_step,
    .can_batch = true, .narrow = "8", .bits4 = "4bit"};

static const struct packing exllama_packings[] = {
    {"q8", 8, 0, 32, 2}, {"q4", 4, 0, 32, 2}, {NULL, 0, 0, 0, 0}};

static const struct engine_rules exllama = {
    .id = "exllama", .pool = POOL_REST, .windows = KEEP_WHOLE, .block = 256,
    .is_batched = true, .expands_latent = true, .packings = exllama_packings,
    .spreads_layers = true, .activation = usual_step, .narrow = "q8"};

/* ---- all of them ---- */

/* Trainers, and servers of which no more is known than how they hold memory. */
static const struct engine_rules
    deepspeed = {.id = "deepspeed", .trains = true, .has_buckets = true},
    fsdp = {.id = "fsdp", .trains = true, .shards_fully = true},
    megatron = {.id = "megatron", .trains = true},
    pytorch = {.id = "pytorch", .may_train = true},
    lightllm = {.id = "lightllm", .keeps_pool = true},
    mindie = {.id = "mindie", .keeps_pool = true},
    fastdeploy = {.id = "fastdeploy", .keeps_pool = true},
    other = {.id = NULL};

const struct engine_rules *engine_of(const struct inputs *c) {
    static const struct engine_rules *const engines[] = {
        &unnamed,      &vllm,     &engine_sglang, &engine_llama, &engine_ollama,
        &tensorrt_llm, &tgi,      &lmdeploy,      &transformers, &mlx,
        &exllama,      &deepspeed, &fsdp,         &megatron,     &pytorch,
        &lightllm,     &mindie,   &fastdeploy};
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++)
        if (str_eq(c->engine, str_of(engines[i]->id)))
            return engines[i];
    return &other;
}
