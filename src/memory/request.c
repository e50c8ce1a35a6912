/* request.c: bytes and blocks of one request, of one variant and over all.
 *
 *   full, latent   ceil(tokens / ranks that share them / block)
 *   sliding w      ceil(min(w - 1 + in flight, tokens) / block) + 1
 *   chunked c      ceil(min(c + in flight, tokens) / block)
 *   state          1 page (2 with prefix caching) and 1 for each drafted token,
 *                  whatever the length; or one for every block
 *   cross          ceil(encoder tokens / block)
 */
#include "memory/kv.h"

/* An amount and how it comes about; no text if a is NULL. */
struct expression {
    struct span value;
    struct str text;
};

static struct str add_up(struct arena *a, struct str sum, struct str next) {
    return sum.n == 0 ? next : FORMULA(a, "% + %", TEXT(sum), TEXT(next));
}

/* ---- blocks ---- */

static struct span ceil_blocks(struct span tokens, int64_t block) {
    return tokens.known && block > 0 ? span_exact(ceil_div(tokens.low, block))
                                     : span_none();
}

static struct expression blocks_of(struct arena *a, const struct variant *w,
                                   const struct layer_set *s, int64_t block,
                                   int64_t tokens) {
    struct term n = COUNT(tokens), window = COUNT(s->window);
    struct term flight = COUNT(w->tokens_in_flight);
    struct term each = COUNT(s->block_tokens);
    struct span all = span_exact(tokens);
    struct span reach =
        span_plus(span_exact(s->window), span_exact(w->tokens_in_flight));
    struct span less = span_plus(reach, span_exact(-1));
    reach = reach.known && reach.low > tokens ? all : reach;
    less = less.known && less.low > tokens ? all : less;
    switch (s->kind) {
    case KV_full:
    case KV_mla:
    case KV_indexer:
        all = span_exact(ceil_div(tokens, w->context_ranks));
        return (struct expression){
            ceil_blocks(all, block),
            w->context_ranks > 1
                ? FORMULA(a, "ceil(ceil(% / % context ranks) / %)", n,
                          PLAIN(w->context_ranks), each)
                : FORMULA(a, "ceil(% / %)", n, each)};
    case KV_sliding:
        return (struct expression){
            span_plus(ceil_blocks(less, block), span_exact(1)),
            FORMULA(a, "(ceil(min(% - 1 + %, %) / %) + 1)", window, flight, n,
                    each)};
    case KV_chunked:
        return (struct expression){
            ceil_blocks(reach, block),
            FORMULA(a, "ceil(min(% + %, %) / %)", window, flight, n, each)};
    case KV_state:
        if (!w->keeps_all_states)
            return (struct expression){span_exact(w->state_pages),
                                       FORMULA(a, "%", COUNT(w->state_pages))};
        return (struct expression){
            span_plus(ceil_blocks(all, block), span_exact(w->state_pages - 1)),
            FORMULA(a, "(ceil(% / %) + %)", n, each,
                    PLAIN(w->state_pages - 1))};
    case KV_cross:
        return (struct expression){
            s->window ? ceil_blocks(span_exact(s->window), block)
                      : span_of(0, ceil_blocks(all, block).high),
            FORMULA(a, "ceil(% / %)", s->window ? window : n, each)};
    case KV_KIND_COUNT_OF: break;
    }
    return (struct expression){.value = {0}};
}

struct span variant_blocks(const struct variant *w, const struct layer_set *set,
                           int64_t block_tokens, int64_t tokens) {
    return blocks_of(NULL, w, set, block_tokens, tokens).value;
}

/* ---- a request ---- */

