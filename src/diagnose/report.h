/* report.h: the answer, before anyone has chosen a language or a format. The
 * texts are entries' (both languages) or notes (keys of i18n). Lives in the
 * report's arena. Order of fields follows kb/report.schema.json. */
#ifndef DIAGNOSE_REPORT_H
#define DIAGNOSE_REPORT_H

#include "base/limits.h"
#include "base/note.h"
#include "corpus/cause.h"
#include "corpus/entry.h"
#include "corpus/fact.h"
#include "memory/breakdown.h"
#include "memory/releases.h"

enum certainty { CERTAINTY_EXACT, CERTAINTY_BY_FACTS, CERTAINTY_BY_CONTEXT, CERTAINTY_GENERIC };
enum applies { APPLIES_YES, APPLIES_IF, APPLIES_NO, APPLIES_ALREADY };

struct success { /* what is shown of a rate: millionths; known false: none */
    bool known;
    enum basis basis;
    int64_t mean, low, high;
    int64_t worked, tried; /* -1: the basis has no counts */
    int64_t maintainers_worked, maintainers_tried; /* apart; tried 0: none */
    bool is_few;           /* under 3 reports: words instead of a percentage */
};

struct own_success { /* of a fix in this user's hands */
    int64_t worked, failed;
    int64_t mean; /* millionths, drawn towards what others report */
};

struct fix {
    uint32_t rank; /* from 1 */
    const struct workaround *is;
    struct success success;
    struct own_success own; /* worked + failed 0: none */
    enum applies applies;
    struct note because;     /* of applies */
    struct note lowers;      /* a setting of the log and what it goes down to:
                                said in place of the action; no key: none */
    struct text action;      /* in the engine's own words for a flag; empty: as
                                the entry has it */
    struct str renamed;      /* that flag; empty: the entry's own stands */
    struct text how;         /* with its {facts} filled in */
    struct str command;      /* filled template; empty: none */
    enum effort effort;      /* here: without a flag for it, code */
    bool has_gap;            /* a word stands in it for a value nobody knows */
    struct str first_try;    /* the command's value, where the log does not show
                                the one in force; empty: it is no guess */
    bool has_estimate;
    struct estimate estimate;
    int64_t p_micro;         /* probability that it alone ends the failure */
    int64_t cost_micro, gain_micro; /* ranking.c */
    struct note worth;       /* --why: where p is from, with the three */
};

/* How a trap stands open to who reads this log: the first the widest. */
enum trap {
    TRAP_TOUCHED,   /* its setting was set, or the message proposes it */
    TRAP_HOLDS,     /* its condition holds for this log */
    TRAP_REPORTED,  /* people tried it for this failure */
    TRAP_OF_ENGINE, /* a setting of the engine that runs */
    TRAP_CLOSED
};

struct dead_end_shown {
    enum trap trap;
    const struct dead_end *is; /* NULL: an attempt that failed in this very log */
    struct note action, why;   /* of an attempt */
    struct success fail;
};

struct instance {
    uint32_t first_line, last_line;
    int64_t rank, gpu; /* FACT_NONE */
    struct fact_list facts;
};

struct version_line { /* one compatibility row, evaluated */
    const struct compatibility *is;
    enum in_range in_range;
    struct str version; /* the one found; empty: not known */
};

/* A cause that the entry allows, and what the log says for or against it. */
struct belief {
    const struct cause *is;
    int64_t share_micro; /* before the log's evidence */
    int64_t p_micro;
    const struct evidence **because; /* true of this log, one of a family */
    size_t because_count;
};

/* What the same start would do, with nothing changed. */
struct outlook {
    enum restart restart;
    struct note because;
};

struct finding {
    struct str id; /* 16 hex digits: entry, mechanism, first message; stable */
    struct str fingerprint; /* "1-" and 16 hex digits: of entry, mechanism and
                               the message without numbers, ranks and paths */
    const struct entry *entry;
    struct note title; /* in place of the entry's, where people tell of it and
                          the words show no library; no key: the entry's */
    enum mechanism mechanism; /* the entry's; if that is unspecified, what the
                                 causes make of it */
    enum role role;
    int32_t cause; /* index into findings; -1: none */
    enum certainty certainty;
    struct note because; /* why this entry of its group */
    uint32_t first_line, last_line;
    uint32_t text_line; /* of text */
    bool has_trace; /* frames stand with its message */
    uint64_t count; /* how often it was seen */
    struct str text; /* the line of the message that says most, verbatim */
    const struct signature *form; /* that the message has; NULL: not known */
    bool is_contradictory; /* its numbers cannot be true together: nothing is
                              drawn or computed from them */
    struct fact_list facts;
    struct instance *instances;
    size_t instance_count;
    enum shortage shortage;
    bool has_kv;
    struct kv kv;
    struct reconciliation reconciliation; /* of the model with the log */
    struct str_list models_like; /* that would give what is printed */
    size_t models_like_count;    /* of them there are so many */
    const struct release_step *turn; /* another release would do; NULL: none */
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
    size_t remark_count;
};

struct question {
    enum fact_name fact;
    struct note ask;
    struct str how; /* a command that prints it */
    const struct fix *about; /* the first fix that it decides; NULL: none */
    size_t finding;          /* of the report's, that asks */
};

struct report {
    struct str input_name;
    uint64_t lines, bytes;
    bool truncated;
    uint32_t gave_up_line, gave_up_patterns; /* as scan_result has it */
    struct fact_list context; /* one per name: what is in force */
    struct breakdown memory;  /* what was measured at start; count 0: nothing */
    struct finding *findings;
    size_t finding_count;
    struct finding *suspects; /* looks like memory, in words that no entry
                                 knows: entries of severity suspect */
    size_t suspect_count;     /* at most SUSPECTS_MAX; in order of place */
    struct str command; /* the user's, as the log has it; empty: none */
    struct str command_before, command_after; /* empty: none */
    bool command_is_arguments; /* only what follows a container image */
    struct question *questions;
    size_t question_count;
    struct note summary;
};

/* Roots of severity failure. */
size_t report_failures(const struct report *r);

/* What the lines of a suspect ask for and what they say is there, in bytes;
 * NULL where they do not say. */
struct need_and_have {
    const struct fact *need, *have;
};
struct need_and_have suspect_amounts(const struct finding *suspect);

#endif
