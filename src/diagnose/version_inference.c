/* version_inference.c: infers versions from the form of a message.
 *
 *     "... has a total capacity of ..."   printed by torch 2.1 and later
 *     vcmp(torch_version, '2.0') >= 0     true for all of these versions
 *     vcmp(torch_version, '2.9') >= 0     true for some of them: unknown
 *
 * A predicate or a row of versions changes its answer only at the versions that
 * it names. So it is evaluated at each of them, just below and just above, and
 * at the ends of the range. If all points within the range agree, that is the
 * answer.
 *
 * Frames narrow the range of PyTorch further (torch_since, torch_before):
 * `in _wrapped_call_impl` is of 2.1 and later.
 *
 * The inferred range never becomes a fact: the version stays unknown, and only
 * predicates are answered.
 */
#include "diagnose/work.h"

#include "base/limits.h"

struct points {
    const struct version_range *within;
    struct str at[BOUND_POINTS_MAX];
    size_t count;
    bool is_lossy; /* a point could not be made: the points prove nothing */
};

int version_fact(const struct diagnosis *d, struct str product) {
    const struct fact *engine = facts_first(&d->context, FACT_engine);
    if (str_eq(product, STR("torch")) || str_eq(product, STR("pytorch")))
        return FACT_torch_version;
    if (str_eq(product, STR("cuda")))
        return FACT_cuda_version;
    return engine && str_eq(engine->word, product) ? FACT_engine_version : -1;
}

static const struct version_range *range_of_form(const struct diagnosis *d,
                                                 const struct signature *form,
                                                 enum fact_name name) {
    for (size_t i = 0; form && i < form->version_count; i++) {
        const struct version_range *range = &form->versions[i];
        if (version_fact(d, range->product) == (int)name &&
            range->event_count > 0)
            return range;
    }
    return NULL;
}

static bool is_later(struct str x, struct str than) {
    int order = 0;
    return version_compare(x, than, &order) && order > 0;
}

static const struct version_range *range_between(struct arena *a,
                                                 struct str from,
                                                 struct str to) {
    struct version_range *both = arena_alloc(a, sizeof *both);
    both->product = STR("torch");
    both->events = arena_array(a, 2, sizeof *both->events);
    both->events[both->event_count++] = (struct version_event){.version = from};
    if (to.n > 0)
        both->events[both->event_count++] =
            (struct version_event){.version = to, .is_fixed = true};
    return both;
}

/* Raises `from` and lowers `to` by the events of the form. */
static void range_narrow(const struct version_range *form, struct str *from,
                         struct str *to) {
    for (size_t i = 0; i < form->event_count; i++) {
        const struct version_event *e = &form->events[i];
        if (!e->is_fixed && is_later(e->version, *from))
            *from = e->version;
        else if (e->is_fixed && (to->n == 0 || is_later(*to, e->version)))
            *to = e->version;
    }
}

/* The interval of the form, narrowed by the versions of PyTorch that frames
 * prove. */
static const struct version_range *torch_range(
    const struct diagnosis *d, const struct version_range *form) {
    const struct fact *since = facts_last(&d->context, FACT_torch_since);
    const struct fact *before = facts_last(&d->context, FACT_torch_before);
    struct str from = since ? since->word : STR("0");
    struct str to = before ? before->word : (struct str){NULL, 0};
    if ((!since && !before) || (form && form->event_count > 2))
        return form;
    if (form)
        range_narrow(form, &from, &to);
    if (to.n > 0 && !is_later(to, from))
        return form; /* the bounds contradict each other: the log quotes two
                        programs */
    return range_between(d->a, from, to);
}

/* The range of that version; NULL: neither the form of the message nor its
 * frames restrict it. */
static const struct version_range *range_of(const struct diagnosis *d,
                                            const struct signature *form,
                                            enum fact_name name) {
    const struct version_range *range = range_of_form(d, form, name);
    return name == FACT_torch_version ? torch_range(d, range) : range;
}

/* ---- versions to evaluate at ---- */

static void point_add(struct points *p, struct str version) {
    enum in_range here = version_in_range(p->within, version);
    if (here == RANGE_UNKNOWN || p->count == BOUND_POINTS_MAX)
        p->is_lossy = true;
    else if (here == RANGE_INSIDE)
        p->at[p->count++] = version;
}

static void points_round(struct arena *a, struct points *p,
                         struct str version) {
    point_add(p, version);
    point_add(p, arena_printf(a, "%.*s.dev0", STR_ARG(version)));
    point_add(p, arena_printf(a, "%.*s.post9999", STR_ARG(version)));
}

