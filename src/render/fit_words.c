/* fit_words.c: a fit in words, sentence by sentence, for the formats that
 * people read. */
#include "render/fit_words.h"

#include "memory/engines.h"
#include "memory/span.h"

#define TEXT_MAX ((size_t)64 << 10)
#define HUNDREDTH_MICRO INT64_C(10000)
#define RANKS_ASKED 64 /* so many were tried, and were not sure to do */

static const struct fact *input(const struct fit *fit, enum fact_name name) {
    return &fit->c.in[name];
}

static struct str shown_input(const struct teller *t, const struct fit *fit,
                              enum fact_name name) {
    const struct fact *f = input(fit, name);
    return f->known ? shown_fact(t, f) : (struct str){NULL, 0};
}

static struct str shown_hundredths(const struct teller *t, struct span s) {
    struct span micro = {.known = s.known};
    if (!s.known || !mul_i64(s.low, HUNDREDTH_MICRO, &micro.low) ||
        !mul_i64(s.high, HUNDREDTH_MICRO, &micro.high)) {
        return (struct str){NULL, 0};
    }
    return shown_span(t, UNIT_RATIO, micro);
}

/* ---- what was asked ---- */

/* A card of which somebody said less memory than it has is a slice. */
static struct str card_name(const struct teller *t, const struct fit *fit) {
    const struct fact *total = input(fit, FACT_gpu_total);
    const struct fact *name = input(fit, FACT_gpu_name);
    struct str args[] = {name->word, shown_span(t, UNIT_BYTES,
                                                span_of_fact(total))};
    if (fit->c.gpu != NULL && total->source != SOURCE_USER) {
        return fit->c.gpu->id;
    }
    if (!total->known) {
        return (struct str){NULL, 0};
    }
    return name->known ? said_with(t, "fit.slice", args, 2) : args[1];
}

static struct str cards(const struct teller *t, const struct fit *fit) {
    struct str card = card_name(t, fit);
    const struct fact *count = input(fit, FACT_gpu_count);
    int64_t n = count->known ? count->number
                             : input(fit, FACT_tensor_parallel)->number *
                                   input(fit, FACT_pipeline_parallel)->number;
    if (card.n == 0) {
        return said(t, "fit.some_card");
    }
    if (n <= 1) {
        return card;
    }
    struct str args[] = {shown_number(t, UNIT_COUNT, n), card};
    return said_with(t, "fit.cards", args, 2);
}

/* "Qwen/Qwen2.5-32B-Instruct (awq)": where weights are not the release's. */
static struct str model_name(const struct teller *t, const struct fit *fit) {
    const struct model *model = fit->c.model;
    const struct fact *how = input(fit, FACT_quantization);
    if (model == NULL) {
        return said(t, "fit.some_model");
    }
    struct str args[] = {model->id, how->word};
    bool is_other = how->known && how->word.n > 0 &&
                    !str_eq(how->word, model->quantization);
    return is_other ? said_with(t, "fit.stored", args, 2) : model->id;
}

struct str fit_title(const struct teller *t, const struct fit *fit) {
    const struct fact *engine = input(fit, FACT_engine);
    const struct fact *version = input(fit, FACT_engine_version);
    const struct engine *its = reader_engine_by_id(t->r, fit->c.engine);
    struct str name = its != NULL ? its->name : engine->word;
    struct str software =
        version->known
            ? arena_printf(t->a, "%.*s %.*s", STR_ARG(name),
                           STR_ARG(version->word))
            : name;
    struct str args[] = {model_name(t, fit), cards(t, fit), software,
                         fit_verdict_word(t, fit->fits)};
    return said_with(t, "fit.title", args, 4);
}

struct str fit_verdict_word(const struct teller *t, enum truth_fit fits) {
    switch (fits) {
    case FIT_YES: return said(t, "fit.yes");
    case FIT_LIKELY: return said(t, "fit.likely");
    case FIT_NO: return said(t, "fit.no");
    case FIT_UNKNOWN: break;
    }
    return said(t, "fit.unknown");
}

static struct str training_numbers(const struct teller *t,
                                   const struct fit *fit) {
    struct span all = span_plus(fit->training.total,
                                span_of_fact(input(fit, FACT_non_torch)));
    struct str args[] = {shown_input(t, fit, FACT_batch_size),
                         shown_input(t, fit, FACT_seq_len),
                         shown_span(t, UNIT_BYTES, all),
                         shown_span(t, UNIT_BYTES, fit->budget.total)};
    if (!all.known) {
        return (struct str){NULL, 0};
    }
    return said_with(t, fit->budget.total.known ? "fit.step_and_card"
                                                : "fit.step",
                     args, 4);
}

