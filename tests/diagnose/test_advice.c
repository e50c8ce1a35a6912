/* Fixes in their order, dead ends, the corrected command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "diagnose/work.h"
#include "support/scene.h"

static struct scene s;

static void give_reports(struct workaround *w, int64_t worked,
                         int64_t tried) {
    w->success.basis = BASIS_reports;
    w->success.worked = worked;
    w->success.tried = tried;
}

static int make_corpus(void **state) {
    (void)state;
    scene_begin(&s);
    struct entry *e = scene_entry(&s, "vllm/kv-small",
                                  MECHANISM_kv_cache_startup);
    scene_cause(&s, "short-pool", MECHANISM_kv_cache_startup, RESTART_again);
    entry_cause(e, "short-pool", UNITS_MICRO);
    struct workaround *w = entry_fix(&s, e, "shorter");
    w->acts_on.flag = STR("--max-model-len");
    w->acts_on.change = CHANGE_down;
    w->command = STR("--max-model-len {max_model_len}");
    w->effect = EFFECT_max_model_len;
    w = entry_fix(&s, e, "eager");
    w->acts_on.flag = STR("--enforce-eager");
    w->acts_on.change = CHANGE_set;
    w->command = STR("--enforce-eager");
    w = entry_fix(&s, e, "often-works");
    give_reports(w, 9, 10);
    w = entry_fix(&s, e, "never-works");
    give_reports(w, 0, 9);
    w = entry_fix(&s, e, "two-friends");
    w->effort = EFFORT_restart;
    give_reports(w, 2, 2);
    w = entry_fix(&s, e, "of-another-cause");
    w->cure_count = 0;
    give_reports(w, 3, 3);
    w = entry_fix(&s, e, "cures-most");
    fix_cures(&s, w, "short-pool", STRENGTH_most);
    w = entry_fix(&s, e, "dear");
    w->effort = EFFORT_hardware;
    w = entry_fix(&s, e, "not-here");
    w->when = scene_list(&s, "kv_needed < 0");
    give_reports(w, 99, 99);
    w = entry_fix(&s, e, "if-batch");
    w->when = scene_list(&s, "batch_size > 1");
    give_reports(w, 99, 99);
    w = entry_fix(&s, e, "new-flag");
    w->acts_on.flag = STR("--new-thing");
    w->acts_on.change = CHANGE_set;
    w = entry_fix(&s, e, "new-command");
    w->command = STR("--enforce-eager --new-thing=2");
    w = entry_fix(&s, e, "new-word");
    w->how.in[LANG_EN] = STR("Type `--new-thing`, or wait.");
    w = entry_fix(&s, e, "new-word-said");
    w->how.in[LANG_EN] = STR("Type `--new-thing` from 0.10.2 on, or wait.");
    w = entry_fix(&s, e, "new-flag-or-other");
    w->acts_on.flag = STR("--new-thing");
    w->acts_on.change = CHANGE_set;
    w->how.in[LANG_EN] =
        STR("From 0.10.2 `--new-thing`, before that `--enforce-eager`.");
    w->command = STR("--new-thing 1");
    w = entry_fix(&s, e, "new-flag-alone");
    w->acts_on.flag = STR("--new-thing");
    w->acts_on.change = CHANGE_set;
    w->how.in[LANG_EN] = STR("Only from 0.10.2 on: `--new-thing`.");
    w = entry_fix(&s, e, "old-flag");
    w->acts_on.flag = STR("--old-thing");
    w->acts_on.change = CHANGE_set;
    w = entry_fix(&s, e, "warned-of");
    w->acts_on.kind = ACT_KIND_upgrade;
    w = entry_fix(&s, e, "done-another-way");
    w->acts_on.kind = ACT_KIND_shm_size;
    w = entry_fix(&s, e, "like-the-new");
    w->command = STR("--new-thing-else 3");
    struct dead_end *x = entry_dead_end(&s, e, "general");
    x->acts_on.kind = ACT_KIND_upgrade;
    x->when = scene_list(&s, "kv_needed > 0");
    x = entry_dead_end(&s, e, "one-way-to-do-it");
    x->acts_on.kind = ACT_KIND_shm_size;
    x = entry_dead_end(&s, e, "touched");
    x->acts_on.flag = STR("--enforce-eager");
    x->acts_on.change = CHANGE_down; /* no fix does that */
    x = entry_dead_end(&s, e, "conditional");
    x->when = scene_list(&s, "batch_size > 1");
    for (size_t i = 0; i < e->workaround_count; i++) {
        struct workaround *fix = &e->workarounds[i];
        if (fix->cure_count == 0 &&
            !str_eq(fix->id, STR("of-another-cause"))) {
            fix_cures(&s, fix, "short-pool", STRENGTH_some);
        }
    }
    scene_ready(&s);
    return 0;
}

