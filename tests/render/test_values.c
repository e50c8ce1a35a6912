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

static struct render render(enum lang lang) {
    static const struct render_options plain;
    return (struct render){.a = &arena,
                           .r = texts_reader(&arena),
                           .o = &plain,
                           .lang = lang};
}

static void expect_text(struct str got, const char *want) {
    assert_string_equal(arena_str(&arena, got).p, want);
}

static struct str number_of(enum fact_name name, int64_t number) {
    struct render t = render(LANG_EN);
    struct fact f = {.name = name, .known = true, .number = number};
    return fact_text(&t, &f);
}

static void names_have_no_commas(void **state) {
    (void)state;
    expect_text(number_of(FACT_pid, 21984), "21984");
    expect_text(number_of(FACT_rank, 1024), "1024");
    expect_text(number_of(FACT_gpu_index, 1000), "1000");
    expect_text(number_of(FACT_exit_code, 1997), "1997");
    expect_text(number_of(FACT_kv_blocks, 21984), "21,984");
}

static struct str rate(enum lang lang, int64_t worked, int64_t tried) {
    struct render t = render(lang);
    struct success s = {.known = true, .basis = BASIS_reports,
                        .worked = worked, .tried = tried, .is_few = tried < 3};
    return rate_text(&t, &s);
}

static void few_reports_that_all_say_no_are_told(void **state) {
    (void)state;
    expect_text(rate(LANG_EN, 0, 2),
                "Worked for none of 2 who reported.");
    expect_text(rate(LANG_ZH, 0, 2), "2 人反馈，都无效。");
    expect_text(rate(LANG_EN, 0, 1), "One report: it did not work.");
    expect_text(rate(LANG_EN, 1, 2), "Fewer than 3 reports.");
    expect_text(rate(LANG_EN, 0, 5), "Worked for 0 of 5 who reported.");
}

static void one_report_is_no_rate(void **state) {
    (void)state;
    expect_text(rate(LANG_EN, 1, 1), "One report: it worked.");
    expect_text(rate(LANG_ZH, 1, 1), "只有 1 份反馈：有效。");
    expect_text(rate(LANG_ZH, 0, 1), "只有 1 份反馈：无效。");
    struct render t = render(LANG_EN);
    struct success s = {.known = true, .basis = BASIS_reports, .worked = 3,
                        .tried = 4, .maintainers_worked = 1,
                        .maintainers_tried = 1};
    expect_text(rate_text(&t, &s), "Worked for 3 of 4 who reported. "
                                     "A maintainer confirms it.");
}

static struct str failure(enum lang lang, int64_t failed, int64_t tried) {
    struct render t = render(lang);
    struct rate r = {.basis = BASIS_reports, .worked = failed, .tried = tried};
    return failure_text(&t, &r);
}

static void a_dead_end_counts_those_it_failed_for(void **state) {
    (void)state;
    expect_text(failure(LANG_EN, 1, 1), "One report: it did not work.");
    expect_text(failure(LANG_EN, 2, 3),
                "Failed for 2 of 3 who reported.");
    expect_text(failure(LANG_ZH, 2, 3), "3 人反馈，2 人无效。");
    struct render t = render(LANG_EN);
    struct rate r = {.basis = BASIS_estimate, .rate_micro = 900000};
    expect_text(failure_text(&t, &r),
                "How often it fails: An estimate, not reports: 90 %.");
}

static struct str depends_on(enum lang lang, const char *facts) {
    struct render t = render(lang);
    struct note n = {.key = "diagnose.applies.if", .count = 1};
    n.arg[0] = str_of(facts);
    return note_text(&t, &n);
}

static void facts_are_called_by_their_labels(void **state) {
    static const char two[] = "\x1fgpu_free\x1f\x1e\x1ftorch_version\x1f";
    (void)state;
    expect_text(depends_on(LANG_EN, two),
                "Not certain to apply: the log does not show free GPU memory, "
                "PyTorch.");
    expect_text(depends_on(LANG_ZH, two),
                "日志没有显示空闲显存、PyTorch，不确定是否适用。");
}

static void few_bytes_are_a_word_of_the_language(void **state) {
    (void)state;
    struct render en = render(LANG_EN), zh = render(LANG_ZH);
    expect_text(number_text(&en, UNIT_BYTES, 0), "0 bytes");
    expect_text(number_text(&en, UNIT_BYTES, 1), "1 byte");
    expect_text(number_text(&zh, UNIT_BYTES, 1023), "1,023 字节");
    expect_text(number_text(&zh, UNIT_BYTES, 1024), "1 KiB");
}

static void stray_marks_do_no_harm(void **state) {
    (void)state;
    expect_text(depends_on(LANG_EN, "\x1fnothing\x1f"),
                "Not certain to apply: the log does not show \x1fnothing\x1f.");
    expect_text(depends_on(LANG_EN, "\x1f"),
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
