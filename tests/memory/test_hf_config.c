/* test_hf_config.c: config.json of each family of architectures, with the
 * fields and values that its checkpoints have (long lists made shorter where
 * the number of layers is not what is shown), and what its layers keep.
 *
 *     full*9:4x192+128          layers : kv heads x key dim + value dim
 *     sliding*39:8x192+128@128  ... @ window
 *     mla*61:576/4              a latent, one row for 4 tokens
 *     indexer*21:132            bytes; k128: elements of the cache's type
 *     gdn*48:10240x3+786432f    channels x steps + elements, in 32 bits
 */
#include "memory/cases.h"

#include "base/buf.h"
#include "memory/shape.h"

#define TEXT_MAX 4096

static const char *const kinds[] = {
#define X(w) #w,
    KV_KIND_WORDS(X)
#undef X
};

#define N(n) ((long long)(n))

static void describe_state(struct buf *b, const struct kv_group *g) {
    bool is_wide = str_eq(g->state_dtype, STR("float32"));
    buf_printf(b, "%.*s*%lld:%lldx%lld+%lld%s", STR_ARG(g->mixer), N(g->layers),
               N(g->conv_channels), N(g->conv_steps), N(g->state_elements),
               is_wide ? "f" : "");
}

static void describe(struct buf *b, const struct kv_group *g) {
    if (g->kind == KV_state) {
        describe_state(b, g);
        return;
    }
    buf_printf(b, "%s*%lld:", kinds[g->kind], N(g->layers));
    if (g->latent_dim > 0)
        buf_printf(b, "%lld", N(g->latent_dim));
    else if (g->kind == KV_indexer)
        buf_printf(b, "k%lld", N(g->k_dim));
    else
        buf_printf(b, "%lldx%lld+%lld", N(g->kv_heads), N(g->k_dim),
                   N(g->v_dim));
    if (g->ratio > 1)
        buf_printf(b, "/%lld", N(g->ratio));
    if (g->window > 0)
        buf_printf(b, "@%lld", N(g->window));
}

/* In JSON as it stands, but for ' that stands for ". */
static void expect(const char *config, const char *groups) {
    struct arena a;
    arena_init(&a, NULL, 0);
    struct str json = arena_str(&a, str_of(config));
    for (size_t i = 0; i < json.n; i++)
        if (json.p[i] == '\'')
            ((char *)json.p)[i] = '"';
    struct buf b = buf_in(&a, TEXT_MAX);
    const struct model *m = hf_config_model(&a, json, STR("config.json"));
    for (size_t i = 0; i < m->group_count; i++) {
        buf_printf(&b, "%s", i > 0 ? " " : "");
        describe(&b, &m->groups[i]);
    }
    struct str said = arena_str(&a, buf_str(&b));
    if (!str_eq(said, str_of(groups)))
        fail_msg("read:   %.*s\nwanted: %s", STR_ARG(said), groups);
    arena_free(&a);
}

static void plain_attention(void **state) {
    (void)state;
    expect("{'model_type':'llama','num_hidden_layers':32,'hidden_size':4096,"
           "'num_attention_heads':32,'num_key_value_heads':8}",
           "full*32:8x128+128");
    expect("{'model_type':'falcon','num_hidden_layers':32,'hidden_size':4544,"
           "'num_attention_heads':71,'multi_query':true}",
           "full*32:1x64+64");
    expect("{'model_type':'chatglm','num_layers':28,'hidden_size':4096,"
           "'num_attention_heads':32,'multi_query_attention':true,"
           "'multi_query_group_num':2,'kv_channels':128}",
           "full*28:2x128+128");
    expect("{'model_type':'dbrx','n_layers':40,'d_model':6144,'n_heads':48,"
           "'attn_config':{'kv_n_heads':8}}",
           "full*40:8x128+128");
    expect("{'model_type':'mpt','n_layers':32,'d_model':4096,'n_heads':32}",
           "full*32:32x128+128");
    expect("{'model_type':'opt','num_hidden_layers':40,'hidden_size':5120,"
           "'num_attention_heads':40,'ffn_dim':20480}",
           "full*40:40x128+128");
    expect("{'model_type':'qwen2','num_hidden_layers':28,'hidden_size':3584,"
           "'num_attention_heads':28,'num_key_value_heads':4,"
           "'sliding_window':131072,'max_window_layers':28,"
           "'use_sliding_window':false}",
           "full*28:4x128+128");
}

