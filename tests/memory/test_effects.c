/* test_effects.c: what a fix does to what failed: verdict, value to set, and
 * the numbers beside it, on starts as they are reported. */
#include "memory/cases.h"

MODEL(llama_8b, FULL(32, 8, 128));
MODEL(qwen25_7b, FULL(28, 4, 128));

static struct estimate effect_of(struct arena *a, struct inputs *c,
                                 enum shortage what, enum effect effect) {
    return memory_effect(a, c, what, effect);
}

static void assert_text(struct str s, const char *part) {
    if (str_find(s, str_of(part)) == s.n) {
        fail_msg("\"%.*s\" does not hold \"%s\"", STR_ARG(s), part);
    }
}

static void assert_condition(const struct estimate *e, const char *key) {
    assert_int_equal(e->verdict, VERDICT_MAY_BE_ENOUGH);
    assert_non_null(e->condition.key);
    assert_string_equal(e->condition.key, key);
}

/* ---- the KV pool is smaller than one request ---- */

static struct inputs hybrid_by_pairs(void) {
    return case_of(NULL, NULL,
                   SAID({FACT_max_model_len, "262144"},
                        {FACT_kv_needed, "18.35 GiB"},
                        {FACT_kv_available, "8.72 GiB"},
                        {FACT_est_max_model_len, "121840"}));
}

static void two_printed_pairs_give_slope_and_fixed(void **state) {
    struct inputs c = hybrid_by_pairs();
    struct formulas f = {0};
    struct kv kv = memory_kv(*state, &c, &f);
    assert_holds(kv.slope, 72 * KIB);
    assert_between(kv.slope, 71 * KIB, 73 * KIB);
    assert_holds(kv.fixed, 35 * GIB / 100);
    assert_between(kv.fixed, 30 * GIB / 100, 40 * GIB / 100);
    assert_true(f.count >= 2);
}

static void an_fp8_cache_halves_a_hybrid_and_is_not_enough(void **state) {
    struct inputs c = hybrid_by_pairs();
    say(&c, FACT_kv_cache_dtype, "auto", SOURCE_LOG);
    struct estimate e =
        effect_of(*state, &c, SHORT_KV_POOL, EFFECT_kv_cache_dtype);
    assert_int_equal(e.verdict, VERDICT_NOT_ENOUGH);
    assert_between(e.after, 915 * GIB / 100, 940 * GIB / 100);
    assert_int_equal(e.proposed.name, FACT_max_model_len);
    assert_in_range(e.proposed.number, 242000, 244000);
    assert_true(e.short_by.low > 0);
}

static void the_printed_estimate_is_the_longest(void **state) {
    struct inputs c = hybrid_by_pairs();
    struct estimate e =
        effect_of(*state, &c, SHORT_KV_POOL, EFFECT_max_model_len);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.proposed.number, 121840 - 16); /* the null block */
    assert_true(e.after.high <= e.limit.high);
}

static void a_need_alone_only_bounds_the_length(void **state) {
    struct inputs c = case_of(NULL, NULL,
                                   SAID({FACT_max_model_len, "262144"},
                                        {FACT_kv_needed, "18.35 GiB"},
                                        {FACT_kv_available, "8.72 GiB"}));
    struct estimate e =
        effect_of(*state, &c, SHORT_KV_POOL, EFFECT_max_model_len);
    assert_condition(&e, "verdict.if.proportional");
    assert_int_equal(e.needs.at[0], FACT_model);
    /* 262,144 x 8.715 / 18.355, whole blocks of any size */
    assert_int_equal(e.proposed.number, 124416);
    assert_false(e.after.known); /* "0 bytes to 24 GiB" says nothing */
    assert_text(e.formula, "max_model_len at most = 262,144 tokens x 8.72 GiB");
}

static void the_model_gives_the_length_where_none_is_printed(void **state) {
    struct inputs c = case_of("0.8.5", &qwen25_7b,
                                   SAID({FACT_max_model_len, "32768"},
                                        {FACT_kv_needed, "1.75 GiB"},
                                        {FACT_kv_available, "1.00 GiB"}));
    struct estimate e =
        effect_of(*state, &c, SHORT_KV_POOL, EFFECT_max_model_len);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_in_range(e.proposed.number, 18600, 18724);
    assert_int_equal(e.proposed.number % 16, 0);
}

static void v0_says_how_many_tokens_fit(void **state) {
    struct inputs c =
        case_of(NULL, NULL,
                SAID({FACT_max_model_len, "20000"}, {FACT_kv_tokens, "10944"}));
    struct estimate e =
        effect_of(*state, &c, SHORT_KV_POOL, EFFECT_max_model_len);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.quantity, FACT_max_model_len);
    assert_int_equal(e.proposed.number, 10944);
    say(&c, FACT_kv_cache_dtype, "auto", SOURCE_LOG);
    e = effect_of(*state, &c, SHORT_KV_POOL, EFFECT_kv_cache_dtype);
    assert_int_equal(e.verdict, VERDICT_ENOUGH); /* 21,888 */
}

