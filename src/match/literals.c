/* literals.c: which words every match of a pattern contains.
 *
 * The prepared text is read by recursive descent; each piece of it answers
 * with what is certain about its matches:
 *
 *     exact    every match is this text            "Free memory"
 *     prefix   every match begins so               (?:GPU \d+)   -> "gpu "
 *     suffix   every match ends so                 (?:\d+ GiB)   -> " gib"
 *     best     every match contains one of these   (?:foo|bar)   -> foo, bar
 *
 * In a sequence exact pieces grow together with the prefix of the next; the
 * best of all such runs wins. All texts are folded (see fold_byte), so (?i)
 * needs no care, and glueing joins the blanks that meet. What is not
 * understood is no literal: doubt only ever makes the list shorter. Only the
 * syntax of a pattern that PCRE2 accepts is read right; of others, something
 * is returned.
 */
#include "match/literals.h"
#include "match/literal_worth.h"

#include <string.h>

#define DEPTH_MAX 250
#define RUN_MAX 256 /* bytes of a literal; it is cut there */
#define HELD_MAX 16

struct piece {
    bool is_exact;
    struct str prefix, suffix; /* exact: both are the whole text */
    struct str_list best;
};

struct parser {
    struct arena *a;
    struct str in;
    size_t at;
    size_t depth;
    bool in_quote;     /* between \Q and \E */
    bool is_odd_case;  /* (?i) on characters: k and s have other cases */
    bool gave_up;
    struct str_list held[HELD_MAX]; /* by the pattern's own sequence */
    size_t held_count;
};

static struct piece parse_branches(struct parser *p);

/* ---- pieces ---- */

static const struct piece NOTHING = {0}; /* matches may be anything */
static const struct piece EMPTY = {.is_exact = true};

static struct str trimmed(struct str s) {
    if (s.n && s.p[0] == ' ')
        s = str_slice(s, 1, s.n);
    if (s.n && s.p[s.n - 1] == ' ')
        s.n--;
    return s;
}

static struct str glue(struct parser *p, struct str x, struct str y) {
    if (x.n && y.n && x.p[x.n - 1] == ' ' && y.p[0] == ' ')
        y = str_slice(y, 1, y.n);
    if (x.n == 0 || y.n == 0)
        return x.n ? x : y;
    char *both = arena_alloc(p->a, x.n + y.n);
    memcpy(both, x.p, x.n);
    memcpy(both + x.n, y.p, y.n);
    return (struct str){both, x.n + y.n};
}

static struct piece exact_char(struct parser *p, unsigned char c) {
    char *one = arena_alloc(p->a, 1);
    *one = (char)fold_byte(c);
    struct str text = {one, 1};
    return (struct piece){.is_exact = true, .prefix = text, .suffix = text};
}

static void keep_better(struct parser *p, struct str_list *best,
                        struct str_list other) {
    if (p->depth == 0 && p->held_count < HELD_MAX)
        p->held[p->held_count++] = other;
    if (literal_worth(&other) > literal_worth(best))
        *best = other;
}

static struct str_list set_of_one(struct parser *p, struct str s) {
    s = trimmed(s);
    if (s.n > RUN_MAX)
        s = trimmed(str_slice(s, 0, RUN_MAX));
    if (s.n == 0)
        return (struct str_list){0};
    struct str_list set = {arena_alloc(p->a, sizeof s), 1};
    set.at[0] = s;
    return set;
}

static struct str_list best_of(struct parser *p, const struct piece *x) {
    return x->is_exact ? set_of_one(p, x->prefix) : x->best;
}

/* ---- sequences ---- */

struct sequence {
    bool is_exact; /* so far */
    struct str prefix, run;
    struct str_list best;
};

