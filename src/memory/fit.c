/* fit.c: one question, answered whole. The pieces stand in the other files;
 * here they are put in order, the verdict is drawn (a request of full length
 * fits into the pool, or as many at once as were given, and no check of the
 * engine fails), and notes say what the answer rests on. */
#include "base/limits.h"
#include "memory/effect.h"
#include "memory/fit_case.h"

#define HUNDREDTHS 100
#define SWEEP_LEAST 1024 /* tokens: shorter is of no use */

/* ---- KV and its verdict ---- */

/* A cache of 0 bytes: what is left beside weights and a step decides. */
static struct kv no_cache(const struct inputs *c) {
    struct span none = span_exact(0);
    struct kv kv = {.slope = none, .fixed = none, .bytes_per_request = none,
                    .pool = engine_free(c)};
    kv.fits = fit_of_verdict(span_fits(none, kv.pool));
    if (!kv.pool.known)
        needs_add(&kv.needs, c->in[FACT_gpu_total].known ? FACT_weights_bytes
                                                         : FACT_gpu_total);
    return kv;
}

/* KV, and the settings that would make an interval a number. */
struct kv fit_kv(struct arena *a, const struct inputs *c, struct formulas *f) {
    if (!engine_keeps_cache(c))
        return no_cache(c);
    if (!engine_of(c)->takes_share)
        return fit_other_kv(a, c, f);
    struct kv kv = memory_kv(a, c, f);
    bool is_open =
        kv.bytes_per_request.known && !span_is_exact(kv.bytes_per_request);
    if (is_open && model_has_windows(c->model) &&
        !c->in[FACT_max_num_batched_tokens].known)
        needs_add(&kv.needs, FACT_max_num_batched_tokens);
    if (is_open && model_has(c->model, KV_state) &&
        !c->in[FACT_prefix_caching].known)
        needs_add(&kv.needs, FACT_prefix_caching);
    return kv;
}

const enum fact_name fit_of_this_length[] =
    FACTS(FACT_kv_needed, FACT_est_max_model_len, FACT_max_concurrency);

/* One request, by the blocks it takes. What releases print that divide tokens
 * is no measure of it: windows alone are less than their tokens. */
static enum truth_fit held_at_once(const struct inputs *c,
                                   const struct kv *kv) {
    struct span at_once = kv->max_concurrency;
    if (rules_count_partial_blocks(c) == ANSWER_YES || kv_lacks_a_block(kv))
        return fit_of_verdict(span_fits(kv->bytes_held, kv->pool));
    if (!at_once.known || at_once.low >= HUNDREDTHS - 1)
        return FIT_YES;
    return at_once.high < HUNDREDTHS - 1 ? FIT_NO : FIT_LIKELY;
}

/* A request of full length fits into the pool, and so do as many as were
 * asked for: at the worst corner of both. vLLM's check at start may let in
 * what its blocks do not hold: less than one request fits then. */
enum truth_fit fit_verdict(const struct inputs *c, const struct kv *kv,
                           int64_t requests) {
    if (!engine_keeps_cache(c))
        return kv->fits;
    if ((kv->pool.known && kv->pool.high <= 0) || kv->fits == FIT_NO)
        return FIT_NO;
    if (requests <= 1 && (kv->fits == FIT_YES || kv->fits == FIT_LIKELY) &&
        engine_of(c)->takes_share) {
        enum truth_fit holds = held_at_once(c, kv);
        return holds == FIT_NO || holds == FIT_LIKELY ? holds : kv->fits;
    }
    struct span asked = span_times(span_exact(requests), HUNDREDTHS);
    return requests <= 1
               ? kv->fits
               : fit_of_verdict(span_fits(asked, kv->max_concurrency));
}

