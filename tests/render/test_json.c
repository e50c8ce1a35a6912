/* test_json.c: the report as programs read it. The shape as a whole is held
 * against kb/report.schema.json in tests/cli; here: values, order, escapes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/utf8.h"
#include "render/render.h"
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

static struct str written(const char *format, const struct report *r,
                          struct render_options o) {
    o.version = STR("0.1.0");
    o.digest = STR("abcd");
    o.entries = 15;
    struct buf out = buf_in(&arena, (size_t)1 << 24);
    struct answer answer = {.report = r};
    format_write(format_named(str_of(format)), &arena, texts, &answer, &o,
                 &out);
    assert_true(buf_ok(&out));
    return arena_str(&arena, buf_str(&out));
}

static struct json *parsed(const struct report *r, struct render_options o) {
    return json_parse(&arena, written("json", r, o), STR("report"));
}

static struct json *plain(const struct report *r) {
    return parsed(r, (struct render_options){0});
}

/* "findings.0.fixes.1": members and elements on the way down. */
static struct json *at(struct json *j, const char *path) {
    struct str rest = str_of(path);
    while (rest.n > 0 && j != NULL) {
        struct str step = arena_str(&arena, str_cut(rest, '.', &rest));
        int64_t i = 0;
        j = str_to_int(step, &i) ? json_at(j, (size_t)i)
                                 : json_get(j, step.p);
    }
    return j;
}

static void expect_text(struct json *j, const char *path, const char *key,
                        const char *value) {
    struct str s;
    if (!json_get_text(at(j, path), key, &s)) {
        fail_msg("no text %s at %s", key, path);
    }
    assert_string_equal(arena_str(&arena, s).p, value);
}

static void expect_int(struct json *j, const char *path, const char *key,
                       int64_t value) {
    int64_t n;
    if (!json_get_int(at(j, path), key, &n)) {
        fail_msg("no integer %s at %s", key, path);
    }
    assert_int_equal(n, value);
}

/* As it stands in the output, for what the reading side cannot tell apart. */
static void expect_written(struct str text, const char *what) {
    if (str_find(text, str_of(what)) == text.n) {
        fail_msg("no %s in %.*s", what, STR_ARG(text));
    }
}

static void head_and_input(void **state) {
    (void)state;
    struct json *j = plain(report_of_kv_pool(&arena));
    expect_int(j, "", "schema", 1);
    expect_text(j, "", "oomkb", "0.1.0");
    expect_int(j, "kb", "entries", 15);
    expect_text(j, "", "lang", "en");
    expect_text(j, "input", "name", "serve.log");
    expect_int(j, "input", "lines", 1204);
    expect_text(j, "command", "after",
                "vllm serve ./model --max-model-len 44224 --port 8000");
    expect_text(j, "questions.0", "set", "--set model=");
}

static void a_fact_has_its_range_and_its_place(void **state) {
    (void)state;
    struct json *j = plain(report_of_kv_pool(&arena));
    expect_text(j, "findings.0.facts.0", "name", "kv_needed");
    expect_int(j, "findings.0.facts.0", "value", INT64_C(8589934592));
    expect_int(j, "findings.0.facts.0", "low", INT64_C(8584565883));
    expect_text(j, "findings.0.facts.0", "unit", "bytes");
    expect_text(j, "findings.0.facts.0", "text", "8.00 GiB");
    expect_int(j, "findings.0.facts.0", "line", 40);
    expect_text(j, "findings.0.facts.0", "source", "log");
    assert_null(at(j, "findings.0.facts.0.gpu"));
    expect_text(j, "context.engine", "value", "vllm");
}

static void ratios_are_decimals_and_booleans_are(void **state) {
    (void)state;
    struct report *r = report_of_free_at_start(&arena);
    expect_written(written("jsonl", r, (struct render_options){0}),
                   "\"gpu_memory_utilization\",\"value\":0.95");
    bool eager = false;
    struct json *j = plain(report_of_nothing(&arena));
    assert_true(json_get_bool(at(j, "context.enforce_eager"), "value",
                              &eager));
    assert_true(eager);
}

static void amounts_are_exact_or_intervals_or_null(void **state) {
    (void)state;
    struct report *r = report_of_kv_pool(&arena);
    struct json *j = plain(r);
    expect_int(j, "findings.0.kv.bytes_per_token", "slope", 131072);
    expect_int(j, "findings.0.kv.tokens", "low", 44200);
    expect_int(j, "findings.0.kv.tokens", "high", 44240);
    struct str line = written("jsonl", r, (struct render_options){0});
    expect_written(line, "\"blocks\":null");
    expect_written(line, "\"max_concurrency\":0.67");
    expect_written(line, "\"fits\":false,\"needs\":[\"model\"]");
    expect_written(line, "\"part\":\"activation\",\"bytes\":{\"low\":");
}

