/* test_training.c: what a case tells of a training run, and where its bytes go
 * when a step failed. */
#include "memory/cases.h"
#include "memory/training.h"

static const struct model llama_8b = {
    .id = {"llama-8b", 8}, .params = 8030261248, .layers = 32,
    .hidden_size = 4096, .heads = 32, .vocab_size = 128256,
    .intermediate_size = 14336, .embedding_params = 1050673152,
    .dtype = {"bfloat16", 8},
    .groups = (struct kv_group[]){{.kind = KV_full, .layers = 32,
                                   .kv_heads = 8, .k_dim = 128,
                                   .v_dim = 128}},
    .group_count = 1};

static struct inputs run_of(const char *engine,
                                 const struct said *said) {
    struct inputs c = case_of(NULL, &llama_8b, said);
    c.engine = str_of(engine);
    return c;
}

static const struct budget_part *part(const struct budget *b,
                                      const char *name) {
    for (size_t i = 0; i < b->count; i++) {
        if (strcmp(b->parts[i].part, name) == 0) {
            return &b->parts[i];
        }
    }
    return NULL;
}

static void engines_and_words_that_train(void **state) {
    (void)state;
    struct inputs c = run_of("deepspeed", SAID({FACT_rank, "0"}));
    assert_true(training_is_run(&c));
    c = run_of("transformers", SAID({FACT_max_model_len, "4096"}));
    assert_false(training_is_run(&c));
    c = run_of("transformers", SAID({FACT_lora_rank, "8"}));
    assert_true(training_is_run(&c));
    c = run_of("vllm", SAID({FACT_lora_rank, "8"}));
    assert_false(training_is_run(&c));
}

static void optimizers_as_people_write_them(void **state) {
    (void)state;
    static const struct {
        const char *word;
        enum optimizer optimizer;
    } rows[] = {{"adamw_torch_fused", OPTIMIZER_ADAMW},
                {"paged_adamw_8bit", OPTIMIZER_ADAMW_8BIT},
                {"ADAMW_BNB_8BIT", OPTIMIZER_ADAMW_8BIT},
                {"Adafactor", OPTIMIZER_ADAFACTOR},
                {"lion", OPTIMIZER_MOMENTUM},
                {"SGD", OPTIMIZER_SGD}};
    enum optimizer o;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_true(training_optimizer_named(str_of(rows[i].word), &o));
        assert_int_equal(o, rows[i].optimizer);
    }
    assert_false(training_optimizer_named(STR("magic"), &o));
    enum precision p;
    assert_true(training_precision_named(STR("BF16"), &p));
    assert_int_equal(p, PRECISION_MIXED);
    assert_false(training_precision_named(STR("int3"), &p));
}

static void a_case_is_a_setup(void **state) {
    (void)state;
    struct inputs c =
        run_of("deepspeed", SAID({FACT_gpu_count, "16"},
                                 {FACT_tensor_parallel, "2"},
                                 {FACT_zero_stage, "2"},
                                 {FACT_offload, "optimizer"},
                                 {FACT_batch_size, "4"},
                                 {FACT_seq_len, "4096"}));
    struct training_setup s = training_setup_of(&c);
    assert_int_equal(s.params, 8030261248 / 2);
    assert_int_equal(s.ranks, 8);
    assert_int_equal(s.shard_stage, 2);
    assert_true(s.offloads_optimizer);
    assert_false(s.offloads_weights);
    assert_int_equal(s.batch * s.tokens, 4 * 4096);
    say(&c, FACT_data_parallel, "3", SOURCE_LOG);
    assert_int_equal(training_setup_of(&c).ranks, 3);
}

static void adapters_by_rank_or_by_count(void **state) {
    (void)state;
    struct inputs c =
        run_of("transformers", SAID({FACT_lora_rank, "16"}));
    struct training_setup s = training_setup_of(&c);
    /* queries and values: 16 x 32 x (4096 + 4096 + 4096 + 1024) */
    assert_int_equal(s.trainable, 6815744);
    /* and keys, output, gate, up, down */
    assert_int_equal(s.trainable_most, 41943040);
    assert_int_equal(s.base_bits, 16);
    say(&c, FACT_trainable_params, "41943040", SOURCE_LOG);
    say(&c, FACT_quantization, "bitsandbytes", SOURCE_LOG);
    s = training_setup_of(&c);
    assert_int_equal(s.trainable, 41943040);
    assert_int_equal(s.base_bits, 4);
    assert_true(s.frozen.low > 4500000000 && s.frozen.high < 6500000000);
}

static void scores_come_on_top_without_fused_attention(void **state) {
    struct inputs c = run_of(
        "transformers", SAID({FACT_batch_size, "1"}, {FACT_seq_len, "8192"}));
    struct training_setup s = training_setup_of(&c);
    int64_t fused = memory_training(*state, &s, NULL).activations.high;
    say(&c, FACT_flash_attention, "false", SOURCE_USER);
    s = training_setup_of(&c);
    struct training t = memory_training(*state, &s, NULL);
    assert_int_equal(t.activations.high - fused,
                     INT64_C(32) * 32 * 8192 * 8192 * 5);
}

