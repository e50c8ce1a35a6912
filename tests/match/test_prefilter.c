/* test_prefilter.c: nothing is lost between PCRE2 over the whole text and
 * PCRE2 only where the prefilter points; damaged blobs are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "match/pattern.h"
#include "match/prefilter.h"
#include "support/corpus.h"
#include "support/patterns.h"

/* ---- chance, the same every time ---- */

static uint32_t roll(uint64_t *seed, uint32_t sides) {
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % sides;
}

static const char *const words[] = {"alloc", "Memory", "of the", "cache", "ab",
                                    "aab",   "bab",    "kv",     "GiB",   "x"};
#define WORD_COUNT 10

static const char *pick(uint64_t *seed) {
    return words[roll(seed, WORD_COUNT)];
}

/* A pattern of a few words: groups, options, alternatives, numbers. */
static void put_piece(struct buf *out, uint64_t *seed) {
    switch (roll(seed, 8)) {
    case 0: buf_printf(out, "(?:%s|%s) ", pick(seed), pick(seed)); break;
    case 1: buf_printf(out, "(?: %s)? ", pick(seed)); break;
    case 2: buf_printf(out, "(?<gpu_free>(?&amount)) "); break;
    case 3: buf_printf(out, "%s{1,2}%s ?", pick(seed), pick(seed)); break;
    case 4: buf_printf(out, "(?i:%s) ", pick(seed)); break;
    case 5: buf_printf(out, "%s.{0,9}?", pick(seed)); break;
    case 6: buf_printf(out, "[ab]+ ?"); break;
    default: buf_printf(out, "%s ", pick(seed)); break;
    }
}

static const char *random_pattern(struct arena *a, uint64_t *seed) {
    for (;;) {
        struct pattern_error error;
        struct buf out = buf_in(a, 4096);
        uint32_t pieces = 1 + roll(seed, 3);
        for (uint32_t i = 0; i < pieces; i++) {
            put_piece(&out, seed);
        }
        buf_add(&out, str_of(pick(seed)));
        if (pattern_check(a, buf_str(&out), true, false, &error) ==
            PATTERN_GOOD) {
            return arena_str(a, buf_str(&out)).p;
        }
    }
}

/* Words with blanks, wraps and case as they fall; never a line that log/
 * would take for something else. */
static struct str random_log(struct arena *a, uint64_t *seed, size_t bytes) {
    size_t column = 0;
    struct buf out = buf_in(a, bytes + 64);
    while (out.n < bytes) {
        const char *word = roll(seed, 9) ? pick(seed) : "3.5 GiB";
        buf_add(&out, str_of(word));
        column += strlen(word) + 1;
        bool is_wrap = roll(seed, 6) == 0 || column > 28;
        if (is_wrap) {
            buf_add(&out, roll(seed, 2) ? STR("\n") : STR("\n  "));
            column = 0;
        } else if (roll(seed, 4) != 0) {
            buf_add(&out, STR(" "));
        }
    }
    return buf_str(&out);
}

static uint32_t line_of(struct str text, size_t offset) {
    uint32_t line = 1;
    for (size_t i = 0; i < offset; i++) {
        line += text.p[i] == '\n';
    }
    return line;
}

/* Every match of the pattern in the text against its hits, in order. */
static void compare_with_pcre(struct arena *a, const char *pattern,
                              struct str log, const struct scan_result *r,
                              uint32_t owner) {
    struct pattern_error error;
    struct matcher *m = matcher_new(a);
    struct regex *regex = regex_of(m, str_of(pattern), &error);
    struct search search = {.subject = log, .latest = log.n};
    struct text_range range;
    size_t next = 0;
    while (search.from <= log.n && regex_find(m, regex, &search, &range)) {
        while (next < r->hits.count && r->hits.at[next].owner != owner) {
            next++;
        }
        if (next == r->hits.count) {
            fail_msg("%s: line %u was lost", pattern,
                     line_of(log, range.from));
        }
        const struct hit *h = &r->hits.at[next++];
        if (h->first_line != line_of(log, range.from)) {
            fail_msg("%s: line %u, wanted %u", pattern, h->first_line,
                     line_of(log, range.from));
        }
        search.from = range.to;
    }
    while (next < r->hits.count) {
        assert_int_not_equal(r->hits.at[next++].owner, owner);
    }
}

#define ROUND_PATTERNS 8

/* How many hits there were. */
static size_t one_round(struct arena *a, uint64_t *seed, size_t bytes) {
    struct pattern_spec specs[ROUND_PATTERNS] = {{0}};
    for (size_t i = 0; i < ROUND_PATTERNS; i++) {
        specs[i].kind = PATTERN_SIGNATURE;
        specs[i].text = random_pattern(a, seed);
    }
    struct str log = random_log(a, seed, bytes);
    const struct scan_result *r = patterns_scan(
        a, (struct pattern_specs){specs, ROUND_PATTERNS}, log,
        1 + roll(seed, 500));
    if (r->uncounted) {
        return 0;
    }
    for (uint32_t i = 0; i < ROUND_PATTERNS; i++) {
        compare_with_pcre(a, specs[i].text, log, r, i);
    }
    return r->hits.count;
}

