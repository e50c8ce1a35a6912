/* clean.c: removes colours, control bytes, NULs and bad UTF-8 from a line.
 *
 * Colours come as ESC [ 1;36 m, and in pasted and forwarded logs with the ESC
 * written out ("\x1b[36m", "#033[36m", "^[[36m") or lost ("[1;36m"). Without an
 * ESC only what can be nothing else is a colour: "[5m]" is five minutes.
 *
 * Many NULs in a line are the other halves of UTF-16 (a shell appended to a
 * file in another encoding), NULs at its front are the hole that log rotation
 * left; both are removed. Any other NUL is data and becomes a blank. So does
 * U+00A0, which web pages use for blanks. U+200B and U+FEFF have no width and
 * are removed, and so is a carriage return that is written out.
 */
#include "log/clean.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "log/cursor.h"
#include "base/plain.h"

static bool is_between(char c, char low, char high) {
    return c >= low && c <= high;
}

/* Parameters and final byte of a control sequence, after "ESC [". */
static bool take_csi(struct cursor *c) {
    while (is_between(cursor_peek(c), ' ', '?'))
        c->at++;
    if (!is_between(cursor_peek(c), '@', '~'))
        return cursor_ends(c);
    c->at++;
    return true;
}

/* A title or a link: up to BEL or ESC \. */
static bool take_osc(struct cursor *c) {
    size_t end = c->at + OSC_BYTES_MAX;
    for (size_t i = c->at; i < c->text.n && i < end; i++) {
        bool is_st = c->text.p[i] == '\x1b' && i + 1 < c->text.n &&
                     c->text.p[i + 1] == '\\';
        if (c->text.p[i] == '\a' || is_st) {
            c->at = i + (is_st ? 2 : 1);
            return true;
        }
    }
    return false;
}

/* The rest of a sequence behind ESC. */
static void take_escape(struct cursor *c) {
    size_t from = c->at;
    bool is_whole = true;
    if (cursor_char(c, '[')) {
        is_whole = take_csi(c);
    } else if (cursor_char(c, ']')) {
        is_whole = take_osc(c);
    } else {
        while (is_between(cursor_peek(c), ' ', '/'))
            c->at++;
        if (is_between(cursor_peek(c), '0', '~'))
            c->at++;
        else
            is_whole = false;
    }
    if (!is_whole)
        c->at = from;
}

/* "[1;36m" and the like, "[K"; *is_plain: it has one number and may be text. */
static bool take_colour(struct cursor *c, bool *is_plain) {
    struct cursor try = *c;
    size_t numbers = 0;
    if (!cursor_char(&try, '['))
        return false;
    size_t from = try.at;
    do {
        if (!cursor_digits(&try, 0, 3))
            return false;
        numbers++;
    } while (cursor_char(&try, ';'));
    bool is_erase = try.at == from && cursor_char(&try, 'K');
    if (!is_erase && !cursor_char(&try, 'm'))
        return false;
    size_t width = try.at - from - 1;
    char first = from < c->text.n ? c->text.p[from] : '\0';
    bool is_known =
        width == 2 && (first == '3' || first == '4' || first == '9');
    *is_plain = numbers == 1 && !is_known && !(width == 1 && first == '0');
    *c = try;
    return true;
}

static const struct str spelled[] = {
    {"\\x1b", 4}, {"\\x1B", 4},   {"\\u001b", 6},       {"\\u001B", 6},
    {"\\033", 4}, {"\\e", 2},     {"#033", 4},          {"^[", 2},
    {"\\\\x1b", 5}, {"\\\\u001b", 7}, {"\xE2\x90\x9B", 3}, {"\xEF\xBF\xBD", 3},
};

/* A colour whose ESC is written out. */
static bool take_spelled(struct cursor *c) {
    for (size_t i = 0; i < sizeof spelled / sizeof spelled[0]; i++) {
        struct cursor try = *c;
        bool is_plain;
        if (cursor_text(&try, spelled[i]) && take_colour(&try, &is_plain)) {
            *c = try;
            return true;
        }
    }
    return false;
}

/* A colour whose ESC is lost. */
static bool take_bare(struct cursor *c) {
    struct cursor try = *c;
    bool is_plain;
    if (!take_colour(&try, &is_plain) || is_plain || cursor_peek(&try) == ']')
        return false;
    *c = try;
    return true;
}

/* Of the first two bytes of what is spelled. */
static bool may_be_spelled(char c, char next) {
    return c == '\\' || c == '#' || c == '^' ||
           (c == '\xE2' && next == '\x90') || (c == '\xEF' && next == '\xBF');
}

static bool is_plain_byte(char c) {
    return (c >= ' ' && c < 0x7F) || c == '\t';
}

