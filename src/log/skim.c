/* skim.c: from a block of bytes to the lines that are read.
 *
 *     base            read         looked                      n
 *      |----- back -----|..passed...|------- not looked at -----|
 *                  '== island ==' '= island, goes on =...
 *
 * A block is looked at by the sieve before it is cut into lines. Round each
 * mark that it makes lies an island: so much before and behind the mark is read
 * as if everything had been. Islands that touch are one. Between them only
 * newlines are counted. The last line that is not blank is always read.
 *
 * Held are a block, what islands may reach back to, and the line that goes on.
 * A line longer than SKIM_LINE_MAX is no longer held but read as it comes. It
 * refuses to judge what matters: that is the sieve's.
 */
#include "log/skim.h"

#include "base/limits.h"

#include <string.h>

#include "log/frame.h"
#include "log/plain.h"

#define SKIM_BLOCK (256 * 1024)
#define SKIM_PART (512 * 1024) /* for each of several threads */
#define SKIM_BACK (64 * 1024) /* farthest that an island reaches back */
#define SKIM_JOIN (2 * 1024)  /* a shorter gap is read */

struct skim {
    struct arena *a;
    const struct log_sieve *sieve;
    const struct frames *frames;
    struct skim_out out;
    char *held;
    size_t n, cap;
    uint64_t base;         /* place of held[0]: a line's beginning */
    uint64_t looked, read; /* places */
    uint64_t until;        /* of the open island: it is read to there */
    uint64_t bytes_passed, lines_passed; /* since something was read */
    size_t block; /* so much is looked at at once */
    bool is_open;
    bool is_endless; /* in a line too long to be held */
    struct log_marks marks;
};

struct skim *skim_new(struct arena *a, const struct log_sieve *sieve,
                      const struct frames *frames, struct skim_out out) {
    struct skim *s = arena_alloc(a, sizeof *s);
    *s = (struct skim){.a = a, .sieve = sieve, .frames = frames, .out = out,
                       .is_open = true};
    s->marks.a = a;
    s->block = sieve->at_once > 1 ? SKIM_PART * (size_t)sieve->at_once
                                  : SKIM_BLOCK;
    return s;
}

/* ---- lines ---- */

static struct str held_between(const struct skim *s, uint64_t from,
                               uint64_t to) {
    return (struct str){s->held + (from - s->base), (size_t)(to - from)};
}

/* The beginning of the line that the byte at `place` stands in. */
static uint64_t line_start(const struct skim *s, uint64_t place) {
    size_t at = (size_t)(place - s->base);
    while (at > 0 && s->held[at - 1] != '\n')
        at--;
    return s->base + at;
}

/* Behind the line that holds `place`, or the last one before `end`. */
static uint64_t line_end(const struct skim *s, uint64_t place, uint64_t end) {
    if (place >= end)
        return end;
    struct str rest = held_between(s, place, end);
    size_t at = str_find_char(rest, '\n');
    return at < rest.n ? place + at + 1 : end;
}

/* Has a carrier cut this line, so that the next one goes on with it? */
static bool is_cut(const struct skim *s, struct str line) {
    struct frame f = {.frames = s->frames, .text = line};
    struct str docker = STR("{\"log\":\"");
    if (str_starts(line, docker))
        return str_find(line, STR("\\n\",")) == line.n;
    return frame_take_cri(&f) && f.is_partial;
}

static uint64_t before_cuts(const struct skim *s, uint64_t start) {
    for (int i = 0; i < SKIM_CUT_LINES_MAX && start > s->base; i++) {
        uint64_t before = line_start(s, start - 1);
        if (!is_cut(s, held_between(s, before, start)))
            break;
        start = before;
    }
    return start;
}

/* ---- islands ---- */

static void pass(struct skim *s, uint64_t to) {
    if (to <= s->read)
        return;
    s->lines_passed += plain_count(held_between(s, s->read, to), '\n');
    s->bytes_passed += to - s->read;
    s->read = to;
}

static void tell_passed(struct skim *s) {
    if (s->bytes_passed > 0)
        s->sieve->gap(s->sieve->ctx);
    if (s->bytes_passed > 0)
        s->out.pass(s->out.ctx, s->bytes_passed, s->lines_passed);
    s->bytes_passed = s->lines_passed = 0;
}

static void read_to(struct skim *s, uint64_t to) {
    if (to <= s->read)
        return;
    tell_passed(s);
    s->out.read(s->out.ctx, held_between(s, s->read, to));
    s->read = to;
}

/* The open island up to its end, which the sieve may put off; not beyond. */
static void read_island(struct skim *s, uint64_t end) {
    while (s->is_open) {
        read_to(s, line_end(s, s->until, end));
        if (s->until >= end)
            return;
        uint64_t until = s->sieve->pause(s->sieve->ctx);
        s->is_open = until > s->read;
        s->until = until;
    }
}

/* from: a line's beginning. */
static void open_island(struct skim *s, uint64_t from, uint64_t until) {
    if (s->is_open && s->until + SKIM_JOIN < from)
        read_island(s, from);
    if (!s->is_open) {
        bool is_near = s->read + SKIM_JOIN >= from && s->bytes_passed == 0;
        if (!is_near)
            pass(s, from);
        s->is_open = true;
        s->until = until;
    }
    s->until = until > s->until ? until : s->until;
}

