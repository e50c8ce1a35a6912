/* fit_search.c: what to change so that it fits, found by trying changes.
 *
 *     single    the mildest value of one tunable that fits
 *     set       tunables of at most this cost, one after the other, until it
 *               fits; then each that is not missed is taken back
 *
 * What costs nothing or a smaller batch comes before what slows every step (no
 * graphs, layers or state with the host), that before quality (narrower cache
 * or weights, smaller optimizer, adapters), quality before hardware. A tunable
 * whose setting is in force already is passed over. Each answer was asked as a
 * question of its own. A set that is only likely to fit is listed, and marked
 * as such, where nothing but other hardware fits for certain.
 */
#include "base/limits.h"
#include "memory/effect.h"
#include "memory/fit_case.h"

#define CENT (UNITS_MICRO / 100)
#define VALUES_MAX 12
#define WINDOW_POOL_LEAST (2 * 8192 + 4096) /* tokens */
#define LENGTH_LEAST 1024 /* a shorter one would be no answer */

enum audience { SERVING, VLLM, BATCHES, CELLS, TRAINING };
enum how {
    DOWN_BY_HALVES, /* to `number`, at least */
    UP_BY_DOUBLES,  /* to `number`, at most */
    UP_BY_CENTS,    /* the engine's share */
    UP_BY_ONE,
    TO_NUMBER,
    TO_WORD,   /* NULL: the engine's for so many bits */
    TO_FREE,   /* the share that passes the engine's check of free memory */
    TO_LENGTH, /* the longest that fits */
    TO_RATIO,  /* SGLang's pool for windows beside the other */
    TO_LAYERS, /* some of the layers on the card, the rest with the host */
    TO_RANKS   /* tensor or pipeline ranks that divide the model */
};

struct tunable {
    enum audience audience;
    enum fact_name fact;
    enum how how;
    int64_t number;
    const char *word;
    enum fit_tier tier;
};

/* In order of tiers, then of what a person would try first. What differs
 * between engines stands in their rules. */
static const struct tunable tunables[] = {
    {VLLM, FACT_gpu_memory_utilization, TO_FREE, 0, "", TIER_flag},
    {SERVING, FACT_COUNT_OF, UP_BY_CENTS, 0, "", TIER_flag},
    {SERVING, FACT_tensor_parallel, TO_RANKS, 0, "", TIER_flag},
    {VLLM, FACT_pipeline_parallel, TO_RANKS, 0, "", TIER_flag},
    {VLLM, FACT_expert_parallel, TO_NUMBER, 1, "", TIER_flag},
    {SERVING, FACT_max_num_batched_tokens, DOWN_BY_HALVES, 1024, "", TIER_flag},
    {VLLM, FACT_max_num_seqs, DOWN_BY_HALVES, 16, "", TIER_flag},
    {BATCHES, FACT_batch_size, DOWN_BY_HALVES, 1, "", TIER_flag},
    {SERVING, FACT_swa_full_tokens_ratio, TO_RATIO, 0, "", TIER_flag},
    {SERVING, FACT_max_model_len, TO_LENGTH, 0, "", TIER_flag},
    {TRAINING, FACT_gradient_checkpointing, TO_NUMBER, 1, "", TIER_flag},
    {TRAINING, FACT_batch_size, DOWN_BY_HALVES, 1, "", TIER_flag},
    {TRAINING, FACT_zero_stage, UP_BY_ONE, 3, "", TIER_flag},
    {VLLM, FACT_enforce_eager, TO_NUMBER, 1, "", TIER_speed},
    {CELLS, FACT_gpu_layers, TO_LAYERS, 0, "", TIER_speed},
    {TRAINING, FACT_offload, TO_WORD, 0, "optimizer", TIER_speed},
    {TRAINING, FACT_offload, TO_WORD, 0, "all", TIER_speed},
    {SERVING, FACT_kv_cache_dtype, TO_WORD, 0, NULL, TIER_quality},
    {SERVING, FACT_quantization, TO_WORD, 8, NULL, TIER_quality},
    {SERVING, FACT_quantization, TO_WORD, 4, NULL, TIER_quality},
    {TRAINING, FACT_optimizer, TO_WORD, 0, "adamw_8bit", TIER_quality},
    {TRAINING, FACT_lora_rank, TO_NUMBER, 16, "", TIER_quality},
    {TRAINING, FACT_quantization, TO_WORD, 4, "bitsandbytes", TIER_quality},
    {TRAINING, FACT_seq_len, DOWN_BY_HALVES, 512, "", TIER_quality},
    {SERVING, FACT_tensor_parallel, TO_RANKS, 0, "", TIER_hardware},
    {VLLM, FACT_pipeline_parallel, TO_RANKS, 0, "", TIER_hardware},
    {SERVING, FACT_gpu_count, UP_BY_DOUBLES, 16, "", TIER_hardware},
    {TRAINING, FACT_gpu_count, UP_BY_DOUBLES, FIT_RANKS_MAX, "", TIER_hardware},
};

