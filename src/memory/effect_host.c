/* effect_host.c: limits that were set: of host memory (a container, a job,
 * a machine), of /dev/shm, of one device buffer, of what Metal may wire.
 *
 *   host_memory    1.2 x the peak. A peak that the kill cut off at the limit
 *                  is no peak: then a try, and what would print it
 *   raise_limit    to what was requested beside what is held
 *   shm_size       to the next power of two
 *   wired_limit    to what was requested, if the Mac has it and 4 GiB more
 *   fewer_workers  each of n holds an nth at most
 *   gpu_memory_utilization  of the CPU backend: what is free of the host's
 */
#include "memory/effect.h"
#include "memory/training.h"

#define MAC_RESERVED (4 * GIB) /* for the system itself */
#define GRADIENT 4          /* bytes, in the host's memory */

static const enum fact_name used[] =
    FACTS(FACT_host_rss, FACT_shmem_rss, FACT_host_used, FACT_memory_limit,
          FACT_host_limit, FACT_host_total, FACT_host_free, FACT_tried_alloc,
          FACT_requested_bytes, FACT_alloc_limit, FACT_shm_limit,
          FACT_shm_requested, FACT_weights_bytes, FACT_pytorch_allocated);

/* What one call requested, and what limits all of them. */
static const enum fact_name asked[] =
    FACTS(FACT_requested_bytes, FACT_tried_alloc);
static const enum fact_name limits[] =
    FACTS(FACT_memory_limit, FACT_host_limit, FACT_host_total);

/* Whole GiB from one on, whole MiB below. */
static int64_t rounded_up(int64_t bytes) {
    int64_t unit = bytes >= GIB ? GIB : MIB, whole;
    return mul_i64(ceil_div(bytes > 0 ? bytes : 1, unit), unit, &whole) ? whole
                                                                        : bytes;
}

/* ---- the peak of the host ---- */

/* A smaller request met memory that was full: its size does not show what
 * would be enough for the requests after it. */
#define INFORMATIVE_REFUSAL (INT64_C(1) << 30)

struct estimate host_refusal(const struct query *q) {
    struct span held = span_in(q->c, FACT_host_rss);
    struct estimate e =
        estimate_of(FACT_requested_bytes, first_known(q->c, asked),
                    span_in(q->c, FACT_host_free));
    e.short_by = span_beyond(e.before, e.limit);
    struct span missing = span_or(e.short_by, e.before);
    struct span whole = held.known ? span_plus(e.before, held) : e.before;
    if (!missing.known || !whole.known)
        return e;
    estimate_needs(&e, e.short_by.known, FACT_host_free);
    if (!e.short_by.known && !held.known && e.before.high < INFORMATIVE_REFUSAL)
        return e;
    ESTIMATE_IF(q, &e,
                e.short_by.known ? "verdict.if.more_host"
                                 : "verdict.if.host_free",
                SHORT(span_middle(missing)));
    e.formula = EXPLAIN(q, used, "memory_limit at least = %", MIDDLE(whole));
    return e;
}

#define SMALL_PROCESS (INT64_C(256) << 20)

/* What DeepSpeed keeps in the host's memory of a known model, all ranks of one
 * node together. */
static struct span offloaded(const struct query *q) {
    struct training_setup s = training_setup_of(q->c);
    struct training t = memory_training(q->a, &s, NULL);
    bool is_shared = s.shard_stage > 0 && s.ranks > 1;
    /* with fp32 gradients from stage 2 on, as DeepSpeed's own estimate has it
     */
    int64_t gradients = s.shard_stage >= 2 ? GRADIENT : 0;
    return s.params > 0 && s.offloads_optimizer && s.trainable == 0
               ? span_plus(span_times(t.host, is_shared ? s.ranks : 1),
                           span_times(span_exact(s.params), gradients))
               : span_none();
}

/* True if the sum of all processes counts: where that of one is printed beside
 * that of the whole machine; or where a limit was reached and nothing shows how
 * much one of them held. */
static bool is_of_all(const struct inputs *c) {
    struct span own = span_in(c, FACT_host_rss);
    struct span all = span_in(c, FACT_host_used);
    return all.known &&
           (own.known ? all.low > own.high
                      : inputs_knows_any(
                            c, FACT_LIST(FACT_memory_limit, FACT_host_total)));
}

/* True if the kernel ended one process of a machine or group whose size is
 * not known: what the others held is beside it. */
static bool is_one_of_group(const struct inputs *c) {
    return c->in[FACT_oom_scope].known && c->in[FACT_host_rss].known &&
           !is_of_all(c) && !inputs_knows_any(c, limits);
}

/* The limit that DeepSpeed's part alone needs; else the peak and a fifth
 * more. False: neither is known. */
