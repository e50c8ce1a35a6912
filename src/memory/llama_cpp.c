/* llama_cpp.c: K and V of llama.cpp, by layer.
 *
 *   full        cells x (K row + V row), each row in its own type
 *   windows     pad256(min(n_ctx, window x sequences + ubatch)) cells
 *   latent      one row of the latent, no V; before spring 2025 whole heads
 *   recurrent   32-bit state, once per sequence, whatever the length
 *
 * A type is blocks of 32 elements with their scales: q8_0 takes 34 bytes, q4_0
 * 18. The context is padded: to 32 cells (b2493, #6177), to 256 (b2771, #5021),
 * to 256 only where flash attention is on (b2871, #7257), for some days of
 * autumn 2025 not at all (b6868, #16812), then to 256 always (b6975, #17046).
 *
 * Sources: llama.cpp src/llama-kv-cache.cpp, llama-memory-recurrent.cpp,
 * ggml-common.h; printed "KV buffer size" lines (tests).
 */
#include "corpus/version.h"
#include "memory/effect.h"
#include "memory/shape.h"

#define UBATCH 512
#define STATE_SCALE 2 /* the catalogue's state is of 16 bits */
#define WINDOW_PAD 256
#define BY_FLASH 6868 /* builds before: the padding follows flash attention */
#define NOPE_ROPE 192 /* K of a head of DeepSeek V2 and V3, not absorbed */
#define HEAD_VALUE 128
#define LATENT_DEEPSEEK 576
#define LATENT_FROM 5137  /* builds: the latent is kept, not heads (#12801) */
#define FIT_FROM 7407     /* builds: layers are chosen by what is free */
#define WINDOWS_FROM 5429 /* builds: windows have their own cache (#13194) */

/* ---- types ---- */

struct span llama_type_bytes(struct str type, int64_t elements) {
    const struct ggml_type *t = ggml_type_named(type);
    return t ? span_share(span_exact(elements), t->bytes, t->elements)
             : span_none();
}

void llama_cache_types(const struct inputs *c, struct str *key,
                       struct str *value) {
    const struct fact *f = &c->in[FACT_kv_cache_dtype];
    struct str rest = {0};
    bool is_stated = f->known && !str_eq_nocase(f->word, STR("auto"));
    *key = is_stated ? str_trim(str_cut(f->word, ',', &rest)) : STR("f16");
    rest = str_trim(rest);
    *value = rest.n > 0 ? rest : *key;
    if (c->in[FACT_value_cache_dtype].known)
        *value = c->in[FACT_value_cache_dtype].word;
}

/* ---- cells ---- */

/* The build's number; 0: unknown, or Ollama's own version before it ran a
 * llama-server (0.30.0, of b9452: LLAMA_CPP_VERSION). */
static int64_t build_of(const struct inputs *c) {
    const struct fact *f = &c->in[FACT_engine_version];
    int64_t n = 0;
    int order;
    if (f->known && str_eq(c->engine, STR("ollama")) &&
        version_compare(f->word, STR("0.30.0"), &order) && order >= 0)
        return 9452;
    if (!f->known || !str_eq(c->engine, STR("llama.cpp")))
        return 0;
    for (size_t i = 0; i < f->word.n && n < 1000000; i++) {
        char d = f->word.p[i];
        if (d < '0' || d > '9')
            return i == 0 && d == 'b' ? n : 0;
        n = n * 10 + (d - '0');
    }
    return n;
}

static struct span padded(int64_t tokens, int64_t pad) {
    return span_times(span_exact(ceil_div(tokens, pad)), pad);
}

struct span llama_cells(const struct inputs *c, int64_t tokens) {
    static const struct {
        int64_t until, least, most;
    } rows[] = {{1, 1, 256},          {2493, 1, 1},        {2771, 32, 32},
                {2871, 256, 256},     {BY_FLASH, 32, 256}, {6975, 1, 1},
                {INT64_MAX, 256, 256}};
    int64_t build = build_of(c);
    size_t i = 0;
    while (build >= rows[i].until)
        i++;
    int64_t least = rows[i].least, most = rows[i].most;
    if (rows[i].until == BY_FLASH && is_on(c, FACT_flash_attention))
        least = most;
    if (rows[i].until == BY_FLASH && is_off(c, FACT_flash_attention))
        most = least;
    return tokens > 0
               ? span_between(padded(tokens, least), padded(tokens, most))
               : span_none();
}

