/* What the numbers of one allocation failure say by themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "diagnose/work.h"
#include "support/scene.h"

static struct scene s;

static int make_corpus(void **state) {
    (void)state;
    scene_begin(&s);
    scene_entry(&s, "torch/oom", MECHANISM_unspecified);
    scene_ready(&s);
    return 0;
}

static int drop_corpus(void **state) {
    (void)state;
    scene_end(&s);
    return 0;
}

/* A GPU of 24 GiB; amounts as the message prints them. */
static const struct finding *oom(const char *tried, const char *allocated,
                                 const char *reserved, const char *free) {
    struct str all[4] = {
        arena_printf(&s.arena, "tried_alloc=%s", tried),
        arena_printf(&s.arena, "pytorch_allocated=%s", allocated),
        arena_printf(&s.arena, "pytorch_reserved=%s", reserved),
        arena_printf(&s.arena, "gpu_free=%s", free)};
    see_message(&s, "torch/oom", 9, "gpu_total=24.00 GiB", all[0].p, all[1].p,
                all[2].p, all[3].p, NULL);
    return &scene_report(&s)->findings[0];
}

static bool says(const struct finding *f, const char *key) {
    for (size_t i = 0; i < f->remark_count; i++) {
        if (strcmp(f->remarks[i].key, key) == 0) {
            return true;
        }
    }
    return false;
}

static void much_unused_is_fragmentation(void **state) {
    (void)state;
    const struct finding *f =
        oom("50.00 MiB", "20.00 GiB", "23.00 GiB", "10.00 MiB");
    assert_true(says(f, "diagnose.remark.unused"));
    assert_false(says(f, "diagnose.remark.segments"));
}

static void free_and_unused_may_be_joined(void **state) {
    (void)state;
    const struct finding *f =
        oom("2.00 GiB", "20.00 GiB", "21.50 GiB", "1.00 GiB");
    assert_true(says(f, "diagnose.remark.segments"));
    assert_false(says(f, "diagnose.remark.unused"));
}

static bool joins_on(const char *device, const char *torch) {
    see_message(&s, "torch/oom", 9, "gpu_total=24.00 GiB", "tried_alloc=2.00 GiB",
                "pytorch_allocated=20.00 GiB", "pytorch_reserved=21.50 GiB",
                "gpu_free=1.00 GiB", device, torch, NULL);
    return says(&scene_report(&s)->findings[0], "diagnose.remark.segments");
}

static void rocm_does_not_join_before_2_11(void **state) {
    (void)state;
    assert_false(joins_on("device_kind=hip", "torch_version=2.10.0"));
}

static void rocm_joins_from_2_11(void **state) {
    (void)state;
    assert_true(joins_on("device_kind=hip", "torch_version=2.11.0"));
}

static void cuda_joins_earlier(void **state) {
    (void)state;
    assert_true(joins_on("device_kind=cuda", "torch_version=2.10.0"));
}

static void too_little_is_not_joined(void **state) {
    (void)state;
    const struct finding *f =
        oom("2.00 GiB", "20.00 GiB", "20.50 GiB", "1.00 GiB");
    assert_false(says(f, "diagnose.remark.segments"));
}

static void whole_multiples_are_copies(void **state) {
    (void)state;
    const struct finding *f =
        oom("6.00 GiB", "18.00 GiB", "18.10 GiB", "5.00 GiB");
    assert_true(says(f, "diagnose.remark.copies"));
    assert_true(says(f, "diagnose.remark.one_tensor")); /* 25 % */
}

/* No gradient and no moments: one tensor lies there and a second was wanted. */
static void one_of_the_same_size_is_a_second_one(void **state) {
    (void)state;
    const struct finding *f =
        oom("10.00 GiB", "10.00 GiB", "10.10 GiB", "5.00 GiB");
    assert_true(says(f, "diagnose.remark.copy"));
    assert_false(says(f, "diagnose.remark.copies"));
}

static void a_small_request_has_no_copies(void **state) {
    (void)state;
    const struct finding *f =
        oom("1.00 GiB", "3.00 GiB", "3.10 GiB", "0.50 GiB");
    assert_false(says(f, "diagnose.remark.copies")); /* 4 % of the GPU */
    assert_false(says(f, "diagnose.remark.one_tensor"));
}

static void a_trifle_on_a_full_gpu_is_not_all(void **state) {
    (void)state;
    const struct finding *f =
        oom("36.00 MiB", "23.00 GiB", "23.05 GiB", "16.00 MiB");
    assert_true(says(f, "diagnose.remark.small"));
}

static void what_lacks_a_gib_lacks_no_trifle(void **state) {
    (void)state;
    const struct finding *f =
        oom("2.00 GiB", "21.00 GiB", "21.05 GiB", "1.00 GiB");
    assert_false(says(f, "diagnose.remark.small"));
}

static void half_a_gpu_of_tensors_is_not_full(void **state) {
    (void)state;
    const struct finding *f =
        oom("36.00 MiB", "12.00 GiB", "12.05 GiB", "16.00 MiB");
    assert_false(says(f, "diagnose.remark.small"));
}

static void numbers_that_do_not_reconcile_say_nothing(void **state) {
    (void)state;
    const struct finding *f =
        oom("6.00 GiB", "48.00 GiB", "48.10 GiB", "5.00 GiB");
    assert_false(says(f, "diagnose.remark.one_tensor"));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, make_corpus, drop_corpus)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(much_unused_is_fragmentation),
        CASE(free_and_unused_may_be_joined),
        CASE(rocm_does_not_join_before_2_11),
        CASE(rocm_joins_from_2_11),
        CASE(cuda_joins_earlier),
        CASE(too_little_is_not_joined),
        CASE(whole_multiples_are_copies),
        CASE(one_of_the_same_size_is_a_second_one),
        CASE(a_small_request_has_no_copies),
        CASE(a_trifle_on_a_full_gpu_is_not_all),
        CASE(what_lacks_a_gib_lacks_no_trifle),
        CASE(half_a_gpu_of_tensors_is_not_full),
        CASE(numbers_that_do_not_reconcile_say_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
