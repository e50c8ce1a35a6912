/* Numbers, rates and the labels of facts as people read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "render/parts.h"
#include "support/texts.h"

static struct arena arena;

static int open_arena(void **state) {
    (void)state;
    arena_init(&arena, NULL, 0);
    return 0;
}

static int close_arena(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

static struct teller teller(enum lang lang) {
    static const struct render_options plain;
    return (struct teller){.a = &arena,
                           .r = texts_reader(&arena),
                           .o = &plain,
                           .lang = lang};
}

static void expect_shown(struct str got, const char *want) {
    assert_string_equal(arena_str(&arena, got).p, want);
}

static struct str number_of(enum fact_name name, int64_t number) {
    struct teller t = teller(LANG_EN);
    struct fact f = {.name = name, .known = true, .number = number};
    return shown_fact(&t, &f);
}

static void names_have_no_commas(void **state) {
    (void)state;
    expect_shown(number_of(FACT_pid, 21984), "21984");
    expect_shown(number_of(FACT_rank, 1024), "1024");
    expect_shown(number_of(FACT_gpu_index, 1000), "1000");
    expect_shown(number_of(FACT_exit_code, 1997), "1997");
    expect_shown(number_of(FACT_kv_blocks, 21984), "21,984");
}

static struct str rate(enum lang lang, int64_t worked, int64_t tried) {
    struct teller t = teller(lang);
    struct success s = {.known = true, .basis = BASIS_reports,
                        .worked = worked, .tried = tried, .is_few = tried < 3};
    return shown_rate(&t, &s);
}

static void few_reports_that_all_say_no_are_told(void **state) {
    (void)state;
    expect_shown(rate(LANG_EN, 0, 2),
                 "Worked for none of 2 who reported.");
    expect_shown(rate(LANG_ZH, 0, 2), "2 人反馈，都无效。");
    expect_shown(rate(LANG_EN, 0, 1), "One report: it did not work.");
    expect_shown(rate(LANG_EN, 1, 2), "Fewer than 3 reports.");
    expect_shown(rate(LANG_EN, 0, 5), "Worked for 0 of 5 who reported.");
}

static void one_report_is_no_rate(void **state) {
    (void)state;
    expect_shown(rate(LANG_EN, 1, 1), "One report: it worked.");
    expect_shown(rate(LANG_ZH, 1, 1), "只有 1 份反馈：有效。");
    expect_shown(rate(LANG_ZH, 0, 1), "只有 1 份反馈：无效。");
    struct teller t = teller(LANG_EN);
    struct success s = {.known = true, .basis = BASIS_reports, .worked = 3,
                        .tried = 4, .maintainers_worked = 1,
                        .maintainers_tried = 1};
    expect_shown(shown_rate(&t, &s), "Worked for 3 of 4 who reported. "
                                     "A maintainer confirms it.");
}

static struct str failure(enum lang lang, int64_t failed, int64_t tried) {
    struct teller t = teller(lang);
    struct rate r = {.basis = BASIS_reports, .worked = failed, .tried = tried};
    return shown_failure(&t, &r);
}

static void a_dead_end_counts_those_it_failed_for(void **state) {
    (void)state;
    expect_shown(failure(LANG_EN, 1, 1), "One report: it did not work.");
    expect_shown(failure(LANG_EN, 2, 3),
                 "Failed for 2 of 3 who reported.");
    expect_shown(failure(LANG_ZH, 2, 3), "3 人反馈，2 人无效。");
    struct teller t = teller(LANG_EN);
    struct rate r = {.basis = BASIS_estimate, .rate_micro = 900000};
    expect_shown(shown_failure(&t, &r),
                 "How often it fails: An estimate, not reports: 90 %.");
}

static struct str depends_on(enum lang lang, const char *facts) {
    struct teller t = teller(lang);
    struct note n = {.key = "diagnose.applies.if", .count = 1};
    n.arg[0] = str_of(facts);
    return said_note(&t, &n);
}

static void facts_are_called_by_their_labels(void **state) {
    static const char two[] = "\x1fgpu_free\x1f\x1e\x1ftorch_version\x1f";
    (void)state;
    expect_shown(depends_on(LANG_EN, two),
                 "Not certain to apply: the log does not show free GPU memory, "
                 "PyTorch.");
    expect_shown(depends_on(LANG_ZH, two),
                 "日志没有显示空闲显存、PyTorch，不确定是否适用。");
}

static void few_bytes_are_a_word_of_the_language(void **state) {
    (void)state;
    struct teller en = teller(LANG_EN), zh = teller(LANG_ZH);
    expect_shown(shown_number(&en, UNIT_BYTES, 0), "0 bytes");
    expect_shown(shown_number(&en, UNIT_BYTES, 1), "1 byte");
    expect_shown(shown_number(&zh, UNIT_BYTES, 1023), "1,023 字节");
    expect_shown(shown_number(&zh, UNIT_BYTES, 1024), "1 KiB");
}

static void stray_marks_do_no_harm(void **state) {
    (void)state;
    expect_shown(depends_on(LANG_EN, "\x1fnothing\x1f"),
                 "Not certain to apply: the log does not show \x1fnothing\x1f.");
    expect_shown(depends_on(LANG_EN, "\x1f"),
                 "Not certain to apply: the log does not show \x1f.");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_no_commas),
        cmocka_unit_test(few_reports_that_all_say_no_are_told),
        cmocka_unit_test(one_report_is_no_rate),
        cmocka_unit_test(a_dead_end_counts_those_it_failed_for),
        cmocka_unit_test(facts_are_called_by_their_labels),
        cmocka_unit_test(few_bytes_are_a_word_of_the_language),
        cmocka_unit_test(stray_marks_do_no_harm),
    };
    return cmocka_run_group_tests(tests, open_arena, close_arena);
}
