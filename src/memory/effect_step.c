/* effect_step.c: less memory for one step, whatever the program is. All that
 * is asked of the log is what was refused, what was free and what was held:
 *
 *     | held by the program | free |
 *                             | refused ...    missing = refused - free
 *
 *   batch_size   an eighth less, a quarter, a half: so much of what is held
 *                has to grow with it; a large request has to grow itself
 *   chunk        the refused tensor in n pieces
 *   vae_tiles    a tile of 512 x 512 pixels, 512 channels of 32 bits
 *   bigger_gpu   the whole and what is missing
 *
 * A tensor that does not grow with the setting does not shrink with it, so
 * these are bounds with a condition and no promises.
 */
#include "memory/budget.h"
#include "memory/effect.h"
#include "memory/formula.h"
#include "memory/span.h"
#include "memory/training.h"

#define MIB (INT64_C(1) << 20)
#define TILE_SIDE 512
#define TILE_PIXEL 2048 /* bytes: 512 channels of a float */
#define PIECES_MOST 4096
#define LARGE_SHARE 5 /* a fifth of the GPU is a large request */

static const enum fact_name used[] = {
    FACT_tried_alloc, FACT_gpu_free,         FACT_gpu_total,
    FACT_tensor_bytes,
    FACT_batch_size,  FACT_pytorch_allocated, FACT_process_in_use,
    FACT_COUNT_OF};

/* What the program may hold: printed, else all that is not free. */
static struct span held_of(const struct memory_case *c, struct span total,
                           struct span free) {
    struct span held = span_of_fact(&c->in[FACT_pytorch_allocated]);
    if (!held.known) {
        held = span_of_fact(&c->in[FACT_process_in_use]);
    }
    if (!held.known) {
        struct span rest = span_at_least(span_minus(total, free), 0);
        held = rest.known ? span_of(0, rest.high) : rest;
    }
    return held;
}

/* The same of the host. */
static struct shortfall host_shortfall(const struct memory_case *c) {
    const struct fact *printed = &c->in[FACT_requested_bytes];
    struct shortfall s = {
        .asked = span_of_fact(printed->known ? printed
                                             : &c->in[FACT_tried_alloc]),
        .free = span_of_fact(&c->in[FACT_host_free]),
        .held = span_of_fact(&c->in[FACT_host_rss]),
        .total = span_of_fact(&c->in[FACT_host_total])};
    s.missing = span_at_least(span_minus(s.asked, s.free), 0);
    return s;
}

/* PyTorch's own limit on an Apple GPU, and what it counts against it. */
static struct span free_below_limit(const struct memory_case *c) {
    const struct fact *device = &c->in[FACT_device_kind];
    bool is_apple = device->known && str_eq(device->word, STR("mps"));
    struct span held = span_plus(span_of_fact(&c->in[FACT_pytorch_allocated]),
                                 span_of_fact(&c->in[FACT_outside_framework]));
    struct span limit = span_of_fact(&c->in[FACT_memory_limit]);
    return is_apple ? span_at_least(span_minus(limit, held), 0) : span_none();
}

struct shortfall shortfall_of(const struct ask *q) {
    const struct memory_case *c = q->c;
    const struct fact *tried = &c->in[FACT_tried_alloc];
    struct shortfall s = {.asked = span_of_fact(
                              tried->known ? tried
                                           : &c->in[FACT_tensor_bytes]),
                          .free = span_of_fact(&c->in[FACT_gpu_free]),
                          .total = gpu_total_bytes(c)};
    if (q->what == SHORT_HOST) {
        return host_shortfall(c);
    }
    if (!s.free.known) {
        s.free = free_below_limit(c);
    }
    s.held = held_of(c, s.total, s.free);
    s.missing = span_at_least(span_minus(s.asked, s.free), 0);
    return s;
}

static bool is_refusal(const struct ask *q) {
    return q->what == SHORT_ALLOCATION || q->what == SHORT_HOST ||
           free_below_limit(q->c).known;
}

static struct estimate begin(const struct ask *q, const struct shortfall *s) {
    struct estimate e = estimate_unknown(FACT_tried_alloc);
    e.before = e.after = s->asked;
    e.limit = s->free;
    e.short_by = s->missing;
    if (!s->asked.known) {
        needs_add(&e.needs, FACT_tried_alloc);
    } else if (!s->free.known) {
        needs_add(&e.needs, FACT_gpu_free);
    }
    (void)q;
    return e;
}

