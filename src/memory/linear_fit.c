/* linear_fit.c: fixed and slope from printed pairs, without a model.
 *
 *     slope = (kv_needed - kv_available) / (max_model_len - estimate)
 *     fixed = kv_needed - slope x max_model_len
 *
 * The estimate is the longest that fits, so what it needs lies within one
 * block below the pool. fixed is never negative: that bounds the slope from
 * above. With a need and a length alone the line may have any slope from
 * nothing to need / length. V0's "# CPU blocks" give the slope directly:
 * block = swap space / blocks.
 *
 * It refuses pairs that contradict each other (an estimate above the length,
 * a pool above the need).
 */
#include "memory/demand.h"
#include "memory/inputs.h"
#include "memory/formula.h"
#include "memory/span.h"

#define LEAST_BLOCK 16
#define LARGEST_BLOCK 256

/* Block sizes are powers of two that divide the estimate, unless known. */
static int64_t block_of(const struct inputs *c, int64_t estimate) {
    const struct fact *set = &c->in[FACT_block_size];
    int64_t block = LARGEST_BLOCK;
    if (set->known && set->source != SOURCE_DEFAULT && set->number > 0) {
        return set->number;
    }
    while (block > LEAST_BLOCK && estimate % block != 0) {
        block /= 2;
    }
    return block;
}

static int64_t round_up(int64_t tokens, int64_t block) {
    int64_t up;
    return mul_i64(ceil_div(tokens, block), block, &up) ? up : tokens;
}

/* slope in [0, need / length] and what follows for fixed. */
static struct linear_fit through_one(int64_t tokens, struct span bytes,
                                     int64_t block) {
    struct linear_fit l = {.known = true,
                           .tokens = round_up(tokens, LEAST_BLOCK),
                           .bytes = bytes,
                           .block_tokens = block};
    struct span most = span_share(bytes, 1, l.tokens);
    l.slope = span_of(0, most.high);
    l.fixed = span_of(0, bytes.high);
    l.known = most.known;
    return l;
}

static struct linear_fit from_cpu_blocks(const struct inputs *c) {
    const struct fact *blocks = &c->in[FACT_cpu_blocks];
    const struct fact *swap = &c->in[FACT_swap_space];
    const struct fact *size = &c->in[FACT_block_size];
    struct linear_fit l = {.block_tokens = LEAST_BLOCK, .fixed = {true, 0, 0}};
    if (!blocks->known || !swap->known || blocks->number <= 0) {
        return l;
    }
    if (size->known && size->number > 0) {
        l.block_tokens = size->number;
    }
    struct span block = span_of(swap->number / (blocks->number + 1) + 1,
                                swap->number / blocks->number);
    l.slope = span_share(block, 1, l.block_tokens);
    l.tokens = l.block_tokens;
    l.bytes = block;
    l.known = l.slope.known;
    return l;
}

struct linear_fit linear_fit_of(const struct inputs *c) {
    const struct fact *length = &c->in[FACT_max_model_len];
    const struct fact *estimate = &c->in[FACT_est_max_model_len];
    struct span need = span_in(c, FACT_kv_needed);
    struct span pool = span_in(c, FACT_kv_available);
    if (!need.known || !length->known || length->number <= 0) {
        return from_cpu_blocks(c);
    }
    int64_t at = estimate->known ? estimate->number : 0;
    int64_t block = block_of(c, at);
    struct linear_fit l = through_one(length->number, need, block);
    int64_t run = l.tokens - at;
    if (at <= 0 || run <= block || !pool.known || !l.known ||
        pool.low > need.high) {
        return l;
    }
    struct span rise = span_beyond(need, pool);
    struct span low = span_share(rise, 1, run);
    struct span high = span_share(rise, 1, run - block);
    if (!low.known || !high.known) {
        return l;
    }
    l.slope = span_meet(span_of(low.low, high.high), l.slope);
    l.fixed = span_beyond(l.bytes, span_times(l.slope, l.tokens));
    return l;
}

