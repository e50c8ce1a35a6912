/* budget.h: what the other files of this house ask of the budget. */
#ifndef MEMORY_BUDGET_H
#define MEMORY_BUDGET_H

#include "memory/memory.h"

/* total x utilization - weights - activation - non-torch (- graphs, by
 * version): bytes for KV, may be negative. Unknown where a part is. */
struct span budget_pool(const struct inputs *c);

/* The same spelled out at its worst corner; empty where it is not known. */
struct str budget_write_pool(struct arena *a, const struct inputs *c);

/* One GPU: printed, else what the catalogue has seen. */
struct span gpu_total_bytes(const struct inputs *c);
#define BUDGET_PARTS_MAX 12
struct budget budget_begin(struct arena *a, const struct inputs *c);
/* What is not known, and nothing, is no part. */
void budget_add(struct budget *b, const char *part, struct span bytes,
                struct str source);
void budget_add_fact(struct arena *a, struct budget *b, const struct inputs *c,
                     const char *part, enum fact_name name);
struct str weights_source(struct arena *a, const struct inputs *c);

/* The part of vLLM's share that nobody printed; NULL: everything was. */
const char *budget_rest_name(const struct inputs *c);
/* total x utilization. */
struct span requested_bytes(const struct inputs *c);
/* Graphs of a server that captures them, where nothing is printed. */
struct span graph_bytes(const struct inputs *c);
/* What a model's run takes beside weights and KV, where nothing is printed. */
struct span workspace_bytes(const struct inputs *c);

#endif
