/* kv_packed.c: DeepSeek-V4. One layer has up to four caches, none of a size
 * with another, and all of them live in one pool of blocks:
 *
 *     window       64 tokens x 584 bytes         of every layer
 *     compressed   256 / ratio rows x 584        of most layers
 *     index        256 / 4 rows x 132            of those with ratio 4
 *     compressor   4 or 8 steps in 32 bits       of what is being compressed
 *
 *     584 = 448 in fp8 + 64 with rope in 16 bits + 8 of scales
 *
 * Each page is rounded up to 576 bytes. A block belongs to one group at a
 * time, so it is as wide as the widest group, not as all of them together.
 * Groups are cut to about equal numbers of layer tuples (common_size); what
 * the check at start charges is counted in such tuples, padding included.
 *
 * Sources: vllm/v1/core/kv_cache_utils.py (group_and_unify_kv_cache_specs,
 * _get_packed_kv_cache_layout), vllm/models/deepseek_v4/{attention,compressor}
 * .py, vllm/v1/attention/backends/mla/sparse_swa.py. It refuses what has no
 * such layout: releases that count otherwise, caches in 16 bits.
 */
#include "base/limits.h"
#include "memory/kv.h"
#include "memory/shape.h"

#define BLOCK_TOKENS 256 /* whatever --block-size is */
#define WINDOW_BLOCK 64
#define ROW_BYTES 584
#define PAGE_STEP 576
#define STATE_BYTES 4 /* of an element of a compressor */
#define INDEX_SCALE 4
#define ROW_MOST (1 << 20)
struct caches { /* layers of one rank */
    int64_t windows, window;
    int64_t dense, sparse; /* compressed by 4, by more */
    int64_t dense_ratio, sparse_ratio;
    int64_t indexes, index_bytes, latent;
};

