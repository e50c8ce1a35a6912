/* test_layouts.c: how vLLM lays out what is not plain attention, held against
 * what it printed: block sizes of hybrids, groups and blocks of DeepSeek-V4,
 * context ranks, windows kept whole, layers that draft. */
#include "memory/cases.h"

#include "memory/kv.h"

#define GDN(n, channels, elements, type)                                       \
    {                                                                          \
        .kind = KV_state, .layers = n, .mixer = {"gdn", 3},                    \
        .conv_channels = channels, .conv_steps = 3,                            \
        .state_elements = elements, .state_dtype = {type, sizeof type - 1}     \
    }
#define MAMBA2(n, inner, groups, width, elements)                              \
    {                                                                          \
        .kind = KV_state, .layers = n, .mixer = {"mamba2", 6},                 \
        .conv_channels = (inner) + (groups) * (width), .conv_steps = 3,        \
        .conv_groups = groups, .group_channels = width,                        \
        .state_elements = elements                                             \
    }

/* Qwen3.5-27B; granite-4.0-h-tiny; Kimi-Linear; Nemotron-H-8B */
MODEL(qwen, GDN(48, 10240, 786432, "float32"), FULL(16, 4, 256));
MODEL(granite, MAMBA2(36, 3072, 1, 256, 393216), FULL(4, 4, 128));
MODEL(nemotron, MAMBA2(24, 8192, 8, 256, 1048576), FULL(4, 8, 128));
MODEL(kimi, {.kind = KV_state, .layers = 20, .mixer = {"kda", 3},
             .conv_channels = 12288, .conv_steps = 3,
             .state_elements = 524288},
      LATENT(7, 576));

static struct variant only_way(struct arena *a, const struct inputs *c) {
    struct variants variants = variants_of(a, c);
    assert_int_equal(variants.count, 1);
    return variants.at[0];
}

static const struct layer_set *set_of_kind(const struct block_layout *p,
                                           enum kv_kind kind) {
    for (size_t i = 0; i < p->count; i++) {
        if (p->set[i].kind == kind) {
            return &p->set[i];
        }
    }
    fail();
    return NULL;
}

static void expect_block(struct arena *a, const struct inputs *c,
                         enum kv_kind kind, int64_t tokens) {
    struct variant w = only_way(a, c);
    struct block_layout p = block_layout_of(&w, LAYOUT_POOL);
    assert_true(p.known && p.is_grouped);
    assert_int_equal(set_of_kind(&p, kind)->block_tokens, tokens);
}

/* "Setting attention block size to N tokens ...": 784 for Qwen3.5-27B (the
 * page is then 0.13 % larger than the state), 1,568 with its cache in fp8,
 * 832 with seven drafted tokens, 400 for granite-4.0-h-tiny. */
static void the_attention_block_is_as_large_as_a_state(void **state) {
    struct inputs c = case_of("0.19.0", &qwen, SAID_NOTHING);
    expect_block(*state, &c, KV_full, 784);
    say(&c, FACT_kv_cache_dtype, "fp8", SOURCE_LOG);
    expect_block(*state, &c, KV_full, 1568);
    c = case_of("0.19.0", &qwen, SAID({FACT_num_speculative_tokens, "7"},
                                      {FACT_speculative_method, "mtp"}));
    expect_block(*state, &c, KV_full, 832);
    c = case_of("0.19.0", &granite, SAID_NOTHING);
    expect_block(*state, &c, KV_full, 400);
    c = case_of("0.19.0", &qwen, SAID({FACT_mamba_ssm_cache_dtype,
                                       "bfloat16"}));
    expect_block(*state, &c, KV_full, 400);
}

MODEL(qwen_35b_a3b, GDN(30, 8192, 524288, "float32"), FULL(10, 2, 256));
MODEL(qwen_4b, GDN(24, 8192, 524288, "float32"), FULL(8, 4, 256));
MODEL(qwen_08b, GDN(18, 6144, 262144, "float32"), FULL(6, 2, 256));
MODEL(qwen_next, GDN(36, 8192, 524288, ""), FULL(12, 2, 256));
MODEL(granite_small, MAMBA2(36, 8192, 1, 256, 1048576), FULL(4, 8, 128));

/* What vLLM printed of each: "Setting attention block size to 528 tokens" and
 * "Padding mamba page size by 0.76%". */