static void windows(void **state) {
    (void)state;
    expect("{'model_type':'mistral','num_hidden_layers':32,"
           "'hidden_size':4096,'num_attention_heads':32,"
           "'num_key_value_heads':8,'sliding_window':4096}",
           "sliding*32:8x128+128@4096");
    expect("{'model_type':'gemma3','text_config':{'model_type':'gemma3_text',"
           "'num_hidden_layers':62,'hidden_size':5376,"
           "'num_attention_heads':32,'num_key_value_heads':16,'head_dim':128,"
           "'sliding_window':1024,'sliding_window_pattern':6}}",
           "sliding*52:16x128+128@1024 full*10:16x128+128");
    expect("{'model_type':'exaone4','num_hidden_layers':64,"
           "'hidden_size':5120,'num_attention_heads':40,"
           "'num_key_value_heads':8,'head_dim':128,'sliding_window':4096,"
           "'sliding_window_pattern':'LLLG'}",
           "sliding*48:8x128+128@4096 full*16:8x128+128");
    expect("{'model_type':'gemma4','text_config':{'model_type':'gemma4_text',"
           "'num_hidden_layers':6,'hidden_size':5376,"
           "'num_attention_heads':32,'num_key_value_heads':16,"
           "'num_global_key_value_heads':4,'head_dim':256,"
           "'global_head_dim':512,'sliding_window':1024,'layer_types':["
           "'sliding_attention','sliding_attention','sliding_attention',"
           "'sliding_attention','sliding_attention','full_attention']}}",
           "sliding*5:16x256+256@1024 full*1:4x512+512");
    expect("{'model_type':'mimo_v2_flash','num_hidden_layers':6,"
           "'hidden_size':4096,'num_attention_heads':64,"
           "'num_key_value_heads':4,'head_dim':192,'v_head_dim':128,"
           "'swa_num_attention_heads':64,'swa_num_key_value_heads':8,"
           "'swa_head_dim':192,'swa_v_head_dim':128,'sliding_window':128,"
           "'sliding_window_size':128,'hybrid_layer_pattern':[0,1,1,1,1,0],"
           "'moe_layer_freq':[0,1,1,1,1,1]}",
           "full*2:4x192+128 sliding*4:8x192+128@128");
    expect("{'model_type':'step3p5','num_hidden_layers':4,'hidden_size':4096,"
           "'num_attention_heads':64,'num_attention_groups':8,'head_dim':128,"
           "'sliding_window':512,'attention_other_setting':{"
           "'attention_type':'sliding_attention','num_attention_heads':96,"
           "'num_attention_groups':8,'head_dim':128},'layer_types':["
           "'full_attention','sliding_attention','sliding_attention',"
           "'sliding_attention']}",
           "full*1:8x128+128 sliding*3:8x128+128@512");
    expect("{'model_type':'gemma3n','text_config':{'num_hidden_layers':30,"
           "'hidden_size':2048,'num_attention_heads':8,"
           "'num_key_value_heads':2,'head_dim':256,'sliding_window':512,"
           "'num_kv_shared_layers':10,'model_type':'gemma3n_text'}}",
           "sliding*16:2x256+256@512 full*4:2x256+256");
}

