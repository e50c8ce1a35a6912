/* suffix.c: the part of a pattern from its literal on.
 *
 *     ^(?:\S+ )?[Kk]illed by (?:the )?oom        literal "killed by"
 *               '--- suffix ---------------
 *     \b(?:Failed to allocate|bad_alloc)\(\d+\)  literals of both branches
 *           (?:to allocate|_alloc)\(\d+\)        from where each begins
 *
 * Most literals have no match: the next word differs, or letters have another
 * case. Trying the suffix right at the literal shows that, and costs a tenth of
 * searching for the whole pattern in lines.
 *
 * The literal is found in the pattern's runs of plain characters, also in
 * groups that are not repeated. What stands before it is dropped. A group that
 * is cut loses its name and is no longer atomic, so the suffix matches wherever
 * the pattern does, and more often. A pattern that refers to what it has
 * matched, or that has no tree, has no suffix. */
#include "match/suffix.h"

#include "base/buf.h"
#include "base/limits.h"

#define RUN_BYTES 512
#define SUFFIX_CEILING ((size_t)4 * PATTERN_TEXT_MAX)

struct cutting {
    struct arena *a;
    struct str text;
    const struct str_list *literals;
};

struct run { /* plain characters in a row, and where each stands */
    char text[RUN_BYTES];
    size_t place[RUN_BYTES];
    size_t n;
};

/* The place in the pattern where the first of the literals begins; SIZE_MAX:
 * the run has none. */
static size_t find_literal(const struct cutting *c, const struct run *run) {
    size_t first = run->n;
    for (size_t i = 0; i < c->literals->count; i++) {
        size_t at = str_find((struct str){run->text, run->n},
                             c->literals->at[i]);
        first = at < first ? at : first;
    }
    return first < run->n ? run->place[first] : SIZE_MAX;
}

static void add_to_run(struct run *run, const struct node *n) {
    bool is_same = n->c == ' ' && run->n > 0 && run->text[run->n - 1] == ' ';
    if (is_same || run->n == RUN_BYTES)
        return;
    run->place[run->n] = n->from;
    run->text[run->n++] = n->c;
}

static bool put_branches(const struct cutting *c, const struct branch *first,
                         struct buf *out);

/* Puts a group that contains the literal, from the literal on. */
static bool put_group(const struct cutting *c, const struct node *n,
                      struct buf *out) {
    struct buf inside;
    if (n->kind != NODE_GROUP || n->least != 1 || n->most != 1)
        return false;
    inside = buf_in(c->a, SUFFIX_CEILING);
    if (!put_branches(c, n->branches, &inside))
        return false;
    buf_add(out, n->opening);
    buf_add(out, buf_str(&inside));
    buf_add_char(out, ')');
    return buf_ok(&inside);
}

static bool put_branch(const struct cutting *c, const struct branch *b,
                       struct buf *out) {
    struct run run = {.n = 0};
    size_t from = SIZE_MAX;
    for (const struct node *n = b->first; n && from == SIZE_MAX; n = n->next) {
        if (node_is_plain(n)) {
            add_to_run(&run, n);
            continue;
        }
        if (n->kind == NODE_EMPTY)
            continue;
        from = find_literal(c, &run);
        run.n = 0;
        if (from == SIZE_MAX && put_group(c, n, out))
            from = n->end;
    }
    from = from == SIZE_MAX ? find_literal(c, &run) : from;
    if (from == SIZE_MAX)
        return false;
    buf_add(out, str_slice(c->text, from, b->end - from));
    return true;
}

/* False if a branch has no literal. */
static bool put_branches(const struct cutting *c, const struct branch *first,
                         struct buf *out) {
    for (const struct branch *b = first; b; b = b->next) {
        if (b != first)
            buf_add_char(out, '|');
        if (!put_branch(c, b, out))
            return false;
    }
    return true;
}

/* True if a lookbehind is longer than one byte: it may need text before the
 * literal, which is not always there. */
static bool looks_far_back(struct str suffix) {
    for (size_t i = 0; i + 5 < suffix.n; i++) {
        struct str here = str_slice(suffix, i, 4);
        if (!str_eq(here, STR("(?<=")) && !str_eq(here, STR("(?<!")))
            continue;
        size_t end = i + 5;
        if (suffix.p[i + 4] == '[')
            end = pattern_class_end(suffix, i + 4);
        else if (suffix.p[i + 4] == '\\')
            end = i + 6;
        if (end >= suffix.n || suffix.p[end] != ')')
            return true;
    }
    return false;
}

struct str suffix_of(struct arena *a, const struct pattern_text *text,
                   const struct str_list *literals) {
    struct cutting c = {a, text->text, literals};
    const struct pattern_tree *tree = text->tree;
    struct buf out = buf_in(a, SUFFIX_CEILING);
    bool is_good = tree && !tree->is_odd &&
                   put_branches(&c, tree->branches, &out) && buf_ok(&out) &&
                   out.n > 0 && !looks_far_back(buf_str(&out));
    return is_good ? buf_str(&out) : (struct str){0};
}
