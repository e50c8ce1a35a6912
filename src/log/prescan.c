/* prescan.c: chooses the lines of a block that are read.
 *
 *     base            read         looked                      n
 *      |----- back -----|..skipped..|------- not looked at -----|
 *                  '== region ==' '= region, goes on ==...
 *
 * The selector looks at a block before it is cut into lines. Around each of its
 * marks lies a region: so many bytes before and behind the mark are read as if
 * everything were read. Regions that touch are one. Between regions only
 * newlines are counted. The last line that is not blank is always read.
 *
 * The history holds the block, the text before it that regions may reach back
 * to, and the line that is not complete, as one text. A line longer than
 * PRESCAN_LINE_MAX is not waited for but read as it comes. What matters is
 * decided by the selector alone.
 */
#include "log/prescan.h"

#include "base/limits.h"

#include <string.h>

#include "base/plain.h"
#include "log/reader.h"

#define PRESCAN_BLOCK (256 * 1024)
#define PRESCAN_PART (512 * 1024) /* of a block, for each of several threads */
#define PRESCAN_JOIN (2 * 1024)   /* a shorter gap is read */

struct prescan {
    struct arena *a;
    const struct log_selector *selector;
    struct log_reader *reader;
    struct history *history;
    const char *held; /* in the history */
    size_t n;
    uint64_t base;         /* place of held[0], where a line begins */
    uint64_t looked, read; /* places: all before was looked at, or read */
    uint64_t until;        /* place where the open region ends */
    uint64_t bytes_skipped, lines_skipped; /* since something was read */
    size_t block; /* bytes that are looked at at once */
    bool is_open;
    bool is_endless; /* in a line too long to be held */
    struct log_marks marks;
};

struct prescan *prescan_new(struct arena *a,
                            const struct log_selector *selector,
                            struct log_reader *r) {
    struct prescan *s = arena_alloc(a, sizeof *s);
    *s = (struct prescan){.a = a, .selector = selector, .reader = r,
                          .held = "", .is_open = true, .marks.a = a};
    s->block = selector->at_once > 1
                   ? PRESCAN_PART * (size_t)selector->at_once
                   : PRESCAN_BLOCK;
    s->history = history_new(a, PRESCAN_BACK_BYTES_MAX + PRESCAN_LINE_MAX +
                                    2 * LOG_SELECTOR_AHEAD + s->block);
    return s;
}

struct history *prescan_history(const struct prescan *s) {
    return s->history;
}

/* ---- lines ---- */

static struct str held_between(const struct prescan *s, uint64_t from,
                               uint64_t to) {
    return (struct str){s->held + (from - s->base), (size_t)(to - from)};
}

/* The beginning of the line that holds the byte at `place`. */
static uint64_t line_start(const struct prescan *s, uint64_t place) {
    return s->base + plain_behind_last(held_between(s, s->base, place), '\n');
}

/* The end of the line that holds `place`, but at most `end`. */
static uint64_t line_end(const struct prescan *s, uint64_t place,
                         uint64_t end) {
    if (place >= end)
        return end;
    struct str rest = held_between(s, place, end);
    size_t at = str_find_char(rest, '\n');
    return at < rest.n ? place + at + 1 : end;
}

/* True if a carrier has cut this line, so that the next one continues it. */
static bool is_cut(const struct prescan *s, struct str line) {
    struct frame f = {.frames = s->reader->tables.frames, .text = line};
    struct str docker = STR("{\"log\":\"");
    if (str_starts(line, docker))
        return str_find(line, STR("\\n\",")) == line.n;
    return frame_take_cri(&f) && f.is_partial;
}

/* `start`, or the beginning of the cut lines above that the line continues. */
static uint64_t before_cuts(const struct prescan *s, uint64_t start) {
    for (int i = 0; i < PRESCAN_CUT_LINES_MAX && start > s->base; i++) {
        uint64_t before = line_start(s, start - 1);
        if (!is_cut(s, held_between(s, before, start)))
            break;
        start = before;
    }
    return start;
}

/* ---- regions ---- */

static void skip_to(struct prescan *s, uint64_t to) {
    if (to <= s->read)
        return;
    s->lines_skipped += plain_count(held_between(s, s->read, to), '\n');
    s->bytes_skipped += to - s->read;
    s->read = to;
}

static void report_skipped(struct prescan *s) {
    if (s->bytes_skipped == 0)
        return;
    s->selector->gap(s->selector->ctx);
    reader_skip(s->reader, s->bytes_skipped, s->lines_skipped);
    s->bytes_skipped = s->lines_skipped = 0;
}

static void read_to(struct prescan *s, uint64_t to) {
    if (to <= s->read)
        return;
    report_skipped(s);
    reader_block(s->reader, held_between(s, s->read, to));
    s->read = to;
}

/* Reads the open region to its end, but not beyond `end`. The selector may
 * extend it. */
static void read_region(struct prescan *s, uint64_t end) {
    while (s->is_open) {
        read_to(s, line_end(s, s->until, end));
        if (s->until >= end)
            return;
        uint64_t until = s->selector->pause(s->selector->ctx);
        s->is_open = until > s->read;
        s->until = until;
    }
}

