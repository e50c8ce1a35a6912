/* Sets that are alike are found without comparing each with each: what one
 * comparison after another finds is among the pairs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "author/similar_pairs.h"
#include "support/corpus.h"

#define SETS 150
#define NUMBERS 40

static uint64_t next_random(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    return *seed ^= *seed << 17;
}

static bool holds(const struct number_set *s, uint64_t number) {
    for (size_t i = 0; i < s->count; i++) {
        if (s->at[i] == number) {
            return true;
        }
    }
    return false;
}

/* Some of a few hundred numbers, in order; every third like the one before. */
static struct number_set some_set(struct arena *a, uint64_t *seed,
                                  const struct number_set *like) {
    struct number_set s = {arena_array(a, 500, sizeof *s.at), 0};
    size_t wanted = (size_t)(next_random(seed) % NUMBERS);
    for (uint64_t number = 1; number < 300; number++) {
        bool is_kept = like != NULL && holds(like, number) &&
                       next_random(seed) % 10 < 8;
        bool is_new = next_random(seed) % 300 < wanted / (like ? 8 : 1);
        if (is_kept || is_new) {
            s.at[s.count++] = number;
        }
    }
    return s;
}

static bool are_alike(const struct number_set *x, const struct number_set *y,
                      size_t tenths) {
    size_t shared = 0;
    for (size_t i = 0; i < x->count; i++) {
        shared += holds(y, x->at[i]) ? 1 : 0;
    }
    return shared > 0 &&
           shared * 10 >= (x->count + y->count - shared) * tenths;
}

static bool is_among(const struct pairs *p, size_t later, size_t earlier) {
    for (size_t i = 0; i < p->count; i++) {
        if (p->at[i] == ((uint64_t)later << 32 | earlier)) {
            return true;
        }
    }
    return false;
}

static void find_all_alike(struct arena *a) {
    struct number_set sets[SETS];
    uint64_t seed = 0x616c696b65;
    size_t found = 0, pairs = 0;
    for (size_t i = 0; i < SETS; i++) {
        sets[i] = some_set(a, &seed, i % 3 == 2 ? &sets[i - 1] : NULL);
    }
    for (size_t tenths = 5; tenths <= 10; tenths++) {
        struct pairs p = {.a = a};
        pairs_of_similar(&p, sets, SETS, tenths);
        pairs_settle(&p);
        pairs += p.count;
        for (size_t i = 0; i < SETS; i++) {
            for (size_t k = 0; k < i; k++) {
                bool is_one = are_alike(&sets[i], &sets[k], tenths);
                found += is_one;
                assert_true(!is_one || is_among(&p, i, k));
            }
        }
    }
    assert_true(found > 50);                      /* there was something */
    assert_true(pairs < 6 * SETS * SETS / 2 / 2); /* and not all were asked */
}

static void find_equal_keys(struct arena *a) {
    const uint64_t keys[] = {7, 0, 3, 7, 0, 7};
    struct pairs p = {.a = a};
    pairs_of_equal(&p, keys, 6);
    pairs_of_equal(&p, keys, 6);
    pairs_settle(&p);
    assert_int_equal(p.count, 3);
    assert_true(is_among(&p, 3, 0) && is_among(&p, 5, 0) &&
                is_among(&p, 5, 3));
}

static void all_alike_are_found(void **state) {
    (void)state;
    with_arena(find_all_alike);
}
static void equal_keys_are_found(void **state) {
    (void)state;
    with_arena(find_equal_keys);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_alike_are_found),
        cmocka_unit_test(equal_keys_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
