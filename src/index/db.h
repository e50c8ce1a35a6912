/* db.h: the use of SQLite in this layer. Statements are prepared at their first
 * use; a row is bound or read from left to right. No function returns an error:
 * errors of SQLite are raised, as FAIL_MEMORY or else FAIL_INDEX. SQL never
 * contains input. */
#ifndef INDEX_DB_H
#define INDEX_DB_H

#include <sqlite3.h>

#include "base/arena.h"
#include "corpus/entry.h"
#include "index/digest.h"

#define DB_APPLICATION_ID 0x4f4f4d4b /* "OOMK", PRAGMA application_id */
#define DB_PAGE_BYTES 4096

struct statement { /* lives as long as its db */
    const char *sql;
    sqlite3_stmt *prepared; /* NULL: not yet */
    struct statement *next;
};

struct db {
    struct arena *arena;
    sqlite3 *handle;
    struct statement *prepared;
    struct digest *digest;  /* is fed with all bound values; NULL: none */
    uint32_t ticks;         /* of the running statement: SQL_TICKS_MAX */
};

/* A private, empty, in-memory database. The arena owns the connection and its
 * statements. */
struct db *db_open(struct arena *a);
/* Before its arena does. */
void db_close(struct db *db);
/* Make it a read-only view of image, which must outlive it. */
void db_view(struct db *db, struct str image);
void db_run(struct db *db, const char *sql); /* fixed text, no results */
_Noreturn void db_damaged(struct db *db, const char *what);

struct row {
    struct db *db;
    sqlite3_stmt *statement;
    int at; /* next parameter or column */
};

struct row row_of(struct db *db, struct statement *statement);
void row_bind_int(struct row *r, int64_t n);
void row_bind_text(struct row *r, struct str s);
void row_write(struct row *r); /* runs an INSERT */

bool row_next(struct row *r); /* false: no more rows; the statement is reset */
void row_done(struct row *r); /* resets it before its last row */
int64_t row_int(struct row *r);
uint32_t row_number(struct row *r);
struct str row_text(struct row *r); /* a copy in the arena */
int row_word(struct row *r, enum vocabulary which);

#endif
