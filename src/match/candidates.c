/* candidates.c: finds literals in a block of raw log, which has frames, quotes,
 * escapes and colours, and lines that a wrap or a carrier has cut.
 *
 *     raw lines --fold--> one text --prefilter--> literals
 *                           '--> ends of lines --> cut literals
 *
 *     2025-05-20T10:47:01Z stderr F ... CUDA out of mem|
 *     2025-05-20T10:47:01Z stderr F ory. Tried to ...
 *                                   ^ where the next line's text begins
 *
 * A line with colours or control bytes is cleaned before it is folded; a line
 * with escapes is folded twice, as it is and decoded. A newline is a blank. If
 * a line ends with the beginning of a literal, the text of a line behind it
 * must begin with the rest. In JSON, and behind an escaped newline, text may
 * begin behind any byte that is no letter.
 *
 * Each literal that is in the lines as they are read is found. Some that are
 * not are found, too. */
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

#define CUT_REACH (8 * 1024) /* bytes behind a cut where the rest may begin */
#define REST_BYTES 48        /* of the rest are compared */
#define REST_LEAST 3         /* a shorter rest is taken to be there */
#define CUT_BACK (2 * LOG_MEMORY) /* bytes before a rest where the cut may be */
#define FRAME_BYTES 512     /* of a line may be frames */
#define ESCAPED_LINE '\x7F' /* in place of an escaped newline */

/* No word begins with the rest of a cut literal, or of one of a row, between
 * the places `from` and `to`, counted over all blocks. is_found: one does at
 * `to`. */
struct searched {
    uint64_t from, to;
    bool is_found;
};

struct row_rests {
    struct few few; /* empty: they are too many, or one is too short */
    struct searched searched;
};

struct candidates {
    struct arena *a;
    const struct prefilter *f;
    const struct frames *frames;
    struct folded folded;
    struct searched *rests; /* by cut */
    struct row_rests **rows; /* by a row's first cut; NULL: not used yet */
    uint64_t passed;         /* folded bytes of blocks before */
    struct buf cleaned, decoded;
    struct str text;
    size_t from, to; /* of the lines that are searched */
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

/* Adds each part of the line, cleaned. The text behind '\r' is a line. */
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

/* Folds the last line again if it was not folded as it should be. */
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
    size_t at =
        c->from > CUT_BACK ? str_line_begin(text, c->from - CUT_BACK) : 0;
    size_t end = text.n - c->to > CUT_REACH ? c->to + CUT_REACH : text.n;
    end += str_find_char(str_from(text, end), '\n');
    text.n = end < text.n ? end + 1 : text.n;
    fold_clear(f);
    while (at < text.n) {
        at += fold_lines(f, str_from(text, at), at);
        mend_line(c, &f->lines[f->line_count - 1]);
    }
    fold_blank(f);
}

static uint64_t line_at(const void *lines, size_t i) {
    return ((const struct folded_line *)lines)[i].at;
}

/* The line that holds the folded byte. */
static size_t line_of(const struct candidates *c, size_t at) {
    return last_up_to(c->folded.lines, c->folded.line_count, line_at, at);
}

static void report(const struct candidates *c, uint32_t literal, size_t line) {
    size_t raw = str_line_begin(c->text, c->folded.lines[line].raw);
    if (raw >= c->from && raw < c->to)
        c->found(c->ctx, literal, raw);
}

/* ---- where the text of a line begins ---- */

/* True if there are only blanks between them. */
static bool is_blank_from(const char *begin, const char *end) {
    while (begin < end && (*begin == ' ' || *begin == '\t'))
        begin++;
    return begin == end;
}

/* True if the text of this line may begin at the folded byte: behind all of its
 * frames, or behind CRI's alone; in JSON, and in a line that is not plain,
 * before any word. */
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

/* True if the text of the line, or of a string in it, may end before the folded
 * byte. */
static bool may_end(const struct candidates *c, const struct folded_line *l,
                    size_t at) {
    char here = c->folded.text[at];
    return at == l->end || here == ESCAPED_LINE ||
           (here == '"' && is_any(c->folded.text[at + 1], ",}"));
}

