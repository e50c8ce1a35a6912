/* ways.c: every reading that a case leaves open, less those that contradict
 * what the log prints. Only what changes the result is varied: a model
 * without windows does not care how many tokens are in flight. */
#include "memory/kv_row.h"
#include "memory/span.h"
#include "memory/way.h"

#define WAYS_MAX 512
#define OPTIONS_MAX 8
#define DEFAULT_BLOCK 16

struct options { /* values of one open setting */
    int64_t at[OPTIONS_MAX];
    size_t count;
};

static void offer(struct options *o, int64_t value) {
    for (size_t i = 0; i < o->count; i++) {
        if (o->at[i] == value) {
            return;
        }
    }
    if (o->count < OPTIONS_MAX) {
        o->at[o->count++] = value;
    }
}

static bool has(const struct model *m, enum kv_kind kind) {
    for (size_t i = 0; i < m->group_count; i++) {
        if (m->groups[i].kind == kind) {
            return true;
        }
    }
    return false;
}

static bool has_windows(const struct model *m) {
    return has(m, KV_sliding) || has(m, KV_chunked);
}

static int64_t setting(const struct memory_case *c, enum fact_name name,
                       int64_t otherwise) {
    const struct fact *f = &c->in[name];
    return f->known && f->number > 0 ? f->number : otherwise;
}

/* max_num_batched_tokens; unknown: the defaults of servers and of the Python
 * class on small and large cards. */
static struct options flights(const struct memory_case *c,
                              const struct kv_rules *rules) {
    struct options o = {.count = 0};
    struct span batch = span_of_setting(&c->in[FACT_max_num_batched_tokens]);
    if (rules->windows == WINDOWS_WHOLE || !has_windows(c->model)) {
        offer(&o, 0);
        return o;
    }
    for (int64_t steps = 1; steps <= rules->steps_in_flight; steps++) {
        int64_t low, high;
        if (batch.known && mul_i64(batch.low, steps, &low) &&
            mul_i64(batch.high, steps, &high)) {
            offer(&o, low);
            offer(&o, high);
            continue;
        }
        offer(&o, 2048 * steps);
        offer(&o, 8192 * steps);
        offer(&o, 16384 * steps);
    }
    return o;
}

static struct options state_pages(const struct memory_case *c,
                                  const struct kv_rules *rules) {
    const struct fact *caching = &c->in[FACT_prefix_caching];
    struct options o = {.count = 0};
    bool has_state = has(c->model, KV_state) && !rules->is_v0;
    if (!has_state || !caching->known || !caching->number) {
        offer(&o, 1);
    }
    if (has_state && (!caching->known || caching->number)) {
        offer(&o, 2);
    }
    return o;
}

static struct options state_scales(const struct memory_case *c,
                                   const struct kv_rules *rules) {
    struct options o = {.count = 0};
    offer(&o, 1);
    if (has(c->model, KV_state) && !rules->is_v0) {
        offer(&o, 2);
    }
    return o;
}

/* A log may be any rank's; without one, the fullest stage is what binds. */
static bool is_of_a_log(const struct memory_case *c) {
    static const enum fact_name printed[] = {FACT_kv_needed, FACT_kv_available,
                                             FACT_kv_blocks, FACT_kv_tokens,
                                             FACT_cpu_blocks};
    for (size_t i = 0; i < sizeof printed / sizeof printed[0]; i++) {
        const struct fact *f = &c->in[printed[i]];
        if (f->known && f->source == SOURCE_LOG) {
            return true;
        }
    }
    return false;
}

static struct options stages(const struct memory_case *c) {
    struct options o = {.count = 0};
    int64_t pp = setting(c, FACT_pipeline_parallel, 1);
    offer(&o, 1);
    for (size_t i = 0; is_of_a_log(c) && i < c->model->group_count; i++) {
        if (c->model->groups[i].layers % pp != 0) {
            offer(&o, 0);
        }
    }
    return o;
}

static struct options first_groups(const struct memory_case *c,
                                   const struct kv_rules *rules) {
    struct options o = {.count = 0};
    size_t n = rules->need == NEED_FIRST_GROUP ? c->model->group_count : 1;
    for (size_t i = 0; i < n; i++) {
        offer(&o, (int64_t)i);
    }
    return o;
}

