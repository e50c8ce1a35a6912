/* fmt.c: `oomkb fmt [PATH]...`: formats entries in place. A folder stands for
 * all entries in it. */
#include <stdio.h>

#include "cli/corpus.h"

struct formatting {
    struct arena arena;
    const struct cli *c;
    struct layout_sums sums;
};

static void format_all(void *arg) {
    struct formatting *f = arg;
    size_t n = f->c->operand_count;
    for (size_t i = 0; i < (n > 0 ? n : 1); i++)
        author_lay_out(&f->arena,
                       n > 0 ? str_of(f->c->operands[i]) : STR("entries"),
                       corpus_print_diag, NULL, &f->sums);
}

int run_fmt(struct cli *c) {
    struct formatting f = {.c = c};
    bool is_done = cli_guard(c, &f.arena, format_all, &f);
    arena_free(&f.arena);
    if (is_done)
        fprintf(stderr, "oomkb: %zu files, %zu changed\n", f.sums.files,
                f.sums.changed);
    return is_done && f.sums.unread == 0 ? STATUS_FOUND : STATUS_ERROR;
}
