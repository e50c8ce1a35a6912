/* run_time.c: how long the program ran before it failed.
 *
 *     Started:  Mon, 31 Aug 2026 08:55:27 +0000      from the message
 *     Finished: Tue, 01 Sep 2026 21:13:37 +0000
 *
 *     INFO 07-01 10:00:00 ... version 0.9.1          else from the first hit
 *     ERROR 07-01 10:12:30 ... out of memory         after the previous failure
 *                                                    to this failure
 *
 * Only lines with a hit have their time read, so the result is a lower bound.
 */
#include "diagnose/work.h"

#include <inttypes.h>

#define DAY 86400
#define LONGEST (INT64_C(400) * DAY)

/* The seconds between two stamps; -1: they cannot be compared. */
static int64_t seconds_between(struct log_stamp from, struct log_stamp to) {
    if (from.clock == CLOCK_NONE || from.clock != to.clock)
        return -1;
    int64_t apart = to.seconds - from.seconds;
    if (from.clock == CLOCK_DAY && apart < 0)
        apart += DAY; /* over midnight */
    return apart >= 0 && apart <= LONGEST ? apart : -1;
}

/* The stamp behind these words of the text. */
static struct log_stamp stamp_behind(struct diagnosis *d, struct str text,
                                     struct str words) {
    size_t at = str_find(text, words);
    return at < text.n ? stamp_read(stamps_new(d->a),
                                    str_slice(text, at + words.n, 48))
                       : (struct log_stamp){0};
}

static struct fact run_time_fact(int64_t seconds, uint32_t line) {
    struct fact f = fact_number(FACT_run_seconds, SOURCE_DERIVED,
                                seconds * UNITS_MICRO);
    f.line = line;
    return f;
}

static bool derive_from_message(struct diagnosis *d, struct sighting *s) {
    struct str text = s->hit->text;
    int64_t seconds = seconds_between(stamp_behind(d, text, STR("Started:")),
                                      stamp_behind(d, text, STR("Finished:")));
    if (seconds < 0)
        return false;
    struct fact f = run_time_fact(seconds, s->hit->first_line);
    f.formula = STR("from Started to Finished");
    facts_add_new(d->a, &s->facts, &f);
    return true;
}

uint64_t run_begin(const struct diagnosis *d, const struct sighting *s) {
    uint64_t begin = 0;
    for (size_t i = 0; i < d->sightings.count; i++) {
        const struct sighting *x = &d->sightings.at[i];
        uint64_t order = x->places[x->place_count - 1].order;
        if (x->head == s->head && order < s->places[0].order &&
            x->hit->last_line + 400 < s->hit->first_line && order > begin)
            begin = order;
    }
    return begin;
}

void run_time_derive(struct diagnosis *d, struct sighting *s) {
    const struct hit *first = NULL, *last = NULL;
    uint64_t begin = run_begin(d, s);
    if (derive_from_message(d, s))
        return;
    for (size_t i = 0; i < d->scan->hits.count; i++) {
        const struct hit *h = &d->scan->hits.at[i];
        if (h->order > s->places[0].order)
            break;
        if (h->stamp.clock != CLOCK_NONE && h->order >= begin) {
            first = first && first->stamp.clock == h->stamp.clock ? first : h;
            last = h;
        }
    }
    int64_t seconds = first ? seconds_between(first->stamp, last->stamp) : -1;
    if (seconds < 1)
        return;
    struct fact f = run_time_fact(seconds, last->first_line);
    f.formula = arena_printf(d->a, "from line %" PRIu32 " to line %" PRIu32,
                             first->first_line, last->first_line);
    facts_add_new(d->a, &s->facts, &f);
}
