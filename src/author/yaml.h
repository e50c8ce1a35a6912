/* yaml.h: one YAML file as a small tree that knows where everything stands.
 *
 *   source   path, bytes, and where its lines begin
 *   node     scalar | list | map, with line and column (1-based, characters)
 *
 * Everything is a view into, or a child of, the arena. */
#ifndef AUTHOR_YAML_H
#define AUTHOR_YAML_H

#include "author/complain.h"
#include "base/limits.h"

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };
enum node_style { NODE_PLAIN, NODE_SINGLE, NODE_DOUBLE, NODE_BLOCK };

struct pair {
    const struct node *key, *value;
};

struct node {
    enum node_kind kind;
    enum node_style style; /* of a scalar */
    const struct source *src; /* it stands in */
    struct place place;
    uint32_t end_line, end_column; /* of a scalar: behind its last character */
    struct str text;           /* of a scalar */
    struct str anchor;         /* &name; an alias is the node itself again */
    const struct node **items; /* of a list */
    struct pair *pairs;        /* of a map */
    size_t count, cap;         /* items or pairs */
    size_t weight;             /* nodes in it, itself included */
};

/* NULL after complaints. The source must hold UTF-8 (source_read saw to it). */
const struct node *yaml_read(struct complaints *c, const struct source *src);

/* A file that is no corpus: all its documents, up to what is no YAML, which is
 * complained of. Tags are passed over; of a key said twice the first counts. */
struct documents {
    const struct node **at;
    size_t count;
};
struct documents yaml_read_foreign(struct complaints *c,
                                   const struct source *src);

/* NULL when map is no map or has no such key. */
const struct node *node_get(const struct node *map, const char *key);
/* The i-th value of a list or a map, i below its count. */
static inline const struct node *node_child(const struct node *n, size_t i) {
    return n->kind == NODE_LIST ? n->items[i] : n->pairs[i].value;
}
/* NULL when list is no list or is shorter. */
const struct node *node_item(const struct node *list, size_t i);
/* The first of these that is there: where to complain. */
const struct node *node_or(const struct node *wanted,
                           const struct node *otherwise);

/* Its first character. */
struct place node_begin(const struct node *n);
/* Where the byte at offset of a scalar's text stands in its file, through
 * folding, indentation and quotes. */
struct place node_place_at(const struct node *scalar, size_t offset);

#endif
