/* reconcile.c: is the catalogue's model the one that printed these numbers?
 *
 *     need at a length     kv_needed, max_model_len
 *     a pool and its size  kv_available and kv_blocks, or kv_tokens
 *
 * If not, a setting that the log does not show may explain them, or two: an
 * fp8 cache, another TP, windows kept whole, a head that drafts. Only what
 * nobody said is varied. Whatever is left over is named and not forced to fit.
 * What a token takes by the printed numbers alone stands beside it: with that
 * a reader can look for the model that was really loaded.
 */
#include "memory/effect.h"

/* Workers print what they have; the engine takes the least of all: a pool may
 * hold this much less than the one that was printed would. */
#define LEAST_OF_RANKS_PERCENT 90
#define BLOCK_MOST 512

struct check {
    enum fact_name quantity;
    struct span printed, computed;
    bool agrees;
};

/* ---- what is held against what ---- */

static bool is_printed(const struct inputs *c, enum fact_name name) {
    return c->in[name].known && (c->in[name].source == SOURCE_LOG ||
                                 c->in[name].source == SOURCE_USER);
}

static struct span blocks_in_pool(const struct inputs *c,
                                  const struct variants *variants) {
    struct span pool = span_in(c, FACT_kv_available);
    struct span block = variants_span(variants, OF_BLOCK, 0);
    return pool.low >= 0 ? span_quotient(pool, block) : span_none();
}

static struct check check_pool(const struct inputs *c,
                               const struct variants *variants) {
    struct span blocks = blocks_in_pool(c, variants);
    struct check k = {.quantity = FACT_kv_blocks, .computed = blocks};
    k.printed = span_in(c, FACT_kv_blocks);
    if (!is_printed(c, FACT_kv_blocks)) {
        k.quantity = FACT_kv_tokens;
        k.printed = span_in(c, FACT_kv_tokens);
        k.computed =
            variants_tokens(variants, blocks, c->in[FACT_max_model_len].number);
    }
    struct span least = span_share(k.computed, LEAST_OF_RANKS_PERCENT, 100);
    k.agrees = k.printed.known && least.known && k.printed.high >= least.low &&
               k.printed.low <= k.computed.high;
    return k;
}

static bool has_need(const struct inputs *c) {
    return is_printed(c, FACT_kv_needed) && c->in[FACT_max_model_len].known &&
           c->in[FACT_max_model_len].number > 0;
}

static bool has_pool(const struct inputs *c) {
    return is_printed(c, FACT_kv_available) &&
           !c->in[FACT_num_gpu_blocks_override].known &&
           (is_printed(c, FACT_kv_blocks) || is_printed(c, FACT_kv_tokens));
}

static struct check check_of(const struct inputs *c,
                             const struct variants *variants) {
    int64_t length = c->in[FACT_max_model_len].number;
    return has_need(c)
               ? (struct check){FACT_kv_needed, span_in(c, FACT_kv_needed),
                                variants_span(variants, OF_REQUEST, length),
                                variants->agrees}
               : check_pool(c, variants);
}

static bool explains(struct arena *a, const struct inputs *c) {
    struct variants variants = variants_of(a, c);
    return variants.count > 0 && check_of(c, &variants).agrees;
}

bool memory_tells_models(const struct inputs *c) {
    return engine_of(c)->takes_share && (has_need(c) || has_pool(c));
}

/* A backend may choose its own block size (TPUs take up to 512), and says so
 * only in the estimate: a multiple of it. */
static bool explains_in_larger_blocks(struct arena *a, const struct inputs *c) {
    const struct fact *length = &c->in[FACT_est_max_model_len];
    bool is_open = !c->in[FACT_block_size].known ||
                   c->in[FACT_block_size].source == SOURCE_DEFAULT;
    if (!is_open || !length->known || length->number <= 0)
        return false;
    int64_t block = 16;
    while (block < BLOCK_MOST && length->number % (2 * block) == 0)
        block *= 2;
    if (block == 16)
        return false;
    struct inputs other = *c;
    other.in[FACT_block_size] = propose(FACT_block_size, block);
    return explains(a, &other);
}

bool memory_explains(struct arena *a, const struct inputs *c) {
    return c->model != NULL && memory_tells_models(c) &&
           (explains(a, c) || explains_in_larger_blocks(a, c));
}

/* ---- settings that nobody said ---- */

enum { TRIALS_MAX = 32 };

struct trials {
    struct fact at[TRIALS_MAX];
    size_t count;
};

static bool is_open(const struct inputs *c, enum fact_name name) {
    const struct fact *f = &c->in[name];
    return !f->known || f->source == SOURCE_DEFAULT ||
           f->source == SOURCE_CATALOGUE;
}

static void try_numbers(struct trials *t, const struct inputs *c,
                        enum fact_name name, const int64_t *numbers,
                        size_t count) {
    for (size_t i = 0; is_open(c, name) && i < count; i++)
        if (t->count < TRIALS_MAX && c->in[name].number != numbers[i])
            t->at[t->count++] = propose(name, numbers[i]);
}

