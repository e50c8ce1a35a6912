/* Equals keep their order, whatever the length of the list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/sort.h"

#define MOST 200

struct card {
    int value, dealt;
};

static int by_value(const void *x, const void *y) {
    const struct card *a = x, *b = y;
    return (a->value > b->value) - (a->value < b->value);
}

static void expect_sorted(size_t count, int values) {
    struct card cards[MOST];
    struct arena a;
    arena_init(&a, NULL, 0);
    for (size_t i = 0; i < count; i++)
        cards[i] = (struct card){(int)(i * 37 % 101) % values, (int)i};
    sort_stable(&a, cards, count, sizeof *cards, by_value);
    for (size_t i = 1; i < count; i++) {
        assert_true(cards[i - 1].value <= cards[i].value);
        if (cards[i - 1].value == cards[i].value)
            assert_true(cards[i - 1].dealt < cards[i].dealt);
    }
    arena_free(&a);
}

static void equals_keep_their_order(void **state) {
    (void)state;
    for (size_t count = 0; count <= MOST; count++) {
        expect_sorted(count, 3);
        expect_sorted(count, 101);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equals_keep_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
