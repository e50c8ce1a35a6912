/* alone.c: checking and formatting one file alone, and finding its corpus.
 *
 * An entry's file can be read, its patterns compiled and tried on their samples
 * without other files. Whether causes, flags and relations exist, and whether
 * another entry has the same words, can only be checked with a corpus. */
#include <sys/stat.h>

#include "author/check.h"
#include "author/build.h"
#include "author/files.h"

static bool check_one(struct build *d, const struct source *src,
                      struct str id, struct entry *out) {
    const struct node *root = yaml_read(&d->c, d->nodes, src);
    if (root == NULL)
        return false;
    src = source_as_draft(&d->c, src, root);
    read_entry(&(struct reading){&d->c, src}, id, root, out);
    merge_alone(&d->c, src, root, out);
    check_entry(&d->c, src, root, out, d->fact_used);
    build_put(d, MADE_ENTRY, (struct made){.what = out, .src = src,
                                           .node = root});
    d->corpus.entries = out;
    d->corpus.entry_count = 1;
    d->patterns = corpus_patterns(d->a, &d->corpus);
    for (size_t i = 0; i < d->patterns.count; i++)
        check_pattern_at(d, NULL, i);
    return d->c.errors == 0;
}

static const struct author_options no_options;

bool author_read_entry(struct arena *a, struct str path, struct str yaml,
                       diag_fn on_diag, void *ctx, struct entry *out) {
    struct build d = {.a = a, .nodes = a, .options = &no_options,
                      .c = {.a = a, .scratch = a}};
    struct entry e = {0};
    struct str id = path;
    if (str_starts(id, STR("entries/")))
        id = str_slice(id, 8, id.n);
    if (str_ends(id, STR(".yaml")))
        id.n -= 5;
    if (check_one(&d, source_new(a, path, yaml), arena_str(a, id), &e))
        *out = e;
    complaints_report(&d.c, on_diag, ctx);
    return d.c.errors == 0;
}

struct author_result author_check_alone(struct arena *a, struct str path,
                                        diag_fn on_diag, void *ctx) {
    struct build d = {.a = a, .nodes = a, .options = &no_options,
                      .c = {.a = a, .scratch = a}};
    const struct source *src = build_source(&d, path);
    struct entry e = {0};
    if (src != NULL)
        check_one(&d, src, path, &e);
    complaints_report(&d.c, on_diag, ctx);
    return (struct author_result){1, d.c.errors, d.c.warnings,
                                  e.signature_count};
}

static void lay_out_file(struct arena *a, struct str path, diag_fn on_diag,
                         void *ctx, struct layout_sums *sums) {
    struct build d = {.a = a, .nodes = a, .options = &no_options,
                      .c = {.a = a, .scratch = a}};
    const struct source *src = build_source(&d, path);
    const struct node *root = src != NULL ? yaml_read(&d.c, a, src) : NULL;
    complaints_report(&d.c, on_diag, ctx);
    sums->files++;
    if (root == NULL || d.c.errors > 0) { /* a duplicate key would be lost */
        sums->unread++;
        return;
    }
    if (node_get(root, "title") == NULL)
        return; /* a table of kb/, whose layout is one row per line */
    struct str text = layout_entry(a, src, root, path_folder(path));
    if (!str_eq(text, src->text)) {
        author_write_file(a, path, text);
        sums->changed++;
    }
}

void author_lay_out(struct arena *a, struct str path, diag_fn on_diag,
                    void *ctx, struct layout_sums *sums) {
    struct str_list files = files_under(a, path);
    if (files.count == 0)
        lay_out_file(a, path, on_diag, ctx, sums);
    for (size_t i = 0; i < files.count; i++)
        if (str_ends(files.at[i], STR(".yaml")))
            lay_out_file(a, files.at[i], on_diag, ctx, sums);
}

/* ---- which corpus ---- */

static bool has_kb(struct arena *a, struct str entries_dir) {
    struct str kb = author_sibling_dir(a, entries_dir, "kb");
    return file_exists(a, path_join(a, kb, STR("vocabulary.yaml")));
}

static bool is_folder(struct arena *a, struct str path) {
    struct stat is;
    return stat(arena_str(a, path).p, &is) == 0 && S_ISDIR(is.st_mode);
}

struct str author_entries_of(struct arena *a, struct str path) {
    struct str at = is_folder(a, path) ? path : path_parent(path);
    for (int up = 0; up < 2; up++, at = path_parent(at))
        if (has_kb(a, at))
            return at;
    struct str here = STR("entries");
    return is_folder(a, here) && has_kb(a, here) ? here : (struct str){0};
}

const char *author_code(size_t i, enum diag_level *level) {
    if (i >= CODE_COUNT_OF)
        return NULL;
    *level = code_level((enum code)i);
    return code_spelling((enum code)i);
}
