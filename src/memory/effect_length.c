/* effect_length.c: a shorter max_model_len. Only the KV check asks for one
 * whole request; the pool itself does not grow with it, and a failed
 * allocation does not care.
 *
 * The longest that fits is vLLM's own estimate where it prints one; else what
 * model or pairs give for the pool. Need, pool and length alone bound it from
 * above only: a fixed part may take any share. */
#include "memory/effect.h"
#include "memory/formula.h"
#include "memory/kv_formula.h"
#include "memory/rules.h"
#include "memory/span.h"

#define BLOCK_LARGEST 128 /* tokens: a multiple of every usual block */

static const enum fact_name used[] = {
    FACT_est_max_model_len, FACT_max_model_len, FACT_kv_needed,
    FACT_kv_available,      FACT_kv_tokens,     FACT_kv_blocks,
    FACT_block_size,        FACT_COUNT_OF};

/* Bytes per token of a line: what nothing fixed would give where that is
 * possible, else the likeliest of the interval. */
static int64_t likely_slope(const struct line *l) {
    struct span whole = span_share(l->bytes, 1, l->tokens);
    bool may_be_whole = l->fixed.low == 0 && whole.known;
    return span_roundest(may_be_whole ? span_meet(whole, l->slope) : l->slope);
}

/* The interval, where two decimals do not hide it. */
static struct str write_slope_span(const struct ask *q, const struct line *l) {
    struct span wide = span_share(l->slope, 1001, 1000);
    if (!wide.known || l->slope.high <= wide.low) {
        return (struct str){0};
    }
    struct str ends = write_bytes_span(q->a, l->slope);
    return arena_printf(q->a, "kv_per_token lies between = %.*s",
                        STR_ARG(ends));
}

/* "18.35 GiB - (262,144 - 121,840 tokens) x 72 KiB": never more than the pool
 * that it is the estimate for. */
static struct str write_line(const struct ask *q, const struct kv_side *kv,
                             int64_t length) {
    const struct line *l = &kv->demand.line;
    int64_t slope = likely_slope(l), run = l->tokens - length, saved;
    int64_t value = span_middle(l->bytes);
    if (!mul_i64(run, slope, &saved) || !add_i64(value, -saved, &value)) {
        return (struct str){0};
    }
    if (kv->pool.known && value > span_middle(kv->pool)) {
        value = span_middle(kv->pool);
    }
    struct str need = write_bytes(q->a, span_middle(l->bytes));
    struct str per_token = write_bytes(q->a, slope);
    struct str anchor = write_count(q->a, l->tokens);
    struct str n = write_count(q->a, length);
    struct str v = write_bytes(q->a, value);
    struct str sources = write_sources(q->a, q->c, used);
    struct str text = arena_printf(
        q->a, "kv_needed = %.*s - (%.*s - %.*s tokens) x %.*s = about %.*s%.*s",
        STR_ARG(need), STR_ARG(anchor), STR_ARG(n), STR_ARG(per_token),
        STR_ARG(v), STR_ARG(sources));
    return formula_join(q->a, text, write_slope_span(q, l));
}

/* By layers, by the line, or the length alone. */
static struct str write_at(const struct ask *q, const struct kv_side *kv,
                           int64_t length, struct span after) {
    const struct demand *d = &kv->demand;
    struct str sources = write_sources(q->a, q->c, used);
    struct str n = write_count(q->a, length);
    if (d->by_model) {
        const struct way *way = &d->ways.at[0];
        struct str text = write_request(q->a, way, length);
        struct str value = write_bytes(q->a, way_request(way, length).high);
        return arena_printf(q->a, "kv_needed = %.*s = about %.*s%.*s",
                            STR_ARG(text), STR_ARG(value), STR_ARG(sources));
    }
    if (d->line.known && after.known && length <= d->line.tokens) {
        return write_line(q, kv, length);
    }
    return arena_printf(q->a, "max_model_len = %.*s tokens%.*s", STR_ARG(n),
                        STR_ARG(sources));
}

