/* test_reach.c: where a match of a pattern can begin, seen from its literal;
 * and that text skipped between grams holds no literal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "match/finder.h"
#include "match/prefilter.h"
#include "match/reach.h"

static struct reach reach_in(struct arena *a, const char *pattern) {
    return reach_of(a, str_of(pattern));
}

static void expect_lines(const char *pattern, uint32_t lines) {
    struct arena a;
    arena_init(&a, NULL, 0);
    struct reach r = reach_in(&a, pattern);
    if (!r.is_known || r.lines != lines) {
        fail_msg("\"%s\": %u lines, known: %d", pattern, r.lines, r.is_known);
    }
    arena_free(&a);
}

static void expect_unknown(const char *pattern) {
    struct arena a;
    arena_init(&a, NULL, 0);
    if (reach_in(&a, pattern).is_known) {
        fail_msg("\"%s\" is thought to be known", pattern);
    }
    arena_free(&a);
}

static void a_literal_in_front_is_on_the_first_line(void **state) {
    (void)state;
    expect_lines("CUDA out of memory\\. Tried", 0);
    expect_lines("[^\\n]*?CUDA out of memory", 0);
    expect_lines("\\b[\\w.]+Error: ?CUDA_out_of_memory", 1);
    expect_lines("(?<gpu_free>\\d+)_bytes_are_free", 0);
    expect_lines("^(?!WARN\\s)[Oo]ut_of_memory", 0);
    expect_lines("^\\xE2\\x94\\x82[^\\n]*out_of_memory", 0);
    expect_lines("[^\\x22\\n]*[\\x20-\\x7E]out_of_memory", 0);
    expect_lines("(?:[Oo]ut_of_memory|bad_alloc_here|(?i:No_memory_left))", 0);
}

static void what_matches_a_line_end_counts(void **state) {
    (void)state;
    expect_lines("(?<gpu_free>(?&amount)) is free now", 2);
    expect_lines("one(?: two)? \\d+three_is_the_literal", 2);
    expect_lines("a[^x]{2}the_long_literal", 2);
}

static void what_has_no_end_is_unknown(void **state) {
    (void)state;
    expect_unknown("a[^x]*the_long_literal");
    expect_unknown("a[\\s\\S]+?the_long_literal");
    expect_unknown("x(?:a b)*the_long_literal");
    expect_unknown("(?s)a.*the_long_literal");
    expect_unknown("x\\D*the_long_literal");
    expect_unknown("x[\\x0A\\x22]*the_long_literal");
    expect_unknown("x[^\\x22]*the_long_literal");
}

static void going_back_ends_at_a_line(void **state) {
    (void)state;
    struct str text = STR("zero\none\ntwo  \n  of three\n");
    struct reach none = {true, 8, 0}, one = {true, 8, 1};
    size_t end = text.n - 1; /* behind "of three" */
    assert_int_equal(reach_back(&none, text, end), 9);
    assert_int_equal(reach_back(&one, text, end), 5);
    assert_int_equal(reach_back(&one, text, 2), 0);
}

/* ---- skipping ---- */

struct ends {
    size_t at[4096], count, base;
};

static void note_end(void *ctx, const struct prefilter_find *found,
                     size_t end) {
    struct ends *e = ctx;
    for (uint32_t i = 0; i < found->count && e->count < 4096; i++) {
        e->at[e->count++] = e->base + end;
    }
}

static uint32_t roll(uint64_t *seed, uint32_t sides) {
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % sides;
}

static const char *const parts[] = {"cuda ", "out ",  "of ",  "memory", "\n",
                                    "   ",   "MEMOR", "oom", "abc",    "xab",
                                    "kil",   "led",   " ",   "long_li", "teral"};

static size_t make_text(char *text, size_t most, uint64_t *seed) {
    size_t n = 0;
    for (;;) {
        const char *part = parts[roll(seed, 15)];
        size_t part_n = strlen(part);
        if (n + part_n > most) {
            return n;
        }
        memcpy(text + n, part, part_n);
        n += part_n;
    }
}

/* The text comes in pieces; of what was before, some bytes stay. From piece
 * `turn` on the finder reads them, if there is one. */
