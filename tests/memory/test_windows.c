/* test_windows.c: windows and chunks in vLLM, release by release: what the
 * check at start charges, and what the pool is divided into. Each case names
 * the commit of vLLM that made it so. */
#include "memory/cases.h"

#include "memory/kv.h"

MODEL(gemma3_27b, FULL(10, 16, 128), SLIDING(52, 16, 128, 1024));
MODEL(gemma3_4b, FULL(5, 4, 256), SLIDING(29, 4, 256, 1024));
MODEL(e5_mistral, SLIDING(32, 8, 128, 4096));
MODEL(scout, {.kind = KV_chunked, .layers = 36, .kv_heads = 8, .k_dim = 128,
              .v_dim = 128, .window = 8192},
      FULL(12, 8, 128));

static const struct gpu t4 = {.id = {"T4", 2}, .vendor = {"nvidia", 6},
                              .compute_capability = {"7.5", 3}};
static const struct gpu l4 = {.id = {"L4", 2}, .vendor = {"nvidia", 6},
                              .compute_capability = {"8.9", 3}};
static const struct gpu b300 = {.id = {"B300", 4}, .vendor = {"nvidia", 6},
                                .compute_capability = {"10.3", 4}};

static void expect_exactly(struct span s, int64_t value) {
    assert_true(s.known);
    assert_int_equal(s.low, value);
    assert_int_equal(s.high, value);
}

static struct kv kv_of(struct arena *a, const char *version,
                       const struct model *model, const struct said *said) {
    struct inputs c = case_of(version, model, said);
    return memory_kv(a, &c, NULL);
}

/* ---- 0.8.3 to 0.9.0.1: 3a5f0afcd (#14097) ---- */

/* The log of vllm-project/vllm#15766: 4,097 blocks, 4.00x of 16,384 tokens in
 * 3.88 GiB (a rounded amount: 4,095 to 4,106 blocks). */
static void pools_keep_windows_whole_until_groups_came(void **state) {
    static const char *const releases[] = {"0.8.0", "0.8.2", "0.8.3", "0.8.5",
                                           "0.9.0.1", "0.9.1.dev200"};
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++) {
        struct kv kv = kv_of(*state, releases[i], &gemma3_27b,
                             SAID({FACT_tensor_parallel, "8"},
                                  {FACT_max_model_len, "16384"},
                                  {FACT_kv_available, "3.88 GiB"}));
        expect_exactly(kv.bytes_per_block, 62 * INT64_C(16384));
        assert_holds(kv.blocks, 4097);
        assert_between(kv.blocks, 4095, 4106);
        assert_holds(kv.max_concurrency, 400);
        assert_between(kv.max_concurrency, 400, 401);
        assert_int_equal(kv.fits, FIT_YES);
    }
}

/* check_enough_kv_cache_memory runs before unify_hybrid_kv_cache_specs: it
 * charges ceil((1024 - 1 + 2048) / 16) + 1 = 193 blocks for a window. */
static void the_check_charges_windows_cut_before_the_pool_does(void **state) {
    static const struct said said[] = {{FACT_tensor_parallel, "8"},
                                       {FACT_max_num_batched_tokens, "2048"},
                                       {FACT_max_model_len, "16384"},
                                       {FACT_engine, NULL}};
    int64_t page = 16384, whole = 62 * 1024 * page;
    int64_t cut = (10 * 1024 + 52 * 193) * page;
    expect_exactly(kv_of(*state, "0.8.2", &gemma3_27b, said).bytes_per_request,
                   whole);
    expect_exactly(kv_of(*state, "0.8.3", &gemma3_27b, said).bytes_per_request,
                   cut);
    expect_exactly(kv_of(*state, "0.9.0.1", &gemma3_27b, said).bytes_per_request,
                   cut);
    expect_exactly(kv_of(*state, "0.9.1", &gemma3_27b, said).bytes_per_request,
                   cut);
}

/* The check lets 131,072 tokens pass; the blocks hold 65,616 of them. */
static void a_length_is_not_longer_than_the_blocks(void **state) {
    struct inputs c = case_of("0.8.5", &gemma3_27b,
                                   SAID({FACT_tensor_parallel, "8"},
                                        {FACT_max_model_len, "131072"},
                                        {FACT_kv_available, "4166098944"}));
    struct kv kv = memory_kv(*state, &c, NULL);
    assert_true(kv.bytes_per_request.high < kv.pool.low);
    expect_exactly(memory_longest_request(*state, &c), (4101 - 1) * 16);
    expect_exactly(kv.max_concurrency, 50);
}

/* ---- 0.9.1: f8a1a2d10 (#17996) ---- */

static void groups_share_the_pool_from_0_9_1(void **state) {
    static const char *const builds[] = {"0.9.1.dev201", "0.9.1", "0.9.2",
                                         "0.10.0", "0.11.0"};
    for (size_t i = 0; i < sizeof builds / sizeof *builds; i++) {
        struct kv kv = kv_of(*state, builds[i], &gemma3_27b,
                             SAID({FACT_tensor_parallel, "8"},
                                  {FACT_max_num_batched_tokens, "2048"},
                                  {FACT_max_model_len, "16384"},
                                  {FACT_kv_blocks, "21826"}));
        expect_exactly(kv.bytes_per_block, 10 * INT64_C(16384));
        /* 1,024 blocks of full layers, 6 groups of 193 */
        expect_exactly(kv.max_concurrency,
                       (21826 * 100 + 1091) / (1024 + 6 * 193));
    }
}

