/* engine.c: finds the engine that failed.
 *
 * Every line that names an engine votes for it. The weight is largest for the
 * `set` of the failure message, then for the component that prints such a
 * message, then for frames in its traceback, for its stream, and for the rest
 * of the log. Without votes the engine stays unknown.
 *
 * An engine may run the code of another one (`calls` in its file: SGLang ran
 * vLLM's layers) and then has its frames in tracebacks. A single vote for the
 * calling engine decides for it. A program whose command is in the log wins
 * over the library that printed the failure: vLLM runs on JAX.
 */
#include "diagnose/work.h"

#include "base/limits.h"

const struct context_pattern *context_row(const struct diagnosis *d,
                                          const struct hit *h) {
    return reader_pattern(d->r, h->pattern)->context;
}

static bool is_failure(const struct diagnosis *d, const struct sighting *s) {
    const struct entry *e = reader_entry_head(d->r, s->hit->owner);
    return e && e->role == ROLE_root && e->severity == SEVERITY_failure;
}

/* The first failure. One of weak signatures only if there is no other: any
 * program prints such words. */
static const struct sighting *first_failure(const struct diagnosis *d) {
    const struct sighting *first = NULL;
    for (size_t i = 0; i < d->sightings.count; i++) {
        const struct sighting *s = &d->sightings.at[i];
        if (!s->is_weak && is_failure(d, s))
            return s;
        first = !first || (first->is_weak && !s->is_weak) ? s : first;
    }
    return first;
}

struct vote {
    struct str engine;
    int64_t weight;
    uint32_t line;
    bool is_typed; /* the vote is from a command line */
};

struct ballot {
    struct vote at[LOG_ENGINES_MAX];
    size_t count;
};

static void vote_for(struct ballot *b, const struct vote *vote) {
    for (size_t i = 0; i < b->count; i++) {
        if (str_eq(b->at[i].engine, vote->engine)) {
            b->at[i].weight += vote->weight;
            b->at[i].is_typed = b->at[i].is_typed || vote->is_typed;
            return;
        }
    }
    if (b->count < LOG_ENGINES_MAX)
        b->at[b->count++] = *vote;
}

/* The weight of a hit: 1000 in the failure's own traceback, 10 in its stream, 1
 * elsewhere. */
static int64_t nearness(const struct hit *h, const struct sighting *failure) {
    if (!failure)
        return 1;
    for (size_t i = 0; i < failure->place_count; i++)
        if (hit_in_trace(h, &failure->places[i]))
            return 1000;
    return h->stream == failure->places[0].stream ? 10 : 1;
}

/* The vote of the failure message: its `set`, else its entry's component. */
static void vote_of_failure(struct diagnosis *d, struct ballot *b,
                            const struct sighting *failure) {
    const struct fact *set = facts_first(&failure->facts, FACT_engine);
    const struct entry *e = reader_entry_head(d->r, failure->hit->owner);
    uint32_t line = failure->hit->first_line;
    if (set)
        vote_for(b, &(struct vote){set->word, 1000000, line, false});
    else if (e && !str_eq(e->component, STR("pytorch")) &&
             reader_engine_by_id(d->r, e->component))
        vote_for(b, &(struct vote){e->component, 100000, line, false});
}

static bool calls(struct diagnosis *d, struct str engine, struct str other) {
    const struct engine *e = reader_engine_by_id(d->r, engine);
    return e && list_has(&e->calls, other);
}

/* True if `program` has its command in the log and `winner` is the library that
 * printed the failure. */
static bool runs_on(struct diagnosis *d, const struct vote *program,
                    const struct vote *winner, const struct sighting *failure) {
    const struct entry *e =
        failure ? reader_entry_head(d->r, failure->hit->owner) : NULL;
    const struct engine *of = reader_engine_by_id(d->r, winner->engine);
    const struct engine *is = reader_engine_by_id(d->r, program->engine);
    return program->is_typed && is && is->task.n > 0 && of &&
           of->task.n == 0 && e && str_eq(e->component, winner->engine);
}

/* The engine with the most votes, or one with a vote that runs its code. */
static const struct vote *winner_of(struct diagnosis *d,
                                    const struct ballot *b,
                                    const struct sighting *failure) {
    const struct vote *best = NULL;
    for (size_t i = 0; i < b->count; i++)
        if (!best || b->at[i].weight > best->weight)
            best = &b->at[i];
    for (size_t i = 0; best && i < b->count; i++)
        if (calls(d, b->at[i].engine, best->engine) ||
            runs_on(d, &b->at[i], best, failure))
            return &b->at[i];
    return best;
}

/* The process name in the prefix of the lines may be the only trace of the
 * engine, in a paste of one worker's lines. */
static void vote_of_prefix(struct diagnosis *d, struct ballot *b,
                           const struct sighting *failure) {
    struct str process = stream_of_number(d, failure->hit->stream)->process;
    struct str engine = b->count == 0 && process.n > 0
                            ? engine_named_in(d->a, d->r, process)
                            : (struct str){NULL, 0};
    if (engine.n > 0)
        vote_for(b, &(struct vote){engine, 1, failure->hit->first_line, false});
}

void engine_find(struct diagnosis *d) {
    struct ballot b = {.count = 0};
    const struct sighting *failure = first_failure(d);
    if (failure)
        vote_of_failure(d, &b, failure);
    for (size_t i = 0; i < d->scan->hits.count; i++) {
        const struct hit *h = &d->scan->hits.at[i];
        if (h->kind != PATTERN_CONTEXT)
            continue;
        struct str engine = context_engine(context_row(d, h));
        if (engine.n > 0)
            vote_for(&b, &(struct vote){engine, nearness(h, failure),
                                        h->first_line, h->command.n > 0});
    }
    if (failure)
        vote_of_prefix(d, &b, failure);
    const struct vote *best = winner_of(d, &b, failure);
    if (!best)
        return;
    struct fact f = fact_word(FACT_engine, SOURCE_LOG, best->engine);
    f.line = best->line;
    facts_add(d->a, &d->context, &f);
}
