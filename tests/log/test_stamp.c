/* The first time of a frame, and the date before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "log/stamp.h"

#define SAME_DAY (10 * 3600 + 47 * 60 + 37)
#define IN_2026 (INT64_C(20635) * 86400 + SAME_DAY) /* 2026-07-01 */
#define IN_2000 (INT64_C(11139) * 86400 + SAME_DAY) /* 2000-07-01 */

static void expect(const char *text, enum log_clock clock, int64_t seconds) {
    struct arena a;
    arena_init(&a, NULL, 0);
    struct log_stamp s = stamp_read(stamps_new(&a), str_of(text));
    arena_free(&a);
    if (s.clock != clock || s.seconds != seconds) {
        fail_msg("%s: clock %d, %lld seconds", text, (int)s.clock,
                 (long long)s.seconds);
    }
}

static void with_a_year(void **state) {
    (void)state;
    expect("2026-07-01 10:47:37,123 ", CLOCK_YEAR, IN_2026);
    expect("2026-07-01T10:47:37.5Z stdout F ", CLOCK_YEAR, IN_2026);
    expect("[2026/07/01-10:47:37] ", CLOCK_YEAR, IN_2026);
    expect("[07/01/2026-10:47:37] [TRT-LLM] ", CLOCK_YEAR, IN_2026);
    expect(" Wed, 01 Jul 2026 10:47:37 +0000", CLOCK_YEAR, IN_2026);
    expect("time=2026-07-01T10:47:37.123Z level=INFO ", CLOCK_YEAR, IN_2026);
}

static void without_one(void **state) {
    (void)state;
    expect("INFO 07-01 10:47:37 [core.py:8] ", CLOCK_DATE, IN_2000);
    expect("Jul  1 10:47:37 box llm[77]: ", CLOCK_DATE, IN_2000);
    expect("W0701 10:47:37.123456  4711 ", CLOCK_DATE, IN_2000);
}

static void of_a_day_or_since_boot(void **state) {
    (void)state;
    expect("10:47:37 ", CLOCK_DAY, SAME_DAY);
    expect("[337533.314404] ", CLOCK_BOOT, 337533);
    expect("[  12.000001] ", CLOCK_BOOT, 12);
}

static void of_none(void **state) {
    (void)state;
    expect("", CLOCK_NONE, 0);
    expect("[rank0]: ", CLOCK_NONE, 0);
    expect("file.py:12: ", CLOCK_NONE, 0);
    expect("1:2:3", CLOCK_NONE, 0);
    expect(":::", CLOCK_NONE, 0);
    expect("[12.5] ", CLOCK_NONE, 0);
    expect("99/99/2026-10:47:37 ", CLOCK_DAY, SAME_DAY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_a_year),
        cmocka_unit_test(without_one),
        cmocka_unit_test(of_a_day_or_since_boot),
        cmocka_unit_test(of_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
