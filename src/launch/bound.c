/* bound.c: bounds for models that the catalogue does not have. Their names give
 * the least bytes of their weights:
 *
 *   Carnice-V2-27B-Q5_K_M.gguf   27 x 10^9 parameters, 5 bits at least
 *   agents-a1-35b-a3b            35 x 10^9 (a3b are the active ones), 1.5 bits
 *
 * A tenth is taken off, since names round up. This is enough to prove that a
 * model does not fit, but never that it fits. Weights that may lie in host
 * memory have no such bound. If only experts may lie there, the other weights
 * of a model of the catalogue have one.
 *
 * If the bound does not decide, or the file names no model:
 *
 *   --model /model --served-model-name gpt-oss-20b   `fit` with that name
 *   --model ./models/3.1-8b-instruct                 by its size: at most
 *                                                    8 x 1.3 x 10^9 x 2 bytes
 *   --model "$MODEL"                                 bytes that the cards hold
 *
 * By a served name or a size the verdict is `likely` at most: never that the
 * model does not fit, and never that it surely fits. */
#include "launch/work.h"

#define LAYERS_ALL 90 /* 99 or 999 often means all layers */

static const struct fact *input_of(const struct target *it,
                                   enum fact_name name) {
    const struct fact *f = it->fit != NULL ? &it->fit->c.in[name] : NULL;
    return f != NULL && f->known ? f : NULL;
}

/* Tenths of a bit per weight, a lower bound for each format. */
static const struct {
    const char *name;
    int64_t tenths;
} formats[] = {{"bf16", 160}, {"fp16", 160}, {"f16", 160},  {"fp8", 80},
               {"int8", 80},  {"w8a", 80},   {"q8", 80},    {"q6", 60},
               {"q5", 50},    {"iq4", 40},   {"q4", 40},    {"int4", 40},
               {"w4a", 40},   {"awq", 40},   {"gptq", 40},  {"fp4", 40},
               {"iq3", 28},   {"q3", 28},    {"iq2", 20},   {"q2", 20}};
#define TENTHS_LEAST 15 /* if no format is named */

/* The least tenths of a bit per weight, by the formats in the model's name and
 * in the flags; 0: none is named. */
static int64_t bits_named(struct lint_work *k, const struct target *it) {
    struct str name = it->fit->c.in[FACT_model].word;
    const struct fact *f = &it->fit->c.in[FACT_quantization];
    struct str both = arena_lower(
        k->a, arena_printf(k->a, "%.*s %.*s", STR_ARG(name),
                           STR_ARG(f->known ? f->word : STR(""))));
    int64_t least = 160;
    bool is_known = false;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (str_find(both, str_of(formats[i].name)) < both.n) {
            least = formats[i].tenths < least ? formats[i].tenths : least;
            is_known = true;
        }
    }
    return is_known ? least : 0;
}

static int64_t bits_least(struct lint_work *k, const struct target *it) {
    int64_t tenths = bits_named(k, it);
    return tenths > 0 ? tenths : TENTHS_LEAST;
}

/* ---- weights in host memory ---- */

/* True if the rules move only experts off the GPU:
 * "blk\\..*_exps.*=CPU,blk\\.3\\.=CUDA0". */
static bool moves_experts_alone(struct str rules) {
    while (rules.n > 0) {
        struct str rule = str_cut(rules, ',', &rules);
        bool leaves = str_ends(rule, STR("=CPU"));
        bool stays = str_find(rule, STR("=CUDA")) < rule.n;
        if (!stays && !(leaves && str_find(rule, STR("exps")) < rule.n))
            return false;
    }
    return true;
}

enum spill { SPILL_NONE, SPILL_EXPERTS, SPILL_ANY };

static bool is_of_tensors(struct str flag) {
    return STR_IS_ONE(flag, "-ot", "--override-tensor");
}

