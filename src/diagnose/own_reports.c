/* own_reports.c: the user's own reports of fixes.
 *
 *     own reports     2 worked, 1 failed
 *     prior           what others report of the fix, itself shrunk towards the
 *                     pooled rate of that fix in that mechanism; else that
 *                     pooled rate; else 1/2
 *     mean            (worked + 2 x prior) / (tried + 2)
 *
 * The prior has the weight of two reports, as everywhere: from the third own
 * report on, the own reports weigh more. Counts of the user and of others are
 * never added up: one is a survey, the other is this very machine.
 */
#include "diagnose/work.h"

bool own_report_read(struct arena *a, struct str text, struct own_report *out,
                     struct str *why) {
    struct str rest, outcome;
    struct own_report r = {.entry = str_cut(str_trim(text), ' ', &rest)};
    r.fix = str_cut(str_trim(rest), ' ', &outcome);
    outcome = str_trim(outcome);
    r.worked = str_eq(outcome, STR("worked"));
    if (r.fix.n == 0 || !(r.worked || str_eq(outcome, STR("failed")))) {
        *why = arena_printf(a, "own report `%.*s` should be: entry fix worked "
                            "(or failed)", STR_ARG(text));
        return false;
    }
    *out = r;
    return true;
}

struct own_success own_success_of(const struct diagnosis *d,
                                  const struct entry *e,
                                  const struct workaround *w,
                                  const struct success *others) {
    struct own_success own = {0};
    for (size_t i = 0; i < d->answers->own_count; i++) {
        const struct own_report *r = &d->answers->own[i];
        if (str_eq(r->fix, w->id) && (str_eq(e->id, r->entry) ||
                                      list_has(&e->renamed_from, r->entry))) {
            own.worked += r->worked;
            own.failed += !r->worked;
        }
    }
    int64_t tried = own.worked + own.failed;
    int64_t prior = others->known
                        ? others->mean
                        : pooled_rate(d->r, e->mechanism, w);
    own.mean = (own.worked * UNITS_MICRO + 2 * prior + (tried + 2) / 2) /
               (tried + 2);
    return own;
}
