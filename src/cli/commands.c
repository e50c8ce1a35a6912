/* commands.c: finds a command by its name. If the first operand is no command,
 * the operands are logs to diagnose. */
#include <string.h>

#include "cli/cli.h"

#define ANY SIZE_MAX

const struct command commands[] = {
#define COMMAND(name, operands, least, most, wrong_key, has_kb, help_key) \
    {#name, operands, help_key, wrong_key, FOR_##name, least, most, has_kb, \
     run_##name},
#include "cli/commands.def"
    {.name = NULL},
};

const struct command *command_named(const char *name) {
    for (const struct command *c = commands; c->name != NULL; c++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}
