/* db.h: the use of SQLite in this layer. A row is bound or read from left to
 * right. No function returns an error: errors of SQLite are raised, as
 * FAIL_MEMORY or else FAIL_INDEX. SQL never contains input. */
#ifndef INDEX_DB_H
#define INDEX_DB_H

#include <sqlite3.h>

#include "base/arena.h"

#define DB_APPLICATION_ID 0x4f4f4d4b /* "OOMK", PRAGMA application_id */
#define DB_PAGE_BYTES 4096

struct db {
    struct arena *arena;
    sqlite3 *handle;
    uint32_t ticks; /* of the running statement: SQL_TICKS_MAX */
};

/* A private, empty, in-memory database. The arena owns the connection and its
 * statements. */
struct db *db_open(struct arena *a);
/* Make it a read-only view of image, which must outlive it. */
void db_view(struct db *db, struct str image);
void db_run(struct db *db, const char *sql); /* fixed text, no results */
_Noreturn void db_damaged(struct db *db, const char *what);

struct row {
    struct db *db;
    sqlite3_stmt *statement;
    int at; /* next parameter or column */
};

struct row db_query(struct db *db, const char *sql);
void row_bind_int(struct row *r, int64_t n);
void row_bind_text(struct row *r, struct str s);
void row_write(struct row *r); /* runs an INSERT; the row may be bound again */

bool row_next(struct row *r); /* false: no more rows; the query is done */
void row_done(struct row *r); /* ends it before its last row */
int64_t row_int(struct row *r);
struct str row_text(struct row *r); /* a copy in the arena */

#endif
