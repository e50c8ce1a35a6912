/* test_verdicts.c: what a verdict rests on. The numbers are those of failures
 * as people report them: a small KV pool in a pod, a training step, a VAE, a
 * compute buffer, a container's limit, a refused graph. */
#include "memory/cases.h"

#include "memory/effect.h"
#include "memory/amount.h"

#define MIB (INT64_C(1) << 20)

MODEL(qwen25_3b, FULL(36, 2, 128));
MODEL(llama_8b, FULL(32, 8, 128));
static struct kv_group phi4_mini_groups[] = {FULL(32, 8, 128)};
static const struct model phi4_mini = {.id = {"phi4_mini", 9},
                                       .dtype = {"bfloat16", 8},
                                       .layers = 32,
                                       .heads = 24,
                                       .hidden_size = 3072,
                                       .vocab_size = 200064,
                                       .params = INT64_C(3836021760),
                                       .groups = phi4_mini_groups,
                                       .group_count = 1};

static void assert_condition(const struct estimate *e, const char *key) {
    assert_int_equal(e->verdict, VERDICT_MAY_BE_ENOUGH);
    assert_non_null(e->condition.key);
    assert_string_equal(e->condition.key, key);
}

static void assert_argument(const struct estimate *e, size_t i,
                            const char *text) {
    assert_true(i < e->condition.count);
    if (!str_eq(e->condition.arg[i], str_of(text)))
        fail_msg("\"%.*s\" is not \"%s\"", STR_ARG(e->condition.arg[i]), text);
}

/* ---- a pool in a pod ---- */

static struct inputs small_pool(void) {
    return case_of(NULL, &qwen25_3b,
                   SAID({FACT_max_model_len, "32000"},
                        {FACT_kv_needed, "1.1 GiB"},
                        {FACT_kv_available, "0.59 GiB"},
                        {FACT_gpu_memory_utilization, "0.75"},
                        {FACT_gpu_total, "8.2 GB"}, {FACT_block_size, "16"},
                        {FACT_stage, "kv_alloc"}));
}

static void the_length_is_what_the_pool_surely_holds(void **state) {
    struct inputs c = small_pool();
    struct estimate e =
        memory_effect(*state, &c, SHORT_KV_POOL, EFFECT_max_model_len);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.proposed.number, 17008); /* less a block */
    assert_int_equal(e.after.high, 17008 * 36 * KIB);
    assert_int_equal(e.capacity_micro, 531500); /* of 32,000 */
    assert_int_equal(e.share_micro, SHARE_NONE);
}

static void a_share_is_raised_by_what_is_missing(void **state) {
    struct inputs c = small_pool();
    struct estimate e = memory_effect(*state, &c, SHORT_KV_POOL,
                                      EFFECT_gpu_memory_utilization_up);
    assert_int_equal(e.proposed.number, 820000);
    assert_condition(&e, "verdict.if.free_at_start");
    e = memory_effect(*state, &c, SHORT_KV_POOL, EFFECT_kv_cache_dtype);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.after.high, 32000 * 18 * KIB); /* 562.5 MiB */
}

/* 0.90 is nobody's word: 0.07 more is, on what is known. */
static void a_default_is_a_condition(void **state) {
    struct inputs c = small_pool();
    say(&c, FACT_gpu_free, "7.50 GiB", SOURCE_LOG);
    struct estimate e = memory_effect(*state, &c, SHORT_KV_POOL,
                                      EFFECT_gpu_memory_utilization_up);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    c.in[FACT_gpu_memory_utilization].source = SOURCE_DEFAULT;
    e = memory_effect(*state, &c, SHORT_KV_POOL,
                      EFFECT_gpu_memory_utilization_up);
    assert_condition(&e, "verdict.if.more_share"); /* a default is no fact */
    assert_argument(&e, 0, "0.07");
    c.in[FACT_gpu_memory_utilization].known = false;
    e = memory_effect(*state, &c, SHORT_KV_POOL,
                      EFFECT_gpu_memory_utilization_up);
    assert_condition(&e, "verdict.if.more_share");
    assert_argument(&e, 0, "0.07");
}

