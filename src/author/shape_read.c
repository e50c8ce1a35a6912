/* shape_read.c: from a mapping to a struct, by its table of fields.
 *
 * One loop reads every kind of mapping. The type of a field decides which
 * values a key accepts. An unknown key is an error with the nearest known
 * key. */
#include <string.h>

#include "author/read.h"

static void *at(void *out, size_t offset) {
    return (char *)out + offset;
}

/* Members of enum types are written as int. */
_Static_assert(sizeof(enum mechanism) == sizeof(int), "enum is not an int");

/* A list of one-line values, each read by `one`. */
static void read_lines(const struct reading *r, const struct node *n,
                       struct str (*one)(const struct reading *,
                                         const struct node *),
                       struct str_list *list) {
    if (!value_has_kind(r, n, NODE_LIST))
        return;
    list->at = arena_array(r->c->a, n->count, sizeof *list->at);
    list->count = n->count;
    for (size_t i = 0; i < n->count; i++)
        list->at[i] = one(r, n->items[i]);
}

/* Items are appended: all_of and none_of fill one list. */
static void read_list(const struct reading *r, const struct field *f,
                      const struct node *n, void *out) {
    if (!value_has_kind(r, n, NODE_LIST))
        return;
    char **list = at(out, f->at);
    size_t *count = at(out, f->count_at);
    size_t size = f->shape->size;
    char *grown = arena_array(r->c->a, *count + n->count, size);
    if (*count > 0)
        memcpy(grown, *list, *count * size);
    for (size_t i = 0; i < n->count; i++) {
        char *item = grown + (*count + i) * size;
        shape_read(r, f->shape, n->items[i], item);
        if (f->mark_at != 0)
            *(bool *)at(item, f->mark_at) = true;
    }
    *list = grown;
    *count += n->count;
}

static struct str read_string(const struct reading *r, const struct field *f,
                              const struct node *n) {
    int ignored;
    return f->type == FIELD_ID       ? value_id(r, n)
           : f->type == FIELD_LINK   ? value_link(r, n)
           : f->type == FIELD_DATE   ? value_date(r, n)
           : f->type == FIELD_ENTRY  ? value_entry_id(r, n)
           : f->type == FIELD_CHOICE ? value_choice(r, f, n, &ignored)
                                     : value_line(r, n);
}

static int64_t read_number(const struct reading *r, const struct field *f,
                           const struct node *n) {
    return f->type == FIELD_INTEGER   ? value_integer(r, n, f->absent)
           : f->type == FIELD_RATIO   ? value_ratio(r, n, f->absent)
           : f->type == FIELD_DECIMAL ? value_decimal(r, n)
           : f->type == FIELD_WEIGHT  ? value_weight(r, n)
                                      : value_yes_no(r, n);
}

static int read_word(const struct reading *r, const struct field *f,
                     const struct node *n) {
    int word = 0;
    if (f->type == FIELD_FACT)
        return (int)value_fact(r, n);
    value_choice(r, f, n, &word);
    return word;
}

/* ---- lists with a syntax of their own ---- */

static void read_field(const struct reading *r, const struct field *f,
                       const struct node *n, void *out);

/* False: there is no such fact. */
static bool check_setting(const struct reading *r, const struct pair *p,
                          const struct setting *s) {
    struct fact read;
    enum fact_name name;
    if (!fact_named(p->key->text, &name))
        return false;
    fact_read(name, s->value, 1, &read);
    if (s->value.n > 0 && !read.known)
        complain(r->c, r->src, p->value->place, CODE_bad_value,
                 "`%.*s` does not read as %s (%s)", STR_ARG(s->value),
                 fact_spelling(name), unit_spelling(fact_unit(name)));
    else if (s->value.n > 0 && !fact_takes(name, s->value))
        complain(r->c, r->src, p->value->place, CODE_bad_value,
                 "`%.*s` is no word of %s", STR_ARG(s->value),
                 fact_spelling(name));
    return true;
}

/* A mapping: its keys are the first field of an item, its values the second. */
static void read_pairs(const struct reading *r, const struct field *f,
                       const struct node *n, void *out) {
    const struct shape *shape = field_shape(f);
    size_t *count = at(out, f->count_at);
    if (!value_has_kind(r, n, NODE_MAP))
        return;
    char *list = arena_array(r->c->a, n->count, shape->size);
    for (size_t i = 0; i < n->count; i++) {
        const struct pair *p = &n->pairs[i];
        char *item = list + *count * shape->size;
        read_field(r, &shape->fields[0], p->key, item);
        read_field(r, &shape->fields[1], p->value, item);
        const struct cause_share *share = (const void *)item;
        if (f->type == FIELD_SHARES && share->share_micro == 0)
            complain(r->c, r->src, p->value->place, CODE_bad_number,
                     "a share is above 0: leave the cause out");
        *count += f->type != FIELD_SETTINGS ||
                  check_setting(r, p, (const void *)item);
    }
    memcpy(at(out, f->at), &list, sizeof list);
}

