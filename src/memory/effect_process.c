/* effect_process.c: memory that something else holds: another process, the
 * allocator's own unused blocks, the host. */
#include "memory/budget.h"
#include "memory/effect.h"
#include "memory/formula.h"
#include "memory/span.h"

#define MIB (INT64_C(1) << 20)
#define GIB (INT64_C(1) << 30)

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

static struct estimate for_allocation(const struct ask *q) {
    static const enum fact_name used[] = {FACT_tried_alloc, FACT_gpu_free,
                                          FACT_other_in_use, FACT_COUNT_OF};
    const struct fact *own = &q->c->in[FACT_own_process_listed];
    struct span others = span_of_fact(&q->c->in[FACT_other_in_use]);
    struct span free = span_of_fact(&q->c->in[FACT_gpu_free]);
    struct estimate e = estimate_unknown(FACT_tried_alloc);
    if (own->known && own->number && !others.known) {
        return estimate_none(FACT_tried_alloc); /* it is the process alone */
    }
    e.before = e.after = span_of_fact(&q->c->in[FACT_tried_alloc]);
    e.limit = span_plus(free, others);
    e.short_by = span_at_least(span_minus(e.after, free), 0);
    if (!others.known) {
        needs_add(&e.needs, FACT_other_in_use);
    }
    if (!free.known) {
        needs_add(&e.needs, FACT_gpu_free);
    }
    if (!e.limit.known || !e.after.known) {
        return e;
    }
    estimate_judge(&e);
    struct str have = write_bytes(q->a, span_middle(free));
    struct str held = write_bytes(q->a, span_middle(others));
    struct str room = write_bytes(q->a, span_middle(e.limit));
    struct str sources = write_sources(q->a, q->c, used);
    e.formula = arena_printf(q->a, "free = %.*s + %.*s of others = %.*s%.*s",
                             STR_ARG(have), STR_ARG(held), STR_ARG(room),
                             STR_ARG(sources));
    return e;
}

struct estimate effect_free_other_process(const struct ask *q) {
    switch (q->what) {
    case SHORT_FREE_AT_START: return at_start(q);
    case SHORT_ALLOCATION: return for_allocation(q);
    case SHORT_KV_POOL: return estimate_unknown(FACT_kv_needed);
    case SHORT_HOST:
    case SHORT_TOKENS:
    case SHORT_UNKNOWN: break;
    }
    return estimate_unknown(FACT_requested_bytes);
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
    if (q->what != SHORT_ALLOCATION) {
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

/* Is it the sum of all processes that counts? Where one's is told beside that of
 * all of the machine's; or a limit was reached, and nobody says how much one
 * held. */
static bool is_of_all(const struct memory_case *c) {
    struct span held = span_of_fact(&c->in[FACT_host_rss]);
    struct span used = span_of_fact(&c->in[FACT_host_used]);
    if (!used.known) {
        return false;
    }
    return held.known ? used.low > held.high : c->in[FACT_memory_limit].known;
}

/* The peak that was cut off, and a fifth more. */
struct estimate effect_host_memory(const struct ask *q) {
    static const enum fact_name read[] = {FACT_host_rss, FACT_host_used,
                                          FACT_memory_limit, FACT_COUNT_OF};
    const struct memory_case *c = q->c;
    struct span held = span_of_fact(&c->in[FACT_host_rss]);
    struct span used = span_of_fact(&c->in[FACT_host_used]);
    bool is_part = is_of_all(c);
    bool is_refusal = !held.known && c->in[FACT_requested_bytes].known;
    struct estimate e =
        estimate_unknown(is_part ? FACT_host_used : FACT_host_rss);
    held = is_part ? used : held;
    if (q->what != SHORT_HOST || is_refusal) {
        return estimate_none(FACT_tried_alloc); /* its size is printed */
    }
    e.before = held;
    e.limit = span_of_fact(&c->in[FACT_memory_limit]);
    if (!e.limit.known) {
        e.limit = span_of_fact(&c->in[FACT_host_total]);
    }
    if (!held.known || held.high <= 0) {
        needs_add(&e.needs, FACT_host_rss);
        return e;
    }
    struct span most = held;
    if (e.limit.known && e.limit.high > held.high) {
        most = e.limit; /* it reached the limit, the last line came earlier */
    }
    e.after = span_share(most, 6, 5);
    int64_t whole;
    if (!e.after.known ||
        !mul_i64(ceil_div(span_middle(e.after), GIB), GIB, &whole)) {
        return e;
    }
    e.proposed = propose(FACT_memory_limit, whole);
    struct str h = write_bytes(q->a, span_middle(most));
    struct str v = write_bytes(q->a, span_middle(e.after));
    struct str sources = write_sources(q->a, c, read);
    e.formula = arena_printf(q->a, "memory_limit = 1.2 x %.*s = %.*s%.*s",
                             STR_ARG(h), STR_ARG(v), STR_ARG(sources));
    return e;
}
