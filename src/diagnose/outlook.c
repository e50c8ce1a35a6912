/* outlook.c: what a restart with nothing changed would do.
 *
 *     causes        each says it of itself (kb/causes.yaml); their sum decides
 *     restarts      three or more of them: it fails again
 *     the log       takes back what it does not bear out:
 *       no stage, no limit, no amount   nobody can tell: the first step may have
 *       but an allocator's              failed, or the thousandth
 *       host memory, of which nothing   what others leave of it is not known
 *       else is known
 *       it was serving                  the same start serves again, for a while
 *       one thing after another ran     what earlier ones left may be missing
 *       in it (a web UI, tests)         the next time
 *       it had run for a while          it comes as far again, at least
 *       free memory alone was short     what others hold may be gone, unless it
 *                                       is so little that it is there always
 *       ... of a GPU that shares the    what is in use may be the page cache,
 *       host's memory                   which a restart does not drop
 *
 * Pieces too small for a request may be so at the same step again, or not: of
 * fragmentation nobody can tell. "again" is the one answer by which a bot gives
 * up, so it wants a reason in the log; a message alone or an exit code is none. */
#include "diagnose/work.h"

#define STANDING_PERCENT 15 /* of the GPU: a desktop, a driver, a small tool */
#define STEPS_OF_A_RUN 30   /* steps and time that more than a start takes */
#define TIME_OF_A_RUN (1800 * UNITS_MICRO)
#define BEYOND_OTHERS 4     /* needed over free: too much for others to hold */

static const struct fact *known(const struct finding *f, enum fact_name name) {
    const struct fact *fact = facts_last(&f->facts, name);
    return fact != NULL && fact->known ? fact : NULL;
}

static bool stage_is(const struct finding *f, const char *stage) {
    const struct fact *fact = known(f, FACT_stage);
    return fact != NULL && str_eq(fact->word, str_of(stage));
}

static void settle(struct finding *f, enum restart restart, const char *key) {
    f->outlook = (struct outlook){.restart = restart,
                                  .because = note_of(key)};
}

static void sum_causes(struct diagnosis *d, struct finding *f) {
    int64_t of[RESTART_COUNT_OF] = {0};
    int64_t least = reader_ranking(d->r)->micro[RANKING_outlook_at];
    for (size_t i = 0; i < f->cause_count; i++)
        of[f->causes[i].is->restart] += f->causes[i].p_micro;
    settle(f, RESTART_unknown, "diagnose.outlook.unknown");
    if (of[RESTART_again] >= least)
        settle(f, RESTART_again, "diagnose.outlook.again");
    if (of[RESTART_may_pass] >= least)
        settle(f, RESTART_may_pass, "diagnose.outlook.may_pass");
}

/* ---- what the log takes back ---- */

/* What an allocator says whenever it refuses: how full it was, not when. */
static bool is_of_allocator(enum fact_name name) {
    static const enum fact_name said[] = {
        FACT_tried_alloc,        FACT_gpu_total,
        FACT_gpu_free,           FACT_process_in_use,
        FACT_other_in_use,       FACT_others_in_use,
        FACT_outside_framework,  FACT_pytorch_allocated,
        FACT_pytorch_reserved,   FACT_pytorch_unallocated,
        FACT_private_pools,      FACT_memory_limit};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (said[i] == name)
            return true;
    return false;
}

/* More than there is, whatever ran before. */
static bool is_beyond_gpu(const struct finding *f) {
    const struct fact *asked = known(f, FACT_tried_alloc);
    const struct fact *total = known(f, FACT_gpu_total);
    return asked != NULL && total != NULL && asked->number >= total->number;
}

static bool is_of_start(const struct finding *f) {
    const struct fact *steps = known(f, FACT_steps_done);
    bool has_stage = known(f, FACT_stage) != NULL && !stage_is(f, "data") &&
                     !stage_is(f, "unknown");
    return has_stage || (steps != NULL && steps->number < STEPS_OF_A_RUN);
}

/* A check's amount, a stage that each start goes through, a kill that names
 * its limit: something that the same start meets again. */
static bool has_ground(const struct finding *f) {
    for (size_t i = 0; i < f->facts.count; i++) {
        const struct fact *fact = &f->facts.at[i];
        enum unit unit = fact_unit(fact->name);
        bool is_amount = unit == UNIT_BYTES || unit == UNIT_TOKENS ||
                         unit == UNIT_BLOCKS;
        if (fact->known && is_amount && !is_of_allocator(fact->name))
            return true;
    }
    return is_of_start(f) || is_beyond_gpu(f) ||
           known(f, FACT_oom_kill_count) != NULL ||
           known(f, FACT_job_id) != NULL;
}

