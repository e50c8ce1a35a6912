/* test_extremes.c: numbers as large, as small and as wrong as they come, from
 * everywhere that numbers come from: what a caller says, a config.json, the
 * header of a GGUF file, a log. The answer is an answer or one line that
 * refuses; under a sanitizer no sum runs over and nothing is divided by 0.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <oomkb/oomkb.h>

#include "base/buf.h"
#include "corpus/fact.h"
#include "support/corpus.h"

#define FACTS_MOST 8
#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const char *const numbers[] = {
    "0", "1", "-1", "2", "3", "7", "64", "1000000", "99999999", "100000000",
    "2147483647", "2147483648", "4294967296", "1099511627776",
    "4611686018427387904", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "18446744073709551615", "0.000001", "0.5", "0.95",
    "1e300", "123456789012345678901234567890"};

struct extremes {
    struct arena *a;
    const oomkb *kb;
    struct buf out;
    uint64_t seed;
    glob_t logs; /* those of entries, that match or nearly do */
    int refused, answered;
};

static uint64_t next(struct extremes *x) {
    x->seed ^= x->seed << 13;
    x->seed ^= x->seed >> 7;
    return x->seed ^= x->seed << 17;
}

#define ONE_OF(x, list) ((list)[next(x) % COUNT(list)])

static int take(void *ctx, const char *bytes, size_t n) {
    buf_clear(ctx);
    buf_add(ctx, (struct str){bytes, n});
    return 0;
}

static bool expect_sane(struct extremes *x, int code, const oomkb_error *err) {
    bool is_refused = code == OOMKB_ERROR_USAGE || code == OOMKB_ERROR_INPUT;
    if (code != OOMKB_OK && !is_refused) {
        fail_msg("code %d: %s", code, err->text);
    }
    x->refused += is_refused;
    x->answered += code == OOMKB_OK;
    return code == OOMKB_OK;
}

/* ---- numbers in a text ---- */

/* The same text with one number of so many replaced. */
static struct str with_other_numbers(struct extremes *x, struct str text,
                                     uint64_t few) {
    struct buf b = buf_in(x->a, (size_t)1 << 22);
    for (size_t i = 0; i < text.n;) {
        size_t n = 0;
        while (i + n < text.n && is_digit(text.p[i + n])) {
            n++;
        }
        if (n > 0 && next(x) % few == 0) {
            buf_add(&b, str_of(ONE_OF(x, numbers)));
        } else {
            buf_add(&b, str_slice(text, i, n > 0 ? n : 1));
        }
        i += n > 0 ? n : 1;
    }
    return buf_str(&b);
}

/* ---- questions ---- */

static const char *word_for(struct extremes *x, enum fact_name name) {
    static const char *const words[] = {
        "auto", "fp8", "int4", "float32", "bfloat16", "half", "align",
        "all", "eagle3", "adamw", "adamw_8bit", "mixed", "none", "awq", "q4_0"};
    static const char *const versions[] = {"0.4.0", "0.8.5", "0.10.2",
                                           "0.21.0", "99.0", "1.0"};
    static const char *const units[] = {"", "GiB", "GB", "MiB", "B"};
    static const char *const shares[] = {"0.000001", "0.5", "0.9", "1"};
    static const char *const counts[] = {"1", "2", "3", "8", "999", "1000000"};
    static const char *const amounts[] = {
        "1", "7", "4096", "131072", "2147483648", "1099511627776",
        "9223372036854775807"};
    enum unit unit = fact_unit(name);
    if (unit == UNIT_BOOL) {
        return next(x) % 2 ? "true" : "false";
    }
    if (unit == UNIT_TEXT) {
        return ONE_OF(x, words);
    }
    if (unit == UNIT_VERSION) {
        return ONE_OF(x, versions);
    }
    if (next(x) % 32 == 0) {
        return ONE_OF(x, numbers);
    }
    if (unit == UNIT_RATIO || unit == UNIT_COUNT) {
        return unit == UNIT_RATIO ? ONE_OF(x, shares) : ONE_OF(x, counts);
    }
    return arena_printf(x->a, "%s%s", ONE_OF(x, amounts),
                        unit == UNIT_BYTES ? ONE_OF(x, units) : "").p;
}

