/* completion.h: what the scripts for the shells share. Private to cli/. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include "cli/put.h"

#define CHOICES_MAX 256
#define SHELLS "bash zsh fish"
/* Prints the ids that explain takes, one a line. */
#define LIST_IDS \
    "oomkb list --format jsonl 2>/dev/null |\n" \
    "        sed 's/^{\"id\": *\"\\([^\"]*\\)\".*/\\1/'"

/* Prints what list takes beside names that are always there. */
#define LIST_COMPONENTS \
    "oomkb list components --format jsonl 2>/dev/null |\n" \
    "        sed 's/^{\"name\": *\"\\([^\"]*\\)\".*/\\1/'"

enum operand_kind {
    OPERAND_NONE, OPERAND_FILE, OPERAND_ID, OPERAND_SHELL, OPERAND_COMMAND,
    OPERAND_LIST
};
/* By how the help shows them. */
enum operand_kind operand_kind(const struct command *c);

/* The words that an option takes, blanks between; "": free. */
void choices_of(const struct option_row *o, char room[CHOICES_MAX]);
bool takes_file(const struct option_row *o);
void put_command_names(void); /* blanks between */
void put_list_names(void);    /* what list takes, but components */
/* On one line; quote stands for every '. */
void put_quoted(const char *text, const char *quote);

int put_bash(struct cli *c);
int put_zsh(struct cli *c);
int put_fish(struct cli *c);

#endif
