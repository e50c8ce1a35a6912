/* test_api.c: the public header as a stranger uses it, right and wrong, over a
 * base of one entry made here; and with every allocation failing in turn. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <oomkb/oomkb.h>

#include "base/buf.h"
#include "support/supply.h"
#include "support/texts.h"

#define LOG_TEXT \
    "INFO starting\n" \
    "RuntimeError: the demo pool needs 8.00 GiB but holds 5.40 GiB\n"

#define QUESTION "host_total" /* what the entry's second fix wants to know */

#define LIT(s) {s, sizeof(s) - 1} /* a struct str, also in constants */

static struct arena arena; /* of the index bytes */
static oomkb *kb;

static struct entry demo_entry(void) {
    static struct signature signature = {
        .id = LIT("plain"),
        .pattern = LIT("the demo pool needs (?<kv_needed>(?&amount)) but "
                       "holds (?<kv_available>(?&amount))"),
        .sample = LIT("the demo pool needs 8.00 GiB but holds 5.40 GiB")};
    static struct str when = LIT(QUESTION " > 1024");
    static struct workaround ways[] = {
        {.id = LIT("lower"),
         .action = {{LIT("Ask for less"), LIT("少要一点")}},
         .how = {{LIT("Lower it."), LIT("调低。")}},
         .acts_on = {LIT("--max-model-len"), CHANGE_down, ACT_KIND_none},
         .success = {.rate_micro = -1}},
        {.id = LIT("offload"),
         .action = {{LIT("Use the host's memory"), LIT("用主机内存")}},
         .how = {{LIT("Move it there."), LIT("移过去。")}},
         .acts_on = {.kind = ACT_KIND_code},
         .when = {&when, 1},
         .success = {.rate_micro = -1}}};
    return (struct entry){
        .id = LIT("demo/pool"),
        .component = LIT("demo"),
        .mechanism = MECHANISM_kv_cache_startup,
        .title = {{LIT("The demo pool is too small"), LIT("演示池太小")}},
        .root_cause = {{LIT("It is small."), LIT("它很小。")}},
        .signatures = &signature,
        .signature_count = 1,
        .workarounds = ways,
        .workaround_count = sizeof ways / sizeof *ways,
        .provenance = {.confidence_micro = -1,
                       .fix_rate_micro = -1,
                       .evidence_count = -1}};
}

static int open_base(void **state) {
    (void)state;
    arena_init(&arena, NULL, 0);
    struct entry entry = demo_entry();
    struct str image = index_of_entries(&arena, &entry, 1);
    oomkb_error err;
    int code = oomkb_open_bytes(image.p, image.n, &kb, &err);
    if (code != OOMKB_OK) {
        fprintf(stderr, "%s\n", err.text);
    }
    return code;
}

static int close_base(void **state) {
    (void)state;
    oomkb_close(kb);
    arena_free(&arena);
    return 0;
}

/* ---- small helpers ---- */

static oomkb_options options_new(void) {
    return (oomkb_options){.size = sizeof(oomkb_options)};
}

static oomkb_report *diagnosed(const char *log) {
    oomkb_report *report = NULL;
    oomkb_error err = {0};
    if (oomkb_diagnose(kb, log, strlen(log), NULL, &report, &err) !=
        OOMKB_OK) {
        fail_msg("%s", err.text);
    }
    return report;
}

static int take(void *ctx, const char *bytes, size_t n) {
    buf_add(ctx, (struct str){bytes, n});
    return 0;
}

static int refuse(void *ctx, const char *bytes, size_t n) {
    (void)ctx;
    (void)bytes;
    (void)n;
    return 1;
}

static void expect_report_has(const oomkb_report *report, const char *format,
                              const char *what) {
    struct buf out;
    oomkb_error err = {0};
    buf_init(&out, NULL, (size_t)1 << 24);
    if (oomkb_report_write(report, format, NULL, take, &out, &err) != 0) {
        fail_msg("%s", err.text);
    }
    if (strstr(out.p, what) == NULL) {
        fail_msg("no %s in %s", what, out.p);
    }
    buf_free(&out);
}

