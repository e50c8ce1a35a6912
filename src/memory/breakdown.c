/* breakdown.c: amounts that a start-up log prints, put together card by card.
 *
 *     vLLM       total x share = weights + activations + non-torch + KV,
 *                and graphs in some releases
 *     SGLang     free before - after load - after the pool - after graphs
 *     llama.cpp  total = free + (model + context + compute) + unaccounted
 *
 * Of one name the last line of a card counts, as a log may hold several starts;
 * buffers that are printed one by one are added up, and begun anew where the
 * same weights are loaded again. What one process prints for all ranks (tokens
 * of the pool) counts for each.
 */
#include "memory/breakdown.h"
#include "base/limits.h"
#include "memory/card.h"
#include "memory/engines.h"
#include "memory/kv.h"

#define ROUNDING_BYTES (256 * MIB) /* of all parts together */
#define REST_BYTES (64 * MIB) /* less is the rounding of what is printed */

/* ---- whose ---- */

static void add_card(struct breakdown *b, const struct card_memory *card) {
    size_t at = b->count;
    while (at > 0 && (b->cards[at - 1].rank > card->rank ||
                      b->cards[at - 1].gpu > card->gpu))
        at--;
    bool is_listed = at > 0 && b->cards[at - 1].rank == card->rank &&
                     b->cards[at - 1].gpu == card->gpu;
    if (b->count == BREAKDOWN_CARDS_MAX || is_listed)
        return;
    for (size_t k = b->count++; k > at; k--)
        b->cards[k] = b->cards[k - 1];
    b->cards[at] = *card;
}

/* Ranks where a line names one, else cards, in order; else there is one. */
static void find_cards(struct arena *a, struct breakdown *b,
                       const struct fact_list *measured) {
    bool has_ranks = false;
    b->cards = arena_array(a, BREAKDOWN_CARDS_MAX, sizeof *b->cards);
    for (size_t i = 0; i < measured->count; i++)
        has_ranks = has_ranks || measured->at[i].rank != FACT_NONE;
    for (size_t i = 0; i < measured->count; i++) {
        const struct fact *f = &measured->at[i];
        struct card_memory card = {.rank = has_ranks ? f->rank : FACT_NONE,
                                   .gpu = has_ranks ? FACT_NONE : f->gpu};
        if (card.rank != FACT_NONE || card.gpu != FACT_NONE)
            add_card(b, &card);
    }
    if (b->count == 0)
        b->cards[b->count++] =
            (struct card_memory){.rank = FACT_NONE, .gpu = FACT_NONE};
}

/* ---- what was printed of a card ---- */

static void add_up(struct fact *sum, const struct fact *f) {
    struct span both = span_plus(span_of_fact(sum), span_of_fact(f));
    if (both.known && add_i64(sum->number, f->number, &sum->number)) {
        sum->low = both.low;
        sum->high = both.high;
        sum->ranged = true;
    }
}

static void take_facts(struct inputs *own, const struct card_memory *card,
                       const struct fact_list *measured) {
    static const enum fact_name buffers[] =
        FACTS(FACT_buffer_weights, FACT_buffer_kv, FACT_buffer_compute);
    for (size_t i = 0; i < measured->count; i++) {
        const struct fact *f = &measured->at[i];
        struct fact *sum = &own->in[f->name];
        int64_t of = card->rank != FACT_NONE ? f->rank : f->gpu;
        int64_t whose = card->rank != FACT_NONE ? card->rank : card->gpu;
        bool is_its = whose == FACT_NONE || of == FACT_NONE || of == whose;
        if (!f->known || fact_is_absurd(f) || !is_its)
            continue;
        /* the same weights once more, behind a buffer for steps: a new start */
        if (f->name == FACT_buffer_weights && sum->number == f->number &&
            own->in[FACT_buffer_compute].known)
            inputs_forget(own, buffers);
        if (sum->known && fact_is_one(f->name, buffers))
            add_up(sum, f);
        else
            *sum = *f;
    }
    if (own->in[FACT_device_total].known)
        own->in[FACT_gpu_total] = own->in[FACT_device_total];
}

