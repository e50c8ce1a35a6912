/* utf8.h: what a log holds is bytes; what leaves oomkb is valid UTF-8. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/buf.h"
#include "base/str.h"

bool utf8_valid(struct str s);
/* Length of the character at the front (1 for a bad byte, 0 when empty);
 * *cp its code point, U+FFFD for a bad byte. */
size_t utf8_next(struct str s, uint32_t *cp);
/* Bytes of the whole characters at the front, at most so many. */
size_t utf8_cut(struct str s, size_t most);
void utf8_put(struct buf *out, uint32_t cp);
/* Append s with bad bytes as U+FFFD and control characters (not \n, \t) as
 * their visible pictures (U+2400...), and what is obeyed or read but not seen
 * (C1, marks of direction, tags ...) as U+FFFD: safe for a terminal, a page, a
 * reader of JSON by lines, and a model that reads along. */
void utf8_clean(struct buf *out, struct str s);
bool utf8_is_printable(struct str s); /* ASCII alone, without control bytes */
/* Columns on a terminal: East Asian wide characters take two, combining none.
 */
size_t utf8_width(struct str s);

#endif