static void sequence_add(struct parser *p, struct sequence *s,
                         const struct piece *next) {
    struct str run = glue(p, s->run, next->prefix);
    if (next->is_exact) {
        s->run = run;
        return;
    }
    keep_better(p, &s->best, set_of_one(p, run));
    keep_better(p, &s->best, next->best);
    if (s->is_exact)
        s->prefix = run;
    s->is_exact = false;
    s->run = next->suffix;
}

static struct piece sequence_end(struct parser *p, struct sequence *s) {
    struct piece done = {.is_exact = s->is_exact, .suffix = s->run};
    done.prefix = s->is_exact ? s->run : s->prefix;
    keep_better(p, &s->best, set_of_one(p, s->run));
    done.best = s->best;
    return done;
}

/* ---- alternatives ---- */

static struct str common_prefix(struct str x, struct str y) {
    size_t n = 0;
    while (n < x.n && n < y.n && x.p[n] == y.p[n])
        n++;
    return str_slice(x, 0, n);
}

static struct str common_suffix(struct str x, struct str y) {
    size_t n = 0;
    while (n < x.n && n < y.n && x.p[x.n - 1 - n] == y.p[y.n - 1 - n])
        n++;
    return str_slice(x, x.n - n, n);
}

/* Add s, unless one of the set stands in it; drop those in which it stands. */
static void set_add(struct str_list *set, struct str s) {
    size_t kept = 0;
    for (size_t i = 0; i < set->count; i++) {
        if (str_find(s, set->at[i]) < s.n)
            return;
    }
    for (size_t i = 0; i < set->count; i++) {
        if (str_find(set->at[i], s) == set->at[i].n)
            set->at[kept++] = set->at[i];
    }
    set->at[kept++] = s;
    set->count = kept;
}

static struct str_list set_union(struct parser *p, const struct str_list *x,
                                 const struct str_list *y) {
    struct str_list both = {0};
    if (x->count == 0 || y->count == 0 ||
        x->count + y->count > LITERALS_PER_PATTERN)
        return both;
    both.at = arena_array(p->a, x->count + y->count, sizeof *both.at);
    for (size_t i = 0; i < x->count; i++)
        set_add(&both, x->at[i]);
    for (size_t i = 0; i < y->count; i++)
        set_add(&both, y->at[i]);
    return both;
}

static struct piece either(struct parser *p, const struct piece *x,
                           const struct piece *y) {
    if (x->is_exact && y->is_exact && str_eq(x->prefix, y->prefix))
        return *x;
    struct str_list left = best_of(p, x), right = best_of(p, y);
    return (struct piece){
        .prefix = common_prefix(x->prefix, y->prefix),
        .suffix = common_suffix(x->suffix, y->suffix),
        .best = set_union(p, &left, &right),
    };
}

/* ---- repetition ---- */

struct repeat {
    size_t least, most; /* most SIZE_MAX: no end */
};

static bool read_count(struct parser *p, size_t *i, size_t *n) {
    size_t start = *i;
    for (*n = 0; *i < p->in.n && p->in.p[*i] >= '0' && p->in.p[*i] <= '9';)
        *n = (*n * 10 + (size_t)(p->in.p[(*i)++] - '0')) % 1000000;
    return *i > start;
}

/* {2}, {2,} or {2,5}; anything else is a brace. */
static bool read_braces(struct parser *p, struct repeat *r) {
    size_t i = p->at + 1;
    if (!read_count(p, &i, &r->least))
        return false;
    r->most = r->least;
    if (i < p->in.n && p->in.p[i] == ',') {
        i++;
        if (!read_count(p, &i, &r->most))
            r->most = SIZE_MAX;
    }
    if (i >= p->in.n || p->in.p[i] != '}')
        return false;
    p->at = i + 1;
    return true;
}

static void skip_comments(struct parser *p) {
    while (str_starts(str_slice(p->in, p->at, 3), STR("(?#")))
        p->at += str_find_char(str_slice(p->in, p->at, p->in.n), ')') + 1;
}

