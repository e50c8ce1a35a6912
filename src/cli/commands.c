/* commands.c: finds a command by its name. If the first operand is no command,
 * the operands are logs to diagnose. */
#include <string.h>

#include "cli/cli.h"

#define OWN SIZE_MAX

const struct command commands[] = {
#define COMMAND(name, operands, most, help_key)                                \
    {#name, operands, help_key, FOR_##name, most, run_##name},
#include "cli/commands.def"
    {NULL, NULL, NULL, 0, 0, NULL},
};

const struct command *command_named(const char *name) {
    for (const struct command *c = commands; c->name != NULL; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}
