/* outlook.c: predicts the outcome of a restart with nothing changed.
 *
 * The restart fails again if three things hold:
 *
 *     demand   the amount follows from how the program is started
 *     place    every run reaches the place where it is requested
 *     supply   the available amount does not depend on other programs
 *
 * The causes state the first one (kb/causes.yaml); their probabilities are
 * added. The other two need one of these grounds in the log:
 *
 *     begins     it failed while starting (loading, the engine's own check or
 *                profile, compiling a program for the device) or in its first
 *                steps, and other programs hold little of the device, or
 *                nothing is known of them
 *     beyond     the request exceeds all that there is or may be
 *     job        a job that ends was killed by the limit that it was given
 *     standing   little of the GPU is in use before the start, and that is too
 *                much: its holder is always there
 *     restarts   it was tried three times or more, none of them for long
 *
 * Without a ground the outcome is unknown: an allocator's message has the
 * amount in use, not the time. Only "again" makes a bot give up. A restart may
 * pass if the program had served requests, or if others hold much of the
 * device, since they may end. */
#include "diagnose/work.h"

#define STANDING_PERCENT 15 /* of the GPU: less is a desktop, a driver or a
                               small tool */
#define OTHERS_PERCENT 33   /* of the GPU: more is a job, which ends */
#define STEPS_OF_A_RUN 30   /* a run with so many steps, or of that time, is
                               past its start */
#define TIME_OF_A_RUN (1800 * UNITS_MICRO)
#define RESTARTS_LEAST 3

static const struct fact *finding_fact(const struct finding *f,
                                       enum fact_name name) {
    return facts_last(&f->facts, name);
}

static void outlook_set(struct finding *f, enum restart restart,
                        const char *key) {
    f->outlook = (struct outlook){.restart = restart, .because = note_of(key)};
}

static void sum_causes(struct diagnosis *d, struct finding *f) {
    int64_t of[RESTART_COUNT_OF] = {0};
    int64_t least = reader_ranking(d->r)->micro[RANKING_outlook_at];
    for (size_t i = 0; i < f->cause_count; i++)
        of[f->causes[i].cause->restart] += f->causes[i].p_micro;
    outlook_set(f, RESTART_unknown, "diagnose.outlook.unknown");
    if (of[RESTART_again] >= least)
        f->outlook.restart = RESTART_again;
    if (of[RESTART_may_pass] >= least)
        outlook_set(f, RESTART_may_pass, "diagnose.outlook.may_pass");
}

/* ---- place ---- */

static bool is_starting(const struct finding *f) {
    const struct fact *stage = finding_fact(f, FACT_stage);
    return stage && STR_IS_ONE(stage->word, "load", "profile", "capture",
                               "kv_alloc", "compile");
}

/* True for a run that is past its start. The limit of time is high because
 * servers may take long to start. */
static bool has_progressed(const struct finding *f) {
    const struct fact *steps = finding_fact(f, FACT_steps_done);
    const struct fact *seconds = finding_fact(f, FACT_run_seconds);
    return (steps != NULL && steps->number >= STEPS_OF_A_RUN) ||
           (seconds != NULL && seconds->number >= TIME_OF_A_RUN);
}

static bool is_at_first_steps(const struct finding *f) {
    const struct fact *steps = finding_fact(f, FACT_steps_done);
    return steps != NULL && steps->number < STEPS_OF_A_RUN;
}

/* ---- supply ---- */

static bool is_more(const struct finding *f, enum fact_name name,
                    enum fact_name than) {
    const struct fact *x = finding_fact(f, name), *y = finding_fact(f, than);
    return x != NULL && y != NULL && x->number >= y->number;
}

/* True if the request exceeds all that there is or may be, whatever else runs.
 * /dev/shm belongs to the container and has the same size on each start. */
