/* training.c: bytes per parameter, and what shards them.
 *
 *                 weights  gradients  AdamW          8 bit  momentum
 *     mixed          2         2      8 + 4 copy     2 + 4   4 + 4
 *     half           2         2      4              2       2
 *     full           4         4      8              2       4
 *
 * ZeRO 1 divides the optimizer's part by the ranks, 2 the gradients too, 3
 * the weights too, but gathers two layers at a time. An offloaded optimizer
 * takes the gradients of ZeRO 2 and 3 along (DeepSpeed's estimators,
 * tests/engines/deepspeed_run.py). Frozen weights have
 * neither gradient nor moments. Fp32 gradients of some frameworks are inside
 * the interval of mixed precision.
 *
 * Activations per layer and token, 16 bits, fused attention: 10 x hidden + 4 x
 * inner size bytes (fused kernels that keep inputs alone) to 34 x hidden + 10 x
 * inner (each operation keeps its own; Korthikanti et al., 2022, with a gated
 * feed-forward part); scores of unfused attention come on top. With
 * checkpoints 2 x hidden size and one layer in full. The logits are there
 * twice to six times in 16 or 32 bits. It refuses to call any of that exact.
 */
#include "memory/amount.h"
#include "memory/training.h"
#include "memory/card.h"
#include "memory/engines.h"

#define LEAST_HIDDEN 10
#define MOST_HIDDEN 34
#define LEAST_INNER 4
#define MOST_INNER 10
#define SCORE_BYTES 5 /* scores, softmax and its mask */

struct widths { /* bytes per trained parameter, in hundredths */
    int64_t weights, gradients_low, gradients_high, moments_low, moments_high;
};

static struct widths widths_of(const struct training_setup *s) {
    bool is_half = s->precision == PRECISION_HALF;
    bool is_full = s->precision == PRECISION_FULL;
    int64_t moment = is_half ? 200 : 400, low = 0, high = 0;
    switch (s->optimizer) {
    case OPTIMIZER_ADAMW: low = high = 2 * moment; break;
    case OPTIMIZER_ADAMW_8BIT:
        low = 200;
        high = 210; /* a scale per block of 256 or more */
        break;
    case OPTIMIZER_MOMENTUM: low = high = moment; break;
    case OPTIMIZER_SGD: break;
    case OPTIMIZER_ADAFACTOR: high = 20; break; /* rows + columns */
    }
    int64_t copy = s->precision == PRECISION_MIXED ? 400 : 0;
    int64_t width = is_full ? 400 : 200;
    return (struct widths){width, width, copy ? 400 : width, low + copy,
                           high + copy};
}

static struct span bytes_of(struct span params, int64_t low, int64_t high) {
    return span_shares(params, span_of(low, high), 100);
}

static struct span sharded(const struct training_setup *s, struct span whole,
                           int64_t from_stage) {
    int64_t ranks = s->ranks > 1 ? s->ranks : 1;
    return s->shard_stage >= from_stage ? span_share(whole, 1, ranks) : whole;
}

/* Trained parameters: [least, most]. */
static struct span trained_of(const struct training_setup *s) {
    int64_t least = s->trainable > 0 ? s->trainable : s->params;
    int64_t most = s->trainable_most > least ? s->trainable_most : least;
    return span_of(least, most);
}

/* Frozen and trained weights, with the layers that ZeRO 3 gathers. */
static struct span weights_of(const struct training_setup *s,
                              const struct widths *w) {
    bool is_frozen = s->trainable > 0 && s->trainable < s->params;
    int64_t bits = is_frozen && s->base_bits > 0 ? s->base_bits : 0;
    int64_t least = bits ? bits * 100 / 8 : w->weights;
    int64_t most = bits && bits < 16 ? least * 125 / 100 : least;
    struct span whole = bytes_of(span_exact(s->params), least, most);
    if (is_frozen) /* adapters lie beside, in 16 or 32 bits */
        whole = span_plus(span_or(s->frozen, whole),
                          bytes_of(trained_of(s), 200, 400));
    struct span rank = sharded(s, whole, 3);
    if (s->shard_stage < 3 || s->ranks <= 1 || s->layers <= 0)
        return rank;
    struct span gathered = span_share(whole, 2, s->layers);
    return span_between(rank, span_plus(rank, gathered));
}

/* Bytes that one layer keeps of a step, in 16 bits. */
static struct span layer_of(const struct training_setup *s, struct span step) {
    struct span row = span_exact(s->hidden_size);
    struct span wide =
        s->inner_size > 0 ? span_exact(s->inner_size) : span_times(row, 4);
    struct span least =
        span_plus(span_times(row, LEAST_HIDDEN), span_times(wide, LEAST_INNER));
    struct span most =
        span_plus(span_times(row, MOST_HIDDEN), span_times(wide, MOST_INNER));
    if (s->keeps_scores)
        most = span_plus(most,
                         span_times(span_times(span_exact(s->tokens), s->heads),
                                    SCORE_BYTES));
    return span_between(span_product(least, step), span_product(most, step));
}

