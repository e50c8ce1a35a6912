/* choose.c: which lines of a log are read at all.
 *
 *     sieve: literal k in line n --> a glance at the line: no match? else
 *                --> signature: an island is read there, with the traceback
 *                    before it and the message
 *                --> others: noted, read beside, later
 *
 * Of patterns that are no signatures the first and last hits are kept and no
 * others (keep.c). So of their places the first are read until enough have
 * matched, and of the rest the last, going back until enough have matched; what
 * lies between cannot change what is kept. Where the words of a setting stand
 * on every line, few lines are read.
 *
 * It refuses to guess: a place that is not read is one that does not matter.
 */
#include "match/gang.h"
#include "match/glance.h"

#include <stdlib.h>
#include <string.h>

#include "log/plain.h"

/* What the reader remembers, and the same again: what it remembered there. */
#define SETTLE (2 * LOG_MEMORY)
#define SPAN_BEFORE (OTHER_REACH + SETTLE)
#define SPAN_BEHIND (OTHER_REACH + LOG_MEMORY)
#define MESSAGE_BEHIND (2 * SPAN_REACH + SETTLE)
#define TRACE_BEFORE (TRACE_REACH + 2 * TRACE_STEP + SETTLE)
#define DENSE_ASK (1 << 20)   /* bytes between asking whether it pays */
#define DENSE_FIRST (4 << 20) /* bytes read when it does not, the first time */
#define TAIL_COST 16          /* of a tail tried on a line, in bytes read */
#define GLANCE_COST 160       /* of a pattern, on lines */
#define GLANCES_FIRST 64  /* of a pattern, before they are found to be vain */
#define NOTES_FIRST 1024 /* before they are gone through; then four times that */
#define NOTES_MAX (128 * 1024) /* and so on, up to here */
#define BESIDE_SHARE 8 /* what is read then counts for so much that was looked
                          at, in parts of what is asked about at a time */
#define BATCH_LINES 48 /* of one pattern, read at a time; then twice as many,
                          four times where it has seldom matched */

struct noted { /* lines in which a pattern's literal may stand */
    uint64_t *line;
    size_t count, cap;
    size_t from, to; /* of these, not yet read */
    uint32_t glances, denials; /* of lines that its literal stands in */
};

struct chooser {
    struct scanner *s, *beside;
    struct gang *gang;
    struct glance *glance;
    size_t glanced;      /* 1 + the line's offset; 0: none */
    struct noted *noted; /* by pattern */
    uint32_t *named;     /* patterns that have notes */
    size_t named_count, note_count, notes_most;
    uint64_t first; /* of all lines noted */
    struct log_sieve door;
    struct log_marks *marks; /* of the look that goes on */
    uint64_t place;
    uint64_t *batch;         /* lines to be read together */
    uint64_t dense_to;       /* all is read up to there */
    uint64_t dense_bytes;    /* so much the next time */
    uint64_t looked, glanced_for, read; /* since density was last asked */
    size_t batch_count, batch_cap;
};

/* ---- noting ---- */

static uint32_t ref_from(const struct chooser *c, uint32_t literal) {
    return word_at(c->s->filter.ref_from, literal);
}

static uint32_t ref_at(const struct chooser *c, uint32_t i) {
    return word_at(c->s->filter.refs, i);
}

static void add_mark(struct log_marks *m, size_t at, uint32_t before,
                     uint32_t behind) {
    m->at = arena_grow(m->a, m->at, m->count, &m->cap, sizeof *m->at);
    m->at[m->count++] = (struct log_mark){at, before, behind};
}

static void mark_line(struct chooser *c, size_t line) {
    struct log_marks *m = c->marks;
    if (m->count > 0 && m->at[m->count - 1].at == line)
        return;
    add_mark(m, line, TRACE_BEFORE, MESSAGE_BEHIND);
}

/* Lines come in order but for those of strips that were cleaned, and breaks. */
static void note_line(struct chooser *c, uint32_t pattern, uint64_t line) {
    struct noted *n = &c->noted[pattern];
    if (n->count == 0)
        c->named[c->named_count++] = pattern;
    else if (n->line[n->count - 1] == line)
        return;
    n->line = arena_grow(c->s->a, n->line, n->count, &n->cap,
                         sizeof *n->line);
    n->line[n->count++] = line;
    c->note_count++;
    c->first = line < c->first ? line : c->first;
}

