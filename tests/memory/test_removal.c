/* test_removal.c: what is not known makes nothing firmer. Of cases of every
 * kind each fact is taken away, then each second one, and every effect is
 * asked again:
 *
 *     enough, not enough  >  may be enough  >  unknown
 *
 * A firm verdict that comes of a fact less was made of nothing. */
#include "memory/cases.h"

#include "corpus/words.h"
#include "memory/effect.h"

MODEL(llama_8b, FULL(32, 8, 128));
MODEL(hybrid, FULL(8, 8, 128), SLIDING(24, 8, 128, 4096));

struct sample {
    const char *name, *engine, *version;
    const struct model *model;
    enum shortage what;
    struct said facts[16];
};

static const struct sample samples[] = {
    {"pool", "vllm", "0.10.0", &llama_8b, SHORT_KV_POOL,
     {{FACT_max_model_len, "131072"}, {FACT_kv_needed, "16.00 GiB"},
      {FACT_kv_available, "5.20 GiB"}, {FACT_est_max_model_len, "42592"},
      {FACT_gpu_total, "23.55 GiB"}, {FACT_gpu_memory_utilization, "0.9"},
      {FACT_tensor_parallel, "1"}, {FACT_pipeline_parallel, "1"},
      {FACT_weights_bytes, "14.99 GiB"}, {FACT_gpu_free, "23.10 GiB"},
      {FACT_activation_peak, "1.2 GiB"}, {FACT_kv_cache_dtype, "auto"},
      {FACT_max_num_batched_tokens, "8192"}}},
    {"windows", "vllm", "0.11.0", &hybrid, SHORT_KV_POOL,
     {{FACT_max_model_len, "131072"}, {FACT_kv_available, "3.10 GiB"},
      {FACT_gpu_total, "23.55 GiB"}, {FACT_gpu_memory_utilization, "0.9"},
      {FACT_tensor_parallel, "1"}, {FACT_pipeline_parallel, "1"}}},
    {"v0 tokens", "vllm", "0.5.4", NULL, SHORT_KV_POOL,
     {{FACT_max_model_len, "20000"}, {FACT_kv_tokens, "10944"},
      {FACT_block_size, "16"}, {FACT_gpu_memory_utilization, "0.9"}}},
    {"negative", "vllm", "0.11.0", &llama_8b, SHORT_KV_POOL,
     {{FACT_max_model_len, "8192"}, {FACT_kv_available, "-2.16 GiB"},
      {FACT_gpu_total, "23.55 GiB"}, {FACT_gpu_memory_utilization, "0.9"},
      {FACT_tensor_parallel, "1"}}},
    {"start", "vllm", "0.9.1", &llama_8b, SHORT_FREE_AT_START,
     {{FACT_gpu_free, "19.10 GiB"}, {FACT_gpu_total, "23.55 GiB"},
      {FACT_gpu_memory_utilization, "0.9"}, {FACT_requested_bytes, "21.2 GiB"},
      {FACT_max_model_len, "8192"}, {FACT_tensor_parallel, "1"},
      {FACT_pipeline_parallel, "1"}, {FACT_dtype, "bfloat16"}}},
    {"capture", "vllm", "0.11.0", &llama_8b, SHORT_ALLOCATION,
     {{FACT_stage, "capture"}, {FACT_tried_alloc, "100.00 MiB"},
      {FACT_gpu_free, "20.00 MiB"}, {FACT_gpu_total, "79.18 GiB"},
      {FACT_gpu_memory_utilization, "0.97"}, {FACT_private_pools, "1.00 GiB"},
      {FACT_process_in_use, "78.90 GiB"}, {FACT_kv_available, "50.00 GiB"},
      {FACT_max_num_seqs, "256"}, {FACT_enforce_eager, "0"}}},
    {"serve", "vllm", "0.15.1", &llama_8b, SHORT_ALLOCATION,
     {{FACT_stage, "serve"}, {FACT_tried_alloc, "501.00 MiB"},
      {FACT_gpu_free, "300.00 MiB"}, {FACT_gpu_total, "79.18 GiB"},
      {FACT_max_num_seqs, "1024"}, {FACT_max_num_batched_tokens, "8192"},
      {FACT_gpu_memory_utilization, "0.95"}, {FACT_other_in_use, "400 MiB"},
      {FACT_pytorch_allocated, "75.00 GiB"},
      {FACT_pytorch_unallocated, "100 MiB"}, {FACT_torch_version, "2.6.0"}}},
    {"load", "vllm", "0.11.0", &llama_8b, SHORT_ALLOCATION,
     {{FACT_stage, "load"}, {FACT_tried_alloc, "462 MiB"},
      {FACT_gpu_total, "11.25 GiB"}, {FACT_gpu_free, "278.75 MiB"},
      {FACT_pytorch_allocated, "10.38 GiB"}, {FACT_tensor_parallel, "1"},
      {FACT_dtype, "bfloat16"}, {FACT_weights_bytes, "14.99 GiB"}}},
    {"step", "pytorch", NULL, NULL, SHORT_ALLOCATION,
     {{FACT_tried_alloc, "106.38 MiB"}, {FACT_gpu_total, "11.91 GiB"},
      {FACT_pytorch_allocated, "10.26 GiB"}, {FACT_gpu_free, "53.06 MiB"},
      {FACT_pytorch_unallocated, "56.48 MiB"}, {FACT_oom_words, "capacity"},
      {FACT_batch_size, "32"}, {FACT_other_in_use, "30 MiB"},
      {FACT_process_in_use, "10.80 GiB"}, {FACT_torch_version, "2.4.0"}}},
    {"backward", "transformers", NULL, &llama_8b, SHORT_ALLOCATION,
     {{FACT_stage, "backward"}, {FACT_tried_alloc, "1.96 GiB"},
      {FACT_gpu_free, "1.20 GiB"}, {FACT_gpu_total, "79.14 GiB"},
      {FACT_process_in_use, "77.93 GiB"}, {FACT_pytorch_allocated, "75.10 GiB"},
      {FACT_gpu_count, "8"}, {FACT_zero_stage, "2"}, {FACT_batch_size, "4"},
      {FACT_seq_len, "2048"}, {FACT_optimizer, "adamw"}}},
    {"optimizer", "transformers", NULL, &llama_8b, SHORT_ALLOCATION,
     {{FACT_stage, "optimizer"}, {FACT_tried_alloc, "224 MiB"},
      {FACT_gpu_free, "100 MiB"}, {FACT_gpu_total, "79.14 GiB"},
      {FACT_pytorch_allocated, "75.10 GiB"}, {FACT_gpu_count, "8"},
      {FACT_zero_stage, "0"}, {FACT_optimizer, "adamw"}}},
    {"cache", "llama.cpp", "6000", &llama_8b, SHORT_ALLOCATION,
     {{FACT_tried_alloc, "16384 MiB"}, {FACT_context_length, "131072"},
      {FACT_stage, "kv_alloc"}, {FACT_gpu_free, "11 GiB"},
      {FACT_weights_bytes, "5 GiB"}, {FACT_gpu_layers, "99"},
      {FACT_kv_cache_dtype, "f16"}}},
    {"compute", "llama.cpp", "6000", &llama_8b, SHORT_ALLOCATION,
     {{FACT_tried_alloc, "8484.02 MiB"}, {FACT_context_length, "131072"},
      {FACT_stage, "profile"}, {FACT_gpu_free, "30 GiB"},
      {FACT_weights_bytes, "5 GiB"}, {FACT_kv_bytes, "16 GiB"},
      {FACT_flash_attention, "0"}, {FACT_max_num_batched_tokens, "512"}}},
    {"fraction", "sglang", "0.5.5", NULL, SHORT_KV_POOL,
     {{FACT_free_before_load, "47.02 GiB"}, {FACT_weights_bytes, "31.31 GiB"},
      {FACT_mem_fraction_static, "0.6"}, {FACT_gpu_total, "47.53 GiB"}}},
    {"graphs", "sglang", "0.5.5", NULL, SHORT_ALLOCATION,
     {{FACT_tried_alloc, "672.00 MiB"}, {FACT_gpu_free, "200.75 MiB"},
      {FACT_gpu_total, "140.06 GiB"}, {FACT_stage, "capture"},
      {FACT_mem_fraction_static, "0.9"}, {FACT_weights_bytes, "60 GiB"}}},
    {"tokens", "sglang", "0.5.5", NULL, SHORT_TOKENS,
     {{FACT_tried_tokens, "8192"}, {FACT_available_tokens, "5000"},
      {FACT_swa_available_tokens, "900"}}},
    {"prefill", "tgi", NULL, NULL, SHORT_TOKENS,
     {{FACT_tried_tokens, "4096"}, {FACT_pool_needed, "48 MiB"},
      {FACT_pool_available, "45 MiB"}}},
    {"host", "pytorch", NULL, NULL, SHORT_HOST,
     {{FACT_requested_bytes, "273 GiB"}, {FACT_host_free, "120 GiB"},
      {FACT_host_total, "128 GiB"}, {FACT_num_workers, "8"}}},
    {"killed", "ray", NULL, NULL, SHORT_HOST,
     {{FACT_host_rss, "10 GiB"}, {FACT_host_used, "28 GiB"},
      {FACT_host_total, "30 GiB"}, {FACT_memory_limit, "29 GiB"},
      {FACT_num_workers, "8"}}},
    {"wired", "mlx", NULL, NULL, SHORT_ALLOCATION,
     {{FACT_tried_alloc, "92.00 GiB"}, {FACT_alloc_limit, "80.64 GiB"},
      {FACT_host_total, "128 GiB"}, {FACT_device_kind, "metal"}}},
    {"shm", "pytorch", NULL, NULL, SHORT_UNKNOWN,
     {{FACT_shm_limit, "64 MiB"}, {FACT_shm_requested, "33 MiB"},
      {FACT_num_workers, "4"}}},
};

