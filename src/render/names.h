/* names.h: lists of what can be named: see names.c. */
#ifndef RENDER_NAMES_H
#define RENDER_NAMES_H

#include "render/render.h"

extern const char *const names_known[]; /* "models" ..., NULL-terminated */
/* Returns how many rows were written. Raises FAIL_USAGE for what is no such
 * list and for a format that shows none. */
size_t names_write(struct arena *a, struct reader *r, struct str what,
                   struct str format, const struct render_options *o,
                   struct buf *out);

#endif