/* Of a pattern that has matched often, what lies between does not matter, so
 * most of its lines need no look. Nor do they where few are denied: a progress
 * bar is a match on each of its lines. */
static bool is_worth_a_glance(struct chooser *c, uint32_t pattern) {
    const struct pattern_state *p = c->s->patterns[pattern];
    const struct noted *n = &c->noted[pattern];
    if (scan_is_signature(c->s, pattern))
        return true;
    bool is_vain = n->glances >= GLANCES_FIRST && n->denials < n->glances / 8;
    return !is_vain && (!p || p->first_count < KEEP_FIRST);
}

static bool denies(struct chooser *c, uint32_t pattern, uint32_t literal,
                   size_t line, bool is_whole) {
    if (!is_worth_a_glance(c, pattern))
        return false;
    if (c->glanced != line + 1)
        glance_at(c->glance, line);
    c->glanced = line + 1;
    struct str words = prefilter_literal(&c->s->filter, literal);
    c->glanced_for += TAIL_COST;
    bool is_denied = is_whole && glance_denies_tail(c->glance, pattern, words);
    if (!is_denied) {
        c->glanced_for += GLANCE_COST;
        is_denied = glance_denies(c->glance, pattern);
    }
    bool has_tail = scan_known(c->s, pattern)->tail != NULL;
    c->noted[pattern].glances += has_tail;
    c->noted[pattern].denials += has_tail && is_denied;
    return is_denied;
}

static void on_literal(void *ctx, uint32_t literal, size_t line,
                       bool is_whole) {
    struct chooser *c = ctx;
    uint32_t end = ref_from(c, literal + 1);
    for (uint32_t i = ref_from(c, literal); i < end; i++) {
        uint32_t pattern = ref_at(c, i);
        if (denies(c, pattern, literal, line, is_whole))
            continue;
        if (scan_is_signature(c->s, pattern))
            mark_line(c, line);
        else
            note_line(c, pattern, c->place + line);
    }
}

static int by_place(const void *x, const void *y) {
    const struct log_mark *a = x, *b = y;
    return (a->at > b->at) - (a->at < b->at);
}

static uint64_t bytes_read(const struct chooser *c) {
    return c->s->bytes + c->beside->bytes / BESIDE_SHARE;
}

/* Where most lines matter, choosing costs more than it saves: then all is read
 * for a while, longer each time. */
static void weigh(struct chooser *c, uint64_t place) {
    uint64_t all = bytes_read(c), read = all > c->read ? all - c->read : 0;
    uint64_t cost = read + c->glanced_for;
    bool is_clear = cost > c->looked && c->looked > 0;
    if (c->looked < DENSE_ASK && !is_clear)
        return;
    if (cost > c->looked / 3) {
        c->dense_to = place + c->dense_bytes;
        c->dense_bytes *= 4;
    } else {
        c->dense_bytes = DENSE_FIRST;
    }
    c->looked = c->glanced_for = 0;
    c->read = bytes_read(c);
}

static void read_whole(void *ctx, uint64_t from, uint64_t to) {
    struct scanner *s = ((struct chooser *)ctx)->s;
    bool goes_on = s->zone_from < s->zone_to && s->zone_to == from;
    s->zone_from = goes_on ? s->zone_from : from;
    s->zone_to = to;
}

/* The same for lines that can be read again: others are noted there. */
static void read_noting(struct chooser *c, uint64_t from, uint64_t to) {
    struct scanner *s = c->s;
    bool goes_on = s->noted_from < s->noted_to && s->noted_to == from;
    s->noted_from = goes_on ? s->noted_from : from;
    s->noted_to = to;
}

static void mark_all(struct chooser *c, struct log_marks *m, uint64_t place,
                     size_t from, size_t to) {
    if (c->s->is_ending)
        read_whole(c, place + from, place + to);
    else
        read_noting(c, place + from, place + to);
    add_mark(m, from, TRACE_BEFORE, (uint32_t)(to - from));
    add_mark(m, to, 0, MESSAGE_BEHIND);
    c->read = bytes_read(c) + (to - from);
}