static struct budget budget_of(struct arena *a, const struct inputs *c,
                               const struct kv *kv) {
    struct budget b = budget_begin(a, c);
    enum fact_name said = inputs_first_known(
        c, FACT_LIST(FACT_kv_available, FACT_kv_bytes, FACT_pool_available));
    struct str source = said != FACT_COUNT_OF ? write_source(a, c, said)
                                              : STR("derived");
    budget_add(&b, "weights", engine_weights(c), weights_source(a, c));
    budget_add_fact(a, &b, c, "activation", FACT_activation_peak);
    budget_add_fact(a, &b, c, "non_torch", FACT_non_torch);
    if (engine_of(c)->takes_share && rules_count_graphs(c) == ANSWER_YES)
        budget_add_fact(a, &b, c, "cuda_graphs", FACT_cuda_graph_bytes);
    budget_add(&b, engine_keeps_cache(c) ? "kv_cache" : "free", kv->pool,
               source);
    if (!engine_keeps_cache(c))
        return b;
    if (engine_of(c)->takes_share)
        budget_add(&b, "reserve", span_minus(b.total, requested_bytes(c)),
                   write_source(a, c, FACT_gpu_memory_utilization));
    else
        budget_add(&b, "left_over", engine_left_over(c), STR("derived"));
    return b;
}

static int64_t one_figure(const struct inputs *c) {
    struct span bytes = weights_bytes(c);
    const struct fact *dtype = &c->in[FACT_dtype];
    bool is_wide = dtype->known && dtype->source == SOURCE_USER;
    struct span all = span_none();
    int64_t ranks = 1;
    if (bytes.known && !c->in[FACT_weights_bytes].known && c->model != NULL &&
        quantization_of(c).n == 0 && c->in[FACT_cpu_offload].number <= 0 &&
        mul_i64(tensor_ranks(c), pipeline_ranks(c), &ranks))
        all = span_share(
            span_exact(c->model->params),
            weight_micro(STR(""), is_wide ? dtype->word : STR("bfloat16")).low,
            MICRO);
    return all.known     ? ceil_div(all.low, ranks)
           : bytes.known ? span_middle(bytes)
                         : 0;
}

/* ---- inverses ---- */

static struct span within(struct span s, int64_t most) {
    if (s.known && most > 0) {
        s.low = s.low < most ? s.low : most;
        s.high = s.high < most ? s.high : most;
    }
    return s;
}

/* True if a longer request takes more, at least up to a window; where vLLM's
 * check counts one group of layers alone, its slope may be 0. */
static bool does_grow(const struct model *m, struct span slope) {
    bool grows = slope.high > 0;
    for (size_t i = 0; m != NULL && i < m->group_count; i++)
        grows = grows || m->groups[i].kind != KV_state;
    return grows;
}

int64_t fit_printed_length(struct arena *a, const struct inputs *c) {
    static const enum fact_name others[] =
        FACTS(FACT_kv_cache_dtype, FACT_tensor_parallel, FACT_pipeline_parallel,
              FACT_kv_available, FACT_gpu_memory_utilization);
    const struct fact *printed = &c->in[FACT_est_max_model_len];
    bool is_usable = printed->known && printed->source == SOURCE_LOG;
    for (const enum fact_name *f = others; *f != FACT_COUNT_OF; f++)
        is_usable =
            is_usable && !(c->in[*f].known && c->in[*f].source == SOURCE_USER);
    return is_usable ? kv_usable_length(printed->number,
                                        memory_null_block(a, c))
                     : 0; /* unless the user set it otherwise */
}

static void invert(struct arena *a, struct fit *fit) {
    const struct inputs *c = &fit->c;
    int64_t most = c->model ? c->model->max_position : 0;
    fit->concurrency = fit->kv.max_concurrency;
    if (!fit->has_cache) {
        fit->longest =
            most > 0 && fit->fits != FIT_NO ? span_exact(most) : span_none();
        return;
    }
    if (!fit->is_vllm) {
        fit->longest = fit_other_longest(c, most);
        return;
    }
    /* A state alone does not grow: no length is the longest. */
    if (fit->kv.slope.known && does_grow(c->model, fit->kv.slope))
        fit->longest = within(memory_longest_request(a, c), most);
    int64_t printed = fit_printed_length(a, c);
    if (printed > 0)
        fit->longest = within(span_exact(printed), most);
    fit->least_share = memory_least_utilization(a, c);
    fit->most_share = memory_largest_utilization(c);
    if (c->model && requested_bytes(c).known && inputs_states_pool(c))
        fit->least_tensor_parallel = memory_least_tensor_parallel(a, c);
}

