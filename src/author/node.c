/* node.c: finding one's way in a tree, and from a byte of a scalar's text
 * back to its place in the file. */
#include "author/yaml.h"

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

/* Where a scalar's first character stands: past its quote, or past the `>-`
 * and the indentation of a block. */
static size_t content_start(struct str text, const struct node *scalar,
                            size_t at) {
    if (scalar->style == NODE_SINGLE || scalar->style == NODE_DOUBLE)
        return at + 1;
    if (scalar->style == NODE_PLAIN)
        return at;
    struct str rest = str_slice(text, at, text.n);
    return skip_blanks(text, at + str_find_char(rest, '\n'));
}

/* How many bytes of the file one byte of the value took, where they are not
 * the same byte: an escape, a doubled quote. */
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

/* One byte of the value further: a blank of the value may be a line break and
 * the next line's indentation, or nothing (a line break already passed). */
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

struct place node_place_at(const struct source *src, const struct node *scalar,
                           size_t offset) {
    size_t at = content_start(src->text, scalar,
                              source_byte(src, scalar->place));
    for (size_t i = 0; i < offset && i < scalar->text.n; i++)
        at = advance(src->text, at, scalar->text.p[i], scalar->style);
    if (offset < scalar->text.n && !is_blank(scalar->text.p[offset]))
        at = skip_blanks(src->text, at);
    return source_place(src, at < src->text.n ? at : src->text.n);
}