static char here(const struct parser *p) {
    return p->at < p->in.n ? p->in.p[p->at] : '\0';
}

static struct repeat read_quantifier(struct parser *p) {
    struct repeat r = {1, 1};
    if (p->in_quote && str_starts(str_slice(p->in, p->at, 2), STR("\\E"))) {
        p->in_quote = false;
        p->at += 2;
    }
    if (p->in_quote)
        return r;
    skip_comments(p);
    char c = here(p);
    if (c == '?' || c == '*' || c == '+') {
        r.least = c == '+';
        r.most = c == '?' ? 1 : SIZE_MAX;
        p->at++;
    } else if (c != '{' || !read_braces(p, &r)) {
        return (struct repeat){1, 1};
    }
    if (here(p) == '?' || here(p) == '+')
        p->at++;
    return r;
}

static struct piece repeated(struct parser *p, const struct piece *x,
                             struct repeat r) {
    bool is_blank = x->is_exact && str_eq(x->prefix, STR(" "));
    if (r.least == 0)
        return r.most == 0 ? EMPTY : NOTHING;
    if (r.most == 1 || is_blank) /* a run of blanks is one */
        return *x;
    struct piece many = *x;
    many.best = best_of(p, x);
    many.is_exact = false;
    if (!x->is_exact || x->prefix.n * r.least > RUN_MAX)
        return many;
    struct str text = x->prefix;
    for (size_t i = 1; i < r.least; i++)
        text = glue(p, text, x->prefix);
    many.is_exact = r.least == r.most;
    many.prefix = many.suffix = text;
    many.best = set_of_one(p, text);
    return many;
}

/* ---- atoms ---- */

/* Past {...}, <...>, '...' or one character behind an escape's letter. */
static void skip_argument(struct parser *p) {
    char c = here(p);
    char close = c == '{' ? '}' : c == '<' ? '>' : c == '\'' ? '\'' : '\0';
    if (!close) {
        p->at++;
        return;
    }
    p->at++;
    p->at += str_find_char(str_slice(p->in, p->at, p->in.n), close) + 1;
}

static int hex_value(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 32);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static struct piece parse_char(struct parser *p, unsigned char c) {
    unsigned char folded = fold_byte(c);
    if (p->is_odd_case && (c >= 0x80 || folded == 'k' || folded == 's'))
        return NOTHING;
    return exact_char(p, c);
}

static struct piece parse_hex(struct parser *p) {
    unsigned value = 0;
    bool is_braced = here(p) == '{';
    size_t most = is_braced ? 8 : 2;
    p->at += is_braced;
    for (size_t i = 0; i < most && hex_value(here(p)) >= 0; i++)
        value = value * 16 + (unsigned)hex_value(p->in.p[p->at++]);
    p->at += is_braced;
    return value < 0x80 ? parse_char(p, (unsigned char)value) : NOTHING;
}

/* \7, \12, \g{1}: another group's text, or an octal number. */
static struct piece skip_digits(struct parser *p) {
    while (here(p) >= '0' && here(p) <= '9')
        p->at++;
    return NOTHING;
}

