/* releases.c: one question, asked of every release at which a rule begins.
 *
 *     low -- boundary -- boundary -- high      an answer each
 *              |             |
 *              step: the answer before it and from it on, and the rows of
 *              release_table.def and of the engine's defaults that begin there
 *
 * Between two boundaries the rules of an engine are the same, so no other
 * release need be asked. A row names what it concerns; an answer that changed
 * without a row keeps its numbers and has no reason.
 */
#include "memory/releases.h"
#include <stdlib.h>
#include "base/limits.h"
#include "corpus/version.h"
#include "memory/fit_case.h"
#include "memory/kv.h"
/* ---- which cases a change concerns ---- */

/* Cards that some releases send back to the first engine. */
static bool has_old_card(const struct inputs *c) {
    struct inputs then = *c;
    then.in[FACT_engine_version] =
        fact_word(FACT_engine_version, SOURCE_USER, STR("0.10.1"));
    return rules_is_v0(&then) == ANSWER_YES;
}

static bool is_concerned(const struct inputs *c, enum concern whom) {
    const struct model *m = c->model;
    struct span total = span_in(c, FACT_gpu_total);
    bool states_pool = inputs_states_pool(c);
    bool takes_fraction =
        !c->in[FACT_mem_fraction_static].known && !states_pool;
    switch (whom) {
    case EVERY_CASE: break;
    case LATENTS: return model_has(m, KV_mla);
    case SPARSE_LATENTS:
        return model_has(m, KV_mla) && model_has(m, KV_indexer);
    case CHUNKS: return model_has(m, KV_chunked);
    case WINDOWS: return model_has_windows(m);
    case STATES: return model_has(m, KV_state);
    case GROUPS: return m != NULL && m->group_count > 1;
    case STAGES: return pipeline_ranks(c) > 1;
    case CACHE_SCHEME: return m != NULL && m->kv_dtype.n > 0;
    case GRAPHS: return !inputs_is_eager(c) && !states_pool;
    case SAID_FREE: return c->in[FACT_gpu_free].known;
    case OLD_CARDS: return has_old_card(c);
    case DEFAULT_FRACTION: return takes_fraction;
    case DEFAULT_VISION: return takes_fraction && m && m->is_multimodal;
    case SMALL_CARDS:
        return takes_fraction && total.known && total.low >= 20 * GIB &&
               total.low < 35 * GIB;
    }
    return true;
}

static const struct rule_change changes[] = {
#define CHANGE(engine, release, key, link, moves, concerns)                    \
    {engine, release, key, link, moves, concerns},
#include "memory/release_table.def"
};

#define CHANGE_COUNT (sizeof changes / sizeof changes[0])

/* ---- boundaries ---- */

static int by_version(const void *a, const void *b) {
    int order = 0;
    version_compare(*(const struct str *)a, *(const struct str *)b, &order);
    return order;
}

static bool is_above(struct str release, struct str low) {
    int order;
    return version_compare(release, low, &order) && order > 0;
}

static void add_release(struct str_list *list, struct str release) {
    int order = 1;
    for (size_t i = 0; i < list->count && order != 0; i++)
        if (!version_compare(list->at[i], release, &order))
            order = 1;
    if (order != 0 && list->count < RELEASE_BOUNDARIES_MAX)
        list->at[list->count++] = release;
}

struct str_list memory_releases(struct arena *a, struct str engine) {
    struct str_list list = {
        arena_array(a, RELEASE_BOUNDARIES_MAX, sizeof *list.at), 0};
    for (size_t i = 0; i < CHANGE_COUNT; i++) {
        if (str_eq(engine, str_of(changes[i].engine))) {
            add_release(&list, STR("0"));
            add_release(&list, str_of(changes[i].release));
        }
    }
    qsort(list.at, list.count, sizeof *list.at, by_version);
    return list;
}

