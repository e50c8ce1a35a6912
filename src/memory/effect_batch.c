/* effect_batch.c: smaller steps and no graphs.
 *
 *   max_num_seqs            the sampler's warm-up: seqs x vocab x 4 bytes
 *   max_num_batched_tokens  the activation peak, about linearly; windows
 *   enforce_eager           CUDA graphs: inside the share from 0.20.0 on,
 *                           beside it before
 *
 * What falls "about linearly" may fall by nothing at the worst corner. */
#include "memory/effect.h"

#define LOGIT_BYTES 4
#define SMALL_BATCH 2048
#define TGI_BLOCK 16

static const enum fact_name used[] =
    FACTS(FACT_tried_alloc, FACT_gpu_free, FACT_max_num_seqs,
          FACT_max_num_batched_tokens, FACT_activation_peak,
          FACT_cuda_graph_bytes, FACT_engine_version);

static int64_t power_of_two_below(int64_t n) {
    int64_t p = 1;
    while (p <= n / 2)
        p *= 2;
    return p;
}

/* tried x fewer / now, both of a setting. */
static struct estimate scaled(const struct query *q, enum fact_name setting,
                              int64_t now, int64_t fewer) {
    struct estimate e = estimate_of_allocation(q->c);
    e.after = span_share(e.before, fewer, now);
    e.proposed = propose(setting, fewer);
    e.formula =
        EXPLAIN(q, used, "tried_alloc = about % x % / % = about %",
                MIDDLE(e.before), COUNT(fewer), COUNT(now), MIDDLE(e.after));
    return e;
}

/* Whether what was refused follows the setting is not known. */
static void qualify_scaling(const struct query *q, struct estimate *e) {
    if (e->after.known && e->limit.known && e->after.low <= e->limit.high)
        ESTIMATE_IF(q, e, "verdict.if.follows", SHORT(e->before.high),
                    SHORT(e->after.high));
    else
        e->after = e->before;
}

/* The largest power of two at which `copies` of the tensor fit. */
static int64_t fewer_that_fit(const struct inputs *c, int64_t now,
                              int64_t copies) {
    struct span tried = span_in(c, FACT_tried_alloc);
    struct span free = span_at_least(span_in(c, FACT_gpu_free), 0);
    int64_t fits, tensors;
    if (!tried.known || !free.known || tried.high <= 0 ||
        !mul_i64(tried.high, copies, &tensors) ||
        !mul_div_floor(free.low, now, tensors, &fits))
        return 0;
    fits = fits >= now ? now - 1 : fits;
    return fits < 1 ? 0 : power_of_two_below(fits);
}

/* vLLM's check before it captures graphs: a state block for each sequence. */
static struct estimate sequences_for_blocks(const struct query *q) {
    int64_t now = setting_of(q->c, FACT_max_num_seqs, 0);
    int64_t blocks = setting_of(q->c, FACT_kv_blocks, 0);
    if (!stage_is(q->c, "capture") || blocks == 0 || blocks >= now)
        return estimate_none(FACT_kv_needed); /* the check is of one request */
    struct estimate e =
        estimate_of(FACT_max_num_seqs, span_exact(now), span_exact(blocks));
    e.after = e.limit;
    e.proposed = propose(FACT_max_num_seqs, blocks);
    estimate_judge(&e);
    return e;
}

/* True if the failed allocation is made of seqs x vocab tensors, in 16 bits or
 * one to four of 32 at once. */
static bool is_sampler_tensor(const struct inputs *c, int64_t seqs) {
    static const int64_t bytes[] = {2, 4, 8, 12, 16};
    struct span tried = span_in(c, FACT_tried_alloc);
    struct span logits =
        span_times(span_exact(c->model ? c->model->vocab_size : 0), seqs);
    for (size_t i = 0; tried.known && i < sizeof bytes / sizeof *bytes; i++) {
        struct span one = span_times(logits, bytes[i]);
        struct span slack = span_plus(one, span_exact(2 << 20));
        if (one.low > 0 && slack.known && tried.high >= one.low &&
            tried.low <= slack.high)
            return true;
    }
    return false;
}

