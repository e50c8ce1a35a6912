/* list.c: `oomkb list [WHAT]`: the entries of the knowledge base, or those of a
 * component, or the names that options take (models, gpus ...). */
#include <string.h>

#include "cli/cli.h"

int run_list(struct cli *c) {
    const char *what = c->operand_count > 0 ? c->operands[0] : "entries";
    const char *component = strcmp(what, "entries") == 0 ? NULL : what;
    oomkb_options options = cli_options(c);
    oomkb_error err;
    size_t count = 0;
    int code = is_one_of(what, oomkb_names_known())
                   ? oomkb_names_write(c->kb, what, c->format, &options,
                                       cli_write, c, &count, &err)
                   : oomkb_list_write(c->kb, component, c->format, &options,
                                      cli_write, c, &count, &err);
    return cli_written(c, code, &err, count > 0 ? STATUS_FOUND : STATUS_NONE);
}
