/* sighting.c: groups hits of signatures into sightings.
 *
 * Several signatures of one group may match the same words; the most
 * informative hit stands for all. The same words again with the same numbers (a
 * worker's error that its parent logs once more, an exception that is raised
 * again) are a duplicate: another place of the same sighting, so that a
 * traceback of one of them counts for both. Other lines of the same report that
 * another signature matches are duplicates, too, and no second event.
 *
 * Only the last ECHO_WINDOW sightings are searched. A duplicate that is missed
 * still ends in the same finding, as an instance.
 */
#include "diagnose/work.h"

#include "base/limits.h"

#define DUPLICATE_WINDOW 64
#define CODE_LINES 3 /* lines of one statement in a traceback; Python 3.11 adds
                        a line of marks */

static uint32_t group_name(struct reader *r, uint32_t entry) {
    struct group g = reader_group(r, entry);
    uint32_t least = entry;
    for (size_t i = 0; i < g.count; i++)
        if (g.entries[i] < least)
            least = g.entries[i];
    return least;
}

static struct place place_of(const struct hit *h) {
    return (struct place){.stream = h->stream, .first_line = h->first_line,
                          .last_line = h->last_line,
                          .trace_first = h->trace_first,
                          .trace_last = h->trace_last, .order = h->order};
}

/* ---- comparing captures ---- */

struct likeness {
    size_t shared, different;
};

/* Counts the names that both captured, and those of them with different
 * texts. */
static struct likeness compare(const struct hit *x, const struct hit *y) {
    struct likeness like = {0, 0};
    for (size_t i = 0; i < x->capture_count; i++) {
        enum fact_name name = x->captures[i].name;
        const struct capture *other = hit_capture(y, name);
        if (!other || hit_capture(x, name) != &x->captures[i])
            continue;
        like.shared++;
        like.different += !str_eq(x->captures[i].text, other->text);
    }
    return like;
}

/* True if both hits are of the same words. */
static bool is_same_place(const struct hit *x, const struct hit *y) {
    if (x->stream != y->stream || compare(x, y).different > 0)
        return false;
    return x->first_line == y->first_line ||
           (x->first_line <= y->last_line && y->first_line <= x->last_line &&
            x->ordinal != y->ordinal);
}

static bool has_number(const struct hit *h) {
    for (size_t i = 0; i < h->capture_count; i++)
        if (fact_unit(h->captures[i].name) != UNIT_TEXT &&
            h->captures[i].name != FACT_gpu_index)
            return true;
    return false;
}

/* True if y is the same message printed again. */
static bool is_duplicate(const struct hit *x, const struct hit *y) {
    bool has_x = has_number(x), has_y = has_number(y);
    if (has_x != has_y) { /* a message without numbers cannot contradict the
                             other */
        uint32_t apart = x->first_line > y->last_line
                             ? x->first_line - y->last_line
                             : y->first_line > x->last_line
                                   ? y->first_line - x->last_line : 0;
        return x->stream == y->stream && apart <= 200;
    }
    struct likeness like = compare(x, y);
    return like.different == 0 && (!has_x || like.shared > 0);
}

/* ---- building ---- */

static void count_hit(struct arena *a, struct sighting *s,
                      uint32_t pattern) {
    size_t i = 0;
    while (i < s->by_count && s->by[i].pattern != pattern)
        i++;
    if (i == s->by_count)
        *ARENA_ADD(a, s->by, s->by_count, s->by_cap) =
            (struct seen_by){pattern, 0};
    uint64_t seen = ++s->by[i].count;
    s->count = seen > s->count ? seen : s->count;
}

static void place_add(struct arena *a, struct sighting *s,
                      const struct hit *h) {
    count_hit(a, s, h->pattern);
    if (s->place_count < SIGHTING_PLACES_MAX)
        *ARENA_ADD(a, s->places, s->place_count, s->place_cap) = place_of(h);
}

