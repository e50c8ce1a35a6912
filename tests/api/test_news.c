/* test_news.c: a log that still grows. What is new is told once, and asking
 * changes nothing; also when memory ends in the middle of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <oomkb/oomkb.h>

#include "base/buf.h"
#include "support/supply.h"
#include "support/texts.h"

#define LIT(s) {s, sizeof(s) - 1} /* a struct str, also in constants */

#define FIRST "RuntimeError: the pond is dry at 8.00 GiB\n"
#define SECOND "RuntimeError: the well is dry at 5.40 GiB\n"
#define RECORD "2026-01-02 03:04:05,678 INFO "
#define QUIET 1
#define BUSY 0

static struct arena arena; /* of the index bytes */
static oomkb *kb;

static struct entry dry_entry(const char *id, struct signature *signature) {
    return (struct entry){
        .id = str_of(id),
        .component = LIT("demo"),
        .mechanism = MECHANISM_host_ram,
        .title = {{LIT("It is dry"), LIT("干了")}},
        .root_cause = {{LIT("No rain."), LIT("没下雨。")}},
        .signatures = signature,
        .signature_count = 1,
        .provenance = {.confidence_micro = -1,
                       .fix_rate_micro = -1,
                       .evidence_count = -1}};
}

static int open_base(void **state) {
    (void)state;
    static struct signature pond = {
        .id = LIT("pond"), .sample = LIT("the pond is dry at 8.00 GiB"),
        .pattern = LIT("the pond is dry at (?<tried_alloc>(?&amount))")};
    static struct signature well = {
        .id = LIT("well"), .sample = LIT("the well is dry at 8.00 GiB"),
        .pattern = LIT("the well is dry at (?<tried_alloc>(?&amount))")};
    arena_init(&arena, NULL, 0);
    struct entry entries[] = {dry_entry("demo/pond", &pond),
                              dry_entry("demo/well", &well)};
    struct str image = index_of_entries(&arena, entries, 2);
    return oomkb_open_bytes(image.p, image.n, &kb, NULL);
}

static int close_base(void **state) {
    (void)state;
    oomkb_close(kb);
    arena_free(&arena);
    return 0;
}

static oomkb_scan *scan_new(void) {
    oomkb_scan *scan = NULL;
    assert_int_equal(oomkb_scan_new(kb, NULL, &scan, NULL), OOMKB_OK);
    return scan;
}

static void feed(oomkb_scan *scan, const char *text) {
    assert_int_equal(oomkb_scan_feed(scan, text, strlen(text), NULL),
                     OOMKB_OK);
}

static int take(void *ctx, const char *bytes, size_t n) {
    buf_add(ctx, (struct str){bytes, n});
    return 0;
}

static void write_line(const oomkb_report *report, struct buf *out) {
    buf_init(out, NULL, (size_t)1 << 20);
    assert_int_equal(
        oomkb_report_write(report, "jsonl", NULL, take, out, NULL), OOMKB_OK);
    buf_add_char(out, '\0');
}

/* expected: the one entry that is news; NULL: none. */
static void expect_news(oomkb_scan *scan, int is_quiet, const char *expected) {
    const oomkb_report *report = NULL;
    assert_int_equal(oomkb_scan_news(scan, is_quiet, &report, NULL),
                     OOMKB_OK);
    if (expected == NULL) {
        assert_null(report);
        return;
    }
    assert_non_null(report);
    assert_int_equal(oomkb_report_failures(report), 1);
    struct buf out;
    write_line(report, &out);
    assert_non_null(strstr(out.p, expected));
    buf_free(&out);
}

static void a_cause_is_news_once(void **state) {
    (void)state;
    oomkb_scan *scan = scan_new();
    expect_news(scan, QUIET, NULL);
    feed(scan, "INFO fine\n" FIRST);
    expect_news(scan, QUIET, "\"entry\":\"demo/pond\"");
    expect_news(scan, QUIET, NULL);
    feed(scan, "INFO again\n" FIRST);
    expect_news(scan, QUIET, NULL);
    feed(scan, SECOND);
    expect_news(scan, QUIET, "\"entry\":\"demo/well\"");
    oomkb_scan_free(scan);
}