static void no_pool_at_all_is_not_mended_by_a_shorter_length(void **state) {
    struct inputs c = case_of(
        "0.11.0", &llama_8b,
        SAID({FACT_max_model_len, "8192"}, {FACT_kv_available, "-1.44 GiB"}));
    struct estimate e =
        effect_of(*state, &c, SHORT_KV_POOL, EFFECT_max_model_len);
    assert_int_equal(e.verdict, VERDICT_NOT_ENOUGH);
    struct inputs bare = case_of(NULL, NULL, SAID_NOTHING);
    e = effect_of(*state, &bare, SHORT_KV_POOL, EFFECT_max_model_len);
    assert_int_equal(e.verdict, VERDICT_UNKNOWN); /* unknown is not 0 */
}

static struct inputs llm_scaler(void) {
    return case_of(NULL, NULL,
                   SAID({FACT_max_model_len, "118000"},
                        {FACT_kv_needed, "6.30 GiB"},
                        {FACT_kv_available, "6.11 GiB"},
                        {FACT_est_max_model_len, "114432"}));
}

/* Weights and pool in that share are so much of the card, or less. */
static void a_share_that_is_said_bounds_the_card(void **state) {
    struct inputs c = case_of(NULL, NULL,
                              SAID({FACT_kv_needed, "5.62 GiB"},
                                   {FACT_kv_available, "3.86 GiB"},
                                   {FACT_weights_bytes, "15.27 GiB"},
                                   {FACT_gpu_memory_utilization, "0.85"}));
    struct estimate e =
        effect_of(*state, &c, SHORT_KV_POOL, EFFECT_gpu_memory_utilization_up);
    assert_condition(&e, "verdict.if.gpu_at_least");
    assert_text(e.condition.arg[1], "0.08");
    assert_int_equal(e.proposed.number, 930000);
    c = case_of(NULL, NULL,
                SAID({FACT_kv_needed, "16.00 GiB"},
                     {FACT_kv_available, "11.72 GiB"},
                     {FACT_weights_bytes, "9.11 GiB"},
                     {FACT_gpu_memory_utilization, "0.95"}));
    e = effect_of(*state, &c, SHORT_KV_POOL, EFFECT_gpu_memory_utilization_up);
    assert_condition(&e, "verdict.if.gpu_least"); /* 0.03 are 4.28 GiB */
    assert_false(e.proposed.known);
}

static void a_larger_share_needs_the_card(void **state) {
    struct inputs c = llm_scaler();
    struct estimate e =
        effect_of(*state, &c, SHORT_KV_POOL, EFFECT_gpu_memory_utilization_up);
    assert_condition(&e, "verdict.if.gpu_size");
    assert_text(e.condition.arg[0], "195 MiB");
    assert_text(e.condition.arg[1], "0.01");    /* of 80 GiB */
    assert_text(e.condition.arg[2], "0.01");    /* of 24 GiB */
    assert_int_equal(e.needs.count, 2);
    assert_text(e.formula, "6.30 GiB - 6.11 GiB");
    assert_false(e.proposed.known); /* a default is not raised */
}

static void a_command_raises_the_share_as_its_note_says(void **state) {
    struct inputs c = case_of(NULL, NULL,
                              SAID({FACT_kv_needed, "3.31 GiB"},
                                   {FACT_kv_available, "2.19 GiB"},
                                   {FACT_gpu_memory_utilization, "0.85"}));
    struct estimate e =
        effect_of(*state, &c, SHORT_KV_POOL, EFFECT_gpu_memory_utilization_up);
    assert_condition(&e, "verdict.if.gpu_size");
    assert_text(e.condition.arg[2], "0.05");    /* of 24 GiB */
    assert_int_equal(e.proposed.number, 900000);
    say(&c, FACT_kv_needed, "10.07 GiB", SOURCE_LOG);
    e = effect_of(*state, &c, SHORT_KV_POOL, EFFECT_gpu_memory_utilization_up);
    assert_condition(&e, "verdict.if.gpu_size_large");
    assert_text(e.condition.arg[1], "0.1");     /* of 80 GiB */
    assert_int_equal(e.proposed.number, 950000);
}

