/* kv.c: what the KV cache is and holds. What the log prints stands beside what
 * the model gives; where both are known the narrower one counts.
 *
 *   pool / block = blocks     blocks x block size / groups = tokens
 *   blocks / blocks of a request = concurrency
 */
#include "base/limits.h"
#include "memory/effect.h"

#define HUNDREDTHS 100
#define MICRO_PER_HUNDREDTH (UNITS_MICRO / 100)

static void show_slope(struct arena *a, const struct inputs *c,
                       const struct demand *d, struct formulas *f) {
    static const enum fact_name used[] =
        FACTS(FACT_model, FACT_kv_cache_dtype, FACT_dtype, FACT_tensor_parallel,
              FACT_pipeline_parallel, FACT_decode_context_parallel);
    for (size_t i = 0; f != NULL && i < d->variants.count; i++) {
        const struct variant *w = &d->variants.at[i];
        struct span slope = variant_slope(w);
        struct str text = write_slope(a, w);
        if (!span_is_exact(slope) || text.n == 0 ||
            (i > 0 && slope.low == variant_slope(&d->variants.at[0]).low))
            continue;
        formula_put(a, f,
                    FORMULA_OF(a, c, used, "kv_per_token = % = % bytes",
                               TEXT(text), COUNT(slope.low)));
        return;
    }
}

/* The variant that needs least, and the one that needs most. */
static void show_request(struct arena *a, const struct inputs *c,
                         const struct demand *d, int64_t tokens,
                         struct formulas *f) {
    static const enum fact_name used[] = FACTS(
        FACT_max_model_len, FACT_block_size, FACT_max_num_batched_tokens,
        FACT_prefix_caching, FACT_num_speculative_tokens, FACT_engine_version);
    const struct variant *all = d->variants.at, *ends[2] = {all, all};
    for (size_t i = 0; f != NULL && i < d->variants.count; i++) {
        struct span one = variant_request(&all[i], tokens);
        if (one.low < variant_request(ends[0], tokens).low)
            ends[0] = &all[i];
        if (one.high > variant_request(ends[1], tokens).high)
            ends[1] = &all[i];
    }
    bool same = variant_request(ends[0], tokens).low ==
                variant_request(ends[1], tokens).low;
    for (size_t i = 0; f != NULL && i < (same ? 1 : 2); i++) {
        struct str name = same     ? STR("kv_needed")
                          : i == 0 ? STR("kv_needed at least")
                                   : STR("kv_needed at most");
        formula_put(a, f,
                    FORMULA_OF(a, c, used, "% = % = %", TEXT(name),
                               TEXT(write_request(a, ends[i], tokens)),
                               BYTES(variant_request(ends[i], tokens).high)));
    }
}

/* blocks / request in hundredths, as Python's "%.2f" prints it: to the nearest,
 * and of two that are as near the even one. */
static struct span quotient(int64_t blocks, int64_t request) {
    int64_t least;
    if (!mul_div_floor(blocks, HUNDREDTHS, request, &least))
        return span_none();
    double rest = (double)blocks / (double)request * HUNDREDTHS - (double)least;
    bool is_up = rest > 0.5 || (rest == 0.5 && least % 2 == 1);
    return span_exact(least + (is_up ? 1 : 0));
}

static struct span hundredths(const struct inputs *c, const struct demand *d,
                              struct span blocks, int64_t length) {
    const struct fact *printed = &c->in[FACT_max_concurrency];
    if (printed->known)
        return span_share(span_of_fact(printed), 1, MICRO_PER_HUNDREDTH);
    if (d->by_model && rules_count_partial_blocks(c) == ANSWER_YES) {
        struct span tokens = variants_tokens(&d->variants, blocks, length);
        return tokens.known && length > 0
                   ? span_hull(quotient(tokens.low, length),
                               quotient(tokens.high, length))
                   : span_none();
    }
    struct span request =
        d->by_model ? variants_span(&d->variants, OF_REQUEST_BLOCKS, length)
                    : span_none();
    return request.known && blocks.known && request.low > 0
               ? span_hull(quotient(blocks.low, request.high),
                           quotient(blocks.high, request.low))
               : span_none();
}