#define TUNABLES (sizeof tunables / sizeof tunables[0])

struct search {
    struct arena *a;
    const struct fit_question *q; /* as it was asked */
    struct fit *fit;
    bool takes_likely; /* what only an estimate denies counts, too */
};

struct values { /* of one tunable, the mildest first */
    struct fact at[VALUES_MAX];
    size_t count;
};

/* The answer to one more question; unknown once the limit is reached. */
static enum truth_fit answer_to(const struct search *s,
                                const struct fit_question *q, struct kv *kv) {
    size_t most = q->questions_most ? q->questions_most : FIT_QUESTIONS_MAX;
    if (s->fit->questions >= most) {
        s->fit->is_search_cut = true;
        return FIT_UNKNOWN;
    }
    s->fit->questions++;
    return fit_verdict_of(s->a, q, kv);
}

/* ---- values ---- */

static void offer(struct values *v, enum fact_name name, int64_t n) {
    if (v->count < VALUES_MAX)
        v->at[v->count++] = propose(name, n);
}

/* What others hold is out of reach. */
static int64_t share_in_reach(const struct tunable *l, const struct inputs *c) {
    struct span most = l->fact == FACT_gpu_memory_utilization
                           ? memory_largest_utilization(c)
                           : span_none();
    int64_t whole = most.known ? most.low - most.low % CENT : l->number;
    return whole < l->number ? whole : l->number;
}

static void raise_share(struct values *v, const struct tunable *l,
                        const struct inputs *c, int64_t most) {
    const struct fact *f = &c->in[l->fact];
    int64_t now = f->known                           ? f->number
                  : l->fact == FACT_kv_free_fraction ? engine_fraction(c).high
                                                     : 88 * CENT;
    int64_t left = most - now, step = left / VALUES_MAX / CENT * CENT;
    step = step > CENT ? step : CENT;
    for (int64_t n = now - now % CENT + step; n < most; n += step)
        offer(v, l->fact, n);
    if (now < most) {
        v->count -= v->count == VALUES_MAX;
        offer(v, l->fact, most);
    }
}

/* Cards that lie idle cost a flag; more of them, hardware. */
static void split(struct values *v, const struct tunable *l,
                  const struct inputs *c) {
    bool is_tensor = l->fact == FACT_tensor_parallel;
    int64_t other = is_tensor ? pipeline_ranks(c) : tensor_ranks(c);
    int64_t now = setting_of(c, l->fact, 1);
    int64_t cards = setting_of(c, FACT_gpu_count, 1);
    if (c->model == NULL || !engine_splits_layers(c))
        return;
    int64_t pieces = is_tensor ? c->model->heads : c->model->layers;
    cards = cards > now * other ? cards : now * other;
    for (int64_t n = 2; n <= FIT_RANKS_MAX && n * other <= 512; n *= 2) {
        bool is_there = n * other <= cards;
        if (n <= now && pieces % now == 0)
            continue; /* as many do already */
        if (is_there == (l->tier == TIER_flag) && n != now && pieces > 0 &&
            pieces % n == 0)
            offer(v, l->fact, n);
    }
}

