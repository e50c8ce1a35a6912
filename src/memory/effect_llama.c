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
#include "memory/formula.h"
#include "memory/llama_cpp.h"
#include "memory/span.h"
#include "memory/weights.h"

#define PAD 256
#define UBATCH 512
#define UBATCH_LEAST 32

static const enum fact_name used[] = {
    FACT_tried_alloc, FACT_context_length,  FACT_gpu_free, FACT_kv_bytes,
    FACT_gpu_layers,  FACT_kv_cache_dtype,  FACT_model,    FACT_COUNT_OF};

static bool is_cache(const struct ask *q) {
    return stage_is(q->c, "kv_alloc") || q->what == SHORT_KV_POOL;
}

static bool is_compute(const struct ask *q) {
    return stage_is(q->c, "profile");
}

/* At most so much was left for the buffer: the model may lie on the host in
 * part. */
static struct span room_of(const struct ask *q) {
    const struct memory_case *c = q->c;
    struct span free = span_of_fact(&c->in[FACT_gpu_free]);
    struct span held = span_exact(0);
    if (!stage_is(c, "load")) {
        held = span_plus(held, span_of_fact(&c->in[FACT_weights_bytes]));
    }
    if (is_compute(q)) {
        held = span_plus(held, span_of_fact(&c->in[FACT_kv_bytes]));
    }
    if (!free.known || !held.known) {
        return span_none();
    }
    int64_t least = free.low > held.high ? free.low - held.high : 0;
    return span_of(least, free.high);
}

/* What was refused: printed, else the whole cache. */
static struct span asked_of(const struct ask *q) {
    struct span tried = span_of_fact(&q->c->in[FACT_tried_alloc]);
    struct span cache = span_of_fact(&q->c->in[FACT_kv_bytes]);
    struct str key, value;
    if (stage_is(q->c, "load") && !tried.known) {
        return span_of_fact(&q->c->in[FACT_weights_bytes]);
    }
    if (tried.known || !is_cache(q)) {
        return tried;
    }
    llama_cache_types(q->c, &key, &value);
    return cache.known
               ? cache
               : llama_cache_bytes(q->c,
                                   setting_of(q->c, FACT_context_length, 0),
                                   key, value);
}

static struct estimate begin(const struct ask *q) {
    struct estimate e = estimate_unknown(FACT_tried_alloc);
    e.before = e.after = asked_of(q);
    e.limit = room_of(q);
    return e;
}

static struct estimate judged(struct estimate e) {
    estimate_judge(&e);
    if (!e.limit.known) {
        needs_add(&e.needs, FACT_gpu_free);
    }
    return e;
}

/* "kv cache = 4.38 GiB x 4,096 / 8,192 = 2.19 GiB" */
static struct str write_share(const struct ask *q, const char *what,
                              struct span before, int64_t num, int64_t den,
                              struct span after) {
    if (!before.known || !after.known) {
        return (struct str){0};
    }
    struct str b = write_bytes(q->a, span_middle(before));
    struct str v =
        write_bytes(q->a, span_middle(span_share(before, num, den)));
    struct str n = write_count(q->a, num), d = write_count(q->a, den);
    struct str sources = write_sources(q->a, q->c, used);
    return arena_printf(q->a, "%s = %.*s x %.*s / %.*s = about %.*s%.*s", what,
                        STR_ARG(b), STR_ARG(n), STR_ARG(d), STR_ARG(v),
                        STR_ARG(sources));
}

/* ---- -c ---- */

/* Scores and the rest of the compute buffer: the scores shrink by num / den,
 * of the rest nobody knows. */
static struct span with_fewer_scores(const struct ask *q, struct span before,
                                     int64_t num, int64_t den) {
    const struct fact *is_on = &q->c->in[FACT_flash_attention];
    struct span scores = llama_score_bytes(q->c);
    struct span rest = span_minus(before, scores);
    struct span less = span_share(rest, num, den);
    bool has_scores = !(is_on->known && is_on->number) && rest.known &&
                      rest.low >= 0 && less.known;
    return has_scores ? span_plus(span_share(scores, num, den),
                                  span_of(less.low, rest.high))
                      : span_none();
}

