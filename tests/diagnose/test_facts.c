/* Whose a number is, what follows from it, and when it cannot be true. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/scene.h"

#define GIB(n) (INT64_C(1) << 30) * (n)

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

static const struct finding *only(void) {
    struct report *r = scene_report(&s);
    assert_int_equal(r->finding_count, 1);
    return &r->findings[0];
}

static size_t count_named(const struct finding *f, enum fact_name name) {
    size_t count = 0;
    for (size_t i = 0; i < f->facts.count; i++) {
        count += f->facts.at[i].name == name;
    }
    return count;
}

static bool has_remark(const struct finding *f, const char *key) {
    for (size_t i = 0; i < f->remark_count; i++) {
        if (strcmp(f->remarks[i].key, key) == 0) {
            return true;
        }
    }
    return false;
}

static void a_pid_belongs_to_the_amount_beside_it(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 4, "tried_alloc=3.00 GiB", "gpu_index=2",
                "gpu_total=79.00 GiB", "gpu_free=2.00 GiB", "pid=1253",
                "other_in_use=4.00 GiB", "pid=77", "other_in_use=8.00 GiB",
                "process_in_use=65.00 GiB", NULL);
    const struct finding *f = only();
    assert_int_equal(count_named(f, FACT_other_in_use), 2);
    assert_null(fact_of(&f->facts, "pid"));
    const struct fact *other = fact_of(&f->facts, "other_in_use");
    assert_int_equal(other->pid, 1253);
    assert_int_equal(other->gpu, 2);
    expect_number(&f->facts, "own_process_listed", 0);
    assert_int_equal(f->remark_count, 0);
}

static void the_listed_process_may_be_the_failed_one(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 4, "tried_alloc=19.00 GiB",
                "gpu_total=79.00 GiB", "gpu_free=17.60 GiB", "pid=78729",
                "other_in_use=61.40 GiB", "pytorch_allocated=56.64 GiB",
                "pytorch_unallocated=4.07 GiB", NULL);
    const struct finding *f = only();
    expect_number(&f->facts, "own_process_listed", 1);
    assert_null(fact_of(&f->facts, "other_in_use"));
    assert_int_equal(fact_of(&f->facts, "process_in_use")->pid, 78729);
    assert_true(has_remark(f, "diagnose.remark.own_listed"));
}

static void beside_the_failed_one_strangers_remain(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 4, "tried_alloc=76.00 MiB",
                "gpu_total=14.74 GiB", "gpu_free=42.19 MiB", "pid=21222",
                "other_in_use=3.40 GiB", "pid=21216",
                "other_in_use=10.77 GiB", "pytorch_allocated=10.59 GiB",
                "pytorch_unallocated=42.18 MiB", NULL);
    const struct finding *f = only();
    expect_number(&f->facts, "own_process_listed", 1);
    assert_int_equal(fact_of(&f->facts, "other_in_use")->pid, 21222);
    assert_true(has_remark(f, "diagnose.remark.own_among"));
}

/* In a container the driver prints 0 bytes for everybody. */
static void blind_counts_say_nothing_about_others(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 4, "tried_alloc=130.00 MiB",
                "gpu_total=79.10 GiB", "gpu_free=12.81 MiB", "pid=3427",
                "other_in_use=0 bytes", "process_in_use=0 bytes",
                "pytorch_allocated=10.47 GiB",
                "pytorch_unallocated=93.52 MiB", NULL);
    const struct finding *f = only();
    assert_null(facts_first(&f->facts, FACT_others_in_use));
    assert_null(facts_first(&f->facts, FACT_process_in_use));
    assert_false(has_remark(f, "diagnose.remark.hidden"));
}

static void who_fills_the_card_must_be_the_failed_one(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 4, "tried_alloc=672.00 MiB",
                "gpu_total=140.06 GiB", "gpu_free=200.75 MiB", "pid=9",
                "other_in_use=139.86 GiB", "pytorch_allocated=128.50 GiB",
                "pytorch_unallocated=1.01 GiB", NULL);
    expect_number(&only()->facts, "own_process_listed", 1);
}

/* A line that was cut before "unallocated": what is allocated alone shows that
 * nobody else has room; or that somebody may have. */
static void a_cut_line_may_still_show_whose_it_is(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 4, "tried_alloc=64.00 MiB",
                "gpu_total=15.00 GiB", "gpu_free=40.00 MiB", "pid=9",
                "other_in_use=14.96 GiB", "pytorch_allocated=14.36 GiB", NULL);
    expect_number(&only()->facts, "own_process_listed", 1);
}

static void a_cut_line_does_not_make_a_stranger_ones_own(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 4, "tried_alloc=64.00 MiB",
                "gpu_total=15.00 GiB", "gpu_free=1.00 GiB", "pid=9",
                "other_in_use=6.50 GiB", "pytorch_allocated=6.00 GiB", NULL);
    assert_null(fact_of(&only()->facts, "own_process_listed"));
}

