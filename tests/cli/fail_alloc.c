/* fail_alloc.c: a library to preload: the FAIL_AT-th call of malloc, calloc or
 * realloc of the program says that there is no memory, all others are served.
 * At its end the program writes the number of calls to the file FAIL_COUNT. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *(*real_malloc)(size_t);
static void *(*real_calloc)(size_t, size_t);
static void *(*real_realloc)(void *, size_t);
static char early[4096]; /* dlsym() asks for memory before it is found */
static size_t early_bytes;
static atomic_long calls;
static long fail_at = -1;

/* ISO C has no way from an object's address to a function's but its bytes. */
static void find_one(const char *name, void *function) {
    void *at = dlsym(RTLD_NEXT, name);
    memcpy(function, &at, sizeof at);
}

static void find(void) {
    find_one("malloc", &real_malloc);
    find_one("calloc", &real_calloc);
    find_one("realloc", &real_realloc);
}

__attribute__((constructor)) static void begin(void) {
    const char *at = getenv("FAIL_AT");
    find();
    atomic_store(&calls, 0);
    fail_at = at ? atol(at) : 0;
}

__attribute__((destructor)) static void end(void) {
    const char *path = getenv("FAIL_COUNT");
    long count = atomic_load(&calls);
    fail_at = -1;
    FILE *out = path ? fopen(path, "w") : NULL;
    if (out) {
        fprintf(out, "%ld\n", count);
        fclose(out);
    }
}

static int fails(void) {
    if (fail_at < 0 || atomic_fetch_add(&calls, 1) + 1 != fail_at)
        return 0;
    errno = ENOMEM; /* glibc itself insists on it */
    return 1;
}

static void *early_get(size_t n) {
    size_t rounded = (n + 15) / 16 * 16;
    if (rounded > sizeof early - early_bytes)
        _exit(99);
    void *p = early + early_bytes;
    early_bytes += rounded;
    return p;
}

void *malloc(size_t n) {
    if (!real_malloc)
        return early_get(n);
    return fails() ? NULL : real_malloc(n);
}

void *calloc(size_t count, size_t n) {
    if (!real_calloc)
        return early_get(count * n);
    return fails() ? NULL : real_calloc(count, n);
}

void *realloc(void *p, size_t n) {
    if (!real_realloc)
        find();
    return fails() ? NULL : real_realloc(p, n);
}

void free(void *p) {
    static void (*real_free)(void *);
    if ((char *)p >= early && (char *)p < early + sizeof early)
        return;
    if (!real_free)
        real_free = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    real_free(p);
}