static void a_larger_share_is_the_least_that_holds_it(void **state) {
    struct inputs c = llm_scaler();
    say(&c, FACT_gpu_total, "23.91 GiB", SOURCE_USER);
    say(&c, FACT_gpu_memory_utilization, "0.9", SOURCE_USER);
    struct estimate e =
        effect_of(*state, &c, SHORT_KV_POOL, EFFECT_gpu_memory_utilization_up);
    assert_condition(&e, "verdict.if.free_at_start");
    assert_text(e.condition.arg[0], "21.8 GiB"); /* 0.91 x 23.91 */
    assert_int_equal(e.proposed.number, 910000);
    struct inputs empty = c;
    say(&empty, FACT_free_before_load, "23.5 GiB", SOURCE_LOG);
    e = effect_of(*state, &empty, SHORT_KV_POOL,
                  EFFECT_gpu_memory_utilization_up);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    say(&c, FACT_kv_needed, "9.30 GiB", SOURCE_USER);
    e = effect_of(*state, &c, SHORT_KV_POOL, EFFECT_gpu_memory_utilization_up);
    assert_int_equal(e.verdict, VERDICT_NOT_ENOUGH);
    assert_false(e.proposed.known);
}

/* 56 KiB where nothing is fixed, 72 KiB through two pairs. */
static void the_likeliest_slope_is_printed(void **state) {
    struct inputs c = llm_scaler();
    struct estimate e =
        effect_of(*state, &c, SHORT_KV_POOL, EFFECT_max_model_len);
    assert_text(e.formula, "x 56 KiB = about 6.11 GiB");
    assert_text(e.formula, "kv_per_token lies between = 52.9");
    c = hybrid_by_pairs();
    e = effect_of(*state, &c, SHORT_KV_POOL, EFFECT_max_model_len);
    assert_text(e.formula, "x 72 KiB = about 8.71 GiB");
    e = effect_of(*state, &c, SHORT_KV_POOL, EFFECT_kv_cache_dtype);
    assert_text(e.formula, "fp8 is enough up to max_model_len = 24");
}

static void an_unknown_card_is_told_by_its_size(void **state) {
    struct inputs c = llm_scaler();
    struct estimate e =
        effect_of(*state, &c, SHORT_KV_POOL, EFFECT_gpu_memory_utilization_up);
    assert_condition(&e, "verdict.if.gpu_size");
    assert_text(e.formula, "more = 195 MiB / 80 GiB = 0.01");
}

static void pairs_give_56_KiB_where_nothing_is_fixed(void **state) {
    struct inputs c = llm_scaler();
    struct kv kv = memory_kv(*state, &c, NULL);
    assert_holds(kv.slope, 57344);
    assert_int_equal(kv.fixed.low, 0);
}

static void more_ranks_share_weights_and_heads(void **state) {
    struct inputs c = case_of("0.11.0", &llama_8b,
                                   SAID({FACT_max_model_len, "131072"},
                                        {FACT_kv_needed, "16.00 GiB"},
                                        {FACT_kv_available, "5.20 GiB"},
                                        {FACT_est_max_model_len, "42592"}));
    struct estimate e =
        effect_of(*state, &c, SHORT_KV_POOL, EFFECT_tensor_parallel);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.proposed.number, 2); /* 8 of 5.2 + 7.4 GiB */
    assert_int_equal(e.after.high, 8 * GIB);
}

static void heads_are_copied_when_there_are_more_ranks(void **state) {
    MODEL(one_head, FULL(32, 1, 128));
    struct inputs c = case_of(
        "0.11.0", &one_head,
        SAID({FACT_max_model_len, "131072"}, {FACT_tensor_parallel, "4"}));
    struct kv kv = memory_kv(*state, &c, NULL);
    assert_int_equal(kv.slope.low, 2 * 32 * 128 * 2);
}

/* 30 of 24: from 0.18 on one group of 30 each, 6 layers of padding. */
static void groups_grow_with_the_release(void **state) {
    MODEL(close, FULL(24, 8, 128), SLIDING(30, 8, 128, 1024));
    static const struct {
        const char *version;
        int64_t block_bytes;
    } rows[] = {{"0.11.0", 24 * 65536},
                {"0.13.0", 24 * 65536},
                {"0.18.0", 30 * 65536},
                {"0.21.0", 30 * 65536}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct inputs c =
            case_of(rows[i].version, &close,
                    SAID({FACT_max_model_len, "32768"},
                         {FACT_max_num_batched_tokens, "8192"}));
        struct kv kv = memory_kv(*state, &c, NULL);
        assert_int_equal(kv.bytes_per_block.low, rows[i].block_bytes);
        assert_int_equal(kv.bytes_per_block.high, rows[i].block_bytes);
    }
}

static void narrower_weights_give_their_bytes_to_the_pool(void **state) {
    struct inputs c = case_of("0.11.0", &llama_8b,
                                   SAID({FACT_max_model_len, "65536"},
                                        {FACT_kv_needed, "8.00 GiB"},
                                        {FACT_kv_available, "5.20 GiB"}));
    struct estimate e =
        effect_of(*state, &c, SHORT_KV_POOL, EFFECT_quantization);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_true(str_eq(e.proposed.word, STR("fp8")));
    say(&c, FACT_kv_available, "1.00 GiB", SOURCE_LOG);
    e = effect_of(*state, &c, SHORT_KV_POOL, EFFECT_quantization);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_true(str_eq(e.proposed.word, STR("awq")));
    say(&c, FACT_quantization, "awq", SOURCE_LOG);
    e = effect_of(*state, &c, SHORT_KV_POOL, EFFECT_quantization);
    assert_int_equal(e.verdict, VERDICT_NONE);
}

