/* command_parts.h: declarations that the command_*.c files share. */
#ifndef DIAGNOSE_COMMAND_PARTS_H
#define DIAGNOSE_COMMAND_PARTS_H

#include "diagnose/command.h"

/* command_head.c: true if the first command of the text runs the program that
 * begins at this offset. */
bool command_runs(struct str text, size_t program);

/* command_list.c */
bool list_next(const struct command *c, size_t *at, struct argument *arg);
void list_read(struct command *c);
/* Text to be added behind an item: one more, in the quotes of the others. */
struct str list_item(struct arena *a, const struct command *c,
                     struct str word);
/* Quotes words that may have quotes in them: those of a running program. */
#define LIST_QUOTE "\x01"

#endif
