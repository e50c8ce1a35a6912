/* predicate.h: the words of a `when` predicate. */
#ifndef INDEX_PREDICATE_H
#define INDEX_PREDICATE_H

#include "corpus/fact.h"

#define PREDICATE_MAX_BYTES 4096
#define PREDICATE_FACTS_MAX 16 /* as in struct verdict_when */

struct predicate {
    enum fact_name facts[PREDICATE_FACTS_MAX]; /* each once, in text order */
    size_t fact_count;
    const char *why; /* what makes it none; NULL: it is one, by its words */
    struct str where;
};

struct predicate predicate_read(struct str text);
bool predicate_has_function(struct str name);

#endif
