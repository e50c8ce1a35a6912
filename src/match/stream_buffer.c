/* stream_buffer.c: finds literals, then matches, in the text of one stream.
 *
 *     text ... Tried to allocate ... Tried to allocate ........... end
 *                            ^first               ^last
 *                   |<- front ->|<- range ->|<- REACH_AHEAD ->|
 *
 * A literal opens a range for each of its patterns, or extends the open one.
 * PCRE2 searches a range once enough text stands behind it. It searches only
 * for matches that begin where a match with such a literal can begin, and
 * before the last literal: later matches have a literal of their own. The
 * search for the next match begins where the last match ended, so none is found
 * twice.
 *
 * This happens when the window is full or the stream ends. How the bytes were
 * cut on their way makes no difference.
 */
#include "base/plain.h"
#include "match/scanner.h"

#include <stdlib.h>
#include <string.h>

static uint64_t most(uint64_t x, uint64_t y) {
    return x > y ? x : y;
}

static uint64_t least(uint64_t x, uint64_t y) {
    return x < y ? x : y;
}

/* ---- literals to ranges ---- */

static struct pattern_place *place_of(struct scanner *s,
                                      struct stream_buffer *l,
                                      const struct pattern_state *p) {
    while (l->place_count < p->number)
        *ARENA_ADD(s->a, l->places, l->place_count, l->place_cap) =
            (struct pattern_place){.range = 0};
    return &l->places[p->number - 1];
}

/* A match with the literal that ends before `pos` begins at `begin` or later.
 */
static void note_literal(struct scanner *s, struct stream_buffer *l,
                         struct pattern_state *pattern, uint64_t begin,
                         uint64_t pos) {
    struct pattern_place *place = place_of(s, l, pattern);
    struct range *r = place->range ? &l->ranges[place->range - 1] : NULL;
    if (!r || begin > r->last || pos > r->first + SEARCH_RANGE_MAX) {
        *ARENA_ADD(s->a, l->ranges, l->range_count, l->range_cap) =
            (struct range){pattern, begin, pos, pos};
        place->range = l->range_count;
        return;
    }
    r->begin = least(r->begin, begin);
    r->first = least(r->first, pos);
    r->last = most(r->last, pos);
}

/* False if a hit at this place would not be kept: it lies between the first and
 * the last hits of the pattern, or the pattern is not wanted. */
static bool is_wanted_here(struct scanner *s, const struct pattern_state *p,
                           uint64_t place) {
    if (s->scope != SCOPE_BESIDE)
        return true;
    return !p->is->is_prose && wanted_is(s, p->is) &&
           (place >= s->late_from || !keep_is_full_to(p, ORDER_OF(place)));
}

static void on_literal(void *ctx, uint32_t literal, size_t at, size_t place) {
    struct occurrences *list = ctx;
    size_t begin = place - at, n = prefilter_literal(list->f, literal).n;
    size_t end = fold_raw(&list->folded, begin + n - 1) + 1;
    if (end <= list->found_to)
        return;
    *ARENA_ADD(list->folded.a, list->at, list->count, list->cap) =
        (struct occurrence){literal, (uint32_t)begin,
                            (uint32_t)fold_raw(&list->folded, begin),
                            (uint32_t)end};
}

static int by_end(const void *x, const void *y) {
    const struct occurrence *a = x, *b = y;
    if (a->end != b->end)
        return a->end < b->end ? -1 : 1;
    return (a->literal > b->literal) - (a->literal < b->literal);
}

static size_t line_start(const struct window *w, size_t at) {
    return plain_behind_last((struct str){w->text, at}, '\n');
}

/* The beginning of the line that is `lines` lines before this one. A run of
 * blanks and newlines, which a pattern's blank matches, is one line's end. */
static size_t lines_back(const struct window *w, size_t at, uint32_t lines) {
    at = line_start(w, at);
    for (; lines > 0 && at > 0; lines--) {
        while (at > 0 && fold_is_blank(w->text[at - 1]))
            at--;
        at = line_start(w, at);
    }
    return at;
}

/* The first position where a match with this literal may begin. */
static uint64_t front_pos(const struct window *w, const struct folded *f,
                          const struct occurrence *one, uint8_t front) {
    if (front == FRONT_ANY)
        return 0;
    size_t at = front > FRONT_BYTES
                    ? lines_back(w, one->begin, front - FRONT_LINE)
                    : fold_raw(f, one->folded > front ? one->folded - front
                                                      : 0);
    return window_pos(w, at);
}

