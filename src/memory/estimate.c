/* estimate.c: what the effects have in common: how an estimate begins, the two
 * amounts that most of them compare, and the verdict on them.
 *
 *     limit - after   everywhere >= 0    enough
 *                     everywhere < 0     not enough
 *                     in part            may be enough: that part is the share
 *     limit unknown   what was refused was more than the limit, so the share
 *                     is what the fix takes off it
 *     neither         unknown, and what it needs
 *
 * A firm verdict is put to the test: each default that the case holds is
 * varied, and where another value, which the log does not contradict, gives
 * another verdict, the first one rests on a default, and its condition names
 * that. A setting that is not known at all (ranks) counts as a default of one.
 */
#include "memory/effect.h"
#include "memory/training.h"

#define TRIFLE_SHARE 20 /* of what is in use */
#define REST_SHARE 10   /* that no fix gives back: weights, buffers */

struct estimate estimate_none(enum fact_name quantity) {
    return (struct estimate){.verdict = VERDICT_NONE, .quantity = quantity,
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

/* What is free; a request above what one buffer may be has that for its room.
 */
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
    if (!is_known)
        needs_add(&e->needs, name);
}

void estimate_if(struct estimate *e, const char *key) {
    e->verdict = VERDICT_MAY_BE_ENOUGH;
    e->condition = (struct note){.key = key};
}

void estimate_if_of(const struct query *q, struct estimate *e, const char *key,
                    const struct term *terms, size_t count) {
    estimate_if(e, key);
    for (size_t i = 0; i < count && i < NOTE_ARGS; i++)
        e->condition.arg[e->condition.count++] = term_write(q->a, terms[i]);
}

struct fact propose(enum fact_name name, int64_t number) {
    return fact_number(name, SOURCE_DERIVED, number);
}

struct fact propose_word(enum fact_name name, struct str word) {
    return fact_word(name, SOURCE_DERIVED, word);
}

bool stage_is(const struct inputs *c, const char *stage) {
    return word_is(c, FACT_stage, stage);
}

bool is_allocation(const struct query *q) {
    return q->what == SHORT_ALLOCATION;
}

bool is_pool(const struct query *q) {
    return q->what == SHORT_KV_POOL;
}

struct kv_side kv_side_of(const struct query *q) {
    const struct inputs *c = q->c;
    const struct fact *tokens = &c->in[FACT_kv_tokens];
    const struct fact *blocks = &c->in[FACT_kv_blocks];
    struct kv_side kv = {.demand = demand_of(q->a, c)};
    kv.length = setting_of(c, FACT_max_model_len, 0);
    kv.need = needed_bytes(c, &kv.demand);
    kv.pool = pool_bytes(c, &kv.demand);
    kv.counts_tokens = (!kv.need.known || !kv.pool.known) &&
                       rules_is_v0(c) == ANSWER_YES && tokens->known &&
                       kv.length > 0;
    kv.pool_tokens = kv.counts_tokens ? tokens->number : 0;
    kv.has_no_pool = (kv.pool.known && kv.pool.high <= 0) ||
                     (blocks->known && blocks->number <= 0);
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

struct shortfall shortfall_of(const struct query *q) {
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
            .total = span_in(c, FACT_gpu_total),
            .has_limit = free_below_limit(c).known};
        s.free = span_or(room_of_request(c, s.asked), free_below_limit(c));
        struct span rest = span_beyond(s.total, s.free);
        if (!s.held.known && rest.known) /* at most all that is not free */
            s.held = span_of(0, rest.high);
    }
    /* A little more was free than what was refused: it lay in pieces of
     * unknown sizes, so none is counted. */
    if (s.asked.known && s.free.known && s.free.low >= s.asked.high &&
        s.free.low / 2 < s.asked.high)
        s.free = span_exact(0);
    s.missing = span_beyond(s.asked, s.free);
    return s;
}

/* "Enough if it frees 76 MiB of 279 GiB" every fix does, and "3.0 of 3.1 GiB"
 * none. */
bool is_informative(struct span part, struct span whole) {
    return !part.known || !whole.known ||
           (part.high >= whole.high / TRIFLE_SHARE &&
            part.low <= whole.high - whole.high / REST_SHARE);
}

/* ---- verdicts ---- */

bool verdict_is_open(enum verdict v) {
    return v == VERDICT_UNKNOWN || v == VERDICT_MAY_BE_ENOUGH;
}

int64_t share_that_passes(struct span after, struct span limit) {
    struct span rest = span_minus(limit, after);
    int64_t width, share;
    if (!rest.known || !add_i64(rest.high, -rest.low, &width) || width <= 0 ||
        rest.high < 0 || !mul_div_floor(rest.high, MICRO, width, &share))
        return SHARE_NONE;
    return share < MICRO ? share : MICRO;
}

/* ---- bounds ---- */

static struct term in_unit(const struct estimate *e, int64_t n) {
    return fact_unit(e->quantity) == UNIT_BYTES ? SHORT(n) : COUNT(n);
}

/* Which of the two is the wider one: the reader can look that one up. */
static void put_straddling(const struct query *q, struct estimate *e) {
    int64_t asked = e->after.high - e->after.low;
    int64_t there = e->limit.high - e->limit.low;
    bool is_asked = asked > there;
    struct span open = is_asked ? e->after : e->limit;
    int64_t edge = is_asked ? e->limit.low : e->after.high;
    if (edge < open.low || edge > open.high) { /* beyond the known interval */
        edge = is_asked ? open.low : open.high;
    }
    ESTIMATE_IF(q, e, is_asked ? "verdict.if.needs" : "verdict.if.room",
                in_unit(e, edge), in_unit(e, open.low), in_unit(e, open.high));
    e->share_micro = share_that_passes(e->after, e->limit);
}

