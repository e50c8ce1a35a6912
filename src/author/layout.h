/* layout.h: the one layout of entries. Private to author/. */
#ifndef AUTHOR_LAYOUT_H
#define AUTHOR_LAYOUT_H

#include "author/yaml.h"

/* The file of an entry of that folder, laid out; as it is where that cannot be
 * done without a change of what it says. */
struct str layout_entry(struct arena *a, const struct source *src,
                        const struct node *root, struct str component);

#endif
