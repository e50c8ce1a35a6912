/* utf8.h: a log is bytes in any encoding; the output of oomkb is valid
 * UTF-8. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/buf.h"
#include "base/str.h"

bool utf8_valid(struct str s);
/* Length of the character at the front (1 for a bad byte, 0 when empty);
 * *cp its code point, U+FFFD for a bad byte. */
size_t utf8_next(struct str s, uint32_t *cp);
/* Bytes of the whole characters at the front, at most `most`. */
size_t utf8_cut(struct str s, size_t most);
size_t utf8_bytes(uint32_t cp, char b[4]); /* returns the bytes written */
void utf8_put(struct buf *out, uint32_t cp);
/* The character that is shown for cp: control characters (not \n, \t) become
 * their visible pictures (U+2400...), and invisible characters that programs
 * act on (C1, direction marks, tags ...) become U+FFFD. */
uint32_t utf8_visible(uint32_t cp);
/* Append s with bad bytes as U+FFFD and all else as utf8_visible() has it: safe
 * for a terminal, a web page, a reader of JSON lines, and a language model. */
void utf8_clean(struct buf *out, struct str s);
bool utf8_is_printable(struct str s); /* ASCII without control characters */
/* A character, with its bytes and its columns on a terminal: East Asian wide
 * characters take two, combining ones none. */
struct utf8_char {
    uint32_t cp;
    size_t n, columns;
};
struct utf8_char utf8_char_at(struct str s, size_t at);
size_t utf8_width(struct str s); /* columns of all characters */

#endif
