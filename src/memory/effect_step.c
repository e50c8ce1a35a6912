/* effect_step.c: less memory for one step, whatever the program is. All that
 * the log has to show is what was refused, what was free and what was held:
 *
 *     | held by the program | free |
 *                             | refused ...    missing = refused - free
 *
 *   batch_size   a half of it, a quarter, an eighth: so much of what is held
 *                has to grow with it; a large request has to grow itself
 *   chunk        the refused tensor in n pieces
 *   vae_tiles    a tile of 512 x 512 pixels, 512 channels of 32 bits
 *   bigger_gpu   the whole and what is missing
 *
 * A tensor that does not grow with the setting does not shrink with it, so
 * these are bounds with a condition and no promises.
 */
#include <string.h>
#include "base/limits.h"
#include "memory/effect.h"

#define TILE_SIDE 512
#define TILE_PIXEL 2048 /* bytes: 512 channels of a float */
#define PIECES_MOST 4096
#define LARGE_SHARE 5  /* a fifth of the GPU is a large request */
#define SMALL_SHARE 50 /* a smaller one only met a full GPU */
#define TINY_SHARE 200 /* half a hundredth of the GPU */
#define FULL_PERCENT 85
#define EVEN_CHANCE (UNITS_MICRO / 2)
#define USUAL_SETTING 4096
#define SIDE_CELL 32
#define DEEPEST_CUT 8 /* of a size that is not known: then a fraction */

#define FEW_STEPS 64  /* settings up to here go down one by one */
#define FINE_STEPS 16

static const enum fact_name used[] =
    FACTS(FACT_tried_alloc, FACT_gpu_free, FACT_gpu_total, FACT_tensor_bytes,
          FACT_batch_size, FACT_pytorch_allocated, FACT_process_in_use);

/* PyTorch's limit on an Apple GPU counts as one: what is free is known. */
static bool is_refusal(const struct query *q, const struct shortfall *s) {
    return is_allocation(q) || q->what == SHORT_HOST || s->has_limit;
}

static struct estimate begin(const struct shortfall *s) {
    struct estimate e = estimate_of(FACT_tried_alloc, s->asked, s->free);
    e.short_by = s->missing;
    if (!s->asked.known || !s->free.known)
        needs_add(&e.needs, s->asked.known ? FACT_gpu_free : FACT_tried_alloc);
    return e;
}

/* ---- a setting that tensors grow with ---- */

/* kept / of: what is left of the setting. */
struct cut {
    int64_t kept, of;
};

static bool cut_at(int64_t now, int64_t eighths, struct cut *cut) {
    *cut = (struct cut){eighths, now > 0 ? now : 8};
    return now <= 0 || (mul_div_floor(now, eighths, 8, &cut->kept) &&
                        cut->kept > 0 && cut->kept < now);
}

/* So much has to grow with the setting: missing x of / (of - kept). */
static int64_t growing_for(int64_t missing, const struct cut *cut) {
    int64_t growing;
    return mul_div_floor(missing, cut->of, cut->of - cut->kept, &growing)
               ? growing
               : INT64_MAX;
}

/* "1/2": what is left. */
static struct term kept_part(const struct query *q, const struct cut *cut) {
    int64_t d = cut->kept;
    while (d > 1 && (cut->kept % d != 0 || cut->of % d != 0))
        d--;
    d = d > 1 ? d : 1;
    return TEXT(FORMULA(q->a, "%/%", PLAIN(cut->kept / d), PLAIN(cut->of / d)));
}

/* The least cut for which a quarter of what is held has to grow, else the
 * deepest: a half, a quarter, an eighth. What is no power of two may also
 * keep three quarters. */
static bool choose_cut(const struct shortfall *s, int64_t now, bool is_halved,
                       struct cut *cut) {
    static const int64_t eighths[] = {6, 4, 2, 1};
    bool is_found = false, is_mild = false;
    for (size_t i = is_halved ? 1 : 0; !is_mild && i < 4; i++) {
        struct cut one;
        if (cut_at(now, eighths[i], &one)) {
            *cut = one;
            is_found = true;
            is_mild = growing_for(s->missing.high, cut) <= s->held.high / 4;
        }
    }
    return is_found;
}

