/* effect_utilization_down.c: a smaller gpu_memory_utilization.
 *
 * A start check that fails asks for less. After the pool is made, the rest
 * gains total x (u0 - u) for whatever did not fit, and the pool must still
 * hold a request. Values are rounded to the safe side. */
#include "memory/budget.h"
#include "memory/effect.h"
#include "memory/formula.h"
#include "memory/kv_formula.h"
#include "memory/rules.h"
#include "memory/span.h"
#include "memory/utilization.h"
#include "memory/weights.h"

/* A CUDA context, outside the share. */
#define OWN_CONTEXT_MOST (INT64_C(1) << 30)

static const enum fact_name used[] = {
    FACT_gpu_total,    FACT_gpu_memory_utilization,
    FACT_gpu_free,     FACT_kv_needed,
    FACT_kv_available, FACT_tried_alloc,
    FACT_model,        FACT_COUNT_OF};

static struct span largest_share(const struct memory_case *c) {
    struct span free = span_of_fact(&c->in[FACT_gpu_free]);
    struct span total = gpu_total_bytes(c);
    int64_t worst, best;
    if (!free.known || !total.known || total.low <= 0 ||
        !mul_div_floor(free.low, MICRO, total.high, &worst) ||
        !mul_div_floor(free.high, MICRO, total.low, &best)) {
        return span_none();
    }
    return span_at_least(span_of(worst - worst % STEP, best - best % STEP), 0);
}

struct span memory_largest_utilization(const struct memory_case *c) {
    return largest_share(c);
}

/* Weights, one request and workspace: what the share has to hold. */
static struct span held_by_share(const struct ask *q) {
    struct kv_side kv = kv_side_of(q);
    struct span request = kv.need;
    const struct fact *length = &q->c->in[FACT_max_model_len];
    if (!request.known || length->source == SOURCE_CATALOGUE) {
        request = span_of(0, request.known ? request.high : 0);
    }
    struct span held = span_plus(weights_bytes(q->c), request);
    return span_plus(held, workspace_bytes(q->c));
}

static int64_t share_of_before(struct span before, struct span after) {
    int64_t share;
    bool is_less = before.known && before.high > 0 && after.low <= before.high;
    return is_less && mul_div_floor(after.low, MICRO, before.high, &share)
               ? share
               : SHARE_NONE;
}

/* The model is unknown: what is left of what was asked for may hold it. */
static void judge_share(const struct ask *q, struct estimate *e,
                        int64_t share) {
    if (share < LEAST_SHARE) {
        e->verdict = VERDICT_NOT_ENOUGH;
        e->short_by = span_none();
        return;
    }
    estimate_if(e, "verdict.if.model_fits");
    condition_add(e, write_short(q->a, e->after.low));
    e->share_micro = share_of_before(e->before, e->after);
    needs_add(&e->needs, FACT_model);
}

static struct str write_down(const struct ask *q, struct span total,
                             int64_t share, struct span limit) {
    struct str u = write_ratio(q->a, share);
    struct str t = write_bytes(q->a, span_middle(total));
    struct str v = write_bytes(q->a, span_middle(share_of(total, share)));
    struct str l = write_bytes(q->a, span_middle(limit));
    struct str sources = write_sources(q->a, q->c, used);
    return arena_printf(q->a,
                        "requested_bytes = %.*s x %.*s = %.*s <= %.*s "
                        "free%.*s",
                        STR_ARG(u), STR_ARG(t), STR_ARG(v), STR_ARG(l),
                        STR_ARG(sources));
}

