/* glossary.c: the Chinese calls a thing what kb/glossary.yaml says it is
 * called.
 *
 * There are a few hundred words that it should not be called and every text is
 * asked about each, so they are kept by their first three bytes (a character)
 * and a text is read once. Text inside code spans is nobody's language and is
 * not asked. */
#include "author/desk.h"

enum { KEY_BYTES = 3, CHAINS = 256 };

struct misnomer {
    struct misnomer *next;
    struct str word;
    const struct term *term;
};

struct misnomers {
    struct misnomer *chains[CHAINS];
    struct misnomer *short_ones; /* of fewer bytes than a key */
};

static unsigned char lower(char c) {
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static size_t chain_of(const char *p) {
    unsigned key = 0;
    for (size_t i = 0; i < KEY_BYTES; i++)
        key = key * 31 + lower(p[i]);
    return key % CHAINS;
}

static void add_word(struct arena *a, struct misnomers *all,
                     const struct term *term, struct str word) {
    struct misnomer **chain = word.n < KEY_BYTES
                                  ? &all->short_ones
                                  : &all->chains[chain_of(word.p)];
    struct misnomer *m = arena_alloc(a, sizeof *m);
    *m = (struct misnomer){*chain, word, term};
    *chain = m;
}

void glossary_settle(struct desk *d) {
    const struct glossary_file *g = &d->glossary;
    struct misnomers *all = arena_alloc(d->a, sizeof *all);
    for (size_t i = 0; i < g->term_count; i++)
        for (size_t k = 0; k < g->terms[i].not_so.count; k++)
            if (g->terms[i].not_so.at[k].n > 0)
                add_word(d->a, all, &g->terms[i], g->terms[i].not_so.at[k]);
    d->misnomers = all;
}

/* Byte where the word stands outside of code spans; text.n: nowhere. */
static size_t find_said(struct str text, struct str word) {
    bool is_code = false;
    for (size_t i = 0; i + word.n <= text.n; i++) {
        if (text.p[i] == '`')
            is_code = !is_code;
        if (!is_code && str_eq_nocase(str_slice(text, i, word.n), word))
            return i;
    }
    return text.n;
}

struct asked {
    struct desk *d;
    const struct source *src;
    const struct node *node;
};

/* A word is complained of where it stands first. */
static void ask_at(const struct asked *q, const struct misnomer *chain,
                   size_t at) {
    struct str rest = str_slice(q->node->text, at, q->node->text.n);
    for (const struct misnomer *m = chain; m != NULL; m = m->next) {
        if (!str_eq_nocase(str_slice(rest, 0, m->word.n), m->word)
            || find_said(q->node->text, m->word) != at)
            continue;
        complain(&q->d->c, q->src, node_place_at(q->src, q->node, at),
                 CODE_glossary, "`%.*s` is called `%.*s` here (%.*s)",
                 STR_ARG(m->word), STR_ARG(m->term->zh),
                 STR_ARG(m->term->en));
    }
}

void check_glossary(struct desk *d, const struct source *src,
                    const struct node *zh) {
    const struct asked q = {d, src, zh};
    struct str text = zh->text;
    bool is_code = false;
    for (size_t i = 0; d->misnomers != NULL && i < text.n; i++) {
        if (text.p[i] == '`')
            is_code = !is_code;
        if (is_code)
            continue;
        if (i + KEY_BYTES <= text.n)
            ask_at(&q, d->misnomers->chains[chain_of(text.p + i)], i);
        ask_at(&q, d->misnomers->short_ones, i);
    }
}
