/* effect_host.c: limits that somebody set: of host memory (a container, a job,
 * a machine), of /dev/shm, of one device buffer, of what Metal may wire.
 *
 *   host_memory    1.2 x the peak. A peak that the kill cut off at the limit
 *                  is no peak: then a try, and what would print it
 *   raise_limit    to what was asked beside what is held
 *   shm_size       to the next power of two
 *   wired_limit    to what was asked, if the Mac has it and 4 GiB more
 *   fewer_workers  each of n holds an nth at most
 */
#include "memory/effect.h"
#include "memory/formula.h"
#include "memory/span.h"

#define MIB (INT64_C(1) << 20)
#define GIB (INT64_C(1) << 30)
#define MAC_KEEPS (4 * GIB) /* for the system itself */

static const enum fact_name used[] = {
    FACT_host_rss,     FACT_host_used,       FACT_memory_limit,
    FACT_host_limit,   FACT_host_total,      FACT_host_free,
    FACT_tried_alloc,  FACT_requested_bytes, FACT_alloc_limit,
    FACT_shm_limit,    FACT_shm_requested,   FACT_weights_bytes,
    FACT_pytorch_allocated, FACT_COUNT_OF};

static struct span first_known(const struct memory_case *c,
                               const enum fact_name *names) {
    for (; *names != FACT_COUNT_OF; names++) {
        if (c->in[*names].known) {
            return span_of_fact(&c->in[*names]);
        }
    }
    return span_none();
}

/* What one call asked for. */
static struct span asked_of(const struct memory_case *c) {
    static const enum fact_name names[] = {FACT_requested_bytes,
                                           FACT_tried_alloc, FACT_COUNT_OF};
    return first_known(c, names);
}

static struct span limit_of(const struct memory_case *c) {
    static const enum fact_name names[] = {
        FACT_memory_limit, FACT_host_limit, FACT_host_total, FACT_COUNT_OF};
    return first_known(c, names);
}

/* Whole GiB from one on, whole MiB below. */
static int64_t rounded_up(int64_t bytes) {
    int64_t unit = bytes >= GIB ? GIB : MIB, whole;
    return mul_i64(ceil_div(bytes > 0 ? bytes : 1, unit), unit, &whole)
               ? whole
               : bytes;
}

/* ---- the peak of the host ---- */

/* Is it the sum of all processes that counts? Where one's is told beside that of
 * all of the machine's; or a limit was reached, and nobody says how much one
 * held. */
static bool is_of_all(const struct memory_case *c) {
    struct span held = span_of_fact(&c->in[FACT_host_rss]);
    struct span used_all = span_of_fact(&c->in[FACT_host_used]);
    if (!used_all.known) {
        return false;
    }
    return held.known ? used_all.low > held.high
                      : c->in[FACT_memory_limit].known ||
                            c->in[FACT_host_total].known;
}

static void put_peak(const struct ask *q, struct estimate *e,
                     struct span peak) {
    e->after = span_share(peak, 6, 5);
    if (!e->after.known) {
        return;
    }
    int64_t whole = rounded_up(span_middle(e->after));
    e->proposed = propose(FACT_memory_limit, whole);
    struct str h = write_bytes(q->a, span_middle(peak));
    struct str v = write_bytes(q->a, span_middle(e->after));
    struct str sources = write_sources(q->a, q->c, used);
    e->formula = arena_printf(q->a, "memory_limit = 1.2 x %.*s = %.*s%.*s",
                              STR_ARG(h), STR_ARG(v), STR_ARG(sources));
    estimate_if(e, "verdict.if.peak");
    condition_add(e, write_short(q->a, whole));
}

/* One request that was refused: it and what is held beside it. */
struct estimate host_refusal(const struct ask *q) {
    const struct memory_case *c = q->c;
    struct span asked = asked_of(c);
    struct span held = span_of_fact(&c->in[FACT_host_rss]);
    struct span free = span_of_fact(&c->in[FACT_host_free]);
    struct estimate e = estimate_unknown(FACT_requested_bytes);
    e.before = e.after = asked;
    e.limit = free;
    e.short_by = span_at_least(span_minus(asked, free), 0);
    struct span missing = e.short_by.known ? e.short_by : asked;
    struct span whole = held.known ? span_plus(asked, held) : asked;
    if (!missing.known || !whole.known) {
        return e;
    }
    if (!e.short_by.known) {
        needs_add(&e.needs, FACT_host_free);
    }
    estimate_if(&e, e.short_by.known ? "verdict.if.more_host"
                                     : "verdict.if.host_free");
    condition_add(&e, write_short(q->a, missing.high));
    e.formula = arena_printf(
        q->a, "memory_limit at least = %.*s%.*s",
        STR_ARG(write_bytes(q->a, span_middle(whole))),
        STR_ARG(write_sources(q->a, c, used)));
    return e;
}

