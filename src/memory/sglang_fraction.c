/* sglang_fraction.c: mem_fraction_static, where nobody sets it.
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
#include "base/limits.h"
#include "memory/sglang.h"

#include "corpus/version.h"
#include "memory/budget.h"
#include "memory/inputs.h"
#include "memory/span.h"

#define MICRO UNITS_MICRO
#define STEP (MICRO / 100)
#define MIB (INT64_C(1) << 20)

static struct span by_ranks(const struct inputs *c) {
    int64_t tp = setting_of(c, FACT_tensor_parallel, 1);
    static const struct {
        int64_t ranks, hundredths;
    } rows[] = {{16, 79}, {8, 81}, {4, 85}, {2, 87}, {1, 88}};
    size_t i = 0;
    while (tp < rows[i].ranks && i < 4) {
        i++;
    }
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
    while (card_mib >= t->below_gib * 1024) {
        t++;
    }
    bool is_small = t == &tiers[1] && version->known;
    return is_small && is_before(version, STR("0.5.4.post1")) ? &until_0_5_4
           : is_small && is_before(version, STR("0.5.20"))    ? &until_0_5_19
                                                              : t;
}

static int64_t reserved_with(const struct inputs *c, int64_t card_mib,
                             int64_t more_mib) {
    const struct tier *t = tier_of(c, card_mib);
    int64_t tp = setting_of(c, FACT_tensor_parallel, 1);
    int64_t ranks = tp * setting_of(c, FACT_pipeline_parallel, 1);
    int64_t chunk = setting_of(c, FACT_max_num_batched_tokens, t->chunk);
    int64_t graphs = tp >= 4 ? t->graphs_tp4 : t->graphs;
    int64_t mib = 512 + (chunk > 2048 ? chunk : 2048) * 3 / 2 + graphs * 2 +
                  ranks * 128 + more_mib;
    bool is_large = card_mib > 60 * 1024;
    return is_large && mib < 10240 ? 10240 : mib;
}

static int64_t reserved_mib(const struct inputs *c, int64_t card_mib) {
    return reserved_with(c, card_mib, 0);
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
    int64_t ranks = setting_of(c, FACT_tensor_parallel, 1) *
                    setting_of(c, FACT_pipeline_parallel, 1);
    if (card_mib < 35 * 1024) {
        return (28 + ranks) * 1024 / 10;
    }
    if (card_mib < 90 * 1024) {
        return (19 + ranks) * 512;
    }
    return card_mib < 160 * 1024 ? (24 + ranks) * 512 : 32 * 1024;
}

/* What is left beside what is reserved, as a share of the card. */
static struct span by_card(const struct inputs *c,
                           int64_t (*reserved)(const struct inputs *,
                                               int64_t)) {
    struct span total = gpu_total_bytes(c);
    int64_t mib = total.low / MIB;
    /* more than anybody has: their product would leave 64 bits */
    bool is_absurd =
        setting_of(c, FACT_tensor_parallel, 1) > ENGINE_RANKS_MAX ||
        setting_of(c, FACT_pipeline_parallel, 1) > ENGINE_RANKS_MAX;
    if (!total.known || mib <= 0 || is_absurd) {
        return span_none();
    }
    int64_t rest = mib - reserved(c, mib);
    struct span share = span_share(span_exact(rest), MICRO, mib);
    return rest > 0 ? share : span_none();
}

static int64_t reserved_least_mib(const struct inputs *c, int64_t card_mib) {
    (void)c;
    (void)card_mib;
    return 13 * 1024;
}

/* What speaks against graphs of the prefill and is known: the rest of
 * _handle_piecewise_cuda_graph() is not. */
static bool has_no_prefill_graphs(const struct inputs *c) {
    return setting_of(c, FACT_pipeline_parallel, 1) > 1 ||
           setting_of(c, FACT_cpu_offload, 0) > 0 ||
           (c->model && c->model->is_multimodal) ||
           (c->gpu && !str_eq(c->gpu->vendor, STR("nvidia")));
}

static struct span by_release(const struct inputs *c) {
    const struct fact *version = &c->in[FACT_engine_version];
    struct span recent = by_card(c, reserved_mib), total = gpu_total_bytes(c);
    struct span newest = has_no_prefill_graphs(c)
                             ? recent
                             : span_hull(recent, by_card(c, reserved_most_mib));
    if (!version->known || !version_valid(version->word)) {
        return span_hull(
            newest, span_hull(by_ranks(c), by_card(c, reserved_by_size_mib)));
    }
    if (is_before(version, STR("0.4.6"))) {
        return by_ranks(c);
    }
    if (is_before(version, STR("0.4.8"))) {
        /* patch releases differ on cards above 80 GiB */
        return !total.known ? total
               : total.low <= 80 * 1024 * MIB
                   ? by_ranks(c)
                   : span_hull(span_exact(79 * STEP),
                               by_card(c, reserved_least_mib));
    }
    if (is_before(version, STR("0.5.3rc2"))) {
        return by_card(c, reserved_by_size_mib);
    }
    return is_before(version, STR("0.5.10")) ? recent : newest;
}

struct span sglang_fraction(const struct inputs *c) {
    const struct fact *said = &c->in[FACT_mem_fraction_static];
    const struct fact *version = &c->in[FACT_engine_version];
    if (said->known) {
        return span_exact(said->number);
    }
    struct span fraction = by_release(c);
    if (c->model && c->model->is_multimodal) {
        bool is_old = version->known && is_before(version, STR("0.4.9.post3"));
        struct span part = is_old ? span_of(85, 95) : span_of(76, 100);
        fraction = span_shares(fraction, part, 100);
    }
    if (c->gpu && str_eq(c->gpu->vendor, STR("amd"))) {
        fraction = span_shares(fraction, span_of(85, 100), 100);
    }
    return fraction;
}
