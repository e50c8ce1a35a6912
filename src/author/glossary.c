/* glossary.c: texts must use the terms of kb/glossary.yaml.
 *
 *     terms    the Chinese word for a thing, and words that must not be used
 *     phrases  words of either language that are hard to read, with a better
 *              one and the reason
 *
 * Every text is checked for each of a few hundred words, so these are in a hash
 * table by their first three bytes (a Chinese character) and a text is read
 * once. Code spans, quotes and links are skipped. English words match as whole
 * words in small or capital letters; one that begins with a capital letter
 * matches only with it, that is at the beginning of a sentence.
 *
 * Texts that were written before an `open` phrase was added still have it: they
 * are counted and reported once. */
#include "author/build.h"

enum { KEY_BYTES = 3, CHAINS = 256 };

struct banned_term {
    struct banned_term *next;
    struct str word, better, why;
    bool is_open;
    size_t count;               /* open: its occurrences */
    const struct source *src;   /* open: the first occurrence */
    struct place place;
};

struct banned_terms {
    struct banned_term *chains[LANG_COUNT_OF][CHAINS];
    struct banned_term *short_ones[LANG_COUNT_OF]; /* shorter than a key */
};

static size_t chain_of(const char *p) {
    unsigned key = 0;
    for (size_t i = 0; i < KEY_BYTES; i++)
        key = key * 31 + (unsigned char)to_lower(p[i]);
    return key % CHAINS;
}

static void add_word(struct arena *a, struct banned_terms *all, enum lang lang,
                     struct banned_term what) {
    struct banned_term **chain = what.word.n < KEY_BYTES
                                  ? &all->short_ones[lang]
                                  : &all->chains[lang][chain_of(what.word.p)];
    struct banned_term *m = arena_alloc(a, sizeof *m);
    *m = what;
    m->next = *chain;
    *chain = m;
}

static void add_words(struct arena *a, struct banned_terms *all, enum lang lang,
                      const struct str_list *words, struct banned_term what) {
    for (size_t i = 0; i < words->count; i++) {
        what.word = words->at[i];
        if (what.word.n > 0)
            add_word(a, all, lang, what);
    }
}

void glossary_settle(struct build *d) {
    const struct glossary_file *g = &d->glossary;
    struct banned_terms *all = arena_alloc(d->a, sizeof *all);
    for (size_t i = 0; i < g->term_count; i++)
        add_words(d->a, all, LANG_ZH, &g->terms[i].not_so,
                  (struct banned_term){.better = g->terms[i].zh,
                                    .why = g->terms[i].en});
    for (size_t i = 0; i < g->phrase_count; i++) {
        const struct phrase *p = &g->phrases[i];
        add_words(d->a, all, str_eq(p->lang, STR("zh")) ? LANG_ZH : LANG_EN,
                  &p->not_so,
                  (struct banned_term){.better = p->say, .why = p->why,
                                    .is_open = p->is_open});
    }
    d->banned_terms = all;
}

/* ---- one text ---- */

/* The offset behind the next `close`; `at` if there is none. */
static size_t skip_past(struct str text, size_t at, struct str close) {
    struct str rest = str_slice(text, at, text.n);
    size_t end = str_find(rest, close);
    return end < rest.n ? at + end + close.n : at;
}

/* The offset behind the code span, quote or link that begins here; `at` if
 * there is none. */
static size_t skip_foreign(struct str text, size_t at) {
    struct str rest = str_slice(text, at, text.n);
    if (str_starts(rest, STR("`")))
        return skip_past(text, at + 1, STR("`"));
    if (str_starts(rest, STR("\""))) {
        size_t end = skip_past(text, at + 1, STR("\""));
        return end > at + 1 ? end : at;
    }
    if (str_starts(rest, STR("\u201c")))
        return skip_past(text, at + 3, STR("\u201d"));
    if (str_starts(rest, STR("https://"))) {
        struct str after;
        return at + str_cut(rest, ' ', &after).n;
    }
    return at;
}

static bool is_of_word(char c) {
    return is_letter(c) || c == '-' || c == '_';
}

static bool stands_at(struct str text, size_t at, const struct banned_term *m,
                      enum lang lang) {
    struct str here = str_slice(text, at, m->word.n);
    size_t end = at + m->word.n;
    bool is_upper = m->word.p[0] >= 'A' && m->word.p[0] <= 'Z';
    if (!str_eq_nocase(here, m->word))
        return false;
    if (lang == LANG_ZH)
        return true;
    return (at == 0 || !is_of_word(text.p[at - 1]))
           && (end == text.n || !is_of_word(text.p[end]))
           && (!is_upper || here.p[0] == m->word.p[0]);
}

