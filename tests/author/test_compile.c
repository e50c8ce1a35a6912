/* test_compile.c: the whole corpus of the project through the compiler: the
 * same bytes each time, nothing lost on the way into the index, every fact
 * labelled; and files that are written whole or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "author/author.h"
#include "author/files.h"
#include "base/json.h"
#include "support/corpus.h"
#include "support/difference.h"

static void print_diag(void *ctx, const struct diag *d) {
    struct buf out;
    (void)ctx;
    buf_init(&out, NULL, 1 << 16);
    diag_format(d, &out);
    if (d->level == DIAG_ERROR)
        print_error("%.*s", STR_ARG(buf_str(&out)));
    buf_free(&out);
}

static struct str compile(struct arena *a) {
    struct author_options o = {.entries_dir = STR("entries"),
                               .on_diag = print_diag};
    struct str image;
    struct author_result result = author_compile(a, &o, &image);
    assert_int_equal(result.errors, 0);
    assert_true(result.entries > 0);
    return image;
}

/* And whoever compiles: `oomkb build` made the other. */
static void same_bytes(struct arena *a) {
    assert_true(str_eq(compile(a), file_bytes(a, SHIPPED_INDEX)));
}

/* What was read and merged is what the index gives back. */
static void nothing_lost(struct arena *a) {
    char path[FIELD_PATH_MAX];
    struct author_options o = {.entries_dir = STR("entries"),
                               .on_diag = print_diag};
    const struct corpus *c = author_read_corpus(a, &o);
    struct reader *r =
        reader_new(index_open(a, file_bytes(a, SHIPPED_INDEX)), a);
    assert_true(c->entry_count > 0 && c->cause_count > 0);
    for (size_t i = 0; i < c->entry_count; i++) {
        uint32_t number;
        const struct entry *e = &c->entries[i];
        const struct entry *got = reader_entry_by_id(r, e->id, &number);
        assert_non_null(got);
        assert_true(got->cause_count > 0);
        const char *lost = shape_difference(&shape_entry, e, got, path);
        if (lost != NULL)
            fail_msg("%.*s: %s is lost", STR_ARG(e->id), lost);
    }
    for (size_t i = 0; i < c->cause_count; i++) {
        const struct cause *got = reader_cause(r, c->causes[i].id);
        assert_non_null(got);
        assert_null(shape_difference(&shape_cause, &c->causes[i], got, path));
    }
    for (size_t i = 0; i < c->model_count; i++)
        assert_null(shape_difference(&shape_model, &c->models[i],
                                     reader_model_numbered(r, (uint32_t)i),
                                     path));
    const struct ranking *ranking = reader_ranking(r);
    for (int i = 0; i < RANKING_COUNT_OF; i++) {
        assert_true(ranking->micro[i] > 0);
        assert_int_equal(ranking->micro[i], c->ranking.micro[i]);
        assert_true(str_eq(ranking->origin[i].in[LANG_ZH],
                           c->ranking.origin[i].in[LANG_ZH]));
    }
    assert_null(reader_cause(r, STR("no_such_cause")));
}

static void all_labelled(struct arena *a) {
    struct reader *r =
        reader_new(index_open(a, file_bytes(a, SHIPPED_INDEX)), a);
    for (int i = 0; i < FACT_COUNT_OF; i++) {
        const char *name = fact_spelling((enum fact_name)i);
        struct str key = arena_printf(a, "fact.%s", name);
        if (reader_message(r, LANG_ZH, key).n == 0)
            fail_msg("i18n has no %.*s", STR_ARG(key));
    }
}

static void schema_is_closed(struct arena *a) {
    struct json *schema = json_parse(a, author_entry_schema(a),
                                     STR("entry.schema.json"));
    bool more = true;
    assert_true(json_get_bool(schema, "additionalProperties", &more));
    assert_false(more);
    struct json *definitions = json_get(schema, "definitions");
    assert_non_null(json_get(json_get(json_get(definitions, "workaround"),
                                      "properties"), "acts_on"));
    struct str page = author_format_page(a);
    assert_true(str_find(page, STR("| `trade_off` | text |")) < page.n);
    assert_true(str_find(page, STR("oomkb check --codes")) < page.n);
}

static size_t files_in(struct arena *a, struct str dir) {
    return files_under(a, dir).count;
}

struct writing {
    struct arena a;
    struct str path;
};

static void write_it(void *arg) {
    struct writing *w = arg;
    author_write_file(&w->a, w->path, STR("new"));
}

static enum fail try_to_write(struct str path) {
    struct writing w = {.path = path};
    arena_init(&w.a, NULL, 0);
    enum fail failed = arena_guard(&w.a, write_it, &w, NULL);
    arena_free(&w.a);
    return failed;
}

/* A directory stands where the file should go: the rename fails last. */
static void no_leavings(struct arena *a) {
    char name[] = "/tmp/oomkb-write-XXXXXX";
    assert_non_null(mkdtemp(name));
    struct str dir = str_of(name);
    struct str file = path_join(a, dir, STR("kb.db"));
    struct str taken = path_join(a, dir, STR("taken"));
    assert_int_equal(mkdir(taken.p, 0755), 0);
    assert_int_equal(try_to_write(file), FAIL_NONE);
    assert_int_equal(try_to_write(file), FAIL_NONE);
    assert_int_equal(try_to_write(taken), FAIL_IO);
    assert_int_equal(try_to_write(path_join(a, dir, STR("no/where"))),
                     FAIL_IO);
    assert_int_equal(files_in(a, dir), 1);
    assert_true(str_eq(file_bytes(a, file.p), STR("new")));
    unlink(file.p);
    rmdir(taken.p);
    rmdir(name);
}

static void compiling_twice_gives_the_same_bytes(void **state) {
    (void)state;
    with_arena(same_bytes);
}

static void the_index_keeps_every_field(void **state) {
    (void)state;
    with_arena(nothing_lost);
}

static void every_fact_has_a_label(void **state) {
    (void)state;
    with_arena(all_labelled);
}

static void the_schema_refuses_other_keys(void **state) {
    (void)state;
    with_arena(schema_is_closed);
}

static void a_failed_write_leaves_nothing(void **state) {
    (void)state;
    with_arena(no_leavings);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compiling_twice_gives_the_same_bytes),
        cmocka_unit_test(the_index_keeps_every_field),
        cmocka_unit_test(every_fact_has_a_label),
        cmocka_unit_test(the_schema_refuses_other_keys),
        cmocka_unit_test(a_failed_write_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
