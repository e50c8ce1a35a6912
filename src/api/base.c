/* base.c: opening knowledge bases: the built-in index, files, bytes, and
 * several of these as one; and the texts in them. A run reads little of a large
 * index, so a file is mapped until the knowledge base is closed and nothing is
 * copied. What is not a regular file, or is too large to be an index, is
 * refused. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/handles.h"

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
        arena_raise(a, FAIL_INDEX, "%s: longer than %lld bytes, the most of "
                    "an index", path, (long long)INDEX_BYTES_MAX);
    if (about.st_size == 0)
        return; /* mmap() refuses 0 bytes; index_open() will report it */
    size_t n = (size_t)about.st_size;
    f->bytes = mmap(NULL, n, PROT_READ, MAP_PRIVATE, f->handle, 0);
    if (f->bytes == MAP_FAILED)
        arena_raise(a, FAIL_IO, "%s: cannot be read", path);
    f->n = n;
}

static struct str index_file(struct arena *a, const char *path) {
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

/* The built-in index comes first, if it is among them: everything but entries
 * is taken from the first index. */
static void open_one(struct opening *o, struct str image) {
    struct oomkb *kb = o->kb;
    struct arena *a = &kb->arena;
    bool is_own = image.p == base_built_in().p;
    size_t at = is_own ? 0 : kb->count;
    for (size_t i = kb->count; i > at; i--) {
        kb->each[i] = kb->each[i - 1];
        kb->rules[i] = kb->rules[i - 1];
    }
    kb->each[at] = is_own ? index_open_builtin(a, image) : index_open(a, image);
    kb->rules[at] = scan_rules_open(a, kb->each[at]);
    kb->count++;
}

void base_open(void *arg) {
    struct opening *o = arg;
    struct oomkb *kb = o->kb;
    struct arena *a = &kb->arena;
    kb->each = arena_array(a, o->count, sizeof *kb->each);
    kb->rules = arena_array(a, o->count, sizeof *kb->rules);
    for (size_t i = 0; i < o->count; i++) {
        o->path = o->paths != NULL ? o->paths[i] : NULL;
        open_one(o, o->path != NULL    ? index_file(a, o->path)
                    : o->paths != NULL ? base_built_in()
                                       : o->image);
    }
    o->path = NULL;
    kb->index = index_join(a, kb->each, kb->count);
    kb->digest = STR("");
    for (size_t i = 0; i < kb->count; i++) {
        struct str one = index_digest(kb->each[i]);
        kb->digest = arena_printf(a, "%.*s%s%.*s", STR_ARG(kb->digest),
                                  i > 0 ? "+" : "", STR_ARG(one));
    }
}

/* ---- texts ---- */

struct lookup {
    struct arena arena;
    const struct oomkb *kb;
    enum lang lang;
    struct str key, text;
};

static void look_up(void *arg) {
    struct lookup *q = arg;
    struct reader *r = reader_new(q->kb->index, &q->arena);
    q->text = reader_message(r, q->lang, q->key);
}

/* The text is a view of the index, where it ends with a NUL. */
const char *base_text(const struct oomkb *kb, enum lang lang, const char *key) {
    struct lookup q = {.kb = kb, .lang = lang, .key = str_of(key)};
    arena_init(&q.arena, &kb->from, 0);
    bool is_read = arena_guard(&q.arena, look_up, &q, NULL) == FAIL_NONE;
    arena_free(&q.arena);
    return is_read && q.text.n > 0 ? q.text.p : "";
}
