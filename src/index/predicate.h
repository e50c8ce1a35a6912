/* predicate.h: reading a `when` predicate. */
#ifndef INDEX_PREDICATE_H
#define INDEX_PREDICATE_H

#include "base/buf.h"
#include "base/limits.h"
#include "corpus/fact.h"

struct predicate {
    enum fact_name facts[PREDICATE_FACTS_MAX]; /* each once, in text order */
    size_t fact_count;
    const char *why; /* the error; NULL: all tokens are allowed */
    struct str where; /* the place of the error */
    enum { LIST_NONE, LIST_NEXT, LIST_OPEN } list; /* IN: behind it, in it */
};

/* sql may be NULL. It gets the predicate with ?1, ?2 ... for the facts, and
 * with same(member) for the first member of each IN list: from a list of
 * constants SQLite would build a B-tree at each evaluation. */
struct predicate predicate_read(struct str text, struct buf *sql);
bool predicate_has_function(struct str name);

#endif