static void scanning_finds_what_pcre_finds(struct arena *a) {
    uint64_t seed = 7;
    size_t few = 0, many = 0;
    for (int i = 0; i < 60; i++) {
        few += one_round(a, &seed, 4000);
    }
    for (int i = 0; i < 8; i++) {
        many += one_round(a, &seed, 150000);
    }
    assert_true(few > 1000 && many > 1000); /* or nothing was tried */
}

/* ---- the blob ---- */

static struct pattern_list a_few(struct arena *a) {
    static const char *const texts[] = {
        "CUDA out of memory", "out of memory|capture_model",
        "memory cgroup",      "No available memory for the cache",
        "CUDA error: out of"};
    struct pattern_list list = {arena_array(a, 5, sizeof *list.at), 5};
    for (uint32_t i = 0; i < 5; i++) {
        list.at[i] = (struct pattern){.id = i, .text = str_of(texts[i])};
        pattern_analyze(a, &list.at[i]);
    }
    return list;
}

struct tally {
    const struct prefilter *f;
    struct str text;
    uint32_t of[5];
    size_t end;
};

static void count_found(void *ctx, uint32_t literal, size_t at, size_t place) {
    struct tally *t = ctx;
    struct str s = prefilter_literal(t->f, literal);
    assert_true(at <= place && place - at + s.n <= t->text.n);
    assert_memory_equal(t->text.p + (place - at), s.p, s.n);
    for (uint32_t i = 0; i < prefilter_ref_count(t->f, literal); i++) {
        uint32_t id = prefilter_use(t->f, literal, i).pattern;
        assert_true(id < 5);
        t->of[id]++;
    }
    t->end = place - at + s.n > t->end ? place - at + s.n : t->end;
}

static struct tally tally_of(struct arena *a, const struct prefilter *f,
                             struct str text) {
    struct folded folded = {.a = a};
    fold_add(&folded, text, 0);
    struct tally t = {.f = f, .text = fold_str(&folded)};
    prefilter_find(f, t.text, true, count_found, &t);
    return t;
}

/* Wherever it stands to the stride. */
static void literals_are_found_at_every_place(struct arena *a) {
    struct pattern_list list = a_few(a);
    struct prefilter f = prefilter_open(
        a, prefilter_build(a, &list, PREFILTER_ALL), 5, false);
    static const char *const before[] = {"", "x", "xx", "xxx", "xxxx"};
    for (size_t i = 0; i < 5; i++) {
        struct str text = str_of(arena_printf(
            a, "%sCUDA CUDA  out\n\t of Memory Cgroup, Out of memory"
            " no available memory for the cache CUDA error: out"
            "\nof memory", before[i]).p);
        struct tally t = tally_of(a, &f, text);
        static const uint32_t wanted[5] = {1, 3, 1, 1, 1};
        assert_memory_equal(t.of, wanted, sizeof wanted);
        assert_int_equal(t.end, t.text.n);
    }
}

/* ---- folding ---- */

static char folded_slowly(unsigned char c) {
    return (char)fold_byte(c);
}

/* Sixteen at once or one by one, in pieces or at once. */
static void folding_is_the_same_however_it_comes(struct arena *a) {
    static const char bytes[] = "aZ \t\n0[\"\xC3#";
    uint64_t seed = 11;
    for (int round = 0; round < 400; round++) {
        struct folded whole = {.a = a}, pieces = {.a = a};
        size_t n = roll(&seed, 120), k = 0, last = SIZE_MAX;
        char *text = arena_alloc(a, n + 1), *wanted = arena_alloc(a, n + 1);
        for (size_t i = 0; i < n; i++) {
            text[i] = bytes[roll(&seed, 3) ? roll(&seed, 2)
                                           : roll(&seed, sizeof bytes - 1)];
            char c = folded_slowly((unsigned char)text[i]);
            if (c != ' ' || k == 0 || wanted[k - 1] != ' ')
                wanted[k++] = c;
        }
        fold_add(&whole, (struct str){text, n}, 0);
        for (size_t i = 0, part; i < n; i += part) {
            part = 1 + roll(&seed, 40);
            part = part < n - i ? part : n - i;
            fold_add(&pieces, (struct str){text + i, part}, i);
        }
        assert_int_equal(whole.n, k);
        assert_int_equal(pieces.n, k);
        for (size_t i = 0; i < k; i++) {
            size_t raw = fold_raw(&whole, i);
            assert_int_equal(whole.text[i], wanted[i]);
            assert_int_equal(pieces.text[i], wanted[i]);
            assert_int_equal(folded_slowly((unsigned char)text[raw]),
                             wanted[i]);
            assert_int_equal(fold_raw(&pieces, i), raw);
            assert_true(last == SIZE_MAX || raw > last);
            last = raw;
        }
    }
}

/* ---- the same again, and damaged ---- */