/* What grows with the context grows in proportion; windows and state stay. */
static struct span at_context(const struct ask *q, struct span before,
                              int64_t now, int64_t fewer) {
    struct str key, value;
    llama_cache_types(q->c, &key, &value);
    struct span linear = span_share(before, fewer, now);
    struct span all = llama_cache_bytes(q->c, now, key, value);
    struct span then = llama_cache_bytes(q->c, fewer, key, value);
    bool is_plain = is_cache(q) && llama_is_linear(q->c, before);
    if (!is_plain && is_cache(q) && span_is_exact(all) && all.low > 0 &&
        span_is_exact(then)) {
        return span_share(before, then.low, all.low);
    }
    struct span scores = is_compute(q) ? with_fewer_scores(q, before, fewer, now)
                                       : span_none();
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

/* "context = 20.00 GiB / 256 KiB per token = 81,920 tokens" */
static struct str write_context(const struct ask *q, struct span buffer,
                                int64_t tokens) {
    struct str b = write_bytes(q->a, span_middle(buffer));
    struct str row = write_bytes(q->a, span_middle(buffer) / tokens);
    struct str n = write_count(q->a, tokens);
    return arena_printf(q->a, "context = %.*s / %.*s per token = %.*s tokens",
                        STR_ARG(b), STR_ARG(row), STR_ARG(n));
}

/* The context in force: said, else the one whose cache was refused. */
static int64_t context_now(const struct ask *q, const struct estimate *e,
                           struct str *how) {
    int64_t now = setting_of(q->c, FACT_context_length, 0);
    if (now > 0 || !is_cache(q)) {
        return now;
    }
    now = llama_context_of(q->c, e->before);
    *how = now > 0 ? write_context(q, e->before, now) : STR("");
    return now;
}

/* Nobody says the context; cache and compute buffer both grow with it. The
 * part of it at which they take two thirds of what the GPU allows at most. */
static void put_part(const struct ask *q, struct estimate *e) {
    const struct memory_case *c = q->c;
    struct span cache = span_of_fact(&c->in[FACT_kv_bytes]);
    struct span limit = span_of_fact(&c->in[FACT_alloc_limit]);
    struct span both = span_plus(cache, e->before);
    int64_t parts = 2;
    if (!is_compute(q) || !both.known || !limit.known || limit.low <= 0) {
        return;
    }
    while (ceil_div(both.high, parts) > limit.low / 3 * 2) {
        parts *= 2;
    }
    struct span part = span_share(both, 1, parts);
    e->formula = arena_printf(
        q->a, "kv cache + compute buffer = (%.*s + %.*s) / %lld = about %.*s%.*s",
        STR_ARG(write_bytes(q->a, cache.high)),
        STR_ARG(write_bytes(q->a, e->before.high)), (long long)parts,
        STR_ARG(write_bytes(q->a, part.high)),
        STR_ARG(write_sources(q->a, c, used)));
    estimate_if(e, "verdict.if.start");
    condition_add(e, arena_printf(q->a, "1/%lld", (long long)parts));
    condition_add(e, write_short(q->a, part.high));
    condition_add(e, write_short(q->a, limit.low - part.high));
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
    struct span cache = span_of_fact(&q->c->in[FACT_kv_bytes]);
    struct span given_back = span_share(cache, now - fewer, now);
    if (is_compute(q) && given_back.known && e.limit.known) {
        e.limit = span_plus(e.limit, span_of(0, given_back.high));
    }
    e.proposed = propose(FACT_context_length, fewer);
    e.formula = write_share(
        q, is_cache(q) ? "kv cache" : "compute buffer at least", e.before,
        fewer, now, e.after);
    if (how.n > 0) {
        e.formula = arena_printf(q->a, "%.*s; %.*s", STR_ARG(how),
                                 STR_ARG(e.formula));
    }
    return judged(e);
}

/* ---- -ctk, -ctv ---- */

static struct estimate narrower(const struct ask *q) {
    struct str key, value;
    struct estimate e = begin(q);
    llama_cache_types(q->c, &key, &value);
    if (!is_cache(q)) {
        return estimate_none(FACT_tried_alloc);
    }
    struct span now = span_plus(llama_type_bytes(key, 32),
                                llama_type_bytes(value, 32));
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
    return judged(e);
}

/* ---- -ngl ---- */

#define ALL_LAYERS 99 /* and 999: written for "all", whatever their number */

/* Layers that lie on the card: -ngl may say more than there are. */
static int64_t layers_on_card(const struct memory_case *c) {
    int64_t said = setting_of(c, FACT_gpu_layers, 0);
    int64_t all = c->model ? c->model->layers + 1 : 0;
    if (all == 0 && said >= ALL_LAYERS) {
        return 0;
    }
    return all > 1 && (said == 0 || said > all) ? all : said;
}

/* Nobody knows how many layers there are: a quarter of them less. */
static struct estimate three_of_four(const struct ask *q, struct estimate e) {
    bool is_all = setting_of(q->c, FACT_gpu_layers, 0) >= ALL_LAYERS;
    struct span even = span_share(e.before, 3, 4);
    needs_add(&e.needs, is_all ? FACT_model : FACT_gpu_layers);
    if (!stage_is(q->c, "load") || !even.known) {
        return e;
    }
    e.after = span_of(span_share(even, 9, 10).low,
                      span_share(even, 11, 10).high);
    e.formula =
        write_share(q, "buffer on the card", e.before, 3, 4, e.after);
    return judged(e);
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
        return three_of_four(q, e);
    }
    int64_t fewer = now * 3 / 4;
    struct str each = write_short(q->a, ceil_div(e.before.high, now));
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
    e.formula = write_share(q, "buffer on the card", e.before, fewer, now,
                            e.after);
    e = judged(e);
    if (!e.limit.known) {
        estimate_if(&e, "verdict.if.layers");
        condition_add(&e, write_short(q->a, e.after.high));
        condition_add(&e, each);
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
    return judged(e);
}

static struct estimate flash(const struct ask *q) {
    const struct fact *is_on = &q->c->in[FACT_flash_attention];
    struct span scores = llama_score_bytes(q->c);
    struct estimate e = begin(q);
    if (!is_compute(q) || (is_on->known && is_on->number)) {
        return estimate_none(FACT_tried_alloc);
    }
    if (!scores.known || !e.before.known || scores.high > e.before.high) {
        needs_add(&e.needs, q->c->model ? FACT_context_length : FACT_model);
        return e;
    }
    int64_t ubatch = setting_of(q->c, FACT_max_num_batched_tokens, UBATCH);
    e.after = span_at_least(span_minus(e.before, scores), 0);
    e.after = span_of(0, e.after.high); /* their copy goes as well */
    e.proposed = propose(FACT_flash_attention, 1);
    struct str b = write_bytes(q->a, span_middle(e.before));
    struct str n = write_count(q->a, ubatch);
    struct str t = write_count(
        q->a, llama_cells(q->c, setting_of(q->c, FACT_context_length, 0)).high);
    struct str v = write_bytes(q->a, e.after.high);
    struct str sources = write_sources(q->a, q->c, used);
    e.formula = arena_printf(
        q->a,
        "compute buffer at most = %.*s - %.*s tokens x %.*s cells x %lld "
        "heads x 4 bytes = about %.*s%.*s",
        STR_ARG(b), STR_ARG(n), STR_ARG(t), (long long)q->c->model->heads,
        STR_ARG(v), STR_ARG(sources));
    return judged(e);
}

/* ---- the door ---- */

/* The library's own lines name no engine; its settings do. */
static bool is_llama(const struct memory_case *c, enum effect effect) {
    bool is_named = str_eq(c->engine, STR("llama.cpp")) ||
                    str_eq(c->engine, STR("ollama"));
    bool is_its = effect == EFFECT_context_length ||
                  effect == EFFECT_gpu_layers ||
                  effect == EFFECT_flash_attention;
    return is_named || is_its;
}

/* A printed cache says its context where nobody else does. */
static struct memory_case with_context(const struct memory_case *c) {
    struct memory_case with = *c;
    int64_t tokens =
        c->in[FACT_context_length].known
            ? 0
            : llama_context_of(c, span_of_fact(&c->in[FACT_kv_bytes]));
    if (tokens > 0) {
        with.in[FACT_context_length] = propose(FACT_context_length, tokens);
    }
    return with;
}

bool llama_effect(const struct ask *q, enum effect effect,
                  struct estimate *out) {
    bool is_start = q->what == SHORT_ALLOCATION || q->what == SHORT_KV_POOL;
    if (!is_llama(q->c, effect)) {
        return false;
    }
    struct memory_case with = with_context(q->c);
    struct ask again = {q->a, &with, q->what};
    q = &again;
    struct estimate (*reckon)(const struct ask *) = NULL;
    switch (effect) {
    case EFFECT_context_length:
    case EFFECT_max_model_len: reckon = shorter; break;
    case EFFECT_kv_cache_dtype: reckon = narrower; break;
    case EFFECT_gpu_layers: reckon = fewer_layers; break;
    case EFFECT_max_num_batched_tokens: reckon = smaller_batch; break;
    case EFFECT_flash_attention: reckon = flash; break;
    case EFFECT_none:
    case EFFECT_max_num_seqs:
    case EFFECT_gpu_memory_utilization_up:
    case EFFECT_gpu_memory_utilization_down:
    case EFFECT_tensor_parallel:
    case EFFECT_pipeline_parallel:
    case EFFECT_decode_context_parallel:
    case EFFECT_quantization:
    case EFFECT_enforce_eager:
    case EFFECT_free_other_process:
    case EFFECT_expandable_segments:
    case EFFECT_cpu_offload:
    case EFFECT_host_memory:
    case EFFECT_mem_fraction_static_up:
    case EFFECT_mem_fraction_static_down:
    case EFFECT_swa_full_tokens_ratio:
    case EFFECT_batch_size:
    case EFFECT_gradient_checkpointing:
    case EFFECT_optimizer_state:
    case EFFECT_adapters:
    case EFFECT_shard_state:
    case EFFECT_step_size:
    case EFFECT_chunk:
    case EFFECT_vae_tiles:
    case EFFECT_bigger_gpu:
    case EFFECT_graph_sizes:
    case EFFECT_shm_size:
    case EFFECT_raise_limit:
    case EFFECT_wired_limit:
    case EFFECT_fewer_workers:
    case EFFECT_kernel:
    case EFFECT_kernel_tile:
    case EFFECT_pool:
    case EFFECT_other_device:
    case EFFECT_build_jobs:
    case EFFECT_COUNT_OF: return false;
    }
    *out = is_start ? reckon(q) : estimate_none(FACT_tried_alloc);
    return true;
}
