/* One finding per cause: instances, wrappers, consequences, attempts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/scene.h"

#define MIB(n) (INT64_C(1) << 20) * (n)

static struct scene s;

static int make_corpus(void **state) {
    (void)state;
    scene_begin(&s);
    scene_entry(&s, "torch/oom", MECHANISM_unspecified);
    entry_when(&s, scene_member(&s, "torch/oom-load", MECHANISM_weights,
                                "torch/oom"), "stage = 'load'");
    struct entry *e = scene_entry(&s, "vllm/core-failed",
                                  MECHANISM_unspecified);
    e->role = ROLE_wrapper;
    e = scene_entry(&s, "vllm/sampler", MECHANISM_activation);
    entry_relation(&s, e, RELATION_wraps, "torch/oom");
    e = scene_entry(&s, "vllm/preemption", MECHANISM_kv_cache_runtime);
    e->severity = SEVERITY_warning;
    e = scene_entry(&s, "linux/killed", MECHANISM_host_ram);
    e->signatures[0].is_weak = true;
    e = scene_entry(&s, "unknown/memory", MECHANISM_unspecified);
    e->signatures[0].is_weak = true;
    e->severity = SEVERITY_suspect;
    scene_entry(&s, "vllm/kv-small", MECHANISM_kv_cache_startup);
    e = scene_entry(&s, "shm/small", MECHANISM_shared_memory);
    e->severity = SEVERITY_warning;
    e = scene_entry(&s, "shm/bus-error", MECHANISM_shared_memory);
    entry_relation(&s, e, RELATION_wraps, "shm/small");
    scene_ready(&s);
    return 0;
}

static int drop_corpus(void **state) {
    (void)state;
    scene_end(&s);
    return 0;
}

static void eight_ranks_are_one_cause(void **state) {
    (void)state;
    static const char *const gpu[] = {
        "gpu_index=0", "gpu_index=1", "gpu_index=2", "gpu_index=3"};
    static const char *const free_now[] = {
        "gpu_free=40.00 MiB", "gpu_free=8.00 MiB", "gpu_free=20.00 MiB",
        "gpu_free=30.00 MiB"};
    for (uint32_t i = 0; i < 4; i++) {
        s.stream = i + 1;
        s.streams[i + 1].rank = (int64_t)i;
        see_message(&s, "torch/oom", 10 + i, "tried_alloc=64.00 MiB", gpu[i],
                    free_now[i], NULL);
    }
    struct report *r = scene_report(&s);
    expect_roots(r, 1);
    const struct finding *f = &r->findings[0];
    assert_int_equal(f->count, 4);
    assert_int_equal(f->instance_count, 3);
    expect_number(&f->facts, "gpu_index", 1); /* the least free */
    expect_number(&f->facts, "gpu_free", MIB(8));
    assert_int_equal(f->instances[0].gpu, 0);
    assert_int_equal(f->instances[0].rank, 0);
    assert_int_equal(f->first_line, 10);
    assert_int_equal(f->last_line, 13);
}

static void an_echo_is_counted_not_listed(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 3, "tried_alloc=64.00 MiB", NULL);
    see_message(&s, "torch/oom", 30, "tried_alloc=64.00 MiB", NULL);
    struct report *r = scene_report(&s);
    expect_roots(r, 1);
    assert_int_equal(r->findings[0].count, 2);
    assert_int_equal(r->findings[0].instance_count, 0);
}

static void a_cut_message_joins_the_one_with_frames(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    see_stage(&s, "load", true, 4);
    struct hit *h = see_message(&s, "torch/oom", 6, "tried_alloc=64.00 MiB",
                                "gpu_free=20.00 MiB", NULL);
    h->trace_first = 3;
    s.stream = 2;
    see_message(&s, "torch/oom", 9, "tried_alloc=64.00 MiB",
                "gpu_free=10.00 MiB", NULL);
    struct report *r = scene_report(&s);
    expect_roots(r, 1);
    const struct finding *f = finding_of(r, "torch/oom-load");
    expect_number(&f->facts, "gpu_free", MIB(10));
    expect_word(&f->facts, "stage", "load");
}

static void a_wrapper_points_at_its_cause(void **state) {
    (void)state;
    see_message(&s, "vllm/core-failed", 2, NULL);
    see_message(&s, "torch/oom", 5, "tried_alloc=64.00 MiB", NULL);
    struct report *r = scene_report(&s);
    expect_roots(r, 1);
    const struct finding *f = finding_of(r, "vllm/core-failed");
    assert_int_equal(f->role, ROLE_wrapper);
    assert_int_equal(f->cause, 0);
    assert_string_equal(r->findings[0].entry->id.p, "torch/oom");
}

