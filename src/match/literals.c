/* literals.c: which words every match of a pattern contains.
 *
 * Each part of the pattern's tree answers with what is certain about its
 * matches:
 *
 *     exact    every match is this text            "Free memory"
 *     prefix   every match begins so               (?:GPU \d+)   -> "gpu "
 *     suffix   every match ends so                 (?:\d+ GiB)   -> " gib"
 *     best     every match contains one of these   (?:foo|bar)   -> foo, bar
 *     size     folded bytes, and ends of lines, that a match may have at most
 *
 * In a sequence exact parts grow together with the prefix of the next; the
 * best of all such runs wins. All texts are folded, so (?i) needs no care, and
 * glueing joins the blanks that meet. What is not understood is no literal:
 * doubt only ever makes the list shorter.
 *
 * Nearly all matches begin few bytes before their literal, or on its line: PCRE2
 * need not be asked about what stands in front of that.
 */
#include "match/literals.h"

#include <string.h>

#include "base/limits.h"

struct size { /* of text, at most */
    uint32_t bytes; /* folded; of a pattern beyond ASCII: characters */
    uint32_t lines; /* ends of them */
};

struct words { /* a match holds one of these */
    struct str_list set;
    struct size *front; /* of the match before it, by literal */
    size_t worth;
};

struct piece {
    bool is_exact;
    struct str prefix, suffix; /* exact: both are the whole text */
    struct words best;
    struct size size; /* of a match */
};

#define ANY_BYTES (FRONT_BYTES + 1)
#define ANY_LINES (FRONT_LINES + 1)
static const struct size any_size = {ANY_BYTES, ANY_LINES};

static struct piece piece_of_branches(struct arena *a,
                                      const struct branch *first);

static uint32_t most(uint32_t x, uint32_t y) {
    return x > y ? x : y;
}

static uint32_t least(uint32_t x, uint32_t y) {
    return x < y ? x : y;
}

static struct size sum(struct size x, struct size y) {
    return (struct size){least(x.bytes + y.bytes, ANY_BYTES),
                         least(x.lines + y.lines, ANY_LINES)};
}

static struct size times(struct size x, size_t n) {
    uint32_t count = n < ANY_BYTES ? (uint32_t)n : ANY_BYTES;
    return (struct size){least(x.bytes * count, ANY_BYTES),
                         least(x.lines * count, ANY_LINES)};
}

static struct size most_of(struct size x, struct size y) {
    return (struct size){most(x.bytes, y.bytes), most(x.lines, y.lines)};
}

/* A blank of a pattern is any run of them, and one of them may end a line. */
static struct size size_of(struct str s) {
    struct size size = {least((uint32_t)s.n, ANY_BYTES), 0};
    for (size_t i = 0; i < s.n; i++)
        size.lines = least(size.lines + (s.p[i] == ' '), ANY_LINES);
    return size;
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
                             struct size front) {
    bool has_blank = text.n > 0 && text.p[0] == ' ';
    struct words w = {.worth = 0};
    text = str_slice(text, has_blank, LITERAL_BYTES_MAX);
    text.n -= text.n > 0 && text.p[text.n - 1] == ' ';
    if (text.n == 0)
        return w;
    w.set = (struct str_list){arena_alloc(a, sizeof text), 1};
    w.set.at[0] = text;
    w.front = arena_alloc(a, sizeof *w.front);
    w.front[0] = sum(front, (struct size){has_blank, has_blank});
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
                          .size = {1, n->may_end_line}};
}

static struct words best_of(struct arena *a, const struct piece *x) {
    return x->is_exact ? words_of(a, x->prefix, (struct size){0}) : x->best;
}

static struct piece repeated(struct arena *a, const struct piece *x,
                             const struct node *n) {
    /* a run of blanks is one */
    bool is_blank = x->is_exact && str_eq(x->prefix, STR(" "));
    struct size size = is_blank ? x->size : times(x->size, n->most);
    if (n->least == 0 && n->most > 0)
        return (struct piece){.size = size};
    if (n->most == 0)
        return (struct piece){.is_exact = true};
    struct piece many = *x;
    many.size = size;
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
    many.best = words_of(a, text, (struct size){0});
    return many;
}

static struct piece piece_of(struct arena *a, const struct node *n) {
    struct piece x = {.size = {1, n->may_end_line}};
    switch (n->kind) {
    case NODE_EMPTY: x = (struct piece){.is_exact = true}; break;
    case NODE_CHAR: x = exact_char(a, n); break;
    case NODE_ONE: break;
    case NODE_GROUP: x = piece_of_branches(a, n->branches); break;
    case NODE_UNKNOWN: x.size = any_size; break;
    }
    return repeated(a, &x, n);
}

