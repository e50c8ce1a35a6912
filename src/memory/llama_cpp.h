/* llama_cpp.h: what llama.cpp, and Ollama with it, allocate at start and what
 * their settings change of it.
 *
 *     weights of -ngl layers | K and V of n_ctx cells | compute buffer (-ub)
 *
 * All three are buffers of fixed size, asked for one after the other. */
#ifndef MEMORY_LLAMA_CPP_H
#define MEMORY_LLAMA_CPP_H

#include "memory/effect.h"

/* Bytes of so many elements: "f16", "q8_0" ...; unknown for other types. */
struct span llama_type_bytes(struct str type, int64_t elements);
/* Cells that n_ctx becomes: padded to 32 or 256 by build. */
struct span llama_cells(const struct inputs *c, int64_t tokens);
/* K and V of every layer, of the types in force, and recurrent state. */
struct span llama_cache_bytes(const struct inputs *c, int64_t tokens);
/* One cell in one layer that keeps rows; unknown for a state. */
struct span llama_row_bytes(const struct inputs *c, const struct kv_group *g);
/* Of what all layers take, the part of one card: -ngl layers are on cards,
 * which share them evenly. */
struct span llama_share_of_cards(const struct inputs *c, struct span all);
struct span llama_weights_on_card(const struct inputs *c, struct span all);
/* The cache on one card, of the types in force. */
struct span llama_cache_on_card(const struct inputs *c, int64_t tokens);
/* The types in force: kv_cache_dtype ("q8_0", "q8_0,f16"), else f16. */
void llama_cache_types(const struct inputs *c, struct str *key,
                       struct str *value);
/* How many equal layers a printed buffer of the cache holds; 0: it is not
 * made of this model's layers. */
int64_t llama_layers_in(const struct inputs *c, struct span buffer);
/* The context whose whole cache on one card is exactly this buffer, where the
 * model's cache has one row per token; 0: none. */
int64_t llama_context_of(const struct inputs *c, struct span buffer);
/* Does all of the buffer grow with the context? */
bool llama_is_linear(const struct inputs *c, struct span buffer);
/* Heads x micro-batch x n_ctx: scores of one layer in 32 bits, which flash
 * attention does without. */
struct span llama_score_bytes(const struct inputs *c);
/* The compute buffer, of weights and cache of that context. */
struct span llama_compute_bytes(const struct inputs *c);

/* Of any engine's three settings that only llama.cpp has: the library's own
 * lines name no engine. */
effect_fn llama_effect;

#endif
