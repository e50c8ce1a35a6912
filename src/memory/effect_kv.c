/* effect_kv.c: what a request takes of the pool: a shorter length, an fp8
 * cache, ranks that share a request's tokens.
 *
 *   max_model_len    only the KV check is of one whole request; the pool
 *                    itself does not grow with it, and a failed allocation does
 *                    not care. The longest that fits is vLLM's own estimate
 *                    where it prints one; else what model or pairs give for the
 *                    pool. Need, pool and length alone bound it from above
 *                    only: a fixed part may take any share
 *   kv_cache_dtype   every growing row halves (packed MLA goes from 1152 to
 *                    656 bytes), windows with it, recurrent state does not; the
 *                    pool keeps its bytes. Where fp8 alone is not enough, the
 *                    length it would carry is proposed
 *   kv_cache_memory  a pool whose size was set by hand: one request, where the
 *                    weights, and steps and graphs at most, leave so much
 *   decode context   ranks that keep the same cache share its tokens instead:
 *   parallelism      latents up to TP, heads TP / heads. It costs no card.
 *                    Windows and recurrent states vLLM does not share so, and
 *                    of an unknown model nothing is computed
 */
#include "memory/effect.h"

#define BLOCK_LARGEST 128 /* tokens: a multiple of every usual block */

static const enum fact_name of_length[] =
    FACTS(FACT_est_max_model_len, FACT_max_model_len, FACT_kv_needed,
          FACT_kv_available, FACT_kv_tokens, FACT_kv_blocks, FACT_block_size);

struct estimate estimate_beside_pool(const struct query *q) {
    return estimate_none(q->what == SHORT_FREE_AT_START ? FACT_requested_bytes
                                                        : FACT_tried_alloc);
}

/* ---- a pool of a given size ---- */

#define POOL_STEP (INT64_C(256) << 20)

struct estimate effect_kv_cache_memory(const struct query *q) {
    struct kv_side kv = kv_side_of(q);
    struct estimate e = estimate_of_kv(&kv);
    struct span free = span_in(q->c, FACT_free_before_load);
    struct span room = span_beyond(free, weights_bytes(q->c));
    if (!is_pool(q))
        return estimate_beside_pool(q);
    if (!kv.need.known || kv.need.high > INT64_MAX - POOL_STEP) {
        needs_add(&e.needs, FACT_kv_needed);
        return e;
    }
    int64_t size = ceil_div(kv.need.high, POOL_STEP) * POOL_STEP;
    e.proposed = propose(FACT_kv_cache_memory, size);
    e.after = span_exact(size);
    e.limit =
        span_beyond(room, span_plus(workspace_bytes(q->c), graph_bytes(q->c)));
    estimate_needs(&e, free.known, FACT_free_before_load);
    estimate_needs(&e, !free.known || room.known, FACT_model);
    if (e.limit.known)
        estimate_judge(&e);
    return e;
}

/* ---- max_model_len ---- */

/* "18.35 GiB - (262,144 - 121,840 tokens) x 72 KiB": never more than the pool
 * that it is the estimate for. The slope's interval stands beside it where two
 * decimals do not hide it. */
static struct str write_line(const struct query *q, const struct kv_side *kv,
                             int64_t length) {
    const struct linear_fit *l = &kv->demand.line;
    /* what nothing fixed would give where that is possible, else the
     * likeliest of the interval */
    struct span whole = span_share(l->bytes, 1, l->tokens);
    bool may_be_whole = l->fixed.low == 0 && whole.known;
    int64_t slope =
        span_roundest(may_be_whole ? span_meet(whole, l->slope) : l->slope);
    int64_t saved, value = span_middle(l->bytes);
    struct span wide = span_share(l->slope, 1001, 1000);
    if (!mul_i64(l->tokens - length, slope, &saved) ||
        !add_i64(value, -saved, &value))
        return (struct str){0};
    if (kv->pool.known && value > span_middle(kv->pool))
        value = span_middle(kv->pool);
    struct str text =
        EXPLAIN(q, of_length, "kv_needed = % - (% - % tokens) x % = about %",
                MIDDLE(l->bytes), COUNT(l->tokens), COUNT(length), BYTES(slope),
                BYTES(value));
    return wide.known && l->slope.high > wide.low
               ? FORMULA(q->a, "%; kv_per_token lies between = %", TEXT(text),
                         BETWEEN(l->slope))
               : text;
}

