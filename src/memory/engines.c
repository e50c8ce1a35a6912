/* engines.c: what engines share that are not vLLM: rows, windows and pools, and
 * the KV of `fit`, counted in blocks, tokens and requests.
 *
 *   need = fixed + slope x tokens, rounded up to whole blocks
 *   pool / block bytes = blocks     blocks x block = tokens
 *   longest: the last length whose need the pool holds, by bisection
 */
#include "memory/effect.h"
#include "memory/fit_case.h"

#define STATE_SCALE 2 /* the catalogue's state is of 16 bits */
#define USUAL_RATIO 800000
#define STATE_PARTS 10 /* of 19: what is left for attention */
#define ALL_PARTS 19

static int64_t layers_of(const struct inputs *c, const struct kv_group *g) {
    return ceil_div(g->layers, pipeline_ranks(c));
}

static int64_t engine_block_tokens(const struct inputs *c) {
    int64_t own = engine_of(c)->block;
    return setting_of(c, FACT_block_size, own > 0 ? own : 1);
}

struct span engine_fraction(const struct inputs *c) {
    const struct engine_rules *e = engine_of(c);
    struct span said = span_of_setting(&c->in[FACT_kv_free_fraction]);
    return span_or(said, e->fraction_high > 0
                             ? span_of(e->fraction_low, e->fraction_high)
                             : span_exact(MICRO));
}

/* ---- a token in one layer ---- */

/* quant_policy 0 of LMDeploy: as the model. */
static struct str word_of(const struct inputs *c) {
    struct inputs plain = *c;
    struct str word = kv_dtype_of(c);
    plain.in[FACT_kv_cache_dtype].known = false;
    return str_eq(word, STR("0")) ? kv_dtype_of(&plain) : word;
}

static const struct packing *packing_of(const struct inputs *c) {
    const struct packing *p = engine_of(c)->packings;
    struct str word = word_of(c);
    while (p != NULL && p->word && !str_eq_nocase(word, str_of(p->word)))
        p++;
    return p != NULL && p->word != NULL ? p : NULL;
}

static int64_t head_bytes(const struct packing *p, int64_t dim) {
    int64_t groups = p->group_extra ? ceil_div(dim, p->group) : 0;
    return dim * p->bits / 8 + p->head_extra + groups * p->group_extra;
}

static bool is_small(int64_t n) {
    return n > 0 && n < INT32_MAX;
}

static struct span row_of(const struct inputs *c, const struct kv_group *g) {
    const struct packing *p = packing_of(c);
    struct kv_group heads = *g;
    if (engine_of(c)->has_cells)
        return llama_row_bytes(c, g);
    if (g->kind == KV_mla && engine_of(c)->expands_latent) {
        /* K and V of every head, as the layer computes them */
        if (c->model->heads <= 0 || g->k_dim <= 0 || g->v_dim <= 0)
            return span_none();
        heads.kind = KV_full;
        heads.kv_heads = c->model->heads;
    }
    if (p != NULL && heads.kind != KV_mla && heads.kind != KV_indexer &&
        is_small(heads.k_dim) && is_small(heads.v_dim)) {
        int64_t both = head_bytes(p, heads.k_dim) + head_bytes(p, heads.v_dim);
        return span_times(span_exact(both),
                          kv_heads_of_rank(heads.kv_heads, tensor_ranks(c)));
    }
    return kv_row_bytes(&heads, tensor_ranks(c), word_of(c),
                        model_has(c->model, KV_indexer), LATENT_PLAIN);
}

/* ---- a request ---- */

/* Tokens of a window layer for each token of a full one, in millionths. */
static struct span window_ratio(const struct inputs *c) {
    return span_or(span_of_setting(&c->in[FACT_swa_full_tokens_ratio]),
                   span_of(USUAL_RATIO, MICRO));
}

static int64_t batch_of(const struct inputs *c) {
    return engine_of(c)->is_batched ? setting_of(c, FACT_batch_size, 1) : 1;
}