/* The printed need is that of one rank: no default of ranks is in it. */
static void what_the_log_contradicts_is_no_doubt(void **state) {
    struct inputs c = small_pool();
    assert_false(c.in[FACT_tensor_parallel].known);
    struct estimate e =
        memory_effect(*state, &c, SHORT_KV_POOL, EFFECT_max_model_len);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    c.in[FACT_kv_needed].known = false;
    e = memory_effect(*state, &c, SHORT_KV_POOL, EFFECT_kv_cache_dtype);
    assert_int_not_equal(e.verdict, VERDICT_NOT_ENOUGH);
}

static void a_negative_pool_lacks_its_amount_first(void **state) {
    struct inputs c = case_of("0.11.0", NULL,
                                   SAID({FACT_kv_available, "-2.16 GiB"}));
    struct estimate e = memory_effect(*state, &c, SHORT_KV_POOL,
                                      EFFECT_gpu_memory_utilization_up);
    assert_condition(&e, "verdict.if.negative_step");
    assert_argument(&e, 0, "2.17 GiB"); /* at the worst */
    assert_argument(&e, 1, "0.03");
    assert_int_equal(e.needs.at[e.needs.count - 1], FACT_model);
}

/* ---- a step of any program ---- */

static struct inputs training_step(void) {
    struct inputs c =
        case_of(NULL, NULL,
                SAID({FACT_tried_alloc, "106.38 MiB"},
                     {FACT_gpu_total, "11.91 GiB"},
                     {FACT_pytorch_allocated, "10.26 GiB"},
                     {FACT_gpu_free, "53.06 MiB"},
                     {FACT_pytorch_unallocated, "56.48 MiB"},
                     {FACT_oom_words, "cached"}));
    c.engine = STR("pytorch");
    return c;
}

static void half_a_batch_is_enough_if_it_grows(void **state) {
    struct inputs c = training_step();
    struct estimate e =
        memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_batch_size);
    assert_condition(&e, "verdict.if.grows");
    assert_argument(&e, 0, "1/2");
    assert_argument(&e, 1, "53.3 MiB"); /* half of what grows has to be that */
    assert_argument(&e, 2, "10.26 GiB");
    assert_in_range(e.share_micro, 985000, 995000);
    assert_false(e.proposed.known);
    say(&c, FACT_batch_size, "32", SOURCE_LOG);
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_batch_size);
    assert_int_equal(e.proposed.number, 16);
    assert_condition(&e, "verdict.if.grows_at");
    assert_argument(&e, 0, "16");
    say(&c, FACT_batch_size, "1", SOURCE_LOG);
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_batch_size);
    assert_int_equal(e.verdict, VERDICT_NONE); /* there is no half sample */
    say(&c, FACT_num_frames, "129", SOURCE_LOG);
    say(&c, FACT_task, "train", SOURCE_LOG); /* there only the batch */
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_batch_size);
    assert_int_equal(e.verdict, VERDICT_NONE);
    say(&c, FACT_task, "infer", SOURCE_LOG);
    say(&c, FACT_stage, "forward", SOURCE_LOG);
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_batch_size);
    assert_int_equal(e.proposed.name, FACT_num_frames);
    assert_int_equal(e.proposed.number % 4, 1);
    say(&c, FACT_num_frames, "1", SOURCE_LOG);
    say(&c, FACT_image_side, "512", SOURCE_LOG);
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_seq_len);
    assert_int_equal(e.proposed.name, FACT_image_side);
    assert_int_equal(e.proposed.number, 416); /* 416 x 416 is 66 % */
}

static void others_have_to_give_back_what_is_missing(void **state) {
    struct inputs c = training_step();
    struct estimate e = memory_effect(*state, &c, SHORT_ALLOCATION,
                                      EFFECT_free_other_process);
    assert_condition(&e, "verdict.if.freed");
    assert_argument(&e, 0, "53.3 MiB");
    say(&c, FACT_pytorch_allocated, "11.85 GiB", SOURCE_LOG);
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_free_other_process);
    assert_int_equal(e.verdict, VERDICT_NOT_ENOUGH); /* nobody else is there */
}

/* 53 MiB of 10 GiB every fix frees, and nearly all of it none. */
static void a_trifle_is_no_condition_to_read(void **state) {
    struct inputs c = training_step();
    struct estimate e =
        memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_batch_size);
    assert_true(e.is_trifle);
    say(&c, FACT_tried_alloc, "1.20 GiB", SOURCE_LOG);
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_batch_size);
    assert_condition(&e, "verdict.if.grows");
    assert_false(e.is_trifle);
}

