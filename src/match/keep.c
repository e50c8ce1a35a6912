/* keep.c: keeps hits within bounds, however long the input.
 *
 *     signatures   the first MATCH_INCIDENTS_MAX of the log; others are counted
 *     others       of each pattern the first 32 and the last 32: only their
 *                  existence and place matter
 *
 * "First" means the order of the log. Streams end their messages at different
 * times, so hits come in another order. Hits are therefore kept in the order of
 * the log. If there are too many, the one behind the first ones is dropped.
 *
 * A slot owns the memory of its hit's texts and uses it again for another hit,
 * so that memory grows with what is kept and not with the log.
 */
#include "base/limits.h"
#include "match/scanner.h"

#include <stdlib.h>
#include <string.h>

/* ---- slots in order ---- */

static uint64_t order_of(const struct window *w, const struct found *f) {
    const struct mark *m = window_mark(w, f->from);
    return m->order + (f->from - m->pos);
}

static bool stands_before(const struct slot *slot, uint64_t order,
                          uint32_t pattern) {
    return slot->hit.order != order ? slot->hit.order < order
                                    : slot->hit.pattern < pattern;
}

/* Inserts a slot for a hit in order. If there would be more than `most`, the
 * hit number `out` is dropped. NULL: this hit is dropped, or it is kept
 * already. */
static struct slot *insert(struct arena *a, struct slots *list, size_t most,
                           size_t out, uint64_t order, uint32_t pattern) {
    size_t at = list->count, free = list->count;
    while (at > 0 && !stands_before(list->at[at - 1], order, pattern))
        at--;
    bool is_kept = at < list->count && list->at[at]->hit.order == order &&
                   list->at[at]->hit.pattern == pattern;
    if (is_kept || (list->count == most && at == out))
        return NULL;
    if (list->count == most) {
        free = at > out ? out : out - 1;
    } else {
        *ARENA_ADD(a, list->at, list->count, list->cap) =
            arena_alloc(a, sizeof(struct slot));
    }
    struct slot *slot = list->at[free];
    for (; free > at; free--)
        list->at[free] = list->at[free - 1];
    for (; free + 1 < at; free++)
        list->at[free] = list->at[free + 1];
    return list->at[free] = slot;
}

static void count_only(struct scanner *s, uint32_t line) {
    s->result.uncounted++;
    if (line > s->result.uncounted_to)
        s->result.uncounted_to = line;
}

static const struct slot *last_signature(const struct scanner *s) {
    return s->signatures.count == MATCH_INCIDENTS_MAX
               ? s->signatures.at[MATCH_INCIDENTS_MAX - 1]
               : NULL;
}

bool keep_wants(struct scanner *s, const struct window *w,
                const struct found *f, const struct pattern_state *p) {
    const struct slot *last = last_signature(s);
    if (p->is->kind != PATTERN_SIGNATURE || !last ||
        !stands_before(last, order_of(w, f), p->is->id))
        return true;
    count_only(s, window_mark(w, found_last(f))->number);
    return false;
}

bool keep_is_full_to(const struct pattern_state *p, uint64_t order) {
    return p->slots.count >= KEEP_FIRST &&
           p->slots.at[KEEP_FIRST - 1]->hit.order < order;
}

static struct slot *next_slot(struct scanner *s, struct pattern_state *p,
                              uint64_t order) {
    const struct slot *last = last_signature(s);
    if (p->is->kind != PATTERN_SIGNATURE)
        return insert(s->a, &p->slots, KEEP_FIRST + KEEP_LAST, KEEP_FIRST,
                      order, p->is->id);
    if (last)
        count_only(s, last->line);
    return insert(s->a, &s->signatures, MATCH_INCIDENTS_MAX,
                  MATCH_INCIDENTS_MAX, order, p->is->id);
}