/* ---- as meant ---- */

static void a_known_failure_is_found(void **state) {
    (void)state;
    oomkb_report *report = diagnosed(LOG_TEXT);
    assert_int_equal(oomkb_report_failures(report), 1);
    expect_report_has(report, "json", "\"entry\": \"demo/pool\"");
    expect_report_has(report, "text", "The demo pool is too small");
    oomkb_report_free(report);
}

static void a_healthy_log_is_left_alone(void **state) {
    (void)state;
    oomkb_report *report = diagnosed("GPU memory: 5.40 GiB of 8.00 GiB\n");
    assert_int_equal(oomkb_report_failures(report), 0);
    expect_report_has(report, "jsonl", "\"findings\":[]");
    oomkb_report_free(report);
}

static void pieces_give_what_the_whole_gives(void **state) {
    (void)state;
    oomkb_scan *scan = NULL;
    oomkb_report *report = NULL;
    const char *log = LOG_TEXT;
    assert_int_equal(oomkb_scan_new(kb, NULL, &scan, NULL), OOMKB_OK);
    for (size_t i = 0; log[i] != '\0'; i++) {
        assert_int_equal(oomkb_scan_feed(scan, log + i, 1, NULL), OOMKB_OK);
    }
    assert_int_equal(oomkb_scan_finish(scan, &report, NULL), OOMKB_OK);
    assert_int_equal(oomkb_report_failures(report), 1);
    expect_report_has(report, "json", "\"value\": 8589934592");
    oomkb_report_free(report);
}

static void an_answer_refines_without_the_log(void **state) {
    (void)state;
    oomkb_report *report = diagnosed(LOG_TEXT);
    assert_int_equal(oomkb_report_answer(report, "max_model_len=32k", NULL),
                     OOMKB_OK);
    expect_report_has(report, "jsonl",
                      "\"max_model_len\",\"value\":32000");
    assert_int_equal(oomkb_report_answer(report, "max_model_len=4096", NULL),
                     OOMKB_OK);
    expect_report_has(report, "jsonl",
                      "\"max_model_len\",\"value\":4096");
    assert_int_equal(oomkb_report_failures(report), 1);
    oomkb_report_free(report);
}

static void a_bad_answer_changes_nothing(void **state) {
    (void)state;
    oomkb_report *report = diagnosed(LOG_TEXT);
    oomkb_error err = {0};
    static const char *const bad[] = {"", "=", "nonsense=1", "max_model_len",
                                      "max_model_len=many",
                                      "max_model_len=-5",
                                      "gpu_total=-24GiB"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(oomkb_report_answer(report, bad[i], &err),
                         OOMKB_ERROR_USAGE);
        assert_true(err.text[0] != '\0');
    }
    assert_int_equal(oomkb_report_failures(report), 1);
    oomkb_report_free(report);
}

static void answers_may_come_with_the_options(void **state) {
    (void)state;
    const char *const answers[] = {"max_model_len=1", "max_model_len=8192",
                                   NULL};
    oomkb_options o = options_new();
    o.answers = answers;
    o.input_name = "a.log";
    oomkb_report *report = NULL;
    assert_int_equal(oomkb_diagnose(kb, LOG_TEXT, strlen(LOG_TEXT), &o,
                                    &report, NULL),
                     OOMKB_OK);
    expect_report_has(report, "jsonl", "\"value\":8192");
    expect_report_has(report, "jsonl", "\"name\":\"a.log\"");
    oomkb_report_free(report);
}

