/* The order of versions is PEP 440's, and ranges follow it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "corpus/version.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static int order_of(const char *a, const char *b) {
    int order = 99;
    if (!version_compare(str_of(a), str_of(b), &order)) {
        fail_msg("\"%s\" or \"%s\" is said to be no version", a, b);
    }
    return order;
}

/* Each before all that follow. */
static void versions_stand_in_order(void **state) {
    static const char *const rising[] = {
        "0.dev1", "0.3.9", "0.4.0.dev2", "0.4.0.dev11", "0.4.0a1.dev3",
        "0.4.0a1", "0.4.0alpha2", "0.4.0b1", "0.4.0rc1", "0.4.0c2",
        "0.4.0preview3", "0.4.0", "0.4.0+cpu", "0.4.0+cu121", "0.4.0+cu121.2",
        "0.4.0+cu121.10", "0.4.0+1", "0.4.0.post1.dev5", "0.4.0.post1",
        "0.4.0-2", "0.4.0.rev3", "0.4.1", "0.10.0", "2.6.0", "2.6.0+cu124",
        "2.6.0.post0", "4567", "18446744073709551616",
        "18446744073709551617", "1!0.1"};
    (void)state;
    for (size_t i = 0; i < COUNT(rising); i++) {
        for (size_t k = 0; k < COUNT(rising); k++) {
            int expected = (i > k) - (i < k);
            int found = order_of(rising[i], rising[k]);
            if (found != expected) {
                fail_msg("%s against %s is %d", rising[i], rising[k], found);
            }
        }
    }
}

static void spellings_of_one_version_are_equal(void **state) {
    static const char *const pairs[][2] = {
        {"2.6", "2.6.0.0"}, {"v0.9.1", "0.9.1"}, {"0.9.1RC1", "0.9.1-rc.1"},
        {"1.0alpha1", "1.0a1"}, {"1.0beta", "1.0b0"}, {"1.0pre2", "1.0rc2"},
        {"1.0.post3", "1.0-3"}, {"1.0r3", "1.0.post3"}, {"1.0_dev4", "1.0dev4"},
        {"0!1.0", "1.0"}, {"1.0+CU_121", "1.0+cu.121"}, {"01.002", "1.2"},
        {"b4567", "4567"}, {" 1.0\n", "1.0"}};
    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        if (order_of(pairs[i][0], pairs[i][1]) != 0) {
            fail_msg("%s is not %s", pairs[i][0], pairs[i][1]);
        }
    }
}

static void builds_compare_by_number(void **state) {
    (void)state;
    assert_int_equal(order_of("b4567", "b999"), 1);
    assert_int_equal(order_of("b4567", "b04567"), 0);
    assert_int_equal(order_of("4566", "b4567"), -1);
}

static void what_is_no_version_is_refused(void **state) {
    static const char *const none[] = {
        "", "v", "b", "main", "dev", "1.0-foo", "5.15.0-91-generic", "1..2",
        "1.", ".1", "1.0+", "1.0+a..b", "1.0+-a", "b12c", "1!", "1.0 2.0",
        "N/A", "1.0.post1.post2"};
    int order = 7;
    (void)state;
    for (size_t i = 0; i < COUNT(none); i++) {
        if (version_valid(str_of(none[i]))) {
            fail_msg("\"%s\" is taken for a version", none[i]);
        }
        assert_false(version_compare(str_of(none[i]), STR("1.0"), &order));
    }
    assert_int_equal(order, 7);
}

static enum in_range place_in(const struct version_range *r, const char *v) {
    return version_in_range(r, str_of(v));
}

static void ranges_hold_from_introduced_up_to_fixed(void **state) {
    struct version_event events[] = {{false, STR("0.7.0")},
                                     {true, STR("0.9.1")},
                                     {false, STR("0.11.0")}};
    struct version_range r = {STR("vllm"), events, COUNT(events)};
    (void)state;
    assert_int_equal(place_in(&r, "0.6.6.post1"), RANGE_OUTSIDE);
    assert_int_equal(place_in(&r, "0.7.0"), RANGE_INSIDE);
    assert_int_equal(place_in(&r, "0.9.1rc1"), RANGE_INSIDE);
    assert_int_equal(place_in(&r, "0.9.1"), RANGE_OUTSIDE);
    assert_int_equal(place_in(&r, "0.10.2"), RANGE_OUTSIDE);
    assert_int_equal(place_in(&r, "0.12"), RANGE_INSIDE);
    assert_int_equal(place_in(&r, ""), RANGE_UNKNOWN);
    assert_int_equal(place_in(&r, "main"), RANGE_UNKNOWN);
}

static void local_parts_leave_a_release_in_its_range(void **state) {
    struct version_event events[] = {{false, STR("2.6.0")},
                                     {true, STR("2.6.1+cu126")}};
    struct version_range r = {STR("torch"), events, COUNT(events)};
    (void)state;
    assert_int_equal(place_in(&r, "2.6.0+cu124"), RANGE_INSIDE);
    assert_int_equal(place_in(&r, "2.6.1+cu118"), RANGE_OUTSIDE);
    assert_int_equal(place_in(&r, "2.6.1"), RANGE_OUTSIDE);
}

static void zero_is_the_beginning_and_no_events_are_always(void **state) {
    struct version_event events[] = {{false, STR("0")}, {true, STR("b4000")}};
    struct version_range r = {STR("llama.cpp"), events, COUNT(events)};
    struct version_range always = {STR("vllm"), NULL, 0};
    (void)state;
    assert_int_equal(place_in(&r, "0.dev1"), RANGE_INSIDE);
    assert_int_equal(place_in(&r, "b3999"), RANGE_INSIDE);
    assert_int_equal(place_in(&r, "4000"), RANGE_OUTSIDE);
    assert_int_equal(place_in(&always, "0.1"), RANGE_INSIDE);
    assert_int_equal(place_in(&always, ""), RANGE_UNKNOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_stand_in_order),
        cmocka_unit_test(spellings_of_one_version_are_equal),
        cmocka_unit_test(builds_compare_by_number),
        cmocka_unit_test(what_is_no_version_is_refused),
        cmocka_unit_test(ranges_hold_from_introduced_up_to_fixed),
        cmocka_unit_test(local_parts_leave_a_release_in_its_range),
        cmocka_unit_test(zero_is_the_beginning_and_no_events_are_always),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
