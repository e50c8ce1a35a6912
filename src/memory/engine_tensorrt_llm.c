/* engine_tensorrt_llm.c: 0.9 of what is free after a trial step of
 * max_num_tokens; blocks of 32, of 64 before 0.17. It prints as available what
 * is free before it takes its share.
 *
 * Sources: PyTorch runtime: _torch/pyexecutor/_util.py, 1.0; kvCacheConfig.h,
 * executor.h before. */
#include "memory/engines.h"

static struct span activation(const struct inputs *c) {
    return step_bound(c, setting_of(c, FACT_max_num_batched_tokens, 8192), 256);
}

const struct engine_rules engine_tensorrt_llm = {.id = "tensorrt-llm",
                                                 .pool = POOL_OF_FREE,
                                                 .fraction_low = 900000,
                                                 .fraction_high = 900000,
                                                 .prints_free = true,
                                                 .block = 32,
                                                 .keeps_pool = true,
                                                 .activation = activation,
                                                 .share = FACT_kv_free_fraction,
                                                 .share_most = 950000,
                                                 .narrow = "fp8",
                                                 .bits8 = "fp8",
                                                 .bits4 = "awq"};
