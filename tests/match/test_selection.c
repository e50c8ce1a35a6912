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
#include "support/patterns.h"
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

/* ---- literals that JSON escapes, cut by Docker at each byte ---- */

static const struct pattern_spec escaped_specs[] = {
    {PATTERN_SIGNATURE, "\"reason\":\"oomkilled\" in this pod", {0}},
    {PATTERN_SIGNATURE, "heap limit <exceeded> & given up", {0}},
    {PATTERN_SIGNATURE, "device said\\s\"no memory at all\"", {0}},
    {PATTERN_SIGNATURE, "\"quota\" \"of the host\" \"exceeded\"", {0}},
};
static const struct pattern_specs escaped = {escaped_specs, 4};

static const char *const escaped_texts[] = {
    "\"reason\":\"oomkilled\" in this pod",
    "heap limit <exceeded> & given up",
    "device said\t\"no memory at all\"",
    "\"quota\" \"of the host\" \"exceeded\"",
};

/* In front of the text, and behind it. */
static const char *const escaped_around[][2] = {
    {"E1130 worker 7: ", " (code 137)"},
    {"{\"level\":\"error\",\"event\":{\"pod\":\"a-7\",", "}}"},
    {"{\"level\":\"error\",\"msg\":\"", "\",\"pod\":\"a-7\"}"},
    {"{\"log\":\"x\",\"level\":3,\"note\":\"", "\"}"},
};

static const char *const docker_records[][2] = {
    {"{\"log\":\"", "\",\"stream\":\"stderr\",\"time\":"
                   "\"2026-11-30T00:00:01.5Z\"}\n"},
    {"{\"stream\": \"stderr\", \"log\": \"", "\"}\n"},
};

/* As Go's encoding/json writes it. */
static void put_escaped(struct buf *out, struct str s) {
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '<' || c == '>' || c == '&') {
            buf_printf(out, "\\u%04x", (unsigned)c);
        } else if (c == '"' || c == '\\') {
            buf_printf(out, "\\%c", c);
        } else if (c == '\t') {
            buf_add(out, STR("\\t"));
        } else {
            buf_add_char(out, c);
        }
    }
}

static void put_cut(struct buf *log, const char *const record[2],
                    struct str line, size_t at) {
    buf_add(log, str_of(record[0]));
    put_escaped(log, str_slice(line, 0, at));
    buf_printf(log, "%s%s", record[1], record[0]);
    put_escaped(log, str_from(line, at));
    buf_printf(log, "\\n%s", record[1]);
}

/* The number of hits. */
static size_t expect_cut_found(struct str image, const char *const record[2],
                             struct str line, size_t at) {
    struct arena a;
    uint32_t seed = 1;
    arena_init(&a, NULL, 0);
    struct buf log = buf_in(&a, 0);
    struct str before = healthy_log(&a, 4000, &seed);
    buf_add(&log, before);
    put_cut(&log, record, line, at);
    buf_add(&log, before);
    const struct scan_result *whole =
        scan_so(&a, image, buf_str(&log),
                (struct scanning){SCAN_WHOLE, 262144, 1, true});
    const struct scan_result *found =
        scan_so(&a, image, buf_str(&log),
                (struct scanning){SCAN_STRICT, 262144, 1, true});
    if (signatures_of(found) != signatures_of(whole)) {
        fail_msg("cut before byte %zu of %.*s: %zu of %zu", at, STR_ARG(line),
                 signatures_of(found), signatures_of(whole));
    }
    size_t hits = signatures_of(whole);
    arena_free(&a);
    return hits;
}

static void what_docker_cuts_is_found(struct arena *a) {
    struct str image = patterns_image(a, escaped);
    size_t cases = 0, hits = 0;
    for (size_t t = 0; t < 4 * 4 * 2; t++) {
        const char *const *around = escaped_around[t / 4 % 4];
        const char *text = escaped_texts[t % 4];
        struct str line = arena_printf(a, "%s%s%s", around[0], text, around[1]);
        size_t first = str_of(around[0]).n;
        for (size_t i = 1; i < str_of(text).n; i++, cases++) {
            hits += expect_cut_found(image, docker_records[t / 16], line,
                                     first + i);
        }
    }
    assert_true(hits > cases / 2);
}

/* ---- a quote behind the end of a line that is cut ---- */

static void a_quote_behind_a_cut_line_is_no_string(struct arena *a) {
    struct str image = file_bytes(a, SHIPPED_INDEX);
    struct str text = STR("allocating 2048.00 MiB on device 0: cudaMalloc "
                          "failed: out of memory, CUDA_ERROR_OUT_OF_MEMORY, "
                          "RESOURCE_EXHAUSTED: Out of memory while trying to "
                          "allocate, cudaErrorMemoryAllocation");
    uint32_t seed = 1;
    struct buf log = buf_in(a, (size_t)1 << 20);
    for (size_t k = 3; k < text.n - 2; k++) {
        buf_add(&log, healthy_log(a, 300, &seed));
        buf_printf(&log, "\x1b[31mx \x1b[31m%.*s\n\"%s\", and more\n", (int)k,
                   text.p, text.p + k);
    }
    assert_true(buf_ok(&log));
    const struct scan_result *whole = scan_so(
        a, image, buf_str(&log), (struct scanning){SCAN_WHOLE, 4096, 1, true});
    const struct scan_result *found = scan_so(
        a, image, buf_str(&log), (struct scanning){SCAN_STRICT, 4096, 1, true});
    assert_true(signatures_of(whole) > 0);
    assert_int_equal(signatures_of(found), signatures_of(whole));
}

#define TESTS(X)                                                               \
    X(what_is_passed_over_does_not_matter)                                     \
    X(a_quote_behind_a_cut_line_is_no_string)                                  \
    X(what_docker_cuts_is_found)                                               \
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