/* The engine asks for a share of the GPU, and finds less free before it takes
 * any. */
static bool lacks_free_share(const struct finding *f) {
    const struct fact *asked = known(f, FACT_requested_bytes);
    const struct fact *unfilled = known(f, FACT_gpu_free);
    return asked != NULL && unfilled != NULL &&
           known(f, FACT_gpu_memory_utilization) != NULL &&
           unfilled->number < asked->number;
}

static bool is_standing(const struct finding *f) {
    const struct fact *unfilled = known(f, FACT_gpu_free);
    const struct fact *total = known(f, FACT_gpu_total);
    return total != NULL && unfilled->number <= total->number &&
           total->number - unfilled->number <
               total->number / 100 * STANDING_PERCENT;
}

/* Free is MemFree there: files that were read count as used
 * (https://github.com/unslothai/unsloth/pull/10705). */
static bool shares_host_memory(const struct finding *f) {
    const struct fact *shares = known(f, FACT_shares_host_memory);
    return shares != NULL && shares->number != 0;
}

/* Of what a page, a notebook or a test asks of a process, the failing one is
 * seldom the first. More than the GPU holds is too much for each. */
static bool is_called(const struct finding *f) {
    return known(f, FACT_caller) != NULL && !is_beyond_gpu(f);
}

/* A server may take long to start, and each start does. */
static bool has_progressed(const struct finding *f) {
    static const char *const of_start[] = {"load", "profile", "capture",
                                           "kv_alloc", "compile"};
    for (size_t i = 0; i < sizeof of_start / sizeof *of_start; i++)
        if (stage_is(f, of_start[i]))
            return false;
    const struct fact *steps = known(f, FACT_steps_done);
    const struct fact *seconds = known(f, FACT_run_seconds);
    return (steps != NULL && steps->number >= STEPS_OF_A_RUN) ||
           (seconds != NULL && seconds->number >= TIME_OF_A_RUN);
}

/* Refused by the host, whose size and use are not told. */
static bool is_of_unknown_host(const struct finding *f) {
    static const enum fact_name told[] = {FACT_host_total, FACT_host_free,
                                          FACT_host_limit, FACT_host_used,
                                          FACT_oom_kill_count, FACT_job_id};
    const struct fact *kind = known(f, FACT_device_kind);
    bool is_told = kind == NULL || !str_eq(kind->word, STR("host"));
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        is_told = is_told || known(f, told[i]) != NULL;
    return !is_told && f->mechanism == MECHANISM_host_ram;
}

/* The host has more memory than was free, or nobody knows how much. */
static bool may_be_freed(const struct finding *f) {
    const struct fact *asked = known(f, FACT_requested_bytes);
    const struct fact *unfilled = known(f, FACT_host_free);
    const struct fact *total = known(f, FACT_host_total);
    if (asked == NULL || unfilled == NULL || unfilled->number <= 0)
        return false;
    return total != NULL ? asked->number < total->number
                         : asked->number / BEYOND_OTHERS < unfilled->number;
}

/* "Again" is taken back where the log does not bear it out. */
static void doubt_again(struct finding *f) {
    if (stage_is(f, "serve"))
        settle(f, RESTART_may_pass, "diagnose.outlook.served");
    else if (has_progressed(f))
        settle(f, RESTART_unknown, "diagnose.outlook.progressed");
    else if (is_called(f))
        settle(f, RESTART_unknown, "diagnose.outlook.called");
    else if (may_be_freed(f) || is_of_unknown_host(f))
        settle(f, RESTART_unknown, "diagnose.outlook.freed");
    else if (!has_ground(f))
        settle(f, RESTART_unknown, "diagnose.outlook.unknown");
}

static void take_back(struct finding *f) {
    if (lacks_free_share(f) && is_standing(f))
        settle(f, RESTART_again, "diagnose.outlook.standing");
    else if (lacks_free_share(f) && shares_host_memory(f))
        settle(f, RESTART_unknown, "diagnose.outlook.unified");
    else if (f->outlook.restart == RESTART_again)
        doubt_again(f);
}

void outlook_find(struct diagnosis *d, struct finding *f) {
    const struct fact *restarts = known(f, FACT_restart_count);
    sum_causes(d, f);
    if (f->outlook.restart != RESTART_may_pass && restarts != NULL &&
        restarts->number >= 3) {
        settle(f, RESTART_again, "diagnose.outlook.restarted");
        note_add(&f->outlook.because, write_count(d->a, restarts->number));
        return;
    }
    take_back(f);
}
