/* reach.c: reading a pattern up to its literal.
 *
 *     [\w.]+Error: \(pid (?<pid>\d+)\) CUDA out of memory
 *     '- one line -'     '- one line -''- the run that holds a literal
 *                  ^ a blank may be a line's end: one line more
 *
 * Nearly all patterns begin on the line of their literal, or few before it, and
 * PCRE2 need not be asked about kilobytes in front of it. Only what is surely
 * understood counts; for all other patterns nothing is known, and the caller
 * looks back as far as it looks for any.
 */
#include "match/reach.h"
#include "log/plain.h"
#include "match/literals.h"

#include <string.h>

#define RUN_BYTES 512
#define LINES_MAX 8 /* more is not worth knowing */
#define DEPTH_MAX 20

struct way { /* through alternatives, up to their end */
    bool is_good;  /* understood */
    bool is_found; /* each of them holds a literal ... */
    uint32_t bytes, lines_before; /* ... and how far on, at most */
    uint32_t lines;               /* line ends that they may match */
};

struct walk {
    struct str p;
    size_t at;
    const struct str_list *literals;
    uint32_t depth;
};

struct branch {
    struct way way;
    char run[RUN_BYTES];
    size_t run_n;
    uint32_t run_lines; /* before the run */
};

enum atom { ATOM_BAD, ATOM_NOTHING, ATOM_INLINE, ATOM_BLANK, ATOM_ANY };

static char peek(const struct walk *w, size_t ahead) {
    return w->at + ahead < w->p.n ? w->p.p[w->at + ahead] : '\0';
}

static bool is_any_of(char c, const char *list) {
    return c != '\0' && strchr(list, c) != NULL;
}

static bool is_punctuation(char c) {
    return c > ' ' && c < 0x7F && !(c >= '0' && c <= '9') &&
           !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z');
}

/* ---- runs ---- */

/* Where the first of the literals begins; run.n: nowhere. */
static size_t find_literal(const struct walk *w, struct str run) {
    size_t first = run.n;
    for (size_t i = 0; i < w->literals->count; i++) {
        size_t at = str_find(run, w->literals->at[i]);
        first = at < first ? at : first;
    }
    return first;
}

static uint32_t count_blanks(struct str run) {
    uint32_t count = 0;
    for (size_t i = 0; i < run.n; i++)
        count += run.p[i] == ' ';
    return count;
}

static void end_run(const struct walk *w, struct branch *b) {
    struct str run = {b->run, b->run_n};
    size_t at = find_literal(w, run);
    if (!b->way.is_found && at < run.n) {
        b->way.is_found = true;
        b->way.bytes = (uint32_t)run.n;
        b->way.lines_before =
            b->run_lines + count_blanks(str_slice(run, 0, at));
    }
    b->run_n = 0;
}

static void add_to_run(const struct walk *w, struct branch *b, char c) {
    char folded = (char)fold_byte((unsigned char)c);
    if (b->run_n == RUN_BYTES)
        end_run(w, b);
    if (b->run_n == 0)
        b->run_lines = b->way.lines;
    if (folded == ' ') {
        b->way.lines++;
        if (b->run_n > 0 && b->run[b->run_n - 1] == ' ')
            return;
    }
    b->run[b->run_n++] = folded;
}

/* ---- atoms ---- */

static uint32_t hex_digit(char c) {
    return c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
           : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
           : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                  : 16;
}

/* "22", behind "\\x": a byte that ends no line. */
static bool is_hex_inline(const struct walk *w) {
    uint32_t high = hex_digit(peek(w, 0)), low = hex_digit(peek(w, 1));
    return high >= 2 && high <= 15 && low <= 15;
}

/* An escape in a class: '\' is taken. False: not understood. */
static bool take_class_escape(struct walk *w, bool is_negated,
                              bool *has_newline) {
    char c = peek(w, 0);
    w->at++;
    if (c == 'x' && is_hex_inline(w))
        w->at += 2;
    else if (!is_punctuation(c) && !is_any_of(c, "nswdSt"))
        return false;
    *has_newline = *has_newline || c == 'n' || c == 's';
    bool is_range = peek(w, 0) == '-' && peek(w, 1) != ']';
    bool may_begin_range = c == 'x' || is_punctuation(c);
    return !(is_range && !may_begin_range) && !(c == 'S' && is_negated);
}