/* In (low, high]; and where a default begins or ends. */
static struct str_list boundaries(struct arena *a,
                                  const struct fit_question *q,
                                  struct str low, struct str high) {
    struct str_list all = memory_releases(a, q->c.engine);
    size_t kept = 0;
    for (size_t i = 0; all.count > 0 && q->engine &&
                       i < q->engine->default_count; i++) {
        const struct version_range *r = &q->engine->defaults[i].versions;
        for (size_t k = 0; k < r->event_count; k++)
            add_release(&all, r->events[k].version);
    }
    for (size_t i = 0; i < all.count; i++)
        if (is_above(all.at[i], low) && !is_above(all.at[i], high))
            all.at[kept++] = all.at[i];
    all.count = kept;
    qsort(all.at, all.count, sizeof *all.at, by_version);
    return all;
}

/* ---- the answer of one release ---- */

struct asked {
    struct inputs c; /* completed */
    struct release_answer answer;
};

static void ask(struct arena *a, const struct fit_question *q,
                struct str release, struct asked *out) {
    struct fit_question then = *q;
    struct kv kv;
    then.c.in[FACT_engine_version] =
        fact_word(FACT_engine_version, SOURCE_USER, release);
    out->answer.fits = fit_verdict_of(a, &then, &kv);
    out->answer.need = kv.bytes_per_request;
    out->answer.pool = kv.pool;
    fit_complete(a, &then);
    out->c = then.c;
}

static bool span_is_same(struct span x, struct span y) {
    return x.known == y.known &&
           (!x.known || (x.low == y.low && x.high == y.high));
}

static bool is_same(const struct release_answer *x,
                    const struct release_answer *y) {
    return x->fits == y->fits && span_is_same(x->need, y->need) &&
           span_is_same(x->pool, y->pool);
}

/* ---- why ---- */

static bool is_moved(const struct release_step *s, enum rule_moves moves) {
    bool need = !span_is_same(s->before.need, s->from.need);
    bool pool = !span_is_same(s->before.pool, s->from.pool);
    bool fits = s->before.fits != s->from.fits;
    return moves == MOVES_NEED   ? need || (fits && !pool)
           : moves == MOVES_POOL ? pool
                                 : fits;
}

static void find_rules(const struct inputs *c, struct release_step *s) {
    for (size_t i = 0; i < CHANGE_COUNT; i++) {
        const struct rule_change *row = &changes[i];
        if (s->rule_count < STEP_RULES &&
            str_eq(c->engine, str_of(row->engine)) &&
            str_eq(s->release, str_of(row->release)) &&
            is_moved(s, row->moves) &&
            is_concerned(c, row->concerns))
            s->rules[s->rule_count++] = row;
    }
}

/* Of the row that holds from the release on, or ends there. */
static struct str source_of(const struct engine *e, enum fact_name fact,
                            struct str release) {
    for (size_t i = e ? e->default_count : 0; i > 0; i--) {
        const struct engine_default *d = &e->defaults[i - 1];
        const struct version_range *r = &d->versions;
        const struct version_event *last =
            r->event_count > 0 ? &r->events[r->event_count - 1] : NULL;
        if (d->fact == fact &&
            (version_in_range(r, release) == RANGE_INSIDE ||
             (last && last->is_fixed && str_eq(last->version, release))))
            return d->source;
    }
    return STR("");
}

/* Defaults of the engine's file; of those that follow from others none. */
static void find_defaults(const struct fit_question *q,
                          const struct inputs *before,
                          const struct inputs *from, struct release_step *s) {
    for (int n = 0; n < FACT_COUNT_OF; n++) {
        enum fact_name name = (enum fact_name)n;
        const struct fact *x = &before->in[n], *y = &from->in[n];
        bool is_default = (!x->known || x->source == SOURCE_DEFAULT) &&
                          (!y->known || y->source == SOURCE_DEFAULT);
        bool differs = x->known != y->known || x->number != y->number ||
                       !str_eq(x->word, y->word);
        struct str link = source_of(q->engine, name, s->release);
        if (is_default && differs && link.n > 0 &&
            s->default_count < STEP_DEFAULTS)
            s->defaults[s->default_count++] =
                (struct default_change){*x, *y, link};
    }
}