/* Of all that is held, what need not grow with the setting. */
static int64_t share_growing(int64_t whole, int64_t growing) {
    int64_t share;
    return whole <= 0 ||
                   !mul_div_floor(whole - growing, UNITS_MICRO, whole, &share)
               ? SHARE_NONE
           : share > 0 ? share
                       : 0;
}

/* What the message counts; where only the whole GPU's use is known, that. */
static struct term in_use(const struct span *held) {
    bool is_narrow = held->low >= held->high - held->high / 10;
    return is_narrow ? MIDDLE(*held) : SHORT(held->high);
}

/* It only met a GPU full of tensors: the next request is refused as well, so
 * what covers this one is no sign that the step fits. Training keeps more than
 * weights. */
static bool is_tiny(const struct query *q, const struct shortfall *s) {
    return !word_is(q->c, FACT_task, "train") && s->total.known &&
           s->asked.known && s->held.known &&
           s->asked.high < s->total.low / TINY_SHARE &&
           s->held.low > s->total.high / 100 * FULL_PERCENT;
}

static void put_growing(const struct query *q, struct estimate *e,
                        const struct shortfall *s, const struct cut *cut) {
    int64_t growing = growing_for(s->missing.high, cut);
    struct span held = span_plus(s->held, s->asked);
    if (!held.known || growing_for(s->missing.low, cut) > held.high)
        return; /* even if all of it grows */
    bool is_of_held = growing <= s->held.high;
    int64_t whole = is_of_held ? s->held.high : held.high;
    ESTIMATE_IF(q, e, is_of_held ? "verdict.if.grows" : "verdict.if.all_grows",
                kept_part(q, cut), SHORT(span_middle(s->missing)),
                in_use(is_of_held ? &s->held : &held));
    e->is_trifle = !is_informative(s->missing, is_of_held ? s->held : held);
    e->share_micro = share_growing(whole, growing);
    if (is_tiny(q, s) && e->share_micro > EVEN_CHANCE)
        e->share_micro = EVEN_CHANCE;
    e->formula =
        EXPLAIN(q, used, "growing = % x % / % = %", BYTES(s->missing.high),
                PLAIN(cut->of), PLAIN(cut->of - cut->kept), BYTES(growing));
}

static void put_cut(const struct query *q, struct estimate *e,
                    const struct shortfall *s, const struct cut *cut) {
    e->after = span_share(s->asked, cut->kept, cut->of);
    e->formula =
        EXPLAIN(q, used, "tried_alloc = % x % / % = about %", MIDDLE(s->asked),
                PLAIN(cut->kept), PLAIN(cut->of), MIDDLE(e->after));
}

/* The request itself is the large thing: the cut at which it fits. */
static void put_scaled(const struct query *q, struct estimate *e,
                       const struct shortfall *s, const struct cut *cut) {
    struct span after = span_share(s->asked, cut->kept, cut->of);
    bool fits = after.known && after.low <= s->free.high;
    bool is_beyond_gpu =
        s->total.known && s->asked.low > s->total.high && s->free.low > 0;
    if (fits) {
        put_cut(q, e, s, cut);
        ESTIMATE_IF(q, e, "verdict.if.scales", kept_part(q, cut),
                    SHORT(span_middle(after)), SHORT(span_middle(s->asked)));
    }
    if (fits && is_beyond_gpu)
        ESTIMATE_IF(q, e, "verdict.if.times",
                    COUNT(ceil_div(s->asked.high, s->free.low)),
                    COUNT(ceil_div(s->asked.high, s->total.low)));
    if (e->after.known && cut->kept >= cut->of / 2)
        e->share_micro =
            share_growing(s->held.high, growing_for(s->missing.high, cut));
}

/* The largest cut at which the request fits; false: none. Halves of it, but
 * for pictures and frames, whose sizes are seldom powers of two. */
static bool cut_to_fit(const struct shortfall *s, int64_t now, bool is_halved,
                       struct cut *cut) {
    int64_t of = now > 0 ? now : USUAL_SETTING, kept;
    if (s->asked.high <= 0 || s->free.low <= 0 ||
        !mul_div_floor(of, s->free.low, s->asked.high, &kept) || kept < 1)
        return false;
    *cut = (struct cut){is_halved ? of : kept, of};
    while (cut->kept > kept)
        cut->kept /= 2;
    return cut->kept < of;
}

