/* pool.c: the same work on many things, by a thread for each processor.
 *
 * Each thread has a struct build of its own, which begins as a copy of the common
 * one with nothing complained of, in an arena of its own; when all are done,
 * what they put there is put into the common one. It is sorted in the end (by
 * id, by place), so the number of threads changes nothing. The arenas live as
 * long as the build. With an allocator of the caller's, which may not bear
 * threads, there is one.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "author/build.h"

#include "base/limits.h"

struct pool {
    build_work work;
    void *ctx;
    size_t count;
    atomic_size_t next;
};

struct worker {
    struct pool *pool;
    struct arena arena;
    struct build build;
    struct fault fault;
    pthread_t thread;
    bool has_thread;
};

static void work_on(void *arg) {
    struct worker *m = arg;
    struct pool *pool = m->pool;
    for (;;) {
        size_t i = atomic_fetch_add(&pool->next, 1);
        if (i >= pool->count)
            return;
        pool->work(&m->build, i, pool->ctx);
    }
}

static void *run_worker(void *arg) {
    struct worker *m = arg;
    arena_guard(&m->arena, work_on, m, &m->fault);
    return NULL;
}

static void worker_end(void *arg) {
    struct worker *m = arg;
    arena_free(&m->arena);
}

static struct worker *worker_new(struct build *d, struct pool *pool) {
    struct worker *m = arena_alloc(d->a, sizeof *m);
    m->pool = pool;
    arena_init(&m->arena, d->a->from, 0);
    arena_defer(d->a, worker_end, m);
    m->build = *d;
    m->build.a = &m->arena;
    m->build.c = (struct complaints){.a = &m->arena};
    m->build.samples = 0;
    for (int kind = 0; kind < MADE_KIND_COUNT_OF; kind++)
        m->build.made[kind].cap = m->build.made[kind].count; /* not to be put
                                                              into */
    return m;
}

static size_t workers_for(const struct build *d, const struct pool *pool) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = processors < 1 || d->a->from != NULL ? 1
                                                       : (size_t)processors;
    most = most < BUILD_THREADS_MAX ? most : BUILD_THREADS_MAX;
    return most <= pool->count ? most : 1;
}

static void merge_back(struct build *d, const struct build *of_worker,
                  const size_t *made_before) {
    for (int kind = 0; kind < MADE_KIND_COUNT_OF; kind++) {
        const struct made_list *list = &of_worker->made[kind];
        for (size_t i = made_before[kind]; i < list->count; i++)
            build_put(d, (enum made_kind)kind, list->at[i]);
    }
    for (int name = 0; name < FACT_COUNT_OF; name++)
        d->fact_used[name] = d->fact_used[name] || of_worker->fact_used[name];
    d->samples += of_worker->samples;
    complaints_add(&d->c, &of_worker->c);
}

/* A thread that cannot be had leaves its part to the others. */
static void run_all(struct worker **workers, size_t count) {
    for (size_t i = 1; i < count; i++)
        workers[i]->has_thread = pthread_create(&workers[i]->thread, NULL,
                                              run_worker, workers[i]) == 0;
    run_worker(workers[0]);
    for (size_t i = 1; i < count; i++)
        if (workers[i]->has_thread)
            pthread_join(workers[i]->thread, NULL);
}

void build_share(struct build *d, size_t count, build_work work, void *ctx) {
    struct pool pool = {.work = work, .ctx = ctx, .count = count};
    struct worker *workers[BUILD_THREADS_MAX] = {NULL};
    size_t worker_count = workers_for(d, &pool);
    size_t made_before[MADE_KIND_COUNT_OF];
    atomic_init(&pool.next, 0);
    for (int kind = 0; kind < MADE_KIND_COUNT_OF; kind++)
        made_before[kind] = d->made[kind].count;
    for (size_t i = 0; i < worker_count; i++)
        workers[i] = worker_new(d, &pool);
    run_all(workers, worker_count);
    for (size_t i = 0; i < worker_count; i++) {
        merge_back(d, &workers[i]->build, made_before);
        if (workers[i]->fault.code != FAIL_NONE)
            arena_raise(d->a, workers[i]->fault.code, "%s",
                        workers[i]->fault.text);
    }
}
