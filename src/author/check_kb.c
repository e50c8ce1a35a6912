/* check_kb.c: engines, models, GPUs, labels and generated pages. */
#include <stdlib.h>

#include "author/check.h"
#include "author/files.h"
#include "author/author.h"
#include "author/read.h"

static void check_stage(struct build *d, const struct made *m,
                        const struct node *n, const struct stage_anchor *s) {
    const struct node *frame = node_get(n, "frame");
    const struct node *passed = node_get(n, "passed");
    for (size_t i = 0; i < s->set_count; i++)
        d->fact_used[s->set[i].name] = true;
    bool has_group = str_find(s->pattern, STR("(?<frame>")) < s->pattern.n;
    if (n->kind == NODE_MAP && s->stage.n == 0 && s->set_count == 0 &&
        !has_group)
        complain(&d->c, m->src, node_begin(n), CODE_missing_key,
                 "a stage tells something: `stage`, `set` or a group `frame`");
    if (n->kind == NODE_MAP && (frame == NULL) == (passed == NULL))
        complain(&d->c, m->src, node_begin(n), CODE_missing_key,
                 "a stage takes either `frame` or `passed`");
}

static void check_flag(struct build *d, const struct made *m,
                       const struct node *n, const struct flag *f) {
    const struct node *scale = node_get(n, "scale");
    enum fact_name name;
    int64_t factor;
    d->fact_used[f->fact] = true;
    if (scale == NULL || f->scale.n == 0)
        return;
    struct str group = arena_printf(d->a, "%s__%.*s", fact_spelling(f->fact),
                                    STR_ARG(f->scale));
    if (!fact_of_group(group, &name, &factor))
        complain(&d->c, m->src, scale->place, CODE_bad_group,
                 "`%.*s` is no scale of %s", STR_ARG(f->scale),
                 unit_spelling(fact_unit(f->fact)));
}

static void check_default(struct build *d, const struct made *m,
                          const struct node *n,
                          const struct engine_default *v) {
    struct fact read;
    const struct node *value = node_get(n, "value");
    d->fact_used[v->fact] = true;
    fact_read(v->fact, v->value, 1, &read);
    if (value != NULL && v->value.n > 0 && !read.known)
        complain(&d->c, m->src, value->place, CODE_bad_value,
                 "`%.*s` does not read as %s (%s)", STR_ARG(v->value),
                 fact_spelling(v->fact), unit_spelling(fact_unit(v->fact)));
}

static void check_contexts(struct build *d, const struct engine *e) {
    for (size_t i = 0; i < e->context_count; i++)
        for (size_t k = 0; k < e->contexts[i].set_count; k++)
            d->fact_used[e->contexts[i].set[k].name] = true;
}

void check_engine(struct build *d, const struct made *m) {
    const struct engine *e = m->what;
    const struct node *newest = node_get(m->node, "newest");
    check_contexts(d, e);
    for (size_t i = 0; i < e->stage_count; i++)
        check_stage(d, m, node_item(node_get(m->node, "stages"), i),
                    &e->stages[i]);
    for (size_t i = 0; i < e->flag_count; i++)
        check_flag(d, m, node_item(node_get(m->node, "flags"), i),
                   &e->flags[i]);
    for (size_t i = 0; i < e->default_count; i++)
        check_default(d, m, node_item(node_get(m->node, "defaults"), i),
                      &e->defaults[i]);
    if (newest != NULL && e->newest.n > 0 && !version_valid(e->newest))
        complain(&d->c, m->src, newest->place, CODE_bad_version,
                 "`%.*s` is no version", STR_ARG(e->newest));
}

static void complain_shape(struct build *d, const struct made *m,
                           const struct node *n, const char *why) {
    struct place place = node_or(n, m->node)->place;
    complain(&d->c, m->src, place, CODE_bad_shape, "%s", why);
}

/* The sum that a group's layers count in. A layer may have attention and a
 * state at once, and cross attention or an indexer besides, so each of these is
 * compared with the number of layers on its own. */
static int64_t *layer_sum(const struct kv_group *g, int64_t *attention,
                          int64_t *state, int64_t *beside) {
    switch (g->kind) {
    case KV_mla:
        if (g->ratio > 1) /* in addition to a window in the same layer */
            return beside;
        return attention;
    case KV_full:
    case KV_sliding:
    case KV_chunked:
        return attention;
    case KV_state:
        return state;
    case KV_cross:
    case KV_indexer:
    case KV_KIND_COUNT_OF:
        return beside;
    }
    return beside;
}

static void check_heads(struct build *d, const struct made *m,
                        const struct node *n, const struct kv_group *g) {
    bool is_one = g->kv_heads == 1 && g->v_dim == 0; /* shared key and value */
    bool has_heads = g->kv_heads > 0 && g->k_dim > 0
                     && (g->v_dim > 0 || is_one);
    if (!has_heads)
        complain_shape(d, m, n, "`kv_heads`, `k_dim`, `v_dim` are missing");
}

static void check_latent(struct build *d, const struct made *m,
                         const struct node *n, const struct kv_group *g) {
    if (g->latent_dim == 0)
        complain_shape(d, m, n, "an mla group has a `latent_dim`");
    if (g->rope_dim > g->latent_dim || g->rope_dim > g->k_dim)
        complain_shape(d, m, n, "`rope_dim` is a part of `latent_dim` and "
                                "of `k_dim`");
}

