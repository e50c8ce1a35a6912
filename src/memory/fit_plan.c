/* fit_plan.c: what to change so that it fits, cheapest first: a flag before
 * quality (a narrower cache, quantized weights), quality before hardware. Here
 * for a pool of vLLM that was printed or given, which cannot be computed
 * anew from the card; every other question goes to fit_search.c.
 *
 *     singles    one effect that is enough at the worst corner
 *     pairs      the same after an fp8 cache, eager mode or more utilization,
 *                where no single of that cost does it
 *
 * Every change is judged by the arithmetic of its effect on a case whose pool
 * is what was given or derived; a pair applies the second effect to the case
 * that the first one leaves. The result is tried once more as a question of its
 * own, so that nothing is listed that is only perhaps enough.
 */
#include "memory/effect.h"
#include "memory/fit_case.h"

/* In order of tiers, then of what a person would try first. */
static const struct remedy {
    enum effect effect;
    enum fit_tier tier;
} remedies[] = {
    {EFFECT_gpu_memory_utilization_up, TIER_flag},
    {EFFECT_max_model_len, TIER_flag},
    {EFFECT_max_num_batched_tokens, TIER_flag},
    {EFFECT_enforce_eager, TIER_speed},
    {EFFECT_kv_cache_dtype, TIER_quality},
    {EFFECT_quantization, TIER_quality},
    {EFFECT_tensor_parallel, TIER_hardware},
    {EFFECT_pipeline_parallel, TIER_hardware},
};

struct planning {
    struct arena *a;
    const struct fit_question *q; /* as it was asked */
    struct fit *fit;
};

/* Effects work on a pool: the derived one stands in for a printed one. */
static void put_pool(struct inputs *c, struct span pool) {
    struct fact *f = &c->in[FACT_kv_available];
    if (!f->known && pool.known)
        *f = fit_derived(FACT_kv_available, pool, "");
}

/* More ranks on cards that are there cost a flag. */
static bool is_in_reach(const struct inputs *c, const struct fact *proposed) {
    bool is_tp = proposed->name == FACT_tensor_parallel;
    const struct fact *cards = &c->in[FACT_gpu_count];
    int64_t other =
        setting_of(c, is_tp ? FACT_pipeline_parallel : FACT_tensor_parallel, 1);
    int64_t ranks;
    return (is_tp || proposed->name == FACT_pipeline_parallel) &&
           cards->known && mul_i64(proposed->number, other, &ranks) &&
           ranks <= cards->number;
}

/* The whole question again with these changes. A length that the engine itself
 * has printed fits; a pool that was given cannot be computed anew: then
 * the effect's own verdict counts. */
static bool holds(const struct planning *p, const struct fit_plan *plan) {
    struct fit_question then = *p->q;
    bool is_stated = inputs_states_pool(&then.c);
    if (plan->count == 1 && plan->change[0].name == FACT_max_model_len &&
        plan->change[0].number <= fit_printed_length(p->a, &then.c))
        return true;
    for (size_t i = 0; i < plan->count; i++) {
        const struct fact *f = &plan->change[i];
        bool keeps_pool =
            f->name == FACT_max_model_len || f->name == FACT_kv_cache_dtype;
        if (is_stated && !keeps_pool)
            return true;
        then.c.in[f->name] = *f;
        then.c.in[f->name].source = SOURCE_USER;
    }
    inputs_forget(&then.c, fit_of_this_length);
    fit_complete(p->a, &then);
    struct kv kv = fit_kv(p->a, &then.c, NULL);
    return fit_verdict(&then.c, &kv, 1) == FIT_YES;
}

/* Each remedy that is enough, by itself (first NULL) or after a first change of
 * this tier that leaves such a pool, where no plan of that cost does it. */
