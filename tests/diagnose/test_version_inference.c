/* A version that nobody names, told by the form of the message: the answer
 * where every release that prints it agrees, and no answer where they do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "diagnose/work.h"
#include "support/scene.h"

static struct scene s;

/* Releases of torch, from until; NULL: no such end. */
static struct version_range range(const char *from, const char *until) {
    struct version_event *at = arena_array(&s.arena, 2, sizeof *at);
    size_t count = 0;
    if (from) {
        at[count++] = (struct version_event){false, str_of(from)};
    }
    if (until) {
        at[count++] = (struct version_event){true, str_of(until)};
    }
    return (struct version_range){STR("torch"), at, count};
}

static void fix_when(struct entry *e, const char *id, const char *when) {
    entry_fix(&s, e, id)->when = scene_list(&s, when);
}

static int make_corpus(void **state) {
    (void)state;
    scene_begin(&s);
    struct entry *e = scene_entry(&s, "torch/oom", MECHANISM_activation);
    struct version_range *form = arena_array(&s.arena, 1, sizeof *form);
    *form = range("1.4.0", "2.1.0");
    e->signatures[0].versions = form;
    e->signatures[0].version_count = 1;
    fix_when(e, "always", "vcmp(torch_version, '1.4.0') >= 0");
    fix_when(e, "never", "vcmp(torch_version, '2.1.0') >= 0");
    fix_when(e, "some", "vcmp(torch_version, '2.0.0') >= 0");
    fix_when(e, "inside", "vcmp(torch_version, '1.10.0') >= 0 AND "
                          "vcmp(torch_version, '1.11.0') < 0");
    fix_when(e, "one-release", "vcmp(torch_version, '2.0.1') = 0");
    fix_when(e, "by-default",
             "coalesce(vcmp(torch_version, '2.1.0'), 1) >= 0");
    fix_when(e, "of-another", "vcmp(engine_version, '0.9.0') >= 0");
    e->versions = arena_array(&s.arena, 3, sizeof *e->versions);
    e->version_count = 3;
    e->versions[0].range = range("0", "2.1.0");
    e->versions[1].range = range("2.1.0", NULL);
    e->versions[2].range = range("2.0.0", NULL);
    scene_ready(&s);
    return 0;
}

static int drop_corpus(void **state) {
    (void)state;
    scene_end(&s);
    return 0;
}

static const struct finding *seen(void) {
    see_message(&s, "torch/oom", 4, "tried_alloc=2.00 GiB", NULL);
    return &scene_report(&s)->findings[0];
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

static void expect_applies(const struct finding *f, const char *id,
                           enum applies applies) {
    assert_int_equal(fix_named(f, id)->applies, applies);
}

static void releases_that_agree_answer(void **state) {
    (void)state;
    const struct finding *f = seen();
    expect_applies(f, "always", APPLIES_YES);
    expect_applies(f, "never", APPLIES_NO);
    expect_applies(f, "by-default", APPLIES_NO);
}

static void releases_that_differ_do_not(void **state) {
    (void)state;
    const struct finding *f = seen();
    expect_applies(f, "some", APPLIES_IF);
    expect_applies(f, "inside", APPLIES_IF);
    expect_applies(f, "one-release", APPLIES_IF);
    expect_applies(f, "of-another", APPLIES_IF);
}

static void no_version_is_made_up(void **state) {
    (void)state;
    const struct finding *f = seen();
    assert_null(fact_of(&f->facts, "torch_version"));
    assert_null(fact_of(&scene_report(&s)->context, "torch_version"));
}

static void the_reason_names_the_range(void **state) {
    (void)state;
    const struct note *why = &fix_named(seen(), "never")->because;
    assert_string_equal(why->key, "diagnose.applies.no");
    assert_true(str_find(why->arg[0], STR(" >= 1.4.0 < 2.1.0")) <
                why->arg[0].n);
}

static void rows_of_versions_are_told_too(void **state) {
    (void)state;
    const struct finding *f = seen();
    assert_int_equal(f->versions[0].in_range, RANGE_INSIDE);
    assert_int_equal(f->versions[1].in_range, RANGE_OUTSIDE);
    assert_int_equal(f->versions[2].in_range, RANGE_UNKNOWN);
    assert_int_equal(f->versions[0].version.n, 0);
}

static void a_version_that_is_named_decides_alone(void **state) {
    (void)state;
    user_says(&s, "torch_version=2.6.0");
    const struct finding *f = seen();
    expect_applies(f, "never", APPLIES_YES);
    expect_applies(f, "some", APPLIES_YES);
    assert_int_equal(f->versions[0].in_range, RANGE_OUTSIDE);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, make_corpus, drop_corpus)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(releases_that_agree_answer),
        CASE(releases_that_differ_do_not),
        CASE(no_version_is_made_up),
        CASE(the_reason_names_the_range),
        CASE(rows_of_versions_are_told_too),
        CASE(a_version_that_is_named_decides_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
