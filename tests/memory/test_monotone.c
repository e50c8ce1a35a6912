/* test_monotone.c: every knob turns one way. More ranks, fewer bytes an
 * element or smaller steps never need more; what is longer, drafted or cached
 * never needs less; what is held elsewhere never leaves more. For every layout
 * and every release, up to 10^7 tokens x 10^4 sequences x 10^3 layers. */
#include "memory/cases.h"

#include "memory/amount.h"
#include "memory/kv.h"

#define STATE_OF(n, channels, elements)                                        \
    {                                                                          \
        .kind = KV_state, .layers = n, .mixer = {"gdn", 3},                    \
        .conv_channels = channels, .conv_steps = 3,                            \
        .state_elements = elements, .state_dtype = {"float32", 7}              \
    }

MODEL(plain, FULL(32, 8, 128));
MODEL(windowed, SLIDING(40, 8, 256, 1024), FULL(8, 8, 256));
MODEL(chunked, {.kind = KV_chunked, .layers = 36, .kv_heads = 8, .k_dim = 128,
                .v_dim = 128, .window = 8192},
      FULL(12, 8, 128));
MODEL(latent, LATENT(61, 576));
MODEL(sparse, LATENT(61, 576),
      {.kind = KV_indexer, .layers = 61, .latent_dim = 132});
MODEL(recurrent, STATE_OF(48, 10240, 786432), FULL(16, 4, 256));
MODEL(deep, FULL(1000, 8, 128));
MODEL(deep_hybrid, SLIDING(900, 8, 256, 4096), FULL(100, 8, 256));
MODEL(deep_state, STATE_OF(900, 10240, 786432), FULL(100, 8, 256));
MODEL(packed, {.kind = KV_sliding, .layers = 43, .kv_heads = 1, .k_dim = 512,
               .window = 128},
      {.kind = KV_mla, .layers = 21, .latent_dim = 512, .ratio = 4},
      {.kind = KV_indexer, .layers = 21, .latent_dim = 132, .ratio = 4},
      {.kind = KV_mla, .layers = 20, .latent_dim = 512, .ratio = 128});

static const struct model *const models[] = {
    &plain,     &windowed, &chunked,     &latent,     &sparse,
    &recurrent, &deep,     &deep_hybrid, &deep_state, &packed};
static const char *const versions[] = {"0.6.6",  "0.8.5",  "0.9.1",  "0.11.0",
                                       "0.13.0", "0.15.0", "0.17.0", "0.18.0",
                                       "0.20.0", "0.21.0", "0.27.1"};

static struct inputs case_at(const char *version, const struct model *m,
                                  int64_t tokens) {
    char number[32];
    struct inputs c = case_vllm(version, m);
    snprintf(number, sizeof number, "%lld", (long long)tokens);
    say(&c, FACT_max_model_len, number, SOURCE_USER);
    say(&c, FACT_max_num_batched_tokens, "8192", SOURCE_USER);
    say(&c, FACT_kv_available, "40.00 GiB", SOURCE_USER);
    return c;
}

static void turn(struct inputs *c, enum fact_name knob, int64_t n) {
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)n);
    say(c, knob, number, SOURCE_USER);
}

typedef void (*property)(struct arena *a, const char *version,
                         const struct model *m, int64_t tokens);

static void for_all(property holds) {
    static const int64_t lengths[] = {1, 777, 8192, 131072, 10000000};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (size_t v = 0; v < sizeof versions / sizeof *versions; v++)
            for (size_t t = 0; t < sizeof lengths / sizeof *lengths; t++) {
                struct arena a;
                arena_init(&a, NULL, 0);
                holds(&a, versions[v], models[m], lengths[t]);
                arena_free(&a);
            }
}

static void expect_no_more(const struct inputs *c, enum fact_name knob,
                           int64_t setting, const char *what, int64_t now,
                           int64_t before) {
    if (now > before)
        fail_msg("%.*s, %.*s, %lld tokens: with %s %lld %s is %lld, before "
                 "%lld", STR_ARG(c->model->id),
                 STR_ARG(c->in[FACT_engine_version].word),
                 (long long)c->in[FACT_max_model_len].number,
                 fact_spelling(knob), (long long)setting, what,
                 (long long)now, (long long)before);
}