static enum truth_fit on_card(struct arena *a, const struct fit_question *q,
                              const struct gpu *gpu) {
    static const enum fact_name of_this_card[] = FACTS(
        FACT_gpu_total, FACT_gpu_free, FACT_gpu_name, FACT_kv_available,
        FACT_kv_bytes, FACT_kv_blocks, FACT_kv_tokens, FACT_kv_needed,
        FACT_est_max_model_len, FACT_max_concurrency, FACT_pool_available);
    struct fit_question other = *q;
    struct kv kv;
    inputs_forget(&other.c, of_this_card);
    other.c.gpu = gpu;
    return fit_verdict_of(a, &other, &kv);
}

/* Defaults that another card would not change need not be found again. */
struct fit_question fit_with_defaults(const struct fit_question *q,
                                    const struct inputs *completed) {
    static const enum fact_name of_the_card[] = {
        FACT_max_num_seqs, FACT_max_num_batched_tokens, FACT_pipeline_parallel,
        FACT_max_model_len};
    struct fit_question again = *q;
    for (int n = 0; n < FACT_COUNT_OF; n++) {
        const struct fact *f = &completed->in[n];
        if (!again.c.in[n].known && f->known && f->source == SOURCE_DEFAULT)
            again.c.in[n] = *f;
    }
    for (size_t i = 0; i < sizeof of_the_card / sizeof of_the_card[0]; i++)
        again.c.in[of_the_card[i]] = q->c.in[of_the_card[i]];
    return again;
}

/* True if this card could stand in the place of the given one: of its
 * maker, and no more of them than a machine has. */
static bool is_candidate(const struct inputs *c, const struct gpu *g) {
    struct str maker = c->gpu ? c->gpu->vendor : STR("nvidia");
    bool is_one = tensor_ranks(c) <= 1 && pipeline_ranks(c) <= 1 &&
                  setting_of(c, FACT_gpu_count, 1) <= 1;
    return g->total_low > 0 && g->nominal_gb > 0 && str_eq(g->vendor, maker) &&
           (is_one || !g->is_unified);
}

static const struct gpu *next_card(const struct fit_question *q,
                                   const struct gpu *last) {
    const struct gpu *next = NULL;
    for (size_t i = 0; i < q->gpu_count; i++) {
        const struct gpu *g = q->gpus[i];
        if (is_candidate(&q->c, g) &&
            (last == NULL || g->total_low > last->total_low) &&
            (next == NULL || g->total_low < next->total_low))
            next = g;
    }
    return next;
}

/* Least n of 1, 2, 4 ... with which the answer is yes; below it the least with
 * which it is not no. */
static struct span least_of(struct arena *a, const struct fit_question *q,
                            enum fact_name name) {
    struct span least = span_none();
    for (int64_t n = 1; n <= FIT_RANKS_MAX; n *= 2) {
        struct fit_question then = *q;
        struct kv kv;
        if (name == FACT_tensor_parallel && q->c.model->heads % n != 0)
            continue;
        then.c.in[FACT_gpu_count].known = false;
        then.c.in[FACT_pipeline_parallel].known = false;
        then.c.in[name] = fit_derived(name, span_exact(n), "asked");
        enum truth_fit fits = fit_verdict_of(a, &then, &kv);
        if (fits != FIT_NO && !least.known)
            least = span_of(n, FIT_RANKS_MAX);
        if (fits == FIT_YES)
            return span_of(least.low, n);
    }
    /* what holds for one holds for all: nothing is known */
    return least.known && least.low == 1 ? span_none() : least;
}