static bool may_begin_colour(struct str s, size_t i) {
    char c = s.p[i];
    char next = i + 1 < s.n ? s.p[i + 1] : '\0';
    if (c == '[')
        return is_digit(next);
    if (c == '\\')
        return next == 'x' || next == 'u' || next == '0' || next == 'e' ||
               next == '\\';
    return (c == '#' && next == '0') || (c == '^' && next == '[');
}

/* A bit for each of these bytes that may be special; some of them are not.
 * next: the bytes one further on. */
static uint32_t may_be_special(plain_bytes here, plain_bytes next) {
    plain_bytes bad = plain_is_unprintable(here) & (here != '\t');
    plain_bytes colour = (here == '[') & (next >= '0') & (next <= '9');
    plain_bytes written = (here == '\\') | ((here == '#') & (next == '0')) |
                          ((here == '^') & (next == '['));
    return plain_bits(bad | colour | written);
}

/* True if a colour begins there. "[12/99]" is none. */
static bool is_colour(struct str s, size_t at) {
    struct cursor c = {s, at};
    return (s.p[at] != '[' && take_spelled(&c)) || take_bare(&c);
}

/* True if cleaning removes the character, or makes a blank of it. */
static bool is_changed(uint32_t cp) {
    bool is_control = (cp < 0x20 && cp != '\t') || (cp >= 0x7F && cp < 0xA0);
    return is_control || cp == 0xA0 || cp == 0x200B || cp == 0xFEFF;
}

/* Bytes of the character beyond ASCII that begins there, if cleaning leaves it
 * as it is; else 0. */
static size_t kept_character(struct str s, size_t i) {
    struct str rest = str_from(s, i);
    uint32_t cp;
    size_t n = utf8_next(rest, &cp);
    return n > 1 && !is_changed(cp) && !may_be_spelled(rest.p[0], rest.p[1])
               ? n : 0;
}

/* Bytes that are plain there: of one character; 0: it is special, as a control
 * byte is, or the beginning of a colour. */
static size_t plain_bytes_at(struct str s, size_t i) {
    if (s.p[i] < 0)
        return kept_character(s, i);
    return is_plain_byte(s.p[i]) &&
           !(may_begin_colour(s, i) && is_colour(s, i));
}

/* True if the line's last bytes, as many as a step has, are plain. */
static bool has_plain_end(struct str s) {
    const char *last = s.p + s.n - PLAIN_STEP;
    return s.n > PLAIN_STEP && is_plain_byte(s.p[s.n - 1]) &&
           may_be_special(plain_load(last - 1), plain_load(last)) == 0;
}

/* The offset up to which the line is plain. */
static size_t plain_run(struct str s, size_t from) {
    size_t i = from;
    while (i < s.n) {
        if (s.n - i > PLAIN_STEP) {
            uint32_t may = may_be_special(plain_load(s.p + i),
                                          plain_load(s.p + i + 1));
            i += may != 0 ? (size_t)__builtin_ctz(may) : PLAIN_STEP;
            if (may == 0)
                continue;
        } else if (has_plain_end(s)) {
            return s.n;
        }
        size_t n = plain_bytes_at(s, i);
        if (n == 0)
            break;
        i += n;
    }
    return i;
}

/* Removes a carriage return that an editor wrote out: "^M" at the end. */
static struct str without_return(struct str s) {
    return str_ends(s, STR("^M")) ? str_slice(s, 0, s.n - 2) : s;
}

bool clean_is_plain(struct str s) {
    return without_return(s).n == s.n && plain_run(s, 0) == s.n;
}

void clean_put(struct buf *out, uint32_t cp) {
    if (!is_changed(cp))
        utf8_put(out, cp);
    else if (cp == 0xA0)
        buf_add_char(out, ' ');
}

static void put_character(struct cursor *c, struct buf *out) {
    uint32_t cp;
    c->at += utf8_next(cursor_rest(c), &cp);
    clean_put(out, cp);
}

static size_t count_nuls(struct str s) {
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += s.p[i] == '\0';
    return n;
}

/* Reads one byte or sequence that is not plain. */
static void take_special(struct cursor *c, struct buf *out, bool drop_nuls) {
    if (cursor_char(c, '\0')) {
        if (!drop_nuls && out->n > 0)
            buf_add_char(out, ' ');
    } else if (cursor_char(c, '\x1b')) {
        take_escape(c);
    } else if (!take_spelled(c) && !take_bare(c)) {
        put_character(c, out);
    }
}

struct str clean_line(struct str line, struct buf *scratch) {
    struct str s = without_return(line);
    struct cursor c = {s, plain_run(s, 0)};
    if (c.at == s.n)
        return s;
    bool drop_nuls = count_nuls(s) * 5 >= s.n * 2;
    buf_clear(scratch);
    buf_add(scratch, str_slice(s, 0, c.at));
    while (!cursor_ends(&c)) {
        take_special(&c, scratch, drop_nuls);
        size_t end = plain_run(s, c.at);
        buf_add(scratch, str_slice(s, c.at, end - c.at));
        c.at = end;
    }
    return buf_str(scratch);
}
