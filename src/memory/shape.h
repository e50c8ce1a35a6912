/* shape.h: a model that is in no catalogue, from its own description: a
 * Hugging Face config.json or the header of a GGUF file. Both give a struct
 * model of the arena; neither file is trusted: sizes are bounded, and what is
 * not known is left out, not guessed. They raise FAIL_INPUT with what is
 * missing. */
#ifndef MEMORY_SHAPE_H
#define MEMORY_SHAPE_H

#include "base/limits.h"
#include "memory/memory.h"

static inline bool shape_is_dim(int64_t n) {
    return n > 0 && n < MODEL_DIM_MAX;
}

/* Of an architecture whose files do not have it: every n-th layer is full, the
 * others see a window; 0: no such period is known. */
int64_t shape_window_period(struct str architecture);

/* BERT and what came of it, under the names of config.json and of GGUF. */
bool shape_is_encoder(struct str architecture);

/* A type of ggml, which a cache may have: bytes of a block of elements. */
struct ggml_type {
    uint32_t id;      /* in a GGUF file */
    const char *name; /* "q8_0"; NULL: no cache has it */
    int64_t bytes, elements;
};
const struct ggml_type *ggml_type_named(struct str name); /* NULL: no such */

/* Adds layers of a kind; equal ones become one group. */
void shape_add(struct arena *a, struct model *m, const struct kv_group *g);

/* One recurrent layer, without a state where a number is out of bounds. A
 * gated delta net: keys and queries, values; a state of every value head.
 * Mamba: inner channels and groups of B and C (none in the first). */
struct kv_group shape_state(const char *mixer);
struct kv_group shape_delta(const char *mixer, int64_t k_heads, int64_t k_dim,
                            int64_t v_heads, int64_t v_dim, int64_t kernel);
struct kv_group shape_mamba(const char *mixer, int64_t inner, int64_t groups,
                            int64_t size, int64_t kernel);
struct kv_group shape_convolution(int64_t channels, int64_t kernel);

/* name: of the file, for messages and as the model's id where it has none. */
const struct model *hf_config_model(struct arena *a, struct str text,
                                    struct str name);

bool gguf_is_one(struct str bytes);
/* bytes: the front of the file; metadata must be whole, tensors may be cut.
 * *weights_bytes: what the listed tensors take, 0 where the list is cut. */
const struct model *gguf_model(struct arena *a, struct str bytes,
                               struct str name, int64_t *weights_bytes);

#endif
