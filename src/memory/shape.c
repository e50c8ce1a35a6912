/* shape.c: groups of layers, gathered one layer at a time. */
#include "memory/shape.h"

static bool is_same(const struct kv_group *a, const struct kv_group *b) {
    return a->kind == b->kind && a->kv_heads == b->kv_heads &&
           a->k_dim == b->k_dim && a->v_dim == b->v_dim &&
           a->window == b->window && a->latent_dim == b->latent_dim &&
           a->state_bytes == b->state_bytes && a->ratio == b->ratio &&
           str_eq(a->mixer, b->mixer) && a->conv_channels == b->conv_channels;
}

void shape_add(struct arena *a, struct model *m, const struct kv_group *g) {
    if (g->layers <= 0) {
        return;
    }
    for (size_t i = 0; i < m->group_count; i++) {
        if (is_same(&m->groups[i], g)) {
            m->groups[i].layers += g->layers;
            return;
        }
    }
    struct kv_group *longer =
        arena_array(a, m->group_count + 1, sizeof *longer);
    for (size_t i = 0; i < m->group_count; i++) {
        longer[i] = m->groups[i];
    }
    longer[m->group_count++] = *g;
    m->groups = longer;
}
