/* Which entry of a group speaks: stage, frames and numbers decide. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/scene.h"

static struct scene s;

/* The group of one allocator message: a fallback and three that know more. */
static int make_group(void **state) {
    (void)state;
    scene_begin(&s);
    scene_entry(&s, "torch/oom", MECHANISM_unspecified);
    entry_when(&s, scene_member(&s, "torch/oom-load", MECHANISM_weights,
                                "torch/oom"), "stage = 'load'");
    struct entry *e = scene_member(&s, "torch/oom-vllm-load",
                                   MECHANISM_weights, "torch/oom");
    entry_when(&s, e, "stage = 'load'");
    entry_when(&s, e, "engine = 'vllm'");
    e = scene_member(&s, "torch/oom-pieces", MECHANISM_fragmentation,
                     "torch/oom");
    entry_when(&s, e, "pytorch_unallocated >= tried_alloc");
    e = scene_member(&s, "torch/oom-capture", MECHANISM_cuda_graph,
                     "torch/oom");
    entry_condition(&s, e, SCOPE_traceback, false);
    scene_ready(&s);
    return 0;
}

static int drop_group(void **state) {
    (void)state;
    scene_end(&s);
    return 0;
}

static const struct finding *only_root(void) {
    struct report *r = scene_report(&s);
    expect_roots(r, 1);
    assert_int_equal(r->findings[0].role, ROLE_root);
    return &r->findings[0];
}

static void expect_answer(const char *entry, enum certainty certainty) {
    const struct finding *f = only_root();
    assert_string_equal(f->entry->id.p, entry);
    assert_int_equal(f->certainty, certainty);
    assert_non_null(f->because.key);
}

static void nothing_known_gives_the_fallback(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 5, "tried_alloc=2.00 GiB", NULL);
    expect_answer("torch/oom", CERTAINTY_GENERIC);
}

static void more_conditions_win(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    see_stage(&s, "load", true, 5);
    see_message(&s, "torch/oom", 5, "tried_alloc=2.00 GiB", NULL);
    expect_answer("torch/oom-vllm-load", CERTAINTY_BY_CONTEXT);
}

static void numbers_decide(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 5, "tried_alloc=1.00 GiB",
                "pytorch_unallocated=3.00 GiB", NULL);
    expect_answer("torch/oom-pieces", CERTAINTY_BY_FACTS);
}

static void a_false_condition_is_out(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 5, "tried_alloc=4.00 GiB",
                "pytorch_unallocated=3.00 GiB", NULL);
    expect_answer("torch/oom", CERTAINTY_GENERIC);
}

static void a_frame_in_the_traceback_decides(void **state) {
    (void)state;
    see_condition(&s, "torch/oom-capture", 0, 7);
    struct hit *h = see_message(&s, "torch/oom", 9, NULL);
    h->trace_first = 3;
    expect_answer("torch/oom-capture", CERTAINTY_EXACT);
}

static void a_frame_elsewhere_does_not(void **state) {
    (void)state;
    see_condition(&s, "torch/oom-capture", 0, 2);
    struct hit *h = see_message(&s, "torch/oom", 9, NULL);
    h->trace_first = 3;
    expect_answer("torch/oom", CERTAINTY_GENERIC);
}

static void frames_of_another_rank_do_not(void **state) {
    (void)state;
    s.stream = 2;
    see_condition(&s, "torch/oom-capture", 0, 7);
    s.stream = 1;
    struct hit *h = see_message(&s, "torch/oom", 9, NULL);
    h->trace_first = 3;
    expect_answer("torch/oom", CERTAINTY_GENERIC);
}

static void an_echo_lends_its_traceback(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 4, "tried_alloc=2.00 GiB", NULL);
    see_condition(&s, "torch/oom-capture", 0, 20);
    struct hit *h = see_message(&s, "torch/oom", 22, "tried_alloc=2.00 GiB",
                                NULL);
    h->trace_first = 15;
    expect_answer("torch/oom-capture", CERTAINTY_EXACT);
    assert_int_equal(only_root()->count, 2);
}

/* ---- stages ---- */

static void stage_comes_from_the_frame(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    see_stage(&s, "serve", false, 2);
    see_stage(&s, "load", true, 6);
    struct hit *h = see_message(&s, "torch/oom", 9, NULL);
    h->trace_first = 5;
    const struct finding *f = only_root();
    expect_word(&f->facts, "stage", "load");
    assert_int_equal(fact_of(&f->facts, "stage")->line, 6);
}

static void earlier_rows_are_more_telling(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    see_stage(&s, "load", true, 6);
    see_stage(&s, "profile", true, 7);
    struct hit *h = see_message(&s, "torch/oom", 9, NULL);
    h->trace_first = 5;
    expect_word(&only_root()->facts, "stage", "profile");
}

static void else_from_the_line_passed_last(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    see_stage(&s, "load", false, 2);
    see_stage(&s, "profile", false, 3);
    see_message(&s, "torch/oom", 9, NULL);
    see_stage(&s, "serve", false, 12);
    const struct finding *f = only_root();
    expect_word(&f->facts, "stage", "profile");
    assert_int_equal(fact_of(&f->facts, "stage")->source, SOURCE_DERIVED);
}

static void lines_of_another_rank_were_not_passed(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    see_stage(&s, "load", false, 2);
    s.stream = 3;
    see_stage(&s, "serve", false, 3);
    s.stream = 1;
    see_message(&s, "torch/oom", 9, NULL);
    expect_word(&only_root()->facts, "stage", "load");
}

static void what_the_user_says_wins(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 9, NULL);
    user_says(&s, "stage=load");
    expect_answer("torch/oom-load", CERTAINTY_BY_CONTEXT);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, make_group, drop_group)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(nothing_known_gives_the_fallback),
        CASE(more_conditions_win),
        CASE(numbers_decide),
        CASE(a_false_condition_is_out),
        CASE(a_frame_in_the_traceback_decides),
        CASE(a_frame_elsewhere_does_not),
        CASE(frames_of_another_rank_do_not),
        CASE(an_echo_lends_its_traceback),
        CASE(stage_comes_from_the_frame),
        CASE(earlier_rows_are_more_telling),
        CASE(else_from_the_line_passed_last),
        CASE(lines_of_another_rank_were_not_passed),
        CASE(what_the_user_says_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