static void note_occurrence(struct scanner *s, struct stream_buffer *l,
                            const struct occurrences *list,
                            const struct occurrence *one) {
    const struct window *w = &l->w;
    uint64_t last = window_pos(w, one->end - 1), begin = 0;
    uint64_t place = window_mark(w, last)->place;
    uint32_t count = prefilter_ref_count(list->f, one->literal);
    uint8_t front = FRONT_ANY; /* of `begin` */
    for (uint32_t i = 0; i < count; i++) {
        struct literal_use use = prefilter_use(list->f, one->literal, i);
        struct pattern_state *p = scan_known(s, use.pattern);
        if (!is_wanted_here(s, p, place) ||
            scan_denies(s, p, (struct str){w->text, w->n}, one->begin))
            continue;
        if (use.front != front)
            begin = front_pos(w, &list->folded, one, use.front);
        front = use.front;
        note_literal(s, l, p, begin, last + 1);
    }
}

/* The offset before which no literal that ends behind `at` begins, nor the text
 * in front of it that front_pos() looks at. */
static size_t before_literals(struct str text, size_t at) {
    for (size_t n = 0; n < LITERAL_BYTES_MAX + FRONT_BYTES && at > 0; n++) {
        at--;
        while (at > 0 && fold_is_blank(text.p[at]) &&
               fold_is_blank(text.p[at - 1]))
            at--;
    }
    return at;
}

static void find_literals(struct scanner *s, struct stream_buffer *l,
                          enum prefilter_of which) {
    struct occurrences *list = &s->occurrences;
    list->f = &s->rules->filter[which];
    list->count = 0;
    prefilter_find(list->f, fold_str(&list->folded), true, on_literal, list);
    if (list->count > 1)
        qsort(list->at, list->count, sizeof *list->at, by_end);
    for (size_t i = 0; i < list->count; i++)
        note_occurrence(s, l, list, &list->at[i]);
}

/* Finds the literals that end in the new text. */
static void read_literals(struct scanner *s, struct stream_buffer *l) {
    struct occurrences *list = &s->occurrences;
    struct str text = {l->w.text, l->w.n};
    list->found_to = text.n - l->w.fresh;
    size_t from = before_literals(text, list->found_to);
    fold_clear(&list->folded);
    fold_add(&list->folded, str_slice(text, from, text.n), from);
    if (s->scope != SCOPE_BESIDE)
        find_literals(s, l, PREFILTER_SIGNATURES);
    if (s->scope != SCOPE_SIGNATURES)
        find_literals(s, l, PREFILTER_OTHERS);
    l->w.fresh = 0;
}

/* ---- ranges to matches ---- */

static int by_place(const void *x, const void *y) {
    const struct capture_at *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    return (a->group > b->group) - (a->group < b->group);
}

void stream_buffer_captures(struct scanner *s, struct stream_buffer *l,
                            const struct regex *r) {
    size_t from = l->capture_count;
    for (size_t i = 0; i < regex_group_count(r); i++) {
        const struct named_group *g = &regex_groups(r)[i];
        struct text_range range;
        if (!regex_group(s->matcher, g->number, &range) ||
            range.from == range.to)
            continue;
        *ARENA_ADD(s->a, l->captures, l->capture_count, l->capture_cap) =
            (struct capture_at){g, window_pos(&l->w, range.from),
                                window_pos(&l->w, range.to - 1) + 1};
    }
    if (l->capture_count - from > 1)
        qsort(l->captures + from, l->capture_count - from,
              sizeof *l->captures, by_place);
}

static void add_found(struct scanner *s, struct stream_buffer *l,
                      const struct pattern_state *p,
                      struct text_range range) {
    if (p->is->kind == PATTERN_SIGNATURE)
        wanted_note(s, p->is);
    s->has_failure |= p->is->is_failure;
    size_t first = l->capture_count;
    stream_buffer_captures(s, l, p->regex);
    uint64_t from = window_pos(&l->w, range.from);
    uint64_t to = range.to > range.from ? window_pos(&l->w, range.to - 1) + 1
                                      : from;
    *ARENA_ADD(s->a, l->found, l->found_count, l->found_cap) = (struct found){
        .pattern = p->is->id, .from = from, .to = to,
        .capture_from = first, .capture_count = l->capture_count - first};
}

static uint64_t reach_of(const struct range *r) {
    return r->pattern->is->kind == PATTERN_SIGNATURE ? SIGNATURE_REACH
                                                     : OTHER_REACH;
}

