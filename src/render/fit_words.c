/* fit_words.c: the sentences about a fit, for the formats that people read. */
#include "render/fit_words.h"

#include "diagnose/diagnose.h"
#include "memory/engines.h"
#include "memory/span.h"

static const struct fact *input(const struct fit *fit, enum fact_name name) {
    return &fit->c.in[name];
}

static struct str fact_in(const struct render *t, const struct fit *fit,
                          enum fact_name name) {
    const struct fact *f = input(fit, name);
    return f->known ? fact_text(t, f) : STR("");
}

/* ---- the question ---- */

/* The name of the card; of a memory that the user gave, a slice of the card. */
static struct str card_name(const struct render *t, const struct fit *fit) {
    const struct fact *total = input(fit, FACT_gpu_total);
    const struct fact *name = input(fit, FACT_gpu_name);
    struct str args[] = {name->word, span_text(t, UNIT_BYTES,
                                               span_of_fact(total))};
    if (fit->c.gpu != NULL && total->source != SOURCE_USER)
        return fit->c.gpu->id;
    if (!total->known)
        return STR("");
    return name->known ? tr_args(t, "fit.slice", args, 2) : args[1];
}

static struct str cards(const struct render *t, const struct fit *fit) {
    struct str card = card_name(t, fit);
    const struct fact *count = input(fit, FACT_gpu_count);
    int64_t n = count->known ? count->number
                             : input(fit, FACT_tensor_parallel)->number *
                                   input(fit, FACT_pipeline_parallel)->number;
    if (card.n == 0)
        return tr(t, "fit.some_card");
    if (n <= 1)
        return card;
    return TR(t, "fit.cards", count_text(t, n), card);
}

/* "Qwen/Qwen2.5-32B-Instruct (awq)", if the weights are stored otherwise than
 * the release. */
static struct str model_name(const struct render *t, const struct fit *fit) {
    const struct model *model = fit->c.model;
    const struct fact *how = input(fit, FACT_quantization);
    const struct fact *name = input(fit, FACT_model);
    if (model == NULL)
        return name->known ? name->word : tr(t, "fit.some_model");
    bool is_other = how->known && how->word.n > 0 &&
                    !str_eq(how->word, model->quantization);
    return is_other ? TR(t, "fit.stored", model->id, how->word) : model->id;
}

struct str fit_title(const struct render *t, const struct fit *fit) {
    const struct fact *engine = input(fit, FACT_engine);
    const struct fact *version = input(fit, FACT_engine_version);
    const struct engine *its = reader_engine_by_id(t->r, fit->c.engine);
    struct str name = its != NULL ? its->name : engine->word;
    struct str software =
        version->known
            ? arena_printf(t->a, "%.*s %.*s", STR_ARG(name),
                           STR_ARG(version->word))
            : name;
    return TR(t, "fit.title", model_name(t, fit), cards(t, fit), software,
              fit_verdict_word(t, fit->fits));
}

struct str fit_verdict_word(const struct render *t, enum truth_fit fits) {
    static const char *const keys[] = {[FIT_YES] = "fit.yes",
                                       [FIT_LIKELY] = "fit.likely",
                                       [FIT_NO] = "fit.no",
                                       [FIT_UNKNOWN] = "fit.unknown"};
    return tr(t, keys[fits]);
}

struct span fit_held(const struct fit *fit) {
    return span_plus(fit->training.total,
                     span_of_fact(input(fit, FACT_non_torch)));
}

static struct str training_numbers(const struct render *t,
                                   const struct fit *fit) {
    struct span all = fit_held(fit);
    if (!all.known)
        return STR("");
    return TR(t, fit->budget.total.known ? "fit.step_and_card" : "fit.step",
              fact_in(t, fit, FACT_batch_size),
              fact_in(t, fit, FACT_seq_len),
              span_text(t, UNIT_BYTES, all),
              span_text(t, UNIT_BYTES, fit->budget.total));
}

/* The need and the room; without room, the amount by which the rest is too
 * large. */
static struct str with_room(const struct render *t,
                            const struct str need[2], struct span pool) {
    struct span missing = span_minus(span_exact(0), pool);
    struct str args[] = {need[0], need[1], STR(""), STR("")};
    if (pool.high <= 0) {
        args[2] = span_text(t, UNIT_BYTES, missing);
        return tr_args(t, "fit.no_room", args, 3);
    }
    if (pool.low < 0) {
        args[2] = bytes_text(t, pool.high);
        args[3] = bytes_text(t, missing.high);
        return tr_args(t, "fit.perhaps_room", args, 4);
    }
    args[2] = span_text(t, UNIT_BYTES, pool);
    return tr_args(t, "fit.need_and_pool", args, 3);
}

