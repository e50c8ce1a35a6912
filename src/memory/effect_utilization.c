/* effect_utilization.c: gpu_memory_utilization, both ways.
 *
 *   up     the pool gains total x (u - u0), at the cost of the rest; below
 *   down   a start check that fails asks for less; after the pool is made,
 *          the rest gains total x (u0 - u) for whatever did not fit:
 *          effect_utilization_down.c
 *
 * Values have two decimals and are rounded to the safe side. */
#include "memory/budget.h"
#include "memory/effect.h"
#include "memory/formula.h"
#include "memory/kv_formula.h"
#include "memory/rules.h"
#include "memory/span.h"
#include "memory/utilization.h"
#include "memory/weights.h"

#define USUAL_CARD (INT64_C(80) << 30)
#define STEPS_MAX 8 /* from 0.90 to 0.98 */

static const enum fact_name used[] = {
    FACT_gpu_total,    FACT_gpu_memory_utilization,
    FACT_gpu_free,     FACT_kv_needed,
    FACT_kv_available, FACT_tried_alloc,
    FACT_model,        FACT_COUNT_OF};

void need_share_inputs(const struct memory_case *c, struct needs *needs) {
    if (!gpu_total_bytes(c).known) {
        needs_add(needs, FACT_gpu_total);
    }
    if (!c->in[FACT_gpu_memory_utilization].known) {
        needs_add(needs, FACT_gpu_memory_utilization);
    }
}

int64_t least_share(struct span need, struct span pool, struct span total,
                    int64_t now) {
    struct span gap = span_minus(need, pool);
    struct span more = gap.known && total.low > 0
                           ? span_share(span_exact(gap.high > 0 ? gap.high : 0),
                                        MICRO, total.low)
                           : span_none();
    int64_t least;
    if (!more.known || !add_i64(now, more.high, &least)) {
        return 0;
    }
    return least % STEP ? least - least % STEP + STEP : least;
}

/* The largest that free memory and the graphs beside the share allow. */
static int64_t ceiling_of(const struct memory_case *c, struct span total) {
    struct span free = span_of_fact(&c->in[FACT_gpu_free]);
    struct span graphs = span_of_fact(&c->in[FACT_cuda_graph_bytes]);
    int64_t most = MOST, by_part;
    if (rules_count_graphs(c) == ANSWER_NO && graphs.known) {
        struct span rest = span_minus(total, graphs);
        if (rest.known &&
            mul_div_floor(rest.low, MICRO, total.high, &by_part)) {
            most = by_part < most ? by_part : most;
        }
    }
    bool is_at_start = free.known && c->in[FACT_requested_bytes].known;
    if (is_at_start && mul_div_floor(free.low, MICRO, total.high, &by_part)) {
        most = by_part < most ? by_part : most;
    }
    return most - most % STEP;
}

/* now + gap / total, rounded up to two decimals; a negative gap lowers it. */
static int64_t share_with_gap(int64_t now, int64_t gap, int64_t total) {
    int64_t more, share;
    if (total <= 0 || !mul_div_floor(gap, MICRO, total, &more) ||
        !add_i64(now, more + 1, &share)) {
        return INT64_MAX;
    }
    share = share > STEP ? share : STEP;
    return share % STEP ? share - share % STEP + STEP : share;
}

struct span memory_least_utilization(struct arena *a,
                                     const struct memory_case *c) {
    struct ask q = {a, c, SHORT_KV_POOL};
    struct kv_side kv = kv_side_of(&q);
    const struct fact *now = &c->in[FACT_gpu_memory_utilization];
    struct span total = gpu_total_bytes(c);
    if (!now->known || !total.known || !kv.need.known || !kv.pool.known) {
        return span_none();
    }
    struct span gap = span_minus(kv.need, kv.pool);
    int64_t share = span_of_setting(now).high;
    if (!gap.known) {
        return span_none();
    }
    int64_t surely = share_with_gap(
        share, gap.high, gap.high > 0 ? total.low : total.high);
    int64_t perhaps = share_with_gap(
        share, gap.low, gap.low > 0 ? total.high : total.low);
    return surely < INT64_MAX ? span_of(perhaps, surely) : span_none();
}

