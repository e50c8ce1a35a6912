/* read_entry.c: reading an entry, its group, and the ids of its patterns. The
 * fields that select entries (is_head) are read first. The others, which are
 * far more, are read only for an entry that was selected: usually one of its
 * group. */
#include "index/read.h"

#include <stdlib.h>

struct entry_record {
    struct entry entry;
    bool is_whole;
    uint32_t first_pattern; /* signatures, then conditions */
    uint32_t group;
};

static void read_head(struct record *record, const struct part *p,
                      const struct shape *shape, void *out) {
    struct entry_record *e = out;
    (void)shape;
    record_number(record, &e->first_pattern);
    record_number(record, &e->group);
    e->first_pattern += p->patterns;
    e->group += p->groups;
    codec_entry_head(record, &e->entry);
}

static struct entry_record *record_of(struct reader *r, uint32_t number) {
    return reader_get(r, SECTION_ENTRY, number, read_head, NULL,
                      sizeof(struct entry_record));
}

const struct entry *reader_entry_head(struct reader *r, uint32_t number) {
    return &record_of(r, number)->entry;
}

const struct entry *reader_entry(struct reader *r, uint32_t number) {
    struct entry_record *e = record_of(r, number);
    if (!e->is_whole) {
        struct record rest = reader_record(r, SECTION_ENTRY_REST, number);
        codec_entry_rest(&rest, &e->entry);
        record_end(&rest);
        e->is_whole = true;
    }
    return &e->entry;
}

const struct entry *reader_entry_by_id(struct reader *r, struct str id,
                                       uint32_t *number) {
    uint32_t found;
    if (!reader_number(r, SECTION_ENTRY_ID, id, &found))
        return NULL;
    const struct entry *e = reader_entry(r, found);
    if (number != NULL)
        *number = found;
    return e;
}

/* The entries of a group, checked to be ascending and in range. */
static void read_group(struct record *record, const struct part *p,
                       const struct shape *shape, void *out) {
    struct group *group = out;
    size_t entries = p->ix->pack.sections[SECTION_ENTRY].count + p->entries;
    uint32_t *list = record_list(record, NULL, &group->count, sizeof *list);
    (void)shape;
    for (size_t i = 0; i < group->count; i++) {
        record_number(record, &list[i]);
        list[i] += p->entries;
        if (list[i] >= entries || (i > 0 && list[i] <= list[i - 1]))
            record_damaged(record, "a group is out of order");
    }
    group->entries = list;
}

struct group reader_group(struct reader *r, uint32_t entry_number) {
    const struct group *group =
        reader_get(r, SECTION_GROUP, record_of(r, entry_number)->group,
                   read_group, NULL, sizeof *group);
    return *group;
}

uint32_t reader_condition_pattern(struct reader *r, uint32_t entry_number,
                                  size_t ordinal) {
    const struct entry_record *e = record_of(r, entry_number);
    if (ordinal >= e->entry.condition_count)
        arena_raise(r->arena, FAIL_INDEX, "an entry has no such pattern: %zu",
                    ordinal);
    return e->first_pattern + (uint32_t)(e->entry.signature_count + ordinal);
}

/* ---- by component ---- */

struct numbered {
    struct str id; /* first, for str_order() */
    uint32_t number;
};

struct number_list reader_entries_of(struct reader *r, struct str component) {
    size_t most = reader_count(r, SECTION_ENTRY), count = 0;
    struct numbered *sorted = arena_array(r->arena, most, sizeof *sorted);
    uint32_t *list = arena_array(r->arena, most, sizeof *list);
    for (uint32_t i = 0; i < most; i++) {
        const struct entry *e = reader_entry_head(r, i);
        if (component.n == 0 || str_eq(e->component, component) ||
            str_eq(reader_component_fold(r, e->component), component))
            sorted[count++] = (struct numbered){e->id, i};
    }
    if (count > 1)
        qsort(sorted, count, sizeof *sorted, str_order);
    for (size_t i = 0; i < count; i++)
        list[i] = sorted[i].number;
    return (struct number_list){list, count};
}