static void count_blocks(struct kv *kv, const struct inputs *c,
                         const struct demand *d, int64_t length) {
    int64_t forced = setting_of(c, FACT_num_gpu_blocks_override, 0);
    struct span there = span_at_least(kv->pool, 0);
    kv->tokens = span_in(c, FACT_kv_tokens);
    kv->blocks = span_in(c, FACT_kv_blocks);
    if (d->by_model) {
        kv->bytes_per_block = variants_span(&d->variants, OF_BLOCK, 0);
        kv->blocks = forced > 0
                         ? span_exact(forced)
                         : span_or(kv->blocks,
                                   span_quotient(there, kv->bytes_per_block));
        kv->tokens = span_or(kv->tokens,
                             variants_tokens(&d->variants, kv->blocks, length));
    } else if (d->known && d->line.fixed.high == 0) {
        kv->bytes_per_block = span_times(d->line.slope, d->block_tokens);
    }
    kv->max_concurrency = hundredths(c, d, kv->blocks, length);
}

enum truth_fit fit_of_verdict(enum verdict v) {
    return v == VERDICT_ENOUGH          ? FIT_YES
           : v == VERDICT_MAY_BE_ENOUGH ? FIT_LIKELY
           : v == VERDICT_NOT_ENOUGH    ? FIT_NO
                                        : FIT_UNKNOWN;
}

static enum truth_fit fit_of(const struct inputs *c, const struct kv *kv,
                             struct span spare) {
    const struct fact *tokens = &c->in[FACT_kv_tokens];
    const struct fact *length = &c->in[FACT_max_model_len];
    if (c->in[FACT_kv_needed].known && c->in[FACT_kv_available].known &&
        c->in[FACT_kv_needed].source == SOURCE_LOG)
        return FIT_NO; /* vLLM prints both only when it refuses */
    if (rules_is_v0(c) == ANSWER_YES && tokens->known && length->known)
        return tokens->number < length->number ? FIT_NO : FIT_YES;
    struct span asked = kv->bytes_per_request;
    return fit_of_verdict(
        span_fits(spare.known ? span_plus(asked, spare) : asked, kv->pool));
}

static void name_needs(struct kv *kv, const struct inputs *c,
                       const struct demand *d) {
    if (!d->known || (!d->by_model && !kv->slope.known))
        needs_add(&kv->needs,
                  c->model == NULL ? FACT_model : FACT_kv_cache_dtype);
    if (!c->in[FACT_max_model_len].known)
        needs_add(&kv->needs, FACT_max_model_len);
    if (d->by_model && d->variants.count > 1 && !span_is_exact(kv->slope))
        needs_add(&kv->needs, FACT_engine_version);
    const enum fact_name *part =
        FACT_LIST(FACT_gpu_total, FACT_gpu_memory_utilization,
                  FACT_activation_peak, FACT_non_torch);
    for (; !kv->pool.known && *part != FACT_COUNT_OF; part++)
        if (!c->in[*part].known)
            needs_add(&kv->needs, *part);
}

/* Only where the pool keeps more than the check counts, and no log says what
 * that was. */
static void show_kept(struct arena *a, const struct inputs *c,
                      const struct demand *d, int64_t tokens,
                      struct formulas *f) {
    static const enum fact_name used[] = FACTS(
        FACT_max_model_len, FACT_block_size, FACT_max_num_batched_tokens,
        FACT_engine_version);
    const struct variant *w = d->variants.at;
    struct span kept = variant_kept(w, tokens);
    struct span asked = variant_request(w, tokens);
    bool is_more = kept.known && asked.known && kept.low > asked.high;
    if (f != NULL && is_more && !c->in[FACT_kv_needed].known)
        formula_put(a, f,
                    FORMULA_OF(a, c, used, "kv_kept = % = %",
                               TEXT(write_kept(a, w, tokens)),
                               BYTES(kept.high)));
}

static void show_model(struct arena *a, const struct inputs *c,
                       const struct demand *d, int64_t tokens,
                       struct formulas *f) {
    show_slope(a, c, d, f);
    if (tokens > 0) {
        show_request(a, c, d, tokens, f);
        show_kept(a, c, d, tokens, f);
    }
}

