/* effect_batch.c: smaller steps and no graphs.
 *
 *   max_num_seqs            the sampler's warm-up: seqs x vocab x 4 bytes
 *   max_num_batched_tokens  the activation peak, about linearly; windows
 *   enforce_eager           CUDA graphs: inside the share from 0.20.0 on,
 *                           beside it before
 *
 * What falls "about linearly" may fall by nothing at the worst corner. */
#include "memory/budget.h"
#include "memory/effect.h"
#include "memory/formula.h"
#include "memory/rules.h"
#include "memory/span.h"

#define LOGIT_BYTES 4
#define SMALL_BATCH 2048
#define TGI_BLOCK 16

static const enum fact_name used[] = {
    FACT_tried_alloc,     FACT_gpu_free,
    FACT_max_num_seqs,    FACT_max_num_batched_tokens,
    FACT_activation_peak, FACT_cuda_graph_bytes,
    FACT_engine_version,  FACT_COUNT_OF};

static int64_t power_of_two_below(int64_t n) {
    int64_t p = 1;
    while (p <= n / 2) {
        p *= 2;
    }
    return p;
}

/* Is the failed allocation made of seqs x vocab tensors? */
static bool is_sampler_tensor(const struct memory_case *c, int64_t seqs) {
    struct span tried = span_of_fact(&c->in[FACT_tried_alloc]);
    if (!c->model || c->model->vocab_size <= 0 || !tried.known) {
        return false;
    }
    /* 16 bits, then one to four tensors of 32 at once */
    for (int64_t bytes = LOGIT_BYTES / 2; bytes <= 4 * LOGIT_BYTES;
         bytes += bytes < LOGIT_BYTES ? LOGIT_BYTES / 2 : LOGIT_BYTES) {
        struct span one = span_times(span_exact(c->model->vocab_size), bytes);
        one = span_times(one, seqs);
        struct span slack = span_plus(one, span_exact(2 << 20));
        if (slack.known && tried.high >= one.low && tried.low <= slack.high) {
            return true;
        }
    }
    return false;
}

/* tried x fewer / now, both of a setting. */
static struct estimate scaled(const struct ask *q, enum fact_name setting,
                              int64_t now, int64_t fewer) {
    struct estimate e = estimate_unknown(FACT_tried_alloc);
    e.before = span_of_fact(&q->c->in[FACT_tried_alloc]);
    e.limit = span_of_fact(&q->c->in[FACT_gpu_free]);
    struct span least = span_share(e.before, fewer, now);
    e.after = least;
    e.proposed = propose(setting, fewer);
    struct str t = write_bytes(q->a, span_middle(e.before));
    struct str n = write_count(q->a, now), f = write_count(q->a, fewer);
    struct str v = write_bytes(q->a, span_middle(least));
    struct str sources = write_sources(q->a, q->c, used);
    e.formula = arena_printf(q->a,
                             "tried_alloc = about %.*s x %.*s / %.*s = about "
                             "%.*s%.*s",
                             STR_ARG(t), STR_ARG(f), STR_ARG(n), STR_ARG(v),
                             STR_ARG(sources));
    return e;
}

/* The largest power of two at which `copies` of the tensor fit. */
static int64_t fewer_that_fit(const struct memory_case *c, int64_t now,
                              int64_t copies) {
    struct span tried = span_of_fact(&c->in[FACT_tried_alloc]);
    struct span free = span_of_fact(&c->in[FACT_gpu_free]);
    int64_t fits, tensors;
    if (!tried.known || !free.known || tried.high <= 0 ||
        !mul_i64(tried.high, copies, &tensors) ||
        !mul_div_floor(free.low > 0 ? free.low : 0, now, tensors, &fits)) {
        return 0;
    }
    if (fits >= now) {
        fits = now - 1;
    }
    return fits < 1 ? 0 : power_of_two_below(fits);
}

/* Nobody knows whether what was refused follows the setting. */
static void put_scaling(const struct ask *q, struct estimate *e) {
    if (!e->after.known || !e->limit.known || e->after.low > e->limit.high) {
        e->after = e->before;
        return;
    }
    estimate_if(e, "verdict.if.follows");
    condition_add(e, write_short(q->a, e->before.high));
    condition_add(e, write_short(q->a, e->after.high));
}