static uint64_t minus(uint64_t x, uint64_t y) {
    return x > y ? x - y : 0;
}

static void read_mark(struct skim *s, const struct log_mark *m) {
    uint64_t at = s->base + m->at;
    uint64_t from = minus(at, m->before);
    from = from > s->base ? line_start(s, from) : s->base;
    from = before_cuts(s, from);
    open_island(s, from > s->read ? from : s->read, at + m->behind);
}

/* ---- blocks ---- */

static void drop_read(struct skim *s) {
    uint64_t keep = minus(s->looked, SKIM_BACK);
    keep = keep > s->base ? line_start(s, keep) : s->base;
    pass(s, keep);
    size_t gone = (size_t)(keep - s->base);
    s->n -= gone;
    s->base = keep;
    if (gone > 0)
        memmove(s->held, s->held + gone, s->n);
}

static void look(struct skim *s, size_t to) {
    struct str text = {s->held, s->n};
    s->marks.count = 0;
    s->sieve->look(s->sieve->ctx, text, s->base,
                   (size_t)(s->looked - s->base), to, &s->marks);
    for (size_t i = 0; i < s->marks.count; i++)
        read_mark(s, &s->marks.at[i]);
    s->looked = s->base + to;
    read_island(s, s->looked);
}

/* The last line that is known to be whole, with LOG_SIEVE_AHEAD behind it. */
static size_t last_line_end(const struct skim *s) {
    size_t at = s->n > LOG_SIEVE_AHEAD ? s->n - LOG_SIEVE_AHEAD : 0;
    size_t least = (size_t)(s->looked - s->base);
    while (at > least && s->held[at - 1] != '\n')
        at--;
    return at > least ? at : least;
}

/* From here on the line is read as it comes. */
static void begin_endless(struct skim *s) {
    struct log_mark m = {(size_t)(s->looked - s->base), 2 * LOG_MEMORY,
                         SKIM_LINE_MAX};
    read_mark(s, &m);
    s->until = s->base + s->n;
    read_island(s, s->base + s->n);
    s->is_endless = true;
    s->base += s->n;
    s->looked = s->base;
    s->n = 0;
}

static void look_at_block(struct skim *s) {
    size_t to = last_line_end(s);
    if (s->base + to > s->looked) {
        look(s, to);
        drop_read(s);
    }
    if (s->base + s->n - s->looked > SKIM_LINE_MAX + LOG_SIEVE_AHEAD)
        begin_endless(s);
}

/* Room for so much: in few steps, for what was outgrown is not given back, and
 * not beyond what is ever held. */
static size_t room_for(const struct skim *s, size_t n) {
    size_t most = SKIM_BACK + 2 * (s->block + LOG_SIEVE_AHEAD);
    size_t cap = 64 * 1024;
    while (cap < n)
        cap *= 12;
    return cap > most && n <= most ? most : cap;
}

static void hold(struct skim *s, struct str bytes) {
    if (s->n + bytes.n > s->cap) {
        size_t cap = room_for(s, s->n + bytes.n);
        char *bigger = arena_room(s->a, cap);
        if (s->n > 0)
            memcpy(bigger, s->held, s->n);
        s->held = bigger;
        s->cap = cap;
    }
    memcpy(s->held + s->n, bytes.p, bytes.n);
    s->n += bytes.n;
}

/* What is left behind the end of an endless line. */
static struct str read_endless(struct skim *s, struct str bytes) {
    size_t at = str_find_char(bytes, '\n');
    size_t n = at < bytes.n ? at + 1 : at;
    s->out.read(s->out.ctx, str_slice(bytes, 0, n));
    s->base += n;
    s->read = s->looked = s->base;
    s->until = s->base + SKIM_BACK;
    s->is_endless = at == bytes.n;
    return str_slice(bytes, n, bytes.n);
}

void skim_feed(struct skim *s, struct str bytes) {
    while (bytes.n > 0) {
        if (s->is_endless) {
            bytes = read_endless(s, bytes);
            continue;
        }
        size_t fresh = (size_t)(s->base + s->n - s->looked);
        size_t wanted = s->block + LOG_SIEVE_AHEAD;
        size_t room = wanted - fresh % wanted;
        struct str part = str_slice(bytes, 0, room);
        hold(s, part);
        bytes = str_slice(bytes, part.n, bytes.n);
        if (part.n == room)
            look_at_block(s);
    }
}

/* The last line of the input that says something. */
static void read_last_line(struct skim *s) {
    size_t at = s->n;
    while (at > 0 && str_trim(str_slice((struct str){s->held, s->n}, at - 1,
                                        1)).n == 0)
        at--;
    struct log_mark m = {at, 2 * LOG_MEMORY, UINT32_MAX};
    read_mark(s, &m);
}

void skim_end(struct skim *s) {
    if (s->is_endless)
        return;
    bool is_small = s->looked == 0 && s->n < s->sieve->small;
    if (is_small) {
        s->sieve->whole(s->sieve->ctx);
        s->until = s->n;
    } else {
        look(s, s->n);
    }
    read_last_line(s);
    read_island(s, s->base + s->n);
}