/* By the request where that is the large thing, or where half of it fits and it
 * is large enough to be what was too much; else by what is held. */
static void cut_missing(const struct query *q, struct estimate *e,
                        const struct shortfall *s, int setting, int64_t now,
                        struct cut *cut) {
    if (!s->missing.known) {
        /* the request is not printed: it was larger than what was free */
        if (!s->asked.known && s->free.low > 0)
            ESTIMATE_IF(q, e, "verdict.if.at_most", SHORT(s->free.low));
        return;
    }
    bool is_server = engine_of(q->c)->keeps_pool;
    bool is_halved = setting != FACT_image_side && setting != FACT_num_frames;
    bool is_large = s->total.known
                        ? s->asked.low > s->total.low / LARGE_SHARE
                        : s->held.known && s->asked.low > s->held.high / 2;
    bool is_cured_by_half =
        s->asked.high / 2 <= s->free.low &&
        (!s->total.known || s->asked.high > s->total.low / SMALL_SHARE);
    if ((is_server || is_cured_by_half || is_large) &&
        cut_to_fit(s, now, is_halved, cut))
        put_scaled(q, e, s, cut);
    else if (!is_server && choose_cut(s, now, is_halved, cut))
        put_growing(q, e, s, cut);
}

/* A large setting goes down in sixteenths: 4096 to 2304, not to 2298. */
static int64_t steps_of(int64_t now) {
    return now > FEW_STEPS ? FINE_STEPS : now;
}

/* A large setting goes down in sixteenths: 4096 to 2304, not to 2298. Of an
 * image it is the side of a square that keeps so much of its area, in whole
 * cells of 32 pixels; frames go from 129 to 69, not to 72. */
static struct fact proposed_of(enum fact_name setting, int64_t now,
                               const struct cut *cut) {
    int64_t kept = cut->kept, side = now - now % SIDE_CELL;
    if (now > FEW_STEPS && !mul_div_floor(now, cut->kept, cut->of, &kept))
        kept = now;
    if (setting == FACT_image_side) {
        while (side > SIDE_CELL &&
               side * side / cut->kept > now * now / cut->of)
            side -= SIDE_CELL;
        kept = side;
    }
    bool is_of_fours = setting == FACT_num_frames && now % 4 == 1;
    return propose(setting, kept - (is_of_fours ? (kept - 1) % 4 : 0));
}

enum fact_name step_setting(const struct inputs *c, enum effect effect) {
    /* Below the least it is no large step that failed. */
    static const struct {
        enum fact_name name;
        int64_t least;
    } settings[] = {{FACT_num_envs, 2},
                    {FACT_num_frames, 9},
                    {FACT_image_side, 384},
                    {FACT_seq_len, 256}};
    enum fact_name own =
        effect == EFFECT_seq_len ? FACT_seq_len : FACT_batch_size;
    bool is_open = own == FACT_seq_len || !word_is(c, FACT_task, "train");
    for (size_t i = own == FACT_seq_len ? 1 : 0;
         is_open && setting_of(c, own, 0) <= 1 &&
         i < sizeof settings / sizeof *settings; i++) {
        int64_t now = setting_of(c, settings[i].name, 0);
        if (now >= settings[i].least && now <= STEP_SIZE_MAX)
            return settings[i].name;
    }
    return own;
}

/* "8 is enough if ..." instead of "1/2 of the present size is ...". */
static void say_value(const struct query *q, struct estimate *e) {
    static const char *const keys[][2] = {
        {"verdict.if.grows", "verdict.if.grows_at"},
        {"verdict.if.all_grows", "verdict.if.all_grows_at"},
        {"verdict.if.scales", "verdict.if.scales_at"}};
    for (size_t i = 0; e->condition.key && i < sizeof keys / sizeof *keys;
         i++) {
        if (strcmp(e->condition.key, keys[i][0]) == 0) {
            e->condition.key = keys[i][1];
            e->condition.arg[0] = term_write(q->a, PLAIN(e->proposed.number));
        }
    }
}

/* Of a compiled program (XLA) the temporaries shrink, its arguments stay; a TPU
 * prints what it has for both, often without a table: then all of it shrinks at
 * most. The least cut that fits, else the deepest. */
