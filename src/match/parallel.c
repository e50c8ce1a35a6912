/* parallel.c: the text is cut at line ends into a part for each thread.
 *
 *     text  |--- part 0 ---|--- part 1 ---|--- part 2 ---|
 *
 * A part is looked at with the whole text round it, so that where it is cut
 * changes nothing. What a thread notes lies in its own arena, and nothing is
 * shared but what is only read; it is reported, part after part, when all have
 * been looked at.
 */
#include "match/parallel.h"

#include <string.h>

#include "base/parallel.h"

#define PART_MIN (128 * 1024) /* fewer bytes are not worth a thread */

struct place {
    size_t part, line;
    uint32_t literal;
};

struct worker { /* a thread */
    struct arena *own;
    struct candidates *candidates; /* NULL: it never had a part */
    struct place *places;          /* of the look that goes on, by part */
    size_t place_count, place_cap, reported;
    size_t part;                   /* the one at hand */
};

struct worker_pool {
    const struct prefilter *f;
    const struct frames *frames;
    struct parallel *threads;
    uint32_t worker_count;
    struct worker workers[SCAN_WORKERS_MAX];
    struct str text;
    size_t ends[SCAN_WORKERS_MAX + 1]; /* part i: [ends[i], ends[i + 1]) */
};

struct worker_pool *worker_pool_new(struct arena *a, const struct prefilter *f,
                                    const struct frames *frames,
                                    uint32_t threads) {
    struct worker_pool *g = arena_alloc(a, sizeof *g);
    g->f = f;
    g->frames = frames;
    g->worker_count = threads < SCAN_WORKERS_MAX ? threads : SCAN_WORKERS_MAX;
    g->threads = parallel_new(a, g->worker_count);
    return g;
}

static void note(void *ctx, uint32_t literal, size_t line) {
    struct worker *w = ctx;
    *ARENA_ADD(w->own, w->places, w->place_count, w->place_cap) =
        (struct place){w->part, line, literal};
}

static void look(void *job, struct arena *own, uint32_t worker, size_t part) {
    struct worker_pool *g = job;
    struct worker *w = &g->workers[worker];
    w->own = own;
    w->part = part;
    if (!w->candidates)
        w->candidates = candidates_new(own, g->f, g->frames);
    candidates_find(w->candidates, g->text, g->ends[part], g->ends[part + 1],
                    note, w);
}

static size_t line_end(struct str text, size_t at, size_t to) {
    const char *end = memchr(text.p + at, '\n', to - at);
    return end ? (size_t)(end - text.p) + 1 : to;
}

/* How many parts there are. */
static size_t part(struct worker_pool *g, size_t from, size_t to) {
    size_t parts = (to - from) / PART_MIN, count = 0;
    parts = parts < 1 ? 1 : parts < g->worker_count ? parts : g->worker_count;
    g->ends[0] = from;
    for (size_t at = from; at < to;) {
        size_t next = at + (to - at) / (parts - count);
        g->ends[++count] = at = next < to ? line_end(g->text, next, to) : to;
    }
    return count;
}

/* What a worker has noted of a part. */
static void report(struct worker *w, size_t part, candidate_fn found,
                   void *ctx) {
    for (; w->reported < w->place_count; w->reported++) {
        const struct place *p = &w->places[w->reported];
        if (p->part != part)
            return;
        found(ctx, p->literal, p->line);
    }
}

void worker_pool_look(struct worker_pool *g, struct str text, size_t from,
                      size_t to, candidate_fn found, void *ctx) {
    g->text = text;
    size_t count = part(g, from, to);
    for (uint32_t i = 0; i < g->worker_count; i++)
        g->workers[i].place_count = g->workers[i].reported = 0;
    parallel_run(g->threads, count, look, g);
    for (size_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < g->worker_count; i++)
            report(&g->workers[i], k, found, ctx);
}
