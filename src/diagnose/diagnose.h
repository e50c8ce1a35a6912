/* diagnose.h: hits to report. Selection, incidents, facts, context, ranking,
 * advice, corrected command, questions. No I/O but through the reader. */
#ifndef DIAGNOSE_DIAGNOSE_H
#define DIAGNOSE_DIAGNOSE_H

#include "diagnose/machine.h"
#include "diagnose/report.h"
#include "index/index.h"
#include "match/match.h"

/* What a fix did for this user before. */
struct own_report {
    struct str entry, fix; /* ids; the entry's may be an old one */
    bool worked;
};

/* What the user adds: --set fact=value, which wins over the log, what fixes
 * did before, and what is known of the machine. */
struct answers {
    const struct fact *at;
    size_t count;
    const struct own_report *own;
    size_t own_count;
    struct machine_list machine; /* counts where the log says nothing */
};

struct report *diagnose(struct arena *a, struct reader *r,
                        const struct scan_result *scan, struct str input_name,
                        const struct answers *answers);

/* "max_model_len=32k", "gpu_total=24GiB" -> a fact of source user. False and
 * *why when there is no such fact or the value does not read. */
bool answer_read(struct arena *a, struct str text, struct fact *out,
                 struct str *why);
/* Says so, and which name is near. */
struct str no_such_fact(struct arena *a, struct str name);
/* A number that cannot be. A pool that weights have overdrawn is printed as one
 * below zero, and -1 of the layers are all. */
bool answer_is_below_zero(const struct fact *f);

/* A value as a text has it, or as a command takes it. */
struct str fact_written(struct arena *a, const struct fact *f, bool is_command);

/* The template of an entry without any log: <gpu_count> for what one would
 * say, GPU_COUNT in a command; the tools of this kind of device, which may be
 * empty. */
struct str template_unfilled(struct arena *a, struct str template,
                             struct str device, bool is_command);

/* "vllm/no-kv-blocks lower-max-model-len worked". False and *why when it is
 * not that. */
bool own_report_read(struct arena *a, struct str text, struct own_report *out,
                     struct str *why);

#endif