/* Most logs are small and never come here. */
static void begin(struct chooser *c) {
    struct scanner *s = c->s;
    c->beside = scan_beside(s);
    c->gang = gang_new(s->a, &s->filter, c->door.at_once);
    c->glance = glance_new(s);
    c->noted = arena_array(s->a, s->pattern_count, sizeof *c->noted);
    c->named = arena_array(s->a, s->pattern_count, sizeof *c->named);
}

static void look(void *ctx, struct str text, uint64_t place, size_t from,
                 size_t to, struct log_marks *marks) {
    struct chooser *c = ctx;
    if (!c->gang)
        begin(c);
    if (place + from < c->dense_to) {
        mark_all(c, marks, place, from, to);
        return;
    }
    weigh(c, place + from);
    c->looked += to - from;
    c->marks = marks;
    c->place = place;
    glance_begin(c->glance, text);
    c->glanced = 0;
    gang_look(c->gang, text, from, to, on_literal, c);
    if (marks->count > 1)
        qsort(marks->at, marks->count, sizeof *marks->at, by_place);
}

void choose_note(struct chooser *c, uint32_t pattern, uint64_t line) {
    note_line(c, pattern, line);
}

static uint64_t keep_from(void *ctx) {
    const struct chooser *c = ctx;
    for (size_t i = 0; i < LOG_STREAMS_MAX; i++)
        if (c->s->lanes[i] && c->s->noted_to > 0)
            lane_name_literals(c->s, c->s->lanes[i]);
    if (c->first == UINT64_MAX)
        return UINT64_MAX;
    if (c->note_count > c->notes_most)
        return LOG_SETTLE;
    return c->first > SPAN_BEFORE ? c->first - SPAN_BEFORE : 0;
}

/* ---- reading beside ---- */

struct held { /* bytes of the log, from a line's beginning */
    struct str text;
    uint64_t place, lines;
};

static void end_lanes(struct scanner *s) {
    for (size_t i = 0; i < LOG_STREAMS_MAX; i++)
        if (s->lanes[i])
            lane_break(s, s->lanes[i]);
}

static size_t line_start(struct str text, size_t at) {
    while (at > 0 && text.p[at - 1] != '\n')
        at--;
    return at;
}

static size_t offset_of(const struct held *h, uint64_t place) {
    size_t at = place > h->place ? (size_t)(place - h->place) : 0;
    return at < h->text.n ? at : h->text.n;
}

/* Lines of the batch that are near each other, with what is round them. */
static void read_group(struct chooser *c, const struct held *h, uint64_t first,
                       uint64_t last, size_t *counted, uint64_t *lines) {
    struct scanner *b = c->beside;
    uint64_t before = first > SPAN_BEFORE ? first - SPAN_BEFORE : 0;
    size_t from = line_start(h->text, offset_of(h, before));
    size_t to = offset_of(h, last + SPAN_BEHIND);
    to += str_find_char(str_slice(h->text, to, h->text.n), '\n');
    to = to < h->text.n ? to + 1 : to;
    *lines += plain_count(
        str_slice(h->text, *counted, from - *counted), '\n');
    *counted = from;
    b->zone_from = first;
    b->zone_to = last + LOG_MEMORY + 1;
    log_read_at(b->log, h->place + from, *lines,
                str_slice(h->text, from, to - from));
    end_lanes(b);
}

static int by_number(const void *x, const void *y) {
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return (a > b) - (a < b);
}

static void read_batch(struct chooser *c, const struct held *h) {
    size_t counted = 0;
    uint64_t lines = h->lines;
    if (c->batch_count > 1)
        qsort(c->batch, c->batch_count, sizeof *c->batch, by_number);
    for (size_t i = 0, end; i < c->batch_count; i = end) {
        for (end = i + 1; end < c->batch_count; end++)
            if (c->batch[end] > c->batch[end - 1] + SPAN_BEFORE + SPAN_BEHIND)
                break;
        read_group(c, h, c->batch[i], c->batch[end - 1], &counted, &lines);
    }
    c->batch_count = 0;
}

