/* effect_split.c: more cards. TP divides weights, and KV heads as far as there
 * are any (then it copies them); latent caches are not divided. PP divides
 * layers. What the weights leave goes to the pool.
 *
 * The proposed number of ranks is the least that is enough: powers of two
 * that divide the attention heads. */
#include "base/limits.h"
#include "memory/effect.h"
#include "memory/rules.h"
#include "memory/weights.h"

static const enum fact_name used[] =
    FACTS(FACT_model, FACT_weights_bytes, FACT_tensor_parallel,
          FACT_pipeline_parallel, FACT_kv_needed, FACT_kv_available,
          FACT_tried_alloc, FACT_gpu_free);

static struct span freed(const struct inputs *c, int64_t now, int64_t ranks) {
    struct span weights = weights_bytes(c);
    struct span then = span_share(weights, now, ranks);
    struct span rest = span_share(span_exact(weights.low),
                                  ranks * 100 - now * 105, ranks * 100);
    if (!weights.known || !then.known || !span_share(then, 105, 100).known) {
        return span_none();
    }
    return span_of(weights.low > then.low ? rest.low : 0,
                   weights.high - then.high);
}

static struct estimate for_pool(const struct ask *q, const struct kv_side *kv,
                                const struct demand *then, struct span more) {
    struct estimate e = estimate_of_kv(kv);
    more = rules_pool_is_asked(q->c) ? span_exact(0) : more;
    e.after = kv->length > 0 ? demand_bytes(then, kv->length) : span_none();
    e.limit = more.known ? span_plus(kv->pool, more) : kv->pool;
    estimate_judge(&e);
    if (!more.known && e.verdict == VERDICT_NOT_ENOUGH) {
        e.verdict = VERDICT_UNKNOWN; /* the pool grows, nobody knows how far */
    }
    return e;
}

/* Only while weights load does the rank hold nothing else. */
static struct estimate for_allocation(const struct ask *q, int64_t now,
                                      int64_t ranks) {
    if (!stage_is(q->c, "load")) {
        return estimate_of_allocation(q->c);
    }
    struct span weights = weights_bytes(q->c);
    struct estimate e =
        estimate_of(FACT_weights_bytes, weights,
                    span_plus(span_in(q->c, FACT_gpu_free),
                              span_in(q->c, FACT_pytorch_allocated)));
    struct span even = span_share(weights, now, ranks);
    e.after = span_between(even, span_share(even, 105, 100));
    if (e.after.known && e.limit.known) {
        estimate_judge(&e);
    }
    return e;
}

static bool divides_heads(const struct model *m, int64_t ranks) {
    return m == NULL || m->heads <= 0 || m->heads % ranks == 0;
}

static struct str write_split(const struct ask *q, int64_t now, int64_t ranks) {
    struct span weights = weights_bytes(q->c);
    struct span then = span_share(weights, now, ranks);
    return then.known ? FORMULA_OF(q->a, q->c, used,
                                   "weights = about % x % / % ranks = about %",
                                   MIDDLE(weights), PLAIN(now), PLAIN(ranks),
                                   MIDDLE(then))
                      : (struct str){0};
}

static struct estimate split_by(const struct ask *q, enum fact_name fact) {
    const struct inputs *c = q->c;
    int64_t now = setting_of(c, fact, 1);
    if (!is_pool(q) && !is_allocation(q)) {
        return estimate_none(FACT_requested_bytes);
    }
    struct kv_side kv = kv_side_of(q);
    struct estimate first = estimate_none(FACT_kv_needed), e = first;
    for (int64_t ranks = now * 2; ranks <= FIT_RANKS_MAX; ranks *= 2) {
        if (fact == FACT_tensor_parallel && !divides_heads(c->model, ranks)) {
            continue;
        }
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
        if (!c->model) {
            needs_add(&e.needs, FACT_model);
        } else if (!kv.pool.known && is_pool(q)) {
            needs_add(&e.needs, FACT_kv_available);
        }
    }
    return e;
}

struct estimate effect_tensor_parallel(const struct ask *q) {
    return split_by(q, FACT_tensor_parallel);
}

struct estimate effect_pipeline_parallel(const struct ask *q) {
    return split_by(q, FACT_pipeline_parallel);
}
