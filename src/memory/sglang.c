/* sglang.c: SGLang's static share.
 *
 *   pool = base x mem_fraction_static - weights
 *
 * A pool that is too small wants the fraction up; whatever failed beside it
 * (graphs, a step) wants it down. Where nobody sets it, sglang_fraction.c says
 * what the release takes.
 *
 * A full pool is counted in tokens. How full it will be at the next step
 * nobody knows, so those estimates say what was missing and promise nothing.
 *
 * Sources: sglang/srt/server_args.py, mem_cache/memory_pool.py,
 * model_executor/model_runner.py (profile_max_num_token).
 */
#include "memory/sglang.h"

#include "memory/budget.h"
#include "memory/formula.h"
#include "memory/kv_row.h"
#include "memory/span.h"
#include "memory/weights.h"

#define MICRO UNITS_MICRO
#define STEP (MICRO / 100)
#define MIB (INT64_C(1) << 20)
#define CONTEXT_MOST (1024 * MIB) /* taken before the base is measured */
#define MARGIN (3 * STEP)         /* else the pool holds a few tokens only */
#define USUAL_MOST (95 * STEP)
#define MOST (98 * STEP)
#define LEAST (10 * STEP)

static const enum fact_name used[] = {
    FACT_gpu_total,    FACT_mem_fraction_static, FACT_weights_bytes,
    FACT_tried_alloc,  FACT_gpu_free,            FACT_model,
    FACT_free_before_load, FACT_mem_fraction_least, FACT_COUNT_OF};

/* What was free before the weights were loaded, as the log says it ("avail
 * mem"), or at most what the context may have taken. */
struct span sglang_base_bytes(const struct memory_case *c) {
    struct span total = gpu_total_bytes(c);
    if (c->in[FACT_free_before_load].known) {
        return span_of_fact(&c->in[FACT_free_before_load]);
    }
    return total.known ? span_of(total.low - CONTEXT_MOST, total.high) : total;
}

struct span sglang_static_bytes(const struct memory_case *c, int64_t micro) {
    return span_share(span_at_least(sglang_base_bytes(c), 0), micro, MICRO);
}

/* One token in all layers of a rank; unknown where layers keep windows. */
static struct span sglang_token_bytes(const struct memory_case *c) {
    struct span sum = span_exact(0);
    if (c->model == NULL || c->model->group_count == 0) {
        return span_none();
    }
    for (size_t i = 0; i < c->model->group_count; i++) {
        const struct kv_group *g = &c->model->groups[i];
        if (g->kind != KV_full && g->kind != KV_mla) {
            return span_none();
        }
        struct span row =
            kv_row_bytes(g, setting_of(c, FACT_tensor_parallel, 1),
                         kv_dtype_of(c), false, LATENT_PLAIN);
        int64_t pp = setting_of(c, FACT_pipeline_parallel, 1);
        sum = span_plus(sum, span_times(row, ceil_div(g->layers, pp)));
    }
    return sum;
}

/* ---- up: the pool is empty ---- */

static int64_t up_to_step(int64_t micro) {
    return micro % STEP ? micro - micro % STEP + STEP : micro;
}

static struct str write_tokens(const struct ask *q, int64_t pool) {
    struct span token = sglang_token_bytes(q->c);
    if (!span_is_exact(token) || token.low <= 0 || pool <= 0) {
        return (struct str){0};
    }
    struct str p = write_bytes(q->a, pool);
    struct str t = write_bytes(q->a, token.low);
    struct str n = write_count(q->a, pool / token.low);
    return arena_printf(q->a,
                        "kv_tokens = floor(%.*s / %.*s) = about %.*s tokens",
                        STR_ARG(p), STR_ARG(t), STR_ARG(n));
}

/* At the most that the context may take of the card. */
static struct str write_pool(const struct ask *q, int64_t micro,
                             struct span weights) {
    struct span base = sglang_base_bytes(q->c);
    struct span whole = span_share(span_exact(base.low), micro, MICRO);
    struct span pool = span_minus(whole, span_exact(weights.high));
    if (!pool.known) {
        return (struct str){0};
    }
    struct str f = write_ratio(q->a, micro);
    struct str b = write_bytes(q->a, base.low);
    struct str w = write_bytes(q->a, weights.high);
    struct str p = write_bytes(q->a, pool.low);
    struct str sources = write_sources(q->a, q->c, used);
    struct str text = arena_printf(
        q->a, "kv_available = %.*s x %.*s - %.*s weights = at least %.*s%.*s",
        STR_ARG(f), STR_ARG(b), STR_ARG(w), STR_ARG(p), STR_ARG(sources));
    return formula_join(q->a, text, write_tokens(q, pool.low));
}

