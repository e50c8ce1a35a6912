/* value_cause.c: causes as keys of a mapping, and what stands beside them.
 * Whether there is such a cause is for check_causes.c. */
#include "author/read.h"
#include "base/units.h"

enum { DECIMAL_MOST = 1000 };

/* Digits, and behind a point one to six of them. */
static bool is_decimal(struct str s) {
    size_t point = str_find_char(s, '.');
    bool good = point > 0 && point + 1 != s.n
                && (point >= s.n || s.n - point - 1 <= 6);
    for (size_t i = 0; i < s.n; i++)
        good = good && (i == point || (s.p[i] >= '0' && s.p[i] <= '9'));
    return good && s.n > 0;
}

int64_t value_decimal(const struct reading *r, const struct node *n) {
    struct amount number;
    if (!value_wants(r, n, NODE_SCALAR))
        return 0;
    if (is_decimal(n->text) && units_read(n->text, UNITS_MICRO, &number)
        && number.known && number.value <= DECIMAL_MOST * UNITS_MICRO)
        return number.value;
    complain(r->c, r->src, n->place, CODE_bad_number,
             "`%.*s` is no number from 0 to %d of at most six decimals",
             STR_ARG(n->text), DECIMAL_MOST);
    return 0;
}

int64_t value_weight(const struct reading *r, const struct node *n) {
    static const char *const weights[] = {"-4", "-2", "-1", "1", "2", "4"};
    int64_t weight = 0;
    if (!value_wants(r, n, NODE_SCALAR))
        return 0;
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++)
        if (str_eq(n->text, str_of(weights[i])))
            return str_to_int(n->text, &weight) ? weight : 0;
    complain(r->c, r->src, n->place, CODE_bad_number,
             "`%.*s` is no weight: -4 -2 -1 1 2 4", STR_ARG(n->text));
    return 0;
}

struct cause_share *value_shares(const struct reading *r, const struct node *n,
                                 size_t *count) {
    if (!value_wants(r, n, NODE_MAP))
        return NULL;
    struct cause_share *list = arena_array(r->c->a, n->count, sizeof *list);
    for (size_t i = 0; i < n->count; i++) {
        const struct node *value = n->pairs[i].value;
        list[i].cause = value_id(r, n->pairs[i].key);
        list[i].share_micro = value_ratio(r, value, -1);
        if (list[i].share_micro == 0)
            complain(r->c, r->src, value->place, CODE_bad_number,
                     "a share is above 0: leave the cause out");
    }
    *count = n->count;
    return list;
}

struct cure *value_cures(const struct reading *r, const struct node *n,
                         size_t *count) {
    static const struct field strength = {
        .key = "strength", .type = FIELD_WORD, .words = WORDS_STRENGTH};
    if (!value_wants(r, n, NODE_MAP))
        return NULL;
    struct cure *list = arena_array(r->c->a, n->count, sizeof *list);
    for (size_t i = 0; i < n->count; i++) {
        int word = 0;
        list[i].cause = value_id(r, n->pairs[i].key);
        value_choice(r, &strength, n->pairs[i].value, &word);
        list[i].strength = (enum strength)word;
    }
    *count = n->count;
    return list;
}