struct span linear_fit_bytes(const struct linear_fit *l, int64_t tokens) {
    if (!l->known) {
        return span_none();
    }
    int64_t up = round_up(tokens, l->block_tokens);
    if (up > l->tokens && tokens <= l->tokens) {
        up = l->tokens;
    }
    if (up > l->tokens) {
        return span_plus(l->bytes, span_times(l->slope, up - l->tokens));
    }
    return span_beyond(l->bytes, span_times(l->slope, l->tokens - up));
}

/* Tokens at which the line meets `pool`, at one corner. */
static int64_t meets(const struct linear_fit *l, int64_t pool, int64_t bytes,
                     int64_t slope_if_short, int64_t slope_if_long,
                     int64_t ceiling) {
    int64_t gap, steps;
    if (!add_i64(pool, -bytes, &gap)) {
        return 0;
    }
    int64_t slope = gap < 0 ? slope_if_short : slope_if_long;
    if (slope <= 0) {
        return gap < 0 ? 0 : ceiling;
    }
    if (!mul_div_floor(gap, 1, slope, &steps) ||
        !add_i64(l->tokens, steps, &steps)) {
        return gap < 0 ? 0 : ceiling;
    }
    steps = steps < 0 ? 0 : steps > ceiling ? ceiling : steps;
    return steps == ceiling ? ceiling : steps - steps % l->block_tokens;
}

struct span linear_fit_tokens(const struct linear_fit *l, struct span pool,
                              int64_t ceiling) {
    if (!l->known || !pool.known) {
        return span_none();
    }
    return span_of(
        meets(l, pool.low, l->bytes.high, l->slope.low, l->slope.high, ceiling),
        meets(l, pool.high, l->bytes.low, l->slope.high, l->slope.low,
              ceiling));
}

/* "a straight line": one need at one length, were nothing fixed. */
static void show_proportion(struct arena *a, const struct inputs *c,
                            const struct linear_fit *l, struct formulas *f) {
    struct span most = span_share(l->bytes, 1, l->tokens);
    if (c->in[FACT_kv_needed].known && l->fixed.low <= 0) {
        formula_put(a, f,
                    FORMULA_OF(a, c,
                               FACT_LIST(FACT_kv_needed, FACT_max_model_len),
                               "kv_per_token if nothing is fixed = % / % "
                               "tokens = about % bytes",
                               MIDDLE(l->bytes), COUNT(l->tokens),
                               COUNT(span_middle(most))));
    }
}

static void show_pair(struct arena *a, const struct inputs *c,
                      const struct linear_fit *l, struct formulas *f) {
    struct span rise = span_minus(l->bytes, span_in(c, FACT_kv_available));
    const struct fact *estimate = &c->in[FACT_est_max_model_len];
    if (!rise.known || !estimate->known || !c->in[FACT_kv_needed].known) {
        return;
    }
    struct term slope = BYTES(span_roundest(l->slope));
    formula_put(a, f,
                FORMULA_OF(a, c,
                           FACT_LIST(FACT_kv_needed, FACT_max_model_len,
                                     FACT_kv_available, FACT_est_max_model_len),
                           "kv_per_token = (% - %) / (% tokens - %) = about %",
                           MIDDLE(l->bytes),
                           MIDDLE(span_in(c, FACT_kv_available)),
                           COUNT(l->tokens), COUNT(estimate->number), slope));
    if (l->fixed.low > 0) {
        formula_put(a, f,
                    FORMULA(a, "kv_fixed = % - % x % tokens = about %",
                            MIDDLE(l->bytes), slope, COUNT(l->tokens),
                            MIDDLE(l->fixed)));
    }
}

struct kv memory_kv_from_pairs(struct arena *a, const struct inputs *c,
                               struct formulas *f) {
    struct linear_fit l = linear_fit_of(c);
    struct kv kv = {.fits = FIT_UNKNOWN};
    if (!l.known) {
        needs_add(&kv.needs, FACT_kv_needed);
        needs_add(&kv.needs, FACT_max_model_len);
        return kv;
    }
    kv.fixed = l.fixed;
    kv.slope = l.slope;
    kv.bytes_per_request = span_in(c, FACT_kv_needed);
    kv.pool = span_in(c, FACT_kv_available);
    kv.est_max_model_len = span_in(c, FACT_est_max_model_len);
    show_pair(a, c, &l, f);
    show_proportion(a, c, &l, f);
    return kv;
}