static void few_others_do_not_empty_a_full_gpu(void **state) {
    struct inputs c =
        case_of(NULL, NULL,
                SAID({FACT_tried_alloc, "180.00 MiB"},
                     {FACT_gpu_total, "23.53 GiB"},
                     {FACT_gpu_free, "81.00 MiB"},
                     {FACT_process_in_use, "22.39 GiB"},
                     {FACT_pytorch_allocated, "21.58 GiB"},
                     {FACT_pytorch_unallocated, "350.11 MiB"},
                     {FACT_other_in_use, "1.03 GiB"}));
    c.engine = STR("pytorch");
    struct estimate e = memory_effect(*state, &c, SHORT_ALLOCATION,
                                      EFFECT_free_other_process);
    assert_condition(&e, "verdict.if.last");
    assert_int_equal(e.share_micro, SHARE_NONE);
    say(&c, FACT_stage, "serve", SOURCE_LOG); /* its pool is meant to be full */
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_free_other_process);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
}

static void segments_are_younger_than_that_message(void **state) {
    struct inputs c = training_step();
    struct estimate e = memory_effect(*state, &c, SHORT_ALLOCATION,
                                      EFFECT_expandable_segments);
    assert_int_equal(e.verdict, VERDICT_NONE);
    say(&c, FACT_oom_words, "capacity", SOURCE_LOG);
    e = memory_effect(*state, &c, SHORT_ALLOCATION,
                      EFFECT_expandable_segments);
    assert_condition(&e, "verdict.if.one_block");
}

static void a_large_request_has_to_shrink_itself(void **state) {
    struct inputs c = case_of(NULL, NULL,
                                   SAID({FACT_tried_alloc, "19.68 GiB"},
                                        {FACT_gpu_total, "23.68 GiB"},
                                        {FACT_gpu_free, "5.20 GiB"}));
    c.engine = STR("pytorch");
    struct estimate e =
        memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_batch_size);
    assert_condition(&e, "verdict.if.scales");
    assert_argument(&e, 0, "1/4");
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_chunk);
    assert_condition(&e, "verdict.if.pieces");
    assert_argument(&e, 0, "4");
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_bigger_gpu);
    assert_condition(&e, "verdict.if.gpu_of");
    assert_argument(&e, 0, "38.2 GiB");
}

/* Where nobody says what is free, a piece is held against the whole GPU. */
static void pieces_fit_the_gpu_at_least(void **state) {
    struct inputs c = case_of(NULL, NULL,
                                   SAID({FACT_tried_alloc, "90.00 GiB"},
                                        {FACT_gpu_total, "23.68 GiB"}));
    c.engine = STR("pytorch");
    struct estimate e =
        memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_chunk);
    assert_condition(&e, "verdict.if.pieces");
    assert_argument(&e, 0, "4");
}

static void a_tile_of_a_vae_is_half_a_gib(void **state) {
    struct inputs c = case_of(NULL, NULL,
                                   SAID({FACT_tried_alloc, "2.25 GiB"},
                                        {FACT_gpu_total, "15.98 GiB"},
                                        {FACT_gpu_free, "1.09 GiB"},
                                        {FACT_pytorch_allocated, "13.80 GiB"},
                                        {FACT_pytorch_unallocated,
                                         "615.21 MiB"}));
    c.engine = STR("pytorch");
    struct estimate e =
        memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_vae_tiles);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.after.high, 512 * MIB);
    e = memory_effect(*state, &c, SHORT_ALLOCATION,
                      EFFECT_expandable_segments);
    assert_int_equal(e.verdict, VERDICT_NOT_ENOUGH); /* 1.69 < 2.25 */
}

/* Recomputing leaves a row per layer at most: that is no proof of nothing. */
static void checkpoints_are_not_ruled_out_by_a_shape(void **state) {
    struct inputs c = case_of(
        NULL, &llama_8b,
        SAID({FACT_stage, "backward"}, {FACT_tried_alloc, "1.96 GiB"},
             {FACT_gpu_free, "1.20 GiB"}, {FACT_gpu_total, "79.14 GiB"},
             {FACT_pytorch_allocated, "75.10 GiB"}, {FACT_gpu_count, "8"},
             {FACT_zero_stage, "2"}, {FACT_batch_size, "64"},
             {FACT_seq_len, "65536"}));
    c.engine = STR("transformers");
    struct estimate e = memory_effect(*state, &c, SHORT_ALLOCATION,
                                      EFFECT_gradient_checkpointing);
    assert_int_not_equal(e.verdict, VERDICT_NOT_ENOUGH);
}

