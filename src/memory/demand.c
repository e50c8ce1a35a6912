/* demand.c: the model where it explains the log, else the line. Changes of
 * settings act on the one that is used: on the model exactly, on the line as an
 * interval that holds both "everything grows" and "this part is fixed".
 *
 * The line: fixed and slope from printed pairs, without a model.
 *
 *     slope = (kv_needed - kv_available) / (max_model_len - estimate)
 *     fixed = kv_needed - slope x max_model_len
 *
 * The estimate is the longest that fits, so what it needs lies within one
 * block below the pool. fixed is never negative: that bounds the slope from
 * above. With a need and a length alone the line may have any slope from
 * nothing to need / length. V0's "# CPU blocks" give the slope directly:
 * block = swap space / blocks. Pairs that contradict each other (an estimate
 * above the length, a pool above the need) are refused.
 */
#include "memory/demand.h"
#include "memory/card.h"

#define LEAST_BLOCK 16
#define LARGEST_BLOCK 256

static int64_t round_up(int64_t tokens, int64_t block) {
    int64_t up;
    return mul_i64(ceil_div(tokens, block), block, &up) ? up : tokens;
}

/* slope in [0, need / length] and what follows for fixed. */
static struct linear_fit through_one(int64_t tokens, struct span bytes,
                                     int64_t block) {
    int64_t whole = round_up(tokens, LEAST_BLOCK);
    struct span most = span_share(bytes, 1, whole);
    return (struct linear_fit){.known = most.known,
                               .tokens = whole,
                               .bytes = bytes,
                               .block_tokens = block,
                               .slope = span_of(0, most.high),
                               .fixed = span_of(0, bytes.high)};
}

static struct linear_fit from_cpu_blocks(const struct inputs *c) {
    int64_t blocks = setting_of(c, FACT_cpu_blocks, 0);
    const struct fact *swap = &c->in[FACT_swap_space];
    int64_t block = setting_of(c, FACT_block_size, LEAST_BLOCK);
    struct linear_fit l = {.block_tokens = LEAST_BLOCK, .fixed = {true, 0, 0}};
    if (!swap->known || blocks <= 0)
        return l;
    l.bytes = span_of(swap->number / (blocks + 1) + 1, swap->number / blocks);
    l.tokens = l.block_tokens = block;
    l.slope = span_share(l.bytes, 1, block);
    l.known = l.slope.known;
    return l;
}

struct linear_fit linear_fit_of(const struct inputs *c) {
    int64_t length = setting_of(c, FACT_max_model_len, 0);
    const struct fact *estimate = &c->in[FACT_est_max_model_len];
    const struct fact *set = &c->in[FACT_block_size];
    struct span need = span_in(c, FACT_kv_needed);
    struct span pool = span_in(c, FACT_kv_available);
    if (!need.known || length <= 0)
        return from_cpu_blocks(c);
    int64_t at = estimate->known ? estimate->number : 0, block = LARGEST_BLOCK;
    /* block sizes are powers of two that divide the estimate, unless known */
    while (block > LEAST_BLOCK && at % block != 0)
        block /= 2;
    if (set->known && set->source != SOURCE_DEFAULT && set->number > 0)
        block = set->number;
    struct linear_fit l = through_one(length, need, block);
    int64_t run = l.tokens - at;
    if (at <= 0 || run <= block || !pool.known || !l.known ||
        pool.low > need.high)
        return l;
    struct span rise = span_beyond(need, pool);
    struct span slope = span_between(span_share(rise, 1, run),
                                     span_share(rise, 1, run - block));
    if (slope.known) {
        l.slope = span_meet(slope, l.slope);
        l.fixed = span_beyond(l.bytes, span_times(l.slope, l.tokens));
    }
    return l;
}

/* Tokens at which the line meets `pool`, at one corner. */
static int64_t meets(const struct linear_fit *l, int64_t pool, int64_t bytes,
                     int64_t slope_if_short, int64_t slope_if_long,
                     int64_t ceiling) {
    int64_t gap, steps;
    if (!add_i64(pool, -bytes, &gap))
        return 0;
    int64_t slope = gap < 0 ? slope_if_short : slope_if_long;
    if (slope <= 0 || !mul_div_floor(gap, 1, slope, &steps) ||
        !add_i64(l->tokens, steps, &steps))
        return gap < 0 ? 0 : ceiling;
    steps = steps < 0 ? 0 : steps > ceiling ? ceiling : steps;
    return steps == ceiling ? ceiling : steps - steps % l->block_tokens;
}

/* "a straight line": one need at one length, were nothing fixed. */
static void show_proportion(struct arena *a, const struct inputs *c,
                            const struct linear_fit *l, struct formulas *f) {
    struct span most = span_share(l->bytes, 1, l->tokens);
    if (c->in[FACT_kv_needed].known && l->fixed.low <= 0)
        formula_put(a, f,
                    FORMULA_OF(a, c,
                               FACT_LIST(FACT_kv_needed, FACT_max_model_len),
                               "kv_per_token if nothing is fixed = % / % "
                               "tokens = about % bytes",
                               MIDDLE(l->bytes), COUNT(l->tokens),
                               COUNT(span_middle(most))));
}

