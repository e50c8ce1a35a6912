/* retry.h: for a program that starts jobs: finds a change that is enough, and
 * the corrected command as a list of words. */
#ifndef DIAGNOSE_RETRY_H
#define DIAGNOSE_RETRY_H

#include "diagnose/report.h"

struct retry {
    const struct finding *first; /* first failure of the report; NULL: none */
    struct str_list argv;        /* the corrected command; empty: see why_not */
    struct str change;           /* "--max-model-len 40032" */
    const char *why_not;         /* a key of i18n */
};

/* engine: the engine that argv starts; NULL: it starts none. also_late: also
 * retry a server that failed after it was ready. */
struct retry retry_find(struct arena *a, const struct report *rep,
                        const struct engine *engine,
                        const struct str_list *argv, bool also_late);

#endif
