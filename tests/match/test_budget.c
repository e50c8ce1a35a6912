/* test_budget.c: lines that are made to cost much. Work is counted in steps,
 * never timed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "match/pattern.h"
#include "support/patterns.h"

/* Scans the rest of the line from each of its words. */
static const struct pattern_spec steep_specs[] = {
    {PATTERN_SIGNATURE, "steep_word(?:[^\\n\\\\]|\\\\\\n?)*?(?:-x|-y)=\\d+",
     {0}},
    {PATTERN_SIGNATURE, "CUDA out of memory", {0}},
};
static const struct pattern_specs steep = {steep_specs, 2};

static struct str repeated(struct arena *a, const char *unit, size_t count,
                           const char *end) {
    struct buf b = buf_in(a, 0);
    for (size_t i = 0; i < count; i++)
        buf_add(&b, str_of(unit));
    buf_add(&b, str_of(end));
    return buf_str(&b);
}

static void with_arena(void (*body)(struct arena *a)) {
    struct arena a;
    arena_init(&a, NULL, 0);
    body(&a);
    arena_free(&a);
}

static void tells(struct arena *a) {
    struct str log = repeated(a, "steep_word -z ", 3000,
                              "-x -y\nnothing\nCUDA out of memory\n");
    log = str_of(arena_printf(a, "begin\n%.*s", STR_ARG(log)).p);
    const struct scan_result *r = patterns_scan(a, steep, log, 0);
    assert_int_equal(r->gave_up.patterns, 1);
    assert_int_equal(r->gave_up.line, 2);
    assert_int_equal(hits_of_kind(r, PATTERN_SIGNATURE), 1);
    assert_int_equal(hit_of_kind(r, PATTERN_SIGNATURE, 0)->first_line, 4);
}

static void says_nothing(struct arena *a) {
    struct str log = repeated(a, "steep_word -z\n", 3000,
                              "steep_word -x=1\nCUDA out of memory\n");
    const struct scan_result *r = patterns_scan(a, steep, log, 0);
    assert_int_equal(r->gave_up.patterns, 0);
    assert_int_equal(hits_of_kind(r, PATTERN_SIGNATURE), 2);
}

static uint64_t steps_on(struct arena *a, const char *pattern, size_t count) {
    struct pattern_error error;
    struct matcher *m = matcher_counting(a);
    struct regex *r = regex_of(m, str_of(pattern), &error);
    struct str text = repeated(a, "api_server ", count, "\n");
    struct search search = {.subject = text, .latest = text.n};
    struct text_range range;
    assert_non_null(r);
    while (search.from <= search.latest && regex_find(m, r, &search, &range))
        search.from = range.to > range.from ? range.to : range.to + 1;
    return regex_steps(m);
}

static void counts(struct arena *a) {
    const char *one_line = "(?:toy|api_server)[^\\n]*+";
    const char *each_word = "(?:toy|api_server)[^\\n]*?(?:-a|x\\d)";
    uint64_t few = steps_on(a, one_line, 50);
    assert_true(few > 0);
    assert_true(steps_on(a, one_line, 200) < 5 * few);
    few = steps_on(a, each_word, 50);
    assert_true(steps_on(a, each_word, 200) > 12 * few);
}

static bool grows(struct arena *a, const char *pattern, const char *sample) {
    struct pattern_growth g;
    struct pattern_error error;
    struct written_pattern *w = pattern_read(a, str_of(pattern), &error);
    return w != NULL && written_grows(w, str_of(sample), &g);
}

static void squares_are_found(struct arena *a) {
    assert_true(grows(a, "(?:toys_range|toy_gallocr_reserve_n\\w*): failed for "
                         "(?:CPU\\w*|\\w+_Host) toys", ""));
    assert_true(grows(a, "toy_server[^\\n]*?--size (\\d+)", ""));
    assert_true(grows(a, "(?i:TOY_SERVER)[^\\n]*?--size (\\d+)", ""));
    assert_false(grows(a, "toy_server[^\\n]{0,300}?--size (\\d+)", ""));
    assert_false(grows(a, "toy_server[^\\n]{0,3000}?--size (\\d+)", ""));
    assert_true(grows(a, "toy (?=[^\\n]*loss)", "toy toy\n"));
    assert_true(grows(a, "toy[^~]*?\\s[^~]{0,120}?gone", "a toy lies gon\n"));
    assert_true(grows(a, "^(?!toy_is)toy_server[^~]*?gone", ""));
    assert_true(grows(a, "^(?![^~]*?gone)toy_server is here", ""));
    assert_true(grows(a, "^(?!(?:\\w+\\s?)+;)toy_server is here", ""));
    assert_false(grows(a, "^(?![^\\n]*?gone)toy_server[^\\n]*?here", ""));
}

/* A whole line is gone through, but once. */
static void lines_gone_through_once_are_linear(struct arena *a) {
    assert_false(grows(a, "^[^\\n]*toy_server", ""));
    assert_false(grows(a, "toy_server[^\\n]*", ""));
    assert_false(grows(a, "toy_server(?: -\\w+)*$", "toy_server -a -b -c\n"));
}

static void what_is_given_up_is_told(void **state) {
    (void)state;
    with_arena(tells);
}

static void ordinary_lines_are_searched(void **state) {
    (void)state;
    with_arena(says_nothing);
}

static void steps_are_the_work(void **state) {
    (void)state;
    with_arena(counts);
}

static void patterns_of_a_square_are_found(void **state) {
    (void)state;
    with_arena(squares_are_found);
}

static void patterns_of_lines_are_let_be(void **state) {
    (void)state;
    with_arena(lines_gone_through_once_are_linear);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_given_up_is_told),
        cmocka_unit_test(ordinary_lines_are_searched),
        cmocka_unit_test(steps_are_the_work),
        cmocka_unit_test(patterns_of_a_square_are_found),
        cmocka_unit_test(patterns_of_lines_are_let_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