static struct str without_cache(const struct render *t,
                                const struct fit *fit) {
    struct span left = fit->kv.pool, missing = span_minus(span_exact(0), left);
    struct str why = tr(t, fit->c.model->is_encoder ? "fit.encoder"
                                                    : "fit.pooling");
    struct str args[] = {why, STR(""), STR("")};
    if (!left.known)
        return why;
    args[1] = left.high <= 0 ? span_text(t, UNIT_BYTES, missing)
              : left.low < 0 ? bytes_text(t, left.high)
                             : span_text(t, UNIT_BYTES, left);
    args[2] = bytes_text(t, missing.high);
    return tr_args(t,
                   left.high <= 0  ? "fit.without_cache_no"
                   : left.low < 0 ? "fit.without_cache_perhaps"
                                  : "fit.without_cache",
                   args, 3);
}

struct str fit_numbers(const struct render *t, const struct fit *fit) {
    const struct kv *kv = &fit->kv;
    struct str length = fact_in(t, fit, FACT_max_model_len);
    struct str need = span_text(t, UNIT_BYTES, kv_request(kv));
    if (fit->is_training)
        return training_numbers(t, fit);
    if (!fit->has_cache)
        return without_cache(t, fit);
    if (!kv_request(kv).known)
        return STR("");
    struct str args[] = {length, need};
    if (!kv->pool.known)
        return tr_args(t, "fit.need", args, 2);
    return with_room(t, args, kv->pool);
}

struct str fit_asked(const struct render *t, const struct fit *fit) {
    struct str args[] = {count_text(t, fit->requests),
                         hundredths_text(t, fit->kv.max_concurrency)};
    return fit->requests > 1 && args[1].n > 0
               ? tr_args(t, "fit.asked", args, 2)
               : STR("");
}

struct str fit_needs(const struct render *t, const struct fit *fit) {
    struct words names = words_begin(t, STR(", "));
    if (fit->because.key != NULL)
        return note_text(t, &fit->because);
    for (size_t i = 0; i < fit->kv.needs.count; i++) {
        struct str label = label_text(t, fit->kv.needs.at[i]);
        const char *name = fact_spelling(fit->kv.needs.at[i]);
        bool is_own = str_eq(label, str_of(name));
        words_add(&names, is_own ? label
                                 : arena_printf(t->a, "%.*s (%s)",
                                                STR_ARG(label), name));
    }
    return words_into(&names, "fit.needs");
}

struct budget fit_parts(const struct render *t, const struct fit *fit) {
    struct budget shown = fit->budget;
    if (shown.count == 0 || !engine_of(&fit->c)->lacks_torch)
        return shown;
    shown.parts = arena_array(t->a, shown.count, sizeof *shown.parts);
    for (size_t i = 0; i < shown.count; i++) {
        shown.parts[i] = fit->budget.parts[i];
        if (str_eq(str_of(shown.parts[i].part), STR("non_torch")))
            shown.parts[i].part = "context";
    }
    return shown;
}

/* ---- changes, inputs ---- */

/* Some engines call the longest request their context. */
static struct str flag_of(const struct engine *engine, enum fact_name name) {
    const struct flag *flag = engine_flag_of(engine, name);
    if (flag == NULL && name == FACT_max_model_len)
        flag = engine_flag_of(engine, FACT_context_length);
    return flag != NULL ? flag->flag : STR("");
}

/* "--max-model-len 4096"; "zero_stage=2" where the engine has no flag. */
static struct str change_text(const struct render *t, const struct fit *fit,
                              const struct engine *engine,
                              const struct fact *f) {
    bool has_none = f->name == FACT_batch_size && !fit->is_training;
    struct str flag = has_none ? STR("") : flag_of(engine, f->name);
    struct str name = flag.n > 0 ? flag : str_of(fact_spelling(f->name));
    struct str value = fact_written(t->a, f, true);
    if (flag.n > 0 && fact_unit(f->name) == UNIT_BOOL && f->number)
        return flag;
    bool is_variable = flag.n == 0 || (flag.p[0] >= 'A' && flag.p[0] <= 'Z');
    return arena_printf(t->a, "%.*s%s%.*s", STR_ARG(name),
                        is_variable ? "=" : " ", STR_ARG(value));
}