/* Another signature of the same words may have a longer traceback. */
static void place_widen(struct sighting *s, const struct hit *h) {
    for (size_t i = 0; i < s->place_count; i++) {
        struct place *p = &s->places[i];
        if (p->stream != h->stream || p->first_line > h->last_line ||
            h->first_line > p->last_line)
            continue;
        if (h->trace_first < p->trace_first)
            p->trace_first = h->trace_first;
        if (h->trace_last > p->trace_last)
            p->trace_last = h->trace_last;
    }
}

static void hit_merge(struct sighting *s, const struct hit *h, bool is_weak) {
    if (h->capture_count > s->hit->capture_count)
        s->hit = h;
    quote_update(&s->quote, h);
    s->is_weak = s->is_weak && is_weak;
}

/* True if h is the message of a sighting whose words also stand in the last
 * line of code of the traceback, right above it: one event. */
static bool is_raised_here(const struct sighting *s, const struct hit *h) {
    for (size_t i = 0; i < s->place_count; i++) {
        const struct place *p = &s->places[i];
        bool is_above = p->stream == h->stream &&
                        p->first_line < h->first_line &&
                        h->first_line - p->first_line <= CODE_LINES;
        if (is_above && p->trace_first == h->trace_first &&
            p->trace_first < p->first_line)
            return true;
    }
    return false;
}

static struct sighting *sighting_like(struct diagnosis *d, uint32_t head,
                                      const struct hit *h, bool *same_place) {
    size_t n = d->sightings.count;
    size_t least = n > DUPLICATE_WINDOW ? n - DUPLICATE_WINDOW : 0;
    for (size_t i = n; i > least; i--) {
        struct sighting *s = &d->sightings.at[i - 1];
        if (s->head != head)
            continue;
        *same_place = is_same_place(s->hit, h);
        if (*same_place || is_duplicate(s->hit, h))
            return s;
    }
    return NULL;
}

static bool count_on_last(struct sighting_list *list, uint32_t head,
                          const struct hit *h) {
    for (size_t i = list->count; i > 0; i--) {
        if (list->at[i - 1].head == head) {
            list->at[i - 1].count++;
            list->at[i - 1].counted_to = h->last_line;
            return true;
        }
    }
    return false;
}

static void sighting_add(struct diagnosis *d, const struct hit *h) {
    uint32_t head = group_name(d->r, h->owner);
    const struct pattern *pattern = reader_pattern(d->r, h->pattern);
    bool is_weak = pattern && pattern->is_weak;
    bool same_place = false;
    struct sighting *s = sighting_like(d, head, h, &same_place);
    if (s) {
        if (same_place)
            place_widen(s, h);
        else if (is_raised_here(s, h))
            s->quote = (struct quote){.number = 0};
        else
            place_add(d->a, s, h);
        hit_merge(s, h, is_weak);
        return;
    }
    struct sighting_list *list = &d->sightings;
    if (list->count >= SIGHTINGS_MAX && count_on_last(list, head, h))
        return;
    s = ARENA_ADD(d->a, list->at, list->count, list->cap);
    *s = (struct sighting){.hit = h, .head = head, .is_weak = is_weak};
    quote_update(&s->quote, h);
    place_add(d->a, s, h);
}

static void facts_fill(struct diagnosis *d, struct sighting *s) {
    const struct entry *e = reader_entry_head(d->r, s->hit->owner);
    const struct signature *signature =
        e && s->hit->ordinal < e->signature_count
            ? &e->signatures[s->hit->ordinal] : NULL;
    s->form = signature;
    s->is_guess = s->is_weak && e && e->mechanism == MECHANISM_unspecified;
    s->facts = facts_of_hit(d, s->hit, signature);
    facts_derive(d->a, &s->facts);
}

void sightings_find(struct diagnosis *d) {
    const struct hit_list *hits = &d->scan->hits;
    for (size_t i = 0; i < hits->count; i++)
        if (hits->at[i].kind == PATTERN_SIGNATURE)
            sighting_add(d, &hits->at[i]);
    for (size_t i = 0; i < d->sightings.count; i++)
        facts_fill(d, &d->sightings.at[i]);
}
