/* supply.c: see supply.h. */
#include "support/supply.h"

#include <stdint.h>
#include <stdlib.h>

void *supply_get(void *ctx, size_t bytes) {
    struct supply *s = ctx;
    if (s->left == 0) {
        s->left = s->is_once ? SIZE_MAX : 0;
        return NULL;
    }
    s->left--;
    s->held++;
    return malloc(bytes);
}

void supply_put(void *ctx, void *block) {
    struct supply *s = ctx;
    s->held -= block != NULL;
    free(block);
}
