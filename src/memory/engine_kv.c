/* engine_kv.c: rows, windows and pools, engine by engine.
 *
 *   SGLang        static share of the card, less weights. Window layers have
 *                 a pool of their own of swa_full_tokens_ratio x the full
 *                 one's tokens; recurrent states take 0.9 of 1.9 parts.
 *                 (srt/server_args.py, model_executor/model_runner.py,
 *                 mem_cache/memory_pool.py, 0.5)
 *   TensorRT-LLM  0.9 of what is free after a trial step of max_num_tokens;
 *                 blocks of 32, of 64 before 0.17 (PyTorch runtime:
 *                 _torch/pyexecutor/_util.py, 1.0; kvCacheConfig.h,
 *                 executor.h before)
 *   TGI           0.95, later 0.90 of what is free after a prefill of
 *                 max_batch_prefill_tokens; windows are kept whole
 *                 (server/text_generation_server/models/flash_causal_lm.py,
 *                 globals.py: TGI_WIGGLE_ROOM; 3.0)
 *   LMDeploy      0.8 of what is free after loading, blocks of 64; its PyTorch
 *                 engine first takes out (prefill + 2 x batch) x vocabulary
 *                 logits (pytorch/engine/executor/base.py, 0.10; TurboMind:
 *                 BlockManager.cc). quant_policy 8 or 4: scale and zero of 16
 *                 bits per head and token
 *   transformers  no pool: the cache grows until the card is full. MLA is
 *                 kept as whole heads; windows by release (cache_utils.py,
 *                 4.56)
 *   MLX           steps of 256 tokens, windows rotate; 8 or 4 bits have scale
 *                 and bias per 64 (mlx_lm/models/cache.py, 0.28); the working
 *                 set is two thirds to three quarters of the machine's memory
 *   ExLlamaV2     made at start: fp16, or 8 and 4 bits with a scale per 32
 *                 (exllamav2/cache.py, 0.3)
 *   llama.cpp     llama_cpp.c
 */
#include "memory/engine_kv.h"

#include "memory/budget.h"
#include "memory/case.h"
#include "memory/effect.h"
#include "memory/formula.h"
#include "memory/kv_row.h"
#include "memory/llama_cpp.h"
#include "memory/sglang.h"
#include "memory/span.h"
#include "memory/weights.h"

#define MICRO UNITS_MICRO
#define GIB (INT64_C(1) << 30)
#define STATE_SCALE 2 /* the catalogue's state is of 16 bits */
#define USUAL_RATIO 800000
#define STATE_PARTS 10 /* of 19: what is left for attention */
#define ALL_PARTS 19
#define MAC_LARGE (36 * GIB)

enum pool_rule { POOL_UNKNOWN, POOL_OF_FREE, POOL_OF_STATIC, POOL_REST };
enum window_keep {
    KEEP_WHOLE,
    KEEP_OPEN, /* between the window and all, by release and settings */
    KEEP_WINDOW,
    KEEP_RATIO /* a pool of their own */
};

struct engine_kv {
    const char *id;
    enum pool_rule pool;
    enum window_keep windows;
    int64_t block;              /* where no default stands in kb/engines */
    int64_t fraction_low, fraction_high; /* millionths */
    bool is_batched;    /* batch_size requests of full length */
    bool expands_latent;
    bool spreads_layers;
};

static const struct engine_kv engines[] = {
    {"sglang", POOL_OF_STATIC, KEEP_RATIO, 1, MICRO, MICRO, false,
     false, false},
    {"tensorrt-llm", POOL_OF_FREE, KEEP_OPEN, 32, 900000, 900000, false,
     false, false},
    {"tgi", POOL_OF_FREE, KEEP_WHOLE, 1, 900000, 950000, false, false,
     false},
    {"lmdeploy", POOL_OF_FREE, KEEP_OPEN, 64, 800000, 800000, false, false,
     false},
    {"transformers", POOL_REST, KEEP_OPEN, 1, MICRO, MICRO, true, true,
     true},
    {"mlx", POOL_REST, KEEP_WINDOW, 256, MICRO, MICRO, true, false, false},
    {"exllama", POOL_REST, KEEP_WHOLE, 256, MICRO, MICRO, true, true, true},
    {"llama.cpp", POOL_REST, KEEP_WHOLE, 1, MICRO, MICRO, false, false,
     true},
    {"ollama", POOL_REST, KEEP_WHOLE, 1, MICRO, MICRO, false, false, true},
    {"", POOL_UNKNOWN, KEEP_OPEN, 1, MICRO, MICRO, false, false, false},
};

