/* kind.c: recognizes an input that is no log by its first bytes.
 *
 *     magic    "PK\3\4", "\x7fELF" ...   its kind is named (kind.def)
 *     none     control bytes that no text has, and bytes that are no UTF-8
 *              among them: binary
 *
 * A text may begin with the letters of a magic ("MZ", "BZh"). So a kind whose
 * magic is text must have other bytes behind it. A log with NULs at its front,
 * or in another encoding, is a log: it has no control bytes. */
#include "log/kind.h"

#include "base/utf8.h"

#define BINARY_LEAST 48 /* bytes; fewer prove nothing */

static const struct magic {
    enum log_kind kind;
    const char *name;
    size_t offset;
    struct str bytes;
} magics[] = {
#define KIND(id, offset, magic)                                               \
    {LOG_KIND_##id, #id, offset, {magic, sizeof magic - 1}},
#include "log/kind.def"
#undef KIND
};

static bool is_control(unsigned char c) {
    bool is_space = c >= '\a' && c <= '\r';
    return (c > 0 && c < ' ' && !is_space && c != '\x1b') || c == 0x7f;
}

struct odd_bytes {
    size_t control, nul, invalid;
};

static struct odd_bytes count_odd(struct str s) {
    struct odd_bytes odd = {0, 0, 0};
    while (s.n > 0) {
        uint32_t cp;
        size_t n = utf8_next(s, &cp);
        odd.control += is_control((unsigned char)s.p[0]);
        odd.nul += s.p[0] == '\0';
        odd.invalid += cp == 0xFFFD && n < 3;
        s = str_slice(s, n, s.n);
    }
    return odd;
}

/* Removes the NULs at the front of a log that was rotated while it was written.
 */
static struct str without_hole(struct str s) {
    while (s.n > 0 && s.p[0] == '\0')
        s = str_slice(s, 1, s.n);
    return s;
}

static bool is_binary(struct str head) {
    struct str s = without_hole(head);
    struct odd_bytes odd = count_odd(s);
    return s.n >= BINARY_LEAST && odd.control * 25 >= s.n &&
           (odd.nul + odd.invalid) * 8 >= s.n;
}

/* True if the input is of the kind. Behind a magic that begins with a letter
 * and has at most four bytes there must be bytes that no text has. */
static bool is_sure(const struct magic *m, struct str head) {
    struct odd_bytes odd = count_odd(str_slice(head, 0, 32));
    bool is_text = is_letter(m->bytes.p[0]) && m->offset == 0;
    return !is_text || m->bytes.n > 4 || odd.control + odd.nul > 1 ||
           odd.invalid > 1;
}

enum log_kind log_kind_of(struct str head) {
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++) {
        const struct magic *m = &magics[i];
        struct str rest = str_slice(head, m->offset, head.n);
        if (str_starts(rest, m->bytes) && is_sure(m, head))
            return m->kind;
    }
    return is_binary(head) ? LOG_KIND_binary : LOG_KIND_LOG;
}

const char *log_kind_name(enum log_kind kind) {
    for (size_t i = 0; i < sizeof magics / sizeof magics[0]; i++)
        if (magics[i].kind == kind)
            return magics[i].name;
    return kind == LOG_KIND_binary ? "binary" : NULL;
}
