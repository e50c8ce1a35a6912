/* run.c: `oomkb run -- COMMAND`: runs a command. Its output passes through
 * unchanged and is scanned as it comes.
 *
 *     facts of the machine -> the command -> its end -> of memory? -> report
 *
 * It failed for memory if its own output says so, or if the kernel's counters
 * do: a process that is killed prints nothing. For a change of the counters the
 * kernel's lines are added to the log, and diagnosed like any other line.
 *
 * --apply starts it again with the corrected command, if arithmetic calls that
 * enough; the same command is never started twice. If the corrected one fails
 * too, the status is that of the first failure.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/limits.h"
#include "cli/run.h"

#define STARTS_MAX (APPLY_MAX + 1)
#define TERMINATION_BYTES 4096 /* the most that Kubernetes keeps */

enum death {
    DEATH_NONE,     /* it succeeded, could not be started, or was stopped by a
                       signal */
    DEATH_MEMORY,   /* by its own output */
    DEATH_KERNEL,   /* the kernel killed it for memory */
    DEATH_NO_MEMORY, /* killed, but by the counters not for memory */
    DEATH_OTHER
};

struct attempt {
    size_t number; /* from 1 */
    struct child_end end;
    struct kill_count before, after;
    enum death death;
    oomkb_report *report; /* NULL: there is no report */
    const char *const *argv;
    oomkb_retry retry;    /* its strings belong to the report */
};

static bool is_killed(const struct child_end *end) {
    return child_exit_status(end) == 128 + SIGKILL;
}

/* True if the kernel killed the command for memory. The counters include all
 * processes of the cgroup, so a command that succeeded was not killed. Those of
 * the whole machine count only if the command was killed. */
static bool is_killed_by_kernel(const struct attempt *a) {
    bool is_ours = a->before.in_cgroup >= 0 &&
                   a->after.in_cgroup > a->before.in_cgroup;
    bool is_some = a->before.on_machine >= 0 &&
                   a->after.on_machine > a->before.on_machine;
    return child_exit_status(&a->end) != 0 &&
           (is_ours || (is_some && is_killed(&a->end)));
}

/* Adds the kernel's lines behind the output of the command. */
static void kernel_lines_add(struct watch *w, const struct attempt *a) {
    char lines[RUN_KERNEL_BYTES_MAX];
    if (!is_killed_by_kernel(a))
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
    if (is_killed_by_kernel(a))
        return DEATH_KERNEL;
    if (a->end.stopped_by != 0)
        return DEATH_NONE;
    if (is_found)
        return DEATH_MEMORY;
    bool is_counted = a->after.in_cgroup >= 0 || a->after.on_machine >= 0;
    return is_killed(&a->end) && is_counted ? DEATH_NO_MEMORY : DEATH_OTHER;
}

static void attempt_make(struct cli *c, char *const *argv,
                         struct attempt *a) {
    struct watch w;
    here_read(c, argv[0]);
    oomkb_options options = cli_options(c);
    options.input_name = argv[0];
    watch_begin(&w, c->kb, &options, argv);
    struct child_order order = {
        .argv = argv, .in = STDIN_FILENO,
        .out = {STDOUT_FILENO, STDERR_FILENO}, .seen = watch_output, .ctx = &w};
    a->before = machine_kills();
    a->end = child_run(&order);
    a->after = machine_kills();
    watch_end_lines(&w);
    kernel_lines_add(&w, a);
    a->report = watch_end(&w);
    a->death = death_of(a);
}

static int put_into(void *ctx, const char *bytes, size_t n) {
    return fwrite(bytes, 1, n, ctx) == n ? 0 : 1;
}

/* ---- the cause of its end ---- */

static bool is_of_memory(const struct attempt *a) {
    return a->death == DEATH_MEMORY || a->death == DEATH_KERNEL;
}

static void kills_remark(struct cli *c, const struct attempt *a) {
    const struct kill_count *before = &a->before, *after = &a->after;
    if (after->in_cgroup > before->in_cgroup)
        cli_remark(c, "cli.run.kernel_cgroup",
                   digits_of(before->in_cgroup).text,
                   digits_of(after->in_cgroup).text);
    else
        cli_remark(c, "cli.run.kernel_machine",
                   digits_of(before->on_machine).text,
                   digits_of(after->on_machine).text);
}

static void put_size(char room[32], int64_t bytes) {
    bool is_small = bytes < (INT64_C(1) << 30);
    snprintf(room, 32, is_small ? "%.0f MiB" : "%.2f GiB",
             (double)bytes / (is_small ? 1 << 20 : 1 << 30));
}

static void limit_remark(struct cli *c) {
    char limit[32], peak[32];
    int64_t limit_bytes, peak_bytes;
    machine_limit(&limit_bytes, &peak_bytes);
    if (limit_bytes == 0 || peak_bytes == 0)
        return;
    put_size(limit, limit_bytes);
    put_size(peak, peak_bytes);
    cli_remark(c, "cli.run.limit", limit, peak);
}

static void death_remark(struct cli *c, const struct attempt *a) {
    if (a->death == DEATH_KERNEL) {
        kills_remark(c, a);
        limit_remark(c);
    } else if (a->death == DEATH_NO_MEMORY) {
        cli_remark(c, "cli.run.not_memory", "", "");
    }
}

/* ---- the report ---- */

static void write_report(struct cli *c, const oomkb_report *report,
                         const char *format, FILE *out, bool is_screen) {
    oomkb_options options = cli_options(c);
    oomkb_error err;
    options.color = is_screen && options.color && isatty(STDERR_FILENO);
    if (oomkb_report_write(report, format, &options, put_into, out, &err) !=
        OOMKB_OK)
        cli_note(err.text);
}

