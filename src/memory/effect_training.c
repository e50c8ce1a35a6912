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
 * What the log does not show of the run (optimizer, stage, adapters) would
 * have to be guessed, and a guess is no estimate: it goes to `needs`.
 */
#include "memory/effect.h"
#include "memory/training.h"

#define USUAL_RANK 16
#define LEAST_OF_TEN 8 /* tenths of activations that a smaller batch frees */

static const enum fact_name used[] =
    FACTS(FACT_tried_alloc, FACT_gpu_free, FACT_pytorch_allocated, FACT_model,
          FACT_optimizer, FACT_zero_stage, FACT_gpu_count, FACT_batch_size,
          FACT_lora_rank);

struct new_run { /* of the run, by one fix */
    struct training_setup then;
    struct fact proposed;
    const char *part; /* what gives room, as the formula calls it */
    bool is_known;
};

static bool is_trained(const struct inputs *c) {
    return training_is_step(c) || training_is_run(c) ||
           word_is(c, FACT_task, "train");
}

static bool is_making_state(const struct inputs *c) {
    return stage_is(c, "optimizer");
}

/* ---- the changes ---- */

static struct training_setup with_adapters(const struct inputs *c,
                                           const struct fact *rank) {
    struct inputs with = *c;
    with.in[FACT_lora_rank] = *rank;
    with.in[FACT_trainable_params].known = false;
    return training_setup_of(&with);
}

/* The run by one fix; is_known: it changes something. */
static struct new_run change_of(const struct query *q,
                                const struct training_setup *s) {
    static const char all[] = "weights, gradients and optimizer state";
    struct new_run new = {.then = *s, .part = "activations"};
    bool has_step = !is_making_state(q->c);
    switch ((int)q->effect) {
    case EFFECT_batch_size:
        new.is_known = s->batch > 1 && has_step;
        new.then.batch = s->batch / 2;
        new.proposed = propose(FACT_batch_size, new.then.batch);
        break;
    case EFFECT_gradient_checkpointing:
        new.is_known =
            !s->is_checkpointed &&has_step && s->batch > 0 && s->tokens > 0;
        new.then.is_checkpointed = true;
        new.proposed = propose(FACT_gradient_checkpointing, 1);
        break;
    case EFFECT_optimizer_state:
        new.part = "optimizer state";
        new.is_known = s->optimizer == OPTIMIZER_ADAMW;
        new.then.optimizer = OPTIMIZER_ADAMW_8BIT;
        new.proposed = propose_word(FACT_optimizer, STR("adamw_8bit"));
        break;
    case EFFECT_adapters:
        new.part = all;
        new.proposed = propose(FACT_lora_rank, USUAL_RANK);
        new.then = with_adapters(q->c, &new.proposed);
        new.is_known = s->trainable == 0 && new.then.trainable > 0;
        break;
    case EFFECT_offload_optimizer:
        new.part = "optimizer state";
        new.is_known = !s->offloads_optimizer;
        new.then.offloads_optimizer = true;
        new.proposed = propose_word(FACT_offload, STR("optimizer"));
        break;
    case EFFECT_offload_all:
        new.part = all;
        new.is_known = !s->offloads_weights && s->shard_stage == 3;
        new.then.offloads_optimizer = new.then.offloads_weights = true;
        new.proposed = propose_word(FACT_offload, STR("all"));
        break;
    default: /* EFFECT_shard_state */
        new.part = all;
        new.is_known = s->ranks > 1 && s->shard_stage < 3;
        new.then.shard_stage = 3;
        new.proposed = propose(FACT_zero_stage, 3);
    }
    return new;
}

/* ---- the room ---- */

/* What a part was and would be; nothing where it stays. */
static struct span gain_of(struct span now, struct span then) {
    bool is_same = now.low == then.low && now.high == then.high;
    return is_same ? span_exact(0) : span_beyond(now, then);
}

static struct span activations_then(const struct training_setup *s,
                                    const struct new_run *change,
                                    struct span now,
                                    const struct training *then) {
    int64_t batch = change->then.batch;
    struct span gone =
        span_share(now, LEAST_OF_TEN * (s->batch - batch), 10 * s->batch);
    if (batch != s->batch)
        return span_between(span_share(now, batch, s->batch),
                            span_minus(now, span_exact(gone.low)));
    /* checkpoints: by shape at most, perhaps none */
    return then->activations.known ? span_of(0, then->activations.high)
                                   : span_none();
}