/* The same, or one blank further: a literal may be cut behind its blank. */
static bool may_end_at_blank(const struct candidates *c,
                             const struct folded_line *l, size_t at) {
    return may_end(c, l, at) ||
           (c->folded.text[at] == ' ' && may_end(c, l, at + 1));
}

/* The part of the literal's rest that is searched for behind its cut. */
static struct str rest_of(struct str literal, size_t at) {
    return str_slice(literal, at + (literal.p[at] == ' '), REST_BYTES);
}

/* True if a carrier may have cut the line: "stdout P ...". */
static bool may_be_carried(const struct candidates *c,
                           const struct folded_line *l) {
    struct str line = str_slice(fold_str(&c->folded), l->at, l->end - l->at);
    struct str head = str_slice(line, 0, FRAME_BYTES);
    return str_find(head, STR(" p ")) < head.n;
}

/* True if the string that ends at this folded place is the value of "log",
 * which Docker cuts anywhere. In a decoded line the strings of a JSON text in
 * it look like the record's own: the nearest key does not decide, and the
 * string does not end the value if the value's newline stands behind it. */
static bool is_of_docker(const struct candidates *c,
                         const struct folded_line *l, size_t place) {
    const struct str key = STR("\"log\"");
    const char *text = c->folded.text;
    if (!l->is_plain &&
        memchr(text + place, ESCAPED_LINE, l->end - place) != NULL)
        return false;
    for (size_t i = place; i >= l->at + key.n; i--) {
        size_t value = i + 1 + (text[i + 1] == ' ');
        bool is_key = text[i] == ':' && text[i - 1] == '"' &&
                      text[value] == '"' && value < place;
        if (is_key && memcmp(text + i - key.n, key.p, key.n) == 0)
            return true;
        if (is_key && l->is_plain)
            return false;
    }
    return false;
}

/* True if the line may end at this folded place with the bytes of a literal
 * before `at`, and another line may continue it. */