static int drop_corpus(void **state) {
    (void)state;
    scene_end(&s);
    return 0;
}

static const struct fix *fix_named(const struct finding *f, const char *id) {
    for (size_t i = 0; i < f->fix_count; i++) {
        if (str_eq(f->fixes[i].workaround->id, str_of(id))) {
            return &f->fixes[i];
        }
    }
    fail_msg("no fix %s", id);
    return NULL;
}

static struct report *too_long(void) {
    see_message(&s, "vllm/kv-small", 9, "max_model_len=65536",
                "kv_needed__GiB=8.00", "kv_available__GiB=5.40",
                "est_max_model_len=44224", NULL);
    return scene_report(&s);
}

static void expect_above(const struct finding *f, const char *upper,
                         const char *lower) {
    assert_true(fix_named(f, upper)->rank < fix_named(f, lower)->rank);
}

static void what_does_not_apply_stands_last(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    const struct finding *f = &too_long()->findings[0];
    assert_int_equal(fix_named(f, "if-batch")->applies, APPLIES_IF);
    assert_int_equal(fix_named(f, "not-here")->applies, APPLIES_NO);
    expect_above(f, "if-batch", "not-here");
    expect_above(f, "dear", "not-here");
    assert_non_null(fix_named(f, "not-here")->because.key);
}

static void a_condition_that_is_unknown_halves_p(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    const struct finding *f = &too_long()->findings[0];
    /* (99 + 4 x 0.3) / (99 + 4), three times 0.3 at most; halved */
    assert_int_equal(fix_named(f, "if-batch")->p_micro, 450000);
}

static void enough_stands_before_unknown(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    const struct finding *f = &too_long()->findings[0];
    assert_int_equal(fix_named(f, "shorter")->estimate.verdict,
                     VERDICT_ENOUGH);
    expect_above(f, "shorter", "often-works");
    assert_int_equal(fix_named(f, "shorter")->rank, 1);
}

static void reports_move_p_and_cost_divides_it(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    const struct finding *f = &too_long()->findings[0];
    const struct fix *fix = fix_named(f, "often-works");
    assert_int_equal(fix->p_micro, 728571); /* (9 + 4 x 0.3) / (10 + 4) */
    assert_int_equal(fix->gain_micro, 728571);
    assert_int_equal(fix_named(f, "eager")->p_micro, 300000);
    fix = fix_named(f, "dear");
    assert_int_equal(fix->p_micro, 300000);
    assert_int_equal(fix->gain_micro, 75000);
    expect_above(f, "often-works", "eager");
    expect_above(f, "eager", "never-works");
    expect_above(f, "never-works", "dear"); /* 0.09 of 1, 0.30 of 4 */
}

static void what_cures_more_stands_above(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    const struct finding *f = &too_long()->findings[0];
    assert_int_equal(fix_named(f, "cures-most")->p_micro, 700000);
    expect_above(f, "cures-most", "eager");
}

static void reports_move_no_fix_beyond_measure(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    const struct finding *f = &too_long()->findings[0];
    assert_int_equal(fix_named(f, "of-another-cause")->p_micro, 90000);
}

static void own(const char *fix, bool worked) {
    s.own[s.own_count++] =
        (struct own_report){STR("vllm/kv-small"), str_of(fix), worked};
}

