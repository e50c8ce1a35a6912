/* glance.c: most lines that hold a pattern's words are no match of it, and most
 * of these can be told alone.
 *
 * A line stands alone when nothing before it could change how it is read: it is
 * plain, has a record's beginning of its own, or does not go on inside of a word
 * of the line before. A pattern can be judged by it when its matches begin in
 * the line of their literal (reach.h). Then it is tried on the line, and where
 * it fails without having wanted to look further, no line behind can help.
 *
 * Whatever is not sure of this is not denied.
 */
#include "match/glance.h"

#include <string.h>

#include "log/clean.h"
#include "log/frame.h"
#include "log/stream.h"
#include "log/wrap.h"

#define GLANCE_BYTES 4096 /* a longer line is read */
#define GLANCE_LINES 256
#define GLANCE_LINES_BYTES (16 * 1024)  /* remembered */

struct seen_line {
    size_t at, end; /* of all of it; end 0: none */
    struct str text;
    struct str body; /* with a record's prefix before it */
    struct stream who;
    bool is_plain, is_framed, is_record;
};

struct glance {
    struct scanner *s;
    struct str text; /* in which lines are */
    struct seen_line seen[GLANCE_LINES];
    size_t at; /* the line asked about */
    bool is_alone, ends_alone;
    char lines[GLANCE_LINES_BYTES]; /* a newline, and lines up to it */
    size_t n;
    uint32_t before; /* so many lines before it, of its stream */
    bool is_whole;   /* these could be had */
};

struct glance *glance_new(struct scanner *s) {
    struct glance *g = arena_alloc(s->a, sizeof *g);
    g->s = s;
    return g;
}

void glance_begin(struct glance *g, struct str text) {
    g->text = text;
    memset(g->seen, 0, sizeof g->seen);
}

/* ---- lines ---- */

static struct frame stripped(struct str line, bool follows) {
    struct frame f = {.text = line, .who = stream_none(),
                      .follows_hash = follows, .follows_label = follows};
    frame_strip(&f);
    return f;
}

static bool is_plain(struct str line) {
    for (size_t i = 0; i < line.n; i++)
        if (line.p[i] == '\\' || (line.p[i] != '\t' &&
                                  clean_is_special(line, i)))
            return false;
    return line.n <= GLANCE_BYTES;
}

/* A line of one meaning, whatever stood before it? */
static bool is_certain(struct str line, const struct frame *f) {
    struct frame cri = {.text = line}, other = stripped(line, true);
    return f->text.p == other.text.p && !frame_take_cri(&cri) &&
           !str_starts(f->text, STR("{"));
}

static struct seen_line look_at_line(struct str text, size_t at) {
    struct str line = str_slice(text, at, text.n);
    line.n = str_find_char(line, '\n');
    struct seen_line l = {.at = at, .end = at + line.n + 1};
    while (line.n > 0 && line.p[line.n - 1] == '\r')
        line.n--;
    l.is_plain = is_plain(line);
    if (!l.is_plain)
        return l;
    struct frame f = stripped(line, false);
    l.is_plain = is_certain(line, &f);
    l.text = f.text;
    l.body = (struct str){f.text.p - f.columns, f.text.n + f.columns};
    l.who = f.who;
    l.is_record = f.is_record && f.prefix.n == 0;
    l.is_framed = f.is_record || (f.kinds & ~(unsigned)FRAME_QUOTE) != 0;
    return l;
}

static const struct seen_line *line_at(struct glance *g, size_t at) {
    struct seen_line *l = &g->seen[at % GLANCE_LINES];
    if (l->end == 0 || l->at != at)
        *l = look_at_line(g->text, at);
    return l;
}

static size_t line_before(struct str text, size_t at) {
    at--;
    while (at > 0 && text.p[at - 1] != '\n')
        at--;
    return at;
}

static bool is_one(const struct stream *x, const struct stream *y) {
    return x->rank == y->rank && x->pid == y->pid && str_eq(x->pod, y->pod) &&
           str_eq(x->container, y->container) &&
           str_eq(x->process, y->process);
}

/* Only lines of usual widths are taken for cut, and those that others near are
 * as wide as. */
static bool may_be_cut(struct glance *g, const struct seen_line *l,
                       struct str before) {
    if (wrap_is_usual((uint32_t)before.n) ||
        wrap_is_usual((uint32_t)l->text.n))
        return true;
    size_t at = l->at > LOG_MEMORY ? l->at - LOG_MEMORY : 0;
    size_t to = l->end + LOG_MEMORY;
    at += str_find_char(str_slice(g->text, at, g->text.n), '\n') + 1;
    while (at < g->text.n && at < to) {
        const struct seen_line *other = line_at(g, at);
        bool is_equal = !other->is_plain || other->body.n == before.n ||
                        other->end - other->at - 1 == before.n;
        if (is_equal && at != l->at)
            return true;
        at = other->end;
    }
    return false;
}

