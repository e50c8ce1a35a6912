/* tail.c: a pattern from its literal on.
 *
 *     ^(?:\S+ )?[Kk]illed by (?:the )?oom        literal "killed by"
 *               '---- tail ----------------
 *     \b(?:Failed to allocate|bad_alloc)\(\d+\)  literals of both branches
 *           (?:to allocate|_alloc)\(\d+\)        from where each begins
 *
 * Where a literal was found, most often no match is near: the next word is
 * another, or its letters have another case. That is seen by trying the tail
 * right there, which costs a tenth of looking for the whole pattern in lines.
 *
 * A literal is looked for in runs of plain characters, through groups that are
 * not repeated. What is read of the pattern before it is left out; a group that
 * is cut loses its name and its bite, so the tail matches more often than the
 * pattern, never less. Where a pattern refers to what it has matched, or is not
 * understood, there is no tail.
 */
#include "match/tail.h"

#include <string.h>

#include "base/buf.h"
#include "match/literals.h"

#define RUN_BYTES 512
#define DEPTH_MAX 40
#define TAIL_CEILING ((size_t)4 * PATTERN_TEXT_MAX)

struct walk {
    struct arena *a;
    struct str p;
    size_t at;
    const struct str_list *literals;
    uint32_t depth;
    bool is_odd; /* not understood: there is no tail */
};

struct run { /* plain characters in a row, and where each stands */
    char text[RUN_BYTES];
    size_t place[RUN_BYTES];
    size_t n;
};

struct branch {
    struct run run;
    struct buf *out;
    bool is_found;
    size_t from; /* what is found goes on from here */
};

static char peek(const struct walk *w, size_t ahead) {
    return w->at + ahead < w->p.n ? w->p.p[w->at + ahead] : '\0';
}

static bool is_any_of(char c, const char *list) {
    return c != '\0' && strchr(list, c) != NULL;
}

static bool takes(struct walk *w, const char *opening) {
    struct str s = str_of(opening);
    if (!str_starts(str_slice(w->p, w->at, s.n), s))
        return false;
    w->at += s.n;
    return true;
}

/* ---- runs ---- */

/* Where in the run the first of the literals begins; run.n: nowhere. */
static size_t find_literal(const struct walk *w, const struct run *run) {
    size_t first = run->n;
    for (size_t i = 0; i < w->literals->count; i++) {
        size_t at = str_find((struct str){run->text, run->n},
                             w->literals->at[i]);
        first = at < first ? at : first;
    }
    return first;
}

static void end_run(const struct walk *w, struct branch *b) {
    struct run *run = &b->run;
    size_t at = b->is_found ? run->n : find_literal(w, run);
    if (at < run->n) {
        b->is_found = true;
        b->from = run->place[at];
    }
    run->n = 0;
}

static void add_to_run(const struct walk *w, struct branch *b, char c,
                       size_t place) {
    struct run *run = &b->run;
    char folded = (char)fold_byte((unsigned char)c);
    if (run->n == RUN_BYTES)
        end_run(w, b);
    if (folded == ' ' && run->n > 0 && run->text[run->n - 1] == ' ')
        return;
    run->place[run->n] = place;
    run->text[run->n++] = folded;
}

/* ---- atoms ---- */

enum atom { ATOM_EMPTY, ATOM_CHAR, ATOM_OTHER };

enum times { TIMES_ONE, TIMES_MORE /* once at least */, TIMES_ANY };

static enum times take_times(struct walk *w) {
    char c = peek(w, 0);
    enum times times = TIMES_ANY;
    if (!is_any_of(c, "*+?{"))
        return TIMES_ONE;
    if (c == '{') {
        size_t n = str_find_char(str_slice(w->p, w->at, w->p.n), '}');
        w->at += n;
    } else if (c == '+') {
        times = TIMES_MORE;
    }
    w->at++;
    if (peek(w, 0) == '+' || peek(w, 0) == '?')
        w->at++;
    return times;
}

/* "[Kk]" is one letter, "[.]" a dot. */
static enum atom take_class(struct walk *w, char *plain) {
    size_t end = pattern_class_end(w->p, w->at);
    struct str inside = str_slice(w->p, w->at + 1, end - w->at - 2);
    w->at = end;
    if (inside.n == 0 || inside.n > 2 || is_any_of(inside.p[0], "^\\["))
        return ATOM_OTHER;
    char one = (char)fold_byte((unsigned char)inside.p[0]);
    if (inside.n == 2 && (char)fold_byte((unsigned char)inside.p[1]) != one)
        return ATOM_OTHER;
    *plain = one;
    return ATOM_CHAR;
}

/* Past {...} where one stands. */
static enum atom skip_braces(struct walk *w) {
    if (peek(w, 0) == '{')
        w->at += str_find_char(str_slice(w->p, w->at, w->p.n), '}');
    w->at++;
    return ATOM_OTHER;
}

static enum atom take_escape(struct walk *w, char *plain) {
    char c = peek(w, 1);
    bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    w->at += 2;
    if (c == 'x' && peek(w, 0) == '2' && peek(w, 1) == '0') {
        w->at += 2;
        c = ' ';
        is_letter = false;
    }
    *plain = is_any_of(c, "nrtfs") ? ' ' : c;
    if (is_any_of(c, "nrtfs") || (!is_letter && (c < '0' || c > '9')))
        return ATOM_CHAR;
    if (is_any_of(c, "bBAZz"))
        return ATOM_EMPTY;
    if (is_any_of(c, "pP"))
        return skip_braces(w);
    w->is_odd = w->is_odd || !is_any_of(c, "dDwWSDhHvVNR");
    return ATOM_OTHER;
}