static void printed_block_sizes_and_paddings(void **state) {
    static const struct {
        const struct model *model;
        const char *tp;
        int64_t block, padding; /* tokens; hundredths of a per cent */
    } rows[] = {{&qwen, "1", 784, 13},          {&granite, "1", 400, 159},
                {&qwen_35b_a3b, "1", 1056, 76}, {&qwen_4b, "1", 528, 76},
                {&qwen_08b, "1", 544, 264},     {&qwen_next, "1", 544, 149},
                {&granite_small, "1", 528, 69}, {&qwen_35b_a3b, "4", 528, 76}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct inputs c =
            case_of("0.19.0", rows[i].model,
                    SAID({FACT_tensor_parallel, rows[i].tp}));
        expect_block(*state, &c, KV_full, rows[i].block);
        struct variant w = only_way(*state, &c);
        struct block_layout p = block_layout_of(&w, LAYOUT_POOL);
        int64_t own = kv_state_bytes(&rows[i].model->groups[0], w.tp,
                                     &w.state, 1).low;
        int64_t more = set_of_kind(&p, KV_state)->page_bytes - own;
        assert_int_equal((more * 20000 + own) / (2 * own), rows[i].padding);
    }
}

/* "GPU KV cache size: 3,274,229 tokens", "Maximum concurrency for 262,144
 * tokens per request: 12.49x": 3,185 blocks of 249 + 2 x 3 for a request. */
static void a_printed_size_of_a_hybrid_pool(void **state) {
    struct inputs c = case_of(
        "0.21.0", &qwen_35b_a3b, SAID({FACT_max_model_len, "262144"},
                                      {FACT_prefix_caching, "true"},
                                      {FACT_kv_blocks, "3185"}));
    struct kv kv = memory_kv(*state, &c, NULL);
    assert_int_equal(kv.tokens.low, 3274229);
    assert_int_equal(kv.tokens.high, 3274229);
    assert_int_equal(kv.max_concurrency.low, 1249);
}

/* 12,288 x 3 x 2 and 32 heads x 128 x 128 x 4: blocks in steps of 128. */
static void delta_attention_is_kept_in_32_bits(void **state) {
    struct inputs c = case_of("0.19.0", &kimi, SAID_NOTHING);
    struct variant w = only_way(*state, &c);
    struct span bytes = kv_state_bytes(&kimi.groups[0], 1, &w.state, 1);
    assert_int_equal(bytes.low, 12288 * 3 * 2 + 524288 * 4);
    assert_int_equal(bytes.low, bytes.high);
    expect_block(*state, &c, KV_mla, 1920);
}

/* Ranks share heads; of eight groups each of sixteen ranks keeps one. */
static void ranks_share_a_state(void **state) {
    struct inputs c = case_of("0.19.0", &nemotron, SAID_NOTHING);
    struct variant w = only_way(*state, &c);
    const struct kv_group *g = &nemotron.groups[0];
    static const struct {
        int64_t tp, channels;
    } rows[] = {{1, 10240}, {2, 5120}, {8, 1280}, {16, 768}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct span bytes = kv_state_bytes(g, rows[i].tp, &w.state, 1);
        assert_int_equal(bytes.low, rows[i].channels * 3 * 2 +
                                        1048576 / rows[i].tp * 2);
    }
}

/* Where prefixes are cached a request keeps a second state. */
static void prefixes_cost_a_state(void **state) {
    struct inputs c =
        case_of("0.19.0", &qwen, SAID({FACT_max_model_len, "784"}));
    struct kv plain = memory_kv(*state, &c, NULL);
    say(&c, FACT_prefix_caching, "true", SOURCE_LOG);
    struct kv cached = memory_kv(*state, &c, NULL);
    assert_int_equal(plain.bytes_per_request.low, 16 * INT64_C(3211264) * 4);
    assert_int_equal(cached.bytes_per_request.low, 16 * INT64_C(3211264) * 7);
    say(&c, FACT_prefix_caching, "false", SOURCE_LOG);
    assert_int_equal(memory_kv(*state, &c, NULL).bytes_per_request.low,
                     plain.bytes_per_request.low);
}

/* 0.28.0 is the first to cache them unless told otherwise, in mode "align":
 * is_prefix_caching_supported() of 0.27.0 says no for hybrids. */
static void prefixes_are_cached_by_default_from_a_release_on(void **state) {
    static const struct {
        const char *release;
        int64_t pages;
    } rows[] = {{"0.23.0", 4}, {"0.26.0", 4}, {"0.27.0", 4},
                {"0.28.0", 7}, {"0.33.0", 7}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct inputs c = case_of(rows[i].release, &qwen,
                                  SAID({FACT_max_model_len, "784"}));
        struct kv kv = memory_kv(*state, &c, NULL);
        assert_int_equal(kv.bytes_per_request.low,
                         16 * INT64_C(3211264) * rows[i].pages);
        assert_int_equal(kv.bytes_per_request.high, kv.bytes_per_request.low);
    }
}