/* By layers, by the line, or the length alone. */
static struct str write_at(const struct query *q, const struct kv_side *kv,
                           int64_t length, struct span after) {
    const struct demand *d = &kv->demand;
    if (d->by_model) {
        const struct variant *first = &d->variants.at[0];
        return EXPLAIN(q, of_length, "kv_needed = % = about %",
                       TEXT(write_request(q->a, first, length)),
                       BYTES(variant_request(first, length).high));
    }
    if (d->line.known && after.known && length <= d->line.tokens)
        return write_line(q, kv, length);
    return EXPLAIN(q, of_length, "max_model_len = % tokens", COUNT(length));
}

static struct estimate by_estimate(const struct query *q,
                                   const struct kv_side *kv, int64_t estimate) {
    int64_t block = memory_null_block(q->a, q->c);
    int64_t length = kv_usable_length(estimate, block);
    struct estimate e = estimate_of_kv(kv);
    struct span after = demand_bytes(&kv->demand, length);
    e.formula = write_at(q, kv, length, after);
    if (length < estimate)
        e.formula = formula_join(
            q->a,
            FORMULA(q->a,
                    "max_model_len = (% blocks - 1) x % tokens = % tokens",
                    COUNT(estimate / block), COUNT(block), COUNT(length)),
            e.formula);
    e.after = span_meet(after, span_of(0, kv->pool.high));
    e.verdict = VERDICT_ENOUGH; /* vLLM computed it from exact numbers */
    e.short_by = span_exact(0);
    e.proposed = propose(FACT_max_model_len, length);
    return e;
}

/* V0: "stored in KV cache (21904)", or "# GPU blocks: 410" of 16 tokens each.
 */
static struct estimate by_tokens(const struct query *q, int64_t length,
                                 int64_t held) {
    int64_t pool = held < length ? held : length;
    struct estimate e =
        estimate_of(FACT_max_model_len, span_exact(length), span_exact(pool));
    e.after = e.limit;
    estimate_judge(&e);
    e.proposed = propose(FACT_max_model_len, pool);
    struct str text =
        q->c->in[FACT_kv_tokens].known
            ? write_count(q->a, pool)
            : FORMULA(q->a, "% blocks x %",
                      COUNT(q->c->in[FACT_kv_blocks].number),
                      COUNT(setting_of(q->c, FACT_block_size, 1)));
    e.formula = EXPLAIN(q, of_length, "max_model_len = min(%, %) = % tokens",
                        COUNT(length), TEXT(text), COUNT(pool));
    return e;
}

static struct str write_longest(const struct query *q, const struct kv_side *kv,
                                int64_t length) {
    struct span slope = demand_slope(&kv->demand);
    struct span fixed = demand_fixed(&kv->demand, kv->length);
    int64_t whole;
    if (!slope.known || !fixed.known || slope.high <= 0 ||
        !add_i64(span_middle(span_times(slope, length)), span_middle(fixed),
                 &whole))
        return (struct str){0};
    return EXPLAIN(q, of_length, "kv_needed = about % fixed + % tokens x % = %",
                   MIDDLE(fixed), COUNT(length), MIDDLE(slope), BYTES(whole));
}

/* As long as the pool's share of the need at the worst corner, if all of the
 * need grows with the length; the pool holds at most the same share of it. */
static struct estimate by_proportion(const struct query *q,
                                     const struct kv_side *kv) {
    const struct linear_fit *l = &kv->demand.line;
    struct estimate e = estimate_of_kv(kv);
    int64_t length = 0, at;
    int64_t pool = span_middle(kv->pool), need = span_middle(l->bytes);
    e.after = span_none();
    e.short_by = span_beyond(kv->need, kv->pool);
    needs_add(&e.needs, FACT_model);
    if (kv->demand.by_model)
        return e;
    if (need > 0 && mul_div_floor(l->tokens, pool, need, &at))
        e.formula =
            EXPLAIN(q, of_length,
                    "max_model_len at most = % tokens x % / % = about % tokens",
                    COUNT(l->tokens), BYTES(pool), BYTES(need), COUNT(at));
    if (l->bytes.known && l->bytes.high > 0 && kv->pool.low > 0 &&
        mul_div_floor(l->tokens, kv->pool.low, l->bytes.high, &length))
        length -= length % BLOCK_LARGEST;
    if (length > 0) {
        estimate_if(&e, "verdict.if.proportional");
        e.proposed = propose(FACT_max_model_len, length);
    }
    return e;
}

