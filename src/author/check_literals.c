/* check_literals.c: warnings about literals that slow a scan down: short ones
 * and shared ones.
 *
 * A scan runs a signature's pattern at each occurrence of its literal. A short
 * literal occurs in many lines that do not match; a literal that many entries
 * share runs all of their patterns. Both are allowed, since some entries need
 * them, and are warnings with entry, signature and literal. A shared one is
 * reported once, at its first entry. A pattern without a literal is an error of
 * pattern_check(), not of this file.
 */
#include "author/build.h"

#include <stdlib.h>

#include "match/match.h"

#define SHARED_MOST 20 /* entries */

struct use { /* a literal in a signature */
    struct str literal;
    uint64_t hash;
    uint32_t entry, signature;
};

struct uses {
    struct use *at;
    size_t count, cap;
};

static int by_literal(const void *x, const void *y) {
    const struct use *a = x, *b = y;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    if (a->entry != b->entry)
        return a->entry < b->entry ? -1 : 1;
    return (a->signature > b->signature) - (a->signature < b->signature);
}

static struct place place_of(const struct made *m, uint32_t signature) {
    const struct node *list = node_get(m->node, "signatures");
    const struct node *n = list ? node_item(list, signature) : NULL;
    const struct node *id = n ? node_get(n, "id") : NULL;
    return id ? id->place : (struct place){0};
}

static void add_signature(struct build *d, struct uses *u,
                          const struct pattern *p) {
    uint32_t entry = p->owner, signature = p->ordinal;
    const struct made *m = &d->made[MADE_ENTRY].at[entry];
    const struct entry *e = made_entry(m);
    const struct signature *s = &e->signatures[signature];
    bool is_guess = s->is_prose || /* only looked for in short texts */
                    (s->is_weak && e->mechanism == MECHANISM_unspecified);
    struct str_list list = p->analysis.literals;
    for (size_t i = 0; i < list.count; i++) {
        *ARENA_ADD(d->a, u->at, u->count, u->cap) = (struct use){
            list.at[i], str_hash(list.at[i]), entry, signature};
        if (list.at[i].n < MATCH_LITERAL_MIN && !is_guess)
            complain(&d->c, m->src, place_of(m, signature), CODE_costly_literal,
                     "signature `%.*s` is looked for by `%.*s`: a literal of "
                     "%zu bytes or more costs less", STR_ARG(s->id),
                     STR_ARG(list.at[i]), (size_t)MATCH_LITERAL_MIN);
        else if (literal_is_common(list.at[i]) && !s->is_prose)
            complain(&d->c, m->src, place_of(m, signature), CODE_costly_literal,
                     "signature `%.*s` is looked for by `%.*s`, which stands "
                     "in logs of healthy programs", STR_ARG(s->id),
                     STR_ARG(list.at[i]));
    }
}

static void report_shared(struct build *d, const struct use *u,
                          size_t entries) {
    const struct made *m = &d->made[MADE_ENTRY].at[u->entry];
    const struct signature *s = &made_entry(m)->signatures[u->signature];
    complain(&d->c, m->src, place_of(m, u->signature), CODE_costly_literal,
             "signature `%.*s` is looked for by `%.*s`, as those of %zu "
             "entries are: words of its own cost less", STR_ARG(s->id),
             STR_ARG(u->literal), entries);
}

static void find_shared(struct build *d, const struct uses *u) {
    for (size_t i = 0, end; i < u->count; i = end) {
        size_t entries = 0;
        for (end = i; end < u->count && u->at[end].hash == u->at[i].hash; end++)
            entries += end == i || u->at[end].entry != u->at[end - 1].entry;
        if (entries > SHARED_MOST)
            report_shared(d, &u->at[i], entries);
    }
}

void check_literals(struct build *d) {
    struct uses u = {0};
    if (d->c.errors > 0)
        return; /* a pattern may be invalid */
    for (size_t i = 0; i < d->patterns.count; i++)
        if (d->patterns.at[i].kind == PATTERN_SIGNATURE)
            add_signature(d, &u, &d->patterns.at[i]);
    if (u.count > 1)
        qsort(u.at, u.count, sizeof *u.at, by_literal);
    find_shared(d, &u);
}