/* ---- the parts ---- */

static bool add_first(struct arena *a, struct budget *b,
                      const struct inputs *c, const char *part,
                      const enum fact_name *names) {
    enum fact_name name = inputs_first_known(c, names);
    if (name != FACT_COUNT_OF)
        budget_add_fact(a, b, c, part, name);
    return name != FACT_COUNT_OF;
}

static void add_difference(struct arena *a, struct budget *b,
                           const struct inputs *c, const char *part,
                           enum fact_name from, enum fact_name less) {
    struct span rest = span_minus(span_in(c, from), span_in(c, less));
    if (rest.known && rest.high > 0)
        budget_add(b, part, rest, write_source(a, c, from));
}

static void add_steps(struct arena *a, struct budget *b,
                      const struct inputs *c) {
    add_first(a, b, c, "activation",
              FACT_LIST(FACT_device_compute, FACT_buffer_compute,
                        FACT_activation_peak, FACT_compute_bytes));
    if (!add_first(a, b, c, "non_torch",
                   FACT_LIST(FACT_device_unaccounted, FACT_non_torch)) &&
        c->in[FACT_weights_bytes].known)
        add_difference(a, b, c, "non_torch", FACT_device_consumed,
                       FACT_weights_bytes);
    budget_add_fact(a, b, c, "cuda_graphs", FACT_cuda_graph_bytes);
}

static int64_t sum_of(const struct budget *b) {
    int64_t sum = 0;
    for (size_t i = 0; i < b->count; i++)
        if (!add_i64(sum, span_middle(b->parts[i].bytes), &sum))
            return INT64_MAX;
    return sum;
}

static bool names_part(const struct budget *b, const char *name) {
    for (size_t i = 0; i < b->count; i++)
        if (str_eq(str_of(b->parts[i].part), str_of(name)))
            return true;
    return false;
}

/* Inside of vLLM's share: what is not printed. Outside of it: what nothing may
 * take. */
static void add_share(struct arena *a, struct budget *b,
                      const struct inputs *c, int64_t before) {
    struct span share = requested_bytes(c);
    int64_t graphs = c->in[FACT_cuda_graph_bytes].known
                         ? c->in[FACT_cuda_graph_bytes].number : 0;
    int64_t outside =
        before + (rules_count_graphs(c) == ANSWER_YES ? 0 : graphs);
    if (!engine_of(c)->takes_share || !share.known || !b->total.known ||
        c->in[FACT_device_free].known || !names_part(b, "kv_cache"))
        return;
    int64_t rest = span_middle(share) - (sum_of(b) - outside);
    int64_t reserve = span_middle(b->total) - span_middle(share) - outside;
    bool is_itemized =
        names_part(b, "activation") && names_part(b, "non_torch");
    if (rest > REST_BYTES && !is_itemized)
        budget_add(b, budget_rest_name(c), span_exact(rest), STR("derived"));
    if (reserve > 0)
        budget_add(b, "reserve", span_exact(reserve),
                   write_source(a, c, FACT_gpu_memory_utilization));
}

static void close_sum(struct card_memory *card) {
    struct budget *b = &card->budget;
    card->named_bytes = sum_of(b);
    if (!b->total.known || b->count == 0)
        return;
    int64_t rest = span_middle(b->total) - card->named_bytes;
    card->closing = rest < -ROUNDING_BYTES ? CLOSING_NO : CLOSING_YES;
    if (rest >= REST_BYTES) {
        card->not_told_bytes = rest;
        budget_add(b, names_part(b, "free") || names_part(b, "reserve")
                          ? "not_told" : "free_or_not_told",
                   span_exact(rest), STR("derived"));
    }
}

