/* read_entry.c: an entry, and what is known of its place: its group, and where
 * its patterns begin in the set. They stand in one record. Its head is taken
 * apart at the first question; what an entry says, when it speaks: of a group,
 * all are asked and one answers. */
#include "index/read.h"

struct entry_record {
    struct entry entry;
    struct record rest;     /* not taken apart yet; then at its end */
    bool is_whole;
    uint32_t first_pattern; /* signatures, then conditions */
    uint32_t *group;
    size_t group_count;
};

static void walk_group(struct record *record, struct entry_record *e,
                       size_t entries) {
    e->group = record_list(record, NULL, &e->group_count, sizeof *e->group);
    for (size_t i = 0; i < e->group_count; i++) {
        record_number(record, &e->group[i]);
        bool is_sound = e->group[i] < entries &&
                        (i == 0 || e->group[i] > e->group[i - 1]);
        if (!is_sound) {
            record_damaged(record, "a group is out of order");
        }
    }
}

static struct entry_record *record_of(struct reader *r, uint32_t number) {
    struct entry_record *e = reader_kept(r, SHELF_ENTRY, number);
    if (e == NULL) {
        struct record record = reader_record(r, SHELF_ENTRY, number);
        e = arena_alloc(r->arena, sizeof *e);
        record_number(&record, &e->first_pattern);
        walk_group(&record, e, reader_count(r, SHELF_ENTRY));
        walk_entry_head(&record, &e->entry);
        e->rest = record;
        reader_keep(r, SHELF_ENTRY, number, e);
    }
    return e;
}

const struct entry *reader_entry_head(struct reader *r, uint32_t number) {
    return &record_of(r, number)->entry;
}

const struct entry *reader_entry(struct reader *r, uint32_t number) {
    struct entry_record *e = record_of(r, number);
    if (!e->is_whole) {
        struct record rest = e->rest;
        walk_entry_rest(&rest, &e->entry);
        record_end(&rest);
        e->is_whole = true;
    }
    return &e->entry;
}

const struct entry *reader_entry_by_id(struct reader *r, struct str id,
                                       uint32_t *number) {
    uint32_t found;
    if (!reader_number(r, SHELF_ENTRY_ID, id, &found)) {
        return NULL;
    }
    const struct entry *e = reader_entry(r, found);
    if (number != NULL) {
        *number = found;
    }
    return e;
}

struct group reader_group(struct reader *r, uint32_t entry_number) {
    const struct entry_record *e = record_of(r, entry_number);
    return (struct group){e->group, e->group_count};
}

static uint32_t pattern_of(struct reader *r, const struct entry_record *e,
                           size_t ordinal, size_t count) {
    if (ordinal >= count) {
        arena_raise(r->arena, FAIL_INDEX, "an entry has no such pattern: %zu",
                    ordinal);
    }
    return e->first_pattern + (uint32_t)ordinal;
}

uint32_t reader_signature_pattern(struct reader *r, uint32_t entry_number,
                                  size_t ordinal) {
    const struct entry_record *e = record_of(r, entry_number);
    return pattern_of(r, e, ordinal, e->entry.signature_count);
}

uint32_t reader_condition_pattern(struct reader *r, uint32_t entry_number,
                                  size_t ordinal) {
    const struct entry_record *e = record_of(r, entry_number);
    size_t before = e->entry.signature_count;
    return pattern_of(r, e, before + ordinal,
                      before + e->entry.condition_count);
}
