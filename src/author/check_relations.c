/* check_relations.c: references between entries, groups, and components.
 *
 *     head     owns signatures; mechanism unspecified, no conditions
 *     member   same_words_as: head
 */
#include "author/build.h"

static struct str head_of(const struct entry *e) {
    return e->same_words_as.n > 0 ? e->same_words_as : e->id;
}

static bool relates_to(const struct entry *e, struct str id) {
    for (size_t i = 0; i < e->relation_count; i++)
        if (str_eq(e->relations[i].entry, id))
            return true;
    return false;
}

bool entries_are_related(const struct entry *a, const struct entry *b) {
    return str_eq(head_of(a), head_of(b)) || relates_to(a, b->id)
           || relates_to(b, a->id);
}

static void refuse(struct build *d, const struct made *m, const struct node *n,
                   enum code code, const char *what, struct str id) {
    complain(&d->c, m->src, n != NULL ? n->place : (struct place){0}, code,
             "%s `%.*s`", what, STR_ARG(id));
}

static void check_head_of(struct build *d, const struct made *m) {
    const struct entry *e = made_entry(m);
    const struct node *n = node_get(m->node, "same_words_as");
    if (e->same_words_as.n == 0)
        return;
    const struct made *head = build_find(d, MADE_ENTRY, e->same_words_as);
    if (head == NULL)
        refuse(d, m, n, CODE_same_words_nowhere, "there is no entry",
               e->same_words_as);
    else if (made_entry(head)->same_words_as.n > 0)
        refuse(d, m, n, CODE_same_words_nowhere,
               "no head of a group; its own head is",
               made_entry(head)->same_words_as);
    else if (made_entry(head)->signature_count == 0)
        refuse(d, m, n, CODE_same_words_nowhere,
               "a head owns signatures, which has not", e->same_words_as);
}

/* For each entry, whether others have it as their head. */
static bool *heads_of(struct build *d) {
    const struct made_list *list = &d->made[MADE_ENTRY];
    bool *is_head = arena_array(d->a, list->count, sizeof *is_head);
    for (size_t i = 0; i < list->count; i++) {
        struct str id = made_entry(&list->at[i])->same_words_as;
        const struct made *head =
            id.n > 0 ? build_find(d, MADE_ENTRY, id) : NULL;
        if (head != NULL)
            is_head[head - list->at] = true;
    }
    return is_head;
}

static void check_fallback(struct build *d, const struct made *m) {
    const struct entry *e = made_entry(m);
    if (e->same_words_as.n > 0)
        return;
    const struct node *mechanism = node_get(m->node, "mechanism");
    if (e->mechanism != MECHANISM_unspecified && mechanism != NULL)
        complain(&d->c, m->src, mechanism->place, CODE_no_fallback,
                 "the head of a group is its fallback: mechanism "
                 "`unspecified`");
    static const char *const keys[] = {"all_of", "none_of", "when"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const struct node *n = node_get(m->node, keys[i]);
        if (n != NULL && n->count > 0)
            complain(&d->c, m->src, n->place, CODE_no_fallback,
                     "the head of a group is its fallback: no `%s`", keys[i]);
    }
}

static void check_references(struct build *d, const struct made *m) {
    const struct entry *e = made_entry(m);
    const struct node *prefer = node_get(m->node, "prefer");
    const struct node *relations = node_get(m->node, "relations");
    for (size_t i = 0; i < e->prefer.count; i++)
        if (e->prefer.at[i].n > 0
            && build_find(d, MADE_ENTRY, e->prefer.at[i]) == NULL)
            refuse(d, m, node_item(prefer, i), CODE_relation_nowhere,
                   "there is no entry", e->prefer.at[i]);
    for (size_t i = 0; i < e->relation_count; i++) {
        const struct relation *r = &e->relations[i];
        const struct node *row = node_item(relations, i);
        const struct node *n = node_get(row, "entry");
        if (r->entry.n > 0 && build_find(d, MADE_ENTRY, r->entry) == NULL)
            refuse(d, m, n, CODE_relation_nowhere, "there is no entry",
                   r->entry);
        if (r->entry.n > 0 && str_eq(r->entry, e->id))
            refuse(d, m, n, CODE_relation_nowhere, "this is itself", e->id);
        if (n != NULL && r->kind == RELATION_confused_with
            && node_get(row, "tell_apart") == NULL)
            refuse(d, m, n, CODE_missing_key,
                   "`tell_apart` is missing: how is it told from", r->entry);
    }
}

/* A former id must not be an id or a former id of another entry. */
static void check_renamed(struct build *d, const struct made *m) {
    const struct entry *e = made_entry(m);
    const struct node *list = node_get(m->node, "renamed_from");
    for (size_t i = 0; i < e->renamed_from.count; i++) {
        struct str old = e->renamed_from.at[i];
        bool taken = old.n > 0 && build_find(d, MADE_ENTRY, old) != NULL;
        for (const struct entry *o = d->corpus.entries; o < e; o++)
            for (size_t j = 0; j < o->renamed_from.count; j++)
                taken = taken || (old.n > 0
                                  && str_eq(o->renamed_from.at[j], old));
        if (taken)
            refuse(d, m, node_item(list, i), CODE_duplicate_id,
                   "another entry has or had the id", old);
    }
}

static void check_component(struct build *d, const struct made *m,
                            struct str component, const char *key) {
    if (component.n == 0
        || build_find(d, MADE_COMPONENT, component) != NULL)
        return;
    refuse(d, m, node_get(m->node, key), CODE_unknown_component,
           "kb/vocabulary.yaml has no component", component);
}

/* An entry needs a signature, or a group and a log that it is found in. Entries
 * with errors are skipped: their signatures may be the error. */
static void check_selection(struct build *d, const struct made *m) {
    const struct entry *e = made_entry(m);
    if (m->is_broken || e->signature_count > 0
        || e->withdrawn.in[LANG_EN].n > 0)
        return;
    if (e->same_words_as.n == 0)
        complain(&d->c, m->src, (struct place){1, 1, 1}, CODE_no_selection,
                 "neither `signatures` nor `same_words_as`: nothing can make "
                 "it a candidate");
    else if (m->log_path.n == 0)
        complain(&d->c, m->src, (struct place){0}, CODE_no_sample,
                 "no signature of its own and no <slug>.log: nothing shows "
                 "that it ever speaks");
}

static void check_folding(struct build *d, const struct made *m) {
    check_component(d, m, ((const struct component *)m->what)->folds_into,
                    "folds_into");
}

static void check_engine_name(struct build *d, const struct made *m) {
    if (!((const struct engine *)m->what)->is_everywhere)
        check_component(d, m, m->id, "name"); /* else not a program */
}

void check_relations(struct build *d) {
    const bool *is_head = heads_of(d);
    for (size_t i = 0; i < d->made[MADE_ENTRY].count; i++) {
        const struct made *m = &d->made[MADE_ENTRY].at[i];
        check_selection(d, m);
        check_component(d, m, made_entry(m)->component, "component");
        check_head_of(d, m);
        if (is_head[i])
            check_fallback(d, m);
        check_references(d, m);
        check_renamed(d, m);
    }
    build_each(d, MADE_COMPONENT, check_folding);
    build_each(d, MADE_ENGINE, check_engine_name);
}
