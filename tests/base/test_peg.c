/* What a pattern takes of a text, and what it says of its first byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/peg.h"

#define NONE SIZE_MAX

static const struct {
    const char *pattern, *text;
    size_t n;
} cases[] = {
    {"a.c", "a.cd", 3},         {"a.c", "abc", NONE},
    {"%d%l%w%s", "1a_\tx", 4},  {"%d", "a", NONE},
    {"%[%(%%", "[(%", 3},       {"[a-c%d_-]+", "b_7-x", 4},
    {"[^ :]+", "ab: c", 2},     {"[^a]", "\xE4", 1},
    {"[^a]", "", NONE},         {"ab?c", "ac", 2},
    {"ab*c", "abbbc", 5},       {"ab+c", "ac", NONE},
    {"x{2}", "xxx", 2},         {"x{2,3}", "xxxx", 3},
    {"x{2,3}", "x", NONE},      {"x{2,}", "xxxx", 4},
    {"(a|ab)c", "abc", NONE},   {"(ab|a)c", "ac", 2},
    {"(ab)*a", "ababa", 5},     {"(a|)b", "b", 1},
    {"(%d,){2}", "1,2,3,", 4},  {"(a?)*b", "b", 1},
    {"a(?= b)", "a b", 1},      {"a(?!b)", "ab", NONE},
    {"a$", "a", 1},             {"a$", "ab", NONE},
    {"a*a", "aaa", NONE},       {"a|b", "b", 1},
    {"", "x", 0},
};

static void a_pattern_takes_so_much(void **state) {
    (void)state;
    struct arena a;
    struct peg_match m;
    arena_init(&a, NULL, 0);
    struct peg_set *s = peg_set_new(&a, 4);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint16_t pattern = peg_add(s, cases[i].pattern);
        struct str text = str_of(cases[i].text);
        size_t n = peg_match(s, pattern, text, &m) ? m.n : NONE;
        struct peg_bytes first = peg_first(s, pattern);
        if (n != cases[i].n)
            fail_msg("%s takes %zu of \"%s\"", cases[i].pattern, n,
                     cases[i].text);
        if (n != NONE && n > 0 && !peg_has(&first, text.p[0]))
            fail_msg("%s: no first byte", cases[i].pattern);
        struct peg_index index = {0};
        peg_index_add(&index, s, pattern, 7);
        if (n != NONE && n > 0 && peg_index_find(&index, text) != 128)
            fail_msg("%s: not found by its first bytes", cases[i].pattern);
    }
    arena_free(&a);
}

static void the_first_byte_decides(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL, 0);
    struct peg_set *s = peg_set_new(&a, 4);
    struct peg_bytes first =
        peg_first(s, peg_add(s, "(?=z)x?(b|cd|%d*)([^e\x80-\xff]$)?|q"));
    for (int c = 'a'; c <= 'z'; c++)
        assert_int_equal(peg_has(&first, (char)c), c != 'e');
    first = peg_first(s, peg_add(s, "(<%d>)?(Jan|Feb)"));
    assert_true(peg_has(&first, '<') && peg_has(&first, 'J') &&
                peg_has(&first, 'F'));
    assert_false(peg_has(&first, '1') || peg_has(&first, 'a'));
    arena_free(&a);
}

static void so_do_those_behind_it(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL, 0);
    struct peg_set *s = peg_set_new(&a, 4);
    struct peg_index index = {0};
    peg_index_add(&index, s, peg_add(s, "%d{2}:%d"), 0);
    peg_index_add(&index, s, peg_add(s, "(Jan|Jun)e?|[0-4]{1,3}[a-z]"), 1);
    assert_int_equal(peg_index_find(&index, STR("12:30")), 3);
    assert_int_equal(peg_index_find(&index, STR("92:30")), 1);
    assert_int_equal(peg_index_find(&index, STR("1234")), 2);
    assert_int_equal(peg_index_find(&index, STR("Jxn")), 2);
    assert_int_equal(peg_index_find(&index, STR("Mar")), 0);
    assert_int_equal(peg_index_find(&index, STR("9")), 1);
    arena_free(&a);
}

static void names_stay_of_what_matched(void **state) {
    (void)state;
    struct arena a;
    struct peg_match m;
    arena_init(&a, NULL, 0);
    struct peg_set *s = peg_set_new(&a, 4);
    uint16_t pattern =
        peg_add(s, "(?<x>%l+)(?=(?<y>%d))((?<z>%d)!|(?<x>%d)(?<e>))");
    assert_true(peg_match(s, pattern, STR("ab7"), &m));
    assert_int_equal(m.capture_count, 3);
    assert_true(str_eq(m.captures[0].name, STR("x")) &&
                str_eq(m.captures[0].text, STR("ab")));
    assert_true(str_eq(m.captures[1].name, STR("x")) &&
                str_eq(m.captures[1].text, STR("7")));
    assert_true(str_eq(m.captures[2].name, STR("e")) &&
                m.captures[2].text.n == 0);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_takes_so_much),
        cmocka_unit_test(the_first_byte_decides),
        cmocka_unit_test(so_do_those_behind_it),
        cmocka_unit_test(names_stay_of_what_matched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
