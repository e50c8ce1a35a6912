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
 * the card is taken off it; where that is not known, so is the verdict. Behind
 * the weights come cache and compute buffer, behind the cache the compute
 * buffer: what leaves them no room is not enough. */
#include "memory/effect.h"

#define PAD 256
#define UBATCH 512
#define UBATCH_LEAST 32

static const enum fact_name used[] =
    FACTS(FACT_tried_alloc, FACT_context_length, FACT_gpu_free, FACT_kv_bytes,
          FACT_gpu_layers, FACT_kv_cache_dtype, FACT_model);

/* Refused while loading, and as large as the cache that was planned. */
static bool is_planned_cache(const struct inputs *c) {
    struct span tried = span_in(c, FACT_tried_alloc);
    struct span cache = span_in(c, FACT_kv_bytes);
    return stage_is(c, "load") && tried.known && cache.known &&
           tried.low <= span_share(cache, 65, 64).high &&
           tried.high >= span_share(cache, 63, 64).low;
}

static bool is_cache(const struct query *q) {
    return stage_is(q->c, "kv_alloc") || is_pool(q) || is_planned_cache(q->c);
}

static bool is_load(const struct query *q) {
    return stage_is(q->c, "load") && !is_planned_cache(q->c);
}

/* Vulkan, SYCL, OpenCL and Metal take weights in pieces of what one buffer may
 * be: the piece that was refused is no measure of the rest. */
static bool is_piece(const struct query *q) {
    const struct fact *kind = &q->c->in[FACT_device_kind];
    return is_load(q) && kind->known &&
           STR_IS_ONE(kind->word, "vulkan", "sycl", "opencl", "metal");
}

/* A cache of layers on the CPU: the host refused it. */
static bool is_on_host(const struct query *q) {
    return q->what == SHORT_HOST;
}

static bool is_compute(const struct query *q) {
    return stage_is(q->c, "profile");
}

/* A buffer of a step is as large whatever layers are on the GPU. */
static bool is_of_step(const struct query *q) {
    return is_compute(q) || stage_is(q->c, "serve");
}

static int64_t context_in(const struct query *q) {
    return setting_of(q->c, FACT_context_length, 0);
}

/* At most so much was left for the buffer: the model may lie on the host in
 * part. */
static struct span room_of(const struct query *q) {
    const struct inputs *c = q->c;
    struct span free = span_in(c, FACT_gpu_free);
    struct span held =
        is_load(q) ? span_exact(0) : span_in(c, FACT_weights_bytes);
    if (is_on_host(q)) /* weights are mapped there */
        return span_in(c, FACT_host_free);
    if (c->in[FACT_gpu_free].source == SOURCE_DERIVED)
        return free; /* less these buffers already: diagnose/free_memory.c */
    if (is_compute(q))
        held = span_plus(held, span_in(c, FACT_kv_bytes));
    struct span least = span_beyond(span_exact(free.low), held);
    return free.known && held.known ? span_of(least.low, free.high)
                                    : span_none();
}

/* What was refused: printed, else the whole cache. */
static struct span asked_of(const struct query *q) {
    struct span tried = span_in(q->c, FACT_tried_alloc);
    if (is_load(q))
        return span_or(tried, span_in(q->c, FACT_weights_bytes));
    return tried.known || !is_cache(q)
               ? tried
               : span_or(span_in(q->c, FACT_kv_bytes),
                         llama_cache_bytes(q->c, context_in(q)));
}

static struct estimate begin(const struct query *q) {
    return estimate_of(FACT_tried_alloc, asked_of(q), room_of(q));
}

/* What is allocated behind the refused buffer, with so long a context and so
 * many layers; 0: those in force. */
