/* ollama.c: what Ollama does beside llama.cpp, whose cells and weights it has.
 *
 *   context    num_ctx of a request or a Modelfile, else OLLAMA_CONTEXT_LENGTH,
 *              else the release's default, by all GPUs together from 0.15.5 on;
 *              never more than the model's own. Until then some models had
 *              8,192 at least, whatever was asked for
 *   slots      OLLAMA_NUM_PARALLEL contexts of that length, made at start
 *   layers     those that the GPUs do not hold stay with the host
 *
 * Sources: envconfig/config.go and api/types.go (44b466eeb, 0.6.7: 2,048 became
 * 4,096), server/routes.go (scheduleRunner(): 8,192 at least of gpt-oss,
 * fa7776fd2, 0.11.0, but not where all GPUs together are below 20 GiB,
 * f2e9c9aff, 0.11.4; of qwen3-vl, too, 7d25b9e19, 0.12.7; 0334ffa62, 0.15.5: no
 * more, but tiers of 23 and 47 GiB, for cards of 24 and 48), server/sched.go
 * (20c3266e9, 0.9.7: one slot; before, four or one, whichever fits).
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

static struct span all_cards(const struct inputs *c) {
    return span_times(span_in(c, FACT_gpu_total),
                      setting_of(c, FACT_gpu_count, pipeline_ranks(c)));
}

/* Of GPUs that may lie on both sides of a tier the larger; 0: not known. */
static int64_t usual_length(const struct inputs *c) {
    struct span cards = all_cards(c);
    if (is_before(c, "0.6.7"))
        return 2048;
    if (is_before(c, "0.15.5"))
        return 4096;
    return cards.known ? tier_of(cards.high) : 0;
}

/* Families as the catalogue, config.json and GGUF files spell them. */
static bool wants_length(const struct inputs *c) {
    struct str family = c->model != NULL ? c->model->family : STR("");
    if (STR_IS_ONE(family, "gpt-oss", "gpt_oss", "gptoss"))
        return !is_before(c, "0.11.0");
    return STR_IS_ONE(family, "qwen3-vl", "qwen3_vl", "qwen3_vl_moe",
                      "qwen3vl", "qwen3vlmoe") &&
           !is_before(c, "0.12.7");
}

static int64_t least_length(const struct inputs *c) {
    struct span cards = all_cards(c);
    bool is_small = cards.known && cards.high < 20 * GIB &&
                    !is_before(c, "0.11.4");
    return is_before(c, "0.15.5") && wants_length(c) && !is_small ? 8192 : 0;
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
    .usual_length = usual_length, .least_length = least_length,
    .places_layers = always, .caches_encoder = caches_encoder,
    .position = "fit.position.ollama", .has_slots = true};
