/* test_text.c: what a person reads. Golden files stand in golden/, named for
 * what they show; OOMKB_REFRESH=1 writes them anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "render/text_writer.h"
#include "render/render.h"
#include "support/golden.h"
#include "support/reports.h"
#include "support/texts.h"

static struct arena arena;
static struct reader *texts;

static int open_texts(void **state) {
    (void)state;
    arena_init(&arena, NULL, 0);
    texts = texts_reader(&arena);
    return 0;
}

static int close_texts(void **state) {
    (void)state;
    arena_free(&arena);
    return 0;
}

static struct str shown(const struct report *r, struct render_options o) {
    struct buf out = buf_in(&arena, (size_t)1 << 24);
    struct answer answer = {.report = r};
    format_write(format_named(STR("text")), &arena, texts, &answer, &o, &out);
    assert_true(buf_ok(&out));
    return arena_str(&arena, buf_str(&out));
}

static struct str at_width(const struct report *r, enum lang lang,
                           uint32_t width) {
    return shown(r, (struct render_options){.lang = lang, .width = width});
}

static struct str all_of(const struct report *r) {
    return shown(r, (struct render_options){.width = 80, .all = true});
}

static void expect_contains(struct str text, const char *what) {
    if (str_find(text, str_of(what)) == text.n) {
        fail_msg("no \"%s\" in:\n%.*s", what, STR_ARG(text));
    }
}

static void expect_lacks(struct str text, const char *what) {
    if (str_find(text, str_of(what)) != text.n) {
        fail_msg("\"%s\" stands in:\n%.*s", what, STR_ARG(text));
    }
}

/* ---- golden ---- */

static void expect_golden(const char *name, struct str text) {
    expect_golden_file(&arena, arena_printf(&arena, "%s.txt", name).p, text);
}

static void golden_in_all(const char *name, const struct report *r) {
    static const uint32_t widths[] = {60, 80, 100};
    static const char *const langs[] = {"en", "zh"};
    for (int lang = 0; lang < LANG_COUNT_OF; lang++) {
        for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
            struct str file = arena_printf(&arena, "%s-%s-%u", name,
                                           langs[lang], widths[i]);
            expect_golden(file.p, at_width(r, (enum lang)lang, widths[i]));
        }
    }
}

static void kv_pool_reads_as_agreed(void **state) {
    (void)state;
    golden_in_all("kv-pool", report_of_kv_pool(&arena));
}

static void free_at_start_reads_as_agreed(void **state) {
    (void)state;
    golden_in_all("free-at-start", report_of_free_at_start(&arena));
}

static void warning_reads_as_agreed(void **state) {
    (void)state;
    golden_in_all("warning", report_of_warning(&arena));
}

static void nothing_reads_as_agreed(void **state) {
    (void)state;
    golden_in_all("nothing", report_of_nothing(&arena));
}

/* ---- rules ---- */

/* Lines may be longer only where breaking would spoil what is copied. */
static bool may_be_long(struct str line) {
    bool is_command = str_starts(line, STR("        "));
    struct str word = str_trim(line);
    return is_command || str_find_char(word, ' ') == word.n;
}

static void expect_fits(struct str text, uint32_t width) {
    while (text.n > 0) {
        struct str line = str_cut(text, '\n', &text);
        if (utf8_width(line) > width && !may_be_long(line)) {
            fail_msg("wider than %u: %.*s", width, STR_ARG(line));
        }
    }
}

static void lines_keep_to_the_width(void **state) {
    (void)state;
    struct report *reports[] = {
        report_of_kv_pool(&arena), report_of_free_at_start(&arena),
        report_of_warning(&arena), report_of_nothing(&arena),
        report_of_hostile_log(&arena)};
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        for (uint32_t width = 60; width <= 120; width++) {
            expect_fits(at_width(reports[i], LANG_EN, width), width);
            expect_fits(at_width(reports[i], LANG_ZH, width), width);
        }
    }
}

static void width_has_a_floor_and_a_ceiling(void **state) {
    (void)state;
    struct report *r = report_of_kv_pool(&arena);
    assert_true(str_eq(at_width(r, LANG_EN, 1), at_width(r, LANG_EN, 60)));
    assert_true(str_eq(at_width(r, LANG_EN, 999), at_width(r, LANG_EN, 120)));
    assert_true(str_eq(at_width(r, LANG_EN, 0), at_width(r, LANG_EN, 80)));
}

static void colour_only_when_asked_for(void **state) {
    (void)state;
    struct report *r = report_of_kv_pool(&arena);
    expect_lacks(at_width(r, LANG_EN, 80), "\033");
    struct render_options o = {.width = 80, .color = true};
    expect_contains(shown(r, o), "\033[1m");
}

static void colour_changes_no_word(void **state) {
    (void)state;
    struct report *r = report_of_kv_pool(&arena);
    struct render_options o = {.width = 80, .color = true};
    struct str inked = shown(r, o);
    struct buf plain = buf_in(&arena, (size_t)1 << 20);
    for (size_t i = 0; i < inked.n; i++) {
        if (inked.p[i] == '\033') {
            while (inked.p[i] != 'm') {
                i++;
            }
        } else {
            buf_add_char(&plain, inked.p[i]);
        }
    }
    assert_true(str_eq(buf_str(&plain), at_width(r, LANG_EN, 80)));
}

static void nothing_of_a_log_is_obeyed(void **state) {
    (void)state;
    struct report *r = report_of_hostile_log(&arena);
    struct render_options o = {.width = 80, .why = true};
    struct str text = shown(r, o);
    assert_true(utf8_valid(text));
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        assert_true(c == '\n' || (c >= ' ' && c != 0x7f));
    }
    expect_lacks(text, "\xc2\x9b");     /* a C1 control sequence */
    expect_lacks(text, "\xe2\x80\xae"); /* right-to-left override */
}

