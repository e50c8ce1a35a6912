/* fit_text.c: a fit on a terminal: the verdict, the card as a bar, the most
 * that fits, what would make it fit, checks, formulas, what was assumed. */
#include "render/fit_words.h"
#include "render/page.h"

#include "base/utf8.h"
#include "memory/span.h"

#define INDENT 2
#define CURVE_COLUMNS 24
#define NAME_MAX_BYTES 1024

static enum ink ink_of(enum truth_fit fits) {
    switch (fits) {
    case FIT_YES: return INK_GOOD;
    case FIT_NO: return INK_BAD;
    case FIT_LIKELY:
    case FIT_UNKNOWN: break;
    }
    return INK_WARN;
}

/* The bar of reports, for the budget of a fit. */
static void put_bar(struct page *p, const struct fit *fit) {
    struct fact facts[2];
    struct finding f = {.budget = fit_parts(p->t, fit), .shortage = SHORT_UNKNOWN};
    struct span pool = fit->kv.pool;
    struct span need = span_times(fit->kv.bytes_per_request, fit->requests);
    if (fit->fits == FIT_NO && need.known && pool.known && pool.high > 0) {
        facts[0] = (struct fact){.name = FACT_kv_needed, .known = true,
                                 .number = need.low, .low = need.low,
                                 .high = need.high};
        facts[1] = (struct fact){.name = FACT_kv_available, .known = true,
                                 .number = pool.high, .low = pool.low,
                                 .high = pool.high};
        f.facts = (struct fact_list){facts, 2, 2};
        f.shortage = SHORT_KV_POOL;
    }
    page_blank(p);
    text_bars(p, &f);
}

static void put_heading(struct page *p, const char *key) {
    page_blank(p);
    page_text(p, 0, INK_STRONG, said(p->t, key));
}

static void put_cell(struct page *p, enum ink ink, struct str text,
                     size_t columns) {
    size_t width = utf8_width(text);
    page_put(p, ink, text);
    buf_fill(p->out, ' ', width < columns ? columns - width : 1);
}

static void put_inverses(struct page *p, const struct fit *fit) {
    struct fit_line lines[FIT_LINES];
    size_t count = fit_inverses(p->t, fit, lines), widest = 0;
    if (count == 0) {
        return;
    }
    put_heading(p, "fit.most");
    for (size_t i = 0; i < count; i++) {
        size_t width = utf8_width(lines[i].name);
        widest = width > widest ? width : widest;
    }
    for (size_t i = 0; i < count; i++) {
        struct buf name;
        buf_init_in(&name, p->t->a, NAME_MAX_BYTES);
        buf_add(&name, lines[i].name);
        buf_fill(&name, ' ', widest + 2 - utf8_width(lines[i].name));
        page_item(p, INDENT, settled(p->t->a, &name), INK_PLAIN,
                  lines[i].value);
    }
}

static void put_plans(struct page *p, const struct fit *fit) {
    if (fit->fits == FIT_YES) {
        return;
    }
    if (fit->plan_count == 0) {
        if (fit->fits == FIT_NO) {
            page_blank(p);
            page_text(p, 0, INK_PLAIN, said(p->t, "fit.no_plan"));
        }
        return;
    }
    put_heading(p, fit_is_settled(fit->fits) ? "fit.plan" : "fit.plan_sure");
    for (size_t i = 0; i < fit->plan_count; i++) {
        const struct fit_plan *plan = &fit->plans[i];
        struct str mark = arena_printf(p->t->a, "%2zu  ", i + 1);
        page_pair(p, 0, mark, INK_COMMAND, fit_changes(p->t, fit, plan), INK_DIM,
                  fix_cost(p->t, fit_plan_effort(plan), fit_plan_loses(plan)));
        struct str args[] = {shown_span(p->t, UNIT_BYTES, plan->needed),
                             shown_span(p->t, UNIT_BYTES, plan->pool)};
        page_text(p, 4, INK_DIM, said_with(p->t, "fit.plan_numbers", args, 2));
    }
}

static void put_checks(struct page *p, const struct fit *fit) {
    struct str lines[FIT_CHECK_LINES];
    size_t count = fit_checks(p->t, fit, lines);
    if (count > 0) {
        put_heading(p, "fit.checks");
    }
    for (size_t i = 0; i < count; i++) {
        page_text(p, INDENT, INK_PLAIN, lines[i]);
    }
}

static void put_formulas(struct page *p, const struct fit *fit) {
    if (fit->formulas.count > 0) {
        put_heading(p, "fit.formulas");
    }
    for (size_t i = 0; i < fit->formulas.count; i++) {
        page_text(p, INDENT, INK_DIM,
                  said_formula(p->t, fit->formulas.at[i]));
    }
    put_heading(p, "fit.inputs");
    page_text(p, INDENT, INK_DIM, fit_inputs(p->t, fit));
}

/* ---- tables ---- */

static void widen(size_t *widths, const struct str *cells, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t width = utf8_width(cells[i]);
        widths[i] = width > widths[i] ? width : widths[i];
    }
}