static const char *fact_for(struct extremes *x, enum fact_name name) {
    return arena_printf(x->a, "%s=%s", fact_spelling(name),
                        word_for(x, name)).p;
}

/* Settings stand first in the table, and are what arithmetic is about. */
static void choose_facts(struct extremes *x, const char **facts) {
    static const char *const engines[] = {
        "engine=vllm", "engine=sglang", "engine=tensorrt-llm", "engine=tgi",
        "engine=lmdeploy", "engine=transformers", "engine=mlx",
        "engine=exllama", "engine=llama.cpp", "engine=ollama",
        "engine=pytorch", "engine=deepspeed"};
    static const char *const cards[] = {"gpu_name=H100", "gpu_name=L4",
                                        "gpu_total=24GiB", "gpu_total=1B"};
    size_t n = 0, count = 3 + next(x) % (FACTS_MOST - 3);
    facts[n++] = ONE_OF(x, engines);
    facts[n++] = ONE_OF(x, cards);
    while (n < count) {
        uint64_t most = next(x) % 4 ? FACT_image_size : FACT_COUNT_OF;
        facts[n++] = fact_for(x, (enum fact_name)(FACT_dtype +
                                                  next(x) %
                                                      (most - FACT_dtype)));
    }
}

static void ask_with(struct extremes *x, const char *const *facts,
                     struct str config) {
    static const char *const formats[] = {"text", "json", "markdown"};
    static const char *const sweeps[] = {NULL, NULL, "max_model_len"};
    static const char *const compares[] = {NULL, NULL, "H100,L40S",
                                           "tensor_parallel=1,3,1000000"};
    oomkb_fit_question q = {.size = sizeof q, .facts = facts,
                            .config = config.p, .config_bytes = config.n,
                            .config_name = "model",
                            .sweep = ONE_OF(x, sweeps),
                            .compare = ONE_OF(x, compares)};
    oomkb_error err = {0};
    int fits;
    int code = oomkb_fit_write(x->kb, &q, ONE_OF(x, formats), NULL, take,
                               &x->out, &fits, &err);
    expect_sane(x, code, &err);
}

static void ask_of_the_catalogue(struct extremes *x) {
    static const char *const models[] = {
        "model=Qwen/Qwen2.5-7B-Instruct", "model=deepseek-ai/DeepSeek-V3",
        "model=deepseek-ai/DeepSeek-V4-Flash", "model=google/gemma-3-27b-it",
        "model=Qwen/Qwen3-Next-80B-A3B-Instruct", "model=openai/gpt-oss-20b",
        "model=meta-llama/Llama-3.1-8B", "model=llama3.1"};
    const char *facts[FACTS_MOST + 2] = {NULL};
    choose_facts(x, facts + 1);
    facts[0] = ONE_OF(x, models);
    ask_with(x, facts, (struct str){NULL, 0});
}

/* ---- files ---- */

