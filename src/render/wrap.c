/* wrap.c: breaks a paragraph into lines. English breaks at blanks, Chinese
 * between any two characters except before a closing mark or behind an opening
 * one.
 *
 * Not broken are words (flags, paths, URLs), a `code span` that fits a line,
 * and a number and its unit. A word that is wider than the line exceeds it: in
 * two parts it could not be copied. */
#include "base/limits.h"
#include "render/text_writer.h"

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
    size_t break_end, break_next; /* the last place where the line may end */
    size_t break_columns;         /* columns behind break_next */
    size_t span_to;       /* byte behind the `code span` at this place */
    size_t quoted_to;     /* the same, if the span stays whole */
};

/* The text cleaned and trimmed, each run of blanks as one. */
static struct str squeezed(struct arena *a, struct str text) {
    struct buf clean = buf_in(a, PARAGRAPH_BYTES_MAX);
    utf8_clean(&clean, str_slice(text, 0, PARAGRAPH_BYTES_MAX / 4));
    struct str s = str_trim(kept_text(a, &clean));
    char *p = arena_alloc(a, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        if (!is_any(s.p[i], " \n\t"))
            p[n++] = s.p[i];
        else if (n > 0 && p[n - 1] != ' ')
            p[n++] = ' ';
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

static bool is_wide(struct utf8_char c) {
    return c.columns == 2 || (c.cp > 0x7F && is_one_of(c.cp, U"“”‘’…"));
}

/* True for the blank in "5.40 GiB". */
static bool is_before_unit(struct str text, size_t at) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "bytes",
                                        "%"};
    bool is_number = at > 0 && is_digit(text.p[at - 1]);
    for (size_t i = 0; i < sizeof units / sizeof *units && is_number; i++)
        if (str_starts(str_from(text, at + 1), str_of(units[i])))
            return true;
    return false;
}

static size_t limit(const struct wrapping *w) {
    return w->lines.count == 0 ? w->first : w->rest;
}

/* The columns of the text at `at` up to the next possible break. */
static size_t columns_glued(const struct wrapping *w, size_t at) {
    size_t all = 0;
    while (at < w->text.n) {
        struct utf8_char c = utf8_char_at(w->text, at);
        if (c.cp == ' ' || (is_wide(c) && !may_not_begin_line(c.cp)))
            break;
        all += c.columns;
        at += c.n;
    }
    return all;
}

/* Reads the code span at `at`. With the text that is glued to it, it stays
 * whole if it fits on this line or on the next one; else it breaks at its
 * blanks. */
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

/* True if a line may end before the character c at `at`, behind prev. */
static bool may_break_before(const struct wrapping *w, size_t at,
                             struct utf8_char prev, struct utf8_char c) {
    return at > w->start && at >= w->quoted_to && prev.cp != ' ' &&
           c.cp != ' ' && (is_wide(prev) || is_wide(c)) &&
           !may_not_begin_line(c.cp) &&
           !is_one_of(prev.cp, U"([{“‘（【《「『");
}

static void take(struct wrapping *w, size_t at, struct utf8_char c) {
    if (c.cp == '`' && at >= w->span_to)
        open_span(w, at);
    if (c.cp == ' ' && at >= w->quoted_to && !is_before_unit(w->text, at))
        note_break(w, at, at + c.n);
    else
        w->break_columns += c.columns;
    w->columns += c.columns;
    bool is_over = w->columns > limit(w) && c.cp != ' ';
    if (is_over && w->has_break) {
        size_t left = w->break_columns;
        end_line(w, w->break_end, w->break_next);
        w->columns = left;
    }
}

struct str_list wrap_text(struct arena *a, struct str text, size_t first,
                          size_t rest) {
    struct wrapping w = {.a = a, .text = squeezed(a, text), .first = first,
                         .rest = rest};
    struct utf8_char prev = {' ', 1, 1};
    for (size_t at = 0; at < w.text.n; at += prev.n) {
        struct utf8_char c = utf8_char_at(w.text, at);
        if (may_break_before(&w, at, prev, c))
            note_break(&w, at, at);
        take(&w, at, c);
        prev = c;
    }
    if (w.start < w.text.n)
        end_line(&w, w.text.n, w.text.n);
    return w.lines;
}
