/* machine.h: what is known of the machine at hand, beside a log: see machine.c. */
#ifndef DIAGNOSE_MACHINE_H
#define DIAGNOSE_MACHINE_H

#include "index/index.h"

struct machine_fact {
    struct fact fact;  /* source machine; why: where it was read */
    struct str engine; /* whose version it is; empty: of none */
};

struct machine_list {
    const struct machine_fact *at;
    size_t count;
};

/* "gpu_total[gpu 0]=81559 MiB\tnvidia-smi": a fact, whose it is, its value as
 * it was printed, and where. An amount that cannot be read (N/A) is a fact
 * without a value. False and *why where it is no such line. */
bool machine_fact_read(struct arena *a, struct str text,
                       struct machine_fact *out, struct str *why);

/* Those that arithmetic may use, one for each name: what all cards have alike;
 * the version of that engine; what changes from moment to moment only where
 * the moment is now. gpu_total is what a program can get of the card. */
struct fact_list machine_settled(struct arena *a, struct reader *r,
                                 const struct machine_list *list,
                                 struct str engine, bool is_now);

#endif
