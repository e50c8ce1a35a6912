/* str.h: a view of bytes somebody else owns. Never NUL-terminated by
 * contract, may hold NUL; {NULL, 0} is the empty string. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str {
    const char *p;
    size_t n;
};

#define STR(literal) ((struct str){(literal), sizeof(literal) - 1})
#define STR_ARG(s) (int)(s).n, (s).p /* for %.*s */

struct str str_of(const char *nul_terminated); /* NULL gives the empty one */
bool str_eq(struct str a, struct str b);
bool str_eq_nocase(struct str a, struct str b); /* ASCII */
int str_cmp(struct str a, struct str b);        /* bytewise, as qsort wants */
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);
size_t str_find(struct str s, struct str what); /* s.n when absent */
size_t str_find_char(struct str s, char c);     /* s.n when absent */
struct str str_slice(struct str s, size_t from, size_t n); /* clamped */
struct str str_trim(struct str s);                         /* ASCII blanks */
/* Cut s at the first sep: returns what stands before it, *rest what stands
 * after (empty when there was none). */
struct str str_cut(struct str s, char sep, struct str *rest);
bool str_to_int(struct str s, int64_t *value); /* whole string, decimal */
uint64_t str_hash(struct str s);               /* stable across runs */

#endif
