/* kv_formula.c: the expressions behind kv_per_token and kv_needed. What is
 * printed here, reckoned by hand, gives what way_slope() and way_request()
 * say: a test does so. */
#include "memory/kv_formula.h"

#include "memory/case.h"
#include "memory/formula.h"
#include "memory/kv_row.h"
#include "memory/span.h"

#define TEXT_MAX 4096

static struct str number(struct arena *a, int64_t n) {
    return write_count(a, n);
}

/* H of a rank: "8 kv heads", "floor(8 kv heads / TP 2)", "1 kv head". */
static struct str write_heads(struct arena *a, int64_t heads, int64_t tp) {
    if (tp <= 1) {
        return arena_printf(a, "%lld kv heads", (long long)heads);
    }
    if (heads >= tp) {
        return arena_printf(a, "floor(%lld kv heads / TP %lld)",
                            (long long)heads, (long long)tp);
    }
    return STR("1 copied kv head");
}

/* The model's group that a set was made of, when it is the only one. */
static const struct kv_group *group_of(const struct way *w,
                                       const struct layer_set *s) {
    const struct kv_group *found = NULL;
    for (size_t i = 0; i < w->model->group_count; i++) {
        const struct kv_group *g = &w->model->groups[i];
        struct span row =
            kv_row_bytes(g, w->tp, w->kv_dtype, false, w->rules->latent);
        if (g->kind == KV_state || !row.known || row.low != s->row_bytes) {
            continue;
        }
        if (found &&
            (found->kv_heads != g->kv_heads || found->k_dim != g->k_dim)) {
            return NULL;
        }
        found = g;
    }
    return found;
}

/* One token in `rows` layers of a set. */
static struct str write_rows(struct arena *a, const struct way *w,
                             const struct layer_set *s, int64_t rows) {
    const struct kv_group *g = group_of(w, s);
    struct str n = number(a, rows), row = number(a, s->row_bytes);
    if (g && g->kind == KV_mla && s->row_bytes % g->latent_dim == 0) {
        return arena_printf(a, "%.*s layers x %lld latent x %lld bytes",
                            STR_ARG(n), (long long)g->latent_dim,
                            (long long)(s->row_bytes / g->latent_dim));
    }
    if (g && g->kind != KV_mla && g->kind != KV_indexer &&
        g->k_dim == g->v_dim && g->k_dim > 0) {
        int64_t heads = kv_heads_of_rank(g->kv_heads, w->tp);
        int64_t elements = 2 * heads * g->k_dim;
        struct str h = write_heads(a, g->kv_heads, w->tp);
        if (s->row_bytes % elements == 0) {
            return arena_printf(a, "2 x %.*s layers x %.*s x %lld x %lld bytes",
                                STR_ARG(n), STR_ARG(h), (long long)g->k_dim,
                                (long long)(s->row_bytes / elements));
        }
    }
    return arena_printf(a, "%.*s layers x %.*s bytes", STR_ARG(n),
                        STR_ARG(row));
}

/* The rows of one block, as the check at start charges them. */
static struct str write_packed(struct arena *a, const struct way *w,
                               const struct plan *p) {
    struct str tuple = number(a, p->tuple_bytes);
    struct str block = number(a, p->base_block_tokens * w->context_ranks);
    return arena_printf(a, "%lld layer tuples x %.*s bytes / %.*s",
                        (long long)p->layers_per_group, STR_ARG(tuple),
                        STR_ARG(block));
}

struct str write_slope(struct arena *a, const struct way *w) {
    struct plan p = way_plan(w, PLAN_CHECK);
    struct buf b;
    buf_init_in(&b, a, TEXT_MAX);
    if (p.is_packed) {
        return write_packed(a, w, &p);
    }
    if (w->keeps_all_states) { /* no row of its own: a page for each block */
        return (struct str){NULL, 0};
    }
    for (size_t i = 0; i < p.count; i++) {
        int64_t rows = way_rows_charged(w, &p, i);
        if (!kv_kind_grows(p.set[i].kind) || rows == 0) {
            continue;
        }
        struct str one = write_rows(a, w, &p.set[i], rows);
        buf_printf(&b, "%s%.*s", buf_str(&b).n ? " + " : "", STR_ARG(one));
    }
    struct str sum = buf_str(&b);
    if (w->context_ranks > 1 && sum.n > 0) {
        return arena_printf(a, "(%.*s) / %lld context ranks", STR_ARG(sum),
                            (long long)w->context_ranks);
    }
    return arena_str(a, sum);
}

