/* arena.h: memory with a lifetime, and the one way to raise an error.
 *
 * Everything oomkb allocates belongs to an arena: the open index, a report, a
 * line being read, a build. An arena also owns resources that are not memory
 * (a SQLite handle, a compiled pattern): arena_defer() registers them and
 * arena_free() releases them, last in first out. So no code below the API
 * frees anything.
 *
 * arena_alloc() never returns NULL. When memory or the ceiling is exhausted it
 * raises, and so does code that cannot go on (a corrupt index): the innermost
 * arena_guard() of that arena returns the error. Code in between needs no
 * checks and holds nothing that an arena does not own.
 *
 * An arena belongs to one thread at a time.
 */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

/* Where arenas get their blocks. A NULL pointer to it means malloc and free.
 * Tests pass one that fails on the n-th call. */
struct allocator {
    void *(*get)(void *ctx, size_t bytes);
    void (*put)(void *ctx, void *block);
    void *ctx;
};

void *allocator_get(const struct allocator *from, size_t bytes);
void allocator_put(const struct allocator *from, void *block); /* or NULL */

/* Error codes; the public header gives them the same values. */
enum fail {
    FAIL_NONE = 0,
    FAIL_MEMORY = 1,  /* the allocator returned NULL */
    FAIL_CEILING = 2, /* an arena or buffer is full: the input is too large */
    FAIL_USAGE = 3,   /* an argument is invalid */
    FAIL_IO = 4,      /* a file could not be read or written */
    FAIL_INDEX = 5,   /* not an oomkb index, a newer one, or a damaged one */
    FAIL_INPUT = 6    /* compressed input is damaged, a config is malformed */
};

struct fault {
    enum fail code;
    char text[256]; /* one line, no newline: what, where, what is accepted */
};

struct arena_block;
struct arena_defer;
struct arena_rescue;

struct arena {
    const struct allocator *from;
    struct arena_block *blocks;
    struct arena_defer *deferred;
    struct arena_rescue *rescue;
    struct arena *owner; /* arena_init_inside(); NULL: none */
    size_t used_bytes;
    size_t ceiling_bytes; /* 0: none */
};

void arena_init(struct arena *a, const struct allocator *from,
                size_t ceiling_bytes);
/* Has the allocator of its owner and is freed with it. Without a guard of its
 * own it raises where its owner does. */
void arena_init_inside(struct arena *a, struct arena *owner,
                       size_t ceiling_bytes);
void arena_free(struct arena *a); /* runs the defers; a may be used again */
/* Run the defers registered since `until` was the newest (a->deferred). */
void arena_release_to(struct arena *a, const struct arena_defer *until);

/* Zeroed, aligned for any type, valid until arena_free(). n may be 0. */
void *arena_alloc(struct arena *a, size_t n);
void *arena_array(struct arena *a, size_t count, size_t size); /* checked */
/* The same, but not zeroed: pages that are never written cost nothing. */
void *arena_room(struct arena *a, size_t n);
/* The same, for what will all be written: its pages are asked of the system at
 * once, where it can give them so, and not one by one as they are touched. */
void *arena_pages(struct arena *a, size_t n);
struct str arena_str(struct arena *a, struct str s); /* copy, NUL-terminated */
struct str arena_lower(struct arena *a, struct str s); /* copy, ASCII lower */
/* A copy with every `old` replaced by `with`. */
struct str arena_swap(struct arena *a, struct str s, char old, char with);
struct str arena_printf(struct arena *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void arena_defer(struct arena *a, void (*release)(void *), void *what);

/* Make room for one more element in a list that lives in the arena. Returns
 * the (possibly moved) list; *cap grows by doubling. A list that is the last
 * allocation of its block grows in place. */
void *arena_grow(struct arena *a, void *list, size_t count, size_t *cap,
                 size_t size);
/* Append one element and increment count. The result points to the element:
 * *ARENA_ADD(a, l->at, l->count, l->cap) = x; */
#define ARENA_ADD(a, list, count, cap)                                         \
    ((list) = (count) < (cap) ? (list)                                         \
                              : arena_grow((a), (list), (count), &(cap),       \
                                           sizeof *(list)),                    \
     &(list)[(count)++])

/* Run body(arg). Returns FAIL_NONE, or the raised code with *fault filled
 * (fault may be NULL). Guards nest. */
enum fail arena_guard(struct arena *a, void (*body)(void *arg), void *arg,
                      struct fault *fault);
_Noreturn void arena_raise(struct arena *a, enum fail code, const char *format,
                           ...) __attribute__((format(printf, 3, 4)));

#endif
