/* test_parallel.c: a pool tells what one thread tells, and gives up as one: where
 * memory ends in any of its threads, where a ceiling is reached, where the
 * caller's own part raises, nothing is left running and nothing is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/limits.h"
#include "base/snapshot.h"
#include "match/parallel.h"
#include "match/scanner.h"
#include "support/corpus.h"
#include "support/patterns.h"
#include "support/supply.h"

#define LINES 24000 /* of 60 bytes: parts for ten threads */

static const struct pattern_spec specs[] = {
    {.kind = PATTERN_SIGNATURE, .text = "CUDA out of memory\\. Tried"},
    {.kind = PATTERN_SIGNATURE, .text = "the pond is dry at \\d+"},
    {.kind = PATTERN_SIGNATURE, .text = "serving on port \\d+"},
};

static struct prefilter filter_of(struct arena *a) {
    struct pattern_specs all = {specs, sizeof specs / sizeof specs[0]};
    const struct index *ix = index_open(a, patterns_image(a, all));
    return scan_rules_open(a, ix)->filter[PREFILTER_SIGNATURES];
}

static struct str log_of(struct arena *a) {
    struct buf log = buf_in(a, (size_t)4 << 20);
    for (int i = 0; i < LINES; i++) {
        const char *text = i % 7 == 3    ? "CUDA out of memory. Tried to get it"
                           : i % 11 == 5 ? "well, the pond is dry at 12 o'clock"
                           : i % 501 == 0 ? "serving on port 8000, as one would "
                                          : "nothing at all that matters to one ";
        buf_printf(&log, "%07d INFO a line of it: %s\n", i, text);
    }
    assert_true(buf_ok(&log));
    return buf_str(&log);
}

/* ---- what is told ---- */

struct told {
    size_t count;
    uint64_t sum;        /* whatever the order */
    size_t last[8];      /* by literal */
    size_t raise_after;  /* SIZE_MAX: never */
    struct arena *arena; /* this one */
};

static void on_found(void *ctx, uint32_t literal, size_t line) {
    struct told *t = ctx;
    assert_true(literal < 8);
    assert_true(line >= t->last[literal]);
    t->last[literal] = line;
    t->sum += (line + 1) * (uint64_t)(2654435761u + literal);
    if (t->count++ == t->raise_after) {
        arena_raise(t->arena, FAIL_USAGE, "enough");
    }
}

struct attempt {
    struct arena *a;
    const struct prefilter *f;
    struct worker_pool *pool;
    struct str text;
    uint32_t threads;
    struct told told;
};

static void make(void *arg) {
    struct attempt *t = arg;
    t->pool = worker_pool_new(t->a, t->f, log_tables_new(t->a).frames, t->threads);
}

static void look(void *arg) {
    struct attempt *t = arg;
    if (!t->pool) {
        make(t);
    }
    worker_pool_look(t->pool, t->text, 0, t->text.n, on_found, &t->told);
}

static struct told told_by_one(struct arena *a, const struct prefilter *f,
                               struct str text) {
    struct attempt t = {.a = a, .f = f, .text = text, .threads = 1,
                        .told = {.raise_after = SIZE_MAX}};
    look(&t);
    assert_true(t.told.count > LINES / 7);
    return t.told;
}

static void expect_same(const struct told *x, const struct told *y) {
    assert_int_equal(x->count, y->count);
    assert_true(x->sum == y->sum);
    assert_memory_equal(x->last, y->last, sizeof x->last);
}

static void any_number_tells_the_same(struct arena *a) {
    struct prefilter f = filter_of(a);
    struct str text = log_of(a);
    struct told one = told_by_one(a, &f, text);
    for (uint32_t threads = 2; threads <= SCAN_WORKERS_MAX + 4; threads++) {
        struct attempt t = {.a = a, .f = &f, .text = text, .threads = threads,
                            .told = {.raise_after = SIZE_MAX}};
        look(&t);
        expect_same(&t.told, &one);
    }
}

