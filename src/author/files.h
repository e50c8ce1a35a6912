/* files.h: the file system for the compiler. Paths are joined with '/', lists
 * are in bytewise order. */
#ifndef AUTHOR_FILES_H
#define AUTHOR_FILES_H

#include "base/arena.h"
#include "base/limits.h"
#include "corpus/entry.h"

/* Regular files under dir, as paths that begin with dir, without hidden ones. A
 * missing directory has none. Raises FAIL_CEILING. */
struct str_list files_under(struct arena *a, struct str dir);
bool file_exists(struct arena *a, struct str path);
/* False if it does not exist, is not a regular file, is larger than
 * FILE_BYTES_MAX or cannot be read; *why is the reason. */
bool file_read(struct arena *a, struct str path, struct str *bytes,
               const char **why);
/* Write atomically (base/replace.h); is_synced: and synced. Raises FAIL_IO. */
void file_write(struct arena *a, struct str path, struct str image,
                bool is_synced);
struct str path_join(struct arena *a, struct str dir, struct str name);
struct str path_parent(struct str path); /* "." when there is none */
struct str path_folder(struct str path); /* "a/b/c.yaml": "b" */
void str_sort(struct str *list, size_t count);

#endif