/* Not the page, which may be padded: what the layer itself needs. */
static struct expression sum_of_layers(struct arena *a, const struct variant *w,
                                       const struct block_layout *p,
                                       int64_t tokens) {
    struct expression sum = {.value = span_exact(0)};
    for (size_t i = 0; i < p->count; i++) {
        const struct layer_set *s = &p->set[i];
        struct expression blocks = blocks_of(a, w, s, s->block_tokens, tokens);
        struct span page =
            s->kind == KV_state
                ? span_exact(s->page_bytes)
                : span_times(span_exact(s->row_bytes), s->block_tokens);
        struct span layer = span_product(blocks.value, page);
        sum.value = span_plus(sum.value, span_times(layer, s->count));
        sum.text =
            add_up(a, sum.text,
                   FORMULA(a, "% layers x % blocks x % bytes", COUNT(s->count),
                           TEXT(blocks.text), COUNT(page.low)));
    }
    return sum;
}

static struct expression blocks_of_groups(struct arena *a,
                                          const struct variant *w,
                                          const struct block_layout *p,
                                          bool is_first_only, int64_t tokens) {
    struct expression sum = {.value = span_exact(0)};
    for (size_t i = 0; i < (is_first_only ? 1 : p->count); i++) {
        const struct layer_set *s = &p->set[i];
        struct expression blocks = blocks_of(a, w, s, s->block_tokens, tokens);
        int64_t times = is_first_only ? 1 : s->groups;
        sum.value = span_plus(sum.value, span_times(blocks.value, times));
        sum.text = add_up(a, sum.text,
                          FORMULA(a, "% x %", COUNT(times), TEXT(blocks.text)));
    }
    return sum;
}

/* One set of layers that all keep every token. */
static struct str write_uniform(struct arena *a, const struct variant *w,
                                const struct block_layout *p, int64_t tokens) {
    const struct layer_set *s = &p->set[0];
    int64_t slope = variant_slope(w).low;
    if (s->block_tokens <= 0 || tokens % s->block_tokens != 0)
        return FORMULA(a, "% blocks x % x % bytes",
                       TEXT(blocks_of(a, w, s, s->block_tokens, tokens).text),
                       COUNT(p->base_block_tokens), COUNT(slope));
    return slope % 1024 == 0
               ? FORMULA(a, "% tokens x %", COUNT(tokens), BYTES(slope))
               : FORMULA(a, "% tokens x % bytes", COUNT(tokens), COUNT(slope));
}

/* p: the layout of the check. */
static struct expression request_of(struct arena *a, const struct variant *w,
                                    const struct block_layout *p,
                                    int64_t tokens) {
    enum need_rule need = w->rules->need;
    if (!p->known)
        return (struct expression){.value = span_none()};
    if (p->is_grouped && need != NEED_LAYERS) {
        struct expression blocks =
            blocks_of_groups(a, w, p, need == NEED_FIRST_GROUP, tokens);
        struct str unit =
            p->is_packed ? STR("layer tuples") : STR("layers per group");
        int64_t page = p->is_packed ? p->tuple_bytes : p->set[0].page_bytes;
        return (struct expression){
            span_times(blocks.value, p->need_block_bytes),
            FORMULA(a, "% % x % bytes x (%) blocks", COUNT(p->layers_per_group),
                    TEXT(unit), COUNT(page), TEXT(blocks.text))};
    }
    struct expression all = sum_of_layers(a, w, p, tokens);
    if (a != NULL && p->count == 1 && kv_kind_grows(p->set[0].kind) &&
        w->context_ranks == 1)
        all.text = write_uniform(a, w, p, tokens);
    return all;
}

struct str write_request(struct arena *a, const struct variant *w,
                         int64_t tokens) {
    struct block_layout p = block_layout_of(w, LAYOUT_CHECK);
    return request_of(a, w, &p, tokens).text;
}

/* p: the layout of the pool. */
static struct span request_blocks(const struct variant *w,
                                  const struct block_layout *p,
                                  int64_t tokens) {
    if (!p->known)
        return span_none();
    return p->is_grouped
               ? blocks_of_groups(NULL, w, p, false, tokens).value
               : variant_blocks(w, &p->set[0], p->base_block_tokens, tokens);
}