/* How much is left, or by how much the rest alone is too large. */
static struct str with_room(const struct teller *t,
                            const struct str need[2], struct span pool) {
    struct span missing = span_minus(span_exact(0), pool);
    struct str args[] = {need[0], need[1], {NULL, 0}, {NULL, 0}};
    if (pool.high <= 0) {
        args[2] = shown_span(t, UNIT_BYTES, missing);
        return said_with(t, "fit.no_room", args, 3);
    }
    if (pool.low < 0) {
        args[2] = shown_number(t, UNIT_BYTES, pool.high);
        args[3] = shown_number(t, UNIT_BYTES, missing.high);
        return said_with(t, "fit.perhaps_room", args, 4);
    }
    args[2] = shown_span(t, UNIT_BYTES, pool);
    return said_with(t, "fit.need_and_pool", args, 3);
}

struct str fit_numbers(const struct teller *t, const struct fit *fit) {
    const struct kv *kv = &fit->kv;
    struct str length = shown_input(t, fit, FACT_max_model_len);
    struct str need = shown_span(t, UNIT_BYTES, kv->bytes_per_request);
    if (fit->is_training) {
        return training_numbers(t, fit);
    }
    if (!kv->bytes_per_request.known) {
        return (struct str){NULL, 0};
    }
    struct str args[] = {length, need};
    if (!kv->pool.known) {
        return said_with(t, "fit.need", args, 2);
    }
    return with_room(t, args, kv->pool);
}

struct str fit_asked(const struct teller *t, const struct fit *fit) {
    struct span asked = span_exact(fit->requests);
    struct str args[] = {shown_span(t, UNIT_COUNT, asked),
                         shown_hundredths(t, fit->kv.max_concurrency)};
    if (fit->requests <= 1 || args[1].n == 0) {
        return (struct str){NULL, 0};
    }
    return said_with(t, "fit.asked", args, 2);
}

struct str fit_needs(const struct teller *t, const struct fit *fit) {
    struct buf names;
    if (fit->because.key != NULL) {
        return said_note(t, &fit->because);
    }
    buf_init_in(&names, t->a, TEXT_MAX);
    for (size_t i = 0; i < fit->kv.needs.count; i++) {
        struct str label = said_fact(t, fit->kv.needs.at[i]);
        const char *name = fact_spelling(fit->kv.needs.at[i]);
        buf_printf(&names, "%s%.*s", i ? ", " : "", STR_ARG(label));
        if (!str_eq(label, str_of(name))) {
            buf_printf(&names, " (%s)", name);
        }
    }
    struct str list = settled(t->a, &names);
    return list.n > 0 ? said_with(t, "fit.needs", &list, 1) : list;
}

struct budget fit_parts(const struct teller *t, const struct fit *fit) {
    struct budget shown = fit->budget;
    if (shown.count == 0 || !engine_of(&fit->c)->lacks_torch) {
        return shown;
    }
    shown.parts = arena_array(t->a, shown.count, sizeof *shown.parts);
    for (size_t i = 0; i < shown.count; i++) {
        shown.parts[i] = fit->budget.parts[i];
        if (str_eq(str_of(shown.parts[i].part), STR("non_torch"))) {
            shown.parts[i].part = "context";
        }
    }
    return shown;
}

/* ---- the most that fits ---- */

static void add_line(struct fit_line *lines, size_t *count, struct str name,
                     struct str value) {
    if (value.n > 0 && *count < FIT_LINES) {
        lines[(*count)++] = (struct fit_line){name, value};
    }
}

/* "at least 4"; of an interval, what is sure and what may do. */
static struct str at_least(const struct teller *t, enum unit unit,
                           struct span s) {
    bool is_sure = unit != UNIT_COUNT || s.high < RANKS_ASKED;
    struct str ends[] = {shown_number(t, unit, is_sure ? s.high : s.low),
                         shown_number(t, unit, s.low)};
    return s.low == s.high || !is_sure
               ? said_with(t, "fit.at_least", ends, 1)
                           : said_with(t, "fit.at_least_or", ends, 2);
}

static struct str shares(const struct teller *t, const struct fit *fit) {
    struct str both[] = {(struct str){NULL, 0}, {NULL, 0}};
    bool has_least = fit->least_share.known &&
                     fit->least_share.high <= UNITS_MICRO;
    if (has_least) {
        both[0] = at_least(t, UNIT_RATIO, fit->least_share);
    }
    if (fit->most_share.known) {
        both[1] = shown_span(t, UNIT_RATIO, fit->most_share);
    }
    if (both[0].n > 0 && both[1].n > 0) {
        return said_with(t, "fit.least_and_most", both, 2);
    }
    if (both[1].n > 0) {
        return said_with(t, "fit.at_most", &both[1], 1);
    }
    return both[0];
}

