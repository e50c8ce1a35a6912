/* test_few.c: a few short words are found at every place where one begins, the
 * first place first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "match/few.h"

#define ROUNDS 20000
#define TEXT_MAX 140

static uint32_t roll(uint64_t *seed, uint32_t sides) {
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % sides;
}

static size_t find_slowly(char words[][FEW_BYTES], size_t count,
                          const char *text, size_t from, size_t to) {
    for (; from < to; from++)
        for (size_t i = 0; i < count; i++)
            if (memcmp(text + from, words[i], FEW_BYTES) == 0)
                return from;
    return to;
}

static void finds_the_first_place(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int round = 0; round < ROUNDS; round++) {
        struct few few = {.count = 0};
        char words[FEW_MAX][FEW_BYTES];
        char text[TEXT_MAX + PLAIN_LONG_STEP + FEW_BYTES];
        size_t count = roll(&seed, FEW_MAX + 1);
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = "ab\xC3\x80"[roll(&seed, 4)];
        for (size_t i = 0; i < count; i++) {
            for (size_t k = 0; k < FEW_BYTES; k++)
                words[i][k] = "ab\xC3\x80xy"[roll(&seed, 6)];
            assert_true(few_add(&few, words[i]));
        }
        size_t to = roll(&seed, TEXT_MAX), from = roll(&seed, (uint32_t)to + 1);
        assert_int_equal(few_find(&few, text, from, to),
                         find_slowly(words, count, text, from, to));
    }
}

static void takes_a_word_once_and_no_fifth(void **state) {
    (void)state;
    struct few few = {.count = 0};
    static const char *const words[] = {"error", "err", "failed", "usage",
                                        "killed"};
    for (size_t i = 0; i < 5; i++)
        assert_true(few_add(&few, words[i]));
    assert_int_equal(few.count, FEW_MAX);
    assert_false(few_add(&few, "other"));
    assert_true(few_add(&few, "kil"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_first_place),
        cmocka_unit_test(takes_a_word_once_and_no_fifth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
