/* Models as people write them, and GPUs as tools print them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/corpus.h"

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

struct spelling {
    const char *written;
    const char *model; /* NULL: not in the catalogue, and not to be guessed */
    bool is_guess;
    const char *quantization;
};

static const struct spelling spellings[] = {
    /* ids and aliases, in any case */
    {"Qwen/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-7B-Instruct", false, ""},
    {"qwen/qwen2.5-7b-instruct", "Qwen/Qwen2.5-7B-Instruct", false, ""},
    {"Qwen/Qwen2.5-7B", "Qwen/Qwen2.5-7B-Instruct", false, ""},
    {"Qwen/Qwen2.5-7B-Instruct-AWQ", "Qwen/Qwen2.5-7B-Instruct", false, "awq"},
    {"'meta-llama/Llama-3.1-8B'", "meta-llama/Llama-3.1-8B-Instruct", false,
     ""},
    {"gpt2", "openai-community/gpt2", false, ""},
    {"mistral", "mistralai/Mistral-7B-Instruct-v0.3", false, ""},
    /* paths */
    {"/models/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-7B-Instruct", false, ""},
    {"/models/Qwen2.5-7B-Instruct/", "Qwen/Qwen2.5-7B-Instruct", false, ""},
    {"./Qwen3-8B", "Qwen/Qwen3-8B", false, ""},
    {"/root/user/basemodel/Qwen3-8B", "Qwen/Qwen3-8B", false, ""},
    {"D:\\llm\\Qwen\\Qwen3-8B", "Qwen/Qwen3-8B", false, ""},
    {"/data/hub/models--Qwen--Qwen2.5-7B-Instruct/snapshots/a09a35458c70",
     "Qwen/Qwen2.5-7B-Instruct", false, ""},
    {"~/.cache/huggingface/hub/models--gpt2/snapshots/607a30d783df",
     "openai-community/gpt2", false, ""},
    {"/mnt/meta-llama/Llama-2-7b-chat-hf", "meta-llama/Llama-2-7b-hf", false,
     ""},
    {"Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-7B-Instruct", false, ""},
    /* other people's copies */
    {"unsloth/Qwen2.5-7B-Instruct", "Qwen/Qwen2.5-7B-Instruct", true, ""},
    {"unsloth/Qwen2.5-7B-Instruct-bnb-4bit", "Qwen/Qwen2.5-7B-Instruct", true,
     "bitsandbytes"},
    {"unsloth/Qwen3-8B-unsloth-bnb-4bit", "Qwen/Qwen3-8B", true,
     "bitsandbytes"},
    {"TheBloke/Llama-2-7B-Chat-GPTQ", "meta-llama/Llama-2-7b-hf", true, "gptq"},
    {"Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4", "Qwen/Qwen2.5-7B-Instruct", true,
     "gptq"},
    {"Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8", "Qwen/Qwen2.5-7B-Instruct", true,
     "gptq-int8"},
    {"RedHatAI/Meta-Llama-3.1-8B-Instruct-FP8-dynamic",
     "meta-llama/Llama-3.1-8B-Instruct", true, "fp8"},
    {"neuralmagic/Meta-Llama-3.1-8B-Instruct-quantized.w4a16",
     "meta-llama/Llama-3.1-8B-Instruct", true, "w4a16"},
    {"hugging-quants/Meta-Llama-3.1-70B-Instruct-AWQ-INT4",
     "meta-llama/Llama-3.1-70B-Instruct", true, "awq"},
    {"nvidia/Llama-3.1-8B-Instruct-NVFP4", "meta-llama/Llama-3.1-8B-Instruct",
     true, "nvfp4"},
    {"unsloth/gpt-oss-20b-BF16", "openai/gpt-oss-20b", true, ""},
    {"mlx-community/Qwen3-8B-4bit", "Qwen/Qwen3-8B", true, "4bit"},
    {"bartowski/Qwen2.5-7B-Instruct-GGUF", "Qwen/Qwen2.5-7B-Instruct", true,
     "gguf"},
    {"/gguf/Qwen2.5-7B-Instruct-Q4_K_M.gguf", "Qwen/Qwen2.5-7B-Instruct", true,
     "Q4_K_M"},
    {"Meta-Llama-3.1-70B-Instruct-IQ2_XXS-00001-of-00002.gguf",
     "meta-llama/Llama-3.1-70B-Instruct", true, "IQ2_XXS"},
    {"hf.co/bartowski/Qwen2.5-7B-Instruct-GGUF:Q8_0",
     "Qwen/Qwen2.5-7B-Instruct", true, "Q8_0"},
    /* Ollama */
    {"llama3.1:8b", "meta-llama/Llama-3.1-8B-Instruct", false, ""},
    {"llama3.1:latest", "meta-llama/Llama-3.1-8B-Instruct", false, ""},
    {"llama3.1", "meta-llama/Llama-3.1-8B-Instruct", true, ""},
    {"llama3.1-swallow", NULL, false, ""},
    {"me/llama3.1", NULL, false, ""},
    {"qwen2.5:7b-instruct-q4_K_M", "Qwen/Qwen2.5-7B-Instruct", true, "Q4_K_M"},
    {"registry.ollama.ai/library/llama3.1:70b",
     "meta-llama/Llama-3.1-70B-Instruct", false, ""},
    {"mixtral:8x7b-instruct-v0.1-q5_0", "mistralai/Mixtral-8x7B-Instruct-v0.1",
     true, "Q5_0"},
    /* tuned from */
    {"NousResearch/Hermes-3-Llama-3.1-8B", "meta-llama/Llama-3.1-8B-Instruct",
     true, ""},
    {"me/qwen3-8b-sft-checkpoint", "Qwen/Qwen3-8B", true, ""},
    {"/out/Qwen3-8B-128k", "Qwen/Qwen3-8B", true, ""},
    {"deepseek-ai/DeepSeek-R1-0528-Qwen3-8B", "Qwen/Qwen3-8B", true, ""},
    {"me/Llama-3.1-8B-Instruct-lora-merged", "meta-llama/Llama-3.1-8B-Instruct",
     true, ""},
    {"google/gemma-3-27b-it-qat-q4_0-gguf", "google/gemma-3-27b-it", true,
     "Q4_0"},
    /* another size */
    {"Qwen/Qwen2.5-72B-Instruct", NULL, false, ""},
    {"Qwen/Qwen2.5-0.5B", NULL, false, ""},
    {"Qwen/Qwen2.5-57B", NULL, false, ""},
    {"Qwen/Qwen2-7B-Instruct", NULL, false, ""},
    {"meta-llama/Llama-3.1-405B-Instruct-FP8", NULL, false, "fp8"},
    {"meta-llama/Llama-3.1-80B", NULL, false, ""},
    {"mistralai/Mixtral-8x22B-v0.1", NULL, false, ""},
    {"Qwen/Qwen3-30B", "Qwen/Qwen3-30B-A3B", true, ""},
    {"gpt2-xl", NULL, false, ""},
    /* another family */
    {"Qwen/Qwen2.5-VL-7B-Instruct", NULL, false, ""},
    {"Qwen/Qwen3-VL-8B-Instruct", NULL, false, ""},
    {"Qwen/Qwen3-8B-Embedding", NULL, false, ""},
    {"Qwen/Qwen1.5-7B-Chat", NULL, false, ""},
    {"llava-hf/llava-next-qwen2.5-7b-hf", NULL, false, ""},
    {"deepseek-ai/DeepSeek-R1-Distill-Llama-8B", NULL, false, ""},
    {"deepseek-ai/DeepSeek-V3.2", NULL, false, ""},
    {"deepseek-ai/DeepSeek-V2-Lite", NULL, false, ""},
    {"meta-llama/Llama-3.2-8B", NULL, false, ""},
    {"mistralai/Mistral-7B-Instruct-v0.1", NULL, false, ""},
    {"codellama/CodeLlama-7b-hf", NULL, false, ""},
    {"google/gemma-2-27b-it", NULL, false, ""},
    {"google/gemma-3n-E4B-it", NULL, false, ""},
    {"/models/model", NULL, false, ""},
    {"ggml-model-q4_0.gguf", NULL, false, "Q4_0"},
    {"/", NULL, false, ""},
    {"", NULL, false, ""},
    {"-", NULL, false, ""},
    {"models--", NULL, false, ""},
    {".gguf", NULL, false, ""},
};

