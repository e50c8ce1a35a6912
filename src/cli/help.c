/* help.c: the help, from the tables of commands and options. All other words
 * are in i18n. */
#include <stdio.h>

#include "cli/cli.h"

#define NAME_COLUMNS 24 /* of a command or option, before its description */

static void write_row(struct cli *c, const char *name, const char *help_key) {
    printf("  %-*s  ", NAME_COLUMNS, name);
    cli_print(c, help_key, NULL, NULL);
}

static void write_option(struct cli *c, const struct option_row *o) {
    char name[64];
    const char *value = o->value != NULL ? o->value : "";
    char letter[8] = "";
    if (o->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(name, sizeof name, "%s%s %s", letter, o->name, value);
    write_row(c, name, o->help_key);
}

/* True for an option of a single command. It is listed under that command. */
static bool is_of_one(const struct option_row *o) {
    return (o->commands & (o->commands - 1)) == 0 &&
           o->commands != FOR_diagnose;
}

enum which { OF_COMMAND, OF_SEVERAL, OF_ONE };

static bool is_shown(const struct option_row *o, enum which which,
                     unsigned bits) {
    if (which == OF_COMMAND)
        return (o->commands & bits) != 0;
    return is_of_one(o) == (which == OF_ONE) &&
           (which == OF_SEVERAL || o->commands == bits);
}

/* Writes options under a heading; nothing if there are none. */
static void write_options(struct cli *c, enum which which,
                          const struct command *command) {
    unsigned bits = command != NULL ? (unsigned)command->bit : 0;
    bool has_any = false;
    for (const struct option_row *o = option_rows; o->name != NULL; o++) {
        if (!is_shown(o, which, bits))
            continue;
        if (!has_any)
            puts("");
        if (!has_any)
            cli_print(c, which == OF_ONE ? "cli.help.options_of"
                                         : "cli.help.options",
                      which == OF_ONE ? command->name : NULL, NULL);
        has_any = true;
        write_option(c, o);
    }
}

static void write_whole(struct cli *c) {
    cli_print(c, "cli.help.usage", NULL, NULL);
    cli_print(c, "cli.help.what", NULL, NULL);
    puts("");
    cli_print(c, "cli.help.commands", NULL, NULL);
    for (const struct command *each = commands; each->name != NULL; each++) {
        char name[64];
        snprintf(name, sizeof name, "%s %s", each->name, each->operands);
        write_row(c, name, each->help_key);
    }
    write_options(c, OF_SEVERAL, NULL);
    for (const struct command *each = commands; each->name != NULL; each++)
        write_options(c, OF_ONE, each);
    puts("");
    cli_print(c, "cli.help.status", NULL, NULL);
}

static void write_one(struct cli *c, const struct command *command) {
    printf("oomkb %s %s\n", command->name, command->operands);
    cli_print(c, command->help_key, NULL, NULL);
    write_options(c, OF_COMMAND, command);
    puts("");
    cli_print(c, "cli.help.status", NULL, NULL);
}

/* For `oomkb help`, `oomkb help explain`, `oomkb explain --help`. */
int run_help(struct cli *c) {
    const struct command *which = NULL;
    bool is_help = c->command->bit == FOR_help;
    if (is_help && c->operand_count > 0) {
        const char *name = c->operands[0], *near = command_near(name);
        which = command_named(name);
        if (which == NULL)
            return cli_usage(c, near != NULL ? "cli.error.command_near"
                                             : "cli.error.no_command",
                             name, near);
    } else if (!is_help && c->wants_help && c->is_command_named) {
        which = c->command;
    }
    if (which != NULL)
        write_one(c, which);
    else
        write_whole(c);
    return STATUS_FOUND;
}