static void fewer_sequences_do_not_touch_the_check(void **state) {
    struct inputs c = hybrid_by_pairs();
    assert_int_equal(
        effect_of(*state, &c, SHORT_KV_POOL, EFFECT_max_num_seqs).verdict,
        VERDICT_NONE);
}

static void a_state_block_for_each_sequence(void **state) {
    struct said said[] = {{FACT_max_num_seqs, "1024"},
                          {FACT_kv_blocks, "969"},
                          {FACT_stage, "capture"},
                          {FACT_engine, NULL}};
    struct inputs c = case_of("0.28.0", NULL, said);
    struct estimate e =
        effect_of(*state, &c, SHORT_KV_POOL, EFFECT_max_num_seqs);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.proposed.number, 969);
}

static void graphs_return_to_the_pool_from_0_20_on(void **state) {
    struct said said[] = {{FACT_max_model_len, "131072"},
                          {FACT_kv_needed, "16.0 GiB"},
                          {FACT_kv_available, "15.2 GiB"},
                          {FACT_cuda_graph_bytes, "1.20 GiB"},
                          {FACT_engine, NULL}};
    struct inputs old = case_of("0.19.1", NULL, said);
    struct inputs new = case_of("0.20.0", NULL, said);
    assert_int_equal(
        effect_of(*state, &old, SHORT_KV_POOL, EFFECT_enforce_eager).verdict,
        VERDICT_NONE);
    assert_int_equal(
        effect_of(*state, &new, SHORT_KV_POOL, EFFECT_enforce_eager).verdict,
        VERDICT_ENOUGH);
}

/* ---- less is free than asked for ---- */

static void the_largest_share_that_is_free(void **state) {
    struct inputs c = case_of(
        "0.9.1", &llama_8b,
        SAID({FACT_gpu_free, "31.44 GiB"}, {FACT_gpu_total, "47.38 GiB"},
             {FACT_gpu_memory_utilization, "0.95"},
             {FACT_requested_bytes, "45.01 GiB"}, {FACT_max_model_len, "1024"},
             {FACT_tensor_parallel, "2"}));
    struct estimate e = effect_of(*state, &c, SHORT_FREE_AT_START,
                                  EFFECT_gpu_memory_utilization_down);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.proposed.number, 660000);
    assert_text(e.formula, "0.66 x 47.38 GiB = 31.27 GiB <= 31.44 GiB free");
    assert_text(e.formula, "8,030,261,248 params x 2 bytes / 2 ranks");
    assert_text(e.formula, "one request = 1,024 tokens x 64 KiB");
    assert_text(e.formula, "= 64 MiB; spare = 31.27 GiB - about 7.48 GiB weights");
    e = effect_of(*state, &c, SHORT_FREE_AT_START, EFFECT_free_other_process);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_holds(e.short_by, 1357 * GIB / 100);
    e = effect_of(*state, &c, SHORT_FREE_AT_START, EFFECT_max_model_len);
    assert_int_equal(e.verdict, VERDICT_NONE);
    e = effect_of(*state, &c, SHORT_FREE_AT_START, EFFECT_quantization);
    assert_int_equal(e.verdict, VERDICT_NONE);
    struct budget b = memory_budget(*state, &c, NULL);
    assert_int_equal(b.count, 2);
}

static void printed_blocks_bound_the_length(void **state) {
    struct inputs c =
        case_of("0.4.2", NULL,
                SAID({FACT_kv_blocks, "410"}, {FACT_block_size, "16"},
                     {FACT_max_model_len, "8192"}));
    struct estimate e =
        effect_of(*state, &c, SHORT_KV_POOL, EFFECT_max_model_len);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.proposed.number, 6560);
    assert_text(e.formula, "min(8,192, 410 blocks x 16) = 6,560");
}

static void a_prefill_of_tgi_is_an_allocation(void **state) {
    struct inputs c =
        case_of(NULL, &llama_8b, SAID({FACT_tried_tokens, "4096"}));
    c.engine = STR("tgi");
    struct estimate e =
        effect_of(*state, &c, SHORT_TOKENS, EFFECT_quantization);
    assert_int_equal(e.quantity, FACT_tried_alloc);
    c.engine = STR("sglang");
    e = effect_of(*state, &c, SHORT_TOKENS, EFFECT_quantization);
    assert_int_equal(e.quantity, FACT_tried_tokens);
}