static const char *const configs[] = {
    "{\"model_type\": \"qwen3_next\", \"num_hidden_layers\": 48,"
    " \"hidden_size\": 2048, \"num_attention_heads\": 16, \"head_dim\": 256,"
    " \"num_key_value_heads\": 2, \"full_attention_interval\": 4,"
    " \"linear_conv_kernel_dim\": 4, \"linear_key_head_dim\": 128,"
    " \"linear_num_key_heads\": 16, \"linear_num_value_heads\": 32,"
    " \"linear_value_head_dim\": 128, \"vocab_size\": 151936,"
    " \"num_experts\": 512, \"moe_intermediate_size\": 512,"
    " \"max_position_embeddings\": 262144}",
    "{\"model_type\": \"deepseek_v3\", \"num_hidden_layers\": 61,"
    " \"hidden_size\": 7168, \"num_attention_heads\": 128,"
    " \"kv_lora_rank\": 512, \"qk_rope_head_dim\": 64, \"q_lora_rank\": 1536,"
    " \"qk_nope_head_dim\": 128, \"v_head_dim\": 128, \"vocab_size\": 129280,"
    " \"n_routed_experts\": 256, \"first_k_dense_replace\": 3,"
    " \"moe_intermediate_size\": 2048, \"intermediate_size\": 18432,"
    " \"index_head_dim\": 128, \"index_topk\": 2048}",
    "{\"model_type\": \"gemma3_text\", \"num_hidden_layers\": 62,"
    " \"hidden_size\": 5376, \"num_attention_heads\": 32, \"head_dim\": 128,"
    " \"num_key_value_heads\": 16, \"sliding_window\": 1024,"
    " \"sliding_window_pattern\": 6, \"vocab_size\": 262208}",
    "{\"model_type\": \"bamba\", \"num_hidden_layers\": 32,"
    " \"hidden_size\": 4096, \"num_attention_heads\": 32,"
    " \"num_key_value_heads\": 8, \"attn_layer_indices\": [9, 18, 27],"
    " \"mamba_n_heads\": 128, \"mamba_d_head\": 64, \"mamba_d_state\": 128,"
    " \"mamba_n_groups\": 1, \"mamba_d_conv\": 4, \"mamba_expand\": 2,"
    " \"vocab_size\": 128256, \"intermediate_size\": 14336}",
};

static void ask_of_a_config(struct extremes *x) {
    const char *facts[FACTS_MOST + 1] = {NULL};
    struct str config = str_of(ONE_OF(x, configs));
    choose_facts(x, facts);
    ask_with(x, facts, with_other_numbers(x, config, 6));
}

static void put(struct buf *b, uint64_t n, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        buf_add_char(b, (char)(n >> 8 * i & 0xff));
    }
}

static void put_text(struct buf *b, const char *text) {
    put(b, strlen(text), 8);
    buf_add(b, str_of(text));
}

static uint64_t number_of_a_file(struct extremes *x) {
    static const uint64_t edges[] = {0, 1, 2, 4, 32, 128, 4096, 0x7fffffff,
                                     0xffffffff, UINT64_MAX, INT64_MAX};
    return ONE_OF(x, edges);
}

/* A header of keys that llama.cpp reads, with any numbers, cut anywhere. */
static struct str gguf_of(struct extremes *x) {
    static const char *const architectures[] = {
        "llama", "gemma3", "qwen3next", "mamba2", "deepseek2", "kimi-linear"};
    static const char *const keys[] = {
        "block_count", "embedding_length", "attention.head_count",
        "attention.head_count_kv", "attention.key_length",
        "attention.value_length", "attention.kv_lora_rank",
        "attention.sliding_window", "attention.sliding_window_pattern",
        "ssm.inner_size", "ssm.state_size", "ssm.conv_kernel",
        "ssm.group_count", "kda.head_dim", "shortconv.l_cache",
        "rope.dimension_count", "context_length", "expert_count"};
    const char *arch = ONE_OF(x, architectures);
    struct buf b = buf_in(x->a, 65536);
    buf_add(&b, STR("GGUF"));
    put(&b, 2 + next(x) % 2, 4);
    put(&b, next(x) % 16 ? 0 : number_of_a_file(x), 8);
    put(&b, next(x) % 16 ? 1 + COUNT(keys) : number_of_a_file(x), 8);
    put_text(&b, "general.architecture");
    put(&b, 8, 4);
    put_text(&b, arch);
    for (size_t i = 0; i < COUNT(keys); i++) {
        bool is_usual = next(x) % 4 > 0;
        put_text(&b, arena_printf(x->a, "%s.%s", arch, keys[i]).p);
        if (next(x) % 8 == 0) { /* a list */
            put(&b, 9, 4);
            put(&b, 4, 4);
            put(&b, 2, 8);
            put(&b, number_of_a_file(x), 4);
            put(&b, number_of_a_file(x), 4);
            continue;
        }
        put(&b, next(x) % 32 ? 10 : next(x) % 16, 4);
        put(&b, is_usual ? 1u << (3 + next(x) % 5) : number_of_a_file(x), 8);
    }
    struct str all = buf_str(&b);
    return next(x) % 8 ? all : str_slice(all, 0, next(x) % all.n);
}