static void points_of_range(struct arena *a, struct points *p,
                            const struct version_range *range) {
    for (size_t i = 0; i < range->event_count; i++)
        points_round(a, p, range->events[i].version);
}

/* Adds every quoted version of the predicate. */
static void points_of_predicate(struct arena *a, struct points *p,
                                struct str predicate) {
    struct str rest = predicate;
    while (rest.n > 0) {
        struct str word;
        (void)str_cut(rest, '\'', &rest);
        word = str_cut(rest, '\'', &rest);
        if (version_valid(word))
            points_round(a, p, word);
    }
}

/* ---- evaluation ---- */

static enum truth evaluate_at(struct diagnosis *d, struct str predicate,
                              const struct fact_list *facts,
                              enum fact_name name, const struct points *p) {
    struct fact_list all = fact_list_copy(d->a, facts, 1);
    struct fact supposed = fact_blank(name, SOURCE_DERIVED);
    supposed.known = true;
    facts_add(d->a, &all, &supposed);
    enum truth truth = TRUTH_UNKNOWN;
    for (size_t i = 0; i < p->count; i++) {
        all.at[all.count - 1].word = p->at[i];
        enum truth here = reader_when(d->r, predicate, &all).truth;
        if (here == TRUTH_UNKNOWN || (i > 0 && here != truth))
            return TRUTH_UNKNOWN;
        truth = here;
    }
    return truth;
}

struct verdict_when when_truth(struct diagnosis *d, struct str predicate,
                               const struct fact_list *facts,
                               const struct signature *form) {
    struct verdict_when v = reader_when(d->r, predicate, facts);
    for (size_t i = 0; i < v.name_count && i < 16; i++) {
        const struct version_range *range = range_of(d, form, v.names[i]);
        if (!range || facts_last(facts, v.names[i]))
            continue;
        struct points *p = arena_alloc(d->a, sizeof *p);
        *p = (struct points){.within = range};
        points_of_range(d->a, p, range);
        points_of_predicate(d->a, p, predicate);
        enum truth truth =
            p->is_lossy ? TRUTH_UNKNOWN
                        : evaluate_at(d, predicate, facts, v.names[i], p);
        if (truth != TRUTH_UNKNOWN) {
            v.truth = truth;
            return v;
        }
    }
    return v;
}

enum in_range range_by_form(struct diagnosis *d, const struct signature *form,
                            const struct version_range *row) {
    int name = version_fact(d, row->product);
    const struct version_range *range =
        name >= 0 ? range_of(d, form, (enum fact_name)name) : NULL;
    if (!range)
        return RANGE_UNKNOWN;
    struct points *p = arena_alloc(d->a, sizeof *p);
    *p = (struct points){.within = range};
    points_of_range(d->a, p, range);
    points_of_range(d->a, p, row);
    enum in_range answer = RANGE_UNKNOWN;
    for (size_t i = 0; !p->is_lossy && i < p->count; i++) {
        enum in_range here = version_in_range(row, p->at[i]);
        if (i > 0 && here != answer)
            return RANGE_UNKNOWN;
        answer = here;
    }
    return answer;
}

/* ---- text ---- */

static void write_range(struct buf *b, const struct version_range *range) {
    for (size_t i = 0; i < range->event_count; i++) {
        const struct version_event *e = &range->events[i];
        if (!str_eq(e->version, STR("0")))
            buf_printf(b, "%s%s %.*s", b->n ? " " : "",
                       e->is_fixed ? "<" : ">=", STR_ARG(e->version));
    }
}

struct str range_written(struct arena *a, const struct version_range *range) {
    struct buf b = buf_in(a, BOUND_TEXT_BYTES_MAX);
    write_range(&b, range);
    return arena_str(a, buf_str(&b));
}

static void write_bound(struct buf *b, enum fact_name name,
                        const struct version_range *range) {
    buf_printf(b, "%s" NOTE_FACT_FORMAT, b->n ? NOTE_AND_WORD : "",
               fact_spelling(name));
    write_range(b, range);
}

struct str grounds_written(struct diagnosis *d, const enum fact_name *names,
                           size_t count, const struct fact_list *facts,
                           const struct signature *form) {
    struct buf b = buf_in(d->a, 16 * 1024 + BOUND_TEXT_BYTES_MAX);
    buf_add(&b, facts_written(d->a, names, count, facts));
    for (size_t i = 0; i < count; i++) {
        const struct version_range *range =
            facts_last(facts, names[i]) ? NULL : range_of(d, form, names[i]);
        if (range)
            write_bound(&b, names[i], range);
    }
    return arena_str(d->a, buf_str(&b));
}
