/* read.h: shared by the files that read an index. Private to index/. */
#ifndef INDEX_READ_H
#define INDEX_READ_H

#include "index/db.h"
#include "index/index.h"
#include "index/pack.h"
#include "index/codec.h"
#include "index/predicate.h"

#define QUERIES(X)                                                             \
    X(entries_of, "SELECT number FROM entry WHERE ?1 = '' OR component = ?1 "  \
                  "OR component IN (SELECT id FROM component "                 \
                  "WHERE folds_into = ?1) ORDER BY id")                        \
    X(component_known, "SELECT 1 FROM component WHERE id = ?1 UNION "          \
                       "SELECT 1 FROM entry WHERE component = ?1 LIMIT 1")     \
    X(components, "SELECT id, name, folds_into, (SELECT count(*) FROM entry "  \
                  "WHERE component = component.id) FROM component "            \
                  "ORDER BY id")                                               \
    X(search, "SELECT search.rowid, CAST(round(-1000000 * "                    \
              "bm25(search, 12.0, 4.0, 1.0, 0.5)) AS INT), "                   \
              "(SELECT coalesce(group_concat(lower(name || char(10) || id "    \
              "|| char(10) || coalesce((SELECT group_concat(value, char(10)) " \
              "FROM component_aliases WHERE number = named.number), '')), "    \
              "char(10)), '') FROM component AS named "                        \
              "WHERE named.id IN (entry.component, own.folds_into)), "         \
              "(SELECT coalesce(sum(success_tried + "                          \
              "success_maintainers_tried), 0) FROM entry_workarounds "         \
              "WHERE number = search.rowid) + "                                 \
              "(SELECT coalesce(sum(fail_tried + fail_maintainers_tried), 0) " \
              "FROM entry_dead_ends WHERE number = search.rowid) "              \
              "FROM search JOIN entry ON entry.number = search.rowid "         \
              "LEFT JOIN component AS own ON own.id = entry.component "        \
              "WHERE search MATCH ?1 "                                         \
              "ORDER BY bm25(search, 12.0, 4.0, 1.0, 0.5), search.rowid "      \
              "LIMIT ?2")                                                      \
    X(search_any, "SELECT 1 FROM search WHERE search MATCH ?1 LIMIT 1")        \
    X(search_has, "SELECT 1 FROM search WHERE search MATCH ?1 "                \
                  "AND rowid = ?2")                                            \
    X(search_terms, "SELECT term FROM temp.search_term")

enum query {
#define X(name, sql) QUERY_##name,
    QUERIES(X) QUERY_COUNT_OF
#undef X
};

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

/* Parsed predicates, by a hash of their text: when.c. */
#define PREDICATE_CHAINS 64
struct known_predicate;

struct reader {
    const struct index *ix;
    struct arena *arena;
    struct db *db; /* NULL: no SQL query yet */
    struct statement queries[QUERY_COUNT_OF];
    struct reader *next; /* of the next index, for SQL; NULL: not made yet */
    struct cached *cache[CACHE_CHAINS];
    struct known_predicate *predicates[PREDICATE_CHAINS];
    struct str code_head; /* empty: not read yet */
};

/* A reader of the next index, for SQL queries over all indexes; NULL: there is
 * none. */
struct reader *reader_next(struct reader *r);
/* A row of the query. The first query opens the connection. */
struct row reader_query(struct reader *r, enum query query);

/* The index that has a record, its number there, and the number of entries,
 * groups and patterns in the indexes before it. */
struct part {
    const struct index *ix;
    uint32_t number, entries, groups, patterns;
};
struct part reader_part(const struct reader *r, enum section section,
                        uint32_t number);
size_t reader_count(const struct reader *r, enum section section);
/* The cached value of that number; NULL: not read yet. */
void *reader_cached(const struct reader *r, enum section section,
                    uint32_t number);
void reader_cache_add(struct reader *r, enum section section, uint32_t number,
                      void *what);
struct record reader_record(struct reader *r, enum section section,
                            uint32_t number);
/* A struct of that shape (an engine, a model, a GPU ...), read once. */
void *reader_noun(struct reader *r, enum section section, uint32_t number,
                  const struct shape *shape);
/* Look a name up in a section of names; false: there is none. */
bool reader_number(struct reader *r, enum section section, struct str name,
                   uint32_t *number);

struct verdict_when when_evaluate(const struct predicate *p,
                                  const struct fact_list *facts);

#endif
