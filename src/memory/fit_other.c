/* fit_other.c: KV of engines that are not vLLM, as far as their sources go.
 *
 *   llama.cpp, ollama   everything is made at start: K and V of n_ctx cells
 *                       with a type each; windows of
 *                       pad256(min(n_ctx, window x sequences + ubatch)) cells;
 *                       recurrent state in 32 bits, once per sequence
 *   SGLang and others   a pool of tokens: rows of all layers; MLA is on every
 *                       rank whole; windows lie between min(window, tokens)
 *                       and all of them, by version and settings
 *
 * Sources: llama.cpp src/llama-kv-cache.cpp, llama-memory-recurrent.cpp;
 * SGLang server_args.py, mem_cache/memory_pool.py.
 */
#include "memory/budget.h"
#include "memory/fit_case.h"
#include "memory/formula.h"
#include "memory/kv_row.h"
#include "memory/rules.h"
#include "memory/span.h"
#include "memory/weights.h"

#define MIB (INT64_C(1) << 20)
#define CELL_PAD 256
#define UBATCH 512
#define QUANT_BLOCK 32
#define STATE_SCALE 2 /* the catalogue's state is of 16 bits */

struct cell_type { /* bytes of a block of elements */
    struct str name;
    int64_t bytes, elements;
};

static const struct cell_type types[] = {
    {{"f16", 3}, 2, 1},        {{"bf16", 4}, 2, 1},
    {{"f32", 3}, 4, 1},        {{"q8_0", 4}, 34, QUANT_BLOCK},
    {{"q5_1", 4}, 24, QUANT_BLOCK}, {{"q5_0", 4}, 22, QUANT_BLOCK},
    {{"q4_1", 4}, 20, QUANT_BLOCK}, {{"q4_0", 4}, 18, QUANT_BLOCK},
    {{"iq4_nl", 6}, 18, QUANT_BLOCK},
};

static bool is_llama(const struct memory_case *c) {
    return str_eq(c->engine, STR("llama.cpp")) ||
           str_eq(c->engine, STR("ollama"));
}

static const struct cell_type *type_named(struct str name) {
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (str_eq_nocase(name, types[i].name)) {
            return &types[i];
        }
    }
    return NULL;
}

/* "q8_0", or K and V apart: "q8_0,f16". "auto" is f16. */
static bool cell_types(const struct memory_case *c,
                       const struct cell_type **k,
                       const struct cell_type **v) {
    const struct fact *f = &c->in[FACT_kv_cache_dtype];
    struct str word = f->known ? f->word : STR("auto"), second;
    struct str first = str_trim(str_cut(word, ',', &second));
    second = second.n > 0 ? str_trim(second) : first;
    bool is_auto = str_eq_nocase(word, STR("auto"));
    *k = is_auto ? &types[0] : type_named(first);
    *v = is_auto ? &types[0] : type_named(second);
    return *k != NULL && *v != NULL;
}

static struct span elements_bytes(int64_t elements,
                                  const struct cell_type *t) {
    return span_share(span_times(span_exact(elements), t->bytes), 1,
                      t->elements);
}

/* One cell in one layer; TP keeps a share of the heads (--split-mode row). */
static struct span llama_row(const struct memory_case *c,
                             const struct kv_group *g) {
    const struct cell_type *k, *v;
    if (!cell_types(c, &k, &v)) {
        return span_none();
    }
    if (g->kind == KV_mla) { /* V is a view of K */
        return elements_bytes(g->latent_dim, k);
    }
    if (g->kind == KV_indexer) { /* 128 elements, kept in 16 bits */
        return span_exact((g->latent_dim - 4) * 2);
    }
    return span_plus(elements_bytes(g->kv_heads * g->k_dim, k),
                     elements_bytes(g->kv_heads * g->v_dim, v));
}

static int64_t setting(const struct memory_case *c, enum fact_name name,
                       int64_t otherwise) {
    const struct fact *f = &c->in[name];
    return f->known && f->number > 0 ? f->number : otherwise;
}

static struct span pool_row(const struct memory_case *c,
                            const struct kv_group *g) {
    bool has_indexer = false;
    for (size_t i = 0; i < c->model->group_count; i++) {
        has_indexer = has_indexer || c->model->groups[i].kind == KV_indexer;
    }
    return kv_row_bytes(g, setting(c, FACT_tensor_parallel, 1),
                        kv_dtype_of(c), has_indexer, LATENT_PLAIN);
}