static void chunks(void **state) {
    (void)state;
    expect("{'model_type':'llama4','text_config':{'model_type':'llama4_text',"
           "'num_hidden_layers':48,'hidden_size':5120,"
           "'num_attention_heads':40,'num_key_value_heads':8,'head_dim':128,"
           "'attention_chunk_size':8192}}",
           "chunked*36:8x128+128@8192 full*12:8x128+128");
    expect("{'model_type':'llama4_text','num_hidden_layers':4,"
           "'hidden_size':5120,'num_attention_heads':40,"
           "'num_key_value_heads':8,'head_dim':128,"
           "'attention_chunk_size':8192,'no_rope_layers':[1,1,1,0]}",
           "chunked*3:8x128+128@8192 full*1:8x128+128");
}

static void latents_and_their_index(void **state) {
    (void)state;
    expect("{'model_type':'deepseek_v3','num_hidden_layers':61,"
           "'hidden_size':7168,'num_attention_heads':128,"
           "'num_key_value_heads':128,'kv_lora_rank':512,"
           "'qk_rope_head_dim':64,'v_head_dim':128,"
           "'num_nextn_predict_layers':1}",
           "mla*61:576");
    expect("{'model_type':'deepseek_v32','num_hidden_layers':61,"
           "'hidden_size':7168,'num_attention_heads':128,'kv_lora_rank':512,"
           "'qk_rope_head_dim':64,'index_head_dim':128,'index_topk':2048}",
           "mla*61:576 indexer*61:132");
    expect("{'model_type':'glm_moe_dsa','num_hidden_layers':8,"
           "'hidden_size':6144,'num_attention_heads':64,'kv_lora_rank':512,"
           "'qk_rope_head_dim':64,'index_head_dim':128,'index_topk':2048,"
           "'indexer_types':['full','full','full','shared','shared',"
           "'shared','full','shared']}",
           "mla*8:576 indexer*4:132");
    expect("{'model_type':'glm_moe_dsa','num_hidden_layers':78,"
           "'hidden_size':6144,'num_attention_heads':64,'kv_lora_rank':512,"
           "'qk_rope_head_dim':64,'index_head_dim':128,"
           "'index_topk_freq':4,'index_skip_topk_offset':3}",
           "mla*78:576 indexer*21:132");
    expect("{'model_type':'glm_moe_dsa','num_hidden_layers':6,"
           "'hidden_size':6144,'num_attention_heads':64,'kv_lora_rank':512,"
           "'qk_rope_head_dim':64,'index_head_dim':128,"
           "'index_topk_pattern':'FFFSSS'}",
           "mla*6:576 indexer*3:132");
    expect("{'model_type':'minimax_m3','text_config':{"
           "'num_hidden_layers':5,'hidden_size':6144,"
           "'num_attention_heads':64,'num_key_value_heads':4,'head_dim':128,"
           "'sparse_attention_config':{'use_sparse_attention':true,"
           "'sparse_index_dim':128,'sparse_num_index_heads':4,"
           "'sparse_attention_freq':[0,0,0,1,1]}}}",
           "full*5:4x128+128 indexer*2:k128");
    expect("{'model_type':'longcat_flash','num_layers':28,"
           "'hidden_size':6144,'num_attention_heads':64,'kv_lora_rank':512,"
           "'qk_rope_head_dim':64}",
           "mla*56:576");
    expect("{'model_type':'deepseek_v4','num_hidden_layers':4,"
           "'hidden_size':4096,'num_attention_heads':64,"
           "'num_key_value_heads':1,'head_dim':512,'sliding_window':128,"
           "'index_head_dim':128,'compress_ratios':[0,4,128,4]}",
           "sliding*4:1x512+0@128 mla*2:512/4 indexer*2:132/4 mla*1:512/128");
}