/* A backward pass: what was refused against what would be free. */
static struct estimate of_step(const struct query *q,
                               const struct training_setup *s,
                               const struct new_run *change) {
    const struct inputs *c = q->c;
    struct training was = memory_training(q->a, s, NULL);
    struct training is = memory_training(q->a, &change->then, NULL);
    struct span held = span_in(c, FACT_pytorch_allocated);
    struct span act = span_beyond(held, training_state(&was));
    struct estimate e = estimate_of_allocation(c);
    struct span free = e.limit;
    bool is_of_step = str_eq(str_of(change->part), STR("activations"));
    struct span now = is_of_step ? act : training_state(&was);
    struct span then = is_of_step ? activations_then(s, change, act, &is)
                                  : training_state(&is);
    if (change->then.batch < s->batch && e.after.known) { /* if it grows */
        e.after.low = span_share(e.after, change->then.batch, s->batch).low;
    }
    e.limit = span_plus(free, gain_of(now, then));
    if (e.limit.known && now.low > then.high)
        e.formula =
            EXPLAIN(q, used, "free = % + % % - % then = at least %",
                    BYTES(free.low), BYTES(now.low), TEXT(str_of(change->part)),
                    BYTES(then.high), BYTES(e.limit.low));
    if (e.limit.known)
        estimate_judge(&e);
    return e;
}

/* The first optimizer step: all of the state against the room for it. */
static struct estimate of_state(const struct query *q,
                                const struct training_setup *s,
                                const struct new_run *change) {
    const struct inputs *c = q->c;
    struct formulas f = {0};
    struct training was = memory_training(q->a, s, NULL);
    struct training is = memory_training(q->a, &change->then, &f);
    struct span made = span_beyond(span_in(c, FACT_pytorch_allocated),
                                   span_plus(was.weights, was.gradients));
    struct span spared = span_plus(gain_of(was.weights, is.weights),
                                   gain_of(was.gradients, is.gradients));
    struct span room = span_plus(span_in(c, FACT_gpu_free), made);
    struct estimate e = estimate_of(FACT_requested_bytes, was.optimizer,
                                    span_plus(room, spared));
    e.after = is.optimizer;
    e.formula = f.count > 0 ? f.at[f.count - 1] : (struct str){0};
    if (e.after.known && e.after.high == 0)
        estimate_gone(&e); /* it goes to the host */
    else if (e.limit.known)
        estimate_judge(&e);
    return e;
}

static void name_needs(const struct query *q, struct estimate *e) {
    const struct inputs *c = q->c;
    bool is_by_shape = q->effect == EFFECT_gradient_checkpointing;
    bool is_by_batch = q->effect == EFFECT_batch_size || is_by_shape;
    bool is_by_ranks =
        q->effect == EFFECT_shard_state && !c->in[FACT_data_parallel].known;
    estimate_needs(e, c->model != NULL && c->model->params > 0, FACT_model);
    estimate_needs(
        e,
        inputs_knows_any(c, FACT_LIST(FACT_optimizer, FACT_zero_stage,
                                      FACT_lora_rank, FACT_trainable_params,
                                      FACT_trained)),
        FACT_optimizer);
    estimate_needs(e, !is_by_batch || c->in[FACT_batch_size].known,
                   FACT_batch_size);
    estimate_needs(e,
                   !is_by_shape || c->model == NULL ||
                       c->in[FACT_seq_len].known,
                   FACT_seq_len);
    estimate_needs(e, !is_by_ranks || c->in[FACT_gpu_count].known,
                   FACT_gpu_count);
}

/* Weights, gradients and moments by one fix, in whatever precision they are
 * kept: from all of 16 bits to what the log shows. */
static struct span state_then(const struct query *q,
                              const struct training_setup *s) {
    struct training_setup half = *s;
    half.precision = PRECISION_HALF;
    struct training is = memory_training(q->a, s, NULL);
    struct training least = memory_training(q->a, &half, NULL);
    return span_between(training_state(&least), training_state(&is));
}

/* The model is known and the rest of the run is not: its whole state by this
 * fix against all that the GPU had for it. False: the fix changes none of it.
 */