static bool has_part(const struct budget *b, const char *name) {
    for (size_t i = 0; i < b->count; i++) {
        if (strcmp(b->parts[i].part, name) == 0) {
            return true;
        }
    }
    return false;
}

static void what_is_left_is_named_for_what_is_missing(void **state) {
    struct inputs c =
        case_of("0.9.2", NULL,
                SAID({FACT_gpu_total, "79.14 GiB"},
                     {FACT_gpu_memory_utilization, "0.9"},
                     {FACT_weights_bytes, "14.99 GiB"},
                     {FACT_kv_available, "50.00 GiB"}));
    struct budget b = memory_budget(*state, &c, NULL);
    assert_true(has_part(&b, "rest"));
    assert_false(has_part(&b, "activation"));
    say(&c, FACT_activation_peak, "1.20 GiB", SOURCE_LOG);
    b = memory_budget(*state, &c, NULL);
    assert_true(has_part(&b, "non_torch"));
    assert_false(has_part(&b, "rest"));
}

static void a_sliver_of_the_card_is_not_enough(void **state) {
    struct inputs c =
        case_of("0.20.0", NULL,
                SAID({FACT_gpu_free, "6.1 GiB"}, {FACT_gpu_total, "178.34 GiB"},
                     {FACT_gpu_memory_utilization, "0.92"},
                     {FACT_requested_bytes, "164.08 GiB"}));
    struct estimate e = effect_of(*state, &c, SHORT_FREE_AT_START,
                                  EFFECT_gpu_memory_utilization_down);
    assert_int_equal(e.verdict, VERDICT_NOT_ENOUGH);
    assert_false(e.proposed.known);
    e = effect_of(*state, &c, SHORT_FREE_AT_START, EFFECT_free_other_process);
    assert_text(e.formula, "164.08 GiB - 6.10 GiB free = 157.98 GiB");
}

static void a_model_that_cannot_fit_the_share_is_told(void **state) {
    struct inputs c = case_of(
        "0.9.1", &llama_8b,
        SAID({FACT_gpu_free, "9.10 GiB"}, {FACT_gpu_total, "23.55 GiB"},
             {FACT_gpu_memory_utilization, "0.9"},
             {FACT_requested_bytes, "21.2 GiB"}, {FACT_max_model_len, "8192"}));
    struct estimate e = effect_of(*state, &c, SHORT_FREE_AT_START,
                                  EFFECT_gpu_memory_utilization_down);
    assert_condition(&e, "verdict.if.not_default"); /* on two ranks it does */
    assert_int_equal(e.share_micro, 0);
    say(&c, FACT_tensor_parallel, "1", SOURCE_LOG);
    say(&c, FACT_pipeline_parallel, "1", SOURCE_LOG);
    e = effect_of(*state, &c, SHORT_FREE_AT_START,
                  EFFECT_gpu_memory_utilization_down);
    assert_int_equal(e.verdict, VERDICT_NOT_ENOUGH);
}

static void a_pool_of_an_asked_size_is_that_size(void **state) {
    struct inputs c = case_of(
        "0.20.0", &llama_8b,
        SAID({FACT_kv_cache_memory, "6442450944"}, {FACT_gpu_total, "80 GiB"},
             {FACT_gpu_memory_utilization, "0.9"},
             {FACT_weights_bytes, "14.99 GiB"},
             {FACT_activation_peak, "1.2 GiB"},
             {FACT_max_num_batched_tokens, "8192"},
             {FACT_tensor_parallel, "1"}, {FACT_pipeline_parallel, "1"},
             {FACT_max_model_len, "65536"}));
    memory_complete(&c, NULL, *state);
    assert_int_equal(c.in[FACT_kv_available].number, 6 * GIB);
    static const enum effect idle[] = {
        EFFECT_gpu_memory_utilization_up, EFFECT_quantization,
        EFFECT_cpu_offload, EFFECT_enforce_eager, EFFECT_free_other_process};
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++) {
        struct estimate e = effect_of(*state, &c, SHORT_KV_POOL, idle[i]);
        assert_int_equal(e.verdict, VERDICT_NOT_ENOUGH);
        assert_false(e.proposed.known);
    }
    struct estimate e = effect_of(*state, &c, SHORT_KV_POOL,
                                  EFFECT_max_num_batched_tokens);
    assert_int_equal(e.verdict, VERDICT_NOT_ENOUGH);
    e = effect_of(*state, &c, SHORT_KV_POOL, EFFECT_tensor_parallel);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.limit.low, 6 * GIB);
    assert_int_equal(e.limit.high, 6 * GIB);
}

/* ---- an allocation failed ---- */

