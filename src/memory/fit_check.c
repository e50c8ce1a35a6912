/* fit_check.c: checks beside the arithmetic of KV: whether the engine takes
 * these settings at all, and whether an operator such as KAITO lets the job
 * through. KAITO compares the checkpoint's unquantized size with the nominal
 * memory of all cards, so a quantized copy may be turned away although it
 * fits: then its annotation kaito.sh/bypass-resource-checks is the way.
 *
 * An engine cuts the model into these ranks only if
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
#define USUAL_GROUP 128 /* of AWQ and GPTQ, where none is given */

const struct fit_check_row fit_checks[CHECK_COUNT_OF] = {
    [CHECK_HEADS] = {"heads", "fit.heads", UNIT_COUNT, true},
    [CHECK_SPLIT] = {"split", NULL, UNIT_COUNT, true},
    [CHECK_FLASH] = {"flash_attention", NULL, UNIT_COUNT, true},
    [CHECK_RELEASE] = {"release", NULL, UNIT_COUNT, false},
    [CHECK_RANKS] = {"ranks", "fit.ranks", UNIT_COUNT, true},
    [CHECK_POSITION] = {"position", NULL, UNIT_TOKENS, false},
    [CHECK_FREE] = {"free_at_start", "fit.free", UNIT_BYTES, true},
    [CHECK_KV] = {"kv_at_start", NULL, UNIT_BYTES, true},
    [CHECK_SKU] = {"kaito_sku", NULL, UNIT_BYTES, false},
};

static const struct fit_checked none = {.verdict = VERDICT_NONE};

/* An engine refuses this if it is_cut. The arguments of why are written later:
 * fit_check_split(). */
static struct fit_checked refused_if(bool is_cut, const char *key,
                                     int64_t asked, int64_t there) {
    return is_cut ? (struct fit_checked){.verdict = VERDICT_NOT_ENOUGH,
                                         .asked = span_exact(asked),
                                         .there = span_exact(there),
                                         .why = {.key = key}}
                  : none;
}

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

static bool begins(struct str word, struct str with) {
    return str_eq_nocase(str_slice(word, 0, with.n), with);
}

static struct split split_of(const struct inputs *c, int64_t tp) {
    struct split s = {.c = c, .m = c->model, .tp = tp};
    struct str quantization = quantization_of(c);
    int64_t ranks = expert_ranks(c);
    bool has_whole_experts =
        engine_of(c)->takes_share && is_on(c, FACT_expert_parallel);
    s.expert_tp = has_whole_experts ? 1 : ranks > 0 ? tp / ranks : tp;
    s.expert_tp = s.expert_tp > 0 ? s.expert_tp : 1;
    s.block = setting_of(c, FACT_scale_block, 0);
    if (s.block == 0 && c->model->quantization.n > 0 &&
        str_eq(quantization, c->model->quantization))
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
static struct fit_checked columns(const struct split *s, int64_t size,
                                  int64_t ranks, bool is_expert) {
    if (size <= 0 || ranks <= 1 || size % ranks != 0)
        return refused_if(size > 0 && ranks > 1, "fit.split.columns", ranks,
                          size);
    bool is_cut = s->block > 0 && size / ranks % s->block != 0 &&
                  size % s->block == 0 && !(is_expert && s->is_usual);
    bool may_be_whole = is_expert && engine_of(s->c)->takes_share;
    const char *key = s->is_usual    ? "fit.split.block_usual"
                      : may_be_whole ? "fit.split.block_expert"
                                     : "fit.split.block";
    struct fit_checked k = refused_if(is_cut, key, size / ranks, s->block);
    if (is_cut && s->is_usual)
        k.verdict = VERDICT_UNKNOWN; /* rests on the usual group */
    return k;
}

static struct fit_checked kv_heads(const struct split *s) {
    for (size_t i = 0; i < s->m->group_count; i++) {
        const struct kv_group *g = &s->m->groups[i];
        int64_t n = g->kv_heads;
        bool has_heads = g->kind == KV_full || kv_kind_is_window(g->kind);
        if (has_heads && n > 0 && s->tp % n != 0 && n % s->tp != 0)
            return refused_if(true, "fit.split.kv_heads", s->tp, n);
    }
    return none;
}

static struct fit_checked vocabulary(const struct split *s) {
    int64_t rows = ceil_div(s->m->vocab_size, VOCABULARY_PAD) * VOCABULARY_PAD;
    return refused_if(s->m->vocab_size > 0 && rows % s->tp != 0,
                      "fit.split.vocabulary", s->tp, rows);
}

static struct fit_checked experts(const struct split *s) {
    int64_t ranks = expert_ranks(s->c), n = s->m->experts;
    return refused_if(n > 0 && ranks > 1 &&
                          (n % ranks != 0 || s->tp % ranks != 0),
                      "fit.split.experts", ranks, n);
}

static struct fit_checked split_over(const struct inputs *c, int64_t tp) {
    if (c->model == NULL || !engine_of(c)->checks_split ||
        (c->model->heads > 0 && c->model->heads % tp != 0))
        return none; /* that is for the check of heads */
    struct split s = split_of(c, tp);
    bool has_dense = !s.m->is_moe || s.m->dense_layers > 0;
    struct fit_checked all[] = {
        tp > 1 ? kv_heads(&s) : none,
        tp > 1 ? vocabulary(&s) : none,
        has_dense ? columns(&s, s.m->intermediate_size, tp, false) : none,
        s.m->is_moe ? columns(&s, s.m->expert_size, s.expert_tp, true) : none,
        s.m->is_moe ? columns(&s, s.m->shared_size, tp, false) : none,
        experts(&s)};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].verdict != VERDICT_NONE)
            return all[i];
    return none;
}

