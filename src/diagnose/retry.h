/* retry.h: what a program that starts jobs asks of a report: is a change known
 * that is enough, and how does it read in the command's own words? */
#ifndef DIAGNOSE_RETRY_H
#define DIAGNOSE_RETRY_H

#include "diagnose/report.h"

struct retry {
    const struct finding *first; /* failure of the report; NULL: none */
    struct str_list argv;        /* corrected; empty: see why_not */
    struct str change;           /* "--max-model-len 40048" */
    const char *why_not;         /* a key of i18n */
};

/* engine: the one that argv starts, NULL where it is none. also_late: a server
 * that was ready, too. */
struct retry retry_find(struct arena *a, const struct report *rep,
                        const struct engine *engine,
                        const struct str_list *argv, bool also_late);

#endif
