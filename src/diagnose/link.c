/* link.c: finds causes, wrappers and consequences among incidents.
 *
 *   allocator message --raised as--> "warming up sampler ..."   one root
 *                                        |
 *   "EngineCore failed to start" --------+ wrapper, cause = the root
 *   "Killed", exit 137 ------------------+ consequence
 *
 * Relations of entries state what wraps and what follows from what; a shared
 * traceback shows it too. The more specific message is the root and takes over
 * the numbers of the message that it was raised from. A wrapper without a cause
 * becomes a root of unspecified mechanism. A warning is never a cause. A
 * warning that a failure's entry wraps is merged into that failure.
 *
 * A guess is an incident whose words mention memory and nothing more. It is
 * dropped if the log has a failure, a wrapper, a consequence or a recovery. A
 * warning drops only guesses on its own lines. Of two guesses, a suspect is
 * dropped, and an entry of no program beside one of a program.
 */
#include "diagnose/work.h"

#define NEAR_LINES 500

static bool is_active(const struct incident *i) { return !i->is_merged; }

static bool is_failed_root(const struct incident *i) {
    return is_active(i) && i->role == ROLE_root &&
           i->entry->severity == SEVERITY_failure;
}

static bool is_of(struct diagnosis *d, const struct incident *i,
                  struct str entry_id) {
    if (str_eq(i->entry->id, entry_id))
        return true;
    uint32_t number;
    if (!reader_entry_by_id(d->r, entry_id, &number))
        return false;
    struct group g = reader_group(d->r, number);
    for (size_t k = 0; k < g.count; k++)
        if (g.entries[k] == i->entry_number)
            return true;
    return false;
}

static bool has_relation(struct diagnosis *d, const struct incident *from,
                         enum relation_kind kind, const struct incident *to) {
    for (size_t i = 0; i < from->entry->relation_count; i++) {
        const struct relation *r = &from->entry->relations[i];
        if (r->kind == kind && is_of(d, to, r->entry))
            return true;
    }
    return false;
}

static uint64_t order_of(const struct incident *i) {
    return i->sightings[0]->places[0].order;
}

/* ---- guesses ---- */

/* True for a suspect, and for weak words of an entry without a mechanism. */
static bool is_guess(const struct incident *i) {
    return i->entry->severity == SEVERITY_suspect || i->chosen->is_guess;
}

/* True if the guess is a suspect, or if only its entry is of no program. */
static bool is_less_specific(const struct incident *guess,
                             const struct incident *x) {
    struct str unknown = STR("unknown");
    return guess->entry->severity == SEVERITY_suspect ||
           (str_eq(guess->entry->component, unknown) &&
            !str_eq(x->entry->component, unknown));
}

/* True if a place of the incident is on these lines. A repeated message is a
 * place as well. */
static bool is_on_lines(const struct incident *i, const struct place *at) {
    for (size_t k = 0; k < i->count; k++) {
        const struct sighting *s = i->sightings[k];
        for (size_t n = 0; n < s->place_count; n++)
            if (s->places[n].first_line <= at->last_line &&
                at->first_line <= s->places[n].last_line)
                return true;
    }
    return false;
}

static bool lines_touch(const struct incident *x, const struct incident *y) {
    for (size_t i = 0; i < x->count; i++)
        if (is_on_lines(y, &x->sightings[i]->places[0]))
            return true;
    return false;
}

/* True if x makes the guess superfluous. A warning does so on its own lines
 * only; a recovery, a failure, a wrapper and a consequence in the whole log. */
static bool makes_superfluous(const struct incident *guess,
                              const struct incident *x) {
    if (!is_active(x))
        return false;
    if (is_guess(x))
        return is_less_specific(guess, x) && is_failed_root(x);
    bool is_mild = x->role == ROLE_root && !is_failed_root(x) &&
                   x->entry->severity != SEVERITY_recovery;
    return !is_mild || lines_touch(guess, x);
}

/* Drops guesses. Their numbers are not passed on: they may belong to another
 * failure. */
static void guesses_drop(struct incident_list *list) {
    for (size_t i = 0; i < list->count; i++)
        for (size_t k = 0; k < list->count && is_guess(list->at[i]); k++)
            if (makes_superfluous(list->at[i], list->at[k]))
                list->at[i]->is_merged = true;
}

