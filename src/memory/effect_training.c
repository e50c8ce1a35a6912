/* effect_training.c: what would make room in a training step.
 *
 *     | weights | gradients | optimizer state | activations | free |
 *                                              `---------- of the backward
 *
 * In a backward pass activations are what torch allocated less the state that
 * the run is known to hold; half a batch halves them, checkpoints leave a row
 * per layer. In the first optimizer step the state itself is what does not
 * fit: all of it against what is free and what is made of it already.
 *
 * What the log does not tell of the run (optimizer, stage, adapters) would
 * have to be guessed, and a guess is no estimate: it is asked for.
 */
#include "memory/effect.h"
#include "memory/formula.h"
#include "memory/span.h"
#include "memory/training.h"

#define USUAL_RANK 16
#define LEAST_OF_TEN 8 /* tenths of activations that a smaller batch frees */

static const enum fact_name used[] = {
    FACT_tried_alloc, FACT_gpu_free,   FACT_pytorch_allocated,
    FACT_model,       FACT_optimizer,  FACT_zero_stage,
    FACT_gpu_count,   FACT_batch_size, FACT_lora_rank,
    FACT_COUNT_OF};

struct new_run { /* of the run, by one fix */
    struct training_setup then;
    struct fact proposed;
    const char *part; /* what gives room, as the formula calls it */
    bool is_known;
};

static struct span state_of(const struct training *t) {
    return span_plus(span_plus(t->weights, t->gradients), t->optimizer);
}

static bool is_making_state(const struct memory_case *c) {
    return stage_is(c, "optimizer");
}

/* ---- the changes ---- */

static struct new_run fewer_samples(const struct memory_case *c,
                                   struct training_setup s) {
    struct new_run change = {.part = "activations"};
    change.is_known = s.batch > 1 && !is_making_state(c);
    s.batch = s.batch / 2;
    change.then = s;
    change.proposed = propose(FACT_batch_size, s.batch);
    return change;
}

/* From half on: a quarter, an eighth ... one sample. */
static bool halve_again(struct new_run *change) {
    if (change->then.batch <= 1) {
        return false;
    }
    change->then.batch /= 2;
    change->proposed = propose(FACT_batch_size, change->then.batch);
    return true;
}

static struct new_run checkpoints(const struct memory_case *c,
                                 struct training_setup s) {
    struct new_run change = {.part = "activations"};
    change.is_known = !s.is_checkpointed && !is_making_state(c) &&
                      s.batch > 0 && s.tokens > 0;
    s.is_checkpointed = true;
    change.then = s;
    change.proposed = propose(FACT_gradient_checkpointing, 1);
    return change;
}

static struct new_run narrow_moments(struct training_setup s) {
    struct new_run change = {.part = "optimizer state"};
    change.is_known = s.optimizer == OPTIMIZER_ADAMW;
    s.optimizer = OPTIMIZER_ADAMW_8BIT;
    change.then = s;
    change.proposed = propose_word(FACT_optimizer, STR("adamw_8bit"));
    return change;
}

static struct new_run adapters(const struct memory_case *c,
                              const struct training_setup *s) {
    struct new_run change = {.part = "weights, gradients and optimizer state"};
    struct memory_case with = *c;
    with.in[FACT_lora_rank] = propose(FACT_lora_rank, USUAL_RANK);
    with.in[FACT_trainable_params].known = false;
    change.then = training_setup_of(&with);
    change.is_known = s->trainable == 0 && change.then.trainable > 0;
    change.proposed = with.in[FACT_lora_rank];
    return change;
}

static struct new_run shards(struct training_setup s) {
    struct new_run change = {.part = "weights, gradients and optimizer state"};
    change.is_known = s.ranks > 1 && s.shard_stage < 3;
    s.shard_stage = 3;
    change.then = s;
    change.proposed = propose(FACT_zero_stage, 3);
    return change;
}

/* ---- the room ---- */

/* What a part was and would be; nothing where it stays. */
static struct span gain_of(struct span now, struct span then) {
    bool is_same = now.low == then.low && now.high == then.high;
    return is_same ? span_exact(0)
                   : span_at_least(span_minus(now, then), 0);
}

