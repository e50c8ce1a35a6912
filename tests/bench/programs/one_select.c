/* Opens the index with SQLite, asks one question: one_select INDEX. Linked as
 * oomkb is. */
#include <sqlite3.h>
#include <stdio.h>

int main(int argc, char **argv) {
    sqlite3 *db = NULL;
    sqlite3_stmt *ask = NULL;
    if (argc != 2 ||
        sqlite3_open_v2(argv[1], &db, SQLITE_OPEN_READONLY, NULL) ||
        sqlite3_prepare_v2(db, "SELECT count(*) FROM entry", -1, &ask,
                           NULL) ||
        sqlite3_step(ask) != SQLITE_ROW)
        return 2;
    printf("%d\n", sqlite3_column_int(ask, 0));
    sqlite3_finalize(ask);
    sqlite3_close(db);
    return 0;
}
