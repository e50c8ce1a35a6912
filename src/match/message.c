/* message.c: the message, traceback and captures of a match.
 *
 *       File "train.py", line 9, in step          trace_first (or before)
 *         loss.backward()
 *     OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.
 *                       ^ message begins          first_line
 *     GPU 0 has a total capacity of 79.11 GiB     continues, for extracts
 *     of which 1.00 GiB is free.                  last_line
 *     frame #0: ...                               trace_last
 *
 * The message continues over cut lines and lines of plain words, until a blank
 * line, a log record, a line of a traceback, or the next message. So numbers of
 * two ranks, or of two quotes of one message, never mix.
 */
#include "base/limits.h"
#include "match/scanner.h"

#define BRIDGE_LINES 6 /* between a message and the frames behind it */
#define TITLE_LINES 16 /* between a title and frames without a message */

/* ---- where the message ends ---- */

static bool continues_message(const struct mark *m) {
    if (m->is_joined)
        return true;
    return !m->is_record && (m->kind == LINE_TEXT || m->kind == LINE_ELLIPSIS);
}

/* The last line that may belong to the message, by the shapes of lines alone.
 */
static size_t last_line_index(const struct window *w, const struct found *f) {
    size_t i = window_mark_index(w, found_last(f));
    uint64_t place = window_mark(w, f->from)->place;
    for (size_t n = 0; i + 1 < w->mark_count; i++) {
        const struct mark *next = &w->marks[i + 1];
        bool is_far = next->pos - f->from > MATCH_MESSAGE_MAX ||
                      (!next->is_joined &&
                       next->place - place > SIGNATURE_REACH);
        if (!continues_message(next) || is_far)
            break;
        if (!next->is_joined && ++n >= MESSAGE_LINES_MAX)
            break;
    }
    return i;
}

static bool begins_line(const struct window *w, uint64_t pos) {
    return str_trim(window_slice(w, window_mark(w, pos)->pos, pos)).n == 0;
}

/* True if the next match ends this message where it begins. A weak match of
 * another pattern does not. */
static bool ends_message(struct scanner *s, const struct stream_buffer *l,
                         const struct found *f, const struct found *next) {
    if (next->from < f->to)
        return false;
    if (next->pattern == f->pattern)
        return true;
    size_t line = window_mark_index(&l->w, found_last(f));
    const struct pattern *is = scan_pattern(s, next->pattern)->is;
    return is->kind == PATTERN_SIGNATURE && !is->is_weak &&
           window_mark_index(&l->w, next->from) > line &&
           begins_line(&l->w, next->from);
}

static uint64_t message_end(struct scanner *s, const struct stream_buffer *l,
                            size_t i) {
    const struct found *f = &l->found[i];
    const struct window *w = &l->w;
    uint64_t end = window_line_end(w, last_line_index(w, f));
    if (end > f->from + MATCH_MESSAGE_MAX)
        end = f->from + MATCH_MESSAGE_MAX;
    for (size_t k = i + 1; k < l->found_count; k++) {
        if (l->found[k].from >= end)
            break;
        if (ends_message(s, l, f, &l->found[k])) {
            end = l->found[k].from;
            break;
        }
    }
    return end > f->to ? end : f->to;
}

/* The end of the message without the blanks there. */
static uint64_t trim_end(const struct window *w, uint64_t from,
                         uint64_t end) {
    struct str text = window_slice(w, from, end);
    while (text.n && str_trim(str_slice(text, text.n - 1, 1)).n == 0)
        text.n--;
    if (text.n == 0)
        return from;
    return window_pos(w, window_offset(w, from) + text.n - 1) + 1;
}

/* ---- extracts ---- */

static struct regex *extract_of(struct scanner *s, struct pattern_state *p,
                                size_t i) {
    if (!p->extract)
        p->extract = arena_array(s->known->a, p->is->extract.count,
                                 sizeof *p->extract);
    if (!p->extract[i])
        p->extract[i] = scan_regex(s, p->is, 1 + i);
    return p->extract[i];
}

/* False: a search reached a limit on work. */
static bool run_extract(struct scanner *s, struct stream_buffer *l,
                        struct regex *r, uint64_t from, uint64_t end,
                        size_t first) {
    struct search search = {
        .subject = {l->w.text, window_offset(&l->w, end)},
        .from = window_offset(&l->w, from),
        .starts_mid_line = l->w.starts_mid_line};
    search.latest = search.subject.n;
    struct text_range range;
    while (search.from <= search.latest &&
           l->capture_count - first < HIT_CAPTURES_MAX &&
           regex_find(s->matcher, r, &search, &range)) {
        stream_buffer_captures(s, l, r);
        search.from = range.to > range.from ? range.to : range.to + 1;
    }
    return !regex_gave_up(s->matcher);
}