static struct inputs failed_allocation(const struct said *more) {
    struct inputs c = case_of(
        "0.5.5", NULL,
        SAID({FACT_tried_alloc, "3.44 GiB"}, {FACT_gpu_total, "79.14 GiB"},
             {FACT_gpu_free, "3.14 GiB"}, {FACT_process_in_use, "64.50 GiB"},
             {FACT_other_in_use, "11.35 GiB"},
             {FACT_pytorch_allocated, "63.97 GiB"},
             {FACT_pytorch_unallocated, "28.26 MiB"}));
    for (; more->text; more++) {
        say(&c, more->fact, more->text, SOURCE_LOG);
    }
    return c;
}

static void ending_others_frees_what_they_hold(void **state) {
    struct inputs c = failed_allocation(SAID_NOTHING);
    struct estimate e =
        effect_of(*state, &c, SHORT_ALLOCATION, EFFECT_free_other_process);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    /* the process itself was listed too: the others are still others */
    say(&c, FACT_own_process_listed, "true", SOURCE_LOG);
    e = effect_of(*state, &c, SHORT_ALLOCATION, EFFECT_free_other_process);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    c = case_of(NULL, NULL,
                SAID({FACT_tried_alloc, "3.44 GiB"},
                     {FACT_gpu_free, "3.14 GiB"},
                     {FACT_process_in_use, "64.50 GiB"},
                     {FACT_own_process_listed, "true"}));
    e = effect_of(*state, &c, SHORT_ALLOCATION, EFFECT_free_other_process);
    assert_int_equal(e.verdict, VERDICT_NONE);
}

static void expandable_segments_win_at_most_what_is_idle(void **state) {
    struct inputs c = failed_allocation(SAID_NOTHING);
    struct estimate e =
        effect_of(*state, &c, SHORT_ALLOCATION, EFFECT_expandable_segments);
    assert_int_equal(e.verdict, VERDICT_NOT_ENOUGH);
    c = case_of(NULL, NULL,
                SAID({FACT_tried_alloc, "19.63 GiB"},
                     {FACT_gpu_free, "17.73 GiB"},
                     {FACT_pytorch_unallocated, "4.07 GiB"}));
    e = effect_of(*state, &c, SHORT_ALLOCATION, EFFECT_expandable_segments);
    assert_condition(&e, "verdict.if.one_block");
    assert_text(e.formula, "17.73 GiB free + 4.07 GiB unallocated = 21.8");
}

static void a_smaller_share_leaves_room_beside_it(void **state) {
    struct inputs c = failed_allocation(
        SAID({FACT_gpu_memory_utilization, "0.9"}, {FACT_stage, "kv_alloc"}));
    struct estimate e = effect_of(*state, &c, SHORT_ALLOCATION,
                                  EFFECT_gpu_memory_utilization_down);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    /* 79.14 - 11.35 GiB, less 1 GiB for the own context */
    assert_int_equal(e.proposed.number, 840000);
    e = effect_of(*state, &c, SHORT_ALLOCATION,
                  EFFECT_gpu_memory_utilization_up);
    assert_int_equal(e.verdict, VERDICT_NONE); /* makes it worse */
    say(&c, FACT_stage, "load", SOURCE_LOG);
    e = effect_of(*state, &c, SHORT_ALLOCATION,
                  EFFECT_gpu_memory_utilization_down);
    assert_int_equal(e.verdict, VERDICT_NONE);
}

static struct inputs failed_capture(const char *free) {
    return case_of(
        "0.11.0", NULL,
        SAID({FACT_tried_alloc, "20.00 MiB"}, {FACT_gpu_total, "79.14 GiB"},
             {FACT_gpu_free, free}, {FACT_gpu_memory_utilization, "0.97"},
             {FACT_stage, "capture"}));
}

/* A refused graph of 20 MiB is not the last one. */
static void a_capture_gets_room_for_what_follows(void **state) {
    struct inputs c = failed_capture("10.00 MiB");
    struct estimate e = effect_of(*state, &c, SHORT_ALLOCATION,
                                  EFFECT_gpu_memory_utilization_down);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.proposed.number, 930000); /* 3 GiB of graphs */
    assert_text(e.formula, "+ 3.00 GiB still to come");
    say(&c, FACT_stage, "serve", SOURCE_LOG);
    e = effect_of(*state, &c, SHORT_ALLOCATION,
                  EFFECT_gpu_memory_utilization_down);
    assert_int_equal(e.proposed.number, 960000);
}

static void one_refused_layer_says_nothing_of_the_next(void **state) {
    struct inputs c = failed_capture("10.00 MiB");
    say(&c, FACT_stage, "kv_alloc", SOURCE_LOG);
    struct estimate e = effect_of(*state, &c, SHORT_ALLOCATION,
                                  EFFECT_gpu_memory_utilization_down);
    assert_condition(&e, "verdict.if.last");
    c.model = &llama_8b; /* 31 more of 20 MiB */
    e = effect_of(*state, &c, SHORT_ALLOCATION,
                  EFFECT_gpu_memory_utilization_down);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_text(e.formula, "still to come");
}

