/* measured.c: collects the amounts of memory that a program prints at start,
 * each with its owner. A log without a failure has them as well. */
#include "diagnose/work.h"

static bool is_memory_fact(enum fact_name name) {
    static const enum fact_name names[] = {
        FACT_free_before_load, FACT_weights_bytes,   FACT_kv_available,
        FACT_kv_bytes,         FACT_activation_peak, FACT_non_torch,
        FACT_cuda_graph_bytes, FACT_compute_bytes,   FACT_COUNT_OF};
    return fact_is_of_one_card(name) || fact_is_one(name, names);
}

/* The rank in the name of a process: 1 of "Worker_TP1". Not known for a name
 * with a pipeline rank. */
static int64_t rank_of_process(struct str process) {
    size_t at = str_find(process, STR("_TP"));
    int64_t rank = FACT_NONE;
    bool is_one = at < process.n &&
                  str_find(process, STR("_PP")) >= process.n &&
                  str_to_int(str_slice(process, at + 3, process.n), &rank);
    return is_one ? rank : FACT_NONE;
}

static void memory_facts_add(struct diagnosis *d, const struct hit *h,
                             struct fact_list *all) {
    struct fact_list facts = facts_of_hit(d, h, NULL);
    int64_t rank = rank_of_process(stream_of_number(d, h->stream)->process);
    for (size_t i = 0; i < facts.count; i++) {
        struct fact f = facts.at[i];
        f.rank = f.rank != FACT_NONE ? f.rank : rank;
        if (f.known && is_memory_fact(f.name))
            facts_add(d->a, all, &f);
    }
}

struct breakdown measured_find(struct diagnosis *d) {
    struct fact_list none = {0}, all = {0};
    for (size_t i = 0; i < d->scan->hits.count; i++) {
        const struct hit *h = &d->scan->hits.at[i];
        if (h->kind == PATTERN_CONTEXT && hit_is_of_engine(d, h))
            memory_facts_add(d, h, &all);
    }
    if (all.count == 0)
        return (struct breakdown){0};
    struct inputs c;
    inputs_fill(d, &none, &c);
    return memory_breakdown(d->a, &c, &all);
}
