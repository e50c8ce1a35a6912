/* Printed amounts and the integers they stand for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"

#define KIB INT64_C(1024)
#define MIB (KIB * KIB)
#define GIB (KIB * MIB)

static void expect_amount(const char *text, int64_t scale, int64_t low,
                          int64_t value, int64_t high) {
    struct amount a;
    assert_true(units_read(str_of(text), scale, &a));
    assert_true(a.known);
    assert_int_equal(a.value, value);
    assert_int_equal(a.low, low);
    assert_int_equal(a.high, high);
}

static void expect_unknown(const char *text, const char *why) {
    struct amount a;
    assert_false(units_read(str_of(text), 1, &a));
    assert_false(a.known);
    assert_string_equal(a.why, why);
}

static void decimals_stand_for_all_that_prints_so(void **state) {
    (void)state;
    expect_amount("23.69 GiB", 1, 25431575101, 25436943811, 25442312520);
    expect_amount("2.00GiB", 1, 2142114939, 2 * GIB, 2152852357);
    expect_amount("-0.25 GiB", 1, -273804165, -GIB / 4, -263066747);
    expect_amount("0.5 KiB", 1, 461, 512, 563);
    expect_amount("2.30", GIB, 2464237486, 2469606195, 2474974904);
}

static void integers_with_a_unit_are_rounded_too(void **state) {
    (void)state;
    expect_amount("6 GiB", 1, GIB * 11 / 2, 6 * GIB, GIB * 13 / 2);
    expect_amount("+3 kB", 1, 2500, 3000, 3500);
    expect_amount("1,024MiB", 1, GIB - MIB / 2, GIB, GIB + MIB / 2);
}

static void bytes_and_counts_are_exact(void **state) {
    (void)state;
    expect_amount("512 bytes", 1, 512, 512, 512);
    expect_amount("83,392", 1, 83392, 83392, 83392);
    expect_amount("7,680,144,896 bytes", 1, 7680144896, 7680144896, 7680144896);
    expect_amount(" 7 B ", 1, 7, 7, 7);
}

static void hexadecimal_is_exact(void **state) {
    (void)state;
    expect_amount("0xc000", 1, 49152, 49152, 49152);
    expect_amount("0x77F00000 bytes", 1, 2012217344, 2012217344, 2012217344);
    expect_unknown("0x", "not a unit of memory");
    expect_unknown("0xffffffffffffffff", "beyond what 64 bits hold");
}

static void halves_round_away_from_zero(void **state) {
    (void)state;
    struct amount a;
    assert_true(units_read(STR("2.5"), 1, &a) && a.value == 3);
    assert_true(units_read(STR("-2.5"), 1, &a) && a.value == -3);
    assert_true(units_read(STR("2.4999999999999999"), 1, &a) && a.value == 2);
}

static void ratios_are_millionths(void **state) {
    (void)state;
    struct amount a;
    assert_true(units_read(STR("0.95"), UNITS_MICRO, &a) && a.value == 950000);
    assert_true(units_read(STR("95"), 10000, &a) && a.value == 950000);
}

static void impossible_amounts_say_why(void **state) {
    (void)state;
    expect_unknown("17179869184.00 GiB", "beyond what 64 bits hold");
    expect_unknown("9223372036854775808", "beyond what 64 bits hold");
    expect_unknown("99999999999999999999999999999999999999999999 TiB",
                   "beyond what 64 bits hold");
    expect_unknown("N/A", "printed as N/A");
    expect_unknown("", "not a number");
    expect_unknown(".", "not a number");
    expect_unknown("GiB", "not a number");
    expect_unknown("1,5 GiB", "not a unit of memory");
    expect_unknown("12 parsecs", "not a unit of memory");
    expect_amount("9223372036854775807", 1, INT64_MAX, INT64_MAX, INT64_MAX);
    expect_amount("-9223372036854775808", 1, INT64_MIN, INT64_MIN, INT64_MIN);
}

static void every_unit_has_its_factor(void **state) {
    (void)state;
    assert_int_equal(units_factor(STR("GiB")), GIB);
    assert_int_equal(units_factor(STR("gib")), GIB);
    assert_int_equal(units_factor(STR("Gi")), GIB);
    assert_int_equal(units_factor(STR("G")), GIB);
    assert_int_equal(units_factor(STR("MB")), 1000000);
    assert_int_equal(units_factor(STR("kB")), 1000);
    assert_int_equal(units_factor(STR("bytes")), 1);
    assert_int_equal(units_factor(STR("k")), 0);
    assert_int_equal(units_factor(STR("")), 0);
}

static void expect_printed(void (*print)(struct buf *, int64_t), int64_t n,
                           const char *expected) {
    struct buf b;
    buf_init(&b, NULL, 0);
    print(&b, n);
    assert_string_equal(b.p, expected);
    buf_free(&b);
}

static void bytes_print_in_binary_units(void **state) {
    (void)state;
    expect_printed(units_bytes, 0, "0 bytes");
    expect_printed(units_bytes, 1, "1 byte");
    expect_printed(units_bytes, 640 * KIB, "640 KiB");
    expect_printed(units_bytes, 1536, "1.50 KiB");
    expect_printed(units_bytes, 64 * MIB, "64 MiB");
    expect_printed(units_bytes, 16 * GIB, "16.00 GiB");
    expect_printed(units_bytes, GIB - 1, "1.00 GiB");
    expect_printed(units_bytes, -GIB / 4, "-256 MiB");
    expect_printed(units_bytes, 3 * KIB * GIB / 2, "1.50 TiB");
    expect_printed(units_bytes, INT64_MIN, "-8,388,608.00 TiB");
}

static void three_digits_tell_a_threshold(void **state) {
    (void)state;
    expect_printed(units_short, 0, "0 bytes");
    expect_printed(units_short, 1, "1 byte");
    expect_printed(units_short, INT64_C(55910072), "53.3 MiB");
    expect_printed(units_short, 106 * MIB + 400 * KIB, "106 MiB");
    expect_printed(units_short, 19 * GIB + 30 * MIB, "19.0 GiB");
    expect_printed(units_short, GIB + 102 * MIB, "1.10 GiB");
    expect_printed(units_short, 2 * GIB, "2 GiB");
    expect_printed(units_short, -3 * GIB / 2, "-1.50 GiB");
    expect_printed(units_short, GIB - 1, "1.00 GiB");
}

static void what_is_printed_reads_back(void **state) {
    (void)state;
    for (int64_t n = 1; n > 0 && n < INT64_MAX / 3; n = n * 3 + 1) {
        struct buf b;
        struct amount a;
        buf_init(&b, NULL, 0);
        units_bytes(&b, n);
        assert_true(units_read(buf_str(&b), 1, &a));
        assert_true(a.low <= n && n <= a.high);
        buf_free(&b);
    }
}

static void counts_and_ratios_print(void **state) {
    (void)state;
    expect_printed(units_count, 0, "0");
    expect_printed(units_count, 262144, "262,144");
    expect_printed(units_count, -1000000, "-1,000,000");
    expect_printed(units_count, INT64_MIN, "-9,223,372,036,854,775,808");
    expect_printed(units_ratio, 950000, "0.95");
    expect_printed(units_ratio, 1000000, "1");
    expect_printed(units_ratio, -1500000, "-1.5");
    expect_printed(units_ratio, 50, "0.00005");
}

static void arithmetic_says_when_it_does_not_fit(void **state) {
    (void)state;
    int64_t out = 42;
    assert_false(mul_i64(INT64_MAX, 2, &out));
    assert_false(add_i64(INT64_MAX, 1, &out));
    assert_false(mul_div_floor(INT64_MAX, 4, 3, &out));
    assert_false(mul_div_floor(1, 1, 0, &out));
    assert_int_equal(out, 42);
    assert_true(mul_div_floor(INT64_MAX, 4, 8, &out));
    assert_int_equal(out, INT64_MAX / 2);
    assert_true(mul_div_floor(-7, 1, 2, &out));
    assert_int_equal(out, -4);
    assert_int_equal(ceil_div(7, 2), 4);
    assert_int_equal(ceil_div(8, 2), 4);
    assert_int_equal(ceil_div(INT64_MAX, 2), INT64_MAX / 2 + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_stand_for_all_that_prints_so),
        cmocka_unit_test(integers_with_a_unit_are_rounded_too),
        cmocka_unit_test(bytes_and_counts_are_exact),
        cmocka_unit_test(hexadecimal_is_exact),
        cmocka_unit_test(halves_round_away_from_zero),
        cmocka_unit_test(ratios_are_millionths),
        cmocka_unit_test(impossible_amounts_say_why),
        cmocka_unit_test(every_unit_has_its_factor),
        cmocka_unit_test(bytes_print_in_binary_units),
        cmocka_unit_test(three_digits_tell_a_threshold),
        cmocka_unit_test(what_is_printed_reads_back),
        cmocka_unit_test(counts_and_ratios_print),
        cmocka_unit_test(arithmetic_says_when_it_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
