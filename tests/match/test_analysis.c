/* test_analysis.c: the analysis of patterns at build: the pattern compiled,
 * as the program that is built with it takes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "match/pattern.h"
#include "support/corpus.h"
#include "support/patterns.h"
#include "support/sameness.h"

/* Words beside the literal may stand behind a wrap, but in their own case. */
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

static const struct pattern_spec toys[] = {
    {PATTERN_SIGNATURE,
     "toy pool is full, (?<tried_tokens>\\d+) of the (?:red|blue) ones",
     {"of (?<gpu_total>(?&amount)) in all", "at (?<batch_size>\\d+) a batch"}},
    {PATTERN_SIGNATURE, "显存不足，需要 (?<tried_alloc>(?&amount))", {NULL}},
    {PATTERN_CONDITION, "frame of the (?i:toy) pool", {NULL}},
    {PATTERN_STAGE, "loading the toys again", {NULL}}};
static const struct pattern_specs toy_specs = {toys, 4};

static struct str toy_log(void) {
    return STR("loading the toys again\n"
               "frame of the TOY pool\n"
               "toy pool is full, 7 of the\nblue ones\n"
               "and of 4.00 GiB in all, 12.5 GiB of 3 MiB in all\n"
               "at 17 a batch\n\n"
               "显存不足，需要 3.00 GiB\n");
}

static const struct scan_result *scan_toys(struct arena *a, struct str image,
                                           bool is_own) {
    struct scanning how = {.piece = 4096, .threads = 1, .is_own = is_own};
    return scan_so(a, image, toy_log(), how);
}

/* Compiled at build or at run: the same hits, of all kinds. */
static void match_as_compiled(struct arena *a) {
    struct str image = patterns_image(a, toy_specs);
    const struct scan_result *own = scan_toys(a, image, true);
    const char *difference =
        scan_difference(a, own, scan_toys(a, image, false));
    if (difference) {
        fail_msg("%s", difference);
    }
    assert_int_equal(own->hits.count, 4);
    assert_int_equal(hit_of_kind(own, PATTERN_SIGNATURE, 0)->capture_count, 4);
}

static void deserialize_only_own(struct arena *a) {
    struct str image = patterns_image(a, toy_specs);
    struct serialized code;
    struct reader *other = reader_new(index_open(a, image), a);
    struct reader *own = reader_new(index_open_builtin(a, image), a);
    assert_false(reader_code(other, 0, 0, &code));
    for (size_t i = 0; i < 3; i++) { /* the pattern and its two extracts */
        assert_true(reader_code(own, 0, i, &code));
        assert_true(code.head.n > 0 && code.rest.n > 0);
    }
    assert_false(reader_code(own, 0, 3, &code));
    assert_false(reader_code(own, 1, 1, &code));
}

/* What another PCRE2 has made is compiled again. */
static void refuse_other_makes(struct arena *a) {
    struct matcher *m = matcher_new(a);
    struct pattern_error error;
    struct regex *r = regex_of(m, STR("(?<pid>\\d+) toys"), &error);
    assert_non_null(r);
    struct str bytes = regex_serialize(m, r);
    struct serialized code = {str_slice(bytes, 0, 16),
                          str_slice(bytes, 16, bytes.n)};
    struct text_range range;
    struct search search = {.subject = STR("12 toys"), .latest = 7};
    r = regex_deserialize(m, &code);
    assert_non_null(r);
    assert_true(regex_find(m, r, &search, &range) && range.to == 7);
    assert_int_equal(regex_group_count(r), 1);
    code.head = STR("made by another.");
    assert_null(regex_deserialize(m, &code));
}

static void it_matches_as_compiled(void **state) {
    (void)state;
    with_arena(match_as_compiled);
}
static void only_the_own_is_thawed(void **state) {
    (void)state;
    with_arena(deserialize_only_own);
}
static void other_makes_are_refused(void **state) {
    (void)state;
    with_arena(refuse_other_makes);
}
static void they_are_found_over_wraps(void **state) {
    (void)state;
    with_arena(find_over_wraps);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_found_over_wraps),
        cmocka_unit_test(it_matches_as_compiled),
        cmocka_unit_test(only_the_own_is_thawed),
        cmocka_unit_test(other_makes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
