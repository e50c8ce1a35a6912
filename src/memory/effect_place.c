/* effect_place.c: fixes that put the work where it may fit: another kernel or
 * tile, another device, fewer compilers at once, memory that something else
 * holds: another process, or the allocator in blocks that it does not use. What
 * a new place offers the reader can look up, so each answer is a condition with
 * its number.
 *
 *   kernel       another kernel: at most the limit per block
 *   kernel_tile  the same with smaller tiles: the factor that is missing
 *   other_device held + requested on a device that is free
 *   build_jobs   jobs = free host memory / what one held when it was ended
 */
#include "base/limits.h"
#include "corpus/version.h"
#include "memory/effect.h"

static const enum fact_name used[] =
    FACTS(FACT_smem_required, FACT_smem_limit, FACT_tried_alloc,
          FACT_pytorch_reserved, FACT_pytorch_allocated, FACT_process_in_use,
          FACT_victim_rss, FACT_host_free, FACT_build_jobs);

/* ---- shared memory of one block ---- */

static struct estimate begin_kernel(const struct query *q) {
    struct estimate e =
        estimate_of(FACT_smem_required, span_in(q->c, FACT_smem_required),
                    span_in(q->c, FACT_smem_limit));
    e.short_by = span_beyond(e.before, e.limit);
    if (!e.before.known || !e.limit.known)
        needs_add(&e.needs,
                  e.before.known ? FACT_smem_limit : FACT_smem_required);
    return e;
}

struct estimate effect_kernel(const struct query *q) {
    struct estimate e = begin_kernel(q);
    if (e.before.known && e.limit.known)
        ESTIMATE_IF(q, &e, "verdict.if.kernel", BYTES(e.limit.low),
                    BYTES(e.before.high));
    return e;
}

/* The need is about in proportion to stages x tile: halved until it fits. */
struct estimate effect_kernel_tile(const struct query *q) {
    struct estimate e = begin_kernel(q);
    int64_t parts = 2;
    if (!e.before.known || e.limit.low <= 0)
        return e;
    while (ceil_div(e.before.high, parts) > e.limit.low)
        parts *= 2;
    e.after = span_share(e.before, 1, parts);
    e.formula = EXPLAIN(q, used, "smem_required = % / % = about %",
                        MIDDLE(e.before), PLAIN(parts), MIDDLE(e.after));
    ESTIMATE_IF(q, &e, "verdict.if.tile",
                TEXT(FORMULA(q->a, "1/%", PLAIN(parts))), BYTES(e.after.high));
    return e;
}

/* What the program itself holds moves, and what was requested comes. */
struct estimate effect_other_device(const struct query *q) {
    struct span asked = span_in(q->c, FACT_tried_alloc);
    struct span held =
        first_known(q->c, FACT_LIST(FACT_process_in_use, FACT_pytorch_reserved,
                                    FACT_pytorch_allocated));
    struct span whole = span_plus(held, asked);
    struct estimate e = estimate_of(FACT_gpu_free, span_none(),
                                    span_in(q->c, FACT_idle_free));
    if (!whole.known) {
        needs_add(&e.needs,
                  asked.known ? FACT_process_in_use : FACT_tried_alloc);
        return e;
    }
    e.before = asked;
    e.after = whole;
    e.formula = EXPLAIN(q, used, "gpu_free = % + % = %", MIDDLE(held),
                        MIDDLE(asked), MIDDLE(whole));
    ESTIMATE_IF(q, &e, "verdict.if.device", SHORT(whole.high));
    return e;
}

struct estimate effect_build_jobs(const struct query *q) {
    struct span each = span_in(q->c, FACT_victim_rss);
    int64_t now = setting_of(q->c, FACT_build_jobs, 0), jobs = now / 2;
    struct estimate e =
        estimate_of(FACT_host_used, span_none(), span_in(q->c, FACT_host_free));
    if (!each.known || each.high <= 0) {
        needs_add(&e.needs, FACT_victim_rss);
        return e;
    }
    e.before = now > 0 ? span_times(each, now) : span_none();
    jobs = e.limit.known ? e.limit.low / each.high : jobs;
    jobs = e.limit.known && now > 0 && jobs >= now ? now - 1 : jobs;
    jobs = jobs < 1 ? 1 : jobs > COMPILE_JOBS_MAX ? COMPILE_JOBS_MAX : jobs;
    e.after = span_times(each, jobs);
    e.proposed = propose(FACT_build_jobs, jobs);
    e.formula = EXPLAIN(q, used, "host_used = % x % = %", PLAIN(jobs),
                        BYTES(each.high), BYTES(e.after.high));
    ESTIMATE_IF(q, &e, "verdict.if.jobs", SHORT(each.high), COUNT(jobs),
                SHORT(e.after.high));
    return e;
}

/* ---- other processes ---- */

