/* catalogue.c: what follows from a group's parts. */
#include "corpus/catalogue.h"

#include "base/units.h"

enum { STATE_UNIT_BYTES = 2 }; /* state_bytes counts all of it in 16 bits */

bool kv_group_sum_state(struct kv_group *g) {
    int64_t conv, all, bytes;
    if (g->kind != KV_state || !mul_i64(g->conv_channels, g->conv_steps, &conv)
        || !add_i64(conv, g->state_elements, &all)
        || !mul_i64(all, STATE_UNIT_BYTES, &bytes))
        return false;
    g->state_bytes = bytes > 0 ? bytes : g->state_bytes;
    return bytes > 0;
}
