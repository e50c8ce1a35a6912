/* open.c: opening the bytes of an index.
 *
 * The header of the database is checked first, without SQLite, so that the
 * error is precise for a file that is not an index, or is one of a newer oomkb.
 * Then the header of the pack is checked. Nothing is copied and the index owns
 * no handle, so any number of threads may share it. The time to open does not
 * depend on the size; damage behind the headers is found when it is read.
 *
 *     at 0   "SQLite format 3\0"      at 28  pages      at 68  application id
 *     at 16  bytes of a page          at 60  user_version (INDEX_SCHEMA)
 */
#include "index/read.h"

#define HEADER_BYTES 100

static uint32_t big_endian(struct str image, size_t at, size_t bytes) {
    uint32_t n = 0;
    for (size_t i = 0; i < bytes; i++)
        n = n << 8 | (unsigned char)image.p[at + i];
    return n;
}

/* Returns the length of the database. */
static size_t check_header(struct arena *a, struct str image) {
    static const char magic[16] = "SQLite format 3";
    if (image.n < HEADER_BYTES ||
        !str_eq(str_slice(image, 0, sizeof magic),
                (struct str){magic, sizeof magic}))
        arena_raise(a, FAIL_INDEX, "not an oomkb index");
    if (big_endian(image, 68, 4) != DB_APPLICATION_ID)
        arena_raise(a, FAIL_INDEX, "a SQLite file, but not an oomkb index");
    uint32_t version = big_endian(image, 60, 4);
    if (version != INDEX_SCHEMA)
        arena_raise(a, FAIL_INDEX,
                    "an index of format %u, made by %s oomkb; this one reads "
                    "format %d",
                    (unsigned)version,
                    version > INDEX_SCHEMA ? "a newer" : "an older",
                    INDEX_SCHEMA);
    uint64_t bytes = (uint64_t)big_endian(image, 28, 4) * DB_PAGE_BYTES;
    if (big_endian(image, 16, 2) != DB_PAGE_BYTES || bytes >= image.n)
        arena_raise(a, FAIL_INDEX,
                    "the index is damaged: %zu bytes of more than %llu are "
                    "there",
                    image.n, (unsigned long long)bytes);
    return (size_t)bytes;
}

struct index *index_open(struct arena *a, struct str image) {
    size_t tables = check_header(a, image);
    struct index *ix = arena_alloc(a, sizeof *ix);
    ix->tables = str_slice(image, 0, tables);
    pack_open(a, str_slice(image, tables, image.n), &ix->pack);
    return ix;
}

struct index *index_open_builtin(struct arena *a, struct str image) {
    struct index *ix = index_open(a, image);
    ix->pack.is_builtin = true;
    return ix;
}

struct index *index_open_pack(struct arena *a, struct str pack) {
    struct index *ix = arena_alloc(a, sizeof *ix);
    pack_open(a, pack, &ix->pack);
    ix->pack.is_builtin = true;
    return ix;
}

bool index_is_builtin(const struct index *ix) {
    return ix->pack.is_builtin;
}

struct str index_prefilter(const struct index *ix) {
    return ix->pack.prefilter;
}

struct str index_digest(const struct index *ix) {
    return ix->pack.digest;
}

static size_t count_of(const struct index *ix, enum section section) {
    size_t count = 0;
    for (; ix != NULL; ix = ix->next)
        count += ix->pack.sections[section].count;
    return count;
}

size_t index_entry_count(const struct index *ix) {
    return count_of(ix, SECTION_ENTRY);
}

size_t index_pattern_count(const struct index *ix) {
    return count_of(ix, SECTION_PATTERN);
}
