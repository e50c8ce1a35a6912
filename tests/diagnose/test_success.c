/* How often a fix worked, as it may be said: shrunk means, Wilson intervals,
 * words where reports are few. Expected numbers were worked out apart, in
 * floating point, from the formula in success.c's essay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "diagnose/work.h"

static void expect_interval(int64_t worked, int64_t tried, int64_t low,
                            int64_t high) {
    int64_t got_low, got_high;
    wilson_interval(worked, tried, &got_low, &got_high);
    assert_in_range(got_low, low > 0 ? low - 1 : 0, low + 1);
    assert_in_range(got_high, high - 1, high + 1);
}

static void intervals_are_wilsons(void **state) {
    (void)state;
    expect_interval(9, 11, 572857, 937884);
    expect_interval(1, 4, 57907, 643831);
    expect_interval(10, 13, 541934, 903768);
    expect_interval(0, 5, 0, 351116);
    expect_interval(5, 5, 648883, 1000000);
    expect_interval(1, 2, 120866, 879133);
}

static void nobody_tried_means_anything_goes(void **state) {
    (void)state;
    expect_interval(0, 0, 0, 1000000);
}

static void intervals_narrow_with_reports(void **state) {
    int64_t low_few, high_few, low_many, high_many;
    (void)state;
    wilson_interval(3, 4, &low_few, &high_few);
    wilson_interval(300, 400, &low_many, &high_many);
    assert_true(low_many > low_few);
    assert_true(high_many < high_few);
}

static void absurd_counts_stay_in_bounds(void **state) {
    int64_t low, high;
    (void)state;
    wilson_interval(INT64_MAX, INT64_MAX, &low, &high);
    assert_in_range(low, 990000, 1000000);
    assert_int_equal(high, 1000000);
    wilson_interval(-5, 3, &low, &high);
    assert_int_equal(low, 0);
    wilson_interval(7, 3, &low, &high);
    assert_int_equal(high, 1000000);
}

static void roots_are_rounded_down(void **state) {
    (void)state;
    assert_int_equal(square_root(0), 0);
    assert_int_equal(square_root(1), 1);
    assert_int_equal(square_root(24), 4);
    assert_int_equal(square_root(25), 5);
    assert_int_equal(square_root((__uint128_t)UINT64_MAX * UINT64_MAX),
                     UINT64_MAX);
}

static void means_are_pulled_to_one_half(void **state) {
    struct rate rate = {.basis = BASIS_reports, .worked = 9, .tried = 11};
    struct success s = success_of(NULL, &rate, MECHANISM_weights, NULL);
    (void)state;
    assert_true(s.known);
    assert_int_equal(s.mean, 769231); /* 10 / 13 */
    assert_false(s.is_few);
}

static void two_reports_are_few(void **state) {
    struct rate rate = {.basis = BASIS_measured, .worked = 2, .tried = 2};
    (void)state;
    assert_true(success_of(NULL, &rate, MECHANISM_weights, NULL).is_few);
}

static void estimates_keep_their_rate_and_have_no_counts(void **state) {
    struct rate rate = {.basis = BASIS_estimate, .rate_micro = 900000};
    struct success s = success_of(NULL, &rate, MECHANISM_weights, NULL);
    (void)state;
    assert_true(s.known);
    assert_int_equal(s.mean, 900000);
    assert_int_equal(s.tried, -1);
    rate = (struct rate){.basis = BASIS_none, .rate_micro = -1};
    assert_false(success_of(NULL, &rate, MECHANISM_weights, NULL).known);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_are_wilsons),
        cmocka_unit_test(nobody_tried_means_anything_goes),
        cmocka_unit_test(intervals_narrow_with_reports),
        cmocka_unit_test(absurd_counts_stay_in_bounds),
        cmocka_unit_test(roots_are_rounded_down),
        cmocka_unit_test(means_are_pulled_to_one_half),
        cmocka_unit_test(two_reports_are_few),
        cmocka_unit_test(estimates_keep_their_rate_and_have_no_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
