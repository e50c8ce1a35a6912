/* effect_weights.c: fewer bytes of weights on the card: narrower values, a part
 * in host memory, more cards. The pool gains what the weights lose; a check
 * that comes before loading does not notice.
 *
 * TP divides weights, and KV heads as far as there are any (then it copies
 * them); latent caches are not divided. PP divides layers. The proposed number
 * of ranks is the least that is enough: powers of two that divide the attention
 * heads. */
#include "base/limits.h"
#include "memory/effect.h"

#define NARROWER_PERCENT 75 /* of what is held, from 16 bits to 4 */

static const enum fact_name used[] =
    FACTS(FACT_weights_bytes, FACT_model, FACT_quantization, FACT_kv_needed,
          FACT_kv_available, FACT_tried_alloc, FACT_gpu_free);

/* Against the pool; against all of the card while weights load; else a step
 * failed beside them, and gets what they give back. */
static struct estimate with_bits(const struct query *q,
                                 const struct kv_side *kv, int64_t bits) {
    struct span now = weights_bytes(q->c);
    struct span then = weights_with_bits(q->c, bits);
    struct span less = span_at_least(span_minus(now, then), 0);
    struct estimate e = estimate_of_allocation(q->c);
    /* a server's own limit for the weights that it loads, if it is printed */
    struct span room =
        span_or(span_in(q->c, FACT_pool_available),
                span_plus(span_in(q->c, FACT_pytorch_allocated), e.limit));
    bool is_beside_pool = false;
    if (is_pool(q)) {
        e = estimate_of_kv(kv);
        e.limit = span_plus(kv->pool, less);
    } else if (stage_is(q->c, "load")) {
        e = estimate_of(FACT_weights_bytes, now, room);
        e.after = then;
    } else {
        /* the engine gives to its pool what weights leave */
        is_beside_pool = engine_of(q->c)->is_named;
        e.limit = is_beside_pool ? span_none() : span_plus(e.limit, less);
    }
    if (!is_beside_pool)
        estimate_judge(&e);
    if (then.known)
        e.formula = EXPLAIN(
            q, used,
            "weights at least = % x % / % bits = %; weights at most = %",
            BYTES(now.low), PLAIN(bits), PLAIN(weight_bits(q->c)),
            BYTES(then.low), BYTES(then.high));
    return e;
}

/* How much there is to load is not known: at most so much in 16 bits fits with
 * 4, and so much less than was there already. */
static struct estimate while_loading(const struct query *q) {
    struct estimate e = estimate_unknown(FACT_weights_bytes);
    struct span held = span_in(q->c, FACT_pytorch_allocated);
    struct span free = shortfall_of(q).free, room = span_plus(held, free);
    struct span most = span_times(room, 16 / 4);
    needs_add(&e.needs, q->c->model ? FACT_weights_bytes : FACT_model);
    if (most.known) {
        e.limit = room;
        ESTIMATE_IF(q, &e, "verdict.if.weights_most", SHORT(most.low));
        e.formula =
            FORMULA(q->a, "weights at most = (% + % free) x 16 / 4 bits = %",
                    BYTES(held.low), BYTES(free.low), BYTES(most.low));
    }
    return e;
}

/* The fewest bits less that are enough; else 4 bits, and what is not known. */
static struct estimate fewer_bits(const struct query *q, int64_t from) {
    struct estimate e =
        estimate_none(is_pool(q) ? FACT_kv_needed : FACT_weights_bytes);
    struct kv_side kv = kv_side_of(q);
    for (int64_t bits = from == 16 ? 8 : 4; from > 0 && bits >= 4; bits /= 2) {
        e = with_bits(q, &kv, bits);
        if (e.verdict == VERDICT_ENOUGH) {
            e.proposed = propose_word(FACT_quantization,
                                      bits == 8 ? STR("fp8") : STR("awq"));
            return e;
        }
    }
    if (!verdict_is_open(e.verdict))
        return e;
    if (from > 0)
        e.proposed = propose_word(FACT_quantization, STR("awq"));
    estimate_needs(&e, weights_bytes(q->c).known,
                   q->c->model ? FACT_weights_bytes : FACT_model);
    estimate_needs(&e, !is_pool(q) || kv.pool.known, FACT_kv_available);
    return e;
}

struct estimate effect_quantization(const struct query *q) {
    int64_t from = weight_bits(q->c);
    bool is_open = is_allocation(q) && !weights_bytes(q->c).known;
    if ((!is_pool(q) && !is_allocation(q)) || from == 4) /* no narrower one */
        return estimate_none(is_pool(q) ? FACT_kv_needed : FACT_weights_bytes);
    if (is_open && stage_is(q->c, "load"))
        return while_loading(q);
    if (!is_open || engine_of(q->c)->is_named)
        return fewer_bits(q, from);
    struct estimate e = step_freeing(q, NARROWER_PERCENT);
    needs_add(&e.needs, q->c->model ? FACT_weights_bytes : FACT_model);
    return e;
}

