/* yaml.h: a YAML file as a tree of nodes with their places.
 *
 *   source   path, bytes, and the offsets of its lines
 *   node     scalar | list | map, with line and column (1-based, characters)
 *
 * Nodes have an arena of their own, since many are needed for a while only.
 * Texts live as long as the source: where one does not stand in it as it is, it
 * is a copy in the arena of the complaints. */
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
    const struct source *src;
    struct place place;
    uint32_t end_line, end_column; /* of a scalar: behind its last character */
    uint32_t weight;           /* number of nodes in it, including itself */
    struct str text;           /* of a scalar: a view of the source where it
                                  stands there as it is */
    const char *anchor;        /* &name; an alias is the same node */
    union {
        const struct node **items; /* of a list */
        struct pair *pairs;        /* of a map */
    };
    size_t count; /* items or pairs */
};

/* NULL after complaints. The source must be UTF-8, which build_source()
 * checks. */
const struct node *yaml_read(struct complaints *c, struct arena *nodes,
                             const struct source *src);

/* All documents of a file outside the corpus, up to the first syntax error,
 * which is a complaint. Tags are ignored; the first of duplicate keys
 * counts. The nodes are in the arena of the complaints. */
struct documents {
    const struct node **at;
    size_t count;
};
struct documents yaml_read_foreign(struct complaints *c,
                                   const struct source *src);

/* NULL if map is not a map or has no such key. */
const struct node *node_get(const struct node *map, const char *key);
/* The i-th value of a list or a map; i must be less than its count. */
static inline const struct node *node_child(const struct node *n, size_t i) {
    return n->kind == NODE_LIST ? n->items[i] : n->pairs[i].value;
}
/* NULL if list is not a list or is shorter. */
const struct node *node_item(const struct node *list, size_t i);
/* The first of these that is not NULL. */
const struct node *node_or(const struct node *wanted,
                           const struct node *otherwise);

/* Its first character. */
struct place node_begin(const struct node *n);
/* The place in the file of the byte at offset of a scalar's text, with regard
 * to folding, indentation and quotes. */
struct place node_place_at(const struct node *scalar, size_t offset);

#endif
