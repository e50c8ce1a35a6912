/* tool.h: the output of a program of this machine. */
#ifndef MACHINE_TOOL_H
#define MACHINE_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The program's file, found by PATH unless its name has a '/'. False: none. */
bool tool_path(const char *program, char *room, size_t size);
/* Run argv and read its standard output, as much as there is room for; after
 * limit_ms it is killed. Returns the length; 0: it was not found, failed or was
 * killed. */
size_t tool_output(const char *const *argv, int limit_ms, char *room,
                   size_t size);

#endif
