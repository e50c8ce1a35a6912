/* str.c: looking at bytes. Nothing here copies or allocates, and nothing looks
 * past s.n. Letters and blanks are ASCII's, whatever the locale. */
#include "base/str.h"

#include <string.h>

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool str_eq_nocase(struct str a, struct str b) {
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (lower(a.p[i]) != lower(b.p[i]))
            return false;
    return true;
}

int str_cmp(struct str a, struct str b) {
    size_t shorter = a.n < b.n ? a.n : b.n;
    int order = shorter ? memcmp(a.p, b.p, shorter) : 0;
    if (order != 0)
        return order;
    return (a.n > b.n) - (a.n < b.n);
}

size_t str_find(struct str s, struct str what) {
    if (what.n == 0)
        return 0;
    for (size_t at = 0; at + what.n <= s.n; at++) {
        const char *hit = memchr(s.p + at, what.p[0], s.n - what.n - at + 1);
        if (!hit)
            break;
        at = (size_t)(hit - s.p);
        if (memcmp(hit, what.p, what.n) == 0)
            return at;
    }
    return s.n;
}

static bool is_blank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct str str_trim(struct str s) {
    while (s.n && is_blank(s.p[0])) {
        s.p++;
        s.n--;
    }
    while (s.n && is_blank(s.p[s.n - 1]))
        s.n--;
    return s;
}

struct str str_cut(struct str s, char sep, struct str *rest) {
    size_t at = str_find_char(s, sep);
    *rest = str_slice(s, at + 1, s.n);
    return str_slice(s, 0, at);
}

bool str_to_int(struct str s, int64_t *value) {
    size_t i = s.n && (s.p[0] == '-' || s.p[0] == '+') ? 1 : 0;
    bool is_negative = i && s.p[0] == '-';
    if (i == s.n)
        return false;
    int64_t sum = 0;
    for (; i < s.n; i++) {
        if (s.p[i] < '0' || s.p[i] > '9')
            return false;
        int64_t digit = s.p[i] - '0';
        if (__builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, is_negative ? -digit : digit, &sum))
            return false;
    }
    *value = sum;
    return true;
}

/* FNV-1a of 64 bits. */
uint64_t str_hash(struct str s) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < s.n; i++) {
        hash ^= (unsigned char)s.p[i];
        hash *= UINT64_C(0x100000001b3);
    }
    return hash;
}
