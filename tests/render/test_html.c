/* test_html.c: HTML that shows what was meant and does nothing else. Golden
 * files are the .html in golden/; OOMKB_REFRESH=1 writes them anew. That pages
 * are well formed, tests/render/html_check.py proves with a parser. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "render/parts.h"
#include "support/corpus.h"
#include "support/golden.h"
#include "support/reports.h"

static void reports_read_as_agreed(struct arena *a) {
    expect_golden_reports(a, "html", ".html");
}

static void expect_put(struct arena *a, const char *text, const char *html) {
    struct render_options o = {0};
    struct render t = {.a = a, .o = &o, .lang = LANG_EN};
    struct str got = html_of(&t, str_of(text));
    if (!str_eq(got, str_of(html))) {
        fail_msg("\"%s\" became \"%.*s\" instead of \"%s\"", text,
                 STR_ARG(got), html);
    }
}

static void markup_of_a_log_is_text(struct arena *a) {
    expect_put(a, "<b>x</b>", "&lt;b&gt;x&lt;/b&gt;");
    expect_put(a, "R&D &lt; &#60;", "R&amp;D &amp;lt; &amp;#60;");
    expect_put(a, "a \"b\" 'c'", "a &quot;b&quot; 'c'");
    expect_put(a, "*a* [b](c) # d", "*a* [b](c) # d");
}

static void spans_are_code(struct arena *a) {
    expect_put(a, "use `--a <b>` now", "use <code>--a &lt;b&gt;</code> now");
    expect_put(a, "a lone ` here", "a lone ` here");
    expect_put(a, "``a`b`` c", "<code>a`b</code> c");
    expect_put(a, "```", "```");
}

static void nothing_of_a_log_is_obeyed(struct arena *a) {
    struct str text =
        report_shown_as(a, report_of_hostile_log(a), "html", LANG_EN);
    assert_true(utf8_valid(text));
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        assert_true(c == '\n' || (c >= ' ' && c != 0x7f));
    }
}

#define CASE(name) \
    static void test_##name(void **state) { \
        (void)state; \
        with_arena(name); \
    }
CASE(reports_read_as_agreed)
CASE(markup_of_a_log_is_text)
CASE(spans_are_code)
CASE(nothing_of_a_log_is_obeyed)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reports_read_as_agreed),
        cmocka_unit_test(test_markup_of_a_log_is_text),
        cmocka_unit_test(test_spans_are_code),
        cmocka_unit_test(test_nothing_of_a_log_is_obeyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
