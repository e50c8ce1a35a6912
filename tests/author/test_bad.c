/* test_bad.c: one folder of bad input per mistake, tests/bad/<code>-<slug>/.
 *
 * Each is laid over the small good corpus in tests/good/ (`removed` names
 * files to take away), compiled, and what the compiler says must be the text
 * in `expected`, byte for byte. `OOMKB_REFRESH=1` writes the texts anew; read
 * the difference before you keep it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "author/author.h"
#include "author/complain.h"
#include "author/files.h"

enum { SAID_BYTES_MAX = 1 << 20 };

struct bench {
    struct arena a;
    struct str dir; /* a directory of its own, gone afterwards */
    bool checks_layout; /* of the one mistake that is about it */
};

static void put_file(struct bench *b, struct str path, struct str bytes) {
    for (size_t i = b->dir.n + 1; i < path.n; i++)
        if (path.p[i] == '/'
            && mkdir(arena_str(&b->a, str_slice(path, 0, i)).p, 0755) != 0)
            assert_int_equal(errno, EEXIST);
    author_write_file(&b->a, path, bytes);
}

static struct str read_file(struct bench *b, struct str path) {
    struct str bytes = {0};
    const char *why = "";
    if (!file_read(&b->a, path, &bytes, &why))
        fail_msg("%.*s: %s", STR_ARG(path), why);
    return bytes;
}

static void lay_over(struct bench *b, struct str from) {
    struct str_list files = files_under(&b->a, from);
    for (size_t i = 0; i < files.count; i++) {
        struct str name = str_slice(files.at[i], from.n + 1, files.at[i].n);
        put_file(b, path_join(&b->a, b->dir, name),
                 read_file(b, files.at[i]));
    }
}

static void take_away(struct bench *b, struct str folder) {
    struct str list = path_join(&b->a, folder, STR("removed"));
    if (!file_exists(&b->a, list))
        return;
    struct str rest = read_file(b, list);
    while (rest.n > 0) {
        struct str name = str_cut(rest, '\n', &rest);
        assert_int_equal(unlink(path_join(&b->a, b->dir, name).p), 0);
    }
}

static void remove_tree(struct bench *b) {
    struct str_list files = files_under(&b->a, b->dir);
    for (size_t i = 0; i < files.count; i++) {
        unlink(files.at[i].p);
        for (struct str up = path_parent(files.at[i]); up.n >= b->dir.n;
             up = path_parent(up))
            rmdir(arena_str(&b->a, up).p);
    }
}

static void keep_said(void *ctx, const struct diag *d) {
    struct buf *said = ctx;
    diag_format(d, said);
}

/* What the compiler says, with the bench's own directory left out. */
static struct str compile(struct bench *b, struct author_result *result) {
    struct buf said = buf_in(&b->a, SAID_BYTES_MAX);
    struct buf out = buf_in(&b->a, SAID_BYTES_MAX);
    struct author_options o = {
        .entries_dir = path_join(&b->a, b->dir, STR("entries")),
        .check_samples = true, .check_docs = true, .keeps_drafts = true,
        .check_layout = b->checks_layout,
        .on_diag = keep_said, .diag_ctx = &said};
    struct str image;
    *result = author_compile(&b->a, &o, &image);
    assert_true((image.n == 0) == (result->errors > 0));
    struct str prefix = arena_printf(&b->a, "%.*s/", STR_ARG(b->dir));
    struct str rest = buf_str(&said);
    while (rest.n > 0) {
        size_t at = str_find(rest, prefix);
        buf_add(&out, str_slice(rest, 0, at));
        rest = str_slice(rest, at + prefix.n, rest.n);
    }
    return arena_str(&b->a, buf_str(&out));
}

static void set_up(struct bench *b, struct str folder) {
    char name[] = "/tmp/oomkb-bad-XXXXXX";
    assert_non_null(mkdtemp(name));
    b->dir = arena_str(&b->a, str_of(name));
    lay_over(b, STR("tests/good"));
    struct str ranking = STR("kb/ranking.yaml");
    put_file(b, path_join(&b->a, b->dir, ranking), read_file(b, ranking));
    if (folder.n == 0)
        return;
    lay_over(b, folder);
    take_away(b, folder);
    b->checks_layout = str_find(folder, STR("W111")) < folder.n;
}

struct mistake {
    struct bench bench;
    struct str folder; /* empty: nothing is wrong */
    struct str code;
    bool differs;
};

static void expect_complaint(struct mistake *m, struct str said) {
    struct arena *a = &m->bench.a;
    struct str path = path_join(a, m->folder, STR("expected"));
    struct str code = arena_printf(a, "[%.*s]", STR_ARG(m->code));
    if (getenv("OOMKB_REFRESH") != NULL)
        author_write_file(a, path, said);
    struct str expected = read_file(&m->bench, path);
    m->differs = !str_eq(said, expected) || str_find(said, code) == said.n;
    if (m->differs)
        print_error("%.*s said\n%.*s\nnot\n%.*s\n", STR_ARG(m->folder),
                    STR_ARG(said), STR_ARG(expected));
}

static void try_mistake(void *arg) {
    struct mistake *m = arg;
    struct author_result result;
    set_up(&m->bench, m->folder);
    struct str said = compile(&m->bench, &result);
    if (m->folder.n > 0)
        expect_complaint(m, said);
    else
        m->differs = said.n > 0 || result.errors > 0 || result.samples == 0;
    remove_tree(&m->bench);
}

static bool run_mistake(struct str folder, struct str code) {
    struct mistake m = {.folder = folder, .code = code};
    struct fault fault;
    arena_init(&m.bench.a, NULL, 0);
    enum fail failed = arena_guard(&m.bench.a, try_mistake, &m, &fault);
    if (failed != FAIL_NONE)
        print_error("%.*s: %s\n", STR_ARG(folder), fault.text);
    arena_free(&m.bench.a);
    return failed == FAIL_NONE && !m.differs;
}

static void the_good_corpus_is_good(void **state) {
    (void)state;
    assert_true(run_mistake((struct str){0}, (struct str){0}));
}

static void each_mistake_is_told(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL, 0);
    struct str_list files = files_under(&a, STR("tests/bad"));
    struct str last = {0};
    size_t wrong = 0;
    for (size_t i = 0; i < files.count; i++) {
        struct str rest;
        struct str name = str_slice(files.at[i], 10, files.at[i].n);
        struct str folder = str_cut(name, '/', &rest);
        if (str_eq(folder, last))
            continue;
        last = folder;
        struct str code = str_cut(folder, '-', &rest);
        if (!run_mistake(path_join(&a, STR("tests/bad"), folder), code))
            wrong++;
    }
    arena_free(&a);
    assert_true(last.n > 0);
    assert_int_equal(wrong, 0);
}

static void every_code_has_a_folder(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL, 0);
    struct str_list files = files_under(&a, STR("tests/bad"));
    size_t missing = 0;
    for (int c = 0; c < CODE_COUNT_OF; c++) {
        struct str start = arena_printf(&a, "tests/bad/%s-",
                                        code_spelling((enum code)c));
        bool found = false;
        for (size_t i = 0; i < files.count; i++)
            found = found || str_starts(files.at[i], start);
        if (!found)
            print_error("no folder tests/bad/%s-...\n",
                        code_spelling((enum code)c));
        missing += !found;
    }
    arena_free(&a);
    assert_int_equal(missing, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_good_corpus_is_good),
        cmocka_unit_test(each_mistake_is_told),
        cmocka_unit_test(every_code_has_a_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
