/* budget.c: where one GPU's bytes are.
 *
 *     | weights | activation | non-torch | graphs | kv cache | reserve |
 *     |<--------------- total x utilization ---------------->|
 *
 *  pool = total x utilization - weights - activation - non-torch
 *         (- graphs, vLLM 0.20.0 and later)
 *         (- what other processes hold: to 0.3.0, 0.6.4, V1 0.7.0 to 0.9.0.1)
 *
 * A failed allocation names other parts: what torch allocated, what it keeps
 * unallocated, other processes, what is free. Parts that add up to more than
 * the card are no budget: nothing is shown rather than something wrong.
 */
#include "memory/amount.h"
#include "memory/card.h"
#include "memory/engines.h"
#include "memory/kv.h"
#include "memory/training.h"

#define SLACK_BYTES (256 * MIB)

struct span requested_bytes(const struct inputs *c) {
    struct span share = span_of_setting(&c->in[FACT_gpu_memory_utilization]);
    struct span total = span_in(c, FACT_gpu_total);
    struct span printed = span_in(c, FACT_requested_bytes);
    struct span asked = span_shares(total, share, MICRO);
    return asked.known ? span_meet(printed, asked) : printed;
}

struct span graph_bytes(const struct inputs *c) {
    struct span usual =
        inputs_is_eager(c) ? span_exact(0) : span_of(300 * MIB, 3072 * MIB);
    return span_or(
        first_known(c, FACT_LIST(FACT_cuda_graph_bytes, FACT_private_pools)),
        usual);
}

struct span workspace_bytes(const struct inputs *c) {
    return span_plus(
        span_or(span_in(c, FACT_activation_peak),
                span_of(100 * MIB, 6144 * MIB)),
        span_or(span_in(c, FACT_non_torch), span_of(50 * MIB, 1024 * MIB)));
}

struct span budget_pool(const struct inputs *c) {
    struct span pool = span_minus(requested_bytes(c), weights_bytes(c));
    struct span graphs = graph_bytes(c), others = span_in(c, FACT_other_in_use);
    enum answer are_counted = rules_count_graphs(c);
    graphs.low = are_counted == ANSWER_MAYBE ? 0 : graphs.low;
    pool = span_minus(pool, span_in(c, FACT_activation_peak));
    pool = span_minus(pool, span_in(c, FACT_non_torch));
    if (are_counted != ANSWER_NO)
        pool = span_minus(pool, graphs);
    if (others.known && rules_charge_others(c) == ANSWER_YES)
        pool = span_minus(pool, others);
    return pool;
}

struct str budget_write_pool(struct arena *a, const struct inputs *c) {
    static const enum fact_name used[] =
        FACTS(FACT_gpu_total, FACT_gpu_memory_utilization, FACT_model,
              FACT_weights_bytes, FACT_activation_peak, FACT_non_torch,
              FACT_cuda_graph_bytes);
    static const char *const names[] = {"weights", "activation", "non-torch",
                                        "graphs"};
    struct span share = span_of_setting(&c->in[FACT_gpu_memory_utilization]);
    struct span pool = budget_pool(c), total = span_in(c, FACT_gpu_total);
    struct span less[] = {weights_bytes(c), span_in(c, FACT_activation_peak),
                          span_in(c, FACT_non_torch),
                          rules_count_graphs(c) != ANSWER_NO ? graph_bytes(c)
                                                             : span_none()};
    if (!pool.known || !share.known || !total.known ||
        c->in[FACT_requested_bytes].known ||
        rules_charge_others(c) != ANSWER_NO)
        return (struct str){0};
    struct str text =
        FORMULA(a, "kv_available = % x %", BYTES(total.low), RATIO(share.low));
    for (size_t i = 0; i < sizeof less / sizeof *less; i++)
        if (less[i].known && less[i].high > 0)
            text = FORMULA(a, "% - % %", TEXT(text), BYTES(less[i].high),
                           TEXT(str_of(names[i])));
    return FORMULA_OF(a, c, used, "% = at least %", TEXT(text),
                      BYTES(pool.low));
}

