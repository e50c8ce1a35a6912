/* test_literals.c: which words every match of a pattern contains, and which
 * patterns the build turns away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "match/literals.h"
#include "support/corpus.h"
#include "support/patterns.h"

static void expect_literals(struct arena *a, const char *pattern,
                            const char *joined) {
    struct str_list list = pattern_literals(a, str_of(pattern));
    struct buf out = buf_in(a, 4096);
    for (size_t i = 0; i < list.count; i++) {
        if (i > 0) {
            buf_add(&out, STR(" | "));
        }
        buf_add(&out, list.at[i]);
    }
    if (!str_eq(buf_str(&out), str_of(joined))) {
        fail_msg("%s: literals \"%.*s\", wanted \"%s\"", pattern,
                 STR_ARG(buf_str(&out)), joined);
    }
}

static const struct {
    const char *pattern, *literals;
} table[] = {
    /* texts, blanks, case */
    {"CUDA out of memory", "cuda out of memory"},
    {"out   of\tmemory now", "out of memory now"},
    {" Free memory ", "free memory"},
    {"Free\\x20memory", "free memory"},
    {"Free\\ memory\\n on", "free memory on"},
    {"(?i)Free Memory", "free memory"},
    {"[Ff]ree[ ]memory[.]", "free memory."},
    {"out\\.of\\(memory\\)", "out.of(memory)"},
    /* what may be missing adds nothing */
    {"allocate(?: more)? memory", "allocate more memory | allocate memory"},
    {"allocate ?memory now", "memory now"},
    {"abc ?defghijk", "defghijk"},
    {"abc*defghijk", "defghijk"},
    {"(?:abcdefgh){0,3}xyz", "xyz"},
    {"abcdefghi+jk", "abcdefghi"},
    {"(?:abcd){2}e", "abcdabcde"},
    /* what all frames of Python say is worth little, though not nothing */
    {"sd_models\\w*\\.py\", line \\d+, in load", "sd_models"},
    {"\\.py\", line \\d+, in \\w+", ".py\", line"},
    /* numbers and classes part */
    {"tried (?<tried_alloc>(?&amount)) of memory", "of memory"},
    {"max seq len \\((?<max_model_len>(?&int))\\)", "max seq len ("},
    {"one.two-three", "two-three"},
    {"block \\d+ of many", "of many"},
    {"cache[^x]*needed", "needed"},
    {"say \\p{L}memory", "memory"},
    {"(a)bcd\\g1234567", "abcd"},
    {"(a)bcdef\\k{a}x", "abcdef"},
    {"say \\x41llocated", "say allocated"},
    {"a\\x{4e2d}bcdefghi", "bcdefghi"},
    {"中文内存不足", "中文内存不足"},
    {"(?i)中文risk now", "now"},
    {"(?i:中文risk) exhausted", "exhausted"},
    {"(文(?i)risk) exhausted", "exhausted"},
    /* lines' ends and assertions take no room */
    {"^Killed process$", "killed process"},
    {"out of(?! time) memory", "out of memory"},
    {"(?<=abc)defghijk", "defghijk"},
    {"\\bOutOfMemory\\b", "outofmemory"},
    /* alternatives need one each */
    {"(?:CUDA|HIP) out of memory", "cuda out of memory | hip out of memory"},
    {"line \\d+, in (?:train|fit|_fit)\\b", ", in train | , in fit | , in _fit"},
    {"\\.py:\\d+ (?:to|at) (?:\\d+|x) (?:memory|page)_map\\b",
     "memory_map | page_map"},
    {"(?:a|b|c|d|e|f|g|h|i) cache_spilled", "cache_spilled"},
    {"(?:read|load) (?:[a-z]+|my) (?:cache_block|cacheblock)",
     "cache_block | cacheblock"},
    {"profile_run|capture_model", "profile_run | capture_model"},
    {"profile_run|\\d+", ""},
    {"(?:profile_run|capture_model|) x", "x"},
    {"Out of memory|Memory cgroup out of memory", "out of memory"},
    {"(?:abcd|abxy) and", "abcd and | abxy and"},
    {"(?|(abcdefgh)|(ijklmnop))", "abcdefgh | ijklmnop"},
    {"(?>abcdefgh)ij", "abcdefghij"},
    {"a(?:b|b)cdefgh", "abcdefgh"},
    {"(?:x(?:y|z)|w)abcdefgh", "abcdefgh"},
    {".*", ""},
    {"", ""},
};

