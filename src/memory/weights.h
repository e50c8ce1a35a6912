/* weights.h: bytes of weights on one rank, also under other settings. */
#ifndef MEMORY_WEIGHTS_H
#define MEMORY_WEIGHTS_H

#include "memory/memory.h"

/* A weight in millionths of a byte: [low, high] with scales and zeros, and
 * what stays at 16 bits. Unknown for formats it does not know (gguf). */
struct span weight_micro(struct str quantization, struct str dtype);

/* Bits of the format's values: 16, 8, 4; 0 unknown. */
int64_t weight_bits(const struct inputs *c);

/* From the catalogue alone, under this TP, PP and quantization. */
struct span weights_computed(const struct inputs *c, int64_t tp, int64_t pp,
                             struct str quantization);
struct str quantization_of(const struct inputs *c);

/* Printed, else computed. */
struct span weights_bytes(const struct inputs *c);
/* One figure to show: printed, else parameters x width / ranks. */
struct span weights_nominal(const struct inputs *c);
/* Of the present weights, what another TP would leave on a rank. */
struct span weights_with_tp(const struct inputs *c, int64_t tp);
/* ... and another width: 8 or 4 bits. */
struct span weights_with_bits(const struct inputs *c, int64_t bits);

#endif