/* From the smallest up; what is smaller than the weights is passed over. */
static void find_least_card(struct arena *a, const struct fit_question *again,
                            struct fit *fit) {
    const struct gpu *gpu = again->c.model ? next_card(again, NULL) : NULL;
    int64_t least = fit->weights.known ? fit->weights.low : 0;
    for (; gpu != NULL && fit->least_gpu == NULL; gpu = next_card(again, gpu))
        if (gpu->total_high >= least && on_card(a, again, gpu) == FIT_YES)
            fit->least_gpu = gpu;
}

/* Engines that split layers are tried by ranks; those that lay them, or the
 * state of a training run, over all cards, by cards. */
static void find_least(struct arena *a, const struct fit_question *q,
                       struct fit *fit) {
    struct fit_question again = fit_with_defaults(q, &fit->c);
    bool is_sharded = fit->is_training && fit->c.in[FACT_zero_stage].number > 0;
    bool is_laid = !fit->is_training && engine_of(&fit->c)->spreads_layers;
    if (!q->is_verdict)
        find_least_card(a, &again, fit);
    if (fit->c.model == NULL || !span_in(&fit->c, FACT_gpu_total).known ||
        inputs_states_pool(&fit->c))
        return;
    if (is_sharded || is_laid)
        fit->least_cards = least_of(a, &again, FACT_gpu_count);
    else if (!fit->is_training && engine_splits_layers(&fit->c))
        fit->least_tensor_parallel = least_of(a, &again, FACT_tensor_parallel);
}

/* ---- what an answer rests on ---- */

static void add(struct fit *fit, const struct note *n) {
    if (fit->remark_count < FIT_REMARKS)
        fit->remarks[fit->remark_count++] = *n;
}

/* "--tensor-parallel-size 2"; the fact's own name where there is no flag. */
static struct str assigned(struct arena *a, const struct engine *e,
                           const struct fact *f) {
    const struct flag *its = engine_flag_of(e, f->name);
    struct str flag = its ? its->flag : str_of(fact_spelling(f->name));
    struct str n = write_count(a, f->number);
    return arena_printf(a, "%.*s %.*s", STR_ARG(flag), STR_ARG(n));
}

/* Several cards, and how they are used is not given. */
static void remark_split(struct arena *a, const struct fit_question *q,
                         struct fit *fit) {
    const struct fact *tp = &fit->c.in[FACT_tensor_parallel];
    const struct fact *pp = &fit->c.in[FACT_pipeline_parallel];
    const struct fact *cards = &fit->c.in[FACT_gpu_count];
    struct note n = {.key = "fit.remark.split", .count = 2};
    bool is_assumed = cards->known && cards->number > 1 &&
                      tp->source == SOURCE_DEFAULT &&
                      pp->source == SOURCE_DEFAULT &&
                      engine_splits_layers(&fit->c) && !fit->is_training;
    if (!is_assumed || (tp->number <= 1 && pp->number <= 1))
        return;
    n.arg[0] = assigned(a, q->engine, tp->number > 1 ? tp : pp);
    if (tp->number > 1 && pp->number > 1)
        n.arg[0] = arena_printf(a, "%.*s %.*s", STR_ARG(n.arg[0]),
                                STR_ARG(assigned(a, q->engine, pp)));
    n.arg[1] = write_count(a, cards->number);
    if (engine_of(&fit->c)->splits_by_itself)
        n.key = "fit.remark.split_by_itself";
    add(fit, &n);
    if (tp->number * pp->number < cards->number) {
        n.key = "fit.remark.split_idle";
        n.arg[0] = write_count(a, tp->number * pp->number);
        add(fit, &n);
    }
}

/* "vLLM 0.6.3 does not know ...": whatever its memory, it will not start. */
static void remark_release(struct arena *a, const struct fit_question *q,
                           struct fit *fit) {
    struct note n = fit->checks[CHECK_RELEASE].why;
    if (n.key != NULL) {
        n.arg[1] =
            arena_printf(a, "%.*s %.*s",
                         STR_ARG(q->engine ? q->engine->name : fit->c.engine),
                         STR_ARG(n.arg[1]));
        add(fit, &n);
    }
}

