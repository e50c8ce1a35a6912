/* effect_utilization.c: gpu_memory_utilization, both ways.
 *
 *   up     the pool gains total x (u - u0), at the cost of the rest
 *   down   a start check that failed is of less; after the pool is made, the
 *          rest gains total x (u0 - u) for whatever did not fit, and the pool
 *          must still hold a request
 *
 * Values have two decimals and are rounded to the safe side. */
#include <string.h>
#include "memory/effect.h"

#define SMALL_CARD 24 /* GiB: the two sizes that examples are given for */
#define LARGE_CARD 80
#define USUAL_ROOM 8 /* hundredths, from 0.90 to 0.98 */
#define STEPS_MAX                                                              \
    50 /* hundredths: a share is never that far below the largest */
#define OWN_CONTEXT_MOST (INT64_C(1) << 30) /* CUDA's, outside the share */

static const enum fact_name used[] =
    FACTS(FACT_gpu_total, FACT_gpu_memory_utilization, FACT_gpu_free,
          FACT_kv_needed, FACT_kv_available, FACT_tried_alloc, FACT_model);

/* True if the share is known and is no default. */
static bool is_share_stated(const struct inputs *c) {
    return inputs_states_any(c, FACT_LIST(FACT_gpu_memory_utilization));
}

static struct span share_in_force(const struct inputs *c) {
    return span_of_setting(&c->in[FACT_gpu_memory_utilization]);
}

/* The least share that lets the pool hold the need at the worst corner; 0:
 * none. */
static int64_t least_share(struct span need, struct span pool,
                           struct span total, int64_t now) {
    struct span gap = span_minus(need, pool);
    struct span more =
        span_share(span_exact(gap.high > 0 ? gap.high : 0), MICRO, total.low);
    int64_t least;
    return gap.known && more.known && add_i64(now, more.high, &least)
               ? step_up(least)
               : 0;
}

/* ---- up ---- */

/* The largest that free memory and the graphs beside the share allow. */
static int64_t ceiling_of(const struct inputs *c, struct span total) {
    struct span free = span_in(c, FACT_gpu_free);
    struct span rest = span_minus(total, span_in(c, FACT_cuda_graph_bytes));
    int64_t most = MOST, part;
    if (rules_count_graphs(c) == ANSWER_NO && rest.known &&
        mul_div_floor(rest.low, MICRO, total.high, &part) && part < most)
        most = part;
    if (free.known && c->in[FACT_requested_bytes].known &&
        mul_div_floor(free.low, MICRO, total.high, &part) && part < most)
        most = part;
    return step_down(most);
}

/* now + gap / total, rounded up to two decimals; a negative gap lowers it. */
static int64_t share_with_gap(int64_t now, int64_t gap, int64_t total) {
    int64_t more, share;
    if (total <= 0 || !mul_div_floor(gap, MICRO, total, &more) ||
        !add_i64(now, more + 1, &share))
        return INT64_MAX;
    return step_up(share > STEP ? share : STEP);
}

struct span memory_least_utilization(struct arena *a, const struct inputs *c) {
    struct query q = {.a = a, .c = c, .what = SHORT_KV_POOL};
    struct kv_side kv = kv_side_of(&q);
    struct span now = share_in_force(c), total = span_in(c, FACT_gpu_total);
    struct span kept = kv.demand.by_model && kv.length > 0
                           ? demand_kept(&kv.demand, kv.length)
                           : kv.need;
    struct span gap = span_minus(kept, kv.pool);
    if (!now.known || !total.known || !gap.known)
        return span_none();
    int64_t surely = share_with_gap(now.high, gap.high,
                                    gap.high > 0 ? total.low : total.high);
    int64_t perhaps =
        share_with_gap(now.high, gap.low, gap.low > 0 ? total.high : total.low);
    return surely < INT64_MAX ? span_of(perhaps, surely) : span_none();
}

/* Of the sizes from `least` (SMALL_CARD where that is not known) to LARGE_CARD,
 * those on which the room above the share is as much as is missing. */