static void own_reports_move_a_fix_at_once(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    own("often-works", false);
    own("dear", true);
    own("never-works", true);
    own("never-works", true);
    own("no-such-fix", true);
    const struct finding *f = &too_long()->findings[0];
    /* One's own count three times: (9 + 1.2) / (10 + 3 + 4). */
    const struct fix *fix = fix_named(f, "often-works");
    assert_int_equal(fix->p_micro, 600000);
    assert_int_equal(fix_named(f, "dear")->p_micro, 600000);
    /* (0 + 6 + 1.2) / (9 + 6 + 4) */
    assert_int_equal(fix_named(f, "never-works")->p_micro, 378947);
    expect_above(f, "shorter", "often-works"); /* the arithmetic still counts */
    assert_int_equal(fix->own.failed, 1);
    assert_int_equal(fix->success.tried, 10);
}

static void what_failed_here_is_not_enough(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    own("shorter", false);
    const struct finding *f = &too_long()->findings[0];
    assert_int_equal(fix_named(f, "shorter")->estimate.verdict,
                     VERDICT_ENOUGH);
    expect_above(f, "often-works", "shorter");
    /* A third of what the reports say: 171,428 x 0.33. */
    assert_int_equal(fix_named(f, "shorter")->p_micro, 57142);
}

static void own_reports_are_drawn_towards_the_others(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    own("eager", true); /* nobody reported: (1 + 2 x 1/2) / 3 */
    own("often-works", false);
    const struct finding *f = &too_long()->findings[0];
    assert_int_equal(fix_named(f, "eager")->own.mean, 666667);
    const struct fix *fix = fix_named(f, "often-works");
    assert_int_equal(fix->own.mean, (2 * fix->success.mean + 1) / 3);
}

static void maintainers_are_kept_apart(void **state) {
    (void)state;
    struct rate rate = {.basis = BASIS_reports, .worked = 1, .tried = 4,
                        .maintainers_worked = 5, .maintainers_tried = 5,
                        .rate_micro = -1};
    struct workaround nothing = {.acts_on = {.kind = ACT_KIND_none}};
    struct success with = success_of(s.reader, &rate, MECHANISM_weights,
                                     &nothing);
    rate.maintainers_tried = rate.maintainers_worked = 0;
    struct success without = success_of(s.reader, &rate, MECHANISM_weights,
                                        &nothing);
    assert_int_equal(with.mean, without.mean);
    assert_int_equal(with.low, without.low);
    assert_int_equal(with.maintainers_tried, 5);
}

static void every_place_is_explained(void **state) {
    (void)state;
    const struct finding *f = &too_long()->findings[0];
    for (size_t i = 0; i < f->fix_count; i++) {
        assert_non_null(f->fixes[i].worth);
        assert_int_equal(f->fixes[i].rank, i + 1);
    }
}

static void a_flag_that_is_set_is_already(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    see_context(&s, "dump", 2, "enforce_eager=True", NULL);
    const struct finding *f = &too_long()->findings[0];
    assert_int_equal(fix_named(f, "eager")->applies, APPLIES_ALREADY);
    expect_above(f, "not-here", "eager");
}

static void a_value_that_failed_is_not_advised_again(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    see_message(&s, "vllm/kv-small", 3, "max_model_len=44208",
                "kv_needed__GiB=5.40", "kv_available__GiB=5.30", NULL);
    const struct finding *f = &too_long()->findings[0];
    const struct fix *fix = fix_named(f, "shorter");
    assert_int_equal(fix->applies, APPLIES_NO);
    assert_string_equal(fix->because.key, "diagnose.applies.tried");
    assert_true(f->dead_end_count > 0 && !f->dead_ends[0].dead_end);
}

static const struct fix *in_release(const char *release, const char *id) {
    see_context(&s, "engine", 1, NULL);
    see_context(&s, "dump", 2, release, NULL);
    return fix_named(&too_long()->findings[0], id);
}

static void what_the_release_lacks_is_not_advised(void **state) {
    (void)state;
    const struct fix *fix = in_release("engine_version=0.9.1", "new-flag");
    assert_int_equal(fix->applies, APPLIES_NO);
    assert_string_equal(fix->because.key, "diagnose.applies.release");
    fix = in_release("engine_version=0.9.1", "new-command");
    assert_int_equal(fix->applies, APPLIES_NO);
    fix = in_release("engine_version=0.9.1", "old-flag");
    assert_int_equal(fix->applies, APPLIES_NO);
}

