/* rule.h: what `oomkb lint` knows to be wrong with a file before anything
 * runs: a row of kb/lint.yaml. A rule looks at one workload (a service, a
 * container, a command): at what it sets, and at facts. */
#ifndef CORPUS_RULE_H
#define CORPUS_RULE_H

#include "corpus/entry.h"

/* A setting is spelled as its file spells it, and all three kinds are asked for
 * alike: `--flag`, `VARIABLE`, `key` (of the container: shm_size, ipc,
 * restart). `x=v`: it has that value; `x~v`: v stands in its value. */
struct lint_rule {
    struct str id;
    struct str level;   /* error, warning, note */
    struct str engine;  /* it is asked of that one alone; empty: of all */
    struct str_list with, without; /* settings: all of them, none of them */
    struct str_list when;          /* predicates over facts: all hold */
    struct str check;   /* reckoned by src/launch/; empty: the above decides */
    struct str at;      /* the setting whose place it is told at; empty: the
                           first of `with`, else the workload */
    struct str fix;     /* `drop`, `set VALUE`: what --fix does there; empty */
    struct text text;   /* what is wrong, and what to do */
    struct str source;  /* where that stands */
};

struct rule_file {
    struct lint_rule *rules;
    size_t rule_count;
};

#endif
