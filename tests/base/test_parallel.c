/* test_parallel.c: every part is done once, whatever the number of threads, and
 * of several faults the one of the first part is raised. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/parallel.h"

#define PARTS 500

struct sums {
    uint32_t threads;
    size_t fails_from; /* this part and every seventh behind it */
    int done[PARTS];
    const char *kept[PARTS];
};

static void part(void *job, struct arena *own, uint32_t worker, size_t i) {
    struct sums *s = job;
    if (i >= s->fails_from && (i - s->fails_from) % 7 == 0)
        arena_raise(own, FAIL_INPUT, "part %zu", i);
    s->done[i] += worker < s->threads ? 1 : 2;
    s->kept[i] = arena_printf(own, "%zu", i * i).p;
}

struct run {
    struct arena *a;
    struct sums *s;
};

static void run_all(void *arg) {
    struct run *r = arg;
    parallel_run(parallel_new(r->a, r->s->threads), PARTS, part, r->s);
}

static void test_every_part_once(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads < 9; threads++) {
        struct arena a;
        struct sums s = {.threads = threads, .fails_from = PARTS};
        struct run r = {&a, &s};
        arena_init(&a, NULL, 0);
        assert_int_equal(arena_guard(&a, run_all, &r, NULL), FAIL_NONE);
        for (size_t i = 0; i < PARTS; i++) {
            assert_int_equal(s.done[i], 1);
            assert_string_equal(s.kept[i], arena_printf(&a, "%zu", i * i).p);
        }
        arena_free(&a);
    }
}

static void test_first_fault(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads < 9; threads++) {
        struct arena a;
        struct sums s = {.threads = threads, .fails_from = 123};
        struct run r = {&a, &s};
        struct fault fault;
        arena_init(&a, NULL, 0);
        assert_int_equal(arena_guard(&a, run_all, &r, &fault), FAIL_INPUT);
        assert_string_equal(fault.text, "part 123");
        for (size_t i = 0; i < 123; i++)
            assert_int_equal(s.done[i], 1);
        arena_free(&a);
    }
}

static void test_no_part(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL, 0);
    parallel_run(parallel_new(&a, parallel_processors()), 0, part, NULL);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_part_once),
        cmocka_unit_test(test_first_fault),
        cmocka_unit_test(test_no_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