static void gated_delta_nets(void **state) {
    (void)state;
    expect("{'model_type':'qwen3_next','num_hidden_layers':48,"
           "'hidden_size':2048,'num_attention_heads':16,"
           "'num_key_value_heads':2,'head_dim':256,"
           "'full_attention_interval':4,'linear_num_key_heads':16,"
           "'linear_num_value_heads':32,'linear_key_head_dim':128,"
           "'linear_value_head_dim':128,'linear_conv_kernel_dim':4}",
           "gdn*36:8192x3+524288 full*12:2x256+256");
    expect("{'model_type':'qwen3_5','text_config':{"
           "'model_type':'qwen3_5_text','num_hidden_layers':4,"
           "'hidden_size':5120,'num_attention_heads':24,"
           "'num_key_value_heads':4,'head_dim':256,'layer_types':["
           "'linear_attention','linear_attention','linear_attention',"
           "'full_attention'],'linear_num_key_heads':16,"
           "'linear_num_value_heads':48,'linear_key_head_dim':128,"
           "'linear_value_head_dim':128,'linear_conv_kernel_dim':4,"
           "'mamba_ssm_dtype':'float32'}}",
           "gdn*3:10240x3+786432f full*1:4x256+256");
}

static void kimi_s_delta_attention(void **state) {
    (void)state;
    expect("{'model_type':'kimi_linear','num_hidden_layers':27,"
           "'hidden_size':2304,'num_attention_heads':32,"
           "'num_key_value_heads':32,'head_dim':72,'kv_lora_rank':512,"
           "'qk_nope_head_dim':128,'qk_rope_head_dim':64,'v_head_dim':128,"
           "'linear_attn_config':{'kda_layers':[1,2,3,5,6,7,9,10,11,13,14,15,"
           "17,18,19,21,22,23,25,26],'full_attn_layers':[4,8,12,16,20,24,27],"
           "'num_heads':32,'head_dim':128,'short_conv_kernel_size':4}}",
           "kda*20:12288x3+524288 mla*7:576");
    expect("{'model_type':'kimi_k3','text_config':{"
           "'model_type':'kimi_linear','num_hidden_layers':4,"
           "'hidden_size':7168,'num_attention_heads':96,'kv_lora_rank':512,"
           "'qk_rope_head_dim':64,'linear_attn_config':{'kda_layers':[1,2,3],"
           "'full_attn_layers':[4],'num_heads':96,'head_dim':128,"
           "'short_conv_kernel_size':4}}}",
           "kda*3:36864x3+1572864 mla*1:576");
}

