/* candidates.c: literals in a block of raw log: frames, quotes, escapes and
 * colours are in it, and what was cut by a wrap or a carrier is not joined.
 *
 *     raw lines --fold--> one text --prefilter--> literals
 *                           '--> ends of lines --> does a literal go on?
 *
 *     2025-05-20T10:47:01Z stderr F ... CUDA out of mem|
 *     2025-05-20T10:47:01Z stderr F ory. Tried to ...
 *                                   ^ where the next line's text begins
 *
 * A line with colours or control bytes is folded as cleaning leaves it; one
 * with escapes twice, as it stands and decoded. A newline is a blank. Where a
 * line ends as a literal begins, the literal's rest has to begin the text of a
 * line behind. In JSON, and behind an escaped newline, text may begin behind
 * any byte that is no letter.
 *
 * It never misses a literal that would be found in the lines as they are read;
 * it may find some that are none.
 */
#include "match/candidates.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/plain.h"
#include "base/sort.h"
#include "log/clean.h"
#include "log/cursor.h"
#include "log/frame.h"
#include "log/log.h"
#include "log/stream.h"
#include "log/wrap.h"
#include "match/few.h"

#define CUT_REACH (8 * 1024) /* so far behind a cut its rest may stand */
#define REST_BYTES 48        /* of it, enough to believe it */
#define REST_LEAST 3         /* of fewer some line is taken to begin so */
#define CUT_BACK (2 * LOG_MEMORY) /* so far before a rest its beginning */
#define FRAME_BYTES 512       /* of a line in which frames are looked for */
#define ESCAPED_LINE '\x7F' /* stands for an escaped newline */

/* From `from` to `to`, counted over all blocks, no word begins as the rest of a
 * cut literal does, or as one of a row; is_found: at `to` one does. */
struct searched {
    uint64_t from, to;
    bool is_found;
};

struct row_rests {
    struct few few; /* none: they are too many, or one is short */
    struct searched searched;
};

struct candidates {
    struct arena *a;
    const struct prefilter *f;
    const struct frames *frames;
    struct folded folded;
    struct searched *rests; /* by cut */
    struct row_rests **rows; /* by a row's first cut; NULL: not met */
    uint64_t passed;        /* folded bytes of blocks before */
    struct buf cleaned, decoded;
    struct str text; /* what is looked at, and whom it is told */
    size_t from, to; /* lines that begin here */
    candidate_fn found;
    void *ctx;
};

struct candidates *candidates_new(struct arena *a, const struct prefilter *f,
                                  const struct frames *frames) {
    struct candidates *c = arena_alloc(a, sizeof *c);
    *c = (struct candidates){.a = a, .f = f, .frames = frames};
    c->folded.a = a;
    c->rests = arena_array(a, f->cuts.entry_count, sizeof *c->rests);
    c->rows = arena_array(a, f->cuts.entry_count, sizeof *c->rows);
    c->cleaned = buf_in(a, CANDIDATE_LINE_BYTES_MAX);
    c->decoded = buf_in(a, CANDIDATE_LINE_BYTES_MAX);
    return c;
}

/* ---- folding lines ---- */

static void add_text(struct candidates *c, struct str text, size_t raw) {
    size_t at = c->folded.n;
    fold_add(&c->folded, text, raw);
    fold_blank(&c->folded);
    fold_line(&c->folded, at, raw);
}

static uint32_t hex_of(struct str s) {
    uint32_t value = 0;
    for (size_t i = 0; i < s.n; i++) {
        int digit = hex_digit(s.p[i]);
        if (digit < 0)
            return 0;
        value = 16 * value + (uint32_t)digit;
    }
    return value;
}

/* Adds the character behind a run of backslashes at *i, as cleaning leaves it;
 * *i: behind it. */
static void add_decoded(struct str s, size_t *i, struct buf *out) {
    while (*i < s.n && s.p[*i] == '\\')
        ++*i;
    char c = *i < s.n ? s.p[(*i)++] : ' ';
    size_t digits = c == 'u' ? 4 : c == 'x' ? 2 : 0;
    uint32_t value = hex_of(str_slice(s, *i, digits));
    if (c == 'n' || c == 'r' || value == '\n' || value == '\r')
        buf_add_char(out, ESCAPED_LINE);
    else if (value > 0)
        clean_put(out, value);
    else
        buf_add_char(out, c == 't' ? ' ' : c);
    *i += value > 0 ? digits : 0;
}

