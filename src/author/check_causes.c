/* check_causes.c: what entries share, and the causes that they name.
 *
 * A cause is one of kb/causes.yaml, wherever it is named; its evidence is
 * predicates over facts. Fixes of kb/fixes/ are held to what an entry's are. */
#include "author/check.h"

static void ask_causes(struct build *d, const struct source *src,
                       const struct node *map) {
    if (map == NULL || map->kind != NODE_MAP)
        return;
    for (size_t i = 0; i < map->count; i++) {
        const struct node *key = map->pairs[i].key;
        if (key->text.n > 0 && build_find(d, MADE_CAUSE, key->text) == NULL)
            complain(&d->c, src, key->place, CODE_unknown_cause,
                     "kb/causes.yaml has no cause `%.*s`",
                     STR_ARG(key->text));
    }
}

static void ask_entry(struct build *d, const struct made *m) {
    const struct node *fixes = node_get(m->node, "workarounds");
    const struct node *fix;
    ask_causes(d, m->src, node_get(m->node, "causes"));
    for (size_t i = 0; (fix = node_item(fixes, i)) != NULL; i++)
        ask_causes(d, m->src, node_get(fix, "cures"));
}

void check_causes(struct build *d) {
    for (size_t i = 0; i < d->made[MADE_ENTRY].count; i++)
        ask_entry(d, &d->made[MADE_ENTRY].at[i]);
    static const enum made_kind with_cures[] = {MADE_FIX, MADE_ACT};
    for (size_t k = 0; k < sizeof with_cures / sizeof *with_cures; k++) {
        const struct made_list *list = &d->made[with_cures[k]];
        for (size_t i = 0; i < list->count; i++)
            ask_causes(d, list->at[i].src,
                       node_get(list->at[i].node, "cures"));
    }
    for (size_t i = 0; i < d->made[MADE_PROGRAM].count; i++) {
        const struct made *m = &d->made[MADE_PROGRAM].at[i];
        const struct node *levers = node_get(m->node, "levers");
        for (size_t k = 0; node_item(levers, k) != NULL; k++)
            ask_causes(d, m->src, node_get(node_item(levers, k), "cures"));
    }
    const struct node *row;
    for (size_t i = 0; i < MECHANISM_COUNT_OF; i++)
        if ((row = d->mechanism_nodes[i]) != NULL)
            ask_causes(d, d->causes_src, node_get(row, "causes"));
}

void check_cause(struct build *d, const struct made *m) {
    struct entry_check k = {&d->c, m->src, m->node, NULL, d->fact_used};
    const struct node *list = node_get(m->node, "evidence");
    const struct node *row;
    check_translations(d, m);
    for (size_t i = 0; (row = node_item(list, i)) != NULL; i++)
        check_predicate(&k, node_get(row, "when"));
}

void check_rule(struct build *d, const struct made *m) {
    struct entry_check k = {&d->c, m->src, m->node, NULL, d->fact_used};
    const struct node *list = node_get(m->node, "when");
    const struct node *row;
    check_translations(d, m);
    for (size_t i = 0; (row = node_item(list, i)) != NULL; i++)
        check_predicate(&k, row);
}

void check_library(struct build *d) {
    for (size_t i = 0; i < d->made[MADE_FIX].count; i++) {
        const struct made *m = &d->made[MADE_FIX].at[i];
        struct entry_check k = {&d->c, m->src, m->node, NULL, d->fact_used};
        if (m->node->kind != NODE_MAP)
            continue;
        check_workaround(&k, m->node, m->what);
        check_translations(d, m);
        check_fix_takes(d, m, m->node, m->what);
        check_fix_effect(d, m->src, m->node, m->what);
    }
    for (size_t i = 0; i < d->made[MADE_ACT].count; i++) {
        const struct made *m = &d->made[MADE_ACT].at[i];
        const struct act *act = m->what;
        struct entry_check k = {&d->c, m->src, m->node, NULL, d->fact_used};
        struct workaround as_fix = {.acts_on = act->acts_on,
                                    .effect = act->effect};
        check_acts_on(&k, m->node, &act->acts_on);
        const struct node *when = node_get(m->node, "when");
        const struct node *predicate;
        for (size_t p = 0; (predicate = node_item(when, p)) != NULL; p++)
            check_predicate(&k, predicate);
        check_fix_effect(d, m->src, m->node, &as_fix);
    }
}