/* from: the beginning of a line. */
static void open_region(struct prescan *s, uint64_t from, uint64_t until) {
    if (s->is_open && s->until + PRESCAN_JOIN < from)
        read_region(s, from);
    if (!s->is_open) {
        bool is_near = s->read + PRESCAN_JOIN >= from && s->bytes_skipped == 0;
        if (!is_near)
            skip_to(s, from);
        s->is_open = true;
        s->until = until;
    }
    s->until = until > s->until ? until : s->until;
}

static uint64_t minus(uint64_t x, uint64_t y) {
    return x > y ? x - y : 0;
}

static void read_mark(struct prescan *s, const struct log_mark *m) {
    uint64_t at = s->base + m->at;
    uint64_t from = minus(at, m->before);
    from = from > s->base ? line_start(s, from) : s->base;
    from = before_cuts(s, from);
    open_region(s, from > s->read ? from : s->read, at + m->behind);
}

/* ---- blocks ---- */

static void drop_read(struct prescan *s) {
    uint64_t keep = minus(s->looked, PRESCAN_BACK_BYTES_MAX);
    keep = keep > s->base ? line_start(s, keep) : s->base;
    skip_to(s, keep);
    size_t gone = (size_t)(keep - s->base);
    s->n -= gone;
    s->base = keep;
    s->held += gone;
}

static void look(struct prescan *s, size_t to) {
    struct str text = {s->held, s->n};
    s->marks.count = 0;
    s->selector->look(s->selector->ctx, text, s->base,
                      (size_t)(s->looked - s->base), to, &s->marks);
    for (size_t i = 0; i < s->marks.count; i++)
        read_mark(s, &s->marks.at[i]);
    s->looked = s->base + to;
    read_region(s, s->looked);
}

/* The end of the last whole line with LOG_SELECTOR_AHEAD bytes behind it. */
static size_t last_line_end(const struct prescan *s) {
    size_t at = s->n > LOG_SELECTOR_AHEAD ? s->n - LOG_SELECTOR_AHEAD : 0;
    size_t least = (size_t)(s->looked - s->base);
    at = plain_behind_last((struct str){s->held, at}, '\n');
    return at > least ? at : least;
}

/* Reads what is held. The rest of the line is read as it comes. */
static void begin_endless(struct prescan *s) {
    struct log_mark m = {(size_t)(s->looked - s->base), 2 * LOG_MEMORY,
                         PRESCAN_LINE_MAX};
    read_mark(s, &m);
    s->until = s->base + s->n;
    read_region(s, s->base + s->n);
    s->is_endless = true;
    s->base += s->n;
    s->looked = s->base;
    s->n = 0;
}

static void look_at_block(struct prescan *s) {
    size_t to = last_line_end(s);
    if (s->base + to > s->looked) {
        look(s, to);
        drop_read(s);
    }
    if (s->base + s->n - s->looked > PRESCAN_LINE_MAX + LOG_SELECTOR_AHEAD)
        begin_endless(s);
}

static void hold(struct prescan *s, struct str bytes) {
    struct history *h = s->history;
    if (!history_fits(h, bytes.n)) {
        struct str read = held_between(s, s->base, s->read);
        uint64_t lines = s->reader->stats.lines + s->lines_skipped;
        history_turn(h, s->base, lines - plain_count(read, '\n'), bytes.n);
    }
    history_add(h, bytes);
    s->held = history_at(h, s->base);
    s->n += bytes.n;
}

/* Reads bytes of an endless line, up to its end at most. */
static void read_endless(struct prescan *s, struct str bytes) {
    hold(s, bytes);
    reader_block(s->reader, bytes);
    s->base += bytes.n;
    s->n = 0;
    s->read = s->looked = s->base;
    s->until = s->base + PRESCAN_BACK_BYTES_MAX;
    s->is_endless = bytes.p[bytes.n - 1] != '\n';
}

/* The first of these bytes, as many as complete a block; of an endless line
 * none behind its end. */
static struct str next_bytes(const struct prescan *s, struct str bytes) {
    size_t fresh = (size_t)(s->base + s->n - s->looked);
    size_t wanted = s->block + LOG_SELECTOR_AHEAD;
    struct str part = str_slice(bytes, 0, wanted - fresh % wanted);
    return s->is_endless
               ? str_slice(part, 0, str_find_char(part, '\n') + 1)
               : part;
}

void prescan_feed(struct prescan *s, struct str bytes) {
    while (bytes.n > 0) {
        struct str part = next_bytes(s, bytes);
        bytes = str_slice(bytes, part.n, bytes.n);
        if (s->is_endless) {
            read_endless(s, part);
            continue;
        }
        hold(s, part);
        size_t fresh = (size_t)(s->base + s->n - s->looked);
        if (fresh % (s->block + LOG_SELECTOR_AHEAD) == 0)
            look_at_block(s);
    }
}

/* Reads the last line of the input that is not blank. */
static void read_last_line(struct prescan *s) {
    struct str text = str_trim((struct str){s->held, s->n});
    size_t at = text.n > 0 ? (size_t)(text.p + text.n - s->held) : 0;
    struct log_mark m = {at, 2 * LOG_MEMORY, UINT32_MAX};
    read_mark(s, &m);
}

void prescan_end(struct prescan *s) {
    if (s->is_endless)
        return;
    bool is_small = s->looked == 0 && s->n < s->selector->small;
    if (is_small) {
        s->selector->whole(s->selector->ctx);
        s->until = s->n;
    } else {
        look(s, s->n);
    }
    read_last_line(s);
    read_region(s, s->base + s->n);
}
