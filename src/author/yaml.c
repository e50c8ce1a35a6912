/* yaml.c: from bytes to a tree of nodes, by the events of libyaml.
 *
 * The only file that includes <yaml.h>. It accepts the part of YAML that
 * entries need: one document of mappings, lists and scalars. It refuses tags,
 * keys that are not scalars, and duplicate keys; a merge key is an unknown key
 * to shape_read(). An alias is the node that it names, with its places. It
 * counts as all nodes in it, so that aliases of aliases cannot exceed
 * YAML_NODES_MAX, and cannot name a node that is not complete. */
#include "author/yaml.h"

#include <string.h>
#include <yaml.h>

struct anchor {
    struct str name;
    const struct node *node;
    struct anchor *next;
};

struct parse {
    struct complaints *c;
    struct arena *a; /* of the nodes */
    const struct source *src;
    yaml_parser_t *libyaml;
    yaml_event_t event; /* the current one */
    struct anchor *anchors;
    struct pair *open; /* what the lists and maps hold that are being read */
    size_t open_count, open_cap;
    size_t nodes, depth, depth_most;
    bool is_foreign; /* not a corpus file: tags, duplicate keys and deep nesting
                        are allowed */
    bool failed;
};

static struct place place_of(yaml_mark_t from, yaml_mark_t to) {
    struct place p = {(uint32_t)from.line + 1, (uint32_t)from.column + 1, 1};
    if (to.line == from.line && to.column > from.column)
        p.width = (uint32_t)(to.column - from.column);
    return p;
}

static void refuse(struct parse *p, struct place at, enum code code,
                   const char *why) {
    if (!p->failed)
        complain(p->c, p->src, at, code, "%s", why);
    p->failed = true;
}

/* Report libyaml's error, or a tab in the indentation, which it describes
 * badly. */
static void refuse_syntax(struct parse *p) {
    const yaml_parser_t *y = p->libyaml;
    struct place at = {(uint32_t)y->problem_mark.line + 1,
                       (uint32_t)y->problem_mark.column + 1, 1};
    size_t byte = source_byte(p->src, at);
    if (byte < p->src->text.n && p->src->text.p[byte] == '\t') {
        refuse(p, at, CODE_bad_yaml, "a tab; YAML indents with blanks");
        return;
    }
    refuse(p, at, CODE_bad_yaml,
           y->problem != NULL ? y->problem : "this is not YAML");
}

static void next_event(struct parse *p) {
    yaml_event_delete(&p->event);
    if (p->failed)
        return;
    if (yaml_parser_parse(p->libyaml, &p->event) == 0) {
        memset(&p->event, 0, sizeof p->event);
        if (p->libyaml->error == YAML_MEMORY_ERROR)
            arena_raise(p->c->a, FAIL_MEMORY, "no memory to read YAML");
        refuse_syntax(p);
    }
}

static struct place event_place(const struct parse *p) {
    return place_of(p->event.start_mark, p->event.end_mark);
}

static struct node *node_new(struct parse *p, enum node_kind kind) {
    struct node *n = arena_alloc(p->a, sizeof *n);
    n->kind = kind;
    n->src = p->src;
    n->place = event_place(p);
    n->end_line = (uint32_t)p->event.end_mark.line + 1;
    n->end_column = (uint32_t)p->event.end_mark.column + 1;
    n->weight = 1;
    if (++p->nodes > YAML_NODES_MAX)
        refuse(p, n->place, CODE_too_large, "more than 100,000 values in "
                                            "one file");
    return n;
}

static void remember(struct parse *p, const struct node *node) {
    if (node->anchor == NULL)
        return;
    struct anchor *a = arena_alloc(p->a, sizeof *a);
    a->name = str_of(node->anchor);
    a->node = node;
    a->next = p->anchors;
    p->anchors = a;
}