#define OTHERS_LEAST (64 * MIB)
#define FEW_OTHERS 10 /* a tenth of the GPU, or less, is theirs */
#define FULL_PERCENT 85 /* of the GPU in live tensors */
#define CONTEXT_LEAST                                                          \
    (100 * MIB) /* CUDA and libraries of the process itself                    \
                 */
#define CONTEXT_MOST (900 * MIB)

static struct estimate at_start(const struct query *q) {
    const struct inputs *c = q->c;
    struct span total = span_in(c, FACT_gpu_total);
    struct span room = span_minus(total, span_of(CONTEXT_LEAST, CONTEXT_MOST));
    if (room.known && is_on(c, FACT_shares_host_memory)) {
        /* the system, for some releases with its file cache, holds a part that
         * cannot be ended */
        room.low = span_in(c, FACT_gpu_free).low;
    }
    struct estimate e =
        estimate_of(FACT_requested_bytes, requested_bytes(c), room);
    estimate_needs(&e, total.known, FACT_gpu_total);
    estimate_needs(&e, e.after.known, FACT_gpu_memory_utilization);
    estimate_judge(&e);
    e.short_by = span_beyond(e.after, span_in(c, FACT_gpu_free));
    if (!e.short_by.known)
        return e;
    if (verdict_is_open(e.verdict))
        ESTIMATE_IF(q, &e, "verdict.if.freed", SHORT(span_middle(e.short_by)));
    /* The number that the log prints, not one computed beside it. */
    const struct fact *printed = &c->in[FACT_requested_bytes];
    int64_t left = c->in[FACT_gpu_free].number;
    int64_t wanted = printed->known ? printed->number : span_middle(e.after);
    e.formula = EXPLAIN(q,
                        FACT_LIST(FACT_requested_bytes, FACT_gpu_free,
                                  FACT_gpu_total, FACT_gpu_memory_utilization),
                        "short_by = % - % free = %", BYTES(wanted), BYTES(left),
                        BYTES(wanted > left ? wanted - left : 0));
    return e;
}

/* What others hold of the card: the log's own sum, or what it lists, or at
 * most what lies outside of this process. */
static struct span others_of(const struct inputs *c) {
    struct span total = span_in(c, FACT_gpu_total);
    struct span own =
        first_known(c, FACT_LIST(FACT_process_in_use, FACT_pytorch_reserved,
                                 FACT_pytorch_allocated));
    /* ranks of this job are no others there, but may be ended as well */
    struct span sum = setting_of(c, FACT_own_ranks, 0) > 0
                          ? span_none()
                          : span_in(c, FACT_others_in_use);
    /* in use before the program loaded anything: others', but for a context */
    struct span before = span_minus(total, span_in(c, FACT_free_before_load));
    if (c->in[FACT_other_in_use].known)
        return span_in(c, FACT_other_in_use);
    if (!sum.known && before.known && before.low > CONTEXT_MOST &&
        !is_on(c, FACT_shares_host_memory))
        return span_of(before.low - CONTEXT_MOST, before.high);
    struct span rest = span_or(
        sum, span_minus(span_minus(total, span_in(c, FACT_gpu_free)), own));
    /* the allocator does not count the context of its own process */
    if (!c->in[FACT_process_in_use].known)
        rest = span_beyond(rest, span_exact(CONTEXT_LEAST));
    bool is_rounding = span_middle(rest) < OTHERS_LEAST; /* there is no other */
    return rest.known ? span_of(0, is_rounding ? 0 : rest.high) : rest;
}

/* Live tensors fill the GPU, a little more was refused, and others hold little:
 * what covers that request does not cover the next one. A server's pool is
 * meant to be full. What is not known is taken to be so. */
static bool is_last_drop(const struct query *q, const struct shortfall *s,
                         struct span others) {
    bool has_pool = stage_is(q->c, "serve") || stage_is(q->c, "capture") ||
                    stage_is(q->c, "wake");
    struct span rest = span_plus(s->free, others);
    struct span own =
        span_or(first_known(q->c, FACT_LIST(FACT_pytorch_allocated,
                                            FACT_process_in_use)),
                span_beyond(s->total, rest));
    struct span total = span_or(s->total, span_plus(own, rest));
    if (!total.known || !s->missing.known || has_pool)
        return !has_pool && s->missing.known;
    return own.low >= total.high / 100 * FULL_PERCENT &&
           own.low <= total.high && s->missing.high < total.low / 100 &&
           others.high < total.low / FEW_OTHERS;
}

static struct str write_others(const struct query *q, struct span free,
                               struct span others, struct span limit) {
    bool is_least = others.low > 0;
    return EXPLAIN(
        q, FACT_LIST(FACT_tried_alloc, FACT_gpu_free, FACT_other_in_use),
        "free %= % + % of others = %",
        TEXT(is_least ? STR("") : STR("at most ")), MIDDLE(free),
        BYTES(is_least ? span_middle(others) : others.high),
        BYTES(is_least ? span_middle(limit) : limit.high));
}

