/* span.h: intervals of whole numbers, the only numbers of this layer. An
 * amount that a log prints is every value that prints so; an amount that
 * is not known is unknown; what does not fit into 64 bits is unknown too.
 * Every operation keeps the true value inside. */
#ifndef MEMORY_SPAN_H
#define MEMORY_SPAN_H

#include "memory/memory.h"

#define MICRO UNITS_MICRO
#define MIB (INT64_C(1) << 20)
#define GIB (INT64_C(1) << 30)

struct span span_none(void);
struct span span_exact(int64_t n);
struct span span_of(int64_t low, int64_t high);

/* A measured amount: the ends of what prints so. */
struct span span_of_fact(const struct fact *f);
struct span span_in(const struct inputs *c, enum fact_name name);
/* A setting: "0.9" is nine tenths, not all that rounds to it. Only a default
 * of an unknown version keeps its ends. */
struct span span_of_setting(const struct fact *f);

struct span span_plus(struct span a, struct span b);
struct span span_minus(struct span a, struct span b);
struct span span_times(struct span s, int64_t n);       /* n >= 0 */
struct span span_product(struct span a, struct span b); /* both >= 0 */
/* s x num / den, ends rounded outwards; num >= 0, den > 0. */
struct span span_share(struct span s, int64_t num, int64_t den);
/* s x [num.low, num.high] / den: from the least to the most. */
struct span span_shares(struct span s, struct span num, int64_t den);
/* 100 x what there is / what one takes, rounded down; there >= 0. */
struct span span_hundredths(struct span there, struct span one);
/* Whole ones of so many bytes that are there; there >= 0. */
struct span span_quotient(struct span there, struct span one);
/* From the low end of one to the high end of the other. */
struct span span_between(struct span low, struct span high);
struct span span_hull(struct span a, struct span b);
struct span span_or(struct span a, struct span b); /* a if known, else b */
/* Both hold: unknown ones yield, contradicting ones give the first. */
struct span span_meet(struct span a, struct span b);
struct span span_at_least(struct span s, int64_t floor_value);
/* What of `asked` there is no room for: asked - there, 0 at least. */
struct span span_beyond(struct span asked, struct span there);

bool span_is_exact(struct span s);
int64_t span_middle(struct span s);
/* The value inside with the most factors of two, ends >= 0: rows of a cache
 * are layers x heads x dims, so of all that prints alike it is the likeliest.
 */
int64_t span_roundest(struct span s);

/* Whether what is needed fits into what there is. At the worst corner: enough;
 * not even at the best: not enough; between: may be. Unknown where an end is.
 */
enum verdict span_fits(struct span asked, struct span limit);

#endif
