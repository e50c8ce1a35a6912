/* select.c: chooses the entry of a group that explains a sighting.
 *
 * The same words may need opposite advice, depending on stage, frames and
 * numbers. Every entry of the group is evaluated: its conditions are patterns
 * in a scope, its predicates are SQL expressions over facts. An entry with a
 * false one is ruled out. Order of the rest:
 *
 *   all true  before  any unknown
 *   then `prefer`, then more conditions, then the lower entry number
 *
 * The note gives the facts that decided.
 */
#include "diagnose/work.h"

struct candidate {
    const struct entry *entry;
    uint32_t number;
    bool is_out, is_unknown;
    size_t conditions; /* patterns and predicates that hold */
    size_t patterns, predicates;
    bool uses_context; /* a predicate reads stage, engine, version, model */
    enum fact_name names[16]; /* facts that decided */
    size_t name_count;
};

static void name_add(struct candidate *c, enum fact_name name) {
    for (size_t i = 0; i < c->name_count; i++)
        if (c->names[i] == name)
            return;
    if (c->name_count < 16)
        c->names[c->name_count++] = name;
}

static bool is_context_fact(enum fact_name name) {
    return name == FACT_stage || name == FACT_engine ||
           name == FACT_engine_version || name == FACT_torch_version ||
           name == FACT_model || name == FACT_device_kind;
}

static void check_patterns(struct diagnosis *d, const struct sighting *s,
                           struct candidate *c) {
    const struct entry *e = c->entry;
    for (size_t i = 0; i < e->condition_count && !c->is_out; i++) {
        uint32_t pattern = reader_condition_pattern(d->r, c->number, i);
        uint32_t line;
        bool stands = hits_within(d, pattern, e->conditions[i].scope, s, &line);
        c->is_out = stands == e->conditions[i].is_none_of;
        c->conditions++;
        c->patterns++;
    }
}

static void check_predicates(struct diagnosis *d, const struct sighting *s,
                             const struct fact_list *facts,
                             struct candidate *c) {
    const struct entry *e = c->entry;
    for (size_t i = 0; i < e->when.count && !c->is_out; i++) {
        struct verdict_when v = when_truth(d, e->when.at[i], facts, s->form);
        c->is_out = v.truth == TRUTH_FALSE;
        c->is_unknown = c->is_unknown || v.truth == TRUTH_UNKNOWN;
        c->conditions++;
        c->predicates++;
        for (size_t k = 0; k < v.name_count && k < 16; k++) {
            name_add(c, v.names[k]);
            c->uses_context = c->uses_context || is_context_fact(v.names[k]);
        }
    }
}

static bool is_better(const struct candidate *x, const struct candidate *y) {
    if (x->is_unknown != y->is_unknown)
        return !x->is_unknown;
    bool is_preferred = list_has(&x->entry->prefer, y->entry->id);
    bool prefers = list_has(&y->entry->prefer, x->entry->id);
    if (is_preferred != prefers)
        return is_preferred;
    return x->conditions != y->conditions ? x->conditions > y->conditions
                                          : x->number < y->number;
}

static struct candidate candidate_of(struct diagnosis *d,
                                     const struct sighting *s, uint32_t number,
                                     const struct fact_list *facts) {
    struct candidate c = {.number = number,
                          .entry = reader_entry_head(d->r, number)};
    c.is_out = !c.entry || c.entry->withdrawn.in[LANG_EN].n > 0;
    if (!c.is_out)
        check_patterns(d, s, &c);
    if (!c.is_out)
        check_predicates(d, s, facts, &c);
    return c;
}

bool entry_is_ruled_out(struct diagnosis *d, uint32_t number,
                        const struct sighting *s) {
    struct fact_list facts = facts_in_force(d, &s->facts);
    struct candidate c = {.number = number,
                          .entry = reader_entry_head(d->r, number)};
    if (c.entry)
        check_predicates(d, s, &facts, &c);
    return c.is_out;
}

/* ---- why this one ---- */

static struct str unknown_names(struct arena *a, const struct candidate *c,
                                const struct fact_list *facts) {
    enum fact_name names[16];
    size_t count = 0;
    for (size_t i = 0; i < c->name_count; i++)
        if (!facts_last(facts, c->names[i]))
            names[count++] = c->names[i];
    return fact_names(a, names, count);
}

static struct note because_of(struct diagnosis *d, const struct sighting *s,
                              const struct candidate *c, size_t group_size,
                              const struct fact_list *facts) {
    const char *key = "diagnose.because.words";
    struct str grounds =
        c->is_unknown ? unknown_names(d->a, c, facts)
                      : grounds_written(d, c->names, c->name_count, facts,
                                        s->form);
    if (c->is_unknown) {
        key = "diagnose.because.unknown";
    } else if (c->predicates > 0 && grounds.n > 0) {
        key = c->uses_context ? "diagnose.because.context"
                              : "diagnose.because.facts";
    } else if (c->patterns > 0) {
        key = "diagnose.because.frames";
    } else if (c->predicates > 0 || group_size > 1) {
        /* A condition that is true while nothing is known. */
        key = "diagnose.because.fallback";
    }
    return NOTE(key, grounds);
}

static enum certainty certainty_of(const struct candidate *c,
                                   size_t group_size) {
    bool is_fallback = c->conditions == 0 && group_size > 1;
    if (is_fallback || c->is_unknown)
        return CERTAINTY_GENERIC;
    if (c->predicates == 0)
        return CERTAINTY_EXACT;
    return c->uses_context ? CERTAINTY_BY_CONTEXT : CERTAINTY_BY_FACTS;
}

void entry_select(struct diagnosis *d, struct sighting *s) {
    struct group group = reader_group(d->r, s->hit->owner);
    uint32_t alone = s->hit->owner;
    if (group.count == 0)
        group = (struct group){&alone, 1};
    struct fact_list facts = facts_in_force(d, &s->facts);
    struct candidate best = {.is_out = true};
    for (size_t i = 0; i < group.count; i++) {
        struct candidate c = candidate_of(d, s, group.entries[i], &facts);
        if (!c.is_out && (best.is_out || is_better(&c, &best)))
            best = c;
    }
    s->is_chosen = !best.is_out;
    if (best.is_out)
        return;
    s->entry = best.number;
    s->certainty = certainty_of(&best, group.count);
    s->is_generic = s->certainty == CERTAINTY_GENERIC;
    s->because = because_of(d, s, &best, group.count, &facts);
}
