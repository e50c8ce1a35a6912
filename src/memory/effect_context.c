/* effect_context.c: decode context parallelism. Ranks that keep the same cache
 * (latents always, heads where there are more ranks than heads) share its
 * tokens instead: a request then needs a part of it on each. It costs no card.
 *
 *     latents     up to TP ranks share them
 *     heads       TP / heads, where that is more than one
 *
 * It refuses windows and recurrent states, which vLLM does not share so, and
 * says nothing of a model that it does not know.
 */
#include "memory/effect.h"
#include "memory/formula.h"
#include "memory/kv_formula.h"
#include "memory/span.h"

static const enum fact_name used[] = {
    FACT_model, FACT_tensor_parallel, FACT_kv_needed, FACT_max_model_len,
    FACT_COUNT_OF};

/* Ranks that keep the same; 1: none do. */
static int64_t copies_of(const struct model *m, int64_t tp) {
    int64_t least = tp;
    for (size_t i = 0; i < m->group_count; i++) {
        const struct kv_group *g = &m->groups[i];
        switch (g->kind) {
        case KV_mla:
        case KV_indexer: break;
        case KV_full:
            if (g->kv_heads <= 0 || tp / g->kv_heads < least) {
                least = g->kv_heads > 0 ? tp / g->kv_heads : 1;
            }
            break;
        case KV_sliding:
        case KV_chunked:
        case KV_state:
        case KV_cross:
        case KV_KIND_COUNT_OF: return 1;
        }
    }
    return least > 1 ? least : 1;
}

static struct str write_shared(const struct ask *q, const struct demand *then,
                               int64_t length, int64_t ranks) {
    struct span need = demand_bytes(then, length);
    struct str text = write_request(q->a, &then->ways.at[0], length);
    struct str value = write_bytes_span(q->a, need);
    struct str sources = write_sources(q->a, q->c, used);
    if (!need.known || text.n == 0) {
        return (struct str){NULL, 0};
    }
    return arena_printf(q->a, "kv_needed with %lld context ranks = %.*s = "
                              "%.*s%.*s", (long long)ranks, STR_ARG(text),
                        STR_ARG(value), STR_ARG(sources));
}

static struct estimate shared_by(const struct ask *q, const struct kv_side *kv,
                                 int64_t ranks) {
    struct estimate e = estimate_of_kv(kv);
    struct demand then =
        demand_with_context_ranks(q->a, &kv->demand, ranks);
    e.after = demand_bytes(&then, kv->length);
    e.limit = kv->pool;
    estimate_judge(&e);
    e.proposed = propose(FACT_decode_context_parallel, ranks);
    e.formula = write_shared(q, &then, kv->length, ranks);
    return e;
}

struct estimate effect_decode_context_parallel(const struct ask *q) {
    struct kv_side kv = kv_side_of(q);
    int64_t tp = setting_of(q->c, FACT_tensor_parallel, 1);
    int64_t now = setting_of(q->c, FACT_decode_context_parallel, 1);
    if (q->what != SHORT_KV_POOL) {
        return estimate_none(FACT_requested_bytes);
    }
    if (q->c->model == NULL || !kv.demand.by_model || kv.length <= 0) {
        struct estimate e = estimate_unknown(FACT_kv_needed);
        needs_add(&e.needs, q->c->model ? FACT_max_model_len : FACT_model);
        return e;
    }
    struct estimate e = estimate_none(FACT_kv_needed);
    int64_t copies = copies_of(q->c->model, tp);
    for (int64_t ranks = now * 2; ranks <= copies; ranks *= 2) {
        e = shared_by(q, &kv, ranks);
        if (e.verdict == VERDICT_ENOUGH) {
            return e;
        }
    }
    return e;
}