static struct estimate by_demand(const struct query *q,
                                 const struct kv_side *kv) {
    struct estimate e = estimate_of_kv(kv);
    struct span longest =
        kv->length > 1 ? demand_tokens(&kv->demand, kv->pool, kv->length - 1)
                       : span_none();
    if (!longest.known) {
        needs_add(&e.needs, kv->length ? FACT_model : FACT_max_model_len);
        estimate_needs(&e, kv->pool.known, FACT_kv_available);
        return e;
    }
    int64_t block = kv->demand.block_tokens > 0 ? kv->demand.block_tokens : 1;
    int64_t length = longest.low - longest.low % block;
    if (length <= 0 && longest.high > 0)
        return by_proportion(q, kv);
    if (length <= 0) { /* fixed parts alone take more than there is */
        e.after = demand_bytes(&kv->demand, 1);
        e.short_by = span_beyond(e.after, e.limit);
        e.verdict = VERDICT_NOT_ENOUGH;
        return e;
    }
    e.after = demand_bytes(&kv->demand, length);
    estimate_judge(&e);
    e.proposed = propose(FACT_max_model_len, length);
    e.formula = write_longest(q, kv, length);
    return e;
}

struct estimate effect_max_model_len(const struct query *q) {
    if (is_allocation(q) && stage_is(q->c, "profile") &&
        rules_is_v0(q->c) != ANSWER_NO)
        return estimate_unknown(FACT_tried_alloc); /* V0 profiles with it */
    if (!is_pool(q))
        return estimate_beside_pool(q);
    struct kv_side kv = kv_side_of(q);
    int64_t estimate = setting_of(q->c, FACT_est_max_model_len, 0), tokens = 0;
    if (kv.has_no_pool) {
        struct estimate e = estimate_of_kv(&kv);
        e.limit = span_or(e.limit, span_exact(0));
        e.verdict = VERDICT_NOT_ENOUGH;
        return e;
    }
    if (estimate > 0 && kv.pool.known)
        return by_estimate(q, &kv, estimate);
    if (q->c->in[FACT_kv_tokens].known)
        tokens = q->c->in[FACT_kv_tokens].number;
    else if (q->c->in[FACT_kv_blocks].known)
        (void)mul_i64(q->c->in[FACT_kv_blocks].number,
                      setting_of(q->c, FACT_block_size, 0), &tokens);
    if (rules_is_v0(q->c) == ANSWER_YES && kv.length > 0 && tokens > 0)
        return by_tokens(q, kv.length, tokens);
    return by_demand(q, &kv);
}

/* ---- kv_cache_dtype ---- */

/* V0, model unknown: the same bytes hold twice the tokens. */
static struct estimate twice_the_tokens(const struct query *q,
                                        const struct kv_side *kv) {
    int64_t twice;
    if (!mul_i64(kv->pool_tokens, 2, &twice))
        return estimate_unknown(FACT_max_model_len);
    struct estimate e = estimate_of(FACT_max_model_len, span_exact(kv->length),
                                    span_exact(twice));
    estimate_judge(&e);
    e.proposed = e.verdict == VERDICT_ENOUGH
                     ? propose_word(FACT_kv_cache_dtype, STR("fp8"))
                     : propose(FACT_max_model_len, twice);
    e.formula = FORMULA(q->a, "kv_tokens = 2 x % = % tokens",
                        COUNT(kv->pool_tokens), COUNT(twice));
    return e;
}

/* Half, and at most so much more as is fixed. */
static struct str write_halved(const struct query *q, const struct kv_side *kv,
                               struct span after) {
    static const enum fact_name used[] =
        FACTS(FACT_kv_needed, FACT_max_model_len, FACT_kv_available,
              FACT_est_max_model_len, FACT_kv_cache_dtype, FACT_model);
    int64_t half = kv->need.low / 2;
    struct str lower = {0};
    if (kv->need.known && after.low - half < half / 1000 &&
        half - after.low < half / 1000)
        lower = FORMULA(q->a, "kv_needed at least = % / 2 = %",
                        BYTES(kv->need.low), BYTES(after.low));
    return formula_join(
        q->a, lower,
        EXPLAIN(q, used, "kv_needed with fp8 = %", BETWEEN(after)));
}

