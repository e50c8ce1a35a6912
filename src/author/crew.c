/* crew.c: the same work on many things, by a thread for each processor.
 *
 * Each thread works at a desk of its own, which begins as a copy of the common
 * one with nothing complained of, in an arena of its own; when all are done,
 * what they put there is put on the common desk. It is sorted in the end (by
 * id, by place), so the number of threads changes nothing. The arenas live as
 * long as the desk's. With an allocator of the caller's, which may not bear
 * threads, there is one.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "author/desk.h"

enum { MATES_MAX = 16 };

struct crew {
    desk_work work;
    void *ctx;
    size_t count, at_once; /* things taken by one thread at a time */
    atomic_size_t next;
};

struct mate {
    struct crew *crew;
    struct arena arena;
    struct desk desk;
    struct fault fault;
    pthread_t thread;
    bool has_thread;
};

static void work_on(void *arg) {
    struct mate *m = arg;
    struct crew *crew = m->crew;
    for (;;) {
        size_t from = atomic_fetch_add(&crew->next, crew->at_once);
        size_t to = from + crew->at_once;
        if (from >= crew->count)
            return;
        for (size_t i = from; i < to && i < crew->count; i++)
            crew->work(&m->desk, i, crew->ctx);
    }
}

static void *run_mate(void *arg) {
    struct mate *m = arg;
    arena_guard(&m->arena, work_on, m, &m->fault);
    return NULL;
}

static void mate_end(void *arg) {
    struct mate *m = arg;
    arena_free(&m->arena);
}

static struct mate *mate_new(struct desk *d, struct crew *crew) {
    struct mate *m = arena_alloc(d->a, sizeof *m);
    m->crew = crew;
    arena_init(&m->arena, d->a->from, 0);
    arena_defer(d->a, mate_end, m);
    m->desk = *d;
    m->desk.a = &m->arena;
    m->desk.c = (struct complaints){.a = &m->arena};
    m->desk.samples = 0;
    for (int kind = 0; kind < MADE_KIND_COUNT_OF; kind++)
        m->desk.made[kind].cap = m->desk.made[kind].count; /* not to be put
                                                              into */
    return m;
}

static size_t mates_for(const struct desk *d, const struct crew *crew) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t most = processors < 1 || d->a->from != NULL ? 1
                                                       : (size_t)processors;
    size_t useful = crew->count / crew->at_once + 1;
    most = most < MATES_MAX ? most : MATES_MAX;
    return most < useful ? most : useful;
}

static void bring(struct desk *d, const struct desk *of_mate,
                  const size_t *made_before) {
    for (int kind = 0; kind < MADE_KIND_COUNT_OF; kind++) {
        const struct made_list *list = &of_mate->made[kind];
        for (size_t i = made_before[kind]; i < list->count; i++)
            desk_put(d, (enum made_kind)kind, list->at[i]);
    }
    for (int name = 0; name < FACT_COUNT_OF; name++)
        d->fact_used[name] = d->fact_used[name] || of_mate->fact_used[name];
    d->samples += of_mate->samples;
    complaints_add(&d->c, &of_mate->c);
}

/* A thread that cannot be had leaves its part to the others. */
static void run_all(struct mate **mates, size_t count) {
    for (size_t i = 1; i < count; i++)
        mates[i]->has_thread = pthread_create(&mates[i]->thread, NULL,
                                              run_mate, mates[i]) == 0;
    run_mate(mates[0]);
    for (size_t i = 1; i < count; i++)
        if (mates[i]->has_thread)
            pthread_join(mates[i]->thread, NULL);
}

void desk_share(struct desk *d, size_t count, desk_work work, void *ctx) {
    struct crew crew = {.work = work, .ctx = ctx, .count = count};
    crew.at_once = count / 64 < 8 ? count / 64 + 1 : 8;
    struct mate *mates[MATES_MAX];
    size_t mate_count = mates_for(d, &crew);
    size_t made_before[MADE_KIND_COUNT_OF];
    atomic_init(&crew.next, 0);
    for (int kind = 0; kind < MADE_KIND_COUNT_OF; kind++)
        made_before[kind] = d->made[kind].count;
    for (size_t i = 0; i < mate_count; i++)
        mates[i] = mate_new(d, &crew);
    run_all(mates, mate_count);
    for (size_t i = 0; i < mate_count; i++) {
        bring(d, &mates[i]->desk, made_before);
        if (mates[i]->fault.code != FAIL_NONE)
            arena_raise(d->a, mates[i]->fault.code, "%s",
                        mates[i]->fault.text);
    }
}
