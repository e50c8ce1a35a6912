/* explain.c: `oomkb explain ID` writes a whole entry; `oomkb explain E012`
 * writes the meaning of a code of `oomkb check`. */
#include "cli/cli.h"

int run_explain(struct cli *c) {
    if (code_explain(c, c->operands[0]))
        return STATUS_FOUND;
    oomkb *kb = cli_kb(c);
    if (kb == NULL)
        return STATUS_ERROR;
    oomkb_options options = cli_options(c);
    oomkb_error err;
    int code = oomkb_entry_write(kb, c->operands[0], c->format, &options,
                                 cli_write, c, &err);
    return cli_written(c, code, &err, STATUS_FOUND);
}
