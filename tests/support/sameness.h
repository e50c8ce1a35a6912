/* sameness.h: two ways of scanning one log must come to the same. */
#ifndef SUPPORT_SAMENESS_H
#define SUPPORT_SAMENESS_H

#include "match/match.h"

struct scanning {
    enum scan_way way;
    size_t piece; /* bytes fed at a time */
    uint32_t threads;
    bool is_own; /* the image is part of the program */
};

/* Has it what a person tells of? That is looked for in short texts only, so it
 * depends on how a log is read. */
bool scan_has_prose(struct arena *a, struct str image,
                    const struct scan_result *found);
const struct scan_result *scan_so(struct arena *a, struct str image,
                                  struct str log, struct scanning how);
/* What the first has and the second has not, or otherwise, in words; NULL:
 * nothing. Streams count by who they are, orders by what comes first. */
const char *scan_difference(struct arena *a, const struct scan_result *x,
                            const struct scan_result *y);

#endif