static void a_message_that_may_go_on_waits(void **state) {
    (void)state;
    oomkb_scan *scan = scan_new();
    feed(scan, "INFO fine\n" FIRST);
    expect_news(scan, BUSY, NULL);
    feed(scan, RECORD "one\n" RECORD "two\n");
    expect_news(scan, BUSY, NULL);
    feed(scan, RECORD "three\n");
    expect_news(scan, BUSY, "\"entry\":\"demo/pond\"");
    oomkb_scan_free(scan);
}

static void a_line_without_its_end_is_read(void **state) {
    (void)state;
    oomkb_scan *scan = scan_new();
    feed(scan, "RuntimeError: the pond is dry at 8.00 GiB");
    expect_news(scan, QUIET, "8589934592");
    feed(scan, " it said\nINFO\n");
    expect_news(scan, QUIET, NULL);
    oomkb_scan_free(scan);
}

/* The report at the end is the one that a scan without news makes. */
static void asking_changes_nothing(void **state) {
    (void)state;
    static const char log[] = "INFO fine\n" FIRST "  File \"a.py\", line 1\n"
                              "{\"log\":\"" "in docker\\n\"}\n" SECOND FIRST
                              "\xff\xfe junk \r progress \r\n" SECOND "end";
    size_t n = sizeof log - 1;
    oomkb_report *whole = NULL;
    struct buf expected, got;
    assert_int_equal(oomkb_diagnose(kb, log, n, NULL, &whole, NULL), 0);
    write_line(whole, &expected);
    for (size_t cut = 0; cut <= n; cut++) {
        const oomkb_report *news = NULL;
        oomkb_report *report = NULL;
        oomkb_scan *scan = scan_new();
        assert_int_equal(oomkb_scan_feed(scan, log, cut, NULL), 0);
        assert_int_equal(oomkb_scan_news(scan, QUIET, &news, NULL), 0);
        assert_int_equal(oomkb_scan_feed(scan, log + cut, n - cut, NULL), 0);
        assert_int_equal(oomkb_scan_news(scan, BUSY, &news, NULL), 0);
        assert_int_equal(oomkb_scan_finish(scan, &report, NULL), 0);
        write_line(report, &got);
        assert_string_equal(got.p, expected.p);
        buf_free(&got);
        oomkb_report_free(report);
    }
    buf_free(&expected);
    oomkb_report_free(whole);
}

/* ---- memory that ends ---- */

/* News that failed leave the scan as it was: asked again, they are told. */
static void want_of_memory_is_survived(void **state) {
    (void)state;
    struct supply s = {0};
    size_t allowed = 0;
    oomkb_options o = {.size = sizeof o, .get_memory = supply_get,
                       .put_memory = supply_put, .memory_ctx = &s};
    int code = OOMKB_ERROR_MEMORY;
    while (code != OOMKB_OK && allowed < 10000) {
        oomkb_scan *scan = NULL;
        const oomkb_report *report = NULL;
        s.left = SIZE_MAX;
        assert_int_equal(oomkb_scan_new(kb, &o, &scan, NULL), OOMKB_OK);
        feed(scan, "INFO fine\n" FIRST);
        s.left = allowed++;
        code = oomkb_scan_news(scan, QUIET, &report, NULL);
        assert_true(code == OOMKB_OK || code == OOMKB_ERROR_MEMORY);
        s.left = SIZE_MAX;
        if (code != OOMKB_OK) {
            expect_news(scan, QUIET, "\"entry\":\"demo/pond\"");
        }
        feed(scan, SECOND);
        expect_news(scan, QUIET, "\"entry\":\"demo/well\"");
        oomkb_scan_free(scan);
        assert_int_equal(s.held, 0);
    }
    assert_true(allowed > 5 && allowed < 10000);
}

static void null_is_refused(void **state) {
    (void)state;
    const oomkb_report *report = NULL;
    oomkb_scan *scan = scan_new();
    assert_int_equal(oomkb_scan_news(NULL, QUIET, &report, NULL),
                     OOMKB_ERROR_USAGE);
    assert_int_equal(oomkb_scan_news(scan, QUIET, NULL, NULL),
                     OOMKB_ERROR_USAGE);
    oomkb_scan_free(scan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cause_is_news_once),
        cmocka_unit_test(a_message_that_may_go_on_waits),
        cmocka_unit_test(a_line_without_its_end_is_read),
        cmocka_unit_test(asking_changes_nothing),
        cmocka_unit_test(want_of_memory_is_survived),
        cmocka_unit_test(null_is_refused),
    };
    return cmocka_run_group_tests(tests, open_base, close_base);
}
