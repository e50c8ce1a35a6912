/* read.h: what the files that read an index share. */
#ifndef INDEX_READ_H
#define INDEX_READ_H

#include "index/db.h"
#include "index/index.h"
#include "index/pack.h"
#include "index/walk.h"

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
    struct str tables; /* the database alone */
    struct pack pack;
    const struct index *next; /* index_join(): its entries stand behind */
};

struct when; /* when.c */

/* What was read, by shelf and number: chains of few. */
#define KEPT_CHAINS 64
struct kept {
    struct kept *next;
    enum shelf shelf;
    uint32_t number;
    void *what;
};

struct reader {
    const struct index *ix;
    struct arena *arena;
    struct db *db; /* NULL: nothing was asked in SQL yet */
    struct statement queries[QUERY_COUNT_OF];
    struct reader *next; /* of the indexes behind, for SQL; NULL: not yet */
    struct kept *kept[KEPT_CHAINS];
    struct when *when;
    struct str code_head; /* empty: not read yet */
};

/* For what SQL is asked of each index: the reader of those behind the first;
 * NULL: there are none. */
struct reader *reader_behind(struct reader *r);
/* The reader's own connection, opened at its first question. */
struct row reader_ask(struct reader *r, enum query query);

/* The index that a record stands in, its number there, and how many entries,
 * groups and patterns stand in those before it. */
struct part {
    const struct index *ix;
    uint32_t number, entries, groups, patterns;
};
struct part reader_part(const struct reader *r, enum shelf shelf,
                        uint32_t number);
size_t reader_count(const struct reader *r, enum shelf shelf);
/* What was kept under that number; NULL: nothing yet. */
void *reader_kept(const struct reader *r, enum shelf shelf, uint32_t number);
void reader_keep(struct reader *r, enum shelf shelf, uint32_t number,
                 void *what);
struct record reader_record(struct reader *r, enum shelf shelf,
                            uint32_t number);
/* An engine, a model, a GPU, a cause: read once. */
void *reader_noun(struct reader *r, enum shelf shelf, uint32_t number,
                  const struct shape *shape);
/* The number that a shelf of names has for this one; false: none. */
bool reader_number(struct reader *r, enum shelf shelf, struct str name,
                   uint32_t *number);

/* Predicates, whoever asks. */
struct when *when_new(struct arena *a);
/* Is it an expression over facts that SQLite takes? Then how it is put. */
bool when_takes(struct when *w, struct str predicate, struct precomputed *f);
/* What a predicate sees of a fact, as facts_last() or in room; NULL: it is not
 * known. */
const struct fact *when_value(const struct fact_list *facts,
                              enum fact_name name, struct fact *room);
/* Names these facts, those that are not known first; returns how many are. */
size_t when_name(const struct fact_list *facts, const enum fact_name *names,
                 size_t count, struct verdict_when *v);
/* What was said of it at build, if anything was; then whether that answers it.
 */
bool precomputed_find(const struct pack *pack, struct arena *a,
                   struct str predicate, struct precomputed *f);
bool precomputed_answers(const struct precomputed *f,
                         const struct fact_list *facts,
                         struct verdict_when *v);
/* f: how it is put, where that is known and believed; else NULL. */
struct verdict_when when_evaluate(struct when *w, struct str predicate,
                                  const struct precomputed *f,
                                  const struct fact_list *facts);

#endif
