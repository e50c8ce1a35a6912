/* ranking.c: orders fixes by expected benefit.
 *
 *     gain = p / cost
 *
 * p is the probability that this fix alone ends this failure. It comes from
 * arithmetic if there is an estimate, else from the causes:
 *
 *     enough           p_enough               (the worst corner is enough)
 *     may be enough    the middle of two: the share of the interval that passes
 *                      (within bounds), and the last line. A bare condition
 *                      moves the last line towards `enough`
 *     not enough       p_not_enough
 *     else             sum over causes of P(cause | log) x c, times the
 *                      reported rate over the expected one
 *
 * c is the strength of the fix against that cause (most, some, little). Reports
 * come from all causes together, in the shares of the entry. So their rate is
 * compared with sum of share x c, and moves the fix as a whole:
 *
 *     (worked + weight x expected) / (tried + weight) / expected
 *
 * The log's causes distribute it. (DESIGN has (worked + 4c) / (tried + 4) for
 * each cause: then a fix that 22 people tried for any cause stands below one
 * without reports.) A report of the user's own counts several times.
 *
 * cost = effort x loss; lost capacity counts by its size. All numbers stand in
 * kb/ranking.yaml with their origin. Method: Heckerman, Breese and Rommelse,
 * "Decision-theoretic troubleshooting", CACM 38(3), 1995.
 *
 * Fixes that do not apply or are in force come last. A fix that failed for this
 * user is not first if another one may help. Equal gains keep the order of the
 * entry.
 */
#include "diagnose/work.h"

#include "base/sort.h"

struct weighing {
    struct diagnosis *d;
    const struct finding *f;
    const struct ranking *k;
    int64_t have_share; /* share of the need that is available; -1: not known */
};

static int64_t times(int64_t x, int64_t micro) {
    int64_t product = 0;
    (void)mul_div_floor(x, micro, UNITS_MICRO, &product);
    return product;
}

static int64_t within(int64_t x, int64_t least, int64_t most) {
    return x < least ? least : x > most ? most : x;
}

/* ---- p ---- */

static int64_t cure_of(const struct weighing *w, const struct workaround *is,
                       struct str cause) {
    for (size_t i = 0; i < is->cure_count; i++) {
        if (str_eq(is->cures[i].cause, cause)) {
            switch (is->cures[i].strength) {
            case STRENGTH_most: return w->k->micro[RANKING_cure_most];
            case STRENGTH_some: return w->k->micro[RANKING_cure_some];
            case STRENGTH_little: return w->k->micro[RANKING_cure_little];
            case STRENGTH_COUNT_OF: break;
            }
        }
    }
    return w->k->micro[RANKING_cure_else];
}

/* Sum over causes of P(cause) x c. is_prior: with the shares of the entry,
 * before any log. */
static int64_t p_of_causes(const struct weighing *w, const struct fix *fix,
                           bool is_prior) {
    int64_t sum = 0, whole = 0, p = 0;
    for (size_t i = 0; i < w->f->cause_count; i++) {
        const struct belief *b = &w->f->causes[i];
        int64_t share = is_prior ? b->share_micro : b->p_micro;
        sum += times(share, cure_of(w, fix->workaround, b->cause->id));
        whole += share;
    }
    if (whole > 0)
        (void)mul_div_floor(sum, UNITS_MICRO, whole, &p);
    return p;
}

/* The rate of success by reports, moved towards the expected one. Both are of
 * all causes together. */
static int64_t reported(const struct weighing *w, const struct fix *fix,
                        int64_t expected) {
    bool is_counted = fix->success.known && fix->success.tried > 0;
    int64_t own = w->k->micro[RANKING_own_report_weight] / UNITS_MICRO;
    int64_t weight = w->k->micro[RANKING_report_weight];
    int64_t worked = (is_counted ? fix->success.worked : 0) +
                     own * fix->own.worked;
    int64_t tried = (is_counted ? fix->success.tried : 0) +
                    own * (fix->own.worked + fix->own.failed);
    int64_t rate = expected;
    (void)mul_div_floor(worked * UNITS_MICRO + times(weight, expected),
                        UNITS_MICRO, tried * UNITS_MICRO + weight, &rate);
    return rate;
}

