/* test_sglang_oracle.c: the default of mem_fraction_static against what each
 * release itself answered (tests/data/oracle/sglang.jsonl, made by
 * tests/engines/sglang_run.py): the first and the last of every run. */
#include "memory/cases.h"

#include "base/json.h"
#include "memory/engines.h"
#include "corpus/version.h"

#define ORACLE "tests/data/oracle/sglang.jsonl"
#define THOUSANDTH 1000
#define LINE_MAX_BYTES 4096

static int64_t number(struct json *o, const char *key) {
    int64_t n = 0;
    assert_true(json_get_int(o, key, &n));
    return n;
}

static void say_number(struct inputs *c, enum fact_name name, int64_t n) {
    c->in[name] = fact_number(name, SOURCE_USER, n);
}

static bool captures_prefills(struct str release) {
    int order = 0;
    return version_compare(release, STR("0.5.10"), &order) && order >= 0;
}

/* It rounds to the thousandth. */
static void expect_fraction(struct json *q, struct str release,
                            int64_t thousandths) {
    static struct kv_group latents[] = {LATENT(27, 576)};
    static const struct model mla = {.layers = 27, .heads = 16,
                                     .groups = latents, .group_count = 1};
    bool is_mla = false;
    assert_true(json_get_bool(q, "mla", &is_mla));
    char word[32];
    snprintf(word, sizeof word, "%.*s", STR_ARG(release));
    struct inputs c = case_of(word, is_mla ? &mla : NULL, SAID_NOTHING);
    c.engine = STR("sglang");
    say_number(&c, FACT_gpu_total, number(q, "mib") << 20);
    say_number(&c, FACT_tensor_parallel, number(q, "tp"));
    say_number(&c, FACT_pipeline_parallel, number(q, "pp"));
    struct span f = sglang_fraction(&c);
    int64_t micro = thousandths * THOUSANDTH;
    if (!f.known || f.low > micro + THOUSANDTH / 2 ||
        f.high < micro - THOUSANDTH / 2 - 1)
        fail_msg("%s, %lld MiB, tp %lld, pp %lld, mla %d: %lld is not in %lld "
                 "to %lld", word, (long long)number(q, "mib"),
                 (long long)number(q, "tp"), (long long)number(q, "pp"),
                 is_mla, (long long)micro, (long long)f.low,
                 (long long)f.high);
    /* Only what captures prefills is open. */
    if (!captures_prefills(release) && f.high - f.low > 1)
        fail_msg("%s: %lld to %lld", word, (long long)f.low,
                 (long long)f.high);
}

static size_t expect_line(struct json *q) {
    struct json *runs = json_get(q, "runs");
    bool graphs = false;
    assert_true(json_get_bool(q, "prefill_graphs", &graphs));
    size_t count = 0;
    for (size_t i = 0; i < json_count(runs); i++) {
        struct json *run = json_at(runs, i);
        for (size_t end = 0; end < 2; end++) {
            struct str release;
            int64_t thousandths;
            assert_true(json_as_text(json_at(run, end), &release));
            assert_true(json_as_int(json_at(json_at(run, 2), 0), &thousandths));
            /* off by default before; not with pipeline stages since */
            bool is_default = !graphs || (captures_prefills(release) &&
                                          number(q, "pp") == 1);
            if (is_default) {
                expect_fraction(q, release, thousandths);
                count++;
            }
        }
    }
    return count;
}

static void the_fraction_is_the_one_that_the_release_answers(void **state) {
    (void)state;
    struct arena a;
    char line[LINE_MAX_BYTES];
    size_t count = 0;
    FILE *in = fopen(ORACLE, "r");
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof line, in)); /* the releases */
    while (fgets(line, sizeof line, in) != NULL) {
        arena_init(&a, NULL, 0);
        count += expect_line(json_parse(&a, str_of(line), STR(ORACLE)));
        arena_free(&a);
    }
    fclose(in);
    assert_true(count > 400);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fraction_is_the_one_that_the_release_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