struct estimate effect_max_num_seqs(const struct query *q) {
    int64_t now = setting_of(q->c, FACT_max_num_seqs, 0);
    if (!is_allocation(q))
        return sequences_for_blocks(q);
    if (now <= 1) {
        struct estimate e = step_scaled(q, FACT_max_num_seqs);
        needs_add(&e.needs, FACT_max_num_seqs);
        return e;
    }
    int64_t fewer = fewer_that_fit(q->c, now, 2); /* sorting keeps a copy */
    fewer = fewer > 0 ? fewer : now >= 4 ? now / 4 : 1;
    struct estimate e = scaled(q, FACT_max_num_seqs, now, fewer);
    estimate_needs(&e, e.limit.known, FACT_gpu_free);
    if (e.limit.known && is_sampler_tensor(q->c, now)) {
        estimate_judge(&e);
    } else if (e.limit.known) {
        qualify_scaling(q, &e);
        estimate_needs(&e, q->c->model != NULL, FACT_model);
    }
    return e;
}

/* ---- max_num_batched_tokens ---- */

static struct estimate batch_for_pool(const struct query *q, int64_t now) {
    struct kv_side kv = kv_side_of(q);
    struct span peak = span_in(q->c, FACT_activation_peak);
    struct estimate e = estimate_of_kv(&kv);
    int64_t fewer = now > SMALL_BATCH ? SMALL_BATCH : now / 2;
    if (rules_is_v0(q->c) == ANSWER_YES && kv.length > fewer)
        fewer = kv.length;
    if (fewer <= 0 || fewer >= now)
        return estimate_none(FACT_kv_needed);
    e.proposed = propose(FACT_max_num_batched_tokens, fewer);
    if (kv.demand.by_model &&
        kv.length > 0) { /* windows keep a step's tokens */
        struct demand then = demand_with(q->a, &kv.demand,
                                         FACT_max_num_batched_tokens, fewer);
        e.after = span_meet(demand_bytes(&then, kv.length), kv.need);
    }
    bool is_asked = rules_pool_is_asked(q->c); /* and not what a step leaves */
    struct span most =
        is_asked ? span_exact(0) : span_share(peak, now - fewer, now);
    if (!most.known || !kv.pool.known || !e.after.known) {
        needs_add(&e.needs,
                  peak.known ? FACT_kv_available : FACT_activation_peak);
        return e;
    }
    e.limit = span_plus(kv.pool, span_of(0, most.high));
    estimate_judge(&e);
    if (!is_asked)
        e.formula = EXPLAIN(
            q, used, "activation saved at most = % x (% - %) / % = %",
            MIDDLE(peak), COUNT(now), COUNT(fewer), COUNT(now), MIDDLE(most));
    return e;
}

/* TGI prints how many tokens of a prefill were refused, and perhaps what they
 * would have taken: as many fit as the same share of that was there. */
static struct estimate prefill_of_tgi(const struct query *q, int64_t now) {
    const struct inputs *c = q->c;
    bool has_pool = c->in[FACT_pool_needed].known;
    struct span asked =
        span_in(c, has_pool ? FACT_pool_needed : FACT_tried_alloc);
    struct span there =
        span_in(c, has_pool ? FACT_pool_available : FACT_gpu_free);
    struct estimate e =
        estimate_of(FACT_tried_tokens, span_exact(now), span_none());
    int64_t fits = 0, half = now / 2 - now / 2 % TGI_BLOCK;
    bool is_known =
        asked.known && there.known && asked.low > 0 && there.high > 0 &&
        mul_div_floor(now, span_middle(there), span_middle(asked), &fits);
    fits -= fits % TGI_BLOCK;
    if (is_known && fits > 0 && fits < now) {
        e.after = e.limit = span_exact(fits);
        e.proposed = propose(FACT_max_num_batched_tokens, fits);
        estimate_if(&e, "verdict.if.proportional");
        e.formula =
            FORMULA(q->a, "tried_tokens = floor(% tokens x % / % / %) x % = %",
                    COUNT(now), MIDDLE(there), MIDDLE(asked), PLAIN(TGI_BLOCK),
                    PLAIN(TGI_BLOCK), COUNT(fits));
        return e;
    }
    needs_add(&e.needs, FACT_pool_needed);
    if (half > 0) { /* so many were refused; how many fit is not known */
        e.after = span_exact(half);
        e.proposed = propose(FACT_max_num_batched_tokens, half);
        ESTIMATE_IF(q, &e, "verdict.if.trial", COUNT(half));
    }
    return e;
}

