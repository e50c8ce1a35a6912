/* literals.c: the words that every match of a pattern contains.
 *
 * For each part of the pattern's tree it is found out what is certain about its
 * matches:
 *
 *     exact    every match is one of these         (?:CUDA|HIP) out
 *     prefix   every match begins so               (?:GPU \d+)   -> "gpu "
 *     suffix   every match ends so                 (?:\d+ GiB)   -> " gib"
 *     best     every match contains one of these   (?:foo|bar)   -> foo, bar
 *     size     folded bytes, and ends of lines, that a match may have at most
 *
 * In a sequence, exact parts are joined with each other and with the prefix of
 * the next part; the best of all such runs is taken. If it is poor, each text
 * of one part is combined with each of the next: "in train", "in fit". All
 * texts are folded, so (?i) makes no difference, and two blanks that meet are
 * one. Syntax that is not understood gives no literal.
 *
 * Nearly all matches begin few bytes before their literal, or on its line, so
 * PCRE2 does not search the text before that.
 */
#include "match/literals.h"

#include <string.h>

#include "base/limits.h"

struct size { /* of text, at most */
    uint32_t bytes; /* folded; of a pattern beyond ASCII: characters */
    uint32_t lines; /* ends of them */
};

struct words { /* a match contains one of these */
    struct str_list set;
    struct size *front; /* of the part of the match before it, by literal */
    size_t worth;
};

