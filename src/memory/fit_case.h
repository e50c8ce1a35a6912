/* fit_case.h: what the files of `fit` share. Private to them. */
#ifndef MEMORY_FIT_CASE_H
#define MEMORY_FIT_CASE_H

#include "memory/amount.h"
#include "memory/card.h"
#include "memory/engines.h"
#include "memory/fit.h"

/* Defaults, catalogue, and intervals for what only a run would measure. */
void fit_complete(struct arena *a, struct fit_question *q);

struct fact fit_derived(enum fact_name name, struct span s, const char *why);
/* Set a fact that is not known: to an amount; to a number or word. */
void fit_take(struct inputs *c, enum fact_name name, struct span s,
              const char *why);
void fit_take_default(struct inputs *c, enum fact_name name, int64_t n,
                      const char *word, const char *why);

/* KV of engines other than vLLM: engines.c. */
struct kv fit_other_kv(struct arena *a, const struct inputs *c,
                       struct formulas *f);
/* Longest request that surely and perhaps fits, up to `most`. */
struct span fit_other_longest(const struct inputs *c, int64_t most);

/* fit_training.c: of a case where training_is_run(). */
void fit_take_training(struct inputs *c);
void fit_training(struct arena *a, struct fit *fit);
/* All that one card holds. */
struct span fit_training_held(struct arena *a, const struct inputs *c);
enum truth_fit fit_training_verdict(struct arena *a, const struct inputs *c);

/* KV verdict and `needs` of a completed case: fit.c. */
struct kv fit_kv(struct arena *a, const struct inputs *c, struct formulas *f);
enum truth_fit fit_verdict(const struct inputs *c, const struct kv *kv,
                           int64_t requests);
/* Printed for one length; FACT_COUNT_OF ends them. */
extern const enum fact_name fit_of_this_length[];

/* The whole question, as far as its verdict goes, and nothing kept of it:
 * fit.c. */
enum truth_fit fit_verdict_of(struct arena *a, const struct fit_question *q,
                              struct kv *kv);

/* The question with the defaults that a completed case has found for it, to
 * be tried with a change. */
struct fit_question fit_with_defaults(const struct fit_question *q,
                                    const struct inputs *completed);

/* The longest request that the engine printed, in a log of this very case;
 * 0: none. It is finer than the rounded amounts beside it. */
int64_t fit_printed_length(struct arena *a, const struct inputs *c);

/* fit_plan.c: plans by effects, where the pool was given; fit_search.c: plans
 * by trying changes. */
void fit_search(struct arena *a, const struct fit_question *q, struct fit *fit);
/* In the order of tiers. */
void fit_add_plan(struct fit *fit, const struct fit_plan *plan);
void fit_plan(struct arena *a, const struct fit_question *q, struct fit *fit);
void fit_check(struct arena *a, const struct inputs *c, struct fit *fit);
/* True if the engine cuts the model into so many tensor-parallel ranks. */
bool fit_can_split(const struct inputs *c, int64_t ranks);

#endif