static void write_file(struct cli *c, const struct attempt *a) {
    const char *format = c->is_format_given ? c->format : "json";
    FILE *out = fopen(c->report_path, "w");
    if (out != NULL)
        write_report(c, a->report, format, out, false);
    if (out == NULL || fclose(out) != 0)
        cli_remark(c, "cli.run.file", c->report_path, strerror(errno));
}

/* Writes the report for Kubernetes, cut at the end of a line. */
static void write_termination(struct cli *c, const struct attempt *a) {
    char *text = NULL;
    size_t n = 0;
    FILE *made = open_memstream(&text, &n);
    FILE *out = fopen(c->termination_path, "w");
    if (made != NULL) {
        write_report(c, a->report, "text", made, false);
        fclose(made);
    }
    if (n > TERMINATION_BYTES) {
        for (n = TERMINATION_BYTES; n > 0 && text[n - 1] != '\n'; n--)
            continue;
    }
    bool is_written = out != NULL && fwrite(text, 1, n, out) == n;
    if (out == NULL || fclose(out) != 0 || !is_written)
        cli_remark(c, "cli.run.file", c->termination_path, strerror(errno));
    free(text);
}

static void attempt_write(struct cli *c, const struct attempt *a) {
    if (c->report_path != NULL)
        write_file(c, a);
    if (c->termination_path != NULL && a->death != DEATH_NONE)
        write_termination(c, a);
}

/* Writes the report. stdout belongs to the command, so everything goes to
 * stderr and to the requested files. */
static void attempt_report(struct cli *c, const struct attempt *a) {
    death_remark(c, a);
    if (a->report == NULL)
        return;
    if (is_of_memory(a) && oomkb_report_failures(a->report) > 0)
        write_report(c, a->report, "text", stderr, true);
    attempt_write(c, a);
}

/* ---- the history: the attempts of one job, a line of JSON each ----
 *
 *     {"schema":1,"time":"2026-11-22T08:00:00Z","attempt":1,"status":1,
 *      "entry":"vllm/kv-cache-too-small","fingerprint":"1-8f...",
 *      "outlook":"again","change":"--max-model-len 40032"}
 *
 * A scheduler that restarts a job keeps the file; an equal fingerprint means
 * the same failure. Lines are only appended.
 */
static size_t seen_before(const char *path, const char *fingerprint) {
    char *line = NULL;
    size_t size = 0, count = 0;
    FILE *in = fopen(path, "r");
    while (in != NULL && getline(&line, &size, in) >= 0)
        count += strstr(line, fingerprint) != NULL;
    free(line);
    if (in != NULL)
        fclose(in);
    return count;
}

static void put_field(FILE *out, const char *name, const char *value) {
    fprintf(out, ",\"%s\":", name);
    if (value != NULL)
        put_json_string(out, value);
    else
        fputs("null", out);
}

static void put_line(FILE *out, const struct attempt *a) {
    fputs("{\"schema\":1", out);
    put_field(out, "time", cli_now(true).text);
    fprintf(out, ",\"attempt\":%zu,\"status\":%d", a->number,
            child_exit_status(&a->end));
    put_field(out, "entry", a->retry.entry);
    put_field(out, "fingerprint", a->retry.fingerprint);
    put_field(out, "outlook", a->retry.outlook);
    put_field(out, "change", a->retry.change);
    fputs("}\n", out);
}

static void attempt_record(struct cli *c, const struct attempt *a) {
    if (c->history_path == NULL)
        return;
    size_t before = a->retry.fingerprint != NULL
                        ? seen_before(c->history_path, a->retry.fingerprint)
                        : 0;
    FILE *out = fopen(c->history_path, "a");
    if (out != NULL)
        put_line(out, a);
    if (out == NULL || fclose(out) != 0)
        cli_remark(c, "cli.run.file", c->history_path, strerror(errno));
    if (before > 0)
        cli_remark(c, "cli.run.seen_before", digits_of((int64_t)before).text,
                   c->history_path);
}

/* ---- restarts ---- */

struct job {
    struct cli *c;
    struct attempt at[STARTS_MAX];
    size_t count;
    struct child_end first; /* how the first attempt ended */
};

static bool is_same(const char *const *x, const char *const *y) {
    while (*x != NULL && *y != NULL && strcmp(*x, *y) == 0) {
        x++;
        y++;
    }
    return *x == NULL && *y == NULL;
}

static bool was_tried(const struct job *j, const char *const *argv) {
    for (size_t i = 0; i < j->count; i++)
        if (is_same(j->at[i].argv, argv))
            return true;
    return false;
}

/* The key of the reason against another start; NULL: none. */
static const char *why_not(const struct job *j, const struct attempt *a) {
    if (a->retry.argv == NULL)
        return a->retry.why_not != NULL ? a->retry.why_not
                                        : "run.why.no_failure";
    if (was_tried(j, a->retry.argv))
        return "run.why.tried";
    return j->count > j->c->apply || j->count == STARTS_MAX
               ? "run.why.often" : NULL;
}

/* True if the corrected command is to be started. */
static bool may_restart(struct job *j, const struct attempt *a) {
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

/* Ends the job. If corrected commands failed too, the status is that of the
 * first attempt. */
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
        attempt_make(j->c, (char *const *)argv, a);
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
        attempt_report(j->c, a);
        goes_on = may_restart(j, a);
        argv = a->retry.argv;
    }
}

int run_run(struct cli *c) {
    struct job *job = calloc(1, sizeof *job);
    if (job == NULL)
        return cli_error(c, "memory", "out of memory");
    job->c = c;
    job_run(job, (const char *const *)c->operands);
    int status = job_end(job);
    free(job);
    return status;
}
