/* site.c: `oomkb site -o DIR`: writing the pages to a folder.
 *
 * Each file is written atomically. DIR/.oomkb-site lists the files of a site.
 * New files are added to the list before the first one is written, so files of
 * a run that was killed are known to the next run. Obsolete pages are removed.
 * Files that are not on the list are kept; one in the place of a page is an
 * error, and then nothing is changed.
 */
#include "author/site.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "author/files.h"

#define MANIFEST ".oomkb-site"
#define MANIFEST_HEAD "oomkb site 1"

struct site {
    struct arena *a;
    struct str dir;
    struct site_pages pages;
    struct str_list old; /* what earlier runs wrote */
    struct site_result result;
};

static struct str in_dir(const struct site *s, struct str path) {
    return arena_printf(s->a, "%.*s/%.*s", STR_ARG(s->dir), STR_ARG(path));
}

/* ---- the list of what was written ---- */

/* True for a possible file in the root. Other releases may have other files
 * than this one. */
static bool is_root_page(struct str path) {
    struct str end = path;
    while (str_find_char(end, '.') < end.n)
        str_cut(end, '.', &end);
    return str_find_char(path, '/') == path.n && path.n > 0 &&
           path.p[0] != '.' && end.n < path.n &&
           STR_IS_ONE(end, "md", "html", "txt", "xml", "js", "css", "svg");
}

/* True for a file in the root, or for "en/...", "zh/..." or "wasm/..." without
 * hidden or empty parts. */
static bool is_page_path(struct str path) {
    if (is_root_page(path))
        return true;
    if (!str_starts(path, STR("en/")) && !str_starts(path, STR("zh/")) &&
        !str_starts(path, STR("wasm/")))
        return false;
    while (path.n > 0) {
        struct str part = str_cut(path, '/', &path);
        if (part.n == 0 || part.p[0] == '.')
            return false;
    }
    return true;
}

static void read_manifest(struct site *s) {
    struct str path = in_dir(s, STR(MANIFEST)), text = {NULL, 0};
    const char *why = NULL;
    if (!file_exists(s->a, path))
        return;
    if (!file_read(s->a, path, &text, &why))
        arena_raise(s->a, FAIL_IO, "%.*s: %s", STR_ARG(path), why);
    struct str head = str_cut(text, '\n', &text);
    bool is_good = str_eq(head, STR(MANIFEST_HEAD));
    size_t cap = 0;
    while (text.n > 0 && is_good) {
        struct str line = str_cut(text, '\n', &text);
        is_good = is_page_path(line);
        *ARENA_ADD(s->a, s->old.at, s->old.count, cap) = line;
    }
    if (!is_good)
        arena_raise(s->a, FAIL_INPUT,
                    "%.*s is not what `oomkb site` wrote: remove it, or name "
                    "another folder", STR_ARG(path));
    str_sort(s->old.at, s->old.count);
}

static void write_manifest(struct site *s, bool with_old) {
    size_t count = s->pages.count, old = with_old ? s->old.count : 0;
    struct str *list = arena_array(s->a, count + old, sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i] = s->pages.at[i].path;
    for (size_t i = 0; i < old; i++)
        list[count + i] = s->old.at[i];
    str_sort(list, count + old);
    struct buf out = buf_in(s->a, FILE_BYTES_MAX);
    buf_add(&out, STR(MANIFEST_HEAD "\n"));
    for (size_t i = 0; i < count + old; i++) {
        if (i == 0 || !str_eq(list[i], list[i - 1])) {
            buf_add(&out, list[i]);
            buf_add_char(&out, '\n');
        }
    }
    buf_check(&out, "the list of the site's pages");
    author_write_file(s->a, in_dir(s, STR(MANIFEST)), buf_str(&out));
}

/* True if a row has this path. Rows begin with their path and are sorted. */
static bool is_among(struct str path, const void *rows, size_t count,
                     size_t size) {
    return count > 0 && bsearch(&path, rows, count, size, str_order) != NULL;
}

/* ---- folders ---- */