static void a_setting_named_by_the_way_is_told_of(void **state) {
    (void)state;
    const struct fix *fix = in_release("engine_version=0.9.1", "new-word");
    assert_int_equal(fix->applies, APPLIES_YES);
    assert_string_equal(fix->because.key, "diagnose.applies.release");
    fix = in_release("engine_version=0.9.1", "new-word-said");
    assert_null(fix->because.key);
}

static void steps_that_name_another_way_stand(void **state) {
    (void)state;
    const struct fix *fix =
        in_release("engine_version=0.9.1", "new-flag-or-other");
    assert_int_equal(fix->applies, APPLIES_YES);
    assert_int_equal(fix->command.n, 0);
    assert_string_equal(fix->because.key, "diagnose.applies.release");
    fix = in_release("engine_version=0.9.1", "new-flag-alone");
    assert_int_equal(fix->applies, APPLIES_NO);
}

static void what_the_release_takes_is_advised(void **state) {
    (void)state;
    const struct fix *fix = in_release("engine_version=0.10.2", "new-flag");
    assert_int_equal(fix->applies, APPLIES_YES);
    assert_null(fix->because.key);
    fix = in_release("engine_version=0.10.2", "new-word");
    assert_null(fix->because.key);
}

static void only_that_setting_is_meant(void **state) {
    (void)state;
    const struct fix *fix = in_release("engine_version=0.8.5", "old-flag");
    assert_int_equal(fix->applies, APPLIES_YES);
    fix = in_release("engine_version=0.8.5", "like-the-new");
    assert_int_equal(fix->applies, APPLIES_YES);
}

static void an_unknown_release_takes_everything(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    const struct finding *f = &too_long()->findings[0];
    assert_int_equal(fix_named(f, "new-flag")->applies, APPLIES_YES);
    assert_int_equal(fix_named(f, "old-flag")->applies, APPLIES_YES);
}

static void touched_dead_ends_come_first(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    see_context(&s, "dump", 2, "enforce_eager=True", NULL);
    const struct finding *f = &too_long()->findings[0];
    assert_int_equal(f->dead_end_count, 3); /* the conditional one is out */
    assert_string_equal(f->dead_ends[0].dead_end->action.in[LANG_EN].p,
                        "touched");
}

static void what_is_a_dead_end_is_no_fix(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    const struct finding *f = &too_long()->findings[0];
    const struct fix *fix = fix_named(f, "warned-of");
    assert_int_equal(fix->applies, APPLIES_NO);
    assert_string_equal(fix->because.key, "diagnose.applies.dead_end");
    /* no condition: true of every log, so it cannot mean the fix itself */
    assert_int_equal(fix_named(f, "done-another-way")->applies, APPLIES_YES);
}

static void the_command_is_corrected(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    see_context(&s, "command", 2, NULL)->command =
        STR("vllm serve m --max-model-len 65536 --port 1");
    struct report *r = too_long();
    assert_string_equal(r->command_after.p,
                        "vllm serve m --max-model-len 44208 --port 1");
}

static void no_command_no_correction(void **state) {
    (void)state;
    see_context(&s, "engine", 1, NULL);
    assert_int_equal(too_long()->command_after.n, 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, make_corpus, drop_corpus)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(what_does_not_apply_stands_last),
        CASE(a_condition_that_is_unknown_halves_p),
        CASE(enough_stands_before_unknown),
        CASE(reports_move_p_and_cost_divides_it),
        CASE(what_cures_more_stands_above),
        CASE(reports_move_no_fix_beyond_measure),
        CASE(own_reports_move_a_fix_at_once),
        CASE(what_failed_here_is_not_enough),
        CASE(own_reports_are_drawn_towards_the_others),
        CASE(maintainers_are_kept_apart),
        CASE(every_place_is_explained),
        CASE(a_flag_that_is_set_is_already),
        CASE(a_value_that_failed_is_not_advised_again),
        CASE(what_the_release_lacks_is_not_advised),
        CASE(a_setting_named_by_the_way_is_told_of),
        CASE(steps_that_name_another_way_stand),
        CASE(what_the_release_takes_is_advised),
        CASE(only_that_setting_is_meant),
        CASE(an_unknown_release_takes_everything),
        CASE(touched_dead_ends_come_first),
        CASE(what_is_a_dead_end_is_no_fix),
        CASE(the_command_is_corrected),
        CASE(no_command_no_correction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