/* mamba_cache_mode all: a state for every block of whole chunks. */
static void all_states_grow_with_the_request(void **state) {
    struct inputs c = case_of(
        "0.19.0", &nemotron, SAID({FACT_mamba_cache_mode, "all"},
                                  {FACT_max_model_len, "65536"}));
    struct variants variants = variants_of(*state, &c);
    assert_int_equal(variants.count, 2);
    for (size_t i = 0; i < variants.count; i++) {
        const struct variant *w = &variants.at[i];
        struct block_layout p = block_layout_of(w, LAYOUT_POOL);
        const struct layer_set *s = set_of_kind(&p, KV_state);
        assert_int_equal(s->block_tokens % w->state_step, 0);
        assert_int_equal(variant_blocks(w, s, s->block_tokens, 65536).low,
                         (65536 + s->block_tokens - 1) / s->block_tokens);
    }
}

/* ---- DeepSeek-V4-Flash with its head that drafts, index in four bits ---- */

MODEL(v4, {.kind = KV_sliding, .layers = 43, .kv_heads = 1, .k_dim = 512,
           .window = 128},
      {.kind = KV_mla, .layers = 21, .latent_dim = 512, .ratio = 4},
      {.kind = KV_indexer, .layers = 21, .latent_dim = 68, .ratio = 4},
      {.kind = KV_mla, .layers = 20, .latent_dim = 512, .ratio = 128});

static struct variant packed_way(struct arena *a, const char *length,
                             const char *batch) {
    struct inputs c = case_of(
        "0.27.1", &v4,
        SAID({FACT_num_speculative_tokens, "2"},
             {FACT_speculative_method, "mtp"}, {FACT_max_model_len, length},
             {FACT_max_num_batched_tokens, batch}));
    struct variants variants = variants_of(a, &c);
    assert_int_equal(variants.count, 1); /* two steps in flight: no log */
    return variants.at[0];
}

static void unlike_pages_overlap_in_one_block(void **state) {
    struct variant w = packed_way(*state, "131072", "8192");
    struct block_layout p = block_layout_of(&w, LAYOUT_POOL);
    assert_true(p.is_packed);
    assert_int_equal(p.block_bytes, 917568);
    assert_int_equal(p.layers_per_group, 22);
    assert_int_equal(p.tuple_bytes, 43776);
    static const struct {
        const char *length, *batch;
        int64_t blocks;
    } rows[] = {{"131072", "8192", 7194},   {"131072", "2048", 2202},
                {"1048576", "8192", 10778}, {"1048576", "2048", 5786},
                {"13572", "8192", 5574}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        w = packed_way(*state, rows[i].length, rows[i].batch);
        int64_t tokens = atoll(rows[i].length);
        assert_int_equal(variant_request_blocks(&w, tokens).low, rows[i].blocks);
        assert_int_equal(variant_request(&w, tokens).low,
                         rows[i].blocks * INT64_C(963072));
    }
    w = packed_way(*state, "131072", "8192");
    assert_int_equal(variant_estimate(&w, 5 * GIB, 131072).low, 13572);
    assert_int_equal(variant_longest(&w, 5 * GIB, 131072).low, 13568);
}

/* ---- the rest ---- */

MODEL(plain, FULL(32, 8, 128));
MODEL(chunked, {.kind = KV_chunked, .layers = 36, .kv_heads = 8, .k_dim = 128,
                .v_dim = 128, .window = 8192},
      FULL(12, 8, 128));
MODEL(windowed, SLIDING(40, 8, 256, 1024), FULL(8, 8, 256));
MODEL(sparse, LATENT(61, 576),
      {.kind = KV_indexer, .layers = 61, .latent_dim = 132});

static void context_ranks_share_tokens(void **state) {
    struct inputs c = case_of(
        "0.13.0", &plain, SAID({FACT_tensor_parallel, "8"},
                               {FACT_decode_context_parallel, "2"},
                               {FACT_max_model_len, "1000"},
                               {FACT_kv_blocks, "100"}));
    struct kv kv = memory_kv(*state, &c, NULL);
    assert_int_equal(kv.bytes_per_request.low, 32 * 32 * 16 * 512);
    assert_int_equal(kv.slope.low, 32 * 512 / 2);
    assert_int_equal(kv.tokens.low, 100 * 16 * 2);
}

/* 0.10.1 to 0.13 charge chunks cut and keep them whole: the check came before
 * unify_hybrid_kv_cache_specs. */
