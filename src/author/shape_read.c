/* shape_read.c: a mapping to a struct, by its table.
 *
 * One loop for every kind of mapping there is. What a key takes is decided by
 * its field's type alone; a key that is not in the table is refused with the
 * one that was probably meant. */
#include <string.h>

#include "author/read.h"

static void *at(void *out, size_t offset) {
    return (char *)out + offset;
}

/* Enums are kept as int by every compiler we build with. */
_Static_assert(sizeof(enum mechanism) == sizeof(int), "enum is not an int");

/* A list of one-line values, each read by `one`. */
static void read_lines(const struct reading *r, const struct node *n,
                       struct str (*one)(const struct reading *,
                                         const struct node *),
                       struct str_list *list) {
    if (!value_wants(r, n, NODE_LIST))
        return;
    list->at = arena_array(r->c->a, n->count, sizeof *list->at);
    list->count = n->count;
    for (size_t i = 0; i < n->count; i++)
        list->at[i] = one(r, n->items[i]);
}

/* Items are appended: all_of and none_of fill one list. */
static void read_list(const struct reading *r, const struct field *f,
                      const struct node *n, void *out) {
    if (!value_wants(r, n, NODE_LIST))
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
                                      : value_yes_no(r, n, false);
}

static int read_word(const struct reading *r, const struct field *f,
                     const struct node *n) {
    int word = 0;
    if (f->type == FIELD_FACT)
        return (int)value_fact(r, n);
    value_choice(r, f, n, &word);
    return word;
}

/* A list, whose items have an own way to be written, or mappings. */
static void read_items(const struct reading *r, const struct field *f,
                       const struct node *n, void *out) {
    void *list = NULL;
    size_t *count = at(out, f->count_at);
    if (f->type == FIELD_LIST) {
        read_list(r, f, n, out);
        return;
    }
    list = f->type == FIELD_SETTINGS ? (void *)value_settings(r, n, count)
           : f->type == FIELD_EVENTS ? (void *)value_events(r, n, count)
           : f->type == FIELD_SHARES ? (void *)value_shares(r, n, count)
                                     : (void *)value_cures(r, n, count);
    memcpy(at(out, f->at), &list, sizeof list);
}

/* What a key that no struct keeps holds is read for its complaints. */
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
    case KIND_BOOL: *(bool *)to = value_yes_no(r, n, false); return;
    case KIND_NUMBER: *(int64_t *)to = read_number(r, f, n); return;
    case KIND_RANGE: value_amounts(r, n, to, at(out, f->count_at)); return;
    case KIND_MAP: shape_read(r, f->shape, n, to); return;
    case KIND_LIST: read_items(r, f, n, out); return;
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
    struct place place = map->place;
    place.width = 1;
    for (const struct field *f = shape->fields; f->key != NULL; f++)
        if (f->is_required && node_get(map, f->key) == NULL)
            complain(r->c, r->src, place, CODE_missing_key,
                     "`%s` is missing: %s", f->key, f->doc);
}

void shape_read(const struct reading *r, const struct shape *shape,
                const struct node *node, void *out) {
    set_absent(shape, out);
    if (node == NULL || !value_wants(r, node, NODE_MAP))
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
