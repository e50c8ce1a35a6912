/* training_case.c: what a case tells of a training run: which optimizer, which
 * precision, what is sharded over how many ranks, what is trained at all.
 *
 * The adapters of LoRA are counted where the log does it ("trainable params:
 * 4,194,304"); else their number follows from the rank: r x (in + out) per
 * matrix, from queries and values alone (peft's own choice for most models) to
 * every linear layer of a dense block.
 */
#include "memory/engines.h"
#include "memory/inputs.h"
#include "memory/formula.h"
#include "memory/span.h"
#include "memory/training.h"
#include "memory/weights.h"

#define FREE_BITS 16

static bool says_word(const struct inputs *c, enum fact_name name,
                    const char *word) {
    const struct fact *f = &c->in[name];
    return f->known && str_eq_nocase(f->word, str_of(word));
}

bool training_is_asked(const struct inputs *c) {
    static const enum fact_name only[] =
        FACTS(FACT_optimizer, FACT_precision, FACT_zero_stage, FACT_lora_rank,
              FACT_trainable_params, FACT_gradient_checkpointing, FACT_offload);
    return engine_of(c)->trains ||
           (engine_of(c)->may_train && inputs_knows_any(c, only));
}

/* ---- words ---- */

bool training_optimizer_named(struct str word, enum optimizer *out) {
    bool is_narrow = has_part(word, "8bit") || has_part(word, "8-bit") ||
                     has_part(word, "4bit");
    if (has_part(word, "adafactor")) {
        *out = OPTIMIZER_ADAFACTOR;
    } else if (has_part(word, "adam")) {
        *out = is_narrow ? OPTIMIZER_ADAMW_8BIT : OPTIMIZER_ADAMW;
    } else if (has_part(word, "momentum") || has_part(word, "lion") ||
               has_part(word, "muon")) {
        *out = OPTIMIZER_MOMENTUM;
    } else if (has_part(word, "sgd")) {
        *out = OPTIMIZER_SGD;
    } else {
        return false;
    }
    return true;
}

bool training_precision_named(struct str word, enum precision *out) {
    static const struct {
        const char *word;
        enum precision precision;
    } rows[] = {{"mixed", PRECISION_MIXED},    {"bf16", PRECISION_MIXED},
                {"fp16", PRECISION_MIXED},     {"bfloat16", PRECISION_MIXED},
                {"float16", PRECISION_MIXED},  {"half", PRECISION_HALF},
                {"pure_bf16", PRECISION_HALF}, {"pure", PRECISION_HALF},
                {"full", PRECISION_FULL},      {"fp32", PRECISION_FULL},
                {"float32", PRECISION_FULL},   {"no", PRECISION_FULL}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (str_eq_nocase(word, str_of(rows[i].word))) {
            *out = rows[i].precision;
            return true;
        }
    }
    return false;
}

/* ---- adapters ---- */

/* Sum of in + out over the matrices that may have an adapter. */
static void adapter_widths(const struct model *m, int64_t *least,
                           int64_t *most) {
    const struct kv_group *g = m->group_count ? &m->groups[0] : NULL;
    bool is_plain = g && g->kv_heads > 0 && g->k_dim > 0;
    int64_t h = m->hidden_size;
    int64_t q = is_plain && m->heads < 4096 && g->k_dim < 65536
                    ? m->heads * g->k_dim
                    : h;
    int64_t kv = is_plain && g->kv_heads < 4096 && g->k_dim < 65536
                     ? g->kv_heads * g->k_dim
                     : h;
    int64_t inner = m->intermediate_size > 0 ? m->intermediate_size : 4 * h;
    *least = (h + q) + (h + kv);
    *most = 2 * (h + q) + 2 * (h + kv) + 3 * (h + inner);
}

