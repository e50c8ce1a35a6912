/* kv_state.h: bytes that a recurrent layer keeps for one sequence, per rank. */
#ifndef MEMORY_KV_STATE_H
#define MEMORY_KV_STATE_H

#include "memory/memory.h"

/* What the engine's settings make of a state. */
struct state_setting {
    int64_t conv_bytes, recurrent_bytes; /* of one element; 0: as the group */
    int64_t draft_tokens; /* a convolution looks back on them too */
};

/* Of a model without parts in the catalogue: all in 16 bits, times scale. */
struct span kv_state_bytes(const struct kv_group *g, int64_t tp,
                           const struct state_setting *set, int64_t scale);

/* Of one element of the recurrent state: said by the user or the log, else
 * what the checkpoint asks for, else the model's type. 0: not known. */
struct state_setting kv_state_setting(const struct inputs *c,
                                      const struct kv_group *g);

#endif
