/* str.c: functions over views. Nothing here copies, allocates or reads past
 * s.n. Letters and blanks are ASCII's in every locale. */
#include "base/str.h"

#include "base/plain.h"

#include <string.h>

bool str_eq_nocase(struct str a, struct str b) {
    if (a.n != b.n)
        return false;
    for (size_t i = 0; i < a.n; i++)
        if (to_lower(a.p[i]) != to_lower(b.p[i]))
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

int str_order(const void *x, const void *y) {
    return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

/* Byte by byte, for short texts. */
static size_t find_in_short(struct str s, struct str what) {
    for (size_t at = 0; at + what.n <= s.n; at++)
        if (memcmp(s.p + at, what.p, what.n) == 0)
            return at;
    return s.n;
}

/* Which of these places, a bit for each, have s: of those where its first and
 * its last byte stand. The number of the place; -1: none. */
static int first_place(const char *p, uint32_t may, struct str s) {
    for (; may != 0; may &= may - 1) {
        int i = __builtin_ctz(may);
        if (memcmp(p + i, s.p, s.n) == 0)
            return i;
    }
    return -1;
}

static size_t find_any(struct str s, struct str what) {
    size_t places = s.n - what.n + 1;
    const plain_bytes none = {0};
    plain_bytes first = none + (signed char)what.p[0];
    plain_bytes last = none + (signed char)what.p[what.n - 1];
    for (size_t at = 0; at < places; at += PLAIN_STEP) {
        if (at + PLAIN_STEP > places)
            at = places - PLAIN_STEP; /* overlaps the step before */
        const char *p = s.p + at;
        int i = first_place(p, plain_bits((plain_load(p) == first) &
                                          (plain_load(p + what.n - 1) == last)),
                            what);
        if (i >= 0)
            return at + (size_t)i;
    }
    return s.n;
}

/* The next step of a text from *at on that may have a place: a bit for each.
 * *at: behind it. */
PLAIN_WIDE static uint32_t next_wide(const char *text, size_t places,
                                     struct str what, size_t *at) {
    const plain_long none = {0};
    plain_long first = none + (signed char)what.p[0], here;
    plain_long last = none + (signed char)what.p[what.n - 1], behind;
    const char *end = text + places - PLAIN_LONG_STEP, *p = text + *at;
    uint32_t may = 0;
    for (; may == 0 && p < text + places; p += PLAIN_LONG_STEP) {
        p = p < end ? p : end; /* overlaps the step before */
        memcpy(&here, p, sizeof here);
        memcpy(&behind, p + what.n - 1, sizeof behind);
        here = (here == first) & (behind == last);
        may = plain_long_bits(&here, true);
    }
    *at = (size_t)(p - text);
    return may;
}

static size_t find_wide(struct str s, struct str what) {
    size_t places = s.n - what.n + 1, at = 0;
    while (at < places) {
        uint32_t may = next_wide(s.p, places, what, &at);
        int i = first_place(s.p + at - PLAIN_LONG_STEP, may, what);
        if (i >= 0)
            return at - PLAIN_LONG_STEP + (size_t)i;
    }
    return s.n;
}

size_t str_find(struct str s, struct str what) {
    if (what.n == 0)
        return 0;
    if (s.n < what.n + PLAIN_STEP - 1)
        return find_in_short(s, what);
    if (PLAIN_HAS_WIDE && s.n >= what.n + PLAIN_LONG_STEP - 1)
        return find_wide(s, what);
    return find_any(s, what);
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

struct str str_trim_end(struct str s, char c) {
    while (s.n > 1 && s.p[s.n - 1] == c)
        s.n--;
    return s;
}

struct str str_cut(struct str s, char sep, struct str *rest) {
    size_t at = str_find_char(s, sep);
    *rest = str_slice(s, at + 1, s.n);
    return str_slice(s, 0, at);
}

bool str_in(struct str s, const char *const *words) {
    while (*words != NULL && !str_eq(s, str_of(*words)))
        words++;
    return *words != NULL;
}

bool list_has(const struct str_list *list, struct str s) {
    for (size_t i = 0; i < list->count; i++)
        if (str_eq(list->at[i], s))
            return true;
    return false;
}

bool str_in_nocase(struct str s, const char *const *words) {
    while (*words != NULL && !str_eq_nocase(s, str_of(*words)))
        words++;
    return *words != NULL;
}

bool str_has(struct str s, const char *const *words) {
    while (*words != NULL && str_find(s, str_of(*words)) == s.n)
        words++;
    return *words != NULL;
}

bool str_lists(struct str list, char sep, struct str part) {
    while (list.n > 0)
        if (str_eq(str_trim(str_cut(list, sep, &list)), part))
            return true;
    return false;
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

size_t str_line_begin(struct str s, size_t at) {
    while (at > 0 && s.p[at - 1] != '\n')
        at--;
    return at;
}