static const struct engine_kv *rule_of(const struct memory_case *c) {
    size_t i = 0;
    while (engines[i].id[0] && !str_eq(c->engine, str_of(engines[i].id))) {
        i++;
    }
    return &engines[i];
}

bool engine_is_llama(const struct memory_case *c) {
    return str_eq(c->engine, STR("llama.cpp")) ||
           str_eq(c->engine, STR("ollama"));
}

bool engine_has_torch(const struct memory_case *c) {
    return !engine_is_llama(c) && !str_eq(c->engine, STR("mlx")) &&
           !str_eq(c->engine, STR("lmdeploy"));
}

bool engine_spreads_layers(const struct memory_case *c) {
    return rule_of(c)->spreads_layers;
}

static int64_t ranks_of(const struct memory_case *c) {
    return setting_of(c, FACT_tensor_parallel, 1);
}

static int64_t layers_of(const struct memory_case *c,
                         const struct kv_group *g) {
    return ceil_div(g->layers, setting_of(c, FACT_pipeline_parallel, 1));
}

int64_t engine_block_tokens(const struct memory_case *c) {
    return setting_of(c, FACT_block_size, rule_of(c)->block);
}

struct span engine_fraction(const struct memory_case *c) {
    const struct fact *said = &c->in[FACT_kv_free_fraction];
    const struct engine_kv *rule = rule_of(c);
    return said->known ? span_of_setting(said)
                       : span_of(rule->fraction_low, rule->fraction_high);
}

/* ---- a token in one layer ---- */

/* Elements of one head in so many bits, and what comes with them per head
 * and per group of elements. */
struct packed {
    const char *engine, *word;
    int64_t bits, head_extra, group, group_extra;
};

static const struct packed packings[] = {
    {"lmdeploy", "int8", 8, 4, 1, 0},  {"lmdeploy", "8", 8, 4, 1, 0},
    {"lmdeploy", "int4", 4, 4, 1, 0},  {"lmdeploy", "4", 4, 4, 1, 0},
    {"mlx", "8", 8, 0, 64, 4},         {"mlx", "int8", 8, 0, 64, 4},
    {"mlx", "4", 4, 0, 64, 4},         {"mlx", "int4", 4, 0, 64, 4},
    {"exllama", "q8", 8, 0, 32, 2},    {"exllama", "q4", 4, 0, 32, 2},
};

/* quant_policy 0 of LMDeploy: as the model. */
static struct str word_of(const struct memory_case *c) {
    struct memory_case plain;
    struct str word = kv_dtype_of(c);
    if (!str_eq(word, STR("0"))) {
        return word;
    }
    plain = *c;
    plain.in[FACT_kv_cache_dtype].known = false;
    return kv_dtype_of(&plain);
}

static const struct packed *packing_of(const struct memory_case *c) {
    struct str word = word_of(c);
    for (size_t i = 0; i < sizeof packings / sizeof packings[0]; i++) {
        if (str_eq(c->engine, str_of(packings[i].engine)) &&
            str_eq_nocase(word, str_of(packings[i].word))) {
            return &packings[i];
        }
    }
    return NULL;
}

static int64_t head_bytes(const struct packed *p, int64_t dim) {
    int64_t groups = p->group_extra ? ceil_div(dim, p->group) : 0;
    return dim * p->bits / 8 + p->head_extra + groups * p->group_extra;
}

static bool is_small(int64_t n) {
    return n > 0 && n < INT32_MAX;
}

/* K and V of every head, as the layer computes them from its latent. */
static struct kv_group whole_heads(const struct memory_case *c,
                                   const struct kv_group *g) {
    struct kv_group heads = *g;
    heads.kind = KV_full;
    heads.kv_heads = c->model->heads;
    return heads;
}

static struct span row_of(const struct memory_case *c,
                          const struct kv_group *g) {
    const struct packed *p = packing_of(c);
    struct kv_group heads = *g;
    struct str key, value;
    if (engine_is_llama(c)) {
        llama_cache_types(c, &key, &value);
        return llama_row_bytes(c, g, key, value);
    }
    if (g->kind == KV_mla && rule_of(c)->expands_latent) {
        if (c->model->heads <= 0 || g->k_dim <= 0 || g->v_dim <= 0) {
            return span_none();
        }
        heads = whole_heads(c, g);
    }
    bool has_heads = heads.kind != KV_mla && heads.kind != KV_indexer;
    if (p != NULL && has_heads && is_small(heads.k_dim) &&
        is_small(heads.v_dim)) {
        int64_t both = head_bytes(p, heads.k_dim) + head_bytes(p, heads.v_dim);
        return span_times(span_exact(both),
                          kv_heads_of_rank(heads.kv_heads, ranks_of(c)));
    }
    return kv_row_bytes(&heads, ranks_of(c), word_of(c),
                        model_has(c->model, KV_indexer), LATENT_PLAIN);
}

