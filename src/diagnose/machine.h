/* machine.h: facts of the machine at hand, besides those of a log: see
 * machine.c. */
#ifndef DIAGNOSE_MACHINE_H
#define DIAGNOSE_MACHINE_H

#include "index/index.h"

struct machine_fact {
    struct fact fact;  /* its source is the machine; why: where it was read */
    struct str engine; /* the engine whose version this is; empty: no version of
                          an engine */
};

struct machine_list {
    const struct machine_fact *at;
    size_t count;
};

/* Reads "gpu_total[gpu 0]=81559 MiB\tnvidia-smi": a fact, its owner in
 * brackets, its printed value, and its source. An amount that cannot be read
 * (N/A) gives a fact without a value. False, with *why, for any other form. */
bool machine_fact_read(struct arena *a, struct str text,
                       struct machine_fact *out, struct str *why);

/* The facts that arithmetic may use, one for each name: those that all cards
 * have alike; the version of that engine; values that change from moment to
 * moment only if is_now. gpu_total is what a program can allocate on the
 * card. */
struct fact_list machine_settled(struct arena *a, struct reader *r,
                                 const struct machine_list *list,
                                 struct str engine, bool is_now);

#endif
