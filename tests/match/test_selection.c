/* test_selection.c: reading only where it may be worth it comes to the same as
 * reading everything: all logs of the corpus, disguised at random, between
 * stretches of a log that has nothing to say, looked through by one thread or
 * several. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "author/files.h"
#include "support/corpus.h"
#include "support/disguise.h"
#include "support/sameness.h"

struct samples {
    struct str_list list;
    struct str image;
};

static struct samples read_samples(struct arena *a) {
    struct samples s = {.image = file_bytes(a, SHIPPED_INDEX)};
    struct str_list files = files_under(a, STR("entries"));
    s.list = (struct str_list){arena_array(a, files.count, sizeof(struct str)),
                               0};
    for (size_t i = 0; i < files.count; i++) {
        if (str_ends(files.at[i], STR(".log"))) {
            s.list.at[s.list.count++] = file_bytes(a, files.at[i].p);
        }
    }
    assert_true(s.list.count > 20);
    return s;
}

/* Samples in disguise, one or two on top of each other, in a long log. */
static struct str random_log(struct arena *a, const struct samples *s,
                             uint32_t *seed, struct buf *story) {
    struct buf log = buf_in(a, (size_t)64 << 20);
    uint32_t count = 1 + disguise_roll(seed, 4);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t which = disguise_roll(seed, (uint32_t)s->list.count);
        struct str text = s->list.at[which];
        uint32_t times = 1 + disguise_roll(seed, 2);
        buf_printf(story, " sample %u", which);
        for (uint32_t k = 0; k < times; k++) {
            enum disguise as = (enum disguise)disguise_roll(seed, DISGUISE_COUNT);
            buf_printf(story, " as %d", (int)as);
            text = disguised(a, text, as, seed);
        }
        buf_add(&log, healthy_log(a, disguise_roll(seed, 100000), seed));
        buf_add(&log, text);
    }
    buf_add(&log, healthy_log(a, disguise_roll(seed, 60000), seed));
    assert_true(buf_ok(&log));
    bool is_wide = disguise_roll(seed, 12) == 0;
    return is_wide ? in_utf16(a, buf_str(&log)) : buf_str(&log);
}

struct round {
    const struct samples *samples;
    uint32_t seed;
    size_t hits;
};

static const size_t pieces[] = {262144, 65536, 4096, 7, 1};
static const uint32_t teams[] = {1, 2, 3, 16};

/* Prints the log where somebody may look at it. */
static void keep_log(struct str log) {
    const char *path = getenv("KEEP");
    FILE *out = path ? fopen(path, "wb") : NULL;
    if (out) {
        fwrite(log.p, 1, log.n, out);
        fclose(out);
    }
}

static size_t signatures_of(const struct scan_result *r) {
    size_t count = 0;
    for (size_t i = 0; i < r->hits.count; i++) {
        count += r->hits.at[i].kind == PATTERN_SIGNATURE;
    }
    return count;
}

static void play(void *arg) {
    struct round *r = arg;
    struct arena a;
    arena_init(&a, NULL, 0);
    uint32_t seed = r->seed;
    struct buf story = buf_in(&a, 1 << 16);
    struct str log = random_log(&a, r->samples, &seed, &story);
    size_t piece = pieces[disguise_roll(&seed, 5)];
    uint32_t threads = teams[disguise_roll(&seed, 4)];
    struct str image = r->samples->image;
    const struct scan_result *whole =
        scan_so(&a, image, log, (struct scanning){SCAN_WHOLE, 262144, 1, true});
    const struct scan_result *sieved = scan_so(
        &a, image, log,
        (struct scanning){SCAN_STRICT, piece, threads, false});
    if (scan_has_prose(&a, image, whole)) {
        arena_free(&a);
        return;
    }
    bool is_silent = signatures_of(whole) + signatures_of(sieved) == 0;
    const char *why = is_silent ? NULL : scan_difference(&a, whole, sieved);
    if (why != NULL) {
        keep_log(log);
        fail_msg("seed %u,%.*s: %s", r->seed, STR_ARG(buf_str(&story)), why);
    }
    r->hits = whole->hits.count;
    arena_free(&a);
}

static void what_is_passed_over_does_not_matter(struct arena *a) {
    struct samples s = read_samples(a);
    uint32_t rounds = cases_asked(60, 600);
    size_t hits = 0;
    for (uint32_t seed = 1; seed <= rounds; seed++) {
        struct round r = {&s, seed, 0};
        play(&r);
        hits += r.hits;
    }
    assert_true(hits > 10 * (size_t)rounds);
}

/* What cleaning takes out of a string, wherever it stands in a literal. */
static void what_is_escaped_hides_no_literal(struct arena *a) {
    static const char *const escapes[] = {"\\u0001", "\\u007f", "\\u0085",
                                          "\\u200b", "\\ufeff", "\\u001b[31m"};
    struct str image = file_bytes(a, SHIPPED_INDEX);
    struct str text = STR("torch.OutOfMemoryError: CUDA out of memory. Tried to "
                          "allocate 2.00 GiB. GPU 0 has a total capacity of "
                          "23.69 GiB of which 1.13 GiB is free.");
    for (size_t i = 0; i < sizeof escapes / sizeof escapes[0]; i++) {
        uint32_t seed = 1;
        struct buf log = buf_in(a, (size_t)1 << 20);
        buf_add(&log, healthy_log(a, 100000, &seed));
        buf_add(&log, STR("{\"log\":\""));
        for (size_t k = 0; k < text.n; k++) {
            buf_printf(&log, "%c%s", text.p[k], k % 3 == 2 ? escapes[i] : "");
        }
        buf_add(&log, STR("\\n\",\"stream\":\"stderr\"}\n"));
        buf_add(&log, healthy_log(a, 100000, &seed));
        assert_true(buf_ok(&log));
        const struct scan_result *found = scan_so(
            a, image, buf_str(&log), (struct scanning){SCAN_STRICT, 4096, 1, true});
        if (signatures_of(found) == 0) {
            fail_msg("%s hides what it stands in", escapes[i]);
        }
    }
}

#define TESTS(X)                                                               \
    X(what_is_passed_over_does_not_matter)                                     \
    X(what_is_escaped_hides_no_literal)

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