static int firmness(enum verdict v) {
    switch (v) {
    case VERDICT_ENOUGH:
    case VERDICT_NOT_ENOUGH: return 2;
    case VERDICT_MAY_BE_ENOUGH: return 1;
    case VERDICT_UNKNOWN:
    case VERDICT_NONE: break;
    }
    return 0;
}

/* Nothing firm comes of a fact less, unless it was as firm before. */
static bool may_follow(enum verdict with, enum verdict without) {
    bool helps_not = with == VERDICT_NONE && without == VERDICT_NOT_ENOUGH;
    return firmness(without) < 2 || with == without || helps_not;
}

static struct inputs case_of_sample(const struct sample *s) {
    struct inputs c = case_vllm(s->version, s->model);
    c.engine = str_of(s->engine);
    for (const struct said *f = s->facts; f->text != NULL; f++)
        say(&c, f->fact, f->text, SOURCE_LOG);
    return c;
}

static void compare(const struct sample *s, const struct inputs *with,
                    enum fact_name gone) {
    struct arena a;
    struct inputs without = *with;
    without.in[gone].known = false;
    arena_init(&a, NULL, 0);
    for (int e = 0; e < EFFECT_COUNT_OF; e++) {
        enum effect effect = (enum effect)e;
        enum verdict was = memory_effect(&a, with, s->what, effect).verdict;
        enum verdict is = memory_effect(&a, &without, s->what, effect).verdict;
        if (!may_follow(was, is))
            fail_msg("%s: %s is verdict %d, and %d without %s", s->name,
                     word_spelling(WORDS_EFFECT, e), (int)was, (int)is,
                     fact_spelling(gone));
    }
    arena_free(&a);
}

