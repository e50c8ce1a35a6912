/* choose.c: chooses the lines of a long log that are read.
 *
 *     failures   a line may have a literal of a signature (candidates.c)
 *                --> the region around it is read, with the traceback before
 *                    it and the message
 *     others     settings, stages and conditions are searched for once all
 *                failures are known, in all lines of what is kept of the log
 *                (log/history.h, scan.c)
 *
 * So the words of a setting, which stand on every line of some logs, cost
 * nothing in a log without a failure. No line is skipped that would change the
 * result.
 */
#include "match/parallel.h"
#include "match/scanner.h"

#include <stdlib.h>

/* How a line is read depends on LOG_MEMORY bytes before it, and how these are
 * read on as many before them. */
#define SETTLE (2 * LOG_MEMORY)
#define MESSAGE_BEHIND (2 * SIGNATURE_REACH + SETTLE)
#define TRACE_BEFORE (TRACE_REACH + 2 * TRACE_STEP + SETTLE)
#define DENSE_ASK (1 << 20)   /* bytes after which the cost is checked */
#define DENSE_FIRST (4 << 20) /* bytes read whole if it is high, at first */

struct chooser {
    struct scanner *s;
    struct worker_pool *pool;
    struct log_selector selector;
    struct log_marks *marks; /* of the present block */
    uint64_t dense_to;    /* place up to which all is read */
    uint64_t dense_bytes; /* bytes read whole the next time */
    uint64_t looked; /* bytes searched since the last check */
    uint64_t read;   /* s->bytes at the last check */
};

/* ---- failures ---- */

static void add_mark(struct log_marks *m, size_t at, uint32_t before,
                     uint32_t behind) {
    *ARENA_ADD(m->a, m->at, m->count, m->cap) =
        (struct log_mark){at, before, behind};
}

static void on_candidate(void *ctx, uint32_t literal, size_t line) {
    struct log_marks *m = ((struct chooser *)ctx)->marks;
    (void)literal;
    if (m->count == 0 || m->at[m->count - 1].at != line)
        add_mark(m, line, TRACE_BEFORE, MESSAGE_BEHIND);
}

static int by_place(const void *x, const void *y) {
    const struct log_mark *a = x, *b = y;
    return (a->at > b->at) - (a->at < b->at);
}

/* If most lines are read, choosing costs more than it saves. Then all is read
 * for a while, longer each time. */
static void check_density(struct chooser *c, uint64_t place) {
    uint64_t cost = c->s->bytes - c->read;
    bool is_clear = cost > c->looked && c->looked > 0;
    if (c->looked < DENSE_ASK && !is_clear)
        return;
    if (cost > c->looked / 3) {
        c->dense_to = place + c->dense_bytes;
        c->dense_bytes *= 4;
    } else {
        c->dense_bytes = DENSE_FIRST;
    }
    c->looked = 0;
    c->read = c->s->bytes;
}

static void mark_all(struct chooser *c, struct log_marks *m, size_t from,
                     size_t to) {
    add_mark(m, from, TRACE_BEFORE, (uint32_t)(to - from));
    add_mark(m, to, 0, MESSAGE_BEHIND);
    c->read = c->s->bytes + (to - from);
}

static void look(void *ctx, struct str text, uint64_t place, size_t from,
                 size_t to, struct log_marks *marks) {
    struct chooser *c = ctx;
    const struct scan_rules *rules = c->s->rules;
    if (!c->pool)
        c->pool = worker_pool_new(c->s->a, &rules->filter[PREFILTER_SIGNATURES],
                                  rules->tables.frames, c->selector.at_once);
    if (place + from < c->dense_to) {
        mark_all(c, marks, from, to);
        return;
    }
    check_density(c, place + from);
    c->looked += to - from;
    c->marks = marks;
    worker_pool_look(c->pool, text, from, to, on_candidate, c);
    if (marks->count > 1)
        qsort(marks->at, marks->count, sizeof *marks->at, by_place);
}

/* Ends the buffers. The place up to which a traceback may continue; 0: none. */
static uint64_t pause_reading(void *ctx) {
    struct scanner *s = ((struct chooser *)ctx)->s;
    uint64_t wanted = 0;
    for (size_t i = 0; i < LOG_STREAMS_MAX; i++) {
        struct stream_buffer *l = s->buffers[i];
        if (!l || l->w.mark_count == 0)
            continue;
        stream_buffer_end(s, l);
        if (l->trace_last && l->w.mark_count > 0 &&
            stream_buffer_trace_end(l) > wanted)
            wanted = stream_buffer_trace_end(l);
    }
    return wanted;
}

static void break_buffers(void *ctx) {
    scan_break(((struct chooser *)ctx)->s);
}

/* A small log is read whole, and only once. */
static void read_whole(void *ctx) {
    ((struct chooser *)ctx)->s->scope = SCOPE_ALL;
}

const struct log_selector *choose_failures(struct scanner *s, size_t small) {
    struct chooser *c = arena_alloc(s->a, sizeof *c);
    c->s = s;
    s->scope = SCOPE_SIGNATURES;
    c->dense_bytes = DENSE_FIRST;
    c->selector = (struct log_selector){
        .ctx = c, .small = small, .at_once = s->threads, .look = look,
        .pause = pause_reading, .gap = break_buffers, .whole = read_whole};
    return &c->selector;
}
