/* test_properties.c: what must hold for any numbers: more tokens never need
 * less, more pool never fits less, an inverse meets its formula from both
 * sides, and nothing ever wraps. */
#include "memory/cases.h"

MODEL(plain, FULL(32, 8, 128));
MODEL(hybrid, FULL(10, 16, 128), SLIDING(52, 16, 128, 1024));
MODEL(latent, LATENT(61, 576));
MODEL(recurrent, FULL(12, 2, 256), STATE(36, 1097728));

static const struct model *const models[] = {&plain, &hybrid, &latent,
                                             &recurrent};
static const char *const versions[] = {NULL,     "0.9.1",  "0.13.0",
                                       "0.15.0", "0.18.0", "0.20.0"};

static struct inputs case_with(const char *version, const struct model *m,
                                    int64_t tokens, int64_t pool) {
    char number[32];
    struct inputs c = case_vllm(version, m);
    snprintf(number, sizeof number, "%lld", (long long)tokens);
    say(&c, FACT_max_model_len, number, SOURCE_USER);
    snprintf(number, sizeof number, "%lld bytes", (long long)pool);
    say(&c, FACT_kv_available, number, SOURCE_USER);
    say(&c, FACT_max_num_batched_tokens, "8192", SOURCE_USER);
    say(&c, FACT_prefix_caching, "false", SOURCE_USER);
    return c;
}

typedef void (*property)(struct arena *a, const char *version,
                         const struct model *m);

static void for_all(property holds) {
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
            struct arena a;
            arena_init(&a, NULL, 0);
            holds(&a, versions[v], models[m]);
            arena_free(&a);
        }
    }
}

static void longer_needs_no_less(struct arena *a, const char *version,
                                 const struct model *m) {
    struct span last = {true, 0, 0};
    for (int64_t tokens = 100; tokens < 1000000; tokens = tokens * 3 / 2) {
        struct inputs c = case_with(version, m, tokens, 10 * GIB);
        struct span need = memory_kv(a, &c, NULL).bytes_per_request;
        assert_true(need.known && need.low <= need.high);
        assert_true(need.low >= last.low && need.high >= last.high);
        last = need;
    }
}

static void more_tokens_never_need_less(void **state) {
    (void)state;
    for_all(longer_needs_no_less);
}

static void larger_fits_no_less(struct arena *a, const char *version,
                                const struct model *m) {
    struct span last = {true, 0, 0};
    int64_t blocks = 0;
    for (int64_t pool = GIB / 2; pool < 100 * GIB; pool *= 2) {
        struct inputs c = case_with(version, m, 131072, pool);
        struct span fits = memory_longest_request(a, &c);
        struct kv kv = memory_kv(a, &c, NULL);
        assert_true(fits.known && fits.low <= fits.high);
        assert_true(fits.low >= last.low && fits.high >= last.high);
        assert_true(kv.blocks.low >= blocks);
        last = fits;
        blocks = kv.blocks.low;
    }
}

static void more_pool_never_fits_less(void **state) {
    (void)state;
    for_all(larger_fits_no_less);
}

/* The longest fits at the worst corner; one block more does not fit. */
static void longest_is_the_edge(struct arena *a, const char *version,
                                const struct model *m) {
    int64_t pool = 5 * GIB;
    struct inputs c = case_with(version, m, 1000000, pool);
    struct span fits = memory_longest_request(a, &c);
    struct inputs at = case_with(version, m, fits.low, pool);
    assert_true(memory_kv(a, &at, NULL).bytes_held.high <= pool);
    if (fits.high >= INT64_C(1) << 40) {
        return; /* nothing grows: no edge */
    }
    struct inputs over = case_with(version, m, fits.high + 1, pool);
    assert_true(memory_kv(a, &over, NULL).bytes_held.high > pool);
}

static void the_longest_request_is_the_edge(void **state) {
    (void)state;
    for_all(longest_is_the_edge);
}

