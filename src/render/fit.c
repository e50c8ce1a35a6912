/* fit.c: the answer of `oomkb fit`: the verdict, the GPU as a bar, the longest
 * request, the cheapest changes that make it fit. It has 20 lines; --all adds
 * the formulas and the inputs. */
#include "base/limits.h"
#include "render/fit_words.h"

#include "memory/span.h"

#define LINES 20
#define PLANS 3
#define STEP_LINES 6 /* of a release with another answer */

/* An answer that is too long leaves out the last of these first. */
enum { PLAN = 1, LIMIT, CHECK };

enum tone fit_tone(enum truth_fit fits) {
    return fits == FIT_YES ? TONE_GOOD : fits == FIT_NO ? TONE_BAD : TONE_WARN;
}

static void add_head(const struct render *t, const struct fit *fit) {
    struct budget parts = fit_parts(t, fit);
    const struct bars *bars = bars_of_budget(t, &parts, false);
    struct span need = span_times(kv_request(&fit->kv), fit->requests);
    if (bars->count == 0 && need.known && fit->kv.pool.known)
        bars = bars_of_pair(t, need.low, fit->kv.pool.high);
    document_title(t, fit_tone(fit->fits), fit_title(t, fit));
    document_text(t, NULL, fit_numbers(t, fit));
    document_text(t, NULL, fit_tightest(t, fit));
    document_text(t, NULL, fit_asked(t, fit));
    if (fit->c.model_is_guess)
        document_toned(t, NULL, TONE_WARN, tr(t, "fit.guess"));
    if (!fit_is_settled(fit->fits) || fit->because.key != NULL)
        document_toned(t, NULL, TONE_WARN, fit_needs(t, fit));
    for (size_t i = 0; i < fit->remark_count; i++)
        document_toned(t, NULL, TONE_WARN, note_text(t, &fit->remarks[i]));
    document_bars(t, bars);
}

/* ---- the maximum that fits ---- */

/* "at least 4"; of an interval, the sure end and the possible one. */
static struct str at_least(const struct render *t, enum unit unit,
                           struct span s) {
    bool is_sure = unit != UNIT_COUNT || s.high < FIT_RANKS_MAX;
    struct str ends[] = {number_text(t, unit, is_sure ? s.high : s.low),
                         number_text(t, unit, s.low)};
    return !s.known                       ? STR("")
           : s.low == s.high || !is_sure ? tr_args(t, "fit.at_least", ends, 1)
                                         : tr_args(t, "fit.at_least_or", ends,
                                                   2);
}

static struct str shares(const struct render *t, const struct fit *fit) {
    bool has_least = fit->least_share.high <= UNITS_MICRO;
    struct str both[] = {
        has_least ? at_least(t, UNIT_RATIO, fit->least_share) : STR(""),
        fit->most_share.known ? span_text(t, UNIT_RATIO, fit->most_share)
                              : STR("")};
    return both[1].n == 0   ? both[0]
           : both[0].n == 0 ? TR(t, "fit.at_most", both[1])
                            : tr_args(t, "fit.least_and_most", both, 2);
}

/* Both ends, however near: a length between them may not fit. */
static struct str longest(const struct render *t, const struct fit *fit) {
    struct span s = fit->longest;
    int64_t most = fit->c.model ? fit->c.model->max_position : 0;
    if (!s.known)
        return STR("");
    struct str high = number_text(t, UNIT_TOKENS, s.high);
    struct str both = s.high == 0       ? tr(t, "fit.longest_none")
                      : s.low == s.high ? span_text(t, UNIT_TOKENS, s)
                                        : TR(t, "unit.between",
                                             count_text(t, s.low), high);
    return most > 0 ? TR(t, "fit.longest_of", both,
                         number_text(t, UNIT_TOKENS, most))
                    : both;
}

static struct str least_card(const struct render *t, const struct gpu *gpu) {
    if (gpu == NULL)
        return STR("");
    struct span total = span_of(gpu->total_low, gpu->total_high);
    return TR(t, "fit.least_card", gpu->id, span_text(t, UNIT_BYTES, total));
}

