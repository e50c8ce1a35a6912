/* kv_formula.h: the KV arithmetic of one reading, spelled out. */
#ifndef MEMORY_KV_FORMULA_H
#define MEMORY_KV_FORMULA_H

#include "memory/way.h"

/* "2 x 36 layers x 8 kv heads x 128 x 2 bytes" over the kinds that grow. */
struct str write_slope(struct arena *a, const struct way *w);
/* "ceil(40,960 / 16) x 16 x 147,456 bytes", or the sum over groups. */
struct str write_request(struct arena *a, const struct way *w, int64_t tokens);

#endif