/* Could no framed line near, of the same stream, go on in this one? */
static bool begins_its_stream(struct glance *g, const struct seen_line *l) {
    size_t at = l->at, least = at > LOG_MEMORY ? at - LOG_MEMORY : 0;
    while (at > least) {
        at = line_before(g->text, at);
        struct seen_line before = *line_at(g, at);
        if (!before.is_plain ||
            (before.is_framed && is_one(&before.who, &l->who) &&
             wrap_may_join(before.body, l->text)))
            return false;
    }
    return at > 0;
}

/* Is nothing of the line before in this one? */
static bool begins_alone(struct glance *g, const struct seen_line *l) {
    if (l->is_record)
        return true;
    if (l->at == 0)
        return false;
    if (l->is_framed)
        return begins_its_stream(g, l);
    const struct seen_line *before =
        line_at(g, line_before(g->text, l->at));
    struct str raw = {g->text.p + before->at, before->end - before->at - 1};
    return before->is_plain && !(wrap_may_join(raw, l->text) &&
                                 wrap_may_be_cut(g->text, l->at));
}

/* And nothing of this one in those behind? */
static bool ends_alone(struct glance *g, const struct seen_line *l) {
    size_t at = l->end;
    struct str own = l->is_framed ? l->body : l->text;
    if (l->is_framed ? !may_be_cut(g, l, own)
                     : !wrap_may_be_cut(g->text, l->end))
        return true;
    while (at < g->text.n && at < l->at + LOG_MEMORY) {
        struct seen_line next = *line_at(g, at);
        bool may_go_on = !next.is_plain ||
                         (!next.is_record && next.is_framed == l->is_framed &&
                          is_one(&next.who, &l->who) &&
                          wrap_may_join(own, next.text));
        if (may_go_on)
            return false;
        if (!l->is_framed)
            return true;
        at = next.end;
    }
    return at < g->text.n;
}

/* ---- several lines ---- */

static bool put_front(struct glance *g, size_t *from, struct str text) {
    if (*from < text.n + 2)
        return false;
    g->lines[--*from] = '\n';
    *from -= text.n;
    memcpy(g->lines + *from, text.p, text.n);
    return true;
}

/* The line and so many of its stream before it, blank ones not counted, as one
 * text. False: one of them is not known for sure. */
static bool put_lines(struct glance *g, uint32_t before) {
    struct seen_line l = *line_at(g, g->at);
    size_t from = GLANCE_LINES_BYTES, at = g->at;
    bool is_put = put_front(g, &from, l.text);
    uint32_t count = 0;
    while (is_put && count < before && at > 0) {
        at = line_before(g->text, at);
        struct seen_line one = *line_at(g, at);
        if (g->at - at > LOG_MEMORY || !one.is_plain)
            return false;
        if (!is_one(&one.who, &l.who)) {
            if (!one.is_framed || !l.is_framed)
                return false; /* may go on with who spoke above */
            continue;
        }
        is_put = begins_alone(g, &one) && put_front(g, &from, one.text);
        count += str_trim(one.text).n > 0;
    }
    if (!is_put || count < before)
        return false;
    g->lines[--from] = '\n';
    g->n = GLANCE_LINES_BYTES - from - !g->ends_alone;
    memmove(g->lines, g->lines + from, g->n);
    return true;
}

/* ---- the door ---- */

void glance_at(struct glance *g, size_t at) {
    struct seen_line l = *line_at(g, at);
    g->at = at;
    g->is_alone = l.is_plain && l.text.n > 0 && begins_alone(g, &l);
    if (!g->is_alone)
        return;
    g->ends_alone = ends_alone(g, &l);
    g->before = 0;
    g->is_whole = put_lines(g, 0);
}

bool glance_denies(struct glance *g, uint32_t pattern) {
    if (!g->is_alone)
        return false;
    struct pattern_state *p = scan_pattern(g->s, pattern);
    if (!p->reach.is_known)
        return false;
    if (g->before != p->reach.lines)
        g->is_whole = put_lines(g, p->reach.lines);
    g->before = p->reach.lines;
    struct search search = {.subject = {g->lines, g->n}, .from = 1,
                            .latest = g->n - 1 - g->ends_alone};
    return g->is_whole && !regex_may_match(g->s->matcher, p->regex, &search);
}
