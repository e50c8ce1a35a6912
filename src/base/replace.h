/* replace.h: a file gets new bytes whole or not at all, whoever reads it
 * meanwhile and whenever the writer dies.
 *
 *     path -> PATH.oomkb-XXXXXX -> rename(2)
 *
 * A symbolic link stays: the file that it leads to is replaced. What is no
 * plain file (/dev/stdout, a pipe) is written straight. */
#ifndef BASE_REPLACE_H
#define BASE_REPLACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/str.h"

/* mode: of the new file. is_synced: it survives a crash of the machine; of
 * writers that were killed what is an hour old is taken away. 0, or errno. */
int file_replace(const char *path, struct str bytes, mode_t mode,
                 bool is_synced);

#endif
