/* sglang.h: the static share of SGLang and what its settings do.
 *
 *     |<------ base x mem_fraction_static ------>|
 *     | weights |          token pool            | graphs, activations |
 *
 * base: what was free before loading, a little less than the card. */
#ifndef MEMORY_SGLANG_H
#define MEMORY_SGLANG_H

#include "memory/effect.h"

/* mem_fraction_static: said, else what the release chooses for this card;
 * millionths. Unknown where the release's rule is. */
struct span sglang_fraction(const struct inputs *c);
/* What was free before loading, as far as the card tells. */
struct span sglang_base_bytes(const struct inputs *c);
/* Weights and pool together. */
struct span sglang_static_bytes(const struct inputs *c, int64_t micro);

effect_fn sglang_fraction_up, sglang_fraction_down;
/* A pool that is counted in tokens was short of them. */
effect_fn effect_of_tokens;

#endif
