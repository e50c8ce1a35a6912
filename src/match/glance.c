/* glance.c: most lines that hold a pattern's words are no match of it, and most
 * of these can be told without reading round them.
 *
 *     tail     the pattern from its literal on, tried right there (tail.h)
 *     whole    the pattern, tried on the line and on so many before it as a
 *              match may begin in (reach.h)
 *
 * Where either fails without having wanted to look further, nothing behind can
 * help. A line that is plain is read as it stands, but for two things: the line
 * before it may have been cut inside a word so that this one is its rest, and
 * this one may have been cut likewise. Mostly widths, and what stands at the
 * seam, tell that off; where they cannot, both ways are tried, and the line is
 * denied when all of them fail.
 *
 * Whatever is not sure of this is not denied.
 */
#include "match/glance.h"
#include "match/literals.h"

#include <string.h>

#include "log/clean.h"
#include "log/frame.h"
#include "log/stream.h"
#include "log/wrap.h"

#define GLANCE_BYTES 4096 /* a longer line is read */
#define GLANCE_LINES 1024
#define GLANCE_FRONT (2 * GLANCE_BYTES) /* bytes of a text of several lines */
#define GLANCE_GATHERED 24 /* lines of one text */
#define GLANCE_SEAMS 3
#define GLANCE_BEHIND 4    /* lines that may go on in each other */

/* How a line stands to the one before it, or to the one behind it. */
enum seam {
    SEAM_LINE,   /* it is a line of its own */
    SEAM_EITHER, /* it is, or goes on in a word of that line */
    SEAM_UNKNOWN
};

enum cut { CUT_NOT_ASKED, CUT_NOT, CUT_PERHAPS };

struct seen_line {
    size_t at, end; /* of all of it; end 0: none */
    struct str text;
    struct str body; /* with a record's prefix before it */
    struct stream who;
    struct str prefix; /* that prefix; empty: none */
    bool is_plain, is_framed, is_record;
    enum cut cut_behind, cut_in_stream;
};

struct glance {
    struct scanner *s;
    struct str text; /* in which lines are */
    struct seen_line seen[GLANCE_LINES];
    size_t at; /* the line asked about */
    size_t quiet_from, quiet_to; /* lines that begin here have no frame */
    /* it ends at GLANCE_FRONT; before it and behind it others are put */
    char lines[2 * GLANCE_FRONT];
    size_t from, to;
};

struct glance *glance_new(struct scanner *s) {
    struct glance *g = arena_alloc(s->a, sizeof *g);
    g->s = s;
    return g;
}

void glance_begin(struct glance *g, struct str text) {
    g->text = text;
    memset(g->seen, 0, sizeof g->seen);
    g->quiet_from = g->quiet_to = 0;
}

/* ---- lines ---- */

static struct frame stripped(const struct frames *frames, struct str line,
                             bool follows) {
    struct frame f = {.frames = frames, .text = line, .who = stream_none(),
                      .follows_mark = follows ? MARK_ANY : 0,
                      .follows_bar = follows ? BAR_ANY : 0,
                      .follows_label = follows};
    frame_strip(&f);
    return f;
}

static bool is_plain(struct str line) {
    return line.n <= GLANCE_BYTES && clean_is_plain(line) &&
           str_find_char(line, '\\') == line.n;
}

/* Without what ends it. */
static struct str raw_line(struct str text, size_t at) {
    struct str line = str_slice(text, at, text.n);
    line.n = str_find_char(line, '\n');
    while (line.n > 0 && line.p[line.n - 1] == '\r')
        line.n--;
    return line;
}

/* A line of one meaning, whatever stood before it? */
static bool is_certain(struct str line, const struct frame *f) {
    struct frame cri = {.frames = f->frames, .text = line};
    bool is_same =
        !f->may_follow || stripped(f->frames, line, true).text.p == f->text.p;
    return is_same && !frame_take_cri(&cri) && !str_starts(f->text, STR("{"));
}

static struct seen_line look_at_line(const struct frames *frames,
                                     struct str text, size_t at) {
    struct str line = raw_line(text, at);
    size_t end = at + line.n;
    while (end < text.n && text.p[end] == '\r')
        end++;
    struct seen_line l = {.at = at, .end = end + 1};
    l.is_plain = is_plain(line);
    if (!l.is_plain)
        return l;
    struct frame f = stripped(frames, line, false);
    l.is_plain = is_certain(line, &f);
    l.text = f.text;
    l.body = (struct str){f.text.p - f.columns, f.text.n + f.columns};
    l.prefix = f.prefix;
    l.who = f.who;
    l.is_record = f.is_record;
    l.is_framed = f.is_record || (f.kinds & ~(unsigned)FRAME_QUOTE) != 0;
    return l;
}