static enum spill spill_of_word(struct option_word it) {
    if (str_eq(it.name, STR("--cpu-offload-gb")) ||
        (STR_IS_ONE(it.name, "--fit", "-fit") &&
         !str_eq(it.value, STR("off"))) ||
        (STR_IS_ONE(it.name, "--device", "-dev") &&
         str_eq(it.value, STR("none"))))
        return SPILL_ANY;
    if (is_of_tensors(it.name))
        return moves_experts_alone(it.value) ? SPILL_EXPERTS : SPILL_ANY;
    return STR_IS_ONE(it.name, "--n-cpu-moe", "-ncmoe", "--cpu-moe", "-cmoe",
                      "--moe-cache") ? SPILL_EXPERTS : SPILL_NONE;
}

/* True if all layers lie on the GPU (-ngl 99, -ngl all). An engine with such a
 * flag keeps some on the host by default. */
static bool has_all_layers(const struct target *it) {
    size_t at = word_of_fact(it, FACT_gpu_layers);
    return engine_flag_of(it->engine, FACT_gpu_layers) == NULL ||
           it->fit->c.in[FACT_gpu_layers].number >= LAYERS_ALL ||
           (at < it->w->words.count &&
            str_eq(option_at(&it->w->words, at).value, STR("all")));
}

static enum spill spill_of(const struct target *it) {
    enum spill most = SPILL_NONE;
    for (size_t i = 0; i < it->w->words.count; i++) {
        enum spill one = spill_of_word(option_at(&it->w->words, i));
        most = one > most ? one : most;
    }
    bool is_any = it->fit->c.in[FACT_cpu_offload].number > 0 ||
                  !has_all_layers(it);
    return is_any ? SPILL_ANY : most;
}

/* The most cards that share the weights; 0: overflow. */
static int64_t cards_sharing(const struct inputs *c) {
    static const enum fact_name ways[] = {
        FACT_tensor_parallel, FACT_pipeline_parallel, FACT_data_parallel};
    int64_t cards = 1, count = c->in[FACT_gpu_count].number;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        int64_t n = c->in[ways[i]].number;
        if (n > 1 && !mul_i64(cards, n, &cards))
            return 0;
    }
    return count > cards ? count : cards;
}

/* Half a unit of the last digit of a rounded count: 500 million for 284 x
 * 10^9. */
static int64_t rounding_of(int64_t params) {
    int64_t unit = 1;
    while (params > 0 && params / unit % 10 == 0)
        unit *= 10;
    return unit / 2;
}

/* The parameters of the experts in so many layers; 0: not known. */
static int64_t params_of_experts(const struct model *m, int64_t layers) {
    const int64_t by[] = {m->hidden_size, m->expert_size, m->experts, layers};
    int64_t params = 3;
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        if (by[i] <= 0 || !mul_i64(params, by[i], &params))
            return 0;
    return params;
}

/* The parameters without experts and embeddings; 0: not known. */
static int64_t params_without_experts(const struct model *m) {
    int64_t experts = params_of_experts(
        m, m->layers - m->dense_layers + m->draft_layers);
    int64_t all = m->params - experts - m->embedding_params -
                  m->other_params - rounding_of(m->params);
    bool is_known = experts > 0 && m->embedding_params > 0;
    return is_known && all > 0 ? all : 0;
}

static int64_t bytes_on_card(struct lint_work *k, const struct target *it,
                             int64_t params) {
    int64_t bytes = 0, cards = cards_sharing(&it->fit->c);
    bool is_known = cards > 0 && mul_i64(params, bits_least(k, it), &bytes);
    return is_known ? bytes / 80 / cards : 0;
}

/* The least weights on a card, by the model's name; 0: the name has no size, or
 * the catalogue has the model. */
static int64_t weights_least(struct lint_work *k, const struct target *it) {
    const struct fact *model = input_of(it, FACT_model);
    if (model == NULL || it->fit->c.model != NULL ||
        spill_of(it) != SPILL_NONE || gap_of(it) == GAP_WEIGHTS)
        return 0;
    return bytes_on_card(k, it, params_named(model->word) / 10 * 9);
}

