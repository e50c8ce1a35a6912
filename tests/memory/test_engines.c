/* test_engines.c: SGLang's static share and pools of tokens, llama.cpp's
 * buffers, and what a training step holds. Sizes are those that programs
 * print; the sums beside them can be done by hand. */
#include "memory/cases.h"

#include "memory/engines.h"
#include "memory/training.h"

#define MIB (INT64_C(1) << 20)

MODEL(llama_8b, FULL(32, 8, 128));
MODEL(gemma, FULL(10, 16, 128), SLIDING(52, 16, 128, 1024));
MODEL(mixed, FULL(12, 2, 256), STATE(36, 1097728));
static struct kv_group deepseek_groups[] = {LATENT(61, 576)};
static const struct model deepseek = {.id = {"deepseek", 8},
                                      .layers = 61,
                                      .heads = 128,
                                      .groups = deepseek_groups,
                                      .group_count = 1};

static struct inputs case_on(const char *engine, const char *version,
                                  const struct model *model,
                                  const struct said *said) {
    struct inputs c = case_of(version, model, said);
    c.engine = str_of(engine);
    return c;
}

static void assert_text(struct str s, const char *part) {
    if (str_find(s, str_of(part)) == s.n) {
        fail_msg("\"%.*s\" does not hold \"%s\"", STR_ARG(s), part);
    }
}

/* ---- SGLang ---- */

static void the_release_chooses_the_fraction(void **state) {
    (void)state;
    static const struct {
        const char *version, *total, *tp;
        int64_t low, high;
    } rows[] = {
        {"0.4.0", "79.10 GiB", "1", 880000, 880000},
        {"0.4.0", "79.10 GiB", "8", 810000, 810000},
        {"0.4.7", "79.10 GiB", "4", 850000, 850000},
        {"0.4.6", "139.80 GiB", "1", 790000, 908000}, /* by patch release */
        {"0.4.8", "22.00 GiB", "2", 863000, 864000},
        {"0.4.10", "79.10 GiB", "1", 873000, 874000},
        {"0.5.2", "139.80 GiB", "8", 885000, 886000},
        {"0.5.2", "178.00 GiB", "1", 820000, 821000},
        /* 512 + 8192 x 1.5 + 256 x 2 + 128 MiB of 80998 */
        {"0.5.3", "79.10 GiB", "1", 834000, 835000},
        /* 512 + 2048 x 1.5 + 24 x 2 + 128 of 22528 */
        {"0.5.3", "22.00 GiB", "1", 833000, 834000},
        /* the same; or 8 MiB for each of 58 sizes up to 8,192 tokens */
        {"0.5.9", "79.10 GiB", "1", 834000, 835000},
        {"0.5.10", "79.10 GiB", "1", 828300, 835000},
        {NULL, "79.10 GiB", "1", 828300, 880000},
        /* 512 + 4096 x 1.5 + 48 x 2 + 128 of 24564; or 8 MiB for each of 50
         * sizes more */
        {"0.5.19", "24564 MiB", "1", 829800, 847000},
        {"0.5.23", "24564 MiB", "1", 703000, 720000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct inputs c =
            case_on("sglang", rows[i].version, NULL,
                    SAID({FACT_gpu_total, rows[i].total},
                         {FACT_tensor_parallel, rows[i].tp}));
        assert_between(sglang_fraction(&c), rows[i].low, rows[i].high);
    }
}

/* server_args.py, adjust_mem_fraction_for_vlm(): x 0.95 x 0.8 to 1.05; the
 * tower of Qwen2.5-VL-7B (24 x 1280^2) makes 0.834 to 0.748. */
static void eyes_lower_the_fraction(void **state) {
    (void)state;
    static struct model seeing;
    seeing = llama_8b;
    seeing.is_multimodal = true;
    struct inputs c = case_on("sglang", "0.5.10", &seeing,
                                   SAID({FACT_gpu_total, "79.10 GiB"}));
    struct span f = sglang_fraction(&c);
    assert_true(f.low < 640000 && f.high < 836000);
    assert_true(f.low <= 748000 && 748000 <= f.high);
    say(&c, FACT_mem_fraction_static, "0.8", SOURCE_USER);
    assert_between(sglang_fraction(&c), 800000, 800000);
}

static void latents_reserve_more_for_prefills(void **state) {
    (void)state;
    struct inputs c = case_on("sglang", "0.5.10", &deepseek,
                                   SAID({FACT_gpu_total, "139.80 GiB"},
                                        {FACT_tensor_parallel, "8"}));
    /* 512 + 8192 x 1.5 + 512 x 2 + 8 x 128 = 14848 MiB; and 1.5 GiB */
    assert_between(sglang_fraction(&c), 885500, 896300);
}

static void weights_that_fill_the_share_want_it_larger(void **state) {
    struct inputs c = case_on(
        "sglang", "0.5.3", &llama_8b,
        SAID({FACT_gpu_total, "22.00 GiB"}, {FACT_weights_bytes, "15.50 GiB"},
             {FACT_mem_fraction_static, "0.7"}));
    struct estimate e = memory_effect(*state, &c, SHORT_KV_POOL,
                                      EFFECT_mem_fraction_static_up);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    /* 15.5 / 21.0 = 0.739, three hundredths for the pool */
    assert_int_equal(e.proposed.number, 770000);
    assert_text(e.formula, "0.77 x 21.00 GiB - 15.50 GiB weights");
    assert_text(e.formula, "kv_tokens");
    say(&c, FACT_weights_bytes, "21.80 GiB", SOURCE_LOG);
    e = memory_effect(*state, &c, SHORT_KV_POOL, EFFECT_mem_fraction_static_up);
    assert_int_equal(e.verdict, VERDICT_NOT_ENOUGH);
    assert_false(e.proposed.known);
    say(&c, FACT_weights_bytes, "19.90 GiB", SOURCE_LOG); /* 0.98: too tight */
    e = memory_effect(*state, &c, SHORT_KV_POOL, EFFECT_mem_fraction_static_up);
    assert_int_equal(e.verdict, VERDICT_MAY_BE_ENOUGH);
    assert_string_equal(e.condition.key, "verdict.if.rest");
}

/* The base and the least share as SGLang prints them. */
static void sglang_s_own_sum_is_taken(void **state) {
    struct inputs c = case_on(
        "sglang", NULL, NULL,
        SAID({FACT_free_before_load, "47.02 GiB"},
             {FACT_weights_bytes, "31.31 GiB"},
             {FACT_mem_fraction_static, "0.6"}));
    struct estimate e = memory_effect(*state, &c, SHORT_KV_POOL,
                                      EFFECT_mem_fraction_static_up);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.proposed.number, 700000);
    c = case_on("sglang", NULL, NULL,
                SAID({FACT_mem_fraction_static, "0.85"},
                     {FACT_mem_fraction_least, "0.894"}));
    e = memory_effect(*state, &c, SHORT_KV_POOL, EFFECT_mem_fraction_static_up);
    assert_int_equal(e.verdict, VERDICT_MAY_BE_ENOUGH);
    assert_string_equal(e.condition.key, "verdict.if.above_least");
    assert_int_equal(e.proposed.number, 930000);
}