static void the_same_patterns_give_the_same_bytes(struct arena *a) {
    struct pattern_list list = a_few(a);
    struct str x = prefilter_build(a, &list, PREFILTER_ALL), y = prefilter_build(a, &list, PREFILTER_ALL);
    assert_true(str_eq(x, y));
    list.count = 0;
    struct prefilter f = prefilter_open(
        a, prefilter_build(a, &list, PREFILTER_ALL), 0, false);
    assert_int_equal(tally_of(a, &f, STR("CUDA out of memory")).end, 0);
}

struct opening {
    struct arena *a;
    struct str blob;
    size_t patterns;
};

#define SOME_TEXT                                                              \
    STR("CUDA out of memory cgroup CUDA error: out of capture_model zz")

static void on_any(void *ctx, uint32_t literal, size_t at, size_t place) {
    const struct prefilter *f = ctx;
    assert_true(at < prefilter_literal(f, literal).n && place < 64);
    for (uint32_t i = 0; i < prefilter_ref_count(f, literal); i++)
        assert_true(prefilter_use(f, literal, i).pattern < 5);
}

static void on_any_cut(void *ctx, struct cut_row row) {
    for (size_t i = row.from; i < row.to; i++) {
        struct cut cut = prefilter_cut(ctx, i);
        on_any(ctx, cut.literal, cut.at, cut.at);
    }
}

static void open_and_use(void *arg) {
    struct opening *o = arg;
    struct prefilter f = prefilter_open(o->a, o->blob, o->patterns,
                                        false);
    struct folded folded = {.a = o->a};
    fold_add(&folded, SOME_TEXT, 0);
    struct str text = fold_str(&folded);
    prefilter_find(&f, text, true, on_any, &f);
    prefilter_find(&f, text, false, on_any, &f);
    for (size_t i = 0; i <= text.n; i++)
        prefilter_find_cuts(&f, text, i, on_any_cut, &f);
}

static enum fail try_blob(struct arena *a, struct str blob, size_t patterns) {
    struct opening o = {a, blob, patterns};
    return arena_guard(a, open_and_use, &o, NULL);
}

static void sign(unsigned char *blob, size_t n) {
    prefilter_put(blob, WORD_CHECK, prefilter_check(blob, n));
}

/* One byte after the other is spoiled: the check word tells; and with a check
 * word that fits the damage, nothing is read that is not there. */
static void damaged_blobs_are_refused(struct arena *a) {
    struct pattern_list list = a_few(a);
    struct str good = prefilter_build(a, &list, PREFILTER_ALL);
    assert_int_equal(try_blob(a, good, 5), FAIL_NONE);
    assert_int_equal(try_blob(a, good, 4), FAIL_INDEX);
    unsigned char *bad = arena_alloc(a, good.n);
    struct str blob = {(const char *)bad, good.n};
    static const unsigned char flips[] = {1, 0x80, 0xFF};
    for (size_t i = 0; i < good.n; i++) {
        for (size_t k = 0; k < 3; k++) {
            memcpy(bad, good.p, good.n);
            bad[i] ^= flips[k];
            assert_int_equal(try_blob(a, blob, 5), FAIL_INDEX);
            sign(bad, good.n);
            try_blob(a, blob, 5);
        }
    }
    for (size_t n = 0; n < good.n; n += 3) {
        assert_int_equal(try_blob(a, str_slice(good, 0, n), 5), FAIL_INDEX);
    }
}

/* A pattern that goes wild on hostile text costs a limit, not the scan. */
static void wild_patterns_are_survived(struct arena *a) {
    static const struct pattern_spec specs[] = {
        {PATTERN_SIGNATURE, "allocate (?:a+)+(?:a+)+[bc]d", {0}},
        {PATTERN_SIGNATURE, "allocate now", {0}},
    };
    struct buf log = buf_in(a, (size_t)1 << 20);
    for (int i = 0; i < 20; i++) {
        buf_add(&log, STR("allocate "));
        buf_fill(&log, 'a', 3000);
        buf_add(&log, STR("\n"));
    }
    buf_add(&log, STR("allocate now\nallocate aaacd\n"));
    const struct scan_result *r =
        patterns_scan(a, (struct pattern_specs){specs, 2}, buf_str(&log), 0);
    assert_int_equal(r->hits.count, 2);
    assert_int_equal(r->hits.at[0].first_line, 21);
    assert_int_equal(r->hits.at[1].first_line, 22);
}

#define IN_ARENA(name)                                                     \
    static void test_##name(void **state) {                                \
        (void)state;                                                       \
        with_arena(name);                                                  \
    }
#define TESTS(X)                                                           \
    X(scanning_finds_what_pcre_finds)                                      \
    X(literals_are_found_at_every_place)                                   \
    X(the_same_patterns_give_the_same_bytes)                               \
    X(folding_is_the_same_however_it_comes)                                \
    X(damaged_blobs_are_refused)                                           \
    X(wild_patterns_are_survived)
TESTS(IN_ARENA)

int main(void) {
#define X(name) cmocka_unit_test(test_##name),
    const struct CMUnitTest tests[] = {TESTS(X)};
#undef X
    return cmocka_run_group_tests(tests, NULL, NULL);
}
