/* replace.h: replacing a file atomically: a reader sees the old bytes or the
 * new ones, also if the writer is killed.
 *
 *     path -> PATH.oomkb-XXXXXX -> rename(2)
 *
 * A symbolic link is kept: its target is replaced. What is not a regular file
 * (/dev/stdout, a pipe) is written in place. */
#ifndef BASE_REPLACE_H
#define BASE_REPLACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/str.h"

/* mode: of the new file. is_synced: the new file survives a crash of the
 * machine, and temporary files of this path that are over an hour old are
 * removed. Returns 0 or an errno. */
int file_replace(const char *path, struct str bytes, mode_t mode,
                 bool is_synced);

#endif