static void own_reports_come_with_the_options(void **state) {
    (void)state;
    const char *own[] = {"demo/pool lower failed", "demo/pool lower worked",
                         "demo/pool lower failed", "demo/gone x worked", NULL};
    oomkb_options o = options_new();
    oomkb_error err;
    o.own_reports = own;
    oomkb_report *report = NULL;
    assert_int_equal(oomkb_diagnose(kb, LOG_TEXT, strlen(LOG_TEXT), &o,
                                    &report, NULL),
                     OOMKB_OK);
    expect_report_has(report, "jsonl", "\"worked\":1,\"failed\":2");
    assert_int_equal(oomkb_report_answer(report, "max_model_len=4096", NULL),
                     OOMKB_OK);
    expect_report_has(report, "jsonl", "\"worked\":1,\"failed\":2");
    oomkb_report_free(report);
    own[0] = "demo/pool lower perhaps";
    assert_int_equal(oomkb_diagnose(kb, LOG_TEXT, strlen(LOG_TEXT), &o,
                                    &report, &err),
                     OOMKB_ERROR_USAGE);
    assert_non_null(strstr(err.text, "perhaps"));
}

static void a_fix_is_known_or_its_neighbours_are_named(void **state) {
    (void)state;
    oomkb_error err;
    assert_int_equal(oomkb_fix_check(kb, "demo/pool", "lower", &err),
                     OOMKB_OK);
    assert_int_equal(oomkb_fix_check(kb, "demo/pol", "lower", &err),
                     OOMKB_ERROR_USAGE);
    assert_non_null(strstr(err.text, "demo/pool"));
    assert_int_equal(oomkb_fix_check(kb, "demo/pool", "lover", &err),
                     OOMKB_ERROR_USAGE);
    assert_non_null(strstr(err.text, "lower"));
    assert_null(strstr(err.text, "offload"));
    assert_int_equal(oomkb_fix_check(kb, "demo/pool", "quite-another", &err),
                     OOMKB_ERROR_USAGE);
    assert_non_null(strstr(err.text, "lower, offload"));
    assert_int_equal(oomkb_fix_check(kb, "quite another", "x", &err),
                     OOMKB_ERROR_USAGE);
    assert_int_equal(oomkb_fix_check(kb, NULL, "x", &err), OOMKB_ERROR_USAGE);
}

static void questions_are_listed_in_both_languages(void **state) {
    (void)state;
    oomkb_report *report = diagnosed(LOG_TEXT);
    const char *fact = NULL, *ask = NULL;
    size_t count = oomkb_report_questions(report);
    assert_true(count > 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(
            oomkb_report_question(report, i, NULL, &fact, &ask, NULL), 0);
        assert_true(fact[0] != '\0' && ask[0] != '\0');
        expect_report_has(report, "json", ask);
        assert_non_null(strchr(ask, '?'));
        assert_int_equal(
            oomkb_report_question(report, i, "zh", &fact, &ask, NULL), 0);
        assert_non_null(strstr(ask, "？"));
    }
    oomkb_report_free(report);
}

static void an_answered_question_is_not_asked_again(void **state) {
    (void)state;
    oomkb_report *report = diagnosed(LOG_TEXT);
    const char *first = NULL, *fact = NULL, *ask = NULL;
    assert_int_equal(oomkb_report_question(report, 0, "en", &first, &ask, NULL),
                     OOMKB_OK);
    assert_string_equal(first, QUESTION);
    assert_int_equal(oomkb_report_answer(report, QUESTION "=64GiB", NULL), 0);
    for (size_t i = 0; i < oomkb_report_questions(report); i++) {
        oomkb_report_question(report, i, "en", &fact, &ask, NULL);
        assert_string_not_equal(fact, first);
    }
    oomkb_report_free(report);
}

static void a_question_that_is_not_there_is_refused(void **state) {
    (void)state;
    oomkb_report *report = diagnosed(LOG_TEXT);
    const char *fact = NULL, *ask = NULL;
    oomkb_error err = {0};
    assert_int_equal(
        oomkb_report_question(report, SIZE_MAX, "en", &fact, &ask, &err),
        OOMKB_ERROR_USAGE);
    assert_int_equal(
        oomkb_report_question(report, 0, "fr", &fact, &ask, &err),
        OOMKB_ERROR_USAGE);
    assert_int_equal(
        oomkb_report_question(NULL, 0, "en", &fact, &ask, &err),
        OOMKB_ERROR_USAGE);
    assert_int_equal(
        oomkb_report_question(report, 0, "en", NULL, &ask, &err),
        OOMKB_ERROR_USAGE);
    assert_null(fact);
    assert_null(ask);
    assert_int_equal(oomkb_report_questions(NULL), 0);
    oomkb_report_free(report);
}

