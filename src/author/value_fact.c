/* value_fact.c: facts and versions as values of an entry. */
#include "author/read.h"

enum fact_name value_fact(const struct reading *r, const struct node *n) {
    enum fact_name name = (enum fact_name)0;
    struct str s = value_line(r, n);
    if (s.n > 0 && !fact_named(s, &name))
        complain(r->c, r->src, n->place, CODE_unknown_fact,
                 "there is no fact `%.*s`", STR_ARG(s));
    return name;
}

struct setting *value_settings(const struct reading *r, const struct node *n,
                              size_t *count) {
    if (!value_wants(r, n, NODE_MAP))
        return NULL;
    struct setting *list = arena_array(r->c->a, n->count, sizeof *list);
    size_t used = 0;
    for (size_t i = 0; i < n->count; i++) {
        const struct pair *p = &n->pairs[i];
        struct setting s = {0};
        struct fact read;
        if (!fact_named(p->key->text, &s.name)) {
            complain(r->c, r->src, p->key->place, CODE_unknown_fact,
                     "there is no fact `%.*s`", STR_ARG(p->key->text));
            continue;
        }
        s.value = value_line(r, p->value);
        fact_read(s.name, s.value, 1, &read);
        if (s.value.n > 0 && !read.known)
            complain(r->c, r->src, p->value->place, CODE_bad_value,
                     "`%.*s` does not read as %s (%s)", STR_ARG(s.value),
                     fact_spelling(s.name),
                     unit_spelling(fact_unit(s.name)));
        list[used++] = s;
    }
    *count = used;
    return list;
}

static bool read_event(const struct reading *r, const struct node *n,
                       struct version_event *out) {
    if (!value_wants(r, n, NODE_MAP))
        return false;
    struct str key = n->count == 1 ? n->pairs[0].key->text : (struct str){0};
    out->is_fixed = str_eq(key, STR("fixed"));
    if (!out->is_fixed && !str_eq(key, STR("introduced"))) {
        complain(r->c, r->src, n->place, CODE_bad_version,
                 "an event is `introduced: version` or `fixed: version`");
        return false;
    }
    const struct node *version = n->pairs[0].value;
    out->version = value_line(r, version);
    if (out->version.n == 0 || version_valid(out->version))
        return out->version.n > 0;
    complain(r->c, r->src, version->place, CODE_bad_version,
             "`%.*s` is no version", STR_ARG(out->version));
    return false;
}

/* introduced and fixed take turns, from old to new. */
static void check_order(const struct reading *r, const struct node *n,
                        const struct version_event *before,
                        const struct version_event *event) {
    int order;
    if (before == NULL) {
        if (event->is_fixed)
            complain(r->c, r->src, n->place, CODE_bad_version,
                     "events begin with `introduced` (\"0\" is the beginning)");
        return;
    }
    if (before->is_fixed == event->is_fixed)
        complain(r->c, r->src, n->place, CODE_bad_version,
                 "`introduced` and `fixed` take turns");
    else if (version_compare(before->version, event->version, &order)
             && order >= 0)
        complain(r->c, r->src, n->place, CODE_bad_version,
                 "%.*s does not come after %.*s", STR_ARG(event->version),
                 STR_ARG(before->version));
}

struct version_event *value_events(const struct reading *r,
                                  const struct node *n, size_t *count) {
    if (!value_wants(r, n, NODE_LIST))
        return NULL;
    struct version_event *list = arena_array(r->c->a, n->count, sizeof *list);
    size_t used = 0;
    for (size_t i = 0; i < n->count; i++) {
        struct version_event event = {0};
        if (!read_event(r, n->items[i], &event))
            continue;
        check_order(r, n->items[i], used > 0 ? &list[used - 1] : NULL, &event);
        list[used++] = event;
    }
    if (n->count == 0)
        complain(r->c, r->src, n->place, CODE_bad_version,
                 "at least one event is wanted here");
    *count = used;
    return list;
}
