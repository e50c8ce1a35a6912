/* effect_process.c: memory that something else holds: another process, or the
 * allocator in blocks that it does not use. */
#include "memory/effect.h"

#include "corpus/version.h"
#include "memory/budget.h"
#include "memory/formula.h"
#include "memory/span.h"

#define MIB (INT64_C(1) << 20)
#define NOBODY (64 * MIB)

/* CUDA context and libraries of the process itself. */
static struct span own_context(void) {
    return span_of(200 * MIB, 900 * MIB);
}

static struct estimate at_start(const struct ask *q) {
    static const enum fact_name used[] = {
        FACT_requested_bytes, FACT_gpu_free, FACT_gpu_total,
        FACT_gpu_memory_utilization, FACT_COUNT_OF};
    struct estimate e = estimate_unknown(FACT_requested_bytes);
    struct span total = gpu_total_bytes(q->c);
    struct span free = span_of_fact(&q->c->in[FACT_gpu_free]);
    e.before = e.after = requested_bytes(q->c);
    e.limit = span_minus(total, own_context());
    if (!total.known) {
        needs_add(&e.needs, FACT_gpu_total);
    }
    if (!e.after.known) {
        needs_add(&e.needs, FACT_gpu_memory_utilization);
    }
    estimate_judge(&e);
    e.short_by = span_at_least(span_minus(e.after, free), 0);
    if (!e.short_by.known) {
        return e;
    }
    if (verdict_is_open(e.verdict)) {
        estimate_if(&e, "verdict.if.freed");
        condition_add(&e, write_short(q->a, e.short_by.high));
    }
    /* The number that the log prints, not one reckoned beside it. */
    const struct fact *printed = &q->c->in[FACT_requested_bytes];
    const struct fact *left = &q->c->in[FACT_gpu_free];
    int64_t wanted = printed->known ? printed->number : span_middle(e.after);
    int64_t missing = wanted > left->number ? wanted - left->number : 0;
    struct str want = write_bytes(q->a, wanted);
    struct str have = write_bytes(q->a, left->number);
    struct str gap = write_bytes(q->a, missing);
    struct str sources = write_sources(q->a, q->c, used);
    e.formula = arena_printf(q->a, "short_by = %.*s - %.*s free = %.*s%.*s",
                             STR_ARG(want), STR_ARG(have), STR_ARG(gap),
                             STR_ARG(sources));
    return e;
}

/* Below that it is rounding: nobody else is there. */
static struct span at_most(struct span rest) {
    bool is_noise = rest.known && span_middle(rest) < NOBODY;
    return rest.known ? span_of(0, is_noise ? 0 : rest.high) : rest;
}

/* What others hold of the card: the log's own sum, or what it lists, or at
 * most what lies outside of this process. */
static struct span others_of(const struct memory_case *c) {
    struct span sum = span_of_fact(&c->in[FACT_others_in_use]);
    struct span listed = span_of_fact(&c->in[FACT_other_in_use]);
    struct span own = span_of_fact(&c->in[FACT_process_in_use]);
    if (listed.known) {
        return listed;
    }
    if (sum.known) {
        return at_most(sum);
    }
    own = own.known ? own : span_of_fact(&c->in[FACT_pytorch_reserved]);
    own = own.known ? own : span_of_fact(&c->in[FACT_pytorch_allocated]);
    struct span rest = span_minus(
        span_minus(gpu_total_bytes(c), span_of_fact(&c->in[FACT_gpu_free])),
        own);
    return at_most(rest);
}

static struct str write_others(const struct ask *q, struct span free,
                               struct span others, struct span limit) {
    static const enum fact_name used[] = {FACT_tried_alloc, FACT_gpu_free,
                                          FACT_other_in_use, FACT_COUNT_OF};
    struct str have = write_bytes(q->a, span_middle(free));
    struct str held = write_bytes(q->a, span_is_exact(others) ||
                                                others.low > 0
                                            ? span_middle(others)
                                            : others.high);
    struct str room = write_bytes(
        q->a, others.low > 0 ? span_middle(limit) : limit.high);
    struct str sources = write_sources(q->a, q->c, used);
    return arena_printf(q->a, "free %s= %.*s + %.*s of others = %.*s%.*s",
                        others.low > 0 ? "" : "at most ", STR_ARG(have),
                        STR_ARG(held), STR_ARG(room), STR_ARG(sources));
}

/* Enough if so much is freed. What lies outside the framework is no interval
 * of what others hold: the context is in it. */
static void bound_by_freed(const struct ask *q, struct estimate *e,
                           struct span missing, struct span others) {
    estimate_if(e, "verdict.if.freed");
    condition_add(e, write_short(q->a, missing.high));
    e->share_micro = e->limit.known && others.low > 0
                         ? share_that_passes(e->after, e->limit)
                         : SHARE_NONE;
    e->short_by = missing;
}

