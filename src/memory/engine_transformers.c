/* engine_transformers.c: no pool: the cache grows until the card is full. MLA
 * is kept as whole heads; windows by release. Releases before 4.45 make logits
 * of the whole prompt.
 *
 * Source: cache_utils.py, 4.56. */
#include "memory/engines.h"

#include "corpus/version.h"

#define USUAL_STEP 2048

static struct span activation(const struct inputs *c) {
    const struct fact *version = &c->in[FACT_engine_version];
    int64_t rows = setting_of(c, FACT_batch_size, 1), tokens;
    int order;
    bool is_old = version->known &&
                  version_compare(version->word, STR("4.45.0"), &order) &&
                  order < 0;
    if (!mul_i64(rows, setting_of(c, FACT_max_model_len, USUAL_STEP),
                 &tokens)) {
        return span_none();
    }
    struct span step = step_layer(c, tokens);
    struct span logits = step_logits(c, is_old ? tokens : rows);
    struct span most = span_plus(span_share(step, 3, 2), span_times(logits, 3));
    return most.known ? span_of(step.low / 2, most.high) : most;
}

const struct engine_rules engine_transformers = {.id = "transformers",
                                                 .pool = POOL_REST,
                                                 .is_batched = true,
                                                 .expands_latent = true,
                                                 .spreads_layers = true,
                                                 .may_train = true,
                                                 .is_of_kaito = true,
                                                 .activation = activation,
                                                 .share = FACT_COUNT_OF,
                                                 .can_batch = true,
                                                 .bits4 = "bitsandbytes"};
