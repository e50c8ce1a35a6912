/* encoding.h: decodes UTF-16, and UTF-8 with a byte order mark, to UTF-8. */
#ifndef LOG_ENCODING_H
#define LOG_ENCODING_H

#include "base/buf.h"
#include "log/inflate.h"
#include "log/kind.h"

struct decoder;

struct decoder *encoding_open(struct arena *a, bytes_fn on_bytes, void *ctx);
void encoding_feed(struct decoder *d, struct str bytes);
void encoding_end(struct decoder *d);
/* LOG_KIND_LOG until KIND_BYTES were fed or the input has ended. */
enum log_kind encoding_kind(const struct decoder *d);

#endif
