/* fit_other.c: `fit` for engines that are not vLLM: their rule of
 * engines.c, counted in blocks, tokens and requests.
 *
 *   need = fixed + slope x tokens, rounded up to whole blocks
 *   pool / block bytes = blocks     blocks x block = tokens
 *   longest: the last length whose need the pool holds, by bisection
 */
#include "memory/inputs.h"
#include "memory/engines.h"
#include "memory/fit_case.h"
#include "memory/formula.h"
#include "memory/span.h"

/* At the worst corner, and at the best. */
static struct span longest_of(const struct inputs *c, struct span pool,
                              int64_t most) {
    int64_t ends[2] = {0, 0};
    for (size_t i = 0; i < 2; i++) {
        int64_t fails = most < INT64_MAX ? most + 1 : most;
        while (fails - ends[i] > 1) {
            int64_t middle = ends[i] + (fails - ends[i]) / 2;
            struct span need = engine_kv_bytes(c, middle);
            bool fits = need.known && (i == 0 ? need.high <= pool.low
                                              : need.low <= pool.high);
            *(fits ? &ends[i] : &fails) = middle;
        }
    }
    for (size_t i = 0; i < 2; i++) {
        ends[i] -= ends[i] < most ? ends[i] % engine_block_tokens(c) : 0;
    }
    return span_of(ends[0], ends[1]);
}

static void show(struct arena *a, const struct inputs *c, const struct kv *kv,
                 int64_t tokens, struct formulas *f) {
    static const enum fact_name of_slope[] =
        FACTS(FACT_model, FACT_kv_cache_dtype, FACT_dtype, FACT_tensor_parallel,
              FACT_pipeline_parallel);
    struct term block = COUNT(engine_block_tokens(c));
    if (f == NULL) {
        return;
    }
    struct str slope = engine_write_slope(a, c);
    if (slope.n > 0) {
        formula_put(a, f,
                    FORMULA_OF(a, c, of_slope, "kv_per_token = % = % bytes",
                               TEXT(slope), COUNT(kv->slope.low)));
    }
    if (span_is_exact(kv->slope) && span_is_exact(kv->fixed) && tokens > 0) {
        struct str fixed = kv->fixed.low
                               ? FORMULA(a, "% + ", BYTES(kv->fixed.low))
                               : (struct str){0};
        struct str count = block.n == 1 ? FORMULA(a, "% tokens", COUNT(tokens))
                                        : FORMULA(a, "ceil(% / %) blocks x %",
                                                  COUNT(tokens), block, block);
        formula_put(a, f,
                    FORMULA_OF(a, c,
                               FACT_LIST(FACT_max_model_len, FACT_block_size,
                                         FACT_batch_size),
                               "kv_needed = %% x % bytes = %", TEXT(fixed),
                               TEXT(count), COUNT(kv->slope.low),
                               BYTES(kv->bytes_per_request.low)));
    }
    formula_put(a, f, engine_write_pool(a, c));
}

static void name_needs(struct kv *kv, const struct inputs *c) {
    static const enum fact_name parts[] = {FACT_gpu_total, FACT_activation_peak,
                                           FACT_kv_available};
    if (!kv->slope.known) {
        needs_add(&kv->needs, c->model ? FACT_kv_cache_dtype : FACT_model);
    }
    if (!c->in[FACT_max_model_len].known) {
        needs_add(&kv->needs, FACT_max_model_len);
    }
    if (!kv->pool.known && !engine_weights(c).known && c->model) {
        needs_add(&kv->needs, FACT_weights_bytes);
    }
    for (size_t i = 0; !kv->pool.known && i < sizeof parts / sizeof parts[0];
         i++) {
        if (!c->in[parts[i]].known && kv->needs.count == 0) {
            needs_add(&kv->needs, parts[i]);
        }
    }
}

/* Only where every byte of a request is a token's. */
static void count_blocks(struct kv *kv, const struct inputs *c) {
    int64_t block = engine_block_tokens(c);
    bool is_plain = kv->fixed.known && kv->fixed.low == 0 &&
                    kv->fixed.high == 0 && kv->slope.low > 0;
    if (is_plain) {
        kv->bytes_per_block = span_times(kv->slope, block);
        kv->blocks =
            span_quotient(span_at_least(kv->pool, 0), kv->bytes_per_block);
        kv->tokens = span_times(kv->blocks, block);
    }
}

struct kv fit_other_kv(struct arena *a, const struct inputs *c,
                       struct formulas *f) {
    struct kv kv = {.fits = FIT_UNKNOWN};
    int64_t tokens = setting_of(c, FACT_max_model_len, 0);
    int64_t block = engine_block_tokens(c), whole;
    kv.slope = engine_kv_slope(c);
    kv.pool = engine_kv_pool(c);
    if (tokens > 0 && mul_i64(ceil_div(tokens, block), block, &whole)) {
        kv.bytes_per_request = engine_kv_bytes(c, tokens);
        kv.fixed =
            span_beyond(kv.bytes_per_request, span_times(kv.slope, whole));
    }
    count_blocks(&kv, c);
    if (kv.pool.known && kv.bytes_per_request.known) {
        kv.max_concurrency =
            span_hundredths(span_at_least(kv.pool, 0), kv.bytes_per_request);
        kv.est_max_model_len = longest_of(c, span_at_least(kv.pool, 0), tokens);
        enum verdict v = span_fits(kv.bytes_per_request, kv.pool);
        kv.fits = fit_word_of(v);
    }
    show(a, c, &kv, tokens, f);
    name_needs(&kv, c);
    return kv;
}

struct span fit_other_longest(const struct inputs *c, int64_t most) {
    struct span pool = engine_kv_pool(c);
    int64_t ceiling = most > 0 ? most : setting_of(c, FACT_max_model_len, 0);
    return pool.known && engine_kv_bytes(c, 1).known && ceiling > 0
               ? longest_of(c, span_at_least(pool, 0), ceiling)
               : span_none();
}
