/* scan_rules.c: the compiled rules that all scans of an index share. Their
 * stored part has two prefilters: for literals of signatures, and for those of
 * all other patterns.
 *
 *     size of the first in bytes (a word) | the first | the second
 */
#include "match/scanner.h"

#include <string.h>

#define HEAD_BYTES 4

struct str scan_rules_build(struct arena *a, const struct pattern_list *set) {
    struct str part[PREFILTER_KINDS];
    for (int i = 0; i < PREFILTER_KINDS; i++)
        part[i] = prefilter_build(a, set, (enum prefilter_of)i);
    size_t n = HEAD_BYTES + part[0].n + part[1].n;
    unsigned char *out = arena_alloc(a, n);
    prefilter_put(out, 0, (uint32_t)part[0].n);
    memcpy(out + HEAD_BYTES, part[0].p, part[0].n);
    memcpy(out + HEAD_BYTES + part[0].n, part[1].p, part[1].n);
    return (struct str){(const char *)out, n};
}

const struct scan_rules *scan_rules_open(struct arena *a,
                                         const struct index *ix) {
    struct scan_rules *rules = arena_alloc(a, sizeof *rules);
    struct str blob = index_prefilter(ix);
    rules->tables = log_tables_new(a);
    rules->shapes = shapes_new(a);
    rules->pattern_count = index_pattern_count(ix);
    rules->entry_count = index_entry_count(ix);
    size_t first = blob.n < HEAD_BYTES
                       ? 0
                       : word_at((const unsigned char *)blob.p, 0);
    struct str rest = str_slice(blob, HEAD_BYTES, blob.n);
    struct str part[PREFILTER_KINDS] = {str_slice(rest, 0, first),
                                        str_slice(rest, first, rest.n)};
    for (int i = 0; i < PREFILTER_KINDS; i++)
        rules->filter[i] = prefilter_open(a, part[i], rules->pattern_count,
                                        index_is_builtin(ix));
    return rules;
}
