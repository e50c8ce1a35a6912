/* Causes of a finding: evidence, its families, the mechanism, the outlook. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "diagnose/work.h"
#include "support/scene.h"

static struct scene s;

/* Odds of 2 for each unit of weight (scene.h). */
static int make_corpus(void **state) {
    (void)state;
    scene_begin(&s);
    struct cause *c = scene_cause(&s, "others", MECHANISM_other_process,
                                  RESTART_may_pass);
    cause_evidence(&s, c, "gpu_free > 4 * tried_alloc", 4, "free");
    c = scene_cause(&s, "step", MECHANISM_activation, RESTART_again);
    cause_evidence(&s, c, "batch_size >= 2", 1, "batch");
    cause_evidence(&s, c, "batch_size >= 64", 2, "batch");
    cause_evidence(&s, c, "seq_len < 16", -2, "length");
    struct entry *e = scene_entry(&s, "torch/oom", MECHANISM_unspecified);
    entry_cause(e, "step", 500000);
    entry_cause(e, "others", 500000);
    e = scene_entry(&s, "torch/known", MECHANISM_activation);
    entry_cause(e, "step", 200000);
    entry_cause(e, "others", 800000);
    e = scene_entry(&s, "torch/step", MECHANISM_activation);
    entry_cause(e, "step", 1000000);
    e = scene_entry(&s, "torch/shm", MECHANISM_shared_memory);
    entry_cause(e, "step", 1000000);
    e = scene_entry(&s, "torch/others", MECHANISM_other_process);
    entry_cause(e, "others", 1000000);
    static struct gpu shared = {.nominal_gb = 128, .is_unified = true,
                                .total_low = INT64_C(130600000000),
                                .total_high = INT64_C(130700000000)};
    shared.id = str_of("shared");
    s.corpus.gpus = &shared;
    s.corpus.gpu_count = 1;
    scene_ready(&s);
    return 0;
}

static int drop_corpus(void **state) {
    (void)state;
    scene_end(&s);
    return 0;
}

static const struct belief *belief_in(const struct finding *f,
                                      const char *cause) {
    for (size_t i = 0; i < f->cause_count; i++) {
        if (str_eq(f->causes[i].cause->id, str_of(cause))) {
            return &f->causes[i];
        }
    }
    fail_msg("no cause %s", cause);
    return NULL;
}

static const struct finding *seen(const char *fact, const char *more) {
    see_message(&s, "torch/oom", 9, "tried_alloc=2.00 GiB", fact, more, NULL);
    return &scene_report(&s)->findings[0];
}

static void without_evidence_the_shares_hold(void **state) {
    (void)state;
    const struct finding *f = seen(NULL, NULL);
    assert_int_equal(f->cause_count, 2);
    assert_int_equal(belief_in(f, "step")->p_micro, 500000);
    assert_int_equal(belief_in(f, "step")->because_count, 0);
}

static void evidence_multiplies_the_odds(void **state) {
    (void)state;
    const struct finding *f = seen("batch_size=8", NULL);
    assert_int_equal(belief_in(f, "step")->p_micro, 666667); /* 2 : 1 */
    assert_int_equal(belief_in(f, "step")->because_count, 1);
}

static void of_a_family_the_strongest_counts(void **state) {
    (void)state;
    const struct finding *f = seen("batch_size=64", NULL);
    assert_int_equal(belief_in(f, "step")->p_micro, 800000); /* 4 : 1 */
    assert_int_equal(belief_in(f, "step")->because_count, 1);
    assert_int_equal(belief_in(f, "step")->because[0]->weight, 2);
}

static void families_add_up(void **state) {
    (void)state;
    const struct finding *f = seen("batch_size=64", "seq_len=8");
    assert_int_equal(belief_in(f, "step")->p_micro, 500000); /* +2 - 2 */
    assert_int_equal(belief_in(f, "step")->because_count, 2);
}

static void the_most_probable_cause_stands_first(void **state) {
    (void)state;
    const struct finding *f = seen("gpu_free=9.00 GiB", NULL);
    assert_string_equal(f->causes[0].cause->id.p, "others");
    assert_int_equal(f->causes[0].p_micro, 941176); /* 16 : 1 */
}

