/* parallel.c: threads that take the next part until there is none.
 *
 * They live as long as a run. The caller is the first of them. A thread that
 * cannot be had leaves its parts to the others. Parts are handed out in order,
 * so when one fails, all before it are done or being done: the first fault is
 * the same for any number of threads. */
#include "base/parallel.h"

#include <pthread.h>
#include <unistd.h>

#include "base/limits.h"

struct job {
    pthread_mutex_t lock;
    size_t next, end; /* parts; end falls to one that failed */
    parallel_part *part;
    void *what;
};

struct worker {
    struct job *job;
    struct arena own;
    uint32_t number;
    size_t at; /* the part that it does */
    enum fail code;
    struct fault fault;
    pthread_t thread;
    bool has_thread;
};

struct parallel {
    struct arena *a;
    struct worker *workers;
    uint32_t threads;
};

static bool take(struct worker *w) {
    struct job *job = w->job;
    pthread_mutex_lock(&job->lock);
    w->at = job->next;
    bool is_there = job->next < job->end;
    job->next += is_there;
    pthread_mutex_unlock(&job->lock);
    return is_there;
}

static void work(void *arg) {
    struct worker *w = arg;
    while (take(w))
        w->job->part(w->job->what, &w->own, w->number, w->at);
}

static void *run(void *arg) {
    struct worker *w = arg;
    w->code = arena_guard(&w->own, work, w, &w->fault);
    pthread_mutex_lock(&w->job->lock);
    if (w->code != FAIL_NONE && w->at < w->job->end)
        w->job->end = w->at;
    pthread_mutex_unlock(&w->job->lock);
    return NULL;
}

struct parallel *parallel_new(struct arena *a, uint32_t threads) {
    struct parallel *p = arena_alloc(a, sizeof *p);
    *p = (struct parallel){a, arena_array(a, threads, sizeof *p->workers),
                           threads};
    for (uint32_t i = 0; i < threads; i++) {
        p->workers[i].number = i;
        arena_init_inside(&p->workers[i].own, a, a->ceiling_bytes);
    }
    return p;
}

void parallel_run(struct parallel *p, size_t count, parallel_part *part,
                  void *what) {
    struct job job = {.lock = PTHREAD_MUTEX_INITIALIZER, .end = count,
                      .part = part, .what = what};
    size_t most = p->threads < count ? p->threads : count;
    struct worker *workers = p->workers;
    const struct worker *failed = NULL;
    for (size_t i = 0; i < most; i++)
        workers[i].job = &job;
    for (size_t i = 1; i < most; i++)
        workers[i].has_thread =
            pthread_create(&workers[i].thread, NULL, run, &workers[i]) == 0;
    if (most > 0)
        run(&workers[0]);
    for (size_t i = 0; i < most; i++) {
        if (workers[i].has_thread)
            pthread_join(workers[i].thread, NULL);
        if (workers[i].code != FAIL_NONE
            && (failed == NULL || workers[i].at < failed->at))
            failed = &workers[i];
        workers[i].has_thread = false;
    }
    if (failed != NULL)
        arena_raise(p->a, failed->code, "%s", failed->fault.text);
}

uint32_t parallel_processors(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n < PARALLEL_THREADS_MAX ? (uint32_t)n
                                                : PARALLEL_THREADS_MAX;
}
