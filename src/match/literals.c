/* literals.c: which words every match of a pattern contains.
 *
 * Each part of the pattern's tree answers with what is certain about its
 * matches:
 *
 *     exact    every match is this text            "Free memory"
 *     prefix   every match begins so               (?:GPU \d+)   -> "gpu "
 *     suffix   every match ends so                 (?:\d+ GiB)   -> " gib"
 *     best     every match contains one of these   (?:foo|bar)   -> foo, bar
 *     front    line ends and bytes that a match may hold, at most
 *
 * In a sequence exact parts grow together with the prefix of the next; the
 * best of all such runs wins. All texts are folded, so (?i) needs no care, and
 * glueing joins the blanks that meet. What is not understood is no literal:
 * doubt only ever makes the list shorter.
 *
 * Nearly all patterns begin on the line of their literal or few before it, most
 * of them at the literal or a known number of bytes before it: PCRE2 need not be
 * asked about what stands in front of that.
 */
#include "match/literals.h"

#include <string.h>

#include "base/limits.h"
#include "match/literal_worth.h"

struct words { /* a match holds one of these */
    struct str_list set;
    size_t worth;
    struct front front; /* before it */
};

struct piece {
    bool is_exact;
    struct str prefix, suffix; /* exact: both are the whole text */
    struct words best;
    struct front all; /* of a match */
};

static const struct front unknown = {FRONT_LINES + 1, FRONT_BYTES + 1};

struct study {
    struct arena *a;
    uint32_t character_bytes; /* of any one, at most */
};

static struct piece piece_of_branches(struct study *s,
                                      const struct branch *first);

static uint32_t least(uint64_t x, uint32_t y) {
    return x < y ? (uint32_t)x : y;
}

static struct front sum(struct front x, struct front y) {
    return (struct front){least((uint64_t)x.lines + y.lines, unknown.lines),
                          least((uint64_t)x.bytes + y.bytes, unknown.bytes)};
}

static struct front times(struct front x, size_t n) {
    uint64_t factor = least(n, UINT16_MAX);
    return (struct front){least(x.lines * factor, unknown.lines),
                          least(x.bytes * factor, unknown.bytes)};
}

static struct front most(struct front x, struct front y) {
    return (struct front){x.lines > y.lines ? x.lines : y.lines,
                          x.bytes > y.bytes ? x.bytes : y.bytes};
}

/* A blank of a pattern is any run of them, and one of them may end a line. */
static struct front of_text(struct str s) {
    struct front f = {0, least(s.n, unknown.bytes)};
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] == ' ')
            f = (struct front){least(f.lines + 1, unknown.lines),
                               unknown.bytes};
    return f;
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

/* front: of the text. */
static struct words words_of(struct study *s, struct str text,
                             struct front front) {
    struct words w = {.front = front};
    bool has_blank = text.n > 0 && text.p[0] == ' ';
    if (has_blank)
        w.front = sum(front, of_text(STR(" ")));
    text = str_slice(text, has_blank, LITERAL_BYTES_MAX);
    text.n -= text.n > 0 && text.p[text.n - 1] == ' ';
    if (text.n == 0)
        return w;
    w.set = (struct str_list){arena_alloc(s->a, sizeof text), 1};
    w.set.at[0] = text;
    w.worth = literal_worth(&w.set);
    return w;
}

static void keep_better(struct words *best, struct words other) {
    if (other.worth > best->worth)
        *best = other;
}

/* ---- one node ---- */

static struct piece exact_char(struct study *s, const struct node *n) {
    char *one = arena_alloc(s->a, 1);
    *one = n->c;
    struct str text = {one, 1};
    return (struct piece){.is_exact = true, .prefix = text, .suffix = text,
                          .all = {n->may_end_line, 1}};
}

static struct words best_of(struct study *s, const struct piece *x) {
    return x->is_exact ? words_of(s, x->prefix, (struct front){0, 0})
                       : x->best;
}

static struct piece repeated(struct study *s, const struct piece *x,
                             const struct node *n) {
    /* a run of blanks is one */
    bool is_blank = x->is_exact && str_eq(x->prefix, STR(" "));
    struct front all = times(x->all, n->most);
    if (is_blank)
        all.lines = x->all.lines;
    if (n->least == 0 && n->most > 0)
        return (struct piece){.all = all};
    if (n->most == 0)
        return (struct piece){.is_exact = true};
    struct piece many = *x;
    many.all = all;
    if (n->most == 1 || is_blank)
        return many;
    many.best = best_of(s, x);
    many.is_exact = false;
    if (!x->is_exact || x->prefix.n * n->least > LITERAL_BYTES_MAX)
        return many;
    struct str text = x->prefix;
    for (size_t i = 1; i < n->least; i++)
        text = glue(s, text, x->prefix);
    many.is_exact = n->least == n->most;
    many.prefix = many.suffix = text;
    many.best = words_of(s, text, (struct front){0, 0});
    return many;
}

