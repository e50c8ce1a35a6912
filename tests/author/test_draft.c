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
    struct str got = draft_pattern(a, str_of(line));
    assert_string_equal(arena_str(a, got).p, pattern);
    assert_true(pattern_matches(a, got, str_of(line), &hit));
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
    struct str p = draft_pattern(a, STR("slab of <path-1> is refused"));
    struct hit hit;
    assert_true(pattern_matches(a, p, STR("slab of /home/ann/x is refused"),
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

/* ---- a draft is no entry ---- */

struct told {
    size_t errors, empty, syntax;
};

static void count(void *ctx, const struct diag *d) {
    struct told *t = ctx;
    t->errors++;
    t->empty += str_eq(str_of(d->code), STR("E024"));
    t->syntax += str_eq(str_of(d->code), STR("E001"));
}

static void parses_but_is_refused(struct arena *a) {
    struct told told = {0};
    struct entry entry;
    bool is_good = author_read_entry(a, STR("entries/cupy/slab.yaml"),
                                     draft_of(a, crash), count, &told,
                                     &entry);
    assert_false(is_good);
    assert_int_equal(told.syntax, 0);
    assert_true(told.empty >= 4); /* title and cause, in both languages */
}

/* Words that YAML or a pattern would take for something else. */
static void survives_any_line(struct arena *a) {
    static const char *const logs[] = {
        "E: 'it''s' #full: \\n \"x\": [out of memory] {} %d <a-b>\n",
        "\x01\x02 out of memory: \xff\xfe error - : ? & * ! | > @ `\n",
        "Error: - out of memory\ttab\ttab 0x 1. .5 1,,2 1,2,3 00 -1 1e9\n",
        "Error: 内存不足：申请 3.5GiB，只剩 1024字节\n",
    };
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        struct told told = {0};
        struct entry entry;
        author_read_entry(a, STR("entries/x/y.yaml"), draft_of(a, logs[i]),
                          count, &told, &entry);
        assert_int_equal(told.syntax, 0);
        assert_true(told.empty >= 4);
    }
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
TEST(parses_but_is_refused)
TEST(survives_any_line)
TEST(says_when_there_is_nothing)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_the_line),
        cmocka_unit_test(test_guesses_who_it_was),
        cmocka_unit_test(test_names_numbers),
        cmocka_unit_test(test_leaves_out_what_differs),
        cmocka_unit_test(test_takes_names_and_places_out),
        cmocka_unit_test(test_parses_but_is_refused),
        cmocka_unit_test(test_survives_any_line),
        cmocka_unit_test(test_says_when_there_is_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
