/* entry.h: one known failure, as both the YAML reader and the index reader
 * produce it. read(write(e)) == e for every member that has a row in the tables
 * of fields.h; one without a row would be lost. Strings and lists live in the
 * arena of the code that made the entry. */
#ifndef CORPUS_ENTRY_H
#define CORPUS_ENTRY_H

#include "base/arena.h"
#include "corpus/fact.h"
#include "corpus/version.h"
#include "corpus/words.h"

enum lang { LANG_EN, LANG_ZH, LANG_COUNT_OF };

struct text { /* a public text in every language */
    struct str in[LANG_COUNT_OF];
};

struct setting { /* set: {stage: kv_alloc} */
    enum fact_name name;
    struct str value;
};

struct signature {
    struct str id;
    struct str pattern;
    bool is_weak;
    bool is_prose; /* a person's words; looked for in short texts only */
    struct version_range *versions; /* which releases print it */
    size_t version_count;
    struct setting *set;
    size_t set_count;
    struct str_list extract;
    struct str sample;
};

struct condition { /* all_of, none_of */
    struct str pattern;
    enum scope scope;
    bool is_none_of;
    bool is_weak;
};

struct acts_on {
    struct str flag; /* "--max-model-len", or empty with a kind */
    enum change change;
    enum act_kind kind;
};

struct rate {
    enum basis basis;
    int64_t worked, tried;  /* reports, measured; dead end: failed, tried */
    int64_t maintainers_worked, maintainers_tried; /* reports of the project's
                               own developers; not included in worked, tried */
    int64_t people;         /* reports: people who report in the links, if more
                               than one per link; 0: one per link */
    int64_t rate_micro;     /* estimate, ai_generated; -1: none */
    struct text because;    /* estimate: its basis; measured: how; reports: who
                               the people are */
    struct str source;      /* ai_generated: its origin */
    struct str_list links;  /* reports */
};

struct cause_share { /* causes: {limit_below_need: 0.6} */
    struct str cause;    /* of kb/causes.yaml */
    int64_t share_micro; /* 0 < share <= 1 */
};

struct cure { /* cures: {limit_below_need: most} */
    struct str cause;
    enum strength strength;
};

/* A fix after merging: a key that its entry leaves out comes from the fix of
 * kb/fixes/ that it names in `use`, else from the row of its acts_on there. */
struct workaround {
    struct str id;
    struct text action, how, trade_off;
    struct acts_on acts_on;
    struct str command; /* template; empty: none */
    struct str_list command_when; /* the command is shown only if these hold */
    struct str_list when;
    enum effect effect;
    struct rate success;
    enum effort effort;
    enum loses loses;
    enum frees frees;
    struct cure *cures;
    size_t cure_count;
    struct str use; /* id of a fix of kb/fixes/; empty: none */
    struct str_list keys; /* of a lever: its flag's names in configurations */
    struct str source;    /* of a lever: link to the documentation */
};

struct dead_end {
    struct text action, why, instead;
    struct acts_on acts_on;
    struct str_list when;
    struct rate fail;
};

struct compatibility {
    struct version_range range;
    enum range_status status;
    struct text note;
};

struct hardware {
    struct str name;
    enum range_status status;
    struct text note;
};

struct reference { /* docs and evidence */
    struct str url;
    struct str seen; /* YYYY-MM-DD */
    struct text claim;
};

struct relation {
    enum relation_kind kind;
    struct str entry;
    struct text tell_apart;
};

struct provenance { /* of an entry imported from another source */
    struct str source, verification;
    int64_t confidence_micro, fix_rate_micro; /* -1: none */
    int64_t evidence_count;                   /* -1: none */
};

struct entry {
    struct str id; /* "vllm/kv-cache-too-small" */
    struct str component;
    enum mechanism mechanism;
    enum severity severity;
    enum role role;
    struct text title, root_cause;
    struct signature *signatures;
    size_t signature_count;
    struct str same_words_as; /* the head of its group; empty: no group */
    struct str_list prefer;
    struct condition *conditions;
    size_t condition_count;
    struct str_list when;
    struct workaround *workarounds;
    size_t workaround_count;
    struct dead_end *dead_ends;
    size_t dead_end_count;
    struct compatibility *versions;
    size_t version_count;
    struct hardware *hardware;
    size_t hardware_count;
    struct reference *docs;
    size_t doc_count;
    struct reference *evidence;
    size_t evidence_count;
    struct relation *relations;
    size_t relation_count;
    struct str first_seen, last_verified;
    struct str_list renamed_from;
    struct text withdrawn; /* the reason; empty: not withdrawn */
    struct provenance provenance;
    struct cause_share *causes; /* priors; left out: those of its mechanism */
    size_t cause_count;
};

#endif