/* A model of which layers stay on the host is printed whole, and is no part of
 * the card. */
static void add_weights_and_pool(struct arena *a, struct budget *b,
                                 const struct inputs *c) {
    const struct fact *on = &c->in[FACT_gpu_layers];
    const struct fact *all = &c->in[FACT_model_layers];
    bool has_weights =
        add_first(a, b, c, "weights",
                  FACT_LIST(FACT_device_weights, FACT_buffer_weights));
    if (!has_weights &&
        (!on->known || !all->known || on->number >= all->number) &&
        !add_first(a, b, c, "weights", FACT_LIST(FACT_weights_bytes)))
        budget_add_fact(a, b, c, "consumed", FACT_device_consumed);
    if (c->in[FACT_free_after_pool].known)
        add_difference(a, b, c, "kv_cache", FACT_free_after_load,
                       FACT_free_after_pool);
    else
        add_first(a, b, c, "kv_cache",
                  FACT_LIST(FACT_device_kv, FACT_buffer_kv, FACT_kv_available,
                            FACT_kv_bytes));
}

static void fill_card(struct arena *a, struct card_memory *card,
                      const struct inputs *c) {
    struct span start = span_in(c, FACT_free_before_load);
    struct budget *b = &card->budget;
    *b = budget_begin(a, c);
    struct span before = span_minus(b->total, start);
    card->is_part_of_card = !b->total.known && start.known;
    b->total = span_or(b->total, start);
    if (!before.known || span_middle(before) <= 0)
        before = span_exact(0);
    budget_add(b, "before", before, write_source(a, c, FACT_free_before_load));
    size_t count = b->count;
    add_weights_and_pool(a, b, c);
    add_steps(a, b, c);
    if (b->count == count) {
        budget_add_fact(a, b, c, "tensors", FACT_device_allocated);
        add_difference(a, b, c, "unallocated", FACT_device_reserved,
                       FACT_device_allocated);
    }
    add_share(a, b, c, span_middle(before));
    budget_add_fact(a, b, c, "free", FACT_device_free);
    close_sum(card);
}

/* ---- what the pool holds ---- */

static void fill_pool(struct breakdown *b, const struct inputs *c) {
    enum fact_name length = inputs_first_known(
        c, FACT_LIST(FACT_max_model_len, FACT_slot_context,
                     FACT_context_length));
    b->kv_tokens = span_or(
        span_in(c, FACT_kv_tokens),
        span_product(span_in(c, FACT_kv_blocks), span_in(c, FACT_block_size)));
    b->max_model_len = length != FACT_COUNT_OF ? c->in[length].number : 0;
    const struct fact *printed = &c->in[FACT_max_concurrency];
    if (printed->known)
        b->concurrency = span_exact(printed->number / (UNITS_MICRO / 100));
    else if (b->kv_tokens.known && b->max_model_len > 0)
        b->concurrency = span_hundredths(b->kv_tokens,
                                         span_exact(b->max_model_len));
}

struct breakdown memory_breakdown(struct arena *a, const struct inputs *c,
                                  const struct fact_list *measured) {
    struct breakdown b = {0};
    struct inputs *own = arena_alloc(a, sizeof *own);
    find_cards(a, &b, measured);
    for (size_t i = 0; i < b.count; i++) {
        *own = *c;
        take_facts(own, &b.cards[i], measured);
        fill_card(a, &b.cards[i], own);
    }
    fill_pool(&b, own);
    return b;
}

struct card_memory memory_card_of(struct arena *a, const struct budget *b) {
    struct card_memory card = {.rank = FACT_NONE, .gpu = FACT_NONE,
                               .budget = *b};
    card.budget.parts = arena_array(a, b->count + 1, sizeof *card.budget.parts);
    if (b->count > 0)
        memcpy(card.budget.parts, b->parts, b->count * sizeof *b->parts);
    close_sum(&card);
    return card;
}
