/* Predicates: what they say of facts, at build or at run, and what is no
 * predicate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "index/read.h"
#include "support/corpus.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])
#define GIB (INT64_C(1) << 30)

static struct fact number(enum fact_name name, int64_t n) {
    return (struct fact){.name = name, .known = true, .number = n};
}

static struct fact word(enum fact_name name, const char *text) {
    return (struct fact){.name = name, .known = true, .word = str_of(text)};
}

/* gpu_free was 9 GiB, then 2; tried_alloc is printed but impossible. */
static struct fact_list some_facts(struct arena *a) {
    struct fact list[] = {
        word(FACT_stage, "kv_alloc"),
        word(FACT_engine_version, "0.10.2+cu124"),
        number(FACT_gpu_total, 24 * GIB),
        number(FACT_gpu_free, 9 * GIB),
        number(FACT_gpu_free, 2 * GIB),
        number(FACT_gpu_memory_utilization, 900000),
        number(FACT_max_model_len, 32768),
        number(FACT_enforce_eager, 1),
        number(FACT_other_in_use, 3 * GIB),
        number(FACT_other_in_use, 4 * GIB),
        number(FACT_kv_available, INT64_MIN),
        {.name = FACT_tried_alloc, .known = false},
    };
    struct fact_list facts = {arena_array(a, COUNT(list), sizeof list[0]),
                              COUNT(list), COUNT(list)};
    for (size_t i = 0; i < COUNT(list); i++) {
        facts.at[i] = list[i];
    }
    return facts;
}

struct saying {
    const char *predicate;
    enum truth truth;
};

static const struct saying sayings[] = {
    {"stage = 'kv_alloc'", TRUTH_TRUE},
    {"stage IN ('capture', 'profile')", TRUTH_FALSE},
    {"stage LIKE 'KV%' AND NOT stage = 'it''s'", TRUTH_TRUE},
    {"gpu_free < 0.5 * gpu_total", TRUTH_TRUE},
    {"gpu_free = 2147483648", TRUTH_TRUE},
    {"gpu_total BETWEEN 20e9 AND 30e9", TRUTH_TRUE},
    {"gpu_memory_utilization = 0.9", TRUTH_TRUE},
    {"gpu_memory_utilization >= 0.91", TRUTH_FALSE},
    {"enforce_eager", TRUTH_TRUE},
    {"enforce_eager = false", TRUTH_FALSE},
    {"other_in_use = 7516192768", TRUTH_TRUE},
    {"max_model_len / 1024 = 32 and abs(-max_model_len) = 32768", TRUTH_TRUE},
    {"max(gpu_free, other_in_use) = other_in_use", TRUTH_TRUE},
    {"min(gpu_free, gpu_total) = gpu_free", TRUTH_TRUE},
    {"CASE WHEN gpu_free > 0 THEN stage = 'x' ELSE 1 END", TRUTH_FALSE},
    {"vcmp(engine_version, '0.9.1') >= 0", TRUTH_TRUE},
    {"vcmp(engine_version, '0.10.2') = 1", TRUTH_TRUE},
    {"vcmp(engine_version, 'v0.11') < 0", TRUTH_TRUE},
    {"vcmp(torch_version, '2.0') < 0", TRUTH_UNKNOWN},
    {"vcmp(stage, '2.0') < 0", TRUTH_UNKNOWN},
    {"tried_alloc > gpu_free", TRUTH_UNKNOWN},
    {"tried_alloc IS NULL", TRUTH_TRUE},
    {"tried_alloc > 5 OR gpu_free > 5", TRUTH_TRUE},
    {"tried_alloc > 5 AND gpu_free < 5", TRUTH_FALSE},
    {"coalesce(tried_alloc, 0) = 0", TRUTH_TRUE},
    {"gpu_free / (max_model_len - 32768) > 1", TRUTH_UNKNOWN},
    {"abs(kv_available) > 1", TRUTH_UNKNOWN}, /* beyond 64 bits */
    {"rank = 0", TRUTH_UNKNOWN},
};

static void say(struct arena *a) {
    struct reader *r = tiny_reader(a);
    struct fact_list facts = some_facts(a);
    for (int round = 0; round < 2; round++) { /* then from the cache */
        for (size_t i = 0; i < COUNT(sayings); i++) {
            struct str why = {NULL, 0};
            struct str predicate = str_of(sayings[i].predicate);
            if (!when_valid(a, predicate, &why)) {
                fail_msg("%s is refused: %.*s", predicate.p, STR_ARG(why));
            }
            enum truth truth = reader_when(r, predicate, &facts).truth;
            if (truth != sayings[i].truth) {
                fail_msg("%s is %d", predicate.p, (int)truth);
            }
        }
    }
}