static struct str decoded(struct candidates *c, struct str line) {
    buf_clear(&c->decoded);
    for (size_t i = 0; i < line.n;) {
        struct str rest = str_slice(line, i, line.n);
        size_t n = str_find_char(rest, '\\');
        buf_add(&c->decoded, str_slice(rest, 0, n));
        i += n;
        if (i < line.n)
            add_decoded(line, &i, &c->decoded);
    }
    return buf_str(&c->decoded);
}

/* Each part of it, cleaned; text behind '\r' is a line of its own. */
static void add_cleaned(struct candidates *c, struct str line, size_t raw) {
    for (bool is_last = false; !is_last;) {
        size_t n = str_find_char(line, '\r');
        is_last = n == line.n;
        struct str clean = clean_line(str_slice(line, 0, n), &c->cleaned);
        add_text(c, clean, raw);
        if (str_find_char(clean, '\\') < clean.n)
            add_text(c, decoded(c, clean), raw);
        line = str_slice(line, n + 1, line.n);
    }
}

static struct str raw_line(struct str text, size_t at) {
    struct str line = str_slice(text, at, text.n);
    line.n = str_find_char(line, '\n');
    while (line.n > 0 && line.p[line.n - 1] == '\r')
        line.n--;
    return line;
}

/* The last line, which may have been folded as it should not be. */
static void mend_line(struct candidates *c, const struct folded_line *l) {
    size_t raw = l->raw;
    struct str line = raw_line(c->text, raw);
    if (l->is_simple)
        return;
    if (!clean_is_plain(line)) {
        fold_drop_line(&c->folded);
        add_cleaned(c, line, raw);
    } else if (str_find_char(line, '\\') < line.n) {
        add_text(c, decoded(c, line), raw);
    }
}

static void fold_block(struct candidates *c) {
    struct str text = c->text;
    struct folded *f = &c->folded;
    size_t at = c->from > CUT_BACK ? str_line_begin(text, c->from - CUT_BACK) : 0;
    size_t end = text.n - c->to > CUT_REACH ? c->to + CUT_REACH : text.n;
    end += str_find_char(str_from(text, end), '\n');
    text.n = end < text.n ? end + 1 : text.n;
    fold_clear(f);
    while (at < text.n) {
        at += fold_lines(f, str_from(text, at), at);
        mend_line(c, &f->lines[f->line_count - 1]);
    }
    fold_blank(f);
    if (!buf_ok(&c->cleaned) || !buf_ok(&c->decoded))
        arena_raise(c->a, FAIL_MEMORY, "out of memory while reading a log");
}

static uint64_t line_at(const void *lines, size_t i) {
    return ((const struct folded_line *)lines)[i].at;
}

/* The line that the folded byte stands in. */
static size_t line_of(const struct candidates *c, size_t at) {
    return last_up_to(c->folded.lines, c->folded.line_count, line_at, at);
}

static void tell(const struct candidates *c, uint32_t literal, size_t line) {
    size_t raw = str_line_begin(c->text, c->folded.lines[line].raw);
    if (raw >= c->from && raw < c->to)
        c->found(c->ctx, literal, raw);
}

/* ---- where the text of a line begins ---- */

/* Is there nothing but blanks between them? */
static bool is_blank_from(const char *begin, const char *end) {
    while (begin < end && (*begin == ' ' || *begin == '\t'))
        begin++;
    return begin == end;
}

/* May a line's text begin at the folded byte, in this line? Behind all of its
 * frames, or behind CRI's alone; of JSON, and of what is no plain line, before
 * any word. */
static bool may_begin(struct candidates *c, const struct folded_line *l,
                      size_t at) {
    if (at > l->at && is_word(c->folded.text[at - 1]))
        return false;
    struct str line = raw_line(c->text, l->raw);
    struct frame cri = {.frames = c->frames, .text = line};
    struct frame f = {.frames = c->frames,
                      .text = str_slice(line, 0, FRAME_BYTES),
                      .who = stream_none()};
    if (!l->is_plain)
        return true;
    const char *raw = fold_line_place(&c->folded, l, line, at);
    frame_take_cri(&cri);
    frame_strip(&f);
    return f.may_follow || str_starts(str_trim(f.text), STR("{")) ||
           is_blank_from(f.text.p, raw) || is_blank_from(cri.text.p, raw);
}