/* Enough if so much is freed. What lies outside the framework is no interval
 * of what others hold: the context is in it. */
static void bound_by_freed(const struct query *q, struct estimate *e,
                           const struct shortfall *s, struct span others) {
    ESTIMATE_IF(q, e, "verdict.if.freed", SHORT(span_middle(s->missing)));
    e->is_trifle = !is_informative(s->missing,
                               span_or(others, span_beyond(s->total, s->free)));
    e->share_micro = e->limit.known && others.low > 0
                         ? share_that_passes(e->after, e->limit)
                         : SHARE_NONE;
    e->short_by = s->missing;
}

static void put_last_drop(const struct query *q, struct estimate *e) {
    if (e->verdict == VERDICT_ENOUGH)
        ESTIMATE_IF(q, e, "verdict.if.last",
                    SHORT(e->limit.low - e->after.high));
    else if (e->verdict == VERDICT_MAY_BE_ENOUGH)
        e->is_trifle = true;
    e->share_micro = SHARE_NONE;
}

static struct estimate for_allocation(const struct query *q) {
    const struct inputs *c = q->c;
    struct shortfall s = shortfall_of(q);
    struct span others = others_of(c);
    if (is_on(c, FACT_own_process_listed) &&
        !inputs_knows_any(c, FACT_LIST(FACT_other_in_use, FACT_others_in_use)))
        return estimate_none(FACT_tried_alloc); /* and no other process */
    if (s.asked.known && s.free.known && s.free.low >= s.asked.high)
        return estimate_unknown(FACT_tried_alloc); /* nothing is missing */
    struct estimate e =
        estimate_of(FACT_tried_alloc, s.asked, span_plus(s.free, others));
    e.short_by = s.missing;
    estimate_needs(&e, others.known && others.low != 0, FACT_other_in_use);
    estimate_needs(&e, s.free.known, FACT_gpu_free);
    if (e.limit.known && e.after.known) {
        e.formula = write_others(q, s.free, others, e.limit);
        estimate_judge(&e);
        e.short_by = e.verdict == VERDICT_ENOUGH ? s.missing : e.short_by;
    }
    if (verdict_is_open(e.verdict) && s.missing.known && s.missing.high > 0)
        bound_by_freed(q, &e, &s, others);
    if (others.known && is_last_drop(q, &s, others))
        put_last_drop(q, &e);
    return e;
}

struct estimate effect_free_other_process(const struct query *q) {
    return q->what == SHORT_FREE_AT_START ? at_start(q)
           : q->what == SHORT_ALLOCATION  ? for_allocation(q)
           : q->what == SHORT_HOST        ? host_refusal(q)
           : is_pool(q)                   ? estimate_unknown(FACT_kv_needed)
                        : estimate_unknown(FACT_requested_bytes);
}

/* At most free and unallocated memory become one block. Releases before 2.1
 * have no such segments: by their version, or by words of those before 2.0. */
struct estimate effect_expandable_segments(const struct query *q) {
    static const enum fact_name of_block[] =
        FACTS(FACT_tried_alloc, FACT_gpu_free, FACT_pytorch_unallocated,
              FACT_pytorch_reserved, FACT_pytorch_allocated);
    const struct inputs *c = q->c;
    const struct fact *version = &c->in[FACT_torch_version];
    int order = 0;
    bool is_before = word_is(c, FACT_oom_words, "bare") ||
                     word_is(c, FACT_oom_words, "cached");
    if (version->known && version_valid(version->word))
        is_before =
            version_compare(version->word, STR("2.1"), &order) && order < 0;
    if (!is_allocation(q) || is_before)
        return estimate_none(FACT_tried_alloc);
    struct span spare =
        span_or(span_in(c, FACT_pytorch_unallocated),
                span_beyond(span_in(c, FACT_pytorch_reserved),
                            span_in(c, FACT_pytorch_allocated)));
    struct estimate e = estimate_of_allocation(c);
    struct span free = e.limit;
    e.limit = span_plus(free, spare);
    if (!e.limit.known || !e.after.known) {
        needs_add(&e.needs,
                  spare.known ? FACT_gpu_free : FACT_pytorch_unallocated);
        return e;
    }
    estimate_judge(&e);
    if (e.verdict == VERDICT_ENOUGH) { /* an upper bound */
        ESTIMATE_IF(q, &e, "verdict.if.one_block", MIDDLE(e.after),
                    MIDDLE(e.limit));
        int64_t part; /* the more is there, the likelier one gap will do */
        if (mul_div_floor(e.after.high, UNITS_MICRO, e.limit.low, &part))
            e.share_micro = UNITS_MICRO - part;
    }
    e.formula =
        EXPLAIN(q, of_block, "one block at most = % free + % unallocated = %",
                MIDDLE(free), MIDDLE(spare), MIDDLE(e.limit));
    return e;
}
