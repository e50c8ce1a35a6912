/* index.h: the compiled corpus. The format between build and run is a SQLite
 * database with the pack (pack.h) behind it. Only this layer includes
 * <sqlite3.h>.
 *
 *   index_write   struct corpus --> bytes of an index, the same every time
 *   index_open    bytes --> struct index: immutable, shared by threads
 *   reader        a cache of what one report has read, in that report's arena.
 *                 Texts are views of the image, which outlives the report
 */
#ifndef INDEX_INDEX_H
#define INDEX_INDEX_H

#include "base/arena.h"
#include "base/near.h"
#include "corpus/catalogue.h"
#include "corpus/cause.h"
#include "corpus/engine.h"
#include "corpus/entry.h"
#include "corpus/program.h"
#include "corpus/rule.h"

#define INDEX_SCHEMA 1 /* PRAGMA user_version */

struct message { /* a text of the program: i18n/<lang>.yaml */
    struct str key;
    struct text text;
};

/* The compiled kb/, entries/ and i18n/, each list sorted by id. */
struct corpus {
    struct entry *entries;
    size_t entry_count;
    struct engine *engines;
    size_t engine_count;
    struct model *models;
    size_t model_count;
    struct gpu *gpus;
    size_t gpu_count;
    struct component *components;
    size_t component_count;
    struct message *messages;
    size_t message_count;
    struct cause *causes;
    size_t cause_count;
    struct lint_rule *rules;
    size_t rule_count;
    struct program *programs;
    size_t program_count;
    struct ranking ranking;
};

enum pattern_kind {
    PATTERN_SIGNATURE, /* owner: entry no, ordinal: signature */
    PATTERN_CONDITION, /* owner: entry no, ordinal: condition */
    PATTERN_CONTEXT,   /* owner: engine no, ordinal: context */
    PATTERN_STAGE      /* owner: engine no, ordinal: stage anchor */
};

/* What match/ computes about a pattern at build. */
struct pattern_analysis {
    struct str prepared; /* for PCRE2, without its guards: match/guard.h */
    struct str_list guards;
    struct str guard_words;   /* as the next, of each guard */
    struct str extract_words; /* a line for each extract: folded texts, between
                                 tabs, one of which each match of it contains;
                                 an empty line: no such texts are known */
    bool needs_utf;
    struct str suffix; /* its text from the literal on: match/suffix.h */
    struct str_list literals; /* for the prefilter; only at build */
    struct str fronts; /* of each literal a byte (match/literals.h); only at
                          build */
    /* The compiled pattern, then its compiled extracts and guards; empty: not
     * compiled. Only at build; a run has reader_code(). */
    struct str_list code;
};

/* One pattern of the set. Its id is its index in the set. Equal texts of
 * conditions and anchors may be several rows. */
struct pattern {
    uint32_t id;
    enum pattern_kind kind;
    uint32_t owner, ordinal;
    bool is_weak;
    bool is_prose; /* of a signature: looked for in short logs only */
    bool is_failure; /* of a signature: of a failure, neither weak nor prose */
    struct str text;
    struct str_list extract; /* signatures */
    const struct context_pattern *context; /* its row; NULL: of another kind */
    struct pattern_analysis analysis;
};

struct pattern_list {
    struct pattern *at;
    size_t count;
};

/* All patterns of a corpus in the order of their ids: entries, then engines. */
struct pattern_list corpus_patterns(struct arena *a, const struct corpus *c);

/* set: corpus_patterns() with the results of match/. prefilter: made by match/,
 * opaque here. The same corpus gives the same bytes. Raises FAIL_MEMORY,
 * FAIL_INDEX. */
struct str index_write(struct arena *a, const struct corpus *c,
                       const struct pattern_list *set, struct str prefilter);

/* The same in two steps. The pack is all that a log needs; other threads may
 * read it while one does the second. */
struct str index_pack(struct arena *a, const struct corpus *c,
                      const struct pattern_list *set, struct str prefilter);
struct str index_of_pack(struct arena *a, const struct corpus *c,
                         struct str pack);

struct index;

/* image must outlive the index and stay unchanged. Raises FAIL_INDEX. */
struct index *index_open(struct arena *a, struct str image);
/* The same for an image that is part of the program: it is trusted, so its
 * records are not checked and its compiled patterns are used. */
struct index *index_open_builtin(struct arena *a, struct str image);
/* The same of index_pack(); it has nothing to search. */
struct index *index_open_pack(struct arena *a, struct str pack);
bool index_is_builtin(const struct index *ix);
/* Several indexes as one. Entries, groups and patterns are numbered through,
 * one index after the other; everything else (engines, models, texts) comes
 * from the first. Raises FAIL_USAGE if two have an entry of the same id. */
const struct index *index_join(struct arena *a,
                               const struct index *const *list, size_t count);
struct str index_prefilter(const struct index *ix); /* a view of the image */
struct str index_digest(const struct index *ix);    /* of the sources, in hex */
size_t index_entry_count(const struct index *ix);
size_t index_pattern_count(const struct index *ix);

struct reader;

/* Reads nothing yet. One thread at a time may use a reader. */
struct reader *reader_new(const struct index *ix, struct arena *a);

const struct pattern *reader_pattern(struct reader *r, uint32_t id);
/* The patterns whose row names an engine. i: 0 ... count - 1. */
const struct pattern *reader_naming(struct reader *r, uint32_t i);
size_t reader_naming_count(struct reader *r);
/* The compiled pattern (which 0), one of its compiled extracts (1 and on) or
 * guards (behind the extracts): the bytes that all of them begin with, and the
 * rest. False: it has to be compiled. Always false if the image is not built
 * in, since damage of compiled code cannot be detected. */