/* In eighths, the most first. */
static void lay_off(struct values *v, const struct inputs *c) {
    int64_t layers = c->model ? c->model->layers : 0;
    const struct fact *now = &c->in[FACT_gpu_layers];
    int64_t last = now->known && now->number < layers ? now->number : layers;
    for (int64_t eighths = 7; eighths > 0; eighths--) {
        int64_t n = layers * eighths / 8;
        if (n > 0 && n < last) {
            offer(v, FACT_gpu_layers, n);
            last = n;
        }
    }
}

/* Adapters alone may have narrow weights: frozen ones. */
static void word(struct values *v, const struct tunable *l,
                 const struct inputs *c) {
    const struct fact *f = &c->in[l->fact];
    struct str to = str_of(l->word);
    bool lacks_fp8 = c->gpu != NULL && c->gpu->has_fp8 == 0;
    int64_t bits = weight_bits(c);
    bool is_weights = l->fact == FACT_quantization;
    if (is_weights &&
        (bits == 0 || bits <= l->number ||
         (lacks_fp8 && str_eq(to, STR("fp8"))) ||
         (c->model && c->model->quantization.n > 0) ||
         (l->audience == TRAINING && setting_of(c, FACT_lora_rank, 0) == 0)))
        return;
    if (!f->known || !str_eq(f->word, to))
        v->at[v->count++] = propose_word(l->fact, to);
}

static bool is_enough(const struct search *s, enum truth_fit fits) {
    return fits == FIT_YES || (s->takes_likely && fits == FIT_LIKELY);
}

static void put_change(struct fit_question *q, struct fact f) {
    q->c.in[f.name] = f;
    q->c.in[f.name].source = SOURCE_USER;
}

/* No longer than a question of the same kind would take, nor than the model's
 * own length, beyond which engines refuse. Where estimates decide, the longest
 * holds at their best corner only: half of it is proposed. */
static void shorten(const struct search *s, struct values *v,
                    const struct fit_question *q) {
    int64_t now = setting_of(&q->c, FACT_max_model_len, 0), fits = 0;
    int64_t own = q->c.model ? q->c.model->max_position : 0;
    int64_t fails = own > 0 && own < now ? own / 256 + 1 : ceil_div(now, 256);
    while (fails - fits > 1) {
        struct fit_question then = *q;
        struct kv kv;
        int64_t middle = fits + (fails - fits) / 2;
        put_change(&then, propose(FACT_max_model_len, middle * 256));
        *(is_enough(s, answer_to(s, &then, &kv)) ? &fits : &fails) = middle;
    }
    fits = s->takes_likely ? ceil_div(fits, 2) : fits;
    if (fits >= LENGTH_LEAST / 256)
        offer(v, FACT_max_model_len, fits * 256);
}

static void double_up(struct values *v, const struct tunable *l,
                      const struct inputs *c, int64_t now) {
    bool is_taken = l->audience == TRAINING || engine_of(c)->spreads_layers;
    for (int64_t n = (now > 0 ? now : 1) * 2; is_taken && n <= l->number;
         n *= 2)
        offer(v, l->fact, n);
}

/* The pool for windows has to hold two chunks of a prefill and a window:
 * validate_swa_pool_size() in pool_configurator.py. The default is 0.8. */
static void narrow_windows(struct values *v, const struct inputs *c) {
    static const int64_t shares[] = {UNITS_MICRO / 2, UNITS_MICRO / 4,
                                     UNITS_MICRO / 10};
    int64_t now = setting_of(c, FACT_swa_full_tokens_ratio, UNITS_MICRO);
    int64_t length = setting_of(c, FACT_max_model_len, 0), tokens;
    bool is_split = engine_of(c)->windows == KEEP_RATIO &&
                    model_has_windows(c->model) && model_has(c->model, KV_full);
    for (size_t i = 0; is_split && i < sizeof shares / sizeof *shares; i++)
        if (shares[i] < now &&
            mul_div_floor(length, shares[i], UNITS_MICRO, &tokens) &&
            tokens >= WINDOW_POOL_LEAST)
            offer(v, FACT_swa_full_tokens_ratio, shares[i]);
}