static struct estimate by_estimate(const struct ask *q,
                                   const struct kv_side *kv, int64_t length) {
    struct estimate e = estimate_of_kv(kv);
    struct span after = demand_bytes(&kv->demand, length);
    e.formula = write_at(q, kv, length, after);
    e.after = span_meet(after, span_of(0, kv->pool.high));
    e.verdict = VERDICT_ENOUGH; /* vLLM reckoned it with exact numbers */
    e.short_by = span_exact(0);
    e.proposed = propose(FACT_max_model_len, length);
    return e;
}

/* V0: "stored in KV cache (21904)". */
static struct estimate by_tokens(const struct ask *q, int64_t length,
                                 int64_t pool) {
    struct estimate e = estimate_unknown(FACT_max_model_len);
    e.before = span_exact(length);
    e.limit = span_exact(pool);
    e.after = e.limit;
    estimate_judge(&e);
    e.proposed = propose(FACT_max_model_len, pool);
    struct str l = write_count(q->a, length), n = write_count(q->a, pool);
    const struct fact *blocks = &q->c->in[FACT_kv_blocks];
    struct str each = write_count(q->a, setting_of(q->c, FACT_block_size, 1));
    struct str made = write_count(q->a, blocks->number);
    bool is_of_blocks = blocks->known && !q->c->in[FACT_kv_tokens].known;
    struct str held = is_of_blocks
                          ? arena_printf(q->a, "%.*s blocks x %.*s",
                                         STR_ARG(made), STR_ARG(each))
                          : n;
    struct str sources = write_sources(q->a, q->c, used);
    e.formula =
        arena_printf(q->a,
                     "max_model_len = min(%.*s, %.*s) = %.*s "
                     "tokens%.*s",
                     STR_ARG(l), STR_ARG(held), STR_ARG(n), STR_ARG(sources));
    return e;
}

/* "# GPU blocks: 410" of 16 tokens each hold 6,560. */
static int64_t tokens_printed(const struct memory_case *c) {
    const struct fact *blocks = &c->in[FACT_kv_blocks];
    int64_t block = setting_of(c, FACT_block_size, 0), tokens;
    if (c->in[FACT_kv_tokens].known) {
        return c->in[FACT_kv_tokens].number;
    }
    return blocks->known && block > 0 &&
                   mul_i64(blocks->number, block, &tokens)
               ? tokens
               : 0;
}

static struct str write_longest(const struct ask *q, const struct kv_side *kv,
                                int64_t length) {
    struct span slope = demand_slope(&kv->demand);
    struct span fixed = demand_fixed(&kv->demand, kv->length);
    if (!slope.known || !fixed.known || slope.high <= 0) {
        return (struct str){0};
    }
    int64_t growing = span_middle(span_times(slope, length));
    int64_t whole;
    if (!add_i64(growing, span_middle(fixed), &whole)) {
        return (struct str){0};
    }
    struct str n = write_count(q->a, length);
    struct str s = write_bytes(q->a, span_middle(slope));
    struct str o = write_bytes(q->a, span_middle(fixed));
    struct str v = write_bytes(q->a, whole);
    struct str sources = write_sources(q->a, q->c, used);
    return arena_printf(q->a,
                        "kv_needed = about %.*s fixed + %.*s tokens x %.*s "
                        "= %.*s%.*s",
                        STR_ARG(o), STR_ARG(n), STR_ARG(s), STR_ARG(v),
                        STR_ARG(sources));
}

/* One need at one length: the pool holds at most the same share of it. */
static struct str write_most(const struct ask *q, const struct kv_side *kv,
                             int64_t most) {
    const struct line *l = &kv->demand.line;
    int64_t pool = span_middle(kv->pool), need = span_middle(l->bytes), at;
    if (kv->demand.by_model || most <= 0 || need <= 0 ||
        !mul_div_floor(l->tokens, pool, need, &at)) {
        return (struct str){0};
    }
    struct str n = write_count(q->a, l->tokens);
    struct str have = write_bytes(q->a, pool);
    struct str want = write_bytes(q->a, need);
    struct str v = write_count(q->a, at);
    struct str sources = write_sources(q->a, q->c, used);
    return arena_printf(q->a,
                        "max_model_len at most = %.*s tokens x %.*s / %.*s = "
                        "about %.*s tokens%.*s",
                        STR_ARG(n), STR_ARG(have), STR_ARG(want), STR_ARG(v),
                        STR_ARG(sources));
}

