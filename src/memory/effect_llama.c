/* effect_llama.c: what the settings of llama.cpp and Ollama do to the buffer
 * that was refused.
 *
 *   -c          cache: by cells; compute buffer: its scores, and the cache
 *               that is in place gives room back
 *   -ctk -ctv   cache: 34/64 of it in q8_0
 *   -ngl        each layer that leaves takes its weights and cache along
 *   -ub         compute buffer: about linear, so an interval
 *   -fa         compute buffer: the scores go
 *
 * What is free is printed before anything is loaded, so what already lies on
 * the card is taken off it; where that is not known, so is the verdict. */
#include "memory/llama_cpp.h"

#define PAD 256
#define UBATCH 512
#define UBATCH_LEAST 32

static const enum fact_name used[] =
    FACTS(FACT_tried_alloc, FACT_context_length, FACT_gpu_free, FACT_kv_bytes,
          FACT_gpu_layers, FACT_kv_cache_dtype, FACT_model);

static bool is_cache(const struct ask *q) {
    return stage_is(q->c, "kv_alloc") || is_pool(q);
}

/* A cache of layers on the CPU: the host refused it. */
static bool is_on_host(const struct ask *q) {
    return q->what == SHORT_HOST;
}

static bool is_compute(const struct ask *q) {
    return stage_is(q->c, "profile");
}

/* At most so much was left for the buffer: the model may lie on the host in
 * part. */
static struct span room_of(const struct ask *q) {
    struct span free = span_in(q->c, FACT_gpu_free);
    struct span held = stage_is(q->c, "load")
                           ? span_exact(0)
                           : span_in(q->c, FACT_weights_bytes);
    if (is_on_host(q)) { /* weights are mapped there */
        return span_in(q->c, FACT_host_free);
    }
    if (is_compute(q)) {
        held = span_plus(held, span_in(q->c, FACT_kv_bytes));
    }
    struct span least = span_beyond(span_exact(free.low), held);
    return free.known && held.known ? span_of(least.low, free.high)
                                    : span_none();
}

/* What was refused: printed, else the whole cache. */
static struct span asked_of(const struct ask *q) {
    struct span tried = span_in(q->c, FACT_tried_alloc);
    struct span cache = span_in(q->c, FACT_kv_bytes);
    if (stage_is(q->c, "load") && !tried.known) {
        return span_in(q->c, FACT_weights_bytes);
    }
    if (tried.known || !is_cache(q)) {
        return tried;
    }
    return cache.known ? cache
                       : llama_cache_bytes(
                             q->c, setting_of(q->c, FACT_context_length, 0));
}

static struct estimate begin(const struct ask *q) {
    return estimate_of(FACT_tried_alloc, asked_of(q), room_of(q));
}

static struct estimate judged(const struct ask *q, struct estimate e) {
    estimate_judge(&e);
    estimate_needs(&e, e.limit.known,
                   is_on_host(q) ? FACT_host_free : FACT_gpu_free);
    return e;
}

/* "kv cache = 4.38 GiB x 4,096 / 8,192 = 2.19 GiB" */
static struct str write_share(const struct ask *q, const char *what,
                              struct span before, int64_t num, int64_t den,
                              struct span after) {
    if (!before.known || !after.known) {
        return (struct str){0};
    }
    return FORMULA_OF(q->a, q->c, used, "% = % x % / % = about %",
                      TEXT(str_of(what)), MIDDLE(before), COUNT(num),
                      COUNT(den), MIDDLE(span_share(before, num, den)));
}

/* ---- -c ---- */

/* Scores and the rest of the compute buffer: the scores shrink by num / den,
 * of the rest nobody knows. */
static struct span with_fewer_scores(const struct ask *q, struct span before,
                                     int64_t num, int64_t den) {
    struct span scores = llama_score_bytes(q->c);
    struct span rest = span_minus(before, scores);
    struct span less = span_share(rest, num, den);
    bool has_scores = !is_on(q->c, FACT_flash_attention) && rest.known &&
                      rest.low >= 0 && less.known;
    return has_scores ? span_plus(span_share(scores, num, den),
                                  span_of(less.low, rest.high))
                      : span_none();
}

