/* engine_kv.h: the KV cache of engines other than vLLM: what a token takes,
 * in which steps it is taken, and what there is for it. One row per engine,
 * each with the file of its source that says so.
 *
 *     | weights | rest: activations, context | x fraction |  KV  |  kept free |
 */
#ifndef MEMORY_ENGINE_KV_H
#define MEMORY_ENGINE_KV_H

#include "memory/memory.h"

/* llama.cpp and Ollama: everything is made at start, in cells. */
bool engine_is_llama(const struct memory_case *c);
/* PyTorch counts what it holds; elsewhere nothing lies "outside" of it. */
bool engine_has_torch(const struct memory_case *c);
/* A model that is larger than one card is laid over all of them, by layers,
 * without being told. */
bool engine_spreads_layers(const struct memory_case *c);

/* Tokens that a request takes at a time; 0: not known for this engine. */
int64_t engine_block_tokens(const struct memory_case *c);
/* Share of what is free that becomes KV; all of it where there is none. */
struct span engine_fraction(const struct memory_case *c); /* millionths */

/* Bytes of one further token, of `tokens` of one request (times the batch
 * where the engine takes one), and of what is there for all of them. */
struct span engine_kv_slope(const struct memory_case *c);
struct span engine_kv_bytes(const struct memory_case *c, int64_t tokens);
struct span engine_kv_pool(const struct memory_case *c);
/* Weights of one card, as far as they are on it. */
struct span engine_weights(const struct memory_case *c);
/* What the engine's share leaves to steps and graphs; unknown where it has no
 * share. */
struct span engine_left_over(const struct memory_case *c);
/* It can lay a layer over several cards. */
bool engine_splits_layers(const struct memory_case *c);

/* "32 layers x 8 kv heads x (128 + 128) x 2 bytes"; empty where there is no
 * one number. */
struct str engine_write_slope(struct arena *a, const struct memory_case *c);
/* "kv_available = (...)": the worst corner. */
struct str engine_write_pool(struct arena *a, const struct memory_case *c);

#endif
