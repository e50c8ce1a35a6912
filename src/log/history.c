/* history.c: what of a long log is kept to be read again.
 *
 *     |== head ==|......|= zone =|..........|==== tail ====|
 *      4 MiB             before and behind   8 MiB
 *                        a failure
 *
 * The log is held in pieces of one size. The newest are the tail; a piece that
 * leaves it is used again, unless it belongs to the head or stands near a
 * failure. So a log of 12 MiB is held whole, and of any longer one not more
 * than 16.
 */
#include "log/history.h"

#include "base/limits.h"

#include <string.h>

#include "log/plain.h"

#define PIECE_BYTES (64 * 1024)
#define HEAD_PIECES 64
#define TAIL_PIECES 128
#define ZONE_BEFORE 4 /* pieces */
#define ZONE_BEHIND 1
#define LITTLE_BYTES (64 * 1024) /* where no failure stands */

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
    size_t settled;    /* those in front stay for good */
    size_t zone_count; /* of them, no part of the head */
    uint64_t zone_to;  /* a piece that begins before this is kept */
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

/* The piece that has left the tail; NULL: it stays. */
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
    p->is_kept = place < (uint64_t)HEAD_PIECES * PIECE_BYTES;
    if (place < h->zone_to)
        keep(h, p);
    h->at = arena_grow(h->a, h->at, h->count, &h->cap, sizeof *h->at);
    h->at[h->count++] = p;
    return p;
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

static size_t index_of(const struct history *h, uint64_t place) {
    size_t from = 0, to = h->count;
    while (to - from > 1) {
        size_t middle = from + (to - from) / 2;
        if (h->at[middle]->place <= place)
            from = middle;
        else
            to = middle;
    }
    return from;
}

void history_mark(struct history *h, uint64_t place) {
    uint64_t before = (uint64_t)ZONE_BEFORE * PIECE_BYTES;
    uint64_t from = place > before ? place - before : 0;
    uint64_t to = place + (uint64_t)ZONE_BEHIND * PIECE_BYTES;
    for (size_t i = h->count > 0 ? index_of(h, from) : 0;
         i < h->count && h->at[i]->place <= to; i++)
        keep(h, h->at[i]);
    h->zone_to = to > h->zone_to ? to : h->zone_to;
}

/* ---- reading ---- */

struct stretch {
    char *bytes;
    size_t n;
    uint64_t place, lines;
};

static struct stretch stretch_of(struct history *h, size_t from, size_t to) {
    struct stretch s = {.place = h->at[from]->place,
                        .lines = h->at[from]->lines};
    s.bytes = arena_room(h->a, (to - from) * PIECE_BYTES);
    for (size_t i = from; i < to; i++) {
        memcpy(s.bytes + s.n, h->at[i]->bytes, h->at[i]->n);
        s.n += h->at[i]->n;
    }
    return s;
}

/* Of the stretch, whole lines of [from, to). */
static void tell(const struct stretch *s, size_t from, size_t to,
                 log_again_fn again, void *ctx) {
    struct str text = {s->bytes, s->n};
    bool is_begin = s->place + from == 0;
    if (!is_begin)
        from += str_find_char(str_slice(text, from, to), '\n') + 1;
    if (from >= to)
        return;
    uint64_t lines =
        s->lines + plain_count(str_slice(text, 0, from), '\n');
    again(ctx, str_slice(text, from, to - from), s->place + from, lines);
}

static void tell_stretch(const struct stretch *s, bool is_last,
                         log_again_fn again, void *ctx) {
    size_t to = s->n;
    while (!is_last && to > 0 && s->bytes[to - 1] != '\n')
        to--;
    tell(s, 0, to, again, ctx);
}

/* Little of the beginning and of the end, and all where that is little. */
static void tell_ends(struct history *h, log_again_fn again, void *ctx) {
    size_t most = 2 * LITTLE_BYTES / PIECE_BYTES + 2;
    if (h->count <= most) {
        struct stretch all = stretch_of(h, 0, h->count);
        if (all.n <= 2 * LITTLE_BYTES) {
            tell(&all, 0, all.n, again, ctx);
            return;
        }
    }
    size_t pieces = LITTLE_BYTES / PIECE_BYTES;
    struct stretch head = stretch_of(h, 0, pieces);
    tell_stretch(&head, false, again, ctx);
    struct stretch tail = stretch_of(h, h->count - pieces, h->count);
    tell(&tail, 0, tail.n, again, ctx);
}

void history_each(struct history *h, bool is_all, log_again_fn again,
                  void *ctx) {
    if (!is_all && h->count > 0) {
        tell_ends(h, again, ctx);
        return;
    }
    for (size_t from = 0, to; from < h->count; from = to) {
        for (to = from + 1; to < h->count; to++)
            if (h->at[to]->place != h->at[to - 1]->place + h->at[to - 1]->n)
                break;
        struct stretch s = stretch_of(h, from, to);
        tell_stretch(&s, to == h->count, again, ctx);
    }
}
