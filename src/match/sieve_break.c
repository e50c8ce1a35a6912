/* sieve_break.c: literals that are cut where a line ends, or where blanks, an
 * escape or the end of a JSON text stand between their pieces.
 *
 *     2025-05-20T10:47:01Z stderr F ... CUDA out of mem|
 *     2025-05-20T10:47:01Z stderr F ory. Tried to ...
 *                                   ^ where this line's text may begin
 *
 * Most breaks are told off by a hash of the bytes before them. Where it says
 * that a literal may have begun, the automaton says which, and then its rest
 * has to come: at once behind blanks, at the beginning of a line's text behind
 * a line's end, soon behind all else.
 */
#include "match/sieve_look.h"

#include <string.h>

#include "log/cursor.h"
#include "log/frame.h"
#include "log/plain.h"
#include "log/stream.h"
#include "log/wrap.h"

#define BEGIN_BYTES 512 /* of a line in which frames are looked for */

void look_forget(struct sieve *s, size_t noted_from) {
    memset(s->searched, 0, sizeof s->searched);
    memset(s->words, 0, sizeof s->words);
    memset(s->escaped, 0, sizeof s->escaped);
    memset(s->begins, 0, sizeof s->begins);
    memset(s->ended, 0, sizeof s->ended);
    s->noted_from = noted_from;
}

/* ---- the rest of a literal ---- */

/* The state behind as much of a literal's rest as makes sure of it; 0: it does
 * not stand at `at`. */
static uint32_t reads_on(const struct prefilter *f, uint32_t state,
                         struct str text, size_t at) {
    for (int n = 0; n < LOOK_REST; n++) {
        if (n > 0 && word_at(f->report, state) == state)
            return state;
        if (at >= text.n)
            return 0;
        unsigned char c = fold_byte((unsigned char)text.p[at++]);
        state = prefilter_child(f, state, c);
        if (state == 0)
            return 0;
        while (c == ' ' && at < text.n && look_is_blank(text.p[at]))
            at++;
    }
    return state;
}

/* The same, where the break may have been the literal's blank. */
static uint32_t reads_behind_blank(const struct prefilter *f, uint32_t state,
                                   struct str text, size_t at) {
    uint32_t blank = prefilter_child(f, state, ' ');
    return blank ? reads_on(f, blank, text, at) : 0;
}

static uint32_t reads_over(const struct prefilter *f, uint32_t state,
                           struct str text, size_t at) {
    uint32_t end = reads_behind_blank(f, state, text, at);
    return end ? end : reads_on(f, state, text, at);
}

/* Could what follows an escape or a frame begin here? */
static bool may_begin(struct str text, size_t at) {
    return !is_word(text.p[at - 1]) || (at > 1 && text.p[at - 2] == '\\');
}

/* ---- lines ---- */

/* *may_follow: the other way it would begin elsewhere, perhaps. */
static size_t begin_of_text(const struct frames *frames, struct str text, size_t at, struct str line,
                            bool follows, struct line_begin *b,
                            bool *may_follow) {
    struct frame f = {.frames = frames, .text = line, .who = stream_none(),
                      .follows_mark = follows ? MARK_ANY : 0,
                      .follows_bar = follows ? BAR_ANY : 0,
                      .follows_label = follows};
    frame_strip(&f);
    *may_follow = f.may_follow;
    b->is_record = f.is_record && f.prefix.n == 0;
    b->is_framed = f.is_record || (f.kinds & ~(unsigned)FRAME_QUOTE) != 0;
    b->who = f.who;
    b->columns = f.columns;
    size_t begin = at + (line.n - f.text.n);
    while (begin < text.n && (text.p[begin] == ' ' || text.p[begin] == '\t'))
        begin++;
    return begin;
}

static size_t begin_of_cri(const struct frames *frames, size_t at, struct str line, bool *is_partial) {
    struct frame f = {.frames = frames, .text = line};
    bool is_cri = frame_take_cri(&f);
    *is_partial = is_cri && f.is_partial;
    return is_cri ? at + (line.n - f.text.n) : at;
}