static struct inputs backward(const char *allocated) {
    struct inputs c =
        run_of("transformers",
               SAID({FACT_stage, "backward"}, {FACT_tried_alloc, "1.96 GiB"},
                    {FACT_gpu_free, "1.20 GiB"}, {FACT_gpu_total, "79.14 GiB"},
                    {FACT_process_in_use, "77.93 GiB"},
                    {FACT_pytorch_unallocated, "1.31 GiB"},
                    {FACT_gpu_count, "8"}, {FACT_zero_stage, "2"}));
    say(&c, FACT_pytorch_allocated, allocated, SOURCE_LOG);
    return c;
}

static void a_failed_step_shows_its_state(void **state) {
    struct inputs c = backward("75.10 GiB");
    struct budget b = memory_budget(*state, &c, NULL);
    assert_int_equal(part(&b, "weights")->bytes.low, 2 * 8030261248);
    assert_int_equal(part(&b, "optimizer")->bytes.low, 12 * 8030261248 / 8);
    assert_true(part(&b, "activation")->bytes.low > 40 * GIB);
    assert_true(part(&b, "activation")->bytes.high < 48 * GIB);
    assert_null(part(&b, "mine"));
    assert_non_null(part(&b, "free"));
}

static void what_does_not_add_up_is_not_shown(void **state) {
    struct inputs c = backward("20.00 GiB");
    struct budget b = memory_budget(*state, &c, NULL);
    assert_non_null(part(&b, "mine"));
    assert_null(part(&b, "optimizer"));
    c = backward("75.10 GiB"); /* nothing is told of the run */
    c.in[FACT_zero_stage].known = false;
    b = memory_budget(*state, &c, NULL);
    assert_non_null(part(&b, "mine"));
}

static void the_first_step_is_making_the_state(void **state) {
    struct inputs c = backward("75.10 GiB");
    say(&c, FACT_stage, "optimizer", SOURCE_LOG);
    struct budget b = memory_budget(*state, &c, NULL);
    assert_null(part(&b, "activation"));
    assert_true(part(&b, "optimizer")->bytes.low > 55 * GIB);
}

/* ---- what a fix would do ---- */

static struct estimate effect_of(void **state, const struct inputs *c,
                                 enum effect effect) {
    return memory_effect(*state, c, SHORT_ALLOCATION, effect);
}

static void half_a_batch_frees_half_of_the_activations(void **state) {
    struct inputs c = backward("75.10 GiB");
    struct estimate e = effect_of(state, &c, EFFECT_batch_size);
    /* half of the request fits into what is free */
    assert_int_equal(e.verdict, VERDICT_MAY_BE_ENOUGH);
    assert_string_equal(e.condition.key, "verdict.if.scales");
    assert_int_equal(e.needs.at[0], FACT_batch_size);
    say(&c, FACT_batch_size, "2", SOURCE_LOG);
    e = effect_of(state, &c, EFFECT_batch_size);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.proposed.number, 1);
    assert_true(e.limit.low > 15 * GIB && e.limit.high < 27 * GIB);
    say(&c, FACT_batch_size, "1", SOURCE_LOG);
    e = effect_of(state, &c, EFFECT_batch_size);
    assert_int_equal(e.verdict, VERDICT_NONE);
}

static void checkpoints_need_the_shape_of_the_step(void **state) {
    struct inputs c = backward("75.10 GiB");
    struct estimate e = effect_of(state, &c, EFFECT_gradient_checkpointing);
    assert_int_equal(e.needs.count, 2);
    say(&c, FACT_batch_size, "2", SOURCE_LOG);
    say(&c, FACT_seq_len, "2048", SOURCE_USER);
    e = effect_of(state, &c, EFFECT_gradient_checkpointing);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    say(&c, FACT_gradient_checkpointing, "true", SOURCE_LOG);
    e = effect_of(state, &c, EFFECT_gradient_checkpointing);
    assert_int_equal(e.verdict, VERDICT_NONE);
}

static void shards_free_what_the_others_hold(void **state) {
    struct inputs c = backward("75.10 GiB");
    struct estimate e = effect_of(state, &c, EFFECT_shard_state);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.proposed.number, 3);
    c.in[FACT_gpu_count].known = false;
    e = effect_of(state, &c, EFFECT_shard_state);
    assert_int_equal(e.needs.at[0], FACT_gpu_count);
    e = memory_effect(*state, &c, SHORT_KV_POOL, EFFECT_shard_state);
    assert_int_equal(e.verdict, VERDICT_NONE);
}