static bool put_state(const struct query *q, struct estimate *e) {
    struct training_setup s = training_setup_of(q->c);
    struct new_run change = change_of(q, &s);
    struct shortfall room = shortfall_of(q);
    struct span all = span_plus(room.held, room.free);
    struct span then = state_then(q, &change.then);
    if (s.params <= 0 || str_eq(str_of(change.part), STR("activations")) ||
        !change.is_known || !all.known || !then.known)
        return false;
    *e = estimate_of(FACT_requested_bytes, state_then(q, &s), all);
    e->after = then;
    estimate_judge(e);
    if (e->verdict != VERDICT_NOT_ENOUGH) {
        if (span_is_exact(then))
            ESTIMATE_IF(q, e, "verdict.if.state_exact", SHORT(then.low),
                        SHORT(all.low));
        else
            ESTIMATE_IF(q, e, "verdict.if.state", SHORT(then.low),
                        SHORT(then.high), SHORT(all.low));
        e->share_micro = share_that_passes(then, all);
        e->proposed = change.proposed;
    }
    return true;
}

/* Which run it is, is not known: a bound from what was refused and held. Of
 * what PyTorch holds, moments and their copy are 12 of 16 bytes; shards leave
 * nothing on one of many. */
static struct estimate bounded(const struct query *q, struct needs needs) {
    struct estimate by_model = estimate_unknown(FACT_tried_alloc);
    if (is_trained(q->c) && put_state(q, &by_model)) {
        by_model.needs = needs;
        return by_model;
    }
    bool is_of_moments = q->effect == EFFECT_optimizer_state ||
                         q->effect == EFFECT_offload_optimizer;
    struct estimate e = q->effect == EFFECT_batch_size
                            ? step_scaled(q, FACT_batch_size)
                            : step_freeing(q, is_of_moments ? 75 : 100);
    if (verdict_is_open(e.verdict))
        e.needs = needs;
    return e;
}

/* By the whole setup; without the number of ranks and the stage of ZeRO a no is
 * none yet. A batch is halved until it is enough: a half, a quarter, an eighth
 * ... one sample. */
static struct estimate by_setup(const struct query *q) {
    const struct inputs *c = q->c;
    struct training_setup s = training_setup_of(c);
    struct new_run change = change_of(q, &s);
    struct estimate e = estimate_none(FACT_tried_alloc);
    for (bool is_more = change.is_known; is_more;) {
        e = is_making_state(c) ? of_state(q, &s, &change)
                               : of_step(q, &s, &change);
        is_more = e.verdict != VERDICT_ENOUGH &&
                  q->effect == EFFECT_batch_size && change.then.batch > 1;
        change.then.batch /= is_more ? 2 : 1;
        if (q->effect == EFFECT_batch_size)
            change.proposed = propose(FACT_batch_size, change.then.batch);
    }
    if (change.is_known && e.verdict != VERDICT_NOT_ENOUGH)
        e.proposed = change.proposed;
    bool is_assumed =
        !c->in[FACT_zero_stage].known ||
        !inputs_knows_any(c, FACT_LIST(FACT_gpu_count, FACT_data_parallel));
    return (e.verdict == VERDICT_NOT_ENOUGH && is_assumed) ||
                   e.verdict == VERDICT_UNKNOWN
               ? bounded(q, e.needs)
               : e;
}

/* A batch is one of inference as well. Where what the program is for is not
 * known, the rest are bounds. */
static struct estimate untrained(const struct query *q) {
    return q->effect == EFFECT_batch_size
               ? step_scaled(q, (int)step_setting(q->c, q->effect))
           : q->c->in[FACT_task].known ? estimate_none(FACT_tried_alloc)
                                       : bounded(q, (struct needs){0});
}

struct estimate effect_training(const struct query *q) {
    const struct inputs *c = q->c;
    struct estimate e = estimate_none(FACT_tried_alloc);
    bool is_batch = q->effect == EFFECT_batch_size;
    bool is_of_step = is_batch || q->effect == EFFECT_gradient_checkpointing;
    bool is_step =
        training_is_step(c) || (stage_is(c, "forward") && training_is_run(c));
    if (q->what == SHORT_HOST && is_batch)
        return step_scaled(q, FACT_batch_size);
    if (!is_allocation(q) || stage_is(c, "load"))
        return e;
    if (!is_trained(c))
        return untrained(q);
    if (is_of_step && is_making_state(c))
        return e; /* activations are gone by then */
    name_needs(q, &e);
    return is_step && e.needs.count == 0 ? by_setup(q) : bounded(q, e.needs);
}

/* Activations fall with the length as they do with the batch: at least in
 * proportion. */
struct estimate effect_seq_len(const struct query *q) {
    const struct inputs *c = q->c;
    bool is_step = is_allocation(q) && !stage_is(c, "load") &&
                   !(is_trained(c) && is_making_state(c));
    return is_step || q->what == SHORT_HOST
               ? step_scaled(q, (int)step_setting(c, q->effect))
               : estimate_none(FACT_tried_alloc);
}
