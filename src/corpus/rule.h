/* rule.h: a rule of `oomkb lint`, that is a row of kb/lint.yaml. A rule checks
 * the settings and facts of one workload (a service, a container, a command)
 * before it runs. */
#ifndef CORPUS_RULE_H
#define CORPUS_RULE_H

#include "corpus/entry.h"

/* A setting is written as its file has it, in one of three kinds: `--flag`,
 * `VARIABLE`, `key` (of the container: shm_size, ipc, restart). `x=v`: its
 * value is v; `x~v`: its value contains v. */
struct lint_rule {
    struct str id;
    struct str level;   /* error, warning, note */
    struct str engine;  /* the only engine it applies to; empty: all */
    struct str_list with, without; /* settings: all are set, none is set */
    struct str_list when;          /* predicates over facts: all hold */
    struct str check;   /* computed by src/launch/; empty: the members above
                           decide */
    struct str at;      /* the setting at whose place it is reported; empty: the
                           first of `with`, else the workload */
    struct str fix;     /* `drop`, `set VALUE`: what --fix does; or empty */
    struct text text;   /* what is wrong, and what to do */
    struct str source;  /* link to the documentation */
};

struct rule_file {
    struct lint_rule *rules;
    size_t rule_count;
};

#endif