void estimate_bound(const struct query *q, struct estimate *e) {
    if (!verdict_is_open(e->verdict) || e->condition.key != NULL ||
        !e->after.known)
        return;
    bool is_less = !e->before.known || e->after.low < e->before.low;
    if (e->limit.known && e->after.low <= e->limit.high &&
        e->after.high > e->limit.low) {
        put_straddling(q, e);
    } else if (!e->limit.known && is_less) {
        ESTIMATE_IF(q, e, "verdict.if.free", in_unit(e, e->after.high));
        e->is_trifle =
            e->before.known &&
            !is_informative(span_beyond(e->before, span_exact(e->after.high)),
                        e->before);
        /* what was refused exceeds the limit; it lies anywhere between
         * nothing and that */
        int64_t share, less = span_middle(e->before) - span_middle(e->after);
        e->share_micro =
            less > 0 && e->before.high > 0 &&
                    mul_div_floor(less, MICRO, e->before.high, &share)
                ? share
                : SHARE_NONE;
    }
}

/* ---- what stands on a default ---- */

/* Settings whose default decides how much there is or how much is needed. */
static const enum fact_name decisive[] = {
    FACT_gpu_memory_utilization, FACT_mem_fraction_static, FACT_tensor_parallel,
    FACT_pipeline_parallel, FACT_data_parallel, FACT_kv_cache_dtype, FACT_dtype,
    FACT_quantization, FACT_max_num_seqs, FACT_max_num_batched_tokens,
    FACT_cpu_offload, FACT_max_model_len};

static bool is_of_ranks(enum fact_name name) {
    return name == FACT_tensor_parallel || name == FACT_pipeline_parallel;
}

static bool is_assumed(const struct inputs *c, enum fact_name name) {
    const struct fact *f = &c->in[name];
    const struct fact *gpus = &c->in[FACT_gpu_count];
    bool is_alone =
        (gpus->known && gpus->number == 1 && gpus->source != SOURCE_DEFAULT) ||
        str_eq(c->in[FACT_device_kind].word, STR("metal"));
    if (is_of_ranks(name) && is_alone)
        return false; /* there is no second GPU to split over */
    return f->known
               ? f->source == SOURCE_DEFAULT
               : is_of_ranks(name) && c->model != NULL && !training_is_run(c);
}

/* The same case with another value, or none. */
static void vary(const struct inputs *c, enum fact_name name,
                 struct inputs *other) {
    const struct engine_rules *engine = engine_of(c);
    struct fact *f = &other->in[name];
    int64_t twice;
    *other = *c;
    other->is_silent = true;
    if (is_of_ranks(name) && mul_i64(setting_of(c, name, 1), 2, &twice))
        *f = propose(name, twice);
    else if (name == FACT_kv_cache_dtype && !kv_dtype_is_fp8(f->word))
        *f = propose_word(name, engine->has_cells ? str_of(engine->narrow)
                                                  : STR("fp8"));
    else
        f->known = false;
}

static struct term default_of(const struct query *q, enum fact_name name) {
    const struct fact *f = &q->c->in[name];
    switch (fact_unit(name)) {
    case UNIT_TEXT:
    case UNIT_VERSION: return TEXT(f->known ? f->word : STR("auto"));
    case UNIT_RATIO:
    case UNIT_SECONDS: return RATIO(f->number);
    case UNIT_BYTES: return SHORT(f->number);
    case UNIT_TOKENS:
    case UNIT_BLOCKS:
    case UNIT_COUNT:
    case UNIT_BOOL: break;
    }
    return COUNT(setting_of(q->c, name, 1));
}

static void put_default(const struct query *q, struct estimate *e,
                        enum fact_name name) {
    bool was_enough = e->verdict == VERDICT_ENOUGH;
    struct str label =
        arena_printf(q->a, NOTE_FACT_FORMAT, fact_spelling(name));
    ESTIMATE_IF(q, e,
                was_enough ? "verdict.if.default" : "verdict.if.not_default",
                TEXT(label), default_of(q, name));
    e->share_micro = was_enough ? SHARE_NONE : 0;
}

static bool is_firm(enum verdict v) {
    return v == VERDICT_ENOUGH || v == VERDICT_NOT_ENOUGH;
}

void estimate_vary_defaults(const struct query *q, struct estimate *e) {
    bool is_dtype_changed = q->effect == EFFECT_kv_cache_dtype &&
                            !q->c->in[FACT_kv_cache_dtype].known;
    /* what these would give back depends on how far the program was */
    bool is_by_stage =
        q->effect == EFFECT_enforce_eager || q->effect == EFFECT_gpu_layers;
    if (is_allocation(q) && is_by_stage && !q->c->in[FACT_stage].known &&
        is_firm(e->verdict)) {
        e->verdict = VERDICT_UNKNOWN;
        needs_add(&e->needs, FACT_stage);
    }
    for (size_t i = 0; i < sizeof decisive / sizeof *decisive; i++) {
        bool is_changed =
            is_dtype_changed && decisive[i] == FACT_kv_cache_dtype;
        if (!is_firm(e->verdict) ||
            (!is_assumed(q->c, decisive[i]) && !is_changed))
            continue;
        struct inputs other;
        vary(q->c, decisive[i], &other);
        struct query again = {q->a, &other, q->what, q->effect};
        bool is_same = effect_compute(&again).verdict == e->verdict;
        /* unless what the log prints contradicts the other value */
        if (!is_same &&
            (!memory_explains(q->a, q->c) || memory_explains(q->a, &other)))
            put_default(q, e, decisive[i]);
    }
}