struct estimate effect_max_num_seqs(const struct ask *q) {
    int64_t now = setting_of(q->c, FACT_max_num_seqs, 0);
    struct estimate e = estimate_none(FACT_kv_needed);
    if (q->what != SHORT_ALLOCATION) {
        return e; /* the check is about one request */
    }
    if (now <= 1) {
        e = step_scaled(q, FACT_max_num_seqs);
        needs_add(&e.needs, FACT_max_num_seqs);
        return e;
    }
    bool is_sampler = is_sampler_tensor(q->c, now);
    int64_t fewer = fewer_that_fit(q->c, now, 2); /* sorting keeps a copy */
    if (fewer == 0) {
        fewer = now >= 4 ? now / 4 : 1;
    }
    e = scaled(q, FACT_max_num_seqs, now, fewer);
    if (!e.limit.known) {
        needs_add(&e.needs, FACT_gpu_free);
    } else if (is_sampler) {
        estimate_judge(&e);
    } else {
        put_scaling(q, &e);
        if (!q->c->model) {
            needs_add(&e.needs, FACT_model);
        }
    }
    return e;
}

/* ---- max_num_batched_tokens ---- */

/* Windows keep what a step adds to them. */
static struct span need_of_steps(const struct ask *q, const struct kv_side *kv,
                                 int64_t tokens) {
    struct demand then = kv->demand;
    then.ways = ways_copy(q->a, &kv->demand.ways);
    for (size_t i = 0; i < then.ways.count; i++) {
        if (then.ways.at[i].tokens_in_flight > tokens) {
            then.ways.at[i].tokens_in_flight = tokens;
        }
    }
    return span_meet(demand_bytes(&then, kv->length), kv->need);
}

static struct estimate batch_for_pool(const struct ask *q, int64_t now) {
    struct kv_side kv = kv_side_of(q);
    struct span peak = span_of_fact(&q->c->in[FACT_activation_peak]);
    struct estimate e = estimate_of_kv(&kv);
    int64_t fewer = now > SMALL_BATCH ? SMALL_BATCH : now / 2;
    bool needs_length = rules_is_v0(q->c) == ANSWER_YES;
    if (needs_length && kv.length > fewer) {
        fewer = kv.length;
    }
    if (fewer <= 0 || fewer >= now) {
        return estimate_none(FACT_kv_needed);
    }
    e.proposed = propose(FACT_max_num_batched_tokens, fewer);
    if (kv.demand.by_model && kv.length > 0) {
        e.after = need_of_steps(q, &kv, fewer);
    }
    if (rules_pool_is_asked(q->c) && kv.pool.known && e.after.known) {
        estimate_judge(&e); /* the step's memory is not the pool's */
        return e;
    }
    struct span most = span_share(peak, now - fewer, now);
    if (!most.known || !kv.pool.known || !e.after.known) {
        needs_add(&e.needs,
                  peak.known ? FACT_kv_available : FACT_activation_peak);
        return e;
    }
    e.limit = span_plus(kv.pool, span_of(0, most.high));
    estimate_judge(&e);
    struct str p = write_bytes(q->a, span_middle(peak));
    struct str n = write_count(q->a, now), f = write_count(q->a, fewer);
    struct str v = write_bytes(q->a, span_middle(most));
    struct str sources = write_sources(q->a, q->c, used);
    e.formula = arena_printf(q->a,
                             "activation saved at most = %.*s x (%.*s - "
                             "%.*s) / %.*s = %.*s%.*s",
                             STR_ARG(p), STR_ARG(n), STR_ARG(f), STR_ARG(n),
                             STR_ARG(v), STR_ARG(sources));
    return e;
}

/* So many were refused; how many fit nobody says. */
static void put_trial(const struct ask *q, struct estimate *e, int64_t fewer) {
    if (fewer <= 0) {
        return;
    }
    e->after = span_exact(fewer);
    e->proposed = propose(FACT_max_num_batched_tokens, fewer);
    estimate_if(e, "verdict.if.trial");
    condition_add(e, write_count(q->a, fewer));
}

/* TGI prints how many tokens of a prefill were refused, and perhaps what they
 * asked for: as many fit as the same share of that was there. */
