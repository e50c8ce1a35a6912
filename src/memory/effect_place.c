/* effect_place.c: fixes that put the work where it may fit: another kernel or
 * tile, another device, fewer compilers at once. The log has what was asked;
 * what the new place offers the reader can look up, so each answer is a
 * condition with its number.
 *
 *   kernel       another kernel: at most the limit per block
 *   kernel_tile  the same with smaller tiles: the factor that is missing
 *   other_device held + asked on a device that is free
 *   build_jobs   jobs = free host memory / what one held when it was ended
 */
#include "base/limits.h"
#include "memory/effect.h"

static const enum fact_name used[] =
    FACTS(FACT_smem_required, FACT_smem_limit, FACT_tried_alloc,
          FACT_pytorch_reserved, FACT_pytorch_allocated, FACT_process_in_use,
          FACT_victim_rss, FACT_host_free, FACT_build_jobs);

/* ---- shared memory of one block ---- */

static struct estimate begin_kernel(const struct ask *q) {
    struct estimate e =
        estimate_of(FACT_smem_required, span_in(q->c, FACT_smem_required),
                    span_in(q->c, FACT_smem_limit));
    e.short_by = span_beyond(e.before, e.limit);
    if (!e.before.known || !e.limit.known) {
        needs_add(&e.needs,
                  e.before.known ? FACT_smem_limit : FACT_smem_required);
    }
    return e;
}

struct estimate effect_kernel(const struct ask *q) {
    struct estimate e = begin_kernel(q);
    if (e.before.known && e.limit.known) {
        ESTIMATE_IF(q, &e, "verdict.if.kernel", BYTES(e.limit.low),
                    BYTES(e.before.high));
    }
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
    e.formula = FORMULA_OF(q->a, q->c, used, "smem_required = % / % = about %",
                           MIDDLE(e.before), PLAIN(parts), MIDDLE(e.after));
    ESTIMATE_IF(q, &e, "verdict.if.tile",
                TEXT(FORMULA(q->a, "1/%", PLAIN(parts))), BYTES(e.after.high));
    return e;
}

/* What the program itself holds moves, and what was asked for comes. */
struct estimate effect_other_device(const struct ask *q) {
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
    e.formula = FORMULA_OF(q->a, q->c, used, "gpu_free = % + % = %",
                           MIDDLE(held), MIDDLE(asked), MIDDLE(whole));
    ESTIMATE_IF(q, &e, "verdict.if.device", SHORT(whole.high));
    return e;
}

struct estimate effect_build_jobs(const struct ask *q) {
    struct span each = span_in(q->c, FACT_victim_rss);
    int64_t now = setting_of(q->c, FACT_build_jobs, 0), jobs = now / 2;
    struct estimate e =
        estimate_of(FACT_host_used, span_none(), span_in(q->c, FACT_host_free));
    if (!each.known || each.high <= 0) {
        needs_add(&e.needs, FACT_victim_rss);
        return e;
    }
    e.before = now > 0 ? span_times(each, now) : span_none();
    if (e.limit.known) {
        jobs = e.limit.low / each.high;
        jobs = now > 0 && jobs >= now ? now - 1 : jobs;
    }
    jobs = jobs < 1 ? 1 : jobs > COMPILE_JOBS_MAX ? COMPILE_JOBS_MAX : jobs;
    e.after = span_times(each, jobs);
    e.proposed = propose(FACT_build_jobs, jobs);
    e.formula = FORMULA_OF(q->a, q->c, used, "host_used = % x % = %",
                           PLAIN(jobs), BYTES(each.high), BYTES(e.after.high));
    ESTIMATE_IF(q, &e, "verdict.if.jobs", SHORT(each.high), COUNT(jobs),
                SHORT(e.after.high));
    return e;
}
