/* run.c: `oomkb run -- COMMAND`: a command whose output passes through as it
 * is, and is scanned as it comes.
 *
 *     facts of the machine -> the command -> its end -> of memory? -> report
 *
 * It died of memory where its own words say so, or where the kernel's counters
 * do: a process that is killed prints nothing. What the counters say is added
 * to the log as the kernel prints it, and is diagnosed like any other line.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/run.h"

#define LINES_MAX 8192

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
    char lines[LINES_MAX];
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

/* The command could not be started: as a shell says it. */
static void tell_not_started(struct cli *c, const char *program, int number) {
    run_remark(c, "cli.run.not_started", program, strerror(number));
}

int run_run(struct cli *c) {
    struct attempt a = {.number = 1};
    if (c->operand_count == 0)
        return cli_usage(c, "cli.error.run_what", "", "");
    oomkb *kb = cli_kb(c);
    if (kb == NULL)
        return STATUS_ERROR;
    attempt_make(c, kb, c->operands, &a);
    if (a.end.number != 0)
        tell_not_started(c, c->operands[0], a.end.number);
    attempt_tell(c, &a);
    oomkb_report_free(a.report);
    here_forget(c);
    return child_exit_status(&a.end);
}
