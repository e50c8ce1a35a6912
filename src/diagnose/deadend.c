/* deadend.c: what not to try.
 *
 * First come attempts that failed in this log (24,000 tokens, then 20,000, both
 * refused). Then come the dead ends of the entry: those about settings that the
 * user has set or the message names, those whose condition is known to hold,
 * those that people reported for this failure, and those about settings of the
 * engine that runs here. The rest (RELEVANCE_NONE) are not relevant to this log
 * and are shown only on request.
 */
#include "diagnose/work.h"

#include "base/limits.h"

static bool is_true_here(struct diagnosis *d, const struct str_list *when,
                  const struct fact_list *facts,
                  const struct signature *form) {
    for (size_t i = 0; i < when->count; i++)
        if (when_truth(d, when->at[i], facts, form).truth != TRUTH_TRUE)
            return false;
    return true;
}

/* ---- attempts ---- */

/* True for settings whose values a user tries one after the other. */
static bool is_setting(enum fact_name n) {
    return n == FACT_max_model_len || n == FACT_max_num_seqs ||
           n == FACT_max_num_batched_tokens ||
           n == FACT_gpu_memory_utilization ||
           n == FACT_mem_fraction_static || n == FACT_swap_space ||
           n == FACT_batch_size || n == FACT_context_length;
}

static bool is_listed(const struct finding *f, struct str called,
                      struct str written) {
    for (size_t i = 0; i < f->dead_end_count; i++) {
        const struct dead_end_shown *x = &f->dead_ends[i];
        if (!x->dead_end && str_eq(x->action.arg[1], written) &&
            str_eq(x->action.arg[0], called))
            return true;
    }
    return false;
}

static void attempt_add(struct diagnosis *d, struct finding *f,
                        const struct fact *tried) {
    const struct fact *now = facts_first(&f->facts, tried->name);
    struct str written = fact_written(d->a, tried, false);
    struct str called = fact_label(d->a, tried->name);
    if (!tried->known || !now || facts_same(tried, now) ||
        tried->gpu != now->gpu || tried->rank != now->rank ||
        is_listed(f, called, written))
        return;
    struct dead_end_shown *x = &f->dead_ends[f->dead_end_count++];
    *x = (struct dead_end_shown){
        .relevance = RELEVANCE_TOUCHED,
        .action = NOTE("diagnose.attempt.action", called, written),
        .why = NOTE("diagnose.attempt.why", written_line(d->a, tried->line)),
        .fail = {.worked = -1, .tried = -1}};
}

static void attempts_show(struct diagnosis *d, struct finding *f) {
    for (size_t i = 0; i < f->instance_count; i++) {
        const struct fact_list *facts = &f->instances[i].facts;
        for (size_t k = 0; k < facts->count; k++)
            if (f->dead_end_count < ATTEMPTS_MAX &&
                is_setting(facts->at[k].name))
                attempt_add(d, f, &facts->at[k]);
    }
}

/* ---- dead ends of the entry ---- */

static bool is_touched(const struct diagnosis *d, const struct dead_end *x) {
    int fact = flag_fact(d->engine, x->acts_on.flag);
    const struct fact *f =
        fact >= 0 ? facts_last(&d->context, (enum fact_name)fact) : NULL;
    return f && (f->source == SOURCE_LOG || f->source == SOURCE_USER);
}

/* True if the message names the setting. */
static bool is_proposed(const struct finding *f, const struct dead_end *x) {
    struct str flag = x->acts_on.flag;
    while (str_starts(flag, STR("-")))
        flag = str_slice(flag, 1, flag.n);
    return flag.n > 0 && str_find(f->text, flag) < f->text.n;
}

static enum relevance relevance_of(const struct diagnosis *d,
                                   const struct finding *f,
                                   const struct dead_end *x) {
    bool is_reported = x->fail.links.count > 0 ||
                       x->fail.tried + x->fail.maintainers_tried > 0;
    return is_touched(d, x) || is_proposed(f, x)         ? RELEVANCE_TOUCHED
           : x->when.count > 0                           ? RELEVANCE_CONDITION
           : is_reported                                 ? RELEVANCE_REPORTED
           : flag_fact(d->engine, x->acts_on.flag) >= 0 ? RELEVANCE_ENGINE
                                                         : RELEVANCE_NONE;
}

static void entry_ends_show(struct diagnosis *d, struct finding *f,
                            const struct fact_list *facts,
                            enum relevance relevance) {
    const struct entry *e = f->entry;
    for (size_t i = 0; i < e->dead_end_count; i++) {
        const struct dead_end *x = &e->dead_ends[i];
        if (relevance_of(d, f, x) != relevance ||
            !is_true_here(d, &x->when, facts, f->form))
            continue;
        f->dead_ends[f->dead_end_count++] = (struct dead_end_shown){
            .dead_end = x, .relevance = relevance,
            .fail = success_of(d->r, &x->fail, e->mechanism, NULL)};
    }
}

void dead_ends_show(struct diagnosis *d, struct finding *f) {
    struct fact_list facts = facts_in_force(d, &f->facts);
    f->dead_ends = arena_array(d->a, f->entry->dead_end_count + ATTEMPTS_MAX,
                               sizeof *f->dead_ends);
    attempts_show(d, f);
    for (enum relevance r = RELEVANCE_TOUCHED; r <= RELEVANCE_NONE; r++)
        entry_ends_show(d, f, &facts, r);
}