static struct seen_line *slot_of(struct glance *g, size_t at) {
    return &g->seen[(at * UINT64_C(0x9e3779b97f4a7c15) >> 32) % GLANCE_LINES];
}

static const struct seen_line *line_at(struct glance *g, size_t at) {
    struct seen_line *l = slot_of(g, at);
    if (l->end == 0 || l->at != at)
        *l = look_at_line(log_frames(g->s->log), g->text, at);
    return l;
}

static size_t line_before(struct str text, size_t at) {
    at--;
    while (at > 0 && text.p[at - 1] != '\n')
        at--;
    return at;
}

/* Only lines of usual widths are taken for cut, and those that others near are
 * as wide as. */
static bool may_be_cut(struct glance *g, const struct seen_line *l) {
    if (wrap_is_usual((uint32_t)l->body.n) ||
        wrap_is_usual((uint32_t)l->text.n))
        return true;
    size_t at = l->at > LOG_MEMORY ? l->at - LOG_MEMORY : 0;
    size_t to = l->end + LOG_MEMORY;
    at += str_find_char(str_slice(g->text, at, g->text.n), '\n') + 1;
    while (at < g->text.n && at < to) {
        const struct seen_line *other = line_at(g, at);
        bool is_equal = !other->is_plain || other->body.n == l->body.n ||
                        other->end - other->at - 1 == l->body.n;
        if (is_equal && at != l->at)
            return true;
        at = other->end;
    }
    return false;
}

/* Could a framed line go on in this one? One that has a record's prefix only
 * where that one has it, too. */
static bool may_go_on(const struct seen_line *l, const struct seen_line *next) {
    bool is_own = next->is_record &&
                  (next->prefix.n == 0 || !str_eq(next->prefix, l->prefix));
    return !is_own && l->is_framed && next->is_framed &&
           stream_is_same(&l->who, &next->who) &&
           wrap_may_join(l->body, next->text);
}

/* Could no framed line near, of the same stream, go on in this one? */
static bool begins_its_stream(struct glance *g, const struct seen_line *l) {
    size_t at = l->at, least = at > LOG_MEMORY ? at - LOG_MEMORY : 0;
    while (at > least) {
        at = line_before(g->text, at);
        struct seen_line before = *line_at(g, at);
        if (!before.is_plain)
            return false;
        if (before.is_framed && stream_is_same(&before.who, &l->who))
            return !may_go_on(&before, l);
    }
    return at > 0;
}

/* Could the line that ends before l->end be cut there, as unframed ones are? */
static bool is_cut_behind(struct glance *g, const struct seen_line *l) {
    struct seen_line *kept = slot_of(g, l->at);
    if (kept->end == 0 || kept->at != l->at)
        return wrap_may_be_cut(g->text, l->end);
    if (kept->cut_behind == CUT_NOT_ASKED)
        kept->cut_behind = wrap_may_be_cut(g->text, l->end) ? CUT_PERHAPS
                                                            : CUT_NOT;
    return kept->cut_behind == CUT_PERHAPS;
}

/* The same for framed ones. */
static bool is_cut_in_stream(struct glance *g, const struct seen_line *l) {
    struct seen_line kept = *line_at(g, l->at);
    if (kept.cut_in_stream == CUT_NOT_ASKED) {
        bool may_be = may_be_cut(g, l);
        kept = *line_at(g, l->at);
        kept.cut_in_stream = may_be ? CUT_PERHAPS : CUT_NOT;
        *slot_of(g, l->at) = kept;
    }
    return kept.cut_in_stream == CUT_PERHAPS;
}

/* *near: the line before it, in whatever stream. */
static enum seam seam_before(struct glance *g, const struct seen_line *l,
                             struct seen_line *near) {
    if (l->is_record && l->prefix.n == 0)
        return SEAM_LINE;
    if (l->at == 0)
        return SEAM_UNKNOWN;
    if (l->is_framed)
        return begins_its_stream(g, l) ? SEAM_LINE : SEAM_UNKNOWN;
    *near = *line_at(g, line_before(g->text, l->at));
    struct str raw = raw_line(g->text, near->at);
    if (!near->is_plain || wrap_may_be_folded(g->text, l->at))
        return SEAM_UNKNOWN;
    bool is_line = !wrap_may_join(raw, l->text) || !is_cut_behind(g, near);
    return is_line ? SEAM_LINE : SEAM_EITHER;
}

