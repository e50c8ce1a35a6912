/* sglang.c: SGLang's static share.
 *
 *   pool = base x mem_fraction_static - weights
 *
 * A pool that is too small wants the fraction up; whatever failed beside it
 * (graphs, a step) wants it down. Where it is not set, the
 * release and the card decide, below.
 *
 * A full pool is counted in tokens. How full it will be at the next step
 * is not known, so those estimates have what was missing and promise nothing.
 *
 * Sources: sglang/srt/server_args.py, mem_cache/memory_pool.py,
 * model_executor/model_runner.py (profile_max_num_token).
 */
#include "base/limits.h"
#include "corpus/version.h"
#include "memory/effect.h"

#define CONTEXT_MOST GIB /* taken before base is measured */
#define MARGIN (3 * STEP) /* else the pool holds a few tokens only */
#define USUAL_MOST (95 * STEP)
/* Graphs and steps need no less on a small card: SGLang itself sets 1.5 MiB
 * aside for each token of a chunk of 2,048 or more. */
#define REST_LEAST (3 * GIB / 2)

static const enum fact_name used[] =
    FACTS(FACT_gpu_total, FACT_mem_fraction_static, FACT_weights_bytes,
          FACT_tried_alloc, FACT_gpu_free, FACT_model, FACT_free_before_load,
          FACT_mem_fraction_least);

/* What was free before the weights were loaded, as the log prints it ("avail
 * mem"), or at most what the context may have taken. */
struct span sglang_base_bytes(const struct inputs *c) {
    struct span total = span_in(c, FACT_gpu_total);
    if (c->in[FACT_free_before_load].known)
        return span_in(c, FACT_free_before_load);
    return total.known ? span_of(total.low - CONTEXT_MOST, total.high) : total;
}

struct span sglang_static_bytes(const struct inputs *c, int64_t micro) {
    return share_of(span_at_least(sglang_base_bytes(c), 0), micro);
}

/* ---- up: the pool is empty ---- */

/* At the most that the context may take of the card. */
static struct str write_pool(const struct query *q, int64_t micro,
                             struct span weights) {
    int64_t base = sglang_base_bytes(q->c).low;
    struct span token = model_has(q->c->model, KV_state) /* in the same pool */
                            ? span_none()
                            : engine_kv_slope(q->c);
    struct span pool =
        span_minus(share_of(span_exact(base), micro), span_exact(weights.high));
    if (!pool.known)
        return (struct str){0};
    struct str text = EXPLAIN(
        q, used, "kv_available = % x % - % weights = at least %", RATIO(micro),
        BYTES(base), BYTES(weights.high), BYTES(pool.low));
    return span_is_exact(token) && token.low > 0 && pool.low > 0
               ? FORMULA(q->a, "%; kv_tokens = floor(% / %) = about % tokens",
                         TEXT(text), BYTES(pool.low), BYTES(token.low),
                         COUNT(pool.low / token.low))
               : text;
}

/* SGLang prints itself what the weights take ("above 0.894"). */
static void propose_least(const struct query *q, struct estimate *e) {
    const struct fact *least = &q->c->in[FACT_mem_fraction_least];
    if (!least->known || least->number + MARGIN >= MOST)
        return;
    int64_t chosen = step_up(least->number + MARGIN);
    e->proposed = propose(FACT_mem_fraction_static, chosen);
    ESTIMATE_IF(q, e, "verdict.if.above_least", RATIO(least->number));
    e->formula = EXPLAIN(q, used, "mem_fraction_static = % + % = %",
                         RATIO(least->number), RATIO(chosen - least->number),
                         RATIO(chosen));
}

/* What a fraction that fits leaves open: room for graphs and steps, and
 * whether it was more already. */
static void qualify_fraction(const struct query *q, struct estimate *e,
                           struct span base, struct span now, int64_t wanted) {
    int64_t rest = base.low - e->limit.low;
    if (wanted > USUAL_MOST) {
        int64_t usual =
            share_of(base, MICRO - USUAL_MOST).low; /* what they are left */
        usual = usual > REST_LEAST ? usual : REST_LEAST;
        ESTIMATE_IF(q, e, "verdict.if.rest", SHORT(rest > 0 ? rest : 0));
        needs_add(&e->needs, FACT_cuda_graph_bytes);
        e->share_micro = 0;
        if (rest > 0 && rest < usual)
            (void)mul_div_floor(rest, MICRO, usual, &e->share_micro);
    }
    if (!now.known && e->verdict == VERDICT_ENOUGH)
        ESTIMATE_IF(q, e, "verdict.if.rest", SHORT(rest));
}