static void a_lone_wrapper_is_the_root_and_asks(void **state) {
    (void)state;
    see_message(&s, "vllm/core-failed", 2, NULL);
    struct report *r = scene_report(&s);
    expect_roots(r, 1);
    assert_int_equal(r->findings[0].role, ROLE_root);
    assert_int_equal(r->findings[0].entry->mechanism,
                     MECHANISM_unspecified);
    assert_int_equal(r->question_count, 1);
    assert_string_equal(r->questions[0].ask.key, "diagnose.ask.above");
    assert_true(report_failures(r) > 0);
}

static void the_specific_message_takes_the_numbers(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 5, "tried_alloc=64.00 MiB",
                "gpu_free=10.00 MiB", NULL);
    see_message(&s, "vllm/sampler", 9, "max_num_seqs=1024", NULL);
    struct report *r = scene_report(&s);
    expect_roots(r, 1);
    const struct finding *f = finding_of(r, "vllm/sampler");
    assert_int_equal(f->role, ROLE_root);
    expect_number(&f->facts, "tried_alloc", MIB(64));
    expect_number(&f->facts, "max_num_seqs", 1024);
    assert_int_equal(f->instance_count, 1);
}

static void one_line_read_by_two_entries_counts_once(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 5, "tried_alloc=64.00 MiB", NULL);
    see_message(&s, "vllm/sampler", 5, "max_num_seqs=1024", NULL);
    struct report *r = scene_report(&s);
    expect_roots(r, 1);
    assert_int_equal(r->findings[0].count, 1);
}

static void a_far_failure_with_the_same_words_stays(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 5, "tried_alloc=64.00 MiB", NULL);
    see_message(&s, "vllm/sampler", 9, "max_num_seqs=1024", NULL);
    see_message(&s, "torch/oom", 9000, "tried_alloc=7.00 GiB", NULL);
    struct report *r = scene_report(&s);
    expect_roots(r, 2);
    expect_number(&finding_of(r, "vllm/sampler")->facts, "tried_alloc",
                  MIB(64));
    const struct finding *f = finding_of(r, "torch/oom");
    assert_int_equal(f->count, 1);
    assert_int_equal(f->first_line, 9000);
}

static void a_warning_stays_apart(void **state) {
    (void)state;
    see_message(&s, "vllm/preemption", 2, NULL);
    see_message(&s, "torch/oom", 5, "tried_alloc=64.00 MiB", NULL);
    struct report *r = scene_report(&s);
    assert_int_equal(r->finding_count, 2);
    assert_string_equal(r->findings[0].entry->id.p, "torch/oom");
    assert_int_equal(r->findings[1].entry->severity, SEVERITY_warning);
    assert_true(report_failures(r) > 0);
}

static void only_a_warning_is_no_failure(void **state) {
    (void)state;
    see_message(&s, "vllm/preemption", 2, NULL);
    assert_int_equal(report_failures(scene_report(&s)), 0);
}

static void weak_words_follow_a_failure(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 5, "tried_alloc=64.00 MiB", NULL);
    see_message(&s, "linux/killed", 9, NULL);
    struct report *r = scene_report(&s);
    expect_roots(r, 1);
    const struct finding *f = finding_of(r, "linux/killed");
    assert_int_equal(f->role, ROLE_consequence);
    assert_int_equal(f->cause, 0);
}

static void weak_words_alone_are_the_root(void **state) {
    (void)state;
    see_message(&s, "linux/killed", 9, "signal=SIGKILL", NULL);
    struct report *r = scene_report(&s);
    expect_roots(r, 1);
    assert_int_equal(r->questions[0].fact, FACT_host_rss);
}

/* Even a wrapper or a bare "Killed" knows more than a suspect. */
static void a_suspect_vanishes_beside_any_failure(void **state) {
    (void)state;
    static const char *const known[] = {"torch/oom", "vllm/core-failed",
                                        "linux/killed"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        see_message(&s, "unknown/memory", 5, "tried_alloc=64.00 MiB", NULL);
        see_message(&s, known[i], 9, NULL);
        see_message(&s, "unknown/memory", 5000, "tried_alloc=7.00 GiB", NULL);
        struct report *r = scene_report(&s);
        assert_int_equal(r->finding_count, 1);
        assert_int_equal(r->suspect_count, 0);
        assert_string_equal(r->findings[0].entry->id.p, known[i]);
        assert_int_equal(r->findings[0].role, ROLE_root);
        assert_null(facts_first(&r->findings[0].facts, FACT_tried_alloc));
        drop_corpus(NULL);
        make_corpus(NULL);
    }
}

static void a_warning_silences_no_suspect(void **state) {
    (void)state;
    see_message(&s, "vllm/preemption", 2, NULL);
    see_message(&s, "unknown/memory", 5, "tried_alloc=64.00 MiB", NULL);
    struct report *r = scene_report(&s);
    assert_int_equal(r->finding_count, 1);
    assert_int_equal(r->suspect_count, 1);
    assert_int_equal(report_failures(r), 0);
}