static void no_fact_is_missed_into_certainty(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct inputs whole = case_of_sample(&samples[i]);
        for (const struct said *f = samples[i].facts; f->text; f++)
            compare(&samples[i], &whole, f->fact);
        compare(&samples[i], &whole, FACT_engine_version);
    }
}

static void nor_is_a_second_one(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const struct said *facts = samples[i].facts;
        for (const struct said *f = facts; f->text; f++) {
            struct inputs part = case_of_sample(&samples[i]);
            part.in[f->fact].known = false;
            for (const struct said *g = facts; g->text; g++)
                if (g->fact != f->fact)
                    compare(&samples[i], &part, g->fact);
        }
    }
}

/* Every fact a default: nothing firm may stand on one. */
static void no_default_makes_a_verdict(void **state) {
    static const enum fact_name settings[] = {FACT_gpu_memory_utilization,
                                              FACT_mem_fraction_static,
                                              FACT_tensor_parallel};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct inputs c = case_of_sample(&samples[i]);
        for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
            c.in[settings[k]].source = SOURCE_DEFAULT;
        struct inputs bare = c;
        bare.in[FACT_gpu_memory_utilization].known = false;
        bare.in[FACT_mem_fraction_static].known = false;
        for (int e = 0; e < EFFECT_COUNT_OF; e++) {
            enum effect effect = (enum effect)e;
            struct estimate with =
                memory_effect(*state, &c, samples[i].what, effect);
            struct estimate without =
                memory_effect(*state, &bare, samples[i].what, effect);
            if (firmness(with.verdict) == 2)
                assert_int_equal(with.verdict, without.verdict);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_fact_is_missed_into_certainty),
        cmocka_unit_test(nor_is_a_second_one),
        WITH_ARENA(no_default_makes_a_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