/* Without a cache a whole text is computed in one step. */
static int64_t least_number(const struct tunable *l, const struct inputs *c) {
    bool is_whole = l->fact == FACT_max_num_batched_tokens &&
                    !engine_keeps_cache(c);
    return is_whole ? setting_of(c, FACT_max_model_len, l->number) : l->number;
}

/* q: as it was given, with changes; c: the same, completed. */
static struct values values_of(const struct search *s, const struct tunable *l,
                               const struct fit_question *q,
                               const struct inputs *c) {
    struct values v = {.count = 0};
    int64_t now = setting_of(c, l->fact, 0);
    int64_t cards = setting_of(c, FACT_gpu_count, 1);
    bool is_sharded = cards > 1 || setting_of(c, FACT_data_parallel, 1) > 1;
    switch (l->how) {
    case DOWN_BY_HALVES:
        for (int64_t n = now / 2; n >= least_number(l, c); n /= 2)
            offer(&v, l->fact, n);
        break;
    case UP_BY_DOUBLES: double_up(&v, l, c, now); break;
    case UP_BY_CENTS: raise_share(&v, l, c, share_in_reach(l, c)); break;
    case UP_BY_ONE:
        for (int64_t n = now + 1; is_sharded && n <= l->number; n++)
            offer(&v, l->fact, n);
        break;
    case TO_NUMBER:
        if (now != l->number && !(l->fact == FACT_lora_rank && now > 0))
            offer(&v, l->fact, l->number);
        break;
    case TO_WORD: word(&v, l, c); break;
    case TO_FREE: /* others hold so much that the present share is refused */
        if (share_in_reach(l, c) > 0 && share_in_reach(l, c) < now)
            offer(&v, l->fact, share_in_reach(l, c));
        break;
    case TO_LENGTH:
        if (q->c.in[FACT_max_model_len].known ||
            c->in[FACT_max_model_len].known) {
            struct fit_question with = *q;
            with.c.in[FACT_max_model_len] = c->in[FACT_max_model_len];
            shorten(s, &v, &with);
        }
        break;
    case TO_RATIO: narrow_windows(&v, c); break;
    case TO_LAYERS: lay_off(&v, c); break;
    case TO_RANKS: split(&v, l, c); break;
    }
    return v;
}

/* ---- trying a change ---- */

static void change(struct fit_question *q, const struct fact *f) {
    static const enum fact_name of_old[] =
        FACTS(FACT_kv_needed, FACT_est_max_model_len, FACT_max_concurrency,
              FACT_kv_tokens, FACT_tried_alloc);
    inputs_forget(&q->c, of_old);
    if (f->name == FACT_quantization || f->name == FACT_tensor_parallel ||
        f->name == FACT_pipeline_parallel)
        q->c.in[FACT_weights_bytes].known = false;
    put_change(q, *f);
}

/* More ranks than cards: of a plan that may cost hardware, as many cards as
 * ranks. They follow from its changes, so they are none of them until it is
 * listed: `prune` would take them back, and each question bring them again. */
static struct fact cards_of_ranks(const struct inputs *c, enum fit_tier tier) {
    struct span ranks =
        span_times(span_times(span_exact(tensor_ranks(c)), pipeline_ranks(c)),
                   setting_of(c, FACT_data_parallel, 1));
    bool are_missing = tier == TIER_hardware && c->in[FACT_gpu_count].known &&
                       ranks.known && c->in[FACT_gpu_count].number < ranks.low;
    return are_missing ? propose(FACT_gpu_count, ranks.low)
                       : fact_blank(FACT_gpu_count, SOURCE_USER);
}

static struct fit_question with_changes(const struct fit_question *q,
                                        const struct fit_plan *plan) {
    struct fit_question then = *q;
    for (size_t i = 0; i < plan->count; i++)
        change(&then, &plan->change[i]);
    return then;
}

static struct fit_question question_of(const struct fit_question *q,
                                       const struct fit_plan *plan) {
    struct fit_question then = with_changes(q, plan);
    struct fact cards = cards_of_ranks(&then.c, plan->tier);
    if (cards.known)
        change(&then, &cards);
    return then;
}

