/* vfs.c: a SQLite VFS without a system. The index and temporary data
 * (SQLITE_TEMP_STORE=3) are in memory, so no file is ever opened. Time and
 * randomness are constants, which does not matter for an index that is only
 * read. */
#include <string.h>

#include <sqlite3.h>

static int open_no_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file,
                        int flags, int *flags_out) {
    (void)vfs, (void)name, (void)flags, (void)flags_out;
    file->pMethods = NULL;
    return SQLITE_CANTOPEN;
}

static int delete_no_file(sqlite3_vfs *vfs, const char *name, int is_synced) {
    (void)vfs, (void)name, (void)is_synced;
    return SQLITE_IOERR_DELETE;
}

static int access_no_file(sqlite3_vfs *vfs, const char *name, int flags,
                          int *result) {
    (void)vfs, (void)name, (void)flags;
    *result = 0;
    return SQLITE_OK;
}

static int keep_name(sqlite3_vfs *vfs, const char *name, int n, char *out) {
    (void)vfs;
    sqlite3_snprintf(n, out, "%s", name);
    return SQLITE_OK;
}

static int fill_with_zeros(sqlite3_vfs *vfs, int n, char *out) {
    (void)vfs;
    memset(out, 0, (size_t)n);
    return n;
}

static int no_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs, (void)microseconds;
    return 0;
}

static int no_time(sqlite3_vfs *vfs, double *day) {
    (void)vfs;
    *day = 0;
    return SQLITE_OK;
}

int sqlite3_os_init(void) {
    static sqlite3_vfs vfs = {.iVersion = 1,
                              .szOsFile = sizeof(sqlite3_file),
                              .mxPathname = 64,
                              .zName = "none",
                              .xOpen = open_no_file,
                              .xDelete = delete_no_file,
                              .xAccess = access_no_file,
                              .xFullPathname = keep_name,
                              .xRandomness = fill_with_zeros,
                              .xSleep = no_sleep,
                              .xCurrentTime = no_time};
    return sqlite3_vfs_register(&vfs, 1);
}

int sqlite3_os_end(void) {
    return SQLITE_OK;
}
