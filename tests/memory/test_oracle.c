/* test_oracle.c: numbers that vLLM printed, against ours. Each row gives the
 * settings of a real start and what its log said; the arithmetic gets the
 * settings and the pool alone and must give the rest within what was rounded
 * away. */
#include "memory/cases.h"

MODEL(opt_125m, FULL(12, 12, 64));
MODEL(opt_2_7b, FULL(32, 32, 80));
MODEL(llama_8b, FULL(32, 8, 128));
MODEL(llama_7b_mha, FULL(32, 32, 128));
MODEL(llama_70b, FULL(80, 8, 128));
MODEL(nemo_12b, FULL(40, 8, 128));
MODEL(jamba_mini, FULL(4, 8, 128), STATE(28, 311296));
MODEL(qwen25_7b, FULL(28, 4, 128));
MODEL(qwen25_05b, FULL(24, 2, 64));
MODEL(qwen2vl_2b, FULL(28, 2, 128));
MODEL(qwen3_06b, FULL(28, 8, 128));
MODEL(qwen3_4b, FULL(36, 8, 128));
MODEL(qwen3_32b, FULL(64, 8, 128));
MODEL(qwen3_30b_a3b, FULL(48, 4, 128));
MODEL(gemma3_12b, FULL(8, 8, 256), SLIDING(40, 8, 256, 1024));
MODEL(gemma3_27b, FULL(10, 16, 128), SLIDING(52, 16, 128, 1024));
MODEL(gemma4_31b, FULL(10, 4, 512), SLIDING(50, 16, 256, 1024));
MODEL(gpt_oss_120b, FULL(18, 8, 64), SLIDING(18, 8, 64, 128));
MODEL(mistral_small_4, LATENT(36, 320));

struct row {
    const struct model *model;
    const char *version, *source;
    const char *kv_dtype; /* NULL: auto */
    int tp, pp, block;    /* 0: default */
    const char *batched_tokens;
    const char *length, *pool; /* given */
    const char *need;          /* printed from here on; NULL: not */
    int64_t estimate, blocks, tokens, concurrency_hundredths, cpu_blocks;
};

#define VLLM(n) "https://github.com/vllm-project/vllm/issues/" #n

