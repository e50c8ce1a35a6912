/* test_join.c: entries, groups and patterns of two indexes are numbered on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/corpus.h"

#define LIT(s) {s, sizeof(s) - 1}

static const struct index *index_of(struct arena *a, const char *const *ids,
                                    size_t count) {
    static struct signature full = {.id = LIT("words"),
                                    .pattern = LIT("the toy pool is full"),
                                    .sample = LIT("the toy pool is full")};
    struct entry *entries = arena_array(a, count, sizeof *entries);
    for (size_t i = 0; i < count; i++) {
        entries[i] = (struct entry){
            .id = str_of(ids[i]),
            .component = STR("toy"),
            .title = {{str_of(ids[i]), STR("内存池")}},
            .root_cause = {{STR("A pool."), STR("池")}},
            .signatures = &full,
            .signature_count = 1,
            .provenance = {.confidence_micro = -1, .fix_rate_micro = -1,
                           .evidence_count = -1}};
    }
    struct corpus c = {.entries = entries,
                       .entry_count = count};
    struct pattern_list set = corpus_patterns(a, &c);
    return index_open(a, index_write(a, &c, &set, STR("")));
}

static struct reader *joined(struct arena *a) {
    static const char *const first[] = {"toy/b", "toy/d"};
    static const char *const second[] = {"toy/a", "toy/c", "toy/e"};
    const struct index *list[] = {index_of(a, first, 2),
                                  index_of(a, second, 3)};
    return reader_new(index_join(a, list, 2), a);
}

static void expect_entry(struct reader *r, uint32_t number, const char *id) {
    uint32_t found = 99;
    assert_true(str_eq(reader_entry(r, number)->id, str_of(id)));
    assert_non_null(reader_entry_by_id(r, str_of(id), &found));
    assert_int_equal(found, number);
    uint32_t pattern = 0;
    while (reader_pattern(r, pattern)->owner != number)
        pattern++;
    assert_int_equal(reader_pattern(r, pattern)->id, pattern);
    struct group group = reader_group(r, number);
    bool is_member = false;
    for (size_t i = 0; i < group.count; i++) {
        is_member = is_member || group.entries[i] == number;
    }
    assert_true(is_member);
}

static void entries_are_numbered_on(struct arena *a) {
    struct reader *r = joined(a);
    static const char *const ids[] = {"toy/b", "toy/d", "toy/a", "toy/c",
                                      "toy/e"};
    for (uint32_t i = 0; i < 5; i++) {
        expect_entry(r, i, ids[i]);
    }
    assert_null(reader_entry_by_id(r, STR("toy/f"), NULL));
}

static void lists_and_searches_hold_both(struct arena *a) {
    struct reader *r = joined(a);
    struct number_list all = reader_entries_of(r, STR(""));
    assert_int_equal(all.count, 5);
    for (size_t i = 1; i < all.count; i++) {
        assert_true(str_cmp(reader_entry(r, all.at[i - 1])->id,
                            reader_entry(r, all.at[i])->id) < 0);
    }
    struct search_hits hits = reader_search(r, STR("toy/e"), 1);
    assert_int_equal(hits.count, 1);
    assert_int_equal(hits.at[0].entry, 4);
    assert_true(reader_component_known(r, STR("toy")));
}

static void join_twice(void *arg) {
    struct arena *a = arg;
    static const char *const ids[] = {"toy/b"};
    const struct index *list[] = {index_of(a, ids, 1), index_of(a, ids, 1)};
    index_join(a, list, 2);
}

static void an_id_that_clashes_is_named(struct arena *a) {
    struct arena inner;
    struct fault fault;
    (void)a;
    arena_init(&inner, a->from, 0);
    assert_int_equal(arena_guard(&inner, join_twice, &inner, &fault),
                     FAIL_USAGE);
    assert_non_null(strstr(fault.text, "'toy/b'"));
    arena_free(&inner);
}

#define CASE(name) \
    static void test_##name(void **state) { \
        (void)state; \
        with_arena(name); \
    }
CASE(entries_are_numbered_on)
CASE(lists_and_searches_hold_both)
CASE(an_id_that_clashes_is_named)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries_are_numbered_on),
        cmocka_unit_test(test_lists_and_searches_hold_both),
        cmocka_unit_test(test_an_id_that_clashes_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
