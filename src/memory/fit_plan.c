/* fit_plan.c: what to change so that it fits, cheapest first: a flag before
 * quality (a narrower cache, quantized weights), quality before hardware. Here
 * for a pool of vLLM that somebody printed or said, which cannot be reckoned
 * anew from the card; every other question goes to fit_search.c.
 *
 *     singles    one effect that is enough at the worst corner
 *     pairs      the same after an fp8 cache, eager mode or more utilization,
 *                where no single of that cost does it
 *
 * Every change is judged by the arithmetic of its effect on a case whose pool
 * is what was said or derived; a pair asks the second effect on the case that
 * the first one leaves. What comes out is asked once more as a question of its
 * own, so that nothing is listed that is only perhaps enough.
 */
#include "memory/budget.h"
#include "memory/effect.h"
#include "memory/fit_case.h"
#include "memory/rules.h"
#include "memory/span.h"
#include "memory/weights.h"

struct tunable {
    enum effect effect;
    enum fit_tier tier;
};

/* In order of tiers, then of what a person would try first. */
static const struct tunable tunables[] = {
    {EFFECT_gpu_memory_utilization_up, TIER_flag},
    {EFFECT_max_model_len, TIER_flag},
    {EFFECT_max_num_batched_tokens, TIER_flag},
    {EFFECT_enforce_eager, TIER_speed},
    {EFFECT_kv_cache_dtype, TIER_quality},
    {EFFECT_quantization, TIER_quality},
    {EFFECT_tensor_parallel, TIER_hardware},
    {EFFECT_pipeline_parallel, TIER_hardware},
};

#define TUNABLES (sizeof tunables / sizeof tunables[0])

struct planning {
    struct arena *a;
    const struct fit_question *q; /* as it was asked */
    struct fit *fit;
};

/* Effects work on a pool: the derived one stands in for a printed one. */
static struct inputs with_pool(const struct inputs *c, struct span pool) {
    struct inputs p = *c;
    struct fact *f = &p.in[FACT_kv_available];
    if (!f->known && pool.known) {
        *f = propose(FACT_kv_available, span_middle(pool));
        f->low = pool.low;
        f->high = pool.high;
        f->ranged = pool.low != pool.high;
    }
    return p;
}

static bool is_power_in_reach(const struct inputs *c,
                              const struct fact *proposed) {
    const struct fact *cards = &c->in[FACT_gpu_count];
    bool splits = proposed->name == FACT_tensor_parallel ||
                  proposed->name == FACT_pipeline_parallel;
    int64_t other = proposed->name == FACT_tensor_parallel
                        ? c->in[FACT_pipeline_parallel].number
                        : c->in[FACT_tensor_parallel].number;
    int64_t ranks;
    return splits && cards->known &&
           mul_i64(proposed->number, other > 0 ? other : 1, &ranks) &&
           ranks <= cards->number;
}

/* More ranks on cards that are there cost a flag. */
static enum fit_tier tier_of(const struct inputs *c, const struct tunable *l,
                             const struct fact *proposed) {
    return is_power_in_reach(c, proposed) ? TIER_flag : l->tier;
}

/* A length that the engine itself has printed as one that fits. */
static bool is_told(const struct planning *p, const struct fit_plan *plan) {
    return plan->count == 1 && plan->change[0].name == FACT_max_model_len &&
           plan->change[0].number <= fit_told_length(&p->q->c);
}

/* The whole question again with these changes. A pool that was said cannot be
 * reckoned anew; then the effect's own word counts. */
static bool holds(const struct planning *p, const struct fit_plan *plan) {
    struct fit_question then = *p->q;
    bool is_said = inputs_says_pool(&then.c);
    for (size_t i = 0; i < plan->count; i++) {
        const struct fact *f = &plan->change[i];
        bool keeps_pool =
            f->name == FACT_max_model_len || f->name == FACT_kv_cache_dtype;
        if (is_said && !keeps_pool) {
            return true;
        }
        then.c.in[f->name] = *f;
        then.c.in[f->name].source = SOURCE_USER;
    }
    inputs_forget(&then.c, fit_of_this_length);
    fit_complete(p->a, &then);
    struct kv kv = fit_kv(p->a, &then.c, NULL);
    return fit_verdict(&then.c, &kv, 1) == FIT_YES;
}