/* Both ends, however near: a length between them may be one too many. */
static struct str between(const struct teller *t, struct span s) {
    struct str ends[] = {shown_number(t, UNIT_COUNT, s.low),
                         shown_number(t, UNIT_TOKENS, s.high)};
    return !s.known || s.low == s.high ? shown_span(t, UNIT_TOKENS, s)
                                       : said_with(t, "unit.between", ends, 2);
}

static struct str longest(const struct teller *t, const struct fit *fit) {
    struct str args[] = {between(t, fit->longest), {NULL, 0}};
    int64_t most = fit->c.model ? fit->c.model->max_position : 0;
    if (!fit->longest.known || most <= 0) {
        return fit->longest.known ? args[0] : (struct str){NULL, 0};
    }
    args[1] = shown_number(t, UNIT_TOKENS, most);
    return said_with(t, "fit.longest_of", args, 2);
}

size_t fit_inverses(const struct teller *t, const struct fit *fit,
                    struct fit_line lines[FIT_LINES]) {
    size_t count = 0;
    struct str at_once = shown_hundredths(t, fit->concurrency);
    struct str tp = {NULL, 0}, card = {NULL, 0};
    if (fit->least_tensor_parallel.known) {
        tp = at_least(t, UNIT_COUNT, fit->least_tensor_parallel);
    }
    struct str cards_at_least = {NULL, 0};
    if (fit->least_cards.known) {
        cards_at_least = at_least(t, UNIT_COUNT, fit->least_cards);
    }
    if (fit->least_gpu) {
        struct span total = span_of(fit->least_gpu->total_low,
                                    fit->least_gpu->total_high);
        struct str named[] = {fit->least_gpu->id,
                              shown_span(t, UNIT_BYTES, total)};
        card = said_with(t, "fit.least_card", named, 2);
    }
    if (fit->is_training && fit->largest_batch.known) {
        add_line(lines, &count, said_fact(t, FACT_batch_size),
                 shown_span(t, UNIT_COUNT, fit->largest_batch));
    }
    add_line(lines, &count, said(t, "fit.longest"), longest(t, fit));
    add_line(lines, &count, said(t, "fit.at_once"), at_once);
    add_line(lines, &count, said(t, "fit.utilization"), shares(t, fit));
    add_line(lines, &count, said(t, "fit.tensor_parallel"), tp);
    add_line(lines, &count, said(t, "fit.card_count"), cards_at_least);
    add_line(lines, &count, said(t, "fit.card"), card);
    return count;
}

/* ---- checks ---- */

static struct str shown_check(const struct teller *t, const char *key,
                              const struct fit_checked *k, enum unit unit) {
    struct str args[] = {shown_span(t, unit, k->asked),
                         shown_span(t, unit, k->there)};
    return said_with(t, key, args, 2);
}

static const char *sku_key(const struct fit_checked *k) {
    if (k->is_bypassed) {
        return "fit.sku_bypass";
    }
    return k->verdict == VERDICT_ENOUGH ? "fit.sku_passes" : "fit.sku_fails";
}

size_t fit_checks(const struct teller *t, const struct fit *fit,
                  struct str lines[CHECK_COUNT_OF]) {
    static const struct {
        enum fit_check check;
        const char *key;
        enum unit unit;
    } failed[] = {{CHECK_HEADS, "fit.heads", UNIT_COUNT},
                  {CHECK_RANKS, "fit.ranks", UNIT_COUNT},
                  {CHECK_POSITION, "fit.position", UNIT_TOKENS},
                  {CHECK_FREE, "fit.free", UNIT_BYTES}};
    size_t count = 0;
    for (size_t i = 0; i < sizeof failed / sizeof failed[0]; i++) {
        const struct fit_checked *k = &fit->checks[failed[i].check];
        if (k->verdict == VERDICT_NOT_ENOUGH) {
            lines[count++] = shown_check(t, failed[i].key, k, failed[i].unit);
        }
    }
    for (int i = 0; i < CHECK_COUNT_OF; i++) {
        const char *key = fit->checks[i].why.key;
        if (key != NULL && key != fit->because.key && i != CHECK_RELEASE) {
            lines[count++] = said_note(t, &fit->checks[i].why);
        }
    }
    const struct fit_checked *sku = &fit->checks[CHECK_SKU];
    if (sku->verdict == VERDICT_ENOUGH || sku->verdict == VERDICT_NOT_ENOUGH) {
        lines[count++] = shown_check(t, sku_key(sku), sku, UNIT_BYTES);
    }
    return count;
}

