/* run.c: `oomkb run -- COMMAND`: a command whose output passes through as it
 * is, and is scanned as it comes.
 *
 *     facts of the machine -> the command -> its end -> of memory? -> report
 *
 * It died of memory where its own words say so, or where the kernel's counters
 * do: a process that is killed prints nothing. What the counters say is added
 * to the log as the kernel prints it, and is diagnosed like any other line.
 *
 * --apply starts it again with the corrected command, where that is computed as
 * enough; a command is never started twice. What fails all the same ends with
 * the first error.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "cli/run.h"

#define STARTS_MAX (APPLY_MAX + 1)

static bool is_killed(const struct child_end *end) {
    return child_exit_status(end) == 128 + SIGKILL;
}

/* The counters count everybody in the cgroup, so a command that ended well was
 * not it. Those of the whole machine tell only of one that was killed. */
static bool is_kernels(const struct attempt *a) {
    bool is_ours = a->before.in_cgroup >= 0 &&
                   a->after.in_cgroup > a->before.in_cgroup;
    bool is_some = a->before.on_machine >= 0 &&
                   a->after.on_machine > a->before.on_machine;
    return child_exit_status(&a->end) != 0 &&
           (is_ours || (is_some && is_killed(&a->end)));
}

static bool is_counted(const struct attempt *a) {
    return a->after.in_cgroup >= 0 || a->after.on_machine >= 0;
}

/* What the kernel did stands behind what the command said. */
static void add_kernels_words(struct watch *w, const struct attempt *a) {
    char lines[RUN_KERNEL_BYTES_MAX];
    if (!is_kernels(a))
        return;
    if (a->after.in_cgroup > a->before.in_cgroup)
        watch_add(w, lines, machine_kill_lines(lines, sizeof lines));
    else
        watch_add(w, "Killed\n", 7);
}

static enum death death_of(const struct attempt *a) {
    bool is_found = a->report != NULL && oomkb_report_failures(a->report) > 0;
    if (child_exit_status(&a->end) == 0 || a->end.number != 0)
        return DEATH_NONE;
    if (is_kernels(a))
        return DEATH_KERNEL;
    if (a->end.stopped_by != 0)
        return DEATH_NONE;
    if (is_found)
        return DEATH_MEMORY;
    return is_killed(&a->end) && is_counted(a) ? DEATH_NO_MEMORY : DEATH_OTHER;
}

static void attempt_make(struct cli *c, oomkb *kb, char *const *argv,
                         struct attempt *a) {
    struct watch w;
    here_read(c, argv[0]);
    oomkb_options options = cli_options(c);
    options.input_name = argv[0];
    watch_begin(&w, kb, &options, argv);
    struct child_order order = {
        .argv = argv, .in = STDIN_FILENO,
        .out = {STDOUT_FILENO, STDERR_FILENO}, .seen = watch_seen, .ctx = &w};
    a->before = machine_kills();
    a->end = child_run(&order);
    a->after = machine_kills();
    watch_end_lines(&w);
    add_kernels_words(&w, a);
    a->report = watch_end(&w);
    a->death = death_of(a);
}

/* ---- again ---- */

struct job {
    struct cli *c;
    oomkb *kb;
    struct attempt at[STARTS_MAX];
    size_t count;
    struct child_end first; /* how it failed, should all else fail, too */
};

static bool is_same(const char *const *x, const char *const *y) {
    while (*x != NULL && *y != NULL && strcmp(*x, *y) == 0) {
        x++;
        y++;
    }
    return *x == NULL && *y == NULL;
}

static bool was_tried(const struct job *j, const char *const *argv) {
    for (size_t i = 0; i < j->count; i++) {
        if (is_same(j->at[i].argv, argv))
            return true;
    }
    return false;
}

/* The key of what speaks against another start; NULL: nothing does. */
static const char *why_not(const struct job *j, const struct attempt *a) {
    if (a->retry.argv == NULL)
        return a->retry.why_not != NULL ? a->retry.why_not
                                        : "run.why.no_failure";
    if (was_tried(j, a->retry.argv))
        return "run.why.tried";
    return j->count > j->c->apply || j->count == STARTS_MAX
               ? "run.why.often" : NULL;
}

static bool is_of_memory(const struct attempt *a) {
    return a->death == DEATH_MEMORY || a->death == DEATH_KERNEL;
}

/* True: it is to be started again, in that form. */
static bool may_go_on(struct job *j, const struct attempt *a) {
    char change[TEXT_MAX], seconds[32];
    unsigned pause = j->count < 7 ? 1u << (j->count - 1) : 60;
    if (j->c->apply == 0 || !is_of_memory(a) || a->end.stopped_by != 0)
        return false;
    const char *why = why_not(j, a);
    if (why != NULL) {
        cli_remark(j->c, "cli.run.no_restart", cli_text(j->c, why), "");
        return false;
    }
    snprintf(change, sizeof change, "%s", a->retry.change);
    snprintf(seconds, sizeof seconds, "%u", pause);
    cli_remark(j->c, "cli.run.restart", change, seconds);
    child_end_group(a->end.group);
    int number = child_pause((int)pause);
    j->first.stopped_by = number;
    return number == 0;
}

/* What was corrected and failed again did not help: the error is the first. */
static int job_end(struct job *j) {
    const struct attempt *last = &j->at[j->count - 1];
    bool is_given_up = j->count > 1 && is_of_memory(last);
    if (is_given_up && j->at[0].retry.entry != NULL) {
        cli_remark(j->c, "cli.run.gave_up", j->at[0].retry.entry, "");
        attempt_write(j->c, &j->at[0]);
    }
    int status = child_exit_status(is_given_up ? &j->first : &last->end);
    for (size_t i = 0; i < j->count; i++)
        oomkb_report_free(j->at[i].report);
    return status;
}

static void job_run(struct job *j, const char *const *argv) {
    bool goes_on = true;
    while (goes_on) {
        struct attempt *a = &j->at[j->count++];
        *a = (struct attempt){.number = j->count, .argv = argv};
        attempt_make(j->c, j->kb, (char *const *)argv, a);
        if (a->end.number != 0)
            cli_remark(j->c, "cli.run.not_started", argv[0],
                       strerror(a->end.number));
        if (j->count == 1)
            j->first = a->end;
        if (a->report == NULL ||
            oomkb_report_retry(a->report, argv, j->c->is_late, &a->retry,
                               NULL) != OOMKB_OK)
            a->retry = (oomkb_retry){.why_not = NULL};
        attempt_record(j->c, a);
        attempt_tell(j->c, a);
        goes_on = may_go_on(j, a);
        argv = a->retry.argv;
    }
}

int run_run(struct cli *c) {
    if (c->operand_count == 0)
        return cli_usage(c, "cli.error.run_what", "", "");
    struct job *job = calloc(1, sizeof *job);
    oomkb *kb = cli_kb(c);
    if (job == NULL || kb == NULL) {
        free(job);
        return STATUS_ERROR;
    }
    job->c = c;
    job->kb = kb;
    job_run(job, (const char *const *)c->operands);
    int status = job_end(job);
    free(job);
    here_forget(c);
    return status;
}
