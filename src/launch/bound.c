/* bound.c: of a model that the catalogue does not have, the least that its
 * weights take, by what its name says:
 *
 *     Carnice-V2-27B-Q5_K_M.gguf    27 x 10^9 parameters, 5 bits at least
 *     agents-a1-35b-a3b             35 x 10^9 (a3b are the active ones), 1.5 bits
 *
 * A tenth is taken off, as names round up. That is enough to say that a model
 * does not fit, and never that it does. Weights that may lie in host memory
 * have no such bound.
 */
#include "launch/work.h"

#define BILLION INT64_C(1000000000)
#define LAYERS_ALL 90 /* people write 99 or 999 for all of them */
#define PARAMS_MOST 4000 /* billions: more is a version, not a size */

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

static bool is_word(struct str s, size_t i) {
    char c = i < s.n ? s.p[i] : ' ';
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
}

static size_t digits_at(struct str s, size_t i) {
    size_t n = 0;
    while (i + n < s.n && s.p[i + n] >= '0' && s.p[i + n] <= '9')
        n++;
    return n;
}

/* "-27b-", "_1.7B.": tenths of 10^9 at i; 0: no size stands there. */
static int64_t size_at(struct str s, size_t i) {
    bool begins = i == 0 || (!is_word(s, i - 1) && s.p[i - 1] != '.');
    size_t n = begins ? digits_at(s, i) : 0;
    size_t end = i + n;
    int64_t whole = 0, tenth = 0;
    if (n == 0 || !str_to_int(str_slice(s, i, n), &whole))
        return 0;
    if (end < s.n && s.p[end] == '.') {
        n = digits_at(s, end + 1);
        tenth = n > 0 ? s.p[end + 1] - '0' : 0;
        end += 1 + n;
    }
    bool ends = end < s.n && (s.p[end] | 32) == 'b' && !is_word(s, end + 1);
    return ends && whole <= PARAMS_MOST ? whole * 10 + tenth : 0;
}

static int64_t size_of_name(struct str name) {
    int64_t most = 0;
    for (size_t i = 0; i < name.n; i++) {
        int64_t size = size_at(name, i);
        most = size > most ? size : most;
    }
    return most;
}

static int64_t bits_of(struct lint_work *k, const struct asked *it,
                       struct str name) {
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
    return is_told ? least : TENTHS_LEAST;
}

/* Weights may lie elsewhere: flags that say so, and an engine that leaves layers
 * on the host unless it is told how many go to the GPU. */
static bool may_spill(const struct asked *it) {
    static const char *const flags[] = {
        "--fit", "-fit", "--n-cpu-moe", "-ncmoe", "--cpu-moe", "-cmoe", "-ot",
        "--override-tensor", "--cpu-offload-gb", "--moe-cache"};
    const struct inputs *c = &it->fit->c;
    bool places_layers = false;
    for (size_t i = 0; i < it->w->words.count; i++) {
        struct str rest;
        struct str word = str_cut(it->w->words.at[i].text, '=', &rest);
        for (size_t n = 0; n < sizeof flags / sizeof *flags; n++)
            if (str_eq(word, str_of(flags[n])))
                return true;
    }
    for (size_t i = 0; i < it->engine->flag_count; i++)
        places_layers = places_layers ||
                        it->engine->flags[i].fact == FACT_gpu_layers;
    return c->in[FACT_cpu_offload].number > 0 ||
           (places_layers && c->in[FACT_gpu_layers].number < LAYERS_ALL);
}

/* As many as share the weights at most. */
static int64_t cards_of(const struct inputs *c) {
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

int64_t weights_least(struct lint_work *k, const struct asked *it) {
    const struct fit *fit = it->fit;
    const struct fact *model = fit != NULL ? &fit->c.in[FACT_model] : NULL;
    if (model == NULL || fit->c.model != NULL || !model->known ||
        may_spill(it))
        return 0;
    int64_t bytes = 0, cards = cards_of(&fit->c);
    bool is_told =
        cards > 0 &&
        mul_i64(size_of_name(model->word) * (BILLION / 10) / 10 * 9,
                bits_of(k, it, model->word), &bytes);
    return is_told ? bytes / 80 / cards : 0;
}

int64_t card_most(const struct asked *it) {
    const struct fact *total = &it->fit->c.in[FACT_gpu_total];
    return total->known          ? (total->ranged ? total->high : total->number)
           : it->fit->c.gpu != NULL ? it->fit->c.gpu->total_high
                                    : 0;
}
