/* Predicates: what they say of facts, that SQLite says the same, and what is no
 * predicate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "author/author.h"
#include "base/buf.h"
#include "corpus/version.h"
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
    "stage > 1",
    "stage",
    "gpu_free + 'x' > 1",
    "vcmp(gpu_free, '1') = 0",
    "stage IN ('load', 1)",
    "CASE WHEN gpu_free THEN 1 ELSE 'x' END = 1",
    "stage || 'x' = 'x'",
    "gpu_free % 2 = 0",
    "gpu_free > .",
    "gpu_free > 1.2.3",
    "gpu_free > 99999999999999999999",
    "gpu_free NOT NULL",
    "gpu_free NOT 5",
    "NOT",
    "gpu_free IN ()",
    "gpu_free BETWEEN 1",
    "coalesce(gpu_free) = 1",
    "max(gpu_free) = 1",
    "CASE gpu_free WHEN 1 THEN 1 END",
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
        all = arena_printf(a, "%.*s AND %s IS NULL", STR_ARG(all),
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

/* ---- SQLite says the same ---- */

static void vcmp(sqlite3_context *ctx, int count, sqlite3_value **values) {
    struct str v[2];
    int order;
    (void)count;
    for (int i = 0; i < 2; i++) {
        const char *text = (const char *)sqlite3_value_text(values[i]);
        v[i] = str_of(text != NULL ? text : "");
    }
    if (version_compare(v[0], v[1], &order)) {
        sqlite3_result_int(ctx, (order > 0) - (order < 0));
    } else {
        sqlite3_result_null(ctx);
    }
}

static int64_t sum_of(const struct fact_list *facts, enum fact_name name) {
    int64_t sum = 0;
    for (size_t i = 0; i < facts->count; i++) {
        sum += facts->at[i].name == name ? facts->at[i].number : 0;
    }
    return sum;
}

/* A fact as SQL has it. */
static void put_fact(struct buf *sql, const struct fact_list *facts,
                     enum fact_name name) {
    const struct fact *f = facts_last(facts, name);
    enum unit unit = fact_unit(name);
    if (f == NULL) {
        buf_add(sql, STR("NULL"));
    } else if (unit == UNIT_TEXT || unit == UNIT_VERSION) {
        buf_add_char(sql, '\'');
        for (size_t i = 0; i < f->word.n; i++) {
            buf_add(sql, str_slice(f->word, i, 1));
            buf_add(sql, f->word.p[i] == '\'' ? STR("'") : STR(""));
        }
        buf_add_char(sql, '\'');
    } else {
        int64_t n = name == FACT_other_in_use ? sum_of(facts, name) : f->number;
        bool is_real = unit == UNIT_RATIO || unit == UNIT_SECONDS;
        buf_printf(sql, "(%lld%s)", (long long)n, is_real ? " / 1e6" : "");
    }
}

static void put_predicate(struct buf *sql, struct str s,
                          const struct fact_list *facts) {
    bool is_quoted = false;
    for (size_t i = 0, n; i < s.n; i += n) {
        n = 1;
        is_quoted ^= s.p[i] == '\'';
        while (!is_quoted && is_word(s.p[i]) && i + n < s.n &&
               is_word(s.p[i + n])) {
            n++;
        }
        struct str word = str_slice(s, i, n);
        enum fact_name name;
        if (!is_quoted && fact_named(word, &name)) {
            put_fact(sql, facts, name);
        } else {
            buf_add(sql, word);
        }
    }
}

struct oracle {
    struct arena *a;
    sqlite3 *db;
    size_t asked;
};

static enum truth ask_sqlite(struct oracle *o, struct str predicate,
                             const struct fact_list *facts) {
    sqlite3_stmt *ask = NULL;
    enum truth truth = TRUTH_UNKNOWN;
    struct buf sql = buf_in(o->a, 0);
    buf_add(&sql, STR("SELECT ("));
    put_predicate(&sql, predicate, facts);
    buf_add_char(&sql, ')');
    assert_int_equal(sqlite3_prepare_v2(o->db, buf_str(&sql).p,
                                        (int)buf_str(&sql).n, &ask, NULL),
                     SQLITE_OK);
    if (sqlite3_step(ask) == SQLITE_ROW &&
        sqlite3_column_type(ask, 0) != SQLITE_NULL) {
        truth = sqlite3_column_double(ask, 0) != 0 ? TRUTH_TRUE : TRUTH_FALSE;
    }
    sqlite3_finalize(ask);
    return truth;
}

static void expect_same(struct oracle *o, struct str predicate,
                        const struct fact_list *facts) {
    struct predicate p = predicate_read(o->a, predicate);
    if (p.root == NULL) {
        fail_msg("%.*s: %s", STR_ARG(predicate), p.why);
    }
    enum truth own = when_evaluate(&p, facts).truth;
    enum truth other = ask_sqlite(o, predicate, facts);
    o->asked++;
    if (own != other) {
        fail_msg("%.*s: %d, and %d by SQLite", STR_ARG(predicate), (int)own,
                 (int)other);
    }
}

/* Sizes near each other, so that comparisons go either way, and texts that
 * predicates hold facts against. */
