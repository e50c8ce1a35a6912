/* utf8.c: decoding and encoding UTF-8 (RFC 3629), replacing what is unsafe to
 * print, and the width in columns.
 *
 * Width follows Unicode's East Asian Width (W and F take two columns) and the
 * common combining ranges. It is not a full wcwidth(): a caret one column off
 * in rare scripts does no harm.
 */
#include "base/utf8.h"

#define REPLACEMENT 0xFFFDu

struct range {
    uint32_t first, last;
};

static const struct range wide[] = {
    {0x1100, 0x115F},   {0x2329, 0x232A},   {0x2E80, 0x303E},
    {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},
    {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6F},
    {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF},
    {0x20000, 0x3FFFD},
};

static const struct range no_width[] = {
    {0x0000, 0x001F}, {0x007F, 0x009F}, {0x0300, 0x036F}, {0x0483, 0x0489},
    {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F}, {0x0E34, 0x0E3A},
    {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E},
    {0x2060, 0x2069}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
    {0xFEFF, 0xFEFF},
};

/* Invisible characters that programs interpret: C1 controls, soft hyphen,
 * direction marks, zero-width characters, line separators that only
 * some programs know, tags that spell text. The joiner of an emoji (U+200D) and
 * its selectors (U+FE00..F) are not among them. */
static const struct range unseen[] = {
    {0x0080, 0x009F}, {0x00AD, 0x00AD}, {0x061C, 0x061C}, {0x180E, 0x180E},
    {0x200B, 0x200C}, {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2060, 0x206F},
    {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF},
};

/* The ranges ascend. */
static bool is_in(uint32_t cp, const struct range *ranges, size_t count) {
    size_t from = 0, to = count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (cp <= ranges[middle].last)
            to = middle;
        else
            from = middle + 1;
    }
    return from < count && cp >= ranges[from].first;
}

/* Length of the sequence that a lead byte begins; 0 if it begins none. */
static size_t announced(unsigned char lead) {
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        return 2;
    if (lead >= 0xE0 && lead <= 0xEF)
        return 3;
    return lead >= 0xF0 && lead <= 0xF4 ? 4 : 0;
}

/* Decode one character. False if it is invalid or incomplete. */
static bool decode(struct str s, uint32_t *cp, size_t *length) {
    static const unsigned char lead_mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char lead = (unsigned char)s.p[0];
    size_t n = announced(lead);
    if (n == 0 || n > s.n)
        return false;
    uint32_t c = lead & lead_mask[n];
    for (size_t i = 1; i < n; i++) {
        unsigned char next = (unsigned char)s.p[i];
        if ((next & 0xC0) != 0x80)
            return false;
        c = c << 6 | (next & 0x3Fu);
    }
    if (c < least[n] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
        return false;
    *cp = c;
    *length = n;
    return true;
}

bool utf8_valid(struct str s) {
    uint32_t cp;
    size_t n;
    for (size_t i = 0; i < s.n; i += n)
        if (!decode(str_slice(s, i, 4), &cp, &n))
            return false;
    return true;
}

size_t utf8_next(struct str s, uint32_t *cp) {
    size_t n = 1;
    *cp = REPLACEMENT;
    if (s.n == 0)
        return 0;
    if ((unsigned char)s.p[0] < 0x80) {
        *cp = (unsigned char)s.p[0];
        return 1;
    }
    if (!decode(s, cp, &n)) {
        *cp = REPLACEMENT;
        n = 1;
    }
    return n;
}

size_t utf8_cut(struct str s, size_t most) {
    size_t n = most < s.n ? most : s.n;
    while (n < s.n && n > 0 && ((unsigned char)s.p[n] & 0xc0) == 0x80)
        n--;
    return n;
}

size_t utf8_bytes(uint32_t cp, char b[4]) {
    if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
        cp = REPLACEMENT;
    size_t n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = n - 1; i > 0; i--) {
        b[i] = (char)(0x80 | (cp & 0x3F));
        cp >>= 6;
    }
    b[0] = (char)(lead[n] | cp);
    return n;
}

void utf8_put(struct buf *out, uint32_t cp) {
    char b[4];
    size_t n = utf8_bytes(cp, b);
    buf_add(out, (struct str){b, n});
}

uint32_t utf8_visible(uint32_t cp) {
    if (cp == '\n' || cp == '\t')
        return cp;
    if (cp < 0x20)
        return 0x2400 + cp;
    if (cp == 0x7F)
        return 0x2421;
    return is_in(cp, unseen, sizeof unseen / sizeof *unseen) ? REPLACEMENT : cp;
}

/* Printable ASCII bytes at the front. */
static size_t plain_run(struct str s) {
    size_t i = 0;
    while (i < s.n && s.p[i] >= ' ' && s.p[i] < 0x7F)
        i++;
    return i;
}

bool utf8_is_printable(struct str s) {
    return plain_run(s) == s.n;
}

void utf8_clean(struct buf *out, struct str s) {
    size_t i = 0;
    while (i < s.n) {
        size_t plain = plain_run(str_slice(s, i, s.n));
        buf_add(out, str_slice(s, i, plain));
        i += plain;
        if (i == s.n)
            break;
        uint32_t cp;
        i += utf8_next(str_slice(s, i, s.n), &cp);
        utf8_put(out, utf8_visible(cp));
    }
}

struct utf8_char utf8_char_at(struct str s, size_t at) {
    struct utf8_char c = {.columns = 1};
    c.n = utf8_next(str_from(s, at), &c.cp);
    if (c.cp >= ' ' && c.cp < 0x7F)
        return c;
    if (is_in(c.cp, wide, sizeof wide / sizeof wide[0]))
        c.columns = 2;
    else if (is_in(c.cp, no_width, sizeof no_width / sizeof no_width[0]))
        c.columns = 0;
    return c;
}

size_t utf8_width(struct str s) {
    size_t columns = 0;
    for (size_t at = 0; at < s.n;) {
        struct utf8_char c = utf8_char_at(s, at);
        columns += c.columns;
        at += c.n;
    }
    return columns;
}