/* "7.48 GiB per GPU (8.03 B x 2 bytes / TP 2)": parts, and what they leave. */
static struct str write_held(const struct ask *q, struct span share) {
    struct kv_side kv = kv_side_of(q);
    struct formulas parts = {0};
    struct span weights = memory_weights(q->a, q->c, &parts, NULL);
    struct span request = kv.need.known ? kv.need : span_exact(0);
    struct span held = span_plus(weights_nominal(q->c), request);
    struct span rest = span_minus(share, held);
    if (!rest.known || !weights.known) {
        return (struct str){0};
    }
    struct str s = write_bytes(q->a, span_middle(share));
    struct str w = write_bytes(q->a, weights_nominal(q->c).low);
    struct str r = write_bytes(q->a, span_middle(request));
    struct str v = write_bytes(q->a, span_middle(rest));
    struct str spare = arena_printf(
        q->a,
        "spare = %.*s - about %.*s weights - %.*s one request = about %.*s",
        STR_ARG(s), STR_ARG(w), STR_ARG(r), STR_ARG(v));
    struct str all = parts.count > 0 ? parts.at[0] : (struct str){0};
    if (kv.demand.by_model && kv.length > 0) {
        struct str way = write_request(q->a, &kv.demand.ways.at[0], kv.length);
        struct str bytes = write_bytes(
            q->a, way_request(&kv.demand.ways.at[0], kv.length).high);
        all = formula_join(q->a, all,
                           arena_printf(q->a, "one request = %.*s = %.*s",
                                        STR_ARG(way), STR_ARG(bytes)));
    }
    return formula_join(q->a, all, spare);
}

/* Weights, a request and workspace are an interval. */
static void hold_within(const struct ask *q, struct estimate *e,
                        struct span held, struct span room) {
    estimate_if(e, "verdict.if.holds");
    condition_add(e, write_short(q->a, room.low));
    condition_add(e, write_short(q->a, held.low));
    condition_add(e, write_short(q->a, held.high));
    e->share_micro = share_that_passes(held, room);
    needs_add(&e->needs, FACT_activation_peak);
}

static struct estimate down_at_start(const struct ask *q) {
    const struct memory_case *c = q->c;
    struct span total = gpu_total_bytes(c);
    struct span share = largest_share(c);
    struct estimate e = estimate_unknown(FACT_requested_bytes);
    e.before = requested_bytes(c);
    e.limit = span_of_fact(&c->in[FACT_gpu_free]);
    if (!total.known) {
        needs_add(&e.needs, FACT_gpu_total);
    }
    if (!e.limit.known) {
        needs_add(&e.needs, FACT_gpu_free);
    }
    if (!share.known) {
        return e;
    }
    e.after = share_of(total, share.low);
    e.formula = write_down(q, total, share.low, e.limit);
    estimate_judge(&e);
    struct span held = held_by_share(q);
    if (held.known) {
        struct span room = e.after;
        e.verdict = span_fits(held, room);
        e.formula = formula_join(q->a, e.formula, write_held(q, room));
        if (e.verdict == VERDICT_NOT_ENOUGH) {
            e.short_by = span_minus(held, room);
        }
        if (verdict_is_open(e.verdict)) {
            hold_within(q, &e, held, room);
        }
    } else {
        judge_share(q, &e, share.low);
    }
    if (e.verdict != VERDICT_NOT_ENOUGH) {
        e.proposed = propose(FACT_gpu_memory_utilization, share.low);
    }
    return e;
}

/* The pool must still hold one request after it shrank. */
static bool starves_pool(const struct ask *q, struct span loss) {
    struct kv_side kv = kv_side_of(q);
    struct span left = span_minus(kv.pool, loss);
    return span_fits(kv.need, left) == VERDICT_NOT_ENOUGH;
}

static struct str write_freed(const struct ask *q, struct span total,
                              int64_t now, int64_t share, struct span limit) {
    struct str free =
        write_bytes(q->a, span_middle(span_of_fact(&q->c->in[FACT_gpu_free])));
    struct str t = write_bytes(q->a, span_middle(total));
    struct str u0 = write_ratio(q->a, now), u = write_ratio(q->a, share);
    struct str l = write_bytes(q->a, span_middle(limit));
    struct str sources = write_sources(q->a, q->c, used);
    return arena_printf(q->a, "free = %.*s + %.*s x (%.*s - %.*s) = %.*s%.*s",
                        STR_ARG(free), STR_ARG(t), STR_ARG(u0), STR_ARG(u),
                        STR_ARG(l), STR_ARG(sources));
}

