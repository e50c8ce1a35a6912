/* test_places.c: another kernel, a larger pool, another device, fewer jobs;
 * and settings whose own size the log leaves out. */
#include "memory/cases.h"

#include "memory/effect.h"

#define MIB (INT64_C(1) << 20)

static void assert_condition(const struct estimate *e, const char *key,
                             const char *argument) {
    assert_int_equal(e->verdict, VERDICT_MAY_BE_ENOUGH);
    assert_non_null(e->condition.key);
    assert_string_equal(e->condition.key, key);
    assert_true(e->condition.count > 0);
    if (!str_eq(e->condition.arg[0], str_of(argument)))
        fail_msg("\"%.*s\" is not \"%s\"", STR_ARG(e->condition.arg[0]),
                 argument);
}

static void a_kernel_may_take_what_a_block_has(void **state) {
    struct inputs c =
        case_of(NULL, NULL, SAID({FACT_smem_required, "163840"},
                                 {FACT_smem_limit, "101376"}));
    struct estimate e = memory_effect(*state, &c, SHORT_UNKNOWN, EFFECT_kernel);
    assert_condition(&e, "verdict.if.kernel", "99 KiB");
    assert_int_equal(e.short_by.low, 163840 - 101376);
    e = memory_effect(*state, &c, SHORT_UNKNOWN, EFFECT_kernel_tile);
    assert_condition(&e, "verdict.if.tile", "1/2");
    assert_int_equal(e.after.high, 81920);
    say(&c, FACT_smem_limit, "49152", SOURCE_LOG);
    e = memory_effect(*state, &c, SHORT_UNKNOWN, EFFECT_kernel_tile);
    assert_condition(&e, "verdict.if.tile", "1/4"); /* a half is 81,920 */
    c.in[FACT_smem_limit].known = false;
    e = memory_effect(*state, &c, SHORT_UNKNOWN, EFFECT_kernel);
    assert_int_equal(e.verdict, VERDICT_UNKNOWN);
    assert_int_equal(e.needs.at[0], FACT_smem_limit);
}

static void all_of_a_program_moves(void **state) {
    struct inputs c =
        case_of(NULL, NULL, SAID({FACT_tried_alloc, "1048576"},
                                 {FACT_pytorch_allocated, "7340032"},
                                 {FACT_pytorch_reserved, "8388608"},
                                 {FACT_gpu_free, "524288"}));
    struct estimate e =
        memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_other_device);
    assert_condition(&e, "verdict.if.device", "9 MiB");
    assert_int_equal(e.after.high, 9 * MIB);
}

static void each_job_takes_what_the_victim_held(void **state) {
    struct inputs c = case_of(NULL, NULL,
                                   SAID({FACT_victim_rss, "7516192768"},
                                        {FACT_build_jobs, "6"}));
    struct estimate e =
        memory_effect(*state, &c, SHORT_HOST, EFFECT_build_jobs);
    assert_condition(&e, "verdict.if.jobs", "7 GiB");
    assert_int_equal(e.proposed.number, 3); /* a half, without more */
    say(&c, FACT_host_free, "16 GiB", SOURCE_USER);
    e = memory_effect(*state, &c, SHORT_HOST, EFFECT_build_jobs);
    assert_int_equal(e.proposed.number, 2);
    say(&c, FACT_host_free, "2 GiB", SOURCE_USER);
    e = memory_effect(*state, &c, SHORT_HOST, EFFECT_build_jobs);
    assert_int_equal(e.proposed.number, 1); /* the least */
}

/* 40 - 30 - 4: what was asked was more than 6 GiB. */
static void a_limit_less_what_counts_against_it(void **state) {
    struct inputs c =
        case_of(NULL, NULL, SAID({FACT_device_kind, "mps"},
                                 {FACT_memory_limit, "42949672960"},
                                 {FACT_pytorch_allocated, "32212254720"},
                                 {FACT_outside_framework, "4294967296"}));
    struct estimate e =
        memory_effect(*state, &c, SHORT_UNKNOWN, EFFECT_step_size);
    assert_condition(&e, "verdict.if.at_most", "6 GiB");
    c.in[FACT_device_kind] = propose_word(FACT_device_kind, STR("cuda"));
    e = memory_effect(*state, &c, SHORT_UNKNOWN, EFFECT_step_size);
    assert_int_equal(e.verdict, VERDICT_NONE);
}

/* No context is printed, the cache and the limit of the GPU are. */
static void cache_and_buffer_shrink_together(void **state) {
    struct inputs c =
        case_of(NULL, NULL, SAID({FACT_tried_alloc, "8589934592"},
                                 {FACT_kv_bytes, "34359738368"},
                                 {FACT_alloc_limit, "17179869184"},
                                 {FACT_stage, "profile"}));
    c.engine = STR("llama.cpp");
    struct estimate e =
        memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_context_length);
    assert_condition(&e, "verdict.if.start", "1/4"); /* 40 / 4 = 10 of 16 */
    c.in[FACT_alloc_limit].known = false;
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_context_length);
    assert_int_equal(e.verdict, VERDICT_UNKNOWN);
}

static void a_prefill_without_bytes_is_halved_as_a_trial(void **state) {
    struct inputs c =
        case_of(NULL, NULL, SAID({FACT_tried_tokens, "4096"}));
    c.engine = STR("tgi");
    struct estimate e = memory_effect(*state, &c, SHORT_TOKENS,
                                      EFFECT_max_num_batched_tokens);
    assert_condition(&e, "verdict.if.trial", "2,048");
    assert_int_equal(e.proposed.number, 2048);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_ARENA(a_kernel_may_take_what_a_block_has),
        WITH_ARENA(all_of_a_program_moves),
        WITH_ARENA(each_job_takes_what_the_victim_held),
        WITH_ARENA(a_limit_less_what_counts_against_it),
        WITH_ARENA(cache_and_buffer_shrink_together),
        WITH_ARENA(a_prefill_without_bytes_is_halved_as_a_trial),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
