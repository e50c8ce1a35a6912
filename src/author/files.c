/* files.c: listing, reading, and atomic writing.
 *
 * Folders are closed after use; if something raises before that, the arena
 * closes them. Symbolic links to files are followed, links to directories are
 * not, so a listing always ends. */
#include "author/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "author/author.h"
#include "base/replace.h"

struct str path_join(struct arena *a, struct str dir, struct str name) {
    if (str_eq(dir, STR(".")))
        return arena_str(a, name);
    return arena_printf(a, "%.*s/%.*s", STR_ARG(dir), STR_ARG(name));
}

struct str path_parent(struct str path) {
    size_t n = str_trim_end(path, '/').n;
    while (n > 0 && path.p[n - 1] != '/')
        n--;
    if (n == 0)
        return STR(".");
    return (struct str){path.p, n > 1 ? n - 1 : 1};
}

struct str path_folder(struct str path) {
    struct str parent = path_parent(path), rest = parent;
    while (rest.n > 0) {
        parent = rest;
        str_cut(rest, '/', &rest);
    }
    return parent;
}

void str_sort(struct str *list, size_t count) {
    if (count > 1)
        qsort(list, count, sizeof *list, str_order);
}

struct directory {
    DIR *handle;
};

static void directory_close(void *what) {
    struct directory *d = what;
    if (d->handle != NULL)
        closedir(d->handle);
    d->handle = NULL;
}

struct listing {
    struct arena *a;
    struct str_list files;
    size_t cap;
};

static void list_into(struct listing *l, struct str dir, int depth);

static void list_one(struct listing *l, struct str path, int depth) {
    struct stat is;
    if (lstat(path.p, &is) != 0)
        return;
    if (S_ISDIR(is.st_mode)) {
        list_into(l, path, depth + 1);
        return;
    }
    if (S_ISLNK(is.st_mode) && stat(path.p, &is) != 0)
        return;
    if (!S_ISREG(is.st_mode))
        return;
    if (l->files.count >= FILES_MAX)
        arena_raise(l->a, FAIL_CEILING, "more than %d files", FILES_MAX);
    *ARENA_ADD(l->a, l->files.at, l->files.count, l->cap) = path;
}

static void list_into(struct listing *l, struct str dir, int depth) {
    if (depth > FILES_DEPTH_MAX)
        return;
    struct directory *d = arena_alloc(l->a, sizeof *d);
    arena_defer(l->a, directory_close, d);
    d->handle = opendir(arena_str(l->a, dir).p);
    if (d->handle == NULL)
        return;
    const struct dirent *row;
    while ((row = readdir(d->handle)) != NULL)
        if (row->d_name[0] != '.')
            list_one(l, path_join(l->a, dir, str_of(row->d_name)), depth);
    directory_close(d);
}

struct str_list files_under(struct arena *a, struct str dir) {
    struct listing l = {.a = a};
    list_into(&l, dir, 0);
    str_sort(l.files.at, l.files.count);
    return l.files;
}

bool file_exists(struct arena *a, struct str path) {
    struct stat is;
    return stat(arena_str(a, path).p, &is) == 0 && S_ISREG(is.st_mode);
}

static bool read_all(int fd, char *into, size_t n) {
    size_t done = 0;
    while (done < n) {
        ssize_t got = read(fd, into + done, n - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/* The memory is allocated before the file is opened, so nothing raises while it
 * is open. */
bool file_read(struct arena *a, struct str path, struct str *bytes,
               const char **why) {
    const char *name = arena_str(a, path).p;
    struct stat is;
    bool fits = stat(name, &is) == 0 && is.st_size <= FILE_BYTES_MAX;
    size_t n = fits ? (size_t)is.st_size : 0;
    char *p = arena_alloc(a, n + 1);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    bool is_file = fd >= 0 && fstat(fd, &is) == 0 && S_ISREG(is.st_mode);
    bool is_large = is_file && is.st_size > FILE_BYTES_MAX;
    bool good = is_file && (size_t)is.st_size == n && read_all(fd, p, n);
    *why = !is_file   ? "the file is not there or cannot be read"
           : is_large ? "the file is larger than 16 MiB"
                      : "the file changed while it was read";
    if (good)
        *bytes = (struct str){p, n};
    if (fd >= 0)
        close(fd);
    return good;
}

void author_write_file(struct arena *a, struct str path, struct str image) {
    file_write(a, path, image, true);
}

void file_write(struct arena *a, struct str path, struct str image,
                bool is_synced) {
    int why = file_replace(arena_str(a, path).p, image, 0644, is_synced);
    if (why != 0)
        arena_raise(a, FAIL_IO, "cannot write %.*s: %s", STR_ARG(path),
                    strerror(why));
}