/* In a block of its own: a sanitizer sees its end. */
static void ask_of_a_gguf(struct extremes *x) {
    const char *facts[FACTS_MOST + 1] = {NULL};
    struct str file = gguf_of(x);
    char *copy = malloc(file.n + 1);
    assert_non_null(copy);
    memcpy(copy, file.p, file.n);
    choose_facts(x, facts);
    ask_with(x, facts, (struct str){copy, file.n});
    free(copy);
}

/* ---- logs ---- */

static void read_a_log(struct extremes *x) {
    const char *facts[FACTS_MOST + 1] = {NULL};
    const char *path = x->logs.gl_pathv[next(x) % x->logs.gl_pathc];
    struct str whole = file_bytes(x->a, path);
    struct str log = with_other_numbers(x, whole, 1 + next(x) % 8);
    oomkb_options o = {.size = sizeof o, .why = 1};
    oomkb_report *report = NULL;
    oomkb_error err = {0};
    if (next(x) % 2) {
        choose_facts(x, facts);
        o.answers = facts;
    }
    int code = oomkb_diagnose(x->kb, log.p, log.n, &o, &report, &err);
    if (expect_sane(x, code, &err)) {
        oomkb_fit_question q = {.size = sizeof q, .report = report};
        int fits;
        code = oomkb_report_write(report, "text", &o, take, &x->out, &err);
        expect_sane(x, code, &err);
        code = oomkb_report_write(report, "json", &o, take, &x->out, &err);
        expect_sane(x, code, &err);
        code = oomkb_fit_write(x->kb, &q, "json", NULL, take, &x->out, &fits,
                               &err);
        expect_sane(x, code, &err);
        oomkb_report_free(report);
    }
}

/* ---- the tests ---- */

static void often(void (*once)(struct extremes *x)) {
    struct arena index, arena;
    struct extremes x = {.a = &arena, .seed = 0x65787472};
    int tries = (int)cases_asked(150, 2500);
    oomkb *kb = NULL;
    oomkb_error err = {0};
    arena_init(&index, NULL, 0);
    struct str image = file_bytes(&index, SHIPPED_INDEX);
    if (oomkb_open_bytes(image.p, image.n, &kb, &err) != OOMKB_OK) {
        fail_msg("%s: %s", SHIPPED_INDEX, err.text);
    }
    assert_int_equal(glob("entries/*/*.log", 0, NULL, &x.logs), 0);
    x.kb = kb;
    buf_init(&x.out, NULL, 0);
    for (int i = 0; i < tries; i++) {
        arena_init(&arena, NULL, 0);
        once(&x);
        arena_free(&arena);
    }
    globfree(&x.logs);
    buf_free(&x.out);
    oomkb_close(kb);
    arena_free(&index);
    assert_true(x.answered > tries / 20); /* else nothing was reckoned */
}

static void what_a_caller_says(void **state) {
    (void)state;
    often(ask_of_the_catalogue);
}
static void a_config(void **state) {
    (void)state;
    often(ask_of_a_config);
}
static void a_gguf_header(void **state) {
    (void)state;
    often(ask_of_a_gguf);
}
static void a_log(void **state) {
    (void)state;
    often(read_a_log);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_caller_says),
        cmocka_unit_test(a_config),
        cmocka_unit_test(a_gguf_header),
        cmocka_unit_test(a_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
