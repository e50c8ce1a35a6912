/* fit_case.c: from what the user says to a whole case: the catalogue, the
 * defaults of the engine's version, and what follows from the question itself
 * (one rank, the model's longest request). What is left then, only a run would
 * print: fit_bounds.c.
 */
#include "memory/fit_case.h"

#include "base/limits.h"
#include "memory/engines.h"
#include "memory/rules.h"
#include "memory/span.h"
#include "memory/training.h"

#define GIB (INT64_C(1) << 30)
#define NO_LENGTH 2048
#define NOMINAL_LEAST 97 /* percent of the decimal gigabytes on the label */

/* Nobody has printed this card's total: a little less than its label. */
static void take_label(struct inputs *c) {
    int64_t label = c->gpu ? c->gpu->nominal_gb : 0;
    if (label > 0) {
        fit_take(c, FACT_gpu_total,
                 span_of(label * 1000000000 / 100 * NOMINAL_LEAST, label * GIB),
                 "from the label; no log seen");
    }
}

/* ---- all of it ---- */

/* Several cards and no word on how to use them: as many tensor-parallel ranks
 * as the model can be cut into, pipeline stages for the rest. No engine that
 * cuts layers does so by itself, so the answer says what was assumed. */
static bool asks_for_split(const struct inputs *c) {
    return inputs_says_any(c, FACT_LIST(FACT_gpu_count)) &&
           c->in[FACT_gpu_count].number > 1 && c->model != NULL &&
           engine_splits_layers(c) &&
           !inputs_says_any(c, FACT_LIST(FACT_tensor_parallel,
                                         FACT_pipeline_parallel,
                                         FACT_data_parallel));
}

static void take_split(struct inputs *c) {
    static const char why[] = "assumed, to use all cards";
    int64_t cards = c->in[FACT_gpu_count].number;
    int64_t ranks = cards < FIT_RANKS_MAX ? cards : FIT_RANKS_MAX;
    if (!asks_for_split(c)) {
        return;
    }
    while (ranks > 1 && (cards % ranks != 0 || !fit_can_split(c, ranks))) {
        ranks--;
    }
    c->in[FACT_tensor_parallel].known = false;
    fit_take_default(c, FACT_tensor_parallel, ranks, "", why);
    if (engine_of(c)->takes_share && cards / ranks > 1 &&
        cards / ranks <= c->model->layers) {
        c->in[FACT_pipeline_parallel].known = false;
        fit_take_default(c, FACT_pipeline_parallel, cards / ranks, "", why);
    }
}

static void take_parallel(struct inputs *c) {
    fit_take_default(c, FACT_tensor_parallel, 1, "", "one rank");
    fit_take_default(c, FACT_pipeline_parallel, 1, "", "one rank");
    fit_take_default(c, FACT_data_parallel, 1, "", "one rank");
    fit_take_default(c, FACT_kv_cache_dtype, 0, "auto", "as the model");
}

/* vLLM runs float32 checkpoints in 16 bits unless told otherwise. */
static void take_dtype(struct inputs *c) {
    struct fact *f = &c->in[FACT_dtype];
    struct str own = f->word;
    bool is_wide = str_eq_nocase(own, STR("float32"));
    if (f->known && f->source == SOURCE_CATALOGUE) {
        f->known = false;
        fit_take_default(c, FACT_dtype, 0, "float16",
                         is_wide ? "of a float32 model" : "the model's");
        f->word = is_wide ? f->word : own;
    }
}

static void take_tag(struct inputs *c) {
    const char *usual = engine_of(c)->usual_quantization;
    if (usual != NULL && c->model && c->model->quantization.n == 0 &&
        !c->in[FACT_weights_bytes].known) {
        fit_take_default(c, FACT_quantization, 0, usual, "of Ollama's tags");
    }
}

/* Layers that are laid over all cards there are. */
static void take_cards(struct inputs *c) {
    const struct fact *cards = &c->in[FACT_gpu_count];
    if (engine_of(c)->spreads_layers && cards->known && cards->number > 1 &&
        c->in[FACT_tensor_parallel].number <= 1) {
        fit_take_default(c, FACT_pipeline_parallel, cards->number, "",
                         "layers are laid over all cards");
    }
}

/* Engines of cells call it the context. */
static void take_length(struct inputs *c) {
    const struct fact *context = &c->in[FACT_context_length];
    struct fact *length = &c->in[FACT_max_model_len];
    if (length->known) {
        return;
    }
    if (context->known && context->number > 0 && !engine_of(c)->takes_share) {
        *length = *context;
        length->name = FACT_max_model_len;
    } else if (c->model && c->model->max_position <= 0) {
        fit_take_default(c, FACT_max_model_len, NO_LENGTH, "",
                         "vLLM's where the config names no length");
    } else if (c->model) {
        fit_take(c, FACT_max_model_len, span_exact(c->model->max_position),
                 "the model's longest");
        length->source = SOURCE_CATALOGUE;
    }
}

void fit_complete(struct arena *a, struct fit_question *q) {
    struct inputs *c = &q->c;
    memory_complete(c, q->engine, a);
    take_dtype(c);
    take_label(c);
    if (training_is_asked(c)) {
        fit_take_training(c);
        return;
    }
    take_tag(c);
    take_cards(c);
    take_split(c);
    take_parallel(c);
    take_length(c);
    fit_take_bounds(c);
}