static void the_fraction_needs_weights_and_card(void **state) {
    struct inputs c = case_on("sglang", NULL, NULL, SAID_NOTHING);
    struct estimate e = memory_effect(*state, &c, SHORT_KV_POOL,
                                      EFFECT_mem_fraction_static_up);
    assert_int_equal(e.verdict, VERDICT_UNKNOWN);
    assert_int_equal(e.needs.count, 2);
    e = memory_effect(*state, &c, SHORT_ALLOCATION,
                      EFFECT_mem_fraction_static_up);
    assert_int_equal(e.verdict, VERDICT_NONE); /* takes from what failed */
}

static void a_smaller_fraction_leaves_room_for_all_graphs(void **state) {
    struct inputs c = case_on(
        "sglang", "0.5.3", NULL,
        SAID({FACT_gpu_total, "139.81 GiB"}, {FACT_gpu_free, "200.75 MiB"},
             {FACT_tried_alloc, "672.00 MiB"}, {FACT_stage, "capture"},
             {FACT_mem_fraction_static, "0.9"}));
    struct estimate e = memory_effect(*state, &c, SHORT_ALLOCATION,
                                      EFFECT_mem_fraction_static_down);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    /* 0.47 GiB that failed and up to 3 GiB of further graphs */
    assert_int_equal(e.proposed.number, 870000);
    assert_text(e.formula, "still to come");
    say(&c, FACT_stage, "forward", SOURCE_LOG);
    e = memory_effect(*state, &c, SHORT_ALLOCATION,
                      EFFECT_mem_fraction_static_down);
    assert_int_equal(e.proposed.number, 890000);
    say(&c, FACT_stage, "load", SOURCE_LOG);
    e = memory_effect(*state, &c, SHORT_ALLOCATION,
                      EFFECT_mem_fraction_static_down);
    assert_int_equal(e.verdict, VERDICT_NONE);
}