/* The weights on a card without the experts, for a model of the catalogue whose
 * experts lie in host memory. */
static int64_t weights_beside_experts(struct lint_work *k,
                                      const struct target *it) {
    const struct fit *fit = it->fit;
    if (fit == NULL || fit->fits != FIT_UNKNOWN || fit->c.model == NULL ||
        spill_of(it) != SPILL_EXPERTS || gap_of(it) == GAP_WEIGHTS)
        return 0;
    return bytes_on_card(k, it, params_without_experts(fit->c.model));
}

void bound_by_name(struct lint_work *k, struct target *it) {
    int64_t least = weights_least(k, it);
    if (least == 0) {
        least = weights_beside_experts(k, it);
        it->is_without_experts = least > 0;
    }
    if (least > 0 && card_most(it) > 0 && least > card_most(it)) {
        it->weights_bytes = least;
        it->fits = FIT_NO;
    }
}

/* True if all experts are copied to host memory: no rule keeps some on a GPU,
 * and they are not mapped from the file. */
static bool copies_all_experts(const struct workload *w) {
    bool is_copy = false, is_all = false, is_part = false;
    for (size_t i = 0; i < w->words.count; i++) {
        struct option_word it = option_at(&w->words, i);
        is_copy = is_copy || str_eq(it.name, STR("--no-mmap")) ||
                  (STR_IS_ONE(it.name, "-lm", "--load-mode") &&
                   str_eq(it.value, STR("none")));
        is_all = is_all || STR_IS_ONE(it.name, "--cpu-moe", "-cmoe");
        if (is_of_tensors(it.name)) {
            is_all = is_all || moves_experts_alone(it.value);
            is_part = is_part || str_find(it.value, STR("=CUDA")) < it.value.n;
        }
    }
    return is_copy && is_all && !is_part;
}

int64_t experts_least(struct lint_work *k, const struct target *it) {
    const struct model *m = it->fit != NULL ? it->fit->c.model : NULL;
    int64_t bytes = 0;
    if (m == NULL || spill_of(it) != SPILL_EXPERTS ||
        !copies_all_experts(it->w))
        return 0;
    bool is_known =
        mul_i64(params_of_experts(m, m->layers - m->dense_layers),
                bits_least(k, it), &bytes);
    return is_known ? bytes / 80 : 0;
}

int64_t card_most(const struct target *it) {
    const struct fact *total = &it->fit->c.in[FACT_gpu_total];
    return total->known          ? (total->ranged ? total->high : total->number)
           : it->fit->c.gpu != NULL ? it->fit->c.gpu->total_high
                                    : 0;
}

/* ---- bytes that the cards hold ---- */

#define OVER_NAME 13 / 10   /* gemma-7b has 8.5 x 10^9, Qwen3-0.6B 0.75 x
                               10^9 */
#define OF_ROOM 3 / 4       /* the rest is for activations of one step */
#define BYTES_OF_VALUE 2    /* of a key or value, 16 bits */
#define PARAMS_OF_MANY 7000000000 /* from this size on embeddings, which stay in
                                     16 bits, are a fifth at most */
#define WHOLE_MICRO INT64_C(1000000)

const struct fact *share_of_card(const struct target *it) {
    const struct fact *share = input_of(it, FACT_gpu_memory_utilization);
    return share != NULL ? share : input_of(it, FACT_mem_fraction_static);
}

/* The bytes of one card that the engine may use. */
static int64_t share_of(const struct target *it, int64_t bytes) {
    const struct fact *share = share_of_card(it);
    return share != NULL ? bytes / WHOLE_MICRO * share->number : bytes;
}

