/* walk.h: the fields of every noun of the corpus, in the order in which a
 * record holds them. A field that is added to a noun is added here once. */
#ifndef INDEX_WALK_H
#define INDEX_WALK_H

#include "index/index.h"
#include "index/predicate.h"
#include "index/record.h"

/* WORD(r, e->role, role, ROLE): a field that is a word of a vocabulary. */
#define WORD(r, field, type, NAME)                                             \
    ((field) = (enum type)record_word((r), (int)(field), NAME##_COUNT_OF))
/* LIST(r, e->docs, e->doc_count): its length, and room to read it into. */
#define LIST(r, list, count)                                                   \
    ((list) = record_list((r), (list), &(count), sizeof *(list)))

/* An entry: what it is and when it speaks, then what it says. */
void walk_entry_head(struct record *r, struct entry *e);
void walk_entry_rest(struct record *r, struct entry *e);
/* Its id is its place. */
void walk_pattern(struct record *r, struct pattern *p);
void walk_engine(struct record *r, struct engine *e);
void walk_model(struct record *r, struct model *m);
void walk_gpu(struct record *r, struct gpu *gpu);
void walk_cause(struct record *r, struct cause *c);
void walk_ranking(struct record *r, struct ranking *ranking);

/* A predicate as it is put to SQLite, and its answers: with none of its facts
 * known, and, where it is about one text alone, with that text. */
struct foregone_value {
    struct str word;
    enum truth truth;
};
struct foregone {
    enum fact_name facts[PREDICATE_FACTS_MAX]; /* ?1, ?2 ... of sql */
    size_t fact_count;
    struct str sql;
    enum truth unknown;
    struct foregone_value *values;
    size_t value_count;
};
void walk_foregone(struct record *r, struct foregone *f);

/* walk_entry.c; engines have them as well */
void walk_range(struct record *r, struct version_range *range);
void walk_settings(struct record *r, struct setting **set, size_t *count);

#endif