/* Which phrases a text is checked for. Open ones are counted by one thread. */
enum sought { SOUGHT_ALL, SOUGHT_CLOSED, SOUGHT_OPEN };

struct text_check {
    struct build *d;
    const struct source *src;
    const struct node *node;
    enum lang lang;
    enum sought sought;
};

static void report_at(const struct text_check *q, struct banned_term *m,
                      size_t at) {
    struct place place = node_place_at(q->node, at);
    if (!m->is_open && q->sought != SOUGHT_OPEN) {
        complain(&q->d->c, q->src, place, CODE_glossary,
                 "`%.*s` is `%.*s` here (%.*s)", STR_ARG(m->word),
                 STR_ARG(m->better), STR_ARG(m->why));
    } else if (m->is_open && q->sought == SOUGHT_CLOSED) {
        q->d->open_phrases++;
    } else if (m->is_open && m->count++ == 0) {
        m->src = q->src;
        m->place = place;
    }
}

static void check_at(const struct text_check *q, struct banned_term *chain,
                     size_t at) {
    for (struct banned_term *m = chain; m != NULL; m = m->next)
        if (stands_at(q->node->text, at, m, q->lang))
            report_at(q, m, at);
}

static void check_text(const struct text_check *q) {
    const struct banned_terms *all = q->d->banned_terms;
    struct str text = q->node->text;
    for (size_t i = 0; all != NULL && i < text.n; i++) {
        size_t end = skip_foreign(text, i);
        if (end > i) {
            i = end - 1;
            continue;
        }
        if (i + KEY_BYTES <= text.n)
            check_at(q, all->chains[q->lang][chain_of(text.p + i)], i);
        check_at(q, all->short_ones[q->lang], i);
    }
}

void check_glossary(struct build *d, const struct source *src,
                    const struct node *text, enum lang lang) {
    check_text(&(struct text_check){d, src, text, lang, SOUGHT_ALL});
}

/* Check every text below this node, in either language. */
static void check_texts(struct build *d, const struct source *src,
                        const struct node *n, enum sought sought) {
    for (size_t i = 0; n->kind == NODE_LIST && i < n->count; i++)
        check_texts(d, src, n->items[i], sought);
    for (size_t i = 0; n->kind == NODE_MAP && i < n->count; i++) {
        struct str key = n->pairs[i].key->text;
        const struct node *value = n->pairs[i].value;
        bool is_en = str_eq(key, STR("en")), is_zh = str_eq(key, STR("zh"));
        if (!is_en && !is_zh)
            check_texts(d, src, value, sought);
        else if (value->kind == NODE_SCALAR)
            check_text(&(struct text_check){
                d, src, value, is_en ? LANG_EN : LANG_ZH, sought});
    }
}

static void report_chain(struct build *d, const struct banned_term *m) {
    for (; m != NULL; m = m->next)
        if (m->count > 0)
            complain(&d->c, m->src, m->place, CODE_phrase,
                     "`%.*s` stands in texts %zu times, here first; better: "
                     "%.*s (%.*s)", STR_ARG(m->word), m->count,
                     STR_ARG(m->better), STR_ARG(m->why));
}

static void check_closed(struct build *d, const struct made *m) {
    if (m->node != NULL)
        check_texts(d, m->src, m->node, SOUGHT_CLOSED);
}

static void count_open(struct build *d, const struct made *m) {
    if (m->node != NULL)
        check_texts(d, m->src, m->node, SOUGHT_OPEN);
}

void check_phrases(struct build *d) {
    static const enum made_kind kinds[] = {MADE_CAUSE, MADE_FIX, MADE_RULE,
                                           MADE_PROGRAM, MADE_ENTRY};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        build_share_each(d, kinds[k], check_closed);
    for (size_t k = 0; d->open_phrases > 0 &&
                       k < sizeof kinds / sizeof *kinds; k++)
        build_each(d, kinds[k], count_open);
    for (int lang = 0; d->banned_terms != NULL && lang < LANG_COUNT_OF;
         lang++) {
        for (size_t i = 0; i < CHAINS; i++)
            report_chain(d, d->banned_terms->chains[lang][i]);
        report_chain(d, d->banned_terms->short_ones[lang]);
    }
}