static bool is_refused(const struct fit *fit) {
    for (int i = 0; i < CHECK_COUNT_OF; i++)
        if (fit_checks[i].refuses &&
            fit->checks[i].verdict == VERDICT_NOT_ENOUGH)
            return true;
    return false;
}

/* A context that nobody gave is the engine's default, or the model's own. */
static void remark_length(struct arena *a, const struct fit_question *q,
                          struct fit *fit) {
    const struct fact *length = &fit->c.in[FACT_max_model_len];
    const struct engine_rules *e = engine_of(&fit->c);
    bool is_least = e->least_length != NULL &&
                    length->number == e->least_length(&fit->c);
    if (e->usual_length != NULL && length->source == SOURCE_DEFAULT &&
        q->engine != NULL)
        add(fit, &NOTE(is_least ? "fit.remark.least_length"
                                : "fit.remark.usual_length", q->engine->name,
                       fit->c.in[FACT_engine_version].word,
                       write_count(a, length->number)));
}

/* tp_worker.py, validate_input_length() in managers/utils.py, 0.5.23: the
 * longest request is the smaller of the context and of the pool. */
static void remark_short(const struct fit_question *q, struct fit *fit) {
    if (engine_of(&fit->c)->starts_short && q->engine != NULL &&
        (fit->fits == FIT_NO || fit->fits == FIT_LIKELY) &&
        fit->kv.pool.known && fit->kv.pool.high > 0 && !is_refused(fit))
        add(fit, &NOTE("fit.remark.short", q->engine->name));
}

/* The engine lays layers on the host by itself, unless it is told how many;
 * llama.cpp first makes a context shorter that nobody gave. */
static void remark_layers(const struct fit_question *q, struct fit *fit) {
    const struct fact *room = &fit->c.in[FACT_gpu_total];
    bool is_open = engine_of(&fit->c)->usual_length == NULL &&
                   fit->c.in[FACT_max_model_len].source == SOURCE_CATALOGUE;
    if (engine_of(&fit->c)->places_layers != NULL &&
        engine_of(&fit->c)->places_layers(&fit->c) && room->known &&
        !fit->c.in[FACT_gpu_layers].known && q->engine != NULL &&
        (fit->fits == FIT_NO || fit->fits == FIT_LIKELY))
        add(fit, &NOTE(is_open ? "fit.remark.shortens" : "fit.remark.layers",
                       q->engine->name));
}

/* vLLM's check at start counts less than the pool keeps. It starts, and for a
 * request without room v1/core/sched/scheduler.py has no error: schedule()
 * preempts it or leaves it waiting, whenever allocate_slots() finds no blocks
 * (0.9.0 to 0.33.0). */
static void remark_kept(struct arena *a, struct fit *fit) {
    const struct kv *kv = &fit->kv;
    if (kv_lacks_a_block(kv) && !is_refused(fit) && fit->fits != FIT_YES &&
        rules_count_null_block(&fit->c) != ANSWER_NO &&
        span_fits(kv->bytes_per_request, kv->pool) == VERDICT_ENOUGH)
        add(fit, &NOTE("fit.remark.null_block",
                       write_bytes(a, kv->bytes_per_block.high)));
    const struct fit_checked *k = &fit->checks[CHECK_KV];
    bool lets_in =
        (k->verdict == VERDICT_ENOUGH && fit->fits != FIT_YES) ||
        (k->verdict == VERDICT_MAY_BE_ENOUGH && fit->fits == FIT_NO);
    if (lets_in && !is_refused(fit))
        add(fit, &NOTE("fit.remark.kept", write_bytes(a, k->asked.high)));
}

/* Of the amounts that were estimated, the one that leaves most open; NULL:
 * none was. */
