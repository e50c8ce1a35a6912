/* list.c: `oomkb list [COMPONENT]`: what the knowledge base knows. */
#include <errno.h>

#include "cli/cli.h"

int run_list(struct cli *c) {
    if (c->operand_count > 1) {
        return cli_usage(c, "cli.error.list_one", NULL, NULL);
    }
    oomkb *kb = cli_kb(c);
    if (kb == NULL) {
        return STATUS_ERROR;
    }
    const char *component = c->operand_count > 0 ? c->operands[0] : NULL;
    oomkb_options options = cli_options(c);
    oomkb_error err;
    size_t count = 0;
    int code = oomkb_list_write(kb, component, c->format, &options, cli_write,
                                c, &count, &err);
    if (code == OOMKB_ERROR_IO) {
        c->is_pipe_closed = errno == EPIPE;
        return STATUS_FOUND;
    }
    if (code != OOMKB_OK) {
        return cli_failed(c, &err);
    }
    return count > 0 ? STATUS_FOUND : STATUS_NONE;
}
