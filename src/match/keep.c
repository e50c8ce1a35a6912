/* keep.c: hits within bounds, however long the input.
 *
 *     signatures   the first MATCH_INCIDENTS_MAX of the log; others counted
 *     others       of each pattern the first 32 and, in a ring, the last 32:
 *                  they are asked whether and where, not how often
 *
 * First is what stands first, whenever it was found: streams, and threads, end
 * their messages when they happen to. So once there are as many signatures as
 * may be, they are a heap with the last one on top, which gives way.
 *
 * A slot owns the memory of its hit's texts and uses it again when the ring
 * comes round, so that memory grows with what is kept and not with the log.
 */
#include "base/limits.h"
#include "match/scanner.h"

#include <stdlib.h>
#include <string.h>

/* ---- signatures ---- */

static uint64_t order_of(const struct window *w, const struct found *f) {
    const struct mark *m = &w->marks[window_mark_index(w, f->from)];
    return m->order + (f->from - m->pos);
}

static uint32_t line_of(const struct window *w, const struct found *f) {
    uint64_t last = f->to > f->from ? f->to - 1 : f->to;
    return w->marks[window_mark_index(w, last)].number;
}

static bool stands_before(uint64_t order, uint32_t pattern,
                          const struct slot *slot) {
    return order != slot->hit.order ? order < slot->hit.order
                                    : pattern < slot->hit.pattern;
}

static int last_first(const void *x, const void *y) {
    const struct slot *a = *(struct slot *const *)x;
    const struct slot *b = *(struct slot *const *)y;
    return stands_before(a->hit.order, a->hit.pattern, b) -
           stands_before(b->hit.order, b->hit.pattern, a);
}

static bool is_full(const struct scanner *s) {
    return s->signature_count == MATCH_INCIDENTS_MAX;
}

static void count(struct scanner *s, uint32_t line) {
    s->result.uncounted++;
    if (line > s->result.uncounted_to)
        s->result.uncounted_to = line;
}

bool keep_wants(struct scanner *s, const struct window *w,
                const struct found *f, const struct pattern_state *p) {
    if (p->is->kind != PATTERN_SIGNATURE || !is_full(s) ||
        stands_before(order_of(w, f), p->is->id, s->signatures[0]))
        return true;
    count(s, line_of(w, f));
    return false;
}

/* The top of the heap goes down to its place. */
static void sink(struct slot **heap, size_t n) {
    struct slot *top = heap[0];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && last_first(&heap[child + 1], &heap[child]) < 0)
            child++;
        if (last_first(&top, &heap[child]) < 0)
            break;
        heap[at] = heap[child];
    }
    heap[at] = top;
}

static struct slot *new_signature(struct scanner *s) {
    if (is_full(s)) {
        count(s, s->signatures[0]->line);
        return s->signatures[0];
    }
    s->signatures = arena_grow(s->a, s->signatures, s->signature_count,
                               &s->signature_cap, sizeof *s->signatures);
    struct slot *slot = arena_alloc(s->a, sizeof *slot);
    s->signatures[s->signature_count++] = slot;
    return slot;
}

/* A new signature is filled, the last in the list or on top of the heap. */
static void settle_signature(struct scanner *s, bool was_full) {
    if (was_full)
        sink(s->signatures, s->signature_count);
    else if (is_full(s)) /* what is sorted is a heap */
        qsort(s->signatures, s->signature_count, sizeof(struct slot *),
              last_first);
}

/* ---- others: the first and the last ---- */

static bool has_order(const struct slot *slots, uint32_t count,
                      uint64_t order) {
    for (uint32_t i = count; i > 0 && slots[i - 1].hit.order >= order; i--)
        if (slots[i - 1].hit.order == order)
            return true;
    return false;
}

/* A free slot at its place among `count` ones in order; *spare is used up. */
static struct slot *insert(struct slot *slots, uint32_t count, uint64_t order,
                           struct slot spare) {
    uint32_t at = count;
    for (; at > 0 && slots[at - 1].hit.order > order; at--)
        slots[at] = slots[at - 1];
    slots[at] = spare;
    slots[at].hit.order = order;
    return &slots[at];
}

