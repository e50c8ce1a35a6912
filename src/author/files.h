/* files.h: what the compiler asks of the file system, and no more. Paths are
 * joined with '/', lists are in bytewise order. */
#ifndef AUTHOR_FILES_H
#define AUTHOR_FILES_H

#include "base/arena.h"
#include "base/limits.h"
#include "corpus/entry.h"

/* Regular files under dir, as paths that begin with dir; hidden ones are left
 * out. A directory that is not there holds none. Raises FAIL_CEILING. */
struct str_list files_under(struct arena *a, struct str dir);
bool file_exists(struct arena *a, struct str path);
/* False when it is not there, is no regular file, or is past FILE_BYTES_MAX
 * or unreadable; *why says which. */
bool file_read(struct arena *a, struct str path, struct str *bytes,
               const char **why);
/* Through a file beside it that is renamed; is_synced: on disk, too, before
 * that. Raises FAIL_IO. */
void file_write(struct arena *a, struct str path, struct str image,
                bool is_synced);
struct str path_join(struct arena *a, struct str dir, struct str name);
struct str path_parent(struct str path); /* "." when there is none */
struct str path_folder(struct str path); /* "a/b/c.yaml": "b" */
void str_sort(struct str *list, size_t count);

#endif
