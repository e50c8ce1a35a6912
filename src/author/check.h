/* check.h: shared by the checks of one entry or one row of kb/. */
#ifndef AUTHOR_CHECK_H
#define AUTHOR_CHECK_H

#include "author/build.h"

struct entry_check {
    struct complaints *c;
    const struct source *src;
    const struct node *root;
    const struct entry *entry;
    bool *fact_used; /* FACT_COUNT_OF of them; set, never cleared */
};

/* For a kind of kb/, which is not an entry. */
static inline struct entry_check entry_check_of(struct build *d,
                                                const struct made *m) {
    return (struct entry_check){&d->c, m->src, m->node, NULL, d->fact_used};
}

/* A list of predicates (`when`); may be NULL. */
void check_when(const struct entry_check *k, const struct node *list);
/* One predicate; may be NULL. */
void check_predicate(const struct entry_check *k, const struct node *n);
/* A fix of an entry or of kb/fixes/. */
void check_workaround(const struct entry_check *k, const struct node *n,
                      const struct workaround *w);
void check_acts_on(const struct entry_check *k, const struct node *n,
                   const struct acts_on *what);
void check_rate(const struct entry_check *k, const struct node *n,
                const struct rate *rate);
/* All checks of a fix of kb/fixes/ or a lever of a program. */
void check_lever(struct build *d, const struct made *m, const struct node *n,
                 const struct workaround *w);
/* Ids of signatures, and what a weak one needs. */
void check_signatures(const struct entry_check *k);
/* A pattern in `lines` of a program, which becomes a part of others. */
void check_line(struct build *d, const struct made *m, const struct node *n);

#endif
