/* test_gguf.c: headers of GGUF files, with llama.cpp's own keys, and what the
 * layers keep. A header is written here key by key; `array` keys are one per
 * layer. */
#include "memory/cases.h"

#include "base/buf.h"
#include "memory/shape.h"

enum { U32_TYPE = 4, TEXT_TYPE = 8, ARRAY_TYPE = 9, HEADER_MAX = 65536 };

static void put(struct buf *b, uint64_t n, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        buf_add_char(b, (char)(n >> 8 * i & 0xff));
}

static void put_text(struct buf *b, struct str s) {
    put(b, s.n, 8);
    buf_add(b, s);
}

/* "block_count=24 ssm.inner_size=4096 attention.head_count_kv=[0,0,2]" */
static size_t put_keys(struct arena *a, struct buf *b, const char *arch,
                       const char *keys) {
    struct str left = str_of(keys);
    size_t count = 0;
    for (; left.n > 0; count++) {
        struct str pair = str_cut(left, ' ', &left), value;
        struct str key = str_cut(pair, '=', &value);
        put_text(b, arena_printf(a, "%s.%.*s", arch, STR_ARG(key)));
        if (value.p[0] != '[') {
            put(b, U32_TYPE, 4);
            put(b, strtoull(value.p, NULL, 10), 4);
            continue;
        }
        size_t items = 1;
        for (size_t i = 0; i < value.n; i++)
            items += value.p[i] == ',';
        put(b, ARRAY_TYPE, 4);
        put(b, U32_TYPE, 4);
        put(b, items, 8);
        for (const char *p = value.p + 1; items-- > 0; p = strchr(p, ',') + 1) {
            put(b, strtoull(p, NULL, 10), 4);
            if (items == 0)
                break;
        }
    }
    return count;
}

static const struct model *read(struct arena *a, const char *arch,
                                const char *keys) {
    int64_t bytes;
    struct buf body = buf_in(a, HEADER_MAX);
    struct buf file = buf_in(a, HEADER_MAX);
    put_text(&body, STR("general.architecture"));
    put(&body, TEXT_TYPE, 4);
    put_text(&body, str_of(arch));
    size_t pairs = 1 + put_keys(a, &body, arch, keys);
    buf_add(&file, STR("GGUF"));
    put(&file, 3, 4);
    put(&file, 0, 8);
    put(&file, pairs, 8);
    buf_add(&file, buf_str(&body));
    return gguf_model(a, arena_str(a, buf_str(&file)), STR("m.gguf"), &bytes);
}

struct kept { /* what a group is expected to be; 0: not looked at */
    enum kv_kind kind;
    int64_t layers, heads, k_dim, v_dim, window, latent, channels, elements;
};

static void expect(const char *arch, const char *keys, const struct kept *want,
                   size_t count) {
    struct arena a;
    arena_init(&a, NULL, 0);
    const struct model *m = read(&a, arch, keys);
    assert_int_equal(m->group_count, count);
    for (size_t i = 0; i < count; i++) {
        const struct kv_group *g = &m->groups[i];
        assert_int_equal(g->kind, want[i].kind);
        assert_int_equal(g->layers, want[i].layers);
        assert_int_equal(g->kv_heads, want[i].heads);
        assert_int_equal(g->k_dim, want[i].k_dim);
        assert_int_equal(g->v_dim, want[i].v_dim);
        assert_int_equal(g->window, want[i].window);
        assert_int_equal(g->latent_dim, want[i].latent);
        assert_int_equal(g->conv_channels, want[i].channels);
        assert_int_equal(g->state_elements, want[i].elements);
    }
    arena_free(&a);
}

#define EXPECT(arch, keys, ...)                                                \
    expect(arch, keys, (const struct kept[]){__VA_ARGS__},                     \
           sizeof(const struct kept[]){__VA_ARGS__} / sizeof(struct kept))

static void plain_and_latent(void **state) {
    (void)state;
    EXPECT("llama",
           "block_count=32 embedding_length=4096 attention.head_count=32 "
           "attention.head_count_kv=8",
           {KV_full, 32, 8, 128, 128, 0, 0, 0, 0});
    EXPECT("deepseek2",
           "block_count=61 embedding_length=7168 attention.head_count=128 "
           "attention.head_count_kv=1 attention.key_length=576 "
           "attention.value_length=512 attention.key_length_mla=192 "
           "attention.value_length_mla=128 attention.kv_lora_rank=512 "
           "rope.dimension_count=64",
           {KV_mla, 61, 0, 0, 0, 0, 576, 0, 0});
    /* converted before llama.cpp knew latents: full heads */
    EXPECT("deepseek2",
           "block_count=27 embedding_length=2048 attention.head_count=16 "
           "attention.head_count_kv=16 attention.key_length=192 "
           "attention.value_length=128 attention.kv_lora_rank=512",
           {KV_full, 27, 16, 192, 128, 0, 0, 0, 0});
    EXPECT("glm4moe",
           "block_count=47 embedding_length=4096 attention.head_count=96 "
           "attention.head_count_kv=8 attention.key_length=128 "
           "attention.value_length=128 nextn_predict_layers=1",
           {KV_full, 46, 8, 128, 128, 0, 0, 0, 0});
}