static void offload_without_the_model_proposes_nothing(void **state) {
    struct inputs c = case_of(
        "0.11.0", NULL,
        SAID({FACT_tried_alloc, "1.00 GiB"}, {FACT_gpu_total, "23.55 GiB"},
             {FACT_gpu_free, "0.50 GiB"}, {FACT_stage, "load"}));
    struct estimate e =
        effect_of(*state, &c, SHORT_ALLOCATION, EFFECT_cpu_offload);
    assert_int_equal(e.verdict, VERDICT_UNKNOWN);
    assert_false(e.proposed.known);
    assert_int_equal(e.needs.at[0], FACT_model);
}

static void the_sampler_shrinks_with_its_sequences(void **state) {
    struct inputs c = case_of(
        "0.15.1", &llama_8b,
        SAID({FACT_tried_alloc, "501.00 MiB"}, {FACT_gpu_free, "300.00 MiB"},
             {FACT_gpu_total, "79.18 GiB"}, {FACT_max_num_seqs, "1024"}));
    struct estimate e =
        effect_of(*state, &c, SHORT_ALLOCATION, EFFECT_max_num_seqs);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.proposed.number, 256);
}

static void the_peak_on_the_host_gets_a_fifth_more(void **state) {
    struct inputs c = case_of(NULL, NULL, SAID({FACT_host_rss, "10 GiB"}));
    struct estimate e = effect_of(*state, &c, SHORT_HOST, EFFECT_host_memory);
    assert_int_equal(e.proposed.number, 12 * GIB);
    assert_condition(&e, "verdict.if.peak");
    struct inputs one = case_of(NULL, NULL,
                                SAID({FACT_host_rss, "10 GiB"},
                                     {FACT_oom_scope, "memcg"}));
    e = effect_of(*state, &one, SHORT_HOST, EFFECT_host_memory);
    assert_condition(&e, "verdict.if.peak_of_one");
    struct inputs bare = case_of(NULL, NULL, SAID_NOTHING);
    e = effect_of(*state, &bare, SHORT_HOST, EFFECT_host_memory);
    assert_int_equal(e.needs.at[0], FACT_host_rss);
}

static void a_share_of_the_host_is_lowered_to_what_is_free(void **state) {
    struct inputs c = case_of("0.20.0", NULL,
                              SAID({FACT_host_free, "11.4 GiB"},
                                   {FACT_host_total, "62.51 GiB"},
                                   {FACT_gpu_memory_utilization, "0.92"},
                                   {FACT_requested_bytes, "57.51 GiB"}));
    struct estimate e =
        effect_of(*state, &c, SHORT_HOST, EFFECT_gpu_memory_utilization_down);
    assert_int_equal(e.proposed.number, 180000);
    assert_condition(&e, "verdict.if.model_fits");
    say(&c, FACT_host_free, "1.4 GiB", SOURCE_LOG);
    e = effect_of(*state, &c, SHORT_HOST, EFFECT_gpu_memory_utilization_down);
    assert_int_equal(e.verdict, VERDICT_NOT_ENOUGH);
}

/* A scheduler that ends a job names the sum and the limit, no process. */
static void the_sum_at_a_limit_is_a_peak(void **state) {
    struct inputs c =
        case_of(NULL, NULL, SAID({FACT_host_used, "40 GiB"},
                                 {FACT_memory_limit, "32 GiB"}));
    struct estimate e = effect_of(*state, &c, SHORT_HOST, EFFECT_host_memory);
    assert_int_equal(e.quantity, FACT_host_used);
    assert_int_equal(e.proposed.number, 48 * GIB);
    assert_int_equal(e.needs.count, 0);
}

static void vllms_settings_say_nothing_of_other_engines(void **state) {
    struct inputs c = hybrid_by_pairs();
    c.engine = STR("sglang");
    assert_int_equal(
        effect_of(*state, &c, SHORT_KV_POOL, EFFECT_max_model_len).verdict,
        VERDICT_UNKNOWN);
    assert_false(memory_kv(*state, &c, NULL).slope.known);
}

/* ---- the model against the log ---- */

