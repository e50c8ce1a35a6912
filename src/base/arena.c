/* arena.c: blocks, defers and rescues.
 *
 *     arena.blocks -> [newest block | used ... free] -> [older] -> ...
 *     arena.deferred -> newest -> ... -> oldest     (released in this order)
 *     arena.rescue -> innermost guard -> outer guard
 *
 * Blocks double from 4 KiB to 1 MiB. A large request gets a block of its own
 * behind the newest one, which stays in use. This is the only file that calls
 * longjmp(). A raise without a guard is a bug in the caller and aborts.
 */
#define _DEFAULT_SOURCE /* madvise() */
#include "base/arena.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_BLOCK_BYTES ((size_t)4096)
#define LARGEST_BLOCK_BYTES ((size_t)1 << 20)
#define ALIGNMENT _Alignof(max_align_t)
#define PAGE_BYTES ((uintptr_t)4096) /* or a divisor of a larger page's */

struct arena_block {
    struct arena_block *next;
    size_t size, used;
    _Alignas(max_align_t) char bytes[];
};

struct arena_defer {
    struct arena_defer *next;
    void (*release)(void *);
    void *what;
};

struct arena_rescue {
    struct arena_rescue *outer;
    struct fault fault;
    jmp_buf jump;
};

void *allocator_get(const struct allocator *from, size_t bytes) {
    return from ? from->get(from->ctx, bytes) : malloc(bytes);
}

void allocator_put(const struct allocator *from, void *block) {
    if (from && block)
        from->put(from->ctx, block);
    else
        free(block);
}

void arena_init(struct arena *a, const struct allocator *from,
                size_t ceiling_bytes) {
    *a = (struct arena){.from = from, .ceiling_bytes = ceiling_bytes};
}

void arena_release_to(struct arena *a, const struct arena_defer *until) {
    while (a->deferred && a->deferred != until) {
        struct arena_defer *d = a->deferred;
        a->deferred = d->next;
        d->release(d->what);
    }
}

void arena_free(struct arena *a) {
    arena_release_to(a, NULL);
    while (a->blocks) {
        struct arena_block *b = a->blocks;
        a->blocks = b->next;
        allocator_put(a->from, b);
    }
    a->used_bytes = 0;
}

/* A block for `need` bytes. A request of more than a quarter of the next block
 * size gets a block of its own behind the newest one. */
static struct arena_block *add_block(struct arena *a, size_t need) {
    size_t size = a->blocks ? a->blocks->size * 2 : FIRST_BLOCK_BYTES;
    if (size > LARGEST_BLOCK_BYTES)
        size = LARGEST_BLOCK_BYTES;
    bool is_own = a->blocks && need > size / 4;
    if (is_own || size < need)
        size = need;
    if (size > SIZE_MAX - sizeof(struct arena_block))
        arena_raise(a, FAIL_MEMORY, "out of memory for %zu bytes", need);
    struct arena_block *b = allocator_get(a->from, sizeof *b + size);
    if (!b)
        arena_raise(a, FAIL_MEMORY, "out of memory for %zu bytes", need);
    b->size = size;
    b->used = 0;
    struct arena_block **place = is_own ? &a->blocks->next : &a->blocks;
    b->next = *place;
    *place = b;
    return b;
}

