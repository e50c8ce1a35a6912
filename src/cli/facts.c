/* facts.c: `oomkb facts` writes the facts of this machine. --here makes other
 * commands use them if a log or a question has no value. */
#include "cli/cli.h"
#include "machine/machine.h"

bool here_read(struct cli *c, const char *program) {
    machine_free(c->machine);
    c->machine = machine_read(program);
    if (c->machine == NULL)
        cli_error(c, "memory", "out of memory");
    return c->machine != NULL;
}

void here_free(struct cli *c) {
    machine_free(c->machine);
    c->machine = NULL;
}

const char *const *here_facts(const struct cli *c) {
    return c->machine != NULL ? machine_facts(c->machine) : NULL;
}

int run_facts(struct cli *c) {
    c->is_here = true;
    oomkb *kb = cli_kb(c);
    oomkb_options options = cli_options(c);
    oomkb_error err;
    if (kb == NULL)
        return STATUS_ERROR;
    int code = oomkb_machine_write(kb, c->format, &options, cli_write, c, &err);
    return cli_written(c, code, &err, STATUS_FOUND);
}