static bool is_beyond(const struct finding *f) {
    static const enum fact_name pairs[][2] = {
        {FACT_tried_alloc, FACT_gpu_total},
        {FACT_tried_alloc, FACT_alloc_limit},
        {FACT_tried_alloc, FACT_host_total},
        {FACT_tried_alloc, FACT_host_limit},
        {FACT_requested_bytes, FACT_gpu_total},
        {FACT_requested_bytes, FACT_host_total},
        {FACT_compute_bytes, FACT_gpu_total},
        {FACT_shm_requested, FACT_shm_limit},
        {FACT_smem_required, FACT_smem_limit}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (is_more(f, pairs[i][0], pairs[i][1]))
            return true;
    return f->mechanism == MECHANISM_shared_memory && !has_progressed(f);
}

/* Percent of the GPU in use by other processes, else outside the framework; -1:
 * not known. */
static int64_t percent_of_others(const struct finding *f) {
    const struct fact *total = finding_fact(f, FACT_gpu_total);
    const struct fact *others = finding_fact(f, FACT_others_in_use);
    if (others == NULL)
        others = finding_fact(f, FACT_outside_framework);
    return total == NULL || others == NULL || total->number < 100
               ? -1
               : others->number / (total->number / 100);
}

/* True for host memory: other programs may take it at any time. */
static bool is_of_host(const struct finding *f) {
    return facts_say(&f->facts, FACT_device_kind, "host") ||
           f->mechanism == MECHANISM_host_ram ||
           f->mechanism == MECHANISM_swap_or_disk;
}

/* True if the engine requests a share of the GPU and less is free before it
 * allocates any. */
static bool lacks_free_share(const struct finding *f) {
    const struct fact *asked = finding_fact(f, FACT_requested_bytes);
    const struct fact *unfilled = finding_fact(f, FACT_gpu_free);
    return asked != NULL && unfilled != NULL &&
           finding_fact(f, FACT_gpu_memory_utilization) != NULL &&
           unfilled->number < asked->number;
}

static bool is_standing(const struct finding *f) {
    const struct fact *unfilled = finding_fact(f, FACT_gpu_free);
    const struct fact *total = finding_fact(f, FACT_gpu_total);
    return total != NULL && unfilled->number <= total->number &&
           total->number - unfilled->number <
               total->number / 100 * STANDING_PERCENT;
}

/* ---- grounds ---- */

static bool fails_at_start(const struct finding *f) {
    bool is_early = is_starting(f) || is_at_first_steps(f);
    return is_early && !is_of_host(f) &&
           percent_of_others(f) < STANDING_PERCENT;
}

static bool was_restarted(const struct finding *f) {
    const struct fact *restarts = finding_fact(f, FACT_restart_count);
    return restarts != NULL && restarts->number >= RESTARTS_LEAST &&
           !has_progressed(f);
}

/* The causes predict the same demand. Finds the ground for "again", or the
 * reason why the outcome is unknown. */
static void ground_find(struct finding *f) {
    if (is_beyond(f))
        outlook_set(f, RESTART_again, "diagnose.outlook.beyond");
    else if (finding_fact(f, FACT_caller) != NULL)
        outlook_set(f, RESTART_unknown, "diagnose.outlook.called");
    else if (fails_at_start(f))
        outlook_set(f, RESTART_again, "diagnose.outlook.begins");
    else if (facts_say(&f->facts, FACT_stage, "serve"))
        outlook_set(f, RESTART_may_pass, "diagnose.outlook.served");
    else if (has_progressed(f))
        outlook_set(f, RESTART_unknown, "diagnose.outlook.progressed");
    else if (finding_fact(f, FACT_job_id) ||
             finding_fact(f, FACT_oom_kill_count))
        outlook_set(f, RESTART_again, "diagnose.outlook.job");
    else
        outlook_set(f, RESTART_unknown, is_of_host(f)
                                       ? "diagnose.outlook.freed"
                                       : "diagnose.outlook.unknown");
}

/* If others hold much of the GPU, they are a job, which ends. A small holder is
 * not known to end. */
static void others_check(struct finding *f) {
    int64_t percent = percent_of_others(f);
    if (f->mechanism == MECHANISM_other_process) {
        bool is_job_of_others = percent < 0 || percent >= OTHERS_PERCENT;
        outlook_set(f, is_job_of_others ? RESTART_may_pass : RESTART_unknown,
                    "diagnose.outlook.others");
    }
}

void outlook_find(struct diagnosis *d, struct finding *f) {
    /* On such a machine "free" may be MemFree: files that were read count as
     * used */
    const struct fact *shares = finding_fact(f, FACT_shares_host_memory);
    sum_causes(d, f);
    if (f->outlook.restart != RESTART_may_pass && was_restarted(f)) {
        outlook_set(f, RESTART_again, "diagnose.outlook.restarted");
        note_add(&f->outlook.because,
                 write_count(d->a,
                             finding_fact(f, FACT_restart_count)->number));
    } else if (lacks_free_share(f) && is_standing(f)) {
        outlook_set(f, RESTART_again, "diagnose.outlook.standing");
    } else if (lacks_free_share(f) && shares && shares->number != 0) {
        outlook_set(f, RESTART_unknown, "diagnose.outlook.unified");
    } else if (f->outlook.restart == RESTART_again) {
        ground_find(f);
    } else if (f->outlook.restart == RESTART_may_pass) {
        others_check(f);
    }
}