static void add(const struct planning *p, const struct fit_plan *plan) {
    if (is_told(p, plan) || holds(p, plan)) {
        fit_add_plan(p->fit, plan);
    }
}

static bool has_tier(const struct fit *fit, enum fit_tier most) {
    return fit->plan_count > 0 && fit->plans[0].tier <= most;
}

/* The case after a first change that is not enough by itself. */
static struct inputs after_change(const struct inputs *c,
                                  const struct fact *change, struct span pool) {
    struct inputs next = *c;
    next.in[change->name] = *change;
    next.in[change->name].source = SOURCE_USER;
    inputs_forget(&next, fit_of_this_length);
    next.in[FACT_kv_available].known = false;
    return with_pool(&next, pool);
}

/* Each lever that is enough, by itself (first NULL) or after a first change of
 * this tier, where no plan of that cost does it. */
static void add_tunables(const struct planning *p, const struct inputs *c,
                         const struct fact *first, struct span pool,
                         enum fit_tier tier) {
    struct inputs next = first ? after_change(c, first, pool) : *c;
    for (size_t i = 0; i < TUNABLES; i++) {
        struct estimate e =
            memory_effect(p->a, &next, SHORT_KV_POOL, tunables[i].effect);
        if (e.verdict != VERDICT_ENOUGH || !e.proposed.known ||
            (first && e.proposed.name == first->name)) {
            continue;
        }
        enum fit_tier own = tier_of(c, &tunables[i], &e.proposed);
        struct fit_plan plan = {.change = {e.proposed},
                                .count = 1,
                                .tier = own > tier ? own : tier,
                                .needed = e.after,
                                .pool = e.limit,
                                .formula = e.formula};
        if (first) {
            plan.change[plan.count++] = plan.change[0];
            plan.change[0] = *first;
        }
        if (!first || !has_tier(p->fit, plan.tier)) {
            add(p, &plan);
        }
    }
}

static void add_pairs(const struct planning *p, const struct inputs *c,
                      struct span pool) {
    struct arena *a = p->a;
    struct estimate eager =
        memory_effect(a, c, SHORT_KV_POOL, EFFECT_enforce_eager);
    if (eager.proposed.known) {
        add_tunables(p, c, &eager.proposed, eager.limit, TIER_speed);
    }
    struct estimate narrow =
        memory_effect(a, c, SHORT_KV_POOL, EFFECT_kv_cache_dtype);
    if (narrow.verdict != VERDICT_NONE) {
        struct fact fp8 = propose_word(FACT_kv_cache_dtype, STR("fp8"));
        add_tunables(p, c, &fp8, pool, TIER_quality);
    }
    struct estimate fewer =
        memory_effect(a, c, SHORT_KV_POOL, EFFECT_quantization);
    struct span now = weights_bytes(c), then = weights_with_bits(c, 4);
    if (fewer.verdict != VERDICT_NONE && now.known && then.known) {
        struct fact awq = propose_word(FACT_quantization, STR("awq"));
        struct span more = span_minus(now, then);
        add_tunables(p, c, &awq, span_plus(pool, more), TIER_quality);
    }
}

void fit_plan(struct arena *a, const struct fit_question *q, struct fit *fit) {
    if (!inputs_says_pool(&q->c) || !fit->is_vllm || q->requests > 1) {
        fit_search(a, q, fit);
        return;
    }
    struct inputs c = with_pool(&fit->c, fit->kv.pool);
    struct planning p = {a, q, fit};
    add_tunables(&p, &c, NULL, span_none(), TIER_flag);
    add_pairs(&p, &c, fit->kv.pool);
}
