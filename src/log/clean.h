/* clean.h: one line without what a terminal would obey. */
#ifndef LOG_CLEAN_H
#define LOG_CLEAN_H

#include "base/buf.h"

/* Returns s itself when there is nothing to do, else what it left in scratch
 * (which it clears first). Always valid UTF-8 without control bytes but \t. */
struct str clean_line(struct str s, struct buf *scratch);
/* Adds a character, if cleaning leaves it. */
void clean_put(struct buf *out, uint32_t cp);
/* Is there nothing in the line that cleaning changes? */
bool clean_is_plain(struct str s);

#endif