struct serialized {
    struct str head, rest;
};
bool reader_code(struct reader *r, uint32_t id, size_t which,
                 struct serialized *code);
const struct entry *reader_entry(struct reader *r, uint32_t number);
/* The same entry, of which only the fields with is_head are sure to be filled
 * in: id, component, mechanism, severity, role, withdrawn, selection. */
const struct entry *reader_entry_head(struct reader *r, uint32_t number);
/* By id or by an id it was renamed from; NULL: no such entry. */
const struct entry *reader_entry_by_id(struct reader *r, struct str id,
                                       uint32_t *number);
/* The entries with the same signatures as this one, itself included. */
struct group { const uint32_t *entries; size_t count; };
struct group reader_group(struct reader *r, uint32_t entry_number);
/* Pattern id of an entry's condition. */
uint32_t reader_condition_pattern(struct reader *r, uint32_t entry_number,
                                  size_t ordinal);
const struct engine *reader_engine(struct reader *r, uint32_t number);
const struct engine *reader_engine_by_id(struct reader *r, struct str id);
size_t reader_engine_count(struct reader *r);
/* The engines whose rows are tried whatever the engine is. i: 0 ... count - 1.
 */
const struct engine *reader_everywhere(struct reader *r, uint32_t i);
size_t reader_everywhere_count(struct reader *r);
/* NULL: kb/causes.yaml has no such cause. */
const struct cause *reader_cause(struct reader *r, struct str id);
/* Rules of `lint`, by number from 0, in the order of their ids. */
size_t reader_rule_count(const struct reader *r);
const struct lint_rule *reader_rule(struct reader *r, uint32_t number);
/* True if some program has a lever of that id. */
bool reader_has_lever(struct reader *r, struct str lever);
/* NULL: no program has this id. */
const struct program *reader_program(struct reader *r, struct str id);
const struct ranking *reader_ranking(struct reader *r);
/* By a name as people write it: Hugging Face ids, repacks, local paths, Ollama
 * tags, GGUF files. model NULL: not in the catalogue. */
struct model_match reader_model(struct reader *r, struct str name);
/* Models by number, from 0. */
size_t reader_model_count(const struct reader *r);
const struct model *reader_model_numbered(struct reader *r, uint32_t number);
const struct gpu *reader_gpu(struct reader *r, struct str name);
size_t reader_gpu_count(const struct reader *r);
const struct gpu *reader_gpu_numbered(struct reader *r, uint32_t number);
/* "Did you mean", for a name that is not known or is that of cards of several
 * sizes: ids, nearest first. */
struct near reader_models_near(struct reader *r, struct str name);
struct near reader_gpus_near(struct reader *r, struct str name);
struct gpu_list { const struct gpu **at; size_t count; };
/* All cards that the name may stand for. */
struct gpu_list reader_gpus_with_prefix(struct reader *r, struct str name);
/* All cards whose range of real totals overlaps [low, high] in bytes. */
struct gpu_list reader_gpus_of_total(struct reader *r, int64_t low,
                                     int64_t high);
/* The component of that id, of the first index that has it. */
bool reader_component(struct reader *r, struct str id, struct component *c);
/* The component that it folds into, else itself. */
struct str reader_component_fold(struct reader *r, struct str component);

/* Entries of a component and of those that fold into it, in the order of their
 * ids; all entries if component is empty. */
struct number_list { const uint32_t *at; size_t count; };
struct number_list reader_entries_of(struct reader *r, struct str component);
bool reader_component_known(struct reader *r, struct str component);
struct component_row { struct str id, name, folds_into; int64_t entries; };
struct component_list { struct component_row *at; size_t count; };
/* Components of all indexes, each once. */
struct component_list reader_components(struct reader *r);

/* Full-text search by words as people type or paste them, best first: entries
 * with any of the words, or with a word that one of them is a prefix or a typo
 * of. No input is an error. */
struct search_hit {
    uint32_t entry;
    int64_t score_micro; /* bm25, component and reports; only for ordering */
};
struct search_hits { struct search_hit *at; size_t count; };
struct search_hits reader_search(struct reader *r, struct str words,
                                 size_t most);

/* Empty: no such text. */
struct str reader_message(struct reader *r, enum lang lang, struct str key);

/* worked and tried of the same fix in all entries of a mechanism, basis reports
 * and measured. Fixes are the same if they use the same fix of kb/fixes/, else
 * if they have the same flag and change, or the same kind. */
struct pooled { int64_t worked, tried; };
struct pooled reader_pooled(struct reader *r, enum mechanism m,
                            const struct workaround *fix);

/* Evaluate a predicate of `when` over facts: true, false, or unknown because
 * some fact is. names[]: its facts, unknown ones first. Raises FAIL_INDEX if it
 * is not an expression (the build refuses those). The last fact of a name
 * counts; of other_in_use, the sum. The predicate must outlive the reader, which
 * keeps it as read. */
enum truth { TRUTH_FALSE, TRUTH_TRUE, TRUTH_UNKNOWN };
struct verdict_when {
    enum truth truth;
    enum fact_name names[16];
    size_t name_count;
};
struct verdict_when reader_when(struct reader *r, struct str predicate,
                                const struct fact_list *facts);
/* The whole number that an expression of that language gives; 0: none. */
int64_t reader_value(struct reader *r, const char *expression,
                     const struct fact_list *facts);
/* For the build: true if the predicate is an allowed expression over facts,
 * else *why is set (in the arena). */
bool when_valid(struct arena *a, struct str predicate, struct str *why);

#endif
