/* literals.c: which words every match of a pattern contains.
 *
 * Each part of the pattern's tree answers with what is certain about its
 * matches:
 *
 *     exact    every match is this text            "Free memory"
 *     prefix   every match begins so               (?:GPU \d+)   -> "gpu "
 *     suffix   every match ends so                 (?:\d+ GiB)   -> " gib"
 *     best     every match contains one of these   (?:foo|bar)   -> foo, bar
 *     lines    how many ends of them a match may hold, at most
 *
 * In a sequence exact parts grow together with the prefix of the next; the
 * best of all such runs wins. All texts are folded, so (?i) needs no care, and
 * glueing joins the blanks that meet. What is not understood is no literal:
 * doubt only ever makes the list shorter.
 *
 * Nearly all patterns begin on the line of their literal or few before it: PCRE2
 * need not be asked about what stands in front of that.
 */
#include "match/literals.h"

#include <string.h>

#include "base/limits.h"

struct words { /* a match holds one of these */
    struct str_list set;
    size_t worth;
    uint32_t front; /* lines that end before it */
};

struct piece {
    bool is_exact;
    struct str prefix, suffix; /* exact: both are the whole text */
    struct words best;
    uint32_t lines; /* of a match */
};

#define ANY_LINES (FRONT_LINES + 1)

static struct piece piece_of_branches(struct arena *a,
                                      const struct branch *first);

static uint32_t most(uint32_t x, uint32_t y) {
    return x > y ? x : y;
}

static uint32_t sum(uint32_t x, uint32_t y) {
    return x + y < ANY_LINES ? x + y : ANY_LINES;
}

/* A blank of a pattern is any run of them, and one of them may end a line. */
static uint32_t lines_of(struct str s) {
    uint32_t lines = 0;
    for (size_t i = 0; i < s.n; i++)
        lines = sum(lines, s.p[i] == ' ');
    return lines;
}

/* ---- texts ---- */

static struct str glue(struct arena *a, struct str x, struct str y) {
    if (x.n && y.n && x.p[x.n - 1] == ' ' && y.p[0] == ' ')
        y = str_slice(y, 1, y.n);
    if (x.n == 0 || y.n == 0)
        return x.n ? x : y;
    char *both = arena_alloc(a, x.n + y.n);
    memcpy(both, x.p, x.n);
    memcpy(both + x.n, y.p, y.n);
    return (struct str){both, x.n + y.n};
}

/* front: of the text. */
static struct words words_of(struct arena *a, struct str text,
                             uint32_t front) {
    bool has_blank = text.n > 0 && text.p[0] == ' ';
    struct words w = {.front = sum(front, has_blank)};
    text = str_slice(text, has_blank, LITERAL_BYTES_MAX);
    text.n -= text.n > 0 && text.p[text.n - 1] == ' ';
    if (text.n == 0)
        return w;
    w.set = (struct str_list){arena_alloc(a, sizeof text), 1};
    w.set.at[0] = text;
    w.worth = literal_worth(&w.set);
    return w;
}

static void keep_better(struct words *best, struct words other) {
    if (other.worth > best->worth)
        *best = other;
}

/* ---- one node ---- */

static struct piece exact_char(struct arena *a, const struct node *n) {
    char *one = arena_alloc(a, 1);
    *one = n->c;
    struct str text = {one, 1};
    return (struct piece){.is_exact = true, .prefix = text, .suffix = text,
                          .lines = n->may_end_line};
}

static struct words best_of(struct arena *a, const struct piece *x) {
    return x->is_exact ? words_of(a, x->prefix, 0) : x->best;
}

static struct piece repeated(struct arena *a, const struct piece *x,
                             const struct node *n) {
    /* a run of blanks is one */
    bool is_blank = x->is_exact && str_eq(x->prefix, STR(" "));
    uint32_t times = n->most < ANY_LINES ? (uint32_t)n->most : ANY_LINES;
    uint32_t lines = is_blank ? x->lines : sum(0, x->lines * times);
    if (n->least == 0 && n->most > 0)
        return (struct piece){.lines = lines};
    if (n->most == 0)
        return (struct piece){.is_exact = true};
    struct piece many = *x;
    many.lines = lines;
    if (n->most == 1 || is_blank)
        return many;
    many.best = best_of(a, x);
    many.is_exact = false;
    if (!x->is_exact || x->prefix.n * n->least > LITERAL_BYTES_MAX)
        return many;
    struct str text = x->prefix;
    for (size_t i = 1; i < n->least; i++)
        text = glue(a, text, x->prefix);
    many.is_exact = n->least == n->most;
    many.prefix = many.suffix = text;
    many.best = words_of(a, text, 0);
    return many;
}

