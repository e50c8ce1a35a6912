/* gang.h: one text is looked at by the sieves of several threads. Private to
 * match/. */
#ifndef MATCH_GANG_H
#define MATCH_GANG_H

#include "match/sieve.h"

#define GANG_MAX 16

struct gang;

/* threads: the caller's own counts; 1 or more, at most GANG_MAX of them. */
struct gang *gang_new(struct arena *a, const struct prefilter *f,
                      uint32_t threads);
/* As sieve_look(), and it tells of the same places whatever the number of
 * threads. found is called by the caller's own thread, part after part. */
void gang_look(struct gang *g, struct str text, size_t from, size_t to,
               sieve_fn found, void *ctx);

#endif