/* One block more at most: where a rank's block is shorter, the last one may
 * be less full. */
static void never_more(struct arena *a, struct inputs *c,
                       enum fact_name knob, const int64_t *settings,
                       size_t count) {
    struct kv last = {.bytes_per_request = {false, 0, 0}};
    for (size_t i = 0; i < count; i++) {
        turn(c, knob, settings[i]);
        struct kv kv = memory_kv(a, c, NULL);
        struct span need = kv.bytes_per_request;
        if (last.bytes_per_request.known && need.known) {
            int64_t slack = kv.bytes_per_block.known ? kv.bytes_per_block.high
                                                     : 0;
            expect_no_more(c, knob, settings[i], "need", need.high,
                           last.bytes_per_request.high + slack);
            expect_no_more(c, knob, settings[i], "least need", need.low,
                           last.bytes_per_request.low + slack);
            expect_no_more(c, knob, settings[i], "a token", kv.slope.high,
                           last.slope.high);
        }
        last = kv;
    }
}

static void ranks_share(struct arena *a, const char *version,
                        const struct model *m, int64_t tokens) {
    static const int64_t ranks[] = {1, 2, 4, 8, 16, 32};
    static const enum fact_name knobs[] = {FACT_tensor_parallel,
                                           FACT_pipeline_parallel,
                                           FACT_decode_context_parallel};
    for (size_t k = 0; k < sizeof knobs / sizeof *knobs; k++) {
        bool is_odd = strcmp(version, "0.6.6") == 0 || /* rest to the last */
                      strcmp(version, "0.27.1") == 0; /* a step for a stage */
        if (is_odd && knobs[k] == FACT_pipeline_parallel)
            continue;
        struct inputs c = case_at(version, m, tokens);
        never_more(a, &c, knobs[k], ranks, sizeof ranks / sizeof *ranks);
    }
}

static void more_ranks_never_need_more(void **state) {
    (void)state;
    for_all(ranks_share);
}

static void steps_shrink(struct arena *a, const char *version,
                         const struct model *m, int64_t tokens) {
    static const int64_t steps[] = {16384, 8192, 4096, 2048, 512};
    struct inputs c = case_at(version, m, tokens);
    never_more(a, &c, FACT_max_num_batched_tokens, steps,
               sizeof steps / sizeof *steps);
}

static void smaller_steps_never_need_more(void **state) {
    (void)state;
    for_all(steps_shrink);
}

static void drafts_grow(struct arena *a, const char *version,
                        const struct model *m, int64_t tokens) {
    static const int64_t drafts[] = {8, 4, 2, 1};
    struct inputs c = case_at(version, m, tokens);
    say(&c, FACT_speculative_method, "mtp", SOURCE_USER);
    never_more(a, &c, FACT_num_speculative_tokens, drafts,
               sizeof drafts / sizeof *drafts);
}

static void drafted_tokens_never_need_less(void **state) {
    (void)state;
    for_all(drafts_grow);
}

static void elements_shrink(struct arena *a, const char *version,
                            const struct model *m, int64_t tokens) {
    static const char *const types[] = {"float32", "bfloat16", "fp8"};
    struct span last = {false, 0, 0};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct inputs c = case_at(version, m, tokens);
        say(&c, FACT_kv_cache_dtype, types[i], SOURCE_USER);
        struct kv kv = memory_kv(a, &c, NULL);
        if (last.known && kv.slope.known)
            assert_true(kv.slope.high <= last.high);
        last = kv.slope;
    }
}

static void smaller_elements_never_need_more(void **state) {
    (void)state;
    for_all(elements_shrink);
}

static void prefixes_cost(struct arena *a, const char *version,
                          const struct model *m, int64_t tokens) {
    struct inputs c = case_at(version, m, tokens);
    say(&c, FACT_prefix_caching, "false", SOURCE_USER);
    struct span plain_need = memory_kv(a, &c, NULL).bytes_per_request;
    say(&c, FACT_prefix_caching, "true", SOURCE_USER);
    struct span cached = memory_kv(a, &c, NULL).bytes_per_request;
    assert_int_equal(plain_need.known, cached.known);
    assert_true(cached.low >= plain_need.low);
}

static void cached_prefixes_never_need_less(void **state) {
    (void)state;
    for_all(prefixes_cost);
}

