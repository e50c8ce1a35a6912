/* engine_vllm.c: vLLM, whose cache and releases fill kv*.c and rules.c. Here:
 * what a step takes. Starts on H100 cards printed 4.8 to 7.4 GiB of activations
 * for 1,024 sequences: 9.7 copies of the logits, over four vocabularies. */
#include "memory/engines.h"

#define USUAL_STEP 2048
#define USUAL_SEQUENCES 256
#define LOGIT_COPIES 11 /* of a warm-up of max_num_seqs, while sampling */
#define SHARE_MOST 970000

static struct span activation(const struct inputs *c) {
    int64_t length = setting_of(c, FACT_max_model_len, USUAL_STEP);
    int64_t batch = setting_of(c, FACT_max_num_batched_tokens,
                               length > USUAL_STEP ? length : USUAL_STEP);
    struct span sampler =
        step_logits(c, setting_of(c, FACT_max_num_seqs, USUAL_SEQUENCES));
    struct span step = step_layer(c, batch);
    struct span most =
        span_plus(span_times(sampler, LOGIT_COPIES), span_times(step, 2));
    int64_t least = sampler.low < step.low ? sampler.low : step.low;
    return most.known ? span_of(least / 2, most.high) : most;
}

#define VLLM                                                                   \
    .takes_share = true, .is_of_kaito = true, .checks_split = true,            \
    .activation = activation

const struct engine_rules engine_vllm = {.id = "vllm",
                                         VLLM,
                                         .is_named = true,
                                         .keeps_pool = true,
                                         .share = FACT_gpu_memory_utilization,
                                         .share_most = SHARE_MOST,
                                         .narrow = "fp8",
                                         .bits8 = "fp8",
                                         .bits4 = "awq"};

const struct engine_rules engine_unnamed = {
    .id = "", VLLM, .share = FACT_COUNT_OF};