static int64_t share_of_cards(int64_t gap, int64_t room, int64_t least) {
    int64_t from = least > 0 ? least : SMALL_CARD * GIB, size, share;
    if (room <= 0 || !mul_div_floor(gap, MICRO, room, &size) ||
        size >= LARGE_CARD * GIB)
        return 0;
    if (size <= from) /* on all of them; the least is a bound of the log */
        return least > 0 ? MICRO : SHARE_NONE;
    (void)mul_div_floor(LARGE_CARD * GIB - size, MICRO, LARGE_CARD * GIB - from,
                        &share);
    return share;
}

/* What the share in force held shows how large the GPU is at least; 0: nothing
 * does. */
static int64_t least_gpu(const struct inputs *c, struct span pool) {
    int64_t now = setting_of(c, FACT_gpu_memory_utilization, 0), least;
    struct span held = span_plus(span_in(c, FACT_weights_bytes), pool);
    return is_share_stated(c) && held.known && held.low > 0 && now > 0 &&
                   mul_div_floor(held.low, MICRO, now, &least)
               ? least
               : 0;
}

/* The card is unknown: what the gap is of the least it can be, else of two
 * usual ones. Even all of the GPU is too little below a size. */
static void bound_by_card(const struct query *q, const struct kv_side *kv,
                          struct estimate *e) {
    const struct fact *now = &q->c->in[FACT_gpu_memory_utilization];
    bool is_stated = is_share_stated(q->c), is_proposed = is_stated;
    struct span gap = span_minus(kv->need, kv->pool);
    struct span weights = span_in(q->c, FACT_weights_bytes);
    int64_t least = least_gpu(q->c, kv->pool), size;
    int64_t above = is_stated && MOST - now->number < STEPS_MAX * STEP
                        ? MOST - now->number
                        : STEPS_MAX * STEP;
    if (!gap.known || gap.high <= 0)
        return;
    int64_t small = ceil_div(gap.high, SMALL_CARD * GIB / 100) * STEP;
    int64_t large = ceil_div(gap.high, LARGE_CARD * GIB / 100) * STEP;
    int64_t step = least > 0 ? ceil_div(gap.high, least / 100) * STEP : 0;
    struct term short_by = SHORT(span_middle(gap));
    e->formula = formula_join(q->a, e->formula,
                              FORMULA(q->a, "more = % / % GiB = %", short_by,
                                      PLAIN(LARGE_CARD), RATIO(large)));
    e->share_micro =
        share_of_cards(gap.high, is_stated ? above : USUAL_ROOM * STEP, least);
    if (step > 0 && step <= above) {
        ESTIMATE_IF(q, e, "verdict.if.gpu_at_least", short_by, RATIO(step),
                    SHORT(least));
        is_proposed = true;
    } else if (large > above) {
        if (above > 0 && mul_div_floor(gap.low, MICRO, above, &size)) {
            ESTIMATE_IF(q, e, "verdict.if.gpu_least", short_by, SHORT(size));
            e->share_micro = 0;
        }
        return;
    } else if (small > above || weights.low >= SMALL_CARD * GIB) {
        ESTIMATE_IF(q, e, "verdict.if.gpu_size_large", short_by, RATIO(large));
        step = large;
    } else {
        ESTIMATE_IF(q, e, "verdict.if.gpu_size", short_by, RATIO(large),
                    RATIO(small));
        step = small;
    }
    if (is_proposed) /* what is enough on each GPU that the note names */
        e->proposed = propose(FACT_gpu_memory_utilization, now->number + step);
}

/* The share in force is unknown: so much more of the GPU than now. */
static void bound_by_step(const struct query *q, const struct kv_side *kv,
                          struct span total, struct estimate *e) {
    int64_t step = least_share(kv->need, kv->pool, total, 0);
    struct span more = share_of(total, step);
    if (step <= 0 || step > MOST || !more.known)
        return;
    ESTIMATE_IF(q, e, "verdict.if.more_share", RATIO(step), SHORT(more.high));
    e->share_micro = step > USUAL_ROOM * STEP ? 0 : SHARE_NONE;
    e->limit = span_plus(kv->pool, more);
    e->formula = formula_join(q->a, e->formula,
                              FORMULA(q->a, "more = % x % = %", RATIO(step),
                                      BYTES(total.low), BYTES(more.low)));
}

