/* command_parts.h: declarations that the command_*.c files share. */
#ifndef DIAGNOSE_COMMAND_PARTS_H
#define DIAGNOSE_COMMAND_PARTS_H

#include "diagnose/command.h"

/* command_head.c: true if the first command of the text runs the program that
 * begins at this offset. */
bool command_runs(struct str text, size_t program);

/* command_list.c */
enum form form_of(struct str text);
bool list_next(const struct command *c, size_t *at, struct argument *arg);
void list_read(struct command *c);
/* A flag to be added behind the last item: *text is its text, the result is the
 * place where it is inserted. */
struct argument list_added(struct arena *a, const struct command *c,
                           struct str name, struct str value,
                           struct str *text);

#endif