/* Cells that a window keeps of so many tokens. */
static struct span window_cells(const struct memory_case *c, int64_t window,
                                int64_t tokens) {
    int64_t least = window < tokens ? window : tokens, wanted;
    if (!is_llama(c)) {
        return span_of(least, tokens);
    }
    int64_t ubatch = setting(c, FACT_max_num_batched_tokens, UBATCH);
    if (!mul_i64(window, setting(c, FACT_max_num_seqs, 1), &wanted) ||
        !add_i64(wanted, ubatch, &wanted)) {
        return span_none();
    }
    wanted = wanted < tokens ? wanted : tokens;
    int64_t padded;
    return mul_i64(ceil_div(wanted, CELL_PAD), CELL_PAD, &padded)
               ? span_exact(padded)
               : span_none();
}

static struct span state_of(const struct memory_case *c,
                            const struct kv_group *g) {
    int64_t sequences = setting(c, FACT_max_num_seqs, 1);
    struct span one = g->state_bytes > 0 ? span_exact(g->state_bytes)
                                         : span_none();
    if (is_llama(c)) {
        return span_times(span_times(one, STATE_SCALE), sequences);
    }
    struct span wide = span_times(one, STATE_SCALE);
    struct span all = wide.known ? span_of(one.low, wide.high) : wide;
    return span_share(all, 1, setting(c, FACT_tensor_parallel, 1));
}

static bool grows(enum kv_kind kind) {
    return kind == KV_full || kind == KV_mla || kind == KV_indexer;
}

/* One layer of a group at that length. */
static struct span group_bytes(const struct memory_case *c,
                               const struct kv_group *g, int64_t tokens) {
    if (g->kind == KV_state) {
        return state_of(c, g);
    }
    struct span row = is_llama(c) ? llama_row(c, g) : pool_row(c, g);
    if (grows(g->kind)) {
        return span_times(row, tokens);
    }
    if (g->kind == KV_cross) {
        return span_times(row, g->window > 0 ? g->window : tokens);
    }
    return span_product(row, window_cells(c, g->window, tokens));
}

/* Layers of the fullest pipeline stage. */
static int64_t layers_of(const struct memory_case *c,
                         const struct kv_group *g) {
    return ceil_div(g->layers, setting(c, FACT_pipeline_parallel, 1));
}

struct span fit_other_bytes(const struct memory_case *c, int64_t tokens) {
    struct span sum = span_exact(0);
    if (c->model == NULL || c->model->group_count == 0) {
        return span_none();
    }
    for (size_t i = 0; i < c->model->group_count; i++) {
        const struct kv_group *g = &c->model->groups[i];
        sum = span_plus(sum, span_times(group_bytes(c, g, tokens),
                                        layers_of(c, g)));
    }
    return sum;
}

static struct span slope_of(const struct memory_case *c) {
    struct span sum = span_exact(0);
    for (size_t i = 0; c->model && i < c->model->group_count; i++) {
        const struct kv_group *g = &c->model->groups[i];
        if (grows(g->kind)) {
            struct span row = is_llama(c) ? llama_row(c, g) : pool_row(c, g);
            sum = span_plus(sum, span_times(row, layers_of(c, g)));
        }
    }
    return c->model ? sum : span_none();
}

/* ---- the pool ---- */

/* SGLang's own rule, in MiB: what it reserves for chunks, graphs and ranks. */
static struct span sglang_share(const struct memory_case *c,
                                struct span total) {
    static const struct {
        int64_t below_gib, chunk, graphs, graphs_tp4;
    } tiers[] = {{20, 2048, 8, 8},      {35, 2048, 24, 80},
                 {60, 4096, 32, 160},   {90, 8192, 256, 512},
                 {160, 8192, 256, 512}, {INT64_MAX >> 30, 16384, 512, 512}};
    int64_t mib = total.low / MIB, tp = setting(c, FACT_tensor_parallel, 1);
    int64_t pp = setting(c, FACT_pipeline_parallel, 1);
    size_t t = 0;
    while (mib >= tiers[t].below_gib * 1024 && t < 5) {
        t++;
    }
    int64_t graphs = tp >= 4 ? tiers[t].graphs_tp4 : tiers[t].graphs;
    int64_t reserved =
        512 + tiers[t].chunk * 3 / 2 + graphs * 2 + tp * pp * 128;
    bool is_large = mib > 60 * 1024;
    reserved = is_large && reserved < 10240 ? 10240 : reserved;
    return mib > reserved ? span_share(span_exact(mib - reserved), UNITS_MICRO,
                                       mib)
                          : span_none();
}

