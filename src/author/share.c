/* share.c: what is done with each of many things, by all processors.
 *
 * Each thread has a build of its own, which shares with the one that it is a
 * copy of whatever is only read; what it complains of, and the facts that it
 * meets, come back to it in the order of the things. So diagnostics do not
 * depend on the number of threads. What one thing needs for a while lies in
 * c.scratch, which is emptied behind it; with a sample scanner in it, not
 * before it is large. */
#include "author/build.h"
#include "base/parallel.h"

#include <string.h>

struct told { /* of one thing: complaints of that worker */
    uint32_t worker;
    size_t from, to, errors, warnings;
};

struct worker {
    struct build own;
    struct arena scratch, nodes;
};

struct share {
    struct build *d;
    shared_fn *each;
    const void *what;
    struct worker *workers;
    struct told *told;
};

static void begin(const struct share *s, struct arena *keep,
                  struct worker *w) {
    arena_init_inside(&w->scratch, keep, SCRATCH_BYTES_MAX);
    w->own = *s->d;
    w->own.a = keep;
    w->own.nodes = &w->nodes;
    w->own.c = (struct complaints){.a = keep, .scratch = &w->scratch};
    w->own.samples = w->own.open_phrases = 0;
    memset(w->own.fact_used, 0, sizeof w->own.fact_used);
}

static void part(void *job, struct arena *keep, uint32_t worker, size_t i) {
    struct share *s = job;
    struct worker *w = &s->workers[worker];
    struct told *told = &s->told[i];
    if (w->own.a == NULL)
        begin(s, keep, w);
    *told = (struct told){worker, w->own.c.count, 0, w->own.c.errors,
                          w->own.c.warnings};
    s->each(&w->own, s->what, i);
    if (w->own.sample_scanner == NULL ||
        w->scratch.used_bytes > SAMPLE_SCANNER_BYTES_MAX) {
        arena_free(&w->scratch);
        w->own.sample_scanner = NULL;
    }
    told->to = w->own.c.count;
    told->errors = w->own.c.errors - told->errors;
    told->warnings = w->own.c.warnings - told->warnings;
}

void build_share(struct build *d, size_t count, shared_fn *each,
                 const void *what) {
    struct share s = {.d = d, .each = each, .what = what};
    uint32_t threads = parallel_processors();
    s.workers = arena_array(d->a, threads, sizeof *s.workers);
    s.told = arena_array(d->a, count, sizeof *s.told);
    for (uint32_t w = 0; w < threads; w++)
        arena_init_inside(&s.workers[w].nodes, d->nodes, d->a->ceiling_bytes);
    parallel_run(parallel_new(d->a, threads), count, part, &s);
    for (size_t i = 0; i < count; i++) {
        const struct told *told = &s.told[i];
        const struct diag *list = s.workers[told->worker].own.c.list;
        for (size_t k = told->from; k < told->to; k++)
            complaints_add(&d->c, &list[k]);
        d->c.errors += told->errors;
        d->c.warnings += told->warnings;
    }
    for (uint32_t w = 0; w < threads; w++) {
        d->samples += s.workers[w].own.samples;
        d->open_phrases += s.workers[w].own.open_phrases;
        for (int i = 0; i < FACT_COUNT_OF; i++)
            d->fact_used[i] = d->fact_used[i] || s.workers[w].own.fact_used[i];
    }
}

struct kind_check {
    enum made_kind kind;
    made_check check;
};

static void check_one(struct build *own, const void *what, size_t i) {
    const struct kind_check *k = what;
    k->check(own, &own->made[k->kind].at[i]);
}

void build_share_each(struct build *d, enum made_kind kind, made_check check) {
    build_share(d, d->made[kind].count, check_one,
                &(struct kind_check){kind, check});
}