static int64_t p_by_causes(const struct weighing *w, const struct fix *fix) {
    int64_t expected = p_of_causes(w, fix, true);
    int64_t p = p_of_causes(w, fix, false), moved = p;
    if (expected > 0) {
        int64_t most = times(w->k->micro[RANKING_reports_most], expected);
        int64_t rate = reported(w, fix, expected);
        (void)mul_div_floor(p, rate < most ? rate : most, expected, &moved);
    }
    return within(moved, 0, w->k->micro[RANKING_p_enough]);
}

/* True if the fix changes the load itself, not only what is besides it. */
static bool changes_load(const struct workaround *is) {
    return is->frees == FREES_weights || is->frees == FREES_kv_need ||
           is->frees == FREES_state || is->frees == FREES_copies ||
           is->acts_on.kind == ACT_KIND_more_gpus ||
           is->acts_on.kind == ACT_KIND_bigger_gpu ||
           is->acts_on.kind == ACT_KIND_smaller_model;
}

/* Corrects p of a fix that trims: likely if nearly enough is available,
 * unlikely if far too little is. */
static int64_t p_by_shortfall(const struct weighing *w,
                              const struct workaround *is, int64_t p) {
    const int64_t *k = w->k->micro;
    if (w->have_share < 0 || changes_load(is))
        return p;
    if (w->have_share < k[RANKING_trim_below])
        return times(p, k[RANKING_trim_below]);
    if (w->have_share > k[RANKING_trim_above])
        return p + (k[RANKING_p_enough] - p) / 4;
    return p;
}

/* With an interval: the middle of the share that passes and of p by causes.
 * With a bare condition: p by causes, moved towards `enough`. */
static int64_t p_may_be(const struct weighing *w, const struct fix *fix) {
    const int64_t *k = w->k->micro;
    int64_t p = p_by_causes(w, fix);
    if (fix->estimate.share_micro >= 0)
        return (within(fix->estimate.share_micro, k[RANKING_share_least],
                       k[RANKING_share_most]) + p) / 2;
    return p + times(k[RANKING_p_condition], k[RANKING_p_enough] - p);
}

static bool has_failed(const struct fix *fix) {
    return fix->own.failed > fix->own.worked;
}

static int64_t p_of(const struct weighing *w, const struct fix *fix,
                    const char **from) {
    const int64_t *k = w->k->micro;
    const struct estimate *e = &fix->estimate;
    bool has_failed_here = has_failed(fix);
    if (fix->has_estimate && e->verdict == VERDICT_ENOUGH && !has_failed_here) {
        *from = "diagnose.worth.enough";
        /* The memory of others is enough only if they can be ended: a
         * desktop */
        return fix_ends_others(fix->workaround)
                   ? (k[RANKING_p_enough] + p_by_causes(w, fix)) / 2
                   : k[RANKING_p_enough];
    }
    if (fix->has_estimate && e->verdict == VERDICT_NOT_ENOUGH) {
        *from = "diagnose.worth.not_enough";
        return k[RANKING_p_not_enough];
    }
    if (fix->has_estimate && e->verdict == VERDICT_MAY_BE_ENOUGH &&
        !has_failed_here) {
        *from = "diagnose.worth.may_be";
        return p_may_be(w, fix);
    }
    *from = "diagnose.worth.causes";
    int64_t p = p_by_shortfall(w, fix->workaround, p_by_causes(w, fix));
    /* it failed although the arithmetic called it enough */
    return has_failed_here && fix->has_estimate ? times(p, fix->own.mean) : p;
}

/* ---- cost ---- */

/* The effort that counts for the cost. A flag that this program is not known to
 * have is code. An entry may call a change without a flag as easy as one (a
 * node of a graph): that stays. */
static enum effort effort_weighed(const struct fix *fix) {
    return fix->workaround->acts_on.flag.n > 0 ? fix->effort
                                               : fix->workaround->effort;
}

static int64_t effort_of(const struct ranking *k, enum effort effort) {
    switch (effort) {
    case EFFORT_flag: return k->micro[RANKING_effort_flag];
    case EFFORT_restart: return k->micro[RANKING_effort_restart];
    case EFFORT_code: return k->micro[RANKING_effort_code];
    case EFFORT_hardware: return k->micro[RANKING_effort_hardware];
    case EFFORT_COUNT_OF: break;
    }
    return UNITS_MICRO;
}

static bool is_length(const struct fact *f) {
    return f->known && f->number > 0 &&
           (f->name == FACT_max_model_len || f->name == FACT_context_length);
}

/* True if the remaining length is large in itself. The default length is often
 * the one that the model was trained for, and not needed. */
