/* fmt.c: `oomkb fmt [PATH]...`: entries in the one layout, in place. A folder
 * stands for all entries in it. */
#include <stdio.h>

#include "author/files.h"
#include "cli/corpus.h"

struct formatting {
    struct arena arena;
    struct cli *c;
    size_t files, changed, failed;
};

static void format_file(struct formatting *f, struct str path) {
    bool is_changed = false;
    bool is_read = author_lay_out(&f->arena, path, corpus_print_diag, NULL,
                                  &is_changed);
    f->files++;
    f->failed += !is_read;
    f->changed += is_changed;
}

static void format_path(struct formatting *f, struct str path) {
    struct str_list files = files_under(&f->arena, path);
    if (files.count == 0)
        format_file(f, path);
    for (size_t i = 0; i < files.count; i++)
        if (str_ends(files.at[i], STR(".yaml")))
            format_file(f, files.at[i]);
}

static void format_all(void *arg) {
    struct formatting *f = arg;
    for (size_t i = 0; i < f->c->operand_count; i++)
        format_path(f, str_of(f->c->operands[i]));
    if (f->c->operand_count == 0)
        format_path(f, STR("entries"));
}

int run_fmt(struct cli *c) {
    struct formatting f = {.c = c};
    bool is_done = cli_guard(c, &f.arena, format_all, &f);
    arena_free(&f.arena);
    if (!is_done)
        return STATUS_ERROR;
    fprintf(stderr, "oomkb: %zu files, %zu changed\n", f.files, f.changed);
    return f.failed == 0 ? STATUS_FOUND : STATUS_ERROR;
}