/* What utilization_up proposes is enough, and a hundredth less is not. */
static void the_least_share_is_the_edge(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL, 0);
    for (int tenths = 10; tenths < 80; tenths += 7) {
        char pool[32];
        snprintf(pool, sizeof pool, "%d.%d0 GiB", tenths / 10, tenths % 10);
        struct inputs c = case_of(
            "0.11.0", &plain,
            SAID({FACT_max_model_len, "65536"}, {FACT_gpu_total, "79.18 GiB"},
                 {FACT_gpu_memory_utilization, "0.8"},
                 {FACT_free_before_load, "78.90 GiB"},
                 {FACT_tensor_parallel, "1"}, {FACT_pipeline_parallel, "1"}));
        say(&c, FACT_kv_available, pool, SOURCE_LOG);
        struct span least = memory_least_utilization(&a, &c);
        struct estimate e = memory_effect(&a, &c, SHORT_KV_POOL,
                                          EFFECT_gpu_memory_utilization_up);
        assert_int_equal(e.verdict, VERDICT_ENOUGH);
        assert_int_equal(e.proposed.number, least.low);
        assert_int_equal(least.low % 10000, 0);
        int64_t share = 79 * GIB / 100; /* a hundredth of the card, about */
        assert_true(e.limit.low - share - share / 50 < e.after.high);
    }
    arena_free(&a);
}

static void the_largest_share_passes_the_check(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL, 0);
    for (int percent = 5; percent < 100; percent += 3) {
        char free[32];
        snprintf(free, sizeof free, "%d.00 GiB", percent * 79 / 100 + 1);
        struct inputs c =
            case_of("0.11.0", NULL, SAID({FACT_gpu_total, "79.18 GiB"}));
        say(&c, FACT_gpu_free, free, SOURCE_LOG);
        struct span share = memory_largest_utilization(&c);
        int64_t want, next;
        assert_true(mul_div_floor(c.in[FACT_gpu_total].high, share.low,
                                  UNITS_MICRO, &want));
        assert_true(want <= c.in[FACT_gpu_free].low);
        assert_true(mul_div_floor(c.in[FACT_gpu_total].high, share.low + 10000,
                                  UNITS_MICRO, &next));
        assert_true(next > c.in[FACT_gpu_free].low);
    }
    arena_free(&a);
}

/* A straight line, printed as vLLM would print it, must be among the lines
 * that the pairs allow. */
static void pairs_hold_the_line_they_came_from(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL, 0);
    for (int64_t slope = 20000; slope < 400000; slope += 17777) {
        for (int64_t fixed = 0; fixed < 2 * GIB; fixed += GIB / 2) {
            int64_t length = 131072, pool = fixed + slope * 4000 - slope;
            int64_t need = fixed + slope * length;
            char text[3][40];
            snprintf(text[0], sizeof *text, "%lld bytes", (long long)need);
            snprintf(text[1], sizeof *text, "%lld bytes", (long long)pool);
            snprintf(text[2], sizeof *text, "%d", 3984);
            struct inputs c =
                case_of(NULL, NULL,
                        SAID({FACT_max_model_len, "131072"},
                             {FACT_kv_needed, text[0]},
                             {FACT_kv_available, text[1]},
                             {FACT_est_max_model_len, text[2]}));
            struct kv kv = memory_kv(&a, &c, NULL);
            assert_holds(kv.slope, slope);
            assert_holds(kv.fixed, fixed);
        }
    }
    arena_free(&a);
}

static void concurrency_times_request_fills_the_pool(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL, 0);
    struct inputs c = case_with("0.11.0", &plain, 8192, 40 * GIB);
    struct span n = memory_kv(&a, &c, NULL).max_concurrency;
    assert_int_equal(n.low, 4000); /* 40 GiB of 1 GiB each */
    assert_int_equal(n.high, 4000);
    arena_free(&a);
}

static void more_ranks_never_need_more(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL, 0);
    int64_t last = INT64_MAX;
    for (int tp = 1; tp <= 32; tp *= 2) {
        char number[16];
        snprintf(number, sizeof number, "%d", tp);
        struct inputs c = case_with("0.11.0", &plain, 8192, GIB);
        say(&c, FACT_tensor_parallel, number, SOURCE_USER);
        struct span need = memory_kv(&a, &c, NULL).bytes_per_request;
        assert_true(need.high <= last);
        assert_true(need.low >= GIB / 8); /* 8 heads, then copies */
        last = need.high;
    }
    arena_free(&a);
}