static void add_limits(const struct render *t, const struct fit *fit) {
    struct block *under = document_section(t, "fit.most");
    bool fits_none = fit->longest.known && fit->longest.high == 0;
    bool has_batch = fit->is_training && fit->largest_batch.known;
    const struct {
        const char *name;
        struct str value;
    } limits[] = {
        {"fact.batch_size",
         has_batch ? span_text(t, UNIT_COUNT, fit->largest_batch) : STR("")},
        {"fit.longest", longest(t, fit)},
        {"fit.at_once", fits_none ? STR("")
                                  : hundredths_text(t, fit->concurrency)},
        {"fit.utilization", shares(t, fit)},
        {"fit.tensor_parallel",
         at_least(t, UNIT_COUNT, fit->least_tensor_parallel)},
        {"fit.card_count", at_least(t, UNIT_COUNT, fit->least_cards)},
        {"fit.card", least_card(t, fit->least_gpu)},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct block *item =
            document_labelled(t, under, tr(t, limits[i].name), limits[i].value);
        item->spare = item != under->first ? LIMIT : 0;
    }
}

/* ---- changes ---- */

static void add_plans(const struct render *t, const struct fit *fit) {
    size_t most = t->o->all ? FIT_PLANS : PLANS;
    if (fit->fits == FIT_YES)
        return;
    if (fit->plan_count == 0 && fit->fits == FIT_NO)
        document_text(t, NULL, tr(t, "fit.no_plan"));
    struct block *under = document_section(
        t, fit_is_settled(fit->fits) ? "fit.plan" : "fit.plan_sure");
    under->column[0] = tr(t, "report.cost");
    for (size_t i = 0; i < fit->plan_count && i < most; i++) {
        const struct fit_plan *plan = &fit->plans[i];
        struct span pool =
            plan->is_likely ? span_exact(plan->pool.high) : plan->pool;
        struct block *item =
            document_item(t, under, arena_printf(t->a, "%zu", i + 1).p,
                          fit_changes(t, fit, plan));
        item->column[0] =
            fix_cost(t, fit_plan_effort(plan), fit_plan_loses(plan));
        item->column_tone = TONE_DIM;
        item->spare = i > 0 ? PLAN : 0;
        const char *key = !fit->has_cache && !fit->is_training
                              ? "fit.plan_left"
                          : plan->is_likely ? "fit.plan_likely"
                                            : "fit.plan_numbers";
        document_toned(t, item, TONE_DIM,
                       TR(t, key, span_text(t, UNIT_BYTES, plan->needed),
                          span_text(t, UNIT_BYTES, pool)));
    }
}

/* ---- checks ---- */

/* The checks that fail or have a remark, then KAITO's if it differs from the
 * arithmetic. */
static void add_checks(const struct render *t, const struct fit *fit) {
    struct str lines[FIT_FAILED_MOST];
    size_t count = fit_failed(t, fit, lines);
    struct block *under = document_section(t, "fit.checks");
    for (size_t i = 0; i < count; i++)
        document_text(t, under, lines[i]);
    const struct fit_checked *sku = &fit->checks[CHECK_SKU];
    bool passes = sku->verdict == VERDICT_ENOUGH;
    bool fits = fit->fits == FIT_YES || fit->fits == FIT_LIKELY;
    bool is_known = passes || sku->verdict == VERDICT_NOT_ENOUGH;
    if (is_known && (t->o->all || passes != fits)) {
        const char *key = sku->is_bypassed ? "fit.sku_bypass"
                          : passes         ? "fit.sku_passes"
                                           : "fit.sku_fails";
        document_text(t, under, fit_check_text(t, key, sku, UNIT_BYTES))
            ->spare = CHECK;
    }
}

static void add_formulas(const struct render *t, const struct fit *fit) {
    struct block *under = document_section(t, "fit.formulas");
    for (size_t i = 0; i < fit->formulas.count; i++)
        document_toned(t, under, TONE_DIM,
                       formula_text(t, fit->formulas.at[i]));
    document_toned(t, document_section(t, "fit.inputs"), TONE_DIM,
                   fit_inputs(t, fit));
}

