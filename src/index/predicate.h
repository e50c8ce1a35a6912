/* predicate.h: a `when` predicate as a tree. */
#ifndef INDEX_PREDICATE_H
#define INDEX_PREDICATE_H

#include "base/arena.h"
#include "base/limits.h"
#include "corpus/fact.h"

enum value_kind { VALUE_NULL, VALUE_INTEGER, VALUE_REAL, VALUE_TEXT };

struct value {
    enum value_kind kind;
    union {
        int64_t integer;
        double real;
        struct str text;
    };
};

enum operation {
    OP_CONSTANT,
    OP_FACT,
    OP_OR,
    OP_AND,
    OP_NOT,
    OP_EQUAL,
    OP_UNEQUAL,
    OP_LESS,
    OP_AT_MOST,
    OP_MORE,
    OP_AT_LEAST,
    OP_IS,      /* x IS y: equal, or both NULL */
    OP_IN,      /* the value, then the list */
    OP_LIKE,
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_COALESCE,
    OP_ABS,
    OP_MIN,
    OP_MAX,
    OP_VCMP,
    OP_CASE /* a condition and its value, ..., the value of ELSE */
};

enum type { TYPE_ANY, TYPE_NUMBER, TYPE_TEXT }; /* any: NULL */

struct expression {
    enum operation op;
    enum type type; /* of its value */
    union {
        struct value constant;   /* OP_CONSTANT */
        size_t fact;             /* OP_FACT: an index in predicate.facts */
        struct expression *args; /* of all other operations */
    };
    struct expression *next;
};

struct predicate {
    enum fact_name facts[PREDICATE_FACTS_MAX]; /* each once, in text order */
    size_t fact_count;
    const struct expression *root; /* NULL: not a predicate */
    const char *why;               /* the error; NULL: none */
    struct str where;              /* the place of the error */
};

/* text must outlive the predicate, which has views of it. */
struct predicate predicate_read(struct arena *a, struct str text);

#endif
