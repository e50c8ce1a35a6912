/* snapshot.h: an allocator whose blocks can be saved and restored.
 *
 *     snapshot_take()    copies every block that is allocated
 *     ... blocks are written to, allocated and freed ...
 *     snapshot_restore() saved blocks have their old bytes, also those freed
 *                        since; blocks allocated since are freed
 *
 * So an operation can run to its end on the only copy of the data, pointers
 * included, and be undone. What is not memory (a handle of a library) is not
 * covered: see arena_release_to().
 */
#ifndef BASE_SNAPSHOT_H
#define BASE_SNAPSHOT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct snapshot_block;

struct snapshot_allocator {
    struct allocator allocator; /* for arenas and buffers */
    const struct allocator *from;
    struct snapshot_block *blocks;
    pthread_mutex_t lock; /* guards blocks and from */
};

/* s must not move while it is in use. Several threads may allocate and free at
 * a time, but not during snapshot_take() and snapshot_restore(). False: no
 * mutex could be created. */
bool snapshot_init(struct snapshot_allocator *s, const struct allocator *from);
void snapshot_end(struct snapshot_allocator *s); /* all blocks must be freed */
/* False, and nothing is saved, if there is no memory for the copies. */
bool snapshot_take(struct snapshot_allocator *s);
void snapshot_restore(struct snapshot_allocator *s); /* drops the snapshot */

#endif