/* A class: '[' is taken. */
static enum atom take_class(struct walk *w) {
    bool is_negated = peek(w, 0) == '^', has_newline = false;
    w->at += is_negated;
    for (bool is_first = true; peek(w, 0) != ']' || is_first;) {
        char c = peek(w, 0);
        bool is_named = c == '[' && is_any_of(peek(w, 1), ":.=");
        is_first = false;
        w->at++;
        if ((unsigned char)c < ' ' || is_named ||
            (c == '\\' && !take_class_escape(w, is_negated, &has_newline)))
            return ATOM_BAD;
    }
    w->at++;
    return has_newline == is_negated ? ATOM_INLINE : ATOM_ANY;
}

/* "\x22": "\x" is taken. */
static enum atom take_hex(struct walk *w, char *plain) {
    uint32_t high = hex_digit(peek(w, 0)), low = hex_digit(peek(w, 1));
    uint32_t byte = 16 * high + low;
    if (high > 15 || low > 15 || byte < ' ' || byte == 0x7F)
        return ATOM_BAD;
    w->at += 2;
    *plain = byte < 0x7F ? (char)byte : '\0'; /* else a byte as any other */
    return ATOM_INLINE;
}

/* '\' is taken; *plain: the character it stands for. */
static enum atom take_escape(struct walk *w, char *plain) {
    char c = peek(w, 0);
    w->at++;
    if (c == 'x')
        return take_hex(w, plain);
    if (is_punctuation(c) || c == ' ') {
        *plain = c;
        return ATOM_INLINE;
    }
    if (is_any_of(c, "bB"))
        return ATOM_NOTHING;
    if (is_any_of(c, "dwSt"))
        return ATOM_INLINE;
    if (is_any_of(c, "sn"))
        return ATOM_BLANK;
    return is_any_of(c, "DW") ? ATOM_ANY : ATOM_BAD;
}

struct times {
    bool is_given, is_endless;
    uint32_t most;
};

static uint32_t take_count(struct walk *w) {
    uint32_t n = 0;
    while (peek(w, 0) >= '0' && peek(w, 0) <= '9' && n < 10000)
        n = n * 10 + (uint32_t)(w->p.p[w->at++] - '0');
    return n;
}

/* What does not read as one is taken for endless: that says the least. */
static struct times take_times(struct walk *w) {
    struct times t = {.most = 1};
    char c = peek(w, 0);
    if (c == '\0' || !is_any_of(c, "*+?{"))
        return t;
    w->at++;
    t.is_given = true;
    t.is_endless = c == '*' || c == '+';
    if (c == '{') {
        t.most = take_count(w);
        if (peek(w, 0) == ',') {
            w->at++;
            t.is_endless = peek(w, 0) == '}';
            t.most = take_count(w);
        }
        while (peek(w, 0) != '}' && peek(w, 0) != '\0')
            w->at++;
        w->at++;
    }
    if (peek(w, 0) == '+' || peek(w, 0) == '?')
        w->at++;
    return t;
}

static struct way take_ways(struct walk *w);

/* After "(": what is not looked at for its text. */
static bool is_look(struct walk *w) {
    return peek(w, 0) == '?' &&
           (is_any_of(peek(w, 1), "=!") ||
            (peek(w, 1) == '<' && is_any_of(peek(w, 2), "=!")));
}

static bool enter_group(struct walk *w) {
    if (peek(w, 0) != '?')
        return peek(w, 0) != '*';
    if (is_any_of(peek(w, 1), ":=!>")) {
        w->at += 2;
        return true;
    }
    if (is_any_of(peek(w, 1), "im") && peek(w, 2) == ':') {
        w->at += 3;
        return true;
    }
    if (peek(w, 1) != '<')
        return false;
    if (is_any_of(peek(w, 2), "=!")) {
        w->at += 3;
        return true;
    }
    while (peek(w, 0) != '>' && peek(w, 0) != '\0')
        w->at++;
    w->at++;
    return true;
}

/* "(?&amount)" and its like: numbers, and a blank at most. */
static struct way take_macro(struct walk *w) {
    while (peek(w, 0) != ')' && peek(w, 0) != '\0')
        w->at++;
    w->at++;
    return (struct way){.is_good = w->at <= w->p.n, .lines = 1};
}

static struct way take_group(struct walk *w) {
    if (peek(w, 0) == '?' && peek(w, 1) == '&')
        return take_macro(w);
    bool is_empty = is_look(w);
    if (!enter_group(w))
        return (struct way){0};
    struct way inner = take_ways(w);
    inner.is_good = inner.is_good && peek(w, 0) == ')';
    w->at++;
    if (is_empty)
        inner = (struct way){.is_good = inner.is_good};
    return inner;
}

/* "[Oo]" is one letter: case is folded. */
static bool take_letter(struct walk *w, char *plain) {
    char one = peek(w, 0), other = peek(w, 1);
    bool is_letter = one != other && other >= 'a' && other <= 'z' &&
                     fold_byte((unsigned char)one) == (unsigned char)other &&
                     peek(w, 2) == ']';
    if (is_letter) {
        *plain = other;
        w->at += 3;
    }
    return is_letter;
}

