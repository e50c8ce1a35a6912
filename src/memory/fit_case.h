/* fit_case.h: what the files of `fit` share. Private to them. */
#ifndef MEMORY_FIT_CASE_H
#define MEMORY_FIT_CASE_H

#include "memory/fit.h"

/* Defaults, catalogue, and intervals for what only a run would measure. */
void fit_complete(struct arena *a, struct fit_question *q);

/* KV of engines other than vLLM: fit_other.c. */
struct kv fit_other_kv(struct arena *a, const struct memory_case *c,
                       struct formulas *f);
/* Bytes that `tokens` of one request take there; unknown where it is. */
struct span fit_other_bytes(const struct memory_case *c, int64_t tokens);
/* Bytes for KV there. */
struct span fit_other_pool(const struct memory_case *c);

/* KV verdict and `needs` of a completed case: fit.c. */
struct kv fit_kv(struct arena *a, const struct memory_case *c,
                 struct formulas *f);
enum truth_fit fit_verdict(struct arena *a, const struct memory_case *c,
                           const struct kv *kv, int64_t requests);
struct budget fit_budget(struct arena *a, const struct memory_case *c,
                         const struct kv *kv);

/* fit_plan.c */
void fit_plan(struct arena *a, const struct fit_question *q, struct fit *fit);
/* fit_check.c */
void fit_check(const struct memory_case *c, struct fit *fit);

#endif
