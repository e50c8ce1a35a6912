/* kv_packed.h: the caches of DeepSeek-V4 in vLLM. */
#ifndef MEMORY_KV_PACKED_H
#define MEMORY_KV_PACKED_H

#include "memory/variant.h"

/* A model whose latents are kept one row for several tokens. */
bool kv_packed_is(const struct model *m);

/* Fills the plan; leaves it unknown where the release has no such layout. */
void kv_packed_layout(const struct variant *w, enum layout_use use,
                      struct block_layout *p);

#endif
