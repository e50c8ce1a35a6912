/* gap.c: cases in which "does not fit" of `fit` is no verdict on a file.
 *
 *     vllm serve X -tp $TP        the number of cards is unknown; `fit` uses
 *                                 the default, one
 *     llama-server -m X -c $CTX   the longest request is unknown: `fit` is
 *                                 called again with a short one
 *     llama-server -m X           no number of layers is given, so the engine
 *                                 puts as many on the GPU as it holds; Ollama
 *                                 does the same
 */
#include "launch/work.h"

static enum gap gap_of_flag(const struct flag *flag) {
    static const enum fact_name of_weights[] = {
        FACT_tensor_parallel, FACT_pipeline_parallel, FACT_data_parallel,
        FACT_quantization,    FACT_dtype,             FACT_cpu_offload,
        FACT_gpu_layers};
    if (flag == NULL || flag->fact == FACT_model)
        return GAP_NONE;
    for (size_t i = 0; i < sizeof of_weights / sizeof *of_weights; i++)
        if (flag->fact == of_weights[i])
            return GAP_WEIGHTS;
    return flag->fact == FACT_max_model_len ||
                   flag->fact == FACT_context_length
               ? GAP_LENGTH
               : GAP_OTHER;
}

/* The gap of one word. Flags that set no memory (--port $PORT) have none. */
static enum gap gap_at(const struct target *it, size_t i) {
    const struct word_list *words = &it->w->words;
    struct str word = words->at[i].text, before = STR("");
    if (!STR_HAS_ONE(word, "$", "`"))
        return GAP_NONE;
    if (str_starts(word, STR("-")))
        before = word;
    else if (i > 0 && str_starts(words->at[i - 1].text, STR("-")))
        before = words->at[i - 1].text;
    else
        return i > 0 && str_starts(word, STR("$")) ? GAP_WEIGHTS : GAP_NONE;
    return gap_of_flag(flag_of_word(it->engine, before));
}

/* The largest gap of all words. The first word without a flag may be the
 * model, which is no gap. */
enum gap gap_of(const struct target *it) {
    const struct fact *model =
        it->fit != NULL ? &it->fit->c.in[FACT_model] : NULL;
    bool is_named = model != NULL && model->known;
    enum gap most = GAP_NONE;
    for (size_t i = 0; it->engine != NULL && i < it->w->words.count; i++) {
        struct str word = it->w->words.at[i].text;
        enum gap one = gap_at(it, i);
        bool is_model =
            is_named ? str_eq(word, model->word)
                     : one == GAP_WEIGHTS && str_starts(word, STR("$"));
        is_named = is_named || is_model;
        if (!is_model && one > most)
            most = one;
    }
    return most;
}

const struct workload *workload_short(struct lint_work *k,
                                      const struct target *it) {
    struct workload *copy = workload_copy(k->a, it->w);
    for (size_t i = 0; i < copy->words.count; i++) {
        struct str *word = &copy->words.at[i].text;
        struct str value, flag = str_cut(*word, '=', &value);
        if (gap_at(it, i) == GAP_LENGTH)
            *word = value.n > 0
                        ? arena_printf(k->a, "%.*s=256", STR_ARG(flag))
                        : STR("256");
    }
    return copy;
}

bool is_placed_by_engine(const struct target *it) {
    const struct flag *layers = engine_flag_of(it->engine, FACT_gpu_layers);
    bool is_given = word_of_fact(it, FACT_gpu_layers) < it->w->words.count;
    for (size_t i = 0; i < it->w->env.count; i++) {
        struct str name = it->w->env.at[i].name;
        is_given = is_given || flag_of_variable(it->engine, name) == layers;
    }
    return layers != NULL && !is_given;
}
