/* engine_tgi.c: 0.95, later 0.90 of what is free after a prefill of
 * max_batch_prefill_tokens; windows are kept whole. The launcher cuts the model
 * over all cards by itself (find_num_shards()).
 *
 * Sources: server/text_generation_server/models/flash_causal_lm.py, globals.py
 * (TGI_WIGGLE_ROOM), 3.0. */
#include "memory/engines.h"

static struct span activation(const struct inputs *c) {
    return step_bound(c, setting_of(c, FACT_max_num_batched_tokens, 8192), 256);
}

const struct engine_rules engine_tgi = {.id = "tgi",
                                        .pool = POOL_OF_FREE,
                                        .fraction_low = 900000,
                                        .fraction_high = 950000,
                                        .windows = KEEP_WHOLE,
                                        .splits_by_itself = true,
                                        .keeps_pool = true,
                                        .counts_prefill = true,
                                        .activation = activation,
                                        .share = FACT_COUNT_OF,
                                        .narrow = "fp8_e5m2",
                                        .bits4 = "awq"};