static void state_on_the_host_frees_the_gpu(void **state) {
    struct inputs c = backward("75.10 GiB");
    struct estimate e = effect_of(state, &c, EFFECT_offload_optimizer);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_true(str_eq(e.proposed.word, STR("optimizer")));
    say(&c, FACT_stage, "optimizer", SOURCE_LOG);
    e = effect_of(state, &c, EFFECT_offload_optimizer);
    assert_int_equal(e.verdict, VERDICT_ENOUGH); /* it is not asked for */
    e = effect_of(state, &c, EFFECT_offload_all);
    assert_int_equal(e.verdict, VERDICT_NONE); /* parameters need stage 3 */
    say(&c, FACT_zero_stage, "3", SOURCE_LOG);
    e = effect_of(state, &c, EFFECT_offload_all);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    c.model = NULL;
    e = effect_of(state, &c, EFFECT_offload_optimizer);
    assert_int_equal(e.needs.at[0], FACT_model);
}

static void offloaded_state_fills_the_host(void **state) {
    struct inputs c = backward("75.10 GiB");
    say(&c, FACT_zero_stage, "3", SOURCE_LOG);
    say(&c, FACT_offload, "all", SOURCE_LOG);
    c.in[FACT_tried_alloc].known = false;
    struct estimate e =
        memory_effect(*state, &c, SHORT_HOST, EFFECT_host_memory);
    assert_string_equal(e.condition.key, "verdict.if.offloaded");
    /* 12 of the optimizer, 4 of gradients, 2 of weights, all ranks together */
    assert_true(e.after.low >= 17 * 8030261248);
    assert_true(e.after.high <= 19 * 8030261248);
    c.in[FACT_offload].known = false;
    e = memory_effect(*state, &c, SHORT_HOST, EFFECT_host_memory);
    assert_null(e.condition.key);
}

static void a_guessed_run_is_asked_for(void **state) {
    struct inputs c = backward("75.10 GiB");
    c.in[FACT_zero_stage].known = false;
    struct estimate e = effect_of(state, &c, EFFECT_optimizer_state);
    assert_int_equal(e.verdict, VERDICT_MAY_BE_ENOUGH);
    assert_string_equal(e.condition.key, "verdict.if.state");
    assert_int_equal(e.needs.at[0], FACT_optimizer);
    /* 2 + 2 + 2 bytes where all is kept in 16 bits; fp32 copy and gradients */
    assert_int_equal(e.after.low, 6 * 8030261248);
    assert_true(e.after.high >= 10 * 8030261248);
    say(&c, FACT_gpu_total, "23.69 GiB", SOURCE_LOG);
    say(&c, FACT_gpu_free, "0.30 GiB", SOURCE_LOG);
    say(&c, FACT_pytorch_allocated, "22.90 GiB", SOURCE_LOG);
    say(&c, FACT_stage, "optimizer", SOURCE_LOG);
    e = effect_of(state, &c, EFFECT_optimizer_state);
    /* 44.9 GiB at least, of what a default says */
    assert_string_equal(e.condition.key, "verdict.if.not_default");
    c.model = NULL;
    e = effect_of(state, &c, EFFECT_optimizer_state);
    assert_string_equal(e.condition.key, "verdict.if.frees");
}

static void all_of_the_state_has_to_find_room(void **state) {
    struct inputs c = backward("60.00 GiB");
    say(&c, FACT_stage, "optimizer", SOURCE_LOG);
    say(&c, FACT_zero_stage, "0", SOURCE_LOG);
    /* 96 GB of moments and copy; 30 GiB of weights and gradients */
    struct estimate e = effect_of(state, &c, EFFECT_optimizer_state);
    assert_int_equal(e.quantity, FACT_requested_bytes);
    assert_int_equal(e.before.low, 12 * 8030261248);
    assert_int_equal(e.verdict, VERDICT_NOT_ENOUGH); /* 6 x 8.03 > 31.2 */
    e = effect_of(state, &c, EFFECT_shard_state);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    e = effect_of(state, &c, EFFECT_adapters);
    assert_int_equal(e.verdict, VERDICT_ENOUGH);
    assert_int_equal(e.proposed.number, 16);
    e = effect_of(state, &c, EFFECT_batch_size);
    assert_int_equal(e.verdict, VERDICT_NONE); /* activations are gone */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_ARENA(engines_and_words_that_train),
        WITH_ARENA(optimizers_as_people_write_them),
        WITH_ARENA(a_case_is_a_setup),
        WITH_ARENA(adapters_by_rank_or_by_count),
        WITH_ARENA(scores_come_on_top_without_fused_attention),
        WITH_ARENA(a_failed_step_shows_its_state),
        WITH_ARENA(what_does_not_add_up_is_not_shown),
        WITH_ARENA(the_first_step_is_making_the_state),
        WITH_ARENA(half_a_batch_frees_half_of_the_activations),
        WITH_ARENA(checkpoints_need_the_shape_of_the_step),
        WITH_ARENA(shards_free_what_the_others_hold),
        WITH_ARENA(state_on_the_host_frees_the_gpu),
        WITH_ARENA(offloaded_state_fills_the_host),
        WITH_ARENA(a_guessed_run_is_asked_for),
        WITH_ARENA(all_of_the_state_has_to_find_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
