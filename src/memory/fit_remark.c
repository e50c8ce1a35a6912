/* fit_remark.c: what an answer rests on, in notes: a split that nobody said,
 * estimates that only a start would replace. */
#include "memory/effect.h"
#include "memory/engines.h"
#include "memory/fit_case.h"
#include "memory/formula.h"
#include "memory/span.h"

static void add(struct fit *fit, const struct note *n) {
    if (fit->remark_count < FIT_REMARKS) {
        fit->remarks[fit->remark_count++] = *n;
    }
}

/* "--tensor-parallel-size"; the fact's own name where there is no flag. */
static struct str flag_of(const struct engine *e, enum fact_name name) {
    for (size_t i = 0; e != NULL && i < e->flag_count; i++) {
        if (e->flags[i].fact == name) {
            return e->flags[i].flag;
        }
    }
    return str_of(fact_spelling(name));
}

static struct str assigned(struct arena *a, const struct engine *e,
                           const struct fact *f) {
    struct str flag = flag_of(e, f->name);
    struct str n = write_count(a, f->number);
    return arena_printf(a, "%.*s %.*s", STR_ARG(flag), STR_ARG(n));
}

/* Several cards, and nobody said how they are used. */
static void remark_split(struct arena *a, const struct fit_question *q,
                         struct fit *fit) {
    const struct fact *tp = &fit->c.in[FACT_tensor_parallel];
    const struct fact *pp = &fit->c.in[FACT_pipeline_parallel];
    const struct fact *cards = &fit->c.in[FACT_gpu_count];
    struct note n = {.key = "fit.remark.split", .count = 2};
    bool is_assumed = cards->known && cards->number > 1 &&
                      tp->source == SOURCE_DEFAULT &&
                      pp->source == SOURCE_DEFAULT &&
                      engine_splits_layers(&fit->c) && !fit->is_training;
    if (!is_assumed || (tp->number <= 1 && pp->number <= 1)) {
        return;
    }
    n.arg[0] = assigned(a, q->engine, tp->number > 1 ? tp : pp);
    if (tp->number > 1 && pp->number > 1) {
        n.arg[0] = arena_printf(a, "%.*s %.*s", STR_ARG(n.arg[0]),
                                STR_ARG(assigned(a, q->engine, pp)));
    }
    n.arg[1] = write_count(a, cards->number);
    if (engine_of(&fit->c)->splits_by_itself) {
        n.key = "fit.remark.split_by_itself";
    }
    add(fit, &n);
    if (tp->number * pp->number < cards->number) {
        n.key = "fit.remark.split_idle";
        n.arg[0] = write_count(a, tp->number * pp->number);
        add(fit, &n);
    }
}

/* "vLLM 0.6.3 does not know ...": whatever its memory, it will not start. */
static void remark_release(struct arena *a, const struct fit_question *q,
                           struct fit *fit) {
    struct note n = fit->checks[CHECK_RELEASE].why;
    if (n.key != NULL) {
        n.arg[1] =
            arena_printf(a, "%.*s %.*s",
                         STR_ARG(q->engine ? q->engine->name : fit->c.engine),
                         STR_ARG(n.arg[1]));
        add(fit, &n);
    }
}

/* What the engine refuses; else, of the amounts that were estimated, the one
 * that leaves most open. */
static void find_reason(struct arena *a, struct fit *fit) {
    static const enum fact_name estimated[] = {
        FACT_activation_peak, FACT_cuda_graph_bytes, FACT_non_torch,
        FACT_weights_bytes};
    const struct fact *widest = NULL;
    for (size_t i = 0; i < sizeof estimated / sizeof estimated[0]; i++) {
        const struct fact *f = &fit->c.in[estimated[i]];
        bool is_open = f->known && f->source == SOURCE_DERIVED && f->ranged;
        if (is_open &&
            (widest == NULL || f->high - f->low > widest->high - widest->low)) {
            widest = f;
        }
    }
    for (int i = 0; i < CHECK_COUNT_OF && fit->fits == FIT_NO; i++) {
        const struct fit_checked *k = &fit->checks[i];
        if (k->verdict == VERDICT_NOT_ENOUGH && k->why.key != NULL &&
            i != CHECK_RELEASE) {
            fit->because = k->why;
            return;
        }
    }
    if (fit->fits == FIT_LIKELY && widest != NULL) {
        fit->because = NOTE(
            "fit.because_estimate",
            arena_printf(a, NOTE_FACT_FORMAT, fact_spelling(widest->name)),
            write_bytes(a, widest->low), write_bytes(a, widest->high));
    }
}

void fit_remark_cut(struct arena *a, struct fit *fit) {
    if (fit->is_search_cut) {
        add(fit, &(struct note){.key = FIT_REMARK_CUT,
                                .arg = {write_count(a, (int64_t)fit->questions)},
                                .count = 1});
    }
}

void fit_remark(struct arena *a, const struct fit_question *q,
                struct fit *fit) {
    for (size_t i = 0; i < q->remark_count; i++) {
        add(fit, &q->remarks[i]);
    }
    remark_release(a, q, fit);
    remark_split(a, q, fit);
    find_reason(a, fit);
}