bool fit_can_split(const struct inputs *c, int64_t ranks) {
    bool divides = c->model->heads <= 0 || c->model->heads % ranks == 0;
    return divides && split_over(c, ranks).verdict != VERDICT_NOT_ENOUGH;
}

static struct fit_checked fit_check_split(struct arena *a,
                                          const struct inputs *c) {
    int64_t pp = pipeline_ranks(c), layers = c->model ? c->model->layers : 0;
    /* engines that lay layers over cards by themselves leave cards idle */
    bool is_empty = layers > 0 && pp > layers && !engine_of(c)->spreads_layers;
    struct fit_checked k = refused_if(is_empty, FIT_SPLIT_STAGES, pp, layers);
    k = is_empty ? k : split_over(c, tensor_ranks(c));
    if (k.verdict != VERDICT_NONE)
        k.why = NOTE(k.why.key, write_count(a, k.asked.low),
                     write_count(a, k.there.low));
    return k;
}

/* ---- the other checks ---- */

#define WIDE 2 /* bytes of an unquantized parameter */

static struct fit_checked judged(struct span asked, struct span there) {
    return (struct fit_checked){
        .verdict = span_fits(asked, there), .asked = asked, .there = there};
}

static struct fit_checked heads(const struct inputs *c) {
    int64_t tp = tensor_ranks(c), heads = c->model ? c->model->heads : 0;
    struct fit_checked k = refused_if(heads > 0 && tp > 1, NULL, tp, heads);
    if (k.verdict != VERDICT_NONE && heads % tp == 0)
        k.verdict = VERDICT_ENOUGH;
    return k;
}

static struct span cards_of_model(const struct inputs *c) {
    return span_times(span_exact(tensor_ranks(c)), pipeline_ranks(c));
}

/* SGLang's --enable-dp-attention lays data-parallel ranks over the
 * tensor-parallel ones; whether it is on is not known here. */
static bool may_share_ranks(const struct inputs *c) {
    int64_t dp = setting_of(c, FACT_data_parallel, 1);
    return engine_of(c)->may_share_ranks && dp > 1 && tensor_ranks(c) % dp == 0;
}

static struct fit_checked ranks(const struct inputs *c) {
    int64_t copies = setting_of(c, FACT_data_parallel, 1);
    struct span all =
        span_times(cards_of_model(c), may_share_ranks(c) ? 1 : copies);
    const struct fact *cards = &c->in[FACT_gpu_count];
    return cards->known && all.known ? judged(all, span_exact(cards->number))
                                     : none;
}

