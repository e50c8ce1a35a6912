/* merge.c: filling in what a fix or an entry leaves out.
 *
 *     key of a workaround   the entry, else the fix that it `use`s, else the
 *                           row of its acts_on in kb/fixes/, else the row of
 *                           that fix's acts_on
 *     causes of an entry    the entry, else the row of its mechanism
 *
 * After merging, a run needs no look-ups. The nodes tell which keys a file has.
 * A required key that no source has is an error. */
#include "author/build.h"

#include <string.h>

static const char *const of_act[] = {"effort", "loses", "frees", "cures",
                                     "effect"};
static const char *const must_have[] = {"id", "action", "how", "acts_on"};
static const char *const must_be_given[] = {"effort", "loses", "frees"};

struct sources { /* the sources of one fix, as nodes; NULL: there is none */
    const struct node *own, *used, *act, *used_act;
};

/* True if the node has this key. `effect: none` is the default and does not
 * count, unless the fix uses another one, whose effect it then replaces. */
static bool has_key(const struct sources *s, const struct node *n,
                    const char *key) {
    const struct node *value = node_get(n, key);
    bool is_effect = strcmp(key, "effect") == 0 && s->used == NULL;
    return value != NULL
           && !(is_effect && str_eq(value->text, STR("none")));
}

static bool is_given(const struct sources *s, const char *key) {
    return has_key(s, s->own, key) || has_key(s, s->used, key)
           || has_key(s, s->act, key) || has_key(s, s->used_act, key);
}

/* True if acts_on is complete. check_acts_on() reports it if not. */
static bool has_acts_on(const struct sources *s) {
    const struct node *what =
        node_or(node_get(s->own, "acts_on"), node_get(s->used, "acts_on"));
    return node_get(what, "kind") != NULL
           || (node_get(what, "flag") != NULL
               && node_get(what, "change") != NULL);
}

static void take_used(struct workaround *w, const struct sources *s,
                      const struct workaround *used) {
    for (const struct field *f = shape_workaround.fields; f->key != NULL; f++)
        if (node_get(s->own, f->key) == NULL
            && node_get(s->used, f->key) != NULL)
            field_copy(f, w, f, used);
}

/* Take keys from a row of acts that no source before it has. */
static void take_act(struct workaround *w, struct sources *s,
                     const struct node **row, const struct made *made) {
    for (size_t i = 0; made != NULL && i < sizeof of_act / sizeof *of_act;
         i++) {
        struct str key = str_of(of_act[i]);
        if (!is_given(s, of_act[i]) && node_get(s->own, of_act[i]) == NULL
            && node_get(made->node, of_act[i]) != NULL)
            field_copy(field_named(&shape_workaround, key), w,
                       field_named(&shape_act, key), made->what);
    }
    *row = made != NULL ? made->node : NULL;
}

/* Append conditions to those of the fix. */
void add_conditions(struct arena *a, struct workaround *w,
                    const struct str_list *more) {
    struct str_list both = {
        arena_array(a, w->when.count + more->count, sizeof *both.at), 0};
    for (size_t i = 0; i < w->when.count; i++)
        both.at[both.count++] = w->when.at[i];
    for (size_t i = 0; i < more->count; i++)
        both.at[both.count++] = more->at[i];
    w->when = both;
}

static const struct made *row_of(struct build *d, const struct workaround *w) {
    return build_find(d, MADE_ACT, act_key(d->a, &w->acts_on));
}

static void refuse_not_given(struct complaints *c, const struct source *src,
                             const struct node *n, enum code code,
                             const char *key) {
    const struct field *f = field_named(&shape_workaround, str_of(key));
    if (code == CODE_missing_key)
        complain(c, src, node_begin(n), code, "`%s` is missing: %s", key,
                 f->doc);
    else
        complain(c, src, node_begin(n), code,
                 "nobody says `%s` of this fix: it, the fix it uses, or a row "
                 "of kb/fixes/ for its acts_on", key);
}

static void refuse_missing(struct complaints *c, const struct source *src,
                           const struct sources *s) {
    for (size_t i = 0; i < sizeof must_have / sizeof *must_have; i++)
        if (!is_given(s, must_have[i]))
            refuse_not_given(c, src, s->own, CODE_missing_key, must_have[i]);
}