static const struct fact *widest_estimate(const struct inputs *c) {
    static const enum fact_name estimated[] = {
        FACT_activation_peak, FACT_cuda_graph_bytes, FACT_non_torch,
        FACT_weights_bytes};
    const struct fact *widest = NULL;
    for (size_t i = 0; i < sizeof estimated / sizeof estimated[0]; i++) {
        const struct fact *f = &c->in[estimated[i]];
        bool is_open = f->known && f->source == SOURCE_DERIVED && f->ranged;
        if (is_open &&
            (widest == NULL || f->high - f->low > widest->high - widest->low))
            widest = f;
    }
    return widest;
}

/* What a request takes is less certain than what there is. */
static bool is_need_open(const struct fit *fit) {
    struct span need = kv_request(&fit->kv), pool = fit->kv.pool;
    return fit->requests <= 1 && need.known && pool.known &&
           need.high - need.low > pool.high - pool.low;
}

static void find_refusal(struct fit *fit) {
    for (int i = CHECK_COUNT_OF - 1; i >= 0; i--) {
        const struct fit_checked *k = &fit->checks[i];
        if (k->verdict == VERDICT_NOT_ENOUGH && k->why.key != NULL &&
            i != CHECK_RELEASE && i != CHECK_POSITION)
            fit->because = k->why; /* of the first */
    }
}

/* Engines without a pool print none; those without PyTorch have a context. */
static const char *reason_key(const struct fit *fit, enum fact_name widest) {
    const struct engine_rules *e = engine_of(&fit->c);
    return e->lacks_torch && widest == FACT_non_torch ? "fit.because_context"
           : !fit->has_cache || e->pool == POOL_REST  ? "fit.because_bound"
                                                      : "fit.because_estimate";
}

/* What the engine refuses; else what leaves the answer open. */
static void find_reason(struct arena *a, struct fit *fit) {
    const struct fact *widest = widest_estimate(&fit->c);
    if (fit->fits == FIT_NO)
        find_refusal(fit);
    if (fit->fits != FIT_LIKELY)
        return;
    if (is_need_open(fit))
        fit->because =
            NOTE("fit.because_need", write_bytes(a, kv_request(&fit->kv).low),
                 write_bytes(a, kv_request(&fit->kv).high));
    else if (widest != NULL)
        fit->because = NOTE(
            reason_key(fit, widest->name),
            arena_printf(a, NOTE_FACT_FORMAT, fact_spelling(widest->name)),
            write_bytes(a, widest->low), write_bytes(a, widest->high));
}

/* ---- together ---- */

struct verdict_task {
    struct arena scratch; /* a verdict and its numbers keep nothing of it */
    const struct fit_question *q;
    struct kv kv;
    enum truth_fit fits;
};

static void compute_verdict(void *arg) {
    struct verdict_task *it = arg;
    struct arena *a = &it->scratch;
    struct fit_question whole = *it->q;
    struct fit fit = {.is_vllm = engine_of(&whole.c)->takes_share};
    fit_complete(a, &whole);
    fit_check(a, &whole.c, &fit);
    if (is_refused(&fit)) {
        it->fits = FIT_NO;
    } else if (training_is_run(&whole.c)) {
        it->fits = fit_training_verdict(a, &whole.c);
    } else {
        it->kv = fit_kv(a, &whole.c, NULL);
        it->fits = fit_verdict(&whole.c, &it->kv, whole.requests);
    }
}

enum truth_fit fit_verdict_of(struct arena *a, const struct fit_question *q,
                              struct kv *kv) {
    struct verdict_task it = {.q = q, .kv = {.fits = FIT_UNKNOWN}};
    struct fault fault;
    arena_init(&it.scratch, a->from, a->ceiling_bytes);
    enum fail code = arena_guard(&it.scratch, compute_verdict, &it, &fault);
    arena_free(&it.scratch);
    if (code != FAIL_NONE)
        arena_raise(a, code, "%s", fault.text);
    *kv = it.kv;
    return it.fits;
}