static void add_remedies(const struct planning *p, const struct inputs *c,
                         const struct fact *first, struct span pool,
                         enum fit_tier tier) {
    struct fit *fit = p->fit;
    struct inputs next = *c;
    if (first) {
        next.in[first->name] = *first;
        next.in[first->name].source = SOURCE_USER;
        inputs_forget(&next, fit_of_this_length);
        next.in[FACT_kv_available].known = false;
        put_pool(&next, pool);
    }
    for (size_t i = 0; i < sizeof remedies / sizeof *remedies; i++) {
        struct estimate e =
            memory_effect(p->a, &next, SHORT_KV_POOL, remedies[i].effect);
        if (e.verdict != VERDICT_ENOUGH || !e.proposed.known ||
            (first && e.proposed.name == first->name))
            continue;
        enum fit_tier own =
            is_in_reach(c, &e.proposed) ? TIER_flag : remedies[i].tier;
        struct fit_plan plan = {
            .change = {first ? *first : e.proposed, e.proposed},
            .count = first ? 2 : 1, .tier = own > tier ? own : tier,
            .needed = e.after, .pool = e.limit, .formula = e.formula};
        bool has_one =
            first && fit->plan_count > 0 && fit->plans[0].tier <= plan.tier;
        if (!has_one && holds(p, &plan))
            fit_add_plan(fit, &plan);
    }
}

static void add_pairs(const struct planning *p, const struct inputs *c,
                      struct span pool) {
    struct arena *a = p->a;
    struct estimate eager =
        memory_effect(a, c, SHORT_KV_POOL, EFFECT_enforce_eager);
    if (eager.proposed.known)
        add_remedies(p, c, &eager.proposed, eager.limit, TIER_speed);
    struct estimate narrow =
        memory_effect(a, c, SHORT_KV_POOL, EFFECT_kv_cache_dtype);
    if (narrow.verdict != VERDICT_NONE) {
        struct fact fp8 = propose_word(FACT_kv_cache_dtype, STR("fp8"));
        add_remedies(p, c, &fp8, pool, TIER_quality);
    }
    struct estimate fewer =
        memory_effect(a, c, SHORT_KV_POOL, EFFECT_quantization);
    struct span now = weights_bytes(c), then = weights_with_bits(c, 4);
    if (fewer.verdict != VERDICT_NONE && now.known && then.known) {
        struct fact awq = propose_word(FACT_quantization, STR("awq"));
        struct span more = span_minus(now, then);
        add_remedies(p, c, &awq, span_plus(pool, more), TIER_quality);
    }
}

void fit_plan(struct arena *a, const struct fit_question *q, struct fit *fit) {
    if (!inputs_states_pool(&q->c) || !fit->is_vllm || q->requests > 1) {
        fit_search(a, q, fit);
        return;
    }
    struct inputs c = fit->c;
    struct planning p = {a, q, fit};
    put_pool(&c, fit->kv.pool);
    add_remedies(&p, &c, NULL, span_none(), TIER_flag);
    add_pairs(&p, &c, fit->kv.pool);
}

/* ---- effort and loss of a plan: those of its dearest change ---- */

static enum loses loses_of(enum fact_name changed) {
    static const enum fact_name quality[] =
        FACTS(FACT_kv_cache_dtype, FACT_quantization, FACT_optimizer,
              FACT_lora_rank, FACT_seq_len);
    static const enum fact_name speed[] =
        FACTS(FACT_max_num_seqs, FACT_max_num_batched_tokens,
              FACT_enforce_eager, FACT_batch_size, FACT_gradient_checkpointing,
              FACT_offload, FACT_gpu_layers, FACT_cpu_offload, FACT_swap_space);
    return fact_is_one(changed, quality)      ? LOSES_quality
           : fact_is_one(changed, speed)      ? LOSES_speed
           : changed == FACT_max_model_len ||
                   changed == FACT_swa_full_tokens_ratio
               ? LOSES_capacity
               : LOSES_nothing;
}

enum effort fit_plan_effort(const struct fit_plan *plan) {
    return plan->tier == TIER_hardware ? EFFORT_hardware : EFFORT_flag;
}

enum loses fit_plan_loses(const struct fit_plan *plan) {
    enum loses most = LOSES_nothing;
    for (size_t i = 0; i < plan->count; i++) {
        enum loses loses = loses_of(plan->change[i].name);
        most = loses > most ? loses : most;
    }
    return most;
}