static struct span activations_then(const struct training_setup *s,
                                    const struct new_run *change,
                                    struct span now,
                                    const struct training *then) {
    int64_t batch = change->then.batch;
    if (batch == s->batch) { /* checkpoints: by shape at most, perhaps none */
        return then->activations.known ? span_of(0, then->activations.high)
                                       : span_none();
    }
    struct span least = span_share(now, batch, s->batch);
    struct span gone = span_share(now, LEAST_OF_TEN * (s->batch - batch),
                                  10 * s->batch);
    return least.known && gone.known ? span_of(least.low, now.high - gone.low)
                                     : span_none();
}

static struct str write_room(const struct ask *q, const struct new_run *change,
                             struct span free, struct span now,
                             struct span then, struct span limit) {
    struct str f = write_bytes(q->a, free.low), n = write_bytes(q->a, now.low);
    struct str t = write_bytes(q->a, then.high);
    struct str l = write_bytes(q->a, limit.low);
    struct str sources = write_sources(q->a, q->c, used);
    if (now.low <= then.high) {
        return (struct str){0};
    }
    return arena_printf(q->a,
                        "free = %.*s + %.*s %s - %.*s then = at least "
                        "%.*s%.*s",
                        STR_ARG(f), STR_ARG(n), change->part, STR_ARG(t),
                        STR_ARG(l), STR_ARG(sources));
}

/* A backward pass: what was refused against what would be free. */
static struct estimate of_step(const struct ask *q,
                               const struct training_setup *s,
                               const struct new_run *change) {
    const struct memory_case *c = q->c;
    struct training was = memory_training(q->a, s, NULL);
    struct training is = memory_training(q->a, &change->then, NULL);
    struct span free = span_of_fact(&c->in[FACT_gpu_free]);
    struct span held = span_of_fact(&c->in[FACT_pytorch_allocated]);
    struct span act = span_at_least(span_minus(held, state_of(&was)), 0);
    struct estimate e = estimate_unknown(FACT_tried_alloc);
    bool is_of_step = str_eq(str_of(change->part), STR("activations"));
    struct span now = is_of_step ? act : state_of(&was);
    struct span then = is_of_step ? activations_then(s, change, act, &is)
                                  : state_of(&is);
    e.before = e.after = span_of_fact(&c->in[FACT_tried_alloc]);
    if (change->then.batch < s->batch && e.after.known) { /* if it grows */
        e.after.low = span_share(e.after, change->then.batch, s->batch).low;
    }
    e.limit = span_plus(free, gain_of(now, then));
    if (e.limit.known) {
        e.formula = write_room(q, change, free, now, then, e.limit);
        estimate_judge(&e);
    }
    return e;
}

/* The first optimizer step: all of the state against the room for it. */
static struct estimate of_state(const struct ask *q,
                                const struct training_setup *s,
                                const struct new_run *change) {
    const struct memory_case *c = q->c;
    struct formulas f = {0};
    struct training was = memory_training(q->a, s, NULL);
    struct training is = memory_training(q->a, &change->then, &f);
    struct span held = span_of_fact(&c->in[FACT_pytorch_allocated]);
    struct span rest = span_plus(was.weights, was.gradients);
    struct span made = span_at_least(span_minus(held, rest), 0);
    struct span spared = span_plus(gain_of(was.weights, is.weights),
                                   gain_of(was.gradients, is.gradients));
    struct estimate e = estimate_unknown(FACT_requested_bytes);
    e.before = was.optimizer;
    e.after = is.optimizer;
    e.limit = span_plus(span_plus(span_of_fact(&c->in[FACT_gpu_free]), made),
                        spared);
    e.formula = f.count > 0 ? f.at[f.count - 1] : (struct str){0};
    if (e.limit.known) {
        estimate_judge(&e);
    }
    return e;
}

static void want(const struct memory_case *c, struct estimate *e,
                 enum fact_name name) {
    if (!c->in[name].known) {
        needs_add(&e->needs, name);
    }
}

static bool is_told(const struct memory_case *c) {
    return c->in[FACT_optimizer].known || c->in[FACT_zero_stage].known ||
           c->in[FACT_lora_rank].known || c->in[FACT_trainable_params].known;
}