/* No peak at all: twice the limit is a first try and no estimate. */
static void put_trial(struct estimate *e) {
    struct span twice = span_times(e->limit, 2);
    if (twice.known && twice.low > 0) {
        e->proposed = propose(FACT_memory_limit, span_middle(twice));
    }
}

/* The peak that was cut off, and a fifth more. */
struct estimate effect_host_memory(const struct ask *q) {
    const struct memory_case *c = q->c;
    struct span held = span_of_fact(&c->in[FACT_host_rss]);
    struct span sum = span_of_fact(&c->in[FACT_host_used]);
    bool is_part = is_of_all(c);
    struct estimate e =
        estimate_unknown(is_part ? FACT_host_used : FACT_host_rss);
    if (q->what != SHORT_HOST) {
        return estimate_none(FACT_tried_alloc);
    }
    held = is_part ? sum : held;
    if (!held.known && asked_of(c).known) {
        return host_refusal(q);
    }
    e.before = held;
    e.limit = limit_of(c);
    if (!held.known || held.high <= 0) {
        needs_add(&e.needs, FACT_host_rss);
        put_trial(&e);
        return e;
    }
    /* It reached the limit, the last line came earlier. */
    bool is_below = e.limit.known && e.limit.high > held.high;
    put_peak(q, &e, is_below ? e.limit : held);
    return e;
}

/* ---- workers ---- */

static struct str write_workers(const struct ask *q, struct span held,
                                int64_t now, int64_t fewer) {
    struct str h = write_bytes(q->a, span_middle(held));
    struct str v = write_bytes(q->a, span_share(held, fewer, now).high);
    return arena_printf(q->a, "host_used at least = %.*s x %lld / %lld = %.*s",
                        STR_ARG(h), (long long)fewer, (long long)now,
                        STR_ARG(v));
}

/* Half as many: at best half of what is held. */
struct estimate effect_fewer_workers(const struct ask *q) {
    const struct memory_case *c = q->c;
    static const enum fact_name sums[] = {FACT_host_used, FACT_host_rss,
                                          FACT_COUNT_OF};
    struct span held = first_known(c, sums);
    int64_t now = setting_of(c, FACT_num_workers, 0);
    struct estimate e = estimate_unknown(FACT_host_used);
    if (q->what != SHORT_HOST) {
        return estimate_none(FACT_host_used);
    }
    e.before = held;
    e.limit = limit_of(c);
    if (!held.known || now <= 1) {
        needs_add(&e.needs, held.known ? FACT_num_workers : FACT_host_rss);
        return e;
    }
    int64_t fewer = now / 2;
    e.after = span_of(span_share(held, fewer, now).low, held.high);
    e.proposed = propose(FACT_num_workers, fewer);
    e.formula = write_workers(q, held, now, fewer);
    estimate_if(&e, "verdict.if.workers");
    condition_add(&e, write_count(q->a, fewer));
    condition_add(&e, write_short(q->a, span_share(held, fewer, now).high));
    return e;
}

/* ---- limits ---- */

