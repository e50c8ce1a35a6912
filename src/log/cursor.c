/* cursor.c: small steps for the frame readers. ASCII only, no look-ahead
 * beyond what is asked for. */
#include "log/cursor.h"

#include <string.h>

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_word(char c) {
    return is_letter(c) || is_digit(c) || c == '_';
}

char cursor_peek(const struct cursor *c) {
    return c->at < c->text.n ? c->text.p[c->at] : '\0';
}

bool cursor_ends(const struct cursor *c) {
    return c->at >= c->text.n;
}

struct str cursor_rest(const struct cursor *c) {
    return str_slice(c->text, c->at, c->text.n);
}

bool cursor_char(struct cursor *c, char wanted) {
    if (cursor_ends(c) || c->text.p[c->at] != wanted)
        return false;
    c->at++;
    return true;
}

bool cursor_any(struct cursor *c, const char *wanted) {
    if (cursor_ends(c) || cursor_peek(c) == '\0' ||
        !strchr(wanted, cursor_peek(c)))
        return false;
    c->at++;
    return true;
}

bool cursor_text(struct cursor *c, struct str wanted) {
    if (!str_starts(cursor_rest(c), wanted))
        return false;
    c->at += wanted.n;
    return true;
}

size_t cursor_blanks(struct cursor *c) {
    size_t from = c->at;
    while (cursor_any(c, " \t"))
        continue;
    return c->at - from;
}

bool cursor_digits(struct cursor *c, size_t least, size_t most) {
    size_t n = 0;
    while (n < most && is_digit(cursor_peek(c))) {
        c->at++;
        n++;
    }
    if (n >= least)
        return true;
    c->at -= n;
    return false;
}

bool cursor_number(struct cursor *c, int64_t *value) {
    size_t from = c->at;
    if (!cursor_digits(c, 1, 18))
        return false;
    return str_to_int(str_slice(c->text, from, c->at - from), value);
}

bool cursor_until(struct cursor *c, const char *stops, struct str *taken) {
    size_t from = c->at;
    while (!cursor_ends(c)) {
        char here = cursor_peek(c);
        if (here == '\0' || strchr(stops, here))
            break;
        c->at++;
    }
    *taken = str_slice(c->text, from, c->at - from);
    return taken->n > 0;
}