/* Make the folder if it does not exist. Below DIR a link to a folder is
 * refused, since its target does not belong to the site. */
static void make_folder(struct site *s, struct str path, bool may_be_link) {
    struct stat is;
    struct str name = arena_str(s->a, path);
    if (mkdir(name.p, 0777) == 0)
        return;
    int why = errno;
    bool is_there = why == EEXIST &&
                    (may_be_link ? stat(name.p, &is)
                                 : lstat(name.p, &is)) == 0;
    if (!is_there || !S_ISDIR(is.st_mode))
        arena_raise(s->a, FAIL_IO, "cannot make the folder %.*s: %s",
                    STR_ARG(path),
                    is_there ? "something else is there" : strerror(why));
}

/* DIR and its parents. */
static void make_dir(struct site *s) {
    for (size_t n = 1; n <= s->dir.n; n++)
        if (n == s->dir.n || s->dir.p[n] == '/')
            make_folder(s, str_slice(s->dir, 0, n), true);
}

/* The folders of a page, below DIR. */
static void make_folders(struct site *s, struct str path) {
    for (size_t n = 1; n < path.n; n++)
        if (path.p[n] == '/')
            make_folder(s, in_dir(s, str_slice(path, 0, n)), false);
}

/* ---- pages ---- */

static void refuse_foreign_files(struct site *s) {
    for (size_t i = 0; i < s->pages.count; i++) {
        struct str path = s->pages.at[i].path;
        struct stat is;
        bool is_there = lstat(in_dir(s, path).p, &is) == 0;
        bool is_of_site = is_among(path, s->old.at, s->old.count,
                                   sizeof *s->old.at);
        if (is_there && (!is_of_site || !S_ISREG(is.st_mode)))
            arena_raise(s->a, FAIL_USAGE,
                        "%.*s/%.*s is in the way: `oomkb site` did not write "
                        "it", STR_ARG(s->dir), STR_ARG(path));
    }
}

static void write_pages(struct site *s) {
    for (size_t i = 0; i < s->pages.count; i++) {
        const struct site_page *page = &s->pages.at[i];
        struct str path = in_dir(s, page->path), now = {NULL, 0};
        const char *why = NULL;
        make_folders(s, page->path);
        bool is_same = file_exists(s->a, path) &&
                       file_read(s->a, path, &now, &why) &&
                       str_eq(now, page->bytes);
        if (!is_same) {
            file_write(s->a, path, page->bytes, false); /* rewritten if lost */
            s->result.written++;
        }
    }
}

/* True if no part of the path to a page is a link. */
static bool is_path_real(struct site *s, struct str path) {
    for (size_t n = 1; n < path.n; n++) {
        struct stat is;
        bool is_link = path.p[n] == '/' &&
                       lstat(in_dir(s, str_slice(path, 0, n)).p, &is) == 0 &&
                       !S_ISDIR(is.st_mode);
        if (is_link)
            return false;
    }
    return true;
}

/* Remove obsolete pages, and folders that became empty. */
static void remove_stale(struct site *s) {
    for (size_t i = 0; i < s->old.count; i++) {
        struct str path = s->old.at[i];
        if (is_among(path, s->pages.at, s->pages.count,
                     sizeof *s->pages.at) ||
            !is_path_real(s, path))
            continue;
        s->result.removed += unlink(in_dir(s, path).p) == 0 ? 1 : 0;
        for (size_t n = path.n; n > 0; n--)
            if (path.p[n - 1] == '/')
                rmdir(in_dir(s, str_slice(path, 0, n - 1)).p);
    }
}

struct site_result author_site(struct arena *a, const struct oomkb *kb,
                               const struct site_wishes *wishes) {
    struct site s = {.a = a, .dir = str_trim_end(wishes->dir, '/')};
    s.pages = site_pages_make(a, kb, wishes);
    s.result.pages = s.pages.count;
    read_manifest(&s);
    refuse_foreign_files(&s);
    make_dir(&s);
    write_manifest(&s, true);
    write_pages(&s);
    remove_stale(&s);
    write_manifest(&s, false);
    return s.result;
}