/* With many threads a block is large, and a line may fill it. */
static void a_long_line_of_bad_bytes_is_searched(struct arena *a) {
    struct prefilter f = filter_of(a);
    struct str words = STR(" CUDA out of memory. Tried to get it\n");
    size_t bad = (size_t)7 << 20;
    char *text = arena_alloc(a, bad + words.n);
    memset(text, 0xff, bad);
    memcpy(text + bad, words.p, words.n);
    struct attempt t = {.a = a, .f = &f, .text = {text, bad + words.n},
                        .threads = 2, .told = {.raise_after = SIZE_MAX}};
    look(&t);
    assert_true(t.told.count > 0);
}

/* ---- memory that ends ---- */

/* One arena over a supply that threads may share, as a session has. */
static enum fail try_with(struct attempt *t, struct supply *supply,
                          size_t ceiling_bytes) {
    struct allocator from = {supply_get, supply_put, supply};
    struct snapshot_allocator memory;
    struct arena own;
    assert_true(snapshot_init(&memory, &from));
    arena_init(&own, &memory.allocator, ceiling_bytes);
    t->a = &own;
    t->pool = NULL;
    enum fail code = arena_guard(&own, look, t, NULL);
    arena_free(&own);
    snapshot_end(&memory);
    assert_int_equal(supply->held, 0);
    return code;
}

static void memory_may_end_in_any_thread(struct arena *a) {
    struct prefilter f = filter_of(a);
    struct str text = log_of(a);
    struct told one = told_by_one(a, &f, text);
    enum fail code = FAIL_MEMORY;
    size_t allowed = 0;
    for (; code != FAIL_NONE && allowed < 1000; allowed++) {
        struct attempt t = {.f = &f, .text = text, .threads = 6,
                            .told = {.raise_after = SIZE_MAX}};
        struct supply supply = {.left = allowed};
        code = try_with(&t, &supply, 0);
        if (code == FAIL_NONE) {
            expect_same(&t.told, &one);
        } else {
            assert_int_equal(code, FAIL_MEMORY);
            assert_true(t.told.count < one.count);
        }
    }
    assert_true(allowed > 10 && allowed < 1000);
}

static void a_ceiling_is_one_of_each(struct arena *a) {
    struct prefilter f = filter_of(a);
    struct str text = log_of(a);
    struct told one = told_by_one(a, &f, text);
    size_t refused = 0, done = 0;
    for (size_t ceiling = 1024; ceiling <= (size_t)64 << 20; ceiling *= 2) {
        struct attempt t = {.f = &f, .text = text, .threads = SCAN_WORKERS_MAX,
                            .told = {.raise_after = SIZE_MAX}};
        struct supply supply = {.left = SIZE_MAX};
        enum fail code = try_with(&t, &supply, ceiling);
        assert_true(code == FAIL_NONE || code == FAIL_CEILING);
        refused += code == FAIL_CEILING;
        done += code == FAIL_NONE;
        if (code == FAIL_NONE) {
            expect_same(&t.told, &one);
        }
    }
    assert_true(refused > 2 && done > 2);
}

/* ---- a caller that gives up ---- */

static void what_is_raised_waits_for_all(struct arena *a) {
    struct prefilter f = filter_of(a);
    struct str text = log_of(a);
    struct told one = told_by_one(a, &f, text);
    size_t places[] = {0, one.count / 20, one.count / 2, one.count - 1};
    struct attempt t = {.a = a, .f = &f, .text = text,
                        .threads = SCAN_WORKERS_MAX};
    make(&t);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        t.told = (struct told){.raise_after = places[i], .arena = a};
        assert_int_equal(arena_guard(a, look, &t, NULL), FAIL_USAGE);
        assert_int_equal(t.told.count, places[i] + 1);
        t.told = (struct told){.raise_after = SIZE_MAX};
        look(&t); /* and it can be asked again */
        expect_same(&t.told, &one);
    }
}

#define TESTS(X)                                                           \
    X(any_number_tells_the_same)                                           \
    X(a_long_line_of_bad_bytes_is_searched)                                \
    X(memory_may_end_in_any_thread)                                        \
    X(a_ceiling_is_one_of_each)                                            \
    X(what_is_raised_waits_for_all)

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
