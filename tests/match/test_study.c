/* test_study.c: what the build finds out about patterns: the words beside the
 * literal, without which a pattern is not even compiled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "match/match.h"
#include "support/corpus.h"
#include "support/patterns.h"

static void expect_also(struct arena *a, const char *text,
                        const char *expected) {
    struct pattern p = {.text = str_of(text)};
    struct pattern_list set = {&p, 1};
    patterns_study(a, &set);
    struct buf joined;
    buf_init_in(&joined, a, 4096);
    for (size_t i = 0; i < p.study.also.count; i++) {
        buf_printf(&joined, "%s%.*s", i > 0 ? " | " : "",
                   STR_ARG(p.study.also.at[i]));
    }
    if (!str_eq(buf_str(&joined), str_of(expected))) {
        fail_msg("%s: \"%.*s\" instead of \"%s\"", text,
                 STR_ARG(buf_str(&joined)), expected);
    }
}

static void name_other_words(struct arena *a) {
    expect_also(a, "CUDA out of memory\\. Tried to \\d+ of Which", "of which");
    expect_also(a, "pool of \\d+ is too small for (?:one|two)",
                "pool of");
    expect_also(a, "KV cache is full (?:soft|hard) \\d", "soft | hard");
    expect_also(a, "CUDA out of memory", "");            /* nothing beside */
    expect_also(a, "out of memory \\d+|no room left \\w+ here", "");
    expect_also(a, "out of memory(?: at \\w+)? now", "now");
    expect_also(a, "memory is gone(?! for good) \\w+ (?=soon)", "");
}

/* The words are held against the text as it is folded: over wraps, in capitals,
 * behind the literal and before it. */
static void find_over_wraps(struct arena *a) {
    static const struct pattern_spec list[] = {
        {PATTERN_SIGNATURE, "toy pool is full, \\d+ of the (?:red|blue) ones",
         {NULL}}};
    struct pattern_specs specs = {list, 1};
    static const char *const logs[] = {
        "toy pool is full, 3 of the red ones\n",
        "toy pool is full, 3 of\n    the blue ones\n",
        "Toy Pool is full, 3 of the red ones\n"};
    static const size_t found[] = {1, 1, 0};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(patterns_scan(a, specs, str_of(logs[i]), 0)
                             ->hits.count,
                         found[i]);
    }
    assert_int_equal(
        patterns_scan(a, specs, STR("toy pool is full, 3 of them\n"), 0)
            ->hits.count,
        0);
}

static void other_words_are_named(void **state) {
    (void)state;
    with_arena(name_other_words);
}
static void they_are_found_over_wraps(void **state) {
    (void)state;
    with_arena(find_over_wraps);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_words_are_named),
        cmocka_unit_test(they_are_found_over_wraps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
