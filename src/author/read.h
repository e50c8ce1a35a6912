/* read.h: from nodes to structs, by the tables of fields.h. Reading continues
 * after a complaint: a value that could not be read is left as if it were
 * missing, and list items keep their indexes. */
#ifndef AUTHOR_READ_H
#define AUTHOR_READ_H

#include "corpus/fields.h"
#include "author/yaml.h"
#include "corpus/entry.h"

struct reading {
    struct complaints *c;
    const struct source *src;
};

/* Fill *out, a zeroed struct of the shape. node NULL: with defaults only. */
void shape_read(const struct reading *r, const struct shape *shape,
                const struct node *node, void *out);

/* A value of each kind. An invalid value is a complaint and empty. */
struct str value_line(const struct reading *r, const struct node *n);
struct str value_id(const struct reading *r, const struct node *n);
struct str value_link(const struct reading *r, const struct node *n);
struct str value_date(const struct reading *r, const struct node *n);
struct str value_entry_id(const struct reading *r, const struct node *n);
struct str value_choice(const struct reading *r, const struct field *f,
                       const struct node *n, int *number);
struct text value_text(const struct reading *r, const struct node *n);
bool value_yes_no(const struct reading *r, const struct node *n);
int64_t value_integer(const struct reading *r, const struct node *n,
                     int64_t absent);
int64_t value_ratio(const struct reading *r, const struct node *n,
                   int64_t absent);
int64_t value_decimal(const struct reading *r, const struct node *n);
int64_t value_weight(const struct reading *r, const struct node *n);
void value_amounts(const struct reading *r, const struct node *n, int64_t *low,
                  int64_t *high);
enum fact_name value_fact(const struct reading *r, const struct node *n);

/* False, and a complaint, if n is not of that kind. */
bool value_has_kind(const struct reading *r, const struct node *n,
                    enum node_kind kind);

/* layout.c: the formatted file of an entry in that folder; unchanged if it
 * cannot be formatted without changing its meaning. */
struct str layout_entry(struct arena *a, const struct source *src,
                        const struct node *root, struct str component);

#endif
