/* request.c: bytes and blocks of one request, under one reading and over all.
 *
 *   full, latent   ceil(tokens / ranks that share them / block)
 *   sliding w      ceil(min(w - 1 + in flight, tokens) / block) + 1
 *   chunked c      ceil(min(c + in flight, tokens) / block)
 *   state          1 page (2 with prefix caching) and 1 for each drafted token,
 *                  whatever the length; or one for every block
 *   cross          ceil(encoder tokens / block)
 */
#include "memory/span.h"
#include "memory/way.h"

static struct span ceil_blocks(struct span tokens, int64_t block) {
    if (!tokens.known || block <= 0) {
        return span_none();
    }
    return span_exact(ceil_div(tokens.low, block));
}

static struct span least(struct span s, int64_t n) {
    if (s.known && s.low > n) {
        return span_exact(n);
    }
    return s;
}

struct span way_blocks(const struct way *w, const struct layer_set *set,
                       int64_t block_tokens, int64_t tokens) {
    struct span reach =
        span_plus(span_exact(set->window), span_exact(w->tokens_in_flight));
    switch (set->kind) {
    case KV_full:
    case KV_mla:
    case KV_indexer:
        return ceil_blocks(span_exact(ceil_div(tokens, w->context_ranks)),
                           block_tokens);
    case KV_sliding:
        reach = span_plus(reach, span_exact(-1));
        return span_plus(ceil_blocks(least(reach, tokens), block_tokens),
                         span_exact(1));
    case KV_chunked: return ceil_blocks(least(reach, tokens), block_tokens);
    case KV_state:
        if (w->keeps_all_states) {
            return span_plus(ceil_blocks(span_exact(tokens), block_tokens),
                             span_exact(w->state_pages - 1));
        }
        return span_exact(w->state_pages);
    case KV_cross:
        if (set->window == 0) {
            return span_of(0,
                           ceil_blocks(span_exact(tokens), block_tokens).high);
        }
        return ceil_blocks(span_exact(set->window), block_tokens);
    case KV_KIND_COUNT_OF: break;
    }
    return span_none();
}

/* Not the page, which may be padded: what the layer itself needs. */
static struct span sum_of_layers(const struct way *w, const struct plan *p,
                                 int64_t tokens) {
    struct span sum = span_exact(0);
    for (size_t i = 0; i < p->count; i++) {
        const struct layer_set *s = &p->set[i];
        struct span blocks = way_blocks(w, s, s->block_tokens, tokens);
        struct span page = span_exact(s->page_bytes);
        if (s->kind != KV_state) {
            page = span_times(span_exact(s->row_bytes), s->block_tokens);
        }
        sum = span_plus(sum, span_times(span_product(blocks, page), s->count));
    }
    return sum;
}

static struct span blocks_of_groups(const struct way *w, const struct plan *p,
                                    int64_t tokens) {
    struct span sum = span_exact(0);
    for (size_t i = 0; i < p->count; i++) {
        const struct layer_set *s = &p->set[i];
        struct span blocks = way_blocks(w, s, s->block_tokens, tokens);
        if (w->rules->need == NEED_FIRST_GROUP) {
            return blocks;
        } else {
            sum = span_plus(sum, span_times(blocks, s->groups));
        }
    }
    return sum;
}

struct span way_request(const struct way *w, int64_t tokens) {
    struct plan p = way_plan(w, PLAN_CHECK);
    if (!p.known) {
        return span_none();
    }
    if (!p.is_grouped || w->rules->need == NEED_LAYERS) {
        return sum_of_layers(w, &p, tokens);
    }
    return span_times(blocks_of_groups(w, &p, tokens), p.need_block_bytes);
}

struct span way_request_blocks(const struct way *w, int64_t tokens) {
    struct plan p = way_plan(w, PLAN_POOL);
    struct way all = *w;
    struct kv_rules rules = *w->rules;
    if (!p.known) {
        return span_none();
    }
    if (!p.is_grouped) {
        return way_blocks(w, &p.set[0], p.base_block_tokens, tokens);
    }
    rules.need = NEED_GROUPS;
    all.rules = &rules;
    return blocks_of_groups(&all, &p, tokens);
}

/* What the check charges and what the blocks take, whichever is more: a pool
 * that keeps windows whole may hold less than its check lets pass. */
static struct span held_bytes(const struct way *w, int64_t tokens) {
    struct span charged = way_request(w, tokens);
    if (w->rules->windows_charged == w->rules->windows_kept) {
        return charged;
    }
    struct plan p = way_plan(w, PLAN_POOL);
    struct span kept = p.known ? sum_of_layers(w, &p, tokens) : span_none();
    return charged.known && kept.known && kept.high > charged.high ? kept
                                                                  : charged;
}

typedef struct span (*way_amount)(const struct way *w, int64_t argument);

static struct span longest_by(const struct way *w, way_amount bytes,
                              int64_t pool, int64_t ceiling) {
    int64_t fits = 0, fails = ceiling;
    if (ceiling <= 0 || ceiling == INT64_MAX) {
        return span_none();
    }
    fails = ceiling + 1;
    while (fails - fits > 1) {
        int64_t middle = fits + (fails - fits) / 2;
        struct span need = bytes(w, middle);
        if (!need.known) {
            return span_none();
        }
        if (need.high <= pool) {
            fits = middle;
        } else {
            fails = middle;
        }
    }
    return span_exact(fits);
}