/* A limit of the device, of one buffer or of a pool, that can be raised. */
struct estimate effect_raise_limit(const struct ask *q) {
    static const enum fact_name limits[] = {
        FACT_alloc_limit, FACT_pool_available, FACT_memory_limit,
        FACT_COUNT_OF};
    static const enum fact_name wants[] = {
        FACT_pool_needed, FACT_tried_alloc, FACT_requested_bytes,
        FACT_COUNT_OF};
    struct estimate e = estimate_unknown(FACT_memory_limit);
    struct span held = span_of_fact(&q->c->in[FACT_pytorch_allocated]);
    struct span want = first_known(q->c, wants);
    e.limit = first_known(q->c, limits);
    bool is_of_one = q->c->in[FACT_alloc_limit].known ||
                     q->c->in[FACT_pool_needed].known;
    e.before = e.after = is_of_one || !held.known ? want
                                                  : span_plus(want, held);
    e.short_by = span_at_least(span_minus(e.after, e.limit), 0);
    if (!e.after.known) {
        needs_add(&e.needs, FACT_requested_bytes);
        return e;
    }
    e.proposed = propose(FACT_memory_limit, rounded_up(e.after.high));
    estimate_if(&e, "verdict.if.limit");
    condition_add(&e, write_short(q->a, e.after.high));
    e.formula = arena_printf(q->a, "memory_limit at least = %.*s%.*s",
                             STR_ARG(write_bytes(q->a, e.after.high)),
                             STR_ARG(write_sources(q->a, q->c, used)));
    return e;
}

static int64_t power_of_two_up(int64_t n) {
    int64_t p = MIB;
    while (p < n && p <= INT64_MAX / 2) {
        p *= 2;
    }
    return p;
}

struct estimate effect_shm_size(const struct ask *q) {
    struct span asked = span_of_fact(&q->c->in[FACT_shm_requested]);
    struct span limit = span_of_fact(&q->c->in[FACT_shm_limit]);
    struct estimate e = estimate_unknown(FACT_shm_requested);
    e.before = e.after = asked;
    e.limit = limit;
    e.short_by = span_at_least(span_minus(asked, limit), 0);
    if (!asked.known && !limit.known) {
        needs_add(&e.needs, FACT_shm_requested);
        return e;
    }
    struct span least = asked.known ? asked : span_times(limit, 2);
    int64_t size = power_of_two_up(least.high);
    if (asked.known && limit.known) { /* what lies there stays there */
        size = power_of_two_up(limit.high > INT64_MAX - asked.high
                                   ? limit.high
                                   : limit.high + asked.high);
    }
    e.proposed = propose(FACT_shm_limit, size);
    estimate_if(&e, asked.known ? "verdict.if.shm" : "verdict.if.shm_try");
    condition_add(&e, write_short(q->a, size));
    if (asked.known && limit.known) {
        e.formula = arena_printf(
            q->a, "shm_limit at least = %.*s + %.*s = %.*s%.*s",
            STR_ARG(write_bytes(q->a, limit.high)),
            STR_ARG(write_bytes(q->a, asked.high)),
            STR_ARG(write_bytes(q->a, limit.high + asked.high)),
            STR_ARG(write_sources(q->a, q->c, used)));
    }
    return e;
}

/* Metal's working set: what was asked against the limit, and the RAM. */
struct estimate effect_wired_limit(const struct ask *q) {
    static const enum fact_name wants[] = {
        FACT_tried_alloc, FACT_requested_bytes, FACT_weights_bytes,
        FACT_COUNT_OF};
    static const enum fact_name limits[] = {
        FACT_alloc_limit, FACT_memory_limit, FACT_gpu_total, FACT_COUNT_OF};
    const struct memory_case *c = q->c;
    struct estimate e = estimate_unknown(FACT_alloc_limit);
    struct span ram = span_of_fact(&c->in[FACT_host_total]);
    struct span room = span_minus(ram, span_exact(MAC_KEEPS));
    e.before = first_known(c, limits);
    e.after = first_known(c, wants);
    e.short_by = span_at_least(span_minus(e.after, e.before), 0);
    if (!e.after.known || !e.before.known) {
        needs_add(&e.needs, e.after.known ? FACT_alloc_limit
                                          : FACT_tried_alloc);
        return e;
    }
    e.limit = room;
    int64_t size = rounded_up(e.after.high);
    if (room.known) {
        estimate_judge(&e);
    } else {
        needs_add(&e.needs, FACT_host_total);
        estimate_if(&e, "verdict.if.mac");
        condition_add(&e, write_short(q->a, size + MAC_KEEPS));
    }
    if (e.verdict != VERDICT_NOT_ENOUGH) {
        e.proposed = propose(FACT_alloc_limit, size);
    }
    e.formula = arena_printf(q->a, "alloc_limit at least = %.*s%.*s",
                             STR_ARG(write_bytes(q->a, e.after.high)),
                             STR_ARG(write_sources(q->a, c, used)));
    return e;
}
