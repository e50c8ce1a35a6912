/* incident.c: groups sightings into incidents, one per cause.
 *
 *   rank 0  CUDA out of memory ... 6.25 MiB free  \
 *   rank 1  CUDA out of memory ... 8.25 MiB free   } one incident; the worst
 *   rank 2  CUDA out of memory ... 2.25 MiB free  /  (least free) has the facts
 *
 * Sightings that chose the same entry are one incident, however often and on
 * however many ranks: attempts that failed are instances too. Within a group, a
 * sighting that could only choose the fallback (a message without its frames)
 * joins the nearest one with a sure choice, unless its own numbers rule that
 * entry out. Ranks that failed together but chose different entries by their
 * numbers join the one with the best certainty.
 */
#include "diagnose/work.h"

#include "base/sort.h"

#define TOGETHER_LINES 2000 /* ranks of one crash print within this many
                               lines */

static struct incident *incident_new(struct diagnosis *d, struct sighting *s) {
    struct incident *i = arena_alloc(d->a, sizeof *i);
    i->entry_number = s->entry;
    i->entry = reader_entry(d->r, s->entry);
    i->head = s->head;
    i->role = i->entry->role;
    i->chosen = s;
    *ARENA_ADD(d->a, d->incidents.at, d->incidents.count, d->incidents.cap) = i;
    return i;
}

static void sighting_join(struct arena *a, struct incident *i,
                          struct sighting *s) {
    *ARENA_ADD(a, i->sightings, i->count, i->cap) = s;
    i->times += s->count;
    bool is_surer = s->entry == i->entry_number &&
                    s->certainty < i->chosen->certainty;
    if (is_surer)
        i->chosen = s;
}

static void incidents_merge(struct arena *a, struct incident *into,
                            struct incident *from) {
    for (size_t i = 0; i < from->count; i++)
        sighting_join(a, into, from->sightings[i]);
    from->is_merged = true;
}

/* ---- merging ---- */

static bool is_other_card(const struct sighting *x, const struct sighting *y) {
    const struct fact *gx = facts_first(&x->facts, FACT_gpu_index);
    const struct fact *gy = facts_first(&y->facts, FACT_gpu_index);
    if (gx && gy && gx->number != gy->number)
        return true;
    return x->places[0].stream != y->places[0].stream;
}

uint32_t lines_apart(const struct sighting *x, const struct sighting *y) {
    uint32_t a = x->places[0].first_line, b = y->places[0].first_line;
    return a > b ? a - b : b - a;
}

static bool failed_together(const struct incident *x,
                            const struct incident *y) {
    for (size_t i = 0; i < x->count; i++) {
        for (size_t k = 0; k < y->count; k++) {
            const struct sighting *a = x->sightings[i], *b = y->sightings[k];
            if (is_other_card(a, b) && lines_apart(a, b) <= TOGETHER_LINES)
                return true;
        }
    }
    return false;
}

static bool is_any_ruled_out(struct diagnosis *d, const struct incident *sure,
                             const struct incident *unsure) {
    for (size_t i = 0; i < unsure->count; i++)
        if (entry_is_ruled_out(d, sure->entry_number, unsure->sightings[i]))
            return true;
    return false;
}

static struct incident *nearest_sure(struct diagnosis *d,
                                     const struct incident *unsure) {
    struct incident *best = NULL;
    uint32_t least = UINT32_MAX;
    for (size_t i = 0; i < d->incidents.count; i++) {
        struct incident *other = d->incidents.at[i];
        if (other == unsure || other->is_merged ||
            other->head != unsure->head || other->chosen->is_generic ||
            is_any_ruled_out(d, other, unsure))
            continue;
        uint32_t apart = lines_apart(other->sightings[0], unsure->sightings[0]);
        if (!best || apart < least) {
            best = other;
            least = apart;
        }
    }
    return best;
}

/* Of two incidents of a group without a sure choice, the one with the more
 * specific entry. */