/* ---- branches ---- */

static void add_lines(struct branch *b, uint32_t lines, struct times t) {
    bool is_too_much = lines > 0 && (t.is_endless || t.most > LINES_MAX);
    uint32_t more = is_too_much ? UINT32_MAX / 4 : lines * t.most;
    b->way.lines = more < UINT32_MAX / 4 - b->way.lines
                       ? b->way.lines + more
                       : UINT32_MAX / 4;
}

static void add_group(const struct walk *w, struct branch *b, struct way inner,
                      struct times t) {
    end_run(w, b);
    if (inner.is_found && !t.is_given && !b->way.is_found) {
        b->way.is_found = true;
        b->way.bytes = inner.bytes;
        b->way.lines_before = b->way.lines + inner.lines_before;
    }
    add_lines(b, inner.lines, t);
}

/* A blank, however often, is one run of blanks. */
static void add_atom(const struct walk *w, struct branch *b, enum atom atom,
                     char plain, struct times t) {
    if (atom == ATOM_NOTHING)
        return;
    if (plain != '\0' && !t.is_given) {
        add_to_run(w, b, plain);
        return;
    }
    end_run(w, b);
    if (atom == ATOM_BLANK || plain == ' ')
        b->way.lines++;
    else
        add_lines(b, atom == ATOM_ANY, t);
}

static bool take_part(struct walk *w, struct branch *b) {
    char c = peek(w, 0), plain = '\0';
    enum atom atom = ATOM_INLINE;
    w->at++;
    if (c == '(') {
        struct way inner = take_group(w);
        add_group(w, b, inner, take_times(w));
        return inner.is_good;
    }
    if (c == '[')
        atom = take_letter(w, &plain) ? ATOM_INLINE : take_class(w);
    else if (c == '\\')
        atom = take_escape(w, &plain);
    else if (c == '^' || c == '$')
        atom = ATOM_NOTHING;
    else if (is_any_of(c, "*+?{"))
        atom = ATOM_BAD;
    else if (c != '.')
        plain = (unsigned char)c < ' ' ? ' ' : c;
    if (atom == ATOM_BAD || w->at > w->p.n)
        return false;
    add_atom(w, b, atom, plain, take_times(w));
    return true;
}

static struct way take_branch(struct walk *w) {
    struct branch b = {0};
    while (w->at < w->p.n && peek(w, 0) != '|' && peek(w, 0) != ')')
        if (!take_part(w, &b))
            return (struct way){0};
    end_run(w, &b);
    b.way.is_good = true;
    return b.way;
}

static uint32_t most(uint32_t x, uint32_t y) {
    return x > y ? x : y;
}

static struct way take_ways(struct walk *w) {
    struct way all = {.is_good = ++w->depth < DEPTH_MAX, .is_found = true};
    while (all.is_good) {
        struct way one = take_branch(w);
        all.is_good = one.is_good;
        all.is_found = all.is_found && one.is_found;
        all.bytes = most(all.bytes, one.bytes);
        all.lines_before = most(all.lines_before, one.lines_before);
        all.lines = most(all.lines, one.lines);
        if (peek(w, 0) != '|')
            break;
        w->at++;
    }
    w->depth--;
    return all;
}

struct reach reach_of(struct arena *a, struct str pattern) {
    struct str_list literals = pattern_literals(a, pattern);
    struct walk w = {.p = pattern, .literals = &literals};
    struct way way = take_ways(&w);
    bool is_known = way.is_good && way.is_found && w.at == pattern.n &&
                    way.lines_before <= LINES_MAX;
    return (struct reach){is_known, way.bytes, way.lines_before};
}

/* ---- the text ---- */

static bool is_blank(char c) {
    return fold_byte((unsigned char)c) == ' ';
}

static size_t before_blanks(struct str text, size_t at) {
    while (at > 0 && is_blank(text.p[at - 1]))
        at--;
    return at;
}

static size_t line_start(struct str text, size_t at) {
    return plain_behind_last((struct str){text.p, at}, '\n');
}

size_t reach_back(const struct reach *r, struct str text, size_t end) {
    size_t at = end;
    for (uint32_t n = 0; n < r->bytes && at > 0; n++)
        at = is_blank(text.p[at - 1]) ? before_blanks(text, at) : at - 1;
    at = line_start(text, before_blanks(text, at));
    for (uint32_t n = 0; n < r->lines && at > 0; n++)
        at = line_start(text, before_blanks(text, at));
    return at;
}