/* ---- a setting that tensors grow with ---- */

/* kept / of: what is left of the setting. */
struct cut {
    int64_t kept, of;
};

static bool cut_at(int64_t now, int64_t eighths, struct cut *cut) {
    cut->kept = eighths;
    cut->of = 8;
    if (now <= 0) {
        return true;
    }
    cut->of = now;
    return mul_div_floor(now, eighths, 8, &cut->kept) && cut->kept > 0 &&
           cut->kept < now;
}

/* So much has to grow with the setting: missing x of / (of - kept). */
static int64_t growing_for(int64_t missing, const struct cut *cut) {
    int64_t growing;
    return mul_div_floor(missing, cut->of, cut->of - cut->kept, &growing)
               ? growing
               : INT64_MAX;
}

static struct str write_cut(const struct ask *q, const struct cut *cut) {
    int64_t less = cut->of - cut->kept, of = cut->of;
    for (int64_t d = less; d > 1; d--) {
        if (less % d == 0 && of % d == 0) {
            less /= d;
            of /= d;
            break;
        }
    }
    return arena_printf(q->a, "%lld/%lld", (long long)less, (long long)of);
}

/* The least cut for which a quarter of what is held has to grow, else the
 * deepest. */
static bool choose_cut(const struct shortfall *s, int64_t now,
                       struct cut *cut) {
    static const int64_t eighths[] = {7, 6, 4, 2, 1};
    bool is_found = false;
    for (size_t i = 0; i < sizeof eighths / sizeof *eighths; i++) {
        struct cut one;
        if (!cut_at(now, eighths[i], &one)) {
            continue;
        }
        *cut = one;
        is_found = true;
        if (growing_for(s->missing.high, cut) <= s->held.high / 4) {
            break;
        }
    }
    return is_found;
}

static void put_growing(const struct ask *q, struct estimate *e,
                        const struct shortfall *s, const struct cut *cut) {
    int64_t growing = growing_for(s->missing.high, cut);
    struct span held = span_plus(s->held, s->asked);
    if (!held.known || growing_for(s->missing.low, cut) > held.high) {
        return; /* even if all of it grows */
    }
    bool is_of_held = growing <= s->held.high;
    int64_t whole = is_of_held ? s->held.high : held.high;
    estimate_if(e, is_of_held ? "verdict.if.grows" : "verdict.if.all_grows");
    condition_add(e, write_cut(q, cut));
    condition_add(e, write_as(q->a, growing, whole));
    condition_add(e, write_bytes(q->a, whole));
    if (mul_div_floor(whole - growing, UNITS_MICRO, whole, &e->share_micro) &&
        e->share_micro < 0) {
        e->share_micro = 0;
    }
    e->formula = arena_printf(
        q->a, "growing = %.*s x %lld / %lld = %.*s%.*s",
        STR_ARG(write_bytes(q->a, s->missing.high)), (long long)cut->of,
        (long long)(cut->of - cut->kept), STR_ARG(write_bytes(q->a, growing)),
        STR_ARG(write_sources(q->a, q->c, used)));
}

/* The request itself is the large thing: the cut at which it fits. */
static void put_scaled(const struct ask *q, struct estimate *e,
                       const struct shortfall *s, const struct cut *cut) {
    e->after = span_share(s->asked, cut->kept, cut->of);
    if (!e->after.known || e->after.low > s->free.high) {
        e->after = e->before;
        return;
    }
    estimate_if(e, "verdict.if.scales");
    condition_add(e, write_cut(q, cut));
    condition_add(e, write_short(q->a, e->after.high));
    condition_add(e, write_short(q->a, s->asked.high));
    e->formula = arena_printf(
        q->a, "tried_alloc = %.*s x %lld / %lld = about %.*s%.*s",
        STR_ARG(write_bytes(q->a, span_middle(s->asked))),
        (long long)cut->kept, (long long)cut->of,
        STR_ARG(write_bytes(q->a, span_middle(e->after))),
        STR_ARG(write_sources(q->a, q->c, used)));
}

/* The largest cut, in eighths, at which the request fits; false: none. */
static bool cut_to_fit(const struct shortfall *s, int64_t now,
                       struct cut *cut) {
    int64_t of = now > 0 ? now : 4096, kept;
    if (s->asked.high <= 0 || s->free.low <= 0 ||
        !mul_div_floor(of, s->free.low, s->asked.high, &kept) || kept < 1) {
        return false;
    }
    int64_t power = 1;
    while (power <= kept / 2) {
        power *= 2;
    }
    *cut = (struct cut){now > 0 ? kept : power, of};
    return cut->kept < of;
}