struct span way_longest(const struct way *w, int64_t pool, int64_t ceiling) {
    return longest_by(w, way_request, pool, ceiling);
}

struct span way_longest_held(const struct way *w, int64_t pool,
                             int64_t ceiling) {
    return longest_by(w, held_bytes, pool, ceiling);
}

struct span way_block_bytes(const struct way *w) {
    struct plan p = way_plan(w, PLAN_POOL);
    return p.known ? span_exact(p.block_bytes) : span_none();
}

int64_t way_rows_charged(const struct way *w, const struct plan *p, size_t i) {
    if (!p->is_grouped || w->rules->need == NEED_LAYERS) {
        return p->set[i].count;
    }
    if (w->rules->need == NEED_GROUPS) {
        return p->set[i].groups * p->layers_per_group;
    }
    return i == 0 ? p->layers_per_group : 0;
}

static struct span row_of(const struct way *w, const struct layer_set *s) {
    switch (s->kind) {
    case KV_full:
    case KV_mla:
    case KV_indexer:
        return span_share(span_exact(s->row_bytes), 1, w->context_ranks);
    case KV_state:
        if (w->keeps_all_states) {
            return span_share(span_exact(s->page_bytes), 1, s->block_tokens);
        }
        break;
    case KV_sliding:
    case KV_chunked:
    case KV_cross:
    case KV_KIND_COUNT_OF: break;
    }
    return span_exact(0);
}

struct span way_slope(const struct way *w) {
    struct plan p = way_plan(w, PLAN_CHECK);
    struct span sum = span_exact(0);
    if (p.known && p.is_packed) {
        int64_t tokens;
        return mul_i64(p.base_block_tokens, w->context_ranks, &tokens)
                   ? span_share(span_exact(p.need_block_bytes), 1, tokens)
                   : span_none();
    }
    for (size_t i = 0; i < p.count; i++) {
        sum = span_plus(sum, span_times(row_of(w, &p.set[i]),
                                        way_rows_charged(w, &p, i)));
    }
    return p.known ? sum : span_none();
}

/* ---- over all ways ---- */

static struct span over_ways(const struct ways *ways, way_amount amount,
                             int64_t argument) {
    struct span all = span_none();
    for (size_t i = 0; i < ways->count; i++) {
        struct span one = amount(&ways->at[i], argument);
        all = i == 0 ? one : span_hull(all, one);
    }
    return all;
}

static struct span block_bytes(const struct way *w, int64_t ignored) {
    (void)ignored;
    return way_block_bytes(w);
}

static struct span slope(const struct way *w, int64_t ignored) {
    (void)ignored;
    return way_slope(w);
}

struct span ways_request(const struct ways *ways, int64_t tokens) {
    return over_ways(ways, way_request, tokens);
}

struct span ways_request_blocks(const struct ways *ways, int64_t tokens) {
    return over_ways(ways, way_request_blocks, tokens);
}

struct span ways_block_bytes(const struct ways *ways) {
    return over_ways(ways, block_bytes, 0);
}

struct span ways_slope(const struct ways *ways) {
    return over_ways(ways, slope, 0);
}

struct span ways_longest(const struct ways *ways, struct span pool,
                         int64_t ceiling) {
    struct span all = span_none();
    for (size_t i = 0; pool.known && i < ways->count; i++) {
        struct span one =
            span_hull(way_longest_held(&ways->at[i], pool.low, ceiling),
                      way_longest_held(&ways->at[i], pool.high, ceiling));
        all = i == 0 ? one : span_hull(all, one);
    }
    return all;
}

/* Tokens of `blocks`: the groups of a hybrid share them. */
static struct span tokens_of(const struct way *w, int64_t blocks) {
    struct plan p = way_plan(w, PLAN_POOL);
    int64_t groups = 0, block = 0;
    if (!p.known) {
        return span_none();
    }
    for (size_t k = 0; k < p.count; k++) {
        const struct layer_set *s = &p.set[k];
        groups += s->groups;
        if (s->kind != KV_state && (block == 0 || s->block_tokens < block)) {
            block = s->block_tokens;
        }
    }
    if (!p.is_grouped) {
        groups = 1;
    }
    return span_times(span_times(span_exact(blocks / groups), block),
                      w->context_ranks);
}

/* From 0.20.1 on the printed size is concurrency x length. */
static struct span tokens_printed(const struct way *w, int64_t blocks,
                                  int64_t length) {
    struct span request = span_none();
    if (w->rules->tokens_by_requests && length > 0) {
        request = way_request_blocks(w, length);
    }
    if (!request.known || request.low <= 0) {
        return tokens_of(w, blocks);
    }
    int64_t tokens;
    return mul_div_floor(blocks, length, request.low, &tokens)
               ? span_exact(tokens)
               : span_none();
}

struct span ways_tokens(const struct ways *ways, struct span blocks,
                        int64_t length) {
    struct span all = span_none();
    for (size_t i = 0; blocks.known && i < ways->count; i++) {
        struct span one =
            span_hull(tokens_printed(&ways->at[i], blocks.low, length),
                      tokens_printed(&ways->at[i], blocks.high, length));
        all = i == 0 ? one : span_hull(all, one);
    }
    return all;
}