/* ---- tables ---- */

static struct str or_dash(struct str shown) {
    return shown.n > 0 ? shown : STR("-");
}

static struct str span_or_dash(const struct render *t, enum unit unit,
                               struct span s) {
    return s.known ? span_text(t, unit, s) : STR("-");
}

/* Columns may be of other lengths: an engine's default depends on the GPU. */
static void add_lengths(const struct render *t, const struct fit_sheet *s,
                        struct block *under) {
    struct words all = words_begin(t, STR("; "));
    bool is_other = false;
    if (STR_IS_ONE(s->compared, "max_model_len", "context_length"))
        return;
    for (size_t i = 0; i < s->column_count; i++) {
        const struct fact *f = &s->columns[i].fit->c.in[FACT_max_model_len];
        const struct fact *first = &s->columns[0].fit->c.in[FACT_max_model_len];
        is_other = is_other || f->number != first->number;
        words_add(&all, count_text(t, f->number));
    }
    if (is_other && !s->fit->is_training)
        document_text(t, under, words_into(&all, "fit.compare_lengths"));
}

static void add_compare(const struct render *t, const struct fit_sheet *s) {
    bool trains = s->fit->is_training;
    if (s->column_count == 0)
        return;
    struct block *under = document_section(t, "fit.compare");
    struct table *table =
        TABLE(t, under, arena_printf(t->a, "fact.%.*s", STR_ARG(s->compared)).p,
              "fit.verdict", trains ? "fact.batch_size" : "max_model_len",
              trains ? "fit.a_step" : "fit.requests",
              trains ? "budget.optimizer" : "fit.pool", "fit.weights");
    for (size_t i = 0; i < s->column_count; i++) {
        const struct fit *fit = s->columns[i].fit;
        bool is_step = fit->is_training;
        bool has_pool = is_step || fit->has_cache;
        struct span weights = span_exact(fit->weights_bytes);
        weights.known = fit->weights_bytes > 0;
        ROW(t, table, s->columns[i].value, fit_verdict_word(t, fit->fits),
            span_or_dash(t, UNIT_COUNT,
                         is_step ? fit->largest_batch : fit->longest),
            is_step ? span_or_dash(t, UNIT_BYTES, fit_held(fit))
                    : or_dash(hundredths_text(t, fit->concurrency)),
            span_or_dash(t, UNIT_BYTES,
                         is_step    ? fit->training.optimizer
                         : has_pool ? fit->kv.pool
                                    : span_none()),
            span_or_dash(t, UNIT_BYTES, weights))
            ->tone = fit_tone(fit->fits);
    }
    add_lengths(t, s, under);
}

static void add_sweep(const struct render *t, const struct fit_sheet *s) {
    if (s->point_count == 0)
        return;
    struct block *under = document_section(t, "fit.sweep");
    struct table *table = TABLE(t, under, "max_model_len", "fit.request",
                                "fit.requests", "fit.verdict");
    for (size_t i = 0; i < s->point_count; i++) {
        const struct fit_point *point = &s->points[i];
        struct row *row = ROW(t, table, count_text(t, point->tokens),
                              span_or_dash(t, UNIT_BYTES, point->bytes),
                              or_dash(hundredths_text(t, point->concurrency)),
                              fit_verdict_word(t, point->fits));
        row->tone = fit_tone(point->fits);
        row->drawn = point->bytes.known ? point->bytes.high : 0;
    }
}

void fit_document(const struct render *t, const struct fit_sheet *sheet) {
    const struct fit *fit = sheet->main;
    add_head(t, fit);
    add_compare(t, sheet);
    add_steps(t, &sheet->steps);
    add_sweep(t, sheet);
    add_limits(t, fit);
    add_plans(t, fit);
    add_checks(t, fit);
    if (t->o->all) {
        add_formulas(t, fit);
        return;
    }
    document_toned(t, NULL, TONE_DIM, tr(t, "fit.more"));
    t->d->lines_most = LINES + sheet->column_count + sheet->point_count +
                       STEP_LINES * sheet->steps.count;
}