static bool is_large(const struct shortfall *s) {
    return s->total.known ? s->asked.low > s->total.low / LARGE_SHARE
                          : s->held.known && s->asked.low > s->held.high / 2;
}

/* What was free is not printed: half of the request is the bound. */
static void put_half(const struct ask *q, struct estimate *e,
                     const struct shortfall *s, const struct cut *cut) {
    e->after = span_share(s->asked, cut->kept, cut->of);
    e->formula = arena_printf(
        q->a, "tried_alloc = %.*s x %lld / %lld = about %.*s%.*s",
        STR_ARG(write_bytes(q->a, span_middle(s->asked))),
        (long long)cut->kept, (long long)cut->of,
        STR_ARG(write_bytes(q->a, span_middle(e->after))),
        STR_ARG(write_sources(q->a, q->c, used)));
    estimate_bound(q, e);
}

/* What was asked is not printed: it was more than what was free. */
static void put_at_most(const struct ask *q, struct estimate *e,
                        const struct shortfall *s) {
    if (!s->asked.known && s->free.known && s->free.low > 0) {
        estimate_if(e, "verdict.if.at_most");
        condition_add(e, write_short(q->a, s->free.low));
    }
}

static struct estimate with_value(struct estimate e, int setting, int64_t now,
                                  const struct cut *cut) {
    if (e.verdict == VERDICT_MAY_BE_ENOUGH && now > 0) {
        e.proposed = propose((enum fact_name)setting, cut->kept);
    }
    return e;
}

/* A server's memory is weights and a pool of fixed size: of a step only what
 * was refused grows. */
static bool keeps_pool(const struct memory_case *c) {
    static const char *const servers[] = {"vllm", "sglang", "tgi", "lmdeploy",
                                          "tensorrt-llm", "lightllm",
                                          "mindie", "fastdeploy"};
    for (size_t i = 0; i < sizeof servers / sizeof *servers; i++) {
        if (str_eq(c->engine, str_of(servers[i]))) {
            return true;
        }
    }
    return false;
}

struct estimate step_scaled(const struct ask *q, int setting) {
    struct shortfall s = shortfall_of(q);
    struct estimate e = begin(q, &s);
    int64_t now = setting >= 0
                      ? setting_of(q->c, (enum fact_name)setting, 0)
                      : 0;
    struct cut cut;
    if (!is_refusal(q) || now == 1) {
        return estimate_none(FACT_tried_alloc); /* one sample is the least */
    }
    if (s.asked.known && !s.free.known && cut_at(now, 4, &cut)) {
        put_half(q, &e, &s, &cut);
        return with_value(e, setting, now, &cut);
    }
    if (s.missing.known && s.missing.high <= 0) {
        return estimate_none(FACT_tried_alloc); /* memory was not short */
    }
    if (!s.missing.known) {
        put_at_most(q, &e, &s);
        return e;
    }
    bool is_server = keeps_pool(q->c);
    if ((is_server || is_large(&s)) && cut_to_fit(&s, now, &cut)) {
        put_scaled(q, &e, &s, &cut);
    } else if (!is_server && choose_cut(&s, now, &cut)) {
        put_growing(q, &e, &s, &cut);
    }
    return with_value(e, setting, now, &cut);
}

/* Fewer and smaller batch sizes to capture: the graph that was refused is
 * that of the largest, or all of them give back a part. */
struct estimate effect_graph_sizes(const struct ask *q) {
    struct shortfall s = shortfall_of(q);
    struct estimate e = begin(q, &s);
    struct span graphs = graph_bytes(q->c);
    struct cut cut;
    if (q->what != SHORT_ALLOCATION) {
        return estimate_none(FACT_tried_alloc);
    }
    if (!s.missing.known || s.missing.high <= 0) {
        return e;
    }
    if (graphs.known && graphs.high > s.missing.high) {
        estimate_if(&e, "verdict.if.frees");
        condition_add(&e, write_short(q->a, s.missing.high));
        condition_add(&e, write_short(q->a, graphs.high));
        e.limit = span_plus(s.free, span_of(0, graphs.high));
        e.share_micro = share_that_passes(e.after, e.limit);
    } else if (cut_to_fit(&s, 0, &cut)) {
        put_scaled(q, &e, &s, &cut);
    }
    return e;
}

