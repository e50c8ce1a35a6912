/* main.c: reads the command line, runs the command, and checks that stdout was
 * written. */
#include <signal.h>
#include <unistd.h>

#include "cli/cli.h"

static int refuse_operands(struct cli *c) {
    char form[TEXT_MAX];
    const struct command *it = c->command;
    if (it->wrong_key != NULL)
        return cli_usage(c, it->wrong_key, NULL, NULL);
    snprintf(form, sizeof form, "oomkb %s%s%s", it->name,
             it->operands[0] != '\0' ? " " : "", it->operands);
    return cli_usage(c, "cli.error.too_many", c->operands[it->operands_most],
                     form);
}

static int run(struct cli *c) {
    if (c->wants_version)
        return run_version(c);
    if (c->wants_help)
        return run_help(c);
    /* without operands and without a pipe: the help */
    if (c->command->bit == FOR_diagnose && c->operand_count == 0 &&
        isatty(STDIN_FILENO)) {
        run_help(c);
        return STATUS_ERROR;
    }
    if (c->operand_count < c->command->operands_least ||
        c->operand_count > c->command->operands_most)
        return refuse_operands(c);
    if (c->command->has_kb && cli_kb(c) == NULL)
        return STATUS_ERROR;
    return c->command->run(c);
}

int main(int argc, char **argv) {
    /* writing to a closed pipe is an error code, not a signal: cli_finish()
     * handles it */
    struct sigaction quiet = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &quiet, NULL);
    struct cli c = {0};
    int status = STATUS_ERROR;
    if (options_read(argc, argv, &c))
        status = cli_finish(&c, run(&c));
    else
        cli_finish(&c, STATUS_ERROR);
    here_free(&c);
    oomkb_close(c.kb);
    return status;
}
