/* history.h: holds the decoded log: its last bytes as one contiguous text, and
 * the parts of a long log that may be read again. Private to log/. */
#ifndef LOG_HISTORY_H
#define LOG_HISTORY_H

#include "log/log.h"

struct history;

/* longest: bytes of the contiguous text that are usually needed. */
struct history *history_new(struct arena *a, size_t longest);
/* True if n more bytes fit behind the text. */
bool history_fits(const struct history *h, size_t n);
/* Makes room for n bytes. The text then begins at `place`; lines: that end
 * before it. */
void history_turn(struct history *h, uint64_t place, uint64_t lines, size_t n);
/* Adds the next bytes of the decoded input, which fit. */
void history_add(struct history *h, struct str bytes);
/* The byte at this place of the text. */
const char *history_at(const struct history *h, uint64_t place);
/* Keeps the text around this place. */
void history_mark(struct history *h, uint64_t place);
/* Reads what is kept, in order, and calls on_end after each contiguous part.
 * Only whole lines are read. is_all false: only a little of both ends. */
void history_read(const struct history *h, bool is_all,
                  struct log_reader *reader, void (*on_end)(void *ctx));

#endif