/* As long as the pool's share of the need at the worst corner, if all of the
 * need grows with the length. */
static struct estimate by_proportion(const struct ask *q,
                                     const struct kv_side *kv, int64_t most) {
    const struct line *l = &kv->demand.line;
    struct estimate e = estimate_of_kv(kv);
    int64_t length = 0;
    e.after = span_none();
    e.short_by = span_at_least(span_minus(kv->need, kv->pool), 0);
    e.formula = write_most(q, kv, most);
    needs_add(&e.needs, FACT_model);
    bool is_reckoned = !kv->demand.by_model && l->bytes.known &&
                       l->bytes.high > 0 && kv->pool.low > 0 &&
                       mul_div_floor(l->tokens, kv->pool.low, l->bytes.high,
                                     &length);
    length -= length % BLOCK_LARGEST;
    if (is_reckoned && length > 0) {
        estimate_if(&e, "verdict.if.proportional");
        e.proposed = propose(FACT_max_model_len, length);
    }
    return e;
}

/* Not even one token: fixed parts take more than there is. */
static struct estimate without_request(const struct kv_side *kv) {
    struct estimate e = estimate_of_kv(kv);
    e.after = demand_bytes(&kv->demand, 1);
    e.short_by = span_at_least(span_minus(e.after, e.limit), 0);
    e.verdict = VERDICT_NOT_ENOUGH;
    return e;
}

static struct estimate by_demand(const struct ask *q,
                                 const struct kv_side *kv) {
    struct estimate e = estimate_of_kv(kv);
    struct span longest =
        kv->length > 1 ? demand_tokens(&kv->demand, kv->pool, kv->length - 1)
                       : span_none();
    if (!longest.known) {
        needs_add(&e.needs, kv->length ? FACT_model : FACT_max_model_len);
        if (!kv->pool.known) {
            needs_add(&e.needs, FACT_kv_available);
        }
        return e;
    }
    int64_t block = kv->demand.block_tokens > 0 ? kv->demand.block_tokens : 1;
    int64_t length = longest.low - longest.low % block;
    if (length <= 0) {
        return longest.high > 0 ? by_proportion(q, kv, longest.high)
                                : without_request(kv);
    }
    e.after = demand_bytes(&kv->demand, length);
    estimate_judge(&e);
    e.proposed = propose(FACT_max_model_len, length);
    e.formula = write_longest(q, kv, length);
    return e;
}

static struct estimate without_pool(const struct kv_side *kv) {
    struct estimate e = estimate_of_kv(kv);
    if (!e.limit.known) {
        e.limit = span_exact(0);
    }
    e.verdict = VERDICT_NOT_ENOUGH;
    return e;
}

struct estimate effect_max_model_len(const struct ask *q) {
    if (q->what == SHORT_ALLOCATION && stage_is(q->c, "profile") &&
        rules_is_v0(q->c) != ANSWER_NO) {
        return estimate_unknown(FACT_tried_alloc); /* V0 profiles with it */
    }
    if (q->what != SHORT_KV_POOL) {
        return estimate_none(q->what == SHORT_FREE_AT_START
                                 ? FACT_requested_bytes
                                 : FACT_tried_alloc);
    }
    struct kv_side kv = kv_side_of(q);
    const struct fact *estimate = &q->c->in[FACT_est_max_model_len];
    if (kv.has_no_pool) {
        return without_pool(&kv);
    }
    if (estimate->known && estimate->number > 0 && kv.pool.known) {
        return by_estimate(q, &kv, estimate->number);
    }
    int64_t tokens = tokens_printed(q->c);
    if (rules_is_v0(q->c) == ANSWER_YES && kv.length > 0 && tokens > 0) {
        return by_tokens(q, kv.length,
                         tokens < kv.length ? tokens : kv.length);
    }
    return by_demand(q, &kv);
}
