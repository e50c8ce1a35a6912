/* Views, UTF-8, JSON and complaints: what is read and what is written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "base/json.h"
#include "base/near.h"
#include "base/utf8.h"

static void views_are_compared_and_cut(void **state) {
    (void)state;
    struct str rest, none = {NULL, 0};
    assert_true(str_eq(none, STR("")));
    assert_true(str_eq_nocase(STR("GiB"), STR("gIb")));
    assert_true(str_cmp(STR("a"), STR("ab")) < 0);
    assert_true(str_cmp(STR("b"), STR("ab")) > 0);
    assert_true(str_starts(STR("abc"), STR("ab")));
    assert_true(str_ends(STR("abc"), none) && str_ends(STR("abc"), STR("c")));
    assert_int_equal(str_find(STR("aab"), STR("ab")), 1);
    assert_int_equal(str_find(STR("aab"), STR("abb")), 3);
    assert_int_equal(str_find(STR("a\0b"), STR("\0b")), 1);
    assert_int_equal(str_find_char(none, 'x'), 0);
    assert_true(str_eq(str_trim(STR(" \t x y\r\n")), STR("x y")));
    assert_true(str_eq(str_slice(STR("abc"), 1, SIZE_MAX), STR("bc")));
    assert_int_equal(str_slice(STR("abc"), 9, 1).n, 0);
    assert_true(str_eq(str_cut(STR("k=v=w"), '=', &rest), STR("k")));
    assert_true(str_eq(rest, STR("v=w")));
    assert_true(str_eq(str_cut(STR("k"), '=', &rest), STR("k")) && rest.n == 0);
}

static void integers_are_whole_or_nothing(void **state) {
    (void)state;
    int64_t n = 7;
    assert_false(str_to_int(STR(""), &n));
    assert_false(str_to_int(STR("-"), &n));
    assert_false(str_to_int(STR("12 "), &n));
    assert_false(str_to_int(STR("9223372036854775808"), &n));
    assert_int_equal(n, 7);
    assert_true(str_to_int(STR("-9223372036854775808"), &n));
    assert_true(n == INT64_MIN);
}

static void slips_of_the_hand_are_counted(void **state) {
    (void)state;
    assert_int_equal(near_distance(STR("list"), STR("list")), 0);
    assert_int_equal(near_distance(STR(""), STR("list")), 4);
    assert_int_equal(near_distance(STR("lst"), STR("list")), 1);
    assert_int_equal(near_distance(STR("lisst"), STR("list")), 1);
    assert_int_equal(near_distance(STR("kist"), STR("list")), 1);
    assert_int_equal(near_distance(STR("hlep"), STR("help")), 1);
    assert_int_equal(near_distance(STR("exlpian"), STR("explain")), 2);
    assert_int_equal(near_distance(STR("ba"), STR("abc")), 2);
}

static void the_nearest_are_kept_in_order(void **state) {
    (void)state;
    struct near near = {.count = 0};
    near_offer(&near, STR("far"), 3);
    near_offer(&near, STR("b"), 2);
    near_offer(&near, STR("c"), 2);
    near_offer(&near, STR("far"), 1); /* by another of its names */
    near_offer(&near, STR("farthest"), 4);
    assert_int_equal(near.count, 3);
    assert_true(str_eq(near.names[0], STR("far")));
    assert_true(str_eq(near.names[1], STR("b")));
    near_offer(&near, STR("a"), 0);
    assert_true(str_eq(near.names[0], STR("a")));
    assert_true(str_eq(near.names[2], STR("b")));
    near_offer(&near, STR("last"), 2); /* of equals the first stays */
    assert_true(str_eq(near.names[2], STR("b")));
}

static void hashes_are_stable(void **state) {
    (void)state;
    assert_true(str_hash(STR("a")) == UINT64_C(0xaf63dc4c8601ec8c));
}

