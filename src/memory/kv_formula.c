/* kv_formula.c: the expressions behind kv_per_token and kv_needed. What is
 * printed here, reckoned by hand, gives what way_slope() and way_request()
 * say: a test does so. */
#include "memory/kv_formula.h"

#include "memory/case.h"
#include "memory/formula.h"
#include "memory/kv_row.h"
#include "memory/span.h"

/* H of a rank: "8 kv heads", "floor(8 kv heads / TP 2)", "1 kv head". */
static struct str write_heads(struct arena *a, int64_t heads, int64_t tp) {
    if (heads < tp && tp > 1) {
        return STR("1 copied kv head");
    }
    return tp <= 1 ? FORMULA(a, "% kv heads", PLAIN(heads))
                   : FORMULA(a, "floor(% kv heads / TP %)", PLAIN(heads),
                             PLAIN(tp));
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
    if (g && g->kind == KV_mla && s->row_bytes % g->latent_dim == 0) {
        return FORMULA(a, "% layers x % latent x % bytes", COUNT(rows),
                       PLAIN(g->latent_dim),
                       PLAIN(s->row_bytes / g->latent_dim));
    }
    if (g && g->kind != KV_mla && g->kind != KV_indexer &&
        g->k_dim == g->v_dim && g->k_dim > 0) {
        int64_t elements = 2 * kv_heads_of_rank(g->kv_heads, w->tp) * g->k_dim;
        if (s->row_bytes % elements == 0) {
            return FORMULA(a, "2 x % layers x % x % x % bytes", COUNT(rows),
                           TEXT(write_heads(a, g->kv_heads, w->tp)),
                           PLAIN(g->k_dim), PLAIN(s->row_bytes / elements));
        }
    }
    return FORMULA(a, "% layers x % bytes", COUNT(rows), COUNT(s->row_bytes));
}

/* "first + next": empty ones are left out. */
static struct str add_up(struct arena *a, struct str sum, struct str next) {
    return sum.n == 0 ? next : FORMULA(a, "% + %", TEXT(sum), TEXT(next));
}

struct str write_slope(struct arena *a, const struct way *w) {
    struct plan p = way_plan(w, PLAN_CHECK);
    struct str sum = {0};
    if (p.is_packed) { /* one block, as the check at start charges it */
        return FORMULA(a, "% layer tuples x % bytes / %",
                       PLAIN(p.layers_per_group), COUNT(p.tuple_bytes),
                       COUNT(p.base_block_tokens * w->context_ranks));
    }
    if (w->keeps_all_states) { /* no row of its own: a page for each block */
        return sum;
    }
    for (size_t i = 0; i < p.count; i++) {
        int64_t rows = way_rows_charged(w, &p, i);
        if (kv_kind_grows(p.set[i].kind) && rows != 0) {
            sum = add_up(a, sum, write_rows(a, w, &p.set[i], rows));
        }
    }
    return w->context_ranks > 1 && sum.n > 0
               ? FORMULA(a, "(%) / % context ranks", TEXT(sum),
                         PLAIN(w->context_ranks))
               : sum;
}

/* Blocks of one layer, as vLLM reckons them. */
static struct str write_blocks(struct arena *a, const struct way *w,
                               const struct layer_set *s, int64_t tokens) {
    struct term n = COUNT(tokens), window = COUNT(s->window);
    struct term flight = COUNT(w->tokens_in_flight);
    struct term block = COUNT(s->block_tokens);
    switch (s->kind) {
    case KV_full:
    case KV_mla:
    case KV_indexer:
        return w->context_ranks > 1
                   ? FORMULA(a, "ceil(ceil(% / % context ranks) / %)", n,
                             PLAIN(w->context_ranks), block)
                   : FORMULA(a, "ceil(% / %)", n, block);
    case KV_sliding:
        return FORMULA(a, "(ceil(min(% - 1 + %, %) / %) + 1)", window, flight,
                       n, block);
    case KV_chunked:
        return FORMULA(a, "ceil(min(% + %, %) / %)", window, flight, n, block);
    case KV_state:
        return w->keeps_all_states ? FORMULA(a, "(ceil(% / %) + %)", n, block,
                                             PLAIN(w->state_pages - 1))
                                   : write_count(a, w->state_pages);
    case KV_cross:
        return FORMULA(a, "ceil(% / %)", s->window ? window : n, block);
    case KV_KIND_COUNT_OF: break;
    }
    return (struct str){0};
}

static struct str write_layers(struct arena *a, const struct way *w,
                               const struct plan *p, int64_t tokens) {
    struct str sum = {0};
    for (size_t i = 0; i < p->count; i++) {
        const struct layer_set *s = &p->set[i];
        int64_t bytes = s->kind == KV_state ? s->page_bytes
                                            : s->row_bytes * s->block_tokens;
        sum =
            add_up(a, sum,
                   FORMULA(a, "% layers x % blocks x % bytes", COUNT(s->count),
                           TEXT(write_blocks(a, w, s, tokens)), COUNT(bytes)));
    }
    return sum;
}

static struct str write_groups(struct arena *a, const struct way *w,
                               const struct plan *p, int64_t tokens) {
    bool first_only = w->rules->need == NEED_FIRST_GROUP;
    struct str sum = {0};
    for (size_t i = 0; i < (first_only ? 1 : p->count); i++) {
        const struct layer_set *s = &p->set[i];
        sum = add_up(a, sum,
                     FORMULA(a, "% x %", COUNT(first_only ? 1 : s->groups),
                             TEXT(write_blocks(a, w, s, tokens))));
    }
    const char *unit = p->is_packed ? "layer tuples" : "layers per group";
    return FORMULA(a, "% % x % bytes x (%) blocks", COUNT(p->layers_per_group),
                   TEXT(str_of(unit)),
                   COUNT(p->is_packed ? p->tuple_bytes : p->set[0].page_bytes),
                   TEXT(sum));
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
        return FORMULA(a, "% blocks x % x % bytes",
                       TEXT(write_blocks(a, w, &p.set[0], tokens)),
                       COUNT(p.base_block_tokens), COUNT(way_slope(w).low));
    }
    return write_layers(a, w, &p, tokens);
}