/* What other processes and the own CUDA context (0.3 to 1.0 GiB) leave of the
 * card, in two decimals. */
static int64_t share_beside_others(const struct memory_case *c,
                                   struct span total) {
    struct span others = span_of_fact(&c->in[FACT_other_in_use]);
    struct span rest = span_minus(span_minus(total, others),
                                  span_exact(OWN_CONTEXT_MOST));
    int64_t share;
    if (!rest.known || rest.low < 0 ||
        !mul_div_floor(rest.low, MICRO, total.high, &share)) {
        return MICRO;
    }
    return share - share % STEP;
}

/* What is asked for after the allocation that failed: further graphs while
 * they are captured, further layers while the pool is made. Nothing in other
 * stages; unknown where nobody can tell how much. */
struct span more_after_failure(const struct memory_case *c) {
    struct span tried = span_of_fact(&c->in[FACT_tried_alloc]);
    struct span pools = span_of_fact(&c->in[FACT_private_pools]);
    if (stage_is(c, "kv_alloc")) {
        return c->model && c->model->layers > 0
                   ? span_times(tried, c->model->layers - 1)
                   : span_none();
    }
    if (!stage_is(c, "capture")) {
        return span_exact(0);
    }
    struct memory_case bare = *c;
    bare.in[FACT_private_pools].known = false;
    struct span graphs = graph_bytes(&bare);
    return pools.known ? span_at_least(span_minus(graphs, pools), 0) : graphs;
}

/* The largest share that covers the failed allocation at the worst corner and
 * leaves others what they hold; 0: none. */
static int64_t share_for(const struct memory_case *c, struct span total,
                         struct span gap, int64_t now) {
    struct span less =
        span_share(span_exact(gap.high > 0 ? gap.high : 0), MICRO, total.low);
    int64_t beside = share_beside_others(c, total);
    if (!less.known || less.high >= now) {
        return 0;
    }
    int64_t share = now - less.high - 1;
    share -= share % STEP;
    share = share < beside ? share : beside;
    return share < LEAST_SHARE ? 0 : share;
}

/* The share that is proposed, and what it is meant to hold back for. */
struct chosen {
    int64_t share; /* 0: none covers even what failed */
    bool is_whole; /* it covers what is still to come as well */
    struct span more;
};

static struct chosen choose_share(const struct ask *q, struct span total,
                                  struct span gap, int64_t before) {
    const struct memory_case *c = q->c;
    struct chosen o = {.more = more_after_failure(c)};
    struct span whole = span_plus(gap, o.more);
    int64_t share = whole.known ? share_for(c, total, whole, before) : 0;
    o.is_whole =
        share > 0 && !starves_pool(q, share_of(total, before - share));
    o.share = o.is_whole ? share : share_for(c, total, gap, before);
    bool is_beside =
        stage_is(c, "kv_alloc") && share_beside_others(c, total) < MICRO;
    if (!o.is_whole && is_beside) { /* all that follows is inside the share */
        o.is_whole = true;
        o.more = span_exact(0);
    }
    return o;
}

/* What a chosen share comes to. */
static void judge_chosen(const struct ask *q, struct estimate *e,
                         const struct chosen *o, struct span freed) {
    estimate_judge(e);
    if (starves_pool(q, freed)) {
        e->verdict = VERDICT_NOT_ENOUGH;
        return;
    }
    e->proposed = propose(FACT_gpu_memory_utilization, o->share);
    if (o->is_whole && o->more.high > 0) {
        e->formula = formula_join(q->a, e->formula, write_margin(q->a, q->c, o->more));
    } else if (!o->is_whole && e->verdict == VERDICT_ENOUGH) {
        estimate_if(e, "verdict.if.last"); /* the next request may fail */
        condition_add(e, write_short(q->a, e->limit.low - e->after.high));
        needs_add(&e->needs, stage_is(q->c, "kv_alloc")
                                 ? FACT_model
                                 : FACT_cuda_graph_bytes);
    }
}