/* An unframed line goes on with whatever stands right before it. */
static enum seam seam_with_next(struct glance *g, const struct seen_line *l,
                                struct seen_line *next) {
    if (l->end >= g->text.n)
        return is_cut_behind(g, l) ? SEAM_UNKNOWN : SEAM_LINE;
    *next = *line_at(g, l->end);
    if (next->is_plain && !next->is_framed &&
        wrap_may_be_folded(g->text, l->end))
        return SEAM_UNKNOWN;
    bool may_join = !next->is_plain ||
                    (!next->is_framed && !next->is_record &&
                     wrap_may_join(raw_line(g->text, l->at), next->text));
    if (!may_join || !is_cut_behind(g, l))
        return SEAM_LINE;
    return next->is_plain ? SEAM_EITHER : SEAM_UNKNOWN;
}

/* A framed one with the framed line of its stream before it. */
static enum seam seam_in_stream(struct glance *g, const struct seen_line *l,
                                struct seen_line *next) {
    size_t at = l->end;
    enum seam seam = l->is_framed ? SEAM_UNKNOWN : SEAM_LINE;
    while (seam == SEAM_UNKNOWN && at < g->text.n) {
        *next = *line_at(g, at);
        if (!next->is_plain)
            break;
        if (next->is_framed && stream_is_same(&next->who, &l->who))
            seam = may_go_on(l, next) ? SEAM_EITHER : SEAM_LINE;
        else if (at >= l->at + LOG_MEMORY)
            seam = SEAM_LINE;
        at = next->end;
    }
    bool is_line = seam == SEAM_LINE || !is_cut_in_stream(g, l);
    return is_line ? SEAM_LINE : seam;
}

/* *next: the line that may go on with it. */
static enum seam seam_behind(struct glance *g, const struct seen_line *l,
                             struct seen_line *next) {
    struct seen_line framed;
    enum seam seam = seam_with_next(g, l, next);
    enum seam in_stream = seam_in_stream(g, l, &framed);
    if (in_stream == SEAM_LINE || seam == SEAM_UNKNOWN)
        return seam;
    *next = framed;
    return seam == SEAM_LINE ? in_stream : SEAM_UNKNOWN;
}

/* ---- a text of several lines ---- */

static bool put_front(struct glance *g, struct str text) {
    if (g->from < text.n)
        return false;
    g->from -= text.n;
    memcpy(g->lines + g->from, text.p, text.n);
    return true;
}

static bool put_behind(struct glance *g, struct str text) {
    if (sizeof g->lines - g->to < text.n)
        return false;
    memcpy(g->lines + g->to, text.p, text.n);
    g->to += text.n;
    return true;
}

static void put_only(struct glance *g, struct str text) {
    g->from = g->to = GLANCE_FRONT;
    put_front(g, text);
}

/* The line above l, not far, that has a frame or is not known; `at` of the
 * earliest one looked at when there is none. What was gone through is not gone
 * through again. */
static const struct seen_line *framed_above(struct glance *g,
                                            const struct seen_line *l,
                                            size_t *at) {
    const struct seen_line *found = NULL;
    size_t from = l->at;
    *at = l->at;
    while (!found && *at > 0 && l->at - *at <= LOG_MEMORY) {
        if (*at > g->quiet_from && *at <= g->quiet_to) {
            from = *at = g->quiet_from;
            continue;
        }
        *at = line_before(g->text, *at);
        const struct seen_line *before = line_at(g, *at);
        if (!before->is_plain || before->is_framed)
            found = before;
        else
            from = *at;
    }
    g->quiet_from = from;
    g->quiet_to = l->at;
    return found;
}

/* A line without a frame goes on with who spoke above, or does not. */
static bool may_be_named_above(struct glance *g, const struct seen_line *l) {
    if (l->is_framed)
        return false;
    size_t at;
    const struct seen_line *above = framed_above(g, l, &at);
    if (!above)
        return at == 0;
    return !above->is_plain || !stream_is_nobody(&above->who);
}

enum find { FIND_LINE, FIND_NONE, FIND_UNKNOWN };

/* The last line of its stream before l, as far as a match may begin. */
static enum find find_before(struct glance *g, const struct seen_line *l,
                             struct seen_line *before) {
    size_t at = l->at;
    if (may_be_named_above(g, l))
        return FIND_UNKNOWN;
    while (at > 0 && g->at - at <= SPAN_REACH) {
        at = line_before(g->text, at);
        *before = *line_at(g, at);
        if (!before->is_plain || may_be_named_above(g, before))
            return FIND_UNKNOWN;
        if (stream_is_same(&before->who, &l->who))
            return FIND_LINE;
    }
    return at > 0 ? FIND_NONE : FIND_UNKNOWN;
}

struct question {
    struct regex *regex;
    uint32_t lines; /* so many before the literal's may hold a match's begin */
    uint32_t seams; /* that may be none; each doubles the work */
    uint32_t depth;
};

/* Could it match with the lines at hand, beginning in one of them? skipped: of
 * their bytes in front. */