/* The failure says what the warning said, with its numbers; one that no
 * failure followed goes on standing for itself. */
static void a_wrapped_warning_is_told_by_the_failure(void **state) {
    (void)state;
    see_message(&s, "shm/small", 2, "shm_limit=64.00 MiB", NULL);
    struct report *r = scene_report(&s);
    assert_int_equal(r->finding_count, 1);
    see_message(&s, "shm/bus-error", 9000, NULL);
    r = scene_report(&s);
    assert_int_equal(r->finding_count, 1);
    const struct finding *f = finding_of(r, "shm/bus-error");
    expect_number(&f->facts, "shm_limit", MIB(64));
    assert_int_equal(f->count, 1);
}

static void a_suspect_alone_is_no_finding(void **state) {
    (void)state;
    see_message(&s, "unknown/memory", 5, "tried_alloc=64.00 MiB",
                "gpu_free=16.00 MiB", NULL);
    see_message(&s, "unknown/memory", 9000, "tried_alloc=32.00 MiB", NULL);
    struct report *r = scene_report(&s);
    assert_int_equal(r->finding_count, 0);
    assert_int_equal(r->suspect_count, 1);
    assert_int_equal(r->suspects[0].first_line, 5);
    struct need_and_have of = suspect_amounts(&r->suspects[0]);
    assert_int_equal(of.need->number, MIB(64));
    assert_int_equal(of.have->number, MIB(16));
    assert_int_equal(report_failures(r), 0);
    assert_string_equal(r->summary.key, "diagnose.summary.suspect");
}

static void attempts_are_instances_and_dead_ends(void **state) {
    (void)state;
    see_message(&s, "vllm/kv-small", 3, "max_model_len=24000",
                "kv_tokens=6592", NULL);
    see_message(&s, "vllm/kv-small", 8, "max_model_len=20000",
                "kv_tokens=10944", NULL);
    struct report *r = scene_report(&s);
    expect_roots(r, 1);
    const struct finding *f = &r->findings[0];
    expect_number(&f->facts, "max_model_len", 20000); /* the last */
    assert_int_equal(f->instance_count, 1);
    expect_number(&f->instances[0].facts, "max_model_len", 24000);
    assert_int_equal(f->dead_end_count, 1);
    assert_null(f->dead_ends[0].dead_end);
    assert_true(str_eq(f->dead_ends[0].action.arg[1], STR("24000")));
}

static void other_ranks_are_no_attempts(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        s.stream = i + 1;
        s.streams[i + 1].rank = (int64_t)i;
        see_message(&s, "vllm/kv-small", 3 + i, "max_model_len=24000",
                    i ? "kv_tokens=6592" : "kv_tokens=6608", NULL);
    }
    struct report *r = scene_report(&s);
    assert_int_equal(r->findings[0].instance_count, 1);
    assert_int_equal(r->findings[0].dead_end_count, 0);
}

static void nothing_seen_nothing_said(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    struct report *r = scene_report(&s);
    assert_int_equal(r->finding_count, 0);
    assert_int_equal(report_failures(r), 0);
    assert_string_equal(r->summary.key, "diagnose.summary.none");
    expect_word(&r->context, "engine", "vllm");
}

static void ids_are_stable(void **state) {
    (void)state;
    see_message(&s, "torch/oom", 5, "tried_alloc=64.00 MiB", NULL);
    struct str first = scene_report(&s)->findings[0].id;
    struct str again = scene_report(&s)->findings[0].id;
    assert_int_equal(first.n, 16);
    assert_true(str_eq(first, again));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, make_corpus, drop_corpus)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(eight_ranks_are_one_cause),
        CASE(an_echo_is_counted_not_listed),
        CASE(a_cut_message_joins_the_one_with_frames),
        CASE(a_wrapper_points_at_its_cause),
        CASE(a_lone_wrapper_is_the_root_and_asks),
        CASE(the_specific_message_takes_the_numbers),
        CASE(one_line_read_by_two_entries_counts_once),
        CASE(a_far_failure_with_the_same_words_stays),
        CASE(a_warning_stays_apart),
        CASE(only_a_warning_is_no_failure),
        CASE(weak_words_follow_a_failure),
        CASE(weak_words_alone_are_the_root),
        CASE(a_suspect_vanishes_beside_any_failure),
        CASE(a_warning_silences_no_suspect),
        CASE(a_wrapped_warning_is_told_by_the_failure),
        CASE(a_suspect_alone_is_no_finding),
        CASE(attempts_are_instances_and_dead_ends),
        CASE(other_ranks_are_no_attempts),
        CASE(nothing_seen_nothing_said),
        CASE(ids_are_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