static void an_entry_is_written_by_its_id(void **state) {
    (void)state;
    struct buf out;
    oomkb_error err = {0};
    oomkb_options o = options_new();
    o.lang = "zh";
    buf_init(&out, NULL, (size_t)1 << 20);
    assert_int_equal(
        oomkb_entry_write(kb, "demo/pool", "text", &o, take, &out, &err), 0);
    assert_non_null(strstr(out.p, "演示池太小"));
    assert_int_equal(
        oomkb_entry_write(kb, "no/such", "text", &o, take, &out, &err),
        OOMKB_ERROR_USAGE);
    assert_non_null(strstr(err.text, "no/such"));
    buf_free(&out);
}

static void the_base_tells_about_itself(void **state) {
    (void)state;
    assert_int_equal(oomkb_entry_count(kb), 1);
    assert_true(strlen(oomkb_digest(kb)) >= 16);
    assert_string_equal(oomkb_version(), OOMKB_VERSION);
    assert_string_equal(oomkb_formats()[0], "text");
    const char *once = oomkb_text(kb, "zh", "verdict.enough");
    assert_string_equal(once, "够用");
    assert_ptr_equal(once, oomkb_text(kb, "zh", "verdict.enough"));
    assert_string_equal(oomkb_text(kb, "en", "no.such.key"), "");
    assert_string_equal(oomkb_text(kb, "fr", "verdict.enough"), "");
}

/* ---- threads ---- */

enum { THREADS = 16, ROUNDS = 10 };

/* Counts what went right: asserts belong to the main thread. */
static void *work(void *arg) {
    size_t *good = arg;
    for (int i = 0; i < ROUNDS; i++) {
        oomkb_report *report = NULL;
        if (oomkb_diagnose(kb, LOG_TEXT, strlen(LOG_TEXT), NULL, &report,
                           NULL) != OOMKB_OK) {
            continue;
        }
        bool is_right =
            oomkb_report_failures(report) == 1 &&
            strcmp(oomkb_text(kb, "zh", "verdict.enough"), "够用") == 0;
        *good += is_right;
        oomkb_report_free(report);
    }
    return NULL;
}

static void one_base_serves_many_threads(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    size_t good[THREADS] = {0};
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, work, &good[i]),
                         0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(good[i], ROUNDS);
    }
}

/* ---- misuse ---- */

static void null_is_refused_not_followed(void **state) {
    (void)state;
    oomkb *other = NULL;
    oomkb_scan *scan = NULL;
    oomkb_report *report = NULL;
    assert_int_equal(oomkb_open(NULL, NULL, NULL), OOMKB_ERROR_USAGE);
    assert_int_equal(oomkb_open_bytes(NULL, 5, &other, NULL),
                     OOMKB_ERROR_USAGE);
    assert_int_equal(oomkb_scan_new(NULL, NULL, &scan, NULL),
                     OOMKB_ERROR_USAGE);
    assert_int_equal(oomkb_scan_feed(NULL, "x", 1, NULL), OOMKB_ERROR_USAGE);
    assert_int_equal(oomkb_scan_finish(NULL, &report, NULL),
                     OOMKB_ERROR_USAGE);
    assert_int_equal(oomkb_diagnose(kb, NULL, 5, NULL, &report, NULL),
                     OOMKB_ERROR_USAGE);
    assert_int_equal(oomkb_diagnose(kb, "x", 1, NULL, NULL, NULL),
                     OOMKB_ERROR_USAGE);
    assert_int_equal(oomkb_report_write(NULL, "json", NULL, take, NULL, NULL),
                     OOMKB_ERROR_USAGE);
    assert_int_equal(oomkb_report_answer(NULL, "a=b", NULL),
                     OOMKB_ERROR_USAGE);
    assert_int_equal(
        oomkb_entry_write(kb, NULL, "json", NULL, take, NULL, NULL),
        OOMKB_ERROR_USAGE);
    assert_null(scan);
    assert_null(report);
    assert_null(other);
    assert_int_equal(oomkb_report_failures(NULL), 0);
    assert_string_equal(oomkb_text(NULL, "en", "x"), "");
    oomkb_close(NULL);
    oomkb_scan_free(NULL);
    oomkb_report_free(NULL);
}