static struct str write_up(const struct ask *q, const struct kv_side *kv,
                           struct span total, int64_t share,
                           struct span limit) {
    const struct fact *now = &q->c->in[FACT_gpu_memory_utilization];
    struct str t = write_bytes(q->a, span_middle(total));
    struct str u = write_ratio(q->a, share);
    struct str u0 = write_ratio(q->a, span_of_setting(now).high);
    struct str pool = write_bytes(q->a, span_middle(kv->pool));
    struct str l = write_bytes(q->a, span_middle(limit));
    struct str sources = write_sources(q->a, q->c, used);
    return arena_printf(q->a,
                        "kv_available = %.*s + %.*s x (%.*s - %.*s) = "
                        "%.*s%.*s",
                        STR_ARG(pool), STR_ARG(t), STR_ARG(u), STR_ARG(u0),
                        STR_ARG(l), STR_ARG(sources));
}

static struct str write_gap(const struct ask *q, const struct kv_side *kv) {
    struct span gap = span_minus(kv->need, kv->pool);
    if (!gap.known) {
        return (struct str){0};
    }
    struct str need = write_bytes(q->a, span_middle(kv->need));
    struct str pool = write_bytes(q->a, span_middle(kv->pool));
    struct str g = write_bytes(q->a, span_middle(gap));
    struct str sources = write_sources(q->a, q->c, used);
    return arena_printf(q->a, "short_by = %.*s - %.*s = %.*s%.*s",
                        STR_ARG(need), STR_ARG(pool), STR_ARG(g),
                        STR_ARG(sources));
}

/* The card is unknown: so many hundredths are the least for one of 80 GiB,
 * and enough from some size on. */
static void bound_by_card(const struct ask *q, const struct kv_side *kv,
                          struct estimate *e) {
    const struct fact *now = &q->c->in[FACT_gpu_memory_utilization];
    struct span gap = span_minus(kv->need, kv->pool);
    int64_t steps, card;
    if (!gap.known || gap.high <= 0) {
        return;
    }
    int64_t bytes = span_middle(gap);
    steps = ceil_div(bytes > 0 ? bytes : 1, USUAL_CARD / 100);
    if (steps > STEPS_MAX || !mul_div_floor(bytes, 100, steps, &card)) {
        return;
    }
    struct str step = write_ratio(q->a, steps * STEP);
    struct str size = write_bytes(q->a, card);
    e->formula = formula_join(
        q->a, e->formula,
        arena_printf(q->a,
                     "gpu_total for which +%.*s is enough = %.*s / %.*s = "
                     "%.*s or more",
                     STR_ARG(step), STR_ARG(write_bytes(q->a, bytes)),
                     STR_ARG(step), STR_ARG(size)));
    estimate_if(e, "verdict.if.gpu_size");
    condition_add(e, step);
    condition_add(e, write_short(q->a, card));
    if (now->known && now->number + steps * STEP <= MOST) {
        e->proposed = propose(FACT_gpu_memory_utilization,
                              now->number + steps * STEP);
    }
}

/* The share in force is unknown: so much more of the GPU than now. */
static void bound_by_step(const struct ask *q, const struct kv_side *kv,
                          struct span total, struct estimate *e) {
    int64_t step = least_share(kv->need, kv->pool, total, 0);
    struct span more = share_of(total, step);
    if (step <= 0 || step > MOST || !more.known) {
        return;
    }
    estimate_if(e, "verdict.if.more_share");
    condition_add(e, write_ratio(q->a, step));
    condition_add(e, write_short(q->a, more.high));
    e->limit = span_plus(kv->pool, more);
    struct str s = write_ratio(q->a, step), t = write_bytes(q->a, total.low);
    struct str m = write_bytes(q->a, share_of(total, step).low);
    e->formula = formula_join(
        q->a, e->formula,
        arena_printf(q->a, "more = %.*s x %.*s = %.*s", STR_ARG(s), STR_ARG(t),
                     STR_ARG(m)));
}