/* A negative pool: what it lacks, and one request of unknown size. */
static void put_bare(const struct query *q, struct estimate *e,
                     const struct kv_side *kv) {
    struct note bound = e->condition;
    struct str key = str_of(bound.key);
    struct term lacks = SHORT(-kv->pool.low);
    if (str_eq(key, STR("verdict.if.gpu_size")))
        ESTIMATE_IF(q, e, "verdict.if.negative_step", lacks, TEXT(bound.arg[1]),
                    TEXT(bound.arg[2]));
    else if (str_eq(key, STR("verdict.if.gpu_size_large")))
        ESTIMATE_IF(q, e, "verdict.if.negative_step_large", lacks,
                    TEXT(bound.arg[1]));
    else
        ESTIMATE_IF(q, e, "verdict.if.negative", lacks);
    e->after = span_none();
    needs_add(&e->needs, FACT_model);
}

static void compute_up(const struct query *q, const struct kv_side *kv,
                      struct span total, bool is_bare, struct estimate *e) {
    int64_t before = share_in_force(q->c).high;
    int64_t share = least_share(kv->need, kv->pool, total, before);
    int64_t most = ceiling_of(q->c, total);
    bool is_beyond = share <= 0 || share > most;
    int64_t chosen = is_beyond ? most : share;
    struct span gain = share_of(total, chosen > before ? chosen - before : 0);
    struct span held = share_of(total, chosen);
    bool is_free =
        span_fits(held, span_in(q->c, FACT_gpu_free)) == VERDICT_ENOUGH ||
        span_fits(held, span_in(q->c, FACT_free_before_load)) == VERDICT_ENOUGH;
    e->limit = span_plus(kv->pool, gain);
    estimate_judge(e);
    e->formula = formula_join(
        q->a, e->formula,
        EXPLAIN(q, used, "kv_available = % + % x (% - %) = %", MIDDLE(kv->pool),
                MIDDLE(total), RATIO(chosen), RATIO(before), MIDDLE(e->limit)));
    if (!is_beyond)
        e->proposed = propose(FACT_gpu_memory_utilization, share);
    if (is_bare && e->verdict == VERDICT_ENOUGH)
        put_bare(q, e, kv);
    if (e->verdict == VERDICT_ENOUGH && !is_free) {
        ESTIMATE_IF(q, e, "verdict.if.free_at_start", SHORT(held.high));
        needs_add(&e->needs, FACT_gpu_free);
    }
}

struct estimate effect_utilization_up(const struct query *q) {
    const struct inputs *c = q->c;
    struct span total = span_in(c, FACT_gpu_total);
    if (!is_pool(q)) /* takes room from what failed */
        return estimate_beside_pool(q);
    struct kv_side kv = kv_side_of(q);
    struct estimate e = estimate_of_kv(&kv);
    bool is_bare = !kv.need.known && kv.pool.known && kv.pool.high <= 0;
    if (is_bare)
        kv.need = span_exact(0); /* that much first, one request besides */
    struct span gap = span_minus(kv.need, kv.pool);
    estimate_needs(&e, total.known, FACT_gpu_total);
    estimate_needs(&e, is_share_stated(c), FACT_gpu_memory_utilization);
    estimate_needs(&e, kv.need.known && kv.pool.known,
                   c->model ? FACT_kv_available : FACT_model);
    e.short_by = span_at_least(gap, 0);
    if (gap.known)
        e.formula = EXPLAIN(q, used, "short_by = % - % = %", MIDDLE(kv.need),
                            MIDDLE(kv.pool), MIDDLE(gap));
    if (e.needs.count == 0) {
        compute_up(q, &kv, total, is_bare, &e);
        return e;
    }
    if (total.known) /* an input is missing: what the gap shows without it */
        bound_by_step(q, &kv, total, &e);
    else
        bound_by_card(q, &kv, &e);
    if (is_bare && e.verdict == VERDICT_MAY_BE_ENOUGH)
        put_bare(q, &e, &kv);
    return e;
}

/* ---- down: the check of free memory at start ---- */