static const struct node *read_alias(struct parse *p) {
    struct str name = str_of((const char *)p->event.data.alias.anchor);
    for (const struct anchor *a = p->anchors; a != NULL; a = a->next) {
        if (!str_eq(a->name, name))
            continue;
        p->nodes += a->node->weight;
        if (p->nodes > YAML_NODES_MAX)
            refuse(p, event_place(p), CODE_too_large,
                   "aliases that stand for more than 100,000 values");
        return a->node;
    }
    refuse(p, event_place(p), CODE_bad_yaml,
           "an alias of a name that is not anchored above, or still open");
    return NULL;
}

static const struct node *read_node(struct parse *p);

static enum node_style style_of(yaml_scalar_style_t style) {
    if (style == YAML_SINGLE_QUOTED_SCALAR_STYLE)
        return NODE_SINGLE;
    if (style == YAML_DOUBLE_QUOTED_SCALAR_STYLE)
        return NODE_DOUBLE;
    if (style == YAML_LITERAL_SCALAR_STYLE
        || style == YAML_FOLDED_SCALAR_STYLE)
        return NODE_BLOCK;
    return NODE_PLAIN;
}

static void refuse_tag(struct parse *p, const yaml_char_t *tag) {
    if (tag != NULL && !p->is_foreign)
        refuse(p, event_place(p), CODE_bad_yaml,
               "a YAML tag; the key says what type its value has");
}

static const char *anchor_name(struct parse *p, const yaml_char_t *name) {
    return name == NULL ? NULL
                        : arena_str(p->a, str_of((const char *)name)).p;
}

/* The text of the current scalar, as it stands in its lines if it does. */
static struct str scalar_text(struct parse *p, const struct node *n) {
    const struct source *src = p->src;
    struct str value = {(const char *)p->event.data.scalar.value,
                        p->event.data.scalar.length};
    size_t from = n->place.line <= src->line_count
                      ? src->line_starts[n->place.line - 1]
                      : src->text.n;
    size_t to = n->end_line < src->line_count ? src->line_starts[n->end_line]
                                              : src->text.n;
    struct str lines = str_slice(src->text, from, to - from);
    size_t at = str_find(lines, value);
    return at < lines.n ? str_slice(lines, at, value.n)
                        : arena_str(p->c->a, value);
}

static const struct node *read_scalar(struct parse *p) {
    struct node *n = node_new(p, NODE_SCALAR);
    const yaml_event_t *e = &p->event;
    refuse_tag(p, e->data.scalar.tag);
    n->style = style_of(e->data.scalar.style);
    n->text = scalar_text(p, n);
    n->anchor = anchor_name(p, e->data.scalar.anchor);
    remember(p, n);
    return n;
}

static bool enter(struct parse *p) {
    if (++p->depth <= p->depth_most)
        return true;
    refuse(p, event_place(p), CODE_too_large,
           p->is_foreign ? "nested deeper than 64 levels"
                         : "nested deeper than 16 levels");
    return false;
}

static void add_child(struct parse *p, struct node *n, struct pair child) {
    *ARENA_ADD(p->c->scratch, p->open, p->open_count, p->open_cap) = child;
    n->weight += child.value->weight;
    n->weight += child.key != NULL ? child.key->weight : 0;
    n->count++;
}

/* Its children are the last of those that are open. */
static void close_node(struct parse *p, struct node *n) {
    bool is_list = n->kind == NODE_LIST;
    size_t size = is_list ? sizeof *n->items : sizeof *n->pairs;
    void *all = arena_array(p->a, n->count, size);
    p->open_count -= n->count;
    p->depth--;
    if (is_list)
        n->items = all;
    else
        n->pairs = all;
    for (size_t i = 0; i < n->count; i++) {
        const struct pair *child = &p->open[p->open_count + i];
        if (is_list)
            n->items[i] = child->value;
        else
            n->pairs[i] = *child;
    }
    remember(p, n);
}

static const struct node *read_list(struct parse *p) {
    struct node *n = node_new(p, NODE_LIST);
    refuse_tag(p, p->event.data.sequence_start.tag);
    n->anchor = anchor_name(p, p->event.data.sequence_start.anchor);
    if (!enter(p))
        return n;
    for (next_event(p); !p->failed && p->event.type != YAML_SEQUENCE_END_EVENT;
         next_event(p)) {
        const struct node *item = read_node(p);
        if (item == NULL)
            break;
        add_child(p, n, (struct pair){NULL, item});
    }
    close_node(p, n);
    return n;
}