static struct estimate fraction_for_pool(const struct query *q) {
    const struct inputs *c = q->c;
    struct span weights = weights_bytes(c), base = sglang_base_bytes(c);
    struct estimate e = estimate_of(FACT_weights_bytes, weights, span_none());
    int64_t worst, best;
    estimate_needs(&e, weights.known,
                   c->model ? FACT_weights_bytes : FACT_model);
    estimate_needs(&e, base.known && base.low > 0, FACT_gpu_total);
    if (e.needs.count > 0 ||
        !mul_div_floor(weights.high, MICRO, base.low, &worst) ||
        !mul_div_floor(weights.low, MICRO, base.high, &best)) {
        propose_least(q, &e);
        return e;
    }
    int64_t wanted = step_up(worst + 1 + MARGIN);
    int64_t chosen = wanted < MOST ? wanted : MOST;
    struct span now = sglang_fraction(c);
    e.limit = sglang_static_bytes(c, chosen);
    e.formula = write_pool(q, chosen, weights);
    estimate_judge(&e);
    if (best >= MOST)
        return e; /* no fraction leaves a pool */
    qualify_fraction(q, &e, base, now, wanted);
    if (now.known && chosen <= now.low) {
        e.verdict = VERDICT_UNKNOWN; /* it failed at more than that already */
        e.condition.key = NULL;
    } else if (wanted <= MOST) {
        e.proposed = propose(FACT_mem_fraction_static, chosen);
    }
    return e;
}

/* ---- down: something beside the share failed ---- */

/* The largest fraction, in two decimals, that gives back so many bytes. */
static int64_t fraction_below(int64_t now, struct span base, int64_t bytes) {
    struct span less =
        span_share(span_exact(bytes > 0 ? bytes : 0), MICRO, base.low);
    int64_t then = less.known ? now - less.high - 1 : 0;
    return then > 0 ? step_down(then) : 0;
}

/* Weights still lie inside what is left of the share. */
static bool holds_weights(const struct inputs *c, int64_t micro) {
    struct span kept = sglang_static_bytes(c, micro);
    return micro >= LEAST_SHARE &&
           span_fits(weights_bytes(c), kept) != VERDICT_NOT_ENOUGH;
}

/* A fraction that gives back what failed and what is still to come; else
 * what failed alone. */
static struct estimate lowered(const struct query *q, struct estimate e,
                               struct span base, int64_t now, struct span gap) {
    const struct inputs *c = q->c;
    struct span free = e.limit, total = span_in(c, FACT_gpu_total);
    struct span more = more_after_failure(c), whole = span_plus(gap, more);
    int64_t then = whole.known ? fraction_below(now, base, whole.high) : 0;
    bool is_whole = holds_weights(c, then);
    then = is_whole ? then : fraction_below(now, base, gap.high);
    int64_t less = now > then ? now - then : 0;
    struct span sum = span_plus(free, share_of(total, less));
    e.limit = span_plus(free, share_of(base, less));
    estimate_judge(&e);
    e.formula = EXPLAIN(q, used, "free = % + % x (% - %) = about %",
                        MIDDLE(free), MIDDLE(total), RATIO(now), RATIO(then),
                        MIDDLE(sum.known ? sum : e.limit));
    if (!holds_weights(c, then)) {
        e.verdict = VERDICT_NOT_ENOUGH;
        return e;
    }
    put_lowered(q, &e, propose(FACT_mem_fraction_static, then),
                is_whole ? &more : NULL, FACT_cuda_graph_bytes);
    return e;
}

static struct estimate fraction_for_rest(const struct query *q) {
    const struct inputs *c = q->c;
    struct span now = sglang_fraction(c), base = sglang_base_bytes(c);
    struct estimate e = estimate_of_allocation(c);
    struct span gap = span_minus(e.before, e.limit);
    bool has_base = base.known && base.low > 0;
    estimate_needs(&e, has_base, FACT_gpu_total);
    estimate_needs(&e, span_is_exact(now), FACT_mem_fraction_static);
    estimate_needs(&e, e.limit.known, FACT_gpu_free);
    if (!gap.known || !has_base)
        return e;
    if (!span_is_exact(now)) {
        estimate_less_share(q, &e, base, gap);
        return e;
    }
    return lowered(q, e, base, now.low, gap);
}