bool kv_packed_is(const struct model *m) {
    for (size_t i = 0; m && i < m->group_count; i++)
        if (m->groups[i].kind == KV_mla && m->groups[i].ratio > 1)
            return true;
    return false;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t page(int64_t rows, int64_t bytes) {
    return ceil_div(rows * bytes, PAGE_STEP) * PAGE_STEP;
}

static struct caches count_caches(const struct variant *w,
                                  enum layout_use use) {
    struct caches c = {0};
    for (size_t i = 0; i < w->model->group_count; i++) {
        const struct kv_group *g = &w->model->groups[i];
        int64_t layers = variant_layers_of_stage(w, g->layers, use);
        bool is_dense = g->ratio <= 8;
        if (g->kind == KV_sliding) {
            c.windows += layers;
            c.window = g->window;
        } else if (g->kind == KV_indexer) {
            c.indexes += layers;
            c.index_bytes = g->latent_dim;
        } else if (g->kind == KV_mla && g->ratio > 1) {
            *(is_dense ? &c.dense : &c.sparse) += layers;
            *(is_dense ? &c.dense_ratio : &c.sparse_ratio) = g->ratio;
            c.latent = g->latent_dim;
        }
    }
    return c;
}

/* Of all sizes from the first number to the largest, the one that pads least
 * when every number is rounded up to it; the larger of equals. */
static int64_t common_size(const int64_t *numbers, size_t count) {
    int64_t most = 0, best = numbers[0], least_padding = INT64_MAX;
    for (size_t i = 0; i < count; i++)
        most = larger(most, numbers[i]);
    for (int64_t size = larger(numbers[0], 1); size <= most; size++) {
        int64_t padding = 0;
        for (size_t i = 0; i < count; i++)
            padding += (size - numbers[i] % size) % size;
        if (padding <= least_padding) {
            least_padding = padding;
            best = size;
        }
    }
    return best;
}

static void add(struct block_layout *p, struct layer_set s, int64_t tuples,
                int64_t size) {
    s.groups = ceil_div(tuples, size);
    if (s.count > 0)
        p->set[p->count++] = s;
}

static void add_window(struct block_layout *p, int64_t layers, int64_t window,
                       int64_t block_tokens, int64_t tuples, int64_t size) {
    add(p,
        (struct layer_set){.kind = KV_sliding,
                           .count = layers,
                           .window = window,
                           .block_tokens = block_tokens},
        tuples, size);
}

/* All that grows: compressed latents and their index, one table of blocks. */
static int64_t add_growing(const struct caches *c, struct block_layout *p,
                           int64_t size) {
    int64_t dense = page(BLOCK_TOKENS / c->dense_ratio, ROW_BYTES);
    int64_t sparse = page(BLOCK_TOKENS / c->sparse_ratio, ROW_BYTES);
    int64_t index = page(BLOCK_TOKENS / c->dense_ratio, c->index_bytes);
    p->tuple_bytes = dense + sparse + index;
    add(p,
        (struct layer_set){.kind = KV_mla,
                           .block_tokens = BLOCK_TOKENS,
                           .count = c->dense + c->sparse + c->indexes},
        1, size);
    return c->dense * dense + c->sparse * sparse + c->indexes * index;
}

/* A compressor remembers the tokens that it has not yet put into a row: one
 * ratio of them, two where rows overlap. */
static int64_t add_compressors(const struct caches *c, struct block_layout *p,
                               int64_t size) {
    int64_t wide = 2 * 2 * c->latent * STATE_BYTES;
    int64_t narrow = 2 * 2 * (c->index_bytes - INDEX_SCALE) * STATE_BYTES;
    int64_t single = 2 * c->latent * STATE_BYTES;
    add_window(p, c->dense + c->indexes, 2 * c->dense_ratio, 4, c->dense, size);
    add_window(p, c->sparse, c->sparse_ratio, 8, c->sparse, size);
    return larger(smaller(c->dense, size) * (page(4, wide) + page(4, narrow)),
                  smaller(c->sparse, size) * page(8, single));
}

/* A damaged catalogue may have any number; sizes are tried one by one below. */
static bool has_layout(const struct variant *w, const struct caches *c) {
    bool is_fp8 = kv_dtype_is_fp8(w->kv_dtype) || w->kv_dtype.n == 0 ||
                  w->is_kv_dtype_open;
    int64_t layers = larger(c->windows, larger(c->dense, c->sparse));
    bool is_bounded = layers <= SHAPE_LAYERS_MAX &&
                      larger(c->index_bytes, c->latent) <= ROW_MOST &&
                      c->sparse_ratio <= BLOCK_TOKENS;
    return is_fp8 && w->rules->need == NEED_GROUPS && is_bounded &&
           c->windows > 0 && c->dense > 0 && c->sparse > 0 &&
           c->indexes == c->dense && c->index_bytes > INDEX_SCALE &&
           BLOCK_TOKENS % c->dense_ratio == 0 &&
           BLOCK_TOKENS % c->sparse_ratio == 0;
}

void kv_packed_layout(const struct variant *w, enum layout_use use,
                      struct block_layout *p) {
    struct caches c = count_caches(w, use);
    if (!has_layout(w, &c))
        return;
    int64_t tuples[] = {larger(c.dense, c.sparse), c.windows, c.dense,
                        c.sparse};
    int64_t size = common_size(tuples, sizeof tuples / sizeof tuples[0]);
    int64_t widest = add_growing(&c, p, size);
    add_window(p, c.windows, c.window, WINDOW_BLOCK, c.windows, size);
    widest = larger(widest,
                    smaller(c.windows, size) * page(WINDOW_BLOCK, ROW_BYTES));
    widest = larger(widest, add_compressors(&c, p, size));
    p->known = p->is_grouped = p->is_packed = true;
    p->layers_per_group = size;
    p->base_block_tokens = BLOCK_TOKENS;
    p->block_bytes = widest;
    p->need_block_bytes = size * p->tuple_bytes;
}
