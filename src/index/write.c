/* write.c: a corpus as the bytes of a database and of the pack behind it.
 *
 * The pack is all that a log is read with. The database has the words that are
 * searched for, and for users who open the file with sqlite3 a table for each
 * noun: a row is a number from 0, an id, and the noun as JSON, with the keys of
 * kb/FORMAT.md and those that the compiler sets; what is absent is left out.
 *
 *     SELECT id, json ->> '$.title.en' FROM entry;
 *     SELECT e.id, w.value ->> '$.id', w.value ->> '$.success.tried'
 *       FROM entry e, json_each(e.json, '$.workarounds') w;
 *
 * The database is made in memory and serialized by sqlite3_serialize(), with a
 * fixed page size, a fixed order of rows, and nothing of the clock or of this
 * machine, so the same corpus and the same SQLite make the same bytes. SQLite
 * reads as many pages as its header has and ignores the pack behind them. The
 * corpus compiler refuses what cannot be stored (two entries of one id); here
 * it raises FAIL_INDEX.
 */
#include "index/write.h"

#include "base/limits.h"

#define QUOTE(x) #x
#define SPELLED(x) QUOTE(x)

static void write_rows(struct db *db, const char *name,
                       const struct shape *shape, struct nouns nouns) {
    struct arena *a = db->arena, *scratch = arena_alloc(a, sizeof *scratch);
    struct buf json = buf_in(a, 0);
    arena_init_inside(scratch, a, 0);
    db_run(db, arena_printf(a, "CREATE TABLE %s (number INTEGER PRIMARY KEY, "
                               "id TEXT NOT NULL, json TEXT NOT NULL) "
                               "STRICT", name).p);
    struct row row =
        db_query(db, arena_printf(a, "INSERT INTO %s VALUES(?,?,?)", name).p);
    for (size_t i = 0; i < nouns.count; i++) {
        const char *noun = nouns.at + i * shape->size;
        buf_clear(&json);
        json_write(noun_json(scratch, shape, noun), false, &json);
        arena_free(scratch);
        row_bind_int(&row, (int64_t)i);
        row_bind_text(&row, noun_id(shape, noun));
        row_bind_text(&row, buf_str(&json));
        row_write(&row);
    }
}

static void write_ranking(struct db *db, const struct ranking *ranking) {
    struct number numbers[RANKING_COUNT_OF];
    for (int i = 0; i < RANKING_COUNT_OF; i++)
        numbers[i] = (struct number){
            str_of(ranking_spelling((enum ranking_number)i)),
            ranking->micro[i], ranking->origin[i]};
    write_rows(db, "ranking", &shape_number,
               (struct nouns){(const char *)numbers, RANKING_COUNT_OF});
}

static void free_bytes(void *bytes) { sqlite3_free(bytes); }

/* The database, which is closed with all that `a` owns since `before`, and the
 * pack, in one block: of a large index there is no second copy. */
static struct str joined(struct arena *a, const struct arena_defer *before,
                         struct db *db, struct str pack) {
    sqlite3_int64 n = 0;
    unsigned char *tables = sqlite3_serialize(db->handle, "main", &n, 0);
    arena_release_to(a, before);
    if (n + (sqlite3_int64)pack.n > INDEX_BYTES_MAX) {
        sqlite3_free(tables);
        arena_raise(a, FAIL_CEILING, "the index is longer than %lld bytes",
                    (long long)INDEX_BYTES_MAX);
    }
    unsigned char *all =
        tables != NULL ? sqlite3_realloc64(tables, (size_t)n + pack.n) : NULL;
    if (all == NULL) {
        sqlite3_free(tables);
        arena_raise(a, FAIL_MEMORY, "out of memory for the index");
    }
    arena_defer(a, free_bytes, all);
    return pack_put_behind((char *)all, (size_t)n, pack);
}

struct str index_of_pack(struct arena *a, const struct corpus *c,
                         struct str pack) {
    const struct arena_defer *before = a->deferred;
    struct db *db = db_open(a);
    db_run(db, "PRAGMA page_size = " SPELLED(DB_PAGE_BYTES));
    db_run(db, "PRAGMA application_id = " SPELLED(DB_APPLICATION_ID));
    db_run(db, "PRAGMA user_version = " SPELLED(INDEX_SCHEMA));
    db_run(db, "PRAGMA journal_mode = OFF"); /* nothing is rolled back */
    db_run(db, "BEGIN");
    write_rows(db, "entry", &shape_entry,
               (struct nouns){(const char *)c->entries, c->entry_count});
    for (size_t i = 0; i < NOUN_LISTS; i++)
        write_rows(db, noun_lists[i].name, noun_lists[i].shape,
                   nouns_of(c, &noun_lists[i]));
    write_ranking(db, &c->ranking);
    write_search(db, c);
    db_run(db, "COMMIT");
    db_run(db, "VACUUM");
    return joined(a, before, db, pack);
}

struct str index_write(struct arena *a, const struct corpus *c,
                       const struct pattern_list *set, struct str prefilter) {
    return index_of_pack(a, c, index_pack(a, c, set, prefilter));
}
