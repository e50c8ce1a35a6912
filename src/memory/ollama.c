/* ollama.c: what Ollama does beside llama.cpp, whose cells and weights it has.
 *
 *   context    num_ctx of a request or a Modelfile, else OLLAMA_CONTEXT_LENGTH,
 *              else the release's default, by all GPUs together from 0.15.5 on;
 *              never more than the model's own
 *   slots      OLLAMA_NUM_PARALLEL contexts of that length, made at start
 *   layers     those that the GPUs do not hold stay with the host
 *
 * Sources: envconfig/config.go and api/types.go (44b466eeb, 0.6.7: 2,048 became
 * 4,096; gpt-oss 8,192 at least, 0.11.0 to 0.15.4), server/routes.go
 * (0334ffa62, 0.15.5: tiers of 23 and 47 GiB, for cards of 24 and 48),
 * server/sched.go (20c3266e9, 0.9.7: one slot; before, four or one, whichever
 * fits).
 */
#include "corpus/version.h"
#include "memory/amount.h"
#include "memory/engines.h"

static bool is_before(const struct inputs *c, const char *release) {
    const struct fact *f = &c->in[FACT_engine_version];
    int order;
    return f->known && version_compare(f->word, str_of(release), &order) &&
           order < 0;
}

static int64_t tier_of(int64_t bytes) {
    return bytes >= 47 * GIB ? 262144 : bytes >= 23 * GIB ? 32768 : 4096;
}

/* Of GPUs that may lie on both sides of a tier the larger; 0: not known. */
static int64_t usual_length(const struct inputs *c) {
    struct span cards =
        span_times(span_in(c, FACT_gpu_total),
                   setting_of(c, FACT_gpu_count, pipeline_ranks(c)));
    if (is_before(c, "0.6.7"))
        return 2048;
    if (is_before(c, "0.15.5"))
        return 4096;
    return cards.known ? tier_of(cards.high) : 0;
}

static bool always(const struct inputs *c) {
    (void)c;
    return true;
}

/* The library made one, unused, before it was updated to a build of 2025-05-12
 * (0cefd46f2). */
static bool caches_encoder(const struct inputs *c) {
    return is_before(c, "0.7.0");
}

/* Its tags are Q4_K_M unless they say otherwise, of encoders F16. */
const struct engine_rules engine_ollama = {
    .id = "ollama", LLAMA_CELLS, .usual_quantization = "Q4_K_M",
    .usual_length = usual_length, .places_layers = always,
    .caches_encoder = caches_encoder, .position = "fit.position.ollama",
    .has_slots = true};