struct span memory_largest_utilization(const struct inputs *c) {
    struct span free = span_in(c, FACT_gpu_free);
    struct span total = span_in(c, FACT_gpu_total);
    int64_t worst, best;
    if (!free.known || !total.known || total.low <= 0 ||
        !mul_div_floor(free.low, MICRO, total.high, &worst) ||
        !mul_div_floor(free.high, MICRO, total.low, &best))
        return span_none();
    return span_at_least(span_of(step_down(worst), step_down(best)), 0);
}

/* Weights, one request and workspace: what the share has to hold. */
static struct span held_by_share(const struct query *q,
                                 const struct kv_side *kv) {
    struct span request = kv->need;
    if (!request.known ||
        q->c->in[FACT_max_model_len].source == SOURCE_CATALOGUE)
        request = span_of(0, request.known ? request.high : 0);
    return span_plus(span_plus(weights_bytes(q->c), request),
                     workspace_bytes(q->c));
}

/* The model is unknown: what is left of the requested share may hold it. */
static void judge_share(const struct query *q, struct estimate *e,
                        int64_t share) {
    struct span before = e->before, after = e->after;
    if (share < LEAST_SHARE) {
        e->verdict = VERDICT_NOT_ENOUGH;
        e->short_by = span_none();
        return;
    }
    ESTIMATE_IF(q, e, "verdict.if.model_fits", SHORT(after.low));
    e->share_micro = SHARE_NONE;
    if (before.known && before.high > 0 && after.low <= before.high)
        mul_div_floor(after.low, MICRO, before.high, &e->share_micro);
    needs_add(&e->needs, FACT_model);
}

/* "7.48 GiB per GPU (8.03 B x 2 bytes / TP 2)": parts, and what they leave. */
static struct str write_held(const struct query *q, const struct kv_side *kv,
                             struct span share) {
    struct formulas parts = {0};
    struct span weights = memory_weights(q->a, q->c, &parts, NULL);
    struct span nominal = weights_nominal(q->c);
    struct span request = kv->need.known ? kv->need : span_exact(0);
    struct span rest = span_minus(share, span_plus(nominal, request));
    if (!rest.known || !weights.known)
        return (struct str){0};
    struct str all = parts.count > 0 ? parts.at[0] : (struct str){0};
    if (kv->demand.by_model && kv->length > 0) {
        const struct variant *first = &kv->demand.variants.at[0];
        struct str text = write_request(q->a, first, kv->length);
        int64_t bytes = variant_request(first, kv->length).high;
        all = formula_join(
            q->a, all,
            FORMULA(q->a, "one request = % = %", TEXT(text), BYTES(bytes)));
    }
    return formula_join(
        q->a, all,
        FORMULA(q->a, "spare = % - about % weights - % one request = about %",
                MIDDLE(share), BYTES(nominal.low), MIDDLE(request),
                MIDDLE(rest)));
}

static struct estimate down_at_start(const struct query *q) {
    const struct inputs *c = q->c;
    struct span total = span_in(c, FACT_gpu_total);
    struct span share = memory_largest_utilization(c);
    struct estimate e = estimate_unknown(FACT_requested_bytes);
    e.before = requested_bytes(c);
    e.limit = span_in(c, FACT_gpu_free);
    estimate_needs(&e, total.known, FACT_gpu_total);
    estimate_needs(&e, e.limit.known, FACT_gpu_free);
    if (!share.known)
        return e;
    e.after = share_of(total, share.low);
    e.formula = EXPLAIN(q, used, "requested_bytes = % x % = % <= % free",
                        RATIO(share.low), MIDDLE(total), MIDDLE(e.after),
                        MIDDLE(e.limit));
    estimate_judge(&e);
    struct kv_side kv = kv_side_of(q);
    struct span held = held_by_share(q, &kv);
    if (held.known) {
        e.verdict = span_fits(held, e.after);
        e.formula = formula_join(q->a, e.formula, write_held(q, &kv, e.after));
        if (e.verdict == VERDICT_NOT_ENOUGH)
            e.short_by = span_minus(held, e.after);
        if (verdict_is_open(e.verdict)) { /* held is an interval */
            ESTIMATE_IF(q, &e, "verdict.if.holds", SHORT(e.after.low),
                        SHORT(held.low), SHORT(held.high));
            e.share_micro = share_that_passes(held, e.after);
            needs_add(&e.needs, FACT_activation_peak);
        }
    } else {
        judge_share(q, &e, share.low);
    }
    if (e.verdict != VERDICT_NOT_ENOUGH)
        e.proposed = propose(FACT_gpu_memory_utilization, share.low);
    return e;
}