/* ---- the parts of a report ---- */

void budget_add(struct budget *b, const char *part, struct span bytes,
                struct str source) {
    if (b->parts != NULL && bytes.known && bytes.high > 0 &&
        b->count < BUDGET_PARTS_MAX)
        b->parts[b->count++] =
            (struct budget_part){part, span_at_least(bytes, 0), source};
}

void budget_add_fact(struct arena *a, struct budget *b, const struct inputs *c,
                     const char *part, enum fact_name name) {
    budget_add(b, part, span_in(c, name), write_source(a, c, name));
}

struct budget budget_begin(struct arena *a, const struct inputs *c) {
    return (struct budget){
        .total = span_in(c, FACT_gpu_total),
        .parts = arena_array(a, BUDGET_PARTS_MAX, sizeof(struct budget_part))};
}

struct str weights_source(struct arena *a, const struct inputs *c) {
    return write_source(a, c,
                        c->in[FACT_weights_bytes].known ? FACT_weights_bytes
                                                        : FACT_model);
}

static struct span sum_of(const struct budget *b) {
    struct span sum = span_exact(0);
    for (size_t i = 0; i < b->count; i++)
        sum = span_plus(sum, b->parts[i].bytes);
    return sum;
}

/* ---- a training step ---- */

/* Weights, gradients and optimizer state out of what torch allocated, the
 * rest is activations; in the first optimizer step the state is the rest. */
static bool list_training(struct arena *a, struct budget *b,
                          const struct inputs *c, struct span allocated) {
    static const enum fact_name of_run[] =
        FACTS(FACT_optimizer, FACT_zero_stage, FACT_lora_rank, FACT_precision,
              FACT_trainable_params, FACT_gradient_checkpointing);
    struct training_setup s = training_setup_of(c);
    struct training t = memory_training(a, &s, NULL);
    bool is_made = !str_eq(c->in[FACT_stage].word, STR("optimizer"));
    struct span state = span_plus(t.weights, t.gradients);
    state = is_made ? span_plus(state, t.optimizer) : state;
    struct span rest = span_minus(allocated, state);
    struct str model = write_source(a, c, FACT_model);
    if (c->model == NULL || !training_is_step(c) ||
        !inputs_states_any(c, of_run) || !rest.known || rest.high < 0)
        return false; /* or more than was there: not this run */
    budget_add(b, "weights", t.weights, model);
    budget_add(b, "gradients", t.gradients, model);
    if (is_made)
        budget_add(b, "optimizer", t.optimizer, model);
    budget_add(b, is_made ? "activation" : "optimizer", rest, STR("derived"));
    return true;
}

/* A failed allocation: what torch's message lists. */
static void list_process(struct arena *a, struct budget *b,
                         const struct inputs *c) {
    struct span allocated = span_in(c, FACT_pytorch_allocated);
    struct span spare =
        span_or(span_in(c, FACT_pytorch_unallocated),
                span_beyond(span_in(c, FACT_pytorch_reserved), allocated));
    struct span process = span_in(c, FACT_process_in_use);
    if (!allocated.known) {
        budget_add_fact(a, b, c, "mine", FACT_process_in_use);
    } else {
        if (!list_training(a, b, c, allocated))
            budget_add_fact(a, b, c, "mine", FACT_pytorch_allocated);
        budget_add(b, "unallocated", spare,
                   write_source(a, c, FACT_pytorch_allocated));
        budget_add(b, "non_torch",
                   span_minus(process, span_plus(allocated, spare)),
                   STR("derived"));
    }
    budget_add_fact(a, b, c, "others", FACT_other_in_use);
    /* Used and not listed. Messages before torch 1.13 and AMD's do not say what
     * the process holds: it is outside torch, of whatever process. What
     * cudaMallocAsync prints has no cache: whose the rest is, is not known. */
    struct span used = span_minus(b->total, span_in(c, FACT_gpu_free));
    struct span gap = span_minus(used, sum_of(b));
    if (allocated.known && !process.known && gap.known && gap.low > 64 * MIB)
        budget_add(b, spare.known ? "non_torch" : "beside", gap,
                   STR("derived"));
    budget_add_fact(a, b, c, "free", FACT_gpu_free);
}

