/* estimate.c: what the effects have in common: how an estimate begins, how it
 * is judged, and the two amounts that most of them are asked about. */
#include "memory/budget.h"
#include "memory/effect.h"
#include "memory/rules.h"

struct estimate estimate_none(enum fact_name quantity) {
    return (struct estimate){.verdict = VERDICT_NONE,
                             .quantity = quantity,
                             .share_micro = SHARE_NONE,
                             .capacity_micro = SHARE_NONE};
}

struct estimate estimate_of(enum fact_name quantity, struct span asked,
                            struct span room) {
    struct estimate e = estimate_none(quantity);
    e.verdict = VERDICT_UNKNOWN;
    e.before = e.after = asked;
    e.limit = room;
    return e;
}

struct estimate estimate_unknown(enum fact_name quantity) {
    return estimate_of(quantity, span_none(), span_none());
}

/* What is free; a request above what one buffer may be has that for its room. */
static struct span room_of_request(const struct inputs *c, struct span asked) {
    struct span free = span_in(c, FACT_gpu_free);
    struct span largest = span_in(c, FACT_alloc_limit);
    bool is_too_large = !free.known && asked.known && largest.known &&
                        asked.low > largest.high;
    return is_too_large ? largest : free;
}

struct estimate estimate_of_allocation(const struct inputs *c) {
    struct span asked = span_in(c, FACT_tried_alloc);
    return estimate_of(FACT_tried_alloc, asked, room_of_request(c, asked));
}

struct estimate estimate_of_kv(const struct kv_side *kv) {
    return estimate_of(FACT_kv_needed, kv->need, kv->pool);
}

void estimate_judge(struct estimate *e) {
    e->verdict = span_fits(e->after, e->limit);
    e->short_by = span_beyond(e->after, e->limit);
}

void estimate_gone(struct estimate *e) {
    e->after = e->short_by = span_exact(0);
    e->verdict = VERDICT_ENOUGH;
}

void estimate_needs(struct estimate *e, bool is_known, enum fact_name name) {
    if (!is_known) {
        needs_add(&e->needs, name);
    }
}

void estimate_if(struct estimate *e, const char *key) {
    e->verdict = VERDICT_MAY_BE_ENOUGH;
    e->condition = (struct note){.key = key};
}

void estimate_if_of(const struct ask *q, struct estimate *e, const char *key,
                    const struct term *terms, size_t count) {
    estimate_if(e, key);
    for (size_t i = 0; i < count && i < NOTE_ARGS; i++) {
        e->condition.arg[e->condition.count++] = term_write(q->a, terms[i]);
    }
}

struct fact propose(enum fact_name name, int64_t number) {
    return fact_number(name, SOURCE_DERIVED, number);
}

struct fact propose_word(enum fact_name name, struct str word) {
    return fact_word(name, SOURCE_DERIVED, word);
}

bool stage_is(const struct inputs *c, const char *stage) {
    const struct fact *f = &c->in[FACT_stage];
    return f->known && str_eq(f->word, str_of(stage));
}

bool is_allocation(const struct ask *q) {
    return q->what == SHORT_ALLOCATION;
}

bool is_pool(const struct ask *q) {
    return q->what == SHORT_KV_POOL;
}

struct span first_known(const struct inputs *c, const enum fact_name *names) {
    while (*names != FACT_COUNT_OF && !c->in[*names].known) {
        names++;
    }
    return *names != FACT_COUNT_OF ? span_in(c, *names) : span_none();
}

struct kv_side kv_side_of(const struct ask *q) {
    const struct inputs *c = q->c;
    const struct fact *tokens = &c->in[FACT_kv_tokens];
    struct kv_side kv = {.demand = demand_of(q->a, c)};
    kv.length = setting_of(c, FACT_max_model_len, 0);
    kv.need = needed_bytes(c, &kv.demand);
    kv.pool = pool_bytes(c, &kv.demand);
    kv.counts_tokens = (!kv.need.known || !kv.pool.known) &&
                       rules_is_v0(c) == ANSWER_YES && tokens->known &&
                       kv.length > 0;
    kv.pool_tokens = kv.counts_tokens ? tokens->number : 0;
    kv.has_no_pool =
        (kv.pool.known && kv.pool.high <= 0) ||
        (c->in[FACT_kv_blocks].known && c->in[FACT_kv_blocks].number <= 0);
    return kv;
}

/* ---- what was refused ---- */

/* A framework's own limit, and what it counts against it: PyTorch's on an Apple
 * GPU, the pool of TensorFlow. */
static struct span free_below_limit(const struct inputs *c) {
    struct span held = span_in(c, FACT_pytorch_allocated);
    struct span outside = span_in(c, FACT_outside_framework);
    bool is_pool = word_is(c, FACT_engine, "tensorflow");
    return is_pool ? span_beyond(span_in(c, FACT_memory_limit), held)
           : word_is(c, FACT_device_kind, "mps")
               ? span_beyond(span_in(c, FACT_memory_limit),
                             span_plus(held, outside))
               : span_none();
}

/* A little more was free than what was refused: it lay in pieces that nobody
 * knows the size of, so none is counted. */
static struct span in_one_piece(const struct shortfall *s) {
    bool is_nearly = s->asked.known && s->free.known &&
                     s->free.low >= s->asked.high &&
                     s->free.low / 2 < s->asked.high;
    return is_nearly ? span_exact(0) : s->free;
}

struct shortfall shortfall_of(const struct ask *q) {
    const struct inputs *c = q->c;
    struct shortfall s;
    if (q->what == SHORT_HOST) {
        s = (struct shortfall){
            .asked = first_known(
                c, FACT_LIST(FACT_requested_bytes, FACT_tried_alloc)),
            .free = span_in(c, FACT_host_free),
            .held = span_in(c, FACT_host_rss),
            .total = span_in(c, FACT_host_total)};
    } else {
        s = (struct shortfall){
            .asked =
                first_known(c, FACT_LIST(FACT_tried_alloc, FACT_tensor_bytes)),
            .held = first_known(
                c, FACT_LIST(FACT_pytorch_allocated, FACT_process_in_use)),
            .total = gpu_total_bytes(c),
            .has_limit = free_below_limit(c).known};
        s.free = room_of_request(c, s.asked);
        s.free = s.free.known ? s.free : free_below_limit(c);
        if (!s.held.known) { /* at most all that is not free */
            struct span rest = span_beyond(s.total, s.free);
            s.held = rest.known ? span_of(0, rest.high) : rest;
        }
    }
    s.free = in_one_piece(&s);
    s.missing = span_beyond(s.asked, s.free);
    return s;
}
