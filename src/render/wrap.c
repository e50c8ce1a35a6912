/* wrap.c: one paragraph to lines. English breaks at blanks, Chinese between
 * any two characters except before a closing mark or after an opening one.
 *
 * What must stay whole: a word without blanks (flags, paths, URLs), a span in
 * `backquotes` that fits a line, a number and its unit. A word wider than the
 * line is left to stand out; cutting it would make it useless to copy.
 */
#include "base/limits.h"
#include "render/page.h"

#include <uchar.h>

#include "base/utf8.h"

struct wrapping {
    struct arena *a;
    struct str text;      /* cleaned, single blanks */
    size_t first, rest;   /* columns of the first and the other lines */
    struct str_list lines;
    size_t cap;
    size_t start;         /* byte where this line begins */
    size_t columns;       /* so far on this line */
    bool has_break;
    size_t break_end, break_next; /* the last place where it may end */
    size_t break_columns;         /* columns after break_next */
    size_t span_to;       /* byte behind the `span` we are in */
    size_t quoted_to;     /* the same, if it stays whole */
};

static bool is_blank(uint32_t cp) {
    return cp == ' ' || cp == '\n' || cp == '\t';
}

/* Cleaned, trimmed, runs of blanks as one. */
static struct str squeezed(struct arena *a, struct str text) {
    struct buf clean;
    buf_init_in(&clean, a, PARAGRAPH_BYTES_MAX);
    utf8_clean(&clean, str_slice(text, 0, PARAGRAPH_BYTES_MAX / 4));
    struct str s = str_trim(settled(a, &clean));
    char *p = arena_alloc(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        bool blank = is_blank((unsigned char)s.p[i]);
        if (!blank)
            p[n++] = s.p[i];
        else if (n > 0 && p[n - 1] != ' ')
            p[n++] = ' ';
    }
    return (struct str){p, n};
}

static bool is_one_of(uint32_t cp, const char32_t *set) {
    while (*set != 0 && *set != cp)
        set++;
    return *set != 0;
}

static bool may_not_begin_line(uint32_t cp) {
    return is_one_of(cp, U",.;:!?)]}%”’…，。、；：！？）】》」』％");
}

static bool may_not_end_line(uint32_t cp) {
    return is_one_of(cp, U"([{“‘（【《「『");
}

static bool is_wide(uint32_t cp, size_t columns) {
    return columns == 2 || (cp > 0x7F && is_one_of(cp, U"“”‘’…"));
}

/* "5.40" | "GiB": does a unit follow the blank at byte at? */
static bool is_before_unit(struct str text, size_t at) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "bytes",
                                        "%"};
    char before = at > 0 ? text.p[at - 1] : ' ';
    if (before < '0' || before > '9')
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (str_starts(str_slice(text, at + 1, 8), str_of(units[i])))
            return true;
    return false;
}

static size_t limit(const struct wrapping *w) {
    return w->lines.count == 0 ? w->first : w->rest;
}

/* Columns of what cannot be parted from the byte before at. */
static size_t columns_glued(const struct wrapping *w, size_t at) {
    size_t all = 0;
    while (at < w->text.n) {
        uint32_t cp = 0;
        size_t n = utf8_next(str_from(w->text, at), &cp);
        size_t columns = utf8_width(str_slice(w->text, at, n));
        bool may_part = is_wide(cp, columns) && !may_not_begin_line(cp);
        if (cp == ' ' || may_part)
            break;
        all += columns;
        at += n;
    }
    return all;
}

/* A span opens at byte at. It stays whole when it fits this line, or the next
 * with what cannot be parted from it; else it breaks at its blanks. */
static void open_span(struct wrapping *w, size_t at) {
    struct str inner = str_from(w->text, at + 1);
    size_t close = str_find_char(inner, '`');
    if (close == inner.n)
        return;
    struct str span = str_slice(w->text, at, close + 2);
    size_t columns = utf8_width(span) + columns_glued(w, at + span.n);
    bool fits = w->columns + columns <= limit(w) ||
                (w->has_break && w->break_columns + columns <= w->rest);
    w->span_to = at + span.n;
    w->quoted_to = fits ? w->span_to : at;
}

static void end_line(struct wrapping *w, size_t end, size_t next) {
    *ARENA_ADD(w->a, w->lines.at, w->lines.count, w->cap) =
        str_slice(w->text, w->start, end - w->start);
    w->start = next;
    w->has_break = false;
}

static void note_break(struct wrapping *w, size_t end, size_t next) {
    w->has_break = true;
    w->break_end = end;
    w->break_next = next;
    w->break_columns = 0;
}

/* May a line end before the character cp at byte at? prev stands before it. */
static bool may_break_before(const struct wrapping *w, size_t at, uint32_t prev,
                             size_t prev_columns, uint32_t cp, size_t columns) {
    if (at <= w->start || at < w->quoted_to || prev == ' ' || cp == ' ')
        return false;
    if (!is_wide(prev, prev_columns) && !is_wide(cp, columns))
        return false;
    return !may_not_begin_line(cp) && !may_not_end_line(prev);
}

static void take(struct wrapping *w, size_t at, size_t n, uint32_t cp,
                 size_t columns) {
    if (cp == '`' && at >= w->span_to)
        open_span(w, at);
    if (cp == ' ' && at >= w->quoted_to && !is_before_unit(w->text, at))
        note_break(w, at, at + n);
    else
        w->break_columns += columns;
    w->columns += columns;
    bool is_over = w->columns > limit(w) && cp != ' ';
    if (is_over && w->has_break) {
        size_t left = w->break_columns;
        end_line(w, w->break_end, w->break_next);
        w->columns = left;
    }
}

struct str_list wrap_text(struct arena *a, struct str text, size_t first,
                     size_t rest) {
    struct wrapping w = {.a = a, .first = first, .rest = rest};
    w.text = squeezed(a, text);
    uint32_t prev = ' ';
    size_t prev_columns = 1;
    for (size_t at = 0; at < w.text.n;) {
        uint32_t cp = 0;
        size_t n = utf8_next(str_from(w.text, at), &cp);
        size_t columns = utf8_width(str_slice(w.text, at, n));
        if (may_break_before(&w, at, prev, prev_columns, cp, columns))
            note_break(&w, at, at);
        take(&w, at, n, cp, columns);
        prev = cp;
        prev_columns = columns;
        at += n;
    }
    if (w.start < w.text.n)
        end_line(&w, w.text.n, w.text.n);
    return w.lines;
}