/* True for a format that no flag makes: the weights have to be stored in it. */
static bool is_of_checkpoint(const struct engine *engine,
                             const struct fact *f) {
    bool is_made_at_load = flag_of(engine, f->name).n > 0 &&
                           (str_eq(f->word, STR("fp8")) ||
                            str_eq(f->word, STR("bitsandbytes")));
    return f->name == FACT_quantization && !is_made_at_load;
}

/* ---- checks ---- */

struct str fit_check_text(const struct render *t, const char *key,
                          const struct fit_checked *k, enum unit unit) {
    return TR(t, key, span_text(t, unit, k->asked),
              span_text(t, unit, k->there));
}

size_t fit_failed(const struct render *t, const struct fit *fit,
                  struct str lines[FIT_FAILED_MOST]) {
    size_t count = 0;
    for (int i = 0; i < CHECK_COUNT_OF; i++) {
        const struct fit_checked *k = &fit->checks[i];
        if (k->verdict == VERDICT_NOT_ENOUGH && fit_checks[i].key != NULL)
            lines[count++] =
                fit_check_text(t, fit_checks[i].key, k, fit_checks[i].unit);
    }
    for (int i = 0; i < CHECK_COUNT_OF; i++) {
        const struct note *why = &fit->checks[i].why;
        if (why->key != NULL && why->key != fit->because.key &&
            i != CHECK_RELEASE)
            lines[count++] = note_text(t, why);
    }
    return count;
}

struct str fit_changes(const struct render *t, const struct fit *fit,
                       const struct fit_plan *plan) {
    const struct engine *engine = reader_engine_by_id(t->r, fit->c.engine);
    struct words all = words_begin(t, STR(" "));
    for (size_t i = 0; i < plan->count; i++) {
        const struct fact *f = &plan->change[i];
        struct str cards = count_text(t, f->number);
        words_add(&all, f->name == FACT_gpu_count
                            ? TR(t, "fit.on_cards", cards)
                        : is_of_checkpoint(engine, f)
                            ? TR(t, "fit.with_weights", f->word)
                            : change_text(t, fit, engine, f));
    }
    return words_end(&all);
}

static const char *const source_keys[] = {
    [SOURCE_LOG] = "fit.from_log",
    [SOURCE_USER] = "fit.from_user",
    [SOURCE_MACHINE] = "fit.from_machine",
    [SOURCE_CATALOGUE] = "fit.from_catalogue",
    [SOURCE_DEFAULT] = "fit.from_default",
    [SOURCE_DERIVED] = "fit.from_bounds",
};

struct str fit_inputs(const struct render *t, const struct fit *fit) {
    struct words all = words_begin(t, STR(", "));
    for (int n = 0; n < FACT_COUNT_OF; n++) {
        const struct fact *f = input(fit, (enum fact_name)n);
        bool is_in_title = n == FACT_engine || n == FACT_engine_version ||
                           n == FACT_model || n == FACT_gpu_name;
        if (!f->known || is_in_title)
            continue;
        struct str shown = f->ranged && f->source != SOURCE_LOG
                               ? span_text(t, fact_unit((enum fact_name)n),
                                           span_of(f->low, f->high))
                               : fact_text(t, f);
        struct str source = tr(t, source_keys[f->source]);
        words_add(&all, arena_printf(t->a, "%s %.*s (%.*s)",
                                     fact_spelling((enum fact_name)n),
                                     STR_ARG(shown), STR_ARG(source)));
    }
    return words_end(&all);
}

/* False for a fit that the engine refuses although there is room. */
static bool is_of_room(const struct fit *fit) {
    struct span need = span_times(kv_request(&fit->kv), fit->requests);
    return fit->fits != FIT_NO || !need.known || !fit->kv.pool.known ||
           span_fits(need, fit->kv.pool) != VERDICT_ENOUGH;
}

struct str fit_tightest(const struct render *t, const struct fit *fit) {
    struct budget shown = fit_parts(t, fit);
    const struct budget_part *largest = NULL;
    for (size_t i = 0; i < shown.count; i++) {
        const struct budget_part *part = &shown.parts[i];
        bool is_room =
            STR_IS_ONE(str_of(part->part), "kv_cache", "free", "reserve");
        if (part->bytes.known && !is_room &&
            (largest == NULL || part->bytes.high > largest->bytes.high))
            largest = part;
    }
    if (largest == NULL || !shown.total.known || fit->fits == FIT_YES ||
        !is_of_room(fit))
        return STR("");
    return TR(t, "fit.tightest",
              part_label(t, largest->part),
              span_text(t, UNIT_BYTES, largest->bytes),
              span_text(t, UNIT_BYTES, shown.total));
}
