/* file.c: the bytes of an index file, looked at where they lie. Of a large
 * index a run reads little, so nothing is copied; the file is mapped until the
 * base is closed. It refuses what is no plain file, and what is too large to
 * be an index. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/handles.h"

#include "base/limits.h"

struct index_file {
    int handle; /* -1: closed */
    void *bytes;
    size_t n; /* 0: nothing is mapped */
};

static void close_handle(struct index_file *f) {
    if (f->handle >= 0) {
        close(f->handle);
        f->handle = -1;
    }
}

static void release(void *what) {
    struct index_file *f = what;
    close_handle(f);
    if (f->n > 0) {
        munmap(f->bytes, f->n);
        f->n = 0;
    }
}

static void map_bytes(struct arena *a, struct index_file *f, const char *path) {
    struct stat about;
    if (fstat(f->handle, &about) != 0 || !S_ISREG(about.st_mode))
        arena_raise(a, FAIL_IO, "%s: cannot be read as a file", path);
    if (about.st_size > INDEX_BYTES_MAX)
        arena_raise(a, FAIL_INDEX, "%s: too large for an oomkb index", path);
    if (about.st_size == 0) {
        return; /* there is nothing to map, and it is no index */
    }
    size_t n = (size_t)about.st_size;
    f->bytes = mmap(NULL, n, PROT_READ, MAP_PRIVATE, f->handle, 0);
    if (f->bytes == MAP_FAILED)
        arena_raise(a, FAIL_IO, "%s: cannot be read", path);
    f->n = n;
}

struct str index_file(struct arena *a, const char *path) {
    struct index_file *f = arena_alloc(a, sizeof *f);
    f->handle = -1;
    arena_defer(a, release, f);
    f->handle = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (f->handle < 0)
        arena_raise(a, FAIL_IO, "%s: cannot be read as a file", path);
    map_bytes(a, f, path);
    close_handle(f);
    return (struct str){f->bytes, f->n};
}