static bool put_limit(const struct query *q, struct estimate *e,
                      struct span peak) {
    struct span need = offloaded(q);
    bool is_offloaded = need.known && need.high > 0;
    e->after = is_offloaded ? need : span_share(peak, 6, 5);
    if (!e->after.known)
        return false;
    int64_t whole =
        rounded_up(is_offloaded ? need.high : span_middle(e->after));
    e->proposed = propose(FACT_memory_limit, whole);
    if (is_offloaded) {
        ESTIMATE_IF(q, e, "verdict.if.offloaded", SHORT(need.low),
                    SHORT(whole));
        return true;
    }
    e->formula = EXPLAIN(q, used, "memory_limit = 1.2 x % = %", MIDDLE(peak),
                         MIDDLE(e->after));
    ESTIMATE_IF(q, e,
                is_one_of_group(q->c) ? "verdict.if.peak_of_one"
                                      : "verdict.if.peak",
                SHORT(whole));
    return true;
}

/* What a process shares (/dev/shm, pinned buffers) is beside its own. */
static struct span held_by_victim(const struct inputs *c, enum fact_name sum) {
    struct span held = span_in(c, sum), shared = span_in(c, FACT_shmem_rss);
    return sum == FACT_host_rss && shared.known ? span_plus(held, shared)
                                                : held;
}

/* A small process was killed for others: its size proves nothing. A pod that
 * was evicted has no process, and its use is its own. */
static bool is_peak_of(const struct inputs *c, enum fact_name sum,
                       struct span held) {
    bool is_killed = sum == FACT_host_rss && c->in[FACT_process_name].known;
    return held.known && held.high >= (is_killed ? SMALL_PROCESS : 1);
}

/* The peak that was cut off. No peak at all: twice the limit is a first try
 * and no estimate. */
struct estimate effect_host_memory(const struct query *q) {
    const struct inputs *c = q->c;
    enum fact_name sum = is_of_all(c) ? FACT_host_used : FACT_host_rss;
    struct span limit = first_known(c, limits), held = held_by_victim(c, sum);
    struct estimate e = estimate_of(sum, span_none(), limit);
    if (q->what != SHORT_HOST)
        return estimate_none(FACT_tried_alloc);
    if ((!held.known || c->in[FACT_host_free].known) &&
        first_known(c, asked).known)
        return host_refusal(q);
    e.before = held;
    bool is_peak = is_peak_of(c, sum, held);
    /* it reached the limit; the last line that was printed came earlier */
    struct span peak = limit.known && limit.high > held.high ? limit : held;
    if (!put_limit(q, &e, is_peak ? peak : span_none()) && !is_peak) {
        struct span twice = span_times(limit, 2);
        needs_add(&e.needs, FACT_host_rss);
        if (twice.known && twice.low > 0)
            e.proposed = propose(FACT_memory_limit, span_middle(twice));
    }
    return e;
}

/* Down to what is free, where a share of the host's memory was refused. */
struct estimate share_of_host(const struct query *q) {
    const struct inputs *c = q->c;
    struct span total = span_in(c, FACT_host_total);
    struct span free = span_in(c, FACT_host_free);
    int64_t share;
    if (!c->in[FACT_gpu_memory_utilization].known ||
        !c->in[FACT_requested_bytes].known || !free.known || !total.known ||
        total.low <= 0 || !mul_div_floor(free.low, MICRO, total.high, &share))
        return estimate_none(FACT_requested_bytes);
    share = step_down(share);
    struct estimate e =
        estimate_of(FACT_requested_bytes, share_of(total, share), free);
    e.before = span_in(c, FACT_requested_bytes);
    e.formula = FORMULA(q->a, "requested_bytes = % x % = % <= % free",
                        RATIO(share), MIDDLE(total), MIDDLE(e.after),
                        MIDDLE(free));
    e.verdict = VERDICT_NOT_ENOUGH;
    if (share >= LEAST_SHARE) { /* what the model takes here is not known */
        ESTIMATE_IF(q, &e, "verdict.if.model_fits", SHORT(e.after.low));
        e.proposed = propose(FACT_gpu_memory_utilization, share);
    }
    return e;
}

/* Half as many: at best half of what is held. */
struct estimate effect_fewer_workers(const struct query *q) {
    const struct inputs *c = q->c;
    int64_t now = setting_of(c, FACT_num_workers, 0), fewer = now / 2;
    if (q->what != SHORT_HOST)
        return estimate_none(FACT_host_used);
    struct estimate e =
        estimate_of(FACT_host_used, span_none(), first_known(c, limits));
    e.before = first_known(c, FACT_LIST(FACT_host_used, FACT_host_rss));
    if (!e.before.known || now <= 1) {
        needs_add(&e.needs, e.before.known ? FACT_num_workers : FACT_host_rss);
        return e;
    }
    struct span part = span_share(e.before, fewer, now);
    e.after = span_of(part.low, e.before.high);
    e.proposed = propose(FACT_num_workers, fewer);
    e.formula =
        FORMULA(q->a, "host_used at least = % x % / % = %", MIDDLE(e.before),
                PLAIN(fewer), PLAIN(now), BYTES(part.high));
    ESTIMATE_IF(q, &e, "verdict.if.workers", COUNT(fewer), SHORT(part.high));
    return e;
}