/* ---- cut literals ---- */

/* A line's text may end before the folded byte, or one in a string. */
static bool may_end(const struct candidates *c, const struct folded_line *l,
                    size_t at) {
    char here = c->folded.text[at];
    return at == l->end || here == ESCAPED_LINE ||
           (here == '"' && is_any(c->folded.text[at + 1], ",}"));
}

/* The same, or one blank further: that of a literal that was cut behind it. */
static bool may_end_at_blank(const struct candidates *c,
                             const struct folded_line *l, size_t at) {
    return may_end(c, l, at) ||
           (c->folded.text[at] == ' ' && may_end(c, l, at + 1));
}

/* What is looked for of a literal behind its cut. */
static struct str rest_of(struct str literal, size_t at) {
    return str_slice(literal, at + (literal.p[at] == ' '), REST_BYTES);
}

/* Has a carrier cut the line: "stdout P ..."? */
static bool may_be_carried(const struct candidates *c,
                           const struct folded_line *l) {
    struct str line = str_slice(fold_str(&c->folded), l->at, l->end - l->at);
    struct str head = str_slice(line, 0, FRAME_BYTES);
    return str_find(head, STR(" p ")) < head.n;
}

/* True if the string that ends at this folded place is the value of "log", which
 * Docker cuts anywhere. */
static bool is_of_docker(const struct candidates *c,
                         const struct folded_line *l, size_t place) {
    const struct str key = STR("\"log\"");
    const char *text = c->folded.text;
    for (size_t i = place; i >= l->at + key.n; i--) {
        size_t value = i + 1 + (text[i + 1] == ' ');
        if (text[i] == ':' && text[i - 1] == '"' && text[value] == '"')
            return memcmp(text + i - key.n, key.p, key.n) == 0;
    }
    return false;
}

/* May the line end with the bytes of a literal before `at`, at this folded place,
 * and another go on with it? */
static bool may_be_cut(const struct candidates *c,
                       const struct folded_line *l, struct str literal,
                       size_t at, size_t place) {
    char before = literal.p[at - 1];
    struct str behind = str_from(literal, at);
    place += c->folded.text[place] == ' ';
    return before == ' ' || behind.p[0] == ' ' ||
           wrap_may_cut(before, behind) || may_be_carried(c, l) ||
           (c->folded.text[place] == '"' && is_of_docker(c, l, place));
}

/* The first place of [from, to) where s begins a word and ends before `to`; to:
 * there is none. */
static size_t find_word(const struct candidates *c, size_t from, size_t to,
                        struct str s) {
    while (from < to) {
        struct str text = {c->folded.text + from, to - from};
        size_t at = str_find(text, s);
        from += at;
        if (at == text.n || !is_word(c->folded.text[from - 1]))
            break;
        from++;
    }
    return from < to ? from : to;
}

/* Where the rest of a literal that is cut at `end` stands no more. */
static size_t behind_cut(const struct candidates *c, size_t end) {
    size_t to = end + 1 + CUT_REACH;
    return to < c->folded.n ? to : c->folded.n;
}

/* Does the rest of a literal, or as much of it as tells, begin a line behind
 * this place of the line? */
static bool goes_on(struct candidates *c, const struct folded_line *l,
                    size_t end, struct str rest) {
    size_t to = behind_cut(c, end), place = end;
    bool is_there = rest.n < REST_LEAST;
    while (!is_there && (place = find_word(c, place + 1, to, rest)) < to)
        is_there = place < l->end ||
                   may_begin(c, &c->folded.lines[line_of(c, place)], place);
    return is_there;
}

/* Does the line, or a string in it, end so before folded `to`? */
static bool ends_so(const struct candidates *c, const struct folded_line *l,
                    struct str lead, size_t to) {
    struct str text = str_slice(fold_str(&c->folded), l->at, to - l->at);
    if (l->is_simple)
        return str_ends(text, lead);
    for (size_t at = 0; (at += str_find(str_slice(text, at, text.n), lead)) <
                        text.n; at++)
        if (may_end_at_blank(c, l, l->at + at + lead.n))
            return true;
    return false;
}

/* Does a text not far before folded `place`, which stands in `line`, end with a
 * literal's first bytes? */
