/* clean.h: removes from a line what controls a terminal. */
#ifndef LOG_CLEAN_H
#define LOG_CLEAN_H

#include "base/buf.h"

/* Returns s itself if there is nothing to remove, else its rest in scratch,
 * which is cleared first. The result is valid UTF-8 without control bytes
 * except \t. */
struct str clean_line(struct str s, struct buf *scratch);
/* Adds a character unless cleaning removes it. */
void clean_put(struct buf *out, uint32_t cp);
/* True if clean_line() would return s itself. */
bool clean_is_plain(struct str s);

#endif
