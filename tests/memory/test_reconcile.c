/* test_reconcile.c: a model held against what a log prints. */
#include "memory/cases.h"

MODEL(llama, FULL(32, 8, 128)); /* 128 KiB a token */
MODEL(small, FULL(28, 4, 128)); /* 56 KiB */
MODEL(windowed, SLIDING(40, 8, 256, 1024), FULL(8, 8, 256));

static struct inputs need_of(const struct model *m, const char *need) {
    return case_of("0.11.0", m, SAID({FACT_max_model_len, "131072"},
                                     {FACT_max_num_batched_tokens, "2048"},
                                     {FACT_kv_needed, need}));
}

static void two_settings_may_explain_together(void **state) {
    struct inputs c = need_of(&llama, "2.00 GiB");
    say(&c, FACT_pipeline_parallel, "1", SOURCE_LOG);
    struct reconciliation r = memory_reconcile(*state, &c);
    assert_int_equal(r.outcome, RECONCILE_EXPLAINED);
    assert_int_equal(r.setting_count, 1); /* TP 8 alone does */
    assert_int_equal(r.setting[0].name, FACT_tensor_parallel);
    c = need_of(&llama, "1.00 GiB");
    r = memory_reconcile(*state, &c);
    assert_int_equal(r.outcome, RECONCILE_EXPLAINED);
    assert_int_equal(r.setting_count, 2); /* more ranks than heads: and fp8 */
    assert_true(str_eq(r.setting[0].word, STR("fp8")));
    assert_int_equal(r.setting[1].number, 8);
}

static void what_is_said_is_not_doubted(void **state) {
    struct inputs c = need_of(&llama, "8.00 GiB");
    say(&c, FACT_kv_cache_dtype, "bfloat16", SOURCE_LOG);
    struct reconciliation r = memory_reconcile(*state, &c);
    assert_int_equal(r.outcome, RECONCILE_EXPLAINED);
    assert_int_equal(r.setting[0].name, FACT_tensor_parallel);
    say(&c, FACT_tensor_parallel, "1", SOURCE_LOG);
    say(&c, FACT_pipeline_parallel, "1", SOURCE_LOG);
    say(&c, FACT_decode_context_parallel, "1", SOURCE_LOG);
    r = memory_reconcile(*state, &c);
    assert_int_equal(r.outcome, RECONCILE_RESIDUAL);
    assert_holds(r.residual, -8 * GIB);
}

/* 48 layers x 131,072 x 8 KiB: no release cuts these windows by itself. */
static void windows_that_were_kept_whole(void **state) {
    struct inputs c = need_of(&windowed, "48.00 GiB");
    struct reconciliation r = memory_reconcile(*state, &c);
    assert_int_not_equal(r.outcome, RECONCILE_RESIDUAL);
}

/* "Available KV cache memory: 8.00 GiB", "GPU KV cache size: 65,536 tokens" */
static void a_pool_is_held_against_its_tokens(void **state) {
    struct inputs c = case_of("0.11.0", &llama,
                                   SAID({FACT_kv_available, "8.00 GiB"},
                                        {FACT_kv_tokens, "65536"}));
    struct reconciliation r = memory_reconcile(*state, &c);
    assert_int_equal(r.outcome, RECONCILE_AGREES);
    assert_int_equal(r.quantity, FACT_kv_tokens);
    assert_holds(r.per_token, 128 * KIB);
    say(&c, FACT_kv_tokens, "131072", SOURCE_LOG);
    r = memory_reconcile(*state, &c);
    assert_int_equal(r.outcome, RECONCILE_EXPLAINED);
    assert_int_equal(r.setting[0].name, FACT_kv_cache_dtype);
    say(&c, FACT_kv_tokens, "149792", SOURCE_LOG);
    r = memory_reconcile(*state, &c);
    assert_int_equal(r.outcome, RECONCILE_RESIDUAL);
}

static void a_forced_number_of_blocks_proves_nothing(void **state) {
    struct inputs c = case_of("0.11.0", &llama,
                                   SAID({FACT_kv_available, "8.00 GiB"},
                                        {FACT_kv_blocks, "100"},
                                        {FACT_num_gpu_blocks_override,
                                         "100"}));
    assert_int_equal(memory_reconcile(*state, &c).outcome, RECONCILE_UNKNOWN);
    assert_false(memory_can_check_model(&c));
}

static void a_model_is_told_by_the_numbers(void **state) {
    struct inputs c = case_of(NULL, NULL,
                                   SAID({FACT_max_model_len, "118000"},
                                        {FACT_kv_needed, "6.30 GiB"},
                                        {FACT_kv_available, "6.11 GiB"},
                                        {FACT_est_max_model_len, "114432"}));
    assert_true(memory_can_check_model(&c));
    struct reconciliation r = memory_reconcile(*state, &c);
    assert_int_equal(r.outcome, RECONCILE_UNKNOWN);
    assert_holds(r.per_token, 56 * KIB);
    c.model = &small;
    assert_true(memory_explains(*state, &c));
    c.model = &llama;
    assert_false(memory_explains(*state, &c));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_ARENA(two_settings_may_explain_together),
        WITH_ARENA(what_is_said_is_not_doubted),
        WITH_ARENA(windows_that_were_kept_whole),
        WITH_ARENA(a_pool_is_held_against_its_tokens),
        WITH_ARENA(a_forced_number_of_blocks_proves_nothing),
        WITH_ARENA(a_model_is_told_by_the_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
