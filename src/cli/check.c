/* check.c: `oomkb check [DIR]`: everything that build would refuse, and
 * whether the pages generated from the table of fields are this compiler's.
 * With --write-docs it writes those pages first.
 *
 * Diagnostics go to stderr, a line of sums last. build is the same run with a
 * file at its end. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "author/author.h"
#include "cli/corpus.h"

enum { DIAG_BYTES_MAX = 1 << 20 };

struct checking {
    struct arena arena;
    const struct cli *c;
    const char *output; /* NULL: none */
    struct author_result result;
};

void corpus_print_diag(void *ctx, const struct diag *d) {
    struct buf out;
    (void)ctx;
    buf_init(&out, NULL, DIAG_BYTES_MAX);
    diag_format(d, &out);
    if (buf_ok(&out))
        fwrite(out.p, 1, out.n, stderr);
    buf_free(&out);
}

static struct str entries_dir(const struct cli *c) {
    return str_of(c->operand_count > 0 ? c->operands[0] : "entries");
}

/* One line for a folder that was mistyped, not one for each file it lacks. */
static void need_folder(struct arena *a, struct str dir) {
    struct stat at;
    const char *path = arena_str(a, dir).p;
    if (stat(path, &at) != 0)
        arena_raise(a, FAIL_IO, "%s: %s", path, strerror(errno));
    if (!S_ISDIR(at.st_mode))
        arena_raise(a, FAIL_IO, "%s: not a folder of entries", path);
}

static void write_docs(struct arena *a, const struct cli *c) {
    struct str kb = author_sibling_dir(a, entries_dir(c), "kb");
    author_write_file(a, arena_printf(a, "%.*s/FORMAT.md", STR_ARG(kb)),
                      author_format_page(a));
    author_write_file(a, arena_printf(a, "%.*s/entry.schema.json",
                                      STR_ARG(kb)),
                      author_entry_schema(a));
}

static void check(void *arg) {
    struct checking *k = arg;
    struct author_options o = {.entries_dir = entries_dir(k->c),
                               .check_samples = true,
                               .check_docs = k->output == NULL,
                               .on_diag = corpus_print_diag};
    struct str image;
    need_folder(&k->arena, o.entries_dir);
    if (k->c->write_docs)
        write_docs(&k->arena, k->c);
    k->result = author_compile(&k->arena, &o, &image);
    if (k->output != NULL && k->result.errors == 0)
        author_write_file(&k->arena, str_of(k->output), image);
}

int corpus_run(struct cli *c, const char *output) {
    static const char *const codes[] = {"ok", "memory", "ceiling", "usage",
                                        "io", "index", "input"};
    struct checking k = {.c = c, .output = output};
    struct fault fault;
    arena_init(&k.arena, NULL, 0);
    enum fail failed = arena_guard(&k.arena, check, &k, &fault);
    arena_free(&k.arena);
    if (failed != FAIL_NONE)
        return cli_error(c, codes[failed], fault.text);
    fprintf(stderr, "oomkb: %zu entries, %zu samples, %zu errors, "
            "%zu warnings\n", k.result.entries, k.result.samples,
            k.result.errors, k.result.warnings);
    return k.result.errors == 0 ? STATUS_FOUND : STATUS_ERROR;
}

int run_check(struct cli *c) {
    if (c->is_stale)
        return run_stale(c);
    if (c->days > 0 || cli_is_json(c))
        return cli_usage(c, "cli.error.stale_only", NULL, NULL);
    return corpus_run(c, NULL);
}