static bool put_program(const struct query *q, struct estimate *e, int64_t now,
                        struct cut *cut) {
    static const int64_t eighths[] = {4, 2, 1};
    struct span whole = first_known(
        q->c, FACT_LIST(FACT_compute_bytes, FACT_requested_bytes));
    struct span temp = span_in(q->c, FACT_program_temp);
    struct span room = word_is(q->c, FACT_device_kind, "tpu")
                           ? span_in(q->c, FACT_gpu_total) : span_none();
    struct span then = span_none();
    bool fits = false;
    temp = !temp.known && room.known ? whole : temp;
    if (!whole.known || !temp.known || temp.low < whole.high / 2)
        return false;
    for (size_t i = 0; !fits && i < sizeof eighths / sizeof *eighths &&
                       cut_at(now, eighths[i], cut); i++) {
        then = span_plus(span_beyond(whole, temp),
                         span_share(temp, cut->kept, cut->of));
        fits = !room.known || then.high <= room.low;
    }
    if (!then.known || (room.known && !fits))
        return false;
    ESTIMATE_IF(q, e, "verdict.if.program", SHORT(span_middle(then)),
                SHORT(span_middle(whole)));
    if (room.known)
        ESTIMATE_IF(q, e, "verdict.if.program_fits", SHORT(span_middle(then)),
                    SHORT(room.low));
    e->formula = EXPLAIN(
        q, used, "program = % - % x % / % = about %", MIDDLE(whole),
        MIDDLE(temp), PLAIN(cut->of - cut->kept), PLAIN(cut->of), MIDDLE(then));
    return true;
}

/* What was free is not known: by the table of the program, which
 * is finer, else half of the request is the bound. */
static bool put_without_room(const struct query *q, struct estimate *e,
                             const struct shortfall *s, int64_t steps,
                             struct cut *cut) {
    if (put_program(q, e, steps, cut)) {
        e->needs.count = 0;
        return true;
    }
    if (!s->asked.known || !cut_at(steps, 4, cut))
        return false;
    put_cut(q, e, s, cut);
    estimate_bound(q, e);
    return true;
}

/* One sample is the least, and what is there cannot be short. */
static bool is_to_scale(const struct query *q, const struct shortfall *s,
                        int64_t now) {
    bool is_short = !s->missing.known || s->missing.high > 0;
    return is_refusal(q, s) && now != 1 && is_short;
}

struct estimate step_scaled(const struct query *q, int setting) {
    struct shortfall s = shortfall_of(q);
    struct estimate e = begin(&s);
    int64_t now =
        setting >= 0 ? setting_of(q->c, (enum fact_name)setting, 0) : 0;
    struct cut cut = {0, 0};
    if (!is_to_scale(q, &s, now))
        return estimate_none(FACT_tried_alloc);
    if (s.asked.known && !s.free.known && s.asked.low < INFORMATIVE_BYTES)
        return e; /* a small request shows that all was full, and no more */
    if (s.free.known || !put_without_room(q, &e, &s, steps_of(now), &cut))
        cut_missing(q, &e, &s, setting, steps_of(now), &cut);
    if (now <= 0 && e.after.known && cut.kept < cut.of / DEEPEST_CUT)
        e.is_trifle = true; /* halved seven times is no advice */
    if (e.verdict == VERDICT_MAY_BE_ENOUGH && now > 0 && cut.of > 0) {
        e.proposed = proposed_of((enum fact_name)setting, now, &cut);
        say_value(q, &e);
    }
    return e;
}

struct estimate effect_step_size(const struct query *q) {
    return step_scaled(q, -1);
}

/* So much of what is held goes away at most; enough where that is missing. */
static void put_freed(const struct query *q, struct estimate *e,
                      const struct shortfall *s, int64_t most,
                      struct span held) {
    e->limit = span_plus(s->free, span_of(0, most));
    ESTIMATE_IF(q, e, "verdict.if.frees", SHORT(span_middle(s->missing)),
                in_use(&held));
    e->is_trifle = !is_informative(s->missing, held);
    e->share_micro = share_that_passes(e->after, e->limit);
}

/* Fewer and smaller batch sizes to capture: the graph that was refused is
 * that of the largest, or all of them give back a part. */
