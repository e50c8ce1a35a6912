/* effect_dtype.c: an fp8 KV cache. Every growing row halves (packed MLA goes
 * from 1152 to 656 bytes); windows halve with it, recurrent state does not.
 * The pool keeps its bytes. Where fp8 alone is not enough, the length it would
 * carry is proposed. */
#include "memory/effect.h"
#include "memory/formula.h"
#include "memory/kv_row.h"
#include "memory/span.h"

static const enum fact_name used[] = {
    FACT_kv_needed,         FACT_max_model_len,  FACT_kv_available,
    FACT_est_max_model_len, FACT_kv_cache_dtype, FACT_model,
    FACT_COUNT_OF};

/* V0, model unknown: the same bytes hold twice the tokens. */
static struct estimate by_tokens(const struct ask *q,
                                 const struct kv_side *kv) {
    struct estimate e = estimate_unknown(FACT_max_model_len);
    int64_t twice;
    if (!mul_i64(kv->pool_tokens, 2, &twice)) {
        return e;
    }
    e.before = e.after = span_exact(kv->length);
    e.limit = span_exact(twice);
    estimate_judge(&e);
    e.proposed = e.verdict == VERDICT_ENOUGH
                     ? propose_word(FACT_kv_cache_dtype, STR("fp8"))
                     : propose(FACT_max_model_len, twice);
    struct str now = write_count(q->a, kv->pool_tokens);
    struct str then = write_count(q->a, twice);
    e.formula = arena_printf(q->a, "kv_tokens = 2 x %.*s = %.*s tokens",
                             STR_ARG(now), STR_ARG(then));
    return e;
}

/* Half, and at most so much more as is fixed. */
static struct str write_halved(const struct ask *q, const struct kv_side *kv,
                               struct span after) {
    int64_t half = kv->need.low / 2;
    struct str need = write_bytes(q->a, kv->need.low);
    struct str low = write_bytes(q->a, after.low);
    struct str text = write_bytes_span(q->a, after);
    struct str sources = write_sources(q->a, q->c, used);
    bool is_half = kv->need.known && after.low - half < half / 1000 &&
                   half - after.low < half / 1000;
    struct str lower = (struct str){0};
    if (is_half) {
        lower = arena_printf(q->a, "kv_needed at least = %.*s / 2 = %.*s",
                             STR_ARG(need), STR_ARG(low));
    }
    return formula_join(q->a, lower,
                        arena_printf(q->a, "kv_needed with fp8 = %.*s%.*s",
                                     STR_ARG(text), STR_ARG(sources)));
}

/* Not enough by itself: the length that fp8 would carry. */
static void propose_length(const struct ask *q, const struct kv_side *kv,
                           const struct demand *fp8, struct estimate *e) {
    struct span longest = demand_tokens(fp8, kv->pool, kv->length);
    if (!longest.known || longest.low <= 0) {
        return;
    }
    struct str n = write_count(q->a, longest.low);
    e->proposed = propose(FACT_max_model_len, longest.low);
    e->formula = formula_join(
        q->a, e->formula,
        arena_printf(q->a, "fp8 is enough up to max_model_len = %.*s tokens",
                     STR_ARG(n)));
}

static struct estimate judged(const struct ask *q, const struct kv_side *kv) {
    struct demand fp8 = demand_with_fp8(q->a, &kv->demand);
    struct estimate e = estimate_of_kv(kv);
    e.after = kv->length > 0 ? demand_bytes(&fp8, kv->length) : span_none();
    if (kv->has_no_pool && !kv->pool.known) {
        e.limit = span_exact(0);
    }
    if (!e.after.known || !e.limit.known) {
        needs_add(&e.needs, e.after.known ? FACT_kv_available : FACT_model);
        return e;
    }
    estimate_judge(&e);
    e.formula = write_halved(q, kv, e.after);
    if (verdict_is_open(e.verdict) && !kv->demand.by_model) {
        needs_add(&e.needs, FACT_model);
    }
    if (e.verdict == VERDICT_ENOUGH) {
        e.proposed = propose_word(FACT_kv_cache_dtype, STR("fp8"));
    } else {
        propose_length(q, kv, &fp8, &e);
    }
    return e;
}

struct estimate effect_kv_dtype(const struct ask *q) {
    if (q->what != SHORT_KV_POOL) {
        return estimate_none(q->what == SHORT_FREE_AT_START
                                 ? FACT_requested_bytes
                                 : FACT_tried_alloc);
    }
    const struct fact *now = &q->c->in[FACT_kv_cache_dtype];
    struct kv_side kv = kv_side_of(q);
    if (now->known && kv_dtype_is_fp8(now->word)) {
        return estimate_none(FACT_kv_needed);
    }
    return kv.counts_tokens ? by_tokens(q, &kv) : judged(q, &kv);
}
