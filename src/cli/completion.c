/* completion.c: `oomkb completion bash|zsh|fish`: a script for the shell, made
 * of the tables of commands and options, so that it cannot know other ones.
 * What only the knowledge base knows (ids, components) the script asks the
 * program for when it is needed.
 *
 *     source <(oomkb completion bash)
 */
#include "cli/completion.h"

#include <stdio.h>
#include <string.h>

void choices_of(const struct option_row *o, char room[CHOICES_MAX]) {
    room[0] = '\0';
    if (o->choices != NULL) {
        snprintf(room, CHOICES_MAX, "%s", o->choices);
    } else if (o->id == OPTION_FORMAT) {
        for (const char *const *f = oomkb_formats(); *f != NULL; f++) {
            size_t n = strlen(room);
            snprintf(room + n, CHOICES_MAX - n, "%s%s", n > 0 ? " " : "", *f);
        }
    }
}

bool takes_file(const struct option_row *o) {
    return o->value != NULL && (strcmp(o->value, "FILE") == 0 ||
                                strcmp(o->value, "DIR") == 0);
}

enum operand_kind operand_kind(const struct command *c) {
    static const struct {
        const char *word;
        enum operand_kind kind;
    } kinds[] = {{"FILE", OPERAND_FILE},
                 {"DIR", OPERAND_FILE},
                 {"SHELL", OPERAND_SHELL},
                 {"COMMAND", OPERAND_COMMAND},
                 {"ID", OPERAND_ID},
                 {"WHAT", OPERAND_LIST}};
    const char *shown = c->operands[0] == '[' ? c->operands + 1 : c->operands;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strncmp(shown, kinds[i].word, strlen(kinds[i].word)) == 0)
            return kinds[i].kind;
    }
    return OPERAND_NONE;
}

void put_command_names(void) {
    for (const struct command *c = commands; c->name != NULL; c++)
        printf("%s%s", c == commands ? "" : " ", c->name);
}

void put_list_names(void) {
    printf("entries");
    for (const char *const *n = oomkb_names_known(); *n != NULL; n++)
        printf(" %s", *n);
}

void put_quoted(const char *text, const char *quote) {
    for (; *text != '\0'; text++) {
        if (*text == '\'') {
            fputs(quote, stdout);
        } else {
            fputc(*text == '\n' ? ' ' : *text, stdout);
        }
    }
}

static const struct {
    const char *name;
    int (*put)(struct cli *c);
} shells[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};

int run_completion(struct cli *c) {
    const char *asked = c->operand_count == 1 ? c->operands[0] : "";
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(shells[i].name, asked) == 0)
            return shells[i].put(c);
    }
    return cli_usage(c, "cli.error.shell", SHELLS, NULL);
}