static void mambas(void **state) {
    (void)state;
    expect("{'model_type':'nemotron_h','num_hidden_layers':9,"
           "'hidden_size':4480,'num_attention_heads':40,"
           "'num_key_value_heads':8,'attention_head_dim':128,"
           "'hybrid_override_pattern':'M-M-M*-M-','mamba_num_heads':128,"
           "'mamba_head_dim':80,'ssm_state_size':128,'n_groups':8,"
           "'conv_kernel':4}",
           "mamba2*4:12288x3+1310720 full*1:8x128+128");
    expect("{'model_type':'nemotron_h','num_hidden_layers':6,"
           "'hidden_size':2688,'num_attention_heads':32,"
           "'num_key_value_heads':2,'head_dim':128,"
           "'hybrid_override_pattern':'MEM*EM','mamba_num_heads':64,"
           "'mamba_head_dim':64,'ssm_state_size':128,'n_groups':8,"
           "'conv_kernel':4,'mamba_ssm_cache_dtype':'float32'}",
           "mamba2*3:6144x3+524288f full*1:2x128+128");
    expect("{'model_type':'nemotron_h','num_hidden_layers':4,"
           "'hidden_size':4096,'num_attention_heads':32,"
           "'num_key_value_heads':2,'head_dim':128,"
           "'layers_block_type':['mamba','moe','attention','mlp'],"
           "'mamba_num_heads':128,'mamba_head_dim':64,'ssm_state_size':128,"
           "'n_groups':8,'conv_kernel':4}",
           "mamba2*1:10240x3+1048576 full*1:2x128+128");
    expect("{'model_type':'granitemoehybrid','num_hidden_layers':2,"
           "'hidden_size':1536,'num_attention_heads':12,"
           "'num_key_value_heads':4,'layer_types':['mamba','attention'],"
           "'mamba_n_heads':48,'mamba_d_head':64,'mamba_d_state':128,"
           "'mamba_n_groups':1,'mamba_d_conv':4}",
           "mamba2*1:3328x3+393216 full*1:4x128+128");
    expect("{'model_type':'falcon_h1','num_hidden_layers':44,"
           "'hidden_size':3072,'num_attention_heads':12,"
           "'num_key_value_heads':2,'head_dim':128,'mamba_d_ssm':3072,"
           "'mamba_n_heads':24,'mamba_d_head':128,'mamba_d_state':256,"
           "'mamba_n_groups':1,'mamba_d_conv':4}",
           "full*44:2x128+128 mamba2*44:3584x3+786432");
    expect("{'model_type':'bamba','num_hidden_layers':4,'hidden_size':4096,"
           "'num_attention_heads':32,'num_key_value_heads':8,"
           "'attn_layer_indices':[2],'mamba_n_heads':128,'mamba_d_head':64,"
           "'mamba_d_state':128,'mamba_n_groups':1,'mamba_d_conv':4}",
           "mamba2*3:8448x3+1048576 full*1:8x128+128");
    expect("{'model_type':'jamba','num_hidden_layers':8,'hidden_size':4096,"
           "'num_attention_heads':32,'num_key_value_heads':8,"
           "'attn_layer_period':8,'attn_layer_offset':4,'mamba_d_state':16,"
           "'mamba_d_conv':4,'mamba_expand':2,'mamba_dt_rank':256}",
           "mamba1*7:8192x3+131072 full*1:8x128+128");
    expect("{'model_type':'falcon_mamba','num_hidden_layers':64,"
           "'hidden_size':4096,'state_size':16,'conv_kernel':4,'expand':2}",
           "mamba1*64:8192x3+131072");
    expect("{'model_type':'mamba2','num_hidden_layers':64,"
           "'hidden_size':4096,'num_heads':128,'head_dim':64,"
           "'state_size':128,'n_groups':8,'conv_kernel':4,'expand':2}",
           "mamba2*64:10240x3+1048576");
    expect("{'model_type':'zamba2','num_hidden_layers':3,'hidden_size':2560,"
           "'num_attention_heads':32,'num_key_value_heads':32,"
           "'attention_head_dim':160,'layers_block_type':['mamba','hybrid',"
           "'mamba'],'mamba_d_state':64,'mamba_d_conv':4,'mamba_expand':2,"
           "'mamba_ngroups':1,'n_mamba_heads':80,'mamba_headdim':64}",
           "mamba2*3:5248x3+327680 full*1:32x160+160");
}

static void other_recurrences(void **state) {
    (void)state;
    expect("{'model_type':'minimax','num_hidden_layers':4,"
           "'hidden_size':6144,'num_attention_heads':64,"
           "'num_key_value_heads':8,'head_dim':128,"
           "'attn_type_list':[0,0,0,1]}",
           "linear*3:0x0+1048576 full*1:8x128+128");
    expect("{'model_type':'lfm2','num_hidden_layers':16,'hidden_size':2048,"
           "'num_attention_heads':32,'num_key_value_heads':8,"
           "'conv_L_cache':3,'full_attn_idxs':[2,5,8,10,12,14]}",
           "conv*10:2048x2+0 full*6:8x64+64");
}

static void blocks_without_attention(void **state) {
    (void)state;
    expect("{'model_type':'nemotron-nas','num_hidden_layers':4,"
           "'hidden_size':8192,'num_attention_heads':64,"
           "'num_key_value_heads':null,'block_configs':["
           "{'attention':{'n_heads_in_group':8,'no_op':false},'ffn':{}},"
           "{'attention':{'n_heads_in_group':null,'no_op':true},'ffn':{}},"
           "{'attention':{'n_heads_in_group':8,'no_op':false},'ffn':{}},"
           "{'attention':{'replace_with_linear':true},'ffn':{}}]}",
           "full*2:8x128+128");
}

