/* Literals that cost are told of: those of few bytes, and those that more than
 * twenty entries share, once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "author/build.h"
#include "match/match.h"
#include "support/corpus.h"

struct told {
    size_t count;
    struct str last;
    struct arena *a;
};

static void hear(void *ctx, const struct diag *diag) {
    struct told *t = ctx;
    t->count++;
    t->last = arena_str(t->a, diag->message);
}

/* Entries of one signature each. */
static struct build *build_of(struct arena *a, const char *const *patterns,
                            size_t count) {
    struct build *d = arena_alloc(a, sizeof *d);
    *d = (struct build){.a = a, .c = {.a = a}};
    const struct source *src = source_new(a, STR("toy.yaml"), STR(""));
    d->corpus.entries = arena_array(a, count, sizeof(struct entry));
    d->corpus.entry_count = count;
    for (size_t i = 0; i < count; i++) {
        struct entry *e = &d->corpus.entries[i];
        struct signature *s = arena_alloc(a, sizeof *s);
        *s = (struct signature){.id = STR("full"),
                                .pattern = str_of(patterns[i])};
        *e = (struct entry){.signatures = s, .signature_count = 1};
        build_put(d, MADE_ENTRY,
                 (struct made){.id = arena_printf(a, "toy/e%zu", i),
                               .what = e, .src = src});
    }
    d->patterns = corpus_patterns(a, &d->corpus);
    for (size_t i = 0; i < d->patterns.count; i++)
        pattern_analyze(a, &d->patterns.at[i]);
    return d;
}

static struct told told_of(struct arena *a, const char *const *patterns,
                           size_t count) {
    struct told t = {.a = a};
    struct build *d = build_of(a, patterns, count);
    check_literals(d);
    assert_int_equal(d->c.errors, 0);
    complaints_report(&d->c, hear, &t);
    return t;
}

static void few_bytes_are_told_of(struct arena *a) {
    static const char *const patterns[] = {
        "^pool [a-z]+ at \\d+", "toy pool overflowed", "alpha one|beta [ab] x"};
    struct told t = told_of(a, patterns, 1);
    assert_int_equal(t.count, 1);
    assert_true(str_find(t.last, STR("`full`")) < t.last.n);
    assert_true(str_find(t.last, STR("`pool")) < t.last.n);
    assert_int_equal(told_of(a, patterns + 1, 1).count, 0);
    assert_int_equal(told_of(a, patterns + 2, 1).count, 1); /* one branch */
}

static void shared_words_are_told_of_once(struct arena *a) {
    const char *patterns[22];
    for (size_t i = 0; i < 22; i++)
        patterns[i] = "toy pool overflowed [0-9]";
    assert_int_equal(told_of(a, patterns, 20).count, 0);
    struct told t = told_of(a, patterns, 21);
    assert_int_equal(t.count, 1);
    assert_true(str_find(t.last, STR("`toy pool overflowed")) < t.last.n);
    assert_true(str_find(t.last, STR("21 entries")) < t.last.n);
    patterns[3] = "toy pool found empty";
    assert_int_equal(told_of(a, patterns, 21).count, 0);
}

#define TESTS(X) X(few_bytes_are_told_of) X(shared_words_are_told_of_once)

#define IN_ARENA(name)                                                         \
    static void test_##name(void **state) {                                    \
        (void)state;                                                           \
        with_arena(name);                                                      \
    }
TESTS(IN_ARENA)

int main(void) {
#define X(name) cmocka_unit_test(test_##name),
    const struct CMUnitTest tests[] = {TESTS(X)};
#undef X
    return cmocka_run_group_tests(tests, NULL, NULL);
}
