/* site.c: `oomkb site -o DIR`: a new folder, or an empty one, becomes these
 * pages. One that holds anything is refused before the first page is written:
 * so nothing of somebody else is overwritten, and nothing of an earlier site
 * is left between the pages. */
#include "author/site.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "author/files.h"

/* Make the folder and those above it, where there are none. */
static void make_folder(struct arena *a, struct str path) {
    for (size_t n = 1; n <= path.n; n++) {
        struct stat is;
        struct str part = arena_str(a, str_slice(path, 0, n));
        if ((n < path.n && path.p[n] != '/') || mkdir(part.p, 0777) == 0)
            continue;
        int why = errno;
        bool is_there = stat(part.p, &is) == 0;
        if (!is_there || !S_ISDIR(is.st_mode))
            arena_raise(a, FAIL_IO, "cannot make the folder %.*s: %s",
                        STR_ARG(part),
                        is_there ? "something else is there" : strerror(why));
    }
}

static void refuse_strangers(struct arena *a, struct str dir) {
    DIR *folder = opendir(arena_str(a, dir).p);
    const struct dirent *in = NULL;
    struct str name = {NULL, 0};
    while (folder != NULL && name.n == 0 && (in = readdir(folder)) != NULL)
        if (strcmp(in->d_name, ".") != 0 && strcmp(in->d_name, "..") != 0)
            name = arena_str(a, str_of(in->d_name));
    if (folder != NULL)
        closedir(folder);
    if (name.n > 0)
        arena_raise(a, FAIL_USAGE, "%.*s/%.*s is in the way: name a new "
                    "folder, or an empty one", STR_ARG(dir), STR_ARG(name));
}

size_t author_site(struct arena *a, const struct oomkb *kb,
                   const struct site_wishes *wishes) {
    struct str dir = wishes->dir;
    while (dir.n > 1 && dir.p[dir.n - 1] == '/')
        dir.n--;
    refuse_strangers(a, dir);
    struct site_pages pages = site_pages_make(a, kb, wishes);
    for (size_t i = 0; i < pages.count; i++) {
        struct str path = path_join(a, dir, pages.at[i].path);
        make_folder(a, path_parent(path));
        file_write(a, path, pages.at[i].bytes, false);
    }
    return pages.count;
}
