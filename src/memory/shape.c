/* shape.c: groups of layers, gathered one layer at a time, and what recurrent
 * ones keep. Every number is a stranger's: products are taken only of what is
 * bounded. */
#include "memory/shape.h"

static bool is_same(const struct kv_group *a, const struct kv_group *b) {
    return a->kind == b->kind && a->kv_heads == b->kv_heads &&
           a->k_dim == b->k_dim && a->v_dim == b->v_dim &&
           a->window == b->window && a->latent_dim == b->latent_dim &&
           a->state_bytes == b->state_bytes && a->ratio == b->ratio &&
           str_eq(a->mixer, b->mixer) && a->conv_channels == b->conv_channels;
}

void shape_add(struct arena *a, struct model *m, const struct kv_group *g) {
    if (g->layers <= 0)
        return;
    for (size_t i = 0; i < m->group_count; i++) {
        if (is_same(&m->groups[i], g)) {
            m->groups[i].layers += g->layers;
            return;
        }
    }
    struct kv_group *longer =
        arena_array(a, m->group_count + 1, sizeof *longer);
    for (size_t i = 0; i < m->group_count; i++)
        longer[i] = m->groups[i];
    longer[m->group_count++] = *g;
    m->groups = longer;
}

/* ---- recurrent layers ---- */

static bool is_dim(int64_t n) {
    return n > 0 && n < 1000000;
}

struct kv_group shape_state(const char *mixer) {
    return (struct kv_group){
        .kind = KV_state, .layers = 1, .mixer = str_of(mixer)};
}

static bool has_kernel(int64_t kernel) {
    return kernel > 1 && kernel <= 1000;
}

struct kv_group shape_delta(const char *mixer, int64_t k_heads, int64_t k_dim,
                            int64_t v_heads, int64_t v_dim, int64_t kernel) {
    struct kv_group g = shape_state(mixer);
    if (is_dim(k_heads) && is_dim(k_dim) && is_dim(v_heads) && is_dim(v_dim) &&
        has_kernel(kernel)) {
        g.conv_channels = 2 * k_heads * k_dim + v_heads * v_dim;
        g.conv_steps = kernel - 1;
        g.state_elements = v_heads * v_dim * k_dim;
    }
    return g;
}

struct kv_group shape_mamba(const char *mixer, int64_t inner, int64_t groups,
                            int64_t size, int64_t kernel) {
    struct kv_group g = shape_state(mixer);
    if (is_dim(inner) && (groups == 0 || is_dim(groups)) && is_dim(size) &&
        has_kernel(kernel)) {
        g.conv_channels = inner + 2 * groups * size;
        g.conv_steps = kernel - 1;
        g.conv_groups = groups;
        g.group_channels = groups > 0 ? 2 * size : 0;
        g.state_elements = inner * size;
    }
    return g;
}

struct kv_group shape_convolution(int64_t channels, int64_t kernel) {
    struct kv_group g = shape_state("conv");
    if (is_dim(channels) && has_kernel(kernel)) {
        g.conv_channels = channels;
        g.conv_steps = kernel - 1;
    }
    return g;
}
