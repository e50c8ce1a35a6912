/* free_memory.c: computes the free memory of a card when a buffer was refused.
 *
 *     using device CUDA0 (...) - 23871 MiB free       before the load
 *     CUDA0 model buffer size = 17524.42 MiB          allocated since
 *     allocating 12288.00 MiB on device 0: failed     6,346 MiB were left
 *
 * The program's libraries and other programs also allocate memory in between,
 * so the amount is an interval. If the refused size would fit into it, the
 * lines do not show the free memory (a driver that prints its total), and no
 * fact is added.
 *
 * What was free before the load is the sum of what was free behind it and what
 * the load took, where one line says both:
 *
 *     Load weight end. ... avail mem=32.70 GB, mem usage=60.64 GB.
 */
#include "diagnose/work.h"

#include <inttypes.h>

#define TAKEN_MEANWHILE (INT64_C(256) << 20)

struct card_state {
    int64_t gpu;
    bool has_others;    /* there are lines of other cards */
    struct fact before; /* free before the load; known false: no line */
    int64_t weights, cache, compute;
    uint64_t order; /* of the last line: the rows of two engines may match the
                       same line */
    enum fact_name name;
};

static int64_t *buffer_sum(struct card_state *r, enum fact_name name) {
    if (name == FACT_buffer_weights)
        return &r->weights;
    if (name == FACT_buffer_kv)
        return &r->cache;
    return name == FACT_buffer_compute ? &r->compute : NULL;
}

static void card_state_add(struct card_state *r, const struct fact *f,
                           uint64_t order) {
    int64_t *sum = buffer_sum(r, f->name);
    bool is_before = f->name == FACT_free_before_load;
    bool is_again = order == r->order && f->name == r->name;
    if (!f->known || is_again || (!is_before && !sum))
        return;
    r->has_others = r->has_others || (f->gpu != FACT_NONE && f->gpu != r->gpu);
    if (f->gpu != r->gpu && f->gpu != FACT_NONE)
        return;
    r->order = order;
    r->name = f->name;
    if (is_before) {
        r->before = *f;
        r->weights = r->cache = r->compute = 0;
    } else if (!add_i64(*sum, f->number, sum)) {
        r->before.known = false;
    }
}

static struct card_state card_state_until(struct diagnosis *d,
                                          const struct sighting *s,
                                          int64_t gpu) {
    struct card_state r = {.gpu = gpu};
    for (size_t i = 0; i < d->scan->hits.count; i++) {
        const struct hit *h = &d->scan->hits.at[i];
        if (h->kind != PATTERN_CONTEXT || h->order >= s->places[0].order ||
            !hit_is_of_engine(d, h))
            continue;
        struct fact_list facts = facts_of_hit(d, h, NULL);
        for (size_t k = 0; k < facts.count; k++)
            card_state_add(&r, &facts.at[k], h->order);
    }
    return r;
}

static void amount_add(struct diagnosis *d, struct sighting *s,
                       const struct card_state *r, enum fact_name name,
                       int64_t number) {
    struct fact f = fact_blank(name, SOURCE_DERIVED);
    f.known = number > 0;
    f.number = number;
    f.gpu = r->gpu;
    f.line = r->before.line;
    f.formula = STR("the buffers printed since the load began");
    if (name == FACT_gpu_free) {
        f.ranged = true;
        int64_t wide = r->before.ranged
                           ? (r->before.high - r->before.low) / 2
                           : 0;
        f.high = number + wide;
        f.low = number > TAKEN_MEANWHILE + wide
                    ? number - TAKEN_MEANWHILE - wide
                    : 0;
        f.formula = arena_printf(
            d->a, "%" PRId64 " free before the load - %" PRId64
            " of buffers since", r->before.number, r->before.number - number);
    }
    sighting_add_fact(d, s, f);
}

void free_memory_derive(struct diagnosis *d, struct sighting *s) {
    const struct fact *tried = facts_first(&s->facts, FACT_tried_alloc);
    const struct fact *before = facts_last(&d->context, FACT_free_before_load);
    int64_t granted, free;
    if (!tried || !before || facts_first(&s->facts, FACT_gpu_free))
        return;
    bool is_named = tried->gpu != FACT_NONE;
    struct card_state r = card_state_until(d, s, is_named ? tried->gpu : 0);
    bool is_ours = (is_named && r.before.gpu == r.gpu) || !r.has_others;
    if (!is_ours || !r.before.known || !add_i64(r.weights, r.cache, &granted) ||
        !add_i64(granted, r.compute, &granted))
        return;
    free = r.before.number - granted;
    if ((granted == 0 && r.before.gpu == FACT_NONE) || free <= 0 ||
        free >= tried->number)
        return;
    amount_add(d, s, &r, FACT_gpu_free, free);
    amount_add(d, s, &r, FACT_device_weights, r.weights);
    amount_add(d, s, &r, FACT_device_kv, r.cache);
}

/* ---- before the load ---- */

/* What was free once the weights were loaded, as the given line says. */
static struct fact free_after_load(struct diagnosis *d,
                                   const struct sighting *s, uint32_t line) {
    for (size_t i = 0; i < d->scan->hits.count; i++) {
        const struct hit *h = &d->scan->hits.at[i];
        if (h->kind != PATTERN_CONTEXT || h->first_line != line ||
            h->order >= s->places[0].order || !hit_is_of_engine(d, h))
            continue;
        struct fact_list facts = facts_of_hit(d, h, NULL);
        const struct fact *f = facts_first(&facts, FACT_free_after_load);
        if (f && f->known)
            return *f;
    }
    return fact_blank(FACT_free_after_load, SOURCE_LOG);
}

void free_before_load_derive(struct diagnosis *d, struct sighting *s) {
    const struct fact *taken = facts_last(&d->context, FACT_weights_bytes);
    if (!taken || !taken->known || taken->line == 0 ||
        facts_last(&d->context, FACT_free_before_load))
        return;
    struct fact left = free_after_load(d, s, taken->line);
    struct fact f = fact_blank(FACT_free_before_load, SOURCE_DERIVED);
    f.known = left.known && add_i64(left.number, taken->number, &f.number);
    f.ranged = f.known &&
               add_i64(fact_low(&left), fact_low(taken), &f.low) &&
               add_i64(fact_high(&left), fact_high(taken), &f.high);
    f.line = taken->line;
    f.formula = arena_printf(d->a, "%" PRId64 " free after the load + %" PRId64
                             " that it took", left.number, taken->number);
    if (f.known)
        sighting_add_fact(d, s, f);
}
