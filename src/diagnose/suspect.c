/* suspect.c: messages about memory that no entry knows.
 *
 * Entries of severity suspect match them (entries/unknown/). If the log has a
 * known failure, they are dropped (link.c). Alone they are no finding either:
 * the report has a separate list for them, and the exit status is that of a log
 * without a known failure.
 *
 * Words as short as "OOM" and "Killed" are weak evidence. A suspect with such
 * words counts only at the end of a log, where a program may have died.
 */
#include "diagnose/work.h"

#define END_BYTES (UINT64_C(1) << 20)

static bool has_short_words(struct diagnosis *d, const struct hit *h) {
    const struct pattern *p = reader_pattern(d->r, h->pattern);
    struct str_list words = {0};
    if (p)
        words = pattern_literals(d->a, p->text);
    for (size_t i = 0; i < words.count; i++)
        if (words.at[i].n < MATCH_LITERAL_MIN)
            return true;
    return false;
}

static bool is_credible(struct diagnosis *d, const struct incident *i) {
    const struct sighting *last = i->sightings[i->count - 1];
    const struct place *at = &last->places[last->place_count - 1];
    bool is_at_end = hit_place(at->order) + END_BYTES > d->scan->stats.bytes;
    return is_at_end || !has_short_words(d, i->worst->hit);
}

static bool is_same_line(const struct incident *x, const struct incident *y) {
    return x->sightings[0]->places[0].first_line ==
           y->sightings[0]->places[0].first_line;
}

/* Of two suspects on one line, the one with more facts is kept. */
size_t suspects_choose(struct diagnosis *d, struct incident **at,
                       size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_credible(d, at[i]))
            continue;
        struct incident *last = kept > 0 ? at[kept - 1] : NULL;
        if (!last || !is_same_line(last, at[i]))
            at[kept++] = at[i];
        else if (last->worst->facts.count < at[i]->worst->facts.count)
            at[kept - 1] = at[i];
    }
    return kept < SUSPECTS_MAX ? kept : SUSPECTS_MAX;
}

/* ---- amounts ---- */

static const struct fact *amount_of(const struct finding *f,
                                    const enum fact_name *names,
                                    size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct fact *fact = facts_first(&f->facts, names[i]);
        if (fact)
            return fact;
    }
    return NULL;
}

struct need_and_have suspect_amounts(const struct finding *suspect) {
    static const enum fact_name need[] = {
        FACT_pool_needed, FACT_tried_alloc, FACT_requested_bytes};
    static const enum fact_name have[] = {
        FACT_pool_available, FACT_gpu_free, FACT_host_free,
        FACT_memory_limit};
    return (struct need_and_have){
        amount_of(suspect, need, sizeof need / sizeof *need),
        amount_of(suspect, have, sizeof have / sizeof *have)};
}