static void literals_are_mandatory_words(struct arena *a) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        expect_literals(a, table[i].pattern, table[i].literals);
    }
}

/* ---- how far before its literal a match begins ---- */

static void expect_front(struct arena *a, const char *pattern, int front) {
    struct pattern_text text;
    struct pattern_error error;
    int most = 0;
    assert_true(pattern_text_prepare(a, str_of(pattern), &text, &error));
    struct literals found = literals_of(a, &text);
    for (size_t i = 0; i < found.best.count; i++) {
        int one = (unsigned char)found.fronts.p[i];
        most = one > most ? one : most;
    }
    if (most != front) {
        fail_msg("\"%s\": %d instead of %d", pattern, most, front);
    }
}

static void a_match_begins_few_bytes_before(struct arena *a) {
    expect_front(a, "CUDA out of memory\\. Tried", 0);
    expect_front(a, "^(?!WARN\\s)[Oo]ut_of_memory", 0);
    expect_front(a, "^\\xE2\\x94[^\\n]out_of_memory", 3);
    expect_front(a, "[ -~]{3}out_of_memory", 3);
    expect_front(a, "(?:[Oo]ut_of_memory|bad_alloc_here|(?i:No_memory_left))",
                 0);
    expect_front(a, "one(?: two)? \\dthree_is_the_literal", 9);
    expect_front(a, "a[^x]{2}the_long_literal", 3);
    expect_front(a, "(?:one_two three_four|three_four)", 8);
    expect_front(a, "(?:[ab]{2}[0-9] left_over_here|left_over_here)", 4);
    expect_front(a, "[^\\n]{0,64}the_long_literal", 64);
    expect_front(a, "中[，,]{2}the_long_literal", 5 * 4);
}

static void or_few_lines(struct arena *a) {
    expect_front(a, "[^\\n]*?CUDA out of memory", FRONT_LINE);
    expect_front(a, "[^\\n]{0,65}CUDA out of memory", FRONT_LINE);
    expect_front(a, "\\b[\\w.]+Error: *\\d?CUDA_out_of_memory", FRONT_LINE + 1);
    expect_front(a, "(?<gpu_free>\\d+)_bytes_are_free", FRONT_LINE);
    expect_front(a, "^\\xE2\\x94\\x82[^\\n]*out_of_memory", FRONT_LINE);
    expect_front(a, "[^\\x22\\n]*[\\x20-\\x7E]out_of_memory", FRONT_LINE);
    expect_front(a, "(?<gpu_free>(?&amount)) is free now", FRONT_LINE + 2);
    expect_front(a, "one(?: two)? \\d+three_is_the_literal", FRONT_LINE + 2);
}

static void or_any_number_of_them(struct arena *a) {
    static const char *const patterns[] = {
        "a[^x]*the_long_literal",      "a[\\s\\S]+?the_long_literal",
        "x(?:a b)*the_long_literal",   "(?s)a.*the_long_literal",
        "x\\D*the_long_literal",       "x[\\x0A\\x22]*the_long_literal",
        "x[^\\x22]*the_long_literal", "(a)\\1the_long_literal"};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        expect_front(a, patterns[i], FRONT_ANY);
    }
}

static void expect_flaw(struct arena *a, const char *pattern, bool is_weak,
                        bool is_context, enum pattern_flaw flaw,
                        size_t offset) {
    struct pattern_error error;
    enum pattern_flaw found =
        pattern_check(a, str_of(pattern), is_weak, is_context, &error);
    if (found != flaw || error.offset != offset) {
        fail_msg("%s: flaw %d at %zu (%.*s), wanted %d at %zu", pattern, found,
                 error.offset, STR_ARG(error.message), flaw, offset);
    }
    assert_int_equal(found == PATTERN_GOOD, error.message.n == 0);
}