static struct span tokens_of_window(const struct inputs *c,
                                    const struct kv_group *g,
                                    struct span tokens) {
    int64_t low = tokens.low < g->window ? tokens.low : g->window;
    int64_t high = tokens.high < g->window ? tokens.high : g->window;
    switch (engine_of(c)->windows) {
    case KEEP_WHOLE: return tokens;
    case KEEP_WINDOW: return span_of(low, high);
    case KEEP_OPEN: return span_of(low, tokens.high);
    case KEEP_RATIO: return span_shares(tokens, window_ratio(c), MICRO);
    }
    return span_none();
}

static struct span state_bytes(const struct inputs *c,
                               const struct kv_group *g) {
    struct span one = span_exact(g->state_bytes);
    struct span all = span_between(one, span_times(one, STATE_SCALE));
    return g->state_bytes > 0 ? span_share(all, 1, tensor_ranks(c))
                              : span_none();
}

static struct span layer_bytes(const struct inputs *c, const struct kv_group *g,
                               struct span tokens) {
    if (g->kind == KV_state)
        return state_bytes(c, g);
    struct span row = row_of(c, g);
    if (g->kind == KV_cross && g->window > 0)
        return span_times(row, g->window);
    return span_product(row, kv_kind_is_window(g->kind)
                                 ? tokens_of_window(c, g, tokens)
                                 : tokens);
}

/* Of `tokens` of one request, times the batch where the engine takes one. */
static struct span engine_kv_bytes(const struct inputs *c, int64_t tokens) {
    struct span sum = span_exact(0);
    int64_t block = engine_block_tokens(c);
    if (c->model == NULL || c->model->group_count == 0 || tokens <= 0)
        return span_none();
    if (engine_of(c)->has_cells) {
        struct inputs one = *c; /* slot, of the length that is asked for */
        one.in[FACT_max_num_seqs].known &= !engine_of(c)->has_slots;
        return llama_cache_on_card(&one, tokens);
    }
    struct span whole = span_times(span_exact(ceil_div(tokens, block)), block);
    for (size_t i = 0; whole.known && i < c->model->group_count; i++) {
        const struct kv_group *g = &c->model->groups[i];
        sum = span_plus(sum,
                        span_times(layer_bytes(c, g, whole), layers_of(c, g)));
    }
    return whole.known ? span_times(sum, batch_of(c)) : whole;
}

static bool grows(const struct inputs *c, const struct kv_group *g) {
    enum window_keep windows = engine_of(c)->windows;
    bool is_kept = windows == KEEP_RATIO ||
                   (windows == KEEP_WHOLE && !engine_of(c)->has_cells);
    return kv_kind_grows(g->kind) || (kv_kind_is_window(g->kind) && is_kept);
}

struct span engine_kv_slope(const struct inputs *c) {
    struct span sum = span_exact(0);
    bool has_cells = engine_of(c)->has_cells;
    for (size_t i = 0; c->model && i < c->model->group_count; i++) {
        const struct kv_group *g = &c->model->groups[i];
        if (!grows(c, g))
            continue;
        struct span row =
            span_times(row_of(c, g), has_cells ? g->layers : layers_of(c, g));
        if (kv_kind_is_window(g->kind) && engine_of(c)->windows == KEEP_RATIO)
            row = span_shares(row, window_ratio(c), MICRO);
        sum = span_plus(sum, row);
    }
    sum = has_cells ? llama_share_of_cards(c, sum) : sum;
    return c->model ? span_times(sum, batch_of(c)) : span_none();
}

/* ---- what there is ---- */

struct span engine_weights(const struct inputs *c) {
    struct span all = weights_bytes(c);
    return engine_of(c)->has_cells ? llama_weights_on_card(c, all) : all;
}

static struct span engine_rest(const struct inputs *c) {
    return span_plus(span_in(c, FACT_activation_peak),
                     span_in(c, FACT_non_torch));
}

static struct span engine_card(const struct inputs *c) {
    return engine_of(c)->card ? engine_of(c)->card(c)
                              : span_in(c, FACT_gpu_total);
}

