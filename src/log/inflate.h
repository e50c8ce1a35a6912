/* inflate.h: decompresses bytes by a codec that their first bytes name. Other
 * bytes are handed on as they are. */
#ifndef LOG_INFLATE_H
#define LOG_INFLATE_H

#include "base/arena.h"

/* Takes decompressed bytes. False: it wants no more. */
typedef bool (*bytes_fn)(void *ctx, struct str bytes);

struct inflater;

struct inflater *inflate_open(struct arena *a, bytes_fn on_bytes, void *ctx);
/* Raises FAIL_INPUT if the input is damaged before the first output, and
 * FAIL_CEILING if its window is too large. */
void inflate_feed(struct inflater *i, struct str bytes);
/* False if the compressed input was damaged or ended early. */
bool inflate_end(struct inflater *i);

#endif
