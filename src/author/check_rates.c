/* check_rates.c: a rate must have its evidence: each basis has its own keys and
 * no others.
 *
 *     reports        worked tried links, and people because
 *     measured       worked tried how
 *     estimate       rate because, and links as evidence
 *     ai_generated   rate source
 *
 * One person counts as one try of a fix. A link is one person, unless `people`
 * has their number and `because` tells who they are.
 */
#include "author/check.h"

struct basis_row {
    enum basis basis;
    const char *needs[4];
    const char *may[3]; /* optional keys */
};

static const struct basis_row basis_rows[] = {
    {BASIS_reports, {"worked", "tried", "links"}, {"people", "because"}},
    {BASIS_measured, {"worked", "tried", "how"}, {NULL}},
    {BASIS_estimate, {"rate", "because"}, {"links"}},
    {BASIS_ai_generated, {"rate", "source"}, {NULL}},
};

static const char *const rate_keys[] = {"worked", "tried", "rate", "because",
                                        "how", "source", "links", "people"};

static const struct basis_row *row_of(enum basis basis) {
    for (size_t i = 0; i < sizeof basis_rows / sizeof *basis_rows; i++)
        if (basis_rows[i].basis == basis)
            return &basis_rows[i];
    return NULL;
}

static void check_keys(const struct entry_check *k, const struct node *n,
                       const struct basis_row *row) {
    const char *basis = word_spelling(WORDS_BASIS, (int)row->basis);
    for (size_t i = 0; i < sizeof rate_keys / sizeof *rate_keys; i++) {
        const struct node *value = node_get(n, rate_keys[i]);
        bool needed = str_in(str_of(rate_keys[i]), row->needs);
        if (needed && value == NULL)
            complain(k->c, k->src, node_begin(n), CODE_bad_rate,
                     "basis `%s` needs `%s`", basis, rate_keys[i]);
        if (!needed && !str_in(str_of(rate_keys[i]), row->may)
            && value != NULL)
            complain(k->c, k->src, value->place, CODE_bad_rate,
                     "basis `%s` takes no `%s`", basis, rate_keys[i]);
    }
}

static void check_people(const struct entry_check *k, const struct node *n,
                         const struct rate *rate) {
    const struct node *people = node_get(n, "people");
    const struct node *place = node_or(node_get(n, "tried"), n);
    int64_t links = (int64_t)rate->links.count;
    int64_t most = people != NULL ? rate->people : links;
    int64_t tried = rate->tried + rate->maintainers_tried;
    if ((people == NULL) != (node_get(n, "because") == NULL))
        complain(k->c, k->src, place->place, CODE_too_few_people,
                 "`people` and `because`, who they are, go together");
    else if (people != NULL && rate->people <= links)
        complain(k->c, k->src, people->place, CODE_too_few_people,
                 "%lld links are as many people: leave `people` out",
                 (long long)links);
    if (tried > most)
        complain(k->c, k->src, place->place, CODE_too_few_people,
                 "%lld tries of %lld people: one person is one try; where a "
                 "link holds several, count them in `people`",
                 (long long)tried, (long long)most);
}

static void check_counts(const struct entry_check *k, const struct node *n,
                         const struct rate *rate, enum basis basis) {
    const struct node *place = node_or(node_get(n, "tried"), n);
    if (node_get(n, "tried") != NULL && rate->tried == 0
        && rate->maintainers_tried == 0)
        complain(k->c, k->src, place->place, CODE_bad_rate,
                 "nobody tried it: leave the rate out");
    else if (rate->worked > rate->tried)
        complain(k->c, k->src, place->place, CODE_bad_rate,
                 "%lld of %lld is more than all", (long long)rate->worked,
                 (long long)rate->tried);
    place = node_or(node_get(n, "maintainers_tried"), n);
    if (rate->maintainers_worked > rate->maintainers_tried
        || (rate->maintainers_tried > 0 && basis != BASIS_reports))
        complain(k->c, k->src, place->place, CODE_bad_rate,
                 "maintainers' counts go with basis `reports`, and no more "
                 "worked than were tried");
}

void check_rate(const struct entry_check *k, const struct node *n,
                const struct rate *rate) {
    const struct node *basis = node_get(n, "basis");
    if (basis == NULL)
        return;
    const struct basis_row *row = row_of(rate->basis);
    if (row == NULL) {
        if (str_eq(basis->text, STR("none")))
            complain(k->c, k->src, basis->place, CODE_bad_rate,
                     "no evidence: leave the rate out");
        return;
    }
    check_keys(k, n, row);
    if (!str_in(STR("tried"), row->needs))
        return;
    check_counts(k, n, rate, row->basis);
    if (row->basis == BASIS_reports && node_get(n, "links") != NULL
        && rate->links.count == 0)
        complain(k->c, k->src, node_get(n, "links")->place, CODE_bad_rate,
                 "basis `reports` needs at least one link");
    else if (row->basis == BASIS_reports)
        check_people(k, n, rate);
}