/* What grows with the context grows in proportion; windows and state stay. */
static struct span at_context(const struct ask *q, struct span before,
                              int64_t now, int64_t fewer) {
    struct span linear = span_share(before, fewer, now);
    struct span all = llama_cache_bytes(q->c, now);
    struct span then = llama_cache_bytes(q->c, fewer);
    bool is_plain = is_cache(q) && llama_is_linear(q->c, before);
    if (!is_plain && is_cache(q) && span_is_exact(all) && all.low > 0 &&
        span_is_exact(then)) {
        return span_share(before, then.low, all.low);
    }
    struct span scores =
        is_compute(q) ? with_fewer_scores(q, before, fewer, now) : span_none();
    if (scores.known) {
        return scores;
    }
    return is_plain || !linear.known ? linear
                                     : span_of(linear.low, before.high);
}

/* Halved until the cache fits; once where nobody knows the room. */
static int64_t halve(const struct ask *q, struct estimate *e, int64_t now) {
    int64_t fewer = now;
    bool is_searched = is_cache(q) && e->limit.known && e->limit.low > 0;
    do {
        fewer = fewer / 2 - fewer / 2 % PAD;
        fewer = fewer < PAD ? PAD : fewer;
        e->after = at_context(q, e->before, now, fewer);
    } while (is_searched && fewer > PAD &&
             span_fits(e->after, e->limit) != VERDICT_ENOUGH);
    return fewer;
}

/* The context in force: said, else the one whose cache was refused. */
static int64_t context_now(const struct ask *q, const struct estimate *e,
                           struct str *how) {
    int64_t now = setting_of(q->c, FACT_context_length, 0);
    if (now > 0 || !is_cache(q)) {
        return now;
    }
    now = llama_context_of(q->c, e->before);
    if (now > 0) {
        *how = FORMULA(q->a, "context = % / % per token = % tokens",
                       MIDDLE(e->before), BYTES(span_middle(e->before) / now),
                       COUNT(now));
    }
    return now;
}

/* Nobody says the context; cache and compute buffer both grow with it. The
 * part of it at which they take two thirds of what the GPU allows at most. */
static void put_part(const struct ask *q, struct estimate *e) {
    const struct inputs *c = q->c;
    struct span cache = span_in(c, FACT_kv_bytes);
    struct span limit = span_in(c, FACT_alloc_limit);
    struct span both = span_plus(cache, e->before);
    int64_t parts = 2;
    if (!is_compute(q) || !both.known || !limit.known || limit.low <= 0) {
        return;
    }
    while (ceil_div(both.high, parts) > limit.low / 3 * 2) {
        parts *= 2;
    }
    struct span part = span_share(both, 1, parts);
    e->formula = FORMULA_OF(q->a, c, used,
                            "kv cache + compute buffer = (% + %) / % = about %",
                            BYTES(cache.high), BYTES(e->before.high),
                            PLAIN(parts), BYTES(part.high));
    ESTIMATE_IF(q, e, "verdict.if.start",
                TEXT(FORMULA(q->a, "1/%", PLAIN(parts))), SHORT(part.high),
                SHORT(limit.low - part.high));
}

static struct estimate shorter(const struct ask *q) {
    struct str how = {0};
    struct estimate e = begin(q);
    int64_t now = context_now(q, &e, &how);
    if (!is_cache(q) && !is_compute(q)) {
        return stage_is(q->c, "load") ? estimate_none(FACT_tried_alloc) : e;
    }
    if (now <= PAD || !e.before.known) {
        needs_add(&e.needs, FACT_context_length);
        put_part(q, &e);
        return e;
    }
    int64_t fewer = halve(q, &e, now);
    struct span cache = span_in(q->c, FACT_kv_bytes);
    struct span given_back = span_share(cache, now - fewer, now);
    if (is_compute(q) && given_back.known && e.limit.known) {
        e.limit = span_plus(e.limit, span_of(0, given_back.high));
    }
    e.proposed = propose(FACT_context_length, fewer);
    e.formula = formula_join(
        q->a, how,
        write_share(q, is_cache(q) ? "kv cache" : "compute buffer at least",
                    e.before, fewer, now, e.after));
    return judged(q, e);
}

/* ---- -ctk, -ctv ---- */

