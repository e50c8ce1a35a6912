/* test_reach.c: where a match of a pattern can begin, seen from its literal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "match/reach.h"

static struct reach reach_in(struct arena *a, const char *pattern) {
    return reach_of(a, str_of(pattern));
}

static void expect_lines(const char *pattern, uint32_t lines) {
    struct arena a;
    arena_init(&a, NULL, 0);
    struct reach r = reach_in(&a, pattern);
    if (!r.is_known || r.lines != lines) {
        fail_msg("\"%s\": %u lines, known: %d", pattern, r.lines, r.is_known);
    }
    arena_free(&a);
}

static void expect_unknown(const char *pattern) {
    struct arena a;
    arena_init(&a, NULL, 0);
    if (reach_in(&a, pattern).is_known) {
        fail_msg("\"%s\" is thought to be known", pattern);
    }
    arena_free(&a);
}

static void a_literal_in_front_is_on_the_first_line(void **state) {
    (void)state;
    expect_lines("CUDA out of memory\\. Tried", 0);
    expect_lines("[^\\n]*?CUDA out of memory", 0);
    expect_lines("\\b[\\w.]+Error: ?CUDA_out_of_memory", 1);
    expect_lines("(?<gpu_free>\\d+)_bytes_are_free", 0);
    expect_lines("^(?!WARN\\s)[Oo]ut_of_memory", 0);
    expect_lines("^\\xE2\\x94\\x82[^\\n]*out_of_memory", 0);
    expect_lines("[^\\x22\\n]*[\\x20-\\x7E]out_of_memory", 0);
    expect_lines("(?:[Oo]ut_of_memory|bad_alloc_here|(?i:No_memory_left))", 0);
}

static void what_matches_a_line_end_counts(void **state) {
    (void)state;
    expect_lines("(?<gpu_free>(?&amount)) is free now", 2);
    expect_lines("one(?: two)? \\d+three_is_the_literal", 2);
    expect_lines("a[^x]{2}the_long_literal", 2);
}

static void what_has_no_end_is_unknown(void **state) {
    (void)state;
    expect_unknown("a[^x]*the_long_literal");
    expect_unknown("a[\\s\\S]+?the_long_literal");
    expect_unknown("x(?:a b)*the_long_literal");
    expect_unknown("(?s)a.*the_long_literal");
    expect_unknown("x\\D*the_long_literal");
    expect_unknown("x[\\x0A\\x22]*the_long_literal");
    expect_unknown("x[^\\x22]*the_long_literal");
}

static void going_back_ends_at_a_line(void **state) {
    (void)state;
    struct str text = STR("zero\none\ntwo  \n  of three\n");
    struct reach none = {true, 8, 0}, one = {true, 8, 1};
    size_t end = text.n - 1; /* behind "of three" */
    assert_int_equal(reach_back(&none, text, end), 9);
    assert_int_equal(reach_back(&one, text, end), 5);
    assert_int_equal(reach_back(&one, text, 2), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_literal_in_front_is_on_the_first_line),
        cmocka_unit_test(what_matches_a_line_end_counts),
        cmocka_unit_test(what_has_no_end_is_unknown),
        cmocka_unit_test(going_back_ends_at_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