static struct line_begin begin_at(const struct frames *frames, struct str text, size_t at) {
    struct line_begin b = {.at = at, .end = look_next_line(text, at)};
    struct str line = str_slice(text, at, b.end - at);
    while (line.n > 0 && (line.p[line.n - 1] == '\n' ||
                          line.p[line.n - 1] == '\r'))
        line.n--;
    b.is_anywhere = !plain_is_printable(line);
    line = str_slice(line, 0, BEGIN_BYTES);
    bool may_follow;
    struct line_begin other;
    b.text[0] = begin_of_text(frames, text, at, line, false, &b, &may_follow);
    b.text[1] = may_follow ? begin_of_text(frames, text, at, line, true, &other,
                                           &may_follow)
                           : b.text[0];
    b.text[2] = begin_of_cri(frames, at, line, &b.is_partial);
    b.is_anywhere = b.is_anywhere || b.text[0] != b.text[1] ||
                    (b.text[0] < text.n && text.p[b.text[0]] == '{');
    return b;
}

static const struct line_begin *line_of(const struct look *l, size_t at) {
    while (at > 0 && l->text.p[at - 1] != '\n')
        at--;
    struct line_begin *b = &l->s->begins[place_slot(at, LOOK_BEGINS)];
    if (b->end == 0 || b->at != at)
        *b = begin_at(l->s->frames, l->text, at);
    return b;
}

bool look_may_begin_line(const struct look *l, size_t at) {
    if (at == 0 || !may_begin(l->text, at))
        return at == 0;
    const struct line_begin *b = line_of(l, at);
    return b->is_anywhere || at == b->text[0] || at == b->text[1] ||
           at == b->text[2];
}

static struct str text_of(const struct look *l, const struct line_begin *b,
                          size_t begin) {
    struct str s = str_slice(l->text, begin, b->end - begin);
    while (s.n > 0 && (s.p[s.n - 1] == '\n' || s.p[s.n - 1] == '\r'))
        s.n--;
    return s;
}

static size_t next_line_begin(const struct look *l,
                              const struct line_begin *b) {
    return b->end < l->text.n ? b->end : 0;
}

/* Is there another line near that is as wide as this one? Only such lines, and
 * those of usual widths, are ever taken for cut. */
static bool has_equal(const struct look *l, const struct line_begin *cut,
                      size_t width) {
    size_t at = cut->at > LOG_MEMORY ? cut->at - LOG_MEMORY : 0;
    size_t to = cut->end + LOG_MEMORY;
    at = look_next_line(l->text, at);
    while (at != 0 && at < to) {
        const struct line_begin *b = line_of(l, at);
        bool is_other = b->at != cut->at;
        for (size_t i = 0; is_other && i < 3; i++)
            if (b->is_anywhere ||
                text_of(l, b, b->text[i]).n + b->columns == width ||
                text_of(l, b, b->at).n == width)
                return true;
        at = next_line_begin(l, b);
    }
    return false;
}

/* Could the line of `rest` go on inside a word that was cut before `at`? */
static bool may_be_cut(const struct look *l, size_t at, size_t rest) {
    struct line_begin cut = *line_of(l, at - 1), next = *line_of(l, rest);
    if (cut.is_anywhere || cut.is_partial)
        return true;
    if (next.at > cut.end + LOG_MEMORY)
        return false;
    if (next.is_anywhere)
        return true;
    struct str behind = text_of(l, &next, next.text[0]);
    if (next.is_record || !wrap_may_join(text_of(l, &cut, cut.at), behind))
        return false;
    if (!next.is_framed)
        return next.at == cut.end && wrap_may_be_cut(l->text, cut.end);
    struct str before = text_of(l, &cut, cut.text[0]);
    return cut.is_framed && stream_is_same(&cut.who, &next.who) &&
           (wrap_is_usual((uint32_t)before.n) ||
            wrap_is_usual((uint32_t)(before.n + cut.columns)) ||
            has_equal(l, &cut, before.n + cut.columns));
}

/* ---- what lines end with ---- */

static bool ends_with(struct str text, size_t end, struct str lead) {
    size_t n = lead.n;
    while (n > 0 && end > 0) {
        char c = (char)fold_byte((unsigned char)text.p[--end]);
        if (c != lead.p[--n])
            return false;
        while (c == ' ' && end > 0 && look_is_blank(text.p[end - 1]))
            end--;
    }
    return n == 0;
}

static size_t behind_text(struct str text, size_t at) {
    while (at > 0 && look_is_blank(text.p[at - 1]))
        at--;
    return at;
}

static size_t line_before(struct str text, size_t at) {
    at--;
    while (at > 0 && text.p[at - 1] != '\n')
        at--;
    return at;
}

