/* engine_lmdeploy.c: 0.8 of what is free after loading, blocks of 64.
 * TurboMind takes the share before any step; the PyTorch engine first takes out
 * (prefill + 2 x batch) x vocabulary logits. quant_policy 8 or 4: scale and
 * zero of 16 bits per head and token.
 *
 * Sources: pytorch/engine/executor/base.py, 0.10; BlockManager.cc. */
#include "memory/engines.h"

static const struct packing packings[] = {{"int8", 8, 4, 1, 0},
                                          {"8", 8, 4, 1, 0},
                                          {"int4", 4, 4, 1, 0},
                                          {"4", 4, 4, 1, 0},
                                          {NULL, 0, 0, 0, 0}};

static struct span activation(const struct inputs *c) {
    int64_t rows = setting_of(c, FACT_max_num_batched_tokens, 8192);
    struct span most = span_share(step_logits(c, rows + 512), 1, 2);
    return most.known ? span_of(0, most.high) : most;
}

const struct engine_rules engine_lmdeploy = {.id = "lmdeploy",
                                             .pool = POOL_OF_FREE,
                                             .fraction_low = 800000,
                                             .fraction_high = 800000,
                                             .block = 64,
                                             .packings = packings,
                                             .lacks_torch = true,
                                             .keeps_pool = true,
                                             .activation = activation,
                                             .share = FACT_kv_free_fraction,
                                             .share_most = 900000,
                                             .narrow = "8",
                                             .bits4 = "awq"};
