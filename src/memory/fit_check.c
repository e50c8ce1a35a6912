/* fit_check.c: what is looked at beside the arithmetic of KV: does the engine
 * take these settings at all, and would an operator such as KAITO let the job
 * through? KAITO compares the checkpoint's unquantized size with the nominal
 * memory of all cards, so a quantized copy may be turned away although it
 * fits: then its annotation kaito.sh/bypass-resource-checks is the way.
 *
 * Would the engine cut the model into these ranks?
 *
 *   heads        queries divide among tensor-parallel ranks
 *   KV heads     divide, or the ranks are a multiple of them (then copied)
 *   vocabulary   divides, padded to a multiple of 64 rows
 *   columns      of feed-forward parts divide, and what a rank gets is whole
 *                blocks of weights that share a scale
 *   experts      divide among expert-parallel ranks; of vLLM they lie whole
 *                on a rank each, so only dense parts are cut
 *   layers       one at least for each pipeline stage
 *
 * Sources: vllm/config/model.py (verify_with_parallel_config),
 * model_executor/layers/linear.py (QKVParallelLinear),
 * vocab_parallel_embedding.py, quantization/fp8.py and auto_awq.py,
 * quantization/utils/fp8_utils.py (validate_fp8_block_shape); vllm#17569: 1,536
 * columns of an expert on 8 ranks are 192, no multiple of 128. SGLang:
 * srt/layers/quantization/fp8.py, blockwise_int8.py, moe/ep_moe.
 */
#include "corpus/version.h"
#include "memory/fit_case.h"
#include "memory/kv.h"

#define VOCABULARY_PAD 64
#define USUAL_GROUP 128 /* of AWQ and GPTQ, where nobody says */

const struct fit_check_row fit_checks[CHECK_COUNT_OF] = {
    [CHECK_HEADS] = {"heads", "fit.heads", UNIT_COUNT, true},
    [CHECK_SPLIT] = {"split", NULL, UNIT_COUNT, true},
    [CHECK_FLASH] = {"flash_attention", NULL, UNIT_COUNT, true},
    [CHECK_RELEASE] = {"release", NULL, UNIT_COUNT, false},
    [CHECK_RANKS] = {"ranks", "fit.ranks", UNIT_COUNT, true},
    [CHECK_POSITION] = {"position", "fit.position", UNIT_TOKENS, false},
    [CHECK_FREE] = {"free_at_start", "fit.free", UNIT_BYTES, true},
    [CHECK_SKU] = {"kaito_sku", NULL, UNIT_BYTES, false},
};

struct obstacle { /* key NULL: none */
    const char *key;
    int64_t asked, there;
    bool is_open; /* rests on the usual group */
};

struct split {
    const struct inputs *c;
    const struct model *m;
    int64_t tp, expert_tp; /* ranks that one expert's matrices are cut into */
    int64_t block;         /* that share a scale; 0: none, or not known */
    bool is_usual;
};

static int64_t expert_ranks(const struct inputs *c) {
    return engine_of(c)->has_expert_ranks
               ? setting_of(c, FACT_expert_parallel_size, 1)
               : 1;
}

static bool has_whole_experts(const struct inputs *c) {
    return engine_of(c)->takes_share && c->in[FACT_expert_parallel].known &&
           c->in[FACT_expert_parallel].number != 0;
}

static bool begins(struct str word, struct str with) {
    return str_eq_nocase(str_slice(word, 0, with.n), with);
}

static struct split split_of(const struct inputs *c, int64_t tp) {
    struct split s = {.c = c, .m = c->model, .tp = tp};
    struct str quantization = quantization_of(c);
    int64_t ranks = expert_ranks(c);
    bool is_own = c->model->quantization.n > 0 &&
                  str_eq(quantization, c->model->quantization);
    s.expert_tp = has_whole_experts(c) ? 1 : ranks > 0 ? tp / ranks : tp;
    s.expert_tp = s.expert_tp > 0 ? s.expert_tp : 1;
    s.block = setting_of(c, FACT_scale_block, 0);
    if (s.block == 0 && is_own)
        s.block = c->model->scale_block;
    if (s.block == 0 && (begins(quantization, STR("awq")) ||
                         begins(quantization, STR("gptq")))) {
        s.block = USUAL_GROUP;
        s.is_usual = true;
    }
    return s;
}

/* Columns of a feed-forward part over so many ranks. Experts in AWQ and GPTQ
 * have a kernel that halves the group (moe_wna16.py). */
static struct obstacle columns(const struct split *s, int64_t size,
                               int64_t ranks, bool is_expert) {
    if (size <= 0 || ranks <= 1)
        return (struct obstacle){.key = NULL};
    if (size % ranks != 0)
        return (struct obstacle){"fit.split.columns", ranks, size, false};
    bool is_cut = s->block > 0 && size / ranks % s->block != 0 &&
                  size % s->block == 0 && !(is_expert && s->is_usual);
    bool may_be_whole = is_expert && engine_of(s->c)->takes_share;
    const char *key = s->is_usual    ? "fit.split.block_usual"
                      : may_be_whole ? "fit.split.block_expert"
                                     : "fit.split.block";
    return (struct obstacle){is_cut ? key : NULL, size / ranks, s->block,
                             s->is_usual};
}