struct estimate sglang_fraction_up(const struct query *q) {
    return is_pool(q) ? fraction_for_pool(q) : estimate_none(FACT_tried_alloc);
}

struct estimate sglang_fraction_down(const struct query *q) {
    bool is_rest = is_allocation(q) && !stage_is(q->c, "load");
    return is_rest ? fraction_for_rest(q) : estimate_none(FACT_tried_alloc);
}

/* ---- tokens ---- */

/* The pool that has least: full attention or windows. */
static struct span least_pool(const struct inputs *c) {
    struct span full = span_in(c, FACT_available_tokens);
    struct span windows = span_in(c, FACT_swa_available_tokens);
    bool is_full = !windows.known || (full.known && full.high < windows.low);
    return is_full ? full : windows;
}

static struct estimate tokens_short(const struct query *q, struct span pool) {
    struct estimate e =
        estimate_of(FACT_tried_tokens, span_in(q->c, FACT_tried_tokens), pool);
    e.short_by = span_beyond(e.after, pool);
    estimate_needs(&e, pool.known, FACT_available_tokens);
    if (e.short_by.known)
        e.formula =
            EXPLAIN(q,
                    FACT_LIST(FACT_tried_tokens, FACT_available_tokens,
                              FACT_swa_available_tokens),
                    "short_by = max(% tokens - %, 0) = % tokens",
                    COUNT(e.after.low), COUNT(pool.low), COUNT(e.short_by.low));
    return e;
}

static struct estimate more_tokens(const struct query *q) {
    return tokens_short(q, least_pool(q->c));
}

/* The window pool alone is short: its part of the whole has to grow. */
static struct estimate ratio_for_tokens(const struct query *q) {
    struct span windows = span_in(q->c, FACT_swa_available_tokens);
    struct estimate e = tokens_short(q, windows);
    if (span_fits(e.after, windows) == VERDICT_ENOUGH)
        return estimate_none(FACT_tried_tokens);
    if (e.short_by.known && e.short_by.high > 0)
        ESTIMATE_IF(q, &e, "verdict.if.window", COUNT(e.short_by.high));
    return e;
}

/* A chunk of at most what is free; the next step may find less. */
static struct estimate chunk_for_tokens(const struct query *q) {
    struct estimate e = more_tokens(q);
    int64_t chunk = 1;
    while (chunk <= e.limit.low / 2)
        chunk *= 2;
    if (e.limit.known && e.limit.low > 0) {
        e.after = span_exact(chunk);
        e.short_by = span_exact(0);
        e.proposed = propose(FACT_max_num_batched_tokens, chunk);
        ESTIMATE_IF(q, &e, "verdict.if.each_step", COUNT(chunk));
    }
    return e;
}

/* A limit that a setting raises to what one item takes: no memory is asked. */
static struct estimate limit_for_tokens(const struct query *q) {
    struct estimate e = more_tokens(q);
    if (e.after.known) {
        e.needs.count = 0;
        e.limit = e.after;
        estimate_judge(&e);
    }
    return e;
}

struct estimate effect_of_tokens(const struct query *q) {
    static effect_fn *const fixes[EFFECT_COUNT_OF] = {
        [EFFECT_swa_full_tokens_ratio] = ratio_for_tokens,
        [EFFECT_max_num_batched_tokens] = chunk_for_tokens,
        [EFFECT_raise_limit] = limit_for_tokens,
        [EFFECT_mem_fraction_static_up] = more_tokens,
        [EFFECT_max_num_seqs] = more_tokens,
        [EFFECT_tensor_parallel] = more_tokens,
        [EFFECT_kv_cache_dtype] = more_tokens,
        [EFFECT_quantization] = more_tokens};
    return fixes[q->effect] ? fixes[q->effect](q)
                            : estimate_none(FACT_tried_tokens);
}

/* The context is not in the pool's sum. */
static struct estimate not_in_the_pool(const struct query *q) {
    (void)q;
    return estimate_none(FACT_tried_alloc);
}

static effect_fn *const own_effects[EFFECT_COUNT_OF] = {
    [EFFECT_context_length] = not_in_the_pool};

/* Its pool has slots for encoders, too: models/bert.py, RadixAttention. */
static bool caches_encoder(const struct inputs *c) {
    return c->model != NULL;
}