static void windows(void **state) {
    (void)state;
    EXPECT("gemma3",
           "block_count=62 embedding_length=5376 attention.head_count=32 "
           "attention.head_count_kv=16 attention.key_length=128 "
           "attention.value_length=128 attention.sliding_window=1024",
           {KV_sliding, 52, 16, 128, 128, 1024, 0, 0, 0},
           {KV_full, 10, 16, 128, 128, 0, 0, 0, 0});
    EXPECT("gemma4",
           "block_count=6 embedding_length=5376 attention.head_count=32 "
           "attention.head_count_kv=[16,16,16,16,16,4] "
           "attention.key_length=512 attention.value_length=512 "
           "attention.key_length_swa=256 attention.value_length_swa=256 "
           "attention.sliding_window=1024 "
           "attention.sliding_window_pattern=[1,1,1,1,1,0]",
           {KV_sliding, 5, 16, 256, 256, 1024, 0, 0, 0},
           {KV_full, 1, 4, 512, 512, 0, 0, 0, 0});
    EXPECT("gpt-oss",
           "block_count=24 embedding_length=2880 attention.head_count=64 "
           "attention.head_count_kv=8 attention.key_length=64 "
           "attention.value_length=64 attention.sliding_window=128",
           {KV_sliding, 12, 8, 64, 64, 128, 0, 0, 0},
           {KV_full, 12, 8, 64, 64, 0, 0, 0, 0});
}

static void recurrent_layers(void **state) {
    (void)state;
    EXPECT("qwen3next",
           "block_count=48 embedding_length=2048 attention.head_count=16 "
           "attention.head_count_kv=2 attention.key_length=256 "
           "attention.value_length=256 ssm.conv_kernel=4 "
           "ssm.inner_size=4096 ssm.state_size=128 ssm.group_count=16 "
           "ssm.time_step_rank=32",
           {KV_state, 36, 0, 0, 0, 0, 0, 8192, 524288},
           {KV_full, 12, 2, 256, 256, 0, 0, 0, 0});
    EXPECT("granitehybrid",
           "block_count=3 embedding_length=1536 attention.head_count=12 "
           "attention.head_count_kv=[0,4,0] ssm.conv_kernel=4 "
           "ssm.inner_size=3072 ssm.state_size=128 ssm.group_count=1",
           {KV_state, 2, 0, 0, 0, 0, 0, 3328, 393216},
           {KV_full, 1, 4, 128, 128, 0, 0, 0, 0});
    EXPECT("nemotron_h",
           "block_count=4 embedding_length=4480 attention.head_count=40 "
           "attention.head_count_kv=[0,0,8,0] "
           "feed_forward_length=[0,15680,0,15680] "
           "attention.key_length=128 attention.value_length=128 "
           "ssm.conv_kernel=4 ssm.inner_size=10240 ssm.state_size=128 "
           "ssm.group_count=8",
           {KV_state, 1, 0, 0, 0, 0, 0, 12288, 1310720},
           {KV_full, 1, 8, 128, 128, 0, 0, 0, 0});
    EXPECT("falcon-h1",
           "block_count=44 embedding_length=3072 attention.head_count=12 "
           "attention.head_count_kv=2 attention.key_length=128 "
           "attention.value_length=128 ssm.conv_kernel=4 "
           "ssm.inner_size=3072 ssm.state_size=256 ssm.group_count=1",
           {KV_full, 44, 2, 128, 128, 0, 0, 0, 0},
           {KV_state, 44, 0, 0, 0, 0, 0, 3584, 786432});
    EXPECT("kimi-linear",
           "block_count=4 embedding_length=2304 attention.head_count=32 "
           "attention.head_count_kv=[0,0,0,1] attention.key_length_mla=192 "
           "attention.kv_lora_rank=512 rope.dimension_count=64 "
           "ssm.conv_kernel=4 kda.head_dim=128",
           {KV_state, 3, 0, 0, 0, 0, 0, 12288, 524288},
           {KV_mla, 1, 0, 0, 0, 0, 576, 0, 0});
    EXPECT("mamba",
           "block_count=64 embedding_length=2560 attention.head_count=0 "
           "ssm.conv_kernel=4 ssm.inner_size=5120 ssm.state_size=16",
           {KV_state, 64, 0, 0, 0, 0, 0, 5120, 81920});
    EXPECT("lfm2",
           "block_count=3 embedding_length=2048 attention.head_count=32 "
           "attention.head_count_kv=[0,0,8] shortconv.l_cache=3",
           {KV_state, 2, 0, 0, 0, 0, 0, 2048, 0},
           {KV_full, 1, 8, 64, 64, 0, 0, 0, 0});
}

static void an_index_beside_a_latent(void **state) {
    (void)state;
    EXPECT("deepseek32",
           "block_count=61 embedding_length=7168 attention.head_count=128 "
           "attention.head_count_kv=1 attention.key_length_mla=192 "
           "attention.kv_lora_rank=512 rope.dimension_count=64 "
           "attention.indexer.key_length=128",
           {KV_mla, 61, 0, 0, 0, 0, 576, 0, 0},
           {KV_indexer, 61, 0, 0, 0, 0, 132, 0, 0});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_and_latent),
        cmocka_unit_test(windows),
        cmocka_unit_test(recurrent_layers),
        cmocka_unit_test(an_index_beside_a_latent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