/* ---- down: an allocation beside the pool ---- */

/* The pool must still hold one request after it shrank. */
static bool starves_pool(const struct query *q, struct span loss) {
    struct kv_side kv = kv_side_of(q);
    return span_fits(kv.need, span_minus(kv.pool, loss)) == VERDICT_NOT_ENOUGH;
}

/* What other processes and the own CUDA context (0.3 to 1.0 GiB) leave of the
 * card, in two decimals. */
static int64_t share_beside_others(const struct inputs *c, struct span total) {
    struct span others =
        span_plus(span_in(c, FACT_other_in_use), span_exact(OWN_CONTEXT_MOST));
    struct span rest = span_minus(total, others);
    int64_t share;
    return rest.known && rest.low >= 0 &&
                   mul_div_floor(rest.low, MICRO, total.high, &share)
               ? step_down(share)
               : MICRO;
}

/* What is allocated after the allocation that failed: further graphs while
 * they are captured, further layers while the pool is made. Nothing in other
 * stages; unknown where there is no bound. */
struct span more_after_failure(const struct inputs *c) {
    struct span pools = span_in(c, FACT_private_pools);
    if (stage_is(c, "kv_alloc"))
        return c->model && c->model->layers > 0
                   ? span_times(span_in(c, FACT_tried_alloc),
                                c->model->layers - 1)
                   : span_none();
    if (!stage_is(c, "capture"))
        return span_exact(0);
    struct inputs bare = *c;
    bare.in[FACT_private_pools].known = false;
    struct span graphs = graph_bytes(&bare);
    return pools.known ? span_beyond(graphs, pools) : graphs;
}

/* The largest share that covers the failed allocation at the worst corner and
 * leaves others what they hold; 0: none. */
static int64_t share_for(const struct inputs *c, struct span total,
                         struct span gap, int64_t now) {
    struct span less =
        span_share(span_exact(gap.high > 0 ? gap.high : 0), MICRO, total.low);
    int64_t beside = share_beside_others(c, total);
    if (!less.known || less.high >= now)
        return 0;
    int64_t share = step_down(now - less.high - 1);
    share = share < beside ? share : beside;
    return share < LEAST_SHARE ? 0 : share;
}

void put_lowered(const struct query *q, struct estimate *e,
                 struct fact proposed, const struct span *more,
                 enum fact_name open) {
    e->proposed = proposed;
    if (more != NULL) {
        e->formula =
            formula_join(q->a, e->formula, write_margin(q->a, q->c, *more));
    } else if (e->verdict == VERDICT_ENOUGH) { /* the next request may fail */
        ESTIMATE_IF(q, e, "verdict.if.last",
                    SHORT(e->limit.low - e->after.high));
        needs_add(&e->needs, open);
    }
}

void estimate_less_share(const struct query *q, struct estimate *e,
                         struct span total, struct span gap) {
    struct span whole = span_plus(gap, more_after_failure(q->c));
    int64_t step =
        whole.known ? least_share(whole, span_exact(0), total, 0) : 0;
    if (step <= 0 || step > MOST || starves_pool(q, share_of(total, step)))
        step = least_share(gap, span_exact(0), total, 0);
    if (step <= 0 || step > MOST)
        return;
    struct span freed = share_of(total, step);
    if (starves_pool(q, freed))
        return; /* the true share may allow less than a hundredth */
    e->limit = span_plus(e->limit, freed);
    estimate_judge(e);
    e->formula = FORMULA(q->a, "freed = % x % = %", RATIO(step),
                         BYTES(total.low), BYTES(freed.low));
    ESTIMATE_IF(q, e, "verdict.if.less_share", RATIO(step), SHORT(freed.low));
    e->capacity_micro = MICRO - step;
}

/* A share that covers what failed and what is still to come, else what failed
 * alone. */