static void run_extracts(struct scanner *s, struct stream_buffer *l,
                         struct pattern_state *p, const struct found *f,
                         uint64_t end, size_t first) {
    struct folded *folded = &s->occurrences.folded; /* unused until more
                                                       literals are found */
    struct str words = p->is->analysis.extract_words;
    uint64_t before = regex_steps(s->matcher);
    if (p->is->extract.count == 0)
        return;
    fold_clear(folded);
    fold_add(folded, window_slice(&l->w, f->from, end), 0);
    for (size_t i = 0; i < p->is->extract.count; i++) {
        if (words_may_match(fold_str(folded), str_cut(words, '\n', &words)) &&
            !run_extract(s, l, extract_of(s, p, i), f->from, end, first))
            budget_note(s, p, window_mark(&l->w, f->from)->number);
    }
    budget_charge(s, p, before);
}

static bool is_same_capture(const struct capture_at *x,
                            const struct capture_at *y) {
    return x->from == y->from && x->group->is_fact == y->group->is_fact &&
           x->group->name == y->group->name;
}

/* Orders the captures: the pattern's own ones, then those of the extracts in
 * text order. A capture that an earlier one repeats is dropped. */
static size_t arrange(struct capture_at *list, size_t own, size_t count) {
    size_t kept = own;
    for (size_t i = own; i < count; i++) {
        struct capture_at next = list[i];
        size_t k = 0;
        while (k < kept && !is_same_capture(&list[k], &next))
            k++;
        if (k < kept)
            continue;
        for (k = kept++; k > own && list[k - 1].from > next.from; k--)
            list[k] = list[k - 1];
        list[k] = next;
    }
    return kept;
}

/* Collects the captures of the match and of its extracts, behind the captures
 * of the buffer. */
static struct hit_draft collect(struct scanner *s, struct stream_buffer *l,
                                size_t i, struct pattern_state *p,
                                uint64_t end) {
    struct found *f = &l->found[i];
    size_t first = l->capture_count;
    for (size_t k = 0; k < f->capture_count; k++) {
        struct capture_at *copy =
            ARENA_ADD(s->a, l->captures, l->capture_count, l->capture_cap);
        *copy = l->captures[f->capture_from + k];
    }
    run_extracts(s, l, p, f, end, first);
    size_t all = l->capture_count - first;
    struct capture_at *list = all > 0 ? l->captures + first : NULL;
    size_t count = all > 0 ? arrange(list, f->capture_count, all) : 0;
    l->capture_count = first; /* the list is used until the hit is kept */
    return (struct hit_draft){
        .buffer = l, .pattern = p, .found = f, .end = end,
        .captures = list,
        .capture_count = count < HIT_CAPTURES_MAX ? count : HIT_CAPTURES_MAX};
}

/* ---- the traceback ---- */

/* True if this line may stand between a message and the frames that were pasted
 * below it: a blank line or a fence, "## Stack trace", "Full log:", or code
 * whose frame was cut off. */
static bool is_bridge(const struct window *w, size_t i) {
    const struct mark *m = &w->marks[i];
    struct str line = window_slice(w, m->pos, window_line_end(w, i));
    struct str words = str_trim(line);
    if (m->kind == LINE_BLANK)
        return true;
    if (m->kind != LINE_TEXT || m->is_record || m->block != 0)
        return false;
    return str_starts(words, STR("#")) || line.p[0] == ' ' ||
           (words.n <= MESSAGE_LABEL_BYTES_MAX && str_ends(words, STR(":")));
}

/* True for a heading such as "## Stack Trace": what stands below it belongs to
 * the message above, whatever is written in between. */
static bool announces_frames(const struct window *w, size_t i) {
    struct str words = str_trim(window_slice(w, w->marks[i].pos,
                                             window_line_end(w, i)));
    return str_starts(words, STR("#")) &&
           words.n <= MESSAGE_LABEL_BYTES_MAX &&
           (str_ends(words, STR("race")) || str_ends(words, STR("raceback")));
}

static bool is_frames(const struct window *w, size_t i, size_t last) {
    return w->marks[i].block != 0 && w->marks[i].kind != LINE_BLANK &&
           w->marks[i].block_first >= w->marks[last].number;
}

/* True if the traceback ends without a message: then its message is the title
 * above it. */
static bool has_no_message(const struct window *w, size_t from) {
    size_t i = from;
    while (i < w->mark_count && w->marks[i].block == w->marks[from].block &&
           w->marks[i].kind != LINE_ERROR)
        i++;
    return i == w->mark_count || w->marks[i].kind != LINE_ERROR;
}