const struct engine_rules engine_sglang = {
    .id = "sglang", .pool = POOL_OF_STATIC, .windows = KEEP_RATIO,
    .checks_split = true, .has_expert_ranks = true, .may_share_ranks = true,
    .keeps_pool = true, .share = FACT_mem_fraction_static,
    .share_most = 92 * STEP, .narrow = "fp8_e5m2", .bits8 = "fp8",
    .bits4 = "awq", .caches_encoder = caches_encoder,
    .starts_short = true, .position = "fit.position.sglang", .effects = own_effects};

/* ---- mem_fraction_static, where it is not set ----
 *
 *   before 0.4.6    by ranks: 0.88, 0.87 (2), 0.85 (4), 0.81 (8), 0.79 (16)
 *   before 0.4.8    the same up to 80 GiB; above, 0.79 to
 *                   (card - 13 GiB) / card as the patch release has it
 *   before 0.5.3    (card - reserved) / card, reserved by the card's size and
 *                   the ranks
 *   later           the same, reserved from chunk, graph batch and ranks, whose
 *                   defaults stand in tiers of the card's size
 *   from 0.5.20     cards of 20 to 35 GiB take chunks of 4,096 tokens, which
 *                   takes 0.12 off a card of 24 GiB
 *   from 0.5.10     and for graphs of the prefill (c64274c74), where nothing
 *                   that the card does not tell switches them off: an interval
 *
 * Of models that see, less by the size of their tower, which is not known here:
 * x 0.95 x 0.8 to 1.05 from 0.4.9.post3 (bb0e8a32b), x 0.85 to 0.95 before.
 * AMD's kernels take 0.85 of it for contexts above 8,192 tokens (7b36c47b3).
 *
 * Source: sglang/srt/server_args.py; from 0.5.20 on
 * sglang/srt/arg_groups/memory_hook.py. Every release from 0.5.3 to 0.5.23 was
 * asked itself (tests/data/oracle/sglang.jsonl). A pool that is sized after
 * graphs were captured (SGLANG_ENABLE_POST_CAPTURE_KV_SIZING, off by default,
 * from 0.5.16 on) reserves 1.5 GiB and no more; no log prints that variable.
 */

static struct span by_ranks(const struct inputs *c) {
    static const struct {
        int64_t ranks, hundredths;
    } rows[] = {{16, 79}, {8, 81}, {4, 85}, {2, 87}, {1, 88}};
    size_t i = 0;
    while (tensor_ranks(c) < rows[i].ranks && i < 4)
        i++;
    return span_exact(rows[i].hundredths * STEP);
}

static bool is_before(const struct fact *version, struct str release) {
    int order = 0;
    return version_compare(version->word, release, &order) && order < 0;
}

struct tier {
    int64_t below_gib, chunk, graphs, graphs_tp4;
};

/* Of cards below 35 GiB by release; a release that is not known counts as the
 * newest. */
static const struct tier *tier_of(const struct inputs *c, int64_t card_mib) {
    static const struct tier tiers[] = {{20, 2048, 8, 8},
                                        {35, 4096, 48, 160},
                                        {60, 4096, 32, 160},
                                        {160, 8192, 256, 512},
                                        {INT64_MAX >> 20, 16384, 512, 512}};
    static const struct tier until_0_5_4 = {35, 2048, 16, 80};
    static const struct tier until_0_5_19 = {35, 2048, 24, 80};
    const struct fact *version = &c->in[FACT_engine_version];
    const struct tier *t = tiers;
    while (card_mib >= t->below_gib * 1024)
        t++;
    bool is_small = t == &tiers[1] && version->known;
    return is_small && is_before(version, STR("0.5.4.post1")) ? &until_0_5_4
           : is_small && is_before(version, STR("0.5.20"))    ? &until_0_5_19
                                                              : t;
}

static int64_t reserved_with(const struct inputs *c, int64_t card_mib,
                             int64_t more_mib) {
    const struct tier *t = tier_of(c, card_mib);
    int64_t tp = tensor_ranks(c);
    int64_t ranks = tp * pipeline_ranks(c);
    int64_t chunk = setting_of(c, FACT_max_num_batched_tokens, t->chunk);
    int64_t graphs = tp >= 4 ? t->graphs_tp4 : t->graphs;
    int64_t mib = 512 + (chunk > 2048 ? chunk : 2048) * 3 / 2 + graphs * 2 +
                  ranks * 128 + more_mib;
    bool is_large = card_mib > 60 * 1024;
    return is_large && mib < 10240 ? 10240 : mib;
}

/* 8 MiB for each size of a prefill that is captured, up to the chunk; 1.5 GiB
 * of models with latents. */