struct estimate effect_kv_dtype(const struct query *q) {
    const struct fact *now = &q->c->in[FACT_kv_cache_dtype];
    if (!is_pool(q))
        return estimate_beside_pool(q);
    struct kv_side kv = kv_side_of(q);
    if (now->known && kv_dtype_is_fp8(now->word))
        return estimate_none(FACT_kv_needed);
    if (kv.counts_tokens)
        return twice_the_tokens(q, &kv);
    struct demand fp8 = demand_with_fp8(q->a, &kv.demand);
    struct estimate e = estimate_of_kv(&kv);
    e.after = kv.length > 0 ? demand_bytes(&fp8, kv.length) : span_none();
    if (kv.has_no_pool && !kv.pool.known)
        e.limit = span_exact(0);
    if (!e.after.known || !e.limit.known) {
        needs_add(&e.needs, e.after.known ? FACT_kv_available : FACT_model);
        return e;
    }
    estimate_judge(&e);
    e.formula = write_halved(q, &kv, e.after);
    estimate_needs(&e, !verdict_is_open(e.verdict) || kv.demand.by_model,
                   FACT_model);
    struct span longest = demand_tokens(&fp8, kv.pool, kv.length);
    if (e.verdict == VERDICT_ENOUGH) {
        e.proposed = propose_word(FACT_kv_cache_dtype, STR("fp8"));
    } else if (longest.known && longest.low > 0) { /* the length it carries */
        e.proposed = propose(FACT_max_model_len, longest.low);
        e.formula = formula_join(
            q->a, e.formula,
            FORMULA(q->a, "fp8 is enough up to max_model_len = % tokens",
                    COUNT(longest.low)));
    }
    return e;
}

/* ---- decode_context_parallel ---- */

/* Ranks that keep the same; 1: none do. */
static int64_t copies_of(const struct model *m, int64_t tp) {
    int64_t least = tp;
    for (size_t i = 0; i < m->group_count; i++) {
        const struct kv_group *g = &m->groups[i];
        if (!kv_kind_grows(g->kind))
            return 1;
        if (g->kind == KV_full) {
            int64_t copies = g->kv_heads > 0 ? tp / g->kv_heads : 1;
            least = copies < least || g->kv_heads <= 0 ? copies : least;
        }
    }
    return least > 1 ? least : 1;
}

static struct estimate shared_by(const struct query *q,
                                 const struct kv_side *kv, int64_t ranks) {
    struct estimate e = estimate_of_kv(kv);
    struct demand then = demand_with(
        q->a, &kv->demand, FACT_decode_context_parallel, ranks);
    e.after = demand_bytes(&then, kv->length);
    estimate_judge(&e);
    e.proposed = propose(FACT_decode_context_parallel, ranks);
    struct str text = write_request(q->a, &then.variants.at[0], kv->length);
    if (e.after.known && text.n > 0)
        e.formula = EXPLAIN(q,
                            FACT_LIST(FACT_model, FACT_tensor_parallel,
                                      FACT_kv_needed, FACT_max_model_len),
                            "kv_needed with % context ranks = % = %",
                            PLAIN(ranks), TEXT(text), BETWEEN(e.after));
    return e;
}

struct estimate effect_decode_context_parallel(const struct query *q) {
    struct kv_side kv = kv_side_of(q);
    struct estimate e = estimate_none(FACT_kv_needed);
    if (!is_pool(q))
        return estimate_none(FACT_requested_bytes);
    if (q->c->model == NULL || !kv.demand.by_model || kv.length <= 0) {
        e = estimate_unknown(FACT_kv_needed);
        needs_add(&e.needs, q->c->model ? FACT_max_model_len : FACT_model);
        return e;
    }
    int64_t copies = copies_of(q->c->model, tensor_ranks(q->c));
    int64_t ranks = setting_of(q->c, FACT_decode_context_parallel, 1) * 2;
    for (; ranks <= copies && e.verdict != VERDICT_ENOUGH; ranks *= 2)
        e = shared_by(q, &kv, ranks);
    return e;
}
