/* completion_fish.c: one `complete` for each command and each option; fish
 * offers files by itself wherever it is not told otherwise. */
#include "cli/completion.h"

#include <stdio.h>

/* The condition under which fish offers an option: one of its commands was
 * named, or none was and diagnose takes it. */
static void put_fish_condition(const struct option_row *o) {
    printf("'__fish_seen_subcommand_from");
    for (const struct command *c = commands; c->name != NULL; c++) {
        if ((o->commands & (unsigned)c->bit) != 0)
            printf(" %s", c->name);
    }
    printf("%s'", (o->commands & FOR_DIAGNOSE) != 0
                      ? "; or not __fish_seen_subcommand_from $__oomkb_all"
                      : "");
}

static void put_fish_option(struct cli *c, const struct option_row *o) {
    char choices[CHOICES_MAX];
    choices_of(o, choices);
    printf("complete -c oomkb -n ");
    put_fish_condition(o);
    printf(" -l %s", o->name + 2);
    if (o->letter != 0)
        printf(" -s %c", o->letter);
    if (choices[0] != '\0') {
        printf(" -x -a '%s'", choices);
    } else if (o->value != NULL) {
        printf(" -r%s", takes_file(o) ? " -F" : " -f");
    }
    printf(" -d '");
    put_quoted(cli_text(c, o->help_key), "\\'");
    puts("'");
}

int put_fish(struct cli *c) {
    puts("# fish completion for oomkb; made by `oomkb completion fish`");
    printf("set -g __oomkb_all ");
    put_command_names();
    puts("");
    for (const struct command *each = commands; each->name != NULL; each++) {
        printf("complete -c oomkb -n 'not __fish_seen_subcommand_from "
               "$__oomkb_all' -a %s -d '", each->name);
        put_quoted(cli_text(c, each->help_key), "\\'");
        puts("'");
    }
    puts("complete -c oomkb -f -n '__fish_seen_subcommand_from explain' -a "
         "'(oomkb list --format jsonl 2>/dev/null | string replace -r "
         "\"^.\\\"id\\\": *\\\"([^\\\"]*)\\\".*\" \"\\$1\")'\n"
         "complete -c oomkb -f -n '__fish_seen_subcommand_from list' -a "
         "'(oomkb list components --format jsonl 2>/dev/null | string replace "
         "-r \"^.\\\"name\\\": *\\\"([^\\\"]*)\\\".*\" \"\\$1\")'\n"
         "complete -c oomkb -f -n '__fish_seen_subcommand_from completion' -a "
         "'" SHELLS "'\n"
         "complete -c oomkb -f -n '__fish_seen_subcommand_from help' -a "
         "'$__oomkb_all'");
    printf("complete -c oomkb -f -n '__fish_seen_subcommand_from list' -a '");
    put_list_names();
    puts("'");
    for (const struct option_row *o = option_rows; o->name != NULL; o++)
        put_fish_option(c, o);
    return STATUS_FOUND;
}