/* The position where the search of a range begins. */
static uint64_t search_start(struct scanner *s, struct stream_buffer *l,
                         const struct range *r) {
    const struct window *w = &l->w;
    size_t line = window_mark_index(w, r->first - 1);
    size_t near = window_lines_back(w, line, reach_of(r));
    uint64_t from = r->first > REACH_BACK ? r->first - REACH_BACK : 0;
    from = most(most(from, r->begin), w->marks[near].pos);
    return most(from, place_of(s, l, r->pattern)->next);
}

/* The end of the text that the search may look at. It does not depend on how
 * much more of the log is in the window. */
static size_t search_end(const struct stream_buffer *l, const struct range *r) {
    const struct window *w = &l->w;
    size_t line = window_mark_index(w, r->last - 1);
    size_t near = window_lines_ahead(w, line, reach_of(r));
    size_t stop = window_offset(w, r->last + REACH_AHEAD);
    size_t end = window_line_stop(w, near);
    return end < stop ? end : stop;
}

static uint32_t number_at(const struct stream_buffer *l, size_t offset) {
    return window_mark(&l->w, window_pos(&l->w, offset))->number;
}

/* Finds a match of the body where the guards hold. Guards match at the
 * beginning of a line: if they fail there, the search continues on the next
 * line. */
static bool find_guarded(struct scanner *s, struct pattern_state *p,
                         struct search *search, struct text_range *range) {
    while (search->from <= search->latest &&
           regex_find(s->matcher, p->regex, search, range)) {
        enum holding holds = guards_hold(s, p, search, range->from);
        if (holds != HOLDS_NOT)
            return holds == HOLDS;
        struct str rest =
            str_slice(search->subject, range->from, search->subject.n);
        search->from = range->from + str_find_char(rest, '\n') + 1;
    }
    return false;
}

/* If the search gives up on a line, it continues on the next one. */
static bool find_next(struct scanner *s, struct stream_buffer *l,
                      struct pattern_state *p, struct search *search,
                      struct text_range *range) {
    for (int tries = 0; search->from <= search->latest; tries++) {
        uint64_t before = regex_steps(s->matcher);
        bool is_found = find_guarded(s, p, search, range);
        budget_charge(s, p, before);
        if (is_found || !regex_gave_up(s->matcher))
            return is_found;
        size_t came_to = regex_came_to(s->matcher);
        budget_note(s, p, number_at(l, came_to));
        if (tries == COSTLY_LINES_MAX || !budget_allows(s, p))
            return false;
        struct str rest =
            str_slice(search->subject, came_to, search->subject.n);
        search->from = came_to + str_find_char(rest, '\n') + 1;
    }
    return false;
}

static void match_range(struct scanner *s, struct stream_buffer *l,
                        const struct range *r) {
    struct pattern_place *place = place_of(s, l, r->pattern);
    if (r->last <= place->next)
        return; /* inside of the match before */
    const struct pattern *is = r->pattern->is;
    if (s->is_final && (is->is_prose || !wanted_is(s, is)))
        return;
    struct pattern_state *p = scan_pattern(s, is->id);
    if (!budget_allows(s, p)) {
        budget_note(s, p, window_mark(&l->w, r->first - 1)->number);
        return;
    }
    struct search search = {
        .subject = {l->w.text, search_end(l, r)},
        .from = window_offset(&l->w, search_start(s, l, r)),
        .latest = window_offset(&l->w, r->last - 1),
        .starts_mid_line = l->w.starts_mid_line};
    struct text_range range;
    while (find_next(s, l, p, &search, &range)) {
        add_found(s, l, p, range);
        search.from = range.to > range.from ? range.to : range.to + 1;
        place->next = window_pos(&l->w, search.from - 1) + 1;
    }
}

/* True if so much text is known behind pos. */
static bool is_known_behind(const struct stream_buffer *l, uint64_t pos,
                            uint64_t distance, bool is_end) {
    return is_end || pos + distance <= l->w.end;
}

static bool is_among(const struct pattern *p, enum matched which) {
    return which == MATCHED_ALL ||
           (p->kind == PATTERN_SIGNATURE &&
            (which == MATCHED_SIGNATURES || !p->is_prose));
}