/* ---- fewer_weights ---- */

/* While loading it is not known how many requests follow: what stays must fit
 * into what was held and free. */
static struct estimate stays(const struct query *q) {
    struct estimate e = estimate_unknown(FACT_weights_bytes);
    struct span room =
        span_plus(span_in(q->c, FACT_pytorch_allocated), shortfall_of(q).free);
    estimate_needs(&e, q->c->model != NULL, FACT_model);
    if (room.known && room.low > 0) {
        e.limit = room;
        ESTIMATE_IF(q, &e, "verdict.if.weights_stay", SHORT(room.low));
    }
    return e;
}

/* Before it loads, a program compares what a model needs with what is free. */
static bool put_need(const struct query *q, struct estimate *e) {
    struct span need = span_in(q->c, FACT_requested_bytes);
    struct span have = span_in(q->c, FACT_host_free);
    if (!stage_is(q->c, "load") || !need.known || !have.known ||
        need.low <= have.high)
        return false;
    *e = estimate_of(FACT_requested_bytes, need, have);
    e->after = span_none();
    ESTIMATE_IF(q, e, "verdict.if.smaller", SHORT(span_middle(have)),
                SHORT(span_middle(need)));
    return true;
}

/* In a step, weights that leave the GPU free what they take: all that is held,
 * at most. */
struct estimate effect_fewer_weights(const struct query *q) {
    struct estimate e;
    if (put_need(q, &e))
        return e;
    if (!is_allocation(q) || stage_is(q->c, "save"))
        return estimate_none(FACT_tried_alloc);
    return stage_is(q->c, "load") ? stays(q) : step_freeing(q, 100);
}

/* ---- half_precision ---- */

/* While loading, all weights in 16 bits against all that was to be had. */
static struct estimate halved_while_loading(const struct query *q) {
    struct span params = span_in(q->c, FACT_model_params);
    struct estimate e = estimate_of(
        FACT_weights_bytes, span_times(params, 4),
        span_plus(span_in(q->c, FACT_pytorch_allocated), shortfall_of(q).free));
    e.after = span_times(params, 2);
    if (e.after.known && e.limit.known) {
        estimate_judge(&e);
        e.formula = FORMULA(q->a, "weights = % params x 2 bytes = %",
                            COUNT(params.low), BYTES(e.after.low));
    }
    estimate_needs(&e, params.known, FACT_model);
    return e;
}

/* From 32 bits to 16 a step frees half of what it holds, at most: weights that
 * are trained keep a copy in 32 bits. */
struct estimate effect_half_precision(const struct query *q) {
    if (!is_allocation(q) || stage_is(q->c, "save"))
        return estimate_none(FACT_tried_alloc);
    return stage_is(q->c, "load") ? halved_while_loading(q)
                                  : step_freeing(q, 50);
}

/* ---- cpu_offload ---- */

#define OFFLOAD_SHARE                                                          \
    (3 * UNITS_MICRO / 10) /* what the rest needs is not known */
#define ROOM_SHARE 5 /* a fifth of the GPU: for the pool and one step */

/* While weights load: what the GPU does not hold of them goes to the host, and
 * as much as makes room for what follows. */
static struct estimate offload_while_loading(const struct query *q) {
    struct span weights = weights_bytes(q->c);
    struct span room = span_plus(span_in(q->c, FACT_gpu_free),
                                 span_in(q->c, FACT_pytorch_allocated));
    struct estimate e = estimate_of(FACT_weights_bytes, weights, room);
    struct span gap = span_beyond(weights, room);
    struct span whole = span_plus(gap, span_share(room, 1, ROOM_SHARE));
    int64_t bytes;
    e.short_by = gap;
    if (!whole.known || gap.high <= 0 ||
        !mul_i64(ceil_div(whole.high, GIB), GIB, &bytes) ||
        bytes > weights.low / 2) { /* with most of them there it crawls */
        estimate_needs(&e, weights.known, FACT_model);
        return e;
    }
    e.after = span_minus(weights, span_exact(bytes));
    e.formula = EXPLAIN(q, used, "cpu_offload = ceil(% / 1 GiB) GiB = %",
                        BYTES(whole.high), BYTES(bytes));
    ESTIMATE_IF(q, &e, "verdict.if.offload", SHORT(bytes),
                SHORT(span_middle(weights)));
    e.share_micro = OFFLOAD_SHARE;
    e.proposed = propose(FACT_cpu_offload, bytes);
    return e;
}

