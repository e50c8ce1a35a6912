/* write.c: a corpus becomes the bytes of a database, and of the pack behind it.
 *
 * The database is made in memory and handed out as sqlite3_serialize() gives
 * it: fixed page size, fixed order of rows, nothing of the clock or of this
 * machine, so the same corpus and the same SQLite make the same bytes. SQLite
 * counts the pages in its header and does not look behind them. The digest is
 * taken of what is bound, on its way in, and so knows nothing of SQLite. What
 * cannot be stored (two entries of one id) is the corpus compiler's to refuse;
 * here it raises FAIL_INDEX.
 */
#include "index/write.h"

#include <string.h>

#include "index/patterns.h"

#define QUOTE(x) #x
#define SPELLED(x) QUOTE(x)

static const char *const inserts[] = {
#define X(table, sql) sql,
    INSERTS(X)
#undef X
};

/* Only now are all entries there to be pointed at. */
static const char join_groups[] =
    "UPDATE entry SET head = coalesce((SELECT h.number FROM entry AS h "
    "WHERE h.id = entry.same_words_as), number)";

/* A fix is what it uses; else its flag and what is done to it, or its kind. */
static const char sum_up[] =
    "INSERT INTO pooled SELECT e.mechanism, w.use, "
    "iif(w.use = '', w.flag, '') AS flag, "
    "iif(w.use = '' AND w.flag <> '', w.change, 'none') AS change, "
    "iif(w.use = '' AND w.flag = '', w.kind, 'none') AS kind, "
    "sum(r.worked), sum(r.tried) FROM workaround AS w "
    "JOIN entry AS e ON e.number = w.entry "
    "JOIN rate AS r ON r.entry = w.entry AND r.owner = 'workaround' "
    "AND r.ordinal = w.ordinal "
    "WHERE r.basis IN ('reports', 'measured') "
    "AND (w.use <> '' OR w.flag <> '' OR w.kind <> 'none') "
    "GROUP BY 1, 2, 3, 4, 5 ORDER BY 1, 2, 3, 4, 5";

void write_events(struct writer *w, struct place at,
                  const struct version_range *range) {
    for (size_t i = 0; i < range->event_count; i++) {
        struct row row = row_of(w->db, INSERT_event);
        row_bind_text(&row, str_of(at.owner));
        row_bind_int(&row, (int64_t)at.number);
        row_bind_int(&row, (int64_t)at.ordinal);
        row_bind_int(&row, (int64_t)at.item);
        row_bind_int(&row, (int64_t)i);
        row_bind_int(&row, range->events[i].is_fixed);
        row_bind_text(&row, range->events[i].version);
        row_write(&row);
    }
}

void write_settings(struct writer *w, struct place at,
                    const struct setting *set, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct row row = row_of(w->db, INSERT_setting);
        row_bind_text(&row, str_of(at.owner));
        row_bind_int(&row, (int64_t)at.number);
        row_bind_int(&row, (int64_t)at.ordinal);
        row_bind_int(&row, (int64_t)i);
        row_bind_text(&row, str_of(fact_spelling(set[i].name)));
        row_bind_text(&row, set[i].value);
        row_write(&row);
    }
}

static void write_patterns(struct writer *w, const struct pattern_list *set) {
    for (size_t i = 0; i < set->count; i++) {
        struct row row = row_of(w->db, INSERT_pattern);
        row_bind_int(&row, set->at[i].id);
        row_bind_text(&row, str_of(pattern_kind_name(set->at[i].kind)));
        row_bind_int(&row, set->at[i].owner);
        row_bind_int(&row, set->at[i].ordinal);
        row_bind_int(&row, set->at[i].is_weak);
        row_bind_text(&row, set->at[i].text);
        row_write(&row);
    }
}

static struct row meta_row(struct writer *w, const char *key) {
    struct row row = row_of(w->db, INSERT_meta);
    row_bind_text(&row, str_of(key));
    return row;
}

static void write_meta(struct writer *w, const char *digest, size_t entries,
                       size_t patterns) {
    struct row row = meta_row(w, "digest");
    row_bind_text(&row, str_of(digest));
    row_write(&row);
    row = meta_row(w, "entry_count");
    row_bind_int(&row, (int64_t)entries);
    row_write(&row);
    row = meta_row(w, "pattern_count");
    row_bind_int(&row, (int64_t)patterns);
    row_write(&row);
}

static void free_bytes(void *bytes) { sqlite3_free(bytes); }

static struct str serialized(struct db *db) {
    sqlite3_int64 n = 0;
    unsigned char *bytes = sqlite3_serialize(db->handle, "main", &n, 0);
    if (bytes == NULL) {
        arena_raise(db->arena, FAIL_MEMORY, "out of memory for the index");
    }
    arena_defer(db->arena, free_bytes, bytes);
    return (struct str){(const char *)bytes, (size_t)n};
}

/* digest: of all that is bound, in hex. */
static void write_content(struct writer *w, const struct corpus *c,
                          const struct pattern_list *set,
                          char digest[DIGEST_HEX + 1]) {
    struct digest content;
    digest_init(&content);
    digest_str(&content, c->schema_sql);
    w->db->digest = &content;
    write_patterns(w, set);
    for (size_t i = 0; i < c->entry_count; i++) {
        write_entry(w, &c->entries[i], i);
    }
    for (size_t i = 0; i < c->engine_count; i++) {
        write_engine(w, &c->engines[i], i);
    }
    write_models(w, c);
    write_gpus(w, c);
    write_causes(w, c);
    write_words(w, c);
    w->db->digest = NULL;
    db_run(w->db, join_groups);
    db_run(w->db, sum_up);
    write_search(w, c);
    digest_hex(&content, digest);
    write_meta(w, digest, c->entry_count, set->count);
}

static struct str joined(struct arena *a, struct str tables, struct str pack) {
    char *all = arena_alloc(a, tables.n + pack.n);
    memcpy(all, tables.p, tables.n);
    memcpy(all + tables.n, pack.p, pack.n);
    return (struct str){all, tables.n + pack.n};
}

struct str index_write(struct arena *a, const struct corpus *c,
                       const struct pattern_list *set, struct str prefilter) {
    struct writer *w = arena_alloc(a, sizeof *w);
    char digest[DIGEST_HEX + 1];
    w->db = db_open(a, inserts, INSERT_COUNT_OF);
    w->pack = pack_begin(a);
    db_run(w->db, "PRAGMA page_size = " SPELLED(DB_PAGE_BYTES));
    db_run(w->db, "PRAGMA application_id = " SPELLED(DB_APPLICATION_ID));
    db_run(w->db, "PRAGMA user_version = " SPELLED(INDEX_SCHEMA));
    db_run(w->db, "BEGIN");
    db_run(w->db, arena_str(a, c->schema_sql).p);
    write_content(w, c, set, digest);
    write_pack(w, c, set);
    db_run(w->db, "COMMIT");
    db_run(w->db, "VACUUM");
    return joined(a, serialized(w->db), pack_end(w->pack, prefilter, digest));
}