/* ---- limits ---- */

/* What is left under a limit is printed, and not what it is of: by how much
 * more the limit has to be; to how much, where it is printed as well. */
static struct estimate raised_by(const struct query *q, struct span want,
                                 struct span left) {
    struct estimate e = estimate_of(FACT_memory_limit, want, left);
    e.short_by = span_beyond(want, left);
    struct span to = span_plus(span_in(q->c, FACT_memory_limit), e.short_by);
    if (to.known)
        e.proposed = propose(FACT_memory_limit, rounded_up(to.high));
    ESTIMATE_IF(q, &e, to.known ? "verdict.if.limit" : "verdict.if.limit_more",
                SHORT(to.known ? to.high : span_middle(e.short_by)));
    e.formula = EXPLAIN(q, used, "more = % - % = %", BYTES(want.high),
                        BYTES(left.low), BYTES(e.short_by.high));
    return e;
}

/* A limit of the device, of one buffer or of a pool, that can be raised. */
struct estimate effect_raise_limit(const struct query *q) {
    struct span left = span_in(q->c, FACT_pool_available);
    struct span tried = span_in(q->c, FACT_tried_alloc);
    struct span held = span_in(q->c, FACT_pytorch_allocated);
    bool is_of_one =
        q->c->in[FACT_alloc_limit].known || q->c->in[FACT_pool_needed].known;
    if (left.known && tried.known && !is_of_one && tried.high > left.low)
        return raised_by(q, tried, left);
    struct span want =
        first_known(q->c, FACT_LIST(FACT_pool_needed, FACT_tried_alloc,
                                    FACT_requested_bytes));
    want = is_of_one || !held.known ? want : span_plus(want, held);
    struct estimate e = estimate_of(
        FACT_memory_limit, want,
        first_known(q->c, FACT_LIST(FACT_alloc_limit, FACT_pool_available,
                                    FACT_memory_limit)));
    e.short_by = span_beyond(e.after, e.limit);
    if (!e.after.known) {
        needs_add(&e.needs, FACT_requested_bytes);
        return e;
    }
    e.proposed = propose(FACT_memory_limit, rounded_up(e.after.high));
    ESTIMATE_IF(q, &e, "verdict.if.limit", SHORT(e.after.high));
    e.formula =
        EXPLAIN(q, used, "memory_limit at least = %", BYTES(e.after.high));
    return e;
}

struct estimate effect_shm_size(const struct query *q) {
    struct span want = span_in(q->c, FACT_shm_requested);
    struct span limit = span_in(q->c, FACT_shm_limit),
                sum = span_plus(limit, want);
    struct estimate e = estimate_of(FACT_shm_requested, want, limit);
    e.short_by = span_beyond(want, limit);
    if (!want.known && !limit.known) {
        needs_add(&e.needs, FACT_shm_requested);
        return e;
    }
    if (sum.known) /* what lies there stays there */
        e.formula =
            EXPLAIN(q, used, "shm_limit at least = % + % = %",
                    BYTES(limit.high), BYTES(want.high), BYTES(sum.high));
    int64_t least = sum.known     ? sum.high
                    : !want.known ? span_times(limit, 2).high
                    : limit.known ? limit.high
                                  : want.high;
    int64_t size = MIB; /* a power of two */
    while (size < least && size <= INT64_MAX / 2)
        size *= 2;
    e.proposed = propose(FACT_shm_limit, size);
    ESTIMATE_IF(q, &e, want.known ? "verdict.if.shm" : "verdict.if.shm_try",
                SHORT(size));
    return e;
}

/* Metal's working set: what was requested against the limit, and the RAM. */
struct estimate effect_wired_limit(const struct query *q) {
    const struct inputs *c = q->c;
    struct estimate e = estimate_unknown(FACT_alloc_limit);
    e.before = first_known(
        c, FACT_LIST(FACT_alloc_limit, FACT_memory_limit, FACT_gpu_total));
    e.after = first_known(c, FACT_LIST(FACT_tried_alloc, FACT_requested_bytes,
                                       FACT_weights_bytes));
    e.short_by = span_beyond(e.after, e.before);
    if (!e.after.known || !e.before.known) {
        needs_add(&e.needs,
                  e.after.known ? FACT_alloc_limit : FACT_tried_alloc);
        return e;
    }
    int64_t size = rounded_up(e.after.high);
    e.limit = span_minus(span_in(c, FACT_host_total), span_exact(MAC_RESERVED));
    if (e.limit.known) {
        estimate_judge(&e);
    } else {
        needs_add(&e.needs, FACT_host_total);
        ESTIMATE_IF(q, &e, "verdict.if.mac", SHORT(size + MAC_RESERVED));
    }
    if (e.verdict != VERDICT_NOT_ENOUGH)
        e.proposed = propose(FACT_alloc_limit, size);
    e.formula =
        EXPLAIN(q, used, "alloc_limit at least = %", BYTES(e.after.high));
    return e;
}
