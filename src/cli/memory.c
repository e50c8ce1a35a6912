/* memory.c: `oomkb memory [LOG]`: what uses the memory of a running job, by the
 * lines that its engine printed at start. Like `facts` and `fit` it is named
 * for its result; `explain` is for entries. */
#include "cli/input.h"

int run_memory(struct cli *c) {
    const char *path = c->operand_count > 0 ? c->operands[0] : "-";
    oomkb_options options = input_options(c, path);
    oomkb_report *report = NULL;
    oomkb_error err;
    int has_memory = 0;
    int status = log_report_of(c, path, &options, &report);
    if (status == 0) {
        int code = oomkb_memory_write(report, c->format, &options, cli_write,
                                      c, &has_memory, &err);
        status = cli_written(c, code, &err,
                             has_memory ? STATUS_FOUND : STATUS_NONE);
    }
    oomkb_report_free(report);
    return status;
}