struct span variant_request_blocks(const struct variant *w, int64_t tokens) {
    struct block_layout p = block_layout_of(w, LAYOUT_POOL);
    return request_blocks(w, &p, tokens);
}

static struct span block_bytes(const struct block_layout *p) {
    return p->known ? span_exact(p->block_bytes) : span_none();
}

/* Both layouts: they do not depend on the number of tokens. */
struct layouts {
    struct block_layout check, pool;
};

static struct layouts layouts_of(const struct variant *w) {
    return (struct layouts){block_layout_of(w, LAYOUT_CHECK),
                            block_layout_of(w, LAYOUT_POOL)};
}

static struct span charged_by(const struct variant *w, const struct layouts *l,
                              int64_t tokens) {
    return request_of(NULL, w, &l->check, tokens).value;
}

static struct span kept_by(const struct variant *w, const struct layouts *l,
                           int64_t tokens) {
    struct span charged = charged_by(w, l, tokens);
    struct span kept = span_product(request_blocks(w, &l->pool, tokens),
                                    block_bytes(&l->pool));
    return charged.known && kept.known && kept.high > charged.high ? kept
                                                                   : charged;
}

struct span variant_request(const struct variant *w, int64_t tokens) {
    struct block_layout p = block_layout_of(w, LAYOUT_CHECK);
    return request_of(NULL, w, &p, tokens).value;
}

struct span variant_kept(const struct variant *w, int64_t tokens) {
    struct layouts l = layouts_of(w);
    return kept_by(w, &l, tokens);
}

struct str write_kept(struct arena *a, const struct variant *w,
                      int64_t tokens) {
    struct block_layout p = block_layout_of(w, LAYOUT_POOL);
    struct str blocks =
        p.is_grouped ? blocks_of_groups(a, w, &p, false, tokens).text
                     : blocks_of(a, w, &p.set[0], p.base_block_tokens, tokens)
                           .text;
    return FORMULA(a, "(%) blocks x % bytes", TEXT(blocks),
                   COUNT(p.block_bytes));
}

struct span variant_spare(const struct variant *w) {
    return w->null == NULL_OUT ? variant_block_bytes(w) : span_exact(0);
}

struct span variant_aside(const struct variant *w) {
    return w->null != NULL_NONE ? variant_block_bytes(w) : span_exact(0);
}

typedef struct span need_fn(const struct variant *w, const struct layouts *l,
                            int64_t tokens);

static struct span longest_by(need_fn *need_of, const struct variant *w,
                              struct span spare, int64_t pool,
                              int64_t ceiling) {
    struct layouts l = layouts_of(w);
    int64_t fits = 0, fails = ceiling < INT64_MAX ? ceiling + 1 : 0;
    pool -= spare.known && spare.low < pool ? spare.low : 0;
    while (fails - fits > 1) {
        int64_t middle = fits + (fails - fits) / 2;
        struct span need = need_of(w, &l, middle);
        if (!need.known)
            return span_none();
        *(need.high <= pool ? &fits : &fails) = middle;
    }
    return ceiling > 0 && ceiling < INT64_MAX ? span_exact(fits) : span_none();
}

struct span variant_estimate(const struct variant *w, int64_t pool,
                             int64_t ceiling) {
    return longest_by(charged_by, w, variant_spare(w), pool, ceiling);
}

struct span variant_longest(const struct variant *w, int64_t pool,
                            int64_t ceiling) {
    return longest_by(kept_by, w, variant_aside(w), pool, ceiling);
}

struct span variant_block_bytes(const struct variant *w) {
    struct block_layout p = block_layout_of(w, LAYOUT_POOL);
    return block_bytes(&p);
}

/* ---- a further token ---- */