/* Cut before what PyTorch holds: the one process listed leaves nobody else room
 * for so much as a context; two listed, or room beside it, say nothing. */
static void the_only_holder_is_the_failed_one(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 4, "tried_alloc=9.50 GiB",
                "gpu_total=14.75 GiB", "gpu_free=3.78 GiB", "pid=9",
                "other_in_use=10.95 GiB", NULL);
    expect_number(&only()->facts, "own_process_listed", 1);
    assert_null(fact_of(&only()->facts, "other_in_use"));
}

static void two_holders_do_not_say_which_failed(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 4, "tried_alloc=9.50 GiB",
                "gpu_total=14.75 GiB", "gpu_free=3.78 GiB", "pid=9",
                "other_in_use=6.95 GiB", "pid=10", "other_in_use=4.00 GiB",
                NULL);
    assert_null(fact_of(&only()->facts, "own_process_listed"));
}

static void room_beside_the_only_holder_may_be_the_failed_one(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 4, "tried_alloc=9.50 GiB",
                "gpu_total=14.75 GiB", "gpu_free=3.78 GiB", "pid=9",
                "other_in_use=10.50 GiB", NULL);
    assert_null(fact_of(&only()->facts, "own_process_listed"));
}

static void a_stranger_is_not_taken_for_it(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 4, "tried_alloc=2.00 GiB",
                "gpu_total=79.00 GiB", "gpu_free=1.00 GiB", "pid=5",
                "other_in_use=70.00 GiB", "pytorch_allocated=6.00 GiB",
                "pytorch_unallocated=1.00 GiB", NULL);
    const struct finding *f = only();
    assert_null(fact_of(&f->facts, "own_process_listed"));
    expect_number(&f->facts, "other_in_use", GIB(70));
}

static void what_cannot_be_true_is_said_and_not_reckoned_with(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    see_message(&s, "torch/oom", 4, "tried_alloc=2.00 GiB",
                "gpu_total=79.18 GiB", "gpu_free=9.00 GiB",
                "pytorch_allocated=100.77 GiB", NULL);
    const struct finding *f = only();
    assert_true(has_remark(f, "diagnose.remark.over"));
    assert_int_equal(f->budget.count, 0);
    assert_false(f->has_kv);
    assert_int_equal(f->formulas.count, 0);
}

static void memory_that_nobody_holds_is_named(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 4, "tried_alloc=2.00 GiB",
                "gpu_total=79.00 GiB", "gpu_free=1.00 GiB",
                "process_in_use=60.00 GiB", "pytorch_allocated=58.00 GiB",
                NULL);
    assert_true(has_remark(only(), "diagnose.remark.hidden"));
}

static void free_memory_that_was_refused_is_named(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 4, "tried_alloc=2.00 GiB",
                "gpu_total=79.00 GiB", "gpu_free=3.00 GiB", NULL);
    assert_true(has_remark(only(), "diagnose.remark.free_yet"));
}

static void a_refusal_on_an_empty_gpu_is_no_fragment(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 4, "tried_alloc=2.00 MiB",
                "gpu_total=11.00 GiB", "gpu_free=10.00 GiB",
                "pytorch_allocated=0", NULL);
    assert_true(has_remark(only(), "diagnose.remark.free_empty"));
    assert_false(has_remark(only(), "diagnose.remark.free_yet"));
}

static void impossible_amounts_stay_unknown(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 4, "tried_alloc=2.00 GiB",
                "process_in_use=17179869184.00 GiB", NULL);
    const struct finding *f = only();
    assert_int_equal(count_named(f, FACT_process_in_use), 1);
    assert_null(fact_of(&f->facts, "process_in_use"));
}

static void device_names_are_small_letters(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 4, "device_kind=CUDA", NULL);
    expect_word(&only()->facts, "device_kind", "cuda");
}

static void a_second_value_of_a_scalar_is_not_taken(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 4, "tried_alloc=2.00 GiB",
                "tried_alloc=9.00 GiB", NULL);
    const struct finding *f = only();
    assert_int_equal(count_named(f, FACT_tried_alloc), 1);
    expect_number(&f->facts, "tried_alloc", GIB(2));
}

/* ---- context ---- */

static void dumps_beat_command_lines(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    see_context(&s, "flag", 2, "max_model_len=131072", NULL);
    see_context(&s, "dump", 3, "max_model_len=4096", NULL);
    see_message(&s, "torch/oom", 4, "tried_alloc=2.00 GiB", NULL);
    struct report *r = scene_report(&s);
    expect_number(&r->context, "max_model_len", 4096);
    assert_true(has_remark(&r->findings[0],
                           "diagnose.remark.not_in_force"));
}

