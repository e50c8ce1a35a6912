/* predicate.h: the words of a `when` predicate. */
#ifndef INDEX_PREDICATE_H
#define INDEX_PREDICATE_H

#include "base/buf.h"
#include "base/limits.h"
#include "corpus/fact.h"

struct predicate {
    enum fact_name facts[PREDICATE_FACTS_MAX]; /* each once, in text order */
    size_t fact_count;
    const char *why; /* what makes it none; NULL: it is one, by its words */
    struct str where;
    enum { LIST_NONE, LIST_NEXT, LIST_OPEN } list; /* where an IN has got to */
};

/* sql, which may be NULL, gets it with ?1, ?2 ... in the places of facts, and
 * the first member of each IN list as same(member). Of constants alone SQLite
 * would build a B-tree, for every time that it is asked; so it compares. */
struct predicate predicate_read(struct str text, struct buf *sql);
bool predicate_has_function(struct str name);

#endif
