/* check_phrases.c: the phrases that the glossary leaves open, in all texts.
 *
 * Texts of the program were counted when they were read. One thread does it:
 * there is one number for each phrase. */
#include "author/desk.h"

static void count_in(struct desk *d, const struct source *src,
                     const struct node *n) {
    const struct node *en = node_get(n, "en");
    const struct node *zh = node_get(n, "zh");
    if (en != NULL && en->kind == NODE_SCALAR)
        count_glossary(d, src, en, LANG_EN);
    if (zh != NULL && zh->kind == NODE_SCALAR)
        count_glossary(d, src, zh, LANG_ZH);
    for (size_t i = 0; en == NULL && zh == NULL && i < n->count; i++) {
        if (n->kind == NODE_LIST)
            count_in(d, src, n->items[i]);
        else if (n->kind == NODE_MAP)
            count_in(d, src, n->pairs[i].value);
    }
}

void check_phrases(struct desk *d) {
    static const enum made_kind kinds[] = {MADE_CAUSE, MADE_FIX, MADE_ENTRY};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const struct made_list *list = &d->made[kinds[k]];
        for (size_t i = 0; i < list->count; i++)
            if (list->at[i].node != NULL)
                count_in(d, list->at[i].src, list->at[i].node);
    }
    tell_glossary(d);
}
