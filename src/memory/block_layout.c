/* block_layout.c: how vLLM lays the layers of one rank into blocks.
 *
 *   one kind, one page     blocks of L layers            block = L x page
 *   one kind, other pages  a block holds all of them     block = sum of pages
 *   several kinds          groups of equal size share a pool of equal pages
 *
 *       10 full + 52 sliding -> 10 per group: 1 + 6 groups, 8 layers padding
 *
 * To make pages equal, the smaller ones take more tokens; a recurrent state
 * makes the attention block as large as itself.
 */
#include "memory/kv.h"

int64_t variant_layers_of_stage(const struct variant *w, int64_t layers,
                                enum layout_use use) {
    bool all_stages = use == LAYOUT_CHECK && w->rules->charges_all_stages;
    if (all_stages || w->pp <= 1)
        return layers;
    switch (w->share) {
    case STAGE_SMALL: return layers / w->pp;
    case STAGE_LARGE: return ceil_div(layers, w->pp);
    case STAGE_LAST: return layers / w->pp + layers % w->pp;
    }
    return layers;
}

/* True if this plan takes the layers of a group for layers of full length.
 * Pools that keep windows whole, though the check cuts them, do so to be of one
 * kind: a model of windows alone is that already. Until 0.13 the check ran
 * before the manager made layers alike: it charges cut what the pool keeps
 * whole. */
static bool is_kept_whole(const struct variant *w, const struct kv_group *g,
                          enum layout_use use) {
    bool is_mixed = model_has(w->model, KV_full);
    enum window_rule windows = use == LAYOUT_POOL && is_mixed
                                   ? w->rules->windows_kept
                                   : w->rules->windows_charged;
    bool by_manager = use == LAYOUT_POOL || w->rules->need != NEED_LAYERS;
    return kv_kind_is_window(g->kind) &&
           (w->whole == WHOLE_LAYERS ||
            (w->whole == WHOLE_BY_MANAGER && by_manager) ||
            windows == WINDOWS_WHOLE ||
            (g->kind == KV_chunked && w->rules->chunks == WINDOWS_WHOLE));
}

/* False if the layers have no layout in this release. */
static bool measure(const struct variant *w, const struct kv_group *g,
                    struct layer_set *s) {
    bool is_spread = g->kind == KV_mla && w->rules->latent <= LATENT_SPREAD;
    if (g->kind == KV_state) {
        struct span state = kv_state_bytes(g, w->tp, &w->state, w->state_scale);
        s->page_bytes = state.high;
        return state.known;
    }
    struct span row = is_spread ? kv_row_spread(g, w->model->heads, w->tp,
                                                w->kv_dtype, w->rules->latent)
                                : kv_row_bytes(g, w->tp, w->kv_dtype,
                                               model_has(w->model, KV_indexer),
                                               w->rules->latent);
    struct span page = span_times(row, w->block_tokens);
    s->row_bytes = row.low;
    s->page_bytes = page.low;
    return page.known && page.low > 0;
}

static bool add_set(struct block_layout *p, const struct variant *w,
                    const struct kv_group *g, enum layout_use use) {
    struct layer_set s = {
        .kind = is_kept_whole(w, g, use) ? KV_full : g->kind,
        .count = variant_layers_of_stage(w, g->layers, use),
        .window = g->window,
        .block_tokens = w->block_tokens,
        .groups = 1,
    };
    if (s.count == 0)
        return true;
    if (!measure(w, g, &s))
        return false;
    for (size_t i = 0; i < p->count; i++) { /* same cache: same set */
        struct layer_set *t = &p->set[i];
        if (t->kind == s.kind && t->row_bytes == s.row_bytes &&
            t->page_bytes == s.page_bytes &&
            (t->window == s.window || s.kind == KV_full))
            return add_i64(t->count, s.count, &t->count);
    }
    if (p->count == SETS_MAX)
        return false;
    p->set[p->count++] = s;
    return true;
}

