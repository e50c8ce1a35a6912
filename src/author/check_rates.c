/* check_rates.c: a rate is never bare. Each basis has what it rests on, and
 * nothing of another's.
 *
 *     reports        worked tried links
 *     measured       worked tried how
 *     estimate       rate because, and links that say so
 *     ai_generated   rate source
 */
#include "author/check.h"

struct basis_row {
    enum basis basis;
    const char *needs[3];
    const char *may; /* have besides; NULL: nothing */
};

static const struct basis_row basis_rows[] = {
    {BASIS_reports, {"worked", "tried", "links"}, NULL},
    {BASIS_measured, {"worked", "tried", "how"}, NULL},
    {BASIS_estimate, {"rate", "because", NULL}, "links"},
    {BASIS_ai_generated, {"rate", "source", NULL}, NULL},
};

static const char *const rate_keys[] = {"worked", "tried", "rate", "because",
                                        "how", "source", "links"};

static const struct basis_row *row_of(enum basis basis) {
    for (size_t i = 0; i < sizeof basis_rows / sizeof *basis_rows; i++)
        if (basis_rows[i].basis == basis)
            return &basis_rows[i];
    return NULL;
}

static bool row_needs(const struct basis_row *row, const char *key) {
    for (int i = 0; i < 3 && row->needs[i] != NULL; i++)
        if (str_eq(str_of(row->needs[i]), str_of(key)))
            return true;
    return false;
}

static void check_keys(const struct entry_check *k, const struct node *n,
                       const struct basis_row *row) {
    const char *basis = word_spelling(WORDS_BASIS, (int)row->basis);
    struct place place = n->place;
    place.width = 1;
    for (size_t i = 0; i < sizeof rate_keys / sizeof *rate_keys; i++) {
        const struct node *value = node_get(n, rate_keys[i]);
        bool needed = row_needs(row, rate_keys[i]);
        if (needed && value == NULL)
            complain(k->c, k->src, place, CODE_bad_rate,
                     "basis `%s` needs `%s`", basis, rate_keys[i]);
        bool allowed = needed
                       || (row->may != NULL
                           && str_eq(str_of(row->may), str_of(rate_keys[i])));
        if (!allowed && value != NULL)
            complain(k->c, k->src, value->place, CODE_bad_rate,
                     "basis `%s` takes no `%s`", basis, rate_keys[i]);
    }
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
    if (!row_needs(row, "tried"))
        return;
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
        || (rate->maintainers_tried > 0 && row->basis != BASIS_reports))
        complain(k->c, k->src, place->place, CODE_bad_rate,
                 "maintainers' counts go with basis `reports`, and no more "
                 "worked than were tried");
    if (row->basis == BASIS_reports && node_get(n, "links") != NULL
        && rate->links.count == 0)
        complain(k->c, k->src, node_get(n, "links")->place, CODE_bad_rate,
                 "basis `reports` needs at least one link");
}
