/* fit_markdown.c: a fit for an issue or a page: the same sentences as on a
 * terminal, tables instead of bars. Everything that is not ours is escaped or
 * stands in a code span. */
#include "render/fit_words.h"

#include "base/utf8.h"

#define CLEAN_MAX ((size_t)1 << 20)

/* Nothing in s may begin markup or end a table cell. */
static void put(struct buf *out, const struct teller *t, struct str s) {
    struct buf clean;
    buf_init_in(&clean, t->a, CLEAN_MAX);
    utf8_clean(&clean, s);
    struct str text = settled(t->a, &clean);
    for (size_t i = 0; i < text.n; i++) {
        bool is_mark = str_find_char(STR("\\`*_{}[]<>#|&~"), text.p[i]) <
                       sizeof "\\`*_{}[]<>#|&~" - 1;
        if (text.p[i] == '\n') {
            buf_add_char(out, ' ');
            continue;
        }
        if (is_mark) {
            buf_add_char(out, '\\');
        }
        buf_add_char(out, text.p[i]);
    }
}

/* A code span; a backtick in it becomes a quote. */
static void put_code(struct buf *out, const struct teller *t, struct str s) {
    struct buf clean;
    buf_init_in(&clean, t->a, CLEAN_MAX);
    utf8_clean(&clean, s);
    struct str text = settled(t->a, &clean);
    buf_add_char(out, '`');
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        buf_add_char(out, c == '`' ? '\'' : c == '\n' || c == '|' ? ' ' : c);
    }
    buf_add_char(out, '`');
}

static void put_heading(struct buf *out, const struct teller *t,
                        const char *key) {
    buf_add(out, STR("\n## "));
    put(out, t, said(t, key));
    buf_add(out, STR("\n\n"));
}

static void put_row(struct buf *out, const struct teller *t,
                    const struct str *cells, size_t count) {
    for (size_t i = 0; i < count; i++) {
        buf_add(out, STR("| "));
        put(out, t, cells[i]);
        buf_add_char(out, ' ');
    }
    buf_add(out, STR("|\n"));
}

static void put_rule(struct buf *out, size_t count) {
    for (size_t i = 0; i < count; i++) {
        buf_add(out, STR("| --- "));
    }
    buf_add(out, STR("|\n"));
}

static void put_paragraph(struct buf *out, const struct teller *t,
                          struct str text) {
    if (text.n > 0) {
        buf_add_char(out, '\n');
        put(out, t, text);
        buf_add_char(out, '\n');
    }
}

static void put_budget(struct buf *out, const struct teller *t,
                       const struct budget *b) {
    if (b->count == 0) {
        return;
    }
    put_heading(out, t, "fit.budget");
    struct str head[] = {said(t, "fit.part"), said(t, "fit.bytes")};
    put_row(out, t, head, 2);
    put_rule(out, 2);
    for (size_t i = 0; i < b->count; i++) {
        struct str key = arena_printf(t->a, "budget.%s", b->parts[i].part);
        struct str cells[] = {said(t, key.p),
                              shown_span(t, UNIT_BYTES, b->parts[i].bytes)};
        put_row(out, t, cells, 2);
    }
}

static void put_compare(struct buf *out, const struct teller *t,
                        const struct fit_sheet *s) {
    struct str cells[FIT_CELLS];
    if (s->column_count == 0) {
        return;
    }
    put_heading(out, t, "fit.compare");
    fit_compare_head(t, s, cells);
    put_row(out, t, cells, FIT_CELLS);
    put_rule(out, FIT_CELLS);
    for (size_t i = 0; i < s->column_count; i++) {
        fit_compare_row(t, &s->columns[i], cells);
        put_row(out, t, cells, FIT_CELLS);
    }
}

