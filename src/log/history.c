/* history.c: keeps the parts of a long log that may be read again.
 *
 *     |== head ==|......|= zone =|..........|==== tail ====|
 *      4 MiB             before and behind   8 MiB
 *                        a failure
 *
 * The log is held in slabs. A slab begins with the last bytes of the one
 * before, so that the newest slab holds one contiguous text, in which the
 * selector looks for failures. A slab that has left the tail is overwritten,
 * unless it belongs to the head; its pieces near a failure are copied first. So
 * a log of up to 12 MiB is held whole, and of a longer one at most 16 MiB and
 * two slabs.
 */
#include "log/history.h"

#include "base/limits.h"

#include <string.h>

#include "base/plain.h"
#include "base/sort.h"
#include "log/reader.h"

#define PIECE_BYTES ((uint64_t)64 * 1024)
#define HEAD_PIECES (HISTORY_HEAD_BYTES_MAX / PIECE_BYTES)
#define TAIL_PIECES (HISTORY_TAIL_BYTES_MAX / PIECE_BYTES)
#define ZONE_BEFORE 4 /* pieces */
#define ZONE_BEHIND 1
#define LITTLE_HEAD ((uint64_t)32 * 1024) /* if the log has no failure */
#define LITTLE_TAIL ((uint64_t)16 * 1024)
#define FIRST_BYTES ((size_t)64 * 1024) /* of the first slab */
#define MORE_BYTES ((size_t)1 << 19) /* of others, beside the longest text */
#define LONG_SLABS 2 /* behind so many, a slab is expected to be filled */

struct part { /* of the log */
    uint64_t place, lines; /* lines that end before it */
    size_t n, cap;
    char *bytes;
};

struct zone { /* a piece near a failure */
    uint64_t number;   /* place / PIECE_BYTES */
    struct part *copy; /* NULL: a slab still holds it */
};

struct history {
    struct arena *a;
    size_t slab_bytes;
    struct part **slabs; /* by place; bytes are added to the last one */
    size_t count, cap;
    struct zone zones[HISTORY_ZONES_MAX]; /* by number */
    size_t zone_count;
    uint64_t zone_to; /* a piece that begins before this place is kept */
    uint64_t end;     /* place of the next byte */
};

struct history *history_new(struct arena *a, size_t longest) {
    struct history *h = arena_alloc(a, sizeof *h);
    h->a = a;
    h->slab_bytes = longest + MORE_BYTES;
    return h;
}

/* ---- pieces ---- */

static uint64_t piece_count(const struct history *h) {
    return (h->end + PIECE_BYTES - 1) / PIECE_BYTES;
}

/* The number of the tail's first piece. */
static uint64_t tail_from(const struct history *h) {
    uint64_t count = piece_count(h);
    return count > TAIL_PIECES ? count - TAIL_PIECES : 0;
}

static void keep(struct history *h, uint64_t number) {
    size_t i = h->zone_count;
    if (number < HEAD_PIECES || i == HISTORY_ZONES_MAX)
        return;
    while (i > 0 && h->zones[i - 1].number > number)
        i--;
    if (i > 0 && h->zones[i - 1].number == number)
        return;
    memmove(h->zones + i + 1, h->zones + i,
            (h->zone_count - i) * sizeof *h->zones);
    h->zones[i] = (struct zone){.number = number};
    h->zone_count++;
}

void history_mark(struct history *h, uint64_t place) {
    uint64_t number = place / PIECE_BYTES, first = tail_from(h);
    uint64_t from = number > ZONE_BEFORE ? number - ZONE_BEFORE : 0;
    uint64_t to = place + ZONE_BEHIND * PIECE_BYTES;
    for (uint64_t i = from > first ? from : first;
         i < piece_count(h) && i * PIECE_BYTES <= to; i++)
        keep(h, i);
    h->zone_to = to > h->zone_to ? to : h->zone_to;
}

/* ---- bytes by place ---- */

static uint64_t slab_place(const void *slabs, size_t i) {
    return ((struct part *const *)slabs)[i]->place;
}

static uint64_t zone_place(const void *zones, size_t i) {
    return ((const struct zone *)zones)[i].number * PIECE_BYTES;
}

static bool has_place(const struct part *p, uint64_t place) {
    return p && place >= p->place && place < p->place + p->n;
}

/* The part that holds the byte at this place, which is kept. */
static const struct part *part_at(const struct history *h, uint64_t place) {
    const struct part *slab =
        h->slabs[last_up_to(h->slabs, h->count, slab_place, place)];
    return has_place(slab, place)
               ? slab
               : h->zones[last_up_to(h->zones, h->zone_count, zone_place,
                                     place)].copy;
}

/* The bytes from `from` on that one part holds, up to `to`. */
static struct str bytes_at(const struct history *h, uint64_t from,
                           uint64_t to) {
    const struct part *p = part_at(h, from);
    size_t at = (size_t)(from - p->place);
    return str_slice((struct str){p->bytes, p->n}, at, (size_t)(to - from));
}

static uint64_t lines_before(const struct history *h, uint64_t place) {
    const struct part *p = part_at(h, place);
    struct str before = {p->bytes, (size_t)(place - p->place)};
    return p->lines + plain_count(before, '\n');
}

/* ---- slabs ---- */

static struct part *part_new(struct history *h, size_t cap) {
    struct part *p = arena_alloc(h->a, sizeof *p);
    bool is_filled = h->count >= LONG_SLABS;
    p->cap = cap;
    p->bytes = is_filled ? arena_pages(h->a, cap) : arena_room(h->a, cap);
    return p;
}