static void finish_frees_the_scan_on_failure_too(void **state) {
    (void)state;
    oomkb_scan *scan = NULL;
    assert_int_equal(oomkb_scan_new(kb, NULL, &scan, NULL), OOMKB_OK);
    assert_int_equal(oomkb_scan_finish(scan, NULL, NULL), OOMKB_ERROR_USAGE);
    assert_int_equal(oomkb_scan_new(kb, NULL, &scan, NULL), OOMKB_OK);
    oomkb_scan_free(scan);
}

static void expect_options_refused(const oomkb_options *o) {
    oomkb_scan *scan = NULL;
    oomkb_error err = {0};
    assert_int_equal(oomkb_scan_new(kb, o, &scan, &err), OOMKB_ERROR_USAGE);
    assert_int_equal(err.code, OOMKB_ERROR_USAGE);
    assert_true(err.text[0] != '\0' && strchr(err.text, '\n') == NULL);
    assert_null(scan);
}

static void *never(void *ctx, size_t bytes) {
    (void)ctx;
    (void)bytes;
    return NULL;
}

static void options_are_read_by_their_size(void **state) {
    (void)state;
    oomkb_options o = {0};
    expect_options_refused(&o); /* size not set */
    o = options_new();
    o.lang = "fr";
    expect_options_refused(&o);
    o = options_new();
    o.get_memory = never; /* without put_memory */
    expect_options_refused(&o);

    struct {
        oomkb_options known;
        uint64_t from_the_future;
    } longer = {.known = {.size = sizeof longer}};
    oomkb_report *report = NULL;
    assert_int_equal(
        oomkb_diagnose(kb, "x", 1, &longer.known, &report, NULL), OOMKB_OK);
    oomkb_report_free(report);
    longer.from_the_future = 1;
    expect_options_refused(&longer.known);

    o = options_new();
    o.lang = "fr"; /* beyond a shorter caller's struct: not looked at */
    o.size = sizeof o.size;
    assert_int_equal(oomkb_diagnose(kb, "x", 1, &o, &report, NULL), OOMKB_OK);
    oomkb_report_free(report);

    static const char *const unreadable[] = {"no report", NULL};
    o = options_new();
    o.own_reports = unreadable;
    expect_options_refused(&o);
    o.size = offsetof(oomkb_options, own_reports); /* as it was before */
    assert_int_equal(oomkb_diagnose(kb, "x", 1, &o, &report, NULL), OOMKB_OK);
    oomkb_report_free(report);
}

static void what_is_no_index_is_refused(void **state) {
    (void)state;
    oomkb *other = NULL;
    oomkb_error err = {0};
    assert_int_equal(oomkb_open(NULL, &other, &err), OOMKB_ERROR_INDEX);
    assert_non_null(strstr(err.text, "oomkb build"));
    assert_int_equal(oomkb_open("/nonexistent/x.db", &other, &err),
                     OOMKB_ERROR_IO);
    assert_int_equal(oomkb_open("/", &other, &err), OOMKB_ERROR_IO);
    assert_int_equal(oomkb_open("Makefile", &other, &err),
                     OOMKB_ERROR_INDEX);
    assert_int_equal(oomkb_open_bytes("", 0, &other, &err),
                     OOMKB_ERROR_INDEX);
    static const char *const paths[] = {"Makefile", NULL};
    assert_int_equal(oomkb_open_all(paths, 2, &other, &err),
                     OOMKB_ERROR_INDEX);
    assert_int_equal(oomkb_open_all(paths, 0, &other, &err),
                     OOMKB_ERROR_USAGE);
    assert_int_equal(oomkb_open_all(NULL, 1, &other, &err),
                     OOMKB_ERROR_USAGE);
    assert_null(other);
}