static void show_pair(struct arena *a, const struct inputs *c,
                      const struct linear_fit *l, struct formulas *f) {
    struct span rise = span_minus(l->bytes, span_in(c, FACT_kv_available));
    const struct fact *estimate = &c->in[FACT_est_max_model_len];
    if (!rise.known || !estimate->known || !c->in[FACT_kv_needed].known)
        return;
    struct term slope = BYTES(span_roundest(l->slope));
    formula_put(a, f,
                FORMULA_OF(a, c,
                           FACT_LIST(FACT_kv_needed, FACT_max_model_len,
                                     FACT_kv_available, FACT_est_max_model_len),
                           "kv_per_token = (% - %) / (% tokens - %) = about %",
                           MIDDLE(l->bytes),
                           MIDDLE(span_in(c, FACT_kv_available)),
                           COUNT(l->tokens), COUNT(estimate->number), slope));
    if (l->fixed.low > 0)
        formula_put(a, f,
                    FORMULA(a, "kv_fixed = % - % x % tokens = about %",
                            MIDDLE(l->bytes), slope, COUNT(l->tokens),
                            MIDDLE(l->fixed)));
}

void demand_show_line(struct arena *a, const struct inputs *c,
                      struct formulas *f) {
    struct linear_fit l = linear_fit_of(c);
    if (l.known) {
        show_pair(a, c, &l, f);
        show_proportion(a, c, &l, f);
    }
}

/* ---- the demand ---- */

/* MLA packed for fp8 shrinks from 1152 to 656 bytes only. */
#define PACKED_NUM 656
#define PACKED_DEN 1152

/* A hybrid whose fixed part depends on settings that were not printed: the
 * model's slope through the printed need. */
static struct linear_fit line_by_model_slope(const struct inputs *c,
                                             const struct variants *variants,
                                             struct linear_fit l) {
    struct span slope = variants_span(variants, OF_SLOPE, 0);
    struct span need = span_in(c, FACT_kv_needed);
    struct span met = span_meet(slope, l.slope);
    struct span growing = span_times(met, l.tokens);
    if (l.known && slope.known && need.known && slope.low > 0 &&
        slope.low <= l.slope.high && slope.high >= l.slope.low &&
        growing.known && growing.low <= need.high) {
        l.slope = met;
        l.fixed = span_beyond(need, growing);
    }
    return l;
}

struct demand demand_of(struct arena *a, const struct inputs *c) {
    struct demand d = {.variants = variants_of(a, c), .line = linear_fit_of(c)};
    d.by_model = d.variants.count > 0 && d.variants.agrees &&
                 variants_span(&d.variants, OF_BLOCK, 0).known;
    if (!d.by_model)
        d.line = line_by_model_slope(c, &d.variants, d.line);
    d.known = d.by_model || d.line.known;
    d.block_tokens =
        d.by_model ? d.variants.at[0].block_tokens : d.line.block_tokens;
    return d;
}

struct span demand_bytes(const struct demand *d, int64_t tokens) {
    const struct linear_fit *l = &d->line;
    if (d->by_model)
        return variants_span(&d->variants, OF_REQUEST, tokens);
    if (!l->known)
        return span_none();
    int64_t up = round_up(tokens, l->block_tokens);
    up = up > l->tokens && tokens <= l->tokens ? l->tokens : up;
    return up > l->tokens
               ? span_plus(l->bytes, span_times(l->slope, up - l->tokens))
               : span_beyond(l->bytes, span_times(l->slope, l->tokens - up));
}

struct span demand_kept(const struct demand *d, int64_t tokens) {
    return d->by_model ? variants_span(&d->variants, OF_KEPT, tokens)
                       : demand_bytes(d, tokens);
}

static struct span tokens_of_line(const struct linear_fit *l, struct span pool,
                                  int64_t ceiling) {
    return l->known && pool.known
               ? span_of(meets(l, pool.low, l->bytes.high, l->slope.low,
                               l->slope.high, ceiling),
                         meets(l, pool.high, l->bytes.low, l->slope.high,
                               l->slope.low, ceiling))
               : span_none();
}

struct span demand_tokens(const struct demand *d, struct span pool,
                          int64_t ceiling) {
    return d->by_model ? variants_longest(&d->variants, pool, ceiling)
                       : tokens_of_line(&d->line, pool, ceiling);
}

struct span demand_estimate(const struct demand *d, struct span pool,
                            int64_t ceiling) {
    return d->by_model ? variants_estimate(&d->variants, pool, ceiling)
                       : tokens_of_line(&d->line, pool, ceiling);
}

struct span demand_slope(const struct demand *d) {
    return d->by_model     ? variants_span(&d->variants, OF_SLOPE, 0)
           : d->line.known ? d->line.slope
                           : span_none();
}

