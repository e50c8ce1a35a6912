/* completion.c: `oomkb completion bash|zsh|fish`: writes a script for a shell.
 * At each TAB the script calls
 *
 *     oomkb completion words -- WORD...        the last WORD is to be completed
 *
 * which writes candidates from the tables of commands and options and from the
 * knowledge base: one a line, with a tab and its description; ":files" stands
 * for the names of files.
 *
 *     source <(oomkb completion bash)
 */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

#define SHELLS "bash zsh fish"

/* completion.S */
extern const char completion_bash[], completion_zsh[], completion_fish[];

/* ---- candidates ---- */

/* Writes a candidate. help: a key, or NULL; it is put on one line. */
static void put_word(struct cli *c, const char *word, const char *help) {
    fputs(word, stdout);
    fputs(help != NULL ? "\t" : "", stdout);
    for (const char *at = help ? cli_text(c, help) : ""; *at != '\0'; at++)
        fputc(*at == '\n' ? ' ' : *at, stdout);
    fputc('\n', stdout);
}

/* Writes each of the words that blanks separate, behind a prefix: "--lang=". */
static void put_choices(const char *prefix, const char *choices) {
    while (*choices != '\0') {
        size_t n = strcspn(choices, " ");
        printf("%s%.*s\n", prefix, (int)n, choices);
        choices += n;
        choices += strspn(choices, " ");
    }
}

/* Writes the values of an option. */
static void put_values(const struct option_row *o, const char *prefix) {
    if (o->choices != NULL)
        put_choices(prefix, o->choices);
    else if (strcmp(o->value, "FORMAT") == 0)
        for (const char *const *f = oomkb_formats(); *f != NULL; f++)
            printf("%s%s\n", prefix, *f);
    else if (strcmp(o->value, "FILE") == 0 || strcmp(o->value, "DIR") == 0)
        puts(":files");
}

static void put_commands(struct cli *c) {
    for (const struct command *each = commands; each->name != NULL; each++)
        put_word(c, each->name, each->help_key);
}

static void put_options(struct cli *c, const struct command *command) {
    for (const struct option_row *o = option_rows; o->name != NULL; o++)
        if ((o->commands & (unsigned)command->bit) != 0)
            put_word(c, o->name, o->help_key);
}

/* Writes the first value of each line of a JSON list. */
static int put_first(void *ctx, const char *bytes, size_t n) {
    (void)ctx;
    for (size_t i = 0, quotes = 0; i < n; i++) {
        bool is_mark = bytes[i] == '"' || bytes[i] == '\n';
        quotes = bytes[i] == '\n' ? 0 : quotes + (bytes[i] == '"');
        if (quotes == 3 && !is_mark)
            fputc(bytes[i], stdout);
        else if (quotes == 4 && is_mark)
            fputc('\n', stdout);
    }
    return 0;
}

static void put_lists(struct cli *c) {
    oomkb *kb = cli_kb(c);
    puts("entries");
    for (const char *const *n = oomkb_names_known(); *n != NULL; n++)
        puts(*n);
    if (kb != NULL)
        oomkb_names_write(kb, "components", "jsonl", NULL, put_first, NULL,
                          NULL, NULL);
}

/* Writes operands of the kind that the help of the command names. */
static void put_operands(struct cli *c, const struct command *command) {
    const char *shown = command->operands + (command->operands[0] == '[');
    bool is_id = strncmp(shown, "ID", 2) == 0;
    if (strncmp(shown, "FILE", 4) == 0 || strncmp(shown, "DIR", 3) == 0 ||
        strncmp(shown, "PATH", 4) == 0)
        puts(":files");
    else if (is_id && cli_kb(c) != NULL)
        oomkb_list_write(cli_kb(c), NULL, "jsonl", NULL, put_first, NULL, NULL,
                         NULL);
    else if (strncmp(shown, "WHAT", 4) == 0)
        put_lists(c);
    else if (strncmp(shown, "SHELL", 5) == 0)
        put_choices("", SHELLS);
    else if (strncmp(shown, "COMMAND", 7) == 0)
        put_commands(c);
}

/* The option of this word, if it takes a value; NULL: none. */
static const struct option_row *valued(const char *word) {
    const char *value;
    const struct option_row *o =
        word[0] == '-' ? option_of(word, &value) : NULL;
    return o != NULL && o->value != NULL ? o : NULL;
}

static const struct command *command_among(char **words, size_t n) {
    const struct command *found = NULL;
    for (size_t i = 0; i < n && found == NULL; i++)
        found = command_named(words[i]);
    return found;
}

/* Completes the value of an option. bash splits "--format=js" into three words.
 * False: no value is to be completed. */
static bool complete_value(const char *now, char **before, size_t n) {
    char prefix[64] = "";
    size_t named = strcspn(now, "=");
    if (n > 0 && strcmp(before[n - 1], "=") == 0)
        n--;
    const struct option_row *o =
        n > 0 ? valued(before[n - 1]) : NULL;
    if (now[named] == '=' && named > 0) {
        o = valued(now);
        snprintf(prefix, sizeof prefix, "%.*s=", (int)named, now);
    }
    if (o != NULL)
        put_values(o, prefix);
    return o != NULL;
}

static void complete(struct cli *c, char **words, size_t n) {
    const char *now = n > 0 ? words[n - 1] : "";
    size_t before = n > 0 ? n - 1 : 0;
    const struct command *command = command_among(words, before);
    if (complete_value(now, words, before))
        return;
    if (now[0] == '-') {
        put_options(c, command ? command : command_named("diagnose"));
    } else if (command != NULL) {
        put_operands(c, command);
    } else {
        puts(":files");
        put_commands(c);
    }
}

int run_completion(struct cli *c) {
    const char *asked = c->operand_count > 0 ? c->operands[0] : "";
    const char *script = strcmp(asked, "bash") == 0   ? completion_bash
                         : strcmp(asked, "zsh") == 0  ? completion_zsh
                         : strcmp(asked, "fish") == 0 ? completion_fish
                                                      : NULL;
    if (strcmp(asked, "words") == 0) {
        complete(c, c->operands + 1, c->operand_count - 1);
        return STATUS_FOUND;
    }
    if (script == NULL || c->operand_count > 1)
        return cli_usage(c, "cli.error.shell", SHELLS, NULL);
    fputs(script, stdout);
    return STATUS_FOUND;
}
