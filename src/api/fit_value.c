/* fit_value.c: one value of a question of `fit`: the fact of its name, and
 * which values it accepts. An invalid value is refused with one line that has
 * the accepted ones. */
#include "api/fit_value.h"

#include "base/limits.h"
#include "diagnose/diagnose.h"
#include "memory/training.h"

/* ---- names ---- */

static const struct {
    const char *name;
    enum fact_name fact;
} also[] = {{"tp", FACT_tensor_parallel},   {"pp", FACT_pipeline_parallel},
            {"dp", FACT_data_parallel},     {"gpu", FACT_gpu_name},
            {"gpus", FACT_gpu_count},       {"gpu_memory", FACT_gpu_total},
            {"length", FACT_max_model_len}, {"zero", FACT_zero_stage},
            {"micro_batch_size", FACT_batch_size}};

bool fit_fact_named(struct arena *a, struct str given, enum fact_name *out) {
    struct str name = str_trim(given);
    size_t dashes = str_starts(name, STR("--")) ? 2 : 0;
    name = arena_swap(a, str_from(name, dashes), '-', '_');
    for (size_t i = 0; i < sizeof also / sizeof also[0]; i++) {
        if (str_eq(name, str_of(also[i].name))) {
            *out = also[i].fact;
            return true;
        }
    }
    return fact_named(name, out);
}

enum fact_name fit_fact_called(struct arena *a, struct str given) {
    enum fact_name fact;
    if (!fit_fact_named(a, given, &fact))
        arena_raise(a, FAIL_USAGE, "%.*s", STR_ARG(no_such_fact(a, given)));
    return fact;
}

/* ---- values ---- */

const char *const fit_engines[] = {
    "vllm", "sglang", "llama.cpp", "ollama", "tensorrt-llm", "tgi",
    "lmdeploy", "transformers", "mlx", "exllama", "deepspeed", "fsdp",
    "megatron", "pytorch", NULL};

/* The accepted words, if this one is not among them; NULL: it is valid. */
static const char *accepted_words(const struct fact *f) {
    static const char *const dtypes[] = {"bfloat16", "float16", "half",
                                         "float32", "float", "bf16", "fp16",
                                         NULL};
    static const char *const places[] = {"none", "optimizer", "all", NULL};
    static const struct {
        enum fact_name fact;
        const char *const *words;
        const char *accepted;
    } rows[] = {
        {FACT_dtype, dtypes, "auto, bfloat16, float16 or float32"},
        {FACT_offload, places, "none, optimizer or all"},
        {FACT_engine, fit_engines,
         "vllm, sglang, llama.cpp, ollama, tensorrt-llm, tgi, lmdeploy, mlx, "
         "exllama, transformers, or to train deepspeed, fsdp, megatron"}};
    enum optimizer optimizer;
    enum precision precision;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (f->name == rows[i].fact && !str_in_nocase(f->word, rows[i].words))
            return rows[i].accepted;
    if (f->name == FACT_optimizer &&
        !training_optimizer_named(f->word, &optimizer))
        return "adamw, adamw_8bit, adafactor, momentum or sgd";
    return f->name == FACT_precision &&
                   !training_precision_named(f->word, &precision)
               ? "mixed (bf16, fp16), half or full" : NULL;
}

/* The accepted numbers, if this one is not among them; NULL: it is valid. */
static const char *accepted_numbers(struct arena *a, const struct fact *f) {
    static const enum fact_name from_zero[] = {
        FACT_rank,       FACT_gpu_index,  FACT_kv_tokens, FACT_gpu_layers,
        FACT_zero_stage, FACT_lora_rank, FACT_COUNT_OF};
    enum unit unit = fact_unit(f->name);
    int64_t least = !fact_is_one(f->name, from_zero);
    if ((unit == UNIT_COUNT || unit == UNIT_TOKENS) && f->number < least)
        return least == 0 ? "a number from 0" : "a number from 1";
    if (unit == UNIT_COUNT && f->name != FACT_trainable_params &&
        f->number > FIT_COUNT_MAX)
        return arena_printf(a, "at most %d", FIT_COUNT_MAX).p;
    if (f->name == FACT_zero_stage && f->number > 3)
        return "0 to 3";
    if (f->name == FACT_gpu_total && f->number <= 0)
        return "a size above 0";
    return fact_is_share(f->name) &&
                   (f->number <= 0 || f->number > UNITS_MICRO)
               ? "a share of the card, above 0 and up to 1 (0.9)" : NULL;
}

/* True for values that leave the choice to the model or the engine: "auto", -1,
 * all layers, a context of 0. */
static bool is_left_open(enum fact_name name, struct str text) {
    static const enum fact_name may_be_open[] = {
        FACT_max_model_len, FACT_dtype, FACT_quantization, FACT_gpu_layers,
        FACT_context_length, FACT_max_num_batched_tokens, FACT_max_num_seqs,
        FACT_COUNT_OF};
    bool is_open = str_eq_nocase(text, STR("auto")) || str_eq(text, STR("-1"));
    bool is_all = name == FACT_gpu_layers && str_eq_nocase(text, STR("all"));
    bool is_models = name == FACT_context_length && str_eq(text, STR("0"));
    return is_all || is_models || (is_open && fact_is_one(name, may_be_open));
}

bool fit_value_read(struct arena *a, enum fact_name name, struct str given,
                    struct fact *out) {
    struct str text = str_trim(given), why = {NULL, 0};
    if (is_left_open(name, text))
        return false;
    struct str pair = arena_printf(a, "%s=%.*s", fact_spelling(name),
                                   STR_ARG(text));
    if (!answer_read(a, pair, out, &why))
        arena_raise(a, FAIL_USAGE, "%.*s", STR_ARG(why));
    const char *words = accepted_words(out);
    const char *numbers = accepted_numbers(a, out);
    if (words != NULL || numbers != NULL)
        arena_raise(a, FAIL_USAGE, "%s takes %s, not '%.*s'",
                    fact_spelling(name), words != NULL ? words : numbers,
                    STR_ARG(words != NULL ? out->word : text));
    out->ranged = false;
    out->low = out->high = out->number;
    return true;
}

/* ---- slices ---- */

bool fit_slice_named(struct str name, struct str *whole, int64_t *gib) {
    for (size_t i = 1; i + 3 < name.n; i++) {
        bool is_cut = name.p[i] == 'g' && name.p[i + 1] == '.' &&
                      name.p[i - 1] >= '1' && name.p[i - 1] <= '9';
        struct str rest = str_from(name, i + 2), after;
        struct str size = str_cut(rest, 'g', &after);
        if (is_cut && after.n > 0 && str_to_int(size, gib) && *gib > 0 &&
            *gib < 1000) {
            *whole = str_trim(str_slice(name, 0, i - 1));
            struct str last = str_slice(*whole, whole->n - 3, 3);
            if (whole->n >= 3 && str_eq_nocase(last, STR("MIG")))
                *whole = str_trim(str_slice(*whole, 0, whole->n - 3));
            return true;
        }
    }
    return false;
}

struct fact fit_slice_total(int64_t gib) {
    int64_t most = gib << 30;
    struct fact f =
        fact_number(FACT_gpu_total, SOURCE_USER, most / 100 * 97);
    f.ranged = true;
    f.low = most / 100 * 94;
    f.high = most;
    f.why = STR("of the MIG slice's name");
    return f;
}