static void a_weak_belief_names_no_mechanism(void **state) {
    (void)state;
    const struct finding *f = seen("batch_size=8", NULL);
    assert_int_equal(f->mechanism, MECHANISM_unspecified); /* 0.67 */
}

static void an_unspecified_finding_takes_the_mechanism(void **state) {
    (void)state;
    const struct finding *f = seen("batch_size=64", NULL);
    assert_int_equal(f->mechanism, MECHANISM_activation); /* 0.80 */
}

static void a_known_mechanism_stays(void **state) {
    (void)state;
    see_message(&s, "torch/known", 9, "tried_alloc=2.00 GiB", NULL);
    const struct finding *f = &scene_report(&s)->findings[0];
    assert_int_equal(belief_in(f, "others")->p_micro, 800000);
    assert_int_equal(f->mechanism, MECHANISM_activation);
}

static void even_odds_foretell_nothing(void **state) {
    (void)state;
    assert_int_equal(seen(NULL, NULL)->outlook.restart, RESTART_unknown);
}

static void others_may_have_gone(void **state) {
    (void)state;
    const struct finding *f = seen("gpu_free=9.00 GiB", NULL);
    assert_int_equal(f->outlook.restart, RESTART_may_pass);
}

static void the_same_step_fails_again(void **state) {
    (void)state;
    const struct finding *f = seen("batch_size=64", "steps_done=0");
    assert_int_equal(f->outlook.restart, RESTART_again);
    assert_string_equal(f->outlook.because.key, "diagnose.outlook.begins");
}

static void a_restart_loop_fails_again(void **state) {
    (void)state;
    const struct finding *f = seen("restart_count=17", NULL);
    assert_int_equal(f->outlook.restart, RESTART_again);
    assert_string_equal(f->outlook.because.key,
                        "diagnose.outlook.restarted");
}

/* Of an entry whose one cause fails again; no amount is printed. */
static const struct finding *step_seen(const char *fact, const char *more) {
    see_message(&s, "torch/step", 9, fact, more, NULL);
    return &scene_report(&s)->findings[0];
}

static void a_bare_message_foretells_nothing(void **state) {
    (void)state;
    const struct finding *f = step_seen("batch_size=64", NULL);
    assert_int_equal(belief_in(f, "step")->p_micro, 1000000);
    assert_int_equal(f->outlook.restart, RESTART_unknown);
}

/* Nor does an amount, if it is none of a start. */
static void an_amount_foretells_nothing(void **state) {
    (void)state;
    const struct finding *f = step_seen("tensor_bytes=2.00 GiB", NULL);
    assert_int_equal(f->outlook.restart, RESTART_unknown);
}

static void a_pass_of_some_step_foretells_nothing(void **state) {
    (void)state;
    const struct finding *f = step_seen("batch_size=64", "stage=backward");
    assert_int_equal(f->outlook.restart, RESTART_unknown);
}

static void each_start_comes_to_its_profile(void **state) {
    (void)state;
    const struct finding *f = step_seen("batch_size=64", "stage=profile");
    assert_int_equal(f->outlook.restart, RESTART_again);
    assert_string_equal(f->outlook.because.key, "diagnose.outlook.begins");
}

/* Others hold half of the GPU now. */
static void a_start_beside_others_may_differ(void **state) {
    (void)state;
    see_message(&s, "torch/step", 9, "stage=profile", "gpu_total=24.00 GiB",
                "others_in_use=12.00 GiB", NULL);
    assert_int_equal(scene_report(&s)->findings[0].outlook.restart,
                     RESTART_unknown);
    see_message(&s, "torch/step", 9, "stage=profile", "gpu_total=24.00 GiB",
                "others_in_use=1.00 GiB", NULL);
    assert_int_equal(scene_report(&s)->findings[0].outlook.restart,
                     RESTART_again);
}

static void the_host_is_shared_when_it_starts(void **state) {
    (void)state;
    const struct finding *f = step_seen("stage=load", "device_kind=host");
    assert_int_equal(f->outlook.restart, RESTART_unknown);
    assert_string_equal(f->outlook.because.key, "diagnose.outlook.freed");
}

/* When that was it does not say. */
static void an_allocators_amounts_foretell_nothing(void **state) {
    (void)state;
    const struct finding *f =
        step_seen("tried_alloc=2.00 GiB", "gpu_total=23.56 GiB");
    assert_int_equal(f->outlook.restart, RESTART_unknown);
}