static bool is_window(enum kv_kind kind) {
    return kind == KV_sliding || kind == KV_chunked;
}

/* ---- a request ---- */

/* Tokens of a window layer for each token of a full one, in millionths. */
static struct span window_ratio(const struct memory_case *c) {
    const struct fact *said = &c->in[FACT_swa_full_tokens_ratio];
    return said->known ? span_of_setting(said) : span_of(USUAL_RATIO, MICRO);
}

static int64_t batch_of(const struct memory_case *c) {
    return rule_of(c)->is_batched ? setting_of(c, FACT_batch_size, 1) : 1;
}

static struct span tokens_of_window(const struct memory_case *c,
                                    const struct kv_group *g,
                                    struct span tokens) {
    int64_t low = tokens.low < g->window ? tokens.low : g->window;
    int64_t high = tokens.high < g->window ? tokens.high : g->window;
    struct span ratio = window_ratio(c);
    switch (rule_of(c)->windows) {
    case KEEP_WHOLE: return tokens;
    case KEEP_WINDOW: return span_of(low, high);
    case KEEP_OPEN: return span_of(low, tokens.high);
    case KEEP_RATIO:
        return span_of(span_share(tokens, ratio.low, MICRO).low,
                       span_share(tokens, ratio.high, MICRO).high);
    }
    return span_none();
}

static struct span state_bytes(const struct memory_case *c,
                               const struct kv_group *g) {
    struct span one = g->state_bytes > 0 ? span_exact(g->state_bytes)
                                         : span_none();
    struct span wide = span_times(one, STATE_SCALE);
    struct span all = wide.known ? span_of(one.low, wide.high) : wide;
    return span_share(all, 1, ranks_of(c));
}

static struct span layer_bytes(const struct memory_case *c,
                               const struct kv_group *g, struct span tokens) {
    struct span row = g->kind == KV_state ? span_none() : row_of(c, g);
    switch (g->kind) {
    case KV_state: return state_bytes(c, g);
    case KV_sliding:
    case KV_chunked:
        return span_product(row, tokens_of_window(c, g, tokens));
    case KV_cross:
        return g->window > 0 ? span_times(row, g->window)
                             : span_product(row, tokens);
    case KV_full:
    case KV_mla:
    case KV_indexer: return span_product(row, tokens);
    case KV_KIND_COUNT_OF: break;
    }
    return span_none();
}

struct span engine_kv_bytes(const struct memory_case *c, int64_t tokens) {
    struct span sum = span_exact(0);
    int64_t block = engine_block_tokens(c);
    if (c->model == NULL || c->model->group_count == 0 || tokens <= 0) {
        return span_none();
    }
    if (engine_is_llama(c)) {
        return llama_cache_on_card(c, tokens);
    }
    struct span whole = span_times(span_exact(ceil_div(tokens, block)), block);
    for (size_t i = 0; whole.known && i < c->model->group_count; i++) {
        const struct kv_group *g = &c->model->groups[i];
        sum = span_plus(sum, span_times(layer_bytes(c, g, whole),
                                        layers_of(c, g)));
    }
    return whole.known ? span_times(sum, batch_of(c)) : whole;
}

struct span engine_kv_slope(const struct memory_case *c) {
    struct span sum = span_exact(0), ratio = window_ratio(c);
    bool shares = rule_of(c)->windows == KEEP_RATIO;
    bool is_whole = rule_of(c)->windows == KEEP_WHOLE && !engine_is_llama(c);
    for (size_t i = 0; c->model && i < c->model->group_count; i++) {
        const struct kv_group *g = &c->model->groups[i];
        bool counts = kv_kind_grows(g->kind) ||
                      (is_window(g->kind) && (shares || is_whole));
        if (!counts) {
            continue;
        }
        int64_t layers = engine_is_llama(c) ? g->layers : layers_of(c, g);
        struct span row = span_times(row_of(c, g), layers);
        if (is_window(g->kind) && shares) {
            row = span_of(span_share(row, ratio.low, MICRO).low,
                          span_share(row, ratio.high, MICRO).high);
        }
        sum = span_plus(sum, row);
    }
    sum = engine_is_llama(c) ? llama_share_of_cards(c, sum) : sum;
    return c->model ? span_times(sum, batch_of(c)) : span_none();
}

/* ---- what there is ---- */

struct span engine_weights(const struct memory_case *c) {
    struct span all = weights_bytes(c);
    return engine_is_llama(c) ? llama_weights_on_card(c, all) : all;
}