static struct obstacle kv_heads(const struct split *s) {
    for (size_t i = 0; i < s->m->group_count; i++) {
        const struct kv_group *g = &s->m->groups[i];
        int64_t n = g->kv_heads;
        bool has_heads = g->kind == KV_full || g->kind == KV_sliding ||
                         g->kind == KV_chunked;
        if (has_heads && n > 0 && s->tp % n != 0 && n % s->tp != 0)
            return (struct obstacle){"fit.split.kv_heads", s->tp, n, false};
    }
    return (struct obstacle){.key = NULL};
}

static struct obstacle vocabulary(const struct split *s) {
    int64_t rows = ceil_div(s->m->vocab_size, VOCABULARY_PAD) * VOCABULARY_PAD;
    bool is_cut = s->m->vocab_size > 0 && rows % s->tp != 0;
    return (struct obstacle){is_cut ? "fit.split.vocabulary" : NULL, s->tp,
                             rows, false};
}

static struct obstacle experts(const struct split *s) {
    int64_t ranks = expert_ranks(s->c);
    bool is_cut = s->m->experts > 0 && ranks > 1 &&
                  (s->m->experts % ranks != 0 || s->tp % ranks != 0);
    return (struct obstacle){is_cut ? "fit.split.experts" : NULL, ranks,
                             s->m->experts, false};
}

static struct obstacle obstacle_of(const struct inputs *c, int64_t tp) {
    struct obstacle none = {.key = NULL};
    if (c->model == NULL || !engine_of(c)->checks_split ||
        (c->model->heads > 0 && c->model->heads % tp != 0))
        return none; /* of which the check of heads speaks */
    struct split s = split_of(c, tp);
    bool has_dense = !s.m->is_moe || s.m->dense_layers > 0;
    struct obstacle all[] = {
        tp > 1 ? kv_heads(&s) : none,
        tp > 1 ? vocabulary(&s) : none,
        has_dense ? columns(&s, s.m->intermediate_size, tp, false) : none,
        s.m->is_moe ? columns(&s, s.m->expert_size, s.expert_tp, true) : none,
        s.m->is_moe ? columns(&s, s.m->shared_size, tp, false) : none,
        experts(&s)};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].key != NULL)
            return all[i];
    return none;
}

bool fit_can_split(const struct inputs *c, int64_t ranks) {
    struct obstacle is = obstacle_of(c, ranks);
    bool divides = c->model->heads <= 0 || c->model->heads % ranks == 0;
    return divides && (is.key == NULL || is.is_open);
}

/* Engines that lay layers over cards by themselves leave cards idle. */
static struct obstacle stages(const struct inputs *c) {
    int64_t pp = setting_of(c, FACT_pipeline_parallel, 1);
    int64_t layers = c->model != NULL ? c->model->layers : 0;
    bool is_empty = layers > 0 && pp > layers && !engine_of(c)->spreads_layers;
    return (struct obstacle){is_empty ? FIT_SPLIT_STAGES : NULL, pp, layers,
                             false};
}

static struct fit_checked fit_check_split(struct arena *a, const struct inputs *c) {
    int64_t tp = setting_of(c, FACT_tensor_parallel, 1);
    struct obstacle is = stages(c);
    is = is.key != NULL ? is : obstacle_of(c, tp);
    struct fit_checked k = {.verdict = VERDICT_NONE};
    if (is.key != NULL) {
        k.verdict = is.is_open ? VERDICT_UNKNOWN : VERDICT_NOT_ENOUGH;
        k.asked = span_exact(is.asked);
        k.there = span_exact(is.there);
        k.why = NOTE(is.key, write_count(a, is.asked),
                     write_count(a, is.there));
    }
    return k;
}

/* ---- the other checks ---- */

#define WIDE 2 /* bytes of an unquantized parameter */

static const struct fit_checked none = {.verdict = VERDICT_NONE};

static struct fit_checked judged(struct span asked, struct span there) {
    return (struct fit_checked){
        .verdict = span_fits(asked, there), .asked = asked, .there = there};
}

static struct fit_checked heads(const struct inputs *c) {
    struct fit_checked k = none;
    int64_t tp = setting_of(c, FACT_tensor_parallel, 1);
    if (c->model && c->model->heads > 0 && tp > 1) {
        bool divides = c->model->heads % tp == 0;
        k.verdict = divides ? VERDICT_ENOUGH : VERDICT_NOT_ENOUGH;
        k.asked = span_exact(tp);
        k.there = span_exact(c->model->heads);
    }
    return k;
}

static struct span cards_of_model(const struct inputs *c) {
    return span_times(span_exact(setting_of(c, FACT_tensor_parallel, 1)),
                      setting_of(c, FACT_pipeline_parallel, 1));
}