/* Fits with these changes: then what is needed and there stands in the plan. */
static bool holds(const struct search *s, struct fit_plan *plan) {
    struct fit_question then = question_of(s->q, plan);
    struct kv kv;
    enum truth_fit fits = answer_to(s, &then, &kv);
    if (!is_enough(s, fits))
        return false;
    plan->is_likely = fits != FIT_YES;
    plan->needed = span_times(kv_request(&kv), s->fit->requests);
    plan->pool = kv.pool;
    if (s->fit->is_training) {
        fit_complete(s->a, &then);
        plan->needed = fit_training_held(s->a, &then.c);
        plan->pool = span_in(&then.c, FACT_gpu_total);
    }
    return true;
}

static bool is_same(const struct fit_plan *a, const struct fit_plan *b) {
    for (size_t i = 0; i < a->count && a->count == b->count; i++) {
        const struct fact *x = &a->change[i], *y = &b->change[i];
        if (x->name != y->name || x->number != y->number ||
            !str_eq(x->word, y->word))
            return false;
    }
    return a->count == b->count;
}

static struct str formula_of(const struct search *s,
                             const struct fit_plan *plan) {
    struct fit_question then = question_of(s->q, plan);
    bool is_training = s->fit->is_training;
    struct formulas f = {0};
    struct str all = {0};
    fit_complete(s->a, &then);
    struct training_setup setup = training_setup_of(&then.c);
    if (is_training)
        memory_training(s->a, &setup, &f);
    else
        fit_kv(s->a, &then.c, &f);
    for (size_t i = 0; i < f.count; i++)
        if (is_training || str_starts(f.at[i], STR("kv_needed")))
            all = formula_join(s->a, all, f.at[i]);
    return all;
}

void fit_add_plan(struct fit *fit, const struct fit_plan *plan) {
    size_t at = fit->plan_count;
    if (at == FIT_PLANS)
        return;
    for (; at > 0 && fit->plans[at - 1].tier > plan->tier; at--)
        fit->plans[at] = fit->plans[at - 1];
    fit->plans[at] = *plan;
    fit->plan_count++;
}

/* Where it changes that; plan->count: nowhere. */
static size_t change_at(const struct fit_plan *plan, enum fact_name name) {
    size_t at = 0;
    while (at < plan->count && plan->change[at].name != name)
        at++;
    return at;
}

/* With the cards that it takes; one that has no room for them is not listed. */
static bool add_cards(const struct search *s, struct fit_plan *plan) {
    struct fit_question then = with_changes(s->q, plan);
    struct fact cards = cards_of_ranks(&then.c, plan->tier);
    size_t at = change_at(plan, FACT_gpu_count);
    if (!cards.known || at == FIT_CHANGES)
        return !cards.known;
    plan->change[at] = cards;
    plan->count = at == plan->count ? at + 1 : plan->count;
    return true;
}

static void add(const struct search *s, struct fit_plan *plan) {
    bool is_new = add_cards(s, plan);
    for (size_t i = 0; i < s->fit->plan_count; i++)
        is_new = is_new && !is_same(&s->fit->plans[i], plan);
    if (is_new) {
        plan->formula = formula_of(s, plan);
        fit_add_plan(s->fit, plan);
    }
}

/* The tunable as this engine has it; false: it has none. */
static bool tunable_of(const struct search *s, size_t i, struct tunable *l) {
    const struct engine_rules *e = engine_of(&s->fit->c);
    *l = tunables[i];
    bool is_its[] = {[SERVING] = true,
                     [VLLM] = e->is_named,
                     [BATCHES] = e->can_batch,
                     [CELLS] = e->has_cells,
                     [TRAINING] = true};
    bool is_share = l->how == UP_BY_CENTS || l->how == TO_FREE;
    if (is_share) {
        l->fact = e->share;
        l->number = e->share_most;
    }
    if (l->word == NULL)
        l->word = l->number == 0   ? e->narrow
                  : l->number == 8 ? e->bits8
                                   : e->bits4;
    return is_its[l->audience] && l->word != NULL &&
           (l->fact != FACT_expert_parallel || s->fit->c.model->is_moe) &&
           (!is_share || e->share_most > 0) &&
           (l->audience == TRAINING) == s->fit->is_training;
}