static struct estimate prefill_of_tgi(const struct ask *q, int64_t now) {
    const struct memory_case *c = q->c;
    bool is_pool = c->in[FACT_pool_needed].known;
    struct span asked = span_of_fact(
        &c->in[is_pool ? FACT_pool_needed : FACT_tried_alloc]);
    struct span there = span_of_fact(
        &c->in[is_pool ? FACT_pool_available : FACT_gpu_free]);
    struct estimate e = estimate_unknown(FACT_tried_tokens);
    int64_t fits = 0;
    e.before = e.after = span_exact(now);
    bool is_told = asked.known && there.known && asked.low > 0 &&
                   there.high > 0 &&
                   mul_div_floor(now, span_middle(there), span_middle(asked),
                                 &fits);
    fits -= fits % TGI_BLOCK;
    if (!is_told || fits <= 0 || fits >= now) {
        needs_add(&e.needs, FACT_pool_needed);
        put_trial(q, &e, now / 2 - now / 2 % TGI_BLOCK);
        return e;
    }
    e.after = e.limit = span_exact(fits);
    e.proposed = propose(FACT_max_num_batched_tokens, fits);
    estimate_if(&e, "verdict.if.proportional");
    e.formula = arena_printf(
        q->a, "tried_tokens = floor(%.*s tokens x %.*s / %.*s / %d) x %d = %.*s",
        STR_ARG(write_count(q->a, now)),
        STR_ARG(write_bytes(q->a, span_middle(there))),
        STR_ARG(write_bytes(q->a, span_middle(asked))), TGI_BLOCK, TGI_BLOCK,
        STR_ARG(write_count(q->a, fits)));
    return e;
}

struct estimate effect_max_num_batched_tokens(const struct ask *q) {
    int64_t now = setting_of(q->c, FACT_max_num_batched_tokens, 0);
    const struct fact *prefill = &q->c->in[FACT_tried_tokens];
    bool is_step = q->what == SHORT_ALLOCATION && !stage_is(q->c, "load");
    if (str_eq(q->c->engine, STR("tgi")) && prefill->known && is_step) {
        return prefill_of_tgi(q, now > 0 ? now : prefill->number);
    }
    if (q->what != SHORT_KV_POOL && !is_step) {
        return estimate_none(FACT_requested_bytes);
    }
    struct estimate e =
        estimate_unknown(is_step ? FACT_tried_alloc : FACT_kv_needed);
    if (now <= 0) {
        e = is_step ? step_scaled(q, FACT_max_num_batched_tokens) : e;
        needs_add(&e.needs, FACT_max_num_batched_tokens);
        return e;
    }
    if (!is_step) {
        return batch_for_pool(q, now);
    }
    int64_t fewer = fewer_that_fit(q->c, now, 1);
    if (!q->c->in[FACT_gpu_free].known) {
        needs_add(&e.needs, FACT_gpu_free);
    }
    e = scaled(q, FACT_max_num_batched_tokens, now,
               fewer > 0 ? fewer : power_of_two_below(now / 2));
    put_scaling(q, &e);
    return e;
}

/* ---- enforce_eager ---- */

static struct estimate eager_for_pool(const struct ask *q) {
    struct span graphs = graph_bytes(q->c);
    enum answer inside = rules_count_graphs(q->c);
    if (inside == ANSWER_NO) {
        return estimate_none(FACT_kv_needed);
    }
    struct kv_side kv = kv_side_of(q);
    struct estimate e = estimate_of_kv(&kv);
    if (inside == ANSWER_MAYBE) {
        graphs.low = 0;
        needs_add(&e.needs, FACT_engine_version);
    }
    e.limit = span_plus(kv.pool, graphs);
    estimate_judge(&e);
    if (!verdict_is_open(e.verdict)) {
        e.needs.count = 0;
    } else if (!q->c->in[FACT_cuda_graph_bytes].known) {
        needs_add(&e.needs, FACT_cuda_graph_bytes);
    }
    e.proposed = propose(FACT_enforce_eager, 1);
    return e;
}

struct estimate effect_enforce_eager(const struct ask *q) {
    const struct fact *eager = &q->c->in[FACT_enforce_eager];
    struct estimate e = estimate_none(FACT_tried_alloc);
    if (eager->known && eager->number) {
        return e;
    }
    if (q->what == SHORT_KV_POOL) {
        return eager_for_pool(q);
    }
    if (q->what != SHORT_ALLOCATION || stage_is(q->c, "load") ||
        stage_is(q->c, "profile") || stage_is(q->c, "kv_alloc")) {
        return e; /* nothing is captured yet */
    }
    e.before = e.after = span_of_fact(&q->c->in[FACT_tried_alloc]);
    e.proposed = propose(FACT_enforce_eager, 1);
    struct span free = span_of_fact(&q->c->in[FACT_gpu_free]);
    if (stage_is(q->c, "capture")) {
        e.limit = free;
        e.after = span_exact(0); /* what failed is not asked for any more */
        e.verdict = VERDICT_ENOUGH;
        e.short_by = span_exact(0);
        return e;
    }
    e.limit = span_plus(free, graph_bytes(q->c));
    estimate_judge(&e);
    if (verdict_is_open(e.verdict)) {
        needs_add(&e.needs, free.known ? FACT_cuda_graph_bytes : FACT_gpu_free);
    }
    return e;
}