/* The likeliest first: the first that explains is the answer. */
static struct trials trials_of(const struct inputs *c) {
    static const char *const dtypes[] = {"fp8", "bfloat16", "float32"};
    static const int64_t ranks[] = {1, 2, 4, 8, 16, 32, 64};
    static const int64_t few[] = {2, 3, 4, 8}, one[] = {1};
    struct trials t = {.count = 0};
    for (size_t i = 0; i < 3 && is_open(c, FACT_kv_cache_dtype); i++)
        t.at[t.count++] = propose_word(FACT_kv_cache_dtype, str_of(dtypes[i]));
    try_numbers(&t, c, FACT_tensor_parallel, ranks, 7);
    try_numbers(&t, c, FACT_hybrid_kv_disabled, one, 1);
    try_numbers(&t, c, FACT_prefix_caching, one, 1);
    try_numbers(&t, c, FACT_num_speculative_tokens, one, 1);
    try_numbers(&t, c, FACT_pipeline_parallel, few, 4);
    try_numbers(&t, c, FACT_decode_context_parallel, few, 4);
    return t;
}

static struct inputs with(const struct inputs *c, const struct fact *f) {
    struct inputs other = *c;
    other.in[f->name] = *f;
    return other;
}

/* One of them, beside `first` if there is one. */
static bool one_explains(struct arena *a, const struct inputs *c,
                         const struct trials *t, const struct fact *first,
                         struct reconciliation *r) {
    for (size_t i = 0; i < t->count; i++) {
        struct inputs other = with(c, &t->at[i]);
        if ((!first || t->at[i].name != first->name) && explains(a, &other)) {
            r->setting_count = 0;
            if (first)
                r->setting[r->setting_count++] = *first;
            r->setting[r->setting_count++] = t->at[i];
            return true;
        }
    }
    return false;
}

/* One, or an fp8 cache on several ranks: the two that are set together most. */
static bool settings_explain(struct arena *a, const struct inputs *c,
                             const struct trials *t,
                             struct reconciliation *r) {
    struct fact fp8 = propose_word(FACT_kv_cache_dtype, STR("fp8"));
    struct inputs halved = with(c, &fp8);
    return one_explains(a, c, t, NULL, r) ||
           (is_open(c, FACT_kv_cache_dtype) &&
            one_explains(a, &halved, t, &fp8, r));
}

/* ---- together ---- */

/* By the line through the printed pairs; by the pool over its tokens. */
static struct span token_bytes(const struct inputs *c) {
    struct span pool = span_in(c, FACT_kv_available);
    const struct fact *tokens = &c->in[FACT_kv_tokens];
    struct linear_fit l = linear_fit_of(c);
    if (l.known && l.slope.low > 0)
        return l.slope;
    if (pool.known && is_printed(c, FACT_kv_tokens) && tokens->number > 0)
        return span_share(pool, 1, tokens->number);
    return span_none();
}

static int64_t apart(struct span a, struct span b) {
    return a.low > b.high   ? a.low - b.high
           : b.low > a.high ? b.low - a.high
                            : 0;
}

/* The reading that comes nearest to what is printed. */
static const struct variant *nearest(const struct variants *variants,
                                     int64_t tokens, struct span printed) {
    const struct variant *best = &variants->at[0];
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < variants->count; i++) {
        struct span need = variant_request(&variants->at[i], tokens);
        if (need.known && apart(need, printed) < least) {
            least = apart(need, printed);
            best = &variants->at[i];
        }
    }
    return best;
}

static void show(struct arena *a, const struct inputs *c,
                 const struct variants *variants, struct reconciliation *r) {
    int64_t tokens = c->in[FACT_max_model_len].number;
    if (r->quantity != FACT_kv_needed)
        return;
    const struct variant *w = nearest(variants, tokens, r->printed);
    r->computed = variant_request(w, tokens);
    r->residual = span_minus(r->printed, r->computed);
    r->formula =
        FORMULA(a, "kv_needed = % = %", TEXT(write_request(a, w, tokens)),
                BYTES(r->computed.high));
}

struct reconciliation memory_reconcile(struct arena *a,
                                       const struct inputs *c) {
    struct reconciliation r = {.outcome = RECONCILE_UNKNOWN,
                               .quantity = FACT_kv_needed,
                               .per_token = token_bytes(c)};
    struct variants variants = variants_of(a, c);
    if (variants.count == 0 || (!has_need(c) && !has_pool(c)))
        return r;
    struct check k = check_of(c, &variants);
    r.quantity = k.quantity;
    r.printed = k.printed;
    r.computed = k.computed;
    r.residual = span_minus(r.printed, r.computed);
    if (!r.computed.known || !r.printed.known)
        return r;
    show(a, c, &variants, &r);
    struct trials t = trials_of(c);
    bool is_met = r.quantity == FACT_kv_needed &&
                  apart(r.computed, r.printed) == 0; /* but no estimate */
    if (k.agrees || is_met)
        r.outcome = RECONCILE_AGREES;
    else if (settings_explain(a, c, &t, &r))
        r.outcome = RECONCILE_EXPLAINED;
    else
        r.outcome = RECONCILE_RESIDUAL;
    return r;
}
