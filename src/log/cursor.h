/* cursor.h: reading a text from left to right. Every cursor_ function takes
 * what it names and returns true, or leaves the place alone. */
#ifndef LOG_CURSOR_H
#define LOG_CURSOR_H

#include "base/str.h"

struct cursor {
    struct str text;
    size_t at;
};

bool is_digit(char c);
bool is_letter(char c);
bool is_word(char c); /* a letter, a digit, '_' */

char cursor_peek(const struct cursor *c); /* '\0' at the end */
bool cursor_ends(const struct cursor *c);
struct str cursor_rest(const struct cursor *c);
bool cursor_char(struct cursor *c, char wanted);
bool cursor_any(struct cursor *c, const char *wanted);
bool cursor_text(struct cursor *c, struct str wanted);
size_t cursor_blanks(struct cursor *c); /* how many, 0 included */
bool cursor_digits(struct cursor *c, size_t least, size_t most);
bool cursor_number(struct cursor *c, int64_t *value); /* up to 18 digits */
/* All up to a character of `stops` or the end; false if that is nothing. */
bool cursor_until(struct cursor *c, const char *stops, struct str *taken);

#endif
