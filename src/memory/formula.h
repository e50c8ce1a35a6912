/* formula.h: the texts that show how a number came about.
 *
 *     name = expression = value unit [sources]
 *     kv_needed = ceil(40,960 tokens / 16) x 16 x 147,456 bytes = 5.62 GiB
 *         [max_model_len: log line 7; model: catalogue Qwen/Qwen3-4B]
 *
 * An expression holds numbers with thousands commas, + - x / ( ) floor()
 * ceil() min() max(), amounts with their unit, and words that are labels. It
 * may end in a comparison: "... = 31.27 GiB <= 31.44 GiB free". A test reads
 * every formula back and reckons it. Several stand apart by "; ".
 */
#ifndef MEMORY_FORMULA_H
#define MEMORY_FORMULA_H

#include "memory/memory.h"

struct str write_bytes(struct arena *a, int64_t bytes); /* "5.62 GiB" */
struct str write_short(struct arena *a, int64_t bytes); /* "53.3 MiB" */
/* The number alone in the unit of another, larger amount: "0.42" of 10.26 GiB;
 * with its own unit where it would be less than a thousandth of that. */
struct str write_as(struct arena *a, int64_t bytes, int64_t like);
struct str write_count(struct arena *a, int64_t n);     /* "40,960" */
struct str write_ratio(struct arena *a, int64_t micro); /* "0.95" */
/* "9.17 GiB", or "9.17 GiB to 9.37 GiB". */
struct str write_bytes_span(struct arena *a, struct span s);

/* What failed, and at most so much that is asked for after it; empty where
 * either is not known. */
struct str write_margin(struct arena *a, const struct memory_case *c,
                        struct span more);

/* f NULL: nobody asks. Empty texts are left out. */
void formula_put(struct arena *a, struct formulas *f, struct str text);
struct str formula_join(struct arena *a, struct str first, struct str second);

/* " [max_model_len: log line 7; ...]": the known ones of `names`, which ends
 * with FACT_COUNT_OF; the model where it is known and asked for. */
struct str write_sources(struct arena *a, const struct memory_case *c,
                         const enum fact_name *names);
/* "log line 7", "default", "catalogue meta-llama/...", "given", "derived". */
struct str write_source(struct arena *a, const struct memory_case *c,
                        enum fact_name name);

void needs_add(struct needs *needs, enum fact_name name);

#endif
