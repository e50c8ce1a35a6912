/* bound.c: of a model that the catalogue does not have, the least that its
 * weights take, by what its name says:
 *
 *     Carnice-V2-27B-Q5_K_M.gguf    27 x 10^9 parameters, 5 bits at least
 *     agents-a1-35b-a3b             35 x 10^9 (a3b are the active ones), 1.5 bits
 *
 * A tenth is taken off, as names round up. That is enough to say that a model
 * does not fit, and never that it does. Weights that may lie in host memory
 * have no such bound; where only experts lie there, the rest of a model of the
 * catalogue has one.
 */
#include "launch/work.h"

#define LAYERS_ALL 90 /* people write 99 or 999 for all of them */

/* Tenths of a bit, never more than the format takes; longer names first. */
static const struct {
    const char *name;
    int64_t tenths;
} formats[] = {{"bf16", 160}, {"fp16", 160}, {"f16", 160},  {"fp8", 80},
               {"int8", 80},  {"w8a", 80},   {"q8", 80},    {"q6", 60},
               {"q5", 50},    {"iq4", 40},   {"q4", 40},    {"int4", 40},
               {"w4a", 40},   {"awq", 40},   {"gptq", 40},  {"fp4", 40},
               {"iq3", 28},   {"q3", 28},    {"iq2", 20},   {"q2", 20}};
#define TENTHS_LEAST 15 /* where no format is named */

int64_t bits_named(struct lint_work *k, const struct asked *it) {
    struct str name = it->fit->c.in[FACT_model].word;
    const struct fact *f = &it->fit->c.in[FACT_quantization];
    struct str both = arena_lower(
        k->a, arena_printf(k->a, "%.*s %.*s", STR_ARG(name),
                           STR_ARG(f->known ? f->word : STR(""))));
    int64_t least = 160;
    bool is_told = false;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (str_find(both, str_of(formats[i].name)) < both.n) {
            least = formats[i].tenths < least ? formats[i].tenths : least;
            is_told = true;
        }
    }
    return is_told ? least : 0;
}

static int64_t bits_least(struct lint_work *k, const struct asked *it) {
    int64_t tenths = bits_named(k, it);
    return tenths > 0 ? tenths : TENTHS_LEAST;
}

/* ---- what may lie in host memory ---- */

struct word_at {
    struct str name, value; /* value: behind "=", else the next word */
};

static struct word_at word_at(const struct workload *w, size_t i) {
    struct word_at it;
    it.name = str_cut(w->words.at[i].text, '=', &it.value);
    if (it.name.n == w->words.at[i].text.n && i + 1 < w->words.count)
        it.value = w->words.at[i + 1].text;
    return it;
}

static bool is_among(struct str word, const char *const *list) {
    for (; *list != NULL; list++)
        if (str_eq(word, str_of(*list)))
            return true;
    return false;
}

/* "blk\\..*_exps.*=CPU,blk\\.3\\.=CUDA0": what leaves the GPU are experts. */
static bool moves_experts_alone(struct str rules) {
    while (rules.n > 0) {
        struct str rest, rule = str_cut(rules, ',', &rest);
        bool leaves = str_ends(rule, STR("=CPU"));
        bool stays = str_find(rule, STR("=CUDA")) < rule.n;
        if (!stays && !(leaves && str_find(rule, STR("exps")) < rule.n))
            return false;
        rules = rest;
    }
    return true;
}

enum spill { SPILL_NONE, SPILL_EXPERTS, SPILL_ANY };

static enum spill spill_of_word(struct word_at it) {
    static const char *const any[] = {"--cpu-offload-gb", NULL};
    static const char *const fit[] = {"--fit", "-fit", NULL};
    static const char *const device[] = {"--device", "-dev", NULL};
    static const char *const experts[] = {
        "--n-cpu-moe", "-ncmoe", "--cpu-moe", "-cmoe", "--moe-cache", NULL};
    static const char *const tensors[] = {"-ot", "--override-tensor", NULL};
    if (is_among(it.name, any) ||
        (is_among(it.name, fit) && !str_eq(it.value, STR("off"))) ||
        (is_among(it.name, device) && str_eq(it.value, STR("none"))))
        return SPILL_ANY;
    if (is_among(it.name, tensors))
        return moves_experts_alone(it.value) ? SPILL_EXPERTS : SPILL_ANY;
    return is_among(it.name, experts) ? SPILL_EXPERTS : SPILL_NONE;
}

/* -ngl 99, -ngl all: an engine that places layers keeps some on the host unless
 * it is told so. */
static bool has_all_layers(const struct asked *it) {
    const struct fact *said = &it->fit->c.in[FACT_gpu_layers];
    const struct engine *e = it->engine;
    bool places = false, is_all = said->number >= LAYERS_ALL;
    for (size_t i = 0; i < e->flag_count; i++) {
        if (e->flags[i].fact != FACT_gpu_layers)
            continue;
        places = true;
        for (size_t n = 0; n < it->w->words.count; n++) {
            struct word_at word = word_at(it->w, n);
            is_all = is_all || (word_is_flag(&e->flags[i], word.name) &&
                                str_eq(word.value, STR("all")));
        }
    }
    return !places || is_all;
}

