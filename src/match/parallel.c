/* parallel.c: cuts a text at line ends into a part for each thread.
 *
 *     text  |--- part 0 ---|--- part 1 ---|--- part 2 ---|
 *
 * A thread sees the whole text around its part, so that the cuts change
 * nothing. It collects its results in an arena of its own; threads share only
 * what none of them changes. The results are reported part after part, when all
 * threads are done. */
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
    struct candidates *candidates; /* NULL: it had no part yet */
    struct place *places;          /* of this text, by part */
    size_t place_count, place_cap, reported;
    size_t part; /* the present one */
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
    struct worker_pool *pool = arena_alloc(a, sizeof *pool);
    pool->f = f;
    pool->frames = frames;
    pool->worker_count =
        threads < SCAN_WORKERS_MAX ? threads : SCAN_WORKERS_MAX;
    pool->threads = parallel_new(a, pool->worker_count);
    return pool;
}

static void note(void *ctx, uint32_t literal, size_t line) {
    struct worker *w = ctx;
    *ARENA_ADD(w->own, w->places, w->place_count, w->place_cap) =
        (struct place){w->part, line, literal};
}

static void look(void *job, struct arena *own, uint32_t worker, size_t part) {
    struct worker_pool *pool = job;
    struct worker *w = &pool->workers[worker];
    w->own = own;
    w->part = part;
    if (!w->candidates)
        w->candidates = candidates_new(own, pool->f, pool->frames);
    candidates_find(w->candidates, pool->text, pool->ends[part],
                    pool->ends[part + 1], note, w);
}

static size_t line_end(struct str text, size_t at, size_t to) {
    const char *end = memchr(text.p + at, '\n', to - at);
    return end ? (size_t)(end - text.p) + 1 : to;
}

/* Cuts the text into parts and returns their number. */
static size_t cut_parts(struct worker_pool *pool, size_t from, size_t to) {
    size_t parts = (to - from) / PART_MIN, count = 0;
    parts = parts < 1                    ? 1
            : parts < pool->worker_count ? parts
                                         : pool->worker_count;
    pool->ends[0] = from;
    for (size_t at = from; at < to;) {
        size_t next = at + (to - at) / (parts - count);
        at = next < to ? line_end(pool->text, next, to) : to;
        pool->ends[++count] = at;
    }
    return count;
}

/* Reports what a worker has found in a part. */
static void report(struct worker *w, size_t part, candidate_fn found,
                   void *ctx) {
    for (; w->reported < w->place_count; w->reported++) {
        const struct place *p = &w->places[w->reported];
        if (p->part != part)
            return;
        found(ctx, p->literal, p->line);
    }
}

void worker_pool_look(struct worker_pool *pool, struct str text, size_t from,
                      size_t to, candidate_fn found, void *ctx) {
    pool->text = text;
    size_t count = cut_parts(pool, from, to);
    for (uint32_t i = 0; i < pool->worker_count; i++)
        pool->workers[i].place_count = pool->workers[i].reported = 0;
    parallel_run(pool->threads, count, look, pool);
    for (size_t k = 0; k < count; k++)
        for (uint32_t i = 0; i < pool->worker_count; i++)
            report(&pool->workers[i], k, found, ctx);
}