/* vllm-project/vllm#19964, a build 13 commits behind 0.9.1: 526.71x, where
 * tokens / length would be 535 (a8da78eac, #19029). */
static void a_build_behind_a_release_is_younger(void **state) {
    static const struct said said[] = {{FACT_max_model_len, "1024"},
                                       {FACT_kv_blocks, "34236"},
                                       {FACT_engine, NULL}};
    static const struct {
        const char *version;
        int64_t hundredths;
    } rows[] = {{"0.9.1.dev287+gdeadbeef", 52671}, {"0.9.1.dev152", 52671},
                {"0.9.1", 52671},                  {"0.9.1.dev151", 53494},
                {"0.9.0.1", 53494}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct kv kv = kv_of(*state, rows[i].version, &e5_mistral, said);
        expect_exactly(kv.max_concurrency, rows[i].hundredths);
    }
}

/* ---- chunks: 9a9fda142 (#19351), 8aa1485fc (#21761) ---- */

/* Scout, TP 8, 1,000,000 tokens: 24.58 GB, and 3.8 times less in 0.10.0. */
static void chunks_are_cut_in_one_release(void **state) {
    static const struct said said[] = {{FACT_tensor_parallel, "8"},
                                       {FACT_max_num_batched_tokens, "8192"},
                                       {FACT_max_model_len, "1000000"},
                                       {FACT_engine, NULL}};
    static const char *const whole[] = {"0.8.3", "0.8.5", "0.9.1", "0.9.2",
                                        "0.14.0"};
    int64_t charged = (12 * INT64_C(62500) + 36 * 1024) * 8192;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        struct kv kv = kv_of(*state, whole[i], &scout, said);
        expect_exactly(kv.bytes_per_request, INT64_C(24576000000));
        expect_exactly(kv.bytes_per_block, 48 * INT64_C(8192));
    }
    struct kv cut = kv_of(*state, "0.10.0", &scout, said);
    expect_exactly(cut.bytes_per_request, charged);
    expect_exactly(cut.bytes_per_block, 12 * INT64_C(8192));
    /* 8aa1485fc (#21761): the pool keeps them whole again; until 0.14 the check
     * came before that (tests/data/oracle/vllm.jsonl). */
    static const char *const late[] = {"0.10.1", "0.11.0", "0.13.0"};
    for (size_t i = 0; i < sizeof late / sizeof *late; i++) {
        struct kv kv = kv_of(*state, late[i], &scout, said);
        expect_exactly(kv.bytes_per_request, charged);
        expect_exactly(kv.bytes_per_block, 48 * INT64_C(8192));
    }
}

static void no_setting_cuts_chunks_before_they_could_be(void **state) {
    struct inputs c = case_of("0.9.2", &scout,
                                   SAID({FACT_max_model_len, "1000000"}));
    say(&c, FACT_hybrid_kv_disabled, "false", SOURCE_USER);
    expect_exactly(memory_kv(*state, &c, NULL).bytes_per_request,
                   INT64_C(8) * 24576000000);
}

/* ---- V0 below 8.0: d4d93db2c (#13726), d7fbc6dda (#24022) ---- */

static struct inputs on_card(const char *version, const struct gpu *gpu) {
    struct inputs c = case_of(version, &gemma3_4b,
                                   SAID({FACT_max_model_len, "8192"},
                                        {FACT_kv_available, "4294967296"}));
    c.gpu = gpu;
    return c;
}

/* gemma-3-4b, 4 GiB: 34 layers x 64 KiB make 1,927 blocks. */
static void old_cards_run_the_first_engine(void **state) {
    static const char *const releases[] = {"0.8.0", "0.9.2", "0.10.1",
                                           "0.10.1.1"};
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++) {
        struct inputs c = on_card(releases[i], &t4);
        assert_int_equal(rules_is_v0(&c), ANSWER_YES);
        assert_int_equal(rules_check_free(&c), ANSWER_NO);
        expect_exactly(memory_kv(*state, &c, NULL).blocks, 1927);
    }
    struct inputs lifted = on_card("0.10.2", &t4);
    assert_int_equal(rules_is_v0(&lifted), ANSWER_NO);
    expect_exactly(memory_kv(*state, &lifted, NULL).blocks, 13107);
}

static void newer_cards_run_the_second(void **state) {
    const struct gpu *const cards[] = {&l4, &b300, NULL};
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++) {
        struct inputs c = on_card("0.9.2", cards[i]);
        assert_int_equal(rules_is_v0(&c), ANSWER_NO);
        expect_exactly(memory_kv(*state, &c, NULL).blocks, 13107);
    }
    /* what only V1 prints decides before the card does */
    struct inputs told = on_card("0.9.2", &t4);
    say(&told, FACT_kv_needed, "1.00 GiB", SOURCE_LOG);
    assert_int_equal(rules_is_v0(&told), ANSWER_NO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_ARENA(pools_keep_windows_whole_until_groups_came),
        WITH_ARENA(the_check_charges_windows_cut_before_the_pool_does),
        WITH_ARENA(a_length_is_not_longer_than_the_blocks),
        WITH_ARENA(groups_share_the_pool_from_0_9_1),
        WITH_ARENA(a_build_behind_a_release_is_younger),
        WITH_ARENA(chunks_are_cut_in_one_release),
        WITH_ARENA(no_setting_cuts_chunks_before_they_could_be),
        WITH_ARENA(old_cards_run_the_first_engine),
        WITH_ARENA(newer_cards_run_the_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