struct span demand_fixed(const struct demand *d, int64_t tokens) {
    if (!d->by_model)
        return d->line.known ? d->line.fixed : span_none();
    struct span all = span_none();
    for (size_t i = 0; i < d->variants.count; i++) {
        const struct variant *w = &d->variants.at[i];
        int64_t up = ceil_div(tokens, w->block_tokens) * w->block_tokens;
        struct span growing = span_times(variant_slope(w), up);
        struct span one = span_beyond(variant_request(w, tokens), growing);
        all = i == 0 ? one : span_hull(all, one);
    }
    return all;
}

struct demand demand_with(struct arena *a, const struct demand *d,
                          enum fact_name fact, int64_t n) {
    struct demand with = *d;
    with.variants = variants_copy(a, &d->variants);
    for (size_t i = 0; i < with.variants.count; i++) {
        struct variant *w = &with.variants.at[i];
        switch ((int)fact) {
        case FACT_kv_cache_dtype: w->kv_dtype = STR("fp8"); break;
        case FACT_tensor_parallel: w->tp = n; break;
        case FACT_decode_context_parallel: w->context_ranks = n; break;
        case FACT_max_num_batched_tokens:
            w->tokens_in_flight =
                w->tokens_in_flight < n ? w->tokens_in_flight : n;
            break;
        default: /* FACT_pipeline_parallel */
            w->pp = n;
            w->share = STAGE_LARGE;
        }
    }
    return with;
}

/* Everything that grows by num/den; what is fixed by that or not at all. */
static void shrink_line(struct linear_fit *l, int64_t num, int64_t den) {
    struct span least = span_share(l->bytes, num, den);
    struct span kept = span_share(l->fixed, den - num, den);
    if (!l->known)
        return;
    l->known = least.known && kept.known;
    l->bytes = span_of(least.low, least.high + kept.high);
    l->slope = span_share(l->slope, num, den);
    l->fixed = span_of(span_share(l->fixed, num, den).low, l->fixed.high);
}

struct demand demand_with_fp8(struct arena *a, const struct demand *d) {
    struct demand fp8 = demand_with(a, d, FACT_kv_cache_dtype, 0);
    struct linear_fit halved = d->line, packed = d->line;
    shrink_line(&halved, 1, 2);
    shrink_line(&packed, PACKED_NUM, PACKED_DEN);
    bool may_be_packed = d->variants.count == 0;
    fp8.line = halved;
    if (may_be_packed && halved.known && packed.known &&
        halved.fixed.low == 0) { /* a hybrid is no packed MLA */
        fp8.line.bytes = span_hull(halved.bytes, packed.bytes);
        fp8.line.slope = span_hull(halved.slope, packed.slope);
    }
    return fp8;
}

/* To instead of from ranks may divide the line: down to from / to, or not. */
struct demand demand_split(struct arena *a, const struct demand *d,
                           enum fact_name fact, int64_t before, int64_t ranks) {
    struct demand split = demand_with(a, d, fact, ranks);
    struct linear_fit *l = &split.line;
    struct span bytes = span_share(l->bytes, before, ranks);
    struct span slope = span_share(l->slope, before, ranks);
    l->known = l->known && bytes.known && slope.known;
    l->bytes = span_hull(bytes, l->bytes);
    l->slope = span_hull(slope, l->slope);
    l->fixed = span_of(span_share(l->fixed, before, ranks).low, l->fixed.high);
    return split;
}

struct span needed_bytes(const struct inputs *c, const struct demand *d) {
    int64_t length = setting_of(c, FACT_max_model_len, 0);
    struct span printed = span_in(c, FACT_kv_needed);
    return d->known && length > 0 ? span_meet(printed, demand_bytes(d, length))
                                  : printed;
}

/* n blocks were made of the pool: it held them, and not one more. */
static struct span pool_of_blocks(const struct inputs *c,
                                  const struct demand *d) {
    const struct fact *blocks = &c->in[FACT_kv_blocks];
    const struct fact *tokens = &c->in[FACT_kv_tokens];
    struct span count = span_of_fact(blocks);
    struct span block = span_none();
    if (d->by_model)
        block = variants_span(&d->variants, OF_BLOCK, 0);
    else if (d->known && d->line.slope.low > 0 && d->line.fixed.high == 0)
        block = span_times(d->line.slope, d->block_tokens);
    if (!count.known && tokens->known && d->block_tokens > 0 &&
        rules_is_v0(c) == ANSWER_YES)
        count = span_exact(tokens->number / d->block_tokens);
    struct span least = span_product(block, count);
    struct span next = span_plus(least, block);
    return next.known ? span_of(least.low, next.high - 1) : span_none();
}

struct span pool_bytes(const struct inputs *c, const struct demand *d) {
    int64_t forced = setting_of(c, FACT_num_gpu_blocks_override, 0);
    struct span pool = span_none();
    /* that number of blocks is the pool where the checks count by it */
    if (forced > 0 && d->by_model && rules_check_forced(c) == ANSWER_YES)
        pool = span_times(variants_span(&d->variants, OF_BLOCK, 0), forced);
    pool = span_or(pool,
                   first_known(c, FACT_LIST(FACT_kv_available, FACT_kv_bytes)));
    return span_or(span_or(pool, pool_of_blocks(c, d)), budget_pool(c));
}