struct kv memory_kv(struct arena *a, const struct inputs *c,
                    struct formulas *f) {
    struct kv kv = {.fits = FIT_UNKNOWN};
    int64_t tokens = setting_of(c, FACT_max_model_len, 0);
    if (!engine_of(c)->takes_share)
        return kv;
    struct demand d = demand_of(a, c);
    if (d.by_model)
        show_model(a, c, &d, tokens, f);
    else if (d.known)
        demand_show_line(a, c, f);
    kv.slope = demand_slope(&d);
    kv.fixed = tokens > 0 ? demand_fixed(&d, tokens) : span_none();
    kv.bytes_per_request = needed_bytes(c, &d);
    kv.bytes_kept =
        tokens > 0 ? demand_kept(&d, tokens) : kv.bytes_per_request;
    kv.pool = pool_bytes(c, &d);
    kv.bytes_held = d.by_model && tokens > 0
                        ? variants_span(&d.variants, OF_HELD, tokens)
                        : kv.bytes_kept;
    count_blocks(&kv, c, &d, tokens);
    kv.est_max_model_len = span_in(c, FACT_est_max_model_len);
    if (!kv.est_max_model_len.known && rules_is_v0(c) == ANSWER_YES)
        kv.est_max_model_len = span_in(c, FACT_kv_tokens);
    if (!kv.est_max_model_len.known && tokens > 0)
        kv.est_max_model_len = demand_estimate(&d, kv.pool, tokens);
    kv.fits = fit_of(c, &kv,
                     d.by_model ? variants_span(&d.variants, OF_SPARE, 0)
                                : span_none());
    name_needs(&kv, c, &d);
    return kv;
}

bool kv_lacks_a_block(const struct kv *kv) {
    return span_fits(kv->bytes_kept, kv->pool) !=
           span_fits(kv->bytes_held, kv->pool);
}

const char *fit_spelling(enum truth_fit fits) {
    static const char *const spellings[] = {
        [FIT_UNKNOWN] = "unknown", [FIT_YES] = "fits", [FIT_LIKELY] = "likely",
        [FIT_NO] = "does_not_fit"};
    return spellings[fits];
}

/* ---- the longest request, and the least number of ranks ---- */

#define LONGEST (INT64_C(1) << 40)

int64_t memory_null_block(struct arena *a, const struct inputs *c) {
    struct demand d = demand_of(a, c);
    return rules_count_null_block(c) == ANSWER_NO ? 0
           : d.by_model                           ? d.block_tokens
                        : setting_of(c, FACT_block_size, DEFAULT_BLOCK);
}

struct span memory_longest_request(struct arena *a, const struct inputs *c) {
    struct demand d = demand_of(a, c);
    struct span pool = pool_bytes(c, &d);
    if (!d.known || !pool.known)
        return span_none();
    int64_t ceiling = d.by_model ? LONGEST : d.line.tokens;
    struct span longest = demand_tokens(&d, span_at_least(pool, 0), ceiling);
    int64_t block = d.block_tokens > 0 ? d.block_tokens : 1;
    if (longest.known && longest.low < ceiling)
        longest.low -= longest.low % block;
    if (longest.known && longest.high < ceiling)
        longest.high -= longest.high % block;
    return longest;
}

struct span memory_least_tensor_parallel(struct arena *a,
                                         const struct inputs *c) {
    struct inputs alone = *c;
    inputs_forget(&alone,
                  FACT_LIST(FACT_kv_needed, FACT_kv_available,
                            FACT_est_max_model_len)); /* of another TP */
    struct demand d = demand_of(a, &alone);
    int64_t now = tensor_ranks(c), heads = c->model ? c->model->heads : 0;
    struct span least = span_none();
    for (int64_t tp = 1; d.by_model && tp <= FIT_RANKS_MAX; tp *= 2) {
        struct demand split =
            demand_split(a, &d, FACT_tensor_parallel, now, tp);
        struct span held = span_plus(
            weights_over(c, now, tp),
            demand_bytes(&split, setting_of(c, FACT_max_model_len, 1)));
        enum verdict v =
            span_fits(span_plus(held, workspace_bytes(c)), requested_bytes(c));
        if (heads > 0 && heads % tp != 0)
            continue;
        if (v != VERDICT_NOT_ENOUGH && !least.known)
            least = span_of(tp, FIT_RANKS_MAX);
        if (v == VERDICT_ENOUGH)
            return span_of(least.low, tp);
    }
    return least;
}