static struct incident *other_unsure(const struct diagnosis *d,
                                     const struct incident *unsure) {
    for (size_t i = 0; i < d->incidents.count; i++) {
        struct incident *other = d->incidents.at[i];
        bool is_more = other->entry->when.count + other->entry->condition_count
                       > unsure->entry->when.count +
                             unsure->entry->condition_count;
        if (other != unsure && !other->is_merged &&
            other->head == unsure->head && is_more &&
            other->chosen->is_generic)
            return other;
    }
    return NULL;
}

static void unsure_join(struct diagnosis *d) {
    for (size_t i = 0; i < d->incidents.count; i++) {
        struct incident *x = d->incidents.at[i];
        if (x->is_merged || !x->chosen->is_generic)
            continue;
        struct incident *into = nearest_sure(d, x);
        into = into ? into : other_unsure(d, x);
        if (into)
            incidents_merge(d->a, into, x);
    }
}

static void ranks_join(struct diagnosis *d) {
    for (size_t i = 0; i < d->incidents.count; i++) {
        for (size_t k = 0; k < d->incidents.count; k++) {
            struct incident *x = d->incidents.at[i], *y = d->incidents.at[k];
            bool is_pair = x != y && !x->is_merged && !y->is_merged &&
                           x->head == y->head;
            bool is_surer = x->chosen->certainty < y->chosen->certainty ||
                            (x->chosen->certainty == y->chosen->certainty &&
                             i < k);
            if (is_pair && is_surer && failed_together(x, y))
                incidents_merge(d->a, x, y);
        }
    }
}

/* ---- the worst sighting ---- */

static struct sighting *worst_of(const struct incident *i) {
    struct sighting *worst = NULL;
    int64_t least = 0;
    for (size_t k = 0; k < i->count; k++) {
        const struct fact *free =
            facts_first(&i->sightings[k]->facts, FACT_gpu_free);
        if (free && (!worst || free->number < least)) {
            worst = i->sightings[k];
            least = free->number;
        }
    }
    return worst ? worst : i->sightings[i->count - 1];
}

static int by_place(const void *x, const void *y) {
    const struct sighting *a = *(struct sighting *const *)x;
    const struct sighting *b = *(struct sighting *const *)y;
    return (a->places[0].order > b->places[0].order) -
           (a->places[0].order < b->places[0].order);
}

/* Finds `chosen` again if its sighting was moved to another incident. */
static void chosen_find(struct incident *i) {
    struct sighting *other = i->sightings[0];
    for (size_t k = 0; k < i->count; k++) {
        if (i->sightings[k] == i->chosen)
            return;
        if (i->sightings[k]->entry == i->entry_number)
            other = i->sightings[k];
    }
    i->chosen = other;
}

/* Also gives the stage of the chosen sighting to the worst one, whose frames
 * may be cut off. */
void incident_settle(struct diagnosis *d, struct incident *i) {
    chosen_find(i);
    sort_stable(d->a, i->sightings, i->count, sizeof *i->sightings, by_place);
    i->worst = worst_of(i);
    const struct fact *stage = facts_first(&i->chosen->facts, FACT_stage);
    if (stage && i->worst != i->chosen)
        facts_add_new(d->a, &i->worst->facts, stage);
}

static struct incident *incident_of(const struct diagnosis *d, uint32_t entry) {
    for (size_t i = 0; i < d->incidents.count; i++)
        if (d->incidents.at[i]->entry_number == entry)
            return d->incidents.at[i];
    return NULL;
}

void incidents_find(struct diagnosis *d) {
    for (size_t i = 0; i < d->sightings.count; i++) {
        struct sighting *s = &d->sightings.at[i];
        if (!s->is_chosen)
            continue;
        struct incident *known = incident_of(d, s->entry);
        sighting_join(d->a, known ? known : incident_new(d, s), s);
    }
    unsure_join(d);
    ranks_join(d);
    for (size_t i = 0; i < d->incidents.count; i++)
        if (!d->incidents.at[i]->is_merged)
            incident_settle(d, d->incidents.at[i]);
}
