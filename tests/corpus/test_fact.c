/* Facts and words: names, group names, and printed text as values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "corpus/fact.h"
#include "corpus/words.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])
#define GIB (INT64_C(1) << 30)

static struct fact read_scaled(enum fact_name name, const char *text,
                               int64_t scale) {
    struct fact fact = {.line = 12, .gpu = 3};
    fact_read(name, str_of(text), scale, &fact);
    assert_int_equal(fact.name, name);
    assert_int_equal(fact.line, 12); /* whose it is stays the caller's */
    assert_int_equal(fact.gpu, 3);
    assert_string_equal(fact.text.p, text);
    return fact;
}

static struct fact read_plain(enum fact_name name, const char *text) {
    return read_scaled(name, text, 1);
}

static void expect_number(enum fact_name name, const char *text, int64_t n) {
    struct fact fact = read_plain(name, text);
    if (!fact.known || fact.number != n) {
        fail_msg("%s \"%s\" is %lld, known %d", fact_spelling(name), text,
                 (long long)fact.number, fact.known);
    }
}

static void expect_word(enum fact_name name, const char *text,
                        const char *word) {
    struct fact fact = read_plain(name, text);
    assert_true(fact.known);
    assert_true(str_eq(fact.word, str_of(word)));
}

static void expect_unknown(enum fact_name name, const char *text) {
    struct fact fact = read_plain(name, text);
    if (fact.known || fact.why.n == 0) {
        fail_msg("%s \"%s\" is taken for a value", fact_spelling(name), text);
    }
}

static void names_and_spellings_agree(void **state) {
    (void)state;
    for (int i = 0; i < FACT_COUNT_OF; i++) {
        enum fact_name name;
        const char *spelling = fact_spelling((enum fact_name)i);
        assert_true(fact_named(str_of(spelling), &name));
        assert_int_equal(name, i);
    }
    enum fact_name name;
    assert_false(fact_named(STR("gpu_totals"), &name));
    assert_false(fact_named(STR(""), &name));
    assert_string_equal(unit_spelling(fact_unit(FACT_gpu_total)), "bytes");
    assert_string_equal(unit_spelling(fact_unit(FACT_kv_blocks)), "blocks");
    assert_string_equal(unit_spelling(fact_unit(FACT_max_concurrency)),
                        "ratio");
    assert_string_equal(source_spelling(SOURCE_DERIVED), "derived");
}

static void words_and_spellings_agree(void **state) {
    (void)state;
    for (int which = WORDS_MECHANISM; which <= WORDS_STAGE; which++) {
        enum vocabulary words = (enum vocabulary)which;
        int count = 0;
        for (const char *word; (word = word_spelling(words, count)); count++) {
            int value = -1;
            assert_true(word_named(words, str_of(word), &value));
            assert_int_equal(value, count);
        }
        int value = -1;
        assert_true(count > 2);
        assert_null(word_spelling(words, -1));
        assert_false(word_named(words, STR("no such word"), &value));
        assert_int_equal(value, -1);
    }
    assert_string_equal(word_spelling(WORDS_EFFORT, EFFORT_hardware), "hardware");
}

static void groups_stand_for_facts(void **state) {
    static const struct {
        const char *group;
        enum fact_name name;
        int64_t scale;
    } groups[] = {
        {"gpu_free", FACT_gpu_free, 1}, {"gpu_free__GiB", FACT_gpu_free, GIB},
        {"gpu_free__MiB", FACT_gpu_free, 1 << 20},
        {"host_rss__KiB", FACT_host_rss, 1024},
        {"host_rss__B", FACT_host_rss, 1},
        {"host_rss__GB", FACT_host_rss, 1000000000},
        {"host_rss__MB", FACT_host_rss, 1000000},
        {"host_rss__kB", FACT_host_rss, 1000},
        {"host_virtual__pages", FACT_host_virtual, 4096},
        {"gpu_memory_utilization__pct", FACT_gpu_memory_utilization, 10000},
        {"kv_tokens__k", FACT_kv_tokens, 1000},
        {"preemption_count__k", FACT_preemption_count, 1000},
        {"model", FACT_model, 1}};
    static const char *const wrong[] = {
        "gpu_fre", "gpu_free__", "gpu_free__Gib", "gpu_free__pct",
        "gpu_free__k", "kv_tokens__GiB", "model__GiB", "enforce_eager__k",
        "gpu_memory_utilization__k", "__GiB", ""};
    enum fact_name name = FACT_pid;
    int64_t scale = 77;
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_false(fact_of_group(str_of(wrong[i]), &name, &scale));
    }
    assert_int_equal(name, FACT_pid);
    assert_int_equal(scale, 77);
    for (size_t i = 0; i < COUNT(groups); i++) {
        assert_true(fact_of_group(str_of(groups[i].group), &name, &scale));
        assert_int_equal(name, groups[i].name);
        assert_int_equal(scale, groups[i].scale);
    }
}