static void copy_piece(struct history *h, struct zone *z) {
    uint64_t place = z->number * PIECE_BYTES, to = place + PIECE_BYTES;
    struct part *p = part_new(h, (size_t)PIECE_BYTES);
    p->place = place;
    p->lines = lines_before(h, place);
    for (struct str s; place < to; place += s.n, p->n += s.n) {
        s = bytes_at(h, place, to);
        memcpy(p->bytes + p->n, s.p, s.n);
    }
    z->copy = p;
}

/* Removes the oldest slab outside the head, if it has left the tail. NULL:
 * there is none, or it has not n bytes. */
static struct part *take_oldest(struct history *h, size_t n) {
    size_t i = 0;
    while (i + 1 < h->count &&
           h->slabs[i]->place < HISTORY_HEAD_BYTES_MAX)
        i++;
    if (i + 1 >= h->count ||
        h->slabs[i + 1]->place > tail_from(h) * PIECE_BYTES)
        return NULL;
    struct part *old = h->slabs[i];
    for (size_t k = 0; k < h->zone_count; k++)
        if (!h->zones[k].copy &&
            zone_place(h->zones, k) < h->slabs[i + 1]->place)
            copy_piece(h, &h->zones[k]);
    h->count--;
    memmove(h->slabs + i, h->slabs + i + 1,
            (h->count - i) * sizeof *h->slabs);
    return old->cap >= n ? old : NULL;
}

bool history_fits(const struct history *h, size_t n) {
    const struct part *last = h->count > 0 ? h->slabs[h->count - 1] : NULL;
    return last && n <= last->cap - last->n;
}

void history_turn(struct history *h, uint64_t place, uint64_t lines, size_t n) {
    size_t kept = (size_t)(h->end - place);
    struct part *p = take_oldest(h, kept + n);
    size_t usual = h->count > 0 ? h->slab_bytes : FIRST_BYTES;
    if (!p)
        p = part_new(h, kept + n > usual ? kept + n : usual);
    p->place = place;
    p->lines = lines;
    p->n = kept;
    if (kept > 0)
        memcpy(p->bytes, history_at(h, place), kept);
    *ARENA_ADD(h->a, h->slabs, h->count, h->cap) = p;
}

void history_add(struct history *h, struct str bytes) {
    struct part *p = h->slabs[h->count - 1];
    uint64_t from = piece_count(h);
    memcpy(p->bytes + p->n, bytes.p, bytes.n);
    p->n += bytes.n;
    h->end += bytes.n;
    for (uint64_t i = from; i < piece_count(h) && i * PIECE_BYTES < h->zone_to;
         i++)
        keep(h, i);
}

const char *history_at(const struct history *h, uint64_t place) {
    const struct part *p = h->slabs[h->count - 1];
    return p->bytes + (place - p->place);
}

/* ---- reading ---- */

/* The place behind the first newline of [from, to); to: there is none. */
static uint64_t behind_newline(const struct history *h, uint64_t from,
                               uint64_t to) {
    while (from < to) {
        struct str s = bytes_at(h, from, to);
        size_t at = str_find_char(s, '\n');
        from += at;
        if (at < s.n)
            return from + 1;
    }
    return to;
}

/* The place behind the last newline of [from, to); from: there is none. */
static uint64_t behind_last_newline(const struct history *h, uint64_t from,
                                    uint64_t to) {
    uint64_t last = from;
    for (struct str s; from < to; from += s.n) {
        s = bytes_at(h, from, to);
        size_t at = plain_behind_last(s, '\n');
        last = at > 0 ? from + at : last;
    }
    return last;
}

/* Reads the whole lines of [from, to), which is kept. */
static void read_part(const struct history *h, uint64_t from, uint64_t to,
                      struct log_reader *reader, void (*on_end)(void *ctx)) {
    if (from > 0)
        from = behind_newline(h, from, to);
    if (to < h->end)
        to = behind_last_newline(h, from, to);
    if (from >= to)
        return;
    reader_begin(reader, from, lines_before(h, from));
    for (struct str s; from < to; from += s.n) {
        s = bytes_at(h, from, to);
        reader_block(reader, s);
    }
    reader_end(reader);
    on_end(reader->ctx);
}

static uint64_t place_of(const struct history *h, uint64_t piece) {
    return piece * PIECE_BYTES < h->end ? piece * PIECE_BYTES : h->end;
}

static bool is_kept(const struct history *h, uint64_t piece) {
    size_t zone = last_up_to(h->zones, h->zone_count, zone_place,
                             piece * PIECE_BYTES);
    return piece < HEAD_PIECES || piece >= tail_from(h) ||
           (zone < h->zone_count && h->zones[zone].number == piece);
}

/* The first piece from `piece` on that is kept; is_wanted false: that is not.
 */
static uint64_t next_piece(const struct history *h, uint64_t piece,
                           bool is_wanted) {
    uint64_t count = piece_count(h);
    while (piece < count && is_kept(h, piece) != is_wanted)
        piece++;
    return piece;
}

void history_read(const struct history *h, bool is_all,
                  struct log_reader *reader, void (*on_end)(void *ctx)) {
    uint64_t count = piece_count(h);
    if (!is_all && h->end > LITTLE_HEAD + LITTLE_TAIL) {
        read_part(h, 0, LITTLE_HEAD, reader, on_end);
        read_part(h, h->end - LITTLE_TAIL, h->end, reader, on_end);
        return;
    }
    for (uint64_t from = 0, to; from < count; from = to) {
        from = next_piece(h, from, true);
        to = next_piece(h, from, false);
        if (from < to)
            read_part(h, place_of(h, from), place_of(h, to), reader, on_end);
    }
}