static void name_the_unknown_first(struct arena *a) {
    struct reader *r = tiny_reader(a);
    struct fact_list facts = some_facts(a);
    struct verdict_when v = reader_when(
        r, STR("gpu_free > 1 AND tried_alloc > gpu_free AND pid = 1"), &facts);
    assert_int_equal(v.truth, TRUTH_UNKNOWN);
    assert_int_equal(v.name_count, 3);
    assert_int_equal(v.names[0], FACT_tried_alloc);
    assert_int_equal(v.names[1], FACT_pid);
    assert_int_equal(v.names[2], FACT_gpu_free);
    /* text is no fact */
    v = reader_when(r, STR("stage = 'gpu_free'"), &facts);
    assert_int_equal(v.name_count, 1);
    assert_int_equal(v.truth, TRUTH_FALSE);
}

static const char *const refused[] = {
    "",
    "1 = 1",
    "gpu_fre > 1",
    "gpu_free > ",
    "gpu_free > 1; DROP TABLE entry",
    "gpu_free > 1 -- and so on",
    "gpu_free > 1 /* and so on",
    "(SELECT 1 FROM sqlite_schema) AND gpu_free",
    "gpu_free IN (SELECT 1)",
    "EXISTS (VALUES(gpu_free))",
    "gpu_free) FROM f UNION SELECT (1",
    "gpu_free > 1)",
    "(gpu_free > 1",
    "\"gpu_free\" > 1",
    "`gpu_free` > 1",
    "[gpu_free] > 1",
    "f.gpu_free > 1",
    "gpu_free > ?1",
    "gpu_free > :x",
    "gpu_free > $x",
    "stage = 'open",
    "load_extension(stage)",
    "randomblob(gpu_free)",
    "length(stage) > 1",
    "upper(stage) = 'X'",
    "sum(gpu_free) > 1",
    "stage -> '$'",
    "stage GLOB 'x'",
    "stage MATCH 'x'",
    "stage REGEXP 'x'",
    "CAST(stage AS INTEGER) = 1",
    "stage COLLATE nocase = 'x'",
    "gpu_free = x'00'",
    "gpu_free = 0x10",
    "gpu_free = 12abc",
    "vcmp",
    "vcmp(engine_version)",
    "vcmp(engine_version, '1', '2') = 0",
    "vcmp (engine_version, '1') OVER () = 0",
    "min(gpu_free) FILTER (WHERE 1)",
    "gpu_free > 1, gpu_free",
    "gpu_free AND raise(ABORT, 'x')",
    "rowid = gpu_free",
};

static void refuse(struct arena *a) {
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct str why = {NULL, 0};
        if (when_valid(a, str_of(refused[i]), &why) || why.n == 0) {
            fail_msg("\"%s\" is taken for a predicate", refused[i]);
        }
    }
    struct str nul = {"gpu_free > 1\0 OR 1", 18}, why;
    assert_false(when_valid(a, nul, &why));
    struct str many = {arena_alloc(a, 5000), 5000};
    assert_false(when_valid(a, many, &why));
}

static void refuse_more_facts_than_are_named(struct arena *a) {
    struct str why, all = STR("1");
    for (int i = 0; i < 17; i++) {
        bool is_valid = i == 0 || when_valid(a, all, &why);
        assert_true(is_valid);
        all = arena_printf(a, "%.*s AND %s > 0", STR_ARG(all),
                           fact_spelling((enum fact_name)i));
    }
    assert_false(when_valid(a, all, &why));
}

struct question {
    struct arena *arena;
    struct reader *reader;
};

static void ask_nonsense(void *arg) {
    struct question *q = arg;
    struct fact_list none = {NULL, 0, 0};
    reader_when(q->reader, STR("no_such_fact > 1"), &none);
}

static void raise_on_nonsense(struct arena *a) {
    struct question q = {a, tiny_reader(a)};
    struct fault fault;
    assert_int_equal(arena_guard(a, ask_nonsense, &q, &fault), FAIL_INDEX);
}

static const char *const held[] = {
    "stage = 'load'", "stage LIKE 'KV%' OR stage = 'it''s'", "stage IS NULL",
    "coalesce(stage, 'unknown') NOT IN ('load', 'profile')",
    "engine IN ('vllm', 'sglang')", "coalesce(engine, 'vllm') = 'vllm'",
    "device_kind = 'hip'", "vcmp(engine_version, '0.9.1') >= 0",
    "gpu_free > 1", "coalesce(gpu_free, 0) = 0", "coalesce(rank, 3) > 2",
    "other_in_use > 5 OR stage = 'load'", "enforce_eager"};

