/* cursor.h: reads a text from left to right. A cursor_ function that takes what
 * it names returns true and moves behind it; otherwise the position stays.
 * ASCII only. */
#ifndef LOG_CURSOR_H
#define LOG_CURSOR_H

#include "base/str.h"

struct cursor {
    struct str text;
    size_t at;
};

/* '\0' at the end. */
static inline char cursor_peek(const struct cursor *c) {
    return c->at < c->text.n ? c->text.p[c->at] : '\0';
}

static inline bool cursor_ends(const struct cursor *c) {
    return c->at >= c->text.n;
}

static inline struct str cursor_rest(const struct cursor *c) {
    if (cursor_ends(c))
        return str_slice(c->text, c->at, 0);
    return (struct str){c->text.p + c->at, c->text.n - c->at};
}

static inline bool cursor_char(struct cursor *c, char wanted) {
    if (cursor_ends(c) || c->text.p[c->at] != wanted)
        return false;
    c->at++;
    return true;
}

static inline bool cursor_text(struct cursor *c, struct str wanted) {
    if (!str_starts(cursor_rest(c), wanted))
        return false;
    c->at += wanted.n;
    return true;
}

/* Returns the number of blanks and tabs taken, which may be 0. */
static inline size_t cursor_blanks(struct cursor *c) {
    size_t from = c->at;
    while (cursor_peek(c) == ' ' || cursor_peek(c) == '\t')
        c->at++;
    return c->at - from;
}

static inline bool cursor_digits(struct cursor *c, size_t least, size_t most) {
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

#endif