struct release_steps memory_release_steps(struct arena *a,
                                          const struct fit_question *q,
                                          struct str low, struct str high) {
    struct str_list at = boundaries(a, q, low, high);
    struct release_steps steps = {NULL, 0};
    if (at.count == 0)
        return steps;
    steps.at = arena_array(a, at.count, sizeof *steps.at);
    struct asked *before = arena_alloc(a, sizeof *before);
    struct asked *from = arena_alloc(a, sizeof *from);
    ask(a, q, low, before);
    for (size_t i = 0; i < at.count; i++) {
        ask(a, q, at.at[i], from);
        if (!is_same(&before->answer, &from->answer)) {
            struct release_step *s = &steps.at[steps.count++];
            *s = (struct release_step){.release = at.at[i],
                                       .before = before->answer,
                                       .from = from->answer};
            find_rules(&from->c, s);
            find_defaults(q, &before->c, &from->c, s);
        }
        struct asked *last = before;
        before = from;
        from = last;
    }
    return steps;
}

/* ---- the release of a log ---- */

/* A pool that was printed is one of the other release, too, unless that
 * release computes the pool itself in another way. */
static bool is_pool_alike(const struct inputs *c, struct str x, struct str y) {
    struct str low = is_above(y, x) ? x : y, high = is_above(y, x) ? y : x;
    for (size_t i = 0; i < CHANGE_COUNT; i++) {
        struct str release = str_of(changes[i].release);
        if (changes[i].moves == MOVES_POOL &&
            (changes[i].concerns != OLD_CARDS || has_old_card(c)) &&
            str_eq(c->engine, str_of(changes[i].engine)) &&
            is_above(release, low) && !is_above(release, high))
            return false;
    }
    return true;
}

static struct release_answer answer_of(struct arena *a,
                                       const struct inputs *c) {
    struct kv kv = memory_kv(a, c, NULL);
    return (struct release_answer){kv.fits, kv.bytes_per_request, kv.pool};
}

/* By its rules, whatever the log printed by those of its own. */
static struct release_answer answer_in(struct arena *a, const struct inputs *c,
                                       struct str release) {
    static const enum fact_name printed[] =
        FACTS(FACT_kv_needed, FACT_est_max_model_len, FACT_max_concurrency,
              FACT_kv_tokens, FACT_kv_blocks, FACT_cpu_blocks);
    struct inputs then = *c;
    inputs_forget(&then, printed);
    then.in[FACT_engine_version] =
        fact_word(FACT_engine_version, SOURCE_LOG, release);
    return answer_of(a, &then);
}

/* At boundary i, which is not the first, the answer turns: what is before it,
 * what is from it on. */
static bool turn(struct arena *a, const struct inputs *c,
                 const struct str_list *at, size_t i, struct str own,
                 struct release_step *out) {
    bool is_older = !is_above(at->at[i], own);
    struct str other = at->at[is_older ? i - 1 : i];
    struct release_answer here = answer_of(a, c);
    struct release_answer there = answer_in(a, c, other);
    bool is_turned = here.fits == FIT_NO && there.fits == FIT_YES;
    *out = (struct release_step){.release = at->at[i],
                                 .before = is_older ? there : here,
                                 .from = is_older ? here : there};
    struct inputs then = *c;
    find_rules(&then, out);
    return is_turned && out->rule_count > 0 && is_pool_alike(c, own, other);
}

bool memory_release_turn(struct arena *a, const struct inputs *c,
                         struct release_step *out) {
    const struct fact *version = &c->in[FACT_engine_version];
    if (!version->known || version->source != SOURCE_LOG ||
        !version_valid(version->word) || c->model == NULL ||
        !c->in[FACT_kv_needed].known || !c->in[FACT_kv_available].known ||
        !engine_of(c)->takes_share)
        return false;
    struct str_list at = memory_releases(a, c->engine);
    size_t own = 0; /* boundaries up to the release of the log */
    while (own < at.count && !is_above(at.at[own], version->word))
        own++;
    for (size_t i = own; i > 1; i--)
        if (turn(a, c, &at, i - 1, version->word, out))
            return true;
    for (size_t i = own > 0 ? own : 1; i < at.count; i++)
        if (turn(a, c, &at, i, version->word, out))
            return true;
    return false;
}
