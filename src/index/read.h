/* read.h: what the files that read an index share. */
#ifndef INDEX_READ_H
#define INDEX_READ_H

#include "index/db.h"
#include "index/index.h"

#define QUERIES(X)                                                             \
    X(meta, "SELECT value FROM meta WHERE key = ?")                            \
    X(pattern, "SELECT kind, owner, ordinal, is_weak, text FROM pattern "      \
               "WHERE id = ?")                                                 \
    X(entry, "SELECT id, component, mechanism, severity, role, "               \
             "same_words_as, first_seen, last_verified, source, verification," \
             " confidence_micro, fix_rate_micro, evidence_count FROM entry "   \
             "WHERE number = ?")                                               \
    X(entry_number, "SELECT number FROM entry WHERE id = ?1 UNION ALL "        \
                    "SELECT entry FROM entry_list WHERE value = ?1 "           \
                    "AND field = 'renamed_from' LIMIT 1")                      \
    X(group, "SELECT number FROM entry WHERE head = "                          \
             "(SELECT head FROM entry WHERE number = ?) ORDER BY number")      \
    X(entry_text, "SELECT field, ordinal, lang, text FROM entry_text "         \
                  "WHERE entry = ?")                                           \
    X(entry_list, "SELECT item, value FROM entry_list "                        \
                  "WHERE entry = ? AND field = ? AND ordinal = ? "             \
                  "ORDER BY item")                                             \
    X(signature, "SELECT s.ordinal, s.id, s.sample, p.is_weak, p.text "        \
                 "FROM signature AS s JOIN pattern AS p ON p.id = s.pattern "  \
                 "WHERE s.entry = ? ORDER BY s.ordinal")                       \
    X(signature_pattern, "SELECT pattern FROM signature "                      \
                         "WHERE entry = ? AND ordinal = ?")                    \
    X(condition, "SELECT c.ordinal, c.scope, c.is_none_of, p.is_weak, p.text " \
                 "FROM condition AS c JOIN pattern AS p ON p.id = c.pattern "  \
                 "WHERE c.entry = ? ORDER BY c.ordinal")                       \
    X(condition_pattern, "SELECT pattern FROM condition "                      \
                         "WHERE entry = ? AND ordinal = ?")                    \
    X(workaround, "SELECT ordinal, id, flag, change, kind, command, cost, "    \
                  "effect FROM workaround WHERE entry = ? ORDER BY ordinal")   \
    X(dead_end, "SELECT ordinal, flag, change, kind FROM dead_end "            \
                "WHERE entry = ? ORDER BY ordinal")                            \
    X(rate, "SELECT basis, worked, tried, maintainers_worked, "                \
            "maintainers_tried, rate_micro, source FROM rate "                 \
            "WHERE entry = ? AND owner = ? AND ordinal = ?")                   \
    X(compatibility, "SELECT ordinal, product, status FROM compatibility "     \
                     "WHERE entry = ? ORDER BY ordinal")                       \
    X(hardware, "SELECT ordinal, name, status FROM hardware "                  \
                "WHERE entry = ? ORDER BY ordinal")                            \
    X(reference, "SELECT ordinal, url, seen FROM reference "                   \
                 "WHERE entry = ? AND field = ? ORDER BY ordinal")             \
    X(relation, "SELECT ordinal, kind, other FROM relation "                   \
                "WHERE entry = ? ORDER BY ordinal")                            \
    X(signature_version, "SELECT item, product FROM signature_version "        \
                         "WHERE entry = ? AND ordinal = ? ORDER BY item")      \
    X(setting, "SELECT item, name, value FROM setting "                        \
               "WHERE owner = ? AND number = ? AND ordinal = ? "               \
               "ORDER BY item")                                                \
    X(event, "SELECT step, is_fixed, version FROM event WHERE owner = ? "      \
             "AND number = ? AND ordinal = ? AND item = ? ORDER BY step")      \
    X(engine, "SELECT number, id, name, newest, command FROM engine "          \
              "ORDER BY number")                                               \
    X(context_pattern, "SELECT c.ordinal, p.text FROM context_pattern AS c "   \
                       "JOIN pattern AS p ON p.id = c.pattern "                \
                       "WHERE c.engine = ? ORDER BY c.ordinal")                \
    X(stage_anchor, "SELECT s.ordinal, s.stage, s.is_frame, p.is_weak, "       \
                    "p.text FROM stage_anchor AS s JOIN pattern AS p "         \
                    "ON p.id = s.pattern WHERE s.engine = ? "                  \
                    "ORDER BY s.ordinal")                                      \
    X(flag, "SELECT ordinal, fact, flag, scale, product FROM flag "            \
            "WHERE engine = ? ORDER BY ordinal")                               \
    X(flag_word, "SELECT item, value FROM flag_word WHERE engine = ? "         \
                 "AND field = ? AND ordinal = ? ORDER BY item")                \
    X(engine_default, "SELECT ordinal, fact, value, product, source "          \
                      "FROM engine_default WHERE engine = ? ORDER BY ordinal") \
    X(model, "SELECT id, family, params, embedding_params, layers, "           \
             "hidden_size, heads, vocab_size, intermediate_size, "             \
             "max_position, dtype, quantization, is_moe, is_multimodal, "      \
             "verified, experts, expert_size, shared_size, dense_layers, "     \
             "mlp_layers, draft_layers, other_params, has_plain_mlp, "         \
             "uncounted FROM model WHERE number = ?")                          \
    X(model_alias, "SELECT item, value FROM model_alias WHERE model = ? "      \
                   "ORDER BY item")                                            \
    X(model_source, "SELECT item, value FROM model_source WHERE model = ? "    \
                    "ORDER BY item")                                           \
    X(model_name, "SELECT model FROM model_name WHERE form = ? AND name = ? "  \
                  "ORDER BY model LIMIT 1")                                    \
    X(kv_group, "SELECT ordinal, kind, layers, kv_heads, k_dim, v_dim, "       \
                "window, latent_dim, state_bytes, q_rank, rope_dim, params, "  \
                "is_gated, ratio, mixer, conv_channels, conv_steps, "          \
                "conv_groups, group_channels, state_elements, state_dtype "    \
                "FROM kv_group WHERE model = ? ORDER BY ordinal")              \
    X(gpu, "SELECT number, id, vendor, nominal_gb, total_low, total_high, "    \
           "has_fp8, compute_capability, source FROM gpu ORDER BY number")     \
    X(gpu_alias, "SELECT item, value FROM gpu_alias WHERE gpu = ? "            \
                 "ORDER BY item")                                              \
    X(component, "SELECT folds_into FROM component WHERE id = ?")              \
    X(entries_of, "SELECT number FROM entry WHERE ?1 = '' OR component = ?1 "  \
                  "OR component IN (SELECT id FROM component "                 \
                  "WHERE folds_into = ?1) ORDER BY id")                        \
    X(component_known, "SELECT 1 FROM component WHERE id = ?1 UNION "          \
                       "SELECT 1 FROM entry WHERE component = ?1 LIMIT 1")     \
    X(search, "SELECT rowid, "                                                 \
              "CAST(round(-1000000 * bm25(search, 12.0, 4.0, 1.0)) AS INT) "   \
              "FROM search WHERE search MATCH ?1 "                             \
              "ORDER BY bm25(search, 12.0, 4.0, 1.0), rowid LIMIT ?2")         \
    X(message, "SELECT text FROM message WHERE key = ? AND lang = ?")          \
    X(pooled, "SELECT worked, tried FROM pooled WHERE mechanism = ? "          \
              "AND flag = ? AND change = ? AND kind = ?")