/* How often the row of set i is charged per token. */
static int64_t rows_charged(const struct variant *w,
                            const struct block_layout *p, size_t i) {
    if (!p->is_grouped || w->rules->need == NEED_LAYERS)
        return p->set[i].count;
    if (w->rules->need == NEED_GROUPS)
        return p->set[i].groups * p->layers_per_group;
    return i == 0 ? p->layers_per_group : 0;
}

struct span variant_slope(const struct variant *w) {
    struct block_layout p = block_layout_of(w, LAYOUT_CHECK);
    struct span sum = p.known ? span_exact(0) : span_none();
    if (p.known && p.is_packed) {
        int64_t tokens;
        return mul_i64(p.base_block_tokens, w->context_ranks, &tokens)
                   ? span_share(span_exact(p.need_block_bytes), 1, tokens)
                   : span_none();
    }
    for (size_t i = 0; p.known && i < p.count; i++) {
        const struct layer_set *s = &p.set[i];
        struct span row = span_exact(0);
        if (kv_kind_grows(s->kind))
            row = span_share(span_exact(s->row_bytes), 1, w->context_ranks);
        else if (s->kind == KV_state && w->keeps_all_states)
            row = span_share(span_exact(s->page_bytes), 1, s->block_tokens);
        sum = span_plus(sum, span_times(row, rows_charged(w, &p, i)));
    }
    return sum;
}

/* The model's group that a set was made of, when it is the only one. */
static const struct kv_group *group_of(const struct variant *w,
                                       const struct layer_set *s) {
    const struct kv_group *found = NULL;
    for (size_t i = 0; i < w->model->group_count; i++) {
        const struct kv_group *g = &w->model->groups[i];
        struct span row =
            kv_row_bytes(g, w->tp, w->kv_dtype, false, w->rules->latent);
        if (g->kind == KV_state || !row.known || row.low != s->row_bytes)
            continue;
        if (found &&
            (found->kv_heads != g->kv_heads || found->k_dim != g->k_dim))
            return NULL;
        found = g;
    }
    return found;
}

/* One token in `rows` layers of a set. KV heads of a rank: "8 kv heads",
 * "floor(8 kv heads / TP 2)", "1 copied kv head". */
static struct str write_rows(struct arena *a, const struct variant *w,
                             const struct layer_set *s, int64_t rows) {
    const struct kv_group *g = group_of(w, s);
    if (g && g->kind == KV_mla && s->row_bytes % g->latent_dim == 0)
        return FORMULA(a, "% layers x % latent x % bytes", COUNT(rows),
                       PLAIN(g->latent_dim),
                       PLAIN(s->row_bytes / g->latent_dim));
    bool is_plain = g && g->kind != KV_mla && g->kind != KV_indexer &&
                    g->k_dim == g->v_dim && g->k_dim > 0;
    int64_t elements =
        is_plain ? 2 * kv_heads_of_rank(g->kv_heads, w->tp) * g->k_dim : 0;
    if (elements == 0 || s->row_bytes % elements != 0)
        return FORMULA(a, "% layers x % bytes", COUNT(rows),
                       COUNT(s->row_bytes));
    struct str heads = w->tp <= 1 ? FORMULA(a, "% kv heads", PLAIN(g->kv_heads))
                       : g->kv_heads < w->tp
                           ? STR("1 copied kv head")
                           : FORMULA(a, "floor(% kv heads / TP %)",
                                     PLAIN(g->kv_heads), PLAIN(w->tp));
    return FORMULA(a, "2 x % layers x % x % x % bytes", COUNT(rows),
                   TEXT(heads), PLAIN(g->k_dim),
                   PLAIN(s->row_bytes / elements));
}