/* ---- messages of one failure ---- */

static bool places_chain(const struct place *x, const struct place *y) {
    bool has_trace = x->trace_last > x->last_line ||
                     x->trace_first < x->first_line ||
                     y->trace_last > y->last_line ||
                     y->trace_first < y->first_line;
    return x->stream == y->stream &&
           ((has_trace && x->trace_first <= y->trace_last &&
             y->trace_first <= x->trace_last) ||
            (x->first_line <= y->last_line && y->first_line <= x->last_line));
}

static bool chains_with(const struct sighting *s, const struct incident *x) {
    for (size_t i = 0; i < x->count; i++)
        if (places_chain(&s->places[0], &x->sightings[i]->places[0]))
            return true;
    return false;
}

/* True if more than half of the sightings of y share a traceback with x. A
 * single one in a long log may be chance. */
static bool share_traceback(const struct incident *x,
                            const struct incident *y) {
    size_t shared = 0;
    for (size_t i = 0; i < y->count; i++)
        shared += chains_with(y->sightings[i], x);
    return 2 * shared > y->count;
}

static bool is_general(const struct incident *i) {
    return i->chosen->is_generic ||
           i->entry->mechanism == MECHANISM_unspecified;
}

static bool is_torch(const struct incident *i) {
    return str_eq(i->entry->component, STR("pytorch"));
}

/* True if x is the more specific of two messages of one failure. */
static bool is_more_specific(const struct incident *x,
                             const struct incident *y) {
    if (is_general(x) != is_general(y))
        return is_general(y);
    if (is_torch(x) != is_torch(y))
        return is_torch(y);
    return false;
}

static void facts_copy(struct diagnosis *d, struct incident *x,
                       const struct fact_list *more) {
    for (size_t i = 0; i < more->count; i++)
        facts_add_new(d->a, &x->worst->facts, &more->at[i]);
}

/* True if another sighting of x is on the same line: two entries matched one
 * failure. */
static bool is_seen_again(const struct incident *x, const struct sighting *s) {
    const struct place *here = &s->places[0];
    for (size_t i = 0; i < x->count; i++) {
        const struct place *other = &x->sightings[i]->places[0];
        if (x->sightings[i] != s && other->stream == here->stream &&
            other->first_line == here->first_line)
            return true;
    }
    return false;
}

static void sighting_move(struct diagnosis *d, struct incident *x,
                          struct sighting *s) {
    *ARENA_ADD(d->a, x->sightings, x->count, x->cap) = s;
    x->times += is_seen_again(x, s) ? 0 : s->count;
}

/* True if s was raised together with one of the first `count` sightings of x:
 * in one traceback, or on ranks that print one after the other. */
static bool is_near(const struct sighting *s, const struct incident *x,
                    size_t count) {
    for (size_t i = 0; i < count; i++)
        if (lines_apart(s, x->sightings[i]) <= NEAR_LINES ||
            places_chain(&s->places[0], &x->sightings[i]->places[0]))
            return true;
    return false;
}

/* Moves the sightings of y that were raised together with x into x. The rest of
 * y is another failure with the same words and stays in y. */
static void sightings_move(struct diagnosis *d, struct incident *x,
                           struct incident *y) {
    size_t count = x->count, left = 0;
    bool has_worst = is_near(y->worst, x, count);
    for (size_t i = 0; i < y->count; i++) {
        struct sighting *s = y->sightings[i];
        if (!is_near(s, x, count)) {
            y->sightings[left++] = s;
            continue;
        }
        sighting_move(d, x, s);
        y->times -= s->count;
        if (!has_worst || s == y->worst)
            facts_copy(d, x, &s->facts);
    }
    y->count = left;
    y->is_merged = left == 0;
    if (left > 0)
        incident_settle(d, y);
}

/* True if a command was run between them: they are failures of two runs. */
static bool is_other_try(const struct diagnosis *d, const struct incident *x,
                         const struct incident *y) {
    uint64_t from = order_of(x) < order_of(y) ? order_of(x) : order_of(y);
    uint64_t to = order_of(x) < order_of(y) ? order_of(y) : order_of(x);
    for (size_t i = 0; i < d->scan->hits.count; i++) {
        const struct hit *h = &d->scan->hits.at[i];
        if (h->command.n > 0 && h->order > from && h->order < to)
            return true;
    }
    return false;
}

