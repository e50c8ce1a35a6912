/* test_prefilter.c: nothing is lost between PCRE2 over the whole text and
 * PCRE2 only where the prefilter points; damaged blobs are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "match/pattern.h"
#include "match/prefilter.h"
#include "match/sieve.h"
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
        struct buf out;
        struct pattern_error error;
        buf_init_in(&out, a, 4096);
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
    struct buf out;
    size_t column = 0;
    buf_init_in(&out, a, bytes + 64);
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
    struct span span;
    size_t next = 0;
    while (search.from <= log.n && regex_find(m, regex, &search, &span)) {
        while (next < r->hits.count && r->hits.at[next].owner != owner) {
            next++;
        }
        if (next == r->hits.count) {
            fail_msg("%s: line %u was lost", pattern,
                     line_of(log, span.from));
        }
        const struct hit *h = &r->hits.at[next++];
        if (h->first_line != line_of(log, span.from)) {
            fail_msg("%s: line %u, wanted %u", pattern, h->first_line,
                     line_of(log, span.from));
        }
        search.from = span.to;
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
    }
    return list;
}

struct tally {
    uint32_t of[5];
    size_t end;
};

static void count_found(void *ctx, const struct prefilter_find *found,
                        size_t end) {
    struct tally *t = ctx;
    for (uint32_t i = 0; i < found->count; i++) {
        uint32_t id = prefilter_ref(found, i);
        assert_true(id < 5);
        t->of[id]++;
    }
    t->end = end;
}

static void literals_are_found_across_cuts(struct arena *a) {
    struct pattern_list list = a_few(a);
    struct prefilter f = prefilter_open(a, prefilter_build(a, &list, PREFILTER_ALL), 5);
    struct str text = STR("xCUDA CUDA  out\n\t of Memory Cgroup, Out of memory"
                          " no available memory for the cache CUDA error: out"
                          "\nof memory");
    struct tally whole = {0}, cut = {0};
    struct prefilter_place place = {0};
    prefilter_feed(&f, &place, text, count_found, &whole);
    place = (struct prefilter_place){0};
    for (size_t i = 0; i < text.n; i++) {
        prefilter_feed(&f, &place, str_slice(text, i, 1), count_found, &cut);
    }
    static const uint32_t wanted[5] = {1, 3, 1, 1, 1};
    assert_memory_equal(whole.of, wanted, sizeof wanted);
    assert_memory_equal(cut.of, wanted, sizeof wanted);
    assert_int_equal(whole.end, text.n);
}

static void the_same_patterns_give_the_same_bytes(struct arena *a) {
    struct pattern_list list = a_few(a);
    struct str x = prefilter_build(a, &list, PREFILTER_ALL), y = prefilter_build(a, &list, PREFILTER_ALL);
    assert_true(str_eq(x, y));
    list.count = 0;
    struct prefilter f = prefilter_open(a, prefilter_build(a, &list, PREFILTER_ALL), 0);
    struct prefilter_place place = {0};
    prefilter_feed(&f, &place, STR("CUDA out of memory"), count_found, NULL);
}

struct opening {
    struct arena *a;
    struct str blob;
    size_t patterns;
};

#define SOME_TEXT                                                              \
    STR("CUDA out of memory cgroup CUDA error: out of capture_model zz")

static void look_where_it_begins(void *ctx, const struct prefilter_find *found,
                                 size_t end) {
    const struct prefilter *f = ctx;
    struct tally tally = {0};
    count_found(&tally, found, end);
    size_t begin = prefilter_begin(f, found, SOME_TEXT, end);
    assert_true(begin == SIZE_MAX || begin <= end);
}

static void open_and_use(void *arg) {
    struct opening *o = arg;
    struct prefilter f = prefilter_open(o->a, o->blob, o->patterns);
    struct prefilter_place place = {0};
    prefilter_feed(&f, &place, SOME_TEXT, look_where_it_begins, &f);
    prefilter_open_sieve(o->a, &f); /* not before: short logs do without */
}

static enum fail try_blob(struct arena *a, struct str blob, size_t patterns) {
    struct opening o = {a, blob, patterns};
    return arena_guard(a, open_and_use, &o, NULL);
}

/* sieve: where its part begins. */
static void sign(unsigned char *blob, size_t n, size_t sieve) {
    struct str part = {(const char *)blob + sieve, n - sieve};
    prefilter_put(blob, WORD_SIEVE_CHECK, prefilter_check_sieve(part));
    prefilter_put(blob, WORD_CHECK, prefilter_check(blob, sieve));
}

/* One byte after the other is spoiled: the check word tells; and with a check
 * word that fits the damage, nothing is read that is not there. */
static void damaged_blobs_are_refused(struct arena *a) {
    struct pattern_list list = a_few(a);
    struct str good = prefilter_build(a, &list, PREFILTER_ALL);
    struct prefilter f = prefilter_open(a, good, 5);
    size_t sieve = (size_t)(f.sieve_part.p - good.p);
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
            sign(bad, good.n, sieve);
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
    struct buf log;
    buf_init_in(&log, a, (size_t)1 << 20);
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

/* Eight at once or one by one: every place of a gram, in texts of any length,
 * of which no byte behind the end is read. */
static void grams_are_found_at_every_place(struct arena *a) {
    enum { LOG2 = 13, BYTES = (1 << LOG2) / 8, MOST = 90 };
    uint64_t seed = 11;
    for (int round = 0; round < 400; round++) {
        unsigned char *bits = arena_array(a, BYTES, 1);
        size_t n = GRAM_BYTES + roll(&seed, MOST - GRAM_BYTES);
        char *text = arena_alloc(a, n); /* its end is the sanitizer's to watch */
        for (size_t i = 0; i < BYTES; i++)
            bits[i] = (unsigned char)roll(&seed, 256);
        for (size_t i = 0; i < n; i++)
            text[i] = (char)roll(&seed, 256);
        size_t end = n - GRAM_BYTES + 1, from = roll(&seed, (uint32_t)end);
        uint32_t at[MOST + 8];
        struct sieve_places found = {.at = at};
        sieve_find_all_grams(bits, LOG2, (struct str){text, n}, from, end,
                             &found);
        size_t k = 0;
        for (size_t i = from; i < end; i++) {
            uint32_t bit = gram_hash(gram_at(text + i)) >> (32 - LOG2);
            if ((bits[bit / 8] >> bit % 8 & 1) == 0)
                continue;
            assert_true(k < found.count);
            assert_int_equal(found.at[k++], i);
        }
        assert_int_equal(k, found.count);
    }
}

#define IN_ARENA(name)                                                     \
    static void test_##name(void **state) {                                \
        (void)state;                                                       \
        with_arena(name);                                                  \
    }
#define TESTS(X)                                                           \
    X(scanning_finds_what_pcre_finds)                                      \
    X(literals_are_found_across_cuts)                                      \
    X(the_same_patterns_give_the_same_bytes)                               \
    X(grams_are_found_at_every_place)                                      \
    X(damaged_blobs_are_refused)                                           \
    X(wild_patterns_are_survived)
TESTS(IN_ARENA)

int main(void) {
#define X(name) cmocka_unit_test(test_##name),
    const struct CMUnitTest tests[] = {TESTS(X)};
#undef X
    return cmocka_run_group_tests(tests, NULL, NULL);
}