static void flaws_are_named_at_their_place(struct arena *a) {
    expect_flaw(a, "CUDA out of memory", false, false, PATTERN_GOOD, 0);
    expect_flaw(a, "a b (?&int) c(d", false, false, PATTERN_SYNTAX, 15);
    expect_flaw(a, "a b (?&int) [z-a] memory", false, false, PATTERN_SYNTAX,
                15);
    expect_flaw(a, "out of memory (*ACCEPT)", false, false, PATTERN_SYNTAX,
                14);
    expect_flaw(a, "(?x) out of memory", false, false, PATTERN_SYNTAX, 0);
    expect_flaw(a, "ab(?(?=a)b|c)", false, false, PATTERN_SYNTAX, 2);
    expect_flaw(a, "ab(?#what)", false, false, PATTERN_SYNTAX, 2);
    expect_flaw(a, "ab(?C)", false, false, PATTERN_SYNTAX, 2);
    expect_flaw(a, "a \\Qb", false, false, PATTERN_SYNTAX, 2);
    expect_flaw(a, "", false, false, PATTERN_SYNTAX, 0);
    expect_flaw(a, "out of memory (?<gpu_fre>(?&amount))", false, false,
                PATTERN_BAD_GROUP, 17);
    expect_flaw(a, "out of memory (?<gpu_free__GiB>(?&dec))", false, false,
                PATTERN_GOOD, 0);
    expect_flaw(a, "command is (?<command>.*)", false, false,
                PATTERN_BAD_GROUP, 14);
    expect_flaw(a, "command is (?<command>.*)", false, true, PATTERN_GOOD, 0);
    expect_flaw(a, "^Killed$", false, false, PATTERN_NO_LITERAL, 0);
    expect_flaw(a, "^Killed$", true, false, PATTERN_GOOD, 0);
    expect_flaw(a, "^\\d+$", true, false, PATTERN_NO_LITERAL, 0);
    expect_flaw(a, "(?:abcdefgh|xy) z", false, false, PATTERN_NO_LITERAL, 0);
}

static void expect_match(struct arena *a, const char *pattern,
                         const char *text, const char *captured) {
    struct hit hit;
    bool is_match = pattern_hit(a, str_of(pattern), str_of(text), &hit);
    if (is_match != (captured != NULL)) {
        fail_msg("%s: %s \"%s\"", pattern,
                 is_match ? "matches" : "does not match", text);
    }
    if (captured && *captured) {
        assert_int_equal(hit.capture_count, 1);
        assert_true(str_eq(hit.captures[0].text, str_of(captured)));
    }
}

static void macros_match_what_is_printed(struct arena *a) {
    static const char *const amounts[] = {
        "23.69 GiB", "1024.00 KiB",  "512 bytes", "17179869184.00 GiB",
        "2.00 GB",   "1,024MiB",     "16G",       "-0.25 GiB",
        "+3 kB",     "1 byte",       "12 B",      "1,234,567.50 MiB"};
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++) {
        struct str log = arena_printf(a, "has %s free", amounts[i]);
        expect_match(a, "has (?<gpu_free>(?&amount)) free", log.p, amounts[i]);
        struct amount read;
        units_read(str_of(amounts[i]), 1, &read);
        assert_true(read.known || read.why != NULL);
    }
    expect_match(a, "has (?<gpu_free>(?&amount)) free", "has 3.5\n  GiB free",
                 "3.5 GiB");
    expect_match(a, "has (?<gpu_free>(?&amount))", "has 5 Bananas", NULL);
    expect_match(a, "len (?<max_model_len>(?&int))\\b", "len 83,392", "83,392");
    expect_match(a, "len (?<max_model_len>(?&int)),", "len 4096, 2", "4096");
    expect_match(a, "len (?<max_model_len>(?&int))", "len -1", "-1");
    expect_match(a, "(?<gpu_free__GiB>(?&dec))/9", "-31.44/9", "-31.44");
    expect_match(a, "use (?<gpu_memory_utilization>(?&dec)),", "use 0.95,",
                 "0.95");
}