static struct span shares_of(struct span whole, struct span micro) {
    struct span share = span_shares(whole, micro, MICRO);
    if (share.known && whole.low < 0) { /* of what is missing: no pool */
        share.low = whole.low;
    }
    return share;
}

static struct span stated_pool(const struct inputs *c) {
    static const enum fact_name said[] =
        FACTS(FACT_kv_available, FACT_kv_bytes, FACT_pool_available);
    const struct fact *f = &c->in[FACT_kv_available];
    if (!engine_of(c)->prints_free || !f->known || f->source != SOURCE_LOG)
        return first_known(c, said);
    struct span share = shares_of(span_of_fact(f), engine_fraction(c));
    return c->in[FACT_kv_bytes].known || !share.known
               ? first_known(c, share.known ? said + 1 : said)
               : share;
}

static struct span static_bytes(const struct inputs *c) {
    struct span micro = sglang_fraction(c);
    return micro.known ? span_between(sglang_static_bytes(c, micro.low),
                                      sglang_static_bytes(c, micro.high))
                       : micro;
}

static struct span engine_kv_pool(const struct inputs *c) {
    struct span said = stated_pool(c);
    if (said.known)
        return said;
    struct span held = span_plus(engine_weights(c), engine_rest(c));
    struct span left = span_minus(engine_card(c), held);
    struct span pool = span_minus(static_bytes(c), weights_bytes(c));
    switch (engine_of(c)->pool) {
    case POOL_UNKNOWN: break;
    case POOL_OF_STATIC:
        if (model_has(c->model, KV_state) && pool.known && pool.low > 0)
            pool.low = span_share(pool, STATE_PARTS, ALL_PARTS).low;
        return pool;
    case POOL_OF_FREE: return shares_of(left, engine_fraction(c));
    case POOL_REST: return left;
    }
    return span_none();
}

struct span engine_left_over(const struct inputs *c) {
    struct span total = span_in(c, FACT_gpu_total), micro = engine_fraction(c);
    struct span left =
        span_minus(total, span_plus(engine_weights(c), engine_rest(c)));
    if (engine_of(c)->pool == POOL_OF_STATIC)
        return span_minus(total, static_bytes(c));
    return engine_of(c)->pool == POOL_OF_FREE && left.known && left.low > 0
               ? span_shares(left, span_minus(span_exact(MICRO), micro), MICRO)
               : span_none();
}

bool engine_keeps_cache(const struct inputs *c) {
    const struct engine_rules *e = engine_of(c);
    if (c->model == NULL || (!c->model->is_encoder && !c->model->is_pooling))
        return true;
    if (c->model->is_encoder)
        return e->caches_encoder != NULL && e->caches_encoder(c);
    return !e->takes_share || (rules_cache_pooling(c) != ANSWER_NO &&
                               rules_is_v0(c) != ANSWER_YES);
}

struct span engine_free(const struct inputs *c) {
    struct span held = span_plus(engine_weights(c), engine_rest(c));
    if (engine_of(c)->takes_share)
        held = span_plus(held, span_in(c, FACT_cuda_graph_bytes));
    return span_minus(engine_card(c), held);
}

bool engine_splits_layers(const struct inputs *c) {
    return engine_of(c)->pool != POOL_REST;
}

/* ---- in words ---- */

static struct str write_row(struct arena *a, const struct inputs *c,
                            const struct kv_group *g) {
    int64_t row = row_of(c, g).low;
    int64_t heads = kv_heads_of_rank(g->kv_heads, tensor_ranks(c));
    bool is_plain = packing_of(c) == NULL && !engine_of(c)->has_cells &&
                    g->kind == KV_full && g->k_dim == g->v_dim &&
                    is_small(heads) && is_small(g->k_dim);
    int64_t both = is_plain ? 2 * heads * g->k_dim : 0;
    return both > 0 && row % both == 0
               ? FORMULA(a, "2 x % layers x % kv heads x % x % bytes",
                         PLAIN(layers_of(c, g)), PLAIN(heads), PLAIN(g->k_dim),
                         PLAIN(row / both))
               : FORMULA(a, "% layers x % bytes", PLAIN(layers_of(c, g)),
                         COUNT(row));
}

