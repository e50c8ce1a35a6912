/* shape.c: groups of layers, gathered one layer at a time, and what recurrent
 * ones keep. No number is trusted: products are taken only of what is
 * bounded. */
#include "memory/shape.h"
#include "memory/amount.h"

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

int64_t shape_window_period(struct str architecture) {
    static const struct {
        const char *begins;
        int64_t period;
    } known[] = {{"gemma2", 2},  {"gemma3n", 5}, {"gemma3", 6},
                 {"gemma4", 6},  {"cohere2", 4}, {"gpt_oss", 2},
                 {"gpt-oss", 2}, {"llama4", 4},  {"exaone4", 4},
                 {"olmo2", 4},   {"olmo3", 4},   {"smallthinker", 4},
                 {"afmoe", 4}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (str_starts(architecture, str_of(known[i].begins)))
            return known[i].period;
    return 0;
}

bool shape_is_encoder(struct str architecture) {
    return has_part(architecture, "bert") ||
           STR_IS_ONE(architecture, "mpnet", "electra", "gemma-embedding");
}

/* ---- recurrent layers ---- */

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
    if (shape_is_dim(k_heads) && shape_is_dim(k_dim) && shape_is_dim(v_heads) &&
        shape_is_dim(v_dim) && has_kernel(kernel)) {
        g.conv_channels = 2 * k_heads * k_dim + v_heads * v_dim;
        g.conv_steps = kernel - 1;
        g.state_elements = v_heads * v_dim * k_dim;
    }
    return g;
}

struct kv_group shape_mamba(const char *mixer, int64_t inner, int64_t groups,
                            int64_t size, int64_t kernel) {
    struct kv_group g = shape_state(mixer);
    if (shape_is_dim(inner) && (groups == 0 || shape_is_dim(groups)) &&
        shape_is_dim(size) && has_kernel(kernel)) {
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
    if (shape_is_dim(channels) && has_kernel(kernel)) {
        g.conv_channels = channels;
        g.conv_steps = kernel - 1;
    }
    return g;
}
