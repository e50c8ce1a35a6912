/* setting_bounds.c: bounds that the log proves for settings which it does not
 * name.
 *
 *   rank 3, GPU 5, Worker_TP1, a multi-process executor   a number of ranks
 *   39.31 of 39.38 GiB in use by one process              a share above 0.9
 *
 * A bound is a fact without a value. It has the least possible value (low) and
 * the reason. If a bound contradicts the engine's default, the default was not
 * in force: no arithmetic and no predicate uses it. If nothing contradicts the
 * default, it stays and is marked as a default.
 */
#include "diagnose/work.h"

#include <inttypes.h>

struct bound {
    int64_t least;
    uint32_t line;
    struct str why;
};

static void raise_to(struct bound *b, int64_t least, uint32_t line,
                     struct str why) {
    if (least > b->least)
        *b = (struct bound){least, line, why};
}

/* True for workers that only an executor of several processes starts. */
static bool is_worker_of_many(struct str process) {
    static const char *const names[] = {"VllmWorker", "Worker_TP", "Worker_PP",
                                        "Worker_DP", "RayWorkerWrapper",
                                        "RayWorkerVllm"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (str_starts(process, str_of(names[i])))
            return true;
    return false;
}

static void ranks_by_streams(struct diagnosis *d, struct bound *b) {
    for (size_t i = 1; i < d->scan->stream_count; i++) {
        const struct stream *s = &d->scan->streams[i];
        if (s->rank > 0 && s->rank < 100000)
            raise_to(b, s->rank + 1, 0,
                     arena_printf(d->a, "rank %" PRId64 " prints", s->rank));
        if (is_worker_of_many(s->process))
            raise_to(b, 2, 0, arena_printf(d->a, "%.*s prints",
                                           STR_ARG(s->process)));
    }
}

/* GPU 3 proves 4 ranks of a server that gives each rank a GPU, starting at
 * 0. */
static void ranks_by_gpus(struct diagnosis *d, struct bound *b) {
    for (size_t i = 0; d->engine && i < d->sightings.count; i++) {
        const struct fact *gpu =
            facts_first(&d->sightings.at[i].facts, FACT_gpu_index);
        if (engine_flag_of(d->engine, FACT_tensor_parallel) && gpu &&
            gpu->number > 0 && gpu->number < 64)
            raise_to(b, gpu->number + 1, gpu->line,
                     arena_printf(d->a, "GPU %" PRId64 " is in use",
                                  gpu->number));
    }
}

static void bound_add(struct diagnosis *d, enum fact_name name, int64_t low,
                      int64_t high, const struct bound *b) {
    struct fact f = fact_blank(name, SOURCE_DERIVED);
    f.ranged = true;
    f.low = low;
    f.high = high;
    f.line = b->line;
    f.why = b->why;
    facts_add(d->a, &d->context, &f);
}

void ranks_bound(struct diagnosis *d) {
    struct bound b = {0};
    const struct fact *stated = facts_last(&d->context, FACT_ranks_least);
    ranks_by_streams(d, &b);
    ranks_by_gpus(d, &b);
    if (stated)
        raise_to(&b, stated->number, stated->line, STR("its executor"));
    if (b.least < 2)
        return;
    if (!stated) {
        struct fact f = fact_number(FACT_ranks_least, SOURCE_DERIVED, b.least);
        f.line = b.line;
        f.formula = b.why;
        facts_add(d->a, &d->context, &f);
    }
    bool has_other_degrees =
        facts_last(&d->context, FACT_pipeline_parallel) ||
        facts_last(&d->context, FACT_data_parallel);
    if (!facts_last(&d->context, FACT_tensor_parallel))
        bound_add(d, FACT_tensor_parallel, has_other_degrees ? 1 : b.least,
                  INT64_MAX, &b);
}

static int64_t share_of(const struct fact_list *facts, uint32_t *line) {
    const struct fact *own = facts_first(facts, FACT_process_in_use);
    const struct fact *total = facts_first(facts, FACT_gpu_total);
    int64_t share;
    if (!own || !total || total->number <= 0 || own->number > total->number ||
        !mul_div_floor(own->number, UNITS_MICRO, total->number, &share))
        return 0;
    *line = own->line;
    return share;
}

/* Memory that an engine uses beyond its share: graphs, libraries, a step. */
#define BEYOND_SHARE (UNITS_MICRO / 50)

static int64_t default_share(const struct engine *e) {
    int64_t most = 0;
    for (size_t i = 0; i < e->default_count; i++) {
        struct fact f = fact_blank(e->defaults[i].fact, SOURCE_DEFAULT);
        if (f.name == FACT_gpu_memory_utilization) {
            fact_read(f.name, e->defaults[i].value, 1, &f);
            most = f.known && f.number > most ? f.number : most;
        }
    }
    return most;
}

/* True in the stages where the share limits the memory of a server: once its
 * pool is allocated. Weights and the profiling run are not limited by it. */
static bool has_pool(const struct fact_list *facts) {
    const struct fact *stage = facts_first(facts, FACT_stage);
    return stage &&
           STR_IS_ONE(stage->word, "kv_alloc", "capture", "serve", "wake");
}

void share_bound(struct diagnosis *d) {
    struct bound b = {0};
    const struct fact *stated =
        facts_last(&d->context, FACT_gpu_memory_utilization);
    if (!d->engine || (stated && stated->source != SOURCE_DEFAULT))
        return;
    int64_t usual = default_share(d->engine);
    for (size_t i = 0; usual > 0 && i < d->sightings.count; i++) {
        uint32_t line = 0;
        const struct fact_list *facts = &d->sightings.at[i].facts;
        int64_t share = has_pool(facts) ? share_of(facts, &line) : 0;
        if (share > usual + BEYOND_SHARE)
            raise_to(&b, share - BEYOND_SHARE, line,
                     STR("the process holds more of the card than the default "
                         "share allows"));
    }
    if (b.least > 0) {
        facts_drop(&d->context, FACT_gpu_memory_utilization);
        bound_add(d, FACT_gpu_memory_utilization, b.least, UNITS_MICRO, &b);
    }
}

const struct fact *fact_bounded(const struct fact_list *facts,
                                enum fact_name name) {
    for (size_t i = 0; i < facts->count; i++) {
        const struct fact *f = &facts->at[i];
        if (f->name == name && !f->known && f->ranged)
            return f;
    }
    return NULL;
}
