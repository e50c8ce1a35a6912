/* open.c: bytes become a struct index.
 *
 * The header of the file is looked at first, by hand, so that something that
 * is no index, or one of a newer oomkb, is named as what it is and SQLite
 * never sees it. Then the few rows of meta are read and the connection is
 * closed again: nothing that is open belongs to the index, so any number of
 * threads may share it. Opening costs as much as the prefilter is long; damage
 * elsewhere is found by whoever reads there.
 *
 *     at 0   "SQLite format 3\0"      at 28  pages      at 68  application id
 *     at 16  bytes of a page          at 60  user_version (INDEX_SCHEMA)
 */
#include "index/read.h"

#define HEADER_BYTES 100

static uint32_t big_endian(struct str image, size_t at, size_t bytes) {
    uint32_t n = 0;
    for (size_t i = 0; i < bytes; i++) {
        n = n << 8 | (unsigned char)image.p[at + i];
    }
    return n;
}

static void look_at_header(struct arena *a, struct str image) {
    static const char magic[16] = "SQLite format 3";
    if (image.n < HEADER_BYTES ||
        !str_eq(str_slice(image, 0, sizeof magic),
                (struct str){magic, sizeof magic})) {
        arena_raise(a, FAIL_INDEX, "not an oomkb index");
    }
    if (big_endian(image, 68, 4) != DB_APPLICATION_ID) {
        arena_raise(a, FAIL_INDEX, "a SQLite file, but not an oomkb index");
    }
    uint32_t version = big_endian(image, 60, 4);
    if (version != INDEX_SCHEMA) {
        arena_raise(a, FAIL_INDEX,
                    "an index of format %u, made by %s oomkb; this one reads "
                    "format %d",
                    (unsigned)version,
                    version > INDEX_SCHEMA ? "a newer" : "an older",
                    INDEX_SCHEMA);
    }
    uint64_t bytes = (uint64_t)big_endian(image, 28, 4) * DB_PAGE_BYTES;
    if (big_endian(image, 16, 2) != DB_PAGE_BYTES || bytes != image.n) {
        arena_raise(a, FAIL_INDEX,
                    "the index is damaged: %zu bytes of %llu are there",
                    image.n, (unsigned long long)bytes);
    }
}

static struct row meta(struct db *db, const char *key) {
    struct row row = row_of(db, QUERY_meta);
    row_bind_text(&row, str_of(key));
    if (!row_next(&row)) {
        db_damaged(db, "what it says of itself is missing");
    }
    return row;
}

static size_t meta_count(struct db *db, const char *key, size_t limit) {
    struct row row = meta(db, key);
    int64_t n = row_count(&row);
    row_done(&row);
    if ((uint64_t)n > limit) {
        db_damaged(db, "it counts more than it could hold");
    }
    return (size_t)n;
}

static struct str meta_text(struct db *db, const char *key) {
    struct row row = meta(db, key);
    struct str text = row_text(&row);
    row_done(&row);
    return text;
}

static void check_prefilter(struct db *db, struct str prefilter) {
    char hex[DIGEST_HEX + 1];
    struct digest check;
    digest_init(&check);
    digest_str(&check, prefilter);
    digest_hex(&check, hex);
    if (!str_eq(str_of(hex), meta_text(db, "prefilter_digest"))) {
        db_damaged(db, "its prefilter is not what was written");
    }
}

struct index *index_open(struct arena *a, struct str image) {
    look_at_header(a, image);
    struct index *ix = arena_alloc(a, sizeof *ix);
    struct db *db = read_open(a, image);
    ix->image = image;
    ix->entry_count = meta_count(db, "entry_count", image.n);
    ix->pattern_count = meta_count(db, "pattern_count", image.n);
    ix->digest = meta_text(db, "digest");
    struct row row = meta(db, "prefilter");
    ix->prefilter = row_blob(&row);
    row_done(&row);
    check_prefilter(db, ix->prefilter);
    db_close(db);
    return ix;
}

struct str index_prefilter(const struct index *ix) { return ix->prefilter; }

struct str index_digest(const struct index *ix) { return ix->digest; }

size_t index_entry_count(const struct index *ix) { return ix->entry_count; }

size_t index_pattern_count(const struct index *ix) {
    return ix->pattern_count;
}
