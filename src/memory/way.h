/* way.h: one of the ways in which a log can be read. A log that leaves the
 * version, the step size or the pipeline stage open allows several; each is
 * fully determined, so its arithmetic is exact, and the answer is the hull.
 *
 *     case --ways_of--> way way way --way_request--> bytes bytes bytes --> span
 *
 * What the log prints rules ways out: those that do not give the printed need
 * are dropped. When none is left the model does not explain the log
 * (`agrees` is false) and only printed numbers may speak.
 */
#ifndef MEMORY_WAY_H
#define MEMORY_WAY_H

#include "memory/memory.h"
#include "memory/rules.h"

struct way {
    const struct kv_rules *rules;
    const struct model *model;
    struct str kv_dtype;
    int64_t block_tokens;
    int64_t tp, pp;
    bool is_large_stage; /* the pipeline stage with the larger share */
    int64_t tokens_in_flight;
    int64_t state_pages; /* 1; 2 with prefix caching */
    int64_t state_scale; /* 2: the state is kept in 32 bits */
    size_t first_group;  /* which kind of layer comes first */
};

struct ways {
    struct way *at;
    size_t count, cap;
    bool agrees; /* with what the log prints */
};

struct ways ways_of(struct arena *a, const struct memory_case *c);
/* A copy to change: the same readings with other settings. */
struct ways ways_copy(struct arena *a, const struct ways *ways);

/* Layers of one rank that keep the same cache, in blocks. */
struct layer_set {
    enum kv_kind kind;
    int64_t count;
    int64_t row_bytes;
    int64_t window;
    int64_t block_tokens; /* after pages were made equal */
    int64_t page_bytes;   /* of one layer; equal over all sets in a plan of
                             groups */
    int64_t groups;
};

#define SETS_MAX 12

struct plan {
    bool known;
    struct layer_set set[SETS_MAX];
    size_t count;
    bool is_grouped; /* hybrid: one page, several groups */
    int64_t layers_per_group;
    int64_t block_bytes; /* what one block takes over all layers of a rank */
    int64_t base_block_tokens;
};

/* all_stages: with every layer, as if there were one pipeline rank. */
struct plan way_plan(const struct way *w, bool all_stages);

/* Blocks that one layer of a set needs for a request. */
struct span way_blocks(const struct way *w, const struct layer_set *set,
                       int64_t block_tokens, int64_t tokens);

/* How often the row of set i is charged per token. */
int64_t way_rows_charged(const struct way *w, const struct plan *p, size_t i);

/* Bytes that the engine says one request of so many tokens needs. */
struct span way_request(const struct way *w, int64_t tokens);
/* Blocks of all groups that it takes in fact. */
struct span way_request_blocks(const struct way *w, int64_t tokens);
/* Most tokens of one request that so many bytes hold, up to ceiling. */
struct span way_longest(const struct way *w, int64_t pool, int64_t ceiling);
struct span way_block_bytes(const struct way *w);
struct span way_slope(const struct way *w); /* bytes per further token */

/* The same over all ways. */
struct span ways_request(const struct ways *ways, int64_t tokens);
struct span ways_request_blocks(const struct ways *ways, int64_t tokens);
struct span ways_longest(const struct ways *ways, struct span pool,
                         int64_t ceiling);
struct span ways_block_bytes(const struct ways *ways);
struct span ways_slope(const struct ways *ways);
/* Tokens that the pool holds, as the engine prints it for this length. */
struct span ways_tokens(const struct ways *ways, struct span blocks,
                        int64_t length);

#endif