/* ---- a graph that was refused ---- */

static void a_fraction_is_lowered_by_the_difference(void **state) {
    struct inputs c = case_of(
        NULL, NULL,
        SAID({FACT_tried_alloc, "672.00 MiB"}, {FACT_gpu_free, "200.75 MiB"},
             {FACT_gpu_total, "140.06 GiB"}, {FACT_stage, "serve"}));
    c.engine = STR("sglang");
    struct estimate e = memory_effect(*state, &c, SHORT_ALLOCATION,
                                      EFFECT_mem_fraction_static_down);
    assert_condition(&e, "verdict.if.less_share");
    assert_argument(&e, 0, "0.01");
    assert_argument(&e, 1, "1.39 GiB"); /* of the card less its context */
}

/* While they load: what is above the GPU goes, and a fifth of it besides. */
static void weights_above_the_gpu_go_to_the_host(void **state) {
    struct inputs c = case_of(
        NULL, NULL,
        SAID({FACT_tried_alloc, "270.00 MiB"}, {FACT_gpu_free, "150.00 MiB"},
             {FACT_gpu_total, "23.64 GiB"}, {FACT_stage, "load"},
             {FACT_pytorch_allocated, "23.03 GiB"},
             {FACT_weights_bytes, "27.50 GiB"}));
    c.engine = STR("vllm");
    struct estimate e = memory_effect(*state, &c, SHORT_ALLOCATION,
                                      EFFECT_cpu_offload);
    assert_condition(&e, "verdict.if.offload");
    assert_int_equal(e.proposed.number, 9 * GIB);
    c.engine = STR("sglang"); /* weights are divided alike */
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_tensor_parallel);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.proposed.number, 2);
}

/* Of a setting that one item has to fit into: as much as the item takes. */
static void a_limit_in_tokens_is_raised_to_the_item(void **state) {
    struct inputs c = case_of(NULL, NULL,
                              SAID({FACT_tried_tokens, "16384"},
                                   {FACT_available_tokens, "4096"}));
    c.engine = STR("vllm");
    struct estimate e =
        memory_effect(*state, &c, SHORT_TOKENS, EFFECT_raise_limit);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.limit.high, 16384);
    c = case_of(NULL, NULL, SAID({FACT_available_tokens, "4096"}));
    e = memory_effect(*state, &c, SHORT_TOKENS, EFFECT_raise_limit);
    assert_int_not_equal(e.verdict, VERDICT_ENOUGH);
}

/* ---- llama.cpp ---- */

static struct inputs compute_buffer(void) {
    struct inputs c =
        case_of(NULL, &phi4_mini,
                SAID({FACT_tried_alloc, "7277119488 bytes"},
                     {FACT_context_length, "131072"},
                     {FACT_max_num_batched_tokens, "512"},
                     {FACT_flash_attention, "0"}, {FACT_stage, "profile"}));
    c.engine = STR("llama.cpp");
    return c;
}

static void scores_go_or_shrink(void **state) {
    struct inputs c = compute_buffer();
    struct estimate e =
        memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_flash_attention);
    assert_condition(&e, "verdict.if.scores_go");
    assert_argument(&e, 1, "796 MiB");
    assert_argument(&e, 0, "6 GiB");
    e = memory_effect(*state, &c, SHORT_ALLOCATION,
                      EFFECT_max_num_batched_tokens);
    assert_int_equal(e.proposed.number, 64);
    assert_condition(&e, "verdict.if.free"); /* 768 + 796 */
    assert_argument(&e, 0, "1.53 GiB");
    c.in[FACT_gpu_free].known = false;
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_context_length);
    assert_int_equal(e.proposed.number, 65536);
    assert_int_equal(e.capacity_micro, 500000);
    assert_between(e.after, 3072 * MIB, (3072 + 797) * MIB);
}

/* ---- limits ---- */