static void check_state(struct build *d, const struct made *m,
                        const struct node *n, const struct kv_group *g) {
    int64_t channels;
    bool ok = mul_i64(g->conv_groups, g->group_channels, &channels);
    if ((g->conv_channels > 0) != (g->conv_steps > 0))
        complain_shape(d, m, n, "`conv_channels` and `conv_steps` go together");
    if (g->conv_groups > 0 && (!ok || g->conv_channels <= channels))
        complain_shape(d, m, n, "more channels in groups than channels");
}

static void check_group(struct build *d, const struct made *m,
                        const struct node *n, const struct kv_group *g) {
    if (g->layers == 0)
        complain_shape(d, m, n, "a group of no layers");
    switch (g->kind) {
    case KV_sliding:
    case KV_chunked:
        if (g->window == 0)
            complain_shape(d, m, n,
                           "a sliding or chunked group has a `window`");
        check_heads(d, m, n, g);
        return;
    case KV_full:
    case KV_cross:
        check_heads(d, m, n, g);
        return;
    case KV_indexer:
        if (g->latent_dim == 0 && g->k_dim == 0)
            complain_shape(d, m, n, "an indexer group has a `latent_dim`, or a "
                                    "`k_dim` of the cache's type");
        return;
    case KV_mla:
        check_latent(d, m, n, g);
        return;
    case KV_state:
        check_state(d, m, n, g);
        return;
    case KV_KIND_COUNT_OF:
        return;
    }
}

void check_model(struct build *d, const struct made *m) {
    const struct model *model = m->what;
    const struct node *groups = node_get(m->node, "groups");
    int64_t attention = 0, state = 0, beside = 0;
    for (size_t i = 0; i < model->group_count; i++) {
        const struct kv_group *g = &model->groups[i];
        check_group(d, m, node_item(groups, i), g);
        if (model->heads > 0 && g->kv_heads > model->heads)
            complain_shape(d, m, node_item(groups, i),
                           "more KV heads than heads");
        int64_t *sum = layer_sum(g, &attention, &state, &beside);
        if (!add_i64(*sum, g->layers, sum))
            *sum = INT64_MAX;
    }
    if (model->layers > 0
        && (attention > model->layers || state > model->layers))
        complain_shape(d, m, groups, "its groups have more layers than it has");
    if (node_get(m->node, "layers") != NULL && model->layers == 0)
        complain_shape(d, m, node_get(m->node, "layers"),
                       "a model of no layers");
    if (model->params > 0 && model->embedding_params > model->params)
        complain_shape(d, m, node_get(m->node, "embedding_params"),
                       "more embedding parameters than parameters");
}

/* Drivers report a little less than is sold, and in GiB for GB. */
void check_gpu(struct build *d, const struct made *m) {
    const struct gpu *gpu = m->what;
    const struct node *total = node_get(m->node, "total");
    int64_t sold_gib, sold_gb;
    if (node_get(m->node, "nominal_gb") == NULL || gpu->nominal_gb == 0
        || !mul_i64(gpu->nominal_gb, INT64_C(1) << 30, &sold_gib)
        || !mul_i64(gpu->nominal_gb, 1000000000, &sold_gb)) {
        complain_shape(d, m, node_get(m->node, "nominal_gb"),
                       "a card of no memory, or of more than there is");
        return;
    }
    if (total != NULL && gpu->total_high > 0
        && (gpu->total_high > sold_gib || gpu->total_low < sold_gb / 2))
        complain_shape(d, m, total, "does not go with its nominal_gb");
}

void check_labels(struct build *d) {
    const struct corpus *c = &d->corpus;
    if (d->i18n_src[LANG_EN] == NULL)
        return;
    for (int i = 0; i < FACT_COUNT_OF; i++) {
        const char *name = fact_spelling((enum fact_name)i);
        struct str key = arena_printf(d->a, "fact.%s", name);
        if (!d->fact_used[i]
            || (c->message_count > 0
                && bsearch(&key, c->messages, c->message_count,
                           sizeof *c->messages, str_order) != NULL))
            continue;
        complain(&d->c, d->i18n_src[LANG_EN], (struct place){0},
                 CODE_fact_unlabelled, "`fact.%s` is missing: entries or "
                 "engines use that fact", name);
    }
}

static void check_page(struct build *d, const char *name, struct str now) {
    struct str path = path_join(d->a, d->kb_dir, str_of(name));
    struct str text = {0};
    const char *why;
    if (!file_exists(d->a, path) || !file_read(d->a, path, &text, &why)
        || str_eq(text, now))
        return;
    complain(&d->c, source_new(d->a, path, (struct str){0}),
             (struct place){0}, CODE_stale_docs,
             "generated by another compiler; `oomkb check --write-docs` "
             "makes it anew");
}

void check_layout(struct build *d, const struct made *m) {
    struct str text = layout_entry(d->c.scratch, m->src, m->node,
                                   path_folder(m->src->path));
    struct str is = m->src->text;
    size_t at = 0;
    while (at < is.n && at < text.n && is.p[at] == text.p[at])
        at++;
    if (at < is.n || at < text.n)
        complain(&d->c, m->src,
                 (struct place){source_place(m->src, at).line, 1, 1},
                 CODE_layout, "laid out in another way; `oomkb fmt` mends it");
}

void check_docs(struct build *d) {
    check_page(d, "FORMAT.md", author_format_page(d->a));
    check_page(d, "entry.schema.json", author_entry_schema(d->a));
}