/* What runs take beside weights and KV. */
static struct span engine_rest(const struct memory_case *c) {
    return span_plus(span_of_fact(&c->in[FACT_activation_peak]),
                     span_of_fact(&c->in[FACT_non_torch]));
}

/* What one card may use of its memory: all; on a Mac the working set. */
static struct span engine_card(const struct memory_case *c) {
    struct span total = gpu_total_bytes(c);
    struct span limit = span_of_fact(&c->in[FACT_alloc_limit]);
    if (!str_eq(c->engine, STR("mlx")) || !total.known) {
        return total;
    }
    struct span least = span_share(total, total.low < MAC_LARGE ? 2 : 3,
                                   total.low < MAC_LARGE ? 3 : 4);
    struct span most = span_share(total, 3, 4);
    return limit.known ? limit : span_of(least.low, most.high);
}

static struct span share_of(struct span whole, struct span micro) {
    struct span low = span_share(whole, micro.low, MICRO);
    struct span high = span_share(whole, micro.high, MICRO);
    bool ok = whole.known && micro.known && low.known && high.known;
    bool is_less = whole.low < 0; /* a share of what is missing is no pool */
    return !ok ? span_none() : span_of(is_less ? whole.low : low.low,
                                       high.high);
}

/* TensorRT-LLM prints as available what is free before it takes its share. */
static struct span printed_free(const struct memory_case *c) {
    const struct fact *f = &c->in[FACT_kv_available];
    bool is_free = f->known && f->source == SOURCE_LOG &&
                   str_eq(c->engine, STR("tensorrt-llm"));
    return is_free ? share_of(span_of_fact(f), engine_fraction(c))
                   : span_none();
}

static struct span said_pool(const struct memory_case *c) {
    static const enum fact_name said[] = {FACT_kv_available, FACT_kv_bytes,
                                          FACT_pool_available};
    struct span printed = printed_free(c);
    if (printed.known) {
        return c->in[FACT_kv_bytes].known
                   ? span_of_fact(&c->in[FACT_kv_bytes])
                   : printed;
    }
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        if (c->in[said[i]].known) {
            return span_of_fact(&c->in[said[i]]);
        }
    }
    return span_none();
}

static struct span static_pool(const struct memory_case *c) {
    struct span micro = sglang_fraction(c), weights = weights_bytes(c);
    struct span low = sglang_static_bytes(c, micro.low);
    struct span high = sglang_static_bytes(c, micro.high);
    if (!micro.known || !low.known || !high.known) {
        return span_none();
    }
    struct span pool = span_minus(span_of(low.low, high.high), weights);
    if (model_has(c->model, KV_state) && pool.known && pool.low > 0) {
        pool.low = span_share(pool, STATE_PARTS, ALL_PARTS).low;
    }
    return pool;
}

struct span engine_kv_pool(const struct memory_case *c) {
    struct span said = said_pool(c);
    if (said.known) {
        return said;
    }
    struct span held = span_plus(engine_weights(c), engine_rest(c));
    struct span left = span_minus(engine_card(c), held);
    switch (rule_of(c)->pool) {
    case POOL_UNKNOWN: break;
    case POOL_OF_STATIC: return static_pool(c);
    case POOL_OF_FREE: return share_of(left, engine_fraction(c));
    case POOL_REST: return left;
    }
    return span_none();
}

struct span engine_left_over(const struct memory_case *c) {
    struct span total = gpu_total_bytes(c), micro = engine_fraction(c);
    struct span left = span_minus(total, span_plus(engine_weights(c),
                                                   engine_rest(c)));
    struct span most = sglang_fraction(c);
    struct span least_kept = sglang_static_bytes(c, most.low);
    struct span most_kept = sglang_static_bytes(c, most.high);
    switch (rule_of(c)->pool) {
    case POOL_UNKNOWN:
    case POOL_REST: break;
    case POOL_OF_STATIC:
        return most.known ? span_minus(total, span_of(least_kept.low,
                                                      most_kept.high))
                          : span_none();
    case POOL_OF_FREE:
        return left.known && left.low > 0
                   ? span_of(span_share(left, MICRO - micro.high, MICRO).low,
                             span_share(left, MICRO - micro.low, MICRO).high)
                   : span_none();
    }
    return span_none();
}

bool engine_splits_layers(const struct memory_case *c) {
    return rule_of(c)->pool != POOL_REST;
}

/* ---- in words ---- */