static void scan_in_pieces(const struct prefilter *f, const struct finder *d,
                           size_t turn, struct str text, uint64_t *seed,
                           struct ends *out) {
    struct prefilter_place place = {0};
    size_t pieces = 0;
    size_t from = 0, at = 0;
    while (at < text.n) {
        size_t fresh = 1 + roll(seed, 300);
        fresh = fresh < text.n - at ? fresh : text.n - at;
        from = at > from + 900 ? at - 700 : from;
        at += fresh;
        struct str piece = str_slice(text, from, at - from);
        char *copy = malloc(piece.n);
        memcpy(copy, piece.p, piece.n);
        out->base = from;
        bool is_end = at == text.n;
        piece.p = copy;
        if (d && pieces++ >= turn) {
            finder_scan(d, &place, piece, fresh, is_end, note_end, out);
        } else {
            prefilter_scan(f, &place, piece, fresh, is_end, note_end, out);
        }
        free(copy);
    }
}

static int by_size(const void *x, const void *y) {
    size_t a = *(const size_t *)x, b = *(const size_t *)y;
    return (a > b) - (a < b);
}

static void make_set(struct ends *e) {
    size_t kept = 0;
    qsort(e->at, e->count, sizeof e->at[0], by_size);
    for (size_t i = 0; i < e->count; i++) {
        if (kept == 0 || e->at[kept - 1] != e->at[i]) {
            e->at[kept++] = e->at[i];
        }
    }
    e->count = kept;
}

static void expect_equal(const struct ends *x, const struct ends *y) {
    assert_int_equal(x->count, y->count);
    assert_memory_equal(x->at, y->at, x->count * sizeof x->at[0]);
}

/* In another order, and where the one takes over from the other, some twice. */
static void expect_same_by_finder(const struct prefilter *f,
                                  const struct finder *d, struct str text,
                                  uint64_t seed, struct ends *whole) {
    struct ends all = {.count = 0}, half = {.count = 0};
    scan_in_pieces(f, d, 0, text, &seed, &all);
    assert_int_equal(all.count, whole->count);
    scan_in_pieces(f, d, 9, text, &seed, &half);
    make_set(whole);
    make_set(&all);
    make_set(&half);
    expect_equal(whole, &all);
    expect_equal(whole, &half);
}

static void expect_same_ends(struct arena *a, const char *const *patterns,
                             size_t count) {
    struct pattern_list list = {arena_array(a, count, sizeof *list.at), count};
    for (uint32_t i = 0; i < count; i++) {
        list.at[i].id = i;
        list.at[i].text = str_of(patterns[i]);
    }
    struct prefilter f = prefilter_open(a, prefilter_build(a, &list, PREFILTER_ALL), count);
    struct finder *d = finder_new(a, &f);
    assert_true((d != NULL) == (f.gram_log2 > 0));
    for (uint64_t seed = 1; seed < 300; seed++) {
        static char text[8000];
        uint64_t chance = seed;
        struct str s = {text, make_text(text, sizeof text, &chance)};
        struct ends whole = {.count = 0}, cut = {.count = 0};
        struct prefilter_place place = {0};
        prefilter_feed(&f, &place, s, note_end, &whole);
        scan_in_pieces(&f, NULL, 0, s, &chance, &cut);
        assert_true(whole.count > 0);
        expect_equal(&whole, &cut);
        if (d != NULL) {
            expect_same_by_finder(&f, d, s, chance, &whole);
        }
    }
}

static void skipping_loses_no_literal(void **state) {
    (void)state;
    static const char *const with_words[] = {
        "cuda out of memory", "killed", "long_literal", "of memory", "memory"};
    static const char *const with_three[] = {"abc", "of memory"};
    static const char *const without[] = {"xa[^b]|of o|o c", "memory"};
    struct arena a;
    arena_init(&a, NULL, 0);
    expect_same_ends(&a, with_words, 5);
    expect_same_ends(&a, with_three, 2);
    expect_same_ends(&a, without, 2);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_literal_in_front_is_on_the_first_line),
        cmocka_unit_test(what_matches_a_line_end_counts),
        cmocka_unit_test(what_has_no_end_is_unknown),
        cmocka_unit_test(going_back_ends_at_a_line),
        cmocka_unit_test(skipping_loses_no_literal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