static void formats_and_writers_that_fail(void **state) {
    (void)state;
    oomkb_report *report = diagnosed(LOG_TEXT);
    oomkb_error err = {0};
    assert_int_equal(oomkb_report_write(report, "pdf", NULL, take, NULL, &err),
                     OOMKB_ERROR_USAGE);
    assert_int_equal(oomkb_report_write(report, NULL, NULL, take, NULL, &err),
                     OOMKB_ERROR_USAGE);
    assert_int_equal(
        oomkb_report_write(report, "json", NULL, refuse, NULL, &err),
        OOMKB_ERROR_IO);
    oomkb_report_free(report);
}

/* ---- memory ---- */

static oomkb_options options_of(struct supply *s) {
    oomkb_options o = options_new();
    o.get_memory = supply_get;
    o.put_memory = supply_put;
    o.memory_ctx = s;
    return o;
}

static int take_more(void *ctx, const char *bytes, size_t n) {
    buf_add(ctx, (struct str){bytes, n});
    return 0;
}

/* Scan, report, answer, write and free; the first code that is no OK. What is
 * written comes behind what out holds. */
static int whole_life(struct supply *s, struct buf *out) {
    oomkb_options o = options_of(s);
    oomkb_scan *scan = NULL;
    oomkb_report *report = NULL;
    oomkb_error err = {0};
    int code = oomkb_scan_new(kb, &o, &scan, &err);
    if (code != OOMKB_OK) {
        return code;
    }
    code = oomkb_scan_feed(scan, LOG_TEXT, strlen(LOG_TEXT), &err);
    if (code != OOMKB_OK) {
        assert_int_equal(oomkb_scan_finish(scan, &report, &err), code);
        return code;
    }
    code = oomkb_scan_finish(scan, &report, &err);
    if (code != OOMKB_OK) {
        return code;
    }
    const char *fact, *ask;
    size_t count;
    code = oomkb_report_answer(report, "max_model_len=4096", &err);
    if (code == OOMKB_OK) {
        code = oomkb_report_question(report, 0, "zh", &fact, &ask, &err);
    }
    if (code == OOMKB_OK) {
        code = oomkb_report_write(report, "text", &o, take_more, out, &err);
    }
    if (code == OOMKB_OK) {
        code = oomkb_report_write(report, "json", &o, take_more, out, &err);
    }
    if (code == OOMKB_OK) {
        code = oomkb_search_write(kb, "pool", "text", &o, take_more, out,
                                  &count, &err);
    }
    if (code == OOMKB_OK) {
        code = oomkb_entry_write(kb, "demo/pool", "json", &o, take_more, out,
                                 &err);
    }
    if (code != OOMKB_OK) {
        assert_true(err.text[0] != '\0');
        assert_int_equal(oomkb_report_failures(report), 1);
    }
    oomkb_report_free(report);
    return code;
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    enum { MORE_THAN_ENOUGH = 100000 };
    size_t n = 0;
    int code = OOMKB_ERROR_MEMORY;
    while (code != OOMKB_OK && n < MORE_THAN_ENOUGH) {
        struct supply s = {.left = n};
        struct buf out;
        buf_init(&out, NULL, 0);
        code = whole_life(&s, &out);
        buf_free(&out);
        assert_true(code == OOMKB_OK || code == OOMKB_ERROR_MEMORY);
        assert_int_equal(s.held, 0);
        n += n < 200 ? 1 : 7;
    }
    assert_int_equal(code, OOMKB_OK);
    assert_true(n > 10);
}

/* One block is refused and all others are there: then it is an error, or the
 * answer is the same. Never another one. */