static void find_models(struct arena *a) {
    struct reader *r = tiny_reader(a);
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT(spellings); i++) {
        const struct spelling *s = &spellings[i];
        struct model_match m = reader_model(r, str_of(s->written));
        struct str id = m.model ? m.model->id : (struct str){NULL, 0};
        if (!str_eq(id, str_of(s->model)) || m.is_guess != s->is_guess ||
            !str_eq(m.quantization, str_of(s->quantization))) {
            print_error("\"%s\" is %.*s%s, weights \"%.*s\"\n", s->written,
                        STR_ARG(id), m.is_guess ? " (guess)" : "",
                        STR_ARG(m.quantization));
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* Names of any length and any bytes are only names that nobody knows. */
static void survive_strange_names(struct arena *a) {
    struct reader *r = tiny_reader(a);
    char name[4000];
    for (int c = 0; c < 256; c++) {
        for (size_t i = 0; i < sizeof name; i++) {
            name[i] = i % 3 ? (char)c : "-7/"[i % 9 / 3];
        }
        for (size_t n = 1; n < sizeof name; n = n * 3 + 1) {
            struct str s = {name, n};
            assert_null(reader_model(r, s).model);
            assert_null(reader_gpu(r, s));
        }
    }
}

static void expect_gpu(struct reader *r, const char *name, const char *id) {
    const struct gpu *gpu = reader_gpu(r, str_of(name));
    struct str found = gpu ? gpu->id : (struct str){NULL, 0};
    if (!str_eq(found, str_of(id))) {
        fail_msg("\"%s\" is \"%.*s\"", name, STR_ARG(found));
    }
}

static void find_gpus(struct arena *a) {
    struct reader *r = tiny_reader(a);
    expect_gpu(r, "NVIDIA A100-SXM4-80GB", "A100 80GB SXM");
    expect_gpu(r, "NVIDIA A100-SXM4-80GB (UUID: GPU-5f1e)", "A100 80GB SXM");
    expect_gpu(r, "Tesla V100-SXM2-32GB", "V100 32GB");
    expect_gpu(r, "v100-32gb", "V100 32GB");
    expect_gpu(r, "RTX 4090", "RTX 4090");
    expect_gpu(r, "rtx4090", "RTX 4090");
    expect_gpu(r, "4090", "RTX 4090");
    expect_gpu(r, "409", NULL);
    expect_gpu(r, "NVIDIA GeForce RTX 4090", "RTX 4090");
    expect_gpu(r, "NVIDIA A10G", "A10G");
    expect_gpu(r, "A100-PCIE-40GB", "A100 40GB");
    expect_gpu(r, "A100 80GB", "A100 80GB PCIe"); /* the memory is the same */
    expect_gpu(r, "A100", NULL);                  /* 40 or 80? */
    expect_gpu(r, "A10", NULL);
    expect_gpu(r, "NVIDIA A100-SXM4-80GB MIG 1g.10gb", NULL);
    expect_gpu(r, "NVIDIA GeForce RTX 4090 Laptop GPU", NULL);
    expect_gpu(r, "NVIDIA", NULL);
    expect_gpu(r, "", NULL);
}

static void find_gpus_of_a_total(struct arena *a) {
    struct reader *r = tiny_reader(a);
    int64_t gib = INT64_C(1) << 30;
    struct gpu_list list =
        reader_gpus_of_total(r, 79 * gib + 100, 79 * gib + 200);
    assert_int_equal(list.count, 2);
    assert_true(str_eq(list.at[1]->id, STR("A100 80GB SXM")));
    assert_int_equal(reader_gpus_of_total(r, 0, gib).count, 0);
    assert_int_equal(reader_gpus_of_total(r, 0, 100 * gib).count, 5);
}

static void models(void **state) { (void)state; with_arena(find_models); }
static void strange(void **state) {
    (void)state;
    with_arena(survive_strange_names);
}
static void gpus(void **state) { (void)state; with_arena(find_gpus); }
static void totals(void **state) {
    (void)state;
    with_arena(find_gpus_of_a_total);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models), cmocka_unit_test(strange),
        cmocka_unit_test(gpus), cmocka_unit_test(totals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