static const struct row rows[] = {
    {&opt_2_7b, "0.2.6", VLLM(2310), .cpu_blocks = 819},
    {&llama_8b, "0.3.0", VLLM(2621), .cpu_blocks = 2048},
    {&llama_8b, "0.4.1", VLLM(4760), .cpu_blocks = 2048},
    {&llama_7b_mha, "0.5.0", VLLM(5248), .tp = 2, .cpu_blocks = 1024},
    {&llama_8b, "0.5.0.post1", VLLM(5569), .cpu_blocks = 2048},
    {&qwen25_7b, "0.5.0.post1", VLLM(5827), .cpu_blocks = 4681},
    {&opt_125m, "0.5.1", VLLM(6408), .cpu_blocks = 7281},
    {&nemo_12b, "0.5.5", VLLM(7878), .pp = 2, .cpu_blocks = 3276},
    {&jamba_mini, "0.5.5", VLLM(7992), .kv_dtype = "fp8", .cpu_blocks = 32768},
    {&llama_8b, "0.6.4.post1", VLLM(10517), .length = "20000",
     .pool = "3.81 GiB", .blocks = 1952, .concurrency_hundredths = 156,
     .cpu_blocks = 2048},
    {&llama_70b, "0.6.4.post1", VLLM(10702), .tp = 8, .length = "131072",
     .pool = "107.35 GiB", .blocks = 175884, .concurrency_hundredths = 2147,
     .cpu_blocks = 6553},
    {&llama_70b, "0.6.4.post1", VLLM(11230), .length = "8192",
     .pool = "0.39 GiB", .blocks = 80, .tokens = 1280,
     .concurrency_hundredths = 16, .cpu_blocks = 819},
    {&qwen25_7b, "0.6.5", VLLM(11899), .kv_dtype = "fp8_e4m3", .length = "4096",
     .pool = "10.02 GiB", .blocks = 23460, .concurrency_hundredths = 9164,
     .cpu_blocks = 9362},
    {&opt_125m, "0.7.3", VLLM(15394), .length = "2048", .pool = "124.79 GiB",
     .blocks = 227182, .concurrency_hundredths = 177486, .cpu_blocks = 7281},
    {&gemma3_12b, "0.8.2", VLLM(16061), .kv_dtype = "fp8", .length = "4096",
     .pool = "3.54 GiB", .blocks = 1207, .concurrency_hundredths = 471,
     .cpu_blocks = 1365},
    {&qwen25_05b, "0.8.3", VLLM(16141), .length = "512", .pool = "3.88 GiB",
     .blocks = 21186, .concurrency_hundredths = 66206, .cpu_blocks = 21845},
    {&llama_7b_mha, "0.9.1.dev287", VLLM(19736), .length = "1024",
     .pool = "55.11 GiB", .blocks = 7054, .concurrency_hundredths = 11022,
     .cpu_blocks = 512},
    {&qwen3_4b, "0.9.2", "https://github.com/vllm-project/vllm",
     .length = "40960", .pool = "18.69 GiB", .blocks = 8505, .tokens = 136080,
     .concurrency_hundredths = 332},
    {&qwen3_30b_a3b, "0.15.2rc1.dev93", VLLM(34076), .pp = 2,
     .length = "262144", .pool = "3.18 GiB", .need = "24.0 GiB",
     .estimate = 34736},
    {&qwen3_4b, "0.18.0", VLLM(38516), .length = "40960", .pool = "4.89 GiB",
     .need = "5.62 GiB", .estimate = 35600},
    {&qwen3_06b, "0.11.1", VLLM(29233), .block = 128, .length = "40960",
     .pool = "4.00 GiB", .need = "4.38 GiB", .estimate = 37376},
    {&qwen3_06b, "0.10.0", "https://github.com/vllm-project/vllm",
     .length = "40960", .pool = "4.00 GiB", .need = "4.38 GiB",
     .estimate = 37440},
    {&qwen3_06b, "0.22.0", "https://github.com/vllm-project/vllm",
     .length = "40960", .pool = "1.31 GiB", .need = "4.38 GiB",
     .estimate = 12288},
    {&qwen3_06b, "0.27.0", "https://github.com/vllm-project/vllm", .block = 128,
     .length = "40960", .pool = "1.0 GiB", .need = "4.38 GiB",
     .estimate = 9344},
    {&qwen3_32b, "0.8.5", "https://github.com/vllm-project/vllm",
     .length = "40960", .pool = "1.25 GiB", .need = "10.00 GiB"},
    {&qwen3_4b, "0.9.1", "https://github.com/vllm-project/vllm",
     .length = "32768", .pool = "4.47 GiB", .need = "4.50 GiB",
     .estimate = 32560},
    {&llama_8b, "0.22.0", "https://github.com/vllm-project/vllm-metal",
     .length = "131072", .pool = "8.99 GiB", .need = "16.0 GiB",
     .estimate = 73680, .blocks = 4605},
    {&llama_8b, "0.11.0", "https://github.com/vllm-project/vllm",
     .length = "2048", .pool = "5.29 GiB", .tokens = 43296},
    {&qwen3_06b, "0.24.0", "https://github.com/vllm-project/vllm",
     .length = "2048", .pool = "2.14 GiB", .tokens = 20032,
     .concurrency_hundredths = 978},
    {&qwen2vl_2b, "0.28.0", "https://github.com/vllm-project/vllm",
     .length = "8192", .pool = "0.2 GiB", .need = "0.22 GiB", .estimate = 7440},
    {&qwen3_06b, "0.14.0", "https://github.com/vllm-project/vllm",
     .length = "32768", .pool = "2.94 GiB", .need = "3.5 GiB"},
    {&mistral_small_4, "0.22.0",
     "https://github.com/kaito-project/kaito/issues/2132", .tp = 2,
     .length = "1048576", .pool = "17.39 GiB", .need = "22.5 GiB",
     .estimate = 810208},
    {&gemma3_27b, "0.11.0", "https://github.com/vllm-project/vllm",
     .batched_tokens = "8192", .length = "4096", .pool = "109.86 GiB",
     .blocks = 89994, .tokens = 205696, .concurrency_hundredths = 5005},
    {&gpt_oss_120b, "0.11.0", VLLM(27508), .batched_tokens = "1024",
     .length = "131072", .pool = "1.71 GiB", .need = "4.54 GiB"},
    {&gemma4_31b, "0.21.0", "https://github.com/kaito-project/kaito/pull/2139",
     .tp = 2, .batched_tokens = "8192", .length = "99072", .pool = "39.45 GiB",
     .tokens = 535346, .concurrency_hundredths = 540},
};