/* Merges y into x, which wraps it. The first and the last line of a report are
 * one event, so their counts are not added. */
static void wrapped_merge(struct diagnosis *d, struct incident *x,
                          struct incident *y) {
    if (is_other_try(d, x, y))
        return;
    uint64_t own = x->times, more = y->times;
    sightings_move(d, x, y);
    if (y->is_merged)
        x->times = own > more ? own : more;
}

static void roots_join(struct diagnosis *d, struct incident *x,
                       struct incident *y) {
    if (has_relation(d, x, RELATION_wraps, y))
        wrapped_merge(d, x, y);
    else if (!has_relation(d, y, RELATION_wraps, x) &&
             share_traceback(x, y) && is_more_specific(x, y))
        sightings_move(d, x, y);
}

/* Merges a warning into the failure that wraps it, at any distance: it may be
 * from the start of a container. */
static void warning_join(struct diagnosis *d, struct incident *x,
                         struct incident *y) {
    if (is_failed_root(x) && is_active(y) &&
        y->entry->severity == SEVERITY_warning &&
        has_relation(d, x, RELATION_wraps, y)) {
        facts_copy(d, x, &y->worst->facts);
        y->is_merged = true;
    }
}

/* ---- causes ---- */

/* True if y is a consequence of x: by relations, by weak evidence beside a
 * failure, or by a shared traceback. */
static bool follows(struct diagnosis *d, const struct incident *y,
                    const struct incident *x) {
    if (has_relation(d, y, RELATION_caused_by, x) ||
        has_relation(d, x, RELATION_leads_to, y))
        return true;
    if (y->chosen->is_weak && !x->chosen->is_weak)
        return true;
    return order_of(x) < order_of(y) && share_traceback(x, y) &&
           !has_relation(d, x, RELATION_caused_by, y);
}

static void roots_demote(struct diagnosis *d, struct incident *x,
                         struct incident *y) {
    if (x != y && is_failed_root(x) && is_failed_root(y) && follows(d, y, x)) {
        y->role = ROLE_consequence;
        y->cause = x;
    }
}

/* The nearest failed root before i, else the nearest one after it. */
static struct incident *cause_for(const struct diagnosis *d,
                                  const struct incident *i) {
    struct incident *before = NULL, *after = NULL;
    for (size_t k = 0; k < d->incidents.count; k++) {
        struct incident *x = d->incidents.at[k];
        if (x == i || !is_failed_root(x))
            continue;
        if (order_of(x) <= order_of(i))
            before = !before || order_of(x) > order_of(before) ? x : before;
        else
            after = !after || order_of(x) < order_of(after) ? x : after;
    }
    return before ? before : after;
}

/* Makes an incident without a cause a root of unspecified mechanism. */
static void make_root(struct diagnosis *d, struct incident *i) {
    struct entry *copy = arena_alloc(d->a, sizeof *copy);
    *copy = *i->entry;
    copy->mechanism = MECHANISM_unspecified;
    i->entry = copy;
    i->role = ROLE_root;
    i->cause = NULL;
}

static void wrappers_link(struct diagnosis *d) {
    for (size_t i = 0; i < d->incidents.count; i++) {
        struct incident *x = d->incidents.at[i];
        if (!is_active(x) || x->role == ROLE_root || x->cause)
            continue;
        struct incident *cause = cause_for(d, x);
        if (cause)
            x->cause = cause;
        else
            make_root(d, x);
    }
}

void incidents_link(struct diagnosis *d) {
    struct incident_list *list = &d->incidents;
    guesses_drop(list);
    for (size_t i = 0; i < list->count; i++)
        for (size_t k = 0; k < list->count; k++)
            if (i != k && is_failed_root(list->at[i]) &&
                is_failed_root(list->at[k]))
                roots_join(d, list->at[i], list->at[k]);
    for (size_t i = 0; i < list->count; i++) {
        for (size_t k = 0; k < list->count; k++) {
            warning_join(d, list->at[i], list->at[k]);
            roots_demote(d, list->at[i], list->at[k]);
        }
    }
    wrappers_link(d);
}
