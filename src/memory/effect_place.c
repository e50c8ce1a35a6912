/* effect_place.c: fixes that put the work where it may fit, or enlarge the
 * place: another kernel or tile, a larger pool, another device, fewer
 * compilers at once. The log has what was asked; what the new place offers
 * the reader can look up, so each answer is a condition with its number.
 *
 *   kernel       another kernel: at most the limit per block
 *   kernel_tile  the same with smaller tiles: the factor that is missing
 *   pool         needed - available more, or the request in one piece
 *   other_device held + asked on a device that is free
 *   build_jobs   jobs = free host memory / what one held when it was ended
 */
#include "memory/effect.h"
#include "memory/formula.h"
#include "memory/span.h"

#define JOBS_MOST 256

static const enum fact_name used[] = {
    FACT_smem_required, FACT_smem_limit,  FACT_pool_needed,
    FACT_pool_available, FACT_tried_alloc, FACT_pytorch_reserved,
    FACT_pytorch_allocated, FACT_process_in_use, FACT_victim_rss,
    FACT_host_free, FACT_build_jobs, FACT_COUNT_OF};

static struct span first_of(const struct memory_case *c, enum fact_name a,
                            enum fact_name b) {
    return span_of_fact(&c->in[c->in[a].known ? a : b]);
}

/* ---- shared memory of one block ---- */

static struct estimate begin_kernel(const struct ask *q) {
    struct estimate e = estimate_unknown(FACT_smem_required);
    e.before = e.after = span_of_fact(&q->c->in[FACT_smem_required]);
    e.limit = span_of_fact(&q->c->in[FACT_smem_limit]);
    e.short_by = span_at_least(span_minus(e.before, e.limit), 0);
    if (!e.before.known || !e.limit.known) {
        needs_add(&e.needs, e.before.known ? FACT_smem_limit
                                           : FACT_smem_required);
    }
    return e;
}

struct estimate effect_kernel(const struct ask *q) {
    struct estimate e = begin_kernel(q);
    if (!e.before.known || !e.limit.known) {
        return e;
    }
    estimate_if(&e, "verdict.if.kernel");
    condition_add(&e, write_bytes(q->a, e.limit.low));
    condition_add(&e, write_bytes(q->a, e.before.high));
    return e;
}

/* The need is about in proportion to stages x tile: halved until it fits. */
struct estimate effect_kernel_tile(const struct ask *q) {
    struct estimate e = begin_kernel(q);
    int64_t parts = 2;
    if (!e.before.known || e.limit.low <= 0) {
        return e;
    }
    while (ceil_div(e.before.high, parts) > e.limit.low) {
        parts *= 2;
    }
    e.after = span_share(e.before, 1, parts);
    e.formula = arena_printf(
        q->a, "smem_required = %.*s / %lld = about %.*s%.*s",
        STR_ARG(write_bytes(q->a, span_middle(e.before))), (long long)parts,
        STR_ARG(write_bytes(q->a, span_middle(e.after))),
        STR_ARG(write_sources(q->a, q->c, used)));
    estimate_if(&e, "verdict.if.tile");
    condition_add(&e, arena_printf(q->a, "1/%lld", (long long)parts));
    condition_add(&e, write_bytes(q->a, e.after.high));
    return e;
}

/* ---- a pool of fixed size ---- */

struct estimate effect_pool(const struct ask *q) {
    const struct memory_case *c = q->c;
    struct estimate e = estimate_unknown(FACT_pool_needed);
    e.before = e.after = first_of(c, FACT_pool_needed, FACT_tried_alloc);
    e.limit = span_of_fact(&c->in[FACT_pool_available]);
    e.short_by = span_at_least(span_minus(e.after, e.limit), 0);
    if (!e.after.known) {
        needs_add(&e.needs, FACT_pool_needed);
        return e;
    }
    estimate_if(&e, e.short_by.known ? "verdict.if.pool"
                                     : "verdict.if.pool_free");
    if (e.short_by.known) {
        condition_add(&e, write_bytes(q->a, e.short_by.high));
        e.formula = arena_printf(
            q->a, "short_by = %.*s - %.*s = %.*s%.*s",
            STR_ARG(write_bytes(q->a, e.after.high)),
            STR_ARG(write_bytes(q->a, e.limit.low)),
            STR_ARG(write_bytes(q->a, e.short_by.high)),
            STR_ARG(write_sources(q->a, c, used)));
    }
    condition_add(&e, write_bytes(q->a, e.after.high));
    return e;
}

/* ---- another device ---- */

/* What the program itself holds: all of it moves. */
static struct span own_bytes(const struct memory_case *c) {
    struct span held = span_of_fact(&c->in[FACT_process_in_use]);
    return held.known ? held
                      : first_of(c, FACT_pytorch_reserved,
                                 FACT_pytorch_allocated);
}

struct estimate effect_other_device(const struct ask *q) {
    const struct memory_case *c = q->c;
    struct estimate e = estimate_unknown(FACT_gpu_free);
    struct span asked = span_of_fact(&c->in[FACT_tried_alloc]);
    struct span held = own_bytes(c);
    struct span whole = span_plus(held, asked);
    if (!whole.known) {
        needs_add(&e.needs, asked.known ? FACT_process_in_use
                                        : FACT_tried_alloc);
        return e;
    }
    e.before = asked;
    e.after = whole;
    e.formula = arena_printf(q->a, "gpu_free = %.*s + %.*s = %.*s%.*s",
                             STR_ARG(write_bytes(q->a, span_middle(held))),
                             STR_ARG(write_bytes(q->a, span_middle(asked))),
                             STR_ARG(write_bytes(q->a, span_middle(whole))),
                             STR_ARG(write_sources(q->a, c, used)));
    estimate_if(&e, "verdict.if.device");
    condition_add(&e, write_short(q->a, whole.high));
    return e;
}

/* ---- compilers at once ---- */

struct estimate effect_build_jobs(const struct ask *q) {
    const struct memory_case *c = q->c;
    struct span each = span_of_fact(&c->in[FACT_victim_rss]);
    struct span free = span_of_fact(&c->in[FACT_host_free]);
    int64_t now = setting_of(c, FACT_build_jobs, 0), jobs = now / 2;
    struct estimate e = estimate_unknown(FACT_host_used);
    e.limit = free;
    if (!each.known || each.high <= 0) {
        needs_add(&e.needs, FACT_victim_rss);
        return e;
    }
    e.before = now > 0 ? span_times(each, now) : span_none();
    if (free.known) {
        jobs = free.low / each.high;
        jobs = now > 0 && jobs >= now ? now - 1 : jobs;
    }
    jobs = jobs < 1 ? 1 : jobs > JOBS_MOST ? JOBS_MOST : jobs;
    e.after = span_times(each, jobs);
    e.proposed = propose(FACT_build_jobs, jobs);
    e.formula = arena_printf(q->a, "host_used = %lld x %.*s = %.*s%.*s",
                             (long long)jobs,
                             STR_ARG(write_bytes(q->a, each.high)),
                             STR_ARG(write_bytes(q->a, e.after.high)),
                             STR_ARG(write_sources(q->a, c, used)));
    estimate_if(&e, "verdict.if.jobs");
    condition_add(&e, write_short(q->a, each.high));
    condition_add(&e, write_count(q->a, jobs));
    condition_add(&e, write_short(q->a, e.after.high));
    return e;
}