/* ---- groups ---- */

static bool take_branches(struct walk *w, struct buf *out);

static bool is_look(struct walk *w) {
    return takes(w, "(?=") || takes(w, "(?!") || takes(w, "(?<=") ||
           takes(w, "(?<!");
}

/* Past a group's opening; how it is written once it is cut: empty: it is none
 * that can be entered. */
static struct str open_group(struct walk *w) {
    struct str on, all = STR("(?:");
    size_t options = pattern_options(w->p, w->at, &on), from = w->at;
    if (options) {
        w->at = options + 1;
        return str_slice(w->p, from, w->at - from);
    }
    if (takes(w, "(?>"))
        return all;
    if (takes(w, "(?<") || takes(w, "(?P<")) {
        w->at += str_find_char(str_slice(w->p, w->at, w->p.n), '>') + 1;
        return all;
    }
    if (peek(w, 1) == '?' || peek(w, 1) == '*')
        return STR("");
    w->at++;
    return all;
}

/* A group whose inside may hold the literal. */
static void take_group(struct walk *w, struct branch *b) {
    struct buf inside;
    struct str opening = open_group(w);
    if (opening.n == 0 || opening.p[opening.n - 1] == ')') {
        w->is_odd = true; /* options to the end of what is round them, too */
        return;
    }
    end_run(w, b);
    buf_init_in(&inside, w->a, TAIL_CEILING);
    bool is_found = take_branches(w, &inside);
    w->is_odd = w->is_odd || !takes(w, ")") || !buf_ok(&inside);
    if (take_times(w) != TIMES_ONE || !is_found || b->is_found)
        return;
    buf_add(b->out, opening);
    buf_add(b->out, buf_str(&inside));
    buf_add_char(b->out, ')');
    b->is_found = true;
    b->from = w->at;
}

static void take_look(struct walk *w) {
    struct buf unused;
    buf_init_in(&unused, w->a, TAIL_CEILING);
    take_branches(w, &unused);
    w->is_odd = w->is_odd || !takes(w, ")");
}

/* ---- branches ---- */

static void take_plain(struct walk *w, struct branch *b) {
    char c = peek(w, 0), plain = c;
    size_t place = w->at;
    enum atom atom = ATOM_CHAR;
    if (c == '[') {
        atom = take_class(w, &plain);
    } else if (c == '\\') {
        atom = take_escape(w, &plain);
    } else {
        w->at++;
        atom = c == '.' ? ATOM_OTHER : is_any_of(c, "^$") ? ATOM_EMPTY
                                                          : ATOM_CHAR;
        w->is_odd = w->is_odd || is_any_of(c, "*+?");
    }
    enum times times = take_times(w);
    if (atom == ATOM_EMPTY)
        return;
    bool is_blank = fold_byte((unsigned char)plain) == ' ';
    if (atom == ATOM_CHAR && (times == TIMES_ONE ||
                              (times == TIMES_MORE && is_blank)))
        add_to_run(w, b, plain, place);
    else
        end_run(w, b);
}

static bool take_branch(struct walk *w, struct buf *out) {
    struct branch b = {.out = out};
    while (w->at < w->p.n && peek(w, 0) != '|' && peek(w, 0) != ')') {
        size_t from = w->at;
        if (is_look(w))
            take_look(w);
        else if (peek(w, 0) == '(')
            take_group(w, &b);
        else
            take_plain(w, &b);
        if (w->is_odd || w->at == from)
            return false;
    }
    end_run(w, &b);
    if (b.is_found)
        buf_add(out, str_slice(w->p, b.from, w->at - b.from));
    return b.is_found;
}

/* Is there a literal in each of them? */
static bool take_branches(struct walk *w, struct buf *out) {
    bool is_found = true;
    w->is_odd = w->is_odd || ++w->depth > DEPTH_MAX;
    while (!w->is_odd) {
        is_found = take_branch(w, out) && is_found;
        if (peek(w, 0) != '|')
            break;
        w->at++;
        buf_add_char(out, '|');
    }
    w->depth--;
    return is_found;
}

/* Does it look back by more than one byte? Then it may look at what stands
 * before the literal, which is not always at hand. */
static bool looks_far_back(struct str tail) {
    for (size_t i = 0; i + 5 < tail.n; i++) {
        struct str here = str_slice(tail, i, 4);
        if (!str_eq(here, STR("(?<=")) && !str_eq(here, STR("(?<!")))
            continue;
        size_t end = i + 5;
        if (tail.p[i + 4] == '[')
            end = pattern_class_end(tail, i + 4);
        else if (tail.p[i + 4] == '\\')
            end = i + 6;
        if (end >= tail.n || tail.p[end] != ')')
            return true;
    }
    return false;
}

struct str tail_of(struct arena *a, const struct pattern_text *text,
                   const struct str_list *literals) {
    struct walk w = {.a = a, .p = text->text, .literals = literals};
    struct buf out;
    buf_init_in(&out, a, TAIL_CEILING);
    bool is_found = take_branches(&w, &out);
    bool is_good = is_found && !w.is_odd && w.at == w.p.n && buf_ok(&out) &&
                   out.n > 0 && !looks_far_back(buf_str(&out));
    return is_good ? buf_str(&out) : (struct str){0};
}
