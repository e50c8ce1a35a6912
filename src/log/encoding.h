/* encoding.h: whatever Windows wrote, as UTF-8. */
#ifndef LOG_ENCODING_H
#define LOG_ENCODING_H

#include "base/buf.h"
#include "log/inflate.h"

struct decoder;

struct decoder *encoding_open(struct arena *a, bytes_fn on_bytes, void *ctx);
void encoding_feed(struct decoder *d, struct str bytes);
void encoding_end(struct decoder *d);

#endif
