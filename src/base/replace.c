/* replace.c: see replace.h. */
#include "base/replace.h"
#include "base/limits.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX ".oomkb-XXXXXX"
#define MARK_BYTES 7          /* ".oomkb-" */
#define LEFT_OVER_SECONDS 3600 /* no write of one file takes that long */

struct place {
    char path[PATH_MAX]; /* the file itself, all links resolved */
    char beside[PATH_MAX + sizeof SUFFIX]; /* the temporary file */
};

/* Bytes of the folder's name, with its slash. */
static size_t folder_bytes(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash + 1 - path);
}

/* Follow one symbolic link. 0: path is the target now; 1: it is not a link;
 * -1: errno is set. */
static int link_follow(char path[PATH_MAX]) {
    char target[PATH_MAX], joined[PATH_MAX];
    ssize_t n = readlink(path, target, sizeof target - 1);
    if (n < 0)
        return errno == EINVAL || errno == ENOENT ? 1 : -1;
    target[n] = '\0';
    int folder = target[0] == '/' ? 0 : (int)folder_bytes(path);
    int length =
        snprintf(joined, sizeof joined, "%.*s%s", folder, path, target);
    errno = ENAMETOOLONG;
    if (length < 0 || length >= PATH_MAX)
        return -1;
    memcpy(path, joined, (size_t)length + 1);
    return 0;
}

static bool place_find(struct place *at, const char *path) {
    int is_end = 0;
    errno = ENAMETOOLONG;
    if (strlen(path) >= sizeof at->path)
        return false;
    memcpy(at->path, path, strlen(path) + 1);
    for (int i = 0; i < FILE_LINKS_MAX && is_end == 0; i++)
        is_end = link_follow(at->path);
    if (is_end == 0)
        errno = ELOOP;
    snprintf(at->beside, sizeof at->beside, "%s" SUFFIX, at->path);
    return is_end == 1;
}

static bool write_all(int fd, struct str bytes) {
    while (bytes.n > 0) {
        ssize_t put = write(fd, bytes.p, bytes.n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        bytes = str_slice(bytes, (size_t)put, bytes.n);
    }
    return true;
}

/* errno is that of the first step that failed. */
static bool write_and_close(int fd, struct str bytes, bool is_synced) {
    bool is_put = write_all(fd, bytes) && (!is_synced || fsync(fd) == 0);
    int why = errno;
    bool is_closed = close(fd) == 0;
    errno = is_put ? errno : why;
    return is_put && is_closed;
}

static bool write_in_place(const char *path, struct str bytes) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    return fd >= 0 && write_and_close(fd, bytes, false);
}

static bool write_beside(struct place *at, struct str bytes, mode_t mode,
                         bool is_synced) {
    int fd = mkstemp(at->beside);
    if (fd < 0)
        return false;
    bool is_done = fchmod(fd, mode) == 0;
    is_done = write_and_close(fd, bytes, is_synced) && is_done &&
              rename(at->beside, at->path) == 0;
    if (!is_done) {
        int why = errno;
        unlink(at->beside);
        errno = why;
    }
    return is_done;
}

static bool is_left_over(int folder, const char *entry, const char *name) {
    struct stat is;
    size_t n = strlen(name);
    return strncmp(entry, name, n) == 0 &&
           strncmp(entry + n, SUFFIX, MARK_BYTES) == 0 &&
           strlen(entry + n) == sizeof SUFFIX - 1 &&
           fstatat(folder, entry, &is, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(is.st_mode) && time(NULL) - is.st_mtime > LEFT_OVER_SECONDS;
}

/* Sync the folder, so that the rename survives a crash as well, and remove
 * temporary files of writers that were killed. If the folder cannot be opened,
 * the file is still whole. */
static void folder_sync(const char *path) {
    size_t n = folder_bytes(path);
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%.*s", (int)n, path);
    DIR *dir = opendir(n > 0 ? name : ".");
    if (dir == NULL)
        return;
    fsync(dirfd(dir));
    for (struct dirent *e; (e = readdir(dir)) != NULL;)
        if (is_left_over(dirfd(dir), e->d_name, path + n))
            unlinkat(dirfd(dir), e->d_name, 0);
    closedir(dir);
}

int file_replace(const char *path, struct str bytes, mode_t mode,
                 bool is_synced) {
    struct place at;
    struct stat is;
    if (!place_find(&at, path))
        return errno;
    if (stat(at.path, &is) == 0 && !S_ISREG(is.st_mode) &&
        !S_ISDIR(is.st_mode))
        return write_in_place(at.path, bytes) ? 0 : errno;
    if (!write_beside(&at, bytes, mode, is_synced))
        return errno;
    if (is_synced)
        folder_sync(at.path);
    return 0;
}