static bool is_usable_length(const struct ranking *k, const struct fact *f) {
    return is_length(f) &&
           f->number >= times(1000, k->micro[RANKING_length_least]);
}

/* The loss of a shorter length: the more tokens remain, the fewer requests
 * exceed them. 64,000 remaining tokens cost few requests, 2,000 most of
 * them. */
static int64_t loss_of_length(const struct ranking *k, const struct fact *left,
                              int64_t lost) {
    int64_t half = times(1000, k->micro[RANKING_length_half]);
    int64_t missed = lost;
    if (is_length(left))
        (void)mul_div_floor(lost, half, half + left->number, &missed);
    return missed;
}

/* The loss of speed: layers on the CPU slow down every token, so it grows with
 * their share. */
static int64_t loss_of_speed(const struct ranking *k, const struct fix *fix) {
    const struct estimate *e = &fix->estimate;
    bool loads_itself = fix->workaround->acts_on.change == CHANGE_down &&
                        str_ends(fix->command, STR("workers=0"));
    bool is_layers = fix->has_estimate && e->capacity_micro >= 0 &&
                     fix->workaround->effect == EFFECT_gpu_layers;
    int64_t gone = is_layers ? UNITS_MICRO - within(e->capacity_micro, 0,
                                                    UNITS_MICRO)
                             : 0;
    return is_layers ? UNITS_MICRO + times(gone, k->micro[RANKING_loses_layers])
           : loads_itself ? k->micro[RANKING_loses_loading]
                               : k->micro[RANKING_loses_speed];
}

/* The loss of a fix. Lost capacity counts by its size: a twentieth costs
 * little, nine tenths are no cure. */
static int64_t loss_of(const struct ranking *k, const struct fix *fix) {
    switch (fix->workaround->loses) {
    case LOSES_nothing: return k->micro[RANKING_loses_nothing];
    case LOSES_speed: return loss_of_speed(k, fix);
    case LOSES_quality: return k->micro[RANKING_loses_quality];
    case LOSES_capacity:
        if (fix->has_estimate && fix->estimate.capacity_micro > 0) {
            int64_t kept = within(fix->estimate.capacity_micro, 1, UNITS_MICRO);
            int64_t lost = UNITS_MICRO - kept;
            bool is_no_cure = kept < k->micro[RANKING_capacity_least] &&
                              !is_usable_length(k, &fix->estimate.proposed);
            return is_no_cure ? k->micro[RANKING_loses_all]
                              : UNITS_MICRO +
                                    loss_of_length(k, &fix->estimate.proposed,
                                                   lost);
        }
        return k->micro[RANKING_loses_capacity];
    case LOSES_COUNT_OF: break;
    }
    return UNITS_MICRO;
}

/* ---- the order ---- */

/* True for a lever of the program that applies. Levers have a source. One that
 * needs another GPU cannot be typed. */
static bool is_open_lever(const struct fix *fix) {
    return fix->workaround->source.n > 0 && fix->applies == APPLIES_YES &&
           effort_weighed(fix) != EFFORT_hardware;
}

static bool has_lever(const struct finding *f) {
    for (size_t i = 0; i < f->fix_count; i++)
        if (is_open_lever(&f->fixes[i]))
            return true;
    return false;
}

/* Puts general advice behind a lever that frees the same memory: the lever can
 * be typed. */
static void rank_behind_lever(const struct weighing *w, struct fix *fix) {
    bool is_typed = fix->command.n > 0 && !fix->has_gap;
    for (size_t i = 0; !is_typed && i < w->f->fix_count; i++) {
        const struct fix *lever = &w->f->fixes[i];
        if (is_open_lever(lever) &&
            lever->workaround->frees == fix->workaround->frees &&
            lever->gain_micro <= fix->gain_micro && lever->gain_micro > 0 &&
            fix_is_general(w->d, w->f->entry, fix->workaround))
            fix->gain_micro = lever->gain_micro - 1;
    }
}

/* True if the value of this fix is a guess, and another fix frees the same
 * memory by a setting that the log shows. */
static bool has_shown_alternative(const struct finding *f,
                                  const struct fix *fix) {
    for (size_t i = 0; fix->first_try.n > 0 && i < f->fix_count; i++) {
        const struct fix *other = &f->fixes[i];
        const struct fact *proposed = &other->estimate.proposed;
        if (other->first_try.n == 0 && other->applies == APPLIES_YES &&
            other->workaround->frees == fix->workaround->frees &&
            other->workaround->acts_on.change ==
                fix->workaround->acts_on.change &&
            other->has_estimate && proposed->known &&
            proposed->source != SOURCE_DEFAULT)
            return true;
    }
    return false;
}