/* SGLang's --enable-dp-attention lays data-parallel ranks over the
 * tensor-parallel ones; whether it is on nobody says here. */
static bool may_share_ranks(const struct inputs *c) {
    int64_t dp = setting_of(c, FACT_data_parallel, 1);
    return engine_of(c)->may_share_ranks && dp > 1 &&
           setting_of(c, FACT_tensor_parallel, 1) % dp == 0;
}

static struct fit_checked ranks(const struct inputs *c) {
    int64_t copies =
        may_share_ranks(c) ? 1 : setting_of(c, FACT_data_parallel, 1);
    struct span all = span_times(cards_of_model(c), copies);
    const struct fact *cards = &c->in[FACT_gpu_count];
    return cards->known && all.known ? judged(all, span_exact(cards->number))
                                     : none;
}

static struct fit_checked position(const struct inputs *c) {
    const struct fact *length = &c->in[FACT_max_model_len];
    bool comes_up = c->model && c->model->max_position > 0 && length->known;
    return comes_up ? judged(span_exact(length->number),
                             span_exact(c->model->max_position))
                    : none;
}

static struct fit_checked free_at_start(const struct inputs *c) {
    struct span free = span_in(c, FACT_gpu_free);
    bool comes_up = engine_of(c)->takes_share && free.known &&
                    rules_check_free(c) != ANSWER_NO &&
                    requested_bytes(c).known;
    return comes_up ? judged(requested_bytes(c), free) : none;
}

/* The engines that it runs, to serve. */
static bool is_of_kaito(const struct inputs *c) {
    return engine_of(c)->is_of_kaito && !training_is_asked(c);
}

static struct fit_checked sku(const struct inputs *c) {
    struct fit_checked k = none;
    struct span card = span_in(c, FACT_gpu_total);
    struct span cards = c->in[FACT_gpu_count].known
                            ? span_exact(setting_of(c, FACT_gpu_count, 1))
                            : cards_of_model(c);
    bool is_slice = c->in[FACT_gpu_total].source == SOURCE_USER;
    if (c->gpu && c->gpu->nominal_gb > 0 && !is_slice)
        card = span_exact(c->gpu->nominal_gb * GIB);
    if (c->model == NULL || c->model->params <= 0 || !card.known ||
        !is_of_kaito(c))
        return k;
    bool is_released_so = c->model->quantization.n > 0;
    struct span whole = is_released_so
                            ? weights_computed(c, 1, 1, c->model->quantization)
                            : span_times(span_exact(c->model->params), WIDE);
    struct span there = span_product(card, cards);
    k = judged(whole, there);
    struct span real = weights_computed(c, 1, 1, quantization_of(c));
    k.is_bypassed = k.verdict == VERDICT_NOT_ENOUGH &&
                    span_fits(real, there) == VERDICT_ENOUGH;
    return k;
}

/* "V cache quantization requires flash_attn": llama-context.cpp. */
static struct fit_checked flash(const struct inputs *c) {
    static const char *const plain[] = {"f16", "bf16", "f32", NULL};
    struct fit_checked k = none;
    struct str key, value;
    if (!engine_of(c)->has_cells || !is_off(c, FACT_flash_attention))
        return k;
    llama_cache_types(c, &key, &value);
    if (str_in_nocase(value, plain))
        return k;
    k.verdict = VERDICT_NOT_ENOUGH;
    k.why = NOTE("fit.flash", value);
    return k;
}

/* The first release of this engine that loads the model; empty: unknown. */
static struct str since_of(const struct inputs *c) {
    for (size_t i = 0; c->model && i < c->model->since.count; i++) {
        struct str version,
            engine = str_cut(c->model->since.at[i], ' ', &version);
        if (str_eq(engine, c->engine))
            return str_trim(version);
    }
    return (struct str){NULL, 0};
}

static struct fit_checked release(const struct inputs *c) {
    const struct fact *version = &c->in[FACT_engine_version];
    struct str since = since_of(c);
    struct fit_checked k = none;
    int order;
    if (version->known && since.n > 0 &&
        version_compare(version->word, since, &order) && order < 0) {
        k.verdict = VERDICT_NOT_ENOUGH;
        k.why = NOTE("fit.release", since, version->word, c->model->id);
    }
    return k;
}

void fit_check(struct arena *a, const struct inputs *c, struct fit *fit) {
    fit->checks[CHECK_HEADS] = heads(c);
    fit->checks[CHECK_SPLIT] = fit_check_split(a, c);
    fit->checks[CHECK_FLASH] = flash(c);
    fit->checks[CHECK_RELEASE] = release(c);
    fit->checks[CHECK_RANKS] = ranks(c);
    fit->checks[CHECK_POSITION] = position(c);
    fit->checks[CHECK_FREE] = free_at_start(c);
    fit->checks[CHECK_SKU] = sku(c);
}