static void put_sweep(struct buf *out, const struct teller *t,
                      const struct fit_sheet *s) {
    struct str cells[FIT_SWEEP_CELLS];
    if (s->point_count == 0) {
        return;
    }
    put_heading(out, t, "fit.sweep");
    fit_sweep_head(t, cells);
    put_row(out, t, cells, FIT_SWEEP_CELLS);
    put_rule(out, FIT_SWEEP_CELLS);
    for (size_t i = 0; i < s->point_count; i++) {
        fit_sweep_row(t, &s->points[i], cells);
        put_row(out, t, cells, FIT_SWEEP_CELLS);
    }
}

static void put_inverses(struct buf *out, const struct teller *t,
                         const struct fit *fit) {
    struct fit_line lines[FIT_LINES];
    size_t count = fit_inverses(t, fit, lines);
    if (count == 0) {
        return;
    }
    put_heading(out, t, "fit.most");
    for (size_t i = 0; i < count; i++) {
        buf_add(out, STR("- "));
        put(out, t, lines[i].name);
        buf_add(out, STR(": **"));
        put(out, t, lines[i].value);
        buf_add(out, STR("**\n"));
    }
}

static void put_plans(struct buf *out, const struct teller *t,
                      const struct fit *fit) {
    if (fit->plan_count == 0) {
        return;
    }
    put_heading(out, t,
                fit_is_settled(fit->fits) ? "fit.plan" : "fit.plan_sure");
    for (size_t i = 0; i < fit->plan_count; i++) {
        const struct fit_plan *plan = &fit->plans[i];
        struct str args[] = {shown_span(t, UNIT_BYTES, plan->needed),
                             shown_span(t, UNIT_BYTES, plan->pool)};
        buf_printf(out, "%zu. ", i + 1);
        put_code(out, t, fit_changes(t, fit, plan));
        buf_add(out, STR(" ("));
        put(out, t, fix_cost(t, fit_plan_effort(plan), fit_plan_loses(plan)));
        buf_add(out, STR("): "));
        put(out, t, said_with(t, "fit.plan_numbers", args, 2));
        buf_add_char(out, '\n');
    }
}

static void put_rest(struct buf *out, const struct teller *t,
                     const struct fit *fit) {
    struct str lines[FIT_CHECK_LINES];
    size_t count = fit_checks(t, fit, lines);
    if (count > 0) {
        put_heading(out, t, "fit.checks");
    }
    for (size_t i = 0; i < count; i++) {
        buf_add(out, STR("- "));
        put(out, t, lines[i]);
        buf_add_char(out, '\n');
    }
    if (fit->formulas.count > 0) {
        put_heading(out, t, "fit.formulas");
    }
    for (size_t i = 0; i < fit->formulas.count; i++) {
        buf_add(out, STR("- "));
        put_code(out, t, said_formula(t, fit->formulas.at[i]));
        buf_add_char(out, '\n');
    }
    put_heading(out, t, "fit.inputs");
    put(out, t, fit_inputs(t, fit));
    buf_add_char(out, '\n');
}

void markdown_fit(struct arena *a, struct reader *r,
                  const struct fit_sheet *sheet,
                  const struct render_options *o, struct buf *out) {
    struct teller t = {a, r, o, o->lang};
    const struct fit *fit = sheet->fit;
    buf_add(out, STR("# "));
    put(out, &t, fit_title(&t, fit));
    buf_add_char(out, '\n');
    put_paragraph(out, &t, fit_numbers(&t, fit));
    put_paragraph(out, &t, fit_asked(&t, fit));
    if (fit->c.model_is_guess) {
        put_paragraph(out, &t, said(&t, "fit.guess"));
    }
    if (!fit_is_settled(fit->fits) || fit->because.key != NULL) {
        put_paragraph(out, &t, fit_needs(&t, fit));
    }
    struct budget parts = fit_parts(&t, fit);
    put_budget(out, &t, &parts);
    put_compare(out, &t, sheet);
    put_sweep(out, &t, sheet);
    put_inverses(out, &t, fit);
    put_plans(out, &t, fit);
    put_rest(out, &t, fit);
}