/* SGLang has reckoned itself what the weights take ("above 0.894"). */
static void propose_least(const struct ask *q, struct estimate *e) {
    const struct fact *least = &q->c->in[FACT_mem_fraction_least];
    if (!least->known || least->number + MARGIN >= MOST) {
        return;
    }
    int64_t chosen = up_to_step(least->number + MARGIN);
    struct str l = write_ratio(q->a, least->number);
    struct str m = write_ratio(q->a, chosen - least->number);
    struct str f = write_ratio(q->a, chosen);
    struct str sources = write_sources(q->a, q->c, used);
    e->proposed = propose(FACT_mem_fraction_static, chosen);
    estimate_if(e, "verdict.if.above_least");
    condition_add(e, l);
    e->formula = arena_printf(q->a,
                              "mem_fraction_static = %.*s + %.*s = %.*s%.*s",
                              STR_ARG(l), STR_ARG(m), STR_ARG(f),
                              STR_ARG(sources));
}

/* What a fraction that fits leaves open. */
static void doubt_fraction(const struct ask *q, struct estimate *e,
                           struct span base, struct span now, int64_t wanted) {
    int64_t rest = base.low - e->limit.low;
    if (wanted > USUAL_MOST) {
        estimate_if(e, "verdict.if.rest"); /* for graphs and steps */
        condition_add(e, write_short(q->a, rest > 0 ? rest : 0));
        needs_add(&e->needs, FACT_cuda_graph_bytes);
    }
    if (!now.known && e->verdict == VERDICT_ENOUGH) {
        estimate_if(e, "verdict.if.rest"); /* perhaps it was more already */
        condition_add(e, write_short(q->a, rest));
    }
}

static struct estimate fraction_for_pool(const struct ask *q) {
    const struct memory_case *c = q->c;
    struct span weights = weights_bytes(c), base = sglang_base_bytes(c);
    struct estimate e = estimate_unknown(FACT_weights_bytes);
    e.before = e.after = weights;
    if (!weights.known) {
        needs_add(&e.needs, c->model ? FACT_weights_bytes : FACT_model);
    }
    if (!base.known || base.low <= 0) {
        needs_add(&e.needs, FACT_gpu_total);
    }
    int64_t worst, best;
    if (e.needs.count > 0 ||
        !mul_div_floor(weights.high, MICRO, base.low, &worst) ||
        !mul_div_floor(weights.low, MICRO, base.high, &best)) {
        propose_least(q, &e);
        return e;
    }
    int64_t wanted = up_to_step(worst + 1 + MARGIN);
    int64_t chosen = wanted < MOST ? wanted : MOST;
    struct span now = sglang_fraction(c);
    e.limit = sglang_static_bytes(c, chosen);
    e.formula = write_pool(q, chosen, weights);
    estimate_judge(&e);
    if (best >= MOST) {
        return e; /* no fraction leaves a pool */
    }
    doubt_fraction(q, &e, base, now, wanted);
    if (now.known && chosen <= now.low) {
        e.verdict = VERDICT_UNKNOWN; /* it failed at more than that already */
        e.condition.key = NULL;
    } else if (wanted <= MOST) {
        e.proposed = propose(FACT_mem_fraction_static, chosen);
    }
    return e;
}

/* ---- down: something beside the share failed ---- */

static struct str write_freed(const struct ask *q, int64_t now, int64_t then,
                              struct span limit) {
    struct span free = span_of_fact(&q->c->in[FACT_gpu_free]);
    struct span total = gpu_total_bytes(q->c);
    struct str f = write_bytes(q->a, span_middle(free));
    struct str t = write_bytes(q->a, span_middle(total));
    struct str u0 = write_ratio(q->a, now), u = write_ratio(q->a, then);
    struct span more = span_share(total, now > then ? now - then : 0, MICRO);
    struct span sum = span_plus(free, more);
    struct str l = write_bytes(q->a, span_middle(sum.known ? sum : limit));
    struct str sources = write_sources(q->a, q->c, used);
    return arena_printf(q->a, "free = %.*s + %.*s x (%.*s - %.*s) = about "
                              "%.*s%.*s",
                        STR_ARG(f), STR_ARG(t), STR_ARG(u0), STR_ARG(u),
                        STR_ARG(l), STR_ARG(sources));
}

