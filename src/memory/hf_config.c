/* hf_config.c: config.json of a checkpoint -> the shape of its caches.
 *
 *     {"num_hidden_layers": 32, "num_key_value_heads": 8, "head_dim": 128}
 *       --> 32 full layers of 8 x (128 + 128)
 *
 * A multimodal model keeps its language model under text_config (or one of a
 * few other names). Fields have several spellings; the first that is there
 * counts. Which layer is what is hf_layer.c's, what a layer keeps hf_group.c's.
 */
#include "memory/hf_config.h"

#include "base/limits.h"

static bool find_int(struct json *o, const struct names *names, int64_t *out) {
    for (size_t i = 0; i < NAMES && names->at[i]; i++) {
        int64_t n;
        if (json_get_int(o, names->at[i], &n) && n >= 0 &&
            n <= MODEL_NUMBER_MAX) {
            *out = n;
            return true;
        }
    }
    return false;
}

int64_t hf_value(const struct config *c, const struct names *names,
                 int64_t otherwise) {
    int64_t n = otherwise;
    return find_int(c->text, names, &n) ? n : otherwise;
}

int64_t hf_value_in(struct json *object, const char *name, int64_t otherwise) {
    int64_t n = otherwise;
    return find_int(object, &(struct names){{name}}, &n) ? n : otherwise;
}

struct json *hf_item(const struct config *c, const char *name, int64_t i) {
    return json_at(json_get(c->text, name), (size_t)i);
}

static int64_t needed(const struct config *c, const struct names *names) {
    int64_t n = hf_value(c, names, 0);
    if (n <= 0) {
        arena_raise(c->a, FAIL_INPUT,
                    "%.*s: %s is missing: it should be the "
                    "config.json of a language model",
                    (int)(c->name.n < 100 ? c->name.n : 100), c->name.p,
                    names->at[0]);
    }
    return n;
}

bool hf_flag(const struct config *c, const char *name) {
    bool is_set = false;
    return json_get_bool(c->text, name, &is_set) && is_set;
}

struct str hf_word(const struct config *c, const char *name) {
    struct str s = {NULL, 0};
    if (!json_get_text(c->text, name, &s)) {
        json_get_text(c->top, name, &s);
    }
    return s;
}

bool hf_type_is(const struct config *c, const char *type) {
    struct str own = {NULL, 0};
    json_get_text(c->text, "model_type", &own);
    return str_starts(own, str_of(type)) ||
           str_starts(hf_word(c, "model_type"), str_of(type));
}

static struct json *text_part(struct json *top) {
    static const char *const inner[] = {"text_config", "llm_config",
                                        "language_config"};
    struct json *thinker = json_get(top, "thinker_config");
    if (thinker && json_get(thinker, "text_config")) {
        return json_get(thinker, "text_config");
    }
    for (size_t i = 0; i < sizeof inner / sizeof inner[0]; i++) {
        if (json_get(top, inner[i])) {
            return json_get(top, inner[i]);
        }
    }
    return top;
}

/* MPT and DBRX keep them apart. */
static int64_t kv_heads_of(const struct config *c) {
    int64_t usual = hf_flag(c, "multi_query") ? 1 : c->heads;
    usual = hf_value_in(json_get(c->text, "attn_config"), "kv_n_heads", usual);
    return ANY(c, usual, "num_key_value_heads", "num_kv_heads", "n_head_kv",
               "multi_query_group_num", "num_attention_groups",
               "decoder_attention_heads");
}

static void read_layers(struct config *c) {
    bool is_decoder = hf_flag(c, "is_encoder_decoder");
    struct names usual = {{"num_hidden_layers", "n_layer", "num_layers",
                           "n_layers", "decoder_layers"}};
    struct names decoder = {{"decoder_layers", "num_decoder_layers",
                             "num_layers", "num_hidden_layers"}};
    c->layers = needed(c, is_decoder ? &decoder : &usual);
    if (c->layers > SHAPE_LAYERS_MAX) {
        arena_raise(c->a, FAIL_INPUT, "%.*s: more than %d layers",
                    (int)(c->name.n < 100 ? c->name.n : 100), c->name.p,
                    SHAPE_LAYERS_MAX);
    }
}

