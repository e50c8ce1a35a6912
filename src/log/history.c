/* history.c: keeps the parts of a long log that may be read again.
 *
 *     |== head ==|......|= zone =|..........|==== tail ====|
 *      4 MiB             before and behind   8 MiB
 *                        a failure
 *
 * The log is held in pieces of 64 KiB. The newest pieces are the tail. The
 * oldest of them is overwritten, unless it belongs to the head or is near a
 * failure. So a log of up to 12 MiB is held whole, and of a longer one at most
 * 16 MiB.
 */
#include "log/history.h"

#include "base/limits.h"

#include <string.h>

#include "base/plain.h"
#include "base/sort.h"
#include "log/reader.h"

#define PIECE_BYTES (64 * 1024)
#define TAIL_PIECES (HISTORY_TAIL_BYTES_MAX / PIECE_BYTES)
#define ZONE_BEFORE 4 /* pieces */
#define ZONE_BEHIND 1
#define LITTLE_PIECES 1 /* of each end, if the log has no failure */

struct piece {
    uint64_t place, lines; /* lines that end before it */
    size_t n;
    bool is_kept;
    char bytes[PIECE_BYTES];
};

struct history {
    struct arena *a;
    struct piece **at; /* by place */
    size_t count, cap;
    size_t settled;    /* pieces at the front that are never overwritten */
    size_t zone_count; /* kept pieces outside the head */
    uint64_t zone_to;  /* a piece that begins before this place is kept */
};

struct history *history_new(struct arena *a) {
    struct history *h = arena_alloc(a, sizeof *h);
    h->a = a;
    return h;
}

static void keep(struct history *h, struct piece *p) {
    if (p->is_kept || h->zone_count == HISTORY_ZONES_MAX)
        return;
    p->is_kept = true;
    h->zone_count++;
}

/* The piece that leaves the tail, to be overwritten; NULL: there is none, or it
 * is kept. */
static struct piece *take_oldest(struct history *h) {
    if (h->count - h->settled < TAIL_PIECES)
        return NULL;
    struct piece *p = h->at[h->settled];
    if (p->is_kept) {
        h->settled++;
        return NULL;
    }
    h->count--;
    memmove(h->at + h->settled, h->at + h->settled + 1,
            (h->count - h->settled) * sizeof(struct piece *));
    return p;
}

static struct piece *next_piece(struct history *h) {
    const struct piece *last = h->count > 0 ? h->at[h->count - 1] : NULL;
    uint64_t place = last ? last->place + last->n : 0;
    uint64_t lines =
        last ? last->lines +
                   plain_count((struct str){last->bytes, last->n}, '\n')
             : 0;
    struct piece *p = take_oldest(h);
    if (!p)
        p = arena_room(h->a, sizeof *p);
    p->place = place;
    p->lines = lines;
    p->n = 0;
    p->is_kept = place < HISTORY_HEAD_BYTES_MAX;
    if (place < h->zone_to)
        keep(h, p);
    return *ARENA_ADD(h->a, h->at, h->count, h->cap) = p;
}

void history_add(struct history *h, struct str bytes) {
    while (bytes.n > 0) {
        struct piece *p = h->count > 0 ? h->at[h->count - 1] : NULL;
        if (!p || p->n == PIECE_BYTES)
            p = next_piece(h);
        struct str part = str_slice(bytes, 0, PIECE_BYTES - p->n);
        memcpy(p->bytes + p->n, part.p, part.n);
        p->n += part.n;
        bytes = str_slice(bytes, part.n, bytes.n);
    }
}

static uint64_t place_of(const void *pieces, size_t i) {
    return ((struct piece *const *)pieces)[i]->place;
}

void history_mark(struct history *h, uint64_t place) {
    uint64_t before = (uint64_t)ZONE_BEFORE * PIECE_BYTES;
    uint64_t from = place > before ? place - before : 0;
    uint64_t to = place + (uint64_t)ZONE_BEHIND * PIECE_BYTES;
    for (size_t i = last_up_to(h->at, h->count, place_of, from);
         i < h->count && h->at[i]->place <= to; i++)
        keep(h, h->at[i]);
    h->zone_to = to > h->zone_to ? to : h->zone_to;
}

/* ---- reading ---- */

static struct str bytes_of(const struct piece *p) {
    return (struct str){p->bytes, p->n};
}

/* Reads the whole lines of the pieces [from, to), which are contiguous. */
static void read_pieces(const struct history *h, size_t from, size_t to,
                 struct log_reader *reader, void (*on_end)(void *ctx)) {
    size_t skip = 0, stop = h->at[to - 1]->n; /* of the first; of the last */
    bool begins_inside = h->at[from]->place > 0, ends_inside = to < h->count;
    while (begins_inside && from < to &&
           (skip = 1 + str_find_char(bytes_of(h->at[from]), '\n')) >
               h->at[from]->n)
        from++;
    while (ends_inside && to > from &&
           (stop = plain_behind_last(bytes_of(h->at[to - 1]), '\n')) == 0)
        to--;
    if (from == to || (from + 1 == to && skip >= stop))
        return;
    const struct piece *first = h->at[from];
    uint64_t lines =
        first->lines + plain_count(str_slice(bytes_of(first), 0, skip), '\n');
    reader_begin(reader, first->place + skip, lines);
    for (size_t i = from; i < to; i++, skip = 0) {
        size_t n = i + 1 == to ? stop : h->at[i]->n;
        reader_block(reader, str_slice(bytes_of(h->at[i]), skip, n - skip));
    }
    reader_end(reader);
    on_end(reader->ctx);
}

void history_read(const struct history *h, bool is_all,
                  struct log_reader *reader, void (*on_end)(void *ctx)) {
    if (!is_all && h->count > 2 * LITTLE_PIECES) {
        read_pieces(h, 0, LITTLE_PIECES, reader, on_end);
        read_pieces(h, h->count - LITTLE_PIECES, h->count, reader, on_end);
        return;
    }
    for (size_t from = 0, to; from < h->count; from = to) {
        for (to = from + 1; to < h->count; to++)
            if (h->at[to]->place != h->at[to - 1]->place + h->at[to - 1]->n)
                break;
        read_pieces(h, from, to, reader, on_end);
    }
}