static bool equal_page(const struct variant *w, const struct block_layout *p,
                       int64_t *page) {
    int64_t row = 0, state = 0;
    *page = 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct layer_set *s = &p->set[i];
        if (s->kind == KV_state) {
            state = s->page_bytes > state ? s->page_bytes : state;
        } else if (s->page_bytes > *page) {
            *page = s->page_bytes;
            row = s->row_bytes;
        }
    }
    if (row == 0) { /* nothing but state */
        *page = state;
        return state > 0;
    }
    int64_t step, tokens = w->block_tokens;
    tokens = w->state_step > tokens ? w->state_step : tokens;
    if (!mul_i64(tokens, row, &step))
        return false;
    int64_t wanted = 0;
    if ((state > *page || w->keeps_all_states) &&
        !mul_i64(ceil_div(state, step), step, &wanted))
        return false;
    *page = wanted > *page ? wanted : *page;
    return true;
}

/* States that are kept for every block are kept as often as attention's. */
static bool equalize(const struct variant *w, struct block_layout *p) {
    int64_t page, block = 0;
    if (!equal_page(w, p, &page))
        return false;
    for (size_t i = 0; i < p->count; i++) {
        struct layer_set *s = &p->set[i];
        if (s->kind != KV_state && page % s->page_bytes == 0 &&
            !mul_i64(s->block_tokens, page / s->page_bytes, &s->block_tokens))
            return false;
        s->page_bytes = page; /* padded where it does not divide */
        if (s->kind != KV_state && s->block_tokens > block)
            block = s->block_tokens;
    }
    for (size_t i = 0; block > 0 && i < p->count; i++)
        if (p->set[i].kind == KV_state)
            p->set[i].block_tokens = block;
    return true;
}

static bool group(const struct variant *w, struct block_layout *p) {
    int64_t least = INT64_MAX, most = 0, limit, spread;
    for (size_t i = 0; i < p->count; i++) {
        int64_t n = p->set[i].count;
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    if (!mul_i64(least, w->rules->spread_percent, &limit) ||
        !mul_i64(most, 100, &spread))
        return false;
    p->is_grouped = true;
    p->layers_per_group = spread < limit ? most : least;
    for (size_t i = 0; i < p->count; i++)
        p->set[i].groups = ceil_div(p->set[i].count, p->layers_per_group);
    return equalize(w, p) &&
           mul_i64(p->layers_per_group, p->set[0].page_bytes, &p->block_bytes);
}

/* A drafting head attends as the model's own full layers do. */
static bool add_draft(struct block_layout *p, const struct variant *w) {
    for (size_t i = 0; w->draft_layers > 0 && i < p->count; i++)
        if (p->set[i].kind == KV_full || p->set[i].kind == KV_mla)
            return add_i64(p->set[i].count, w->draft_layers, &p->set[i].count);
    return true;
}

struct block_layout block_layout_of(const struct variant *w,
                                    enum layout_use use) {
    struct block_layout p = {.base_block_tokens = w->block_tokens};
    bool ok = true, has_other = false;
    struct span pages = span_exact(0);
    if (kv_packed_is(w->model)) {
        kv_packed_layout(w, use, &p);
        return p;
    }
    for (size_t i = 0; ok && i < w->model->group_count; i++) {
        const struct kv_group *g = &w->model->groups[i];
        bool is_left_out = g->kind == KV_state && w->rules->is_v0;
        ok = is_left_out || add_set(&p, w, g, use);
    }
    ok = ok && add_draft(&p, w);
    for (size_t i = 0; i < p.count; i++) {
        const struct layer_set *s = &p.set[i];
        has_other = has_other || (!kv_kind_grows(s->kind) && p.count > 1);
        pages =
            span_plus(pages, span_times(span_exact(s->page_bytes), s->count));
    }
    /* Groups came with pools that keep windows cut. Until then a pool is of
     * one kind, and the check adds up layers. */
    bool plain = w->rules->windows_kept == WINDOWS_WHOLE || !has_other;
    p.block_bytes = pages.low;
    p.known = ok && p.count > 0 && (plain ? pages.known : group(w, &p));
    p.need_block_bytes = p.block_bytes;
    return p;
}