static struct inputs case_of_row(const struct row *r) {
    struct inputs c = case_vllm(r->version, r->model);
    char number[24];
    const struct {
        enum fact_name fact;
        int value;
    } counts[] = {{FACT_tensor_parallel, r->tp},
                  {FACT_pipeline_parallel, r->pp},
                  {FACT_block_size, r->block}};
    const struct said texts[] = {
        {FACT_kv_cache_dtype, r->kv_dtype},
        {FACT_max_num_batched_tokens, r->batched_tokens},
        {FACT_max_model_len, r->length},
        {FACT_kv_available, r->pool}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (counts[i].value) {
            snprintf(number, sizeof number, "%d", counts[i].value);
            say(&c, counts[i].fact, number, SOURCE_LOG);
        }
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (texts[i].text) {
            say(&c, texts[i].fact, texts[i].text, SOURCE_LOG);
        }
    }
    if (r->cpu_blocks) { /* which says that it is V0 */
        snprintf(number, sizeof number, "%lld", (long long)r->cpu_blocks);
        say(&c, FACT_cpu_blocks, number, SOURCE_LOG);
    }
    return c;
}

static void expect(const struct row *r, const char *what, struct span s,
                   int64_t low, int64_t high) {
    if (!s.known || s.low > high || low > s.high) {
        fail_msg("%.*s %s (%s): %s is %lld, reckoned [%lld, %lld]",
                 STR_ARG(r->model->id), r->version, r->source, what,
                 (long long)low, (long long)s.low, (long long)s.high);
    }
}

static void check_row(struct arena *a, const struct row *r) {
    struct inputs c = case_of_row(r);
    struct formulas f = {0};
    struct kv kv = memory_kv(a, &c, &f);
    if (r->need) {
        struct fact need = {0};
        fact_read(FACT_kv_needed, str_of(r->need), 1, &need);
        expect(r, "need", kv.bytes_per_request, need.low, need.high);
    }
    if (r->estimate) {
        expect(r, "estimate", kv.est_max_model_len, r->estimate, r->estimate);
    }
    if (r->blocks) {
        expect(r, "blocks", kv.blocks, r->blocks, r->blocks);
    }
    if (r->tokens) {
        expect(r, "tokens", kv.tokens, r->tokens, r->tokens);
    }
    if (r->concurrency_hundredths) {
        expect(r, "concurrency", kv.max_concurrency, r->concurrency_hundredths,
               r->concurrency_hundredths);
    }
    if (r->cpu_blocks) {
        assert_true(kv.bytes_per_block.known);
        assert_int_equal(4 * GIB / kv.bytes_per_block.low, r->cpu_blocks);
    }
    assert_true(f.count > 0);
}

static void every_printed_number_is_reproduced(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct arena a;
        arena_init(&a, NULL, 0);
        check_row(&a, &rows[i]);
        arena_free(&a);
    }
}

/* Intervals that hold everything would pass too: uniform models are exact. */
static void a_uniform_model_leaves_no_doubt(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL, 0);
    struct inputs c =
        case_of(NULL, &qwen3_4b, SAID({FACT_max_model_len, "40960"}));
    struct kv kv = memory_kv(&a, &c, NULL);
    assert_int_equal(kv.slope.low, 147456);
    assert_int_equal(kv.slope.high, 147456);
    assert_int_equal(kv.bytes_per_request.low, INT64_C(6039797760));
    assert_int_equal(kv.bytes_per_request.high, INT64_C(6039797760));
    assert_int_equal(kv.fixed.high, 0);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_printed_number_is_reproduced),
        cmocka_unit_test(a_uniform_model_leaves_no_doubt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