static const struct made *used_by(struct build *d, const struct made *m,
                                  const struct node *n,
                                  const struct workaround *w) {
    if (w->use.n == 0)
        return NULL;
    const struct made *used = build_find(d, MADE_FIX, w->use);
    if (used == NULL)
        complain(&d->c, m->src, node_get(n, "use")->place, CODE_unknown_fix,
                 "kb/fixes/ has no fix `%.*s`", STR_ARG(w->use));
    return used;
}

/* m: the entry, or the fix of kb/fixes/ itself. */
static struct sources merge_fix(struct build *d, const struct made *m,
                                const struct node *n, struct workaround *w) {
    struct sources s = {.own = n};
    const struct made *used = used_by(d, m, n, w);
    if (used != NULL) {
        s.used = used->node;
        take_used(w, &s, used->what);
    }
    bool is_lost = w->use.n > 0 && used == NULL;
    bool is_clear = !is_lost && has_acts_on(&s);
    const struct made *act = row_of(d, w);
    take_act(w, &s, &s.act, act);
    if (act != NULL && m->what != w) /* for kb/fixes/: where it is used */
        add_conditions(d->a, w, &((const struct act *)act->what)->when);
    if (used != NULL)
        take_act(w, &s, &s.used_act, row_of(d, used->what));
    if (!is_lost)
        refuse_missing(&d->c, m->src, &s);
    for (size_t i = 0; i < sizeof must_be_given / sizeof *must_be_given; i++)
        if (is_clear && !is_given(&s, must_be_given[i]))
            refuse_not_given(&d->c, m->src, n, CODE_unsaid, must_be_given[i]);
    return s;
}

/* True if the fix cures a cause of its entry. */
static bool cures_one(const struct entry *e, const struct workaround *w) {
    for (size_t i = 0; i < w->cure_count; i++)
        for (size_t k = 0; k < e->cause_count; k++)
            if (str_eq(w->cures[i].cause, e->causes[k].cause))
                return true;
    return w->cure_count == 0; /* reported elsewhere */
}

static void check_cures(struct build *d, const struct made *m,
                        const struct node *n, const struct sources *s,
                        const struct workaround *w) {
    if (!has_acts_on(s))
        return;
    if (!is_given(s, "cures"))
        refuse_not_given(&d->c, m->src, n, CODE_unsaid, "cures");
    else if (!cures_one(m->what, w))
        complain(&d->c, m->src, node_begin(n), CODE_cures_nothing,
                 "the fix cures none of the causes of its entry");
}

static void merge_library_fix(struct build *d, const struct made *m) {
    if (m->node->kind == NODE_MAP)
        merge_fix(d, m, m->node, m->what);
}

static void merge_entry(struct build *d, const struct made *m) {
    struct entry *e = m->what;
    const struct node *list = node_get(m->node, "workarounds");
    if (node_get(m->node, "causes") == NULL) {
        e->causes = d->mechanisms[e->mechanism].causes;
        e->cause_count = d->mechanisms[e->mechanism].cause_count;
    }
    for (size_t i = 0; i < e->workaround_count; i++) {
        const struct node *n = node_item(list, i);
        if (n->kind != NODE_MAP)
            continue;
        struct sources s = merge_fix(d, m, n, &e->workarounds[i]);
        check_cures(d, m, n, &s, &e->workarounds[i]);
    }
}

/* The id of a lever without one: "--tile 256" of real-esrgan is
 * real-esrgan-tile-256. It must not change as long as the lever does the
 * same. */
static struct str lever_id(struct arena *a, const struct program *p,
                           const struct workaround *w) {
    struct str what = w->command.n > 0 ? w->command
                      : w->acts_on.flag.n > 0 ? w->acts_on.flag : w->use;
    struct buf b = buf_in(a, 256);
    buf_add(&b, p->id);
    for (size_t i = 0, begins = 1; i < what.n && what.p[i] != '{'; i++) {
        char c = what.p[i];
        if (!is_letter(c) && !is_digit(c)) {
            begins = 1;
            continue;
        }
        if (begins)
            buf_add_char(&b, '-');
        buf_add_char(&b, to_lower(c));
        begins = 0;
    }
    return arena_str(a, buf_str(&b));
}