static void a_full_pool_is_short_of_tokens(void **state) {
    struct inputs c =
        case_on("sglang", NULL, NULL,
                SAID({FACT_tried_tokens, "8192"},
                     {FACT_available_tokens, "899840"},
                     {FACT_swa_available_tokens, "3840"}));
    struct estimate e = memory_effect(*state, &c, SHORT_TOKENS,
                                      EFFECT_swa_full_tokens_ratio);
    assert_int_equal(e.quantity, FACT_tried_tokens);
    assert_int_equal(e.verdict, VERDICT_MAY_BE_ENOUGH);
    assert_string_equal(e.condition.key, "verdict.if.window");
    assert_int_equal(e.short_by.low, 4352);
    assert_text(e.formula, "= 4,352 tokens");
    e = memory_effect(*state, &c, SHORT_TOKENS, EFFECT_max_num_batched_tokens);
    assert_int_equal(e.proposed.number, 2048);
    assert_string_equal(e.condition.key, "verdict.if.each_step");
    e = memory_effect(*state, &c, SHORT_TOKENS,
                      EFFECT_mem_fraction_static_down);
    assert_int_equal(e.verdict, VERDICT_NONE);
    say(&c, FACT_swa_available_tokens, "9000", SOURCE_LOG);
    e = memory_effect(*state, &c, SHORT_TOKENS, EFFECT_swa_full_tokens_ratio);
    assert_int_equal(e.verdict, VERDICT_NONE); /* windows have room */
}

/* ---- llama.cpp ---- */

static void types_are_blocks_of_32(void **state) {
    (void)state;
    static const struct {
        const char *type;
        int64_t bytes;
    } rows[] = {{"f16", 64}, {"f32", 128}, {"q8_0", 34},  {"q5_1", 24},
                {"q5_0", 22}, {"q4_1", 20}, {"q4_0", 18}, {"iq4_nl", 18}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(llama_type_bytes(str_of(rows[i].type), 32).low,
                         rows[i].bytes);
    }
    assert_false(llama_type_bytes(STR("q9_9"), 32).known);
}

static void builds_pad_the_context(void **state) {
    (void)state;
    static const struct {
        const char *build;
        int64_t low, high;
    } rows[] = {{"2492", 900, 900},  {"2493", 928, 928},
                {"2771", 1024, 1024}, {"2871", 928, 1024},
                {"6867", 928, 1024}, {"6868", 900, 900},
                {"6974", 900, 900},  {"6975", 1024, 1024},
                {NULL, 900, 1024}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct inputs c =
            case_on("llama.cpp", rows[i].build, NULL, SAID_NOTHING);
        struct span cells = llama_cells(&c, 900);
        assert_int_equal(cells.low, rows[i].low);
        assert_int_equal(cells.high, rows[i].high);
    }
}

static void keys_and_values_have_types_of_their_own(void **state) {
    (void)state;
    struct inputs c = case_on("llama.cpp", "5000", &llama_8b,
                                   SAID({FACT_kv_cache_dtype, "q8_0,f16"}));
    struct str key, value;
    llama_cache_types(&c, &key, &value);
    assert_true(str_eq(key, STR("q8_0")) && str_eq(value, STR("f16")));
    struct span half = llama_cache_bytes(&c, 8192);
    c.in[FACT_kv_cache_dtype].known = false;
    struct span plain = llama_cache_bytes(&c, 8192);
    assert_int_equal(plain.low, 1 * GIB); /* 128 KiB per token */
    assert_int_equal(half.low, 512 * MIB + 272 * MIB);
}

/* 1024 + 512 cells in 52 layers, 32768 in 10. */
static void windows_keep_their_own_cells(void **state) {
    (void)state;
    struct inputs c =
        case_on("llama.cpp", "6000", &gemma, SAID_NOTHING);
    struct span all = llama_cache_bytes(&c, 32768);
    int64_t row = 2 * 16 * 128 * 2;
    assert_int_equal(all.low, row * (10 * 32768 + 52 * 1536));
    assert_int_equal(all.high, all.low);
}

