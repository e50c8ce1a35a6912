/* diagnose.h: makes a report from hits: selects entries, groups failures,
 * derives facts, ranks fixes, corrects the command, chooses questions. There is
 * no I/O except through the reader. */
#ifndef DIAGNOSE_DIAGNOSE_H
#define DIAGNOSE_DIAGNOSE_H

#include "diagnose/machine.h"
#include "diagnose/report.h"
#include "index/index.h"
#include "match/match.h"

/* The outcome of a fix that this user tried before. */
struct own_report {
    struct str entry, fix; /* ids; the entry's may be a former one */
    bool worked;
};

/* What the user adds: facts (--set fact=value, which override the log),
 * outcomes of fixes, and facts of the machine. */
struct answers {
    const struct fact *at;
    size_t count;
    const struct own_report *own;
    size_t own_count;
    struct machine_list machine; /* used where the log has no value */
};

struct report *diagnose(struct arena *a, struct reader *r,
                        const struct scan_result *scan, struct str input_name,
                        const struct answers *answers);
/* The entries of a report's findings and then of its suspects, and the context
 * of the log. */
struct report_entries {
    const struct entry **at;
    size_t count;
    struct fact_list context;
};
struct report_entries report_entries(struct arena *a, struct reader *r,
                                     const struct scan_result *scan);

/* Reads "max_model_len=32k" or "gpu_total=24GiB" as a fact of source user.
 * False, with *why, if there is no such fact or the value cannot be read. */
bool answer_read(struct arena *a, struct str text, struct fact *out,
                 struct str *why);
/* The error message for an unknown fact, with the nearest name. */
struct str no_such_fact(struct arena *a, struct str name);
/* True if the number is negative and must not be. Two facts may be negative:
 * kv_available (printed so when weights exceed the share) and gpu_layers (-1
 * means all layers). */
bool answer_is_below_zero(const struct fact *f);

/* The value as it is written in a text, or in a command. */
struct str fact_written(struct arena *a, const struct fact *f, bool is_command);

/* Fills the template of an entry without a log: facts stand as <gpu_count> in a
 * text and as GPU_COUNT in a command; tools are those of this kind of device,
 * which may be empty. */
struct str template_unfilled(struct arena *a, struct str template,
                             struct str device, bool is_command);

/* Reads "vllm/no-kv-blocks lower-max-model-len worked". False, with *why, for
 * any other form. */
bool own_report_read(struct arena *a, struct str text, struct own_report *out,
                     struct str *why);

#endif