/* As many as the page has room for. */
static size_t columns_that_fit(const struct page *p, const size_t *widths,
                               size_t count) {
    size_t used = INDENT, fits = 0;
    while (fits < count && used + widths[fits] <= p->width) {
        used += widths[fits++] + 2;
    }
    return fits;
}

static void put_row(struct page *p, enum ink ink, const struct str *cells,
                    const size_t *widths, size_t count) {
    buf_fill(p->out, ' ', INDENT);
    for (size_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count;
        if (is_last) {
            page_put(p, ink, cells[i]);
        } else {
            put_cell(p, ink, cells[i], widths[i] + 2);
        }
    }
}

static void put_compare(struct page *p, const struct fit_sheet *s) {
    size_t widths[FIT_CELLS] = {0};
    struct str head[FIT_CELLS], row[FIT_CELLS];
    if (s->column_count == 0) {
        return;
    }
    fit_compare_head(p->t, s, head);
    widen(widths, head, FIT_CELLS);
    for (size_t i = 0; i < s->column_count; i++) {
        fit_compare_row(p->t, &s->columns[i], row);
        widen(widths, row, FIT_CELLS);
    }
    size_t count = columns_that_fit(p, widths, FIT_CELLS);
    put_heading(p, "fit.compare");
    put_row(p, INK_STRONG, head, widths, count);
    buf_add_char(p->out, '\n');
    for (size_t i = 0; i < s->column_count; i++) {
        fit_compare_row(p->t, &s->columns[i], row);
        put_row(p, ink_of(s->columns[i].fit->fits), row, widths, count);
        buf_add_char(p->out, '\n');
    }
}

static void put_curve(struct page *p, const struct fit_point *point,
                      int64_t most, size_t room, size_t blanks) {
    int64_t columns = 0;
    if (point->bytes.known && most > 0 &&
        mul_div_floor(point->bytes.high, (int64_t)room, most, &columns) &&
        columns > 0) {
        struct buf cells;
        buf_fill(p->out, ' ', blanks);
        buf_init_in(&cells, p->t->a, 1024);
        for (int64_t i = 0; i < columns && i < (int64_t)room; i++) {
            buf_add(&cells, STR("\u2588"));
        }
        page_put(p, ink_of(point->fits), settled(p->t->a, &cells));
    }
    buf_add_char(p->out, '\n');
}

/* Columns that a row of the sweep leaves for its bar. */
static size_t room_beside(const struct page *p, const size_t *widths) {
    size_t used = INDENT + 2;
    for (size_t i = 0; i < FIT_SWEEP_CELLS; i++) {
        used += widths[i] + 2;
    }
    size_t room = used < p->width ? p->width - used : 0;
    return room < CURVE_COLUMNS ? room : CURVE_COLUMNS;
}

static void put_sweep(struct page *p, const struct fit_sheet *s) {
    size_t widths[FIT_SWEEP_CELLS] = {0};
    struct str row[FIT_SWEEP_CELLS];
    int64_t most = 0;
    if (s->point_count == 0) {
        return;
    }
    fit_sweep_head(p->t, row);
    widen(widths, row, FIT_SWEEP_CELLS);
    put_heading(p, "fit.sweep");
    for (size_t i = 0; i < s->point_count; i++) {
        fit_sweep_row(p->t, &s->points[i], row);
        widen(widths, row, FIT_SWEEP_CELLS);
        int64_t high = s->points[i].bytes.high;
        most = s->points[i].bytes.known && high > most ? high : most;
    }
    fit_sweep_head(p->t, row);
    put_row(p, INK_STRONG, row, widths, FIT_SWEEP_CELLS);
    buf_add_char(p->out, '\n');
    for (size_t i = 0; i < s->point_count; i++) {
        fit_sweep_row(p->t, &s->points[i], row);
        put_row(p, ink_of(s->points[i].fits), row, widths, FIT_SWEEP_CELLS);
        size_t last = utf8_width(row[FIT_SWEEP_CELLS - 1]);
        put_curve(p, &s->points[i], most, room_beside(p, widths),
                  widths[FIT_SWEEP_CELLS - 1] - last + 1);
    }
}

void text_fit(struct arena *a, struct reader *r, const struct fit_sheet *sheet,
              const struct render_options *o, struct buf *out) {
    struct teller t = {a, r, o, o->lang};
    struct page p = page_open(&t, out);
    const struct fit *fit = sheet->fit;
    page_text(&p, 0, ink_of(fit->fits), fit_title(&t, fit));
    page_text(&p, 0, INK_PLAIN, fit_numbers(&t, fit));
    page_text(&p, 0, INK_PLAIN, fit_asked(&t, fit));
    if (fit->c.model_is_guess) {
        page_text(&p, 0, INK_WARN, said(&t, "fit.guess"));
    }
    if (!fit_is_settled(fit->fits) || fit->because.key != NULL) {
        page_text(&p, 0, INK_WARN, fit_needs(&t, fit));
    }
    put_bar(&p, fit);
    put_compare(&p, sheet);
    put_sweep(&p, sheet);
    put_inverses(&p, fit);
    put_plans(&p, fit);
    put_checks(&p, fit);
    put_formulas(&p, fit);
}