struct piece {
    bool is_exact;
    struct str_list prefix, suffix; /* exact: both are the whole texts; an empty
                                       list is the empty text */
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

/* A blank of a pattern matches any run of blanks, of which one may end a line.
 */
static struct size size_of(struct str s) {
    struct size size = {least((uint32_t)s.n, ANY_BYTES), 0};
    for (size_t i = 0; i < s.n; i++)
        size.lines = least(size.lines + (s.p[i] == ' '), ANY_LINES);
    return size;
}

/* ---- texts ---- */

#define TEXTS_MAX 32 /* of a run */

static struct str_list one_text(struct arena *a, struct str s) {
    struct str_list list = {arena_alloc(a, sizeof s), 1};
    list.at[0] = s;
    return list;
}

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

/* Each of x followed by each of y; false: these are too many. */
static bool glue_all(struct arena *a, const struct str_list *x,
                     const struct str_list *y, struct str_list *out) {
    struct str_list all = x->count ? *x : *y;
    if (x->count && y->count) {
        if (x->count * y->count > TEXTS_MAX)
            return false;
        all = (struct str_list){
            arena_array(a, x->count * y->count, sizeof *all.at), 0};
        for (size_t i = 0; i < x->count; i++)
            for (size_t k = 0; k < y->count; k++)
                all.at[all.count++] = glue(a, x->at[i], y->at[k]);
    }
    *out = all;
    return true;
}

/* The texts of both. An empty list, which is any text: one of them is empty, or
 * there are too many. */
static struct str_list either_text(struct arena *a, const struct str_list *x,
                                   const struct str_list *y) {
    struct str_list both = {0};
    if (x->count == 0 || y->count == 0 || x->count + y->count > TEXTS_MAX)
        return both;
    both.at = arena_array(a, x->count + y->count, sizeof *both.at);
    memcpy(both.at, x->at, x->count * sizeof *both.at);
    both.count = x->count;
    for (size_t i = 0; i < y->count; i++)
        if (!list_has(x, y->at[i]))
            both.at[both.count++] = y->at[i];
    return both;
}

/* ---- words ---- */

/* Adds a word, unless it contains one of the set. Drops those that contain it.
 * The set must have room for it. */
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

/* front: of the texts. */
static struct words words_of(struct arena *a, const struct str_list *texts,
                             struct size front) {
    struct words w = {.worth = 0};
    w.set.at = arena_array(a, texts->count, sizeof *w.set.at);
    w.front = arena_array(a, texts->count, sizeof *w.front);
    for (size_t i = 0; i < texts->count; i++) {
        struct str text = texts->at[i];
        bool has_blank = text.n > 0 && text.p[0] == ' ';
        text = str_slice(text, has_blank, LITERAL_BYTES_MAX);
        text.n -= text.n > 0 && text.p[text.n - 1] == ' ';
        if (text.n == 0)
            return (struct words){.worth = 0};
        words_add(&w, text, sum(front, (struct size){has_blank, has_blank}));
    }
    return w;
}

static struct words best_of(struct arena *a, const struct piece *x) {
    bool is_known = !x->is_exact || x->best.set.count > 0;
    return is_known ? x->best : words_of(a, &x->prefix, (struct size){0});
}

static void keep_better(struct words *best, struct words other) {
    other.worth = literal_worth(&other.set, best->worth);
    if (other.worth > best->worth)
        *best = other;
}

/* ---- one node ---- */

static struct piece exact_char(struct arena *a, const struct node *n) {
    char *one = arena_alloc(a, 1);
    *one = n->c;
    struct str_list text = one_text(a, (struct str){one, 1});
    return (struct piece){.is_exact = true, .prefix = text, .suffix = text,
                          .size = {1, n->may_end_line}};
}

/* One of these texts, or the empty one. */
static struct piece optional(struct arena *a, const struct str_list *texts,
                             struct size size) {
    struct str_list none = one_text(a, STR(""));
    struct piece x = {.is_exact = true, .size = size};
    x.prefix = x.suffix = either_text(a, texts, &none);
    x.is_exact = texts->count == 0 || x.prefix.count > 0;
    return x;
}

static struct piece repeated(struct arena *a, const struct piece *x,
                             const struct node *n) {
    bool is_text = x->is_exact && x->prefix.count == 1;
    struct str text = is_text ? x->prefix.at[0] : STR("");
    bool is_blank = str_eq(text, STR(" ")); /* a run of blanks is one */
    struct size size = is_blank ? x->size : times(x->size, n->most);
    if (n->most == 0)
        return (struct piece){.is_exact = true};
    if (n->least == 0 && x->is_exact && (n->most == 1 || is_blank))
        return optional(a, &x->prefix, size);
    if (n->least == 0)
        return (struct piece){.size = size};
    struct piece many = *x;
    many.size = size;
    if (n->most == 1 || is_blank)
        return many;
    many.best = best_of(a, x);
    many.is_exact = false;
    if (!is_text || text.n * n->least > LITERAL_BYTES_MAX)
        return many;
    struct str one = text;
    for (size_t i = 1; i < n->least; i++)
        text = glue(a, text, one);
    many.is_exact = n->least == n->most;
    many.prefix = many.suffix = one_text(a, text);
    many.best = words_of(a, &many.prefix, (struct size){0});
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

struct run { /* exact parts in a row */
    struct str_list texts;
    struct size front; /* of the part of the match before it */
};

struct sequence {
    bool is_exact; /* all parts so far are */
    struct str_list prefix;
    struct run run;     /* the run at the end of the sequence */
    struct run tail;    /* the part of it behind the last alternatives */
    struct words best;  /* of runs with one text, or inside a part */
    struct words crossed; /* of runs with several texts */
    struct size size;   /* of all parts */
};

/* The same words, with more text of the match before them. */
static struct words behind(struct arena *a, struct size size,
                           const struct words *w) {
    struct words all = *w;
    all.front = arena_array(a, w->set.count, sizeof *all.front);
    for (size_t i = 0; i < w->set.count; i++)
        all.front[i] = sum(size, w->front[i]);
    return all;
}

static void keep_words(struct arena *a, struct sequence *q,
                       const struct run *run) {
    bool is_crossed = run->texts.count > 1;
    keep_better(is_crossed ? &q->crossed : &q->best,
                words_of(a, &run->texts, run->front));
}

static void keep_inner(struct arena *a, struct sequence *q, struct size before,
                       const struct piece *next) {
    struct words inner = best_of(a, next);
    keep_better(&q->best, behind(a, before, &inner));
}

static void sequence_add(struct arena *a, struct sequence *q,
                         const struct piece *next) {
    struct run run = q->run, tail = q->tail;
    struct size before = q->size;
    bool is_glued = glue_all(a, &run.texts, &next->prefix, &run.texts) &&
                    glue_all(a, &tail.texts, &next->prefix, &tail.texts);
    q->size = sum(q->size, next->size);
    if (next->is_exact && is_glued && next->prefix.count <= 1) {
        q->run = run;
        q->tail = tail;
        return;
    }
    keep_words(a, q, next->prefix.count > 1 ? &q->tail : &tail);
    keep_inner(a, q, before, next);
    if (next->is_exact && is_glued) {
        q->run = run;
        q->tail = (struct run){.front = q->size};
        return;
    }
    keep_words(a, q, &run);
    if (q->is_exact)
        q->prefix = run.texts;
    q->is_exact = false;
    q->run.texts = next->suffix;
    q->run.front = next->is_exact ? before : q->size;
    q->tail = next->suffix.count > 1 ? (struct run){.front = q->size} : q->run;
}

static struct piece piece_of_branch(struct arena *a, const struct branch *b) {
    struct sequence q = {.is_exact = true};
    for (const struct node *n = b->first; n; n = n->next) {
        struct piece next = piece_of(a, n);
        sequence_add(a, &q, &next);
    }
    keep_words(a, &q, &q.tail);
    keep_words(a, &q, &q.run);
    if (literals_tell_more(&q.crossed.set, &q.best.set))
        q.best = q.crossed;
    return (struct piece){.is_exact = q.is_exact, .suffix = q.run.texts,
                          .prefix = q.is_exact ? q.run.texts : q.prefix,
                          .best = q.best, .size = q.size};
}

/* ---- alternatives ---- */

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
    return both;
}

static struct piece either(struct arena *a, const struct piece *x,
                           const struct piece *y) {
    struct words left = best_of(a, x), right = best_of(a, y);
    struct piece both = {.prefix = either_text(a, &x->prefix, &y->prefix),
                         .suffix = either_text(a, &x->suffix, &y->suffix),
                         .size = most_of(x->size, y->size)};
    both.is_exact = x->is_exact && y->is_exact && both.prefix.count > 0;
    both.best = either_of(a, &left, &right);
    return both;
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
