/* amount.h: reads values of a case and of its model, and writes the formulas
 * that show how a number was computed. */
#ifndef MEMORY_AMOUNT_H
#define MEMORY_AMOUNT_H

#include "memory/span.h"

/* ---- inputs: inputs.c ---- */

/* A list of facts, which FACT_COUNT_OF ends: as an initializer, as an argument.
 */
#define FACTS(...) {__VA_ARGS__, FACT_COUNT_OF}
#define FACT_LIST(...) ((const enum fact_name[])FACTS(__VA_ARGS__))

/* The number of a fact if it is known and above 0, else `otherwise`. */
int64_t setting_of(const struct inputs *c, enum fact_name name,
                   int64_t otherwise);
/* Ranks that share each layer, and stages that share the layers; 1 by default.
 */
int64_t tensor_ranks(const struct inputs *c);
int64_t pipeline_ranks(const struct inputs *c);
/* True if the fact is known and is not 0, is 0, is this word. */
bool is_on(const struct inputs *c, enum fact_name name);
bool is_off(const struct inputs *c, enum fact_name name);
bool word_is(const struct inputs *c, enum fact_name name, const char *word);
/* Makes facts unknown; FACT_COUNT_OF ends the names. */
void inputs_forget(struct inputs *c, const enum fact_name *names);
/* The first fact that is known; FACT_COUNT_OF if none is. */
enum fact_name inputs_first_known(const struct inputs *c,
                                  const enum fact_name *names);
/* The amount of that fact; unknown if none is. */
struct span first_known(const struct inputs *c, const enum fact_name *names);
/* True if one of them is known; is no default either; is printed in the log. */
bool inputs_knows_any(const struct inputs *c, const enum fact_name *names);
bool inputs_states_any(const struct inputs *c, const enum fact_name *names);
bool inputs_prints_any(const struct inputs *c, const enum fact_name *names);
/* True if the word contains the part, in any case of letters. */
bool has_part(struct str word, const char *part);
/* The size of the pool is known: then nothing is computed from the card. */
bool inputs_states_pool(const struct inputs *c);
bool inputs_is_eager(const struct inputs *c); /* no graphs are captured */
bool model_has(const struct model *m, enum kv_kind kind); /* m may be NULL */
bool kv_kind_is_window(enum kv_kind kind); /* or a chunk */
bool model_has_windows(const struct model *m); /* or chunks */
/* The cache of such a layer is as long as the request. */
bool kv_kind_grows(enum kv_kind kind);

/* ---- formulas: formula.c ----
 *
 *     name = expression = value unit [sources]
 *     kv_needed = ceil(40,960 tokens / 16) x 16 x 147,456 bytes = 5.62 GiB
 *         [max_model_len: log line 7; model: catalogue Qwen/Qwen3-4B]
 *
 * An expression holds numbers with thousands commas, + - x / ( ) floor()
 * ceil() min() max(), amounts with their unit, and words that are labels. It
 * may end in a comparison: "... = 31.27 GiB <= 31.44 GiB free". A test reads
 * every formula back and computes it. "; " separates several. */

/* A number of a formula, and how it is printed. */
struct term {
    enum term_kind {
        TERM_BYTES, /* "5.62 GiB" */
        TERM_SHORT, /* "53.3 MiB" */
        TERM_COUNT, /* "40,960" */
        TERM_RATIO, /* "0.95", of millionths */
        TERM_PLAIN, /* "4096" */
        TERM_SPAN,  /* "9.17 GiB", or "9.17 GiB to 9.37 GiB" */
        TERM_TEXT
    } kind;
    int64_t n, high;
    struct str text;
};
#define BYTES(n) ((struct term){TERM_BYTES, (n), 0, {0}})
#define SHORT(n) ((struct term){TERM_SHORT, (n), 0, {0}})
#define COUNT(n) ((struct term){TERM_COUNT, (n), 0, {0}})
#define RATIO(n) ((struct term){TERM_RATIO, (n), 0, {0}})
#define PLAIN(n) ((struct term){TERM_PLAIN, (n), 0, {0}})
#define BETWEEN(s) ((struct term){TERM_SPAN, (s).low, (s).high, {0}})
#define TEXT(s) ((struct term){TERM_TEXT, 0, 0, (s)})
#define MIDDLE(s) BYTES(span_middle(s))

struct str term_write(struct arena *a, struct term t);
/* The pattern with a term in the place of each %; empty where a is NULL. */
struct str formula_write(struct arena *a, const char *pattern,
                         const struct term *terms);
/* The same and where its numbers are from: " [max_model_len: log line 7; ...]",
 * of `used` what is known; the model where it is known and listed.
 * FACT_COUNT_OF ends them. */
struct str formula_with(struct arena *a, const struct inputs *c,
                        const enum fact_name *used, const char *pattern,
                        const struct term *terms);
#define FORMULA(a, pattern, ...)                                               \
    formula_write(a, pattern, (const struct term[]){__VA_ARGS__})
#define FORMULA_OF(a, c, used, pattern, ...)                                   \
    formula_with(a, c, used, pattern, (const struct term[]){__VA_ARGS__})

struct str write_bytes(struct arena *a, int64_t bytes);
struct str write_count(struct arena *a, int64_t n);

/* What failed, and at most so much that is allocated after it; empty where
 * either is not known. */
struct str write_margin(struct arena *a, const struct inputs *c,
                        struct span more);

/* Does nothing if f is NULL or the text is empty. */
void formula_put(struct arena *a, struct formulas *f, struct str text);
struct str formula_join(struct arena *a, struct str first, struct str second);

/* "log line 7", "default", "catalogue meta-llama/...", "given", "derived". */
struct str write_source(struct arena *a, const struct inputs *c,
                        enum fact_name name);

void needs_add(struct needs *needs, enum fact_name name);

#endif