static struct span later_of(const struct query *q, int64_t tokens,
                            int64_t layers) {
    if (is_compute(q) || is_on_host(q))
        return span_exact(0);
    if (tokens <= 0 || q->c->model == NULL)
        return span_none();
    struct inputs at = *q->c;
    at.in[FACT_context_length] = propose(FACT_context_length, tokens);
    if (layers > 0)
        at.in[FACT_gpu_layers] = propose(FACT_gpu_layers, layers);
    struct span compute = llama_compute_bytes(&at);
    return is_cache(q) ? compute
                       : span_plus(compute, llama_cache_on_card(&at, tokens));
}

static struct estimate judged(const struct query *q, struct estimate e,
                              struct span later) {
    bool is_counted = later.known && e.limit.known;
    if (is_counted)
        e.limit = span_beyond(e.limit, later);
    estimate_judge(&e);
    /* Enough for the buffer itself; what comes behind it is not known. */
    if (!is_counted && e.verdict == VERDICT_ENOUGH)
        ESTIMATE_IF(q, &e, "verdict.if.buffers_after",
                    SHORT(e.limit.low - e.after.high));
    estimate_needs(&e, e.limit.known,
                   is_on_host(q) ? FACT_host_free : FACT_gpu_free);
    return e;
}

/* "kv cache = 4.38 GiB x 4,096 / 8,192 = 2.19 GiB" */
static struct str write_share(const struct query *q, const char *what,
                              struct span before, int64_t num, int64_t den,
                              struct span after) {
    if (!before.known || !after.known)
        return (struct str){0};
    return EXPLAIN(q, used, "% = % x % / % = about %", TEXT(str_of(what)),
                   MIDDLE(before), COUNT(num), COUNT(den),
                   MIDDLE(span_share(before, num, den)));
}

/* ---- -c ---- */

/* Scores and the rest of the compute buffer: the scores shrink by num / den,
 * of the rest it is not known. */