/* The largest fraction, in two decimals, that gives back so many bytes. */
static int64_t fraction_below(int64_t now, struct span base, int64_t bytes) {
    struct span less = span_share(span_exact(bytes > 0 ? bytes : 0), MICRO,
                                  base.low);
    int64_t then = less.known ? now - less.high - 1 : 0;
    return then > 0 ? then - then % STEP : 0;
}

/* Weights still lie inside what is left of the share. */
static bool holds_weights(const struct memory_case *c, int64_t micro) {
    struct span kept = sglang_static_bytes(c, micro);
    return micro >= LEAST &&
           span_fits(weights_bytes(c), kept) != VERDICT_NOT_ENOUGH;
}

/* A fraction that gives back what failed and what is still to come; else
 * what failed alone. */
static struct estimate lowered(const struct ask *q, struct estimate e,
                               int64_t now, struct span gap) {
    const struct memory_case *c = q->c;
    struct span base = sglang_base_bytes(c), more = more_after_failure(c);
    struct span whole = span_plus(gap, more);
    int64_t then =
        whole.known ? fraction_below(now, base, whole.high) : 0;
    bool is_whole = holds_weights(c, then);
    then = is_whole ? then : fraction_below(now, base, gap.high);
    e.limit = span_plus(e.limit,
                        span_share(base, now > then ? now - then : 0, MICRO));
    estimate_judge(&e);
    e.formula = write_freed(q, now, then, e.limit);
    if (!holds_weights(c, then)) {
        e.verdict = VERDICT_NOT_ENOUGH;
        return e;
    }
    e.proposed = propose(FACT_mem_fraction_static, then);
    if (is_whole) {
        e.formula = formula_join(q->a, e.formula, write_margin(q->a, q->c, more));
    } else if (e.verdict == VERDICT_ENOUGH) {
        estimate_if(&e, "verdict.if.last");
        condition_add(&e, write_short(q->a, e.limit.low - e.after.high));
        needs_add(&e.needs, FACT_cuda_graph_bytes);
    }
    return e;
}

static struct estimate fraction_for_rest(const struct ask *q) {
    const struct memory_case *c = q->c;
    struct span now = sglang_fraction(c), base = sglang_base_bytes(c);
    struct span tried = span_of_fact(&c->in[FACT_tried_alloc]);
    struct span free = span_of_fact(&c->in[FACT_gpu_free]);
    struct estimate e = estimate_unknown(FACT_tried_alloc);
    e.before = e.after = tried;
    e.limit = free;
    if (!base.known || base.low <= 0) {
        needs_add(&e.needs, FACT_gpu_total);
    }
    if (!span_is_exact(now)) {
        needs_add(&e.needs, FACT_mem_fraction_static);
    }
    if (!free.known) {
        needs_add(&e.needs, FACT_gpu_free);
    }
    struct span gap = span_minus(tried, free);
    if (gap.known && base.known && base.low > 0 && !span_is_exact(now)) {
        estimate_less_share(q, &e, base, gap);
        return e;
    }
    return e.needs.count > 0 || !gap.known ? e : lowered(q, e, now.low, gap);
}

/* ---- tokens ---- */

/* The pool that has least: full attention or windows. */
static struct span least_pool(const struct memory_case *c) {
    struct span full = span_of_fact(&c->in[FACT_available_tokens]);
    struct span windows = span_of_fact(&c->in[FACT_swa_available_tokens]);
    if (!windows.known) {
        return full;
    }
    return full.known && full.high < windows.low ? full : windows;
}

static struct estimate tokens_short(const struct ask *q, struct span pool) {
    static const enum fact_name from[] = {
        FACT_tried_tokens, FACT_available_tokens, FACT_swa_available_tokens,
        FACT_COUNT_OF};
    struct estimate e = estimate_unknown(FACT_tried_tokens);
    e.before = e.after = span_of_fact(&q->c->in[FACT_tried_tokens]);
    e.limit = pool;
    e.short_by = span_at_least(span_minus(e.after, pool), 0);
    if (!pool.known) {
        needs_add(&e.needs, FACT_available_tokens);
    }
    if (!e.short_by.known) {
        return e;
    }
    struct str t = write_count(q->a, e.after.low);
    struct str p = write_count(q->a, pool.low);
    struct str gap = write_count(q->a, e.short_by.low);
    struct str sources = write_sources(q->a, q->c, from);
    e.formula = arena_printf(q->a,
                             "short_by = max(%.*s tokens - %.*s, 0) = %.*s "
                             "tokens%.*s",
                             STR_ARG(t), STR_ARG(p), STR_ARG(gap),
                             STR_ARG(sources));
    return e;
}

