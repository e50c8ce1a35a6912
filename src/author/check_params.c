/* check_params.c: a model's parameters counted again from its shape.
 *
 *     params = embeddings + others
 *            + for each layer: what it attends or keeps a state with
 *            + for each layer that has one: its feed-forward part
 *
 * and that has to be what the catalogue says, within 2 % (norms, biases and
 * rotary tables are left out). A wrong head count, a wrong width or embeddings
 * counted twice do not pass. Towers of multimodal models are taken as declared
 * (`other_params`). A shape that cannot be counted says why (`uncounted`), or
 * is marked `verified: recalled`.
 */
#include "author/check.h"

enum { PARTS_OF_TOLERANCE = 50 }; /* 2 % */

static int64_t plus(int64_t a, int64_t b) {
    int64_t sum;
    return add_i64(a, b, &sum) ? sum : INT64_MAX;
}

static int64_t times(int64_t a, int64_t b) {
    int64_t product;
    return mul_i64(a, b, &product) ? product : INT64_MAX;
}

static bool attends(enum kv_kind kind) {
    return kind != KV_state && kind != KV_indexer;
}

/* Queries, keys, values, output; the gate is part of the queries. */
static int64_t heads_params(const struct model *m, const struct kv_group *g) {
    int64_t queries = times(m->heads, g->k_dim);
    int64_t keys = times(g->kv_heads, plus(g->k_dim, g->v_dim));
    int64_t output = times(m->heads, g->v_dim);
    if (g->is_gated)
        queries = times(2, queries);
    return times(m->hidden_size, plus(plus(queries, keys), output));
}

/* The latent is made of the hidden state and spread out to every head. */
static int64_t latent_params(const struct model *m, const struct kv_group *g) {
    int64_t queries = times(m->heads, g->k_dim);
    int64_t spread =
        times(m->heads, plus(g->k_dim - g->rope_dim, g->v_dim));
    int64_t output = times(m->hidden_size, times(m->heads, g->v_dim));
    queries = g->q_rank > 0
                  ? times(g->q_rank, plus(m->hidden_size, queries))
                  : times(m->hidden_size, queries);
    return plus(plus(queries, output),
                plus(times(m->hidden_size, g->latent_dim),
                     times(g->latent_dim - g->rope_dim, spread)));
}

static int64_t layer_params(const struct model *m, const struct kv_group *g) {
    switch (g->kind) {
    case KV_full:
    case KV_sliding:
    case KV_chunked:
    case KV_cross:
        return heads_params(m, g);
    case KV_mla:
        return latent_params(m, g);
    case KV_state:
        return g->params;
    case KV_indexer:
    case KV_KIND_COUNT_OF:
        return 0;
    }
    return 0;
}

static int64_t mlp_params(const struct model *m, int64_t width) {
    return times(m->has_plain_mlp ? 2 : 3, times(m->hidden_size, width));
}

/* Experts, the shared one and the router. */
static int64_t moe_params(const struct model *m) {
    int64_t width = plus(times(m->experts, m->expert_size), m->shared_size);
    return plus(mlp_params(m, width), times(m->experts, m->hidden_size));
}

static int64_t dense_layers(const struct model *m) {
    int64_t all = m->mlp_layers > 0 ? m->mlp_layers : m->layers;
    return m->experts > 0 ? m->dense_layers : all;
}

static int64_t moe_layers(const struct model *m) {
    int64_t all = m->mlp_layers > 0 ? m->mlp_layers : m->layers;
    return m->experts > 0 ? all - m->dense_layers : 0;
}

/* A layer as the others are, and what joins it to the token before. */
static int64_t draft_params(const struct model *m) {
    int64_t layer = m->experts > 0 ? moe_params(m)
                                   : mlp_params(m, m->intermediate_size);
    for (size_t i = 0; i < m->group_count; i++)
        if (attends(m->groups[i].kind)) {
            layer = plus(layer, layer_params(m, &m->groups[i]));
            break;
        }
    return plus(layer, times(2, times(m->hidden_size, m->hidden_size)));
}

static int64_t shape_params(const struct model *m) {
    int64_t sum = plus(m->embedding_params, m->other_params);
    for (size_t i = 0; i < m->group_count; i++)
        sum = plus(sum, times(m->groups[i].layers,
                              layer_params(m, &m->groups[i])));
    sum = plus(sum, times(dense_layers(m),
                          mlp_params(m, m->intermediate_size)));
    sum = plus(sum, times(moe_layers(m), moe_params(m)));
    return plus(sum, times(m->draft_layers, draft_params(m)));
}

static const char *group_lacks(const struct model *m,
                               const struct kv_group *g) {
    if (g->kind == KV_state && g->params == 0)
        return "params of its state layers";
    if (g->kind == KV_mla
        && (g->k_dim == 0 || g->v_dim == 0 || g->rope_dim == 0))
        return "k_dim, v_dim and rope_dim of its mla layers";
    if (attends(g->kind) && m->heads == 0)
        return "heads";
    if (attends(g->kind) && dense_layers(m) > 0 && m->intermediate_size == 0)
        return "intermediate_size"; /* Mamba alone has none */
    return NULL;
}

/* The first key that the count cannot do without; NULL: all are there. */
static const char *lacks(const struct model *m) {
    const char *missing = NULL;
    if (m->embedding_params == 0)
        return "embedding_params";
    if (m->is_moe && m->experts == 0)
        return "experts";
    if (m->experts > 0 && m->expert_size == 0)
        return "expert_size";
    for (size_t i = 0; i < m->group_count && missing == NULL; i++)
        missing = group_lacks(m, &m->groups[i]);
    return missing;
}

static bool is_near(int64_t counted, int64_t said) {
    int64_t apart = counted > said ? counted - said : said - counted;
    return times(apart, PARTS_OF_TOLERANCE) <= said;
}

void check_params(struct build *d, const struct made *m) {
    const struct model *model = m->what;
    const struct node *params = node_get(m->node, "params");
    const char *missing = lacks(model);
    if (params == NULL || model->params == 0 || model->uncounted.n > 0)
        return;
    if (missing != NULL) {
        if (!str_eq(model->verified, STR("recalled")))
            complain(&d->c, m->src, params->place, CODE_miscounted,
                     "cannot be counted without %s: add it, or say why not "
                     "under `uncounted`", missing);
        return;
    }
    int64_t counted = shape_params(model);
    if (!is_near(counted, model->params))
        complain(&d->c, m->src, params->place, CODE_miscounted,
                 "the shape makes %lld, more than 2 %% away",
                 (long long)counted);
}