struct estimate effect_max_num_batched_tokens(const struct query *q) {
    int64_t now = setting_of(q->c, FACT_max_num_batched_tokens, 0);
    const struct fact *prefill = &q->c->in[FACT_tried_tokens];
    bool is_step = is_allocation(q) && !stage_is(q->c, "load");
    if (engine_of(q->c)->counts_prefill && prefill->known && is_step)
        return prefill_of_tgi(q, now > 0 ? now : prefill->number);
    if (!is_pool(q) && !is_step)
        return estimate_none(FACT_requested_bytes);
    if (now <= 0) {
        struct estimate e = is_step
                                ? step_scaled(q, FACT_max_num_batched_tokens)
                                : estimate_unknown(FACT_kv_needed);
        needs_add(&e.needs, FACT_max_num_batched_tokens);
        return e;
    }
    if (!is_step)
        return batch_for_pool(q, now);
    int64_t fewer = fewer_that_fit(q->c, now, 1);
    struct estimate e = scaled(q, FACT_max_num_batched_tokens, now,
                               fewer > 0 ? fewer : power_of_two_below(now / 2));
    qualify_scaling(q, &e);
    return e;
}

/* ---- enforce_eager ---- */

static struct estimate eager_for_pool(const struct query *q) {
    struct span graphs = graph_bytes(q->c);
    enum answer inside = rules_count_graphs(q->c);
    if (inside == ANSWER_NO)
        return estimate_none(FACT_kv_needed);
    struct kv_side kv = kv_side_of(q);
    struct estimate e = estimate_of_kv(&kv);
    if (inside == ANSWER_MAYBE) {
        graphs.low = 0;
        needs_add(&e.needs, FACT_engine_version);
    }
    e.limit = span_plus(kv.pool, graphs);
    estimate_judge(&e);
    if (!verdict_is_open(e.verdict))
        e.needs.count = 0;
    else
        estimate_needs(&e, q->c->in[FACT_cuda_graph_bytes].known,
                       FACT_cuda_graph_bytes);
    e.proposed = propose(FACT_enforce_eager, 1);
    return e;
}

struct estimate effect_enforce_eager(const struct query *q) {
    const struct inputs *c = q->c;
    if (is_pool(q) && !is_on(c, FACT_enforce_eager))
        return eager_for_pool(q);
    if (is_on(c, FACT_enforce_eager) || !is_allocation(q) ||
        stage_is(c, "load") || stage_is(c, "profile") ||
        stage_is(c, "kv_alloc"))
        return estimate_none(FACT_tried_alloc); /* nothing is captured yet */
    struct estimate e = estimate_of_allocation(c);
    bool has_free = e.limit.known;
    e.proposed = propose(FACT_enforce_eager, 1);
    if (stage_is(c, "capture")) {
        estimate_gone(&e);
        return e;
    }
    e.limit = span_plus(e.limit, graph_bytes(c));
    estimate_judge(&e);
    if (verdict_is_open(e.verdict))
        needs_add(&e.needs, has_free ? FACT_cuda_graph_bytes : FACT_gpu_free);
    return e;
}
