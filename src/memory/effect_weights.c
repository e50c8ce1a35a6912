/* effect_weights.c: fewer bytes of weights on the card, by narrower values or
 * by keeping a part in host memory. The pool gains what the weights lose; a
 * check that comes before loading does not notice. */
#include "memory/budget.h"
#include "memory/effect.h"
#include "memory/formula.h"
#include "memory/rules.h"
#include "memory/span.h"
#include "memory/training.h"
#include "memory/weights.h"

#define GIB (INT64_C(1) << 30)
#define NARROWER_PERCENT 75 /* of what is held, from 16 bits to 4 */

static const enum fact_name used[] = {
    FACT_weights_bytes, FACT_model,       FACT_quantization, FACT_kv_needed,
    FACT_kv_available,  FACT_tried_alloc, FACT_gpu_free,     FACT_COUNT_OF};

static struct str write_width(const struct ask *q, int64_t from, int64_t bits,
                              struct span then) {
    struct span now = weights_bytes(q->c);
    struct str v = write_bytes(q->a, then.low);
    struct str high = write_bytes(q->a, then.high);
    struct str low = write_bytes(q->a, now.low);
    struct str sources = write_sources(q->a, q->c, used);
    return arena_printf(q->a,
                        "weights at least = %.*s x %lld / %lld bits = %.*s; "
                        "weights at most = %.*s%.*s",
                        STR_ARG(low), (long long)bits, (long long)from,
                        STR_ARG(v), STR_ARG(high), STR_ARG(sources));
}

/* A step failed beside the weights: it gets what they give back, unless the
 * engine gives that to its pool. */
static struct estimate beside_weights(const struct ask *q, struct span now,
                                      struct span then) {
    struct estimate e = estimate_unknown(FACT_tried_alloc);
    bool has_pool = rules_is_vllm(q->c) && q->c->engine.n > 0;
    struct span given = span_at_least(span_minus(now, then), 0);
    e.before = e.after = span_of_fact(&q->c->in[FACT_tried_alloc]);
    if (!has_pool) {
        e.limit = span_plus(span_of_fact(&q->c->in[FACT_gpu_free]), given);
        estimate_judge(&e);
    }
    return e;
}

static struct estimate with_bits(const struct ask *q, const struct kv_side *kv,
                                 int64_t bits) {
    struct span now = weights_bytes(q->c);
    struct span then = weights_with_bits(q->c, bits);
    struct estimate e;
    if (q->what == SHORT_KV_POOL) {
        e = estimate_of_kv(kv);
        struct span least =
            span_minus(span_exact(now.low), span_exact(then.high));
        struct span most =
            span_minus(span_exact(now.high), span_exact(then.low));
        if (now.known && then.known && least.known && most.known) {
            e.limit = span_plus(
                kv->pool, span_at_least(span_of(least.low, most.high), 0));
        } else {
            e.limit = span_none();
        }
        estimate_judge(&e);
    } else if (stage_is(q->c, "load")) {
        struct span mine = span_of_fact(&q->c->in[FACT_pytorch_allocated]);
        e = estimate_unknown(FACT_weights_bytes);
        e.before = now;
        e.after = then;
        e.limit = span_plus(mine, span_of_fact(&q->c->in[FACT_gpu_free]));
        estimate_judge(&e);
    } else {
        e = beside_weights(q, now, then);
    }
    if (then.known) {
        e.formula = write_width(q, weight_bits(q->c), bits, then);
    }
    return e;
}

/* How much there is to load nobody says: at most so much in 16 bits fits with
 * 4, and so much less than was there already. */
static struct estimate while_loading(const struct ask *q) {
    struct estimate e = estimate_unknown(FACT_weights_bytes);
    struct shortfall s = shortfall_of(q);
    struct span held = span_of_fact(&q->c->in[FACT_pytorch_allocated]);
    struct span room = span_plus(held, s.free);
    struct span most = span_times(room, 16 / 4);
    needs_add(&e.needs, q->c->model ? FACT_weights_bytes : FACT_model);
    if (most.known) {
        e.limit = room;
        estimate_if(&e, "verdict.if.weights_most");
        condition_add(&e, write_short(q->a, most.low));
        e.formula = arena_printf(
            q->a, "weights at most = (%.*s + %.*s free) x 16 / 4 bits = %.*s",
            STR_ARG(write_bytes(q->a, held.low)),
            STR_ARG(write_bytes(q->a, s.free.low)),
            STR_ARG(write_bytes(q->a, most.low)));
    }
    return e;
}

/* The fewest bits less that are enough; else 4 bits, and what is not known. */
static struct estimate fewer_bits(const struct ask *q, int64_t from) {
    struct estimate e = estimate_none(
        q->what == SHORT_KV_POOL ? FACT_kv_needed : FACT_weights_bytes);
    struct kv_side kv = kv_side_of(q);
    for (int64_t bits = from == 16 ? 8 : 4; from > 0 && bits >= 4; bits /= 2) {
        e = with_bits(q, &kv, bits);
        if (e.verdict == VERDICT_ENOUGH) {
            e.proposed = propose_word(FACT_quantization,
                                      bits == 8 ? STR("fp8") : STR("awq"));
            return e;
        }
    }
    if (!verdict_is_open(e.verdict)) {
        return e;
    }
    if (from > 0) {
        e.proposed = propose_word(FACT_quantization, STR("awq"));
    }
    if (!weights_bytes(q->c).known) {
        needs_add(&e.needs, q->c->model ? FACT_weights_bytes : FACT_model);
    }
    if (q->what == SHORT_KV_POOL && !kv.pool.known) {
        needs_add(&e.needs, FACT_kv_available);
    }
    return e;
}