bool look_may_follow(const struct look *l, size_t begin, struct str lead,
                     bool is_blank) {
    struct str text = l->text;
    struct line_begin next = *line_of(l, begin);
    size_t at = next.at;
    if (l->is_copy || at <= LOOK_BACK)
        return true;
    lead.n = behind_text(lead, lead.n);
    while (at + LOOK_BACK > next.at) {
        size_t end = behind_text(text, at - 1);
        bool is_end = (next.is_anywhere && look_is_closed(text, end)) ||
                      ends_with(text, end, lead);
        if (is_end && (is_blank || may_be_cut(l, end, begin)))
            return true;
        at = line_before(text, at);
    }
    return false;
}

/* The rest begins with one of s->few: of a word that was cut before `cut`; 0: of
 * a literal that goes on at a blank. */
static uint32_t stands_in(const struct look *l, size_t cut, uint32_t state,
                          size_t from, size_t to) {
    for (size_t at = from; at < to; at++) {
        at = sieve_find_few(l->text, at, to, &l->s->few);
        uint32_t end = at < to ? reads_on(l->s->f, state, l->text, at) : 0;
        if (!end || !look_may_begin_line(l, at))
            continue;
        if (cut == 0 || may_be_cut(l, cut, at))
            return end;
        if (l->s->refused == 0 || at < l->s->refused)
            l->s->refused = at;
    }
    return 0;
}

/* The rest begins with one of s->few, wherever what an escape or a frame left may
 * begin, perhaps with the blank that the break was. */
static uint32_t stands_anywhere(const struct look *l, uint32_t state,
                                size_t from, size_t to) {
    for (size_t at = from; at < to; at++) {
        at = sieve_find_few(l->text, at, to, &l->s->few);
        bool may = at < to && at > 0 && may_begin(l->text, at);
        uint32_t end = may ? reads_over(l->s->f, state, l->text, at) : 0;
        if (end)
            return end;
    }
    return 0;
}

enum quarry { /* the rest of a literal that is cut ... */
    QUARRY_BLANK, /* at a blank: begins a line's text */
    QUARRY_WORD,  /* in a word, at a line's end: begins a line's text near */
    QUARRY_ANY    /* at an escape or a JSON text's end: begins anywhere */
};

struct hunt { /* for the rest behind a state */
    const struct look *l;
    enum quarry for_what;
    uint32_t state;
    size_t cut, from, to;
    uint32_t found;
};

static uint32_t hunt_few(const struct hunt *h) {
    switch (h->for_what) {
    case QUARRY_BLANK: return stands_in(h->l, 0, h->state, h->from, h->to);
    case QUARRY_WORD: return stands_in(h->l, h->cut, h->state, h->from, h->to);
    case QUARRY_ANY: return stands_anywhere(h->l, h->state, h->from, h->to);
    }
    return 0;
}

static void hunt_now(struct hunt *h) {
    if (!h->found && h->l->s->few.count > 0)
        h->found = hunt_few(h);
    h->l->s->few.count = 0;
}

/* one: first bytes of a rest up to the state `here`, not all of them. Behind a
 * blank nothing has a fixed place. */
static void hunt_behind(struct hunt *h, uint32_t here, struct few one,
                        bool has_blank) {
    const struct prefilter *f = h->l->s->f;
    bool is_end = word_at(f->report, here) == here;
    if (one.n == FEW_BYTES || has_blank || (one.n > 0 && is_end)) {
        few_add(&h->l->s->few, one);
        if (h->l->s->few.count == FEW_MAX)
            hunt_now(h);
        return;
    }
    uint32_t end = word_at(f->child_from, (size_t)here + 1);
    for (uint32_t c = word_at(f->child_from, here); c < end; c++) {
        bool is_blank = f->bytes[c] == ' ';
        if (h->for_what != QUARRY_BLANK && one.n == 0 && is_blank)
            continue; /* looked for apart */
        struct few next = one;
        next.bytes[next.n] = (char)f->bytes[c];
        next.n = (uint8_t)(one.n + (one.n > 0 || !is_blank));
        hunt_behind(h, c, next, is_blank && one.n > 0);
    }
}

static uint32_t hunt(struct hunt h) {
    const struct prefilter *f = h.l->s->f;
    h.l->s->few.count = 0;
    uint32_t blank = prefilter_child(f, h.state, ' ');
    hunt_behind(&h, h.state, (struct few){.n = 0}, false);
    if (h.for_what == QUARRY_ANY && blank != 0)
        hunt_behind(&h, blank, (struct few){.n = 0}, false);
    hunt_now(&h);
    return h.found;
}

static struct searched *searched_of(struct searched *list, uint32_t state) {
    struct searched *one = &list[state % LOOK_SEARCHED];
    if (one->state != state)
        *one = (struct searched){.state = state};
    return one;
}