static bool read_one_event(const struct reading *r, const struct node *n,
                           struct version_event *out) {
    if (!value_has_kind(r, n, NODE_MAP))
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

/* introduced and fixed must alternate, in the order of versions. */
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

static void read_events(const struct reading *r, const struct field *f,
                        const struct node *n, void *out) {
    size_t *count = at(out, f->count_at);
    if (!value_has_kind(r, n, NODE_LIST))
        return;
    struct version_event *list = arena_array(r->c->a, n->count, sizeof *list);
    for (size_t i = 0; i < n->count; i++) {
        struct version_event *event = &list[*count];
        if (!read_one_event(r, n->items[i], event))
            continue;
        check_order(r, n->items[i], *count > 0 ? event - 1 : NULL, event);
        ++*count;
    }
    if (n->count == 0)
        complain(r->c, r->src, n->place, CODE_bad_version,
                 "at least one event is wanted here");
    memcpy(at(out, f->at), &list, sizeof list);
}

/* ---- a mapping ---- */

/* The value of a key that no struct keeps is read for its complaints only. */
static void read_field(const struct reading *r, const struct field *f,
                       const struct node *n, void *out) {
    int64_t nowhere[2];
    void *to = f->at != FIELD_NOWHERE ? at(out, f->at) : nowhere;
    switch (field_kind(f)) {
    case KIND_STR: *(struct str *)to = read_string(r, f, n); return;
    case KIND_TEXT: *(struct text *)to = value_text(r, n); return;
    case KIND_STRINGS:
        read_lines(r, n, f->type == FIELD_LINKS     ? value_link
                         : f->type == FIELD_ENTRIES ? value_entry_id
                                                    : value_line, to);
        return;
    case KIND_WORD: *(int *)to = read_word(r, f, n); return;
    case KIND_BOOL: *(bool *)to = value_yes_no(r, n); return;
    case KIND_NUMBER: *(int64_t *)to = read_number(r, f, n); return;
    case KIND_RANGE: value_amounts(r, n, to, at(out, f->count_at)); return;
    case KIND_MAP: shape_read(r, f->shape, n, to); return;
    case KIND_LIST:
        if (f->type == FIELD_LIST)
            read_list(r, f, n, out);
        else if (f->type == FIELD_EVENTS)
            read_events(r, f, n, out);
        else
            read_pairs(r, f, n, out);
        return;
    }
}

static void set_absent(const struct shape *shape, void *out) {
    for (const struct field *f = shape->fields; f->key != NULL; f++) {
        if (f->absent != 0)
            *(int64_t *)at(out, f->at) = f->absent;
        if (f->type == FIELD_MAP)
            set_absent(f->shape, at(out, f->at));
    }
}

static void refuse_unknown(const struct reading *r, const struct shape *shape,
                           const struct node *key) {
    const char *meant = field_meant(shape, key->text);
    if (meant != NULL)
        complain(r->c, r->src, key->place, CODE_unknown_key,
                 "unknown key `%.*s` here; did you mean `%s`?",
                 STR_ARG(key->text), meant);
    else
        complain(r->c, r->src, key->place, CODE_unknown_key,
                 "unknown key `%.*s` here; kb/FORMAT.md lists the keys "
                 "under `%s`", STR_ARG(key->text), shape->name);
}

static void refuse_missing(const struct reading *r, const struct shape *shape,
                           const struct node *map) {
    for (const struct field *f = shape->fields; f->key != NULL; f++)
        if (f->is_required && node_get(map, f->key) == NULL)
            complain(r->c, r->src, node_begin(map), CODE_missing_key,
                     "`%s` is missing: %s", f->key, f->doc);
}

void shape_read(const struct reading *r, const struct shape *shape,
                const struct node *node, void *out) {
    set_absent(shape, out);
    if (node == NULL || !value_has_kind(r, node, NODE_MAP))
        return;
    refuse_missing(r, shape, node);
    for (size_t i = 0; i < node->count; i++) {
        const struct field *f = field_named(shape, node->pairs[i].key->text);
        if (f == NULL) {
            refuse_unknown(r, shape, node->pairs[i].key);
            continue;
        }
        if (f->mark_at != 0 && f->type != FIELD_LIST)
            *(bool *)at(out, f->mark_at) = true;
        read_field(r, f, node->pairs[i].value, out);
    }
}