static void weigh_fix(const struct weighing *w, struct fix *fix) {
    fix->p_micro = p_of(w, fix, &fix->worth);
    if (fix->applies == APPLIES_IF)
        fix->p_micro = times(fix->p_micro, w->k->micro[RANKING_p_if]);
    fix->cost_micro = times(effort_of(w->k, effort_weighed(fix)),
                            loss_of(w->k, fix));
    if (fix_is_general(w->d, w->f->entry, fix->workaround) && has_lever(w->f))
        fix->cost_micro = times(fix->cost_micro,
                                w->k->micro[RANKING_effort_general]);
    if (has_shown_alternative(w->f, fix))
        fix->cost_micro = times(fix->cost_micro,
                                w->k->micro[RANKING_effort_guess]);
    (void)mul_div_floor(fix->p_micro, UNITS_MICRO, fix->cost_micro,
                        &fix->gain_micro);
}

static int sign(int64_t x) { return (x > 0) - (x < 0); }

static int by_gain(const void *x, const void *y) {
    const struct fix *a = x, *b = y;
    if (fix_is_offered(a) != fix_is_offered(b))
        return fix_is_offered(b) - fix_is_offered(a);
    int order = sign(b->gain_micro - a->gain_micro);
    order = order != 0 ? order : sign(b->p_micro - a->p_micro);
    return order != 0 ? order : sign((a->workaround > b->workaround) -
                                     (a->workaround < b->workaround));
}

/* If the first fix failed for this user, the second one takes its place, unless
 * it is less than half as likely. */
static void move_failed_second(struct finding *f) {
    struct fix *first = f->fixes;
    if (f->fix_count > 1 && has_failed(first) && !has_failed(first + 1) &&
        fix_is_offered(first + 1) && first[1].p_micro > first[0].p_micro / 2) {
        struct fix failed = *first;
        first[0] = first[1];
        first[1] = failed;
    }
}

static int64_t share_of(const struct finding *f, enum fact_name have_name,
                        enum fact_name need_name) {
    const struct fact *have = facts_last(&f->facts, have_name);
    const struct fact *need = facts_last(&f->facts, need_name);
    int64_t share = -1;
    if (have && need && have->number >= 0 && need->number > 0)
        (void)mul_div_floor(have->number, UNITS_MICRO, need->number, &share);
    return share;
}

/* The size of the GPU as a share of that size and the missing memory. */
static int64_t share_of_gpu(const struct finding *f) {
    const struct fact *tried = facts_last(&f->facts, FACT_tried_alloc);
    const struct fact *total = facts_last(&f->facts, FACT_gpu_total);
    const struct fact *free = facts_last(&f->facts, FACT_gpu_free);
    int64_t share = -1, all;
    if (tried && total && total->number > 0 && tried->number > 0) {
        int64_t left = free && free->number > 0 ? free->number : 0;
        int64_t missing = tried->number > left ? tried->number - left : 0;
        if (add_i64(total->number, missing, &all))
            (void)mul_div_floor(total->number, UNITS_MICRO, all, &share);
    }
    return share;
}

/* The share of the need that is available: of a KV cache by bytes or tokens, of
 * an allocation by the GPU. */
static int64_t have_share(const struct finding *f) {
    int64_t share = share_of(f, FACT_kv_available, FACT_kv_needed);
    if (share < 0)
        share = share_of(f, FACT_kv_tokens, FACT_max_model_len);
    return share < 0 ? share_of_gpu(f) : share;
}

void fixes_rank(struct diagnosis *d, struct finding *f) {
    struct weighing w = {.d = d, .f = f, .k = reader_ranking(d->r),
                         .have_share = have_share(f)};
    for (size_t i = 0; i < f->fix_count; i++)
        weigh_fix(&w, &f->fixes[i]);
    for (size_t i = 0; i < f->fix_count; i++)
        rank_behind_lever(&w, &f->fixes[i]);
    sort_stable(d->a, f->fixes, f->fix_count, sizeof *f->fixes, by_gain);
    move_failed_second(f);
    for (size_t i = 0; i < f->fix_count; i++)
        f->fixes[i].rank = (uint32_t)i + 1;
}