static void recurrent_state_is_of_32_bits(void **state) {
    (void)state;
    struct inputs c = case_on("llama.cpp", "6000", &mixed,
                                   SAID({FACT_max_num_seqs, "4"}));
    struct span one = llama_cache_bytes(&c, 256);
    struct span two = llama_cache_bytes(&c, 512);
    int64_t growing = 12 * 2 * 2 * 256 * 2 * INT64_C(256);
    assert_int_equal(two.low - one.low, growing);
    assert_int_equal(one.low - growing, 36 * INT64_C(1097728) * 2 * 4);
}

/* Before spring 2025 every layer kept the whole context. */
static void old_builds_know_no_windows(void **state) {
    (void)state;
    struct inputs c =
        case_on("llama.cpp", "4000", &gemma,
                SAID({FACT_context_length, "4096"}));
    int64_t row = 2 * 16 * 128 * 2;
    struct span all = llama_cache_bytes(&c, 4096);
    assert_int_equal(all.low, row * 62 * 4096);
    assert_true(llama_is_linear(&c, all));
    struct span less = {true, all.low / 2, all.low / 2};
    assert_false(llama_is_linear(&c, less));
}

/* 4480 MiB of 8192 cells: 7 layers of 128 whole heads of 192 and 128. */
static void a_printed_buffer_says_how_many_layers_it_holds(void **state) {
    (void)state;
    struct inputs c =
        case_on("llama.cpp", NULL, &deepseek,
                SAID({FACT_context_length, "8192"}));
    struct span printed = {true, 4480 * MIB, 4480 * MIB};
    assert_int_equal(llama_layers_in(&c, printed), 7);
    struct span latent = {true, 61 * 9 * MIB, 61 * 9 * MIB};
    assert_int_equal(llama_layers_in(&c, latent), 61);
    struct span odd = {true, 4481 * MIB, 4481 * MIB};
    assert_int_equal(llama_layers_in(&c, odd), 0);
}

static struct inputs refused_cache(void) {
    return case_on("llama.cpp", "6000", &llama_8b,
                   SAID({FACT_tried_alloc, "16384 MiB"},
                        {FACT_context_length, "131072"},
                        {FACT_stage, "kv_alloc"}));
}

static void a_shorter_context_needs_what_is_free(void **state) {
    struct inputs c = refused_cache();
    struct estimate e =
        memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_context_length);
    assert_int_equal(e.verdict, VERDICT_MAY_BE_ENOUGH);
    assert_string_equal(e.condition.key, "verdict.if.free"); /* 8 of 16 GiB */
    assert_in_range(e.share_micro, 499000, 501000);
    assert_int_equal(e.needs.at[0], FACT_gpu_free);
    assert_int_equal(e.proposed.number, 65536);
    say(&c, FACT_gpu_free, "11 GiB", SOURCE_LOG); /* before loading */
    say(&c, FACT_weights_bytes, "5 GiB", SOURCE_LOG);
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_context_length);
    assert_int_equal(e.verdict, VERDICT_ENOUGH); /* 4 of 5 GiB at least */
    assert_int_equal(e.proposed.number, 32768);
    assert_text(e.formula, "x 32,768 / 131,072 = about 4.00 GiB");
}

/* 20 GiB of a cache that takes 128 KiB per token are 163,840 tokens. */
static void a_refused_cache_says_its_context(void **state) {
    struct inputs c = case_on("llama.cpp", "6000", &llama_8b,
                                   SAID({FACT_tried_alloc, "20480 MiB"},
                                        {FACT_stage, "kv_alloc"}));
    struct estimate e =
        memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_context_length);
    assert_int_equal(e.proposed.number, 81920);
    assert_text(e.formula, "20.00 GiB / 128 KiB per token = 163,840 tokens");
    struct span odd = {true, 20480 * MIB + 1, 20480 * MIB + 1};
    assert_int_equal(llama_context_of(&c, odd), 0);
    struct inputs windows =
        case_on("llama.cpp", "6000", &gemma, SAID({FACT_stage, "kv_alloc"}));
    struct span any = {true, 20480 * MIB, 20480 * MIB};
    assert_int_equal(llama_context_of(&windows, any), 0);
}

