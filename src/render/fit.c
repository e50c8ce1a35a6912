/* fit.c: the answer of `oomkb fit`: the verdict, the GPU as a bar, the longest
 * request, the cheapest changes that make it fit. 20 lines; --all has the
 * checks, the formulas and the inputs. */
#include "render/fit_words.h"

#include "memory/span.h"

#define LINES 20
#define PLANS 3

/* What an answer that is too long does without, the last first. */
enum { PLAN = 1, LIMIT, CHECK };

static enum tone tone_of(enum truth_fit fits) {
    switch (fits) {
    case FIT_YES: return TONE_GOOD;
    case FIT_NO: return TONE_BAD;
    case FIT_LIKELY:
    case FIT_UNKNOWN: break;
    }
    return TONE_WARN;
}

static void add_head(const struct teller *t, struct document *d,
                     const struct fit *fit) {
    struct budget parts = fit_parts(t, fit);
    const struct bars *bars = bars_of_budget(t, &parts, false);
    struct span need = span_times(fit->kv.bytes_per_request, fit->requests);
    if (bars->count == 0 && need.known && fit->kv.pool.known) {
        bars = bars_of_pair(t, need.low, fit->kv.pool.high);
    }
    document_add(d, NULL, (struct block){.kind = BLOCK_TITLE,
                                         .tone = tone_of(fit->fits),
                                         .text = fit_title(t, fit)});
    document_text(d, NULL, TONE_PLAIN, fit_numbers(t, fit));
    document_text(d, NULL, TONE_PLAIN, fit_tightest(t, fit));
    document_text(d, NULL, TONE_PLAIN, fit_asked(t, fit));
    if (fit->c.model_is_guess) {
        document_text(d, NULL, TONE_WARN, said(t, "fit.guess"));
    }
    if (!fit_is_settled(fit->fits) || fit->because.key != NULL) {
        document_text(d, NULL, TONE_WARN, fit_needs(t, fit));
    }
    for (size_t i = 0; i < fit->remark_count; i++) {
        document_text(d, NULL, TONE_WARN, said_note(t, &fit->remarks[i]));
    }
    document_add(d, NULL, (struct block){.kind = BLOCK_BARS,
                                         .bars = bars});
}

static void add_limits(const struct teller *t, struct document *d,
                       const struct fit *fit) {
    struct fit_line lines[FIT_LINES];
    size_t count = fit_inverses(t, fit, lines);
    struct block *under = document_section(d, said(t, "fit.most"));
    for (size_t i = 0; i < count; i++) {
        struct str label = said_with(t, "report.label", &lines[i].name, 1);
        document_item(d, under, "-",
                      arena_printf(t->a, "%.*s%.*s", STR_ARG(label),
                                   STR_ARG(lines[i].value)))
            ->spare = i > 0 ? LIMIT : 0;
    }
}

static void add_plans(const struct teller *t, struct document *d,
                      const struct fit *fit) {
    if (fit->fits == FIT_YES) {
        return;
    }
    if (fit->plan_count == 0 && fit->fits == FIT_NO) {
        document_text(d, NULL, TONE_PLAIN, said(t, "fit.no_plan"));
    }
    struct block *under = document_section(
        d, said(t, fit_is_settled(fit->fits) ? "fit.plan" : "fit.plan_sure"));
    under->column[0] = said(t, "report.cost");
    for (size_t i = 0; i < fit->plan_count; i++) {
        const struct fit_plan *plan = &fit->plans[i];
        struct str args[] = {shown_span(t, UNIT_BYTES, plan->needed),
                             shown_span(t, UNIT_BYTES, plan->pool)};
        struct block *item =
            document_item(d, under, arena_printf(t->a, "%zu", i + 1).p,
                          fit_changes(t, fit, plan));
        item->column[0] = fix_cost(t, fit_plan_effort(plan),
                                   fit_plan_loses(plan));
        item->column_tone = TONE_DIM;
        item->spare = i > 0 ? PLAN : 0;
        document_text(d, item, TONE_DIM,
                      said_with(t, "fit.plan_numbers", args, 2));
        if (!t->o->all && i + 1 == PLANS) {
            break;
        }
    }
}