/* The window pool alone is short: its part of the whole has to grow. */
static struct estimate ratio_for_tokens(const struct ask *q) {
    struct span windows = span_of_fact(&q->c->in[FACT_swa_available_tokens]);
    struct span tried = span_of_fact(&q->c->in[FACT_tried_tokens]);
    if (span_fits(tried, windows) == VERDICT_ENOUGH) {
        return estimate_none(FACT_tried_tokens);
    }
    struct estimate e = tokens_short(q, windows);
    if (e.short_by.known && e.short_by.high > 0) {
        estimate_if(&e, "verdict.if.window");
        condition_add(&e, write_count(q->a, e.short_by.high));
    }
    return e;
}

/* A chunk of at most what is free; the next step may find less. */
static struct estimate chunk_for_tokens(const struct ask *q) {
    struct span pool = least_pool(q->c);
    struct estimate e = tokens_short(q, pool);
    int64_t chunk = 1;
    while (pool.known && chunk <= pool.low / 2) {
        chunk *= 2;
    }
    if (pool.known && pool.low > 0) {
        e.after = span_exact(chunk);
        e.short_by = span_exact(0);
        e.proposed = propose(FACT_max_num_batched_tokens, chunk);
        estimate_if(&e, "verdict.if.each_step");
        condition_add(&e, write_count(q->a, chunk));
    }
    return e;
}

/* ---- the door ---- */

static bool for_tokens(const struct ask *q, enum effect effect,
                       struct estimate *out) {
    switch (effect) {
    case EFFECT_swa_full_tokens_ratio: *out = ratio_for_tokens(q); return true;
    case EFFECT_max_num_batched_tokens: *out = chunk_for_tokens(q); return true;
    case EFFECT_mem_fraction_static_up:
    case EFFECT_max_num_seqs:
    case EFFECT_tensor_parallel:
    case EFFECT_kv_cache_dtype:
    case EFFECT_quantization:
        *out = tokens_short(q, least_pool(q->c));
        return true;
    case EFFECT_none:
    case EFFECT_max_model_len:
    case EFFECT_gpu_memory_utilization_up:
    case EFFECT_gpu_memory_utilization_down:
    case EFFECT_pipeline_parallel:
    case EFFECT_decode_context_parallel:
    case EFFECT_enforce_eager:
    case EFFECT_free_other_process:
    case EFFECT_expandable_segments:
    case EFFECT_cpu_offload:
    case EFFECT_host_memory:
    case EFFECT_mem_fraction_static_down:
    case EFFECT_context_length:
    case EFFECT_gpu_layers:
    case EFFECT_flash_attention:
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
    case EFFECT_COUNT_OF: break;
    }
    *out = estimate_none(FACT_tried_tokens);
    return true;
}

bool sglang_effect(const struct ask *q, enum effect effect,
                   struct estimate *out) {
    bool is_up = effect == EFFECT_mem_fraction_static_up;
    bool is_down = effect == EFFECT_mem_fraction_static_down;
    bool is_its = str_eq(q->c->engine, STR("sglang"));
    if (q->what == SHORT_TOKENS) {
        return for_tokens(q, effect, out);
    }
    if (effect == EFFECT_swa_full_tokens_ratio) {
        *out = estimate_none(FACT_tried_tokens);
        return true;
    }
    if (effect == EFFECT_context_length && is_its) {
        *out = estimate_none(FACT_tried_alloc); /* not in the pool's sum */
        return true;
    }
    if (!is_up && !is_down) {
        return false;
    }
    bool is_rest = q->what == SHORT_ALLOCATION && !stage_is(q->c, "load");
    if (is_up && q->what == SHORT_KV_POOL) {
        *out = fraction_for_pool(q);
    } else if (is_down && is_rest) {
        *out = fraction_for_rest(q);
    } else {
        *out = estimate_none(FACT_tried_alloc);
    }
    return true;
}