struct str write_slope(struct arena *a, const struct variant *w) {
    struct block_layout p = block_layout_of(w, LAYOUT_CHECK);
    struct str sum = {0};
    if (p.is_packed) /* one block, as the check at start charges it */
        return FORMULA(a, "% layer tuples x % bytes / %",
                       PLAIN(p.layers_per_group), COUNT(p.tuple_bytes),
                       COUNT(p.base_block_tokens * w->context_ranks));
    /* states that are all kept have no row: a page for each block */
    for (size_t i = 0; !w->keeps_all_states && i < p.count; i++) {
        int64_t rows = rows_charged(w, &p, i);
        if (kv_kind_grows(p.set[i].kind) && rows != 0)
            sum = add_up(a, sum, write_rows(a, w, &p.set[i], rows));
    }
    return w->context_ranks > 1 && sum.n > 0
               ? FORMULA(a, "(%) / % context ranks", TEXT(sum),
                         PLAIN(w->context_ranks))
               : sum;
}

/* ---- over all variants ---- */

struct span variants_span(const struct variants *variants,
                          enum variant_amount what, int64_t tokens) {
    struct span all = span_none(), one = span_none();
    for (size_t i = 0; i < variants->count; i++) {
        const struct variant *w = &variants->at[i];
        switch (what) {
        case OF_REQUEST: one = variant_request(w, tokens); break;
        case OF_KEPT: one = variant_kept(w, tokens); break;
        case OF_REQUEST_BLOCKS: one = variant_request_blocks(w, tokens); break;
        case OF_BLOCK: one = variant_block_bytes(w); break;
        case OF_SPARE: one = variant_spare(w); break;
        case OF_HELD:
            one = span_plus(variant_kept(w, tokens), variant_aside(w));
            break;
        case OF_SLOPE: one = variant_slope(w); break;
        }
        all = i == 0 ? one : span_hull(all, one);
    }
    return all;
}

/* At both ends of what there is. */
static struct span over_ends(const struct variants *variants,
                             struct span amount(const struct variant *w,
                                                int64_t pool, int64_t tokens),
                             struct span pool, int64_t tokens) {
    struct span all = span_none();
    for (size_t i = 0; pool.known && i < variants->count; i++) {
        const struct variant *w = &variants->at[i];
        struct span one = span_hull(amount(w, pool.low, tokens),
                                    amount(w, pool.high, tokens));
        all = i == 0 ? one : span_hull(all, one);
    }
    return all;
}

struct span variants_estimate(const struct variants *variants,
                              struct span pool, int64_t ceiling) {
    return over_ends(variants, variant_estimate, pool, ceiling);
}

struct span variants_longest(const struct variants *variants, struct span pool,
                             int64_t ceiling) {
    return over_ends(variants, variant_longest, pool, ceiling);
}

/* Tokens of `blocks`: the groups of a hybrid share them. */
static struct span tokens_of(const struct variant *w, int64_t blocks) {
    struct block_layout p = block_layout_of(w, LAYOUT_POOL);
    int64_t groups = 0, block = 0;
    for (size_t k = 0; k < p.count; k++) {
        const struct layer_set *s = &p.set[k];
        groups += s->groups;
        if (s->kind != KV_state && (block == 0 || s->block_tokens < block))
            block = s->block_tokens;
    }
    if (!p.known)
        return span_none();
    struct span held = span_exact(blocks / (p.is_grouped ? groups : 1));
    return span_times(span_times(held, block), w->context_ranks);
}

/* From 0.20.1 on the printed size is concurrency x length. */
static struct span tokens_printed(const struct variant *w, int64_t blocks,
                                  int64_t length) {
    struct span request = w->rules->tokens_by_requests && length > 0
                              ? variant_request_blocks(w, length)
                              : span_none();
    int64_t tokens;
    if (!request.known || request.low <= 0)
        return tokens_of(w, blocks);
    return mul_div_floor(blocks, length, request.low, &tokens)
               ? span_exact(tokens)
               : span_none();
}

struct span variants_tokens(const struct variants *variants, struct span blocks,
                            int64_t length) {
    return over_ends(variants, tokens_printed, blocks, length);
}