/* Only while weights load: no fix of an entry moves them later. */
struct estimate effect_cpu_offload(const struct query *q) {
    return is_allocation(q) && stage_is(q->c, "load")
               ? offload_while_loading(q)
               : estimate_none(FACT_tried_alloc);
}

/* ---- more cards ---- */

static const enum fact_name of_ranks[] =
    FACTS(FACT_model, FACT_weights_bytes, FACT_tensor_parallel,
          FACT_pipeline_parallel, FACT_kv_needed, FACT_kv_available,
          FACT_tried_alloc, FACT_gpu_free);

static struct span freed(const struct inputs *c, int64_t now, int64_t ranks) {
    struct span weights = weights_bytes(c);
    struct span then = span_share(weights, now, ranks);
    struct span rest = span_share(span_exact(weights.low),
                                  ranks * 100 - now * 105, ranks * 100);
    if (!weights.known || !then.known || !span_share(then, 105, 100).known)
        return span_none();
    return span_of(weights.low > then.low ? rest.low : 0,
                   weights.high - then.high);
}

static struct estimate for_pool(const struct query *q, const struct kv_side *kv,
                                const struct demand *then, struct span more) {
    struct estimate e = estimate_of_kv(kv);
    more = rules_pool_is_asked(q->c) ? span_exact(0) : more;
    e.after = kv->length > 0 ? demand_bytes(then, kv->length) : span_none();
    e.limit = more.known ? span_plus(kv->pool, more) : kv->pool;
    estimate_judge(&e);
    if (!more.known && e.verdict == VERDICT_NOT_ENOUGH)
        e.verdict =
            VERDICT_UNKNOWN; /* the pool grows, by how much is not known */
    return e;
}

/* Only while weights load does the rank hold nothing else. */
static struct estimate for_allocation(const struct query *q, int64_t now,
                                      int64_t ranks) {
    if (!stage_is(q->c, "load"))
        return estimate_of_allocation(q->c);
    struct span weights = weights_bytes(q->c);
    struct estimate e =
        estimate_of(FACT_weights_bytes, weights,
                    span_plus(span_in(q->c, FACT_gpu_free),
                              span_in(q->c, FACT_pytorch_allocated)));
    e.after = weights_over(q->c, now, ranks);
    if (e.after.known && e.limit.known)
        estimate_judge(&e);
    return e;
}

static struct str write_split(const struct query *q, int64_t now,
                              int64_t ranks) {
    struct span weights = weights_bytes(q->c);
    struct span then = span_share(weights, now, ranks);
    return then.known ? EXPLAIN(q, of_ranks,
                                "weights = about % x % / % ranks = about %",
                                MIDDLE(weights), PLAIN(now), PLAIN(ranks),
                                MIDDLE(then))
                      : (struct str){0};
}

static struct estimate split_by(const struct query *q, enum fact_name fact) {
    const struct inputs *c = q->c;
    int64_t now = setting_of(c, fact, 1);
    int64_t heads =
        fact == FACT_tensor_parallel && c->model ? c->model->heads : 0;
    if (!is_pool(q) && !is_allocation(q))
        return estimate_none(FACT_requested_bytes);
    struct kv_side kv = kv_side_of(q);
    struct estimate first = estimate_none(FACT_kv_needed), e = first;
    for (int64_t ranks = now * 2; ranks <= FIT_RANKS_MAX; ranks *= 2) {
        if (heads > 0 && heads % ranks != 0)
            continue;
        struct span more = freed(c, now, ranks);
        struct demand then = demand_split(q->a, &kv.demand, fact, now, ranks);
        e = is_pool(q) ? for_pool(q, &kv, &then, more)
                       : for_allocation(q, now, ranks);
        e.formula = write_split(q, now, ranks);
        first = first.verdict == VERDICT_NONE ? e : first;
        if (e.verdict == VERDICT_ENOUGH) {
            e.proposed = propose(fact, ranks);
            return e;
        }
    }
    if (verdict_is_open(e.verdict) && first.verdict != VERDICT_NONE) {
        e = first;
        e.verdict = VERDICT_UNKNOWN; /* the fewest ranks, bounded later */
        estimate_needs(&e, c->model != NULL, FACT_model);
        estimate_needs(&e, !c->model || kv.pool.known || !is_pool(q),
                       FACT_kv_available);
    }
    return e;
}

struct estimate effect_tensor_parallel(const struct query *q) {
    return split_by(q, FACT_tensor_parallel);
}

struct estimate effect_pipeline_parallel(const struct query *q) {
    return split_by(q, FACT_pipeline_parallel);
}