/* Has the map that is being read this key? */
static bool has_key(const struct parse *p, const struct node *map,
                    struct str key) {
    for (size_t i = 1; i <= map->count; i++)
        if (str_eq(p->open[p->open_count - i].key->text, key))
            return true;
    return false;
}

static bool read_pair(struct parse *p, struct node *map) {
    const struct node *key = read_node(p);
    if (key == NULL || p->failed)
        return false;
    if (key->kind != NODE_SCALAR) {
        refuse(p, key->place, CODE_bad_yaml, "a key must be a plain word");
        return false;
    }
    next_event(p);
    const struct node *value = p->failed ? NULL : read_node(p);
    if (value == NULL)
        return false;
    if (has_key(p, map, key->text)) {
        if (!p->is_foreign)
            complain(p->c, p->src, key->place, CODE_duplicate_key,
                     "key `%.*s` stands here a second time",
                     STR_ARG(key->text));
        return true;
    }
    add_child(p, map, (struct pair){key, value});
    return true;
}

static const struct node *read_map(struct parse *p) {
    struct node *n = node_new(p, NODE_MAP);
    refuse_tag(p, p->event.data.mapping_start.tag);
    n->anchor = anchor_name(p, p->event.data.mapping_start.anchor);
    if (!enter(p))
        return n;
    for (next_event(p); !p->failed && p->event.type != YAML_MAPPING_END_EVENT;
         next_event(p))
        if (!read_pair(p, n))
            break;
    close_node(p, n);
    return n;
}

/* Read the node that the current event begins. Afterwards its last event is
 * current. */
static const struct node *read_node(struct parse *p) {
    if (p->event.type == YAML_SCALAR_EVENT)
        return read_scalar(p);
    if (p->event.type == YAML_SEQUENCE_START_EVENT)
        return read_list(p);
    if (p->event.type == YAML_MAPPING_START_EVENT)
        return read_map(p);
    if (p->event.type == YAML_ALIAS_EVENT)
        return read_alias(p);
    refuse(p, event_place(p), CODE_bad_yaml, "a value is wanted here");
    return NULL;
}

/* Read the document that the current event begins. Afterwards the event behind
 * its end is current. */
static const struct node *read_document(struct parse *p) {
    next_event(p);
    const struct node *root = p->failed ? NULL : read_node(p);
    next_event(p); /* the document ends */
    next_event(p);
    return p->failed ? NULL : root;
}

static const struct node *read_only_document(struct parse *p) {
    if (p->failed)
        return NULL;
    if (p->event.type != YAML_DOCUMENT_START_EVENT) {
        refuse(p, (struct place){0}, CODE_bad_yaml, "the file is empty");
        return NULL;
    }
    const struct node *root = read_document(p);
    if (!p->failed && p->event.type != YAML_STREAM_END_EVENT)
        refuse(p, event_place(p), CODE_bad_yaml,
               "a second document; one file is one document");
    return p->failed ? NULL : root;
}

static void parser_end(void *what) {
    yaml_parser_delete(what);
}

static void event_end(void *what) {
    yaml_event_delete(what);
}