static struct piece piece_of(struct study *s, const struct node *n) {
    struct piece x = {.all = {n->may_end_line, s->character_bytes}};
    switch (n->kind) {
    case NODE_EMPTY: x = (struct piece){.is_exact = true}; break;
    case NODE_CHAR: x = exact_char(s, n); break;
    case NODE_ONE: break;
    case NODE_GROUP: x = piece_of_branches(s, n->branches); break;
    case NODE_UNKNOWN: x.all = unknown; break;
    }
    return repeated(s, &x, n);
}

/* ---- sequences ---- */

struct sequence {
    bool is_exact; /* so far */
    struct str prefix, run;
    struct words best;
    struct front all, run_front; /* of all; before the run */
};

static void sequence_add(struct study *s, struct sequence *q,
                         const struct piece *next) {
    struct str run = glue(s, q->run, next->prefix);
    struct words inner = next->best;
    inner.front = sum(q->all, inner.front);
    q->all = sum(q->all, next->all);
    if (next->is_exact) {
        q->run = run;
        return;
    }
    keep_better(&q->best, words_of(s, run, q->run_front));
    keep_better(&q->best, inner);
    if (q->is_exact)
        q->prefix = run;
    q->is_exact = false;
    q->run = next->suffix;
    q->run_front = q->all;
}

static struct piece piece_of_branch(struct study *s, const struct branch *b) {
    struct sequence q = {.is_exact = true};
    for (const struct node *n = b->first; n; n = n->next) {
        struct piece next = piece_of(s, n);
        sequence_add(s, &q, &next);
    }
    keep_better(&q.best, words_of(s, q.run, q.run_front));
    return (struct piece){.is_exact = q.is_exact, .suffix = q.run,
                          .prefix = q.is_exact ? q.run : q.prefix,
                          .best = q.best, .all = q.all};
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
static struct front set_add(struct str_list *set, struct str one) {
    size_t kept = 0;
    struct front more = {0, 0};
    for (size_t i = 0; i < set->count; i++) {
        size_t at = str_find(one, set->at[i]);
        if (at < one.n)
            return of_text(str_slice(one, 0, at));
    }
    for (size_t i = 0; i < set->count; i++) {
        size_t at = str_find(set->at[i], one);
        if (at < set->at[i].n)
            more = most(more, of_text(str_slice(set->at[i], 0, at)));
        else
            set->at[kept++] = set->at[i];
    }
    set->at[kept++] = one;
    set->count = kept;
    return more;
}

static struct words either_of(struct study *s, const struct words *x,
                              const struct words *y) {
    struct words both = {.front = most(x->front, y->front)};
    size_t count = x->set.count + y->set.count;
    if (x->set.count == 0 || y->set.count == 0 || count > LITERALS_PER_PATTERN)
        return both;
    both.set.at = arena_array(s->a, count, sizeof *both.set.at);
    for (size_t i = 0; i < count; i++) {
        bool is_left = i < x->set.count;
        struct str one = is_left ? x->set.at[i]
                                 : y->set.at[i - x->set.count];
        both.front = sum(both.front, set_add(&both.set, one));
    }
    both.worth = literal_worth(&both.set);
    return both;
}

static struct piece either(struct study *s, const struct piece *x,
                           const struct piece *y) {
    struct front all = most(x->all, y->all);
    if (x->is_exact && y->is_exact && str_eq(x->prefix, y->prefix)) {
        struct piece same = *x;
        same.all = all;
        return same;
    }
    struct words left = best_of(s, x), right = best_of(s, y);
    return (struct piece){
        .prefix = common_prefix(x->prefix, y->prefix),
        .suffix = common_suffix(x->suffix, y->suffix),
        .best = either_of(s, &left, &right), .all = all};
}

static struct piece piece_of_branches(struct study *s,
                                      const struct branch *first) {
    struct piece all = piece_of_branch(s, first);
    for (const struct branch *b = first->next; b; b = b->next) {
        struct piece next = piece_of_branch(s, b);
        all = either(s, &all, &next);
    }
    return all;
}

struct literals literals_of(struct arena *a, const struct pattern_text *text) {
    struct study s = {.a = a, .character_bytes = text->needs_utf ? 4 : 1};
    struct literals found = {.front = unknown};
    if (!text->tree)
        return found;
    struct piece all = piece_of_branches(&s, text->tree->branches);
    struct words best = best_of(&s, &all);
    return (struct literals){best.set, best.front};
}

struct str_list pattern_literals(struct arena *a, struct str text) {
    struct pattern_text prepared;
    struct pattern_error error;
    if (!pattern_text_prepare(a, text, &prepared, &error))
        return (struct str_list){0};
    return literals_of(a, &prepared).best;
}