static void rates_and_verdicts(void **state) {
    (void)state;
    struct json *j = plain(report_of_kv_pool(&arena));
    expect_text(j, "findings.0.fixes.0.success", "basis", "reports");
    expect_int(j, "findings.0.fixes.0.success", "worked", 10);
    expect_text(j, "findings.0.fixes.0.estimate", "verdict", "enough");
    expect_text(j, "findings.0.fixes.0.estimate", "unit", "bytes");
    expect_text(j, "findings.0.fixes.2.estimate", "verdict", "none");
    expect_text(j, "findings.0.fixes.3.estimate", "verdict", "not_enough");
    expect_int(j, "findings.0.fixes.3.estimate", "short_by", 1230 * 1048576);
    expect_text(j, "findings.0.fixes.1", "applies", "if");
    expect_text(j, "findings.0.dead_ends.0", "action", "Lower max_num_seqs");
    expect_text(j, "findings.0.dead_ends.0.fail", "basis", "estimate");
    expect_text(j, "findings.0.see_also.0", "kind", "confused_with");
    expect_int(j, "findings.1", "cause", 0);
}

static void order_is_that_of_the_contract(void **state) {
    (void)state;
    static const char *const keys[] = {
        "\"schema\":", "\"oomkb\":", "\"kb\":", "\"lang\":", "\"summary\":",
        "\"input\":", "\"context\":", "\"findings\":[", "\"entry\":",
        "\"mechanism\":", "\"title\":", "\"root_cause\":", "\"role\":",
        "\"severity\":", "\"certainty\":", "\"first_line\":", "\"count\":",
        "\"facts\":", "\"instances\":", "\"budget\":", "\"formulas\":",
        "\"fixes\":", "\"dead_ends\":", "\"versions\":", "\"evidence\":",
        "\"see_also\":", "\"command\":{", "\"questions\":"};
    struct str rest = written("jsonl", report_of_kv_pool(&arena),
                              (struct render_options){0});
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t found = str_find(rest, str_of(keys[i]));
        if (found == rest.n) {
            fail_msg("%s is missing or out of order", keys[i]);
        }
        rest = str_slice(rest, found + 1, rest.n);
    }
}

static void a_line_of_jsonl_is_one_line(void **state) {
    (void)state;
    struct str line = written("jsonl", report_of_hostile_log(&arena),
                              (struct render_options){0});
    assert_int_equal(str_find_char(line, '\n'), line.n - 1);
    json_parse(&arena, line, STR("line"));
}

static void nothing_of_a_log_breaks_out(void **state) {
    (void)state;
    struct str text = written("json", report_of_hostile_log(&arena),
                              (struct render_options){0});
    assert_true(utf8_valid(text));
    for (size_t i = 0; i < text.n; i++) {
        assert_true(text.p[i] == '\n' || (unsigned char)text.p[i] >= ' ');
    }
    struct json *j = json_parse(&arena, text, STR("report"));
    struct str why;
    assert_true(json_get_text(at(j, "findings.0.facts.5"), "why", &why));
    expect_written(text, "\"value\": null");
}

static void chinese_where_it_is_asked_for(void **state) {
    (void)state;
    struct render_options o = {.lang = LANG_ZH};
    struct json *j = parsed(report_of_kv_pool(&arena), o);
    expect_text(j, "", "lang", "zh");
    expect_text(j, "findings.0.fixes.0", "action", "降低承诺的上下文长度");
}

static void summary_has_an_end(void **state) {
    (void)state;
    struct report *r = report_of_kv_pool(&arena);
    char *endless = arena_alloc(&arena, 3001);
    memset(endless, 'y', 3000);
    r->summary = (struct note){.key = "report.label",
                               .arg = {{endless, 3000}},
                               .count = 1};
    struct str s = summary_of(&arena, texts, r, LANG_EN);
    assert_int_equal(utf8_width(s), 280);
    assert_true(str_ends(s, STR("\u2026")));
}

static void top_and_why(void **state) {
    (void)state;
    struct report *r = report_of_kv_pool(&arena);
    struct render_options o = {.top = 2, .why = true};
    struct json *j = parsed(r, o);
    assert_int_equal(json_count(at(j, "findings.0.fixes")), 2);
    assert_non_null(at(j, "findings.0.fixes.0.worth"));
    assert_null(at(plain(r), "findings.0.fixes.0.worth"));
}

static void formats_have_one_table(void **state) {
    (void)state;
    size_t count = 0;
    for (; format_names[count] != NULL; count++) {
        assert_non_null(format_named(str_of(format_names[count])));
    }
    assert_int_equal(count, 7);
    assert_null(format_named(STR("pdf")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(head_and_input),
        cmocka_unit_test(a_fact_has_its_range_and_its_place),
        cmocka_unit_test(ratios_are_decimals_and_booleans_are),
        cmocka_unit_test(amounts_are_exact_or_intervals_or_null),
        cmocka_unit_test(rates_and_verdicts),
        cmocka_unit_test(order_is_that_of_the_contract),
        cmocka_unit_test(a_line_of_jsonl_is_one_line),
        cmocka_unit_test(nothing_of_a_log_breaks_out),
        cmocka_unit_test(chinese_where_it_is_asked_for),
        cmocka_unit_test(summary_has_an_end),
        cmocka_unit_test(top_and_why),
        cmocka_unit_test(formats_have_one_table),
    };
    return cmocka_run_group_tests(tests, open_texts, close_texts);
}
