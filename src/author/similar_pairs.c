/* similar_pairs.c: candidates by what they hold that few others hold.
 *
 * Two sets that share t of their union share at least t of each. So if the
 * numbers of every set stand in one order, they have one in common among the
 * first count - ceil(t * count) + 1 of either; with the rarest number first,
 * few pairs do. Only those few are written down:
 *
 *     number -> how many sets hold it     (rank: the rarest first)
 *     set    -> its first numbers by rank
 *     number -> the sets that have it among their first: pairs
 */
#include "author/similar_pairs.h"

#include <stdlib.h>

struct item {
    uint64_t number;
    uint32_t set, holders; /* sets that hold the number */
};

struct items {
    struct item *at;
    size_t count;
};

static int by_number(const void *x, const void *y) {
    const struct item *a = x, *b = y;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return (a->set > b->set) - (a->set < b->set);
}

static int by_rank(const void *x, const void *y) {
    const struct item *a = x, *b = y;
    if (a->set != b->set)
        return a->set < b->set ? -1 : 1;
    if (a->holders != b->holders)
        return a->holders < b->holders ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static void sort(struct items *items,
                 int (*order)(const void *, const void *)) {
    if (items->count > 1)
        qsort(items->at, items->count, sizeof *items->at, order);
}

/* Behind the last item with the number of items->at[from]. */
static size_t run_end(const struct items *items, size_t from) {
    size_t to = from;
    while (to < items->count && items->at[to].number == items->at[from].number)
        to++;
    return to;
}

static struct items all_items(struct arena *a, const struct number_set *sets,
                              size_t count) {
    size_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += sets[i].count;
    struct items items = {arena_array(a, total, sizeof *items.at), 0};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sets[i].count; k++)
            items.at[items.count++] =
                (struct item){sets[i].at[k], (uint32_t)i, 0};
    return items;
}

static void count_holders(struct items *items) {
    for (size_t from = 0, to = 0; from < items->count; from = to) {
        to = run_end(items, from);
        for (size_t i = from; i < to; i++)
            items->at[i].holders = (uint32_t)(to - from);
    }
}

/* Of each set its first numbers, the others are dropped. */
static void keep_first(struct items *items, const struct number_set *sets,
                       size_t tenths) {
    size_t kept = 0;
    for (size_t from = 0; from < items->count;) {
        size_t n = sets[items->at[from].set].count;
        size_t first = n - (n * tenths + 9) / 10 + 1;
        for (size_t i = from; i < from + first && i < from + n; i++)
            items->at[kept++] = items->at[i];
        from += n;
    }
    items->count = kept;
}

static void add_pair(struct pairs *p, uint32_t earlier, uint32_t later) {
    p->at = arena_grow(p->a, p->at, p->count, &p->cap, sizeof *p->at);
    p->at[p->count++] = (uint64_t)later << 32 | earlier;
}

/* All pairs of those that have a number in common; items by number. */
static void add_pairs(struct pairs *out, const struct items *items) {
    for (size_t from = 0, to = 0; from < items->count; from = to) {
        to = run_end(items, from);
        for (size_t i = from; i < to; i++)
            for (size_t k = i + 1; k < to; k++)
                add_pair(out, items->at[i].set, items->at[k].set);
    }
}

void pairs_of_similar(struct pairs *out, const struct number_set *sets,
                    size_t count, size_t tenths) {
    struct items items = all_items(out->a, sets, count);
    sort(&items, by_number);
    count_holders(&items);
    sort(&items, by_rank);
    keep_first(&items, sets, tenths);
    sort(&items, by_number);
    add_pairs(out, &items);
}

void pairs_of_equal(struct pairs *out, const uint64_t *keys, size_t count) {
    struct items items = {arena_array(out->a, count, sizeof *items.at), 0};
    for (size_t i = 0; i < count; i++)
        if (keys[i] != 0)
            items.at[items.count++] =
                (struct item){keys[i], (uint32_t)i, 0};
    sort(&items, by_number);
    add_pairs(out, &items);
}

static int by_value(const void *x, const void *y) {
    const uint64_t *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

void pairs_settle(struct pairs *p) {
    size_t kept = 0;
    if (p->count > 1)
        qsort(p->at, p->count, sizeof *p->at, by_value);
    for (size_t i = 0; i < p->count; i++)
        if (i == 0 || p->at[i] != p->at[i - 1])
            p->at[kept++] = p->at[i];
    p->count = kept;
}