static void encoders_are_looked_at(void **state) {
    (void)state;
    expect("{'model_type':'whisper','is_encoder_decoder':true,"
           "'d_model':1280,'num_hidden_layers':32,'decoder_layers':4,"
           "'encoder_layers':32,'decoder_attention_heads':20,"
           "'encoder_attention_heads':20,'max_source_positions':1500}",
           "full*4:20x64+64 cross*4:20x64+64@1500");
    expect("{'model_type':'mllama','text_config':{"
           "'model_type':'mllama_text_model','num_hidden_layers':5,"
           "'hidden_size':4096,'num_attention_heads':32,"
           "'num_key_value_heads':8,'cross_attention_layers':[3]}}",
           "full*4:8x128+128 cross*1:8x128+128");
}

static void the_cache_of_a_checkpoint_may_be_in_8_bits(void **state) {
    (void)state;
    struct arena a;
    arena_init(&a, NULL, 0);
    struct str json = STR(
        "{\"num_hidden_layers\": 12, \"hidden_size\": 3072,"
        " \"num_attention_heads\": 48, \"num_key_value_heads\": 8,"
        " \"head_dim\": 128, \"torch_dtype\": \"bfloat16\","
        " \"quantization_config\": {\"quant_method\": \"compressed-tensors\","
        " \"kv_cache_scheme\": {\"num_bits\": 8, \"type\": \"float\"}}}");
    const struct model *m = hf_config_model(&a, json, STR("config.json"));
    struct inputs c = case_of("0.21.0", m, SAID_NOTHING);
    assert_int_equal(memory_kv(&a, &c, NULL).slope.low, 12 * 8 * 256);
    c = case_of("0.14.1", m, SAID_NOTHING); /* its layers do not look yet */
    assert_int_equal(memory_kv(&a, &c, NULL).slope.low, 12 * 8 * 512);
    c = case_of("0.15.0", m, SAID_NOTHING);
    assert_int_equal(memory_kv(&a, &c, NULL).slope.low, 12 * 8 * 256);
    say(&c, FACT_kv_cache_dtype, "bfloat16", SOURCE_USER);
    assert_int_equal(memory_kv(&a, &c, NULL).slope.low, 12 * 8 * 512);
    arena_free(&a);
}

/* Numbers that no model has are not multiplied. */
static void nonsense_is_bounded(void **state) {
    (void)state;
    expect("{'model_type':'qwen3_next','num_hidden_layers':4,"
           "'hidden_size':99999999,'num_attention_heads':1,"
           "'full_attention_interval':4,'linear_num_key_heads':99999999,"
           "'linear_num_value_heads':99999999,"
           "'linear_key_head_dim':99999999,'linear_value_head_dim':99999999}",
           "gdn*3:0x0+0 full*1:1x99999999+99999999");
    expect("{'model_type':'deepseek_v4','num_hidden_layers':2,"
           "'hidden_size':64,'num_attention_heads':1,'head_dim':64,"
           "'compress_ratios':[-4,9007199254740993]}",
           "full*2:1x64+64");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_attention),
        cmocka_unit_test(windows),
        cmocka_unit_test(chunks),
        cmocka_unit_test(latents_and_their_index),
        cmocka_unit_test(gated_delta_nets),
        cmocka_unit_test(kimi_s_delta_attention),
        cmocka_unit_test(mambas),
        cmocka_unit_test(other_recurrences),
        cmocka_unit_test(blocks_without_attention),
        cmocka_unit_test(encoders_are_looked_at),
        cmocka_unit_test(the_cache_of_a_checkpoint_may_be_in_8_bits),
        cmocka_unit_test(nonsense_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