/* ---- changes, inputs ---- */

static struct str own_flag(const struct engine *engine, enum fact_name name) {
    for (size_t i = 0; engine && i < engine->flag_count; i++) {
        if (engine->flags[i].fact == name) {
            return engine->flags[i].flag;
        }
    }
    return (struct str){NULL, 0};
}

/* Some engines call the longest request their context. */
static struct str flag_of(const struct engine *engine, enum fact_name name) {
    struct str flag = own_flag(engine, name);
    return flag.n == 0 && name == FACT_max_model_len
               ? own_flag(engine, FACT_context_length)
               : flag;
}

static void put_value(struct buf *b, const struct fact *f) {
    switch (fact_unit(f->name)) {
    case UNIT_TEXT:
    case UNIT_VERSION: buf_add(b, f->word); return;
    case UNIT_RATIO: units_ratio(b, f->number); return;
    case UNIT_BOOL: buf_add(b, f->number ? STR("true") : STR("false")); return;
    case UNIT_BYTES:
    case UNIT_TOKENS:
    case UNIT_BLOCKS:
    case UNIT_COUNT:
    case UNIT_SECONDS: break;
    }
    buf_printf(b, "%lld", (long long)f->number);
}

/* "--max-model-len 4096"; "zero_stage=2" where the engine has no flag. */
static void put_change(struct buf *b, const struct engine *engine,
                       const struct fact *f, bool is_training) {
    bool is_of_training = f->name == FACT_batch_size;
    struct str flag = is_of_training && !is_training
                          ? (struct str){NULL, 0}
                          : flag_of(engine, f->name);
    buf_add(b, flag.n > 0 ? flag : str_of(fact_spelling(f->name)));
    if (flag.n > 0 && fact_unit(f->name) == UNIT_BOOL && f->number) {
        return;
    }
    bool is_variable = flag.n > 0 && flag.p[0] >= 'A' && flag.p[0] <= 'Z';
    buf_add_char(b, flag.n > 0 && !is_variable ? ' ' : '=');
    put_value(b, f);
}

/* Weights that no flag makes: they must have been stored so. */
static bool is_of_checkpoint(const struct engine *engine,
                             const struct fact *f) {
    bool is_made_at_load = flag_of(engine, f->name).n > 0 &&
                           (str_eq(f->word, STR("fp8")) ||
                            str_eq(f->word, STR("bitsandbytes")));
    return f->name == FACT_quantization && !is_made_at_load;
}

struct str fit_changes(const struct teller *t, const struct fit *fit,
                       const struct fit_plan *plan) {
    const struct engine *engine = reader_engine_by_id(t->r, fit->c.engine);
    struct buf b;
    buf_init_in(&b, t->a, TEXT_MAX);
    for (size_t i = 0; i < plan->count; i++) {
        const struct fact *f = &plan->change[i];
        buf_add(&b, i ? STR(" ") : STR(""));
        if (f->name == FACT_gpu_count) {
            struct str n = shown_number(t, UNIT_COUNT, f->number);
            buf_add(&b, said_with(t, "fit.on_cards", &n, 1));
        } else if (is_of_checkpoint(engine, f)) {
            buf_add(&b, said_with(t, "fit.with_weights", &f->word, 1));
        } else {
            put_change(&b, engine, f, fit->is_training);
        }
    }
    return settled(t->a, &b);
}

static const char *source_key(enum fact_source source) {
    switch (source) {
    case SOURCE_LOG: return "fit.from_log";
    case SOURCE_USER: return "fit.from_user";
    case SOURCE_CATALOGUE: return "fit.from_catalogue";
    case SOURCE_DEFAULT: return "fit.from_default";
    case SOURCE_DERIVED: return "fit.from_bounds";
    }
    return "fit.from_user";
}

struct str fit_inputs(const struct teller *t, const struct fit *fit) {
    struct buf b;
    buf_init_in(&b, t->a, TEXT_MAX);
    for (int n = 0; n < FACT_COUNT_OF; n++) {
        const struct fact *f = input(fit, (enum fact_name)n);
        bool is_in_title = n == FACT_engine || n == FACT_engine_version ||
                           n == FACT_model || n == FACT_gpu_name;
        if (!f->known || is_in_title) {
            continue;
        }
        struct str shown = f->ranged && f->source != SOURCE_LOG
                               ? shown_span(t, fact_unit((enum fact_name)n),
                                            span_of(f->low, f->high))
                               : shown_fact(t, f);
        struct str source = said(t, source_key(f->source));
        buf_printf(&b, "%s%s %.*s (%.*s)", b.n ? ", " : "",
                   fact_spelling((enum fact_name)n), STR_ARG(shown),
                   STR_ARG(source));
    }
    return settled(t->a, &b);
}

