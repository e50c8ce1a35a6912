/* memory_inputs.c: makes the inputs of the arithmetic from facts, and puts its
 * results into the finding: what one request needs, where the card's bytes
 * went.
 *
 * Nothing is computed from numbers that contradict each other. More allocated
 * than the card has means that the message mixes processes or units; a remark
 * says so.
 */
#include "diagnose/work.h"

static bool is_over(const struct fact_list *facts, enum fact_name part) {
    const struct fact *total = facts_last(facts, FACT_gpu_total);
    const struct fact *f = facts_last(facts, part);
    return total && f && total->number > 0 && fact_low(f) > fact_high(total);
}

/* True if two amounts of the same moment and card exceed its total. */
static bool is_too_much_together(const struct fact_list *facts,
                                 enum fact_name x, enum fact_name y) {
    const struct fact *total = facts_last(facts, FACT_gpu_total);
    const struct fact *fx = facts_last(facts, x), *fy = facts_last(facts, y);
    int64_t sum, slack = INT64_C(256) << 20;
    return total && fx && fy && total->number > 0 &&
           add_i64(fx->number, fy->number, &sum) &&
           sum > total->number && sum - total->number > slack;
}

bool facts_reconcile(const struct fact_list *facts) {
    return !is_over(facts, FACT_pytorch_allocated) &&
           !is_over(facts, FACT_pytorch_reserved) &&
           !is_over(facts, FACT_gpu_free) &&
           !is_too_much_together(facts, FACT_pytorch_allocated,
                                 FACT_gpu_free);
}

static bool has(const struct fact_list *facts, enum fact_name name) {
    return facts_first(facts, name) != NULL;
}

static bool is_host(const struct entry *e, const struct fact_list *facts) {
    return e->mechanism == MECHANISM_host_ram ||
           e->mechanism == MECHANISM_swap_or_disk ||
           facts_say(facts, FACT_device_kind, "host");
}

enum shortage shortage_of(const struct entry *e,
                          const struct fact_list *facts) {
    if (is_host(e, facts))
        return SHORT_HOST;
    if (has(facts, FACT_tried_alloc))
        return SHORT_ALLOCATION;
    if (has(facts, FACT_tried_tokens))
        return SHORT_TOKENS;
    if (e->mechanism == MECHANISM_kv_cache_startup ||
        has(facts, FACT_kv_needed))
        return SHORT_KV_POOL;
    bool is_of_step = e->mechanism == MECHANISM_activation;
    if ((has(facts, FACT_requested_bytes) && !is_of_step) ||
        e->mechanism == MECHANISM_other_process)
        return SHORT_FREE_AT_START;
    bool is_on_card = e->mechanism == MECHANISM_activation ||
                      e->mechanism == MECHANISM_weights ||
                      e->mechanism == MECHANISM_cuda_graph ||
                      e->mechanism == MECHANISM_fragmentation;
    return is_on_card ? SHORT_ALLOCATION : SHORT_UNKNOWN;
}

/* Adds the memory of another process: several of them count as one amount. */
static void other_add(struct fact *sum, const struct fact *f) {
    int64_t low = fact_low(f), high = fact_high(f);
    struct fact both = *f;
    if (sum->known && (!add_i64(sum->number, f->number, &both.number) ||
                       !add_i64(sum->low, low, &low) ||
                       !add_i64(sum->high, high, &high)))
        return;
    both.low = low;
    both.high = high;
    both.ranged = true;
    *sum = both;
}

static void inputs_add(struct inputs *c, const struct fact_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        const struct fact *f = &list->at[i];
        if (!f->known)
            continue;
        if (f->name == FACT_other_in_use && f->source == SOURCE_LOG)
            other_add(&c->in[f->name], f);
        else
            c->in[f->name] = *f;
    }
}

/* Drops a default that doubled between releases: the log does not name its
 * release. */
static void drop_wide_defaults(struct inputs *c) {
    for (int n = 0; n < FACT_COUNT_OF; n++) {
        struct fact *f = &c->in[n];
        bool is_wide = f->known && f->source == SOURCE_DEFAULT && f->ranged &&
                       f->low > 0 && f->high / 2 >= f->low;
        if (is_wide)
            *f = fact_blank((enum fact_name)n, SOURCE_LOG);
    }
}

/* Replaces a default that contradicts a bound of the log by that bound. */
static void drop_disproved_defaults(const struct diagnosis *d,
                                    struct inputs *c) {
    for (int n = 0; n < FACT_COUNT_OF; n++) {
        struct fact *f = &c->in[n];
        if (!f->known || f->source != SOURCE_DEFAULT)
            continue;
        const struct fact *bound = fact_bounded(&d->context, f->name);
        if (bound && f->number < bound->low)
            *f = *bound;
    }
}

void inputs_fill(struct diagnosis *d, const struct fact_list *own,
                 struct inputs *out) {
    struct fact_list all = facts_in_force(d, own);
    for (int n = 0; n < FACT_COUNT_OF; n++)
        out->in[n] = fact_blank((enum fact_name)n, SOURCE_LOG);
    inputs_add(out, &all);
    const struct fact *engine = &out->in[FACT_engine];
    const struct fact *model = &out->in[FACT_model];
    const struct fact *gpu = &out->in[FACT_gpu_name];
    struct model_match m = {.model = NULL};
    if (model->known)
        m = reader_model(d->r, model->word);
    out->engine = engine->known ? engine->word : (struct str){NULL, 0};
    out->model = m.model;
    out->model_is_guess = m.is_guess || (m.model && model->why.n > 0);
    out->gpu = gpu->known ? reader_gpu(d->r, gpu->word) : NULL;
    out->is_silent = d->is_trial;
    memory_complete(out, d->engine, d->a);
    drop_wide_defaults(out);
    drop_disproved_defaults(d, out);
}

/* True if the engine has a KV cache pool. */
static bool is_serving(const struct diagnosis *d) {
    return d->engine && !str_eq(d->engine->id, STR("pytorch"));
}

void memory_explain(struct diagnosis *d, struct finding *f,
                    const struct inputs *c) {
    bool is_on_card = f->shortage != SHORT_HOST &&
                      f->entry->severity == SEVERITY_failure;
    if (f->role != ROLE_root || !is_on_card || !facts_reconcile(&f->facts))
        return;
    if (is_serving(d)) {
        f->kv = memory_kv(d->a, c, &f->formulas);
        f->has_kv = f->kv.slope.known || f->kv.pool.known;
    }
    f->budget = memory_budget(d->a, c, &f->formulas);
}