static void bytes_carry_their_unit_or_the_group_does(void **state) {
    (void)state;
    expect_number(FACT_gpu_free, "2.00 GiB", 2 * GIB);
    expect_number(FACT_tried_alloc, "512 bytes", 512);
    expect_number(FACT_swap_space, "'4GiB'", 4 * GIB);
    struct fact fact = read_scaled(FACT_gpu_free, "23.69", GIB);
    assert_int_equal(fact.number, INT64_C(25436943811));
    assert_true(fact.ranged);
    assert_true(fact.low < fact.number && fact.number < fact.high);
    assert_true(fact.low > 23 * GIB && fact.high < 24 * GIB);
    expect_unknown(FACT_gpu_free, "N/A");
    expect_unknown(FACT_gpu_free, "None");
    expect_unknown(FACT_gpu_free, "17179869184.00 GiB");
    expect_unknown(FACT_gpu_free, "2 parsecs");
}

static void tokens_read_as_vllm_reads_them(void **state) {
    (void)state;
    expect_number(FACT_max_model_len, "32768", 32768);
    expect_number(FACT_max_model_len, "83,392", 83392);
    expect_number(FACT_max_model_len, "32k", 32000);
    expect_number(FACT_max_model_len, "32K", 32768);
    expect_number(FACT_max_model_len, "25.6k", 25600);
    expect_number(FACT_max_model_len, "1.5M", 1572864);
    expect_number(FACT_max_model_len, "1m", 1000000);
    assert_false(read_plain(FACT_max_model_len, "32k").ranged);
    assert_false(read_plain(FACT_max_model_len, "32768").ranged);
    assert_int_equal(read_scaled(FACT_kv_tokens, "83.4", 1000).number, 83400);
    expect_unknown(FACT_max_model_len, "2 GiB");
    expect_unknown(FACT_max_model_len, "3.5");
    expect_unknown(FACT_max_model_len, "None");
    expect_unknown(FACT_max_model_len, "auto");
    expect_unknown(FACT_gpu_count, "32k");
    expect_unknown(FACT_gpu_count, "1 MiB");
    expect_number(FACT_exit_code, "-9", -9);
}

static void ratios_are_millionths(void **state) {
    (void)state;
    expect_number(FACT_gpu_memory_utilization, "0.95", 950000);
    expect_number(FACT_gpu_memory_utilization, "95%", 950000);
    expect_number(FACT_max_concurrency, "3.20x", 3200000);
    struct fact fact = read_plain(FACT_gpu_memory_utilization, "0.95");
    assert_int_equal(fact.low, 945000);
    assert_int_equal(fact.high, 955000);
    assert_int_equal(
        read_scaled(FACT_gpu_memory_utilization, "95", 10000).number, 950000);
    expect_unknown(FACT_gpu_memory_utilization, "high");
}

static void truth_text_and_versions(void **state) {
    (void)state;
    expect_number(FACT_enforce_eager, "True", 1);
    expect_number(FACT_enforce_eager, "false", 0);
    expect_number(FACT_enforce_eager, "1", 1);
    expect_number(FACT_enforce_eager, "no", 0);
    expect_unknown(FACT_enforce_eager, "None");
    expect_unknown(FACT_enforce_eager, "2");
    expect_word(FACT_model, " 'Qwen/Qwen2.5-7B' ", "Qwen/Qwen2.5-7B");
    expect_word(FACT_model, "\"a b\"", "a b");
    expect_unknown(FACT_quantization, "None");
    expect_unknown(FACT_model, "''");
    expect_word(FACT_engine_version, "v0.9.1", "0.9.1");
    expect_word(FACT_torch_version, "2.6.0+cu124", "2.6.0+cu124");
    expect_unknown(FACT_engine_version, "dev");
}

static void lists_give_first_and_last_known(void **state) {
    struct fact facts[] = {
        {.name = FACT_gpu_free, .known = false},
        {.name = FACT_gpu_free, .known = true, .number = 1},
        {.name = FACT_gpu_total, .known = true, .number = 9},
        {.name = FACT_gpu_free, .known = true, .number = 2},
        {.name = FACT_gpu_free, .known = false}};
    struct fact_list list = {facts, COUNT(facts), COUNT(facts)};
    (void)state;
    assert_int_equal(facts_first(&list, FACT_gpu_free)->number, 1);
    assert_int_equal(facts_last(&list, FACT_gpu_free)->number, 2);
    assert_null(facts_last(&list, FACT_pid));
    assert_null(facts_first(&list, FACT_pid));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_spellings_agree),
        cmocka_unit_test(words_and_spellings_agree),
        cmocka_unit_test(groups_stand_for_facts),
        cmocka_unit_test(bytes_carry_their_unit_or_the_group_does),
        cmocka_unit_test(tokens_read_as_vllm_reads_them),
        cmocka_unit_test(ratios_are_millionths),
        cmocka_unit_test(truth_text_and_versions),
        cmocka_unit_test(lists_give_first_and_last_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