static struct estimate narrower(const struct ask *q) {
    struct str key, value;
    struct estimate e = begin(q);
    llama_cache_types(q->c, &key, &value);
    if (!is_cache(q)) {
        return estimate_none(FACT_tried_alloc);
    }
    struct span now =
        span_plus(llama_type_bytes(key, 32), llama_type_bytes(value, 32));
    struct span then = llama_type_bytes(STR("q8_0"), 64);
    if (!now.known || !e.before.known) {
        needs_add(&e.needs, FACT_kv_cache_dtype);
        return e;
    }
    if (then.low >= now.low) {
        return estimate_none(FACT_tried_alloc);
    }
    /* K and V are of equal size in all but a few models; state stays. */
    e.after = span_share(e.before, then.low, now.low);
    e.formula =
        write_share(q, "kv cache", e.before, then.low, now.low, e.after);
    bool may_hold_state = !llama_is_linear(q->c, e.before);
    if (may_hold_state && e.after.known) {
        e.after = span_of(e.after.low, e.before.high);
    }
    e.proposed = propose_word(FACT_kv_cache_dtype, STR("q8_0"));
    return judged(q, e);
}

/* ---- -ngl ---- */

#define ALL_LAYERS 99 /* and 999: written for "all", whatever their number */
#define LARGE_CARD (INT64_C(80) << 30)

/* Layers that lie on the card: -ngl may say more than there are. */
static int64_t layers_on_card(const struct inputs *c) {
    int64_t said = setting_of(c, FACT_gpu_layers, 0);
    int64_t all = c->model ? c->model->layers + 1 : 0;
    if (all == 0 && said >= ALL_LAYERS) {
        return 0;
    }
    return all > 1 && (said == 0 || said > all) ? all : said;
}

/* Of how many layers nobody says: 3/4 of them, or 1/2, 1/4, 1/8, until they
 * fit into what is free, or where that is unknown into the largest usual card.
 * Layers differ by a tenth. */
static struct estimate part_of_layers(const struct ask *q, struct estimate e) {
    static const struct {
        int64_t of;
        int64_t kept;
        const char *name;
    } parts[] = {{4, 3, "3/4"}, {2, 1, "1/2"}, {4, 1, "1/4"}, {8, 1, "1/8"}};
    bool is_all = setting_of(q->c, FACT_gpu_layers, 0) >= ALL_LAYERS;
    int64_t room = e.limit.known ? e.limit.low : LARGE_CARD;
    size_t i = 0, last = sizeof parts / sizeof *parts - 1;
    needs_add(&e.needs, is_all ? FACT_model : FACT_gpu_layers);
    if (!stage_is(q->c, "load") || !e.before.known) {
        return e;
    }
    struct span even = span_share(e.before, parts[0].kept, parts[0].of);
    while (i < last && span_share(even, 11, 10).high > room) {
        i++;
        even = span_share(e.before, parts[i].kept, parts[i].of);
    }
    e.after =
        span_of(span_share(even, 9, 10).low, span_share(even, 11, 10).high);
    e.formula = write_share(q, "buffer on the card", e.before, parts[i].kept,
                            parts[i].of, e.after);
    e = judged(q, e);
    if (!e.limit.known) {
        ESTIMATE_IF(q, &e, "verdict.if.part_of_layers",
                    TEXT(str_of(parts[i].name)), SHORT(e.after.high));
    }
    return e;
}

static struct estimate fewer_layers(const struct ask *q) {
    int64_t now = layers_on_card(q->c);
    struct estimate e = begin(q);
    int64_t seen = is_cache(q) ? llama_layers_in(q->c, e.before) : 0;
    now = seen > 0 ? seen : now; /* the buffer itself says how many */
    if (is_compute(q)) {
        return e; /* of one layer; the room that others leave is not known */
    }
    if (now <= 1 || !e.before.known) {
        return part_of_layers(q, e);
    }
    int64_t fewer = now * 3 / 4;
    if (e.limit.known && e.limit.low > 0 && e.before.high > 0) {
        int64_t fits;
        if (mul_div_floor(e.limit.low, now, e.before.high, &fits)) {
            fewer = fits * 9 / 10; /* layers differ by a tenth */
        }
    }
    fewer = fewer >= now ? now - 1 : fewer;
    struct span even = span_share(e.before, fewer, now);
    struct span most = span_share(even, 11, 10);
    if (!even.known || !most.known) {
        return e;
    }
    e.after = span_of(span_share(even, 9, 10).low, most.high);
    e.proposed = propose(FACT_gpu_layers, fewer);
    e.formula =
        write_share(q, "buffer on the card", e.before, fewer, now, e.after);
    e = judged(q, e);
    if (!e.limit.known) {
        ESTIMATE_IF(q, &e, "verdict.if.layers", SHORT(e.after.high),
                    SHORT(ceil_div(e.before.high, now)));
    }
    return e;
}