struct estimate effect_graph_sizes(const struct query *q) {
    struct shortfall s = shortfall_of(q);
    struct estimate e = begin(&s);
    struct span graphs = graph_bytes(q->c);
    struct cut cut;
    if (!is_allocation(q))
        return estimate_none(FACT_tried_alloc);
    if (!s.missing.known || s.missing.high <= 0)
        return e;
    if (graphs.known && graphs.high > s.missing.high)
        put_freed(q, &e, &s, graphs.high, span_exact(graphs.high));
    else if (cut_to_fit(&s, 0, true, &cut))
        put_scaled(q, &e, &s, &cut);
    return e;
}

struct estimate step_freeing(const struct query *q, int64_t percent) {
    struct shortfall s = shortfall_of(q);
    struct estimate e = begin(&s);
    struct span most = span_share(s.held, percent, 100);
    if (!s.missing.known || s.missing.high <= 0 || !most.known)
        return e;
    e.limit = span_plus(s.free, span_of(0, most.high));
    estimate_judge(&e);
    if (verdict_is_open(e.verdict))
        put_freed(q, &e, &s, most.high, s.held);
    return e;
}

/* ---- in pieces ---- */

struct estimate effect_chunk(const struct query *q) {
    struct shortfall s = shortfall_of(q);
    struct estimate e = begin(&s);
    struct span room = s.free.known ? s.free : span_in(q->c, FACT_gpu_total);
    int64_t pieces = 2;
    if (!is_refusal(q, &s))
        return estimate_none(FACT_tried_alloc);
    if (!s.asked.known || (!room.known && q->what == SHORT_HOST))
        return e; /* how much host memory there is, is not known */
    while (room.known && pieces < PIECES_MOST &&
           ceil_div(s.asked.high, pieces) > room.low)
        pieces *= 2;
    e.after = span_share(s.asked, 1, pieces);
    if (room.known && e.after.high > room.low)
        return e; /* nothing at all was free, or no split makes it fit */
    e.formula = EXPLAIN(q, used, "piece = % / % = about %", MIDDLE(s.asked),
                        PLAIN(pieces), MIDDLE(e.after));
    ESTIMATE_IF(q, &e, "verdict.if.pieces", COUNT(pieces),
                SHORT(span_middle(e.after)));
    return e;
}

/* The decoder's widest tensor on one tile: no image makes it larger. */
struct estimate effect_vae_tiles(const struct query *q) {
    struct shortfall s = shortfall_of(q);
    struct estimate e = begin(&s);
    const int64_t tile = (int64_t)TILE_SIDE * TILE_SIDE * TILE_PIXEL;
    bool is_asked = is_allocation(q) || q->what == SHORT_UNKNOWN;
    if (!is_asked || (s.asked.known && s.asked.high < tile))
        return estimate_none(FACT_tried_alloc); /* no tile is smaller */
    if (s.free.known && s.asked.known && s.free.low < tile)
        return step_freeing(q, 100); /* tensors of the whole image go as well */
    e.needs.count = 0;
    e.after = span_exact(tile);
    if (s.free.known && s.asked.known)
        estimate_judge(&e);
    e.formula =
        EXPLAIN(q, used, "tile at most = % x % x % bytes = %", PLAIN(TILE_SIDE),
                PLAIN(TILE_SIDE), PLAIN(TILE_PIXEL), BYTES(tile));
    return e;
}

struct estimate effect_bigger_gpu(const struct query *q) {
    struct shortfall s = shortfall_of(q);
    struct span whole = span_plus(s.total, s.missing);
    struct estimate e = estimate_unknown(FACT_gpu_total);
    if (!is_allocation(q))
        return estimate_none(FACT_gpu_total);
    if (!whole.known) {
        needs_add(&e.needs, s.total.known ? FACT_gpu_free : FACT_gpu_total);
        return e;
    }
    e.before = s.total;
    e.after = whole;
    e.short_by = s.missing;
    ESTIMATE_IF(q, &e, "verdict.if.gpu_of", SHORT(whole.high));
    e.formula = EXPLAIN(q, used, "gpu_total = % + % = %", BYTES(s.total.high),
                        BYTES(s.missing.high), BYTES(whole.high));
    return e;
}
