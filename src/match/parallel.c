/* parallel.c: the text is cut at line ends into a part for each thread.
 *
 *     text  |--- part 0 ---|--- part 1 ---|--- part 2 ---|
 *            told at once,  noted, told    noted, told
 *            by the caller  when joined    when joined
 *
 * A part is looked at with the whole text round it, so that where it is cut
 * changes nothing. Threads live as long as one look: what they note lies in
 * their own arenas, and nothing is shared but what is only read. A thread that
 * cannot be had leaves its part to the caller. A part is never left running:
 * what is raised is raised when all have been joined.
 */
#include "match/parallel.h"

#include <pthread.h>
#include <string.h>

#include "base/limits.h"

#define PART_MIN (128 * 1024) /* fewer bytes are not worth a thread */

struct told {
    size_t line;
    uint32_t literal;
};

struct worker {
    struct arena arena; /* of what lasts */
    struct candidates *candidates;
    const struct prefilter *f;
    const struct frames *frames;
    struct told *told;
    size_t told_count, told_cap;
    struct str text;
    size_t from, to;
    struct fault fault;
    enum fail code;
    pthread_t thread;
    bool has_thread;
};

struct worker_pool {
    struct arena *a;
    struct candidates *own;
    uint32_t worker_count;
    struct worker workers[SCAN_WORKERS_MAX]; /* but the caller */
};

static void worker_end(void *arg) {
    struct worker *m = arg;
    arena_free(&m->arena);
}

struct worker_pool *worker_pool_new(struct arena *a, const struct prefilter *f,
                                    const struct frames *frames,
                                    uint32_t threads) {
    struct worker_pool *g = arena_alloc(a, sizeof *g);
    g->a = a;
    g->own = candidates_new(a, f, frames);
    g->worker_count =
        (threads < SCAN_WORKERS_MAX ? threads : SCAN_WORKERS_MAX) - 1;
    for (uint32_t i = 0; i < g->worker_count; i++) {
        struct worker *m = &g->workers[i];
        m->f = f;
        m->frames = frames;
        arena_init(&m->arena, a->from, a->ceiling_bytes);
        arena_defer(a, worker_end, m);
    }
    return g;
}

/* ---- in the threads ---- */

static void note(void *ctx, uint32_t literal, size_t line) {
    struct worker *m = ctx;
    m->told = arena_grow(&m->arena, m->told, m->told_count, &m->told_cap,
                         sizeof *m->told);
    m->told[m->told_count++] = (struct told){line, literal};
}

static void look(void *arg) {
    struct worker *m = arg;
    if (!m->candidates)
        m->candidates = candidates_new(&m->arena, m->f, m->frames);
    candidates_find(m->candidates, m->text, m->from, m->to, note, m);
}

static void *run(void *arg) {
    struct worker *m = arg;
    m->code = arena_guard(&m->arena, look, m, &m->fault);
    return NULL;
}

/* ---- the caller ---- */

static size_t line_end(struct str text, size_t at, size_t to) {
    const char *end = memchr(text.p + at, '\n', to - at);
    return end ? (size_t)(end - text.p) + 1 : to;
}

/* How many workers have a part; the caller's is text[from, *own_to). */
static uint32_t part(struct worker_pool *g, struct str text, size_t from,
                     size_t to, size_t *own_to) {
    size_t parts = (to - from) / PART_MIN;
    parts = parts < g->worker_count + 1 ? parts : g->worker_count + 1;
    if (parts < 2) {
        *own_to = to;
        return 0;
    }
    size_t at = line_end(text, from + (to - from) / parts, to);
    *own_to = at;
    uint32_t count = 0;
    while (at < to) {
        struct worker *m = &g->workers[count++];
        size_t next = at + (to - at) / (parts - count);
        m->text = text;
        m->from = at;
        m->to = at = next < to ? line_end(text, next, to) : to;
        m->told_count = 0;
    }
    return count;
}

static void join(struct worker_pool *g, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        struct worker *m = &g->workers[i];
        if (m->has_thread)
            pthread_join(m->thread, NULL);
        else
            run(m);
    }
}

struct own_part {
    struct worker_pool *g;
    struct str text;
    size_t from, to;
    candidate_fn found;
    void *ctx;
};

static void look_at_own(void *arg) {
    struct own_part *p = arg;
    candidates_find(p->g->own, p->text, p->from, p->to, p->found, p->ctx);
}

static void raise(struct worker_pool *g, enum fail code,
                  const struct fault *fault) {
    if (code != FAIL_NONE)
        arena_raise(g->a, code, "%s", fault->text);
}

void worker_pool_look(struct worker_pool *g, struct str text, size_t from,
                      size_t to, candidate_fn found, void *ctx) {
    struct own_part own = {g, text, from, to, found, ctx};
    uint32_t count = part(g, text, from, to, &own.to);
    for (uint32_t i = 0; i < count; i++) {
        struct worker *m = &g->workers[i];
        m->has_thread = pthread_create(&m->thread, NULL, run, m) == 0;
    }
    struct fault fault;
    enum fail code = arena_guard(g->a, look_at_own, &own, &fault);
    join(g, count);
    raise(g, code, &fault);
    for (uint32_t i = 0; i < count; i++) {
        const struct worker *m = &g->workers[i];
        raise(g, m->code, &m->fault);
        for (size_t k = 0; k < m->told_count; k++)
            found(ctx, m->told[k].literal, m->told[k].line);
    }
}
