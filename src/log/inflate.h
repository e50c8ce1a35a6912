/* inflate.h: compressed bytes to plain ones, told apart by their first bytes.
 * What is not compressed passes through. */
#ifndef LOG_INFLATE_H
#define LOG_INFLATE_H

#include "base/arena.h"

/* Takes plain bytes; false: no more are wanted. */
typedef bool (*bytes_fn)(void *ctx, struct str bytes);

struct inflater;

struct inflater *inflate_open(struct arena *a, bytes_fn on_bytes, void *ctx);
/* Raises FAIL_INPUT when nothing at all can be made of the input. */
void inflate_feed(struct inflater *i, struct str bytes);
/* Returns false when the compressed input was damaged or ended early. */
bool inflate_end(struct inflater *i);

#endif