static void a_kill_without_a_peak_is_not_computed(void **state) {
    struct inputs c =
        case_of(NULL, NULL, SAID({FACT_memory_limit, "25 MiB"}));
    struct estimate e =
        memory_effect(*state, &c, SHORT_HOST, EFFECT_host_memory);
    assert_int_equal(e.verdict, VERDICT_UNKNOWN);
    assert_int_equal(e.needs.at[0], FACT_host_rss);
    assert_int_equal(e.proposed.number, 50 * MIB); /* a trial */
}

static void a_refusal_on_the_host_says_what_it_wants(void **state) {
    struct inputs c =
        case_of(NULL, NULL, SAID({FACT_requested_bytes, "273 GiB"},
                                 {FACT_host_free, "120 GiB"}));
    struct estimate e =
        memory_effect(*state, &c, SHORT_HOST, EFFECT_host_memory);
    assert_condition(&e, "verdict.if.more_host");
}

static void wired_memory_is_what_a_mac_has(void **state) {
    struct inputs c = case_of(NULL, NULL,
                                   SAID({FACT_tried_alloc, "92.00 GiB"},
                                        {FACT_alloc_limit, "80.64 GiB"}));
    c.engine = STR("mlx");
    struct estimate e =
        memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_wired_limit);
    assert_condition(&e, "verdict.if.mac");
    say(&c, FACT_host_total, "128 GiB", SOURCE_USER);
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_wired_limit);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    say(&c, FACT_host_total, "96 GiB", SOURCE_USER);
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_wired_limit);
    assert_int_equal(e.verdict, VERDICT_MAY_BE_ENOUGH);
}

static void shared_memory_grows_to_a_power_of_two(void **state) {
    struct inputs c =
        case_of(NULL, NULL, SAID({FACT_shm_limit, "64 MiB"},
                                 {FACT_shm_requested, "33 MiB"}));
    struct estimate e =
        memory_effect(*state, &c, SHORT_UNKNOWN, EFFECT_shm_size);
    assert_condition(&e, "verdict.if.shm");
    assert_int_equal(e.proposed.number, 128 * MIB);
}

static void a_refused_prefill_fits_in_part(void **state) {
    struct inputs c =
        case_of(NULL, NULL, SAID({FACT_tried_tokens, "4096"},
                                 {FACT_pool_needed, "48 MiB"},
                                 {FACT_pool_available, "45 MiB"}));
    c.engine = STR("tgi");
    struct estimate e = memory_effect(*state, &c, SHORT_TOKENS,
                                      EFFECT_max_num_batched_tokens);
    assert_int_equal(e.proposed.number, 3840);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_ARENA(the_length_is_what_the_pool_surely_holds),
        WITH_ARENA(a_share_is_raised_by_what_is_missing),
        WITH_ARENA(a_default_is_a_condition),
        WITH_ARENA(what_the_log_contradicts_is_no_doubt),
        WITH_ARENA(a_negative_pool_lacks_its_amount_first),
        WITH_ARENA(half_a_batch_is_enough_if_it_grows),
        WITH_ARENA(others_have_to_give_back_what_is_missing),
        WITH_ARENA(a_trifle_is_no_condition_to_read),
        WITH_ARENA(few_others_do_not_empty_a_full_gpu),
        WITH_ARENA(segments_are_younger_than_that_message),
        WITH_ARENA(a_large_request_has_to_shrink_itself),
        WITH_ARENA(pieces_fit_the_gpu_at_least),
        WITH_ARENA(a_tile_of_a_vae_is_half_a_gib),
        WITH_ARENA(checkpoints_are_not_ruled_out_by_a_shape),
        WITH_ARENA(a_fraction_is_lowered_by_the_difference),
        WITH_ARENA(a_limit_in_tokens_is_raised_to_the_item),
        WITH_ARENA(weights_above_the_gpu_go_to_the_host),
        WITH_ARENA(scores_go_or_shrink),
        WITH_ARENA(a_kill_without_a_peak_is_not_computed),
        WITH_ARENA(a_refusal_on_the_host_says_what_it_wants),
        WITH_ARENA(wired_memory_is_what_a_mac_has),
        WITH_ARENA(shared_memory_grows_to_a_power_of_two),
        WITH_ARENA(a_refused_prefill_fits_in_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