static void eight_bits_take_34_of_64(void **state) {
    struct inputs c = refused_cache();
    struct estimate e =
        memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_kv_cache_dtype);
    assert_holds(e.after, 8704 * MIB);
    assert_true(str_eq(e.proposed.word, STR("q8_0")));
    say(&c, FACT_kv_cache_dtype, "q8_0", SOURCE_LOG);
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_kv_cache_dtype);
    assert_int_equal(e.verdict, VERDICT_NONE);
}

static void layers_take_their_cache_along(void **state) {
    struct inputs c = refused_cache();
    say(&c, FACT_gpu_layers, "99", SOURCE_LOG); /* 32 and the output */
    struct estimate e =
        memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_gpu_layers);
    assert_int_equal(e.proposed.number, 24);
    assert_int_equal(e.verdict, VERDICT_MAY_BE_ENOUGH);
    say(&c, FACT_stage, "load", SOURCE_LOG);
    say(&c, FACT_tried_alloc, "27846 MiB", SOURCE_LOG);
    say(&c, FACT_gpu_free, "23.0 GiB", SOURCE_LOG);
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_gpu_layers);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    /* 844 MiB of weights a layer, and 640 of the cache that comes behind */
    assert_in_range(e.proposed.number, 12, 15);
    say(&c, FACT_context_length, "4096", SOURCE_LOG);
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_gpu_layers);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_in_range(e.proposed.number, 22, 27);
    c.model = NULL; /* nobody knows what comes behind */
    say(&c, FACT_gpu_layers, "33", SOURCE_LOG);
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_gpu_layers);
    assert_int_equal(e.verdict, VERDICT_MAY_BE_ENOUGH);
    assert_true(str_eq(str_of(e.condition.key), STR("verdict.if.buffers_after")));
}

/* -ngl 999 means all layers: it is no number of layers to divide by. */
static void all_layers_are_no_count(void **state) {
    struct inputs c = refused_cache();
    c.model = NULL;
    say(&c, FACT_stage, "load", SOURCE_LOG);
    say(&c, FACT_tried_alloc, "27846 MiB", SOURCE_LOG);
    say(&c, FACT_gpu_layers, "999", SOURCE_LOG);
    struct estimate e =
        memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_gpu_layers);
    assert_false(e.proposed.known);
    assert_int_not_equal(e.verdict, VERDICT_ENOUGH);
    assert_true(e.after.high < e.before.low);
}

/* 512 x 131072 scores of 32 heads in 4 bytes: 8 GiB. */
static void flash_attention_does_without_the_scores(void **state) {
    struct inputs c = refused_cache();
    say(&c, FACT_stage, "profile", SOURCE_LOG);
    say(&c, FACT_tried_alloc, "8484.02 MiB", SOURCE_LOG);
    assert_int_equal(llama_score_bytes(&c).high, 8 * GIB);
    struct estimate e =
        memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_flash_attention);
    assert_between(e.after, 0, 293 * MIB);
    assert_int_equal(e.verdict, VERDICT_MAY_BE_ENOUGH);
    e = memory_effect(*state, &c, SHORT_ALLOCATION,
                      EFFECT_max_num_batched_tokens);
    assert_int_equal(e.proposed.number, 64);
    assert_holds(e.after, GIB + 292 * MIB); /* an eighth of 8 GiB, the rest */
    say(&c, FACT_flash_attention, "1", SOURCE_LOG);
    e = memory_effect(*state, &c, SHORT_ALLOCATION, EFFECT_flash_attention);
    assert_int_equal(e.verdict, VERDICT_NONE);
}

/* ---- training ---- */

static struct training_setup adamw_7b(void) {
    return (struct training_setup){.params = 7000000000, .layers = 32,
                                   .hidden_size = 4096, .vocab_size = 32000};
}

static void mixed_adamw_takes_16_bytes_and_more(void **state) {
    struct training_setup s = adamw_7b();
    struct formulas f = {0};
    struct training t = memory_training(*state, &s, &f);
    assert_int_equal(t.weights.low, 14000000000);
    assert_int_equal(t.optimizer.low, 84000000000);
    assert_holds(t.total, 112000000000); /* 2 + 2 + 12 */
    assert_between(t.total, 112000000000, 126000000000);
    assert_int_equal(f.count, 3);
    s.precision = PRECISION_FULL;
    assert_holds(memory_training(*state, &s, NULL).total, 112000000000);
    s.precision = PRECISION_HALF;
    assert_holds(memory_training(*state, &s, NULL).total, 56000000000);
    s.optimizer = OPTIMIZER_SGD;
    assert_holds(memory_training(*state, &s, NULL).total, 28000000000);
    s.optimizer = OPTIMIZER_ADAMW_8BIT;
    assert_holds(memory_training(*state, &s, NULL).optimizer, 14000000000);
}

