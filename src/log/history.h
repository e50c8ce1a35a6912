/* history.h: keeps the parts of a long log that may be read again. Private to
 * log/. */
#ifndef LOG_HISTORY_H
#define LOG_HISTORY_H

#include "log/log.h"

struct history;

struct history *history_new(struct arena *a);
/* Adds the next bytes of the decoded input. */
void history_add(struct history *h, struct str bytes);
/* Keeps the text around this place. */
void history_mark(struct history *h, uint64_t place);
/* Reads what is kept, in order, and calls on_end after each contiguous part.
 * Only whole lines are read. is_all false: only a little of both ends. */
void history_read(const struct history *h, bool is_all,
                  struct log_reader *reader, void (*on_end)(void *ctx));

#endif