/* ---- the pool ---- */

static int64_t pool_with(struct arena *a, enum fact_name knob,
                         const char *text) {
    struct inputs c = case_of(
        "0.11.0", &plain,
        SAID({FACT_gpu_total, "79.18 GiB"},
             {FACT_gpu_memory_utilization, "0.9"},
             {FACT_weights_bytes, "14.99 GiB"},
             {FACT_activation_peak, "4.76 GiB"}, {FACT_non_torch, "0.13 GiB"},
             {FACT_max_model_len, "8192"}));
    say(&c, knob, text, SOURCE_LOG);
    struct kv kv = memory_kv(a, &c, NULL);
    assert_true(kv.pool.known);
    return kv.pool.low;
}

static void what_is_held_elsewhere_never_leaves_more(void **state) {
    (void)state;
    static const struct {
        enum fact_name knob;
        const char *less, *more; /* of pool */
    } rows[] = {{FACT_gpu_total, "39.39 GiB", "79.18 GiB"},
                {FACT_gpu_memory_utilization, "0.8", "0.95"},
                {FACT_weights_bytes, "20.00 GiB", "10.00 GiB"},
                {FACT_activation_peak, "6.00 GiB", "1.00 GiB"},
                {FACT_non_torch, "2.00 GiB", "0.10 GiB"}};
    struct arena a;
    arena_init(&a, NULL, 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(pool_with(&a, rows[i].knob, rows[i].less) <=
                    pool_with(&a, rows[i].knob, rows[i].more));
    arena_free(&a);
}

/* ---- inverses ---- */

static void inverse_meets_itself(struct arena *a, const char *version,
                                 const struct model *m, int64_t tokens) {
    struct inputs c = case_at(version, m, tokens);
    struct variants variants = variants_of(a, &c);
    for (size_t i = 0; i < variants.count; i++) {
        const struct variant *w = &variants.at[i];
        struct span need = variant_request(w, tokens);
        struct span kept = variant_kept(w, tokens);
        struct span pool = span_plus(kept, variant_aside(w));
        struct span back = variant_longest(w, pool.high, INT64_C(1) << 40);
        assert_true(need.known && kept.known && back.known);
        assert_true(kept.high >= need.high && back.low >= tokens);
        assert_true(variant_kept(w, back.low).high <= kept.high);
        if (back.low < INT64_C(1) << 40) /* else no growth */
            assert_true(variant_kept(w, back.low + 1).high > kept.high);
        /* What the check lets pass may be longer. */
        assert_true(variant_estimate(w, pool.high, INT64_C(1) << 40).low >=
                    back.low);
    }
}

static void the_inverse_of_the_inverse_is_the_request(void **state) {
    (void)state;
    for_all(inverse_meets_itself);
}

/* 10^4 requests of 10^7 tokens in 10^3 layers are counted, not wrapped. */
static void the_largest_are_counted(struct arena *a, const char *version,
                                    const struct model *m, int64_t tokens) {
    struct inputs c = case_at(version, m, tokens);
    say(&c, FACT_kv_available, "9000000000000000000 bytes", SOURCE_USER);
    say(&c, FACT_max_num_seqs, "10000", SOURCE_USER);
    struct kv kv = memory_kv(a, &c, NULL);
    struct span n = kv.max_concurrency;
    if (!kv.bytes_per_block.known)
        return; /* that release has no such layout */
    assert_true(kv.bytes_per_request.known && kv.bytes_per_request.low > 0);
    assert_true(kv.bytes_per_request.high < INT64_MAX / 10000);
    assert_true(n.known && n.low >= 10000);
    assert_true(kv.blocks.known && kv.blocks.low > 0);
}

static void no_request_wraps(void **state) {
    (void)state;
    for_all(the_largest_are_counted);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_ranks_never_need_more),
        cmocka_unit_test(smaller_steps_never_need_more),
        cmocka_unit_test(drafted_tokens_never_need_less),
        cmocka_unit_test(smaller_elements_never_need_more),
        cmocka_unit_test(cached_prefixes_never_need_less),
        cmocka_unit_test(what_is_held_elsewhere_never_leaves_more),
        cmocka_unit_test(the_inverse_of_the_inverse_is_the_request),
        cmocka_unit_test(no_request_wraps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
