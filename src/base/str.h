/* str.h: a view of bytes that it does not own. It need not be NUL-terminated
 * and may hold NUL; {NULL, 0} is the empty string. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
    const char *p;
    size_t n;
};

struct str_list {
    struct str *at;
    size_t count;
};

#define STR(literal) ((struct str){(literal), sizeof(literal) - 1})
#define STR_ARG(s) (int)(s).n, (s).p /* for %.*s */

/* These run on every line, most often with a literal, so they are inline: the
 * compiler then knows the literal's length. */

/* NULL gives the empty string. */
static inline struct str str_of(const char *nul_terminated) {
    return (struct str){nul_terminated,
                        nul_terminated ? strlen(nul_terminated) : 0};
}

static inline bool str_eq(struct str a, struct str b) {
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_starts(struct str s, struct str prefix) {
    return s.n >= prefix.n &&
           (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

static inline bool str_ends(struct str s, struct str suffix) {
    return s.n >= suffix.n &&
           (suffix.n == 0 ||
            memcmp(s.p + (s.n - suffix.n), suffix.p, suffix.n) == 0);
}

/* Bytes [from, from + n), clamped to the end of s. */
static inline struct str str_slice(struct str s, size_t from, size_t n) {
    if (from >= s.n)
        return (struct str){s.p ? s.p + s.n : NULL, 0};
    return (struct str){s.p + from, n < s.n - from ? n : s.n - from};
}

/* The bytes from `at` on. */
static inline struct str str_from(struct str s, size_t at) {
    return str_slice(s, at, s.n);
}

/* The offset of the first c; s.n when absent. */
static inline size_t str_find_char(struct str s, char c) {
    const char *hit = s.n ? (const char *)memchr(s.p, c, s.n) : NULL;
    return hit ? (size_t)(hit - s.p) : s.n;
}

bool str_eq_nocase(struct str a, struct str b); /* ASCII */
int str_cmp(struct str a, struct str b);        /* bytewise */
/* str_cmp() for qsort() and bsearch() over structs that begin with a str. */
int str_order(const void *x, const void *y);
size_t str_find(struct str s, struct str what); /* s.n when absent */
size_t str_line_begin(struct str s, size_t at); /* of the line with byte at */
struct str str_trim(struct str s);              /* ASCII blanks */
/* Without the c's at its end; a string of c's alone keeps one. */
struct str str_trim_end(struct str s, char c);
/* Cut s at the first sep: returns the part before it, *rest the part after it
 * (empty if there is none). */
struct str str_cut(struct str s, char sep, struct str *rest);
bool str_to_int(struct str s, int64_t *value); /* whole string, decimal */
/* True if s is one of these words. NULL ends the list. */
bool str_in(struct str s, const char *const *words);
#define STR_IS_ONE(s, ...)                                                     \
    str_in(s, (const char *const[]){__VA_ARGS__, NULL})
bool list_has(const struct str_list *list, struct str s);
bool str_in_nocase(struct str s, const char *const *words);
/* True if s contains one of these words. NULL ends the list. */
bool str_has(struct str s, const char *const *words);
#define STR_HAS_ONE(s, ...)                                                    \
    str_has(s, (const char *const[]){__VA_ARGS__, NULL})
/* True if `part` is an item of a list such as "a, b". Blanks round items do
 * not count. */
bool str_lists(struct str list, char sep, struct str part);
uint64_t str_hash(struct str s); /* FNV-1a, stable across runs */

/* ASCII in every locale. */
static inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
static inline bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
static inline bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
static inline bool is_letter(char c) {
    return is_upper(c) || is_lower(c);
}
static inline bool is_word(char c) {
    return is_letter(c) || is_digit(c) || c == '_';
}
static inline char to_lower(char c) {
    return is_upper(c) ? (char)(c - 'A' + 'a') : c;
}
/* True if c is one of the characters of `wanted`, which is short; false for
 * '\0'. */
static inline bool is_any(char c, const char *wanted) {
    while (*wanted != '\0' && *wanted != c)
        wanted++;
    return *wanted != '\0';
}
/* The value of a hexadecimal digit; -1 if c is not one. */
static inline int hex_digit(char c) {
    if (is_digit(c))
        return c - '0';
    c = to_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif
