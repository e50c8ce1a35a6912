/* literals.c: which words every match of a pattern contains.
 *
 * Each part of the pattern's tree answers with what is certain about its
 * matches:
 *
 *     exact    every match is this text            "Free memory"
 *     prefix   every match begins so               (?:GPU \d+)   -> "gpu "
 *     suffix   every match ends so                 (?:\d+ GiB)   -> " gib"
 *     best     every match contains one of these   (?:foo|bar)   -> foo, bar
 *     lines    line ends that a match may hold, at most
 *
 * In a sequence exact parts grow together with the prefix of the next; the
 * best of all such runs wins. All texts are folded, so (?i) needs no care, and
 * glueing joins the blanks that meet. What is not understood is no literal:
 * doubt only ever makes the list shorter.
 *
 * Nearly all patterns begin on the line of their literal, or few before it:
 * PCRE2 need not be asked about kilobytes in front of it.
 */
#include "match/literals.h"

#include <string.h>

#include "match/literal_worth.h"

#define RUN_MAX 256 /* bytes of a literal; it is cut there */
#define HELD_MAX 16
#define LINES_MANY (LINES_KNOWN + 1)

struct words { /* a match holds one of these */
    struct str_list set;
    size_t worth;
    uint32_t lines; /* before it */
};

struct piece {
    bool is_exact;
    struct str prefix, suffix; /* exact: both are the whole text */
    struct words best;
    uint32_t lines;
};

struct study {
    struct arena *a;
    struct words held[HELD_MAX]; /* by the pattern's own sequence */
    size_t held_count;
};

static struct piece piece_of_branches(struct study *s,
                                      const struct branch *first,
                                      bool is_inner);

static uint32_t sum(uint32_t x, uint32_t y) {
    return x + y < LINES_MANY ? x + y : LINES_MANY;
}

static uint32_t most(uint32_t x, uint32_t y) {
    return x > y ? x : y;
}

/* ---- texts ---- */

static struct str glue(struct study *s, struct str x, struct str y) {
    if (x.n && y.n && x.p[x.n - 1] == ' ' && y.p[0] == ' ')
        y = str_slice(y, 1, y.n);
    if (x.n == 0 || y.n == 0)
        return x.n ? x : y;
    char *both = arena_alloc(s->a, x.n + y.n);
    memcpy(both, x.p, x.n);
    memcpy(both + x.n, y.p, y.n);
    return (struct str){both, x.n + y.n};
}

/* lines: before the text. */
static struct words words_of(struct study *s, struct str text,
                             uint32_t lines) {
    struct words w = {.lines = lines};
    bool has_blank = text.n > 0 && text.p[0] == ' '; /* it may end a line */
    text = str_slice(text, has_blank, RUN_MAX);
    text.n -= text.n > 0 && text.p[text.n - 1] == ' ';
    if (text.n == 0)
        return w;
    w.set = (struct str_list){arena_alloc(s->a, sizeof text), 1};
    w.set.at[0] = text;
    w.worth = literal_worth(&w.set);
    w.lines = sum(lines, has_blank);
    return w;
}

static void keep_better(struct study *s, struct words *best,
                        struct words other, bool is_inner) {
    if (!is_inner && s->held_count < HELD_MAX)
        s->held[s->held_count++] = other;
    if (other.worth > best->worth)
        *best = other;
}

/* ---- one node ---- */

static struct piece exact_char(struct study *s, const struct node *n) {
    char *one = arena_alloc(s->a, 1);
    *one = n->c;
    struct str text = {one, 1};
    return (struct piece){.is_exact = true, .prefix = text, .suffix = text,
                          .lines = n->may_end_line};
}

static struct words best_of(struct study *s, const struct piece *x) {
    return x->is_exact ? words_of(s, x->prefix, 0) : x->best;
}

static struct piece repeated(struct study *s, const struct piece *x,
                             const struct node *n) {
    /* a run of blanks is one */
    bool is_blank = x->is_exact && str_eq(x->prefix, STR(" "));
    uint32_t times = n->most < LINES_MANY ? (uint32_t)n->most : LINES_MANY;
    uint32_t lines = is_blank ? x->lines : sum(x->lines * times, 0);
    if (n->least == 0 && n->most > 0)
        return (struct piece){.lines = lines};
    if (n->most == 0)
        return (struct piece){.is_exact = true};
    if (n->most == 1 || is_blank)
        return *x;
    struct piece many = *x;
    many.lines = lines;
    many.best = best_of(s, x);
    many.is_exact = false;
    if (!x->is_exact || x->prefix.n * n->least > RUN_MAX)
        return many;
    struct str text = x->prefix;
    for (size_t i = 1; i < n->least; i++)
        text = glue(s, text, x->prefix);
    many.is_exact = n->least == n->most;
    many.prefix = many.suffix = text;
    many.best = words_of(s, text, 0);
    return many;
}

static struct piece piece_of(struct study *s, const struct node *n) {
    struct piece x = {.lines = n->may_end_line};
    switch (n->kind) {
    case NODE_EMPTY: x.is_exact = true; break;
    case NODE_CHAR: x = exact_char(s, n); break;
    case NODE_ONE: break;
    case NODE_GROUP: x = piece_of_branches(s, n->branches, true); break;
    case NODE_UNKNOWN: x.lines = LINES_MANY; break;
    }
    return repeated(s, &x, n);
}

