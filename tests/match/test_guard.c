/* test_guard.c: which part of a pattern is asked where its match begins, and
 * that it is found as if it stood in its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "match/guard.h"
#include "support/corpus.h"
#include "support/patterns.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static void expect_body(struct arena *a, const char *pattern, const char *body,
                        size_t guards) {
    struct pattern_text text;
    struct pattern_error error;
    assert_true(pattern_text_prepare(a, str_of(pattern), &text, &error));
    struct guarded parts = guards_of(a, &text);
    if (!str_eq(parts.body, str_of(body)) || parts.guards.count != guards) {
        fail_msg("%s: \"%.*s\" and %zu guards", pattern, STR_ARG(parts.body),
                 parts.guards.count);
    }
}

static void take_what_looks_ahead(struct arena *a) {
    expect_body(a, "^(?!warn)(?=[^\\n]*x)toy_pool", "^toy_pool", 2);
    expect_body(a, "(?m:^)(?!warn)toy_pool(?!s)", "(?m:^)toy_pool(?!s)", 1);
    /* Not first, one of two branches, a name, or repeated: it stays. */
    expect_body(a, "^x(?!warn)toy_pool", "^x(?!warn)toy_pool", 0);
    expect_body(a, "(?!warn)toy_pool", "(?!warn)toy_pool", 0);
    expect_body(a, "^(?!warn)toy_pool|toys", "^(?!warn)toy_pool|toys", 0);
    expect_body(a, "^(?=(?<pid>\\d+))\\d+toy_pool",
                "^(?=(?<pid>\\d+))\\d+toy_pool", 0);
    expect_body(a, "^(x)(?!\\1)toy_pool", "^(x)(?!\\1)toy_pool", 0);
    expect_body(a, "^(?!warn)", "^(?!warn)", 0);
}

static const struct pattern_spec toys[] = {
    {PATTERN_SIGNATURE,
     "^(?![^\\n]{0,80}maybe)[^\\n]*?pool of (?<batch_size>\\d+) is full",
     {NULL}},
    {PATTERN_SIGNATURE,
     "^(?![^\\n]{0,80}maybe)(?=[^\\n]*red)[^\\n]*?pool of \\d+ is full\\s+now",
     {NULL}}};
static const struct pattern_specs toy_specs = {toys, COUNT(toys)};

/* A line that a guard denies hides neither the next one nor the same line from
 * another pattern, and captures are the body's. */
static void find_behind_denied(struct arena *a) {
    static const struct {
        const char *log;
        size_t hits;
    } list[] = {
        {"the pool of 3 is full\n", 1},
        {"maybe the pool of 3 is full\n", 0},
        {"maybe the pool of 3 is full\nthe pool of 4 is full\n", 1},
        {"a red pool of 3 is full\nnow maybe\n", 2},
        {"a red pool of 3 is full now maybe\na red pool of 4 is full now\n", 2},
        {"the pool of 5 is full now\nthe pool of 6 is full now\n", 2}};
    for (size_t i = 0; i < COUNT(list); i++) {
        const struct scan_result *found =
            patterns_scan(a, toy_specs, str_of(list[i].log), 0);
        if (found->hits.count != list[i].hits) {
            fail_msg("%s: %zu hits", list[i].log, found->hits.count);
        }
    }
    const struct hit *hit =
        &patterns_scan(a, toy_specs, str_of(list[2].log), 0)->hits.at[0];
    assert_int_equal(hit->capture_count, 1);
    assert_true(str_eq(hit->captures[0].text, STR("4")));
}

static void guards_look_ahead_from_the_line(void **state) {
    (void)state;
    with_arena(take_what_looks_ahead);
}
static void denied_lines_hide_nothing(void **state) {
    (void)state;
    with_arena(find_behind_denied);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guards_look_ahead_from_the_line),
        cmocka_unit_test(denied_lines_hide_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
