/* check_causes.c: kb/causes.yaml, kb/fixes/ and kb/lint.yaml, and the causes
 * that files name.
 *
 * Every cause that is named must be in kb/causes.yaml; its evidence must be
 * predicates over facts. Fixes of kb/fixes/ are checked like those of
 * entries. */
#include "author/check.h"

static void check_named_causes(struct build *d, const struct source *src,
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

/* The causes in `cures` of each fix of a list. */
static void check_cures(struct build *d, const struct made *m,
                        const char *key) {
    const struct node *list = node_get(m->node, key), *fix;
    for (size_t i = 0; (fix = node_item(list, i)) != NULL; i++)
        check_named_causes(d, m->src, node_get(fix, "cures"));
}

static void check_made(struct build *d, const struct made *m) {
    check_named_causes(d, m->src, node_get(m->node, "causes"));
    check_named_causes(d, m->src, node_get(m->node, "cures"));
    check_cures(d, m, "workarounds");
    check_cures(d, m, "levers");
}

void check_causes(struct build *d) {
    static const enum made_kind kinds[] = {MADE_ENTRY, MADE_FIX, MADE_ACT,
                                           MADE_PROGRAM};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        build_each(d, kinds[k], check_made);
    for (size_t i = 0; i < MECHANISM_COUNT_OF; i++)
        check_named_causes(d, d->causes_src,
                           node_get(d->mechanism_nodes[i], "causes"));
}

void check_cause(struct build *d, const struct made *m) {
    struct entry_check k = entry_check_of(d, m);
    const struct node *list = node_get(m->node, "evidence");
    const struct node *row;
    check_translations(d, m);
    for (size_t i = 0; (row = node_item(list, i)) != NULL; i++)
        check_predicate(&k, node_get(row, "when"));
}

void check_rule(struct build *d, const struct made *m) {
    struct entry_check k = entry_check_of(d, m);
    check_translations(d, m);
    check_when(&k, node_get(m->node, "when"));
}

void check_fix(struct build *d, const struct made *m) {
    if (m->node->kind == NODE_MAP) {
        check_lever(d, m, m->node, m->what);
        check_translations(d, m);
    }
}

void check_lever(struct build *d, const struct made *m, const struct node *n,
                 const struct workaround *w) {
    struct entry_check k = entry_check_of(d, m);
    check_workaround(&k, n, w);
    check_fix_takes(d, m, n, w);
    check_fix_effect(d, m->src, n, w);
}

void check_act(struct build *d, const struct made *m) {
    const struct act *act = m->what;
    struct entry_check k = entry_check_of(d, m);
    struct workaround as_fix = {.acts_on = act->acts_on,
                                .effect = act->effect};
    check_acts_on(&k, m->node, &act->acts_on);
    check_when(&k, node_get(m->node, "when"));
    check_fix_effect(d, m->src, m->node, &as_fix);
}
