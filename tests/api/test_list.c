/* test_list.c: list and search through the public header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <oomkb/oomkb.h>

#include "support/corpus.h"
#include "support/texts.h"

struct taken {
    char bytes[65536];
    size_t n;
};

static int take(void *ctx, const char *bytes, size_t n) {
    struct taken *t = ctx;
    if (t->n + n >= sizeof t->bytes) {
        return 1;
    }
    memcpy(t->bytes + t->n, bytes, n);
    t->n += n;
    t->bytes[t->n] = '\0';
    return 0;
}

static int refuse(void *ctx, const char *bytes, size_t n) {
    (void)ctx, (void)bytes, (void)n;
    return 1;
}

static oomkb *base_of(struct arena *a) {
    struct entry *entries = arena_array(a, 2, sizeof *entries);
    static const char *const ids[] = {"demo/one", "other/two"};
    for (size_t i = 0; i < 2; i++) {
        entries[i].id = str_of(ids[i]);
        entries[i].component = str_of(i == 0 ? "demo" : "other");
        entries[i].title = (struct text){{STR("A pool"), STR("内存池")}};
        entries[i].root_cause = entries[i].title;
        entries[i].provenance = (struct provenance){
            .confidence_micro = -1, .fix_rate_micro = -1,
            .evidence_count = -1};
    }
    entries[1].root_cause.in[LANG_EN] = STR("Pieces of it.");
    struct str image = index_of_entries(a, entries, 2);
    oomkb *kb = NULL;
    assert_int_equal(oomkb_open_bytes(image.p, image.n, &kb, NULL), OOMKB_OK);
    return kb;
}

static void lists_count_what_they_write(struct arena *a) {
    oomkb *kb = base_of(a);
    struct taken t = {.n = 0};
    size_t count = 77;
    assert_int_equal(oomkb_list_write(kb, NULL, "json", NULL, take, &t,
                                      &count, NULL), OOMKB_OK);
    assert_int_equal(count, 2);
    assert_non_null(strstr(t.bytes, "\"demo/one\""));
    assert_non_null(strstr(t.bytes, "\"other/two\""));
    t.n = 0;
    assert_int_equal(oomkb_list_write(kb, "demo", "text", NULL, take, &t,
                                      &count, NULL), OOMKB_OK);
    assert_int_equal(count, 1);
    assert_null(strstr(t.bytes, "other/two"));
    assert_int_equal(oomkb_list_write(kb, "demo", "text", NULL, take, &t,
                                      NULL, NULL), OOMKB_OK);
    oomkb_close(kb);
}

static void searches_find_and_find_nothing(struct arena *a) {
    oomkb *kb = base_of(a);
    oomkb_options zh = {.size = sizeof zh, .lang = "zh"};
    struct taken t = {.n = 0};
    size_t count = 77;
    assert_int_equal(oomkb_search_write(kb, "内存", "json", &zh, take, &t,
                                        &count, NULL), OOMKB_OK);
    assert_int_equal(count, 2);
    assert_non_null(strstr(t.bytes, "内存池"));
    t.n = 0;
    assert_int_equal(oomkb_search_write(kb, "pieces", "jsonl", NULL, take, &t,
                                        &count, NULL), OOMKB_OK);
    assert_int_equal(count, 1);
    assert_non_null(strstr(t.bytes, "\"snippet\":\"Pieces of it.\""));
    t.n = 0;
    assert_int_equal(oomkb_search_write(kb, "\"*", "json", NULL, take, &t,
                                        &count, NULL), OOMKB_OK);
    assert_int_equal(count, 0);
    assert_non_null(strstr(t.bytes, "\"entries\": []"));
    oomkb_close(kb);
}

static void what_is_wrong_is_said_and_count_left_alone(struct arena *a) {
    oomkb *kb = base_of(a);
    oomkb_error err = {0};
    size_t count = 77;
    assert_int_equal(oomkb_list_write(kb, "nonsense", "json", NULL, take, NULL,
                                      &count, &err), OOMKB_ERROR_USAGE);
    assert_non_null(strstr(err.text, "nonsense"));
    assert_int_equal(oomkb_list_write(NULL, NULL, "json", NULL, take, NULL,
                                      &count, &err), OOMKB_ERROR_USAGE);
    assert_int_equal(oomkb_list_write(kb, NULL, "pdf", NULL, take, NULL,
                                      &count, &err), OOMKB_ERROR_USAGE);
    assert_int_equal(oomkb_list_write(kb, NULL, "json", NULL, NULL, NULL,
                                      &count, &err), OOMKB_ERROR_USAGE);
    assert_int_equal(oomkb_search_write(kb, NULL, "json", NULL, take, NULL,
                                        &count, &err), OOMKB_ERROR_USAGE);
    assert_int_equal(oomkb_search_write(kb, "pool", "json", NULL, refuse, NULL,
                                        &count, &err), OOMKB_ERROR_IO);
    assert_int_equal(count, 77);
    oomkb_close(kb);
}

#define CASE(name) \
    static void test_##name(void **state) { \
        (void)state; \
        with_arena(name); \
    }
CASE(lists_count_what_they_write)
CASE(searches_find_and_find_nothing)
CASE(what_is_wrong_is_said_and_count_left_alone)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists_count_what_they_write),
        cmocka_unit_test(test_searches_find_and_find_nothing),
        cmocka_unit_test(test_what_is_wrong_is_said_and_count_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