static void bad_utf8_is_known(void **state) {
    (void)state;
    static const char *const bad[] = {
        "\x80", "\xC0\x80", "\xC3", "\xE2\x82", "\xED\xA0\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE0\x80\x80",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(utf8_valid(str_of(bad[i])));
    assert_true(utf8_valid(STR("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80")));
}

static void every_character_survives_a_round_trip(void **state) {
    (void)state;
    for (uint32_t cp = 1; cp <= 0x10FFFF; cp += 97) {
        struct buf b;
        uint32_t back;
        bool is_surrogate = cp >= 0xD800 && cp <= 0xDFFF;
        buf_init(&b, NULL, 0);
        utf8_put(&b, cp);
        assert_int_equal(utf8_next(buf_str(&b), &back), b.n);
        assert_int_equal(back, is_surrogate ? 0xFFFD : cp);
        buf_free(&b);
    }
}

static void nothing_unsafe_is_shown(void **state) {
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 0);
    utf8_clean(&b, STR("a\x1b[m\x7f\n\t\xFF\xC2\x9B\xE2\x80\xAE"
                       "\0z"));
    assert_string_equal(b.p, "a\xE2\x90\x9B[m\xE2\x90\xA1\n\t\xEF\xBF\xBD"
                             "\xEF\xBF\xBD\xEF\xBF\xBD\xE2\x90\x80z");
    buf_free(&b);
}

/* Each is text that nobody sees, or a line end that only some obey. */
static void nothing_unseen_is_passed_on(void **state) {
    (void)state;
    static const uint32_t unseen[] = {0xAD, 0x61C, 0x200B, 0x200E, 0x200F,
        0x2028, 0x2029, 0x202E, 0x2060, 0x2066, 0xFEFF, 0xE0001, 0xE0041,
        0xE0100};
    for (size_t i = 0; i < sizeof unseen / sizeof *unseen; i++) {
        struct buf is, shown;
        buf_init(&is, NULL, 0);
        buf_init(&shown, NULL, 0);
        utf8_put(&is, unseen[i]);
        utf8_clean(&shown, buf_str(&is));
        assert_string_equal(shown.p, "\xEF\xBF\xBD");
        buf_free(&is);
        buf_free(&shown);
    }
    struct buf b; /* a warning sign with its selector, a joined family */
    buf_init(&b, NULL, 0);
    utf8_clean(&b, STR("\u26A0\uFE0F \U0001F469\u200D\U0001F467"));
    assert_string_equal(b.p, "\u26A0\uFE0F \U0001F469\u200D\U0001F467");
    buf_free(&b);
}

static void widths_are_columns(void **state) {
    (void)state;
    assert_int_equal(utf8_width(STR("abc")), 3);
    assert_int_equal(utf8_width(STR("\xE6\x98\xBE\xE5\xAD\x98")), 4);
    assert_int_equal(utf8_width(STR("e\xCC\x81")), 1);
}

static void expect_written(struct json *value, const char *expected) {
    struct buf b;
    buf_init(&b, NULL, 0);
    json_write(value, false, &b);
    assert_true(buf_ok(&b));
    assert_string_equal(b.p, expected);
    buf_free(&b);
}

static void build(void *arg) {
    struct arena *a = arg;
    struct json *o = json_new_object(a), *list = json_new_array(a);
    json_set(o, "z", json_micro(a, 950000));
    json_set(o, "a", json_int(a, INT64_MIN));
    json_push(list, json_new_null(a));
    json_push(list, json_bool(a, true));
    json_push(list, json_text(a, STR("x\xFF\"")));
    json_push(list, json_micro(a, 3000000));
    json_set(o, "m", list);
    expect_written(o, "{\"z\":0.95,\"a\":-9223372036854775808,"
                      "\"m\":[null,true,\"x\xEF\xBF\xBD\\\"\",3]}");
}

static void fractions_of_any_size(void *arg) {
    struct arena *a = arg;
    expect_written(json_micro(a, -1500000), "-1.5");
    expect_written(json_micro(a, 12345678901), "12345.678901");
    expect_written(json_micro(a, 100), "0.0001");
    expect_written(json_micro(a, 99), "9.9e-5");
    expect_written(json_micro(a, -50), "-5e-5");
    expect_written(json_micro(a, 7), "7e-6");
    expect_written(json_parse(a, STR("[5.0,-0.25,1e-5,{}]"), STR("x")),
                   "[5.0,-0.25,1e-5,{}]");
    expect_written(json_parse(a, STR("{\"\\u0001\":\"\\t\\\\\\/\"}"), STR("x")),
                   "{\"\\u0001\":\"\\t\\\\/\"}");
}