int64_t room_for_weights(const struct target *it) {
    int64_t room = 0;
    if (it->fit == NULL || it->fit->c.model != NULL ||
        workload_is_script(it->w) || it->fits != FIT_UNKNOWN ||
        spill_of(it) != SPILL_NONE || gap_of(it) == GAP_WEIGHTS)
        return 0;
    return mul_i64(share_of(it, card_most(it)), cards_sharing(&it->fit->c),
                   &room)
               ? room
               : 0;
}

/* ---- the size in the name ---- */

/* Bytes of KV cache for one token, without grouped heads: layers = width / 128,
 * and parameters = 12 x width^2 x layers. */
static int64_t cache_of_token(int64_t params) {
    int64_t width = 512;
    while (width < 32768 && 12 * width * width / 128 * width < params)
        width += 64;
    return 2 * BYTES_OF_VALUE * (width / 128) * width;
}

/* The length of the longest request; 0: the model's own, which is unknown. */
static int64_t length_of(const struct target *it) {
    const struct fact *f = input_of(it, FACT_max_model_len);
    if (f == NULL)
        f = input_of(it, FACT_context_length);
    return f != NULL && f->source != SOURCE_DEFAULT ? f->number : 0;
}

/* The most tenths of a bit per weight: 160, since engines load 32-bit weights
 * in 16 bits. With a named format: up to 4.5 or 8.5 bits, and 16 bits for a
 * fifth of the weights. */
static int64_t bits_most(struct lint_work *k, const struct target *it,
                         int64_t params) {
    int64_t least = bits_named(k, it);
    if (least == 0 || params < PARAMS_OF_MANY)
        return 160;
    return least <= 40 ? 70 : least <= 80 ? 100 : 160;
}

bool is_likely_by_size(struct lint_work *k, const struct target *it) {
    const struct fact *model = input_of(it, FACT_model);
    const struct fact *total = input_of(it, FACT_gpu_total);
    const struct fact *dtype = input_of(it, FACT_dtype);
    int64_t need = 0, cache = 0, length = length_of(it);
    if (model == NULL || it->fit->c.model != NULL || length <= 0 ||
        total == NULL || it->fits != FIT_UNKNOWN ||
        (dtype != NULL && str_eq(dtype->word, STR("float32"))))
        return false;
    int64_t params = params_named(model->word) * OVER_NAME;
    int64_t ranks = it->fit->c.in[FACT_tensor_parallel].number *
                    it->fit->c.in[FACT_pipeline_parallel].number;
    int64_t least = total->ranged ? total->low : total->number;
    bool is_known = params > 0 &&
                    mul_i64(cache_of_token(params), length, &cache) &&
                    mul_i64(params, bits_most(k, it, params), &need);
    return is_known && (need / 80 + cache) / (ranks > 1 ? ranks : 1) <=
                           share_of(it, least) * OF_ROOM;
}

/* ---- the served name ---- */

const struct workload *workload_by_served(struct lint_work *k,
                                          const struct target *it) {
    struct str served =
        OPTION_VALUE(&it->w->words, "--served-model-name", "--alias");
    const struct fact *model = input_of(it, FACT_model);
    if (it->fit == NULL || it->fit->c.model != NULL || served.n == 0 ||
        str_find_char(served, '$') < served.n ||
        reader_model(k->r, served).model == NULL ||
        (model != NULL && params_named(model->word) > 0))
        return NULL;
    struct workload *copy = workload_copy(k->a, it->w);
    bool is_put = false;
    for (size_t i = 0; i < copy->words.count; i++) {
        struct str *word = &copy->words.at[i].text;
        bool is_model = model != NULL && str_eq(*word, model->word);
        is_put = is_put || is_model;
        *word = is_model ? served : *word;
    }
    if (!is_put) {
        const struct flag *flag = engine_flag_of(it->engine, FACT_model);
        word_add(k->a, &copy->words, flag ? flag->flag : STR("--model"),
                 it->w->at);
        word_add(k->a, &copy->words, served, it->w->at);
    }
    return copy;
}