static void each_stage_shards_one_part_more(void **state) {
    struct training_setup s = adamw_7b();
    int64_t last = INT64_MAX;
    s.ranks = 8;
    for (int64_t stage = 0; stage <= 3; stage++) {
        s.shard_stage = stage;
        struct training t = memory_training(*state, &s, NULL);
        assert_true(t.total.low < last);
        last = t.total.low;
    }
    assert_int_equal(last, 14000000000); /* 16 x 7e9 / 8 */
    struct training t = memory_training(*state, &s, NULL);
    assert_true(t.weights.high > t.weights.low); /* gathered layers */
}

static void offload_moves_the_state_to_the_host(void **state) {
    struct training_setup s = adamw_7b();
    s.offloads_optimizer = true;
    struct training t = memory_training(*state, &s, NULL);
    assert_int_equal(t.optimizer.high, 0);
    assert_int_equal(t.host.low, 84000000000);
}

static void adapters_leave_the_base_frozen(void **state) {
    struct training_setup s = adamw_7b();
    s.trainable = 40000000;
    s.base_bits = 4;
    struct training t = memory_training(*state, &s, NULL);
    assert_int_equal(t.weights.low, 3500000000 + 2 * 40000000);
    assert_between(t.gradients, 80000000, 160000000);
    assert_int_equal(t.optimizer.low, 480000000);
}

static void checkpoints_keep_one_row_per_layer(void **state) {
    struct training_setup s = adamw_7b();
    s.batch = 4;
    s.tokens = 2048;
    struct training whole = memory_training(*state, &s, NULL);
    s.is_checkpointed = true;
    struct training few = memory_training(*state, &s, NULL);
    assert_true(few.activations.high < whole.activations.high / 3);
    assert_true(few.activations.low > 0);
    s.vocab_size = 0;
    assert_false(memory_training(*state, &s, NULL).activations.known);
}

static void a_run_is_explained_by_its_parts(void **state) {
    struct inputs c =
        case_on("deepspeed", NULL, &llama_8b,
                SAID({FACT_tried_alloc, "29.92 GiB"},
                     {FACT_gpu_free, "1.00 GiB"}, {FACT_stage, "optimizer"}));
    struct formulas f = {0};
    training_explain(*state, &c, &f);
    assert_true(f.count >= 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_ARENA(the_release_chooses_the_fraction),
        cmocka_unit_test(eyes_lower_the_fraction),
        cmocka_unit_test(latents_reserve_more_for_prefills),
        WITH_ARENA(weights_that_fill_the_share_want_it_larger),
        WITH_ARENA(sglang_s_own_sum_is_taken),
        WITH_ARENA(the_fraction_needs_weights_and_card),
        WITH_ARENA(a_smaller_fraction_leaves_room_for_all_graphs),
        WITH_ARENA(a_full_pool_is_short_of_tokens),
        WITH_ARENA(types_are_blocks_of_32),
        WITH_ARENA(builds_pad_the_context),
        WITH_ARENA(keys_and_values_have_types_of_their_own),
        WITH_ARENA(windows_keep_their_own_cells),
        WITH_ARENA(recurrent_state_is_of_32_bits),
        WITH_ARENA(old_builds_know_no_windows),
        WITH_ARENA(a_printed_buffer_says_how_many_layers_it_holds),
        WITH_ARENA(a_shorter_context_needs_what_is_free),
        WITH_ARENA(a_refused_cache_says_its_context),
        WITH_ARENA(eight_bits_take_34_of_64),
        WITH_ARENA(layers_take_their_cache_along),
        WITH_ARENA(all_layers_are_no_count),
        WITH_ARENA(flash_attention_does_without_the_scores),
        WITH_ARENA(mixed_adamw_takes_16_bytes_and_more),
        WITH_ARENA(each_stage_shards_one_part_more),
        WITH_ARENA(offload_moves_the_state_to_the_host),
        WITH_ARENA(adapters_leave_the_base_frozen),
        WITH_ARENA(checkpoints_keep_one_row_per_layer),
        WITH_ARENA(a_run_is_explained_by_its_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
