/* ranking.c: the order of fixes, and why.
 *
 *   1. applies                yes, if, no, already
 *   2. verdict                enough; unknown or none; not enough
 *   3. the user's own reports worked; none or as many each way; failed
 *   4. low end of success     of reports and measurements alone
 *   5. cost                   flag < restart < quality < code < hardware
 *   6. few reports            more of them worked than not; then, how many did
 *   7. id
 *
 * A fix nobody reported on is neither praised nor blamed: it stands where one
 * success in two would. So does one of which there are fewer than three
 * reports: two friends who agree are no evidence, and break a tie at most.
 * What failed for this very user is not `enough` here, whatever the arithmetic
 * says: it stands with what is unknown. Each neighbour's place is explained by
 * the first criterion on which they differ.
 */
#include "diagnose/work.h"

#include <stdlib.h>

enum criterion {
    BY_APPLIES, BY_VERDICT, BY_OWN, BY_SUCCESS, BY_COST, BY_FEW, BY_ID,
    CRITERION_COUNT_OF
};

static int sign(int64_t x) { return (x > 0) - (x < 0); }

static int own_balance(const struct fix *f) {
    return sign(f->own.worked - f->own.failed);
}

static int verdict_class(const struct fix *f) {
    if (!f->has_estimate) {
        return 1;
    }
    switch (f->estimate.verdict) {
    case VERDICT_ENOUGH: return own_balance(f) < 0;
    case VERDICT_MAY_BE_ENOUGH:
    case VERDICT_UNKNOWN:
    case VERDICT_NONE: return 1;
    case VERDICT_NOT_ENOUGH: return 2;
    }
    return 1;
}

static int64_t success_low(const struct fix *f) {
    int64_t low, high;
    bool is_counted = f->success.known &&
                      (f->success.basis == BASIS_reports ||
                       f->success.basis == BASIS_measured);
    if (is_counted && !f->success.is_few) {
        return f->success.low;
    }
    wilson_interval(1, 2, &low, &high);
    return low;
}

/* Best balance first; within one, the better mean. */
static int compare_own(const struct fix *x, const struct fix *y) {
    int balance = own_balance(y) - own_balance(x);
    bool is_told = own_balance(x) != 0;
    return balance != 0 || !is_told ? balance
                                    : sign(y->own.mean - x->own.mean);
}

/* Of fewer than three reports: how many more worked than not. */
static int64_t few_lead(const struct fix *f) {
    bool is_few = f->success.known && f->success.is_few;
    return is_few ? 2 * f->success.worked - f->success.tried : 0;
}

/* What somebody saw work stands above what nobody has told of. */
static int compare_few(const struct fix *x, const struct fix *y) {
    int lead = sign(few_lead(y) - few_lead(x));
    int64_t of_x = x->success.known ? x->success.worked : 0;
    int64_t of_y = y->success.known ? y->success.worked : 0;
    return lead != 0 ? lead : sign(of_y - of_x);
}

static int compare_by(enum criterion c, const struct fix *x,
                      const struct fix *y) {
    switch (c) {
    case BY_APPLIES: return (int)x->applies - (int)y->applies;
    case BY_VERDICT: return verdict_class(x) - verdict_class(y);
    case BY_OWN: return compare_own(x, y);
    case BY_SUCCESS: return sign(success_low(y) - success_low(x));
    case BY_COST: return (int)x->is->cost - (int)y->is->cost;
    case BY_FEW: return compare_few(x, y);
    case BY_ID: return str_cmp(x->is->id, y->is->id);
    case CRITERION_COUNT_OF: break;
    }
    return 0;
}

static enum criterion first_difference(const struct fix *x,
                                       const struct fix *y) {
    int c = BY_APPLIES;
    while (c < BY_ID && compare_by((enum criterion)c, x, y) == 0) {
        c++;
    }
    return (enum criterion)c;
}

static int by_rank(const void *x, const void *y) {
    return compare_by(first_difference(x, y), x, y);
}

static const char *key_above(enum criterion c) {
    switch (c) {
    case BY_APPLIES: return "diagnose.above.applies";
    case BY_VERDICT: return "diagnose.above.verdict";
    case BY_OWN: return "diagnose.above.own";
    case BY_SUCCESS: return "diagnose.above.success";
    case BY_COST: return "diagnose.above.cost";
    case BY_FEW: return "diagnose.above.few";
    case BY_ID:
    case CRITERION_COUNT_OF: break;
    }
    return "diagnose.above.id";
}

static const char *key_below(enum criterion c) {
    switch (c) {
    case BY_APPLIES: return "diagnose.below.applies";
    case BY_VERDICT: return "diagnose.below.verdict";
    case BY_OWN: return "diagnose.below.own";
    case BY_SUCCESS: return "diagnose.below.success";
    case BY_COST: return "diagnose.below.cost";
    case BY_FEW: return "diagnose.below.few";
    case BY_ID:
    case CRITERION_COUNT_OF: break;
    }
    return "diagnose.below.id";
}

/* Below the one above it, above the one below it, and by what. */
static void place_explain(struct arena *a, struct fix *fixes, size_t count,
                          size_t i) {
    struct note n;
    if (i > 0) {
        n = note_of(key_below(first_difference(&fixes[i - 1], &fixes[i])));
        note_add(&n, fixes[i - 1].is->id);
        note_list_add(a, &fixes[i].places, &fixes[i].place_count, &n);
    }
    if (i + 1 < count) {
        n = note_of(key_above(first_difference(&fixes[i], &fixes[i + 1])));
        note_add(&n, fixes[i + 1].is->id);
        note_list_add(a, &fixes[i].places, &fixes[i].place_count, &n);
    }
}

void fixes_rank(struct arena *a, struct fix *fixes, size_t count) {
    if (count > 1) {
        qsort(fixes, count, sizeof *fixes, by_rank);
    }
    for (size_t i = 0; i < count; i++) {
        fixes[i].rank = (uint32_t)i + 1;
        place_explain(a, fixes, count, i);
    }
}