enum query {
#define X(name, sql) QUERY_##name,
    QUERIES(X) QUERY_COUNT_OF
#undef X
};

struct index {
    struct str image, prefilter, digest;
    size_t entry_count, pattern_count;
};

struct when; /* when.c */

struct model_slot { /* what was read of the catalogue, newest first */
    struct model_slot *next;
    uint32_t number;
    struct model model;
};

struct reader {
    const struct index *ix;
    struct arena *arena;
    struct db *db;             /* NULL: not opened yet */
    struct entry **entries;    /* by number; NULL: not read yet */
    struct pattern **patterns; /* by id */
    struct engine *engines;
    size_t engine_count;
    struct model_slot *models;
    struct gpu *gpus;
    size_t gpu_count;
    bool has_engines, has_gpus;
    struct when *when;
};

/* A connection on image with the queries above. */
struct db *read_open(struct arena *a, struct str image);
/* The reader's own, opened at its first question. */
struct row reader_ask(struct reader *r, enum query query);

/* Where a list belongs, as in write.h. */
struct list_at {
    const char *owner;
    size_t number, ordinal, item;
};
/* Rows of (item, text), once the query's parameters are bound. */
struct str_list read_strings(struct row *bound);
void read_events(struct reader *r, struct list_at at,
                 struct version_range *range);
struct setting *read_settings(struct reader *r, struct list_at at,
                              size_t *count);

/* Predicates, whoever asks. */
struct when *when_new(struct arena *a);
struct verdict_when when_evaluate(struct when *w, struct str predicate,
                                  const struct fact_list *facts);

#endif