static void add_ways(struct arena *a, struct ways *ways,
                     const struct memory_case *c,
                     const struct kv_rules *rules) {
    struct options dimension[] = {flights(c, rules), state_pages(c, rules),
                                  state_scales(c, rules), stages(c),
                                  first_groups(c, rules)};
    enum { N = sizeof dimension / sizeof dimension[0] };
    size_t total = 1;
    for (size_t d = 0; d < N; d++) {
        total *= dimension[d].count;
    }
    for (size_t i = 0; i < total && ways->count < WAYS_MAX; i++) {
        int64_t chosen[N];
        for (size_t d = 0, rest = i; d < N; d++) {
            chosen[d] = dimension[d].at[rest % dimension[d].count];
            rest /= dimension[d].count;
        }
        struct way w = {
            .rules = rules,
            .model = c->model,
            .kv_dtype = kv_dtype_of(c),
            .block_tokens = setting(c, FACT_block_size, DEFAULT_BLOCK),
            .tp = setting(c, FACT_tensor_parallel, 1),
            .pp = setting(c, FACT_pipeline_parallel, 1),
            .tokens_in_flight = chosen[0],
            .state_pages = chosen[1],
            .state_scale = chosen[2],
            .is_large_stage = chosen[3] == 1,
            .first_group = (size_t)chosen[4],
        };
        if (way_block_bytes(&w).known) { /* else there is no layout */
            ways->at = arena_grow(a, ways->at, ways->count, &ways->cap,
                                  sizeof *ways->at);
            ways->at[ways->count++] = w;
        }
    }
}

/* ---- what the log prints ---- */

static bool overlap(struct span a, struct span b) {
    return a.known && b.known && a.low <= b.high && b.low <= a.high;
}

static bool gives_need(const struct memory_case *c, const struct way *w) {
    const struct fact *length = &c->in[FACT_max_model_len];
    struct span printed = span_of_fact(&c->in[FACT_kv_needed]);
    if (!printed.known || !length->known) {
        return true;
    }
    return overlap(printed, way_request(w, length->number));
}

static bool gives_estimate(const struct memory_case *c, const struct way *w) {
    const struct fact *estimate = &c->in[FACT_est_max_model_len];
    struct span pool = span_of_fact(&c->in[FACT_kv_available]);
    if (!estimate->known || estimate->number <= 0 || !pool.known) {
        return true;
    }
    struct span here = way_request(w, estimate->number);
    struct span next = way_request(w, estimate->number + 1);
    return here.known && here.low <= pool.high && next.high > pool.low;
}

/* V0: cpu blocks = floor(swap / block). */
static bool gives_cpu_blocks(const struct memory_case *c, const struct way *w) {
    const struct fact *blocks = &c->in[FACT_cpu_blocks];
    const struct fact *swap = &c->in[FACT_swap_space];
    if (!w->rules->is_v0 || !blocks->known || blocks->number <= 0 ||
        !swap->known) {
        return true;
    }
    struct span block = way_block_bytes(w);
    return block.known && block.low > 0 &&
           swap->number / block.low == blocks->number;
}

static void keep_explaining(const struct memory_case *c, struct ways *ways) {
    size_t kept = 0;
    for (size_t i = 0; i < ways->count; i++) {
        const struct way *w = &ways->at[i];
        if (gives_need(c, w) && gives_estimate(c, w) &&
            gives_cpu_blocks(c, w)) {
            ways->at[kept++] = ways->at[i];
        }
    }
    ways->agrees = kept > 0;
    if (kept > 0) {
        ways->count = kept;
    }
}

struct ways ways_of(struct arena *a, const struct memory_case *c) {
    struct ways ways = {.count = 0}, whole = {.count = 0};
    struct rules_list rules = rules_of(c);
    if (c->model == NULL || c->model->group_count == 0 || rules.count == 0) {
        return ways;
    }
    for (size_t i = 0; i < rules.count; i++) {
        add_ways(a, &ways, c, rules.at[i]);
    }
    keep_explaining(c, &ways);
    if (ways.agrees || !has_windows(c->model) || rules_is_v0(c) == ANSWER_YES) {
        return ways;
    }
    add_ways(a, &whole, c, rules_without_hybrids());
    keep_explaining(c, &whole);
    return whole.agrees ? whole : ways;
}

struct ways ways_copy(struct arena *a, const struct ways *ways) {
    struct ways copy = *ways;
    copy.at = arena_array(a, ways->count, sizeof *copy.at);
    for (size_t i = 0; i < ways->count; i++) {
        copy.at[i] = ways->at[i];
    }
    return copy;
}
