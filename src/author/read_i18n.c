/* read_i18n.c: i18n/<lang>.yaml, the texts of the program.
 *
 * Nested mappings become keys joined by dots. Both files must have the same
 * keys, and a text must fill in the same {0}..{5} in every language. */
#include <stdlib.h>

#include "author/build.h"
#include "author/files.h"
#include "base/limits.h"

struct keyed_text {
    struct str key, text;
    const struct node *node;
};

struct keyed_texts {
    struct keyed_text *at;
    size_t count, cap;
};

static void flatten(const struct reading *r, const struct node *n,
                    struct str prefix, struct keyed_texts *list) {
    if (!value_has_kind(r, n, NODE_MAP))
        return;
    for (size_t i = 0; i < n->count; i++) {
        const struct pair *p = &n->pairs[i];
        struct str key = prefix.n == 0
            ? p->key->text
            : arena_printf(r->c->a, "%.*s.%.*s", STR_ARG(prefix),
                           STR_ARG(p->key->text));
        if (key.n > I18N_KEY_BYTES_MAX)
            complain(r->c, r->src, p->key->place, CODE_too_large,
                     "a key of more than %d bytes", I18N_KEY_BYTES_MAX);
        else if (p->value->kind == NODE_MAP)
            flatten(r, p->value, key, list);
        else
            *ARENA_ADD(r->c->a, list->at, list->count, list->cap) =
                (struct keyed_text){key, value_line(r, p->value), p->value};
    }
}

static struct keyed_texts read_language(struct build *d, enum lang lang) {
    struct keyed_texts list = {0};
    struct str file = arena_printf(d->a, "%s.yaml", lang_name((enum lang)lang));
    const struct source *src =
        build_source(d, path_join(d->a, d->i18n_dir, file));
    const struct node *root =
        src == NULL ? NULL : yaml_read(&d->c, d->nodes, src);
    if (root == NULL)
        return list;
    d->i18n_src[lang] = src;
    flatten(&(struct reading){&d->c, src}, root, (struct str){0}, &list);
    if (list.count > 1)
        qsort(list.at, list.count, sizeof *list.at, str_order);
    return list;
}

/* Bit i: the text fills in {i}. */
static unsigned placeholders(struct str text) {
    unsigned found = 0;
    for (size_t i = 0; i + 2 < text.n; i++)
        if (text.p[i] == '{' && text.p[i + 2] == '}' && text.p[i + 1] >= '0'
            && text.p[i + 1] <= '9')
            found |= 1u << (unsigned)(text.p[i + 1] - '0');
    return found;
}

static void refuse_untranslated(struct build *d, const struct keyed_text *s,
                                enum lang has) {
    complain(&d->c, d->i18n_src[has], s->node->place, CODE_i18n_missing,
             "`%.*s` is missing in i18n/%s.yaml", STR_ARG(s->key),
             lang_name(has == LANG_EN ? LANG_ZH : LANG_EN));
}

static void pair_up(struct build *d, const struct keyed_text *en,
                    const struct keyed_text *zh) {
    struct corpus *c = &d->corpus;
    struct message *m = &c->messages[c->message_count++];
    m->key = en->key;
    m->text.in[LANG_EN] = en->text;
    m->text.in[LANG_ZH] = zh->text;
    if (placeholders(en->text) != placeholders(zh->text))
        complain(&d->c, d->i18n_src[LANG_ZH], zh->node->place,
                 CODE_i18n_placeholders,
                 "`%.*s` does not fill in the same {0}, {1} ... as its "
                 "English", STR_ARG(zh->key));
    check_pair(d, (struct text_node){d->i18n_src[LANG_EN], en->node},
               (struct text_node){d->i18n_src[LANG_ZH], zh->node});
    check_glossary(d, d->i18n_src[LANG_EN], en->node, LANG_EN);
    check_glossary(d, d->i18n_src[LANG_ZH], zh->node, LANG_ZH);
}

/* Pair the texts of two sorted lists by key. */
static void merge(struct build *d, const struct keyed_texts *en,
                  const struct keyed_texts *zh) {
    size_t i = 0;
    size_t j = 0;
    while (i < en->count || j < zh->count) {
        int order = i == en->count ? 1
                    : j == zh->count
                        ? -1 : str_cmp(en->at[i].key, zh->at[j].key);
        if (order == 0)
            pair_up(d, &en->at[i++], &zh->at[j++]);
        else if (order < 0)
            refuse_untranslated(d, &en->at[i++], LANG_EN);
        else
            refuse_untranslated(d, &zh->at[j++], LANG_ZH);
    }
}

void build_read_i18n(struct build *d) {
    struct keyed_texts en = read_language(d, LANG_EN);
    struct keyed_texts zh = read_language(d, LANG_ZH);
    d->corpus.messages = arena_array(d->a, en.count, sizeof(struct message));
    if (d->i18n_src[LANG_EN] != NULL && d->i18n_src[LANG_ZH] != NULL)
        merge(d, &en, &zh);
}
