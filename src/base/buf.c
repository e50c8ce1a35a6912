/* buf.c: growing by doubling, up to the ceiling.
 *
 * A buffer in an arena allocates through a lease: an allocator that records
 * the blocks the buffer holds (two while it grows, else one). The arena
 * releases the lease, so the struct buf may be a local variable that is gone
 * by then.
 */
#include "base/buf.h"

#include <stdio.h>
#include <string.h>

#define FIRST_BYTES ((size_t)64)

struct lease {
    struct allocator to_buf;
    const struct allocator *from;
    void *held[2];
};

static void *lease_get(void *ctx, size_t bytes) {
    struct lease *l = ctx;
    void **slot = l->held[0] ? &l->held[1] : &l->held[0];
    if (*slot)
        return NULL;
    *slot = allocator_get(l->from, bytes);
    return *slot;
}

static void lease_put(void *ctx, void *block) {
    struct lease *l = ctx;
    for (int i = 0; i < 2; i++) {
        if (l->held[i] == block) {
            l->held[i] = NULL;
            allocator_put(l->from, block);
            return;
        }
    }
}

static void lease_end(void *what) {
    struct lease *l = what;
    allocator_put(l->from, l->held[0]);
    allocator_put(l->from, l->held[1]);
}

void buf_init(struct buf *b, const struct allocator *from, size_t ceiling) {
    *b = (struct buf){.ceiling = ceiling, .from = from};
}

struct buf buf_in(struct arena *a, size_t ceiling) {
    struct lease *l = arena_alloc(a, sizeof *l);
    l->to_buf = (struct allocator){lease_get, lease_put, l};
    l->from = a->from;
    arena_defer(a, lease_end, l);
    return (struct buf){.ceiling = ceiling, .from = &l->to_buf, .a = a};
}

void buf_free(struct buf *b) {
    struct arena *a = b->a;
    allocator_put(b->from, b->p);
    buf_init(b, b->from, b->ceiling);
    b->a = a;
}

void buf_clear(struct buf *b) {
    b->n = 0;
    if (b->p)
        b->p[0] = '\0';
}

static bool grow(struct buf *b, size_t n) {
    if (b->failed)
        return false;
    size_t limit = b->ceiling ? b->ceiling : SIZE_MAX / 4;
    b->failed = b->is_full = b->n > limit || n > limit - b->n;
    if (b->failed)
        return false;
    size_t need = b->n + n + 1;
    size_t cap = b->cap < FIRST_BYTES / 2 ? FIRST_BYTES : b->cap * 2;
    if (cap < need)
        cap = need;
    if (cap > limit + 1)
        cap = limit + 1;
    char *p = allocator_get(b->from, cap);
    b->failed = !p;
    if (!p && b->a)
        arena_raise(b->a, FAIL_MEMORY, "out of memory for %zu bytes", cap);
    if (!p)
        return false;
    if (b->n)
        memcpy(p, b->p, b->n);
    allocator_put(b->from, b->p);
    b->p = p;
    b->cap = cap;
    return true;
}

/* Make room for n more bytes and the final NUL. False if there is none; then
 * b->failed is set. */
static inline bool make_room(struct buf *b, size_t n) {
    return (n < b->cap - b->n && !b->failed) || grow(b, n);
}

void buf_add(struct buf *b, struct str s) {
    if (!make_room(b, s.n))
        return;
    if (s.n)
        memcpy(b->p + b->n, s.p, s.n);
    b->n += s.n;
    b->p[b->n] = '\0';
}

void buf_add_char(struct buf *b, char c) {
    buf_add(b, (struct str){&c, 1});
}

void buf_fill(struct buf *b, char c, size_t count) {
    if (!make_room(b, count))
        return;
    memset(b->p + b->n, c, count);
    b->n += count;
    b->p[b->n] = '\0';
}

void buf_printf(struct buf *b, const char *format, ...) {
    size_t room = b->failed ? 0 : b->cap - b->n;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(room > 0 ? b->p + b->n : NULL, room, format, args);
    va_end(args);
    if (n < 0)
        b->failed = true;
    bool is_written = n >= 0 && (size_t)n < room;
    if (!is_written && room > 0)
        b->p[b->n] = '\0';
    if (!is_written && n >= 0 && make_room(b, (size_t)n)) {
        vsnprintf(b->p + b->n, (size_t)n + 1, format, again);
        is_written = true;
    }
    b->n += is_written ? (size_t)n : 0;
    va_end(again);
}

void buf_drop_front(struct buf *b, size_t n) {
    if (n > b->n)
        n = b->n;
    if (n == 0)
        return;
    memmove(b->p, b->p + n, b->n - n);
    b->n -= n;
    b->p[b->n] = '\0';
}

struct str buf_str(const struct buf *b) {
    return (struct str){b->p, b->n};
}

bool buf_ok(const struct buf *b) {
    return !b->failed;
}

void buf_check(const struct buf *b, const char *what) {
    if (b->is_full)
        arena_raise(b->a, FAIL_CEILING, "%s is longer than %zu bytes", what,
                    b->ceiling);
    if (b->failed)
        arena_raise(b->a, FAIL_MEMORY, "out of memory for %s", what);
}
