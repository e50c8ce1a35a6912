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

static void read_word(const struct reading *r, const struct field *f,
                      const struct node *n, void *out) {
    int value = 0;
    value_choice(r, f, n, &value);
    memcpy(at(out, f->at), &value, sizeof value);
}

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

static void read_scalar_field(const struct reading *r, const struct field *f,
                              const struct node *n, void *out);

static void read_field(const struct reading *r, const struct field *f,
                       const struct node *n, void *out) {
    switch (f->type) {
    case FIELD_PATTERNS:
    case FIELD_LINES:
    case FIELD_WHEN:
        read_lines(r, n, value_line, at(out, f->at));
        return;
    case FIELD_LINKS:
        read_lines(r, n, value_link, at(out, f->at));
        return;
    case FIELD_ENTRIES:
        read_lines(r, n, value_entry_id, at(out, f->at));
        return;
    case FIELD_MAP:
        shape_read(r, f->shape, n, at(out, f->at));
        return;
    case FIELD_LIST:
        read_list(r, f, n, out);
        return;
    case FIELD_SETTINGS:
        *(struct setting **)at(out, f->at) =
            value_settings(r, n, at(out, f->count_at));
        return;
    case FIELD_SHARES:
        *(struct cause_share **)at(out, f->at) =
            value_shares(r, n, at(out, f->count_at));
        return;
    case FIELD_CURES:
        *(struct cure **)at(out, f->at) =
            value_cures(r, n, at(out, f->count_at));
        return;
    case FIELD_EVENTS:
        *(struct version_event **)at(out, f->at) =
            value_events(r, n, at(out, f->count_at));
        return;
    case FIELD_AMOUNTS:
        value_amounts(r, n, at(out, f->at), at(out, f->count_at));
        return;
    case FIELD_TEXT:
        *(struct text *)at(out, f->at) = value_text(r, n);
        return;
    case FIELD_LINE: case FIELD_ID: case FIELD_PATTERN: case FIELD_LINK:
    case FIELD_DATE: case FIELD_ENTRY: case FIELD_FACT: case FIELD_WORD:
    case FIELD_CHOICE: case FIELD_YES_NO: case FIELD_YES_NO_UNKNOWN:
    case FIELD_INTEGER: case FIELD_RATIO: case FIELD_DECIMAL:
    case FIELD_WEIGHT: case FIELD_PREDICATE:
        read_scalar_field(r, f, n, out);
        return;
    }
}

static bool is_number(enum field_type type) {
    return type == FIELD_INTEGER || type == FIELD_RATIO
           || type == FIELD_DECIMAL || type == FIELD_WEIGHT
           || type == FIELD_YES_NO_UNKNOWN;
}

static void read_number(const struct reading *r, const struct field *f,
                        const struct node *n, void *out) {
    int64_t *number = at(out, f->at);
    if (f->type == FIELD_INTEGER)
        *number = value_integer(r, n, f->absent);
    else if (f->type == FIELD_RATIO)
        *number = value_ratio(r, n, f->absent);
    else if (f->type == FIELD_DECIMAL)
        *number = value_decimal(r, n);
    else if (f->type == FIELD_WEIGHT)
        *number = value_weight(r, n);
    else
        *number = value_yes_no(r, n, false);
}

static void read_string(const struct reading *r, const struct field *f,
                        const struct node *n, struct str *out) {
    int ignored;
    if (f->type == FIELD_ID)
        *out = value_id(r, n);
    else if (f->type == FIELD_LINK)
        *out = value_link(r, n);
    else if (f->type == FIELD_DATE)
        *out = value_date(r, n);
    else if (f->type == FIELD_ENTRY)
        *out = value_entry_id(r, n);
    else if (f->type == FIELD_CHOICE)
        *out = value_choice(r, f, n, &ignored);
    else
        *out = value_line(r, n);
}

static void read_scalar_field(const struct reading *r, const struct field *f,
                              const struct node *n, void *out) {
    if (f->type == FIELD_WORD) {
        read_word(r, f, n, out);
    } else if (f->type == FIELD_FACT) {
        enum fact_name name = value_fact(r, n);
        memcpy(at(out, f->at), &name, sizeof name);
    } else if (f->type == FIELD_YES_NO) {
        bool yes = value_yes_no(r, n, false);
        if (f->at != FIELD_NOWHERE)
            *(bool *)at(out, f->at) = yes;
    } else if (is_number(f->type)) {
        read_number(r, f, n, out);
    } else {
        struct str nowhere;
        read_string(r, f, n, f->at != FIELD_NOWHERE ? at(out, f->at)
                                                    : (void *)&nowhere);
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