static int64_t reserved_most_mib(const struct inputs *c, int64_t card_mib) {
    static const struct {
        int64_t from, to, step;
    } sizes[] = {{4, 32, 4},      {48, 256, 16},     {288, 512, 32},
                 {576, 1024, 64}, {1280, 4096, 256}, {4608, 16384, 512}};
    int64_t chunk =
        setting_of(c, FACT_max_num_batched_tokens, tier_of(c, card_mib)->chunk);
    int64_t count = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        int64_t last = chunk < sizes[i].to ? chunk : sizes[i].to;
        count += last >= sizes[i].from
                     ? (last - sizes[i].from) / sizes[i].step + 1
                     : 0;
    }
    return reserved_with(c, card_mib,
                         model_has(c->model, KV_mla) ? 1536 : count * 8);
}

/* 0.4.8 to 0.5.2. */
static int64_t reserved_by_size_mib(const struct inputs *c, int64_t card_mib) {
    int64_t ranks = tensor_ranks(c) * pipeline_ranks(c);
    if (card_mib < 35 * 1024)
        return (28 + ranks) * 1024 / 10;
    if (card_mib < 90 * 1024)
        return (19 + ranks) * 512;
    return card_mib < 160 * 1024 ? (24 + ranks) * 512 : 32 * 1024;
}

/* What is left beside what is reserved, as a share of the card. */
static struct span by_card(int64_t card_mib, int64_t reserved_mib) {
    int64_t rest = card_mib - reserved_mib;
    return rest > 0 ? span_share(span_exact(rest), MICRO, card_mib)
                    : span_none();
}

/* 0: not known; nor with more ranks than anybody has, whose product would leave
 * 64 bits. */
static int64_t card_mib_of(const struct inputs *c) {
    struct span total = span_in(c, FACT_gpu_total);
    bool is_absurd = tensor_ranks(c) > ENGINE_RANKS_MAX ||
                     pipeline_ranks(c) > ENGINE_RANKS_MAX;
    return total.known && total.low > 0 && !is_absurd ? total.low / MIB : 0;
}

/* What is known and rules out graphs of the prefill; the other conditions of
 * _handle_piecewise_cuda_graph() are not known. */
static bool has_no_prefill_graphs(const struct inputs *c) {
    return pipeline_ranks(c) > 1 || setting_of(c, FACT_cpu_offload, 0) > 0 ||
           (c->model && c->model->is_multimodal) ||
           (c->gpu && !str_eq(c->gpu->vendor, STR("nvidia")));
}

static struct span by_release(const struct inputs *c) {
    const struct fact *version = &c->in[FACT_engine_version];
    struct span total = span_in(c, FACT_gpu_total);
    int64_t mib = card_mib_of(c);
    bool is_known = version->known && version_valid(version->word);
    bool is_small = total.known && total.low <= 80 * GIB;
    if (is_known && is_before(version, is_small ? STR("0.4.8") : STR("0.4.6")))
        return by_ranks(c);
    if (mib == 0)
        return span_none();
    struct span by_size = by_card(mib, reserved_by_size_mib(c, mib));
    struct span recent = by_card(mib, reserved_with(c, mib, 0));
    struct span newest = by_card(mib, reserved_most_mib(c, mib));
    newest = has_no_prefill_graphs(c) ? recent : span_hull(recent, newest);
    if (!is_known)
        return span_hull(newest, span_hull(by_ranks(c), by_size));
    if (is_before(version, STR("0.4.8"))) /* patch releases differ */
        return span_hull(span_exact(79 * STEP), by_card(mib, 13 * 1024));
    if (is_before(version, STR("0.5.3rc2")))
        return by_size;
    return is_before(version, STR("0.5.10")) ? recent : newest;
}

struct span sglang_fraction(const struct inputs *c) {
    const struct fact *said = &c->in[FACT_mem_fraction_static];
    const struct fact *version = &c->in[FACT_engine_version];
    struct span fraction = by_release(c);
    bool is_old = version->known && is_before(version, STR("0.4.9.post3"));
    if (said->known)
        return span_exact(said->number);
    if (c->model && c->model->is_multimodal)
        fraction = span_shares(
            fraction, is_old ? span_of(85, 95) : span_of(76, 100), 100);
    if (c->gpu && str_eq(c->gpu->vendor, STR("amd")))
        fraction = span_shares(fraction, span_of(85, 100), 100);
    return fraction;
}
