/* window.h: the last lines of one stream as one text. Private to match/.
 *
 * A byte of a stream has a position: uint64_t, rising, never reused. A line
 * takes at least LINE_COST positions, so that one limit bounds bytes and lines;
 * some positions have no byte.
 *
 *     lines    "GPU 0 has a"   ""    "capacity"(joined: "ty of 79 GiB")
 *     text      GPU 0 has a \n \n capacity...
 *     mark      ^0             ^16 ^32        ^48
 */
#ifndef MATCH_WINDOW_H
#define MATCH_WINDOW_H

#include "match/trace.h"

#define WINDOW_SPAN (64 * 1024) /* positions kept at most */
#define WINDOW_CHUNK (4 * 1024) /* a long line comes in such pieces */
#define LINE_COST 16

struct mark { /* a line begins here */
    uint64_t pos;
    uint64_t order; /* rises with the place in the whole input */
    uint64_t place; /* of the line in the decoded input */
    uint32_t text;  /* offset into the window's text */
    uint32_t number;
    uint32_t block, block_first; /* of its traceback (trace.h); 0: none */
    struct log_stamp stamp;
    uint8_t kind;                /* enum line_kind */
    bool is_solid, is_record, is_joined;
};

struct window {
    char *text;
    size_t n, cap;
    size_t fresh; /* bytes at its end in which no literals were found yet */
    struct mark *marks;
    size_t mark_count, mark_cap;
    size_t *near; /* the line that was looked up last: the next look-up is
                     likely to ask for it, too; NULL: there was no line */
    uint64_t end; /* position behind the last byte */
    bool starts_mid_line;
    struct trace trace;
    const struct shapes *shapes;
};

/* True if there is room for a further line or chunk of n bytes. */
bool window_has_room(const struct window *w, size_t n);
/* Begins a line; window_text() adds its text. order: of its first byte. */
void window_line(struct arena *a, struct window *w, const struct line *line,
                 uint64_t order);
void window_text(struct arena *a, struct window *w, struct str text);
/* Drops what stands before pos; or everything, since the next line is not
 * contiguous with the last one. */
void window_drop(struct window *w, uint64_t pos);
void window_break(struct window *w);

size_t window_mark_index(const struct window *w, uint64_t pos); /* its line */
static inline const struct mark *window_mark(const struct window *w,
                                             uint64_t pos) {
    return &w->marks[window_mark_index(w, pos)];
}
size_t window_offset(const struct window *w, uint64_t pos);
uint64_t window_pos(const struct window *w, size_t offset);
struct str window_slice(const struct window *w, uint64_t from, uint64_t to);
/* The position behind line i, without its newline. */
uint64_t window_line_end(const struct window *w, size_t i);
/* The first line that begins at most `back` bytes of the input before line i,
 * and the last one that begins at most `ahead` bytes behind it. One more on
 * either side counts if it is a piece of the same line. */
size_t window_lines_back(const struct window *w, size_t i, uint64_t back);
size_t window_lines_ahead(const struct window *w, size_t i, uint64_t ahead);
/* True if so much of the input lies between line i and the one before it that
 * they cannot belong to one traceback. */
bool window_is_far(const struct window *w, size_t i);
/* The offset behind line i with its newline. */
size_t window_line_stop(const struct window *w, size_t i);

#endif