/* "32 layers x 8 kv heads x (128 + 128) x 2 bytes"; empty where there is no
 * one number. */
static struct str engine_write_slope(struct arena *a, const struct inputs *c) {
    struct str text = {0};
    struct span slope = engine_kv_slope(c);
    bool is_cut = engine_of(c)->has_cells &&
                  (c->in[FACT_gpu_layers].known || pipeline_ranks(c) > 1);
    if (!span_is_exact(slope) || slope.low <= 0 || batch_of(c) > 1 || is_cut)
        return text;
    for (size_t i = 0; i < c->model->group_count; i++) {
        const struct kv_group *g = &c->model->groups[i];
        if (kv_kind_is_window(g->kind) && engine_of(c)->windows == KEEP_RATIO)
            return (struct str){0};
        struct str row = grows(c, g) ? write_row(a, c, g) : (struct str){0};
        text = text.n == 0 || row.n == 0
                   ? formula_join(a, text, row)
                   : FORMULA(a, "% + %", TEXT(text), TEXT(row));
    }
    return text;
}

/* At the worst corner: the base for a static share, else the card, less what
 * lies on it. */
static struct str engine_write_pool(struct arena *a, const struct inputs *c) {
    static const enum fact_name used[] = FACTS(
        FACT_gpu_total, FACT_mem_fraction_static, FACT_kv_free_fraction,
        FACT_weights_bytes, FACT_model, FACT_activation_peak, FACT_non_torch);
    if (stated_pool(c).known || !engine_kv_pool(c).known)
        return (struct str){0};
    struct span weights = engine_weights(c), rest = engine_rest(c);
    if (engine_of(c)->pool == POOL_OF_STATIC) {
        int64_t base = sglang_base_bytes(c).low, micro = sglang_fraction(c).low;
        struct span pool =
            span_minus(span_share(span_exact(base), micro, MICRO),
                       span_exact(weights.high));
        return FORMULA_OF(
            a, c, used, "kv_available = % x % - % weights = at least %",
            BYTES(base), RATIO(micro), BYTES(weights.high), BYTES(pool.low));
    }
    int64_t card = engine_card(c).low, micro = engine_fraction(c).low;
    struct span pool = span_minus(span_minus(span_exact(card), weights), rest);
    bool is_all = micro == MICRO || pool.low < 0;
    pool = pool.low < 0 ? pool : span_share(pool, micro, MICRO);
    struct str by = is_all ? (struct str){0} : FORMULA(a, " x %", RATIO(micro));
    return FORMULA_OF(a, c, used,
                      "kv_available = (% - % weights - % for activations and "
                      "context)% = at least %",
                      BYTES(card), BYTES(weights.high), BYTES(rest.high),
                      TEXT(by), BYTES(pool.low));
}

/* ---- counted in blocks, tokens and requests ---- */

/* At the worst corner, and at the best. */
static struct span longest_of(const struct inputs *c, struct span pool,
                              int64_t most) {
    int64_t ends[2] = {0, 0};
    for (size_t i = 0; i < 2; i++) {
        int64_t fails = most < INT64_MAX ? most + 1 : most;
        while (fails - ends[i] > 1) {
            int64_t middle = ends[i] + (fails - ends[i]) / 2;
            struct span need = engine_kv_bytes(c, middle);
            bool fits = need.known && (i == 0 ? need.high <= pool.low
                                              : need.low <= pool.high);
            *(fits ? &ends[i] : &fails) = middle;
        }
        ends[i] -= ends[i] < most ? ends[i] % engine_block_tokens(c) : 0;
    }
    return span_of(ends[0], ends[1]);
}

