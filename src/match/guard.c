/* guard.c: what must not stand on the line where a match begins.
 *
 *     ^(?!(?&mild))(?!(?&prose))[^\n]{0,80}cudaMalloc failed
 *      '---------- guards ------'------ body --------------
 *
 * Messages that no program prints as its own are told from talk of them by
 * looking through the line for such words. PCRE2 asks in the order of the
 * pattern, so it would look through each line that may begin a match, for each
 * pattern anew, before the first byte of the body is compared. Here the body is
 * looked for first. Where it begins the guards are asked, and as the same few
 * stand before many patterns, what one has said of a line is kept until the
 * text changes.
 *
 * A guard looks ahead from `^` and binds no names, so it takes no part in how
 * the body matches, and the order in which they are asked changes no answer.
 */
#include "match/guard.h"

#include <string.h>

#include "match/scanner.h"

/* ---- the build ---- */

static bool is_line_start(struct str text, const struct node *n) {
    struct str s = str_slice(text, n->from, n->end - n->from);
    return str_eq(s, STR("^")) || str_eq(s, STR("(?m:^)"));
}

/* A name that only looking ahead binds would be lost. */
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

/* What stands behind `^`; NULL: something else comes first. */
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
    size_t at, subject_end; /* where it was asked last; SIZE_MAX: nowhere */
    enum holding said;
};

/* The same text is the same guard, whoever has it. */
static struct guard *guard_named(struct scanner *s, const struct pattern *p,
                                 size_t i) {
    struct str text = p->study.guards.at[i];
    struct known_patterns *k = s->known;
    struct guard *g = k->guards;
    while (g && !str_eq(g->text, text))
        g = g->next;
    if (g)
        return g;
    g = arena_alloc(k->a, sizeof *g);
    *g = (struct guard){k->guards, text,
                        scan_regex(s, p, 1 + p->extract.count + i), SIZE_MAX,
                        0, HOLDS};
    k->guards = g;
    return g;
}

enum holding guards_ask(struct scanner *s, struct pattern_state *p,
                        const struct search *search, size_t at) {
    const struct str_list *list = &p->is->study.guards;
    struct search here = *search;
    enum holding said = HOLDS;
    here.from = here.latest = at;
    if (list->count > 0 && !p->guards)
        p->guards = arena_array(s->known->a, list->count,
                                sizeof(struct guard *));
    for (size_t i = 0; i < list->count && said == HOLDS; i++) {
        if (!p->guards[i])
            p->guards[i] = guard_named(s, p->is, i);
        struct guard *g = p->guards[i];
        if (g->at != at || g->subject_end != here.subject.n) {
            g->said = regex_holds(s->matcher, g->regex, &here);
            g->at = at;
            g->subject_end = here.subject.n;
        }
        said = g->said;
    }
    return said;
}

void guards_forget(struct scanner *s) {
    for (struct guard *g = s->known->guards; g; g = g->next)
        g->at = SIZE_MAX;
}