static struct span window_cells(const struct inputs *c, int64_t window,
                                struct span cells) {
    struct span wanted = span_plus(
        span_times(span_exact(window), setting_of(c, FACT_max_num_seqs, 1)),
        span_exact(setting_of(c, FACT_max_num_batched_tokens, UBATCH)));
    int64_t build = build_of(c);
    if (!wanted.known || !cells.known || (build > 0 && build < WINDOWS_FROM))
        return wanted.known ? cells : wanted;
    struct span few =
        padded(wanted.low < cells.low ? wanted.low : cells.low, WINDOW_PAD);
    struct span many =
        padded(wanted.high < cells.high ? wanted.high : cells.high, WINDOW_PAD);
    if (build == 0 && many.known)
        many.high = many.high > cells.high ? many.high : cells.high;
    return span_between(few, many);
}

/* ---- layers ---- */

/* DeepSeek's whole heads, as older builds keep them, and all others'. */
static struct span heads_bytes(const struct inputs *c, int64_t heads,
                               int64_t k_dim, int64_t v_dim) {
    struct str key, value;
    int64_t k, v;
    llama_cache_types(c, &key, &value);
    return mul_i64(heads, k_dim, &k) && mul_i64(heads, v_dim, &v)
               ? span_plus(llama_type_bytes(key, k), llama_type_bytes(value, v))
               : span_none();
}

static struct span latent_row(const struct inputs *c,
                              const struct kv_group *g) {
    int64_t build = build_of(c), n = c->model->heads;
    struct str key, value;
    llama_cache_types(c, &key, &value);
    struct span latent = llama_type_bytes(key, g->latent_dim);
    struct span heads =
        n > 0 ? heads_bytes(c, n, NOPE_ROPE, HEAD_VALUE) : span_none();
    return build >= LATENT_FROM || g->latent_dim != LATENT_DEEPSEEK ? latent
           : build > 0                                              ? heads
                       : span_hull(latent, heads);
}

struct span llama_row_bytes(const struct inputs *c, const struct kv_group *g) {
    return g->kind == KV_mla ? latent_row(c, g)
           : g->kind == KV_indexer /* elements in 16 bits, without scales */
               ? span_exact((g->latent_dim - 4) * 2)
               : heads_bytes(c, g->kv_heads, g->k_dim, g->v_dim);
}

static struct span layer_bytes(const struct inputs *c, const struct kv_group *g,
                               int64_t tokens) {
    struct span cells = llama_cells(c, tokens);
    if (g->kind == KV_state)
        return g->state_bytes > 0
                   ? span_times(
                         span_times(span_exact(g->state_bytes), STATE_SCALE),
                         setting_of(c, FACT_max_num_seqs, 1))
                   : span_none();
    if (kv_kind_is_window(g->kind))
        cells = window_cells(c, g->window, cells);
    else if (g->kind == KV_cross && g->window > 0)
        cells = span_exact(g->window);
    return span_product(llama_row_bytes(c, g), cells);
}

struct span llama_cache_bytes(const struct inputs *c, int64_t tokens) {
    struct span sum =
        c->model && c->model->group_count > 0 ? span_exact(0) : span_none();
    for (size_t i = 0; sum.known && i < c->model->group_count; i++) {
        const struct kv_group *g = &c->model->groups[i];
        sum = span_plus(sum, span_times(layer_bytes(c, g, tokens), g->layers));
    }
    return sum;
}

/* ---- cards ---- */

static int64_t layers_on_cards(const struct inputs *c) {
    const struct fact *said = &c->in[FACT_gpu_layers];
    int64_t all = c->model ? c->model->layers : 0;
    bool is_part = said->known && said->number >= 0 && said->number < all;
    return is_part ? said->number : all;
}

struct span llama_share_of_cards(const struct inputs *c, struct span all) {
    int64_t cards = pipeline_ranks(c);
    int64_t layers = c->model ? c->model->layers : 0;
    if (layers <= 0 || (cards == 1 && layers_on_cards(c) == layers))
        return all;
    return span_share(all, ceil_div(layers_on_cards(c), cards), layers);
}

/* A printed or summed size is of the whole file; a computed one is of a card
 * already. Embeddings stay with the host until every layer is on a card. */
struct span llama_weights_on_card(const struct inputs *c, struct span all) {
    int64_t layers = c->model ? c->model->layers : 0;
    bool is_file = c->in[FACT_weights_bytes].known;
    bool is_part = layers_on_cards(c) < layers;
    if (is_file)
        all = llama_share_of_cards(c, all);
    else if (is_part)
        all = span_share(all, layers_on_cards(c), layers);
    struct span less = span_share(all, 4, 5);
    return is_part && all.known ? span_of(less.low, all.high) : all;
}

struct span llama_cache_on_card(const struct inputs *c, int64_t tokens) {
    return llama_share_of_cards(c, llama_cache_bytes(c, tokens));
}

/* ---- what is printed ---- */