static void a_failed_allocation_changes_no_answer(void **state) {
    (void)state;
    struct buf right, out;
    struct supply all = {.left = SIZE_MAX};
    buf_init(&right, NULL, 0);
    buf_init(&out, NULL, 0);
    assert_int_equal(whole_life(&all, &right), OOMKB_OK);
    assert_int_equal(all.held, 0);
    size_t asked = SIZE_MAX - all.left;
    assert_true(asked > 10);
    for (size_t n = 0; n < asked; n += n < 200 ? 1 : 7) {
        struct supply s = {.left = n, .is_once = true};
        buf_clear(&out);
        int code = whole_life(&s, &out);
        if (code == OOMKB_OK) {
            assert_true(str_eq(buf_str(&out), buf_str(&right)));
        } else {
            assert_int_equal(code, OOMKB_ERROR_MEMORY);
        }
        assert_int_equal(s.held, 0);
    }
    buf_free(&out);
    buf_free(&right);
}

static void a_ceiling_is_kept(void **state) {
    (void)state;
    oomkb_options o = options_new();
    o.max_memory_bytes = 1024;
    oomkb_report *report = NULL;
    oomkb_error err = {0};
    assert_int_equal(oomkb_diagnose(kb, LOG_TEXT, strlen(LOG_TEXT), &o,
                                    &report, &err),
                     OOMKB_ERROR_CEILING);
    assert_null(report);
}

static void reading_stops_where_it_should(void **state) {
    (void)state;
    oomkb_options o = options_new();
    o.max_input_bytes = 10;
    oomkb_report *report = NULL;
    assert_int_equal(oomkb_diagnose(kb, LOG_TEXT, strlen(LOG_TEXT), &o,
                                    &report, NULL),
                     OOMKB_OK);
    assert_int_equal(oomkb_report_failures(report), 0);
    expect_report_has(report, "jsonl", "\"truncated\":true");
    uint64_t lines = 0;
    assert_int_equal(oomkb_report_is_whole(report, &lines), 0);
    assert_int_equal(lines, 1);
    oomkb_report_free(report);
    o.max_input_bytes = 0;
    assert_int_equal(oomkb_diagnose(kb, LOG_TEXT, strlen(LOG_TEXT), &o,
                                    &report, NULL),
                     OOMKB_OK);
    assert_int_equal(oomkb_report_is_whole(report, NULL), 1);
    oomkb_report_free(report);
    assert_int_equal(oomkb_report_is_whole(NULL, &lines), 0);
    assert_int_equal(lines, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_failure_is_found),
        cmocka_unit_test(a_healthy_log_is_left_alone),
        cmocka_unit_test(pieces_give_what_the_whole_gives),
        cmocka_unit_test(an_answer_refines_without_the_log),
        cmocka_unit_test(a_bad_answer_changes_nothing),
        cmocka_unit_test(answers_may_come_with_the_options),
        cmocka_unit_test(own_reports_come_with_the_options),
        cmocka_unit_test(a_fix_is_known_or_its_neighbours_are_named),
        cmocka_unit_test(questions_are_listed_in_both_languages),
        cmocka_unit_test(an_answered_question_is_not_asked_again),
        cmocka_unit_test(a_question_that_is_not_there_is_refused),
        cmocka_unit_test(an_entry_is_written_by_its_id),
        cmocka_unit_test(the_base_tells_about_itself),
        cmocka_unit_test(one_base_serves_many_threads),
        cmocka_unit_test(null_is_refused_not_followed),
        cmocka_unit_test(finish_frees_the_scan_on_failure_too),
        cmocka_unit_test(options_are_read_by_their_size),
        cmocka_unit_test(what_is_no_index_is_refused),
        cmocka_unit_test(formats_and_writers_that_fail),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_failed_allocation_changes_no_answer),
        cmocka_unit_test(a_ceiling_is_kept),
        cmocka_unit_test(reading_stops_where_it_should),
    };
    return cmocka_run_group_tests(tests, open_base, close_base);
}