/* ---- what is told ---- */

static void tell_below(const struct look *l, uint32_t state, size_t at) {
    const struct prefilter *f = l->s->f;
    uint32_t literal = word_at(f->literal_of, state);
    if (literal != 0)
        look_tell(l, literal - 1, at, false);
    uint32_t end = word_at(f->child_from, (size_t)state + 1);
    for (uint32_t c = word_at(f->child_from, state); c < end; c++)
        tell_below(l, c, at);
}

static size_t ahead_of(struct str text, size_t at, size_t n) {
    return text.n - at > n ? at + n : text.n;
}

/* What was searched in vain is not searched again, and so that this is asked less
 * often, more is searched than was asked. */
static uint32_t hunt_ahead(struct hunt h, struct searched *done) {
    size_t to = h.to;
    h.from = done->to > h.from ? done->to : h.from;
    if (h.from >= to)
        return 0;
    h.to = ahead_of(h.l->text, to, done->farther);
    done->farther = done->farther < LOOK_FAR ? 2 * done->farther + 512 : LOOK_FAR;
    uint32_t end = hunt(h);
    done->to = h.to;
    if (!end)
        return 0;
    done->farther = 0;
    bool is_exact = h.to == to;
    h.to = to;
    end = is_exact ? end : hunt(h);
    done->to = end ? 0 : to;
    return end;
}

/* The break is the literal's blank: its rest begins a line's text, of which
 * many may stand between. */
static uint32_t goes_on_behind_blank(const struct look *l, uint32_t state,
                                     size_t at) {
    uint32_t blank = prefilter_child(l->s->f, state, ' ');
    struct hunt h = {.l = l, .for_what = QUARRY_BLANK, .state = blank,
                     .from = at + 1, .to = ahead_of(l->text, at, LOOK_AHEAD)};
    return blank ? hunt_ahead(h, searched_of(l->s->searched, state)) : 0;
}

static uint32_t goes_on_anywhere(const struct look *l, uint32_t state,
                                 size_t at) {
    struct hunt h = {.l = l, .for_what = QUARRY_ANY, .state = state,
                     .from = at + 1, .to = ahead_of(l->text, at, LOOK_AHEAD)};
    return hunt_ahead(h, searched_of(l->s->escaped, state));
}

static bool has_word_rest(const struct prefilter *f, uint32_t state) {
    uint32_t from = word_at(f->child_from, state);
    uint32_t to = word_at(f->child_from, (size_t)state + 1);
    return to > from + 1 || (to > from && f->bytes[from] != ' ');
}

/* A word is cut: its rest begins a line near. */
static uint32_t goes_on_in_word(const struct look *l, uint32_t state,
                                size_t at) {
    if (!has_word_rest(l->s->f, state))
        return 0;
    struct searched *done = searched_of(l->s->words, state);
    size_t next = look_next_line(l->text, at);
    size_t to = l->text.n - next > LOOK_AHEAD ? next + LOOK_AHEAD : l->text.n;
    size_t from = done->to > next ? done->to : next;
    l->s->refused = 0;
    struct hunt h = {.l = l, .for_what = QUARRY_WORD, .state = state,
                     .cut = at, .from = from, .to = to};
    uint32_t end = from < to ? hunt(h) : 0;
    done->to = end ? 0 : l->s->refused ? l->s->refused : to;
    return end;
}

static void go_on_in_lines(const struct look *l, uint32_t state, size_t at) {
    uint32_t end = goes_on_behind_blank(l, state, at);
    if (end)
        tell_below(l, end, at - 1);
    end = goes_on_in_word(l, state, at);
    if (end)
        tell_below(l, end, at - 1);
}

static bool has_return(struct str text, size_t from, size_t to) {
    return memchr(text.p + from, '\r', to - from) != NULL;
}

static void go_on(const struct look *l, uint32_t state, size_t at,
                  size_t behind, bool has_newline) {
    struct str text = l->text;
    if (has_newline) {
        go_on_in_lines(l, state, at);
        return;
    }
    uint32_t end = 0;
    if (look_is_blank(text.p[at]) && !has_return(text, at, behind)) {
        uint32_t blank = prefilter_child(l->s->f, state, ' ');
        end = blank ? reads_on(l->s->f, blank, text, behind) : 0;
    } else {
        bool is_unicode = str_starts(str_slice(text, at, 2), STR("\\u"));
        end = is_unicode ? state : goes_on_anywhere(l, state, at);
    }
    if (end)
        tell_below(l, state, at - 1);
}