/* "Error:" alone is a heading, and no error. */
static bool is_error(const struct window *w, size_t i) {
    return w->marks[i].kind == LINE_ERROR &&
           !str_ends(str_trim(window_slice(w, w->marks[i].pos,
                                           window_line_end(w, i))), STR(":"));
}

/* True if a line behind a message can be one of those above its frames. */
static bool may_precede(const struct window *w, size_t i, size_t last) {
    return i < w->mark_count && i - last <= TITLE_LINES &&
           !window_is_far(w, i) && !is_frames(w, i, last) && !is_error(w, i);
}

/* The line where a traceback begins behind a message without one; `last`: there
 * is none. */
static size_t block_behind(const struct window *w, size_t last) {
    size_t i = last + 1, from = last;
    bool is_right_behind = true;
    while (may_precede(w, i, last)) {
        bool is_heading = announces_frames(w, i);
        from = is_heading ? i : from;
        is_right_behind = is_heading || (is_right_behind && is_bridge(w, i));
        i++;
    }
    is_right_behind = is_right_behind && i - from <= BRIDGE_LINES + 1;
    bool is_block = i < w->mark_count && !window_is_far(w, i) &&
                    is_frames(w, i, last) &&
                    (is_right_behind || (w->marks[i].kind == LINE_HEADER &&
                                         has_no_message(w, i)));
    return is_block ? i : last;
}

/* The last line of a block that continues beyond the window.
 * follow_traceback() (stream_buffer.c) updates it. */
static const uint32_t *watch_block(struct scanner *s, struct stream_buffer *l,
                                   uint32_t block, uint32_t last_line) {
    if (!l->trace_last || l->traceback_block != block) {
        l->trace_last = arena_alloc(s->a, sizeof *l->trace_last);
        *l->trace_last = last_line;
        l->traceback_block = block;
    }
    return l->trace_last;
}

static void find_trace(struct scanner *s, struct stream_buffer *l,
                       struct hit_draft *d) {
    const struct window *w = &l->w;
    size_t first = window_mark_index(w, d->found->from);
    size_t last = window_mark_index(w, d->end > d->found->from ? d->end - 1
                                                               : d->end);
    size_t at = first;
    if (w->marks[first].block == 0)
        at = block_behind(w, last);
    uint32_t block = w->marks[at].block;
    if (block == 0)
        return;
    if (at == first)
        d->trace_first = w->marks[first].block_first;
    size_t i = at;
    for (; i < w->mark_count && w->marks[i].block == block; i++) {
        if (i > at && window_is_far(w, i))
            return;
        if (w->marks[i].is_solid && w->marks[i].number > d->trace_last)
            d->trace_last = w->marks[i].number;
    }
    if (i == w->mark_count)
        d->open_last = watch_block(s, l, block, d->trace_last);
}

/* ---- the hit ---- */

static bool has_number(const struct window *w, const struct hit_draft *d) {
    for (size_t i = 0; i < d->capture_count; i++) {
        struct str text = window_slice(w, d->captures[i].from,
                                       d->captures[i].to);
        for (size_t k = 0; k < text.n; k++)
            if (is_digit(text.p[k]))
                return true;
    }
    return false;
}

/* True for " # CUDA out of memory is caught below": a comment of code. Without
 * numbers it is no evidence. */
static bool is_comment(const struct window *w, uint64_t pos) {
    size_t i = window_mark_index(w, pos);
    struct str line = window_slice(w, w->marks[i].pos, window_line_end(w, i));
    size_t at = 0;
    while (at < line.n && (line.p[at] == ' ' || line.p[at] == '\t'))
        at++;
    struct str words = str_slice(line, at, line.n);
    return at >= 2 && (str_starts(words, STR("# ")) ||
                       str_starts(words, STR("// ")) ||
                       str_starts(words, STR("/* ")));
}

void message_finish(struct scanner *s, struct stream_buffer *l, size_t i) {
    const struct found *f = &l->found[i];
    struct pattern_state *p = scan_pattern(s, f->pattern);
    if (!keep_wants(s, &l->w, f, p))
        return;
    bool is_signature = p->is->kind == PATTERN_SIGNATURE;
    uint64_t end = is_signature ? message_end(s, l, i) : f->to;
    end = trim_end(&l->w, f->from, end);
    struct hit_draft d = collect(s, l, i, p, end);
    if (is_signature && !has_number(&l->w, &d) &&
        is_comment(&l->w, f->from))
        return;
    d.first_line = window_mark(&l->w, f->from)->number;
    d.last_line = window_mark(&l->w, end > f->from ? end - 1 : end)->number;
    d.trace_first = d.first_line;
    d.trace_last = d.last_line;
    if (is_signature)
        find_trace(s, l, &d);
    keep_hit(s, &d);
}