static struct fit_checked position(struct arena *a, const struct inputs *c) {
    const struct fact *length = &c->in[FACT_max_model_len];
    bool comes_up = c->model && c->model->max_position > 0 && length->known;
    if (!comes_up)
        return none;
    struct fit_checked k = judged(span_exact(length->number),
                                  span_exact(c->model->max_position));
    const char *key = engine_of(c)->position;
    if (k.verdict == VERDICT_NOT_ENOUGH)
        k.why = NOTE(key != NULL ? key : "fit.position.other",
                     write_count(a, k.asked.low), write_count(a, k.there.low));
    return k;
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
    return engine_of(c)->is_of_kaito && !training_is_run(c);
}

static struct fit_checked sku(const struct inputs *c) {
    struct span card = span_in(c, FACT_gpu_total);
    struct span cards = c->in[FACT_gpu_count].known
                            ? span_exact(setting_of(c, FACT_gpu_count, 1))
                            : cards_of_model(c);
    bool is_slice = c->in[FACT_gpu_total].source == SOURCE_USER;
    if (c->gpu && c->gpu->nominal_gb > 0 && !is_slice)
        card = span_exact(c->gpu->nominal_gb * GIB);
    if (c->model == NULL || c->model->params <= 0 || !card.known ||
        !is_of_kaito(c))
        return none;
    struct span there = span_product(card, cards);
    struct fit_checked k =
        judged(c->model->quantization.n > 0 /* it was released so */
                   ? weights_computed(c, 1, 1, c->model->quantization)
                   : span_times(span_exact(c->model->params), WIDE),
               there);
    struct span real = weights_computed(c, 1, 1, quantization_of(c));
    k.is_bypassed = k.verdict == VERDICT_NOT_ENOUGH &&
                    span_fits(real, there) == VERDICT_ENOUGH;
    return k;
}

/* "V cache quantization requires flash_attn": llama-context.cpp. */
static struct fit_checked flash(const struct inputs *c) {
    static const char *const plain[] = {"f16", "bf16", "f32", NULL};
    struct str key, value;
    llama_cache_types(c, &key, &value);
    bool is_refused = engine_of(c)->has_cells &&
                      is_off(c, FACT_flash_attention) &&
                      !str_in_nocase(value, plain);
    return is_refused ? (struct fit_checked){.verdict = VERDICT_NOT_ENOUGH,
                                             .why = NOTE("fit.flash", value)}
                      : none;
}

/* "vllm 0.10.0" of the model: the first release that loads it. */
static struct fit_checked release(const struct inputs *c) {
    const struct fact *version = &c->in[FACT_engine_version];
    for (size_t i = 0; c->model && i < c->model->since.count; i++) {
        struct str since, engine = str_cut(c->model->since.at[i], ' ', &since);
        int order;
        since = str_trim(since);
        if (!str_eq(engine, c->engine))
            continue;
        bool is_older = version->known && since.n > 0 &&
                        version_compare(version->word, since, &order) &&
                        order < 0;
        return is_older ? (struct fit_checked){.verdict = VERDICT_NOT_ENOUGH,
                                               .why = NOTE("fit.release", since,
                                                           version->word,
                                                           c->model->id)}
                        : none;
    }
    return none;
}

void fit_check(struct arena *a, const struct inputs *c, struct fit *fit) {
    fit->checks[CHECK_HEADS] = heads(c);
    fit->checks[CHECK_SPLIT] = fit_check_split(a, c);
    fit->checks[CHECK_FLASH] = flash(c);
    fit->checks[CHECK_RELEASE] = release(c);
    fit->checks[CHECK_RANKS] = ranks(c);
    fit->checks[CHECK_POSITION] = position(a, c);
    fit->checks[CHECK_FREE] = free_at_start(c);
    fit->checks[CHECK_KV] = none; /* with the cache: fit.c */
    fit->checks[CHECK_SKU] = sku(c);
}