static void more_than_the_gpu_is_too_much_each_time(void **state) {
    (void)state;
    const struct finding *f =
        step_seen("tried_alloc=32.00 GiB", "gpu_total=23.56 GiB");
    assert_int_equal(f->outlook.restart, RESTART_again);
}

static void a_kill_of_a_job_comes_again(void **state) {
    (void)state;
    const struct finding *f = step_seen("oom_kill_count=1", NULL);
    assert_int_equal(f->outlook.restart, RESTART_again);
}

/* How it died, not that it would again. */
static void an_exit_code_foretells_nothing(void **state) {
    (void)state;
    const struct finding *f = step_seen("exit_code=137", NULL);
    assert_int_equal(f->outlook.restart, RESTART_unknown);
}

static void what_a_page_asked_before_counts(void **state) {
    (void)state;
    const struct finding *f = step_seen("stage=load", "caller=page");
    assert_int_equal(f->outlook.restart, RESTART_unknown);
    assert_string_equal(f->outlook.because.key, "diagnose.outlook.called");
}

static void more_than_the_gpu_is_too_much_for_each_call(void **state) {
    (void)state;
    see_message(&s, "torch/step", 9, "tried_alloc=32.00 GiB",
                "gpu_total=23.56 GiB", "caller=notebook", NULL);
    const struct finding *f = &scene_report(&s)->findings[0];
    assert_int_equal(f->outlook.restart, RESTART_again);
}

static void a_run_comes_as_far_again(void **state) {
    (void)state;
    const struct finding *f =
        step_seen("oom_kill_count=1", "steps_done=400");
    assert_int_equal(f->outlook.restart, RESTART_unknown);
    assert_string_equal(f->outlook.because.key,
                        "diagnose.outlook.progressed");
}

static void an_hour_of_running_is_progress(void **state) {
    (void)state;
    const struct finding *f =
        step_seen("oom_kill_count=1", "run_seconds=3600");
    assert_int_equal(f->outlook.restart, RESTART_unknown);
    const struct finding *soon =
        step_seen("oom_kill_count=1", "run_seconds=58");
    assert_int_equal(soon->outlook.restart, RESTART_again);
}

static void each_start_loads_as_long(void **state) {
    (void)state;
    see_message(&s, "torch/step", 9, "run_seconds=3600", "stage=load", NULL);
    const struct finding *f = &scene_report(&s)->findings[0];
    assert_int_equal(f->outlook.restart, RESTART_again);
}

static void three_steps_are_a_start(void **state) {
    (void)state;
    const struct finding *f = step_seen("stage=backward", "steps_done=3");
    assert_int_equal(f->outlook.restart, RESTART_again);
}

/* /dev/shm is as small the next time. */
static void a_container_keeps_its_shared_memory(void **state) {
    (void)state;
    see_message(&s, "torch/shm", 9, "num_workers=8", NULL);
    const struct finding *f = &scene_report(&s)->findings[0];
    assert_int_equal(f->outlook.restart, RESTART_again);
    assert_string_equal(f->outlook.because.key, "diagnose.outlook.beyond");
    see_message(&s, "torch/shm", 9, "num_workers=8", "steps_done=400", NULL);
    f = &scene_report(&s)->findings[0];
    assert_int_equal(f->outlook.restart, RESTART_unknown);
}

static void a_server_serves_again(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    see_stage(&s, "serve", false, 8);
    const struct finding *f = step_seen("tried_alloc=2.00 GiB", NULL);
    assert_int_equal(f->outlook.restart, RESTART_may_pass);
    assert_string_equal(f->outlook.because.key, "diagnose.outlook.served");
}

static void host_memory_may_be_freed(void **state) {
    (void)state;
    const struct finding *f =
        step_seen("requested_bytes=19.3 GiB", "device_kind=host");
    assert_int_equal(f->outlook.restart, RESTART_unknown);
    assert_string_equal(f->outlook.because.key, "diagnose.outlook.freed");
}

static void more_than_the_host_is_not_freed(void **state) {
    (void)state;
    const struct finding *f =
        step_seen("requested_bytes=164.8 GiB", "host_total=62.7 GiB");
    assert_int_equal(f->outlook.restart, RESTART_again);
    assert_string_equal(f->outlook.because.key, "diagnose.outlook.beyond");
}