/* A part of what the program holds goes away; how much nobody has printed. */
struct estimate step_freeing(const struct ask *q, int64_t percent) {
    struct shortfall s = shortfall_of(q);
    struct estimate e = begin(q, &s);
    struct span most = span_share(s.held, percent, 100);
    if (!s.missing.known || s.missing.high <= 0 || !most.known) {
        return e;
    }
    e.limit = span_plus(s.free, span_of(0, most.high));
    estimate_judge(&e);
    if (verdict_is_open(e.verdict)) {
        estimate_if(&e, "verdict.if.frees");
        condition_add(&e, write_as(q->a, s.missing.high, s.held.high));
        condition_add(&e, write_short(q->a, s.held.high));
        e.share_micro = share_that_passes(e.after, e.limit);
    }
    return e;
}

/* ---- in pieces ---- */

struct estimate effect_chunk(const struct ask *q) {
    struct shortfall s = shortfall_of(q);
    struct estimate e = begin(q, &s);
    struct span room = s.free.known ? s.free : gpu_total_bytes(q->c);
    int64_t pieces = 2;
    if (!is_refusal(q)) {
        return estimate_none(FACT_tried_alloc);
    }
    if (!s.asked.known) {
        return e;
    }
    while (room.known && pieces < PIECES_MOST &&
           ceil_div(s.asked.high, pieces) > room.low) {
        pieces *= 2;
    }
    e.after = span_share(s.asked, 1, pieces);
    if (room.known && e.after.high > room.low) {
        return e; /* nothing at all was free, or no split makes it fit */
    }
    e.formula = arena_printf(q->a, "piece = %.*s / %lld = about %.*s%.*s",
                             STR_ARG(write_bytes(q->a, span_middle(s.asked))),
                             (long long)pieces,
                             STR_ARG(write_bytes(q->a, span_middle(e.after))),
                             STR_ARG(write_sources(q->a, q->c, used)));
    estimate_if(&e, "verdict.if.pieces");
    condition_add(&e, write_count(q->a, pieces));
    condition_add(&e, write_short(q->a, e.after.high));
    return e;
}

/* The decoder's widest tensor on one tile: no image makes it larger. */
struct estimate effect_vae_tiles(const struct ask *q) {
    struct shortfall s = shortfall_of(q);
    struct estimate e = begin(q, &s);
    const int64_t tile = (int64_t)TILE_SIDE * TILE_SIDE * TILE_PIXEL;
    if (q->what != SHORT_ALLOCATION && q->what != SHORT_UNKNOWN) {
        return estimate_none(FACT_tried_alloc);
    }
    if (s.asked.known && s.asked.high < tile) {
        return estimate_none(FACT_tried_alloc); /* no tile is smaller */
    }
    e.needs.count = 0;
    e.after = span_exact(tile);
    if (s.free.known && s.asked.known) { /* else no tile may be smaller */
        estimate_judge(&e);
    }
    e.formula = arena_printf(
        q->a, "tile at most = %d x %d x %d bytes = %.*s%.*s", TILE_SIDE,
        TILE_SIDE, TILE_PIXEL, STR_ARG(write_bytes(q->a, tile)),
        STR_ARG(write_sources(q->a, q->c, used)));
    return e;
}

/* ---- a larger GPU ---- */

struct estimate effect_bigger_gpu(const struct ask *q) {
    struct shortfall s = shortfall_of(q);
    struct estimate e = estimate_unknown(FACT_gpu_total);
    struct span whole = span_plus(s.total, s.missing);
    if (q->what != SHORT_ALLOCATION) {
        return estimate_none(FACT_gpu_total);
    }
    if (!whole.known) {
        needs_add(&e.needs, s.total.known ? FACT_gpu_free : FACT_gpu_total);
        return e;
    }
    e.before = s.total;
    e.after = whole;
    e.short_by = s.missing;
    estimate_if(&e, "verdict.if.gpu_of");
    condition_add(&e, write_short(q->a, whole.high));
    e.formula = arena_printf(q->a, "gpu_total = %.*s + %.*s = %.*s%.*s",
                             STR_ARG(write_bytes(q->a, s.total.high)),
                             STR_ARG(write_bytes(q->a, s.missing.high)),
                             STR_ARG(write_bytes(q->a, whole.high)),
                             STR_ARG(write_sources(q->a, q->c, used)));
    return e;
}