static void need_both(struct estimate *e, struct span free,
                      struct span others) {
    if (!others.known || others.low == 0) {
        needs_add(&e->needs, FACT_other_in_use);
    }
    if (!free.known) {
        needs_add(&e->needs, FACT_gpu_free);
    }
}

static struct estimate for_allocation(const struct ask *q) {
    const struct fact *own = &q->c->in[FACT_own_process_listed];
    struct shortfall s = shortfall_of(q);
    struct span others = others_of(q->c);
    struct estimate e = estimate_unknown(FACT_tried_alloc);
    bool is_alone = own->known && own->number &&
                    !q->c->in[FACT_other_in_use].known;
    if (is_alone && !q->c->in[FACT_others_in_use].known) {
        return estimate_none(FACT_tried_alloc); /* it is the process alone */
    }
    if (s.asked.known && s.free.known && s.free.low >= s.asked.high) {
        return estimate_unknown(FACT_tried_alloc); /* nothing is missing */
    }
    e.before = e.after = s.asked;
    e.limit = span_plus(s.free, others);
    e.short_by = s.missing;
    need_both(&e, s.free, others);
    if (e.limit.known && e.after.known) {
        e.formula = write_others(q, s.free, others, e.limit);
        estimate_judge(&e);
        e.short_by = e.verdict == VERDICT_ENOUGH ? s.missing : e.short_by;
    }
    if (verdict_is_open(e.verdict) && s.missing.known && s.missing.high > 0) {
        bound_by_freed(q, &e, s.missing, others);
    }
    return e;
}

struct estimate effect_free_other_process(const struct ask *q) {
    switch (q->what) {
    case SHORT_FREE_AT_START: return at_start(q);
    case SHORT_ALLOCATION: return for_allocation(q);
    case SHORT_KV_POOL: return estimate_unknown(FACT_kv_needed);
    case SHORT_HOST: return host_refusal(q);
    case SHORT_TOKENS:
    case SHORT_UNKNOWN: break;
    }
    return estimate_unknown(FACT_requested_bytes);
}

/* Releases before 2.1 do not have them: by their version, or by words of
 * releases before 2.0. */
static bool is_before_segments(const struct memory_case *c) {
    const struct fact *version = &c->in[FACT_torch_version];
    const struct fact *words = &c->in[FACT_oom_words];
    int order = 0;
    if (version->known && version_valid(version->word)) {
        return version_compare(version->word, STR("2.1"), &order) && order < 0;
    }
    return words->known && (str_eq(words->word, STR("bare")) ||
                            str_eq(words->word, STR("cached")));
}

/* At most free and unallocated memory become one block. */
struct estimate effect_expandable_segments(const struct ask *q) {
    static const enum fact_name used[] = {
        FACT_tried_alloc,      FACT_gpu_free,          FACT_pytorch_unallocated,
        FACT_pytorch_reserved, FACT_pytorch_allocated, FACT_COUNT_OF};
    const struct memory_case *c = q->c;
    struct span spare = span_of_fact(&c->in[FACT_pytorch_unallocated]);
    struct span free = span_of_fact(&c->in[FACT_gpu_free]);
    struct estimate e = estimate_none(FACT_tried_alloc);
    if (q->what != SHORT_ALLOCATION || is_before_segments(c)) {
        return e;
    }
    if (!spare.known) {
        spare = span_at_least(
            span_minus(span_of_fact(&c->in[FACT_pytorch_reserved]),
                       span_of_fact(&c->in[FACT_pytorch_allocated])),
            0);
    }
    e = estimate_unknown(FACT_tried_alloc);
    e.before = e.after = span_of_fact(&c->in[FACT_tried_alloc]);
    e.limit = span_plus(free, spare);
    if (!e.limit.known || !e.after.known) {
        needs_add(&e.needs,
                  spare.known ? FACT_gpu_free : FACT_pytorch_unallocated);
        return e;
    }
    estimate_judge(&e);
    if (e.verdict == VERDICT_ENOUGH) {
        estimate_if(&e, "verdict.if.one_block"); /* an upper bound */
        condition_add(&e, write_short(q->a, span_middle(e.after)));
        condition_add(&e, write_short(q->a, span_middle(e.limit)));
    }
    struct str have = write_bytes(q->a, span_middle(free));
    struct str idle = write_bytes(q->a, span_middle(spare));
    struct str room = write_bytes(q->a, span_middle(e.limit));
    struct str sources = write_sources(q->a, c, used);
    e.formula = arena_printf(q->a,
                             "one block at most = %.*s free + %.*s "
                             "unallocated = %.*s%.*s",
                             STR_ARG(have), STR_ARG(idle), STR_ARG(room),
                             STR_ARG(sources));
    return e;
}
