/* engine_exllama.c: ExLlamaV2: made at start: fp16, or 8 and 4 bits with a
 * scale per 32.
 *
 * Source: exllamav2/cache.py, 0.3. */
#include "memory/engines.h"

#define CHUNK 2048

static const struct packing packings[] = {
    {"q8", 8, 0, 32, 2}, {"q4", 4, 0, 32, 2}, {NULL, 0, 0, 0, 0}};

static struct span activation(const struct inputs *c) {
    return step_bound(c, CHUNK, 1);
}

const struct engine_rules engine_exllama = {.id = "exllama",
                                            .pool = POOL_REST,
                                            .windows = KEEP_WHOLE,
                                            .block = 256,
                                            .is_batched = true,
                                            .expands_latent = true,
                                            .packings = packings,
                                            .spreads_layers = true,
                                            .activation = activation,
                                            .share = FACT_COUNT_OF,
                                            .narrow = "q8"};
