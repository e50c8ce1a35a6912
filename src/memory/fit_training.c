/* fit_training.c: whether a training run fits. There is no pool and no request:
 * the state and one step's activations are compared with the card.
 *
 *     | weights | gradients | optimizer | activations | context | free |
 *
 * What is not given is as in the plainest run: AdamW in mixed precision,
 * everything trained, one sequence of 2,048 tokens, no checkpoints. FSDP
 * shards everything unless told otherwise, ZeRO nothing.
 */
#include "base/limits.h"
#include "memory/fit_case.h"

#define USUAL_TOKENS 2048

/* ---- what is not given ---- */

/* Buckets of ZeRO hold 5e8 elements each for reducing and gathering. */
static struct span beside(const struct inputs *c) {
    bool is_alone = setting_of(c, FACT_gpu_count, 1) <= 1;
    return is_alone ? span_of(300 * MIB, GIB)
                    : span_of(500 * MIB,
                              engine_of(c)->has_buckets ? 3 * GIB : 2 * GIB);
}

void fit_take_training(struct inputs *c) {
    int64_t longest = c->model ? c->model->max_position : 0;
    int64_t tokens =
        longest > 0 && longest < USUAL_TOKENS ? longest : USUAL_TOKENS;
    fit_take_default(c, FACT_optimizer, 0, "adamw", "the usual one");
    fit_take_default(c, FACT_precision, 0, "mixed",
                     "16 bits with a 32-bit copy");
    fit_take_default(c, FACT_zero_stage, engine_of(c)->shards_fully ? 3 : 0, "",
                     engine_of(c)->shards_fully ? "full shard"
                                                : "nothing is sharded");
    fit_take_default(c, FACT_offload, 0, "none", "all on the card");
    fit_take_default(c, FACT_lora_rank, 0, "", "everything is trained");
    fit_take_default(c, FACT_gradient_checkpointing, 0, "", "off");
    fit_take_default(c, FACT_batch_size, 1, "", "one sequence a step");
    fit_take_default(c, FACT_seq_len, tokens, "", "none was said");
    fit_take_default(c, FACT_tensor_parallel, 1, "", "one rank");
    fit_take_default(c, FACT_pipeline_parallel, 1, "", "one rank");
    fit_take(c, FACT_non_torch, beside(c),
             "context, communication and rounding of blocks");
}

/* ---- the verdict ---- */

static struct span held_by(const struct inputs *c, const struct training *t) {
    return span_plus(t->total, span_in(c, FACT_non_torch));
}

/* A measured peak replaces the bounds. */
static struct training held_parts(struct arena *a, const struct inputs *c,
                                  struct formulas *f) {
    struct training_setup s = training_setup_of(c);
    struct training t = memory_training(a, &s, f);
    struct span peak = span_in(c, FACT_activation_peak);
    if (peak.known && t.weights.known) {
        t.activations = peak;
        t.total = span_plus(training_state(&t), peak);
    }
    return t;
}

struct span fit_training_held(struct arena *a, const struct inputs *c) {
    struct training t = held_parts(a, c, NULL);
    return held_by(c, &t);
}

/* A log may have shown that it does not fit: more was requested than was
 * free. */
static enum truth_fit verdict_of(const struct inputs *c, struct span held) {
    const struct fact *tried = &c->in[FACT_tried_alloc];
    const struct fact *left = &c->in[FACT_gpu_free];
    bool has_failed = tried->known && left->known &&
                      tried->source == SOURCE_LOG &&
                      tried->number > left->number;
    return has_failed
               ? FIT_NO
               : fit_of_verdict(span_fits(held, span_in(c, FACT_gpu_total)));
}

enum truth_fit fit_training_verdict(struct arena *a, const struct inputs *c) {
    return verdict_of(c, fit_training_held(a, c));
}

static struct span largest_batch(struct arena *a, const struct inputs *c) {
    struct span total = span_in(c, FACT_gpu_total);
    struct training_setup s = training_setup_of(c);
    int64_t ends[2] = {0, 0};
    for (size_t i = 0; i < 2; i++) {
        int64_t fails = FIT_BATCH_MAX;
        while (fails - ends[i] > 1) {
            s.batch = ends[i] + (fails - ends[i]) / 2;
            struct training t = memory_training(a, &s, NULL);
            struct span held = held_by(c, &t);
            if (!held.known || !total.known)
                return span_none();
            bool fits =
                i == 0 ? held.high <= total.low : held.low <= total.high;
            *(fits ? &ends[i] : &fails) = s.batch;
        }
    }
    return span_of(ends[0], ends[1]);
}

/* ---- where the bytes go ---- */

static struct budget parts_of(struct arena *a, const struct inputs *c,
                              const struct training *t) {
    struct budget b = budget_begin(a, c);
    struct str model = write_source(a, c, FACT_model);
    struct str optimizer = write_source(a, c, FACT_optimizer);
    budget_add(&b, "weights", t->weights, model);
    budget_add(&b, "gradients", t->gradients, model);
    budget_add(&b, "optimizer", t->optimizer, optimizer);
    budget_add(&b, "activation", t->activations, STR("derived"));
    budget_add_fact(a, &b, c, "non_torch", FACT_non_torch);
    struct span rest = span_minus(b.total, held_by(c, t));
    if (rest.known && rest.low > 0)
        budget_add(&b, "free", rest, STR("derived"));
    return b;
}

static void show_step(struct arena *a, const struct inputs *c,
                      const struct training *t, struct formulas *f) {
    static const enum fact_name used[] =
        FACTS(FACT_model, FACT_batch_size, FACT_seq_len, FACT_optimizer,
              FACT_precision, FACT_zero_stage, FACT_gpu_count, FACT_lora_rank,
              FACT_gradient_checkpointing);
    struct span other = span_in(c, FACT_non_torch);
    struct span all = held_by(c, t);
    if (!all.known)
        return;
    struct span each[] = {t->weights, t->gradients, t->optimizer,
                          t->activations, other};
    static const char *const names[] = {
        "weights", "gradients", "optimizer state", "activations", "beside"};
    struct str sum = {0};
    for (size_t i = 0; i < sizeof each / sizeof each[0]; i++)
        sum = FORMULA(a, "%%% %", TEXT(sum), TEXT(i > 0 ? STR(" + ") : STR("")),
                      BYTES(each[i].high), TEXT(str_of(names[i])));
    formula_put(a, f,
                FORMULA_OF(a, c, used, "held at most = % = %", TEXT(sum),
                           BYTES(all.high)));
}

void fit_training(struct arena *a, struct fit *fit) {
    const struct inputs *c = &fit->c;
    fit->training = held_parts(a, c, &fit->formulas);
    fit->weights = fit->training.weights;
    fit->weights_bytes = fit->weights.known ? span_middle(fit->weights) : 0;
    fit->budget = parts_of(a, c, &fit->training);
    show_step(a, c, &fit->training, &fit->formulas);
    fit->fits = verdict_of(c, held_by(c, &fit->training));
    fit->largest_batch = largest_batch(a, c);
    if (c->model == NULL || c->model->params <= 0)
        needs_add(&fit->kv.needs, FACT_model);
    if (!span_in(c, FACT_gpu_total).known)
        needs_add(&fit->kv.needs, FACT_gpu_total);
}
