/* check_program.c: a row of kb/programs/.
 *
 * A program with levers has paths, commands or lines that show it, and a sample
 * that check_samples.c tries; for the row of an engine or a place, a file of
 * kb/engines/ shows it. Its levers are checked like fixes of entries, and no
 * two of them may change the same. */
#include "author/check.h"

static void refuse(struct build *d, const struct made *m, const struct node *n,
                   enum code code, const char *what) {
    complain(&d->c, m->src, node_or(n, m->node)->place, code, "%s", what);
}

static void check_shown(struct build *d, const struct made *m) {
    const struct program *p = m->what;
    size_t sign_count = p->paths.count + p->commands.count + p->lines.count;
    bool has_id = node_get(m->node, "id") != NULL;
    if (p->lever_count == 0 && sign_count == 0 && !has_id)
        return;
    if (!has_id)
        refuse(d, m, NULL, CODE_missing_key,
               "`id` is missing: a program with levers has one");
    bool is_shown = build_find(d, MADE_ENGINE, p->id) != NULL
                    || fact_takes(FACT_runs_in, p->id);
    if (is_shown && p->lever_count > 0 && sign_count == 0) /* in kb/engines/ */
        return;
    if (sign_count == 0)
        refuse(d, m, NULL, CODE_missing_key,
               "nothing shows it: `paths`, `commands` or `lines`");
    if (p->sample.n == 0)
        refuse(d, m, NULL, CODE_no_sample,
               "`sample` is missing: a line that shows it");
}

/* A base must not have a base itself: only one level is merged. */
static void check_base(struct build *d, const struct made *m) {
    const struct program *p = m->what;
    const struct made *base =
        p->base.n > 0 ? build_find(d, MADE_PROGRAM, p->base) : NULL;
    const struct program *of = base != NULL ? base->what : NULL;
    const struct node *n = node_get(m->node, "base");
    if (p->base.n > 0 && (of == NULL || of->lever_count == 0 || of == p))
        refuse(d, m, n, CODE_unknown_program,
               "kb/programs/ has no other program of that id with levers");
    else if (of != NULL && of->base.n > 0)
        refuse(d, m, n, CODE_unknown_program,
               "it has a `base` itself: name that one");
}

static void check_lines(struct build *d, const struct made *m) {
    const struct node *list = node_get(m->node, "lines");
    for (size_t i = 0; node_item(list, i) != NULL; i++)
        check_line(d, m, node_item(list, i));
}

static void check_nth_lever(struct build *d, const struct made *m, size_t i) {
    const struct program *p = m->what;
    const struct workaround *w = &p->levers[i];
    const struct node *n = node_item(node_get(m->node, "levers"), i);
    if (n->kind != NODE_MAP)
        return;
    check_lever(d, m, n, w);
    const struct acts_on *own = &w->acts_on;
    for (size_t j = 0; j < i; j++)
        if (own->flag.n > 0 && str_eq(p->levers[j].acts_on.flag, own->flag)
            && p->levers[j].acts_on.change == own->change
            && str_eq(p->levers[j].command, w->command))
            refuse(d, m, n, CODE_duplicate_workaround,
                   "a lever above changes the same");
}

void check_program(struct build *d, const struct made *m) {
    const struct program *p = m->what;
    if (m->node->kind != NODE_MAP)
        return;
    check_shown(d, m);
    check_base(d, m);
    check_lines(d, m);
    check_translations(d, m);
    for (size_t i = 0; i < p->lever_count; i++)
        check_nth_lever(d, m, i);
}