/* ---- breaks ---- */

/* Do two blanks stand beside each other among these eight bytes, or one that is
 * a tab or a line's end? Perhaps. */
static inline bool has_odd_blank(const char *p) {
    uint64_t bytes = long_at((const unsigned char *)p, 0);
    uint64_t high = UINT64_C(0x8080808080808080);
    uint64_t blanks = (bytes - UINT64_C(0x2121212121212121)) & ~bytes & high;
    uint64_t others = (bytes - UINT64_C(0x2020202020202020)) & ~bytes & high;
    return (others | (blanks & blanks << 8)) != 0;
}

/* The WIDE_BYTES before `at`, as literals have them; those that are not there
 * are zeroes. */
static const char *tail_before(struct str text, size_t at,
                               char room[WIDE_BYTES]) {
    if (at >= WIDE_BYTES && !has_odd_blank(text.p + at - WIDE_BYTES))
        return text.p + at - WIDE_BYTES;
    memset(room, 0, WIDE_BYTES);
    for (size_t n = WIDE_BYTES; n > 0 && at > 0;) {
        bool is_blank = look_is_blank(text.p[--at]);
        room[--n] = is_blank ? ' ' : text.p[at];
        while (is_blank && at > 0 && look_is_blank(text.p[at - 1]))
            at--;
    }
    return room;
}

/* The state behind the first n bytes of the literal. */
static uint32_t state_behind(const struct prefilter *f, struct str literal,
                             size_t n) {
    uint32_t state = 0;
    for (size_t i = 0; i < n; i++)
        state = i == 0 ? word_at(f->root, (unsigned char)literal.p[0])
                       : prefilter_child(f, state,
                                         (unsigned char)literal.p[i]);
    return state;
}

struct broken { /* text, where a literal may be cut */
    size_t at, behind; /* the break, and what stands behind its blanks */
    bool has_newline;
};

static void try_tail(const struct look *l, const struct broken *b,
                     uint32_t word) {
    const struct prefilter *f = l->s->f;
    struct str literal = prefilter_literal(f, TAIL_LITERAL(word));
    struct str lead = str_slice(literal, 0, TAIL_BYTES(word));
    if (!ends_with(l->text, b->at, lead))
        return;
    uint32_t state = state_behind(f, literal, lead.n);
    if (state != 0)
        go_on(l, state, b->at, b->behind, b->has_newline);
}

static void try_tails(const struct look *l, const struct broken *b,
                      uint32_t hash) {
    const struct prefilter *f = l->s->f;
    uint32_t mask = (1u << f->tail_slot_log2) - 1;
    uint32_t slot = hash >> (32 - f->tail_slot_log2);
    for (uint32_t probe = 0; probe <= mask; probe++) {
        size_t row = 3 * (size_t)((slot + probe) & mask);
        uint32_t count = word_at(f->tail_slots, row + 2);
        if (count == 0)
            return;
        if (word_at(f->tail_slots, row) != hash)
            continue;
        for (uint32_t k = 0; k < count; k++)
            try_tail(l, b, word_at(f->tails,
                                   word_at(f->tail_slots, row + 1) + k));
        return;
    }
}

static void look_at_break(const struct look *l, size_t at) {
    struct str text = l->text;
    if (at < text.n && look_is_blank(text.p[at]) &&
        look_is_blank(text.p[at - 1]))
        return; /* the run of blanks began before */
    struct broken b = {.at = at, .behind = at};
    for (; b.behind < text.n && look_is_blank(text.p[b.behind]); b.behind++)
        b.has_newline = b.has_newline || text.p[b.behind] == '\n';
    char room[WIDE_BYTES];
    const char *end = tail_before(text, at, room) + WIDE_BYTES;
    try_tails(l, &b, tail_hash(end));
    try_tails(l, &b, long_tail_hash(end));
}

void look_at_breaks(const struct look *l) {
    const struct prefilter *f = l->s->f;
    struct sieve_places *breaks = &l->s->breaks;
    size_t count = 0;
    for (size_t i = 0; i < breaks->count; i++) {
        size_t at = breaks->at[i];
        breaks->at[count] = (uint32_t)at;
        char room[WIDE_BYTES];
        const char *tail = tail_before(l->text, at, room);
        count += at >= SIEVE_TAIL &&
                 tail_is_in(f->tail_bits, f->tail_log2,
                            tail_hash(tail + WIDE_BYTES));
    }
    breaks->count = count;
    for (size_t i = 0; i < count; i++)
        look_at_break(l, breaks->at[i]);
}