static struct piece piece_of(struct arena *a, const struct node *n) {
    struct piece x = {.lines = n->may_end_line};
    switch (n->kind) {
    case NODE_EMPTY: x = (struct piece){.is_exact = true}; break;
    case NODE_CHAR: x = exact_char(a, n); break;
    case NODE_ONE: break;
    case NODE_GROUP: x = piece_of_branches(a, n->branches); break;
    case NODE_UNKNOWN: x.lines = ANY_LINES; break;
    }
    return repeated(a, &x, n);
}

/* ---- sequences ---- */

struct sequence {
    bool is_exact; /* so far */
    struct str prefix, run;
    struct words best;
    uint32_t lines, run_front; /* of all; before the run */
};

static void sequence_add(struct arena *a, struct sequence *q,
                         const struct piece *next) {
    struct str run = glue(a, q->run, next->prefix);
    struct words inner = next->best;
    inner.front = sum(q->lines, inner.front);
    q->lines = sum(q->lines, next->lines);
    if (next->is_exact) {
        q->run = run;
        return;
    }
    keep_better(&q->best, words_of(a, run, q->run_front));
    keep_better(&q->best, inner);
    if (q->is_exact)
        q->prefix = run;
    q->is_exact = false;
    q->run = next->suffix;
    q->run_front = q->lines;
}

static struct piece piece_of_branch(struct arena *a, const struct branch *b) {
    struct sequence q = {.is_exact = true};
    for (const struct node *n = b->first; n; n = n->next) {
        struct piece next = piece_of(a, n);
        sequence_add(a, &q, &next);
    }
    keep_better(&q.best, words_of(a, q.run, q.run_front));
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

/* Add one, unless one of the set stands in it; drop those in which it stands.
 * What may then stand in front of it, more than before. */
static uint32_t set_add(struct str_list *set, struct str one) {
    size_t kept = 0;
    uint32_t more = 0;
    for (size_t i = 0; i < set->count; i++) {
        size_t at = str_find(one, set->at[i]);
        if (at < one.n)
            return lines_of(str_slice(one, 0, at));
    }
    for (size_t i = 0; i < set->count; i++) {
        size_t at = str_find(set->at[i], one);
        if (at < set->at[i].n)
            more = most(more, lines_of(str_slice(set->at[i], 0, at)));
        else
            set->at[kept++] = set->at[i];
    }
    set->at[kept++] = one;
    set->count = kept;
    return more;
}

static struct words either_of(struct arena *a, const struct words *x,
                              const struct words *y) {
    struct words both = {.front = most(x->front, y->front)};
    size_t count = x->set.count + y->set.count;
    if (x->set.count == 0 || y->set.count == 0 || count > LITERALS_PER_PATTERN)
        return both;
    both.set.at = arena_array(a, count, sizeof *both.set.at);
    for (size_t i = 0; i < count; i++) {
        bool is_left = i < x->set.count;
        struct str one = is_left ? x->set.at[i]
                                 : y->set.at[i - x->set.count];
        both.front = sum(both.front, set_add(&both.set, one));
    }
    both.worth = literal_worth(&both.set);
    return both;
}

static struct piece either(struct arena *a, const struct piece *x,
                           const struct piece *y) {
    uint32_t lines = most(x->lines, y->lines);
    if (x->is_exact && y->is_exact && str_eq(x->prefix, y->prefix)) {
        struct piece same = *x;
        same.lines = lines;
        return same;
    }
    struct words left = best_of(a, x), right = best_of(a, y);
    return (struct piece){
        .prefix = common_prefix(x->prefix, y->prefix),
        .suffix = common_suffix(x->suffix, y->suffix),
        .best = either_of(a, &left, &right), .lines = lines};
}

static struct piece piece_of_branches(struct arena *a,
                                      const struct branch *first) {
    struct piece all = piece_of_branch(a, first);
    for (const struct branch *b = first->next; b; b = b->next) {
        struct piece next = piece_of_branch(a, b);
        all = either(a, &all, &next);
    }
    return all;
}

struct literals literals_of(struct arena *a, const struct pattern_text *text) {
    if (!text->tree)
        return (struct literals){.front_lines = ANY_LINES};
    struct piece all = piece_of_branches(a, text->tree->branches);
    struct words best = best_of(a, &all);
    return (struct literals){best.set, best.front};
}

struct str_list pattern_literals(struct arena *a, struct str text) {
    struct pattern_text prepared;
    struct pattern_error error;
    if (!pattern_text_prepare(a, text, &prepared, &error))
        return (struct str_list){0};
    return literals_of(a, &prepared).best;
}