/* ---- sequences ---- */

struct sequence {
    bool is_exact; /* so far */
    struct str prefix, run;
    struct words best;
    uint32_t lines, run_lines; /* of all; before the run */
};

static void sequence_add(struct study *s, struct sequence *q,
                         const struct piece *next, bool is_inner) {
    struct str run = glue(s, q->run, next->prefix);
    struct words inner = next->best;
    inner.lines = sum(q->lines, inner.lines);
    q->lines = sum(q->lines, next->lines);
    if (next->is_exact) {
        q->run = run;
        return;
    }
    keep_better(s, &q->best, words_of(s, run, q->run_lines), is_inner);
    keep_better(s, &q->best, inner, is_inner);
    if (q->is_exact)
        q->prefix = run;
    q->is_exact = false;
    q->run = next->suffix;
    q->run_lines = q->lines;
}

static struct piece piece_of_branch(struct study *s, const struct branch *b,
                                    bool is_inner) {
    struct sequence q = {.is_exact = true};
    for (const struct node *n = b->first; n; n = n->next) {
        struct piece next = piece_of(s, n);
        sequence_add(s, &q, &next, is_inner);
    }
    keep_better(s, &q.best, words_of(s, q.run, q.run_lines), is_inner);
    return (struct piece){.is_exact = q.is_exact, .suffix = q.run,
                          .prefix = q.is_exact ? q.run : q.prefix,
                          .best = q.best, .lines = q.lines};
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

static uint32_t count_blanks(struct str s) {
    uint32_t count = 0;
    for (size_t i = 0; i < s.n; i++)
        count += s.p[i] == ' ';
    return count;
}

/* Add one, unless one of the set stands in it; drop those in which it stands.
 * How many line ends may then stand in front of it, more than before. */
static uint32_t set_add(struct str_list *set, struct str one) {
    size_t kept = 0;
    uint32_t lines = 0;
    for (size_t i = 0; i < set->count; i++) {
        size_t at = str_find(one, set->at[i]);
        if (at < one.n)
            return count_blanks(str_slice(one, 0, at));
    }
    for (size_t i = 0; i < set->count; i++) {
        size_t at = str_find(set->at[i], one);
        if (at < set->at[i].n)
            lines = most(lines, count_blanks(str_slice(set->at[i], 0, at)));
        else
            set->at[kept++] = set->at[i];
    }
    set->at[kept++] = one;
    set->count = kept;
    return lines;
}

static struct words either_of(struct study *s, const struct words *x,
                              const struct words *y) {
    struct words both = {.lines = most(x->lines, y->lines)};
    size_t count = x->set.count + y->set.count;
    if (x->set.count == 0 || y->set.count == 0 || count > LITERALS_PER_PATTERN)
        return both;
    both.set.at = arena_array(s->a, count, sizeof *both.set.at);
    for (size_t i = 0; i < count; i++) {
        bool is_left = i < x->set.count;
        uint32_t more = set_add(&both.set,
                                is_left ? x->set.at[i]
                                        : y->set.at[i - x->set.count]);
        both.lines = sum(both.lines, more);
    }
    both.worth = literal_worth(&both.set);
    return both;
}

static struct piece either(struct study *s, const struct piece *x,
                           const struct piece *y) {
    uint32_t lines = most(x->lines, y->lines);
    if (x->is_exact && y->is_exact && str_eq(x->prefix, y->prefix)) {
        struct piece same = *x;
        same.lines = lines;
        return same;
    }
    struct words left = best_of(s, x), right = best_of(s, y);
    return (struct piece){
        .prefix = common_prefix(x->prefix, y->prefix),
        .suffix = common_suffix(x->suffix, y->suffix),
        .best = either_of(s, &left, &right), .lines = lines};
}

static struct piece piece_of_branches(struct study *s,
                                      const struct branch *first,
                                      bool is_inner) {
    struct piece all = piece_of_branch(s, first, is_inner);
    for (const struct branch *b = first->next; b; b = b->next) {
        struct piece next = piece_of_branch(s, b, is_inner);
        all = either(s, &all, &next);
        s->held_count = is_inner ? s->held_count : 0;
    }
    return all;
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

struct literals literals_of(struct arena *a, const struct pattern_text *text) {
    struct study s = {.a = a};
    struct literals found = {.lines = LINES_MANY};
    if (!text->tree)
        return found;
    struct piece all = piece_of_branches(&s, text->tree->branches, false);
    struct words best = best_of(&s, &all);
    size_t worth = 0; /* of found.also */
    found.best = best.set;
    found.lines = best.lines;
    for (size_t i = 0; i < s.held_count; i++) {
        const struct words *held = &s.held[i];
        if (held->worth > worth && !overlap(&held->set, &found.best)) {
            worth = held->worth;
            found.also = held->set;
        }
    }
    return found;
}

struct str_list pattern_literals(struct arena *a, struct str text) {
    struct pattern_text prepared;
    struct pattern_error error;
    if (!pattern_text_prepare(a, text, &prepared, &error))
        return (struct str_list){0};
    return literals_of(a, &prepared).best;
}