/* Is so much of the GPU known to be free before anything is loaded? */
static bool is_free_at_start(const struct memory_case *c, struct span total,
                             int64_t share) {
    struct span free = span_of_fact(&c->in[FACT_gpu_free]);
    struct span before = span_of_fact(&c->in[FACT_free_before_load]);
    return span_fits(share_of(total, share), free) == VERDICT_ENOUGH ||
           span_fits(share_of(total, share), before) == VERDICT_ENOUGH;
}

/* A negative pool: what it lacks, and one request of unknown size. */
static void put_bare(const struct ask *q, struct estimate *e,
                     const struct kv_side *kv) {
    struct note bound = e->condition;
    bool has_step = bound.key != NULL && bound.count > 0;
    estimate_if(e, has_step ? "verdict.if.negative_step"
                            : "verdict.if.negative");
    condition_add(e, write_short(q->a, -kv->pool.low));
    if (has_step) {
        condition_add(e, bound.arg[0]);
        condition_add(e, bound.arg[1]);
    }
    e->after = span_none();
    needs_add(&e->needs, FACT_model);
}

/* An input is missing: what the gap says without it. */
static void bound_up(const struct ask *q, const struct kv_side *kv,
                     struct span total, bool is_bare, struct estimate *e) {
    if (!total.known) {
        bound_by_card(q, kv, e);
    } else {
        bound_by_step(q, kv, total, e);
    }
    if (is_bare && e->verdict == VERDICT_MAY_BE_ENOUGH) {
        put_bare(q, e, kv);
    }
}

static void reckon_up(const struct ask *q, const struct kv_side *kv,
                      struct span total, bool is_bare, struct estimate *e) {
    int64_t before =
        span_of_setting(&q->c->in[FACT_gpu_memory_utilization]).high;
    int64_t share = least_share(kv->need, kv->pool, total, before);
    int64_t most = ceiling_of(q->c, total);
    bool is_beyond = share <= 0 || share > most;
    int64_t chosen = is_beyond ? most : share;
    struct span gain = share_of(total, chosen > before ? chosen - before : 0);
    e->limit = span_plus(kv->pool, gain);
    estimate_judge(e);
    e->formula = formula_join(q->a, e->formula,
                              write_up(q, kv, total, chosen, e->limit));
    if (!is_beyond) {
        e->proposed = propose(FACT_gpu_memory_utilization, share);
    }
    if (is_bare && e->verdict == VERDICT_ENOUGH) {
        put_bare(q, e, kv);
    }
    if (e->verdict == VERDICT_ENOUGH &&
        !is_free_at_start(q->c, total, chosen)) {
        estimate_if(e, "verdict.if.free_at_start");
        condition_add(e, write_short(q->a, share_of(total, chosen).high));
        needs_add(&e->needs, FACT_gpu_free);
    }
}

struct estimate effect_utilization_up(const struct ask *q) {
    const struct memory_case *c = q->c;
    struct span total = gpu_total_bytes(c);
    if (q->what != SHORT_KV_POOL) { /* takes room from what failed */
        return estimate_none(q->what == SHORT_FREE_AT_START
                                 ? FACT_requested_bytes
                                 : FACT_tried_alloc);
    }
    struct kv_side kv = kv_side_of(q);
    struct estimate e = estimate_of_kv(&kv);
    bool is_bare = !kv.need.known && kv.pool.known && kv.pool.high <= 0;
    if (is_bare) {
        kv.need = span_exact(0); /* that much first, one request besides */
    }
    need_share_inputs(c, &e.needs);
    if (!kv.need.known || !kv.pool.known) {
        needs_add(&e.needs, c->model ? FACT_kv_available : FACT_model);
    }
    e.short_by = span_at_least(span_minus(kv.need, kv.pool), 0);
    e.formula = write_gap(q, &kv);
    if (e.needs.count > 0) {
        bound_up(q, &kv, total, is_bare, &e);
    } else {
        reckon_up(q, &kv, total, is_bare, &e);
    }
    return e;
}
