/* Drafts: the line that failed is found, its numbers are named, what is
 * private goes, the pattern matches the log it came from, and nobody can ship
 * what is not filled in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "author/draft.h"
#include "match/match.h"
#include "support/corpus.h"
#include "support/patterns.h"

static const char crash[] =
    "INFO 06-02 14:19:24 [core.py:12] pool is ready, 3 slabs\n"
    "Traceback (most recent call last):\n"
    "  File \"/home/ann/lib/site-packages/cupy/slab.py\", line 88, in take\n"
    "    pool.reserve(blocks)\n"
    "cupy.slab.SlabError: device 0 is out of memory in 0x7f3a10bb of "
    "/home/ann/q.bin: requested 3.50 GiB, 1.25 GiB free (pid 4711)\n"
    "RuntimeError: worker 3 failed\n";

static struct str draft_of(struct arena *a, const char *log) {
    struct draft_source from = {.log = str_of(log),
                                .engine = STR("vllm"),
                                .engine_version = STR("0.11.0"),
                                .today = STR("2026-11-21")};
    return author_draft(a, &from);
}

static void expect_in(struct str text, const char *what) {
    if (str_find(text, str_of(what)) == text.n && what[0] != '\0') {
        fail_msg("'%s' is not in:\n%.*s", what, STR_ARG(text));
    }
}

static void expect_not_in(struct str text, const char *what) {
    if (str_find(text, str_of(what)) != text.n) {
        fail_msg("'%s' is in:\n%.*s", what, STR_ARG(text));
    }
}

static void expect_line(struct arena *a, const char *log, uint32_t number) {
    assert_int_equal(draft_line_find(a, str_of(log), 0).number, number);
}

static void finds_the_line(struct arena *a) {
    expect_line(a, crash, 5);
    expect_line(a, "KeyError: 'a'\nValueError: wrong shape (3, 4)\nbye\n", 2);
    expect_line(a, "loaded 3 GiB of memory\nall is well\n", 0);
    expect_line(a, "slabd: 显存不足，退出\nRuntimeError: gone\n", 1);
    assert_int_equal(draft_line_find(a, str_of(crash), 6).number, 6);
}

static void guesses_who_it_was(struct arena *a) {
    struct draft_line line = draft_line_find(a, str_of(crash), 0);
    assert_true(str_eq(line.component, STR("cupy")));
    line = draft_line_find(a, STR("box.Error: out of memory\n"), 0);
    assert_int_equal(line.component.n, 0);
}

static void expect_pattern(struct arena *a, const char *line,
                           const char *pattern) {
    struct hit hit;
    struct str got = draft_pattern(a, str_of(line), false);
    assert_string_equal(arena_str(a, got).p, pattern);
    assert_true(pattern_hit(a, got, str_of(line), &hit));
}

static void names_numbers(struct arena *a) {
    expect_pattern(a, "slab failed: requested 2.00 GiB (pid 12), GPU 1 has "
                      "3 MiB free.",
                   "slab failed: requested (?<tried_alloc>(?&amount)) \\(pid "
                   "(?<pid>(?&int))\\), GPU (?<gpu_index>(?&int)) has "
                   "(?<gpu_free>(?&amount))");
    expect_pattern(a, "arena refused 1,024 of 7.5 with max_num_seqs=256",
                   "arena refused (?&int) of (?&dec) with max_num_seqs="
                   "(?<max_num_seqs>(?&int))");
    expect_pattern(a, "slab failed, free 2 GiB", /* of what? */
                   "slab failed, free (?&amount)");
    expect_pattern(a, "allocating 12 bytes, allocating 13 bytes: refused",
                   "allocating (?<tried_alloc>(?&amount)), allocating "
                   "(?&amount)");
}

static void leaves_out_what_differs(struct arena *a) {
    expect_pattern(a, "arena at 0x7fAb refused /usr/lib/x/y.so of 1.2.3 fp16",
                   "arena at 0x[0-9a-fA-F]+ refused [^\\s\"'(),]+ of [\\d.]+ "
                   "fp16");
    expect_pattern(a, "slab (a|b) is *full* [^$] {1}?",
                   "slab \\(a\\|b\\) is \\*full\\* \\[\\^\\$\\] "
                   "\\{(?&int)");
    struct str p = draft_pattern(a, STR("slab of <path-1> is refused"), false);
    struct hit hit;
    assert_true(pattern_hit(a, p, STR("slab of /home/ann/x is refused"),
                                &hit));
}

static void takes_names_and_places_out(struct arena *a) {
    struct str page = draft_of(a, crash);
    expect_not_in(page, "ann");
    expect_in(page, "<path-1>: requested 3.50 GiB");
    expect_in(page, "component: cupy");
    expect_in(page, "{product: vllm, events: [{introduced: \"0.11.0\"}]}");
    expect_in(page, "(?<tried_alloc>(?&amount))");
}

