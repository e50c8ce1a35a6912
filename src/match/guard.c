/* guard.c: conditions on the line where a match begins.
 *
 *     ^(?!(?&mild))(?!(?&prose))[^\n]{0,80}cudaMalloc failed
 *      '---------- guards ------'------ body --------------
 *
 * Guards tell a message from text about it, by words on the line. PCRE2 would
 * search the line for these words before it compares the first byte of the
 * body, on each line that may begin a match and for each pattern. Here the body
 * is searched for first, and its guards are matched where it begins. The same
 * few guards stand before many patterns, so the result of a guard at a place is
 * kept until the text changes.
 *
 * A guard looks ahead from `^` and binds no names, so it has no effect on how
 * the body matches, and the order of matching changes no result. */
#include "match/guard.h"

#include <string.h>

#include "match/scanner.h"

#define AHEAD_BYTES_MAX 2048 /* of text, in which words are looked for first */

/* ---- the build ---- */

static bool is_line_start(struct str text, const struct node *n) {
    struct str s = str_slice(text, n->from, n->end - n->from);
    return str_eq(s, STR("^")) || str_eq(s, STR("(?m:^)"));
}

/* A name that a guard binds would be lost. */
static bool binds_names(struct str s) {
    return str_find(s, STR("(?<")) < s.n || str_find(s, STR("(?P<")) < s.n ||
           str_find(s, STR("(?'")) < s.n;
}

static bool is_guard(struct str text, const struct node *n) {
    struct str s = str_slice(text, n->from, n->end - n->from);
    bool looks_ahead = str_starts(s, STR("(?!")) || str_starts(s, STR("(?="));
    return n->kind == NODE_EMPTY && n->least == 1 && n->most == 1 &&
           looks_ahead && str_ends(s, STR(")")) && !binds_names(s);
}

/* The first node behind `^`; NULL: the pattern begins with another node. */
static const struct node *behind_line_start(const struct pattern_text *text) {
    const struct pattern_tree *tree = text->tree;
    bool is_simple = tree && !tree->is_odd && tree->branches &&
                     !tree->branches->next && tree->branches->first;
    const struct node *first = is_simple ? tree->branches->first : NULL;
    return first && is_line_start(text->text, first) ? first->next : NULL;
}

struct guarded guards_of(struct arena *a, const struct pattern_text *text) {
    struct str all = text->text;
    const struct node *first = behind_line_start(text), *n = first;
    struct guarded g = {.body = all};
    size_t cap = 0;
    for (; n && is_guard(all, n); n = n->next)
        *ARENA_ADD(a, g.guards.at, g.guards.count, cap) =
            str_slice(all, n->from, n->end - n->from);
    if (g.guards.count == 0 || !n)
        return (struct guarded){.body = all};
    g.body = arena_printf(a, "%.*s%.*s", (int)first->from, all.p,
                          STR_ARG(str_slice(all, n->from, all.n)));
    return g;
}

/* ---- a run ---- */

struct guard {
    struct guard *next;
    struct str text;
    struct regex *regex;
    struct str words; /* of pattern_analysis.guard_words */
    size_t at, subject_end; /* of `last`; at SIZE_MAX: none */
    enum holding last;
};

/* Guards of the same text are one, whatever pattern has them. */
static struct guard *find_guard(struct scanner *s, const struct pattern *p,
                                 size_t i) {
    struct str text = p->analysis.guards.at[i];
    struct known_patterns *k = s->known;
    struct guard *g = k->guards;
    while (g && !str_eq(g->text, text))
        g = g->next;
    if (g)
        return g;
    struct str rest = p->analysis.guard_words, words = str_cut(rest, '\n', &rest);
    for (size_t line = 0; line < i; line++)
        words = str_cut(rest, '\n', &rest);
    g = arena_alloc(k->a, sizeof *g);
    *g = (struct guard){k->guards, text,
                        scan_regex(s, p, 1 + p->extract.count + i), words,
                        SIZE_MAX, 0, HOLDS};
    k->guards = g;
    return g;
}

bool words_may_match(struct str folded, struct str words) {
    bool is_possible = words.n == 0;
    while (words.n > 0 && !is_possible)
        is_possible = str_find(folded, str_cut(words, '\t', &words)) < folded.n;
    return is_possible;
}

/* Most guards look for words that are nowhere in a short text: the text is
 * folded once for all of them. */
static enum holding guard_holds(struct scanner *s, const struct guard *g,
                                const struct search *search) {
    struct str ahead = str_from(search->subject, search->from);
    if (ahead.n > AHEAD_BYTES_MAX)
        return regex_holds(s->matcher, g->regex, search);
    if (s->ahead_at != search->from || s->ahead_end != search->subject.n) {
        fold_clear(&s->ahead);
        fold_add(&s->ahead, ahead, 0);
        s->ahead_at = search->from;
        s->ahead_end = search->subject.n;
    }
    if (words_may_match(fold_str(&s->ahead), g->words))
        return regex_holds(s->matcher, g->regex, search);
    return str_starts(g->text, STR("(?=")) ? HOLDS_NOT : HOLDS;
}

enum holding guards_hold(struct scanner *s, struct pattern_state *p,
                         const struct search *search, size_t at) {
    const struct str_list *list = &p->is->analysis.guards;
    struct search here = *search;
    enum holding holds = HOLDS;
    here.from = here.latest = at;
    if (list->count > 0 && !p->guards)
        p->guards = arena_array(s->known->a, list->count,
                                sizeof(struct guard *));
    for (size_t i = 0; i < list->count && holds == HOLDS; i++) {
        if (!p->guards[i])
            p->guards[i] = find_guard(s, p->is, i);
        struct guard *g = p->guards[i];
        if (g->at != at || g->subject_end != here.subject.n) {
            g->last = guard_holds(s, g, &here);
            g->at = at;
            g->subject_end = here.subject.n;
        }
        holds = g->last;
    }
    return holds;
}

void guards_forget(struct scanner *s) {
    for (struct guard *g = s->known->guards; g; g = g->next)
        g->at = SIZE_MAX;
    s->ahead_at = SIZE_MAX;
}
