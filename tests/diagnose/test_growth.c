/* Does memory grow from line to line, or only at the start, or not at all? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "diagnose/work.h"
#include "support/scene.h"

#define GB INT64_C(1000000000)
#define FAILED_AT 1000 /* line */

static struct scene s;

static int make_corpus(void **state) {
    (void)state;
    scene_begin(&s);
    scene_entry(&s, "torch/oom", MECHANISM_activation);
    scene_entry(&s, "kernel/killed", MECHANISM_host_ram);
    scene_ready(&s);
    return 0;
}

static int drop_corpus(void **state) {
    (void)state;
    scene_end(&s);
    return 0;
}

/* One line for each, ten lines apart; a list of GB ends with 0. */
static void see_levels(const char *fact, const int *gb) {
    for (uint32_t line = 10; *gb > 0; gb++, line += 10) {
        see_context(&s, "dump", line,
                    arena_printf(&s.arena, "%s=%d GB", fact, *gb).p, NULL);
    }
}

static const struct fact *growth_at(const char *entry) {
    see_message(&s, entry, FAILED_AT, "tried_alloc=2.00 GiB", NULL);
    return fact_of(&scene_report(&s)->findings[0].facts, "growth");
}

static const struct fact *growth_in(const char *fact, const int *gb,
                                    const char *entry) {
    see_levels(fact, gb);
    return growth_at(entry);
}

static void four_rising_lines_are_growth(void **state) {
    (void)state;
    const struct fact *f =
        growth_in("gpu_level", (int[]){10, 12, 14, 16, 0}, "torch/oom");
    assert_non_null(f);
    assert_int_equal(f->number, 6 * GB);
    assert_int_equal(f->source, SOURCE_DERIVED);
    assert_int_equal(f->line, 40);
}

static void a_small_fall_does_not_matter(void **state) {
    (void)state;
    const struct fact *f = growth_in(
        "gpu_level", (int[]){10, 14, 13, 17, 20, 0}, "torch/oom");
    assert_non_null(f);
    assert_int_equal(f->number, 10 * GB);
}

static void three_lines_are_too_few(void **state) {
    (void)state;
    assert_null(growth_in("gpu_level", (int[]){10, 14, 18, 0}, "torch/oom"));
}

static void what_stays_does_not_grow(void **state) {
    (void)state;
    assert_null(
        growth_in("gpu_level", (int[]){20, 20, 20, 20, 20, 0}, "torch/oom"));
}

static void what_falls_does_not_grow(void **state) {
    (void)state;
    assert_null(
        growth_in("gpu_level", (int[]){20, 18, 16, 14, 0}, "torch/oom"));
}

static void a_sawtooth_does_not_grow(void **state) {
    (void)state;
    assert_null(growth_in("gpu_level", (int[]){10, 18, 10, 18, 10, 19, 0},
                          "torch/oom"));
}

static void the_first_steps_alone_do_not_count(void **state) {
    (void)state;
    assert_null(growth_in("gpu_level", (int[]){2, 16, 17, 17, 17, 17, 17, 0},
                          "torch/oom"));
}

static void a_twentieth_is_noise(void **state) {
    (void)state;
    assert_null(growth_in("gpu_level", (int[]){100, 101, 102, 103, 104, 0},
                          "torch/oom"));
}

static void the_host_tells_of_the_host(void **state) {
    (void)state;
    const struct fact *f =
        growth_in("host_level", (int[]){10, 20, 30, 40, 0}, "kernel/killed");
    assert_non_null(f);
    assert_int_equal(f->number, 30 * GB);
}

static void the_host_does_not_tell_of_the_gpu(void **state) {
    (void)state;
    assert_null(
        growth_in("host_level", (int[]){10, 20, 30, 40, 0}, "torch/oom"));
}

static void the_gpu_does_not_tell_of_the_host(void **state) {
    (void)state;
    assert_null(
        growth_in("gpu_level", (int[]){10, 20, 30, 40, 0}, "kernel/killed"));
}

static void two_pods_are_not_one(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 3; i++) { /* one has 10 GB, the other 30 */
        see_context(&s, "dump", 10 + 20 * i, "pod=llm-0", "host_level=10 GB",
                    NULL);
        see_context(&s, "dump", 20 + 20 * i, "pod=llm-1", "host_level=30 GB",
                    NULL);
    }
    assert_null(growth_at("kernel/killed"));
}

static void ranks_are_told_apart(void **state) {
    (void)state;
    static const int gb[] = {10, 12, 14, 16, 18, 20};
    for (uint32_t i = 0; i < 6; i++) { /* three lines of each rank */
        s.stream = 1 + i % 2;
        see_context(&s, "dump", 10 + 10 * i,
                    arena_printf(&s.arena, "gpu_level=%d GB", gb[i]).p, NULL);
    }
    s.stream = 1;
    assert_null(growth_at("torch/oom"));
}

static void lines_below_the_failure_do_not_count(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 5, "tried_alloc=2.00 GiB", NULL);
    see_levels("gpu_level", (int[]){10, 12, 14, 16, 0});
    const struct report *r = scene_report(&s);
    assert_null(fact_of(&r->findings[0].facts, "growth"));
}

static void levels_are_no_part_of_the_context(void **state) {
    (void)state;
    see_levels("gpu_level", (int[]){10, 12, 14, 16, 0});
    see_message(&s, "torch/oom", FAILED_AT, "tried_alloc=2.00 GiB", NULL);
    assert_null(fact_of(&scene_report(&s)->context, "gpu_level"));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, make_corpus, drop_corpus)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(four_rising_lines_are_growth),
        CASE(a_small_fall_does_not_matter),
        CASE(three_lines_are_too_few),
        CASE(what_stays_does_not_grow),
        CASE(what_falls_does_not_grow),
        CASE(a_sawtooth_does_not_grow),
        CASE(the_first_steps_alone_do_not_count),
        CASE(a_twentieth_is_noise),
        CASE(the_host_tells_of_the_host),
        CASE(the_host_does_not_tell_of_the_gpu),
        CASE(the_gpu_does_not_tell_of_the_host),
        CASE(two_pods_are_not_one),
        CASE(ranks_are_told_apart),
        CASE(lines_below_the_failure_do_not_count),
        CASE(levels_are_no_part_of_the_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
