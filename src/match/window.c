/* window.c: a sliding text with a table of where its lines begin.
 *
 * The text is one run of bytes, so that PCRE2 can search all of it. Lines are
 * separated by '\n'; a line that continues a cut one is joined without it.
 * window_drop() moves the text that is still needed to the front. The caller
 * makes sure that there is room (window_has_room()) before it adds text.
 */
#include "match/window.h"

#include <string.h>

#include "base/sort.h"

static const struct mark *last_mark(const struct window *w) {
    return w->mark_count ? &w->marks[w->mark_count - 1] : NULL;
}

static uint64_t window_start(const struct window *w) {
    return w->mark_count ? w->marks[0].pos : w->end;
}

bool window_has_room(const struct window *w, size_t n) {
    return w->end - window_start(w) + n + 2 * LINE_COST <= WINDOW_SPAN;
}

static void make_room(struct arena *a, struct window *w, size_t n) {
    if (w->n + n <= w->cap)
        return;
    size_t cap = w->cap ? w->cap : WINDOW_CHUNK;
    while (cap < w->n + n)
        cap *= 2;
    char *bigger = arena_room(a, cap);
    if (w->n)
        memcpy(bigger, w->text, w->n);
    w->text = bigger;
    w->cap = cap;
}

static void put_bytes(struct arena *a, struct window *w, struct str s) {
    if (s.n == 0)
        return;
    make_room(a, w, s.n);
    memcpy(w->text + w->n, s.p, s.n);
    w->n += s.n;
    w->fresh += s.n;
    w->end += s.n;
}

static uint64_t next_line_pos(const struct window *w) {
    const struct mark *last = last_mark(w);
    if (last && w->end < last->pos + LINE_COST)
        return last->pos + LINE_COST;
    return w->end;
}

/* A joined piece has the kind of its line, whatever it begins with. */
static void shape_mark(struct window *w, struct mark *m,
                       const struct line *line) {
    const struct mark *last = last_mark(w);
    if (line->is_joined && last) {
        m->kind = last->kind;
        m->block = last->block;
        m->block_first = last->block_first;
        m->is_solid = last->is_solid;
        return;
    }
    struct line_shape shape = line_shape(w->shapes, line->text);
    struct trace_step step =
        trace_line(&w->trace, shape, line->is_record, line->number,
                   line->place);
    m->kind = (uint8_t)shape.kind;
    m->block = step.block;
    m->block_first = step.first;
    m->is_solid = step.is_solid;
}

void window_line(struct arena *a, struct window *w, const struct line *line,
                 uint64_t order) {
    bool is_joined = line->is_joined && w->mark_count;
    if (!is_joined && w->mark_count)
        put_bytes(a, w, STR("\n"));
    struct mark m = {
        .order = order, .place = line->place, .text = (uint32_t)w->n,
        .number = line->number, .stamp = line->stamp,
        .is_record = line->is_record, .is_joined = is_joined};
    shape_mark(w, &m, line);
    m.pos = w->end = next_line_pos(w);
    if (w->near == NULL)
        w->near = arena_alloc(a, sizeof *w->near);
    *ARENA_ADD(a, w->marks, w->mark_count, w->mark_cap) = m;
}

void window_text(struct arena *a, struct window *w, struct str text) {
    put_bytes(a, w, text);
}

static uint64_t pos_of(const void *marks, size_t i) {
    return ((const struct mark *)marks)[i].pos;
}

static uint64_t text_of(const void *marks, size_t i) {
    return ((const struct mark *)marks)[i].text;
}

static uint64_t place_of(const void *marks, size_t i) {
    return ((const struct mark *)marks)[i].place;
}

/* The last line that begins at `place` or before it; 0 if there is none. */
static size_t line_of(const struct window *w,
                      uint64_t (*at)(const void *marks, size_t i),
                      uint64_t place) {
    size_t i = w->near != NULL ? *w->near : w->mark_count;
    if (i < w->mark_count && at(w->marks, i) <= place &&
        (i + 1 == w->mark_count || at(w->marks, i + 1) > place))
        return i;
    i = last_up_to(w->marks, w->mark_count, at, place);
    if (w->near != NULL)
        *w->near = i;
    return i;
}

size_t window_mark_index(const struct window *w, uint64_t pos) {
    return line_of(w, pos_of, pos);
}

size_t window_line_stop(const struct window *w, size_t i) {
    return i + 1 < w->mark_count ? w->marks[i + 1].text : w->n;
}

size_t window_offset(const struct window *w, uint64_t pos) {
    if (w->mark_count == 0 || pos <= w->marks[0].pos)
        return 0;
    if (pos >= w->end)
        return w->n;
    size_t i = window_mark_index(w, pos);
    uint64_t offset = w->marks[i].text + (pos - w->marks[i].pos);
    size_t end = window_line_stop(w, i);
    return offset < end ? (size_t)offset : end;
}

uint64_t window_pos(const struct window *w, size_t offset) {
    if (w->mark_count == 0)
        return w->end;
    size_t i = line_of(w, text_of, offset);
    return w->marks[i].pos + (offset - w->marks[i].text);
}

struct str window_slice(const struct window *w, uint64_t from, uint64_t to) {
    size_t start = window_offset(w, from), end = window_offset(w, to);
    return (struct str){w->text + start, end > start ? end - start : 0};
}

uint64_t window_line_end(const struct window *w, size_t i) {
    size_t end = window_line_stop(w, i);
    if (i + 1 < w->mark_count && !w->marks[i + 1].is_joined)
        end--; /* the newline */
    return w->marks[i].pos + (end - w->marks[i].text);
}

void window_drop(struct window *w, uint64_t pos) {
    if (w->mark_count == 0 || pos <= w->marks[0].pos)
        return;
    size_t first = window_mark_index(w, pos);
    size_t offset = window_offset(w, pos);
    if (first + 1 < w->mark_count && offset == w->marks[first + 1].text)
        first++; /* all of that line goes */
    struct mark *m = &w->marks[first];
    uint64_t skipped = offset - m->text;
    w->starts_mid_line = skipped > 0 || m->is_joined;
    m->pos += skipped;
    m->order += skipped;
    m->text += (uint32_t)skipped;
    for (size_t i = first; i < w->mark_count; i++) {
        w->marks[i].text -= (uint32_t)offset;
        w->marks[i - first] = w->marks[i];
    }
    w->mark_count -= first;
    w->n -= offset;
    memmove(w->text, w->text + offset, w->n);
}

void window_break(struct window *w) {
    w->n = w->fresh = w->mark_count = 0;
    w->starts_mid_line = false;
    uint32_t id = w->trace.id; /* no two tracebacks share one */
    w->trace = (struct trace){.id = id};
}

/* Usually all of the window is near enough. */
size_t window_lines_back(const struct window *w, size_t i, uint64_t back) {
    uint64_t place = w->marks[i].place;
    if (w->marks[0].place + back >= place)
        return 0;
    size_t first = 1 + last_up_to(w->marks, i, place_of, place - back - 1);
    return first - w->marks[first].is_joined;
}

size_t window_lines_ahead(const struct window *w, size_t i, uint64_t ahead) {
    uint64_t place = w->marks[i].place + ahead;
    if (w->marks[w->mark_count - 1].place <= place)
        return w->mark_count - 1;
    size_t last = last_up_to(w->marks, w->mark_count, place_of, place);
    return last + (last + 1 < w->mark_count && w->marks[last + 1].is_joined);
}

bool window_is_far(const struct window *w, size_t i) {
    return i > 0 && w->marks[i].place > w->marks[i - 1].place + TRACE_REACH;
}