const char *budget_rest_name(const struct inputs *c) {
    bool has_peak = c->in[FACT_activation_peak].known;
    bool has_other = c->in[FACT_non_torch].known;
    bool has_graphs = rules_count_graphs(c) == ANSWER_NO ||
                      c->in[FACT_cuda_graph_bytes].known;
    if (has_peak && has_other)
        return has_graphs ? NULL : "cuda_graphs";
    if (!has_graphs || has_peak == has_other)
        return "rest";
    return has_peak ? "non_torch" : "activation";
}

/* The share of vLLM: measured at start, or derived for a known model. */
static void list_share(struct arena *a, struct budget *b,
                       const struct inputs *c) {
    struct span share = requested_bytes(c);
    struct span pool = span_in(c, FACT_kv_available);
    budget_add(b, "weights", weights_bytes(c), weights_source(a, c));
    budget_add_fact(a, b, c, "kv_cache", FACT_kv_available);
    budget_add_fact(a, b, c, "activation", FACT_activation_peak);
    budget_add_fact(a, b, c, "non_torch", FACT_non_torch);
    if (rules_count_graphs(c) == ANSWER_YES)
        budget_add_fact(a, b, c, "cuda_graphs", FACT_cuda_graph_bytes);
    struct span rest = span_minus(share, sum_of(b));
    if (pool.known && b->count > 1 && rest.known &&
        span_middle(rest) > 64 * MIB)
        budget_add(b, budget_rest_name(c), rest, STR("derived"));
    budget_add(b, "reserve", span_minus(b->total, share),
               write_source(a, c, FACT_gpu_memory_utilization));
}

static void show_share(struct arena *a, const struct inputs *c,
                       struct span total, struct formulas *f) {
    struct span share = requested_bytes(c);
    const struct fact *part = &c->in[FACT_gpu_memory_utilization];
    if (share.known && part->known)
        formula_put(
            a, f,
            FORMULA_OF(a, c,
                       FACT_LIST(FACT_gpu_total, FACT_gpu_memory_utilization),
                       "share = % x % = %", RATIO(part->number), MIDDLE(total),
                       MIDDLE(share)));
}

struct budget memory_budget(struct arena *a, const struct inputs *c,
                            struct formulas *f) {
    struct budget b = budget_begin(a, c);
    bool at_start =
        c->in[FACT_requested_bytes].known && c->in[FACT_gpu_free].known;
    bool failed = c->in[FACT_tried_alloc].known && c->in[FACT_gpu_free].known;
    if (at_start) {
        budget_add_fact(a, &b, c, "free", FACT_gpu_free);
        budget_add(&b, "others", span_minus(b.total, span_in(c, FACT_gpu_free)),
                   STR("derived"));
    } else if (failed || c->in[FACT_pytorch_allocated].known) {
        list_process(a, &b, c);
        training_explain(a, c, f);
    } else if (engine_of(c)->takes_share && (c->in[FACT_kv_available].known ||
                                             c->in[FACT_weights_bytes].known)) {
        list_share(a, &b, c);
    }
    struct span sum = sum_of(&b);
    struct span most = span_plus(b.total, span_exact(SLACK_BYTES));
    if (!sum.known || !most.known || sum.low > most.high)
        b.count = 0;
    if (!at_start && !failed && b.count > 0)
        show_share(a, c, b.total, f);
    return b;
}