static struct estimate lowered(const struct query *q, struct estimate e,
                               struct span total, struct span gap) {
    const struct inputs *c = q->c;
    bool is_kv = stage_is(c, "kv_alloc");
    int64_t before = share_in_force(c).low;
    struct span more = more_after_failure(c), whole = span_plus(gap, more);
    int64_t share = whole.known ? share_for(c, total, whole, before) : 0;
    bool is_whole =
        share > 0 && !starves_pool(q, share_of(total, before - share));
    share = is_whole ? share : share_for(c, total, gap, before);
    if (!is_whole && is_kv && share_beside_others(c, total) < MICRO) {
        is_whole = true; /* all that follows is inside the share */
        more = span_exact(0);
    }
    if (share == 0) {
        e.verdict = VERDICT_NOT_ENOUGH;
        e.short_by = span_at_least(gap, 0);
        return e;
    }
    struct span freed = share_of(total, before - share), free = e.limit;
    e.limit = span_plus(free, freed);
    e.formula =
        EXPLAIN(q, used, "free = % + % x (% - %) = %", MIDDLE(free),
                MIDDLE(total), RATIO(before), RATIO(share), MIDDLE(e.limit));
    estimate_judge(&e);
    if (starves_pool(q, freed)) {
        e.verdict = VERDICT_NOT_ENOUGH;
        return e;
    }
    put_lowered(q, &e, propose(FACT_gpu_memory_utilization, share),
                is_whole ? &more : NULL,
                is_kv ? FACT_model : FACT_cuda_graph_bytes);
    return e;
}

/* A first try: so much below the default, which may not be in force, or
 * below the least that it can have been. Its source is "default". */
static void try_from_default(const struct inputs *c, struct estimate *e) {
    const struct fact *usual = &c->in[FACT_gpu_memory_utilization];
    int64_t least = usual->ranged ? usual->low : usual->number;
    int64_t share = step_down(least - (MICRO - e->capacity_micro));
    if (e->verdict == VERDICT_MAY_BE_ENOUGH &&
        (usual->known || usual->ranged) && e->capacity_micro > 0 &&
        share >= LEAST_SHARE) {
        e->proposed = propose(FACT_gpu_memory_utilization, share);
        e->proposed.source = SOURCE_DEFAULT;
    }
}

static struct estimate down_for_allocation(const struct query *q) {
    const struct inputs *c = q->c;
    struct span total = span_in(c, FACT_gpu_total);
    struct estimate e = estimate_of_allocation(c);
    struct span gap = span_minus(e.before, e.limit);
    estimate_needs(&e, total.known, FACT_gpu_total);
    estimate_needs(&e, is_share_stated(c), FACT_gpu_memory_utilization);
    estimate_needs(&e, e.limit.known, FACT_gpu_free);
    if (!gap.known || !total.known || total.low <= 0)
        return e;
    if (is_share_stated(c))
        return lowered(q, e, total, gap);
    estimate_less_share(q, &e, total, gap);
    try_from_default(c, &e);
    return e;
}

/* While weights load or memory is measured there is no pool to shrink. The
 * sampler warms up in the profile run and once more beside the pool: then
 * the stage does not show which, nor where it is not known. */
static struct estimate down_by_stage(const struct query *q) {
    const struct inputs *c = q->c;
    bool has_pool = c->in[FACT_kv_available].known ||
                    c->in[FACT_kv_blocks].known || c->in[FACT_kv_tokens].known;
    if (stage_is(c, "load") || stage_is(c, "wake"))
        return estimate_none(FACT_tried_alloc);
    struct estimate e = down_for_allocation(q);
    bool may_precede = stage_is(c, "profile") || !c->in[FACT_stage].known;
    if (may_precede && !has_pool && e.verdict == VERDICT_ENOUGH)
        estimate_if(&e, "verdict.if.after_pool");
    return e;
}

struct estimate effect_utilization_down(const struct query *q) {
    return q->what == SHORT_FREE_AT_START ? down_at_start(q)
           : q->what == SHORT_ALLOCATION  ? down_by_stage(q)
           : q->what == SHORT_HOST        ? share_of_host(q)
           : is_pool(q)                   ? estimate_none(FACT_kv_needed)
                                          : estimate_none(FACT_requested_bytes);
}