static struct span with_fewer_scores(const struct query *q, struct span before,
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

/* What grows with the context grows in proportion; windows and state stay.
 * llama.cpp keeps those in buffers of their own, so the buffer of a model that
 * is not known is taken to grow. */
static struct span at_context(const struct query *q, struct span before,
                              int64_t now, int64_t fewer) {
    struct span linear = span_share(before, fewer, now);
    struct span all = llama_cache_bytes(q->c, now);
    struct span then = llama_cache_bytes(q->c, fewer);
    bool is_plain = is_cache(q) &&
                    (!q->c->model || llama_is_linear(q->c, before));
    if (!is_plain && is_cache(q) && span_is_exact(all) && all.low > 0 &&
        span_is_exact(then))
        return span_share(before, then.low, all.low);
    if (!is_plain && linear.known)
        linear = span_of(linear.low, before.high);
    return is_compute(q)
               ? span_or(with_fewer_scores(q, before, fewer, now), linear)
               : linear;
}

/* A shorter cache that is in place leaves more: all that it gives back where
 * its layers keep every token and nothing of the model is beside the one card,
 * else at most that. */
static struct span room_at(const struct query *q, struct span room, int64_t now,
                           int64_t fewer) {
    int64_t layers = setting_of(q->c, FACT_model_layers, 0);
    struct span cache = span_in(q->c, FACT_kv_bytes);
    struct span back = span_share(cache, now - fewer, now);
    if (!is_compute(q) || !back.known || !room.known)
        return room;
    bool is_whole = llama_is_linear(q->c, cache) && layers > 0 &&
                    setting_of(q->c, FACT_gpu_count, 0) == 1 &&
                    setting_of(q->c, FACT_gpu_layers, 0) == layers;
    return span_plus(room, is_whole ? back : span_of(0, back.high));
}

/* Of a cache on one card of which only the size is known: at most what the
 * weights leave. */
static struct span room_of_card(const struct query *q) {
    struct span rest = span_beyond(span_in(q->c, FACT_gpu_total),
                                   span_in(q->c, FACT_weights_bytes));
    bool is_one = setting_of(q->c, FACT_gpu_count, 1) == 1;
    return is_cache(q) && !is_on_host(q) && is_one && rest.known
               ? span_of(0, rest.high)
               : span_none();
}

/* Halved until the buffer fits, and what comes behind it; where no length is
 * sure to, and where the room is not known, until it may. */
static int64_t halve(const struct query *q, struct estimate *e, int64_t now) {
    int64_t fewer = now, first = 0;
    struct span room = span_or(e->limit, room_of_card(q));
    enum verdict fits = VERDICT_NOT_ENOUGH;
    bool is_searched = !is_load(q) && room.known && room.high > 0;
    do {
        fewer = fewer / 2 - fewer / 2 % PAD;
        fewer = fewer < PAD ? PAD : fewer;
        struct span later = later_of(q, fewer, 0);
        struct span there = room_at(q, room, now, fewer);
        fits = span_fits(at_context(q, e->before, now, fewer),
                         later.known ? span_beyond(there, later) : there);
        first = first == 0 && fits != VERDICT_NOT_ENOUGH ? fewer : first;
    } while (is_searched && fewer > PAD && fits != VERDICT_ENOUGH);
    fewer = fits != VERDICT_ENOUGH && first > 0 ? first : fewer;
    e->after = at_context(q, e->before, now, fewer);
    e->limit = room_at(q, e->limit, now, fewer);
    return fewer;
}

/* The context is not known; cache and compute buffer both grow with it. The
 * part of it at which they take two thirds of what the GPU allows at most. */
static void put_part(const struct query *q, struct estimate *e) {
    const struct inputs *c = q->c;
    struct span cache = span_in(c, FACT_kv_bytes);
    struct span limit = span_in(c, FACT_alloc_limit);
    struct span both = span_plus(cache, e->before);
    int64_t parts = 2;
    if (!is_compute(q) || !both.known || !limit.known || limit.low <= 0)
        return;
    while (ceil_div(both.high, parts) > limit.low / 3 * 2)
        parts *= 2;
    struct span part = span_share(both, 1, parts);
    e->formula =
        EXPLAIN(q, used, "kv cache + compute buffer = (% + %) / % = about %",
                BYTES(cache.high), BYTES(e->before.high), PLAIN(parts),
                BYTES(part.high));
    ESTIMATE_IF(q, e, "verdict.if.start",
                TEXT(FORMULA(q->a, "1/%", PLAIN(parts))), SHORT(part.high),
                SHORT(limit.low - part.high));
}

static struct estimate shorter(const struct query *q) {
    struct estimate e = begin(q);
    int64_t now = context_in(q);
    struct str how = {0};
    if (now <= 0 && is_cache(q)) { /* that whose cache was refused */
        now = llama_context_of(q->c, e.before);
        if (now > 0)
            how = FORMULA(q->a, "context = % / % per token = % tokens",
                          MIDDLE(e.before), BYTES(span_middle(e.before) / now),
                          COUNT(now));
    }
    if (!is_cache(q) && !is_compute(q))
        return is_load(q) ? estimate_none(FACT_tried_alloc) : e;
    if (now <= PAD || !e.before.known) {
        needs_add(&e.needs, FACT_context_length);
        put_part(q, &e);
        return e;
    }
    int64_t fewer = halve(q, &e, now);
    e.proposed = propose(FACT_context_length, fewer);
    if (is_compute(q) && !e.limit.known && e.before.high < INFORMATIVE_BYTES) {
        /* a small request shows that all was full, and no more */
        e.after = e.before;
        needs_add(&e.needs, FACT_gpu_free);
        return e;
    }
    e.formula = formula_join(
        q->a, how,
        write_share(q, is_cache(q) ? "kv cache" : "compute buffer at least",
                    e.before, fewer, now, e.after));
    return judged(q, e, later_of(q, fewer, 0));
}

static struct estimate narrower(const struct query *q) {
    struct str key, value;
    struct estimate e = begin(q);
    llama_cache_types(q->c, &key, &value);
    struct span now =
        span_plus(llama_type_bytes(key, 32), llama_type_bytes(value, 32));
    struct span then = llama_type_bytes(STR("q8_0"), 64);
    if (!is_cache(q) || (now.known && e.before.known && then.low >= now.low))
        return estimate_none(FACT_tried_alloc);
    if (!now.known || !e.before.known) {
        needs_add(&e.needs, FACT_kv_cache_dtype);
        return e;
    }
    /* K and V are of equal size in all but a few models; state stays. */
    e.after = span_share(e.before, then.low, now.low);
    e.formula =
        write_share(q, "kv cache", e.before, then.low, now.low, e.after);
    if (!llama_is_linear(q->c, e.before) && e.after.known)
        e.after = span_of(e.after.low, e.before.high);
    e.proposed = propose_word(FACT_kv_cache_dtype, STR("q8_0"));
    return judged(q, e, later_of(q, context_in(q), 0));
}

/* ---- -ngl ---- */

#define ALL_LAYERS 99 /* and 999: written for "all", whatever their number */
#define LARGE_CARD (INT64_C(80) << 30)

/* Layers differ by a tenth. */
static struct span about(struct span all, int64_t layers, int64_t of) {
    struct span even = span_share(all, layers, of);
    return span_of(span_share(even, 9, 10).low, span_share(even, 11, 10).high);
}

/* Of how many layers is not known: 3/4 of them, or 1/2, 1/4, 1/8, until they
 * fit into what is free, or where that is unknown into the largest usual card.
 */
static struct estimate part_of_layers(const struct query *q,
                                      struct estimate e) {
    static const struct {
        int64_t of;
        int64_t kept;
        const char *name;
    } parts[] = {{4, 3, "3/4"}, {2, 1, "1/2"}, {4, 1, "1/4"}, {8, 1, "1/8"}};
    bool is_all = setting_of(q->c, FACT_gpu_layers, 0) >= ALL_LAYERS;
    int64_t room = e.limit.known ? e.limit.low : LARGE_CARD;
    size_t i = 0, last = sizeof parts / sizeof *parts - 1;
    needs_add(&e.needs, is_all ? FACT_model : FACT_gpu_layers);
    if (!is_load(q) || is_piece(q) || !e.before.known)
        return e;
    e.after = about(e.before, parts[0].kept, parts[0].of);
    while (i < last && e.after.high > room) {
        i++;
        e.after = about(e.before, parts[i].kept, parts[i].of);
    }
    e.formula = write_share(q, "buffer on the card", e.before, parts[i].kept,
                            parts[i].of, e.after);
    e = judged(q, e, later_of(q, context_in(q), 0));
    if (e.limit.known) {
        e.capacity_micro = UNITS_MICRO * parts[i].kept / parts[i].of;
    } else {
        bool is_one_of = setting_of(q->c, FACT_gpu_count, 1) > 1;
        ESTIMATE_IF(q, &e, is_one_of ? "verdict.if.part_of_layers_each"
                                     : "verdict.if.part_of_layers",
                    TEXT(str_of(parts[i].name)), SHORT(e.after.high));
    }
    return e;
}

/* What a layer holds beside the refused buffer, at least: its weights, behind
 * the cache that as well. Only of a card that has all weights of those layers:
 * no other card, no experts on the host. */
static struct span held_by_layer(const struct query *q) {
    const struct inputs *c = q->c;
    int64_t layers = setting_of(c, FACT_gpu_layers, 0);
    int64_t all = setting_of(c, FACT_model_layers, 0);
    struct span weights = span_in(c, FACT_device_weights);
    struct span file = span_in(c, FACT_weights_bytes);
    struct span cache =
        is_compute(q) ? span_in(c, FACT_device_kv) : span_exact(0);
    bool is_whole = layers > 0 && all >= layers &&
                    weights.known && file.known && cache.known &&
                    weights.low >= span_share(file, layers * 4, all * 5).high;
    /* layers differ, and the largest may be the last to stay */
    return is_whole && !is_load(q)
               ? span_share(span_plus(weights, cache), 4, layers * 5)
               : span_none();
}

/* The buffer, and what there is for it, with so many of the layers. */
static void put_layers(const struct query *q, struct estimate *e, int64_t now,
                       int64_t fewer, struct span room) {
    struct span held = held_by_layer(q);
    e->limit = held.known && room.known
                   ? span_plus(room, span_times(held, now - fewer))
                   : room;
    e->after = is_of_step(q) ? e->before : about(e->before, fewer, now);
}

/* The most layers with which the buffer fits, and what comes behind it;
 * three in four where the room is not known. */
static int64_t layers_that_fit(const struct query *q, struct estimate *e,
                               int64_t now) {
    struct span room = e->limit;
    int64_t fewer = now * 3 / 4;
    bool is_found = false;
    for (int64_t n = now - 1;
         n >= 0 && !is_found && room.known && room.high > 0; n--) {
        put_layers(q, e, now, n, room);
        struct span later = later_of(q, context_in(q), n);
        struct span rest = later.known ? span_beyond(e->limit, later)
                                       : span_share(e->limit, 9, 10);
        is_found = span_fits(e->after, rest) == VERDICT_ENOUGH;
        fewer = is_found ? n : fewer;
    }
    fewer = fewer >= now ? now - 1 : fewer;
    put_layers(q, e, now, fewer, room);
    return fewer;
}

/* Layers that lie on the card: -ngl may be more than there are. */
static int64_t layers_on_card(const struct inputs *c) {
    int64_t said = setting_of(c, FACT_gpu_layers, 0);
    int64_t all = c->model ? c->model->layers + 1 : 0;
    if (all == 0 && said >= ALL_LAYERS)
        return 0;
    return all > 1 && (said == 0 || said > all) ? all : said;
}

static struct estimate fewer_layers(const struct query *q) {
    const struct inputs *c = q->c;
    struct estimate e = begin(q);
    int64_t total = layers_on_card(c);
    int64_t seen = is_cache(q) ? llama_layers_in(c, e.before) : 0;
    int64_t now = seen > 0 ? seen : total; /* the buffer itself shows it */
    if (is_piece(q) ||
        (is_of_step(q) && !(held_by_layer(q).known && e.limit.known)))
        return e; /* of one layer; the room that others leave is not known */
    if (now <= 1 || !e.before.known)
        return part_of_layers(q, e);
    int64_t fewer = layers_that_fit(q, &e, now);
    if (!e.after.known)
        return e;
    (void)mul_div_floor(fewer, UNITS_MICRO, now, &e.capacity_micro);
    bool is_split = setting_of(c, FACT_gpu_count, 1) > 1 && total > now;
    e.proposed = propose(FACT_gpu_layers,
                         is_split ? fewer * total / now : fewer);
    if (!is_of_step(q))
        e.formula =
            write_share(q, "buffer on the card", e.before, fewer, now, e.after);
    e = judged(q, e, later_of(q, context_in(q), fewer));
    if (!e.limit.known)
        ESTIMATE_IF(q, &e, "verdict.if.layers", SHORT(e.after.high),
                    SHORT(ceil_div(e.before.high, now)));
    return e;
}

/* ---- -ub, -fa ---- */

/* An eighth where the scores are most of the buffer and the room is not known;
 * else halves until it fits. */
static int64_t fewer_at_once(const struct query *q, const struct estimate *e,
                             int64_t now) {
    int64_t fewer = now / 2;
    if (!e->limit.known) {
        bool has_scores = with_fewer_scores(q, e->before, 1, 2).known;
        return has_scores && now >= 8 * UBATCH_LEAST ? now / 8 : fewer;
    }
    while (fewer > UBATCH_LEAST) {
        struct span then = with_fewer_scores(q, e->before, fewer, now);
        if (!then.known || span_fits(then, e->limit) == VERDICT_ENOUGH)
            break;
        fewer /= 2;
    }
    return fewer;
}

static struct estimate smaller_batch(const struct query *q) {
    int64_t now = setting_of(q->c, FACT_max_num_batched_tokens, UBATCH);
    struct estimate e = begin(q);
    if (!is_compute(q))
        return is_cache(q) || is_load(q) ? estimate_none(FACT_tried_alloc) : e;
    int64_t fewer = fewer_at_once(q, &e, now);
    struct span linear = span_share(e.before, fewer, now);
    if (fewer <= 0 || !linear.known) {
        needs_add(&e.needs, FACT_max_num_batched_tokens);
        return e;
    }
    e.after = span_or(with_fewer_scores(q, e.before, fewer, now),
                      span_of(linear.low, e.before.high));
    e.proposed = propose(FACT_max_num_batched_tokens, fewer);
    e.formula = write_share(q, "compute buffer at least", e.before, fewer, now,
                            e.after);
    return judged(q, e, span_exact(0));
}

static struct estimate flash(const struct query *q) {
    struct span scores = llama_score_bytes(q->c);
    struct estimate e = begin(q);
    int64_t context = setting_of(q->c, FACT_context_length, 0);
    if (!is_compute(q) || is_on(q->c, FACT_flash_attention))
        return estimate_none(FACT_tried_alloc);
    if (!scores.known || !e.before.known || scores.high > e.before.high) {
        needs_add(&e.needs, q->c->model ? FACT_context_length : FACT_model);
        return e;
    }
    e.after = span_beyond(e.before, scores);
    e.after = span_of(0, e.after.high); /* their copy goes as well */
    e.proposed = propose(FACT_flash_attention, 1);
    e.formula = EXPLAIN(
        q, used,
        "compute buffer at most = % - % tokens x % cells x % heads x 4 bytes "
        "= about %",
        MIDDLE(e.before),
        COUNT(setting_of(q->c, FACT_max_num_batched_tokens, UBATCH)),
        COUNT(llama_cells(q->c, context).high), PLAIN(q->c->model->heads),
        BYTES(e.after.high));
    e = judged(q, e, span_exact(0));
    if (!e.limit.known)
        ESTIMATE_IF(q, &e, "verdict.if.scores_go", SHORT(scores.high),
                    SHORT(e.after.high));
    return e;
}

/* The context is not known, and a printed cache is of so many tokens. */
static struct estimate of_context(const struct query *q, int64_t tokens,
                                  effect_fn *reckon) {
    struct inputs with = *q->c;
    struct query again = {q->a, &with, q->what, q->effect};
    with.in[FACT_context_length] = propose(FACT_context_length, tokens);
    return reckon(&again);
}

struct estimate llama_effect(const struct query *q) {
    static effect_fn *const fixes[EFFECT_COUNT_OF] = {
        [EFFECT_context_length] = shorter,
        [EFFECT_max_model_len] = shorter,
        [EFFECT_kv_cache_dtype] = narrower,
        [EFFECT_gpu_layers] = fewer_layers,
        [EFFECT_max_num_batched_tokens] = smaller_batch,
        [EFFECT_flash_attention] = flash};
    bool is_host_buffer = is_on_host(q) && (is_cache(q) || is_compute(q)) &&
                          q->effect != EFFECT_gpu_layers;
    if (!is_allocation(q) && !is_pool(q) && !is_host_buffer)
        return estimate_none(FACT_tried_alloc);
    int64_t tokens = q->c->in[FACT_context_length].known
                         ? 0
                         : llama_context_of(q->c,
                                            span_in(q->c, FACT_kv_bytes));
    return tokens > 0 ? of_context(q, tokens, fixes[q->effect])
                      : fixes[q->effect](q);
}
