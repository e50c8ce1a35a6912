/* reconcile.c: compares the catalogue's model with the numbers of the log.
 *
 *     need at a length     kv_needed, max_model_len
 *     a pool and its size  kv_available and kv_blocks, or kv_tokens
 *
 * If not, a setting that the log does not show may explain them, or two: an
 * fp8 cache, another TP, windows kept whole, a head that drafts. Only what
 * was not given is varied. Whatever is left over is named and not forced to
 * fit. What a token takes by the printed numbers alone stands beside it: with
 * that a reader can look for the model that was really loaded.
 */
#include "memory/effect.h"

/* Workers print what they have; the engine takes the least of all: a pool may
 * hold this much less than the one that was printed would. */
#define LEAST_OF_RANKS_PERCENT 90
#define BLOCK_MOST 512

/* ---- what is compared ---- */

static bool is_printed(const struct inputs *c, enum fact_name name) {
    return c->in[name].known && (c->in[name].source == SOURCE_LOG ||
                                 c->in[name].source == SOURCE_USER);
}

/* As many blocks, or tokens, as the pool that was printed is made into. */
static bool pool_agrees(const struct inputs *c, const struct variants *variants,
                        struct reconciliation *r) {
    struct span pool = span_in(c, FACT_kv_available);
    struct span block = variants_span(variants, OF_BLOCK, 0);
    bool has_blocks = is_printed(c, FACT_kv_blocks);
    r->quantity = has_blocks ? FACT_kv_blocks : FACT_kv_tokens;
    r->printed = span_in(c, r->quantity);
    r->computed = pool.low >= 0 ? span_quotient(pool, block) : span_none();
    if (!has_blocks)
        r->computed = variants_tokens(variants, r->computed,
                                      c->in[FACT_max_model_len].number);
    struct span least = span_share(r->computed, LEAST_OF_RANKS_PERCENT, 100);
    return r->printed.known && least.known && r->printed.high >= least.low &&
           r->printed.low <= r->computed.high;
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

/* Compares the need, else the pool, with what these variants give. */
static bool agrees(const struct inputs *c, const struct variants *variants,
                   struct reconciliation *r) {
    if (!has_need(c))
        return pool_agrees(c, variants, r);
    r->quantity = FACT_kv_needed;
    r->printed = span_in(c, FACT_kv_needed);
    r->computed =
        variants_span(variants, OF_REQUEST, c->in[FACT_max_model_len].number);
    return variants->agrees;
}

static bool explains(struct arena *a, const struct inputs *c) {
    struct variants variants = variants_of(a, c);
    struct reconciliation r;
    return variants.count > 0 && agrees(c, &variants, &r);
}

bool memory_can_check_model(const struct inputs *c) {
    return engine_of(c)->takes_share && (has_need(c) || has_pool(c));
}

static struct inputs with(const struct inputs *c, const struct fact *f) {
    struct inputs other = *c;
    other.in[f->name] = *f;
    return other;
}

/* A backend may choose its own block size (TPUs take up to 512), which then
 * shows in the estimate alone: a multiple of it. */
static bool explains_in_larger_blocks(struct arena *a, const struct inputs *c) {
    const struct fact *length = &c->in[FACT_est_max_model_len];
    int64_t block = 16;
    while (length->known && length->number > 0 && block < BLOCK_MOST &&
           length->number % (2 * block) == 0)
        block *= 2;
    bool is_open = !c->in[FACT_block_size].known ||
                   c->in[FACT_block_size].source == SOURCE_DEFAULT;
    if (!is_open || block == 16)
        return false;
    struct inputs other = *c;
    other.in[FACT_block_size] = propose(FACT_block_size, block);
    return explains(a, &other);
}

bool memory_explains(struct arena *a, const struct inputs *c) {
    return c->model != NULL && memory_can_check_model(c) &&
           (explains(a, c) || explains_in_larger_blocks(a, c));
}

/* ---- settings that were not given ---- */

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

/* The likeliest first: the first that explains is the answer. */
static struct trials trials_of(const struct inputs *c) {
    static const char *const dtypes[] = {"fp8", "bfloat16", "float32"};
    static const struct {
        enum fact_name name;
        int64_t number[8]; /* 0 ends them */
    } rows[] = {{FACT_tensor_parallel, {1, 2, 4, 8, 16, 32, 64}},
                {FACT_hybrid_kv_disabled, {1}},
                {FACT_prefix_caching, {1}},
                {FACT_num_speculative_tokens, {1}},
                {FACT_pipeline_parallel, {2, 3, 4, 8}},
                {FACT_decode_context_parallel, {2, 3, 4, 8}}};
    struct trials t = {.count = 0};
    for (size_t i = 0; i < 3 && is_open(c, FACT_kv_cache_dtype); i++)
        t.at[t.count++] = propose_word(FACT_kv_cache_dtype, str_of(dtypes[i]));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (const int64_t *n = rows[i].number; *n != 0; n++)
            if (is_open(c, rows[i].name) && c->in[rows[i].name].number != *n)
                t.at[t.count++] = propose(rows[i].name, *n);
    return t;
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

/* Bytes of a token: by the line through the printed pairs, else by the pool
 * over its tokens. */
static struct span token_bytes(const struct inputs *c) {
    const struct fact *tokens = &c->in[FACT_kv_tokens];
    struct linear_fit l = linear_fit_of(c);
    if (l.known && l.slope.low > 0)
        return l.slope;
    return is_printed(c, FACT_kv_tokens) && tokens->number > 0
               ? span_share(span_in(c, FACT_kv_available), 1, tokens->number)
               : span_none();
}

static int64_t apart(struct span a, struct span b) {
    return a.low > b.high   ? a.low - b.high
           : b.low > a.high ? b.low - a.high
                            : 0;
}

/* The variant that comes nearest to what is printed. */
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
    bool is_met = agrees(c, &variants, &r);
    r.residual = span_minus(r.printed, r.computed);
    if (!r.computed.known || !r.printed.known)
        return r;
    show(a, c, &variants, &r);
    struct trials t = trials_of(c);
    if (is_met || (r.quantity == FACT_kv_needed &&
                   apart(r.computed, r.printed) == 0)) /* but no estimate */
        r.outcome = RECONCILE_AGREES;
    else if (settings_explain(a, c, &t, &r))
        r.outcome = RECONCILE_EXPLAINED;
    else
        r.outcome = RECONCILE_RESIDUAL;
    return r;
}