static size_t rounded(struct arena *a, size_t n) {
    if (n > SIZE_MAX - 2 * ALIGNMENT)
        arena_raise(a, FAIL_MEMORY, "out of memory for %zu bytes", n);
    return n ? (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : ALIGNMENT;
}

static void *take(struct arena *a, struct arena_block *b, size_t bytes) {
    if (a->ceiling_bytes && (bytes > a->ceiling_bytes ||
                             a->used_bytes > a->ceiling_bytes - bytes))
        arena_raise(a, FAIL_CEILING, "more than %zu bytes would be needed",
                    a->ceiling_bytes);
    if (!b || b->size - b->used < bytes)
        b = add_block(a, bytes);
    void *p = b->bytes + b->used;
    b->used += bytes;
    a->used_bytes += bytes;
    return p;
}

void *arena_room(struct arena *a, size_t n) {
    return take(a, a->blocks, rounded(a, n));
}

void *arena_pages(struct arena *a, size_t n) {
    char *room = arena_room(a, n);
#ifdef MADV_POPULATE_WRITE
    uintptr_t from = (uintptr_t)room, to = from + n;
    from = (from + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    to = to / PAGE_BYTES * PAGE_BYTES;
    if (from < to) /* where it fails, pages come as they are touched */
        madvise(room + (from - (uintptr_t)room), to - from,
                MADV_POPULATE_WRITE);
#endif
    return room;
}

void *arena_alloc(struct arena *a, size_t n) {
    size_t bytes = rounded(a, n);
    return memset(take(a, a->blocks, bytes), 0, bytes);
}

void *arena_array(struct arena *a, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        arena_raise(a, FAIL_MEMORY, "out of memory for %zu times %zu bytes",
                    count, size);
    return arena_alloc(a, bytes);
}

struct str arena_str(struct arena *a, struct str s) {
    if (s.n == SIZE_MAX)
        arena_raise(a, FAIL_MEMORY, "out of memory for %zu bytes", s.n);
    char *p = arena_alloc(a, s.n + 1);
    if (s.n)
        memcpy(p, s.p, s.n);
    return (struct str){p, s.n};
}

struct str arena_lower(struct arena *a, struct str s) {
    struct str small = arena_str(a, s);
    for (size_t i = 0; i < small.n; i++)
        ((char *)small.p)[i] = to_lower(s.p[i]);
    return small;
}

struct str arena_swap(struct arena *a, struct str s, char old, char with) {
    struct str swapped = arena_str(a, s);
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == old)
            ((char *)swapped.p)[i] = with;
    return swapped;
}

struct str arena_printf(struct arena *a, const char *format, ...) {
    struct arena_block *b = a->blocks; /* it is written where it would lie */
    size_t room = b ? b->size - b->used : 0;
    char *here = room > 0 ? b->bytes + b->used : NULL;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(here, room, format, args);
    va_end(args);
    size_t length = n < 0 ? 0 : (size_t)n;
    char *p = arena_room(a, length + 1);
    if (p != here || n < 0)
        vsnprintf(p, length + 1, format, again);
    va_end(again);
    return (struct str){p, length};
}

struct deferral {
    struct arena *a;
    struct arena_defer *made;
};

static void make_defer(void *arg) {
    struct deferral *d = arg;
    d->made = arena_alloc(d->a, sizeof *d->made);
}

/* True if an allocation of `bytes` cannot raise: the usual case. */
static bool has_room(const struct arena *a, size_t bytes) {
    return a->blocks && a->blocks->size - a->blocks->used >= bytes &&
           (!a->ceiling_bytes || (a->ceiling_bytes > a->used_bytes &&
                                  a->ceiling_bytes - a->used_bytes >= bytes));
}

void arena_defer(struct arena *a, void (*release)(void *), void *what) {
    struct deferral d = {.a = a};
    struct fault fault;
    enum fail code = FAIL_NONE;
    if (has_room(a, rounded(a, sizeof *d.made)))
        make_defer(&d);
    else
        code = arena_guard(a, make_defer, &d, &fault);
    if (code != FAIL_NONE) { /* unregistered, so it would leak */
        release(what);
        arena_raise(a, code, "%s", fault.text);
    }
    *d.made = (struct arena_defer){a->deferred, release, what};
    a->deferred = d.made;
}

static void free_inside(void *a) {
    arena_free(a);
}

void arena_init_inside(struct arena *a, struct arena *owner,
                       size_t ceiling_bytes) {
    arena_init(a, owner->from, ceiling_bytes);
    a->owner = owner;
    arena_defer(owner, free_inside, a);
}

/* Extend the list to `wanted` bytes in place, zeroed. False if it is not the
 * last allocation of the newest block, or the block has no room. */
static bool grow_in_place(struct arena *a, const char *list, size_t bytes,
                          size_t wanted) {
    struct arena_block *b = a->blocks;
    size_t end = list && b ? rounded(a, bytes) : 0;
    size_t more = end > 0 ? rounded(a, wanted) - end : 0;
    if (more == 0 || list + end != b->bytes + b->used ||
        b->size - b->used < more)
        return false;
    memset(take(a, b, more), 0, more);
    return true;
}

void *arena_grow(struct arena *a, void *list, size_t count, size_t *cap,
                 size_t size) {
    if (count < *cap)
        return list;
    size_t more = *cap < 4 ? 8 : *cap * 2, bytes;
    if (!__builtin_mul_overflow(more, size, &bytes) &&
        grow_in_place(a, list, *cap * size, bytes)) {
        *cap = more;
        return list;
    }
    void *bigger = arena_array(a, more, size);
    if (count)
        memcpy(bigger, list, count * size);
    *cap = more;
    return bigger;
}

/* A function of its own: a local of the function that calls setjmp() is
 * indeterminate after the jump if it changed in between (C17 7.13.2.1). */
static void run_guarded(struct arena_rescue *rescue, void (*body)(void *arg),
                        void *arg) {
    if (setjmp(rescue->jump) == 0)
        body(arg);
}

enum fail arena_guard(struct arena *a, void (*body)(void *arg), void *arg,
                      struct fault *fault) {
    struct arena_rescue rescue = {.outer = a->rescue};
    a->rescue = &rescue;
    run_guarded(&rescue, body, arg);
    a->rescue = rescue.outer;
    if (fault && rescue.fault.code != FAIL_NONE)
        *fault = rescue.fault;
    return rescue.fault.code;
}

_Noreturn void arena_raise(struct arena *a, enum fail code, const char *format,
                           ...) {
    while (!a->rescue && a->owner)
        a = a->owner;
    struct arena_rescue *rescue = a->rescue;
    if (!rescue)
        abort();
    rescue->fault.code = code;
    va_list args;
    va_start(args, format);
    vsnprintf(rescue->fault.text, sizeof rescue->fault.text, format, args);
    va_end(args);
    longjmp(rescue->jump, 1);
}