static void macros_tell_a_failure_from_words_about_one(struct arena *a) {
    static const char *const failures[] = {
        "boxd: could not allocate the staging arena",
        "ls: error while loading libbox: could not allocate",
        "E boxd: could not allocate"};
    static const char *const words[] = {
        "WARN boxd: could not allocate",
        "boxd: could not allocate, retrying with 4 MiB",
        "This happens when boxd could not allocate",
        "while boxd could not allocate"};
    const char *pattern = "^(?!(?&mild))(?!(?&prose))[^\\n]{0,80}could not allocate";
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++)
        expect_match(a, pattern, failures[i], "");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        expect_match(a, pattern, words[i], NULL);
}

static void blanks_match_wraps(struct arena *a) {
    expect_match(a, "is less than", "is\n   less  than", "");
    expect_match(a, "is less than", "isless than", NULL);
    expect_match(a, "is\\x20less", "is\nless", NULL);
    expect_match(a, "is[ ]less", "is\nless", NULL);
    expect_match(a, "is ?less", "isless", "");
    expect_match(a, "is ?less", "is \n less", "");
    expect_match(a, "is {2}less", "is \n less", "");
    expect_match(a, "(?<!not )ready now", "not\nready now", NULL);
    expect_match(a, "a.c", "a\nc", NULL);
    expect_match(a, "^Killed$", "x\nKilled\ny", "");
    expect_match(a, "[，,]然后 x", "，然后 x", "");
    expect_match(a, "\xE4\xB8\xAD.x", "\xE4\xB8\xAD\xE4\xB8\xADx", "");
    expect_match(a, "\xE4\xB8\xAD x", "\xFF\xE4\xB8\xAD x", "");
    expect_match(a, "bad .byte", "bad \xFF" "byte", "");
}

static void a_match_knows_its_lines(struct arena *a) {
    struct hit hit;
    assert_true(pattern_hit(
        a, STR("has (?<gpu_free>(?&amount)) of (?<gpu_total>(?&amount))"),
        STR("one\ntwo has 2 GiB\nof 4 GiB\n"), &hit));
    assert_int_equal(hit.first_line, 2);
    assert_int_equal(hit.last_line, 3);
    assert_int_equal(hit.capture_count, 2);
    assert_int_equal(hit.captures[0].name, FACT_gpu_free);
    assert_int_equal(hit.captures[0].line, 2);
    assert_int_equal(hit.captures[1].line, 3);
    assert_true(str_eq(hit.text, STR("has 2 GiB\nof 4 GiB")));
}

/* Nested repetition over a long line: a limit ends it, and soon. */
static void work_is_limited(struct arena *a) {
    struct hit hit;
    char *text = arena_alloc(a, 40001);
    memset(text, 'a', 40000);
    assert_false(pattern_hit(a, STR("(?:a+)+(?:a+)+[bc]d"),
                                 (struct str){text, 40000}, &hit));
    assert_false(pattern_hit(a, STR("(?:(\\S+) ?)*END"),
                                 (struct str){text, 40000}, &hit));
}

#define IN_ARENA(name)                                                     \
    static void test_##name(void **state) {                                \
        (void)state;                                                       \
        with_arena(name);                                                  \
    }
IN_ARENA(literals_are_mandatory_words)
IN_ARENA(a_match_begins_few_bytes_before)
IN_ARENA(or_few_lines)
IN_ARENA(or_any_number_of_them)
IN_ARENA(flaws_are_named_at_their_place)
IN_ARENA(macros_match_what_is_printed)
IN_ARENA(macros_tell_a_failure_from_words_about_one)
IN_ARENA(blanks_match_wraps)
IN_ARENA(a_match_knows_its_lines)
IN_ARENA(work_is_limited)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_literals_are_mandatory_words),
        cmocka_unit_test(test_a_match_begins_few_bytes_before),
        cmocka_unit_test(test_or_few_lines),
        cmocka_unit_test(test_or_any_number_of_them),
        cmocka_unit_test(test_flaws_are_named_at_their_place),
        cmocka_unit_test(test_macros_match_what_is_printed),
        cmocka_unit_test(test_macros_tell_a_failure_from_words_about_one),
        cmocka_unit_test(test_blanks_match_wraps),
        cmocka_unit_test(test_a_match_knows_its_lines),
        cmocka_unit_test(test_work_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