static void read_sizes(struct config *c, struct model *m) {
    read_layers(c);
    c->hidden =
        needed(c, &(struct names){{"hidden_size", "n_embd", "d_model"}});
    c->heads = ANY(c, 1, "num_attention_heads", "n_head", "n_heads",
                   "num_heads", "decoder_attention_heads");
    c->heads = c->heads > 0 ? c->heads : 1;
    c->kv_heads = kv_heads_of(c);
    c->head_dim = ANY(c, c->hidden / c->heads, "head_dim", "kv_channels",
                      "attention_head_dim", "d_kv");
    m->vocab_size = ANY(c, 0, "vocab_size", "padded_vocab_size");
    m->intermediate_size =
        ANY(c, 4 * c->hidden, "intermediate_size", "ffn_hidden_size", "n_inner",
            "ffn_dim", "decoder_ffn_dim", "d_ff");
    m->max_position =
        ANY(c, ONE(c, "max_sequence_length", 0), "max_position_embeddings",
            "n_positions", "seq_length", "max_seq_len", "model_max_length",
            "max_target_positions");
    m->draft_layers = ANY(c, 0, "num_nextn_predict_layers",
                          "mtp_num_hidden_layers", "num_mtp_modules");
    m->layers = c->layers;
    m->hidden_size = c->hidden;
    m->heads = c->heads;
}

/* "kv_cache_scheme": {"num_bits": 8} of compressed-tensors,
 * "kv_cache_quant_algo": "FP8" of ModelOpt. */
static struct str cache_scheme(struct json *quantization) {
    struct json *scheme = json_get(quantization, "kv_cache_scheme");
    struct str algorithm = {NULL, 0};
    json_get_text(quantization, "kv_cache_quant_algo", &algorithm);
    bool is_fp8 = hf_value_in(scheme, "num_bits", 0) == 8 ||
                  str_eq_nocase(algorithm, STR("FP8"));
    return is_fp8 ? STR("fp8") : (struct str){NULL, 0};
}

/* "weight_block_size": [128, 128] of fp8, "group_size" of AWQ and GPTQ. */
static int64_t scale_block_of(struct json *quantization) {
    struct json *side = json_at(json_get(quantization, "weight_block_size"), 0);
    int64_t n = hf_value_in(quantization, "group_size", 0);
    json_as_int(side, &n);
    return n > 0 && n < 100000 ? n : 0;
}

const struct model *hf_config_model(struct arena *a, struct str text,
                                    struct str name) {
    struct json *top = json_parse(a, text, name);
    struct config c = {
        .a = a, .top = top, .text = text_part(top), .name = name};
    struct model *m = arena_alloc(a, sizeof *m);
    read_sizes(&c, m);
    struct str id = hf_word(&c, "_name_or_path");
    struct str dtype = hf_word(&c, "torch_dtype");
    m->id = arena_str(a, id.n > 0 ? id : name);
    m->dtype = arena_str(a, dtype.n > 0 ? dtype : hf_word(&c, "dtype"));
    m->dtype = m->dtype.n > 0 ? m->dtype : STR("bfloat16");
    json_get_text(json_get(top, "quantization_config"), "quant_method",
                  &m->quantization);
    m->kv_dtype = cache_scheme(json_get(top, "quantization_config"));
    m->scale_block = scale_block_of(json_get(top, "quantization_config"));
    m->is_multimodal = c.text != top || json_get(top, "vision_config") != NULL;
    m->family = hf_word(&c, "model_type");
    m->verified = STR("given");
    hf_add_layers(&c, m);
    bool is_tied = hf_flag(&c, "tie_word_embeddings");
    if (m->vocab_size < 10000000 && c.hidden < 1000000) {
        m->embedding_params = m->vocab_size * c.hidden * (is_tied ? 1 : 2);
    }
    m->params = hf_params(&c, m);
    m->experts =
        ANY(&c, 0, "num_local_experts", "num_experts", "n_routed_experts");
    m->is_moe = m->experts > 1;
    m->expert_size =
        ANY(&c, m->is_moe ? m->intermediate_size : 0, "moe_intermediate_size");
    m->dense_layers = ANY(&c, 0, "first_k_dense_replace");
    return m;
}