/* Blocks of one layer, as vLLM reckons them. */
static struct str write_blocks(struct arena *a, const struct way *w,
                               const struct layer_set *s, int64_t tokens) {
    struct str n = number(a, tokens), window = number(a, s->window);
    struct str flight = number(a, w->tokens_in_flight);
    struct str block = number(a, s->block_tokens);
    switch (s->kind) {
    case KV_full:
    case KV_mla:
    case KV_indexer:
        if (w->context_ranks > 1) {
            return arena_printf(a, "ceil(ceil(%.*s / %lld context ranks) / "
                                   "%.*s)", STR_ARG(n),
                                (long long)w->context_ranks, STR_ARG(block));
        }
        return arena_printf(a, "ceil(%.*s / %.*s)", STR_ARG(n), STR_ARG(block));
    case KV_sliding:
        return arena_printf(a, "(ceil(min(%.*s - 1 + %.*s, %.*s) / %.*s) + 1)",
                            STR_ARG(window), STR_ARG(flight), STR_ARG(n),
                            STR_ARG(block));
    case KV_chunked:
        return arena_printf(a, "ceil(min(%.*s + %.*s, %.*s) / %.*s)",
                            STR_ARG(window), STR_ARG(flight), STR_ARG(n),
                            STR_ARG(block));
    case KV_state:
        if (w->keeps_all_states) {
            return arena_printf(a, "(ceil(%.*s / %.*s) + %lld)", STR_ARG(n),
                                STR_ARG(block),
                                (long long)(w->state_pages - 1));
        }
        return number(a, w->state_pages);
    case KV_cross:
        return arena_printf(a, "ceil(%.*s / %.*s)",
                            STR_ARG(s->window ? window : n), STR_ARG(block));
    case KV_KIND_COUNT_OF: break;
    }
    return (struct str){0};
}

static struct str write_layers(struct arena *a, const struct way *w,
                               const struct plan *p, int64_t tokens) {
    struct buf b;
    buf_init_in(&b, a, TEXT_MAX);
    for (size_t i = 0; i < p->count; i++) {
        const struct layer_set *s = &p->set[i];
        struct str blocks = write_blocks(a, w, s, tokens);
        int64_t bytes = s->kind == KV_state ? s->page_bytes
                                            : s->row_bytes * s->block_tokens;
        struct str n = number(a, s->count), page = number(a, bytes);
        buf_printf(&b, "%s%.*s layers x %.*s blocks x %.*s bytes",
                   buf_str(&b).n ? " + " : "", STR_ARG(n), STR_ARG(blocks),
                   STR_ARG(page));
    }
    return arena_str(a, buf_str(&b));
}

static struct str write_groups(struct arena *a, const struct way *w,
                               const struct plan *p, int64_t tokens) {
    struct buf b;
    bool first_only = w->rules->need == NEED_FIRST_GROUP;
    buf_init_in(&b, a, TEXT_MAX);
    for (size_t i = 0; i < p->count; i++) {
        const struct layer_set *s = &p->set[i];
        if (first_only && i != 0) {
            continue;
        }
        struct str blocks = write_blocks(a, w, s, tokens);
        struct str times = number(a, first_only ? 1 : s->groups);
        buf_printf(&b, "%s%.*s x %.*s", buf_str(&b).n ? " + " : "",
                   STR_ARG(times), STR_ARG(blocks));
    }
    struct str n = number(a, p->layers_per_group);
    struct str page = number(a, p->is_packed ? p->tuple_bytes
                                             : p->set[0].page_bytes);
    struct str sum = buf_str(&b);
    return arena_printf(a, "%.*s %s x %.*s bytes x (%.*s) blocks", STR_ARG(n),
                        p->is_packed ? "layer tuples" : "layers per group",
                        STR_ARG(page), STR_ARG(sum));
}

struct str write_request(struct arena *a, const struct way *w, int64_t tokens) {
    struct plan p = way_plan(w, PLAN_CHECK);
    if (!p.known) {
        return (struct str){0};
    }
    if (p.is_grouped && w->rules->need != NEED_LAYERS) {
        return write_groups(a, w, &p, tokens);
    }
    if (p.count == 1 && kv_kind_grows(p.set[0].kind) && w->context_ranks == 1) {
        struct str blocks = write_blocks(a, w, &p.set[0], tokens);
        struct str block = number(a, p.base_block_tokens);
        struct str slope = number(a, way_slope(w).low);
        return arena_printf(a, "%.*s blocks x %.*s x %.*s bytes",
                            STR_ARG(blocks), STR_ARG(block), STR_ARG(slope));
    }
    return write_layers(a, w, &p, tokens);
}