static enum spill spill_of(const struct asked *it) {
    enum spill most = SPILL_NONE;
    for (size_t i = 0; i < it->w->words.count; i++) {
        enum spill one = spill_of_word(word_at(it->w, i));
        most = one > most ? one : most;
    }
    bool is_any = it->fit->c.in[FACT_cpu_offload].number > 0 ||
                  !has_all_layers(it);
    return is_any ? SPILL_ANY : most;
}

bool weights_may_spill(const struct asked *it) {
    return spill_of(it) != SPILL_NONE;
}

int64_t cards_sharing(const struct inputs *c) {
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

/* Half of the last digit that a rounded count has: 500 million of 284 x 10^9. */
static int64_t rounding_of(int64_t params) {
    int64_t unit = 1;
    while (params > 0 && params / unit % 10 == 0)
        unit *= 10;
    return unit / 2;
}

/* Of the experts of so many layers; 0: not known. */
static int64_t params_of_experts(const struct model *m, int64_t layers) {
    const int64_t by[] = {m->hidden_size, m->expert_size, m->experts, layers};
    int64_t params = 3;
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
        if (by[i] <= 0 || !mul_i64(params, by[i], &params))
            return 0;
    return params;
}

/* Parameters that no expert and no table of words has; 0: not known. */
static int64_t params_without_experts(const struct model *m) {
    int64_t experts = params_of_experts(
        m, m->layers - m->dense_layers + m->draft_layers);
    int64_t all = m->params - experts - m->embedding_params -
                  m->other_params - rounding_of(m->params);
    bool is_known = experts > 0 && m->embedding_params > 0;
    return is_known && all > 0 ? all : 0;
}

static int64_t bytes_on_card(struct lint_work *k, const struct asked *it,
                             int64_t params) {
    int64_t bytes = 0, cards = cards_sharing(&it->fit->c);
    bool is_told = cards > 0 && mul_i64(params, bits_least(k, it), &bytes);
    return is_told ? bytes / 80 / cards : 0;
}

int64_t weights_least(struct lint_work *k, const struct asked *it) {
    const struct fit *fit = it->fit;
    const struct fact *model = fit != NULL ? &fit->c.in[FACT_model] : NULL;
    if (model == NULL || fit->c.model != NULL || !model->known ||
        spill_of(it) != SPILL_NONE)
        return 0;
    return bytes_on_card(
        k, it, params_named(model->word) / 10 * 9);
}

int64_t weights_beside_experts(struct lint_work *k, const struct asked *it) {
    const struct fit *fit = it->fit;
    if (fit == NULL || fit->fits != FIT_UNKNOWN || fit->c.model == NULL ||
        spill_of(it) != SPILL_EXPERTS)
        return 0;
    return bytes_on_card(k, it, params_without_experts(fit->c.model));
}

/* All of them, and as a copy: no rule keeps some on a GPU. */
static bool copies_all_experts(const struct workload *w) {
    static const char *const all[] = {"--cpu-moe", "-cmoe", NULL};
    static const char *const tensors[] = {"-ot", "--override-tensor", NULL};
    static const char *const modes[] = {"-lm", "--load-mode", NULL};
    bool is_copy = false, is_all = false, is_part = false;
    for (size_t i = 0; i < w->words.count; i++) {
        struct word_at it = word_at(w, i);
        is_copy = is_copy || str_eq(it.name, STR("--no-mmap")) ||
                  (is_among(it.name, modes) && str_eq(it.value, STR("none")));
        is_all = is_all || is_among(it.name, all);
        if (is_among(it.name, tensors)) {
            is_all = is_all || moves_experts_alone(it.value);
            is_part = is_part || str_find(it.value, STR("=CUDA")) < it.value.n;
        }
    }
    return is_copy && is_all && !is_part;
}

int64_t experts_least(struct lint_work *k, const struct asked *it) {
    const struct model *m = it->fit != NULL ? it->fit->c.model : NULL;
    int64_t bytes = 0;
    if (m == NULL || spill_of(it) != SPILL_EXPERTS ||
        !copies_all_experts(it->w))
        return 0;
    bool is_told =
        mul_i64(params_of_experts(m, m->layers - m->dense_layers),
                bits_least(k, it), &bytes);
    return is_told ? bytes / 80 : 0;
}

int64_t card_most(const struct asked *it) {
    const struct fact *total = &it->fit->c.in[FACT_gpu_total];
    return total->known          ? (total->ranged ? total->high : total->number)
           : it->fit->c.gpu != NULL ? it->fit->c.gpu->total_high
                                    : 0;
}
