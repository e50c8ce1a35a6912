/* check.c: `oomkb check [PATH]...`: finds everything that build would refuse,
 * and checks that the pages generated from the table of fields are up to date.
 * With --write-docs it writes those pages first.
 *
 *     entries            a whole corpus
 *     entries/vllm       the entries in there, of that corpus
 *     entries/vllm/x.yaml, drafts/x.yaml
 *                        only that file's diagnostics, checked with its corpus;
 *                        a file without a corpus is checked by itself
 *
 * Diagnostics go to stderr, with a line of sums at the end; as JSON or SARIF to
 * stdout. build is the same, and writes a file at the end. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "author/files.h"
#include "base/limits.h"
#include "cli/corpus.h"

struct checking {
    struct arena arena;
    struct cli *c;
    const char *output; /* NULL: none */
    struct diagnostics diagnostics;
    struct author_result result;
};

/* A corpus, and the files in it that the paths name. */
struct corpus_part {
    struct str entries; /* empty: no corpus, each file by itself */
    struct str_list only;
    size_t cap;
    bool is_whole;
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

bool cli_guard(struct cli *c, struct arena *a, void (*body)(void *),
               void *arg) {
    struct fault fault;
    arena_init(a, NULL, 0);
    oomkb_error err = {.code = (int)arena_guard(a, body, arg, &fault)};
    if (err.code != OOMKB_OK) {
        snprintf(err.text, sizeof err.text, "%s", fault.text);
        cli_failed(c, &err);
    }
    return err.code == OOMKB_OK;
}

static bool wants_text(const struct cli *c) {
    return strcmp(c->format, "text") == 0;
}

static diag_fn diag_function(const struct checking *k) {
    return wants_text(k->c) ? corpus_print_diag : diagnostics_add;
}

static void write_docs(struct arena *a, struct str entries) {
    struct str kb = author_sibling_dir(a, entries, "kb");
    author_write_file(a, arena_printf(a, "%.*s/FORMAT.md", STR_ARG(kb)),
                      author_format_page(a));
    author_write_file(a, arena_printf(a, "%.*s/entry.schema.json",
                                      STR_ARG(kb)),
                      author_entry_schema(a));
}

static void sums_add(struct checking *k, struct author_result more) {
    k->result.entries += more.entries;
    k->result.samples += more.samples;
    k->result.errors += more.errors;
    k->result.warnings += more.warnings;
}

static void compile(struct checking *k, const struct corpus_part *part) {
    struct arena *a = &k->arena;
    struct author_options o = {.entries_dir = part->entries,
                               .check_samples = true,
                               .check_docs = k->output == NULL,
                               .check_layout = k->output == NULL,
                               .keeps_drafts = k->output == NULL,
                               .on_diag = diag_function(k),
                               .diag_ctx = &k->diagnostics};
    struct str image;
    if (!part->is_whole)
        o.only = part->only;
    if (k->c->write_docs)
        write_docs(a, part->entries);
    sums_add(k, author_compile(a, &o, &image));
    if (k->output != NULL && k->result.errors == 0)
        author_write_file(a, str_of(k->output), image);
}

/* ---- paths ---- */

static bool is_folder(struct arena *a, struct str path) {
    struct stat at;
    const char *name = arena_str(a, path).p;
    if (stat(name, &at) != 0)
        arena_raise(a, FAIL_IO, "%s: %s", name, strerror(errno));
    return S_ISDIR(at.st_mode);
}

static struct corpus_part *part_of(struct corpus_part *parts, size_t *count,
                                   struct str entries) {
    for (size_t i = 0; i < *count; i++)
        if (str_eq(parts[i].entries, entries))
            return &parts[i];
    parts[*count] = (struct corpus_part){.entries = entries};
    return &parts[(*count)++];
}

static void add_path(struct arena *a, struct corpus_part *parts,
                     size_t *count, struct str path) {
    path = str_trim_end(path, '/');
    bool is_dir = is_folder(a, path);
    struct str entries = author_entries_of(a, path);
    bool is_whole = is_dir && (str_eq(entries, path) || entries.n == 0);
    struct corpus_part *part = part_of(parts, count,
                                       is_whole ? path : entries);
    part->is_whole = part->is_whole || is_whole;
    if (is_whole)
        return;
    struct str_list files = {&path, 1};
    if (is_dir)
        files = files_under(a, path);
    for (size_t i = 0; i < files.count; i++)
        if (!is_dir || str_ends(files.at[i], STR(".yaml")))
            *ARENA_ADD(a, part->only.at, part->only.count, part->cap) =
                files.at[i];
}

static void check_part(struct checking *k, const struct corpus_part *part) {
    if (part->entries.n > 0) {
        compile(k, part);
        return;
    }
    for (size_t i = 0; i < part->only.count; i++)
        sums_add(k, author_check_alone(&k->arena, part->only.at[i],
                                       diag_function(k), &k->diagnostics));
}

static void check(void *arg) {
    struct checking *k = arg;
    struct arena *a = &k->arena;
    size_t n = k->c->operand_count, count = 0;
    struct corpus_part *parts = arena_array(a, n + 1, sizeof *parts);
    k->diagnostics.a = a;
    for (size_t i = 0; i < n; i++)
        add_path(a, parts, &count, str_of(k->c->operands[i]));
    if (n == 0)
        add_path(a, parts, &count, STR("entries"));
    for (size_t i = 0; i < count; i++)
        check_part(k, &parts[i]);
    if (cli_is_json(k->c))
        diagnostics_write_json(k->c, &k->diagnostics, &k->result);
    else if (!wants_text(k->c))
        diagnostics_write_sarif(k->c, &k->diagnostics, NULL);
}

int corpus_run(struct cli *c, const char *output) {
    struct checking k = {.c = c, .output = output};
    bool is_done = cli_guard(c, &k.arena, check, &k);
    arena_free(&k.arena);
    if (!is_done)
        return STATUS_ERROR;
    fprintf(stderr, "oomkb: %zu entries, %zu samples, %zu errors, "
            "%zu warnings\n", k.result.entries, k.result.samples,
            k.result.errors, k.result.warnings);
    return k.result.errors == 0 ? STATUS_FOUND : STATUS_ERROR;
}

int run_check(struct cli *c) {
    if (c->is_codes) {
        codes_write(c);
        return STATUS_FOUND;
    }
    if (!wants_text(c) && !cli_is_json(c) && strcmp(c->format, "sarif") != 0)
        return cli_usage(c, "cli.error.check_format", c->format, NULL);
    return corpus_run(c, NULL);
}
