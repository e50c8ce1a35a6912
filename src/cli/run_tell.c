/* run_tell.c: what is said when a command has ended. stdout is the command's;
 * everything goes to stderr, and to the files that were asked for. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/run.h"

#define TERMINATION_BYTES 4096 /* that Kubernetes keeps */

static int put_into(void *ctx, const char *bytes, size_t n) {
    return fwrite(bytes, 1, n, ctx) == n ? 0 : 1;
}

/* ---- why it ended ---- */

static void tell_kills(struct cli *c, const struct attempt *a) {
    char from[32], to[32];
    bool is_ours = a->after.in_cgroup > a->before.in_cgroup;
    snprintf(from, sizeof from, "%" PRId64,
             is_ours ? a->before.in_cgroup : a->before.on_machine);
    snprintf(to, sizeof to, "%" PRId64,
             is_ours ? a->after.in_cgroup : a->after.on_machine);
    cli_remark(c, is_ours ? "cli.run.kernel_cgroup" : "cli.run.kernel_machine",
               from, to);
}

static void put_size(char room[32], int64_t bytes) {
    bool is_small = bytes < (INT64_C(1) << 30);
    snprintf(room, 32, is_small ? "%.0f MiB" : "%.2f GiB",
             (double)bytes / (is_small ? 1 << 20 : 1 << 30));
}

static void tell_limit(struct cli *c) {
    char limit[32], peak[32];
    int64_t limit_bytes, peak_bytes;
    machine_limit(&limit_bytes, &peak_bytes);
    if (limit_bytes == 0 || peak_bytes == 0)
        return;
    put_size(limit, limit_bytes);
    put_size(peak, peak_bytes);
    cli_remark(c, "cli.run.limit", limit, peak);
}

static void tell_death(struct cli *c, const struct attempt *a) {
    switch (a->death) {
    case DEATH_KERNEL:
        tell_kills(c, a);
        tell_limit(c);
        return;
    case DEATH_NO_MEMORY:
        cli_remark(c, "cli.run.not_memory", "", "");
        return;
    case DEATH_NONE:
    case DEATH_MEMORY:
    case DEATH_OTHER: return;
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
    const char *format = c->is_format_said ? c->format : "json";
    FILE *out = fopen(c->report_path, "w");
    if (out != NULL)
        write_report(c, a->report, format, out, false);
    if (out == NULL || fclose(out) != 0)
        cli_remark(c, "cli.run.file", c->report_path, strerror(errno));
}

/* As much as is kept, to the end of a line. */
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

void attempt_tell(struct cli *c, const struct attempt *a) {
    bool is_memory = a->death == DEATH_MEMORY || a->death == DEATH_KERNEL;
    tell_death(c, a);
    if (a->report == NULL)
        return;
    if (is_memory && oomkb_report_failures(a->report) > 0)
        write_report(c, a->report, "text", stderr, true);
    attempt_write(c, a);
}

void attempt_write(struct cli *c, const struct attempt *a) {
    if (c->report_path != NULL)
        write_file(c, a);
    if (c->termination_path != NULL && a->death != DEATH_NONE)
        write_termination(c, a);
}