static void a_setting_that_explains_the_log_is_named(void **state) {
    struct inputs c = case_of(
        "0.11.0", &llama_8b,
        SAID({FACT_max_model_len, "131072"}, {FACT_kv_needed, "16.00 GiB"}));
    assert_int_equal(memory_reconcile(*state, &c).outcome, RECONCILE_AGREES);
    say(&c, FACT_kv_needed, "8.00 GiB", SOURCE_LOG);
    struct reconciliation r = memory_reconcile(*state, &c);
    assert_int_equal(r.outcome, RECONCILE_EXPLAINED);
    assert_int_equal(r.setting[0].name, FACT_kv_cache_dtype);
    say(&c, FACT_kv_needed, "4.00 GiB", SOURCE_LOG);
    r = memory_reconcile(*state, &c);
    assert_int_equal(r.setting[0].name, FACT_tensor_parallel);
    assert_int_equal(r.setting[0].number, 4);
    say(&c, FACT_kv_needed, "16.57 GiB", SOURCE_LOG);
    r = memory_reconcile(*state, &c);
    assert_int_equal(r.outcome, RECONCILE_RESIDUAL);
    assert_holds(r.residual, 57 * GIB / 100);
}

static void sixteen_bits_are_held_against_the_whole_card_at_load(void **state) {
    struct inputs c = case_of(NULL, NULL,
                              SAID({FACT_stage, "load"},
                                   {FACT_model_params, "6738415616"},
                                   {FACT_pytorch_allocated, "23.28 GiB"},
                                   {FACT_gpu_free, "108.94 MiB"},
                                   {FACT_tried_alloc, "172.00 MiB"}));
    struct estimate e =
        effect_of(*state, &c, SHORT_ALLOCATION, EFFECT_half_precision);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.after.low, 2 * 6738415616);
    say(&c, FACT_model_params, "13015864320", SOURCE_LOG);
    e = effect_of(*state, &c, SHORT_ALLOCATION, EFFECT_half_precision);
    assert_int_equal(e.verdict, VERDICT_NOT_ENOUGH);
    c.in[FACT_model_params].known = false;
    e = effect_of(*state, &c, SHORT_ALLOCATION, EFFECT_half_precision);
    assert_int_equal(e.verdict, VERDICT_UNKNOWN);
    assert_int_equal(e.needs.at[0], FACT_model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_ARENA(sixteen_bits_are_held_against_the_whole_card_at_load),
        WITH_ARENA(two_printed_pairs_give_slope_and_fixed),
        WITH_ARENA(an_fp8_cache_halves_a_hybrid_and_is_not_enough),
        WITH_ARENA(the_printed_estimate_is_the_longest),
        WITH_ARENA(a_need_alone_only_bounds_the_length),
        WITH_ARENA(the_model_gives_the_length_where_none_is_printed),
        WITH_ARENA(v0_says_how_many_tokens_fit),
        WITH_ARENA(no_pool_at_all_is_not_mended_by_a_shorter_length),
        WITH_ARENA(a_larger_share_needs_the_card),
        WITH_ARENA(a_command_raises_the_share_as_its_note_says),
        WITH_ARENA(a_share_that_is_said_bounds_the_card),
        WITH_ARENA(a_larger_share_is_the_least_that_holds_it),
        WITH_ARENA(pairs_give_56_KiB_where_nothing_is_fixed),
        WITH_ARENA(more_ranks_share_weights_and_heads),
        WITH_ARENA(heads_are_copied_when_there_are_more_ranks),
        WITH_ARENA(groups_grow_with_the_release),
        WITH_ARENA(narrower_weights_give_their_bytes_to_the_pool),
        WITH_ARENA(fewer_sequences_do_not_touch_the_check),
        WITH_ARENA(a_state_block_for_each_sequence),
        WITH_ARENA(graphs_return_to_the_pool_from_0_20_on),
        WITH_ARENA(the_largest_share_that_is_free),
        WITH_ARENA(printed_blocks_bound_the_length),
        WITH_ARENA(a_prefill_of_tgi_is_an_allocation),
        WITH_ARENA(what_is_left_is_named_for_what_is_missing),
        WITH_ARENA(a_sliver_of_the_card_is_not_enough),
        WITH_ARENA(a_model_that_cannot_fit_the_share_is_told),
        WITH_ARENA(a_pool_of_an_asked_size_is_that_size),
        WITH_ARENA(ending_others_frees_what_they_hold),
        WITH_ARENA(expandable_segments_win_at_most_what_is_idle),
        WITH_ARENA(a_smaller_share_leaves_room_beside_it),
        WITH_ARENA(the_likeliest_slope_is_printed),
        WITH_ARENA(an_unknown_card_is_told_by_its_size),
        WITH_ARENA(a_capture_gets_room_for_what_follows),
        WITH_ARENA(one_refused_layer_says_nothing_of_the_next),
        WITH_ARENA(offload_without_the_model_proposes_nothing),
        WITH_ARENA(the_sampler_shrinks_with_its_sequences),
        WITH_ARENA(a_share_of_the_host_is_lowered_to_what_is_free),
        WITH_ARENA(the_peak_on_the_host_gets_a_fifth_more),
        WITH_ARENA(the_sum_at_a_limit_is_a_peak),
        WITH_ARENA(vllms_settings_say_nothing_of_other_engines),
        WITH_ARENA(a_setting_that_explains_the_log_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