/* Whatever share is in force: so many hundredths less give back the gap. */
void estimate_less_share(const struct ask *q, struct estimate *e,
                         struct span total, struct span gap) {
    struct span more = more_after_failure(q->c);
    struct span whole = span_plus(gap, more);
    int64_t step = least_share(whole.known ? whole : gap, span_exact(0), total,
                               0);
    if (step <= 0 || step > MOST) {
        return;
    }
    struct span freed = share_of(total, step);
    e->limit = span_plus(e->limit, freed);
    estimate_judge(e);
    struct str s = write_ratio(q->a, step), t = write_bytes(q->a, total.low);
    struct str f = write_bytes(q->a, freed.low);
    e->formula = arena_printf(q->a, "freed = %.*s x %.*s = %.*s", STR_ARG(s),
                              STR_ARG(t), STR_ARG(f));
    estimate_if(e, "verdict.if.less_share");
    condition_add(e, s);
    condition_add(e, write_short(q->a, freed.low));
}

static struct estimate down_for_allocation(const struct ask *q) {
    const struct memory_case *c = q->c;
    const struct fact *now = &c->in[FACT_gpu_memory_utilization];
    struct span total = gpu_total_bytes(c);
    struct span tried = span_of_fact(&c->in[FACT_tried_alloc]);
    struct span free = span_of_fact(&c->in[FACT_gpu_free]);
    struct span gap = span_minus(tried, free);
    struct estimate e = estimate_unknown(FACT_tried_alloc);
    e.before = e.after = tried;
    e.limit = free;
    need_share_inputs(c, &e.needs);
    if (!free.known) {
        needs_add(&e.needs, FACT_gpu_free);
    }
    if (gap.known && total.known && total.low > 0 && !now->known) {
        estimate_less_share(q, &e, total, gap);
        return e;
    }
    if (!gap.known || e.needs.count > 0 || total.low <= 0) {
        return e;
    }
    int64_t before = span_of_setting(now).low;
    struct chosen o = choose_share(q, total, gap, before);
    if (o.share == 0) {
        e.verdict = VERDICT_NOT_ENOUGH;
        e.short_by = span_at_least(gap, 0);
        return e;
    }
    struct span freed = share_of(total, before - o.share);
    e.limit = span_plus(free, freed);
    e.formula = write_freed(q, total, before, o.share, e.limit);
    judge_chosen(q, &e, &o, freed);
    return e;
}

static bool has_pool(const struct memory_case *c) {
    return c->in[FACT_kv_available].known || c->in[FACT_kv_blocks].known ||
           c->in[FACT_kv_tokens].known;
}

/* While weights load or memory is measured there is no pool to shrink. The
 * sampler warms up in the profile run and once more beside the pool: then
 * nobody can tell from the stage. */
static struct estimate down_by_stage(const struct ask *q) {
    if (stage_is(q->c, "load") || stage_is(q->c, "wake")) {
        return estimate_none(FACT_tried_alloc);
    }
    struct estimate e = down_for_allocation(q);
    if (stage_is(q->c, "profile") && !has_pool(q->c) &&
        e.verdict == VERDICT_ENOUGH) {
        estimate_if(&e, "verdict.if.after_pool");
    }
    return e;
}

struct estimate effect_utilization_down(const struct ask *q) {
    switch (q->what) {
    case SHORT_FREE_AT_START: return down_at_start(q);
    case SHORT_ALLOCATION: return down_by_stage(q);
    case SHORT_KV_POOL: return estimate_none(FACT_kv_needed);
    case SHORT_HOST:
    case SHORT_TOKENS:
    case SHORT_UNKNOWN: break;
    }
    return estimate_none(FACT_requested_bytes);
}