static bool may_be_cut(const struct candidates *c,
                       const struct folded_line *l, struct str literal,
                       size_t at, size_t place) {
    char before = literal.p[at - 1];
    struct str behind = str_from(literal, at);
    place += c->folded.text[place] == ' ';
    return before == ' ' || behind.p[0] == ' ' ||
           wrap_may_cut(before, behind) || may_be_carried(c, l) ||
           (place < l->end && c->folded.text[place] == '"' &&
            is_of_docker(c, l, place));
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

/* The end of the text where the rest of a literal may begin that is cut at
 * `end`. */
static size_t behind_cut(const struct candidates *c, size_t end) {
    size_t to = end + 1 + CUT_REACH;
    return to < c->folded.n ? to : c->folded.n;
}

/* True if the rest of a literal begins the text of a line behind `end`, or of
 * this line. */
static bool goes_on(struct candidates *c, const struct folded_line *l,
                    size_t end, struct str rest) {
    size_t to = behind_cut(c, end), place = end;
    bool is_there = rest.n < REST_LEAST;
    while (!is_there && (place = find_word(c, place + 1, to, rest)) < to)
        is_there = place < l->end ||
                   may_begin(c, &c->folded.lines[line_of(c, place)], place);
    return is_there;
}

/* True if the text of the line before folded `to`, or a string in it, ends with
 * `lead`. */
static bool ends_with(const struct candidates *c, const struct folded_line *l,
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

/* True if a text ends with the first bytes of a literal, CUT_BACK bytes at most
 * before folded `place` in `line`. */
static bool comes_from(const struct candidates *c,
                       const struct folded_line *line, size_t place,
                       struct str lead) {
    const struct folded_line *l = line;
    lead = str_slice(lead, lead.n < REST_BYTES ? 0 : lead.n - REST_BYTES,
                     REST_BYTES);
    bool is_found = ends_with(c, l, lead, place);
    while (!is_found && l > c->folded.lines &&
           l[-1].raw + CUT_BACK >= line->raw) {
        l--;
        is_found = ends_with(c, l, lead, l->end);
    }
    return is_found;
}

/* ---- literals cut inside their window, by the bytes before ---- */

struct text_end { /* of a line, or of a string in it */
    struct candidates *c;
    struct folded_line *line;
    size_t at; /* folded */
};

/* The same of cut i. */
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

/* The first place of [from, to) where a word begins with one of the few. */
static size_t find_few_word(const struct candidates *c, size_t from, size_t to,
                            const struct few *few) {
    while ((from = few_find(few, c->folded.text, from, to)) < to &&
           is_word(c->folded.text[from - 1]))
        from++;
    return from;
}

/* True if the rest, or one of the few if these are given, may stand behind
 * `end`. The search goes further than needed, so that it holds for the next
 * calls, too. */
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

/* True if a rest of the row may stand behind `end`. */
static bool row_may_go_on(struct candidates *c, size_t end,
                          struct cut_row row) {
    struct row_rests *r = rests_of_row(c, row);
    return r->few.count == 0 ||
           is_behind(c, end, &r->searched, STR(""), &r->few);
}

/* True if the rest of cut i may. */
static bool cut_may_go_on(struct candidates *c, size_t end, size_t i) {
    struct str rest = rest_of_cut(c, i);
    return rest.n < REST_LEAST || is_behind(c, end, &c->rests[i], rest, NULL);
}

/* True if the text ends with the bytes before cut i, and may be cut there. */
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
            report(c, cut.literal, line_of(c, end->at - cut.at));
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

/* Looks at the ends of strings, and of lines that were escaped. */
static void look_inside(struct candidates *c, struct folded_line *l) {
    struct str line = str_slice(fold_str(&c->folded), l->at, l->end - l->at);
    for (size_t at = l->at; !l->is_simple &&
                            (at = find_string_end(c, at, l->end)) < l->end;
         at++)
        look_at_end(c, l, at - (c->folded.text[at - 1] == ' '));
    for (size_t at = 0; !l->is_plain &&
                        (at += str_find_char(str_slice(line, at, line.n),
                                             ESCAPED_LINE)) < line.n; at++)
        look_at_end(c, l, l->at + at - (at > 0 && line.p[at - 1] == ' '));
}

/* ---- literals with a gram ---- */

/* Byte `at` of the literal is at `place`: the first byte of the literal that
 * the text has before it, without a gap; and the one behind its last. */
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

/* The literal's bytes from `first` on begin at `place`: true if the text before
 * it may end with the others. */
static bool may_have_begun(struct candidates *c, struct str s,
                           size_t first, size_t place) {
    bool has_blank = s.p[first] == ' '; /* it may be part of the frame */
    place += has_blank;
    struct str lead = str_slice(s, 0, first - (s.p[first - 1] == ' '));
    if (place > 0 && is_word(c->folded.text[place - 1]))
        return false;
    struct folded_line *l = &c->folded.lines[line_of(c, place)];
    return comes_from(c, l, place, lead) && may_begin(c, l, place);
}

/* The literal's bytes up to `last` end at `place`: true if the text behind it
 * may begin with the others. */
static bool may_go_on(struct candidates *c, struct str s, size_t last,
                      size_t place) {
    bool has_blank = s.p[last - 1] == ' '; /* it may be the line's end */
    place -= has_blank;
    struct folded_line *l = &c->folded.lines[line_of(c, place - 1)];
    return may_end_at_blank(c, l, place) &&
           may_be_cut(c, l, s, last, place) &&
           goes_on(c, l, place, rest_of(s, last - has_blank));
}

/* The quote that was taken for one of the literal may be that of the string
 * that is cut, of which the literal's own is behind the cut. */
static bool has_begun(struct candidates *c, struct str s, size_t first,
                      size_t place) {
    return first == 0 || may_have_begun(c, s, first, place) ||
           (s.p[first] == '"' && may_have_begun(c, s, first + 1, place + 1));
}

static bool goes_to_end(struct candidates *c, struct str s, size_t last,
                        size_t place) {
    return last == s.n || may_go_on(c, s, last, place) ||
           (s.p[last - 1] == '"' && may_go_on(c, s, last - 1, place - 1));
}

static void on_gram(void *ctx, uint32_t literal, size_t at, size_t place) {
    struct candidates *c = ctx;
    struct str s = prefilter_literal(c->f, literal);
    struct str text = fold_str(&c->folded);
    size_t first = first_of(text, s, at, place);
    size_t last = last_of(text, s, at, place);
    size_t begin = place - (at - first), end = place + (last - at);
    if (has_begun(c, s, first, begin) && goes_to_end(c, s, last, end))
        report(c, literal, line_of(c, begin));
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