static struct slot *insert_last(struct pattern_state *p, uint64_t order) {
    struct slot *last = p->slots + KEEP_FIRST;
    if (p->last_count < KEEP_LAST) {
        return insert(last, p->last_count++, order, (struct slot){0});
    }
    if (order < last[0].hit.order)
        return NULL;
    struct slot spare = last[0];
    for (uint32_t i = 1; i < KEEP_LAST; i++)
        last[i - 1] = last[i];
    return insert(last, KEEP_LAST - 1, order, spare);
}

static struct slot *insert_first(struct pattern_state *p, uint64_t order) {
    if (p->first_count < KEEP_FIRST) {
        return insert(p->slots, p->first_count++, order, (struct slot){0});
    }
    struct slot out = p->slots[KEEP_FIRST - 1], spare = {0};
    struct slot *last = insert_last(p, out.hit.order);
    if (last) {
        spare = *last;
        *last = out;
    } else {
        spare = out;
    }
    spare.hit.order = 0;
    return insert(p->slots, KEEP_FIRST - 1, order, spare);
}

/* NULL: it is there already, or one of those in between. */
static struct slot *other_slot(struct scanner *s, struct pattern_state *p,
                               uint64_t order) {
    if (!p->slots)
        p->slots = arena_room(s->a, (KEEP_FIRST + KEEP_LAST) *
                                        sizeof *p->slots);
    if (has_order(p->slots, p->first_count, order) ||
        has_order(p->slots + KEEP_FIRST, p->last_count, order))
        return NULL;
    bool is_first = p->first_count < KEEP_FIRST ||
                    order < p->slots[KEEP_FIRST - 1].hit.order;
    return is_first ? insert_first(p, order) : insert_last(p, order);
}

bool keep_is_full_to(const struct pattern_state *p, uint64_t order) {
    return p->first_count == KEEP_FIRST &&
           p->slots[KEEP_FIRST - 1].hit.order < order;
}

static struct slot *next_slot(struct scanner *s, struct pattern_state *p,
                              uint64_t order) {
    return p->is->kind == PATTERN_SIGNATURE ? new_signature(s)
                                            : other_slot(s, p, order);
}

size_t capture_unwrap(struct str text, char *out) {
    size_t n = 0;
    for (size_t i = 0; i < text.n;) {
        size_t end = i;
        bool is_wrap = false;
        while (end < text.n && str_trim(str_slice(text, end, 1)).n == 0)
            is_wrap |= text.p[end++] == '\n';
        if (is_wrap) {
            out[n++] = ' ';
            i = end;
            continue;
        }
        end = end > i ? end : i + 1;
        memcpy(out + n, text.p + i, end - i);
        n += end - i;
        i = end;
    }
    return n;
}

/* ---- filling a slot ---- */

struct filling {
    char *at; /* the free part of the slot's memory */
};

static struct str put_text(struct filling *f, struct str s) {
    char *p = f->at;
    if (s.n)
        memcpy(p, s.p, s.n);
    f->at += s.n;
    return (struct str){p, s.n};
}

static struct str text_of(const struct hit_draft *d,
                          const struct capture_at *c) {
    struct str text = window_slice(&d->buffer->w, c->from, c->to);
    size_t most = c->group->is_fact ? CAPTURE_TEXT_MAX : CAPTURED_COMMAND_MAX;
    return str_slice(text, 0, most);
}

static void make_memory(struct scanner *s, struct slot *slot, size_t bytes) {
    if (slot->memory && slot->memory_bytes >= bytes)
        return;
    size_t twice = slot->memory_bytes * 2;
    slot->memory_bytes = bytes > twice ? bytes : twice;
    slot->memory = arena_alloc(s->a, slot->memory_bytes);
}

/* What stands on its line in front: who runs a command, what a value is
 * called. */
static struct str front_of(const struct hit_draft *d,
                           const struct capture_at *c) {
    const struct window *w = &d->buffer->w;
    size_t most = c->group->is_fact ? CAPTURE_LEAD_MAX : COMMAND_LEAD_MAX;
    uint64_t line = w->marks[window_mark_index(w, c->from)].pos;
    struct str front = window_slice(w, line, c->from);
    size_t skip = front.n > most ? front.n - most : 0;
    return str_slice(front, skip, front.n);
}

