/* fit_check.c: what is looked at beside the arithmetic of KV: does vLLM take
 * these settings at all, and would an operator such as KAITO let the job
 * through? KAITO compares the checkpoint's unquantized size with the nominal
 * memory of all cards, so a quantized copy may be turned away although it
 * fits: then its annotation kaito.sh/bypass-resource-checks is the way.
 */
#include "corpus/version.h"
#include "memory/budget.h"
#include "memory/inputs.h"
#include "memory/engines.h"
#include "memory/fit_case.h"
#include "memory/llama_cpp.h"
#include "memory/rules.h"
#include "memory/span.h"
#include "memory/training.h"
#include "memory/weights.h"

#define GIB (INT64_C(1) << 30)
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
    if (c->gpu && c->gpu->nominal_gb > 0 && !is_slice) {
        card = span_exact(c->gpu->nominal_gb * GIB);
    }
    if (c->model == NULL || c->model->params <= 0 || !card.known ||
        !is_of_kaito(c)) {
        return k;
    }
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
    static const char *const plain[] = {"f16", "bf16", "f32"};
    struct fit_checked k = none;
    struct str key, value;
    if (!engine_of(c)->has_cells || !is_off(c, FACT_flash_attention)) {
        return k;
    }
    llama_cache_types(c, &key, &value);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (str_eq_nocase(value, str_of(plain[i]))) {
            return k;
        }
    }
    k.verdict = VERDICT_NOT_ENOUGH;
    k.why = NOTE("fit.flash", value);
    return k;
}

/* The first release of this engine that loads the model; empty: unknown. */
static struct str since_of(const struct inputs *c) {
    for (size_t i = 0; c->model && i < c->model->since.count; i++) {
        struct str version,
            engine = str_cut(c->model->since.at[i], ' ', &version);
        if (str_eq(engine, c->engine)) {
            return str_trim(version);
        }
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
