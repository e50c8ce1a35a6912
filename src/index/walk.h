/* walk.h: the fields of every noun of the corpus, in the order in which a
 * record holds them: that of corpus/fields.h. */
#ifndef INDEX_WALK_H
#define INDEX_WALK_H

#include "corpus/fields.h"
#include "index/index.h"
#include "index/predicate.h"
#include "index/record.h"

/* LIST(r, e->docs, e->doc_count): its length, and room to read it into. */
#define LIST(r, list, count)                                                   \
    ((list) = record_list((r), (list), &(count), sizeof *(list)))

/* An entry: what it is and when it speaks, then what it says. */
void walk_entry_head(struct record *r, struct entry *e);
void walk_entry_rest(struct record *r, struct entry *e);
/* Its id is its place. */
void walk_pattern(struct record *r, struct pattern *p);
/* An engine, a model, a GPU, a cause. */
void walk_shape(struct record *r, const struct shape *shape, void *noun);
void walk_ranking(struct record *r, struct ranking *ranking);

/* A predicate as it is put to SQLite, and its answers: with none of its facts
 * known, and, where it is about one text alone, with that text. */
struct precomputed_value {
    struct str word;
    enum truth truth;
};
struct precomputed {
    enum fact_name facts[PREDICATE_FACTS_MAX]; /* ?1, ?2 ... of sql */
    size_t fact_count;
    struct str sql;
    enum truth unknown;
    struct precomputed_value *values;
    size_t value_count;
};
void walk_precomputed(struct record *r, struct precomputed *f);

#endif
