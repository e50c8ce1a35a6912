/* list.c: `oomkb list [WHAT]`: what the knowledge base knows: its entries, or
 * those of a component, or the names that options take (models, gpus ...). */
#include <string.h>

#include "cli/cli.h"

static bool is_of_names(const char *what) {
    for (const char *const *name = oomkb_names_known(); *name != NULL;
         name++) {
        if (strcmp(*name, what) == 0)
            return true;
    }
    return false;
}

int run_list(struct cli *c) {
    if (c->operand_count > 1)
        return cli_usage(c, "cli.error.list_one", NULL, NULL);
    oomkb *kb = cli_kb(c);
    if (kb == NULL)
        return STATUS_ERROR;
    const char *what = c->operand_count > 0 ? c->operands[0] : "entries";
    const char *component = strcmp(what, "entries") == 0 ? NULL : what;
    oomkb_options options = cli_options(c);
    oomkb_error err;
    size_t count = 0;
    int code = is_of_names(what)
                   ? oomkb_names_write(kb, what, c->format, &options,
                                       cli_write, c, &count, &err)
                   : oomkb_list_write(kb, component, c->format, &options,
                                      cli_write, c, &count, &err);
    return cli_written(c, code, &err, count > 0 ? STATUS_FOUND : STATUS_NONE);
}