static struct str held_image(struct arena *a) {
    struct corpus c = tiny_corpus(a);
    struct str_list *when = &c.entries[0].when;
    *when = (struct str_list){arena_array(a, COUNT(held), sizeof *when->at),
                              COUNT(held)};
    for (size_t i = 0; i < COUNT(held); i++) {
        when->at[i] = str_of(held[i]);
    }
    struct pattern_list set = corpus_patterns(a, &c);
    return index_write(a, &c, &set, STR("a prefilter"));
}

struct answers_of {
    struct when *sqlite;
    struct reader *own, *other;
};

static void expect_same(const char *predicate, const struct verdict_when *x,
                        const struct verdict_when *y) {
    if (x->truth != y->truth || x->name_count != y->name_count ||
        memcmp(x->names, y->names, x->name_count * sizeof x->names[0]) != 0) {
        fail_msg("%s: %d of %zu instead of %d of %zu", predicate,
                 (int)y->truth, y->name_count, (int)x->truth, x->name_count);
    }
}

static void ask_all(struct answers_of *of, const struct fact_list *facts) {
    for (size_t i = 0; i < COUNT(held); i++) {
        struct str predicate = str_of(held[i]);
        struct verdict_when wanted =
            when_evaluate(of->sqlite, predicate, NULL, facts);
        struct verdict_when own = reader_when(of->own, predicate, facts);
        struct verdict_when other = reader_when(of->other, predicate, facts);
        expect_same(held[i], &wanted, &own);
        expect_same(held[i], &wanted, &other);
    }
}

/* What the build has answered is what SQLite says, whatever the facts. */
static void answer_alike(struct arena *a) {
    static const char *const texts[] = {"load", "kv_alloc", "KV", "it's", "it",
                                        "", "vllm", "hip", "nobody"};
    static const enum fact_name names[] = {FACT_stage, FACT_engine,
                                           FACT_device_kind};
    struct str image = held_image(a);
    struct answers_of of = {when_new(a),
                            reader_new(index_open_builtin(a, image), a),
                            reader_new(index_open(a, image), a)};
    struct fact_list none = {NULL, 0, 0}, some = some_facts(a);
    ask_all(&of, &none);
    ask_all(&of, &some);
    for (size_t i = 0; i < COUNT(texts) * COUNT(names); i++) {
        struct fact fact = word(names[i % COUNT(names)],
                                texts[i / COUNT(names)]);
        struct fact_list one = {&fact, 1, 1};
        ask_all(&of, &one);
    }
}

static bool is_precomputed(struct arena *a, const struct index *ix,
                        const char *predicate, const char *stage) {
    struct fact fact = word(FACT_stage, stage);
    struct fact_list facts = {&fact, 1, 1};
    struct precomputed f = {.fact_count = 0};
    struct verdict_when v;
    return precomputed_find(&ix->pack, a, str_of(predicate), &f) &&
           precomputed_verdict(&f, &facts, &v);
}

static void ask_sqlite_the_rest(struct arena *a) {
    const struct index *ix = index_open(a, held_image(a));
    assert_true(is_precomputed(a, ix, "stage = 'load'", "load"));
    assert_true(is_precomputed(a, ix, "stage = 'load'", "optimizer"));
    assert_false(is_precomputed(a, ix, "stage = 'load'", "nobody"));
    assert_true(is_precomputed(a, ix, "gpu_free > 1", "load"));
    assert_false(is_precomputed(a, ix, "other_in_use > 5 OR stage = 'load'",
                             "load"));
    assert_false(is_precomputed(a, ix, "stage = 'not there'", "load"));
}

static void the_build_answers_alike(void **state) {
    (void)state;
    with_arena(answer_alike);
}
static void the_rest_is_asked(void **state) {
    (void)state;
    with_arena(ask_sqlite_the_rest);
}
static void predicates_say_what_holds(void **state) {
    (void)state;
    with_arena(say);
}
static void unknown_facts_come_first(void **state) {
    (void)state;
    with_arena(name_the_unknown_first);
}
static void other_sql_is_refused(void **state) {
    (void)state;
    with_arena(refuse);
}
static void too_many_facts_are_refused(void **state) {
    (void)state;
    with_arena(refuse_more_facts_than_are_named);
}
static void a_damaged_predicate_raises(void **state) {
    (void)state;
    with_arena(raise_on_nonsense);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(predicates_say_what_holds),
        cmocka_unit_test(unknown_facts_come_first),
        cmocka_unit_test(other_sql_is_refused),
        cmocka_unit_test(too_many_facts_are_refused),
        cmocka_unit_test(a_damaged_predicate_raises),
        cmocka_unit_test(the_build_answers_alike),
        cmocka_unit_test(the_rest_is_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
