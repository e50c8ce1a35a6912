/* tool.h: what a program of the machine prints. */
#ifndef MACHINE_TOOL_H
#define MACHINE_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Its file by PATH, or by its own name where that has a '/'. */
bool tool_path(const char *program, char *room, size_t size);
/* Runs argv and reads its standard output, as much as there is room for; after
 * limit_ms it is killed. The length; 0: it is not there, failed or was late. */
size_t tool_output(const char *const *argv, int limit_ms, char *room,
                   size_t size);

#endif