/* ---- -ub, -fa ---- */

/* An eighth where the scores are most of the buffer and nobody knows the room;
 * else halves until it fits. */
static int64_t fewer_at_once(const struct ask *q, const struct estimate *e,
                             int64_t now) {
    int64_t fewer = now / 2;
    if (!e->limit.known) {
        bool has_scores = with_fewer_scores(q, e->before, 1, 2).known;
        return has_scores && now >= 8 * UBATCH_LEAST ? now / 8 : fewer;
    }
    while (fewer > UBATCH_LEAST) {
        struct span then = with_fewer_scores(q, e->before, fewer, now);
        if (!then.known || span_fits(then, e->limit) == VERDICT_ENOUGH) {
            break;
        }
        fewer /= 2;
    }
    return fewer;
}

static struct estimate smaller_batch(const struct ask *q) {
    int64_t now = setting_of(q->c, FACT_max_num_batched_tokens, UBATCH);
    struct estimate e = begin(q);
    if (!is_compute(q)) {
        return is_cache(q) || stage_is(q->c, "load")
                   ? estimate_none(FACT_tried_alloc)
                   : e;
    }
    int64_t fewer = fewer_at_once(q, &e, now);
    struct span linear = span_share(e.before, fewer, now);
    if (fewer <= 0 || !linear.known) {
        needs_add(&e.needs, FACT_max_num_batched_tokens);
        return e;
    }
    struct span scores = with_fewer_scores(q, e.before, fewer, now);
    e.after = scores.known ? scores : span_of(linear.low, e.before.high);
    e.proposed = propose(FACT_max_num_batched_tokens, fewer);
    e.formula = write_share(q, "compute buffer at least", e.before, fewer, now,
                            e.after);
    return judged(q, e);
}

static struct estimate flash(const struct ask *q) {
    struct span scores = llama_score_bytes(q->c);
    struct estimate e = begin(q);
    int64_t context = setting_of(q->c, FACT_context_length, 0);
    if (!is_compute(q) || is_on(q->c, FACT_flash_attention)) {
        return estimate_none(FACT_tried_alloc);
    }
    if (!scores.known || !e.before.known || scores.high > e.before.high) {
        needs_add(&e.needs, q->c->model ? FACT_context_length : FACT_model);
        return e;
    }
    e.after = span_beyond(e.before, scores);
    e.after = span_of(0, e.after.high); /* their copy goes as well */
    e.proposed = propose(FACT_flash_attention, 1);
    e.formula = FORMULA_OF(
        q->a, q->c, used,
        "compute buffer at most = % - % tokens x % cells x % heads x 4 bytes "
        "= about %",
        MIDDLE(e.before),
        COUNT(setting_of(q->c, FACT_max_num_batched_tokens, UBATCH)),
        COUNT(llama_cells(q->c, context).high), PLAIN(q->c->model->heads),
        BYTES(e.after.high));
    return judged(q, e);
}

/* ---- the door ---- */

struct estimate llama_effect(const struct ask *q) {
    static effect_fn *const fixes[EFFECT_COUNT_OF] = {
        [EFFECT_context_length] = shorter,
        [EFFECT_max_model_len] = shorter,
        [EFFECT_kv_cache_dtype] = narrower,
        [EFFECT_gpu_layers] = fewer_layers,
        [EFFECT_max_num_batched_tokens] = smaller_batch,
        [EFFECT_flash_attention] = flash};
    struct inputs with = *q->c;
    struct ask again = {q->a, &with, q->what, q->effect};
    bool is_host_buffer = is_on_host(q) && (is_cache(q) || is_compute(q)) &&
                          q->effect != EFFECT_gpu_layers;
    if (!is_allocation(q) && !is_pool(q) && !is_host_buffer) {
        return estimate_none(FACT_tried_alloc);
    }
    if (!with.in[FACT_context_length].known) { /* a printed cache says it */
        int64_t tokens = llama_context_of(q->c, span_in(q->c, FACT_kv_bytes));
        if (tokens > 0) {
            with.in[FACT_context_length] = propose(FACT_context_length, tokens);
        }
    }
    return fixes[q->effect](&again);
}