static void short_flags_are_read_off_the_command(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    see_context(&s, "command", 2, NULL)->command =
        STR("vllm serve m \\\n  --max_model_len='2048' --port 1");
    see_message(&s, "torch/oom", 4, "tried_alloc=2.00 GiB", NULL);
    struct report *r = scene_report(&s);
    expect_number(&r->context, "max_model_len", 2048);
    assert_int_equal(fact_of(&r->context, "max_model_len")->line, 2);
}

static void advice_is_no_setting(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 4, "tried_alloc=2.00 GiB", NULL);
    see_context(&s, "dump", 4, "expandable_segments=True", NULL);
    assert_null(fact_of(&scene_report(&s)->context, "expandable_segments"));
}

static void a_setting_before_the_error_is_one(void **state) {
    (void)state;
    see_context(&s, "dump", 2, "expandable_segments=True", NULL);
    see_message(&s, "torch/oom", 4, "tried_alloc=2.00 GiB", NULL);
    expect_number(&scene_report(&s)->context, "expandable_segments", 1);
}

static void a_command_cut_short_is_not_taken(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    see_context(&s, "command", 2, NULL)->command =
        STR("vllm serve m --max-model-len 2048 \\");
    see_message(&s, "torch/oom", 4, "tried_alloc=2.00 GiB", NULL);
    assert_null(fact_of(&scene_report(&s)->context, "max_model_len"));
}

static void later_beats_earlier_but_not_what_came_too_late(void **state) {
    (void)state;
    see_context(&s, "dump", 2, "max_model_len=1000", NULL);
    see_context(&s, "dump", 3, "max_model_len=2000", NULL);
    see_message(&s, "torch/oom", 4, "tried_alloc=2.00 GiB", NULL);
    see_context(&s, "dump", 9, "max_model_len=3000", NULL);
    expect_number(&scene_report(&s)->context, "max_model_len", 2000);
}

static void the_user_beats_them_all(void **state) {
    (void)state;
    see_context(&s, "dump", 2, "max_model_len=1000", NULL);
    see_message(&s, "torch/oom", 4, "tried_alloc=2.00 GiB", NULL);
    user_says(&s, "max_model_len=32k");
    struct report *r = scene_report(&s);
    expect_number(&r->context, "max_model_len", 32000);
    assert_int_equal(fact_of(&r->context, "max_model_len")->source,
                     SOURCE_USER);
}

static void no_engine_is_assumed(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 4, "tried_alloc=2.00 GiB", NULL);
    assert_null(fact_of(&scene_report(&s)->context, "engine"));
}

static void expect_refused(const char *answer) {
    struct fact f;
    struct str why = {NULL, 0};
    assert_false(answer_read(&s.arena, str_of(answer), &f, &why));
    assert_true(why.n > 0);
}

static void bad_answers_say_why(void **state) {
    (void)state;
    expect_refused("max_model_len");
    expect_refused("colour=red");
    expect_refused("gpu_total=large");
    expect_refused("gpu_memory_utilization=95");
    expect_refused("mem_fraction_static=0");
    expect_refused("stage=lunch");
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, make_corpus, drop_corpus)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(a_pid_belongs_to_the_amount_beside_it),
        CASE(the_listed_process_may_be_the_failed_one),
        CASE(beside_the_failed_one_strangers_remain),
        CASE(blind_counts_say_nothing_about_others),
        CASE(who_fills_the_card_must_be_the_failed_one),
        CASE(a_cut_line_may_still_show_whose_it_is),
        CASE(a_cut_line_does_not_make_a_stranger_ones_own),
        CASE(the_only_holder_is_the_failed_one),
        CASE(two_holders_do_not_say_which_failed),
        CASE(room_beside_the_only_holder_may_be_the_failed_one),
        CASE(a_stranger_is_not_taken_for_it),
        CASE(what_cannot_be_true_is_said_and_not_reckoned_with),
        CASE(memory_that_nobody_holds_is_named),
        CASE(free_memory_that_was_refused_is_named),
        CASE(a_refusal_on_an_empty_gpu_is_no_fragment),
        CASE(impossible_amounts_stay_unknown),
        CASE(device_names_are_small_letters),
        CASE(a_second_value_of_a_scalar_is_not_taken),
        CASE(dumps_beat_command_lines),
        CASE(short_flags_are_read_off_the_command),
        CASE(advice_is_no_setting),
        CASE(a_setting_before_the_error_is_one),
        CASE(a_command_cut_short_is_not_taken),
        CASE(later_beats_earlier_but_not_what_came_too_late),
        CASE(the_user_beats_them_all),
        CASE(no_engine_is_assumed),
        CASE(bad_answers_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