static void name_needs(const struct memory_case *c, enum effect effect,
                       struct estimate *e) {
    bool is_by_shape = effect == EFFECT_gradient_checkpointing;
    if (c->model == NULL || c->model->params <= 0) {
        needs_add(&e->needs, FACT_model);
    }
    if (!is_told(c)) {
        needs_add(&e->needs, FACT_optimizer);
    }
    if (effect == EFFECT_batch_size || is_by_shape) {
        want(c, e, FACT_batch_size);
    }
    if (is_by_shape) {
        want(c, e, FACT_seq_len);
    }
    if (effect == EFFECT_shard_state && !c->in[FACT_data_parallel].known) {
        want(c, e, FACT_gpu_count);
    }
}

static struct new_run change_of(const struct memory_case *c,
                               const struct training_setup *s,
                               enum effect effect) {
    if (effect == EFFECT_batch_size) {
        return fewer_samples(c, *s);
    }
    if (effect == EFFECT_gradient_checkpointing) {
        return checkpoints(c, *s);
    }
    if (effect == EFFECT_optimizer_state) {
        return narrow_moments(*s);
    }
    return effect == EFFECT_adapters ? adapters(c, s) : shards(*s);
}

/* Of what PyTorch holds, in percent, an effect gives back at most: moments and
 * their copy are 12 of 16 bytes, and shards leave nothing on one of many. */
static int64_t percent_of(enum effect effect) {
    return effect == EFFECT_optimizer_state ? 75 : 100;
}

/* Nobody says which run it is: a bound from what was refused and held. */
static struct estimate bounded(const struct ask *q, enum effect effect,
                               const struct needs *needs) {
    struct estimate e = effect == EFFECT_batch_size
                            ? step_scaled(q, FACT_batch_size)
                            : step_freeing(q, percent_of(effect));
    if (verdict_is_open(e.verdict)) {
        e.needs = *needs;
    }
    return e;
}

/* By what the log tells of the run. */
static struct estimate reckoned(const struct ask *q, enum effect effect,
                                const struct training_setup *s) {
    struct new_run change = change_of(q->c, s, effect);
    struct estimate e;
    if (!change.is_known) {
        return estimate_none(FACT_tried_alloc);
    }
    do {
        e = is_making_state(q->c) ? of_state(q, s, &change)
                                  : of_step(q, s, &change);
    } while (e.verdict != VERDICT_ENOUGH && effect == EFFECT_batch_size &&
             halve_again(&change));
    if (e.verdict != VERDICT_NOT_ENOUGH) {
        e.proposed = change.proposed;
    }
    return e;
}

static bool is_trained(const struct memory_case *c) {
    const struct fact *task = &c->in[FACT_task];
    return training_is_step(c) || training_is_asked(c) ||
           (task->known && str_eq(task->word, STR("train")));
}

/* By the whole setup; without the number of ranks and the stage of ZeRO a no
 * is none yet. */
static struct estimate by_setup(const struct ask *q, enum effect effect) {
    const struct memory_case *c = q->c;
    struct training_setup s = training_setup_of(c);
    bool is_told_of_ranks = c->in[FACT_gpu_count].known ||
                            c->in[FACT_data_parallel].known;
    struct estimate e = reckoned(q, effect, &s);
    bool is_assumed = e.verdict == VERDICT_NOT_ENOUGH &&
                      (!is_told_of_ranks || !c->in[FACT_zero_stage].known);
    return is_assumed || e.verdict == VERDICT_UNKNOWN
               ? bounded(q, effect, &e.needs)
               : e;
}

struct estimate effect_training(const struct ask *q, enum effect effect) {
    const struct memory_case *c = q->c;
    struct estimate e = estimate_none(FACT_tried_alloc);
    bool is_step = training_is_step(c) ||
                   (stage_is(c, "forward") && training_is_asked(c));
    if (q->what == SHORT_HOST && effect == EFFECT_batch_size) {
        return step_scaled(q, FACT_batch_size);
    }
    if (q->what != SHORT_ALLOCATION || stage_is(c, "load")) {
        return e;
    }
    if (!is_trained(c)) {
        return effect == EFFECT_batch_size ? step_scaled(q, FACT_batch_size)
                                           : e;
    }
    bool is_of_step = effect == EFFECT_batch_size ||
                      effect == EFFECT_gradient_checkpointing;
    if (is_of_step && is_making_state(c)) {
        return e; /* activations are gone by then */
    }
    name_needs(c, effect, &e);
    if (!is_step || e.needs.count > 0) {
        return bounded(q, effect, &e.needs);
    }
    return by_setup(q, effect);
}
