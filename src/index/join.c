/* join.c: several indexes as one, such as a company's own entries beside the
 * built-in ones. Nothing is copied: reader_part() finds the index of a number.
 *
 *     entries    0 ... n-1 | n ... n+m-1      the same for groups and patterns
 *                first       second
 *
 * Everything but entries comes from the first index, so that a model or an
 * engine is unique even if several indexes have a copy of it. */
#include "index/read.h"

static void refuse_clash(struct arena *a, struct reader *before,
                         const struct index *ix) {
    struct reader *r = reader_new(ix, a);
    for (uint32_t i = 0; i < ix->pack.sections[SECTION_ENTRY].count; i++) {
        struct str id = reader_entry_head(r, i)->id;
        if (reader_entry_by_id(before, id, NULL) != NULL)
            arena_raise(a, FAIL_USAGE,
                        "two knowledge bases have an entry '%.*s': rename one "
                        "of them", STR_ARG(id));
    }
}

const struct index *index_join(struct arena *a,
                               const struct index *const *list, size_t count) {
    struct index *joined = arena_array(a, count, sizeof *joined);
    for (size_t i = 0; i < count; i++) {
        joined[i] = *list[i];
        joined[i].next = NULL;
        if (i > 0) {
            refuse_clash(a, reader_new(joined, a), list[i]);
            joined[i - 1].next = &joined[i];
        }
    }
    return joined;
}

static uint32_t count_in(const struct index *ix, enum section section) {
    return ix->pack.sections[section].count;
}

static bool is_numbered_on(enum section section) {
    return section == SECTION_ENTRY || section == SECTION_ENTRY_REST ||
           section == SECTION_GROUP || section == SECTION_PATTERN;
}

struct part reader_part(const struct reader *r, enum section section,
                        uint32_t number) {
    struct part p = {.ix = r->ix, .number = number};
    while (is_numbered_on(section) && p.ix->next != NULL &&
           p.number >= count_in(p.ix, section)) {
        p.number -= count_in(p.ix, section);
        p.entries += count_in(p.ix, SECTION_ENTRY);
        p.groups += count_in(p.ix, SECTION_GROUP);
        p.patterns += count_in(p.ix, SECTION_PATTERN);
        p.ix = p.ix->next;
    }
    return p;
}

size_t reader_count(const struct reader *r, enum section section) {
    size_t count = 0;
    for (const struct index *ix = r->ix; ix != NULL; ix = ix->next)
        count += ix == r->ix || is_numbered_on(section) ? count_in(ix, section)
                                                      : 0;
    return count;
}