/* ---- tables ---- */

static struct str shown_or_dash(const struct teller *t, enum unit unit,
                                struct span s) {
    return s.known ? shown_span(t, unit, s) : STR("-");
}

static struct str hundredths_or_dash(const struct teller *t, struct span s) {
    struct str shown = shown_hundredths(t, s);
    return shown.n > 0 ? shown : STR("-");
}

void fit_compare_head(const struct teller *t, const struct fit_sheet *sheet,
                      struct str cells[FIT_CELLS]) {
    bool trains = sheet->fit->is_training;
    enum fact_name fact;
    cells[0] = fact_named(sheet->compared, &fact) ? said_fact(t, fact)
                                                  : sheet->compared;
    cells[1] = said(t, "fit.verdict");
    cells[2] = trains ? said_fact(t, FACT_batch_size) : STR("max_model_len");
    cells[3] = said(t, trains ? "fit.a_step" : "fit.requests");
    cells[4] = said(t, trains ? "budget.optimizer" : "fit.pool");
    cells[5] = said(t, "fit.weights");
}

static void training_row(const struct teller *t, const struct fit *fit,
                         struct str cells[FIT_CELLS]) {
    struct span all = span_plus(fit->training.total,
                                span_of_fact(input(fit, FACT_non_torch)));
    cells[2] = shown_or_dash(t, UNIT_COUNT, fit->largest_batch);
    cells[3] = shown_or_dash(t, UNIT_BYTES, all);
    cells[4] = shown_or_dash(t, UNIT_BYTES, fit->training.optimizer);
}

void fit_compare_row(const struct teller *t, const struct fit_column *column,
                     struct str cells[FIT_CELLS]) {
    const struct fit *fit = column->fit;
    cells[0] = column->value;
    cells[1] = fit_verdict_word(t, fit->fits);
    cells[2] = shown_or_dash(t, UNIT_COUNT, fit->longest);
    cells[3] = hundredths_or_dash(t, fit->concurrency);
    cells[4] = shown_or_dash(t, UNIT_BYTES, fit->kv.pool);
    cells[5] = fit->weights_bytes > 0
                   ? shown_number(t, UNIT_BYTES, fit->weights_bytes)
                   : STR("-");
    if (fit->is_training) {
        training_row(t, fit, cells);
    }
}

void fit_sweep_head(const struct teller *t,
                    struct str cells[FIT_SWEEP_CELLS]) {
    cells[0] = STR("max_model_len");
    cells[1] = said(t, "fit.request");
    cells[2] = said(t, "fit.requests");
    cells[3] = said(t, "fit.verdict");
}

void fit_sweep_row(const struct teller *t, const struct fit_point *point,
                   struct str cells[FIT_SWEEP_CELLS]) {
    cells[0] = shown_number(t, UNIT_COUNT, point->tokens);
    cells[1] = shown_or_dash(t, UNIT_BYTES, point->bytes);
    cells[2] = hundredths_or_dash(t, point->concurrency);
    cells[3] = fit_verdict_word(t, point->fits);
}

/* ---- the part that decides ---- */

/* The largest part of what does not fit. */
struct str fit_tightest(const struct teller *t, const struct fit *fit) {
    struct budget shown = fit_parts(t, fit);
    const struct budget_part *largest = NULL;
    for (size_t i = 0; i < shown.count; i++) {
        const struct budget_part *part = &shown.parts[i];
        bool is_room = str_eq(str_of(part->part), STR("kv_cache")) ||
                       str_eq(str_of(part->part), STR("free"));
        if (part->bytes.known && !is_room &&
            (largest == NULL || part->bytes.high > largest->bytes.high)) {
            largest = part;
        }
    }
    if (largest == NULL || !shown.total.known || fit->fits == FIT_YES) {
        return (struct str){NULL, 0};
    }
    struct str key = arena_printf(t->a, "budget.%s", largest->part);
    struct str args[] = {said(t, key.p),
                         shown_span(t, UNIT_BYTES, largest->bytes),
                         shown_span(t, UNIT_BYTES, shown.total)};
    return said_with(t, "fit.tightest", args, 3);
}