static void every_ratio_prints_as_written(void *arg) {
    struct arena *a = arg;
    for (int64_t micro = 10001; micro < 1000000; micro += 997) {
        struct buf text, number;
        buf_init(&text, NULL, 0);
        buf_init(&number, NULL, 0);
        json_write(json_micro(a, micro), false, &text);
        buf_printf(&number, "0.%06lld", (long long)micro);
        while (number.p[number.n - 1] == '0')
            number.p[--number.n] = '\0';
        assert_string_equal(text.p, number.p);
        buf_free(&text);
        buf_free(&number);
    }
}

static void read_back(void *arg) {
    struct arena *a = arg;
    struct str text;
    int64_t n;
    bool b;
    struct json *o = json_parse(
        a, STR("{\"t\":\"a\\u0000b\",\"n\":9007199254740993,\"b\":true,"
               "\"l\":[1,{\"k\":2}]}"),
        STR("x.json"));
    assert_true(json_get_text(o, "t", &text) && text.n == 3);
    assert_true(json_get_int(o, "n", &n) && n == INT64_C(9007199254740993));
    assert_true(json_get_bool(o, "b", &b) && b);
    assert_false(json_get_int(o, "t", &n));
    assert_null(json_get(o, "absent"));
    assert_int_equal(json_count(json_get(o, "l")), 2);
    assert_true(json_get_int(json_at(json_get(o, "l"), 1), "k", &n) && n == 2);
    assert_null(json_at(json_get(o, "l"), 2));
    assert_false(json_try_parse(a, STR("{\"a\":"), &o));
    json_parse(a, STR("[1,\n2"), STR("bad.json"));
}

static void json_is_written_and_read(void **state) {
    (void)state;
    struct arena a;
    struct fault fault;
    arena_init(&a, NULL, 0);
    assert_int_equal(arena_guard(&a, build, &a, NULL), FAIL_NONE);
    assert_int_equal(arena_guard(&a, fractions_of_any_size, &a, NULL),
                     FAIL_NONE);
    assert_int_equal(
        arena_guard(&a, every_ratio_prints_as_written, &a, NULL), FAIL_NONE);
    assert_int_equal(arena_guard(&a, read_back, &a, &fault), FAIL_INPUT);
    assert_true(str_starts(str_of(fault.text), STR("bad.json:2:")));
    arena_free(&a);
}

static void complaints_point_at_the_place(void **state) {
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 0);
    struct diag d = {
        .level = DIAG_ERROR,
        .code = "E003",
        .path = STR("x.yaml"),
        .line = 3,
        .column = 4,
        .width = 5,
        .source = STR("\t\xE6\x98\xBE titel: x"),
        .message = STR("unknown key"),
    };
    diag_format(&d, &b);
    assert_string_equal(b.p, "x.yaml:3:4: error: unknown key [E003]\n"
                             "    \t\xE6\x98\xBE titel: x\n"
                             "    \t   ^~~~~\n");
    buf_clear(&b);
    d = (struct diag){.level = DIAG_NOTE,
                      .path = STR("x.yaml"),
                      .message = STR("all of it\x1b")};
    diag_format(&d, &b);
    assert_string_equal(b.p, "x.yaml: note: all of it\xE2\x90\x9B\n");
    buf_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_are_compared_and_cut),
        cmocka_unit_test(integers_are_whole_or_nothing),
        cmocka_unit_test(slips_of_the_hand_are_counted),
        cmocka_unit_test(the_nearest_are_kept_in_order),
        cmocka_unit_test(hashes_are_stable),
        cmocka_unit_test(bad_utf8_is_known),
        cmocka_unit_test(every_character_survives_a_round_trip),
        cmocka_unit_test(nothing_unsafe_is_shown),
        cmocka_unit_test(nothing_unseen_is_passed_on),
        cmocka_unit_test(widths_are_columns),
        cmocka_unit_test(json_is_written_and_read),
        cmocka_unit_test(complaints_point_at_the_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