static void serve(struct arena *a, struct fit *fit) {
    struct needs of_weights = {0};
    fit->weights = memory_weights(a, &fit->c, &fit->formulas, &of_weights);
    fit->weights_bytes = one_figure(&fit->c);
    fit->kv = fit_kv(a, &fit->c, &fit->formulas);
    if (fit->is_vllm && fit->has_cache && !inputs_states_pool(&fit->c))
        formula_put(a, &fit->formulas, budget_write_pool(a, &fit->c));
    fit->budget = budget_of(a, &fit->c, &fit->kv);
    struct span kept = fit->kv.bytes_kept, asked = fit->kv.bytes_per_request;
    if (kept.known && asked.known && asked.high < kept.low)
        fit->checks[CHECK_KV] =
            (struct fit_checked){.verdict = span_fits(asked, fit->kv.pool),
                                 .asked = asked, .there = fit->kv.pool};
    fit->fits = fit_verdict(&fit->c, &fit->kv, fit->requests);
}

struct fit memory_fit(struct arena *a, const struct fit_question *q) {
    struct fit_question whole = *q;
    fit_complete(a, &whole);
    struct fit fit = {.c = whole.c, .is_vllm = engine_of(&whole.c)->takes_share,
                      .is_training = training_is_run(&whole.c),
                      .has_cache = engine_keeps_cache(&whole.c),
                      .requests = whole.requests > 0 ? whole.requests : 1};
    fit_check(a, &fit.c, &fit);
    if (fit.is_training) {
        fit_training(a, &fit);
    } else {
        serve(a, &fit);
        invert(a, &fit);
    }
    fit.fits = is_refused(&fit) ? FIT_NO : fit.fits;
    if (fit.fits == FIT_NO && q->offload.n > 0) { /* of what is left there */
        fit.fits = FIT_UNKNOWN;
        fit.because = NOTE("fit.offloaded", q->offload);
    }
    fit.kv.fits = fit.fits;
    if (!fit_is_settled(fit.fits) && fit.kv.needs.count == 0) {
        /* bounds that a start would replace by one printed number */
        needs_add(&fit.kv.needs, fit.is_training || !fit.has_cache
                                     ? FACT_activation_peak
                                     : FACT_kv_available);
    }
    find_least(a, q, &fit);
    for (size_t i = 0; i < q->remark_count; i++)
        add(&fit, &q->remarks[i]);
    remark_release(a, q, &fit);
    remark_split(a, q, &fit);
    remark_kept(a, &fit);
    remark_length(a, q, &fit);
    remark_layers(q, &fit);
    remark_short(q, &fit);
    find_reason(a, &fit);
    if (fit.fits != FIT_YES && q->offload.n == 0 && !q->is_verdict)
        fit_plan(a, q, &fit);
    if (fit.is_search_cut)
        add(&fit,
            &NOTE(FIT_REMARK_CUT, write_count(a, (int64_t)fit.questions)));
    return fit;
}

/* ---- the curve ---- */

/* Down from `most` by lengths that people write: 2^k and 3 x 2^k. */
static int64_t shorter(int64_t tokens) {
    int64_t power = 1;
    while (power * 2 < tokens)
        power *= 2;
    return power / 2 * 3 < tokens ? power / 2 * 3 : power;
}

static struct fit_point point_of(struct arena *a, const struct fit *fit,
                                 int64_t tokens) {
    struct inputs c = fit->c;
    c.in[FACT_max_model_len].number = tokens;
    c.in[FACT_max_model_len].known = true;
    c.in[FACT_max_model_len].ranged = false;
    inputs_forget(&c, fit_of_this_length);
    struct kv kv = fit_kv(a, &c, NULL);
    return (struct fit_point){tokens, kv_request(&kv), kv.max_concurrency,
                              fit_verdict(&c, &kv, fit->requests)};
}

size_t memory_fit_sweep(struct arena *a, const struct fit *fit, int64_t most,
                        struct fit_point *out, size_t n) {
    int64_t least = most < SWEEP_LEAST ? 1 : SWEEP_LEAST, at = most;
    size_t count = 0;
    for (; count < n && at >= least; at = at > 1 ? shorter(at) : 0)
        count++;
    at = most;
    for (size_t first = count; first > 0; at = shorter(at))
        out[--first] = point_of(a, fit, at);
    return count;
}
