/* test_markdown.c: Markdown that shows what was meant and does nothing else.
 * Golden files are the .md in golden/; OOMKB_REFRESH=1 writes them anew. */
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
    expect_golden_reports(a, "markdown", ".md");
}

/* A paragraph; with code an item and its code. */
static struct str put(struct arena *a, const char *text, const char *code) {
    struct render_options o = {0};
    struct document d = {0};
    struct render t = {.a = a, .o = &o, .lang = LANG_EN, .d = &d};
    struct buf out = buf_in(a, 65536);
    if (code == NULL)
        document_text(&t, NULL, str_of(text));
    else
        document_code(&t, document_item(&t, NULL, "?", str_of(text)),
                      str_of(code));
    markdown_walk(&t, &out);
    return buf_str(&out);
}

static void expect_put(struct arena *a, const char *text, const char *md) {
    struct str got = str_trim(put(a, text, NULL));
    if (!str_eq(got, str_of(md))) {
        fail_msg("\"%s\" became \"%.*s\" instead of \"%s\"", text,
                 STR_ARG(got), md);
    }
}

static void markup_of_a_log_is_text(struct arena *a) {
    expect_put(a, "<script>x</script>", "&lt;script>x&lt;/script>");
    expect_put(a, "a *b* [c](d) ~~e~~", "a \\*b\\* \\[c\\](d) \\~\\~e\\~\\~");
    expect_put(a, "max_model_len _x_", "max_model_len \\_x\\_");
    expect_put(a, "&lt; R&D & co", "&amp;lt; R&amp;D & co");
    expect_put(a, "# no heading #2", "\\# no heading \\#2");
    expect_put(a, "- no item", "\\- no item");
    expect_put(a, "12. no item 3.5", "12\\. no item 3.5");
    expect_put(a, "> no quote", "\\> no quote");
    expect_put(a, "one\n\n# two", "one  \\# two");
    expect_put(a, "C:\\x \\* \\", "C:\\x \\\\\\* \\\\");
    expect_put(a, "$x$", "\\$x\\$");
    expect_put(a, "@everyone a@b.c", "@\u2060everyone a@b.c");
}

static void spans_stay_and_cannot_be_left(struct arena *a) {
    expect_put(a, "use `--a <b>` now", "use `--a <b>` now");
    expect_put(a, "a lone ` here", "a lone \\` here");
    expect_put(a, "`a` <b> `c", "`a` &lt;b> \\`c");
    expect_put(a, "``a`b`` *", "``a`b`` \\*");
    expect_put(a, "`` ` ``", "`` ` ``");
    expect_put(a, "```", "\\`\\`\\`");
}

static void fences_are_longer_than_what_they_hold(struct arena *a) {
    struct str text = put(a, "x", "a\n````\n<b>\n");
    assert_true(str_eq(
        text, STR("- x\n\n  `````sh\n  a\n  ````\n  <b>\n  `````\n")));
}

static void nothing_of_a_log_is_obeyed(struct arena *a) {
    struct str text = report_shown_as(
        a, report_of_hostile_log(a), "markdown", LANG_EN);
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
CASE(spans_stay_and_cannot_be_left)
CASE(fences_are_longer_than_what_they_hold)
CASE(nothing_of_a_log_is_obeyed)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reports_read_as_agreed),
        cmocka_unit_test(test_markup_of_a_log_is_text),
        cmocka_unit_test(test_spans_stay_and_cannot_be_left),
        cmocka_unit_test(test_fences_are_longer_than_what_they_hold),
        cmocka_unit_test(test_nothing_of_a_log_is_obeyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