static void matches_nothing_healthy(struct arena *a) {
    static const char log[] = "slab memory: 2 of 4 GiB given\n"
                              "slab memory: 3 of 4 GiB refused, error\n"
                              "slab memory: 1 of 4 GiB given\n";
    struct str page = draft_of(a, log);
    expect_in(page, "pattern: 'slab memory: (?&int) of (?&amount) refused, "
                    "error'");
    expect_not_in(page, "looks healthy");
    struct draft_source alike = {
        .log = STR("slab memory: 2 of 4 GiB\nslab memory: 3 of 4 GiB\n"),
        .line = 2, .today = STR("2026-11-21")};
    page = author_draft(a, &alike); /* nothing tells the two apart */
    expect_in(page, "It matches line 1 as well, which looks healthy");
}

static void reads_only_what_is_near(struct arena *a) {
    struct draft_lines near = draft_healthy(a, str_of(crash), 5);
    assert_int_equal(near.count, 4);
    assert_int_equal(near.at[0].number, 1);
    assert_int_equal(draft_healthy(a, str_of(crash), 4711).count, 0);
}

/* ---- a draft compiles as it is, and is no entry yet ---- */

struct told {
    size_t errors, warnings, draft;
};

static void count(void *ctx, const struct diag *d) {
    struct told *t = ctx;
    t->errors += d->level == DIAG_ERROR;
    t->warnings += d->level == DIAG_WARNING;
    t->draft += str_eq(str_of(d->code), STR("W108"));
}

static struct told check_page(struct arena *a, struct str page, bool is_good) {
    struct told told = {0};
    struct entry entry;
    assert_int_equal(author_read_entry(a, STR("entries/cupy/slab.yaml"), page,
                                       count, &told, &entry), is_good);
    return told;
}

static void compiles_as_a_draft(struct arena *a) {
    struct str page = draft_of(a, crash);
    struct told told = check_page(a, page, true);
    assert_int_equal(told.errors, 0);
    assert_int_equal(told.draft, 1);
    assert_true(told.warnings >= 4); /* the cause, and Chinese */
}

static void is_refused_without_that_status(struct arena *a) {
    struct str page = draft_of(a, crash), mark = STR("status: draft");
    size_t at = str_find(page, mark);
    struct str rest;
    struct str front = str_slice(page, 0, at);
    str_cut(str_slice(page, at, page.n), '\n', &rest);
    struct told told = check_page(
        a, arena_printf(a, "%.*s%.*s", STR_ARG(front), STR_ARG(rest)), false);
    assert_true(told.errors >= 3);
    assert_int_equal(told.draft, 0);
}

/* Words that YAML or a pattern would take for something else. */
static void survives_any_line(struct arena *a) {
    static const char *const logs[] = {
        "E: 'it''s' #full: \\n \"x\": [out of memory] {} %d <a-b>\n",
        "\x01\x02 out of memory: \xff\xfe error - : ? & * ! | > @ `\n",
        "Error: - out of memory\ttab\ttab 0x 1. .5 1,,2 1,2,3 00 -1 1e9\n",
        "Error: 内存不足：申请 3.5GiB，只剩 1024字节\n",
    };
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++)
        check_page(a, draft_of(a, logs[i]), true);
}

/* Nobody reviews what nobody sees: it is in no page, and the pattern still
 * matches the line that has it. */
static void shows_all_that_it_says(struct arena *a) {
    struct str page = draft_of(a, "RuntimeError: widget ran out of memory"
                                  "\u202Ehere \U000E0041\n");
    expect_not_in(page, "\u202E");
    expect_not_in(page, "\U000E0041");
    check_page(a, page, true);
}

static void try_draft(void *arg) {
    struct arena *a = arg;
    draft_of(a, "all is well\n");
}

static void says_when_there_is_nothing(struct arena *a) {
    struct fault fault;
    assert_int_equal(arena_guard(a, try_draft, a, &fault), FAIL_INPUT);
}

#define TEST(f)                                                               \
    static void test_##f(void **state) {                                      \
        (void)state;                                                          \
        with_arena(f);                                                        \
    }
TEST(finds_the_line)
TEST(guesses_who_it_was)
TEST(names_numbers)
TEST(leaves_out_what_differs)
TEST(takes_names_and_places_out)
TEST(matches_nothing_healthy)
TEST(reads_only_what_is_near)
TEST(compiles_as_a_draft)
TEST(is_refused_without_that_status)
TEST(survives_any_line)
TEST(shows_all_that_it_says)
TEST(says_when_there_is_nothing)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_the_line),
        cmocka_unit_test(test_guesses_who_it_was),
        cmocka_unit_test(test_names_numbers),
        cmocka_unit_test(test_leaves_out_what_differs),
        cmocka_unit_test(test_takes_names_and_places_out),
        cmocka_unit_test(test_matches_nothing_healthy),
        cmocka_unit_test(test_reads_only_what_is_near),
        cmocka_unit_test(test_compiles_as_a_draft),
        cmocka_unit_test(test_is_refused_without_that_status),
        cmocka_unit_test(test_survives_any_line),
        cmocka_unit_test(test_shows_all_that_it_says),
        cmocka_unit_test(test_says_when_there_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