static void few_reports_are_no_percentage(void **state) {
    (void)state;
    struct str text = all_of(report_of_kv_pool(&arena));
    expect_contains(text, "Worked for 10 of 13 who reported");
    expect_contains(text, "Fewer than 3 reports");
    expect_lacks(text, "1 of 2");
}

static void what_is_not_enough_is_never_first(void **state) {
    (void)state;
    struct report *r = report_of_kv_pool(&arena);
    r->findings[0].fixes[0].estimate.verdict = VERDICT_NOT_ENOUGH;
    struct str text = at_width(r, LANG_EN, 80);
    size_t not_this = str_find(text, STR("Do not"));
    assert_true(not_this < text.n);
    assert_true(str_find(text, STR("Lower the promised")) > not_this);
}

static void what_follows_gets_one_line_if_it_adds_something(void **state) {
    (void)state;
    struct report *r = report_of_kv_pool(&arena);
    const char *wrapper = "vLLM's engine process died (line 88)";
    expect_lacks(at_width(r, LANG_EN, 80), "engine process died");
    expect_contains(all_of(r), wrapper);
    expect_lacks(all_of(r), "vllm/engine-core-failed");
    r->findings[1].role = ROLE_consequence;
    r->findings[0].fix_count = 1;
    expect_contains(at_width(r, LANG_EN, 80), wrapper);
}

static void numbers_that_do_not_add_up_draw_nothing(void **state) {
    (void)state;
    struct report *r = report_of_free_at_start(&arena);
    struct finding *f = &r->findings[0];
    expect_contains(at_width(r, LANG_EN, 80), "\u2591");
    f->facts.at[0].number = f->facts.at[1].number * 2; /* free > total */
    f->shortage = SHORT_UNKNOWN;
    expect_lacks(at_width(r, LANG_EN, 80), "\u2591");
}

static void places_are_told_on_request(void **state) {
    (void)state;
    struct report *r = report_of_kv_pool(&arena);
    r->findings[0].fixes[0].worth = "diagnose.worth.enough";
    r->findings[0].fixes[0].cost_micro = 1250000;
    expect_lacks(at_width(r, LANG_EN, 80), "cost 1.25");
    struct render_options o = {.width = 80, .why = true};
    expect_contains(shown(r, o), "cost 1.25");
}

static void top_limits_the_fixes(void **state) {
    (void)state;
    struct report *r = report_of_kv_pool(&arena);
    struct render_options o = {.width = 80, .top = 1};
    struct str text = shown(r, o);
    expect_contains(text, "Lower the promised context length");
    expect_lacks(text, "Store the KV cache");
}

/* ---- wrapping ---- */

static void expect_lines(const char *text, size_t width, const char *joined) {
    struct str_list lines =
        wrap_text(&arena, str_of(text), width, width);
    struct buf all = buf_in(&arena, 65536);
    for (size_t i = 0; i < lines.count; i++) {
        buf_add(&all, lines.at[i]);
        buf_add_char(&all, '|');
    }
    assert_string_equal(all.n > 0 ? all.p : "", joined);
}

static void paragraphs_break_where_they_may(void **state) {
    (void)state;
    expect_lines("", 10, "");
    expect_lines("  one   two\nthree ", 9, "one two|three|");
    expect_lines("a bcd efgh", 5, "a bcd|efgh|");
    expect_lines("see --max-model-len now", 10, "see|--max-model-len|now|");
    expect_lines("use `--a b` here", 12, "use `--a b`|here|");
    /* what is glued to a span counts, on the line where it would stand */
    expect_lines("use `--ab c`, now", 8, "use|`--ab|c`, now|");
    expect_lines("use (`--a b`) now", 9, "use|(`--a b`)|now|");
    /* behind a span too long to stay whole, the next one is a span again */
    expect_lines("`aaa bbb ccc ddd` or `e f`", 12,
                 "`aaa bbb ccc|ddd` or|`e f`|");
    expect_lines("now 5.40 GiB", 9, "now|5.40 GiB|");
    expect_lines("显存不足，请降低长度", 10, "显存不足，|请降低长度|");
    expect_lines("显存不足了，请降低", 10, "显存不足|了，请降低|");
    expect_lines("启动（显存）时", 10, "启动（显|存）时|");
    expect_lines("用 --tp 2 启动服务", 9, "用 --tp 2|启动服务|");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kv_pool_reads_as_agreed),
        cmocka_unit_test(free_at_start_reads_as_agreed),
        cmocka_unit_test(warning_reads_as_agreed),
        cmocka_unit_test(nothing_reads_as_agreed),
        cmocka_unit_test(lines_keep_to_the_width),
        cmocka_unit_test(width_has_a_floor_and_a_ceiling),
        cmocka_unit_test(colour_only_when_asked_for),
        cmocka_unit_test(colour_changes_no_word),
        cmocka_unit_test(nothing_of_a_log_is_obeyed),
        cmocka_unit_test(few_reports_are_no_percentage),
        cmocka_unit_test(what_is_not_enough_is_never_first),
        cmocka_unit_test(what_follows_gets_one_line_if_it_adds_something),
        cmocka_unit_test(numbers_that_do_not_add_up_draw_nothing),
        cmocka_unit_test(places_are_told_on_request),
        cmocka_unit_test(top_limits_the_fixes),
        cmocka_unit_test(paragraphs_break_where_they_may),
    };
    return cmocka_run_group_tests(tests, open_texts, close_texts);
}