static size_t bytes_needed(const struct hit_draft *d, struct str text) {
    size_t bytes = d->capture_count * sizeof(struct capture) + text.n;
    for (size_t i = 0; i < d->capture_count; i++)
        bytes += text_of(d, &d->captures[i]).n +
                 front_of(d, &d->captures[i]).n;
    return bytes;
}

static void put_command(struct filling *f, struct str front, struct str text,
                        struct hit *hit) {
    const char *line = put_text(f, front).p;
    hit->command = put_text(f, text);
    hit->command_line = (struct str){line, front.n + text.n};
    hit->command_at = front.n;
}

static void put_captures(const struct hit_draft *d, struct filling *f,
                         struct hit *hit) {
    const struct window *w = &d->buffer->w;
    for (size_t i = 0; i < d->capture_count; i++) {
        const struct capture_at *c = &d->captures[i];
        struct str text = text_of(d, c);
        if (!c->group->is_fact) {
            if (str_eq(c->group->spelling, STR("command")))
                put_command(f, front_of(d, c), text, hit);
            continue;
        }
        struct str front = put_text(f, front_of(d, c));
        size_t n = capture_unwrap(text, f->at);
        hit->captures[hit->capture_count++] = (struct capture){
            .name = c->group->name, .scale = c->group->scale,
            .text = {f->at, n},
            .front = front,
            .line = w->marks[window_mark_index(w, c->from)].number};
        f->at += n;
    }
}

void keep_hit(struct scanner *s, const struct hit_draft *d) {
    const struct window *w = &d->buffer->w;
    const struct pattern *p = d->pattern->is;
    struct str text = str_slice(window_slice(w, d->found->from, d->end), 0,
                                MATCH_MESSAGE_MAX);
    uint64_t order = order_of(w, d->found);
    bool was_full = is_full(s);
    struct slot *slot = next_slot(s, d->pattern, order);
    if (!slot)
        return;
    make_memory(s, slot, bytes_needed(d, text));
    struct filling f = {slot->memory};
    slot->hit = (struct hit){
        .pattern = p->id, .kind = p->kind, .owner = p->owner,
        .ordinal = p->ordinal, .stream = d->buffer->stream,
        .first_line = d->first_line, .last_line = d->last_line,
        .trace_first = d->trace_first, .trace_last = d->trace_last,
        .captures = (struct capture *)(void *)slot->memory};
    slot->hit.order = order;
    slot->hit.stamp = w->marks[window_mark_index(w, d->found->from)].stamp;
    f.at += d->capture_count * sizeof(struct capture);
    slot->hit.text = put_text(&f, text);
    put_captures(d, &f, &slot->hit);
    slot->traceback = d->traceback;
    slot->line = line_of(w, d->found);
    if (p->kind == PATTERN_SIGNATURE) {
        settle_signature(s, was_full);
        log_keep(s->log, w->marks[window_mark_index(w, d->found->from)].place);
    }
}

/* ---- the list at the end ---- */

int hits_by_order(const void *x, const void *y) {
    const struct hit *a = x, *b = y;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->pattern > b->pattern) - (a->pattern < b->pattern);
}

static void list_slot(struct hit_list *list, const struct slot *slot) {
    struct hit hit = slot->hit;
    if (slot->traceback && slot->traceback->last_line > hit.trace_last)
        hit.trace_last = slot->traceback->last_line;
    list->at[list->count++] = hit;
}

static size_t slots_of(const struct pattern_state *p) {
    return (size_t)p->first_count + p->last_count;
}

struct hit_list keep_list(struct scanner *s) {
    struct hit_list list = {.cap = s->signature_count};
    for (const struct pattern_state *p = s->newest; p; p = p->older)
        list.cap += slots_of(p);
    list.at = arena_array(s->a, list.cap, sizeof *list.at);
    for (size_t i = 0; i < s->signature_count; i++)
        list_slot(&list, s->signatures[i]);
    for (const struct pattern_state *p = s->newest; p; p = p->older) {
        if (!wanted_is(s, p->is))
            continue;
        for (uint32_t k = 0; k < p->first_count; k++)
            list_slot(&list, &p->slots[k]);
        for (uint32_t k = 0; k < p->last_count; k++)
            list_slot(&list, &p->slots[KEEP_FIRST + k]);
    }
    if (list.count > 1)
        qsort(list.at, list.count, sizeof *list.at, hits_by_order);
    return list;
}