static struct piece parse_letter_escape(struct parser *p, char letter) {
    switch (letter) {
    case 't': case 'n': case 'r': case 'f': case 's':
        return exact_char(p, ' ');
    case 'e':
        return exact_char(p, 27);
    case 'a':
        return exact_char(p, 7);
    case 'x':
        return parse_hex(p);
    case 'b': case 'B': case 'A': case 'Z': case 'z': case 'G': case 'K':
    case 'E':
        return EMPTY;
    case 'Q':
        p->in_quote = true;
        return EMPTY;
    case 'g':
        if (here(p) != '{' && here(p) != '<' && here(p) != '\'') {
            p->at += here(p) == '-' || here(p) == '+';
            return skip_digits(p);
        }
        skip_argument(p);
        return NOTHING;
    case 'p': case 'P': case 'k': case 'o': case 'c':
        skip_argument(p);
        return NOTHING;
    case 'N':
        if (here(p) == '{')
            skip_argument(p);
        return NOTHING;
    default:
        return NOTHING;
    }
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static struct piece parse_escape(struct parser *p) {
    p->at++;
    char c = here(p);
    if (c >= '0' && c <= '9')
        return skip_digits(p);
    p->at++;
    if (is_letter(c))
        return parse_letter_escape(p, c);
    return parse_char(p, (unsigned char)c);
}

/* The one character at *i of a class's inside, an escaped one at its second
 * byte; -1 for a range, a set, or what is no ASCII. */
static int class_member(struct str inside, size_t *i) {
    unsigned char c = (unsigned char)inside.p[*i];
    if (c == '\\') {
        char next = *i + 1 < inside.n ? inside.p[*i + 1] : 'a';
        if (is_letter(next) || (next >= '0' && next <= '9'))
            return -1;
        ++*i;
        return (unsigned char)next < 0x80 ? next : -1;
    }
    bool is_range = c == '-' && inside.n > 1;
    return c == '[' || is_range || c >= 0x80 ? -1 : c;
}

/* A class is a literal when all it holds folds to one byte: [Gg], [.], [ ]. */
static struct piece parse_class(struct parser *p) {
    size_t end = pattern_class_end(p->in, p->at);
    struct str inside = str_slice(p->in, p->at + 1, end - p->at - 2);
    p->at = end;
    if (inside.n == 0 || inside.p[0] == '^')
        return NOTHING;
    int only = -1;
    for (size_t i = 0; i < inside.n; i++) {
        int c = class_member(inside, &i);
        if (c < 0 || (only >= 0 && only != fold_byte((unsigned char)c)))
            return NOTHING;
        only = fold_byte((unsigned char)c);
    }
    return parse_char(p, (unsigned char)only);
}

static void skip_to_close(struct parser *p) {
    p->at += str_find_char(str_slice(p->in, p->at, p->in.n), ')') + 1;
}

static struct piece parse_inside(struct parser *p) {
    if (++p->depth > DEPTH_MAX) {
        p->gave_up = true;
        return NOTHING;
    }
    struct piece inside = parse_branches(p);
    p->depth--;
    if (here(p) == ')')
        p->at++;
    return inside;
}

static bool takes(struct parser *p, struct str opening) {
    if (!str_starts(str_slice(p->in, p->at, opening.n), opening))
        return false;
    p->at += opening.n;
    return true;
}

/* (?(cond)yes|no): read, so that its end is found, and forgotten. */
static struct piece parse_conditional(struct parser *p) {
    if (str_starts(str_slice(p->in, p->at, 2), STR("(?"))) {
        p->at++; /* an assertion */
        parse_inside(p);
    } else {
        skip_to_close(p);
    }
    parse_inside(p);
    return NOTHING;
}

static bool takes_lookaround(struct parser *p) {
    return takes(p, STR("(?=")) || takes(p, STR("(?!")) ||
           takes(p, STR("(?<=")) || takes(p, STR("(?<!")) ||
           takes(p, STR("(?*")) || takes(p, STR("(?<*"));
}

/* (?<name> (?'name' (?P<name>: past the name. */
static bool takes_name(struct parser *p) {
    char close = takes(p, STR("(?'")) ? '\'' : '>';
    if (close == '>' && !takes(p, STR("(?<")) && !takes(p, STR("(?P<")))
        return false;
    p->at += str_find_char(str_slice(p->in, p->at, p->in.n), close) + 1;
    return true;
}

static struct piece parse_group(struct parser *p) {
    struct str on;
    size_t options = pattern_options(p->in, p->at, &on);
    if (takes(p, STR("(*"))) {
        p->gave_up = true;
        return NOTHING;
    }
    if (options) {
        p->at = options + 1;
        return p->in.p[options] == ')' ? EMPTY : parse_inside(p);
    }
    if (takes_lookaround(p)) {
        parse_inside(p);
        return EMPTY;
    }
    if (takes(p, STR("(?|")) || takes(p, STR("(?>")) || takes_name(p))
        return parse_inside(p);
    if (takes(p, STR("(?C"))) {
        skip_to_close(p);
        return EMPTY;
    }
    if (str_starts(str_slice(p->in, p->at, 3), STR("(?("))) {
        p->at += 2;
        return parse_conditional(p);
    }
    if (takes(p, STR("(?"))) { /* a call or a reference */
        skip_to_close(p);
        return NOTHING;
    }
    p->at++;
    return parse_inside(p);
}

static struct piece parse_atom(struct parser *p) {
    char c = here(p);
    if (p->in_quote && !str_starts(str_slice(p->in, p->at, 2), STR("\\E"))) {
        p->at++;
        return parse_char(p, (unsigned char)c);
    }
    if (c == '\\') {
        p->in_quote = false;
        return parse_escape(p);
    }
    if (c == '[')
        return parse_class(p);
    if (c == '(')
        return parse_group(p);
    p->at++;
    if (c == '.')
        return NOTHING;
    return c == '^' || c == '$' ? EMPTY : parse_char(p, (unsigned char)c);
}

static bool at_end(const struct parser *p) {
    if (p->gave_up || p->at >= p->in.n)
        return true;
    return !p->in_quote && (here(p) == '|' || here(p) == ')');
}

static struct piece parse_sequence(struct parser *p) {
    struct sequence s = {.is_exact = true};
    for (skip_comments(p); !at_end(p); skip_comments(p)) {
        struct piece atom = parse_atom(p);
        struct repeat r = read_quantifier(p);
        atom = repeated(p, &atom, r);
        sequence_add(p, &s, &atom);
    }
    return sequence_end(p, &s);
}

static struct piece parse_branches(struct parser *p) {
    struct piece all = parse_sequence(p);
    while (!p->gave_up && here(p) == '|' && p->at < p->in.n) {
        p->at++;
        struct piece next = parse_sequence(p);
        all = either(p, &all, &next);
        p->held_count = p->depth > 0 ? p->held_count : 0;
    }
    return all;
}

static bool has_nocase(struct str s) {
    struct str on;
    for (size_t i = 0; i + 1 < s.n; i++)
        if (s.p[i] == '(' && pattern_options(s, i, &on) &&
            str_find_char(on, 'i') < on.n)
            return true;
    return false;
}

/* Does a member of the one stand in a member of the other? */
static bool overlap(const struct str_list *x, const struct str_list *y) {
    for (size_t i = 0; i < x->count; i++)
        for (size_t k = 0; k < y->count; k++)
            if (str_find(x->at[i], y->at[k]) < x->at[i].n ||
                str_find(y->at[k], x->at[i]) < y->at[k].n)
                return true;
    return false;
}

struct str_list literals_of(struct arena *a, const struct pattern_text *text,
                            struct str_list *also) {
    struct parser p = {.a = a, .in = text->text};
    p.is_odd_case = text->needs_utf && has_nocase(text->text);
    struct piece all = parse_branches(&p);
    *also = (struct str_list){0};
    if (p.gave_up || p.at < p.in.n)
        return (struct str_list){0};
    struct str_list best = best_of(&p, &all);
    for (size_t i = 0; i < p.held_count; i++)
        if (!overlap(&p.held[i], &best) && literal_worth(&p.held[i]) > literal_worth(also))
            *also = p.held[i];
    return best;
}

struct str_list pattern_literals(struct arena *a, struct str text) {
    struct pattern_text prepared;
    struct pattern_error error;
    if (!pattern_text_prepare(a, text, &prepared, &error))
        return (struct str_list){0};
    struct str_list also;
    return literals_of(a, &prepared, &also);
}