/* Layers of so many bytes each that add up to the buffer. */
static int64_t layers_of(struct span buffer, int64_t layer, int64_t most) {
    int64_t n = layer > 0 ? buffer.high / layer : 0;
    bool is_whole = n > 0 && n <= most && n * layer >= buffer.low;
    return is_whole ? n : 0;
}

#define CONTEXT_PROBE 1024 /* a multiple of every padding */

int64_t llama_context_of(const struct inputs *c, struct span buffer) {
    struct span one = llama_cache_on_card(c, CONTEXT_PROBE);
    struct span two = llama_cache_on_card(c, 2 * CONTEXT_PROBE);
    if (c->model == NULL || c->model->group_count != 1 || !buffer.known ||
        !span_is_exact(one) || !span_is_exact(two) || one.low <= 0 ||
        two.low != 2 * one.low || one.low % CONTEXT_PROBE != 0)
        return 0;
    int64_t row = one.low / CONTEXT_PROBE;
    int64_t tokens = span_middle(buffer) / row;
    return tokens > 0 && tokens * row >= buffer.low ? tokens : 0;
}

/* Windows and all: the rows of every layer times the cells are the buffer. */
bool llama_is_linear(const struct inputs *c, struct span buffer) {
    struct span sum = span_exact(0);
    struct span cells = llama_cells(c, setting_of(c, FACT_context_length, 0));
    if (llama_layers_in(c, buffer) > 0)
        return true;
    for (size_t i = 0; c->model && i < c->model->group_count; i++) {
        const struct kv_group *g = &c->model->groups[i];
        bool may_grow = g->kind != KV_state && g->kind != KV_cross;
        struct span row = may_grow ? llama_row_bytes(c, g) : span_none();
        sum = span_plus(sum, span_times(row, g->layers));
    }
    struct span all = span_product(sum, cells);
    return c->model && all.known && buffer.known && all.high > 0 &&
           all.low <= buffer.high && all.high >= buffer.low;
}

int64_t llama_layers_in(const struct inputs *c, struct span buffer) {
    int64_t tokens = setting_of(c, FACT_context_length, 0);
    if (c->model == NULL || c->model->group_count != 1 || !buffer.known ||
        tokens <= 0)
        return 0;
    const struct kv_group *g = &c->model->groups[0];
    struct span one = layer_bytes(c, g, tokens);
    int64_t n = layers_of(buffer, one.low, g->layers);
    return n > 0 ? n : layers_of(buffer, one.high, g->layers);
}

struct span llama_score_bytes(const struct inputs *c) {
    int64_t tokens = setting_of(c, FACT_context_length, 0);
    int64_t heads = c->model ? c->model->heads : 0;
    struct span one = span_times(llama_cells(c, tokens), heads);
    return heads > 0 && tokens > 0
               ? span_times(
                     span_times(one, setting_of(c, FACT_max_num_batched_tokens,
                                                UBATCH)),
                     4)
               : span_none();
}

/* ---- the engines ---- */

/* Scores of one layer take no room where flash attention is on, which newer
 * builds see to themselves. */
struct span llama_compute_bytes(const struct inputs *c) {
    int64_t rows = setting_of(c, FACT_max_num_batched_tokens, UBATCH);
    struct span most =
        span_plus(span_times(step_layer(c, rows), 3),
                  span_plus(step_logits(c, rows), span_exact(256 * MIB)));
    struct span scores = llama_score_bytes(c);
    if (is_off(c, FACT_flash_attention) && scores.known)
        most = span_plus(most, scores);
    return most.known ? span_of(64 * MIB, most.high) : most;
}

struct span llama_activation(const struct inputs *c) {
    struct inputs at = *c;
    at.in[FACT_context_length] = at.in[FACT_max_model_len];
    return llama_compute_bytes(&at);
}

/* Beside those that are llama_effect()'s of any engine: effect.c. */
effect_fn *const llama_own_effects[EFFECT_COUNT_OF] = {
    [EFFECT_max_model_len] = llama_effect,
    [EFFECT_kv_cache_dtype] = llama_effect,
    [EFFECT_max_num_batched_tokens] = llama_effect};

/* --fit is on by default: common/arg.cpp, b7407 (#16653). */
static bool fits_by_itself(const struct inputs *c) {
    int64_t build = build_of(c);
    return build == 0 || build >= FIT_FROM;
}

/* It was made, and not used, until May 2025 (#12825, #13108). */
static bool caches_encoder(const struct inputs *c) {
    int64_t build = build_of(c);
    return build > 0 && build < WINDOWS_FROM;
}

const struct engine_rules engine_llama = {
    .id = "llama.cpp", LLAMA_CELLS, .bits8 = "Q8_0",
    .caches_encoder = caches_encoder,
    .places_layers = fits_by_itself};