static void take_adapters(const struct inputs *c, struct training_setup *s) {
    const struct fact *counted = &c->in[FACT_trainable_params];
    int64_t rank = setting_of(c, FACT_lora_rank, 0), least, most;
    if (counted->known && counted->number > 0) {
        s->trainable = counted->number;
    } else if (rank > 0 && s->hidden_size > 0 && s->hidden_size < (1 << 24) &&
               s->inner_size < (1 << 24) && s->layers < (1 << 20)) {
        adapter_widths(c->model, &least, &most);
        mul_i64(rank * s->layers, least, &s->trainable);
        mul_i64(rank * s->layers, most, &s->trainable_most);
    }
    if (s->trainable <= 0 || s->trainable >= s->params) {
        s->trainable = s->trainable_most = 0;
        return;
    }
    int64_t bits = weight_bits(c);
    s->base_bits = bits > 0 ? bits : FREE_BITS;
    if (bits > 0 && bits < FREE_BITS) {
        s->frozen = weights_computed(c, 1, 1, quantization_of(c));
    }
}

/* ---- all of it ---- */

/* Ranks that share the state: what is said of data parallelism, else every
 * card that tensor and pipeline parallelism leave. */
static int64_t ranks_of(const struct inputs *c, int64_t split) {
    int64_t cards = setting_of(c, FACT_gpu_count, 1);
    int64_t own = setting_of(c, FACT_data_parallel, 0);
    return own > 0 ? own : cards / split > 0 ? cards / split : 1;
}

static void take_shape(const struct inputs *c, struct training_setup *s,
                       int64_t tp, int64_t pp) {
    const struct model *m = c->model;
    if (m == NULL) {
        return;
    }
    s->params = ceil_div(m->params, tp * pp);
    s->layers = ceil_div(m->layers, pp);
    s->hidden_size = m->hidden_size;
    s->vocab_size = ceil_div(m->vocab_size, tp);
    s->inner_size = ceil_div(m->is_moe && m->expert_size > 0
                                 ? m->expert_size * 8 + m->shared_size
                                 : m->intermediate_size,
                             tp);
    s->heads = ceil_div(m->heads, tp);
}

struct training_setup training_setup_of(const struct inputs *c) {
    int64_t tp = setting_of(c, FACT_tensor_parallel, 1);
    int64_t pp = setting_of(c, FACT_pipeline_parallel, 1), split;
    const struct fact *stage = &c->in[FACT_zero_stage];
    bool is_all = says_word(c, FACT_offload, "all");
    struct training_setup s = {
        .precision = PRECISION_MIXED,
        .optimizer = OPTIMIZER_ADAMW,
        .shard_stage = stage->known ? stage->number : 0,
        .offloads_optimizer = is_all || says_word(c, FACT_offload, "optimizer"),
        .offloads_weights = is_all,
        .is_checkpointed = is_on(c, FACT_gradient_checkpointing),
        .keeps_scores = is_off(c, FACT_flash_attention),
        .batch = setting_of(c, FACT_batch_size, 0),
        .tokens = setting_of(c, FACT_seq_len, 0)};
    if (!mul_i64(tp, pp, &split)) {
        return s;
    }
    take_shape(c, &s, tp, pp);
    s.ranks = ranks_of(c, split);
    if (c->in[FACT_optimizer].known) {
        training_optimizer_named(c->in[FACT_optimizer].word, &s.optimizer);
    }
    if (c->in[FACT_precision].known) {
        training_precision_named(c->in[FACT_precision].word, &s.precision);
    }
    if (c->model) {
        take_adapters(c, &s);
    }
    return s;
}

/* ---- of a log ---- */

bool training_is_step(const struct inputs *c) {
    return says_word(c, FACT_stage, "backward") ||
           says_word(c, FACT_stage, "optimizer");
}

void training_explain(struct arena *a, const struct inputs *c,
                      struct formulas *f) {
    static const enum fact_name used[] =
        FACTS(FACT_model, FACT_optimizer, FACT_precision, FACT_zero_stage,
              FACT_gpu_count, FACT_lora_rank, FACT_trainable_params);
    if (f == NULL || c->model == NULL || c->model->params <= 0 ||
        !training_is_step(c)) {
        return;
    }
    struct training_setup s = training_setup_of(c);
    struct training t = memory_training(a, &s, f);
    struct span state =
        span_plus(t.weights, span_plus(t.gradients, t.optimizer));
    const char *what =
        s.trainable > 0 ? "with adapters" : "if all parameters are trained";
    if (state.known) {
        formula_put(a, f,
                    FORMULA_OF(a, c, used, "training state %, on each GPU = %",
                               TEXT(str_of(what)), BETWEEN(state)));
    }
}
