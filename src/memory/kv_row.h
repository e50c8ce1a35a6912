/* kv_row.h: bytes that one token costs in one layer of one rank. */
#ifndef MEMORY_KV_ROW_H
#define MEMORY_KV_ROW_H

#include "memory/memory.h"
#include "memory/rules.h"

/* The data type of the cache: kv_cache_dtype, else the engine's dtype, else
 * the model's. Empty when nothing says. */
struct str kv_dtype_of(const struct inputs *c);
bool kv_dtype_is_said(const struct inputs *c); /* and not auto */
bool kv_dtype_is_fp8(struct str dtype);

/* KV heads that one rank keeps: heads / tp, one at least (replicated). */
int64_t kv_heads_of_rank(int64_t heads, int64_t tp);

/* has_indexer: the model is one of sparse attention, whose fp8 rows are
 * packed. State groups have no row. Unknown for types it does not know. */
struct span kv_row_bytes(const struct kv_group *g, int64_t tp, struct str dtype,
                         bool has_indexer, enum latent_rule latent);

/* The row of a latent layer in releases that knew no latents (until 0.7.1):
 * heads as wide as they are, or padded to 256 elements (until 0.7.0). */
struct span kv_row_spread(const struct kv_group *g, int64_t heads, int64_t tp,
                          struct str dtype, enum latent_rule latent);

#endif