static void restarts_of_long_runs_are_no_loop(void **state) {
    (void)state;
    const struct finding *f = seen("restart_count=17", "run_seconds=86400");
    assert_int_equal(f->outlook.restart, RESTART_unknown);
}

static const struct finding *share_missed(const char *unfilled) {
    see_message(&s, "torch/others", 9, "requested_bytes=22.38 GiB",
                "gpu_total=23.56 GiB", "gpu_memory_utilization=0.95",
                unfilled, NULL);
    return &scene_report(&s)->findings[0];
}

static void a_desktop_stays(void **state) {
    (void)state;
    const struct finding *f = share_missed("gpu_free=22.06 GiB");
    assert_int_equal(f->outlook.restart, RESTART_again);
    assert_string_equal(f->outlook.because.key, "diagnose.outlook.standing");
}

static void a_job_on_the_gpu_ends(void **state) {
    (void)state;
    const struct finding *f = share_missed("gpu_free=6.10 GiB");
    assert_int_equal(f->outlook.restart, RESTART_may_pass);
}

/* A quarter is more than a desktop, and less than a job. */
static void a_quarter_of_the_gpu_tells_nothing(void **state) {
    (void)state;
    const struct finding *f = share_missed("gpu_free=17.60 GiB");
    assert_int_equal(f->outlook.restart, RESTART_may_pass);
    see_message(&s, "torch/others", 9, "requested_bytes=22.38 GiB",
                "gpu_total=23.56 GiB", "gpu_memory_utilization=0.95",
                "gpu_free=17.60 GiB", "others_in_use=5.96 GiB", NULL);
    assert_int_equal(scene_report(&s)->findings[0].outlook.restart,
                     RESTART_unknown);
}

static void the_page_cache_of_the_host_stays(void **state) {
    (void)state;
    see_message(&s, "torch/others", 9, "requested_bytes=103.38 GiB",
                "gpu_total=121.69 GiB", "gpu_memory_utilization=0.85",
                "gpu_free=36.75 GiB", NULL);
    const struct finding *f = &scene_report(&s)->findings[0];
    assert_int_equal(f->outlook.restart, RESTART_unknown);
    assert_string_equal(f->outlook.because.key, "diagnose.outlook.unified");
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, make_corpus, drop_corpus)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(without_evidence_the_shares_hold),
        CASE(evidence_multiplies_the_odds),
        CASE(of_a_family_the_strongest_counts),
        CASE(families_add_up),
        CASE(the_most_probable_cause_stands_first),
        CASE(a_weak_belief_names_no_mechanism),
        CASE(an_unspecified_finding_takes_the_mechanism),
        CASE(a_known_mechanism_stays),
        CASE(even_odds_foretell_nothing),
        CASE(others_may_have_gone),
        CASE(the_same_step_fails_again),
        CASE(a_restart_loop_fails_again),
        CASE(restarts_of_long_runs_are_no_loop),
        CASE(a_bare_message_foretells_nothing),
        CASE(an_amount_foretells_nothing),
        CASE(a_pass_of_some_step_foretells_nothing),
        CASE(each_start_comes_to_its_profile),
        CASE(a_start_beside_others_may_differ),
        CASE(the_host_is_shared_when_it_starts),
        CASE(an_allocators_amounts_foretell_nothing),
        CASE(more_than_the_gpu_is_too_much_each_time),
        CASE(a_kill_of_a_job_comes_again),
        CASE(an_exit_code_foretells_nothing),
        CASE(what_a_page_asked_before_counts),
        CASE(more_than_the_gpu_is_too_much_for_each_call),
        CASE(a_run_comes_as_far_again),
        CASE(an_hour_of_running_is_progress),
        CASE(each_start_loads_as_long),
        CASE(three_steps_are_a_start),
        CASE(a_container_keeps_its_shared_memory),
        CASE(a_server_serves_again),
        CASE(host_memory_may_be_freed),
        CASE(more_than_the_host_is_not_freed),
        CASE(a_desktop_stays),
        CASE(a_job_on_the_gpu_ends),
        CASE(a_quarter_of_the_gpu_tells_nothing),
        CASE(the_page_cache_of_the_host_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