static bool comes_from(const struct candidates *c,
                       const struct folded_line *line, size_t place,
                       struct str lead) {
    const struct folded_line *l = line;
    lead = str_slice(lead, lead.n < REST_BYTES ? 0 : lead.n - REST_BYTES,
                     REST_BYTES);
    bool is_found = ends_so(c, l, lead, place);
    while (!is_found && l > c->folded.lines && l[-1].raw + CUT_BACK >= line->raw) {
        l--;
        is_found = ends_so(c, l, lead, l->end);
    }
    return is_found;
}

/* ---- cut inside of the window: by what stands before ---- */

struct text_end { /* of a line, or inside of one */
    struct candidates *c;
    struct folded_line *line;
    size_t at; /* folded */
};

/* What is looked for of a literal behind cut i. */
static struct str rest_of_cut(const struct candidates *c, size_t i) {
    struct cut cut = prefilter_cut(c->f, i);
    return rest_of(prefilter_literal(c->f, cut.literal), cut.at);
}

static struct row_rests *rests_of_row(struct candidates *c,
                                      struct cut_row row) {
    struct row_rests **at = &c->rows[row.from];
    bool is_few = true;
    if (*at)
        return *at;
    *at = arena_alloc(c->a, sizeof **at);
    for (size_t i = row.from; is_few && i < row.to; i++) {
        struct str rest = rest_of_cut(c, i);
        is_few = rest.n >= REST_LEAST && few_add(&(*at)->few, rest.p);
    }
    (*at)->few.count = is_few ? (*at)->few.count : 0;
    return *at;
}

/* The first place of [from, to) where a word begins as one of the few does. */
static size_t find_few_word(const struct candidates *c, size_t from, size_t to,
                            const struct few *few) {
    while ((from = few_find(few, c->folded.text, from, to)) < to &&
           is_word(c->folded.text[from - 1]))
        from++;
    return from;
}

/* May what is looked for stand behind `end`? It is the rest, or one of the few
 * where these are given. More is searched than is asked for, so that the next
 * question is answered, too. */
static bool is_behind(const struct candidates *c, size_t end,
                      struct searched *s, struct str rest,
                      const struct few *few) {
    uint64_t from = c->passed + end + 1;
    size_t to = behind_cut(c, end), more = behind_cut(c, to);
    if (from < s->from || from > s->to)
        *s = (struct searched){from, from, false};
    if (!s->is_found && s->to < c->passed + to) {
        size_t at = (size_t)(s->to - c->passed);
        at = at > end + rest.n ? at - rest.n : end + 1;
        at = few ? find_few_word(c, at, more, few)
                 : find_word(c, at, more, rest);
        s->is_found = at < more;
        s->to = c->passed + at;
    }
    return s->is_found && s->to < c->passed + to;
}

/* May a rest of the row stand behind `end`? */
static bool row_may_go_on(struct candidates *c, size_t end,
                          struct cut_row row) {
    struct row_rests *r = rests_of_row(c, row);
    return r->few.count == 0 ||
           is_behind(c, end, &r->searched, STR(""), &r->few);
}

/* May the rest of cut i? */
static bool cut_may_go_on(struct candidates *c, size_t end, size_t i) {
    struct str rest = rest_of_cut(c, i);
    return rest.n < REST_LEAST || is_behind(c, end, &c->rests[i], rest, NULL);
}

/* Does the text end with what cut i leaves of a literal, and may it go on? */
static bool is_cut(const struct text_end *end, size_t i) {
    struct candidates *c = end->c;
    struct cut cut = prefilter_cut(c->f, i);
    struct str s = prefilter_literal(c->f, cut.literal);
    return end->at >= cut.at &&
           memcmp(c->folded.text + end->at - cut.at, s.p, cut.at) == 0 &&
           may_be_cut(c, end->line, s, cut.at, end->at);
}

static void on_cuts(void *ctx, struct cut_row row) {
    const struct text_end *end = ctx;
    struct candidates *c = end->c;
    for (size_t i = row.from; i < row.to; i++) {
        struct cut cut = prefilter_cut(c->f, i);
        if (!is_cut(end, i))
            continue;
        if (!row_may_go_on(c, end->at, row))
            return;
        if (cut_may_go_on(c, end->at, i) &&
            goes_on(c, end->line, end->at, rest_of_cut(c, i)))
            tell(c, cut.literal, line_of(c, end->at - cut.at));
    }
}

