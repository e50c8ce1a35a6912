/* ledger.h: an allocator that remembers what is lent, so that all of it can be
 * put back as it was.
 *
 *     ledger_mark()      copies every block that is out
 *     ... blocks are written to, borrowed and returned ...
 *     ledger_restore()   the marked blocks hold what they held, those borrowed
 *                        since are gone, those returned since are out again
 *
 * So work can be tried to its end on the only copy there is, pointers and all,
 * and be taken back. What is no memory (a handle of a library) is not here: see
 * arena_release_to().
 */
#ifndef BASE_LEDGER_H
#define BASE_LEDGER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct ledger_block;

struct ledger {
    struct allocator lends; /* give this to who needs memory */
    const struct allocator *from;
    struct ledger_block *blocks;
    pthread_mutex_t lock; /* of blocks, and of from */
};

/* l must not move while it lends. Several threads may borrow and return at a
 * time; nobody may while it is marked or restored. False: no lock to be had. */
bool ledger_init(struct ledger *l, const struct allocator *from);
void ledger_end(struct ledger *l); /* once all is returned */
/* False, and nothing marked, when there is no memory for the copies. */
bool ledger_mark(struct ledger *l);
void ledger_restore(struct ledger *l); /* and no mark is set any more */

#endif