static void chunks_are_kept_whole_unless_asked(void **state) {
    struct inputs c =
        case_of("0.16.0", &chunked, SAID({FACT_max_model_len, "131072"},
                                         {FACT_max_num_batched_tokens,
                                          "8192"}));
    int64_t whole = INT64_C(48) * 131072 * 8 * 256 * 2;
    assert_int_equal(memory_kv(*state, &c, NULL).bytes_per_request.low, whole);
    say(&c, FACT_engine_version, "0.11.0", SOURCE_USER);
    struct kv kv = memory_kv(*state, &c, NULL);
    assert_true(kv.bytes_per_request.high < whole / 2);
    assert_int_equal(kv.bytes_per_block.low, INT64_C(48) * 16 * 8 * 256 * 2);
    say(&c, FACT_hybrid_kv_disabled, "false", SOURCE_USER);
    assert_true(memory_kv(*state, &c, NULL).bytes_per_request.high <
                whole / 2);
}

static void the_manager_of_hybrids_can_be_off(void **state) {
    struct inputs c = case_of(
        "0.19.0", &windowed, SAID({FACT_max_model_len, "32768"},
                                  {FACT_max_num_batched_tokens, "2048"}));
    int64_t cut = memory_kv(*state, &c, NULL).bytes_per_request.high;
    say(&c, FACT_hybrid_kv_disabled, "true", SOURCE_USER);
    struct kv kv = memory_kv(*state, &c, NULL);
    assert_int_equal(kv.bytes_per_request.low,
                     INT64_C(48) * 32768 * 8 * 512 * 2);
    assert_true(kv.bytes_per_request.low > cut);
}

/* 0.14 to 0.18 charge the first group only: here the windows. */
static void the_first_group_is_the_first_layer_s(void **state) {
    struct inputs c = case_of(
        "0.18.0", &windowed, SAID({FACT_max_model_len, "32768"},
                                  {FACT_max_num_batched_tokens, "2048"}));
    struct kv kv = memory_kv(*state, &c, NULL);
    int64_t blocks = (1024 - 1 + 2048 + 15) / 16 + 1;
    assert_int_equal(kv.bytes_per_request.low, 8 * blocks * 16 * 8 * 512 * 2);
    assert_int_equal(kv.bytes_per_request.low, kv.bytes_per_request.high);
}

static void heads_that_draft_keep_a_cache(void **state) {
    struct inputs c = case_of(
        "0.19.0", &plain, SAID({FACT_max_model_len, "4096"},
                               {FACT_num_speculative_tokens, "3"},
                               {FACT_speculative_method, "eagle3"}));
    assert_int_equal(memory_kv(*state, &c, NULL).bytes_per_request.low,
                     33 * 4096 * INT64_C(4096));
    say(&c, FACT_speculative_method, "ngram", SOURCE_LOG);
    assert_int_equal(memory_kv(*state, &c, NULL).bytes_per_request.low,
                     32 * 4096 * INT64_C(4096));
}

static void latents_were_spread_then_padded_then_packed(void **state) {
    struct inputs c = case_of("0.6.6", &sparse, SAID_NOTHING);
    assert_int_equal(memory_kv(*state, &c, NULL).slope.low,
                     61 * (32 * 512 * 2 + 132));
    c = case_of("0.11.0", &sparse, SAID_NOTHING);
    assert_int_equal(memory_kv(*state, &c, NULL).slope.low, 61 * (656 + 132));
    c = case_of("0.12.0", &sparse, SAID_NOTHING);
    assert_int_equal(memory_kv(*state, &c, NULL).slope.low, 61 * (1152 + 132));
}

static void a_forced_number_of_blocks_is_the_number(void **state) {
    struct inputs c = case_of(
        "0.11.0", &plain, SAID({FACT_max_model_len, "1600"},
                               {FACT_kv_available, "8.00 GiB"},
                               {FACT_num_gpu_blocks_override, "500"}));
    struct kv kv = memory_kv(*state, &c, NULL);
    assert_int_equal(kv.blocks.low, 500);
    assert_int_equal(kv.max_concurrency.low, 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_ARENA(the_attention_block_is_as_large_as_a_state),
        WITH_ARENA(printed_block_sizes_and_paddings),
        WITH_ARENA(a_printed_size_of_a_hybrid_pool),
        WITH_ARENA(delta_attention_is_kept_in_32_bits),
        WITH_ARENA(ranks_share_a_state),
        WITH_ARENA(prefixes_cost_a_state),
        WITH_ARENA(prefixes_are_cached_by_default_from_a_release_on),
        WITH_ARENA(all_states_grow_with_the_request),
        WITH_ARENA(unlike_pages_overlap_in_one_block),
        WITH_ARENA(context_ranks_share_tokens),
        WITH_ARENA(chunks_are_kept_whole_unless_asked),
        WITH_ARENA(the_manager_of_hybrids_can_be_off),
        WITH_ARENA(the_first_group_is_the_first_layer_s),
        WITH_ARENA(heads_that_draft_keep_a_cache),
        WITH_ARENA(latents_were_spread_then_padded_then_packed),
        WITH_ARENA(a_forced_number_of_blocks_is_the_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
