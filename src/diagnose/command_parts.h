/* command_parts.h: what the files of command.h share. */
#ifndef DIAGNOSE_COMMAND_PARTS_H
#define DIAGNOSE_COMMAND_PARTS_H

#include "diagnose/command.h"

/* command_head.c: does the text's first command run the program that begins at
 * this place? */
bool command_runs(struct str text, size_t program);

/* command_list.c */
enum form form_of(struct str text);
bool list_next(const struct command *c, size_t *at, struct argument *arg);
void list_read(struct command *c);
/* A flag behind the last item: its text, and the place where it goes. */
struct argument list_added(struct arena *a, const struct command *c,
                           struct str name, struct str value,
                           struct str *text);

#endif