/* A lever has its own conditions and those of the fix that it uses, but not
 * that fix's reports and command, which are of other programs. */
static void merge_lever(struct build *d, const struct made *m,
                        const struct node *n, struct workaround *w) {
    const struct program *p = m->what;
    struct sources s = merge_fix(d, m, n, w);
    const struct made *used =
        w->use.n > 0 ? build_find(d, MADE_FIX, w->use) : NULL;
    if (used != NULL && node_get(n, "when") != NULL)
        add_conditions(d->a, w, &((const struct workaround *)used->what)->when);
    if (node_get(n, "command") == NULL) /* else it is another program's */
        w->command = (struct str){NULL, 0};
    if (node_get(n, "command_when") == NULL) /* the same */
        w->command_when = (struct str_list){NULL, 0};
    if (node_get(n, "success") == NULL)
        w->success = (struct rate){.rate_micro = -1};
    if (node_get(n, "id") == NULL)
        w->id = lever_id(d->a, p, w);
    if (w->source.n == 0)
        w->source = p->source;
    if (!is_given(&s, "cures"))
        refuse_not_given(&d->c, m->src, n, CODE_unsaid, "cures");
}

static void merge_program(struct build *d, const struct made *m) {
    struct program *p = m->what;
    const struct node *list = node_get(m->node, "levers");
    for (size_t i = 0; i < p->lever_count; i++)
        if (node_item(list, i)->kind == NODE_MAP)
            merge_lever(d, m, node_item(list, i), &p->levers[i]);
}

void build_merge(struct build *d) {
    build_each(d, MADE_FIX, merge_library_fix);
    build_share_each(d, MADE_ENTRY, merge_entry);
    build_each(d, MADE_PROGRAM, merge_program);
}

void merge_alone(struct complaints *c, const struct source *src,
                 const struct node *root, struct entry *e) {
    const struct node *list = node_get(root, "workarounds");
    for (size_t i = 0; i < e->workaround_count; i++) {
        struct sources s = {.own = node_item(list, i)};
        struct workaround *w = &e->workarounds[i];
        if (s.own->kind == NODE_MAP && w->use.n == 0)
            refuse_missing(c, src, &s);
        if (w->id.n == 0)
            w->id = w->use;
    }
}

/* ---- programs with a base ----
 *
 *     mask2former   base: detectron2    its own levers, then detectron2's
 *     detectron2                        SOLVER.IMS_PER_BATCH ...
 *
 * A base's lever keeps its id, so reports count for all programs. If the
 * program has a lever of the same class, that one is used instead. */
static bool has_class(const struct program *p, size_t own,
                      const struct workaround *w) {
    bool is_there = false;
    for (size_t i = 0; i < own; i++)
        is_there = is_there || str_eq(p->levers[i].use, w->use)
                   || (w->acts_on.flag.n > 0
                       && str_eq(p->levers[i].acts_on.flag, w->acts_on.flag));
    return is_there;
}

/* A base's lever, with a condition on the base's task: the program may have
 * other tasks, too. */
static struct workaround of_base(struct build *d, const struct program *base,
                                 const struct workaround *lever) {
    struct workaround w = *lever;
    struct str task = arena_printf(d->a, "coalesce(task, '') = '%.*s'",
                                   STR_ARG(base->task));
    struct str_list one = {&task, 1};
    if (base->task.n > 0)
        add_conditions(d->a, &w, &one);
    return w;
}

static void add_base(struct build *d, struct program *p,
                     const struct program *base) {
    size_t own = p->lever_count;
    struct workaround *both = arena_array(d->a, own + base->lever_count,
                                          sizeof *both);
    for (size_t i = 0; i < own; i++)
        both[i] = p->levers[i];
    for (size_t i = 0; i < base->lever_count; i++)
        if (!has_class(p, own, &base->levers[i]))
            both[p->lever_count++] = of_base(d, base, &base->levers[i]);
    p->levers = both;
}

void build_add_bases(struct build *d) {
    for (size_t i = 0; i < d->made[MADE_PROGRAM].count; i++) {
        struct program *p = d->made[MADE_PROGRAM].at[i].what;
        const struct made *base =
            p->base.n > 0 ? build_find(d, MADE_PROGRAM, p->base) : NULL;
        if (base != NULL)
            add_base(d, p, base->what);
    }
}