/* ---- sequences ---- */

struct sequence {
    bool is_exact; /* so far */
    struct str prefix, run;
    struct words best;
    struct size size, run_front; /* of all; before the run */
};

/* The same words, in a longer match. */
static struct words behind(struct arena *a, struct size size,
                           const struct words *w) {
    struct words all = *w;
    all.front = arena_array(a, w->set.count, sizeof *all.front);
    for (size_t i = 0; i < w->set.count; i++)
        all.front[i] = sum(size, w->front[i]);
    return all;
}

static void sequence_add(struct arena *a, struct sequence *q,
                         const struct piece *next) {
    struct str run = glue(a, q->run, next->prefix);
    struct words inner = behind(a, q->size, &next->best);
    q->size = sum(q->size, next->size);
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
    q->run_front = q->size;
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
                          .best = q.best, .size = q.size};
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
 * The set has room for it. */
static void words_add(struct words *w, struct str one, struct size front) {
    struct str *set = w->set.at;
    size_t kept = 0;
    for (size_t i = 0; i < w->set.count; i++) {
        size_t at = str_find(one, set[i]);
        if (at < one.n) {
            struct size here = sum(front, size_of(str_slice(one, 0, at)));
            w->front[i] = most_of(w->front[i], here);
            return;
        }
    }
    for (size_t i = 0; i < w->set.count; i++) {
        size_t at = str_find(set[i], one);
        if (at < set[i].n) {
            struct size here =
                sum(w->front[i], size_of(str_slice(set[i], 0, at)));
            front = most_of(front, here);
        } else {
            set[kept] = set[i];
            w->front[kept++] = w->front[i];
        }
    }
    set[kept] = one;
    w->front[kept++] = front;
    w->set.count = kept;
}

static struct words either_of(struct arena *a, const struct words *x,
                              const struct words *y) {
    struct words both = {.worth = 0};
    size_t count = x->set.count + y->set.count;
    if (x->set.count == 0 || y->set.count == 0 || count > LITERALS_PER_PATTERN)
        return both;
    both.set.at = arena_array(a, count, sizeof *both.set.at);
    both.front = arena_array(a, count, sizeof *both.front);
    for (size_t i = 0; i < x->set.count; i++)
        words_add(&both, x->set.at[i], x->front[i]);
    for (size_t i = 0; i < y->set.count; i++)
        words_add(&both, y->set.at[i], y->front[i]);
    both.worth = literal_worth(&both.set);
    return both;
}

static struct piece either(struct arena *a, const struct piece *x,
                           const struct piece *y) {
    struct size size = most_of(x->size, y->size);
    if (x->is_exact && y->is_exact && str_eq(x->prefix, y->prefix)) {
        struct piece same = *x;
        same.size = size;
        return same;
    }
    struct words left = best_of(a, x), right = best_of(a, y);
    return (struct piece){
        .prefix = common_prefix(x->prefix, y->prefix),
        .suffix = common_suffix(x->suffix, y->suffix),
        .best = either_of(a, &left, &right), .size = size};
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

/* Lines are looked at whole where many bytes may stand before a literal. A
 * character beyond ASCII has four at most. */
static int front_of(struct size size, bool needs_utf) {
    if (needs_utf)
        size.bytes = times(size, 4).bytes;
    return size.bytes <= FRONT_BYTES    ? (int)size.bytes
           : size.lines <= FRONT_LINES ? (int)(FRONT_LINE + size.lines)
                                       : FRONT_ANY;
}

struct literals literals_of(struct arena *a, const struct pattern_text *text) {
    if (!text->tree)
        return (struct literals){.best = {0}};
    struct piece all = piece_of_branches(a, text->tree->branches);
    struct words best = best_of(a, &all);
    char *fronts = arena_alloc(a, best.set.count);
    for (size_t i = 0; i < best.set.count; i++)
        fronts[i] = (char)front_of(best.front[i], text->needs_utf);
    return (struct literals){best.set, {fronts, best.set.count}};
}

struct str_list pattern_literals(struct arena *a, struct str text) {
    struct pattern_text prepared;
    struct pattern_error error;
    if (!pattern_text_prepare(a, text, &prepared, &error))
        return (struct str_list){0};
    return literals_of(a, &prepared).best;
}