static struct span activations_of(const struct training_setup *s) {
    struct span step = span_times(span_exact(s->batch), s->tokens);
    if (s->batch <= 0 || s->tokens <= 0)
        return span_exact(0);
    if (s->hidden_size <= 0 || s->layers <= 0 || s->vocab_size <= 0)
        return span_none();
    struct span layer = layer_of(s, step);
    struct span all = span_times(layer, s->layers);
    struct span logits = span_times(step, s->vocab_size);
    struct span kept = span_times(step, s->hidden_size);
    if (s->is_checkpointed)
        all = span_plus(layer, span_times(span_times(kept, s->layers), 2));
    all = s->precision == PRECISION_FULL ? span_times(all, 2) : all;
    return span_between(span_plus(all, span_times(logits, 2 * 2)),
                        span_plus(all, span_times(logits, 6 * 4)));
}

/* ZeRO 2 and 3 copy each gradient to an offloaded optimizer as it is computed.
 */
static bool sends_gradients(const struct training_setup *s) {
    return s->offloads_optimizer && s->shard_stage >= 2;
}

/* ---- in words ---- */

static const char *const optimizer_names[] = {
    [OPTIMIZER_ADAMW] = "AdamW",
    [OPTIMIZER_ADAMW_8BIT] = "8-bit AdamW",
    [OPTIMIZER_MOMENTUM] = "momentum",
    [OPTIMIZER_SGD] = "SGD",
    [OPTIMIZER_ADAFACTOR] = "Adafactor"};

/* "optimizer state of AdamW = 8,030,261,248 params x 12 bytes / 8 ranks =
 * 11.22 GiB", or up to so much. */
static void show(struct arena *a, struct formulas *f, struct str what,
                 int64_t params, int64_t hundredths, int64_t ranks) {
    struct span value =
        span_share(span_share(span_exact(params), hundredths, 100), 1, ranks);
    if (!value.known || hundredths <= 0)
        return;
    formula_put(a, f,
                FORMULA(a, "% = % params x % bytes / % % = %", TEXT(what),
                        COUNT(params), RATIO(hundredths * 10000), PLAIN(ranks),
                        TEXT(ranks == 1 ? STR("rank") : STR("ranks")),
                        BYTES(value.high)));
}

static void show_parts(struct arena *a, struct formulas *f,
                       const struct training_setup *s, const struct widths *w) {
    int64_t all = s->ranks > 1 ? s->ranks : 1;
    struct span trained = trained_of(s);
    bool is_frozen = trained.low < s->params && s->base_bits > 0;
    struct str state = arena_printf(a, "optimizer state of %s at most",
                                    optimizer_names[s->optimizer]);
    if (!is_frozen || !s->frozen.known)
        show(a, f, STR("weights at least"), s->params,
             is_frozen ? s->base_bits * 100 / 8 : w->weights,
             s->shard_stage >= 3 ? all : 1);
    if (!sends_gradients(s))
        show(a, f, STR("gradients at least"), trained.low, w->gradients_low,
             s->shard_stage >= 2 ? all : 1);
    show(a, f, state, trained.high, w->moments_high,
         s->shard_stage >= 1 ? all : 1);
}

struct training memory_training(struct arena *a, const struct training_setup *s,
                                struct formulas *f) {
    struct widths w = widths_of(s);
    struct span trained = trained_of(s);
    struct training t = {
        .weights = weights_of(s, &w),
        .gradients =
            sharded(s, bytes_of(trained, w.gradients_low, w.gradients_high), 2),
        .optimizer =
            sharded(s, bytes_of(trained, w.moments_low, w.moments_high), 1),
        .activations = activations_of(s),
        .host = span_exact(0)};
    if (s->params <= 0)
        return (struct training){0};
    show_parts(a, f, s, &w);
    if (s->offloads_optimizer) {
        t.host = t.optimizer;
        t.optimizer = span_exact(0);
    }
    if (sends_gradients(s))
        t.gradients = span_of(0, t.gradients.high);
    if (s->offloads_weights) {
        struct span held = sharded(
            s, bytes_of(span_exact(s->params), w.weights, w.weights), 3);
        t.host = span_plus(t.host, held);
        t.weights = span_of(0, span_beyond(t.weights, held).high);
    }
    t.total = span_plus(training_state(&t), t.activations);
    return t;
}

struct span training_state(const struct training *t) {
    return span_plus(span_plus(t->weights, t->gradients), t->optimizer);
}

/* ---- of a case ----
 *
 * The adapters of LoRA are counted where the log does it ("trainable params:
 * 4,194,304"); else their number follows from the rank: r x (in + out) per
 * matrix, from queries and values alone (peft's own choice for most models) to
 * every linear layer of a dense block.
 */