struct estimate effect_quantization(const struct ask *q) {
    int64_t from = weight_bits(q->c);
    struct estimate e = estimate_none(
        q->what == SHORT_KV_POOL ? FACT_kv_needed : FACT_weights_bytes);
    if (q->what != SHORT_KV_POOL && q->what != SHORT_ALLOCATION) {
        return e;
    }
    if (from == 4) {
        return e; /* as narrow as it gets */
    }
    bool is_open = q->what == SHORT_ALLOCATION && !weights_bytes(q->c).known;
    if (is_open && stage_is(q->c, "load")) {
        return while_loading(q);
    }
    if (is_open && !(rules_is_vllm(q->c) && q->c->engine.n > 0)) {
        e = step_freeing(q, NARROWER_PERCENT);
        needs_add(&e.needs, q->c->model ? FACT_weights_bytes : FACT_model);
        return e;
    }
    return fewer_bits(q, from);
}

static struct str write_offload(const struct ask *q, struct span gap,
                                int64_t bytes) {
    struct str g = write_bytes(q->a, gap.high);
    struct str v = write_bytes(q->a, bytes);
    struct str sources = write_sources(q->a, q->c, used);
    return arena_printf(q->a, "cpu_offload = ceil(%.*s / 1 GiB) GiB = %.*s%.*s",
                        STR_ARG(g), STR_ARG(v), STR_ARG(sources));
}

/* A training step: moments and the fp32 copy go to the host. While they are
 * made, what failed is one of them and is not asked for any more. */
static struct estimate offload_state(const struct ask *q) {
    struct estimate e = estimate_unknown(FACT_tried_alloc);
    struct formulas f = {0};
    e.before = e.after = span_of_fact(&q->c->in[FACT_tried_alloc]);
    e.limit = span_of_fact(&q->c->in[FACT_gpu_free]);
    if (q->c->model == NULL || q->c->model->params <= 0) {
        needs_add(&e.needs, FACT_model);
        return e;
    }
    struct training_setup s = training_setup_of(q->c);
    s.offloads_optimizer = true;
    struct training t = memory_training(q->a, &s, &f);
    bool is_of_state = stage_is(q->c, "optimizer") && e.before.known &&
                       e.before.high <= t.host.high;
    if (f.count > 0) {
        e.formula = f.at[f.count - 1];
    }
    if (is_of_state) {
        e.after = span_exact(0);
        e.verdict = VERDICT_ENOUGH;
        e.short_by = span_exact(0);
    }
    return e;
}

/* What is asked and what there is: one request and the pool, or the refused
 * allocation and what was free. */
static struct estimate offload_begin(const struct ask *q) {
    if (q->what == SHORT_KV_POOL) {
        struct kv_side kv = kv_side_of(q);
        return estimate_of_kv(&kv);
    }
    struct estimate e = estimate_unknown(FACT_tried_alloc);
    e.before = e.after = span_of_fact(&q->c->in[FACT_tried_alloc]);
    e.limit = span_of_fact(&q->c->in[FACT_gpu_free]);
    return e;
}

/* Move whole GiB of weights to the host until the rest fits. */
static struct estimate offload_weights(const struct ask *q, bool is_pool) {
    struct estimate e = offload_begin(q);
    struct span gap = span_at_least(span_minus(e.after, e.limit), 0);
    struct span weights = weights_bytes(q->c);
    int64_t bytes;
    e.verdict = VERDICT_UNKNOWN;
    e.short_by = gap;
    if (!gap.known || !mul_i64(ceil_div(gap.high, GIB), GIB, &bytes)) {
        needs_add(&e.needs, is_pool ? FACT_kv_available : FACT_gpu_free);
        return e;
    }
    if (!weights.known) {
        needs_add(&e.needs, FACT_model);
    }
    if (!weights.known && !is_pool) {
        return e; /* one refused request says nothing of the whole */
    }
    e.formula = write_offload(q, gap, bytes);
    if (!weights.known) {
        e.proposed = propose(FACT_cpu_offload, bytes);
        return e;
    }
    if (weights.high < gap.low || !is_pool) { /* more will follow at load */
        e.verdict = is_pool ? VERDICT_NOT_ENOUGH : VERDICT_UNKNOWN;
        return e;
    }
    int64_t moved = bytes < weights.low ? bytes : weights.low;
    e.limit = span_plus(e.limit, span_exact(moved));
    estimate_judge(&e);
    e.proposed = propose(FACT_cpu_offload, bytes);
    return e;
}

struct estimate effect_cpu_offload(const struct ask *q) {
    bool is_pool = q->what == SHORT_KV_POOL;
    bool is_allocation = q->what == SHORT_ALLOCATION;
    if (is_allocation && training_is_step(q->c)) {
        return offload_state(q);
    }
    if (!is_pool && !(is_allocation && stage_is(q->c, "load"))) {
        return estimate_none(FACT_tried_alloc);
    }
    return offload_weights(q, is_pool);
}