static bool may_match(struct glance *g, const struct question *q,
                      size_t skipped) {
    struct search search = {
        .subject = {g->lines + g->from, g->to - g->from},
        .from = skipped, .latest = GLANCE_FRONT - g->from};
    return regex_may_match(g->s->matcher, q->regex, &search);
}

/* Whatever the line's end is: one, or the next line goes on there. */
static bool denies_with_ends(struct glance *g, const struct question *q,
                             size_t skipped) {
    struct seen_line l = *line_at(g, g->at), next;
    g->to = GLANCE_FRONT;
    for (int i = 0; i < GLANCE_BEHIND; i++) {
        if (!put_behind(g, STR("\n")) || may_match(g, q, skipped))
            return false;
        g->to--;
        enum seam seam = seam_behind(g, &l, &next);
        if (seam == SEAM_LINE)
            return true;
        if (seam == SEAM_UNKNOWN || !put_behind(g, next.text))
            return false;
        l = next;
    }
    return !may_match(g, q, skipped);
}

static bool denies_before(struct glance *g, struct question q,
                          const struct seen_line *l);

/* l, of which the text is put, is a line of its own. */
static bool denies_as_line(struct glance *g, struct question q,
                           const struct seen_line *l) {
    struct seen_line before;
    if (!put_front(g, STR("\n")))
        return false;
    enum find found = q.lines > 0 ? find_before(g, l, &before) : FIND_NONE;
    if (found == FIND_NONE)
        return denies_with_ends(g, &q, 1);
    if (found == FIND_UNKNOWN || !put_front(g, before.text))
        return false;
    q.lines -= str_trim(before.text).n > 0;
    return denies_before(g, q, &before);
}

/* Whatever l and the lines before it may be to each other. */
static bool denies_before(struct glance *g, struct question q,
                          const struct seen_line *l) {
    struct seen_line near;
    size_t from = g->from;
    enum seam seam = seam_before(g, l, &near);
    if (seam == SEAM_UNKNOWN || ++q.depth > GLANCE_GATHERED ||
        !denies_as_line(g, q, l))
        return false;
    g->from = from;
    return seam == SEAM_LINE ||
           (++q.seams <= GLANCE_SEAMS && put_front(g, near.text) &&
            denies_before(g, q, &near));
}

/* ---- tails ---- */

/* Where the folded literal begins in the line, from `from` on; line.n:
 * nowhere. */
static size_t next_literal(struct str line, struct str literal, size_t from) {
    for (; from < line.n; from++) {
        size_t at = from, i = 0;
        if ((line.p[from] | 0x20) != (literal.p[0] | 0x20))
            continue;
        for (; i < literal.n && at < line.n; i++) {
            unsigned char c = fold_byte((unsigned char)line.p[at++]);
            if (c != (unsigned char)literal.p[i])
                break;
            while (c == ' ' && at < line.n &&
                   fold_byte((unsigned char)line.p[at]) == ' ')
                at++;
        }
        if (i == literal.n)
            return from;
    }
    return line.n;
}

static bool denies_at(struct glance *g, struct regex *tail, struct str line,
                      size_t at) {
    struct search search = {.subject = line, .from = at, .latest = at};
    if (!regex_may_match(g->s->matcher, tail, &search))
        return true;
    struct question q = {.regex = tail};
    put_only(g, line);
    return line_at(g, g->at)->is_plain && denies_with_ends(g, &q, at);
}

bool glance_denies_tail(struct glance *g, uint32_t pattern,
                        struct str literal) {
    struct regex *tail = scan_tail(g->s, pattern);
    struct pattern_state *p = scan_known(g->s, pattern);
    struct str line = raw_line(g->text, g->at);
    uint64_t before = regex_steps(g->s->matcher);
    if (!tail || line.n == 0 || line.p[line.n - 1] == '}' ||
        !is_plain(line) || !budget_allows(g->s, p))
        return false;
    size_t at = next_literal(line, literal, 0);
    while (at < line.n && denies_at(g, tail, line, at))
        at = next_literal(line, literal, at + 1);
    budget_charge(g->s, p, before);
    return at == line.n;
}

/* ---- the door ---- */

void glance_at(struct glance *g, size_t at) {
    g->at = at;
}

bool glance_denies(struct glance *g, uint32_t pattern) {
    struct pattern_state *p = scan_pattern(g->s, pattern);
    struct seen_line l = *line_at(g, g->at);
    struct question q = {.regex = p->regex, .lines = p->reach.lines};
    if (!p->reach.is_known || !l.is_plain || l.text.n == 0 ||
        !budget_allows(g->s, p))
        return false;
    put_only(g, l.text);
    uint64_t before = regex_steps(g->s->matcher);
    bool is_denied = denies_before(g, q, &l);
    budget_charge(g->s, p, before);
    return is_denied;
}
