/* buf.h: a growable byte buffer with a ceiling. A failed append is sticky:
 * check buf_ok() or buf_check() once, after all writes. The memory comes from
 * the given allocator; buf_free() or an arena_defer releases it. A buffer in an
 * arena raises FAIL_MEMORY as arena_alloc() does, so there buf_ok() only tells
 * whether the ceiling was reached. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/arena.h"
#include "base/str.h"

struct buf {
    char *p; /* always NUL-terminated once anything was added */
    size_t n, cap, ceiling;
    bool failed;
    bool is_full; /* failed, because the ceiling was reached */
    const struct allocator *from;
    struct arena *a; /* raises when out of memory; NULL: failed is set */
};

/* ceiling: the most bytes it may hold; 0: no ceiling. */
void buf_init(struct buf *b, const struct allocator *from, size_t ceiling);
/* An empty buffer whose bytes live until arena_free(). The struct may be copied
 * if only one of the two is used from then on. */
struct buf buf_in(struct arena *a, size_t ceiling);
void buf_free(struct buf *b);
void buf_clear(struct buf *b); /* keeps the memory and the failure */
void buf_add(struct buf *b, struct str s);
void buf_add_char(struct buf *b, char c);
void buf_fill(struct buf *b, char c, size_t count);
void buf_printf(struct buf *b, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void buf_drop_front(struct buf *b, size_t n); /* clamped */
struct str buf_str(const struct buf *b);
bool buf_ok(const struct buf *b);
/* For a buffer in an arena. Raises FAIL_CEILING if it is full; the text has
 * `what` ("the answer") and the ceiling. */
void buf_check(const struct buf *b, const char *what);

#endif