static void show(struct arena *a, const struct inputs *c, const struct kv *kv,
                 int64_t tokens, struct formulas *f) {
    static const enum fact_name of_slope[] =
        FACTS(FACT_model, FACT_kv_cache_dtype, FACT_dtype, FACT_tensor_parallel,
              FACT_pipeline_parallel);
    struct term block = COUNT(engine_block_tokens(c));
    if (f == NULL)
        return;
    struct str slope = engine_write_slope(a, c);
    if (slope.n > 0)
        formula_put(a, f,
                    FORMULA_OF(a, c, of_slope, "kv_per_token = % = % bytes",
                               TEXT(slope), COUNT(kv->slope.low)));
    if (span_is_exact(kv->slope) && span_is_exact(kv->fixed) && tokens > 0) {
        struct str fixed = kv->fixed.low
                               ? FORMULA(a, "% + ", BYTES(kv->fixed.low))
                               : (struct str){0};
        struct str count = block.n == 1 ? FORMULA(a, "% tokens", COUNT(tokens))
                                        : FORMULA(a, "ceil(% / %) blocks x %",
                                                  COUNT(tokens), block, block);
        formula_put(a, f,
                    FORMULA_OF(a, c,
                               FACT_LIST(FACT_max_model_len, FACT_block_size,
                                         FACT_batch_size),
                               "kv_needed = %% x % bytes = %", TEXT(fixed),
                               TEXT(count), COUNT(kv->slope.low),
                               BYTES(kv->bytes_per_request.low)));
    }
    formula_put(a, f, engine_write_pool(a, c));
}

static void name_needs(struct kv *kv, const struct inputs *c) {
    static const enum fact_name parts[] = {FACT_gpu_total, FACT_activation_peak,
                                           FACT_kv_available};
    if (!kv->slope.known)
        needs_add(&kv->needs, c->model ? FACT_kv_cache_dtype : FACT_model);
    if (!c->in[FACT_max_model_len].known)
        needs_add(&kv->needs, FACT_max_model_len);
    if (!kv->pool.known && !engine_weights(c).known && c->model)
        needs_add(&kv->needs, FACT_weights_bytes);
    for (size_t i = 0; !kv->pool.known && i < sizeof parts / sizeof parts[0];
         i++)
        if (!c->in[parts[i]].known && kv->needs.count == 0)
            needs_add(&kv->needs, parts[i]);
}

struct kv fit_other_kv(struct arena *a, const struct inputs *c,
                       struct formulas *f) {
    struct kv kv = {.fits = FIT_UNKNOWN,
                    .slope = engine_kv_slope(c),
                    .pool = engine_kv_pool(c)};
    int64_t tokens = setting_of(c, FACT_max_model_len, 0);
    int64_t block = engine_block_tokens(c), whole;
    struct span there = span_at_least(kv.pool, 0);
    if (tokens > 0 && mul_i64(ceil_div(tokens, block), block, &whole)) {
        kv.bytes_per_request = engine_kv_bytes(c, tokens);
        kv.fixed =
            span_beyond(kv.bytes_per_request, span_times(kv.slope, whole));
    }
    if (span_is_exact(kv.fixed) && kv.fixed.low == 0 && kv.slope.low > 0) {
        /* every byte of a request is a token's */
        kv.bytes_per_block = span_times(kv.slope, block);
        kv.blocks = span_quotient(there, kv.bytes_per_block);
        kv.tokens = span_times(kv.blocks, block);
    }
    if (kv.pool.known && kv.bytes_per_request.known) {
        kv.max_concurrency = span_hundredths(there, kv.bytes_per_request);
        kv.est_max_model_len = longest_of(c, there, tokens);
        kv.fits = fit_of_verdict(span_fits(kv.bytes_per_request, kv.pool));
    }
    show(a, c, &kv, tokens, f);
    name_needs(&kv, c);
    return kv;
}

struct span fit_other_longest(const struct inputs *c, int64_t most) {
    struct span pool = engine_kv_pool(c);
    int64_t ceiling = most > 0 ? most : setting_of(c, FACT_max_model_len, 0);
    return pool.known && engine_kv_bytes(c, 1).known && ceiling > 0
               ? longest_of(c, span_at_least(pool, 0), ceiling)
               : span_none();
}