static struct fact_list random_facts(struct arena *a, uint64_t *seed) {
    static const char *const texts[] = {"load",  "forward", "vllm",  "pytorch",
                                        "train", "infer",   "it's",  "",
                                        "cuda",  "0.9.1",   "0.11.0", "python"};
    struct fact_list facts = {arena_array(a, FACT_COUNT_OF, sizeof *facts.at),
                              0, 0};
    for (int i = 0; i < FACT_COUNT_OF; i++) {
        *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        uint64_t r = *seed >> 33;
        if (r % 4 == 0) {
            continue;
        }
        facts.at[facts.count++] = (struct fact){
            .name = (enum fact_name)i, .known = true,
            .number = (int64_t)(r / 4 % 5 * (r % 3 == 0 ? 400000 : GIB)),
            .word = str_of(texts[r / 16 % COUNT(texts)])};
    }
    return facts;
}

static void expect_same_of_list(struct oracle *o, const struct str_list *list,
                                const struct fact_list *facts) {
    for (size_t i = 0; i < list->count; i++) {
        expect_same(o, list->at[i], facts);
    }
}

static void expect_same_of_entry(struct oracle *o, const struct entry *e,
                                 const struct fact_list *facts) {
    expect_same_of_list(o, &e->when, facts);
    for (size_t i = 0; i < e->workaround_count; i++) {
        expect_same_of_list(o, &e->workarounds[i].when, facts);
        expect_same_of_list(o, &e->workarounds[i].command_when, facts);
    }
    for (size_t i = 0; i < e->dead_end_count; i++) {
        expect_same_of_list(o, &e->dead_ends[i].when, facts);
    }
}

static const char *const odd[] = {
    "NOT gpu_free = 1 OR gpu_free > 1 AND rank < 5",
    "NOT NOT enforce_eager", "- - gpu_free > 0", "+gpu_free - -1 > 0",
    "gpu_free - 1 - 1 < gpu_free - (1 - 1)", "7 / 2 * 2 = 6 AND gpu_free >= 0",
    "gpu_free / 2.0 * 2 = gpu_free", "gpu_free < 1 = 0", "gpu_free > 1 <> rank",
    "gpu_free BETWEEN 1 AND 5e9 AND rank NOT BETWEEN 1 AND 2",
    "rank IN (1, NULL, 2)", "rank NOT IN (1, 2)", "NULL IN (gpu_free, 1)",
    "stage NOT LIKE '%O_D'", "stage LIKE '%'", "stage LIKE '_'",
    "engine_version LIKE '0.%1%'", "stage IS NOT 'load'", "rank IS NULL",
    "rank IS NOT NULL OR gpu_free IS gpu_total", "coalesce(rank, gpu_free, 1)",
    "gpu_free * gpu_total * gpu_total > 1", "900000000000000000 < gpu_free",
    "gpu_free * 9000000000000000000 > 1e22", "-gpu_free * 4000000000 < -1e19",
    "max(gpu_free, 1.5, rank) > min(gpu_free, 1.5)", "abs(-1.5) < gpu_free",
    "CASE WHEN rank THEN 'a' WHEN gpu_free > 1 THEN 'b' END = 'b'",
    "gpu_memory_utilization * 1e6 = 400000", "gpu_free = 1073741824.0",
    "gpu_free > 1073741823.9999", "vcmp(engine_version, '0.9') < 0 IS NULL",
    "gpu_free / (rank - rank) IS NULL", "gpu_free > .5e1", "TRUE = rank",
    "min(stage, engine) = stage", "coalesce(NULL, stage) > 'm'"};

static void ignore_diag(void *ctx, const struct diag *d) {
    (void)ctx;
    (void)d;
}

static const struct index *index_of_entries(struct arena *a) {
    struct author_options options = {.entries_dir = STR("entries"),
                                     .on_diag = ignore_diag};
    struct str image;
    assert_int_equal(author_compile(a, &options, &image).errors, 0);
    return index_open(a, image);
}

static void ask_both(struct arena *a) {
    const struct index *ix = index_of_entries(a);
    struct reader *r = reader_new(ix, a);
    struct oracle o = {.a = a};
    uint64_t seed = 1;
    assert_int_equal(sqlite3_open(":memory:", &o.db), SQLITE_OK);
    sqlite3_create_function(o.db, "vcmp", 2, SQLITE_UTF8, NULL, vcmp, NULL,
                            NULL);
    for (int round = 0; round < 12; round++) {
        struct fact_list facts = {NULL, 0, 0};
        if (round > 0) {
            facts = random_facts(a, &seed);
        }
        for (size_t i = 0; i < COUNT(odd); i++) {
            expect_same(&o, str_of(odd[i]), &facts);
        }
        for (size_t i = 0; i < index_entry_count(ix); i++) {
            expect_same_of_entry(&o, reader_entry(r, (uint32_t)i), &facts);
        }
    }
    sqlite3_close(o.db);
    assert_true(o.asked > 10000);
}

static void sqlite_says_the_same(void **state) {
    (void)state;
    with_arena(ask_both);
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
        cmocka_unit_test(sqlite_says_the_same),
        cmocka_unit_test(unknown_facts_come_first),
        cmocka_unit_test(other_sql_is_refused),
        cmocka_unit_test(too_many_facts_are_refused),
        cmocka_unit_test(a_damaged_predicate_raises),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