static inline void look_at_end(struct candidates *c, struct folded_line *l,
                               size_t at) {
    struct text_end end = {c, l, at};
    if (at < LONG_END || prefilter_may_cut(c->f, c->folded.text + at))
        prefilter_find_cuts(c->f, fold_str(&c->folded), at, on_cuts, &end);
}

/* The first '"' of folded [at, end) before a ',' or '}'; end: there is none. */
static size_t find_string_end(const struct candidates *c, size_t at,
                              size_t end) {
    for (; at < end; at += PLAIN_STEP) {
        plain_bytes here = plain_load(c->folded.text + at);
        plain_bytes next = plain_load(c->folded.text + at + 1);
        uint32_t bits =
            plain_bits((here == '"') & ((next == ',') | (next == '}')));
        if (bits != 0) {
            at += (size_t)__builtin_ctz(bits);
            break;
        }
    }
    return at < end ? at : end;
}

/* Ends of strings, and of lines that were escaped. */
static void look_inside(struct candidates *c, struct folded_line *l) {
    struct str line = str_slice(fold_str(&c->folded), l->at, l->end - l->at);
    for (size_t at = l->at; !l->is_simple &&
                            (at = find_string_end(c, at, l->end)) < l->end;
         at++)
        look_at_end(c, l, at);
    for (size_t at = 0; !l->is_plain &&
                        (at += str_find_char(str_slice(line, at, line.n),
                                             ESCAPED_LINE)) < line.n; at++)
        look_at_end(c, l, l->at + at);
}

/* ---- literals with a gram ---- */

/* The literal's first byte that stands before the one at `place`, where it is
 * byte `at`. */
static size_t first_of(struct str text, struct str s, size_t at,
                       size_t place) {
    while (at > 0 && place > 0 && text.p[place - 1] == s.p[at - 1]) {
        at--;
        place--;
    }
    return at;
}

static size_t last_of(struct str text, struct str s, size_t at,
                      size_t place) {
    while (at < s.n && place < text.n && text.p[place] == s.p[at]) {
        at++;
        place++;
    }
    return at;
}

/* Its bytes from `first` on begin at `place`: may the others come before? */
static bool may_have_begun(struct candidates *c, struct str s,
                           size_t first, size_t place) {
    bool has_blank = s.p[first] == ' '; /* it may be the frame's */
    place += has_blank;
    struct str lead = str_slice(s, 0, first - (s.p[first - 1] == ' '));
    if (place > 0 && is_word(c->folded.text[place - 1]))
        return false;
    struct folded_line *l = &c->folded.lines[line_of(c, place)];
    return comes_from(c, l, place, lead) && may_begin(c, l, place);
}

/* Its bytes up to `last` end at `place`: may the others come behind? */
static bool may_go_on(struct candidates *c, struct str s, size_t last,
                      size_t place) {
    bool has_blank = s.p[last - 1] == ' '; /* it may be the line's end */
    place -= has_blank;
    struct folded_line *l = &c->folded.lines[line_of(c, place - 1)];
    return may_end_at_blank(c, l, place) &&
           may_be_cut(c, l, s, last, place) &&
           goes_on(c, l, place, rest_of(s, last - has_blank));
}

static void on_gram(void *ctx, uint32_t literal, size_t at, size_t place) {
    struct candidates *c = ctx;
    struct str s = prefilter_literal(c->f, literal);
    struct str text = fold_str(&c->folded);
    size_t first = first_of(text, s, at, place);
    size_t last = last_of(text, s, at, place);
    size_t begin = place - (at - first), end = place + (last - at);
    if ((first > 0 && !may_have_begun(c, s, first, begin)) ||
        (last < s.n && !may_go_on(c, s, last, end)))
        return;
    tell(c, literal, line_of(c, begin));
}

void candidates_find(struct candidates *c, struct str text, size_t from,
                     size_t to, candidate_fn found, void *ctx) {
    c->text = text;
    c->from = from;
    c->to = to;
    c->found = found;
    c->ctx = ctx;
    c->passed += c->folded.n + 1;
    fold_block(c);
    prefilter_find(c->f, fold_str(&c->folded), false, on_gram, c);
    for (size_t i = 0; i < c->folded.line_count; i++) {
        struct folded_line *l = &c->folded.lines[i];
        if (l->raw < from || l->raw >= to)
            continue;
        if (!l->is_simple || !l->is_plain)
            look_inside(c, l);
        look_at_end(c, l, l->end);
    }
}