static void take(struct chooser *c, const struct noted *n, size_t from,
                 size_t to) {
    for (size_t i = from; i < to; i++) {
        c->batch = arena_grow(c->s->a, c->batch, c->batch_count,
                              &c->batch_cap, sizeof *c->batch);
        c->batch[c->batch_count++] = n->line[i];
    }
}

/* ---- which lines ---- */

enum want { WANT_NOTHING, WANT_FIRST, WANT_LAST };

static enum want pattern_wants(const struct chooser *c, uint32_t pattern) {
    const struct pattern_state *p = c->s->patterns[pattern];
    const struct noted *n = &c->noted[pattern];
    if (n->from == n->to)
        return WANT_NOTHING;
    if (!p || !keep_is_full_to(p, ORDER_OF(n->line[n->from])))
        return WANT_FIRST;
    bool is_full = n->to < n->count &&
                   keep_is_full_from(p, ORDER_OF(n->line[n->to]));
    return is_full ? WANT_NOTHING : WANT_LAST;
}

/* The next lines of this pattern; false: none are wanted. */
static bool take_more(struct chooser *c, uint32_t pattern, size_t most) {
    struct noted *n = &c->noted[pattern];
    enum want want = pattern_wants(c, pattern);
    size_t left = n->to - n->from;
    most = want == WANT_FIRST ? most * (most / BATCH_LINES) : most;
    size_t count = left < most ? left : most;
    switch (want) {
    case WANT_NOTHING: return false;
    case WANT_FIRST:
        take(c, n, n->from, n->from + count);
        n->from += count;
        return true;
    case WANT_LAST:
        take(c, n, n->to - count, n->to);
        n->to -= count;
        return true;
    }
    return false;
}

/* Mostly they come in order. */
static bool is_in_order(const struct noted *n) {
    for (size_t i = 1; i < n->count; i++)
        if (n->line[i] < n->line[i - 1])
            return false;
    return true;
}

static void begin_notes(struct noted *n) {
    if (!is_in_order(n))
        qsort(n->line, n->count, sizeof *n->line, by_number);
    n->from = 0;
    n->to = n->count;
}

static void settle(void *ctx, struct str text, uint64_t place,
                   uint64_t lines) {
    struct chooser *c = ctx;
    struct held h = {text, place, lines};
    bool is_wanted = true;
    for (size_t i = 0; i < c->named_count; i++)
        begin_notes(&c->noted[c->named[i]]);
    for (size_t most = BATCH_LINES; is_wanted; most *= 2) {
        is_wanted = false;
        for (size_t i = 0; i < c->named_count; i++)
            is_wanted = take_more(c, c->named[i], most) || is_wanted;
        read_batch(c, &h);
    }
    for (size_t i = 0; i < c->named_count; i++)
        c->noted[c->named[i]].count = 0;
    c->named_count = c->note_count = 0;
    c->first = UINT64_MAX;
    c->notes_most *= c->notes_most < NOTES_MAX ? 4 : 1;
}

/* ---- signatures ---- */

/* Everything that was read is told; a traceback may still go on. */
static uint64_t pause_reading(void *ctx) {
    struct scanner *s = ((struct chooser *)ctx)->s;
    uint64_t wanted = 0;
    for (size_t i = 0; i < LOG_STREAMS_MAX; i++) {
        struct lane *l = s->lanes[i];
        if (!l || l->w.mark_count == 0)
            continue;
        lane_end(s, l);
        if (l->tail && l->w.mark_count > 0 && lane_trace_end(l) > wanted)
            wanted = lane_trace_end(l);
    }
    return wanted;
}

static void break_lanes(void *ctx) {
    end_lanes(((struct chooser *)ctx)->s);
}

const struct log_sieve *choose_lines(struct scanner *s, size_t small) {
    struct chooser *c = arena_alloc(s->a, sizeof *c);
    c->s = s;
    s->chooser = c;
    s->scope = SCOPE_SIGNATURES;
    c->first = UINT64_MAX;
    c->dense_bytes = DENSE_FIRST;
    c->notes_most = NOTES_FIRST;
    c->door = (struct log_sieve){.ctx = c, .small = small,
                                 .at_once = s->threads, .look = look,
                                 .pause = pause_reading, .gap = break_lanes,
                                 .whole = read_whole, .keep_from = keep_from, .settle = settle};
    return &c->door;
}
