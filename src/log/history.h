/* history.h: what of a long log is kept to be read again. Private to log/. */
#ifndef LOG_HISTORY_H
#define LOG_HISTORY_H

#include "log/log.h"

struct history;

struct history *history_new(struct arena *a);
/* Decoded bytes, as they come. */
void history_add(struct history *h, struct str bytes);
/* What stands round this place is kept. */
void history_mark(struct history *h, uint64_t place);
/* Each stretch of whole lines that is kept is read, in order; is_all: of its
 * beginning and its end, else little of both. */
void history_each(const struct history *h, bool is_all,
                  struct log_reader *reader, void (*on_end)(void *ctx));

#endif
