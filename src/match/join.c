/* join.c: joins the results of scans of one input by several indexes. Patterns
 * and entries are numbered as in index_join(). What depends on the input alone
 * (lines, streams) is taken from the first scan. */
#include <stdlib.h>

#include "match/scanner.h"

struct offsets { /* numbers of the indexes before */
    uint32_t entries, patterns;
};

static bool is_of_entry(const struct hit *hit) {
    return hit->kind == PATTERN_SIGNATURE || hit->kind == PATTERN_CONDITION;
}

static void add_hits(struct hit_list *all, const struct hit_list *hits,
                     const struct offsets *before) {
    for (size_t i = 0; i < hits->count; i++) {
        struct hit hit = hits->at[i];
        if (before->patterns == 0 || is_of_entry(&hit)) {
            hit.pattern += before->patterns;
            hit.owner += before->entries;
            all->at[all->count++] = hit;
        }
    }
}

const struct scan_result *scan_join(struct arena *a,
                                    const struct scan_result *const *list,
                                    const struct index *const *of,
                                    size_t count) {
    struct scan_result *joined = arena_alloc(a, sizeof *joined);
    struct offsets before = {0, 0};
    *joined = *list[0];
    size_t most = 0;
    for (size_t i = 0; i < count; i++)
        most += list[i]->hits.count;
    joined->hits = (struct hit_list){
        arena_array(a, most, sizeof(struct hit)), 0};
    for (size_t i = 0; i < count; i++) {
        add_hits(&joined->hits, &list[i]->hits, &before);
        before.entries += (uint32_t)index_entry_count(of[i]);
        before.patterns += (uint32_t)index_pattern_count(of[i]);
        joined->uncounted += i > 0 ? list[i]->uncounted : 0;
    }
    if (joined->hits.count > 1)
        qsort(joined->hits.at, joined->hits.count, sizeof(struct hit),
              hits_by_order);
    return joined;
}