static struct parse *parse_begin(struct complaints *c, struct arena *nodes,
                                 const struct source *src) {
    struct parse *p = arena_alloc(nodes, sizeof *p);
    *p = (struct parse){.c = c, .a = nodes, .src = src,
                        .depth_most = YAML_DEPTH_MAX};
    p->libyaml = arena_alloc(nodes, sizeof *p->libyaml);
    if (yaml_parser_initialize(p->libyaml) == 0)
        arena_raise(c->a, FAIL_MEMORY, "no memory to read YAML");
    arena_defer(nodes, parser_end, p->libyaml);
    arena_defer(nodes, event_end, &p->event);
    yaml_parser_set_encoding(p->libyaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(p->libyaml,
                                 (const unsigned char *)src->text.p,
                                 src->text.n);
    return p;
}

const struct node *yaml_read(struct complaints *c, struct arena *nodes,
                             const struct source *src) {
    const struct arena_defer *before = nodes->deferred;
    struct parse *p = parse_begin(c, nodes, src);
    next_event(p); /* the stream begins */
    next_event(p);
    const struct node *root = read_only_document(p);
    arena_release_to(nodes, before); /* libyaml holds 64 KiB for each file */
    return root;
}

struct documents yaml_read_foreign(struct complaints *c,
                                   const struct source *src) {
    struct parse *p = parse_begin(c, c->a, src);
    struct documents list = {.count = 0};
    size_t cap = 0;
    p->is_foreign = true;
    p->depth_most = YAML_FOREIGN_DEPTH_MAX;
    next_event(p);
    next_event(p);
    while (!p->failed && p->event.type == YAML_DOCUMENT_START_EVENT) {
        const struct node *root = read_document(p);
        if (root == NULL)
            break;
        *ARENA_ADD(c->a, list.at, list.count, cap) = root;
    }
    return list;
}

/* ---- looking up nodes, and the place of a byte of a scalar's text ---- */

const struct node *node_get(const struct node *map, const char *key) {
    if (map == NULL || map->kind != NODE_MAP)
        return NULL;
    for (size_t i = 0; i < map->count; i++)
        if (str_eq(map->pairs[i].key->text, str_of(key)))
            return map->pairs[i].value;
    return NULL;
}

const struct node *node_item(const struct node *list, size_t i) {
    if (list == NULL || list->kind != NODE_LIST || i >= list->count)
        return NULL;
    return list->items[i];
}

const struct node *node_or(const struct node *wanted,
                           const struct node *otherwise) {
    return wanted != NULL ? wanted : otherwise;
}

struct place node_begin(const struct node *n) {
    return (struct place){n->place.line, n->place.column, 1};
}

static bool is_blank(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static size_t skip_blanks(struct str text, size_t at) {
    while (at < text.n && is_blank(text.p[at]))
        at++;
    return at;
}

/* The offset of a scalar's first character: behind its quote, or behind the
 * `>-` and the indentation of a block. */
static size_t content_start(struct str text, const struct node *scalar,
                            size_t at) {
    if (scalar->style == NODE_SINGLE || scalar->style == NODE_DOUBLE)
        return at + 1;
    if (scalar->style == NODE_PLAIN)
        return at;
    struct str rest = str_slice(text, at, text.n);
    return skip_blanks(text, at + str_find_char(rest, '\n'));
}

/* Bytes of the file for one byte of the value, if it is an escape or a doubled
 * quote; else 0. */
static size_t escape_length(struct str text, size_t at, enum node_style style) {
    if (at + 1 >= text.n)
        return 0;
    if (style == NODE_SINGLE && text.p[at] == '\'')
        return 2;
    if (style != NODE_DOUBLE || text.p[at] != '\\')
        return 0;
    switch (text.p[at + 1]) {
    case 'x': return 4;
    case 'u': return 6;
    case 'U': return 10;
    default: return 2;
    }
}

/* The offset after one byte of the value. A blank of the value may be a line
 * break with the next line's indentation, or nothing, if that was skipped
 * before. */
static size_t advance(struct str text, size_t at, char value,
                      enum node_style style) {
    size_t escape = escape_length(text, at, style);
    if (escape > 0)
        return at + escape;
    if (is_blank(value) && at < text.n && text.p[at] != value)
        return skip_blanks(text, at);
    if (!is_blank(value))
        at = skip_blanks(text, at);
    return at + 1;
}

struct place node_place_at(const struct node *scalar, size_t offset) {
    const struct source *src = scalar->src;
    size_t at = content_start(src->text, scalar,
                              source_byte(src, scalar->place));
    for (size_t i = 0; i < offset && i < scalar->text.n; i++)
        at = advance(src->text, at, scalar->text.p[i], scalar->style);
    if (offset < scalar->text.n && !is_blank(scalar->text.p[offset]))
        at = skip_blanks(src->text, at);
    return source_place(src, at < src->text.n ? at : src->text.n);
}
