/* hits.c: finds hits by pattern. The scan gives hits in order of position; here
 * they are sorted by pattern as well, so that the hits of a condition within a
 * traceback are found by binary search.
 */
#include "diagnose/work.h"

#include "base/sort.h"

static int by_pattern(const void *x, const void *y) {
    const struct hit *a = *(const struct hit *const *)x;
    const struct hit *b = *(const struct hit *const *)y;
    if (a->pattern != b->pattern)
        return a->pattern < b->pattern ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

const struct capture *hit_capture(const struct hit *h, enum fact_name name) {
    for (size_t i = 0; i < h->capture_count; i++)
        if (h->captures[i].name == name)
            return &h->captures[i];
    return NULL;
}

const struct stream *stream_of_number(const struct diagnosis *d, uint32_t n) {
    static const struct stream unknown = {.rank = FACT_NONE, .pid = FACT_NONE};
    return n < d->scan->stream_count ? &d->scan->streams[n] : &unknown;
}

/* Hits of stages, in order of position: they are looked up by position. */
static void stage_hits_collect(struct diagnosis *d) {
    const struct hit_list *hits = &d->scan->hits;
    const struct hit **list = arena_array(d->a, hits->count, sizeof *list);
    size_t count = 0;
    for (size_t i = 0; i < hits->count; i++)
        if (hits->at[i].kind == PATTERN_STAGE)
            list[count++] = &hits->at[i];
    d->stage_hits = (struct hit_run){list, count};
}

/* Collects the hits that capture a fact. They are few and are searched once per
 * message. */
static void fact_hits_collect(struct diagnosis *d) {
    const struct hit_list *hits = &d->scan->hits;
    size_t count[FACT_COUNT_OF] = {0};
    for (size_t i = 0; i < hits->count; i++)
        for (size_t k = 0; k < hits->at[i].capture_count; k++)
            count[hits->at[i].captures[k].name]++;
    const struct hit **list[FACT_COUNT_OF];
    for (int name = 0; name < FACT_COUNT_OF; name++) {
        list[name] = arena_array(d->a, count[name], sizeof *list[name]);
        d->with_fact[name].at = list[name];
    }
    for (size_t i = 0; i < hits->count; i++) {
        const struct hit *h = &hits->at[i];
        for (size_t k = 0; k < h->capture_count; k++) {
            enum fact_name name = h->captures[k].name;
            size_t *n = &d->with_fact[name].count;
            if (*n == 0 || list[name][*n - 1] != h)
                list[name][(*n)++] = h;
        }
    }
}

void hits_sort(struct diagnosis *d) {
    const struct hit_list *hits = &d->scan->hits;
    stage_hits_collect(d);
    fact_hits_collect(d);
    d->sorted_count = hits->count;
    d->sorted_hits = arena_array(d->a, hits->count, sizeof *d->sorted_hits);
    for (size_t i = 0; i < hits->count; i++)
        d->sorted_hits[i] = &hits->at[i];
    sort_stable(d->a, d->sorted_hits, hits->count, sizeof *d->sorted_hits,
                by_pattern);
}

size_t run_bound(const struct hit_run *run, hit_key *key, uint64_t least) {
    size_t from = 0, to = run->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (key(run->at[middle]) < least)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static uint64_t pattern_of(const struct hit *h) { return h->pattern; }

static uint64_t line_of(const struct hit *h) { return h->first_line; }

static struct hit_run hits_of(const struct diagnosis *d, uint32_t pattern) {
    struct hit_run all = {d->sorted_hits, d->sorted_count};
    size_t from = run_bound(&all, pattern_of, pattern);
    size_t to = run_bound(&all, pattern_of, (uint64_t)pattern + 1);
    return (struct hit_run){d->sorted_hits + from, to - from};
}

static bool lines_meet(const struct hit *h, uint32_t first, uint32_t last) {
    return h->first_line <= last && h->last_line >= first;
}

/* Stream 0 is unknown: it may be any stream. */
static bool streams_meet(uint32_t x, uint32_t y) {
    return x == y || x == 0 || y == 0;
}

bool hit_in_trace(const struct hit *h, const struct place *p) {
    return streams_meet(h->stream, p->stream) &&
           (lines_meet(h, p->trace_first, p->trace_last) ||
            lines_meet(h, p->first_line, p->last_line));
}

#define ABOVE_LINES 10 /* a process that failed ends its children within this
                          many lines */

static bool hit_in_scope(const struct hit *h, enum scope scope,
                         const struct place *p) {
    switch (scope) {
    case SCOPE_message:
        return streams_meet(h->stream, p->stream) &&
               lines_meet(h, p->first_line, p->last_line);
    case SCOPE_traceback: return hit_in_trace(h, p);
    case SCOPE_stream: return h->stream == p->stream;
    case SCOPE_before: return h->order < p->order;
    case SCOPE_above:
        return h->last_line < p->first_line &&
               p->first_line - h->last_line <= ABOVE_LINES;
    case SCOPE_log: return true;
    case SCOPE_COUNT_OF: break;
    }
    return false;
}

static size_t run_from_line(const struct hit_run *run, uint32_t line) {
    size_t from = run_bound(run, line_of, line);
    return from > 0 ? from - 1 : 0; /* a message may begin before that line */
}

static uint32_t least_line(const struct place *p) {
    return p->trace_first < p->first_line ? p->trace_first : p->first_line;
}

static uint32_t last_line(const struct place *p) {
    return p->trace_last > p->last_line ? p->trace_last : p->last_line;
}

const struct hit *trace_next(const struct hit_run *run, const struct place *p,
                             size_t *at) {
    size_t i = *at == TRACE_BEGIN ? run_from_line(run, least_line(p)) : *at;
    for (; i < run->count && run->at[i]->first_line <= last_line(p);
         i++) {
        if (hit_in_trace(run->at[i], p)) {
            *at = i + 1;
            return run->at[i];
        }
    }
    *at = i;
    return NULL;
}

/* The first hit of the run within the scope of one place; NULL: none. */
static const struct hit *first_within(const struct hit_run *run,
                                      enum scope scope,
                                      const struct place *p) {
    bool is_near = scope == SCOPE_message || scope == SCOPE_traceback;
    size_t i = is_near ? run_from_line(run, least_line(p)) : 0;
    for (; i < run->count; i++) {
        const struct hit *h = run->at[i];
        bool is_past = (is_near && h->first_line > last_line(p)) ||
                       (scope == SCOPE_before && h->order >= p->order);
        if (is_past)
            break;
        if (hit_in_scope(h, scope, p))
            return h;
    }
    return NULL;
}

bool hits_within(const struct diagnosis *d, uint32_t pattern,
                 enum scope scope, const struct sighting *s, uint32_t *line) {
    struct hit_run run = hits_of(d, pattern);
    for (size_t k = 0; k < s->place_count; k++) {
        const struct hit *h = first_within(&run, scope, &s->places[k]);
        if (h) {
            *line = h->first_line;
            return true;
        }
    }
    return false;
}
