/* read_fixes.c: what entries share: kb/fixes/, kb/causes.yaml, kb/ranking.yaml,
 * and kb/lint.yaml, to a struct build. */
#include "author/build.h"
#include "author/files.h"

struct str act_key(struct arena *a, const struct acts_on *what) {
    if (what->flag.n == 0)
        return arena_printf(a, "kind %s", word_spelling(WORDS_ACT_KIND,
                                                        (int)what->kind));
    return arena_printf(a, "%.*s %s", STR_ARG(what->flag),
                        word_spelling(WORDS_CHANGE, (int)what->change));
}

void read_fixes(struct build *d, struct str path) {
    const struct source *src;
    const struct node *root = kb_root(d, path, &src);
    struct fix_file file = {0};
    if (root == NULL)
        return;
    shape_read(&(struct reading){&d->c, src}, &shape_fix_file, root, &file);
    for (size_t i = 0; i < file.fix_count; i++)
        build_put(d, MADE_FIX,
                 (struct made){.id = file.fixes[i].id, .what = &file.fixes[i],
                               .src = src,
                               .node = node_item(node_get(root, "fixes"), i)});
    for (size_t i = 0; i < file.act_count; i++)
        build_put(d, MADE_ACT,
                 (struct made){.id = act_key(d->a, &file.acts[i].acts_on),
                               .what = &file.acts[i], .src = src,
                               .node = node_item(node_get(root, "acts"), i)});
}

/* A row for each mechanism, so that no entry is without causes. */
static void keep_mechanisms(struct build *d, const struct node *root,
                            const struct cause_file *file) {
    const struct node *list = node_get(root, "mechanisms");
    for (size_t i = 0; i < file->mechanism_count; i++) {
        const struct mechanism_causes *row = &file->mechanisms[i];
        struct mechanism_causes *kept = &d->mechanisms[row->mechanism];
        if (kept->cause_count > 0)
            complain(&d->c, d->causes_src, node_item(list, i)->place,
                     CODE_duplicate_id, "`%s` has a row above",
                     word_spelling(WORDS_MECHANISM, (int)row->mechanism));
        *kept = *row;
        d->mechanism_nodes[row->mechanism] = node_item(list, i);
    }
    for (int i = 0; list != NULL && i < MECHANISM_COUNT_OF; i++)
        if (d->mechanisms[i].cause_count == 0)
            complain(&d->c, d->causes_src, list->place, CODE_unsaid,
                     "no causes of mechanism `%s`: a row for it is missing",
                     word_spelling(WORDS_MECHANISM, i));
}

void read_causes(struct build *d, struct str path) {
    const struct node *root = kb_root(d, path, &d->causes_src);
    struct cause_file file = {0};
    if (root == NULL)
        return;
    shape_read(&(struct reading){&d->c, d->causes_src}, &shape_cause_file,
               root, &file);
    for (size_t i = 0; i < file.cause_count; i++)
        build_put(d, MADE_CAUSE,
                 (struct made){
                     .id = file.causes[i].id, .what = &file.causes[i],
                     .src = d->causes_src,
                     .node = node_item(node_get(root, "causes"), i)});
    keep_mechanisms(d, root, &file);
}

void read_ranking(struct build *d, struct str path) {
    const struct source *src;
    const struct node *root = kb_root(d, path, &src);
    struct ranking_file file = {0};
    bool is_there[RANKING_COUNT_OF] = {false};
    if (root == NULL)
        return;
    shape_read(&(struct reading){&d->c, src}, &shape_ranking_file, root,
               &file);
    const struct node *list = node_get(root, "numbers");
    for (size_t i = 0; i < file.number_count; i++) {
        const struct number *n = &file.numbers[i];
        const struct node *row = node_item(list, i);
        enum ranking_number which = (enum ranking_number)0;
        bool is_known = ranking_named(n->id, &which);
        if (n->id.n > 0 && (!is_known || is_there[which])) {
            complain(&d->c, src, node_get(row, "id")->place, CODE_bad_ranking,
                     is_known ? "`%.*s` stands above"
                              : "no number of the ranking is called `%.*s`",
                     STR_ARG(n->id));
            continue;
        }
        is_there[which] = is_there[which] || is_known;
        d->corpus.ranking.micro[which] = n->micro;
        d->corpus.ranking.origin[which] = n->origin;
    }
    for (int i = 0; list != NULL && i < RANKING_COUNT_OF; i++) {
        if (is_there[i])
            continue;
        complain(&d->c, src, list->place, CODE_bad_ranking,
                 "`%s` is missing; src/corpus/ranking.def has them all",
                 ranking_spelling((enum ranking_number)i));
        break;
    }
}

/* A corpus that lints nothing has none. */
void read_rules(struct build *d, struct str path) {
    const struct source *src;
    const struct node *root =
        file_exists(d->a, path) ? kb_root(d, path, &src) : NULL;
    struct rule_file file = {0};
    if (root == NULL)
        return;
    shape_read(&(struct reading){&d->c, src}, &shape_rule_file, root, &file);
    for (size_t i = 0; i < file.rule_count; i++)
        build_put(d, MADE_RULE,
                 (struct made){.id = file.rules[i].id, .what = &file.rules[i],
                               .src = src,
                               .node = node_item(node_get(root, "rules"), i)});
}
