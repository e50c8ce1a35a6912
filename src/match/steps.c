/* steps.c: callouts behind repeats.
 *
 *     [^\s"]*(?:llama-cli|llama-server) -c \d+
 *     [^\s"]*(?C)(?:llama-cli|llama-server)\s+(?C)-c\s+(?C)\d+(?C)
 *
 * Work that grows faster than the text comes from repeats: each place that one
 * of them is taken to, or taken back to, is a try of what stands behind it. So
 * what is counted there grows as the work does. PCRE2's interpreter and its
 * machine code leave out other places, so their counts differ by a constant;
 * which of the two runs a search depends on the searches before it (HOT), and
 * on whether the system allows machine code.
 *
 * A run counts little: a repeat of at most REPEATS_MOST is a constant, and
 * blanks or digits behind a character that is none are gone through once. What
 * these constants come to is counted at build, where nothing is left out.
 *
 * Quoted text (\Q) is left as it is from there on: no pattern of the corpus
 * uses it. */
#include "match/steps.h"

#include <string.h>

#include "base/buf.h"
#include "match/pattern_text.h"

#define CALLOUT "(?C)"
#define REPEATS_MOST 512

enum item { /* of the pattern, as far as it matters to the next one */
    ITEM_OTHER,
    ITEM_FIXED, /* one character, no blank and no digit */
    ITEM_RUN    /* \s or \d */
};

struct walk {
    struct str p;
    size_t at;
    struct buf *out;
    enum steps_of which;
    enum item before, last; /* of the items so far */
};

static char peek(const struct walk *w, size_t ahead) {
    return w->at + ahead < w->p.n ? w->p.p[w->at + ahead] : '\0';
}

static bool is_any_of(char c, const char *list) {
    return c != '\0' && strchr(list, c) != NULL;
}

static void copy_to(struct walk *w, size_t end) {
    buf_add(w->out, str_slice(w->p, w->at, end - w->at));
    w->at = end < w->p.n ? end : w->p.n;
}

static size_t behind(const struct walk *w, char c) {
    return w->at + str_find_char(str_slice(w->p, w->at, w->p.n), c) + 1;
}

static void note_item(struct walk *w, enum item item) {
    w->before = w->last;
    w->last = item;
}

static bool is_fixed_char(char c) {
    return c > ' ' && c < 0x7F && !is_any_of(c, ".^$|()0123456789");
}

/* With what is an argument of its letter: \x{1F}, \p{L}, \g{1}. */
static void copy_escape(struct walk *w) {
    char letter = peek(w, 1);
    bool is_word = (letter | 0x20) >= 'a' && (letter | 0x20) <= 'z';
    bool is_fixed = !is_word && !(letter >= '0' && letter <= '9');
    note_item(w, is_any_of(letter, "sd") ? ITEM_RUN
                 : is_fixed              ? ITEM_FIXED
                                         : ITEM_OTHER);
    if (letter == 'Q')
        copy_to(w, w->p.n);
    else if (is_any_of(letter, "xpPNgko") && peek(w, 2) == '{')
        copy_to(w, behind(w, '}'));
    else
        copy_to(w, w->at + 2);
}

/* Its opening, so that no '?' or '+' of it is taken for a repeat. */
static void copy_opening(struct walk *w) {
    if (peek(w, 1) != '?')
        copy_to(w, w->at + 1);
    else if (peek(w, 2) == '#')
        copy_to(w, behind(w, ')'));
    else
        copy_to(w, w->at + 3);
}

struct repeat {
    size_t end; /* behind it; 0: a brace */
    size_t least, most; /* SIZE_MAX: no end */
};

/* Digits with at most one comma in them: a repeat. */
static struct repeat braces_at(const struct walk *w) {
    struct repeat r = {0};
    size_t i = 1, n = 0, commas = 0, digits = 0;
    for (char c; is_any_of(c = peek(w, i), "0123456789,"); i++) {
        if (c == ',' && (++commas > 1 || i == 1))
            return r;
        r.least = c == ',' ? n : r.least;
        digits = c == ',' ? 0 : digits + 1;
        n = c == ',' ? 0 : n * 10 + (size_t)(c - '0');
    }
    if (peek(w, i) != '}' || i == 1)
        return r;
    r.least = commas ? r.least : n;
    r.most = commas && digits == 0 ? SIZE_MAX : n;
    r.end = w->at + i + 1;
    return r;
}

static struct repeat repeat_at(const struct walk *w) {
    char c = peek(w, 0);
    if (c == '{')
        return braces_at(w);
    return (struct repeat){w->at + 1, c == '+', c == '?' ? 1 : SIZE_MAX};
}

static bool is_counted(const struct walk *w, const struct repeat *r) {
    bool is_varied = r->most > r->least && r->most > 1;
    if (w->which == STEPS_OF_ALL)
        return is_varied;
    return is_varied && r->most > REPEATS_MOST &&
           !(w->last == ITEM_RUN && w->before == ITEM_FIXED);
}

static void take_repeat(struct walk *w) {
    struct repeat r = repeat_at(w);
    copy_to(w, r.end > 0 ? r.end : w->at + 1);
    if (r.end > 0 && is_any_of(peek(w, 0), "?+"))
        copy_to(w, w->at + 1);
    if (r.end > 0 && is_counted(w, &r))
        buf_add(w->out, STR(CALLOUT));
    w->last = ITEM_OTHER;
}

static void copy_next(struct walk *w) {
    char c = peek(w, 0);
    if (c == '\\') {
        copy_escape(w);
        return;
    }
    if (is_any_of(c, "*+?{")) {
        take_repeat(w);
        return;
    }
    note_item(w, is_fixed_char(c) && c != '[' ? ITEM_FIXED : ITEM_OTHER);
    if (c == '[')
        copy_to(w, pattern_class_end(w->p, w->at));
    else if (c == '(')
        copy_opening(w);
    else
        copy_to(w, w->at + 1);
}

struct str steps_counted(struct arena *a, struct str prepared,
                         enum steps_of which) {
    struct buf out;
    buf_init_in(&out, a, 0);
    struct walk w = {.p = prepared, .out = &out, .which = which};
    while (w.at < w.p.n)
        copy_next(&w);
    if (!buf_ok(&out))
        arena_raise(a, FAIL_MEMORY, "out of memory for a pattern");
    return buf_str(&out);
}

static bool has_callout_at(struct str text, size_t at) {
    return str_starts(str_slice(text, at, text.n), STR(CALLOUT));
}

size_t steps_place(struct str prepared, struct str counted, size_t at) {
    size_t place = 0;
    for (size_t i = 0; i < at && place < prepared.n;) {
        bool is_added = has_callout_at(counted, i) &&
                        !has_callout_at(prepared, place);
        i += is_added ? strlen(CALLOUT) : 1;
        place += !is_added;
    }
    return place;
}