static void match_ranges(struct scanner *s, struct stream_buffer *l,
                         bool is_end, enum matched which) {
    size_t kept = 0;
    guards_forget(s);
    for (size_t i = 0; i < l->range_count; i++)
        place_of(s, l, l->ranges[i].pattern)->range = 0;
    for (size_t i = 0; i < l->range_count; i++) {
        struct range r = l->ranges[i];
        bool is_due = is_among(r.pattern->is, which);
        if (is_due && is_known_behind(l, r.last, REACH_AHEAD, is_end)) {
            match_range(s, l, &r);
            continue;
        }
        l->ranges[kept++] = r;
        place_of(s, l, r.pattern)->range = kept;
    }
    l->range_count = kept;
}

/* ---- matches to hits ---- */

static int by_start(const void *x, const void *y) {
    const struct found *a = x, *b = y;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->pattern > b->pattern) - (a->pattern < b->pattern);
}

/* Drops the first n matches, and the captures before those of the others. */
static void drop_found(struct stream_buffer *l, size_t n) {
    size_t least = l->capture_count;
    for (size_t i = n; i < l->found_count; i++)
        if (l->found[i].capture_from < least)
            least = l->found[i].capture_from;
    for (size_t i = n; i < l->found_count; i++) {
        l->found[i - n] = l->found[i];
        l->found[i - n].capture_from -= least;
    }
    l->found_count -= n;
    l->capture_count -= least;
    if (l->capture_count && least)
        memmove(l->captures, l->captures + least,
                l->capture_count * sizeof *l->captures);
}

static void finish_found(struct scanner *s, struct stream_buffer *l,
                         bool is_end) {
    size_t done = 0;
    if (l->found_count > 1)
        qsort(l->found, l->found_count, sizeof *l->found, by_start);
    while (done < l->found_count &&
           is_known_behind(l, l->found[done].from, MESSAGE_AHEAD, is_end))
        message_finish(s, l, done++);
    drop_found(l, done);
}

/* The position before which the text is no longer needed. */
static uint64_t needed_from(const struct stream_buffer *l) {
    uint64_t pos = l->w.end;
    for (size_t i = 0; i < l->range_count; i++)
        pos = least(pos, l->ranges[i].first);
    pos = pos > REACH_BACK ? pos - REACH_BACK : 0;
    return l->found_count ? least(pos, l->found[0].from) : pos;
}

/* Finds all matches in the text that is known, and drops what is done with. */
static void match_text(struct scanner *s, struct stream_buffer *l,
                       bool is_end) {
    read_literals(s, l);
    match_ranges(s, l, is_end, MATCHED_ALL);
    finish_found(s, l, is_end);
    window_drop(&l->w, needed_from(l));
}

/* ---- lines ---- */

/* Updates the end of a traceback that an earlier hit belongs to. */
static void follow_traceback(struct stream_buffer *l, uint32_t number) {
    const struct mark *m = &l->w.marks[l->w.mark_count - 1];
    if (m->block != l->traceback_block ||
        window_is_far(&l->w, l->w.mark_count - 1))
        l->trace_last = NULL;
    else if (m->is_solid)
        *l->trace_last = number;
}

void stream_buffer_line(struct scanner *s, struct stream_buffer *l,
                        const struct line *line, uint64_t order) {
    struct str rest = line->text;
    struct str chunk = str_slice(rest, 0, WINDOW_CHUNK);
    if (!window_has_room(&l->w, chunk.n))
        match_text(s, l, false);
    window_line(s->a, &l->w, line, order);
    if (l->trace_last)
        follow_traceback(l, line->number);
    for (;;) {
        window_text(s->a, &l->w, chunk);
        rest = str_slice(rest, chunk.n, rest.n);
        if (rest.n == 0)
            return;
        chunk = str_slice(rest, 0, WINDOW_CHUNK);
        if (!window_has_room(&l->w, chunk.n))
            match_text(s, l, false);
    }
}

void stream_buffer_end(struct scanner *s, struct stream_buffer *l) {
    match_text(s, l, true);
}

void stream_buffer_match(struct scanner *s, struct stream_buffer *l,
                         enum matched which) {
    if (l->w.fresh > 0)
        read_literals(s, l);
    match_ranges(s, l, true, which);
}

uint64_t stream_buffer_trace_end(const struct stream_buffer *l) {
    return l->w.marks[l->w.mark_count - 1].place + TRACE_REACH;
}

void stream_buffer_break(struct scanner *s, struct stream_buffer *l) {
    if (l->w.mark_count == 0)
        return;
    stream_buffer_end(s, l);
    window_break(&l->w);
    l->trace_last = NULL;
}
