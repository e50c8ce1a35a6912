/* value.c: {"job": 7, "stderr": "Traceback ...\n  File \"x.py\" ...\n"}
 *
 * The object may be printed over several lines, cut off, or of any shape: only
 * a key, the quotes and an escaped newline are needed. The log begins behind
 * the opening quote, with its own frames and marks. A string of one line is not
 * taken out.
 */
#include "log/value.h"

#include "base/utf8.h"
#include "log/cursor.h"

/* The offset of the closing quote of a string that begins at `from`, or s.n. */
static size_t string_end(struct str s, size_t from) {
    size_t i = from;
    while (i < s.n && s.p[i] != '"')
        i += s.p[i] == '\\' && i + 1 < s.n ? 2 : 1;
    return i < s.n ? i : s.n;
}

static bool take_hex(struct cursor *c, uint32_t *value) {
    *value = 0;
    for (int i = 0; i < 4; i++, c->at++) {
        int digit = hex_digit(cursor_peek(c));
        if (digit < 0)
            return false;
        *value = *value * 16 + (uint32_t)digit;
    }
    return true;
}

/* Reads an escape behind its backslash. */
static void put_escaped(struct cursor *c, struct buf *out) {
    char x = cursor_peek(c);
    uint32_t unit;
    c->at += !cursor_ends(c);
    struct cursor hex = *c;
    if (x == 'n')
        buf_add_char(out, '\n');
    else if (x == 't')
        buf_add_char(out, '\t');
    else if (x == 'r')
        buf_add_char(out, '\r');
    else if (x == 'u' && take_hex(&hex, &unit)) {
        utf8_put(out, unit);
        *c = hex;
    } else if (x != 'b' && x != 'f' && x != '\0')
        buf_add_char(out, x);
}

static void put_text(struct str text, struct buf *out) {
    struct cursor c = {text, 0};
    buf_clear(out);
    while (!cursor_ends(&c)) {
        struct str rest = cursor_rest(&c);
        size_t plain = str_find_char(rest, '\\');
        buf_add(out, str_slice(rest, 0, plain));
        c.at += plain;
        if (cursor_char(&c, '\\'))
            put_escaped(&c, out);
    }
}

/* True if the text has an escaped newline and is no Windows path with single
 * backslashes. */
static bool has_newline(struct str s) {
    bool is_path = s.n > 2 && is_letter(s.p[0]) && s.p[1] == ':' &&
                   s.p[2] == '\\' && (s.n == 3 || s.p[3] != '\\');
    for (size_t i = 0; i + 1 < s.n && !is_path; i++) {
        i += str_find_char(str_slice(s, i, s.n), '\\') + 1;
        if (i < s.n && s.p[i] == 'n')
            return true;
    }
    return false;
}

/* Finds the next `"key": "`; *at: behind it, where the string begins. */
static bool next_string(struct str line, size_t *at) {
    for (size_t i = *at; i < line.n; i++) {
        i += str_find(str_slice(line, i, line.n), STR("\":"));
        struct cursor c = {line, i + 2};
        cursor_blanks(&c);
        if (i < line.n && cursor_char(&c, '"')) {
            *at = c.at;
            return true;
        }
    }
    return false;
}

bool value_find(struct str line, struct buf *out, struct value *v) {
    size_t at = 0;
    if (str_find_char(line, '\\') == line.n)
        return false;
    while (next_string(line, &at)) {
        size_t end = string_end(line, at);
        struct str text = str_slice(line, at, end - at);
        if (has_newline(text)) {
            put_text(text, out);
            v->before = str_slice(line, 0, at);
            v->rest = str_slice(line, end, line.n);
            return true;
        }
        at = end;
    }
    return false;
}
