/* diagnose.c: the default command. Each input is read and answered in the
 * order of the arguments, by this thread or by those of jobs.c; one that
 * cannot be read is said to be so in its place, and the others still get their
 * answers. */
#include <errno.h>
#include <string.h>

#include "cli/jobs.h"
#include "cli/overlay.h"
#include "cli/progress.h"

static bool add_progress(void *ctx, size_t n) {
    progress_add(ctx, n);
    return true;
}

static void read_here(struct cli *c, const oomkb *kb, const char *name,
                      struct exam *out) {
    int in = input_open(name);
    if (in < 0) {
        *out = (struct exam){.number = errno};
        return;
    }
    oomkb_options options = input_options(c, name);
    struct progress progress = progress_begin(c, in);
    exam_read(kb, in, &options, add_progress, &progress, out);
    progress_end(&progress);
    input_close(in);
}

static int diagnose_one(struct cli *c, const oomkb *kb, const char *name) {
    struct exam exam;
    read_here(c, kb, name, &exam);
    return exam_tell(c, name, &exam);
}

static int diagnose_several(struct cli *c, const oomkb *kb) {
    struct jobs *jobs = jobs_begin(c, kb);
    int status = STATUS_NONE;
    c->is_listing = strcmp(c->format, "json") == 0;
    for (size_t i = 0; i < c->operand_count && !c->is_pipe_closed; i++) {
        struct exam exam;
        input_title(c, c->operands[i], i, "");
        if (jobs != NULL) {
            jobs_await(jobs, i, &exam);
        } else {
            read_here(c, kb, c->operands[i], &exam);
        }
        status = status_of_both(status, exam_tell(c, c->operands[i], &exam));
    }
    jobs_end(jobs);
    if (c->is_listing)
        fputs("\n]\n", stdout);
    return status;
}

static int diagnose_all(struct cli *c, oomkb *kb) {
    if (c->follow)
        return follow_inputs(c, kb);
    if (c->operand_count > 1)
        return diagnose_several(c, kb);
    return diagnose_one(c, kb, c->operand_count == 1 ? c->operands[0] : "-");
}

int run_diagnose(struct cli *c) {
    oomkb *kb = cli_kb(c);
    if (kb == NULL)
        return STATUS_ERROR;
    struct overlay own;
    int status = STATUS_ERROR;
    if (overlay_read(c, &own) && (!c->is_here || here_read(c, NULL))) {
        c->own_reports = own.reports;
        status = diagnose_all(c, kb);
        here_forget(c);
    }
    overlay_close(&own);
    return status;
}