/* Answers stay bounded or become unknown; they never turn negative. */
static void nothing_wraps(void **state) {
    (void)state;
    static struct kv_group wide[] = {
        {.kind = KV_full,
         .layers = 1000,
         .kv_heads = 65536,
         .k_dim = 1 << 20,
         .v_dim = 1 << 20},
        {.kind = KV_sliding,
         .layers = 1000,
         .kv_heads = 65536,
         .k_dim = 1 << 20,
         .v_dim = 1 << 20,
         .window = INT64_MAX / 2},
    };
    const struct model huge = {.id = STR("huge"),
                               .dtype = STR("bfloat16"),
                               .params = INT64_MAX,
                               .layers = 1000,
                               .groups = wide,
                               .group_count = 2};
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        struct arena a;
        arena_init(&a, NULL, 0);
        struct inputs c =
            case_with(versions[v], &huge, 10000000, INT64_MAX);
        say(&c, FACT_gpu_total, "9000000000000000000 bytes", SOURCE_USER);
        say(&c, FACT_gpu_memory_utilization, "0.9", SOURCE_USER);
        say(&c, FACT_max_num_seqs, "10000", SOURCE_USER);
        struct kv kv = memory_kv(&a, &c, NULL);
        assert_true(!kv.bytes_per_request.known ||
                    kv.bytes_per_request.low >= 0);
        assert_true(!kv.slope.known || kv.slope.low >= 0);
        for (int what = 0; what <= SHORT_UNKNOWN; what++) {
            for (int effect = 0; effect < EFFECT_COUNT_OF; effect++) {
                memory_effect(&a, &c, (enum shortage)what, (enum effect)effect);
            }
        }
        memory_budget(&a, &c, NULL);
        memory_least_tensor_parallel(&a, &c);
        arena_free(&a);
    }
}

static void ten_million_tokens_of_a_thousand_layers_are_exact(void **state) {
    (void)state;
    MODEL(deep, FULL(1000, 8, 128));
    struct arena a;
    arena_init(&a, NULL, 0);
    struct inputs c = case_with("0.11.0", &deep, 10000000, INT64_MAX);
    struct kv kv = memory_kv(&a, &c, NULL);
    assert_int_equal(kv.bytes_per_request.low, INT64_C(40960000000000));
    assert_int_equal(kv.bytes_per_request.high, INT64_C(40960000000000));
    struct span n = kv.max_concurrency;
    assert_true(n.known && n.low > 10000 * 100); /* over 10^4 sequences */
    arena_free(&a);
}

static void what_is_said_is_never_replaced(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL, 0);
    struct version_event always[] = {{false, STR("0.1.0")},
                                     {true, STR("0.20.0")}};
    struct version_event newer[] = {{false, STR("0.20.0")}};
    struct engine_default defaults[] = {
        {FACT_gpu_memory_utilization,
         STR("0.9"),
         {STR("vllm"), always, 2},
         STR("https://example.org/a")},
        {FACT_gpu_memory_utilization,
         STR("0.92"),
         {STR("vllm"), newer, 1},
         STR("https://example.org/b")},
    };
    struct engine engine = {
        .id = STR("vllm"), .defaults = defaults, .default_count = 2};
    struct inputs c = case_vllm("0.11.0", &plain);
    memory_complete(&c, &engine, &a);
    assert_int_equal(c.in[FACT_gpu_memory_utilization].number, 900000);
    assert_int_equal(c.in[FACT_gpu_memory_utilization].source, SOURCE_DEFAULT);
    struct inputs open = case_vllm(NULL, NULL);
    memory_complete(&open, &engine, &a);
    assert_int_equal(open.in[FACT_gpu_memory_utilization].low, 900000);
    assert_int_equal(open.in[FACT_gpu_memory_utilization].high, 920000);
    struct inputs told =
        case_of("0.11.0", NULL, SAID({FACT_gpu_memory_utilization, "0.5"}));
    memory_complete(&told, &engine, &a);
    assert_int_equal(told.in[FACT_gpu_memory_utilization].number, 500000);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_tokens_never_need_less),
        cmocka_unit_test(more_pool_never_fits_less),
        cmocka_unit_test(the_longest_request_is_the_edge),
        cmocka_unit_test(the_least_share_is_the_edge),
        cmocka_unit_test(the_largest_share_passes_the_check),
        cmocka_unit_test(pairs_hold_the_line_they_came_from),
        cmocka_unit_test(concurrency_times_request_fills_the_pool),
        cmocka_unit_test(more_ranks_never_need_more),
        cmocka_unit_test(nothing_wraps),
        cmocka_unit_test(ten_million_tokens_of_a_thousand_layers_are_exact),
        cmocka_unit_test(what_is_said_is_never_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
