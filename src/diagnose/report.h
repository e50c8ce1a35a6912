/* report.h: the answer, before a language or a format is chosen. Its texts are
 * those of entries (both languages) or notes (keys of i18n). It lives in the
 * report's arena. The fields stand in the order of kb/report.schema.json. */
#ifndef DIAGNOSE_REPORT_H
#define DIAGNOSE_REPORT_H

#include "base/limits.h"
#include "base/note.h"
#include "corpus/cause.h"
#include "corpus/entry.h"
#include "corpus/fact.h"
#include "memory/breakdown.h"
#include "memory/releases.h"

enum certainty {
    CERTAINTY_EXACT,
    CERTAINTY_BY_FACTS,
    CERTAINTY_BY_CONTEXT,
    CERTAINTY_GENERIC
};
enum applies { APPLIES_YES, APPLIES_IF, APPLIES_NO, APPLIES_ALREADY };

struct success { /* a success rate as it is shown, in millionths; known false:
                    there is none */
    bool known;
    enum basis basis;
    int64_t mean, low, high;
    int64_t worked, tried; /* -1: the basis has no counts */
    int64_t maintainers_worked, maintainers_tried; /* counted separately; tried
                                                      0: none */
    bool is_few;           /* fewer than 3 reports: shown in words, not as a
                              percentage */
};

struct own_success { /* this user's own reports of a fix */
    int64_t worked, failed;
    int64_t mean; /* millionths, shrunk towards the rate that others report */
};

struct fix {
    uint32_t rank; /* from 1 */
    const struct workaround *workaround;
    struct success success;
    struct own_success own; /* worked + failed == 0: none */
    enum applies applies;
    struct note because;     /* the reason for `applies` */
    struct note lowers;      /* a setting of the log, its value and a lower one;
                                shown in place of the action; no key: none */
    struct text action;      /* the entry's action with the engine's own name of
                                a flag; empty: the entry's text */
    struct str renamed;      /* that flag; empty: the entry's flag is kept */
    struct text how;         /* with {fact} slots filled in */
    struct str command;      /* the filled template; empty: none */
    enum effort effort;      /* the effort here: code if this program has no
                                flag for it */
    bool has_gap;            /* the command holds a placeholder for an unknown
                                value */
    struct str first_try;    /* the value in the command if it is only a first
                                try, because the log does not show the value in
                                force; empty otherwise */
    bool has_estimate;
    struct estimate estimate;
    int64_t p_micro;         /* probability that this fix alone ends the
                                failure */
    int64_t cost_micro, gain_micro; /* ranking.c */
    const char *worth;       /* key of a note: the source of p, shown with p,
                                cost and gain */
};

static inline bool fix_is_offered(const struct fix *fix) {
    return fix->applies == APPLIES_YES || fix->applies == APPLIES_IF;
}

static inline enum verdict fix_verdict(const struct fix *fix) {
    return fix->has_estimate ? fix->estimate.verdict : VERDICT_NONE;
}

/* Why a dead end is relevant to this log. A lower value is more relevant. */
enum relevance {
    RELEVANCE_TOUCHED,   /* the user set its setting, or the message names it */
    RELEVANCE_CONDITION, /* it has a condition, and that holds for this log */
    RELEVANCE_REPORTED,  /* people reported it for this failure */
    RELEVANCE_ENGINE,    /* it changes a setting of the engine that runs */
    RELEVANCE_NONE
};

struct dead_end_shown {
    enum relevance relevance;
    const struct dead_end *dead_end; /* NULL: an attempt that failed in this
                                        log */
    struct note action, why;   /* of an attempt in the log */
    struct success fail;
};

struct instance {
    uint32_t first_line, last_line;
    int64_t rank, gpu; /* FACT_NONE */
    struct fact_list facts;
};

struct version_line { /* a compatibility row, evaluated for this log */
    const struct compatibility *row;
    enum in_range in_range;
    struct str version; /* version in the log; empty: not known */
};

/* A cause that the entry allows, and the log's evidence for or against it. */
struct belief {
    const struct cause *cause;
    int64_t share_micro; /* prior, before the log's evidence */
    int64_t p_micro;
    const struct evidence **because; /* evidence that is true of this log, one
                                        for each family */
    size_t because_count;
};

/* What a restart with nothing changed would do. */
struct outlook {
    enum restart restart;
    struct note because;
};

struct finding {
    struct str id; /* 16 hex digits: entry, mechanism, first message; stable */
    struct str fingerprint; /* "1-" and 16 hex digits: of entry, mechanism and
                               the message without numbers, ranks and paths */
    const struct entry *entry;
    struct note title; /* replaces the entry's title where people describe the
                          failure without naming a library; no key: the entry's
                          title */
    enum mechanism mechanism; /* the entry's; if that is unspecified, the one
                                 that the causes suggest */
    enum role role;
    int32_t cause; /* index into findings; -1: none */
    enum certainty certainty;
    struct note because; /* why this entry of its group was chosen */
    uint32_t first_line, last_line;
    uint32_t text_line; /* line of `text` */
    bool has_trace; /* the message has a traceback */
    uint64_t count; /* number of times that it was printed */
    struct str text; /* the most informative line of the message, verbatim */
    const struct signature *form; /* the signature that matched; NULL: not
                                     known */
    bool is_contradictory; /* its numbers contradict each other: nothing is
                              drawn or computed from them */
    struct fact_list facts;
    struct instance *instances;
    size_t instance_count;
    enum shortage shortage;
    bool has_kv;
    struct kv kv;
    struct reconciliation reconciliation; /* of the model's arithmetic with the
                                             log */
    struct str_list models_like; /* models that would give the printed
                                    amounts */
    size_t models_like_count;    /* how many such models there are */
    const struct release_step *turn; /* a release with which the start would
                                        succeed; NULL: none */
    struct budget budget;
    struct formulas formulas;
    struct belief *causes; /* most probable first */
    size_t cause_count;
    struct outlook outlook;
    struct fix *fixes;
    size_t fix_count;
    struct dead_end_shown *dead_ends;
    size_t dead_end_count;
    struct version_line *versions;
    size_t version_count;
    struct note *remarks; /* "does not reconcile", "not in force", ... */
    size_t remark_count, remark_cap;
};

struct question {
    enum fact_name fact;
    struct note ask;
    struct str how; /* a command that prints the answer */
    const struct fix *about; /* the first fix that depends on the answer; NULL:
                                none */
    size_t finding;          /* index of the finding that needs the answer */
};

struct report {
    struct str input_name;
    uint64_t lines, bytes;
    bool truncated;
    uint32_t gave_up_line, gave_up_patterns; /* copied from scan_result */
    struct fact_list context; /* the settings in force, one per name */
    struct breakdown memory;  /* what the program measured at start; count 0:
                                 nothing */
    struct finding *findings;
    size_t finding_count;
    struct finding *suspects; /* messages about memory that no entry knows:
                                 those of entries with severity suspect */
    size_t suspect_count;     /* at most SUSPECTS_MAX; in order of their
                                 position in the log */
    struct str command; /* the user's command, as it stands in the log; empty:
                           none */
    struct str command_before, command_after; /* empty: none */
    bool command_is_arguments; /* the command is the arguments of `docker
                                  run` */
    struct question *questions;
    size_t question_count;
    struct note summary;
};

/* The number of root findings of severity failure. */
size_t report_failures(const struct report *r);

/* The bytes that a suspect's lines request and the bytes that they say are
 * available. NULL: not printed. */
struct need_and_have {
    const struct fact *need, *have;
};
struct need_and_have suspect_amounts(const struct finding *suspect);

#endif
