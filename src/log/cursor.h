/* cursor.h: reading a text from left to right. Every cursor_ function takes
 * what it names and returns true, or leaves the place alone. ASCII only, no
 * look-ahead beyond what is asked for; inline, since every line of a log is
 * tried against many readers of frames. */
#ifndef LOG_CURSOR_H
#define LOG_CURSOR_H

#include <string.h>

#include "base/str.h"

struct cursor {
    struct str text;
    size_t at;
};

static inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static inline bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A letter, a digit, '_'. */
static inline bool is_word(char c) {
    return is_letter(c) || is_digit(c) || c == '_';
}

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

static inline struct str cursor_since(const struct cursor *c, size_t from) {
    return str_slice(c->text, from, c->at - from);
}

static inline bool cursor_char(struct cursor *c, char wanted) {
    if (cursor_ends(c) || c->text.p[c->at] != wanted)
        return false;
    c->at++;
    return true;
}

/* One of the characters of `wanted`, which is short. */
static inline bool is_any(char c, const char *wanted) {
    while (*wanted != '\0' && *wanted != c)
        wanted++;
    return *wanted != '\0';
}

static inline bool cursor_any(struct cursor *c, const char *wanted) {
    if (cursor_ends(c) || !is_any(cursor_peek(c), wanted))
        return false;
    c->at++;
    return true;
}

/* str_starts() for a spelled-out prefix: compiled to a few comparisons. */
static inline bool starts_with(struct str s, struct str prefix) {
    return s.n >= prefix.n && s.p[0] == prefix.p[0] &&
           memcmp(s.p, prefix.p, prefix.n) == 0;
}

static inline bool cursor_text(struct cursor *c, struct str wanted) {
    if (!starts_with(cursor_rest(c), wanted))
        return false;
    c->at += wanted.n;
    return true;
}

/* How many, 0 included. */
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

/* Up to 18 digits. */
static inline bool cursor_number(struct cursor *c, int64_t *value) {
    size_t from = c->at;
    if (!cursor_digits(c, 1, 18))
        return false;
    return str_to_int(cursor_since(c, from), value);
}

/* All up to a character of `stops`, which are ASCII, a NUL or the end; false if
 * that is nothing. */
static inline bool cursor_until(struct cursor *c, const char *stops,
                                struct str *taken) {
    size_t from = c->at;
    uint64_t stop[2] = {1, 0};
    for (; *stops != '\0'; stops++)
        stop[*stops >> 6 & 1] |= UINT64_C(1) << (*stops & 63);
    for (; c->at < c->text.n; c->at++) {
        unsigned char here = (unsigned char)c->text.p[c->at];
        if (here < 0x80 && (stop[here >> 6] >> (here & 63) & 1) != 0)
            break;
    }
    *taken = cursor_since(c, from);
    return taken->n > 0;
}

#endif