static void add_singles(const struct search *s) {
    for (size_t i = 0; i < TUNABLES; i++) {
        struct tunable l;
        struct values v = {.count = 0};
        bool is_found = false;
        if (tunable_of(s, i, &l))
            v = values_of(s, &l, s->q, &s->fit->c);
        for (size_t k = 0; k < v.count && !is_found; k++) {
            struct fit_plan plan = {
                .change = {v.at[k]}, .count = 1, .tier = l.tier};
            is_found = holds(s, &plan);
            if (is_found)
                add(s, &plan);
        }
    }
}

/* ---- sets ---- */

static void prune(const struct search *s, struct fit_plan *plan) {
    for (size_t i = 0; i < plan->count;) {
        struct fit_plan fewer = *plan;
        for (size_t k = i; k + 1 < fewer.count; k++)
            fewer.change[k] = fewer.change[k + 1];
        fewer.count--;
        if (holds(s, &fewer))
            *plan = fewer;
        else
            i++;
    }
}

/* The mildest value that makes the set fit, else the strongest one. */
static bool try_tunable(const struct search *s, struct fit_plan *plan,
                        const struct tunable *l) {
    struct fit_question then = with_changes(s->q, plan);
    struct fit_question whole = then;
    fit_complete(s->a, &whole);
    struct values v = values_of(s, l, &then, &whole.c);
    size_t at = change_at(plan, l->fact);
    if (v.count == 0 || at >= FIT_CHANGES)
        return false;
    plan->count = at == plan->count ? at + 1 : plan->count;
    for (size_t k = 0; k < v.count; k++) {
        plan->change[at] = v.at[k];
        if (holds(s, plan))
            return true;
    }
    return false;
}

/* rounds: the length is given up in the second. What slows every step is drawn
 * on where nothing else does. */
static bool add_set(const struct search *s, enum fit_tier most, size_t rounds,
                    bool may_be_slow) {
    struct fit_plan plan = {.tier = most};
    bool fits = false;
    for (size_t n = 0; n < rounds * TUNABLES && !fits; n++) {
        struct tunable l;
        fits = tunable_of(s, n % TUNABLES, &l) && l.tier <= most &&
               (may_be_slow || l.tier != TIER_speed) &&
               (l.how == TO_LENGTH) == (n >= TUNABLES) &&
               try_tunable(s, &plan, &l);
    }
    if (fits) {
        prune(s, &plan);
        add(s, &plan);
    }
    return fits;
}

/* may_be_short: a plan that gives up length counts too. One that slows every
 * step leaves the question open what else would do. */
static bool has_plan(const struct fit *fit, enum fit_tier most,
                     bool may_be_short) {
    for (size_t i = 0; i < fit->plan_count; i++) {
        const struct fit_plan *plan = &fit->plans[i];
        bool keeps = change_at(plan, FACT_max_model_len) == plan->count &&
                     change_at(plan, FACT_seq_len) == plan->count;
        bool counts = plan->tier <= most &&
                      (plan->tier != TIER_speed || most == TIER_speed);
        if (counts && (may_be_short || keeps))
            return true;
    }
    return false;
}

void fit_search(struct arena *a, const struct fit_question *q,
                struct fit *fit) {
    struct fit_question again = fit_with_defaults(q, &fit->c);
    struct search s = {a, &again, fit, false};
    if (fit->c.model == NULL || !span_in(&fit->c, FACT_gpu_total).known)
        return;
    add_singles(&s);
    for (enum fit_tier most = TIER_flag; most <= TIER_hardware; most++) {
        size_t rounds = has_plan(fit, most, true) ? 1 : 2;
        bool is_slow = most == TIER_speed;
        if (!has_plan(fit, most, false) &&
            !add_set(&s, most, rounds, is_slow) && most == TIER_quality)
            add_set(&s, most, rounds, true);
    }
    s.takes_likely = true;
    for (enum fit_tier most = TIER_flag;
         fit->fits == FIT_NO && most <= TIER_quality &&
         !has_plan(fit, TIER_quality, true);
         most++)
        add_set(&s, most, 2, most >= TIER_speed);
}