static void add_checks(const struct teller *t, struct document *d,
                       const struct fit *fit) {
    struct str lines[CHECK_COUNT_OF];
    size_t count = fit_checks(t, fit, lines);
    struct block *under = document_section(d, said(t, "fit.checks"));
    bool has_sku = fit->checks[CHECK_SKU].verdict != VERDICT_NONE;
    for (size_t i = 0; i < count; i++) { /* KAITO's is the last */
        document_text(d, under, TONE_PLAIN, lines[i])->spare =
            has_sku && i + 1 == count ? CHECK : 0;
    }
}

static void add_formulas(const struct teller *t, struct document *d,
                         const struct fit *fit) {
    struct block *under = document_section(d, said(t, "fit.formulas"));
    for (size_t i = 0; i < fit->formulas.count; i++) {
        document_text(d, under, TONE_DIM,
                      said_formula(t, fit->formulas.at[i]));
    }
    document_text(d, document_section(d, said(t, "fit.inputs")), TONE_DIM,
                  fit_inputs(t, fit));
}

/* ---- tables ---- */

static void add_table(const struct teller *t, struct document *d,
                      const char *key, struct table table) {
    struct table *made = arena_alloc(t->a, sizeof *made);
    *made = table;
    if (table.rows > 1) {
        document_add(d, document_section(d, said(t, key)),
                     (struct block){.kind = BLOCK_TABLE, .table = made});
    }
}

static void add_compare(const struct teller *t, struct document *d,
                        const struct fit_sheet *s) {
    size_t rows = s->column_count + 1;
    struct str *cells = arena_array(t->a, rows * FIT_CELLS, sizeof *cells);
    enum tone *tones = arena_array(t->a, rows, sizeof *tones);
    fit_compare_head(t, s, cells);
    for (size_t i = 0; i < s->column_count; i++) {
        fit_compare_row(t, &s->columns[i], cells + (i + 1) * FIT_CELLS);
        tones[i + 1] = tone_of(s->columns[i].fit->fits);
    }
    add_table(t, d, "fit.compare",
              (struct table){.columns = FIT_CELLS, .rows = rows,
                             .cells = cells, .tones = tones});
}

static void add_sweep(const struct teller *t, struct document *d,
                      const struct fit_sheet *s) {
    size_t rows = s->point_count + 1;
    struct str *cells =
        arena_array(t->a, rows * FIT_SWEEP_CELLS, sizeof *cells);
    enum tone *tones = arena_array(t->a, rows, sizeof *tones);
    int64_t *drawn = arena_array(t->a, rows, sizeof *drawn);
    fit_sweep_head(t, cells);
    for (size_t i = 0; i < s->point_count; i++) {
        fit_sweep_row(t, &s->points[i], cells + (i + 1) * FIT_SWEEP_CELLS);
        tones[i + 1] = tone_of(s->points[i].fits);
        drawn[i + 1] =
            s->points[i].bytes.known ? s->points[i].bytes.high : 0;
    }
    add_table(t, d, "fit.sweep",
              (struct table){.columns = FIT_SWEEP_CELLS, .rows = rows,
                             .cells = cells, .tones = tones,
                             .drawn = drawn});
}

void fit_document(const struct teller *t, const struct fit_sheet *sheet,
                  struct document *d) {
    const struct fit *fit = sheet->told;
    add_head(t, d, fit);
    add_compare(t, d, sheet);
    add_sweep(t, d, sheet);
    add_limits(t, d, fit);
    add_plans(t, d, fit);
    add_checks(t, d, fit);
    if (t->o->all) {
        add_formulas(t, d, fit);
        return;
    }
    document_text(d, NULL, TONE_DIM, said(t, "fit.more"));
    d->lines_most = LINES + sheet->column_count + sheet->point_count;
}
