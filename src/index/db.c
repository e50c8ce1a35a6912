/* db.c: the only file that prepares, binds, steps and reads statements of
 * SQLite.
 *
 * No image is trusted. A connection that reads one cannot write, runs no
 * trigger or view, checks the cells of every page, and interrupts a statement
 * that takes longer than any query over a sound index (a B-tree with a cycle).
 * A value of another type than the schema has is damage.
 */
#include "index/db.h"

#include "base/limits.h"

#define TICK_OPCODES 100000

static void close(void *handle) {
    sqlite3_close(handle);
}

static void finalize(void *statement) {
    sqlite3_finalize(statement);
}

/* Raises if rc is an error. */
static void db_check(struct db *db, int rc) {
    int kind = rc & 0xff;
    if (kind == SQLITE_OK || kind == SQLITE_ROW || kind == SQLITE_DONE)
        return;
    if (kind == SQLITE_NOMEM)
        arena_raise(db->arena, FAIL_MEMORY, "out of memory in the index");
    arena_raise(db->arena, FAIL_INDEX, "the index cannot be read: %s",
                db->handle ? sqlite3_errmsg(db->handle) : sqlite3_errstr(rc));
}

void db_damaged(struct db *db, const char *what) {
    arena_raise(db->arena, FAIL_INDEX,
                "the index is damaged (%s); build or install it anew", what);
}

struct db *db_open(struct arena *a) {
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE |
                      SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_MEMORY;
    struct db *db = arena_alloc(a, sizeof *db);
    db->arena = a;
    int rc = sqlite3_open_v2(":memory:", &db->handle, flags, NULL);
    arena_defer(a, close, db->handle);
    db_check(db, rc);
    return db;
}

static int tick(void *arg) {
    struct db *db = arg;
    return ++db->ticks > SQL_TICKS_MAX;
}

void db_view(struct db *db, struct str image) {
    sqlite3_int64 size = (sqlite3_int64)image.n;
    /* READONLY without FREEONCLOSE: SQLite neither writes nor frees it. */
    db_check(db, sqlite3_deserialize(db->handle, "main",
                                     (unsigned char *)image.p, size, size,
                                     SQLITE_DESERIALIZE_READONLY));
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_progress_handler(db->handle, TICK_OPCODES, tick, db);
    db_run(db, "PRAGMA cell_size_check = ON");
}

void db_run(struct db *db, const char *sql) {
    db->ticks = 0;
    db_check(db, sqlite3_exec(db->handle, sql, NULL, NULL, NULL));
}

struct row db_query(struct db *db, const char *sql) {
    struct row row = {.db = db, .at = 1};
    db->ticks = 0;
    db_check(db, sqlite3_prepare_v2(db->handle, sql, -1, &row.statement, NULL));
    arena_defer(db->arena, finalize, row.statement);
    return row;
}

/* ---- binding ---- */

void row_bind_int(struct row *r, int64_t n) {
    db_check(r->db, sqlite3_bind_int64(r->statement, r->at++, n));
}

void row_bind_text(struct row *r, struct str s) {
    db_check(r->db, sqlite3_bind_text64(r->statement, r->at++,
                                        s.n ? s.p : "", s.n, SQLITE_STATIC,
                                        SQLITE_UTF8));
}

void row_write(struct row *r) {
    db_check(r->db, sqlite3_step(r->statement));
    db_check(r->db, sqlite3_reset(r->statement));
    r->at = 1;
}

/* ---- reading ---- */

bool row_next(struct row *r) {
    int rc = sqlite3_step(r->statement);
    r->at = 0;
    db_check(r->db, rc);
    if (rc == SQLITE_ROW)
        return true;
    row_done(r);
    return false;
}

void row_done(struct row *r) {
    sqlite3_reset(r->statement);
}

int64_t row_int(struct row *r) {
    if (sqlite3_column_type(r->statement, r->at) != SQLITE_INTEGER)
        db_damaged(r->db, "a number is none");
    return sqlite3_column_int64(r->statement, r->at++);
}

struct str row_text(struct row *r) {
    if (sqlite3_column_type(r->statement, r->at) != SQLITE_TEXT)
        db_damaged(r->db, "a text is none");
    const char *p = (const char *)sqlite3_column_text(r->statement, r->at);
    if (p == NULL)
        db_check(r->db, SQLITE_NOMEM);
    int n = sqlite3_column_bytes(r->statement, r->at++);
    return arena_str(r->db->arena, (struct str){p, (size_t)n});
}