size_t capture_unwrap(struct str text, char *out) {
    size_t n = 0;
    if (str_find_char(text, '\n') == text.n) { /* the usual case */
        if (text.n > 0)
            memcpy(out, text.p, text.n);
        return text.n;
    }
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

/* A capture with the text before it on its line: the name of a value, the
 * prompt before a command. *at: where the capture begins. */
static struct str text_of(const struct hit_draft *d,
                          const struct capture_at *c, size_t *at) {
    const struct window *w = &d->buffer->w;
    bool is_fact = c->group->is_fact;
    size_t most = is_fact ? CAPTURE_TEXT_MAX : CAPTURED_COMMAND_MAX;
    size_t most_front = is_fact ? CAPTURE_LEAD_MAX : COMMAND_LEAD_MAX;
    struct str front = window_slice(w, window_mark(w, c->from)->pos, c->from);
    struct str text = str_slice(window_slice(w, c->from, c->to), 0, most);
    *at = front.n < most_front ? front.n : most_front;
    return (struct str){text.p - *at, *at + text.n};
}

static void make_memory(struct scanner *s, struct slot *slot, size_t bytes) {
    if (slot->memory && slot->memory_bytes >= bytes)
        return;
    size_t twice = slot->memory_bytes * 2;
    slot->memory_bytes = bytes > twice ? bytes : twice;
    slot->memory = arena_alloc(s->a, slot->memory_bytes);
}

static size_t bytes_needed(const struct hit_draft *d, struct str text) {
    size_t bytes = d->capture_count * sizeof(struct capture) + text.n;
    for (size_t i = 0, at; i < d->capture_count; i++)
        bytes += text_of(d, &d->captures[i], &at).n;
    return bytes;
}

static void put_captures(const struct hit_draft *d, struct filling *f,
                         struct hit *hit) {
    for (size_t i = 0, at; i < d->capture_count; i++) {
        const struct capture_at *c = &d->captures[i];
        struct str text = text_of(d, c, &at);
        if (c->group->is_fact) {
            struct str front = put_text(f, str_slice(text, 0, at));
            struct str value = {f->at, 0};
            value.n = capture_unwrap(str_slice(text, at, text.n), f->at);
            f->at += value.n;
            hit->captures[hit->capture_count++] = (struct capture){
                .name = c->group->name, .scale = c->group->scale,
                .text = value, .front = front,
                .line = window_mark(&d->buffer->w, c->from)->number};
        } else if (str_eq(c->group->spelling, STR("command"))) {
            hit->command_line = put_text(f, text);
            hit->command = str_slice(hit->command_line, at, text.n);
            hit->command_at = at;
        }
    }
}

void keep_hit(struct scanner *s, const struct hit_draft *d) {
    const struct window *w = &d->buffer->w;
    const struct pattern *p = d->pattern->is;
    struct str text = str_slice(window_slice(w, d->found->from, d->end), 0,
                                MATCH_MESSAGE_MAX);
    uint64_t order = order_of(w, d->found);
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
    slot->hit.stamp = window_mark(w, d->found->from)->stamp;
    f.at += d->capture_count * sizeof(struct capture);
    slot->hit.text = put_text(&f, text);
    put_captures(d, &f, &slot->hit);
    slot->trace_last = d->open_last;
    slot->line = window_mark(w, found_last(d->found))->number;
    if (p->kind == PATTERN_SIGNATURE)
        log_keep(s->log, window_mark(w, d->found->from)->place);
}

/* ---- patterns whose hits are used ----
 *
 *     a signature of an entry matches --> conditions of its group are wanted,
 *                                         and so are all stages
 *     no signature of it matches      --> its conditions are not
 *
 * Most conditions belong to entries without a match in the log. Once all
 * signatures were matched, patterns that are not wanted are not searched for.
 * Their hits from before are not listed, so that the result does not depend on
 * how the log was cut. Context is always wanted: it is shown by itself. */

void wanted_note(struct scanner *s, const struct pattern *signature) {
    struct scanner *owner = s->owner;
    if (!owner->sighted)
        owner->sighted = arena_array(s->a, s->rules->entry_count, 1);
    if (owner->sighted[signature->owner] != 0)
        return;
    struct group group = reader_group(s->reader, signature->owner);
    owner->sighted[signature->owner] = 1;
    for (size_t i = 0; i < group.count; i++)
        owner->sighted[group.entries[i]] = 1;
}

bool wanted_is(const struct scanner *s, const struct pattern *p) {
    switch (p->kind) {
    case PATTERN_SIGNATURE:
    case PATTERN_CONTEXT: return true;
    case PATTERN_CONDITION: return s->sighted && s->sighted[p->owner] != 0;
    case PATTERN_STAGE: return s->sighted != NULL;
    }
    return true;
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

static void list_slots(struct hit_list *list, const struct slots *slots) {
    for (size_t i = 0; i < slots->count; i++) {
        const struct slot *slot = slots->at[i];
        struct hit *hit = &list->at[list->count++];
        *hit = slot->hit;
        if (slot->trace_last && *slot->trace_last > hit->trace_last)
            hit->trace_last = *slot->trace_last;
    }
}

struct hit_list keep_list(struct scanner *s) {
    const struct known_patterns *k = s->known;
    size_t most = s->signatures.count;
    for (size_t i = 0; i < k->named_count; i++)
        most += k->named[i]->slots.count;
    struct hit_list list = {arena_array(s->a, most, sizeof *list.at), 0};
    list_slots(&list, &s->signatures);
    for (size_t i = 0; i < k->named_count; i++)
        if (wanted_is(s, k->named[i]->is))
            list_slots(&list, &k->named[i]->slots);
    if (list.count > 1)
        qsort(list.at, list.count, sizeof *list.at, hits_by_order);
    return list;
}
