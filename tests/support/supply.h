/* supply.h: memory that ends. A pair of functions as struct allocator and
 * oomkb_options take them; ctx is a struct supply. */
#ifndef SUPPORT_SUPPLY_H
#define SUPPORT_SUPPLY_H

#include <stdbool.h>
#include <stddef.h>

struct supply {
    size_t left; /* blocks that it gives before it refuses; SIZE_MAX: all */
    size_t held; /* blocks that were not given back */
    bool is_once; /* it refuses one block alone */
};

void *supply_get(void *ctx, size_t bytes);
void supply_put(void *ctx, void *block);

#endif
