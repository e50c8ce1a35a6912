/* write.h: what the files that write an index share. Rows are written in one
 * fixed order: the patterns, then each entry with all that belongs to it, then
 * the engines, then the catalogue. */
#ifndef INDEX_WRITE_H
#define INDEX_WRITE_H

#include "index/db.h"
#include "index/index.h"
#include "index/pack.h"

#define INSERTS(X)                                                             \
    X(pattern, "INSERT INTO pattern VALUES(?,?,?,?,?,?)")                      \
    X(entry, "INSERT INTO entry VALUES(?,?,?,?,?,?,?,0,?,?,?,?,?,?,?)")        \
    X(entry_text, "INSERT INTO entry_text VALUES(?,?,?,?,?)")                  \
    X(entry_list, "INSERT INTO entry_list VALUES(?,?,?,?,?)")                  \
    X(signature, "INSERT INTO signature VALUES(?,?,?,?,?)")                    \
    X(condition, "INSERT INTO condition VALUES(?,?,?,?,?)")                    \
    X(workaround, "INSERT INTO workaround VALUES(?,?,?,?,?,?,?,?,?,?,?,?)")    \
    X(cure, "INSERT INTO cure VALUES(?,?,?,?,?)")                              \
    X(entry_cause, "INSERT INTO entry_cause VALUES(?,?,?,?)")                  \
    X(cause, "INSERT INTO cause VALUES(?,?,?,?,?,?)")                          \
    X(cause_evidence, "INSERT INTO cause_evidence VALUES(?,?,?,?,?,?,?)")      \
    X(ranking, "INSERT INTO ranking VALUES(?,?,?,?)")                          \
    X(dead_end, "INSERT INTO dead_end VALUES(?,?,?,?,?)")                      \
    X(rate, "INSERT INTO rate VALUES(?,?,?,?,?,?,?,?,?,?)")                    \
    X(compatibility, "INSERT INTO compatibility VALUES(?,?,?,?)")              \
    X(hardware, "INSERT INTO hardware VALUES(?,?,?,?)")                        \
    X(reference, "INSERT INTO reference VALUES(?,?,?,?,?)")                    \
    X(relation, "INSERT INTO relation VALUES(?,?,?,?)")                        \
    X(setting, "INSERT INTO setting VALUES(?,?,?,?,?,?)")                      \
    X(signature_version, "INSERT INTO signature_version VALUES(?,?,?,?)")      \
    X(event, "INSERT INTO event VALUES(?,?,?,?,?,?,?)")                        \
    X(engine, "INSERT INTO engine VALUES(?,?,?,?,?,?)")                        \
    X(context_pattern, "INSERT INTO context_pattern VALUES(?,?,?)")            \
    X(stage_anchor, "INSERT INTO stage_anchor VALUES(?,?,?,?,?)")              \
    X(flag, "INSERT INTO flag VALUES(?,?,?,?,?,?)")                          \
    X(flag_word, "INSERT INTO flag_word VALUES(?,?,?,?,?)")                    \
    X(engine_option, "INSERT INTO engine_option VALUES(?,?,?,?,?)")            \
    X(engine_default, "INSERT INTO engine_default VALUES(?,?,?,?,?,?)")        \
    X(model, "INSERT INTO model VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,"       \
             "?,?,?,?,?,?,?,?,?)")                                             \
    X(model_alias, "INSERT INTO model_alias VALUES(?,?,?)")                    \
    X(model_source, "INSERT INTO model_source VALUES(?,?,?)")                  \
    X(model_name, "INSERT OR IGNORE INTO model_name VALUES(?,?,?)")            \
    X(kv_group, "INSERT INTO kv_group VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,"     \
                "?,?,?,?,?,?,?,?)")                                            \
    X(gpu, "INSERT INTO gpu VALUES(?,?,?,?,?,?,?,?,?,?)")                      \
    X(gpu_alias, "INSERT INTO gpu_alias VALUES(?,?,?)")                        \
    X(component, "INSERT INTO component VALUES(?,?,?,?)")                      \
    X(message, "INSERT INTO message VALUES(?,?,?)")                            \
    X(search, "INSERT INTO search(rowid, title, message, body, fixes) "        \
              "VALUES(?,?,?,?,?)")                                               \
    X(meta, "INSERT INTO meta VALUES(?,?)")                                    \
    X(members, "SELECT number, head FROM entry ORDER BY head, number")         \
    X(pooled_rows, "SELECT mechanism, use, flag, change, kind, worked, tried "      \
                   "FROM pooled")

enum insert {
#define X(table, sql) INSERT_##table,
    INSERTS(X) INSERT_COUNT_OF
#undef X
};

/* foregone.c: the predicates of a corpus, as far as they are answered now. */
void write_foregone(struct pack_draft *pack, struct arena *a,
                    const struct corpus *c);

struct writer {
    struct db *db;
    struct pack_draft *pack;
    uint32_t next_pattern; /* id of the next one in the order of the set */
};

/* number: of the entry or engine in the corpus. */
void write_entry(struct writer *w, struct entry *e, size_t number);
void write_engine(struct writer *w, const struct engine *e, size_t number);
void write_models(struct writer *w, const struct corpus *c);
void write_gpus(struct writer *w, const struct corpus *c);
void write_causes(struct writer *w, const struct corpus *c);
void write_words(struct writer *w, const struct corpus *c);
void write_search(struct writer *w, const struct corpus *c);
/* After the rows. */
void write_pack(struct writer *w, const struct corpus *c,
                const struct pattern_list *set);
void pack_model_name(struct writer *w, const char *form, struct str name,
                     size_t model);

/* Where a range or a list of settings belongs. */
struct place {
    const char *owner;
    size_t number, ordinal, item;
};
void write_events(struct writer *w, struct place at,
                  const struct version_range *range);
void write_settings(struct writer *w, struct place at,
                    const struct setting *set, size_t count);

#endif
