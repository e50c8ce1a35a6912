/* read.h: shared by the files that read an index. Private to index/. */
#ifndef INDEX_READ_H
#define INDEX_READ_H

#include "index/db.h"
#include "index/index.h"
#include "index/pack.h"
#include "index/codec.h"
#include "index/predicate.h"

struct index {
    struct str tables; /* the database */
    struct pack pack;
    const struct index *next; /* index_join(): the next index */
};

/* What was read, by section and number: a hash table with chains. */
#define CACHE_CHAINS 512
struct cached {
    struct cached *next;
    enum section section;
    uint32_t number;
    void *what;
};

/* Ids that were looked up, by their ends: a report asks for the same few for
 * each fix. A later one takes the place of an earlier one. */
#define FOUND_PLACES 64
struct found_id {
    enum section section;
    struct str id; /* empty: none was looked up */
    uint32_t number;
};

/* Parsed predicates, by a hash of their text: when.c. */
#define PREDICATE_CHAINS 64
struct known_predicate;

struct reader {
    const struct index *ix;
    struct arena *arena;
    struct db *db;       /* NULL: nothing was searched yet */
    struct reader *next; /* of the next index; NULL: not made yet */
    struct cached *cache[CACHE_CHAINS];
    struct found_id found[FOUND_PLACES];
    struct known_predicate *predicates[PREDICATE_CHAINS];
    struct str code_head; /* empty: not read yet */
};

/* The index that has a record, its number there, and the number of entries,
 * groups and patterns in the indexes before it. */
struct part {
    const struct index *ix;
    uint32_t number, entries, groups, patterns;
};
struct part reader_part(const struct reader *r, enum section section,
                        uint32_t number);
size_t reader_count(const struct reader *r, enum section section);
struct record reader_record(struct reader *r, enum section section,
                            uint32_t number);
/* What `read` makes of that record: a struct of `size` bytes, zeroed before. It
 * is read once and then cached. */
typedef void record_reader(struct record *record, const struct part *p,
                           const struct shape *shape, void *out);
void *reader_get(struct reader *r, enum section section, uint32_t number,
                 record_reader *read, const struct shape *shape, size_t size);
/* A struct of that shape (an engine, a model, a GPU ...), read once. */
void *reader_noun(struct reader *r, enum section section, uint32_t number,
                  const struct shape *shape);
/* NULL: there is none of that id. */
void *reader_noun_by_id(struct reader *r, enum section section, struct str id,
                        const struct shape *shape);
/* Look a name up in a section of names; false: there is none. */
bool reader_number(struct reader *r, enum section section, struct str name,
                   uint32_t *number);

struct verdict_when when_evaluate(const struct predicate *p,
                                  const struct fact_list *facts);

#endif