struct span fit_other_pool(const struct memory_case *c) {
    static const enum fact_name said[] = {FACT_kv_available, FACT_kv_bytes,
                                          FACT_pool_available};
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        if (c->in[said[i]].known) {
            return span_of_fact(&c->in[said[i]]);
        }
    }
    struct span total = gpu_total_bytes(c), weights = weights_bytes(c);
    struct span share = span_of_setting(&c->in[FACT_mem_fraction_static]);
    if (is_llama(c) && total.known && weights.known) {
        struct span rest = span_of(200 * MIB, 2048 * MIB); /* compute, context */
        return span_minus(span_minus(total, weights), rest);
    }
    if (!str_eq(c->engine, STR("sglang")) || !total.known || !weights.known) {
        return span_none();
    }
    share = share.known ? share : sglang_share(c, total);
    struct span low = span_share(total, share.low, UNITS_MICRO);
    return share.known ? span_minus(low, weights) : span_none();
}

/* ---- together ---- */

static struct span longest_of(const struct memory_case *c, struct span pool,
                              int64_t most) {
    int64_t ends[2] = {0, 0};
    for (size_t i = 0; i < 2; i++) {
        int64_t fails = most + 1;
        while (fails - ends[i] > 1) {
            int64_t middle = ends[i] + (fails - ends[i]) / 2;
            struct span need = fit_other_bytes(c, middle);
            bool fits = need.known && (i == 0 ? need.high <= pool.low
                                              : need.low <= pool.high);
            *(fits ? &ends[i] : &fails) = middle;
        }
    }
    return span_of(ends[0], ends[1]);
}

static void show(struct arena *a, const struct memory_case *c,
                 const struct kv *kv, int64_t tokens, struct formulas *f) {
    static const enum fact_name used[] = {FACT_model, FACT_kv_cache_dtype,
                                          FACT_max_model_len, FACT_COUNT_OF};
    if (!span_is_exact(kv->slope) || !span_is_exact(kv->fixed) || tokens <= 0) {
        return;
    }
    struct str fixed = write_count(a, kv->fixed.low);
    struct str slope = write_count(a, kv->slope.low);
    struct str n = write_count(a, tokens);
    struct str value = write_bytes(a, kv->bytes_per_request.low);
    struct str sources = write_sources(a, c, used);
    formula_put(a, f,
                arena_printf(a,
                             "kv_needed = %.*s bytes + %.*s x %.*s bytes = "
                             "%.*s%.*s",
                             STR_ARG(fixed), STR_ARG(n), STR_ARG(slope),
                             STR_ARG(value), STR_ARG(sources)));
}

static void name_needs(struct kv *kv, const struct memory_case *c) {
    if (!kv->slope.known) {
        needs_add(&kv->needs,
                  c->model ? FACT_kv_cache_dtype : FACT_model);
    }
    if (!c->in[FACT_max_model_len].known) {
        needs_add(&kv->needs, FACT_max_model_len);
    }
    if (!kv->pool.known) {
        needs_add(&kv->needs, c->in[FACT_gpu_total].known ? FACT_kv_available
                                                          : FACT_gpu_total);
    }
}

static void count_tokens(struct kv *kv, const struct memory_case *c,
                         int64_t tokens) {
    kv->est_max_model_len =
        longest_of(c, span_at_least(kv->pool, 0), tokens);
    bool is_plain = kv->fixed.known && kv->fixed.high == 0;
    if (is_plain && kv->slope.low > 0) {
        struct span pool = span_at_least(kv->pool, 0);
        kv->tokens = span_of(pool.low / kv->slope.high,
                             pool.high / kv->slope.low);
        struct span low = span_share(span_exact(kv->tokens.low), 100, tokens);
        struct span high =
            span_share(span_exact(kv->tokens.high), 100, tokens);
        kv->max_concurrency = low.known && high.known
                                  ? span_of(low.low, high.low)
                                  : span_none();
    }
}

struct kv fit_other_kv(struct arena *a, const struct memory_case *c,
                       struct formulas *f) {
    struct kv kv = {.fits = FIT_UNKNOWN};
    int64_t tokens = setting(c, FACT_max_model_len, 0);
    kv.slope = slope_of(c);
    kv.pool = fit_other_pool(c);
    if (tokens > 0) {
        kv.bytes_per_request = fit_other_bytes(c, tokens);
        kv.fixed = span_minus(kv.bytes_per_request,
                              span_times(kv.slope, tokens));
    }
    if (kv.pool.known && kv.bytes_per_request.known) {
        count_tokens(&kv, c, tokens);
        enum verdict v = span_fits(kv.bytes_per_request, kv.pool);
        kv.fits = v == VERDICT_ENOUGH       ? FIT_YES
                  : v == VERDICT_NOT_ENOUGH ? FIT_NO
                                            : FIT_UNKNOWN;
    }
    show(a, c, &kv, tokens, f);
    name_needs(&kv, c);
    return kv;
}
