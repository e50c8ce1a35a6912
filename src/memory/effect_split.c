/* effect_split.c: more cards. TP divides weights, and KV heads as far as there
 * are any (then it copies them); latent caches are not divided. PP divides
 * layers. What the weights leave goes to the pool.
 *
 * The proposed number of ranks is the least that is enough: powers of two
 * that divide the attention heads. */
#include "memory/budget.h"
#include "memory/effect.h"
#include "memory/formula.h"
#include "memory/rules.h"
#include "memory/span.h"
#include "memory/weights.h"

#define RANKS_MAX 64

static const enum fact_name used[] = {
    FACT_model,           FACT_weights_bytes,
    FACT_tensor_parallel, FACT_pipeline_parallel,
    FACT_kv_needed,       FACT_kv_available,
    FACT_tried_alloc,     FACT_gpu_free,
    FACT_COUNT_OF};

static bool can_split(const struct memory_case *c, int64_t tp) {
    return c->model == NULL || c->model->heads <= 0 ||
           c->model->heads % tp == 0;
}

/* Bytes that a rank's weights give back. */
static struct span freed(const struct memory_case *c, int64_t now,
                         int64_t ranks) {
    struct span weights = weights_bytes(c);
    struct span then = span_share(weights, now, ranks);
    struct span most = span_share(then, 105, 100);
    if (!weights.known || !then.known || !most.known) {
        return span_none();
    }
    return span_of(weights.low - then.low > 0
                       ? span_share(span_exact(weights.low),
                                    ranks * 100 - now * 105, ranks * 100)
                             .low
                       : 0,
                   weights.high - then.high);
}

struct split {
    enum fact_name fact;
    int64_t now;
    struct demand (*demand)(struct arena *a, const struct demand *d,
                            int64_t before, int64_t after);
};

static struct estimate for_pool(const struct ask *q, const struct kv_side *kv,
                                const struct split *s, int64_t ranks) {
    struct estimate e = estimate_of_kv(kv);
    struct demand then = s->demand(q->a, &kv->demand, s->now, ranks);
    struct span more = rules_pool_is_asked(q->c)
                           ? span_exact(0)
                           : freed(q->c, s->now, ranks);
    e.after = kv->length > 0 ? demand_bytes(&then, kv->length) : span_none();
    e.limit = more.known ? span_plus(kv->pool, more) : kv->pool;
    estimate_judge(&e);
    if (!more.known && e.verdict == VERDICT_NOT_ENOUGH) {
        e.verdict = VERDICT_UNKNOWN; /* the pool grows, nobody knows how far */
    }
    return e;
}

static struct estimate for_allocation(const struct ask *q,
                                      const struct split *s, int64_t ranks) {
    struct estimate e = estimate_unknown(FACT_tried_alloc);
    struct span free = span_of_fact(&q->c->in[FACT_gpu_free]);
    e.before = span_of_fact(&q->c->in[FACT_tried_alloc]);
    e.after = e.before;
    struct span more = freed(q->c, s->now, ranks);
    /* Only while weights load does the rank hold nothing else. */
    if (!stage_is(q->c, "load")) {
        e.limit = free;
        return e;
    }
    struct span mine = span_of_fact(&q->c->in[FACT_pytorch_allocated]);
    struct span room = span_plus(free, mine);
    struct span weights = weights_bytes(q->c);
    e.quantity = FACT_weights_bytes;
    e.before = weights;
    e.after = span_minus(weights, more);
    e.limit = room;
    if (e.after.known && e.limit.known) {
        estimate_judge(&e);
    }
    return e;
}

static struct str write_split(const struct ask *q, const struct split *s,
                              int64_t ranks) {
    struct span weights = weights_bytes(q->c);
    struct span then = span_share(weights, s->now, ranks);
    if (!then.known) {
        return (struct str){0};
    }
    struct str w = write_bytes(q->a, span_middle(weights));
    struct str v = write_bytes(q->a, span_middle(then));
    struct str sources = write_sources(q->a, q->c, used);
    return arena_printf(q->a,
                        "weights = about %.*s x %lld / %lld ranks = about "
                        "%.*s%.*s",
                        STR_ARG(w), (long long)s->now, (long long)ranks,
                        STR_ARG(v), STR_ARG(sources));
}

static struct estimate split_by(const struct ask *q, const struct split *s) {
    if (q->what != SHORT_KV_POOL && q->what != SHORT_ALLOCATION) {
        return estimate_none(FACT_requested_bytes);
    }
    bool is_pool = q->what == SHORT_KV_POOL;
    struct kv_side kv = kv_side_of(q);
    struct estimate first = estimate_none(FACT_kv_needed);
    struct estimate e = first;
    for (int64_t ranks = s->now * 2; ranks <= RANKS_MAX; ranks *= 2) {
        if (s->fact == FACT_tensor_parallel && !can_split(q->c, ranks)) {
            continue;
        }
        e = is_pool ? for_pool(q, &kv, s, ranks) : for_allocation(q, s, ranks);
        e.formula = write_split(q, s, ranks);
        if (e.verdict == VERDICT_ENOUGH) {
            e.proposed = propose(s->fact, ranks);
        }
        if (first.verdict == VERDICT_NONE) {
            first = e;
        }
        if (e.verdict == VERDICT_ENOUGH) {
            return e;
        }
    }
    if (verdict_is_open(e.verdict) && first.verdict != VERDICT_NONE) {
        e = first;
        e.verdict = VERDICT_UNKNOWN; /* the fewest ranks, bounded later */
        if (!q->c->model) {
            needs_add(&e.needs, FACT_model);
        } else if (!kv.pool.known && is_pool) {
            needs_add(&e.needs, FACT_kv_available);
        }
    }
    return e;
}

struct estimate effect_tensor_parallel(const struct ask *q) {
    struct split s = {FACT_tensor_parallel,
                      setting_of(q->c, FACT_tensor_parallel, 1),
                      demand_with_tp};
    return split_by(q, &s);
}

struct estimate effect_pipeline_parallel(const struct ask *q) {
    struct split s = {FACT_pipeline_parallel,
                      setting_of(q->c, FACT_pipeline_parallel, 1),
                      demand_with_pp};
    return split_by(q, &s);
}