#define FREE_BITS 16

bool training_is_run(const struct inputs *c) {
    static const enum fact_name only[] =
        FACTS(FACT_optimizer, FACT_precision, FACT_zero_stage, FACT_lora_rank,
              FACT_trainable_params, FACT_gradient_checkpointing, FACT_offload);
    return engine_of(c)->trains ||
           (engine_of(c)->may_train && inputs_knows_any(c, only));
}

/* ---- words ---- */

bool training_optimizer_named(struct str word, enum optimizer *out) {
    static const struct {
        const char *part;
        enum optimizer optimizer;
    } rows[] = {
        {"adafactor", OPTIMIZER_ADAFACTOR}, {"adam", OPTIMIZER_ADAMW},
        {"momentum", OPTIMIZER_MOMENTUM},   {"lion", OPTIMIZER_MOMENTUM},
        {"muon", OPTIMIZER_MOMENTUM},       {"sgd", OPTIMIZER_SGD}};
    bool is_narrow = has_part(word, "8bit") || has_part(word, "8-bit") ||
                     has_part(word, "4bit");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (has_part(word, rows[i].part)) {
            *out = is_narrow && rows[i].optimizer == OPTIMIZER_ADAMW
                       ? OPTIMIZER_ADAMW_8BIT
                       : rows[i].optimizer;
            return true;
        }
    }
    return false;
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
    bool is_plain = g && g->kv_heads > 0 && g->k_dim > 0 && g->k_dim < 65536;
    int64_t h = m->hidden_size, q = h, kv = h;
    int64_t inner = m->intermediate_size > 0 ? m->intermediate_size : 4 * h;
    if (is_plain && m->heads < 4096)
        q = m->heads * g->k_dim;
    if (is_plain && g->kv_heads < 4096)
        kv = g->kv_heads * g->k_dim;
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
    if (bits > 0 && bits < FREE_BITS)
        s->frozen = weights_computed(c, 1, 1, quantization_of(c));
}

/* ---- all of it ---- */

static void take_shape(const struct inputs *c, struct training_setup *s,
                       int64_t tp, int64_t pp) {
    const struct model *m = c->model;
    if (m == NULL)
        return;
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
    int64_t tp = tensor_ranks(c), pp = pipeline_ranks(c), split;
    int64_t cards = setting_of(c, FACT_gpu_count, 1);
    const struct fact *stage = &c->in[FACT_zero_stage];
    bool is_all = word_is(c, FACT_offload, "all");
    struct training_setup s = {
        .precision = PRECISION_MIXED, .optimizer = OPTIMIZER_ADAMW,
        .shard_stage = stage->known ? stage->number : 0,
        .offloads_optimizer = is_all || word_is(c, FACT_offload, "optimizer"),
        .offloads_weights = is_all,
        .is_checkpointed = is_on(c, FACT_gradient_checkpointing),
        .keeps_scores = is_off(c, FACT_flash_attention),
        .batch = setting_of(c, FACT_batch_size, 0),
        .tokens = setting_of(c, FACT_seq_len, 0)};
    if (!mul_i64(tp, pp, &split))
        return s;
    take_shape(c, &s, tp, pp);
    /* what is given for data parallelism, else every card that tensor and
     * pipeline parallelism leave */
    s.ranks = setting_of(c, FACT_data_parallel,
                         cards / split > 0 ? cards / split : 1);
    if (c->in[FACT_optimizer].known)
        training_optimizer_named(c->in[FACT_optimizer].word, &s.optimizer);
    if (c->in[FACT_precision].known)
        training_precision_named(c->in[FACT_precision].word, &s.precision);
    if (c->model)
        take_adapters(c, &s);
    return s;
}

/* ---- of a log ---- */

bool training_is_step(const struct inputs *c) {
    return word_is(c, FACT_stage, "backward") ||
           word_is(c, FACT_stage, "optimizer");
}

void training_explain(struct arena *a, const struct inputs *c,
                      struct formulas *f) {
    static const enum fact_name used[] =
        FACTS(FACT_model, FACT_optimizer, FACT_precision, FACT_zero_stage,
              FACT_gpu_count, FACT_lora_rank, FACT_trainable_params);
    if (f == NULL || c->model == NULL || c->model->params <= 0 ||
        !training_is_step(c))
        return;
    struct training_setup s = training_setup_of(c);
    struct training t = memory_training(a, &s, f);
    struct span state = training_state(&t);
    struct str what = s.trainable > 0 ? STR("with adapters")
                                      : STR("if all parameters are trained");
    if (state.known)
        formula_put(a, f,
                    FORMULA_OF(a, c, used, "training state %, on each GPU = %",
                               TEXT(what), BETWEEN(state)));
}
