/* test_engine.c: a setting is found where it stands as a word, and the longest
 * of those that stand there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "corpus/engine.h"
#include "support/corpus.h"

static struct str aliases[] = {{"-c", 2}};
static struct flag flags[] = {
    {.flag = {"--ctx-size", 10}, .aliases = {aliases, 1}},
    {.flag = {"--max-model-len", 15}}};
static struct option options[] = {{.flag = {"--max-model-len auto", 20}},
                                  {.flag = {"TOY_MODE", 8}}};
static const struct engine plain = {.flags = flags, .flag_count = 2,
                                    .options = options, .option_count = 2};

static struct engine toy_in(struct arena *a) {
    struct engine toy = plain;
    engine_index(a, &toy);
    return toy;
}

/* What is found in the text, one behind the other, with commas. */
static struct str found(struct arena *a, const char *text) {
    struct setting_match said;
    struct engine toy = toy_in(a);
    size_t at = 0;
    struct buf b = buf_in(a, 1024);
    while (engine_setting_next(&toy, str_of(text), &at, &said)) {
        buf_printf(&b, "%s%.*s", b.n ? "," : "", STR_ARG(said.spelling));
    }
    return arena_str(a, buf_str(&b));
}

static void expect_found(const char *text, const char *what) {
    struct arena a;
    arena_init(&a, NULL, 0);
    assert_string_equal(found(&a, text).p, what);
    arena_free(&a);
}

static void stands_as_a_word(void **state) {
    (void)state;
    expect_found("start with --ctx-size 4096", "--ctx-size");
    expect_found("`--ctx-size=4096`, or -c", "--ctx-size,-c");
    expect_found("TOY_MODE=1 toy serve --ctx-size 1", "TOY_MODE,--ctx-size");
    expect_found("\xe7\x94\xa8--ctx-size\xe3\x80\x82", "--ctx-size");
}

static void is_no_part_of_another_word(void **state) {
    (void)state;
    expect_found("--ctx-size-draft 1 --no-ctx-size x--ctx-size", "");
    expect_found("MY_TOY_MODE=1 TOY_MODES", "");
    expect_found("", "");
}

static void the_longest_wins(void **state) {
    (void)state;
    expect_found("--max-model-len auto", "--max-model-len auto");
    expect_found("--max-model-len=auto", "--max-model-len auto");
    expect_found("--max-model-len automatic", "--max-model-len");
    expect_found("--max-model-len", "--max-model-len");
}

static void stands_at_a_byte_or_not(void **state) {
    struct setting_match said;
    struct str text = STR("x -c 1");
    struct arena a;
    (void)state;
    arena_init(&a, NULL, 0);
    struct engine toy = toy_in(&a);
    assert_false(engine_setting_at(&toy, text, 0, &said));
    assert_true(engine_setting_at(&toy, text, 2, &said));
    assert_ptr_equal(said.exists, &flags[0].exists);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stands_as_a_word),
        cmocka_unit_test(is_no_part_of_another_word),
        cmocka_unit_test(the_longest_wins),
        cmocka_unit_test(stands_at_a_byte_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
