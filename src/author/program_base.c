/* program_base.c: programs that are written with another one.
 *
 *     mask2former   base: detectron2    its own levers, then detectron2's
 *     detectron2                        SOLVER.IMS_PER_BATCH ...
 *
 * A base's lever keeps its id: what is reported of it counts for all. Where the
 * program has one of the same class, its own is meant. */
#include "author/build.h"

static bool has_class(const struct program *p, size_t own,
                      const struct workaround *w) {
    bool is_there = false;
    for (size_t i = 0; i < own; i++)
        is_there = is_there || str_eq(p->levers[i].use, w->use)
                   || (w->acts_on.flag.n > 0
                       && str_eq(p->levers[i].acts_on.flag, w->acts_on.flag));
    return is_there;
}

/* What trains only, of a program that does more: of no use there else. */
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
