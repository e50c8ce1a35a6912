/* card.h: what lies on one card: its parts, and bytes of weights on one rank,
 * also under other settings. */
#ifndef MEMORY_CARD_H
#define MEMORY_CARD_H

#include "memory/span.h"

/* ---- budget.c ---- */

/* total x utilization - weights - activation - non-torch (- graphs, by
 * version): bytes for KV, may be negative. Unknown where a part is. */
struct span budget_pool(const struct inputs *c);

/* Its formula at the worst corner; empty if it is not known. */
struct str budget_write_pool(struct arena *a, const struct inputs *c);

#define BUDGET_PARTS_MAX 12
struct budget budget_begin(struct arena *a, const struct inputs *c);
/* Adds a part, unless it is unknown or 0. */
void budget_add(struct budget *b, const char *part, struct span bytes,
                struct str source);
void budget_add_fact(struct arena *a, struct budget *b, const struct inputs *c,
                     const char *part, enum fact_name name);
struct str weights_source(struct arena *a, const struct inputs *c);

/* The part of vLLM's share that is not printed; NULL if everything is. */
const char *budget_rest_name(const struct inputs *c);
/* total x utilization. */
struct span requested_bytes(const struct inputs *c);
/* Graphs of a server that captures them, where nothing is printed. */
struct span graph_bytes(const struct inputs *c);
/* What a model's run takes beside weights and KV, where nothing is printed. */
struct span workspace_bytes(const struct inputs *c);

/* ---- weights.c ---- */

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
/* Of the present weights, what as many ranks would have each. */
struct span weights_over(const struct inputs *c, int64_t now, int64_t ranks);
/* ... and another width: 8 or 4 bits. */
struct span weights_with_bits(const struct inputs *c, int64_t bits);

#endif