static struct str write_row(struct arena *a, const struct memory_case *c,
                            const struct kv_group *g) {
    struct span row = row_of(c, g);
    bool is_plain = packing_of(c) == NULL && !engine_is_llama(c) &&
                    g->kind == KV_full && g->k_dim == g->v_dim;
    int64_t heads = kv_heads_of_rank(g->kv_heads, ranks_of(c));
    int64_t both = is_plain && is_small(heads) && is_small(g->k_dim)
                       ? 2 * heads * g->k_dim
                       : 0;
    int64_t layers = layers_of(c, g);
    if (both > 0 && row.low % both == 0) {
        return arena_printf(a, "2 x %lld layers x %lld kv heads x %lld x "
                               "%lld bytes",
                            (long long)layers, (long long)heads,
                            (long long)g->k_dim, (long long)(row.low / both));
    }
    struct str bytes = write_count(a, row.low);
    return arena_printf(a, "%lld layers x %.*s bytes", (long long)layers,
                        STR_ARG(bytes));
}

struct str engine_write_slope(struct arena *a, const struct memory_case *c) {
    struct str text = {0};
    struct span slope = engine_kv_slope(c);
    bool shares = rule_of(c)->windows == KEEP_RATIO;
    bool is_cut = engine_is_llama(c) &&
                  (c->in[FACT_gpu_layers].known ||
                   setting_of(c, FACT_pipeline_parallel, 1) > 1);
    if (!span_is_exact(slope) || slope.low <= 0 || batch_of(c) > 1 || is_cut) {
        return text;
    }
    for (size_t i = 0; i < c->model->group_count; i++) {
        const struct kv_group *g = &c->model->groups[i];
        bool is_of_window = is_window(g->kind);
        if (is_of_window && shares) {
            return (struct str){0};
        }
        bool counts = kv_kind_grows(g->kind) ||
                      (is_of_window && rule_of(c)->windows == KEEP_WHOLE &&
                       !engine_is_llama(c));
        if (!counts) {
            continue;
        }
        struct str row = write_row(a, c, g);
        text = text.n == 0 ? row
                           : arena_printf(a, "%.*s + %.*s", STR_ARG(text),
                                          STR_ARG(row));
    }
    return text;
}

static struct str write_static(struct arena *a, const struct memory_case *c) {
    struct span micro = sglang_fraction(c);
    struct span base = sglang_base_bytes(c);
    struct span weights = weights_bytes(c);
    struct span whole = span_share(span_exact(base.low), micro.low, MICRO);
    struct span pool = span_minus(whole, span_exact(weights.high));
    struct str f = write_ratio(a, micro.low), b = write_bytes(a, base.low);
    struct str w = write_bytes(a, weights.high);
    struct str p = write_bytes(a, pool.low);
    return arena_printf(a, "kv_available = %.*s x %.*s - %.*s weights = at "
                           "least %.*s",
                        STR_ARG(b), STR_ARG(f), STR_ARG(w), STR_ARG(p));
}

static struct str write_free(struct arena *a, const struct memory_case *c) {
    struct span card = engine_card(c), weights = engine_weights(c);
    struct span rest = engine_rest(c);
    int64_t micro = engine_fraction(c).low;
    struct span left = span_minus(span_minus(span_exact(card.low), weights),
                                  rest);
    struct span pool = left.low < 0 ? left
                                    : span_share(left, micro, MICRO);
    struct str t = write_bytes(a, card.low), w = write_bytes(a, weights.high);
    struct str r = write_bytes(a, rest.high), p = write_bytes(a, pool.low);
    struct str f = write_ratio(a, micro);
    bool is_all = micro == MICRO || left.low < 0;
    struct str by = is_all ? (struct str){0}
                           : arena_printf(a, " x %.*s", STR_ARG(f));
    return arena_printf(a, "kv_available = (%.*s - %.*s weights - %.*s for "
                           "activations and context)%.*s = at least %.*s",
                        STR_ARG(t), STR_ARG(w), STR_ARG(r), STR_ARG(by),
                        STR_ARG(p));
}

struct str engine_write_pool(struct arena *a, const struct memory_case *c) {
    static const enum fact_name used[] = {
        FACT_gpu_total,        FACT_mem_fraction_static,
        FACT_kv_free_fraction, FACT_weights_bytes,
        FACT_model,            FACT_activation_peak,
        FACT_non_torch,        FACT_COUNT_OF};
    if (said_pool(c).known || !engine_kv_pool(c).known) {
        return (struct str){0};
    }
    bool is_static = rule_of(c)->pool == POOL_OF_STATIC;
    struct str text = is_static ? write_static(a, c) : write_free(a, c);
    struct str sources = write_sources(a, c, used);
    return arena_printf(a, "%.*s%.*s", STR_ARG(text), STR_ARG(sources));
}
