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
#include "memory/training.h"

#include "memory/formula.h"
#include "memory/span.h"

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
    whole = is_frozen && s->frozen.known ? s->frozen : whole;
    if (is_frozen) { /* adapters lie beside, in 16 or 32 bits */
        struct span beside = bytes_of(trained_of(s), 200, 400);
        whole = span_plus(whole, beside);
    }
    struct span rank = sharded(s, whole, 3);
    if (s->shard_stage < 3 || s->ranks <= 1 || s->layers <= 0) {
        return rank;
    }
    struct span gathered = span_share(whole, 2, s->layers);
    return gathered.known && rank.known
               ? span_of(rank.low, span_plus(rank, gathered).high)
               : span_none();
}

/* Bytes that one layer keeps of a step, in 16 bits. */
static struct span layer_of(const struct training_setup *s, struct span step) {
    int64_t inner = s->inner_size;
    struct span wide = inner > 0 ? span_exact(inner)
                                 : span_times(span_exact(s->hidden_size), 4);
    struct span row = span_exact(s->hidden_size);
    struct span least =
        span_plus(span_times(row, LEAST_HIDDEN), span_times(wide, LEAST_INNER));
    struct span most =
        span_plus(span_times(row, MOST_HIDDEN), span_times(wide, MOST_INNER));
    if (s->keeps_scores) {
        struct span scores = span_times(span_exact(s->tokens), s->heads);
        most = span_plus(most, span_times(scores, SCORE_BYTES));
    }
    least = span_product(least, step);
    most = span_product(most, step);
    return span_between(least, most);
}

static struct span activations_of(const struct training_setup *s) {
    struct span step = span_times(span_exact(s->batch), s->tokens);
    if (s->batch <= 0 || s->tokens <= 0) {
        return span_exact(0);
    }
    if (s->hidden_size <= 0 || s->layers <= 0 || s->vocab_size <= 0) {
        return span_none();
    }
    struct span layer = layer_of(s, step);
    struct span all = span_times(layer, s->layers);
    struct span logits = span_times(step, s->vocab_size);
    if (s->is_checkpointed) {
        struct span kept = span_times(step, s->hidden_size);
        all = span_plus(layer, span_times(span_times(kept, s->layers), 2));
    }
    all = s->precision == PRECISION_FULL ? span_times(all, 2) : all;
    struct span least = span_plus(all, span_times(logits, 2 * 2));
    struct span most = span_plus(all, span_times(logits, 6 * 4));
    return span_between(least, most);
}

/* ZeRO 2 and 3 copy each gradient to an offloaded optimizer as it is computed. */
static bool sends_gradients(const struct training_setup *s) {
    return s->offloads_optimizer && s->shard_stage >= 2;
}

/* ---- in words ---- */

static const char *name_of(enum optimizer o) {
    switch (o) {
    case OPTIMIZER_ADAMW: return "AdamW";
    case OPTIMIZER_ADAMW_8BIT: return "8-bit AdamW";
    case OPTIMIZER_MOMENTUM: return "momentum";
    case OPTIMIZER_SGD: return "SGD";
    case OPTIMIZER_ADAFACTOR: return "Adafactor";
    }
    return "";
}

/* "optimizer state of AdamW = 8,030,261,248 params x 12 bytes / 8 ranks =
 * 11.22 GiB", or up to so much. */
static void show(struct arena *a, struct formulas *f, struct str what,
                 int64_t params, int64_t hundredths, int64_t ranks) {
    struct span value =
        span_share(span_share(span_exact(params), hundredths, 100), 1, ranks);
    if (!value.known || hundredths <= 0) {
        return;
    }
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
    struct str state =
        arena_printf(a, "optimizer state of %s at most", name_of(s->optimizer));
    if (!is_frozen || !s->frozen.known) {
        show(a, f, STR("weights at least"), s->params,
             is_frozen ? s->base_bits * 100 / 8 : w->weights,
             s->shard_stage >= 3 ? all : 1);
    }
    if (!sends_gradients(s)) {
        show(a, f, STR("gradients at least"), trained.low, w->gradients_low,
             s->shard_stage >= 2 ? all : 1);
    }
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
    if (s->params <= 0) {
        return (struct training){0};
    }
    show_parts(a, f, s, &w);
    if (s->offloads_optimizer) {
        t.host = span_plus(t.host, t.optimizer);
        t.optimizer = span_exact(0);
    }
    if (sends_gradients(s)) {
        t.gradients = span_of(0, t.gradients.high);
    }
    if (s->offloads_weights) {
        struct span held = sharded(
            s, bytes_of(span_exact(s->params), w.weights, w.weights), 3);
        t.host = span_plus(t.host, held);
        t.weights = span_of(0, span_beyond(t.weights, held).high);
    }
    t.total = span_plus(span_plus(t.weights, t.gradients),
                        span_plus(t.optimizer, t.activations));
    return t;
}
