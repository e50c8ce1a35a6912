/* parallel.c: the text is cut at line ends into a part for each thread.
 *
 *     text  |--- part 0 ---|--- part 1 ---|--- part 2 ---|
 *             the caller's
 *
 * A part is looked at with the whole text round it, so that where it is cut
 * changes nothing. Threads live as long as one look: what they note lies in
 * their own arenas, and nothing is shared but what is only read; it is told when
 * all have been joined, and so is what was raised. A thread that cannot be had
 * leaves its part to the caller.
 */
#include "match/parallel.h"

#include <pthread.h>
#include <string.h>

#define PART_MIN (128 * 1024) /* fewer bytes are not worth a thread */

struct told {
    size_t line;
    uint32_t literal;
};

struct worker {
    const struct worker_pool *pool;
    struct arena own, *a; /* a: its own, or the caller's */
    struct candidates *candidates; /* NULL: it never had a part */
    struct told *told;
    size_t told_count, told_cap;
    size_t from, to;
    struct fault fault;
    enum fail code;
    pthread_t thread;
    bool has_thread;
};

struct worker_pool {
    const struct prefilter *f;
    const struct frames *frames;
    struct str text;
    uint32_t worker_count;
    struct worker workers[SCAN_WORKERS_MAX]; /* the first is the caller */
};

static void worker_end(void *arg) {
    arena_free(arg);
}

struct worker_pool *worker_pool_new(struct arena *a, const struct prefilter *f,
                                    const struct frames *frames,
                                    uint32_t threads) {
    struct worker_pool *g = arena_alloc(a, sizeof *g);
    g->f = f;
    g->frames = frames;
    g->worker_count = threads < SCAN_WORKERS_MAX ? threads : SCAN_WORKERS_MAX;
    for (uint32_t i = 0; i < g->worker_count; i++) {
        struct worker *m = &g->workers[i];
        m->pool = g;
        m->a = i == 0 ? a : &m->own;
        arena_init(&m->own, a->from, a->ceiling_bytes);
        arena_defer(a, worker_end, &m->own);
    }
    return g;
}

static void note(void *ctx, uint32_t literal, size_t line) {
    struct worker *m = ctx;
    *ARENA_ADD(m->a, m->told, m->told_count, m->told_cap) =
        (struct told){line, literal};
}

static void look(void *arg) {
    struct worker *m = arg;
    if (!m->candidates)
        m->candidates = candidates_new(m->a, m->pool->f, m->pool->frames);
    m->told_count = 0;
    candidates_find(m->candidates, m->pool->text, m->from, m->to, note, m);
}

static void *run(void *arg) {
    struct worker *m = arg;
    m->code = arena_guard(m->a, look, m, &m->fault);
    return NULL;
}

static size_t line_end(struct str text, size_t at, size_t to) {
    const char *end = memchr(text.p + at, '\n', to - at);
    return end ? (size_t)(end - text.p) + 1 : to;
}

/* How many workers have a part. */
static uint32_t part(struct worker_pool *g, size_t from, size_t to) {
    size_t parts = (to - from) / PART_MIN;
    parts = parts < 1 ? 1 : parts < g->worker_count ? parts : g->worker_count;
    uint32_t count = 0;
    for (size_t at = from; at < to;) {
        size_t next = at + (to - at) / (parts - count);
        struct worker *m = &g->workers[count++];
        m->from = at;
        m->to = at = next < to ? line_end(g->text, next, to) : to;
    }
    return count;
}

void worker_pool_look(struct worker_pool *g, struct str text, size_t from,
                      size_t to, candidate_fn found, void *ctx) {
    g->text = text;
    uint32_t count = part(g, from, to);
    for (uint32_t i = 1; i < count; i++) {
        struct worker *m = &g->workers[i];
        m->has_thread = pthread_create(&m->thread, NULL, run, m) == 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (g->workers[i].has_thread)
            pthread_join(g->workers[i].thread, NULL);
        else
            run(&g->workers[i]);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct worker *m = &g->workers[i];
        if (m->code != FAIL_NONE)
            arena_raise(g->workers[0].a, m->code, "%s", m->fault.text);
        for (size_t k = 0; k < m->told_count; k++)
            found(ctx, m->told[k].literal, m->told[k].line);
    }
}
