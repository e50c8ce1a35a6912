/* belief.c: the probability of each cause of the failure.
 *
 * An entry lists the causes that it allows, each with its share of cases (its
 * prior). Evidence is a predicate over facts with a weight. True evidence moves
 * its cause; unknown evidence moves nothing. Evidence of one family is not
 * independent: only the strongest one of a family counts.
 *
 *     P(cause | log) = share x odds^(sum of weights) / the same of all causes
 *
 * odds is the factor of one unit of weight (kb/ranking.yaml). The sum is capped
 * at 8, so that many small hints do not add up to certainty.
 *
 * Causes rank the fixes. They do not decide which entry is chosen.
 */
#include "diagnose/work.h"

#include "base/limits.h"
#include "base/sort.h"

#define WEIGHT_MOST 8

struct family {
    struct str name;
    const struct evidence *strongest;
};

struct families {
    struct family at[CAUSE_FAMILIES_MAX];
    size_t count;
};

static int64_t magnitude(int64_t weight) {
    return weight < 0 ? -weight : weight;
}

static void family_add(struct families *list, const struct evidence *e) {
    for (size_t i = 0; i < list->count; i++) {
        struct family *f = &list->at[i];
        if (e->family.n > 0 && str_eq(f->name, e->family)) {
            bool is_stronger =
                magnitude(e->weight) > magnitude(f->strongest->weight);
            f->strongest = is_stronger ? e : f->strongest;
            return;
        }
    }
    if (list->count < CAUSE_FAMILIES_MAX)
        list->at[list->count++] = (struct family){e->family, e};
}

/* The sum of weights of the evidence that is true; 0 without evidence. */
static int64_t evidence_sum(struct diagnosis *d, const struct finding *f,
                            const struct fact_list *facts, struct belief *b) {
    struct families families = {.count = 0};
    for (size_t i = 0; i < b->cause->evidence_count; i++) {
        const struct evidence *e = &b->cause->evidence[i];
        if (when_truth(d, e->when, facts, f->form).truth == TRUTH_TRUE)
            family_add(&families, e);
    }
    int64_t sum = 0;
    b->because = arena_array(d->a, families.count, sizeof(struct evidence *));
    for (size_t i = 0; i < families.count; i++) {
        b->because[b->because_count++] = families.at[i].strongest;
        sum += families.at[i].strongest->weight;
    }
    return sum < -WEIGHT_MOST ? -WEIGHT_MOST
                              : sum > WEIGHT_MOST ? WEIGHT_MOST : sum;
}

static double odds_power(double odds, int64_t weight) {
    double power = 1;
    for (int64_t i = 0; i < magnitude(weight); i++)
        power = weight < 0 ? power / odds : power * odds;
    return power;
}

static int by_probability(const void *x, const void *y) {
    const struct belief *a = x, *b = y;
    return (b->p_micro > a->p_micro) - (b->p_micro < a->p_micro);
}

static void normalize(struct finding *f, const double *scores) {
    double sum = 0;
    for (size_t i = 0; i < f->cause_count; i++)
        sum += scores[i];
    for (size_t i = 0; i < f->cause_count && sum > 0; i++) {
        double p = scores[i] / sum;
        f->causes[i].p_micro = (int64_t)(p * (double)UNITS_MICRO + 0.5);
    }
}

/* An entry of unspecified mechanism takes the mechanism that its causes make
 * probable enough. */
static void mechanism_settle(const struct ranking *k, struct finding *f) {
    int64_t of[MECHANISM_COUNT_OF] = {0};
    for (size_t i = 0; i < f->cause_count; i++) {
        enum mechanism m = f->causes[i].cause->mechanism;
        of[m] += f->causes[i].p_micro;
        if (f->mechanism == MECHANISM_unspecified &&
            of[m] >= k->micro[RANKING_mechanism_at])
            f->mechanism = m;
    }
}

void beliefs_find(struct diagnosis *d, struct finding *f) {
    const struct entry *e = f->entry;
    const struct ranking *k = reader_ranking(d->r);
    double odds = (double)k->micro[RANKING_evidence_odds] / UNITS_MICRO;
    double *scores = arena_array(d->a, e->cause_count, sizeof *scores);
    struct fact_list facts = facts_in_force(d, &f->facts);
    f->causes = arena_array(d->a, e->cause_count, sizeof *f->causes);
    for (size_t i = 0; i < e->cause_count; i++) {
        struct belief *b = &f->causes[f->cause_count];
        *b = (struct belief){.cause = reader_cause(d->r, e->causes[i].cause),
                             .share_micro = e->causes[i].share_micro};
        if (b->cause != NULL) {
            int64_t weight = evidence_sum(d, f, &facts, b);
            scores[f->cause_count++] = (double)e->causes[i].share_micro *
                                       odds_power(odds, weight);
        }
    }
    normalize(f, scores);
    sort_stable(d->a, f->causes, f->cause_count, sizeof *f->causes,
                by_probability);
    mechanism_settle(k, f);
}
