/* corpus.c: the small corpus, and what may be done with any. */
#include "support/corpus.h"

#include "index/digest.h"
#include "index/pack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <zlib.h>

#include "support/difference.h"

#define GIB(n) ((int64_t)(n) << 30)
#define COUNT(list) (sizeof(list) / sizeof(list)[0])

/* ---- arenas and files ---- */

struct run {
    struct arena *arena;
    void (*body)(struct arena *a);
};

static void run_body(void *arg) {
    struct run *run = arg;
    run->body(run->arena);
}

void with_arena(void (*body)(struct arena *a)) {
    struct arena arena;
    struct fault fault = {FAIL_NONE, ""};
    arena_init(&arena, NULL, 0);
    struct run run = {&arena, body};
    enum fail code = arena_guard(&arena, run_body, &run, &fault);
    arena_free(&arena);
    if (code != FAIL_NONE) {
        fail_msg("raised %d: %s", (int)code, fault.text);
    }
}

struct str file_bytes(struct arena *a, const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fail_msg("%s cannot be read; run tests from the project's folder",
                 path);
        return (struct str){NULL, 0};
    }
    char piece[4096];
    size_t n;
    struct buf bytes = buf_in(a, (size_t)64 << 20);
    while ((n = fread(piece, 1, sizeof piece, file)) > 0) {
        buf_add(&bytes, (struct str){piece, n});
    }
    fclose(file);
    return buf_str(&bytes);
}

uint32_t cases_asked(uint32_t part, uint32_t whole) {
    return getenv("OOMKB_ALL") != NULL ? whole : part;
}

bool is_asked(struct str name, uint32_t every) {
    uLong sum = crc32(0, (const Bytef *)name.p, (uInt)name.n);
    return sum % cases_asked(every, 1) == 0;
}

/* ---- pieces ---- */

static struct str_list strings(struct arena *a, size_t count,
                               const char *const *words) {
    struct str_list list = {arena_array(a, count, sizeof(struct str)), count};
    for (size_t i = 0; i < count; i++) {
        list.at[i] = str_of(words[i]);
    }
    return list;
}

static struct text both(const char *en, const char *zh) {
    return (struct text){{str_of(en), str_of(zh)}};
}

static struct version_range range(struct arena *a, const char *product,
                                  const char *introduced, const char *fixed) {
    struct version_range r = {.product = str_of(product), .event_count = 2};
    r.events = arena_array(a, 2, sizeof *r.events);
    r.events[0] = (struct version_event){false, str_of(introduced)};
    r.events[1] = (struct version_event){true, str_of(fixed)};
    return r;
}

static void *kept(struct arena *a, const void *list, size_t bytes) {
    char *copy = arena_alloc(a, bytes);
    for (size_t i = 0; i < bytes; i++) {
        copy[i] = ((const char *)list)[i];
    }
    return copy;
}

/* ---- the entry that uses every field ---- */

static void add_signatures(struct arena *a, struct entry *e) {
    static const char *const extract[] = {
        "length is (?<est_max_model_len>\\d+)", "Process (?<pid>\\d+) has"};
    struct setting set[] = {{FACT_stage, STR("kv_alloc")},
                            {FACT_engine, STR("vllm")}};
    struct version_range versions[] = {range(a, "vllm", "0.7.0", "0.14.0"),
                                       range(a, "torch", "2.0", "2.9")};
    struct signature list[] = {
        {.id = STR("v1"),
         .pattern = STR("larger than the available KV cache"),
         .versions = kept(a, versions, sizeof versions),
         .version_count = COUNT(versions),
         .set = kept(a, set, sizeof set),
         .set_count = COUNT(set),
         .extract = strings(a, COUNT(extract), extract),
         .sample = STR("ValueError: larger than the available KV cache\n")},
        {.id = STR("v0"), .pattern = STR("^too short"), .is_weak = true},
    };
    e->signatures = kept(a, list, sizeof list);
    e->signature_count = COUNT(list);
}

static void add_conditions(struct arena *a, struct entry *e) {
    static const char *const when[] = {"stage = 'kv_alloc'",
                                       "gpu_free < 0.5 * gpu_total"};
    struct condition list[] = {
        {STR("determine_num_available_blocks"), SCOPE_traceback, false, false},
        {STR("Sleep mode freed"), SCOPE_before, true, true},
    };
    e->conditions = kept(a, list, sizeof list);
    e->condition_count = COUNT(list);
    e->when = strings(a, COUNT(when), when);
}

static void add_workarounds(struct arena *a, struct entry *e) {
    static const char *const when[] = {"max_model_len > 1024"};
    static const char *const links[] = {"https://example.org/1",
                                        "https://example.org/2"};
    struct cure cures[] = {{STR("limit_below_need"), STRENGTH_most},
                           {STR("one_step"), STRENGTH_little}};
    struct workaround list[] = {
        {.id = STR("lower-max-model-len"),
         .action = both("Lower the context length", "降低上下文长度"),
         .how = both("Start with a smaller one", "改小后重启"),
         .trade_off = both("Shorter requests only", "只能处理较短请求"),
         .acts_on = {STR("--max-model-len"), CHANGE_down, ACT_KIND_none},
         .command = STR("--max-model-len {est_max_model_len}"),
         .effort = EFFORT_flag,
         .when = strings(a, COUNT(when), when),
         .effect = EFFECT_max_model_len,
         .success = {.basis = BASIS_reports, .worked = 11, .tried = 14,
                     .maintainers_worked = 1, .maintainers_tried = 2,
                     .people = 16, .rate_micro = -1,
                     .because = both("Several in each link", "每个链接多人"),
                     .links = strings(a, COUNT(links), links)},
         .loses = LOSES_capacity,
         .frees = FREES_kv_need,
         .cures = kept(a, cures, sizeof cures),
         .cure_count = COUNT(cures)},
        {.id = STR("end-others"),
         .use = STR("end-other-processes"),
         .action = both("End the other process", "结束其他进程"),
         .how = both("By its pid", "按 pid 结束"),
         .acts_on = {.kind = ACT_KIND_kill_process},
         .effort = EFFORT_restart,
         .effect = EFFECT_free_other_process,
         .success = {.basis = BASIS_measured, .worked = 2, .tried = 3,
                     .rate_micro = -1,
                     .because = both("On one card", "单卡实测")}},
        {.id = STR("quantize"),
         .action = both("Quantize", "量化"),
         .how = both("Use a smaller checkpoint", "换用量化权重"),
         .acts_on = {STR("--max-model-len"), CHANGE_down, ACT_KIND_none},
         .loses = LOSES_quality,
         .success = {.basis = BASIS_ai_generated, .worked = 5, .tried = 5,
                     .rate_micro = 850000,
                     .source = STR("https://example.org/claim")}},
    };
    e->workarounds = kept(a, list, sizeof list);
    e->workaround_count = COUNT(list);
}

static void add_dead_ends(struct arena *a, struct entry *e) {
    static const char *const when[] = {"enforce_eager = 0"};
    static const char *const links[] = {"https://example.org/3"};
    struct dead_end list[] = {
        {.action = both("Empty the cache", "清空缓存"),
         .why = both("There is nothing in it", "其中没有内容"),
         .instead = both("Lower the length", "降低长度"),
         .acts_on = {STR("--swap-space"), CHANGE_up, ACT_KIND_none},
         .when = strings(a, COUNT(when), when),
         .fail = {.basis = BASIS_estimate, .rate_micro = 1000000,
                  .because = both("How it is built", "由其实现可知"),
                  .links = strings(a, COUNT(links), links)}},
    };
    e->dead_ends = kept(a, list, sizeof list);
    e->dead_end_count = COUNT(list);
}

static void add_causes(struct arena *a, struct entry *e) {
    struct cause_share list[] = {{STR("limit_below_need"), 700000},
                                 {STR("one_step"), 300000}};
    e->causes = kept(a, list, sizeof list);
    e->cause_count = COUNT(list);
}

static void add_truth(struct arena *a, struct entry *e) {
    struct compatibility versions[] = {
        {range(a, "vllm", "0", "0.9.1"), RANGE_STATUS_affected,
         both("Until it was mended", "修复之前")},
        {{.product = STR("cuda")}, RANGE_STATUS_deprecated, both("", "")}};
    struct hardware hardware[] = {
        {STR("A100 80GB"), RANGE_STATUS_active, both("Seen there", "在此见过")}};
    struct reference docs[] = {{STR("https://example.org/doc"),
                                STR("2026-08-07"), both("It says so", "文档写明")}};
    struct reference evidence[] = {
        {STR("https://example.org/a"), STR("2026-08-08"), both("A", "甲")},
        {STR("https://example.org/b"), STR("2026-08-09"), both("B", "乙")}};
    struct relation relations[] = {
        {RELATION_confused_with, STR("pytorch/cuda-oom"),
         both("By the first line", "看第一行")},
        {.kind = RELATION_wraps, .entry = STR("pytorch/cuda-oom-forward")}};
    e->versions = kept(a, versions, sizeof versions);
    e->version_count = COUNT(versions);
    e->hardware = kept(a, hardware, sizeof hardware);
    e->hardware_count = COUNT(hardware);
    e->docs = kept(a, docs, sizeof docs);
    e->doc_count = COUNT(docs);
    e->evidence = kept(a, evidence, sizeof evidence);
    e->evidence_count = COUNT(evidence);
    e->relations = kept(a, relations, sizeof relations);
    e->relation_count = COUNT(relations);
}

static struct entry everything(struct arena *a) {
    static const char *const prefer[] = {"pytorch/cuda-oom"};
    static const char *const renamed[] = {"vllm/old-name", "vllm/older-name"};
    struct entry e = {
        .id = STR("vllm/everything"),
        .component = STR("vllm"),
        .mechanism = MECHANISM_kv_cache_startup,
        .severity = SEVERITY_warning,
        .role = ROLE_consequence,
        .title = both("The pool is too small", "缓存池太小"),
        .root_cause = both("One request needs more", "一个请求就不够"),
        .prefer = strings(a, COUNT(prefer), prefer),
        .first_seen = STR("2024-06-20"),
        .last_verified = STR("2026-11-21"),
        .renamed_from = strings(a, COUNT(renamed), renamed),
        .withdrawn = both("Merged", "已合并"),
        .provenance = {STR("https://example.org/claim"), STR("ai_generated"),
                       880000, 850000, 1},
    };
    add_signatures(a, &e);
    add_conditions(a, &e);
    add_workarounds(a, &e);
    add_dead_ends(a, &e);
    add_truth(a, &e);
    add_causes(a, &e);
    return e;
}

/* ---- the corpus ---- */

static struct entry plain_entry(struct arena *a, const char *id) {
    struct entry e = {.id = str_of(id),
                      .component = STR("pytorch"),
                      .mechanism = MECHANISM_unspecified,
                      .title = both(id, "标题"),
                      .root_cause = both("Unknown", "未知"),
                      .provenance = {.confidence_micro = -1,
                                     .fix_rate_micro = -1,
                                     .evidence_count = -1}};
    (void)a;
    return e;
}

static struct engine tiny_engine(struct arena *a) {
    static const char *const aliases[] = {"--max_model_len"};
    static const char *const keys[] = {"max_model_len", "max_seq_len"};
    struct setting set[] = {{FACT_engine, STR("vllm")}};
    struct context_pattern contexts[] = {
        {.pattern =
             STR("Initializing an LLM engine \\(v(?<engine_version>\\S+)\\)"),
         .set = kept(a, set, sizeof set), .set_count = COUNT(set),
         .is_prose = true}};
    struct setting told[] = {{FACT_work, STR("attention")}};
    struct stage_anchor stages[] = {
        {.stage = STR("profile"),
         .pattern = STR("determine_num_available_blocks"), .is_frame = true},
        {.stage = STR("load"), .pattern = STR("^load"), .is_weak = true},
        {.set = kept(a, told, sizeof told), .set_count = COUNT(told),
         .pattern = STR("in eager_attention_forward"), .is_frame = true,
         .holds = true}};
    struct flag flags[] = {{FACT_max_model_len, STR("--max-model-len"),
                            strings(a, COUNT(aliases), aliases),
                            strings(a, COUNT(keys), keys), STR(""),
                            range(a, "vllm", "0.1.0", "9.0"), STR("8192"),
                            STR("")},
                           {.fact = FACT_swap_space,
                            .flag = STR("--swap-space"),
                            .scale = STR("GiB")}};
    static const char *const option_aliases[] = {"-O", "--compile"};
    struct option options[] = {
        {STR("--compilation-config"),
         strings(a, COUNT(option_aliases), option_aliases),
         range(a, "vllm", "0.6.5", "9.0"), STR("https://example.org/o"),
         true}};
    struct engine_default defaults[] = {
        {FACT_gpu_memory_utilization, STR("0.9"),
         range(a, "vllm", "0.1.0", "0.20.0"), STR("https://example.org/d")}};
    struct engine e = {.id = STR("vllm"), .name = STR("vLLM"),
                       .newest = STR("0.21.0"), .command = STR("vllm serve"),
                       .task = STR("infer"), .is_everywhere = true,
                       .calls = strings(a, COUNT(aliases), aliases),
                       .contexts = kept(a, contexts, sizeof contexts),
                       .context_count = COUNT(contexts),
                       .stages = kept(a, stages, sizeof stages),
                       .stage_count = COUNT(stages),
                       .flags = kept(a, flags, sizeof flags),
                       .flag_count = COUNT(flags),
                       .options = kept(a, options, sizeof options),
                       .option_count = COUNT(options),
                       .defaults = kept(a, defaults, sizeof defaults),
                       .default_count = COUNT(defaults)};
    return e;
}

static struct model tiny_model(struct arena *a, const char *id, int64_t layers,
                               size_t alias_count, const char *const *aliases) {
    struct kv_group groups[] = {
        {.kind = KV_full, .layers = layers, .kv_heads = 8, .k_dim = 128,
         .v_dim = 64},
        {.kind = KV_sliding, .layers = 2, .kv_heads = 4, .k_dim = 32,
         .v_dim = 32, .window = 1024},
        {.kind = KV_mla, .layers = 1, .latent_dim = 576, .q_rank = 1536,
         .rope_dim = 64},
        {.kind = KV_state, .layers = 3, .state_bytes = 1085440,
         .mixer = STR("mamba2"), .conv_channels = 6144, .conv_steps = 3,
         .conv_groups = 8, .group_channels = 256, .state_elements = 524288,
         .state_dtype = STR("float32"), .ratio = 1,
         .params = 33816320, .is_gated = true}};
    static const char *const sources[] = {"https://example.org/config.json"};
    struct model m = {.id = str_of(id),
                      .aliases = strings(a, alias_count, aliases),
                      .family = STR("tiny"), .params = 8030261248,
                      .embedding_params = 1050673152, .layers = layers,
                      .hidden_size = 4096, .heads = 32, .vocab_size = 128256,
                      .intermediate_size = 14336, .max_position = 131072,
                      .dtype = STR("bfloat16"), .quantization = STR("fp8"),
                      .groups = kept(a, groups, sizeof groups),
                      .group_count = COUNT(groups), .is_moe = true,
                      .is_multimodal = true, .experts = 256,
                      .expert_size = 2048, .shared_size = 1024,
                      .dense_layers = 3, .mlp_layers = 19, .draft_layers = 1,
                      .other_params = 420000000, .has_plain_mlp = true,
                      .uncounted = STR("a toy"), .verified = STR("computed"),
                      .sources = strings(a, COUNT(sources), sources)};
    return m;
}

static void add_models(struct arena *a, struct corpus *c) {
    static const struct {
        const char *id, *aliases[3];
    } names[] = {
        {"Qwen/Qwen2-57B-A14B-Instruct", {NULL}},
        {"Qwen/Qwen2.5-7B-Instruct",
         {"Qwen/Qwen2.5-7B", "Qwen/Qwen2.5-7B-Instruct-AWQ", "qwen2.5:7b"}},
        {"Qwen/Qwen3-30B-A3B", {"qwen3:30b-a3b", "qwen3:30b"}},
        {"Qwen/Qwen3-8B", {"qwen3:8b"}},
        {"deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", {"deepseek-r1:7b"}},
        {"deepseek-ai/DeepSeek-V3", {"deepseek-ai/DeepSeek-V3-0324"}},
        {"google/gemma-3-27b-it", {"google/gemma-3-27b-pt", "gemma3:27b"}},
        {"meta-llama/Llama-2-7b-hf", {"meta-llama/Llama-2-7b-chat-hf"}},
        {"meta-llama/Llama-3.1-70B-Instruct", {"llama3.1:70b"}},
        {"meta-llama/Llama-3.1-8B-Instruct",
         {"meta-llama/Llama-3.1-8B", "llama3.1:8b", "llama3.1:latest"}},
        {"mistralai/Mistral-7B-Instruct-v0.3", {"mistral:7b", "mistral"}},
        {"mistralai/Mixtral-8x7B-Instruct-v0.1", {"mixtral:8x7b"}},
        {"openai-community/gpt2", {"gpt2"}},
        {"openai/gpt-oss-20b", {"gpt-oss:20b"}},
    };
    c->models = arena_array(a, COUNT(names), sizeof *c->models);
    for (; c->model_count < COUNT(names); c->model_count++) {
        const char *const *aliases = names[c->model_count].aliases;
        size_t count = 0;
        while (count < COUNT(names[0].aliases) && aliases[count] != NULL) {
            count++;
        }
        c->models[c->model_count] =
            tiny_model(a, names[c->model_count].id,
                       (int64_t)(20 + c->model_count), count, aliases);
    }
}

static void add_gpus(struct arena *a, struct corpus *c) {
    static const char *const a100_80[] = {"NVIDIA A100-SXM4-80GB"};
    static const char *const a100_40[] = {"NVIDIA A100-SXM4-40GB",
                                          "A100-PCIE-40GB"};
    static const char *const v100[] = {"Tesla V100-SXM2-32GB"};
    static const char *const rtx[] = {"NVIDIA GeForce RTX 4090"};
    struct gpu list[] = {
        {STR("A100 40GB"), strings(a, 2, a100_40), STR("nvidia"), 40,
         GIB(39), GIB(39) + 600000000, 0, false, STR("8.0"), STR("seen")},
        {STR("A100 80GB PCIe"), {NULL, 0}, STR("nvidia"), 80, GIB(79),
         GIB(79) + 300000000, 0, false, STR("8.0"), STR("seen")},
        {STR("A100 80GB SXM"), strings(a, 1, a100_80), STR("nvidia"), 80,
         GIB(79), GIB(79) + 300000000, 0, false, STR("8.0"), STR("seen")},
        {STR("A10G"), {NULL, 0}, STR("nvidia"), 24, GIB(22), GIB(22) + 50, -1,
         false, STR("8.6"), STR("seen")},
        {STR("RTX 4090"), strings(a, 1, rtx), STR("nvidia"), 24, 0, 0, 1, false,
         STR("8.9"), STR("recalled")},
        {STR("V100 32GB"), strings(a, 1, v100), STR("nvidia"), 32, GIB(31),
         GIB(32), 0, false, STR("7.0"), STR("seen")},
    };
    c->gpus = kept(a, list, sizeof list);
    c->gpu_count = COUNT(list);
}

static void add_cause(struct arena *a, struct corpus *c) {
    struct evidence evidence[] = {
        {STR("kv_needed > kv_available"), 4, STR("pool"),
         both("One request needs more than there is", "一个请求就超过可用量")},
        {STR("gpu_free > 0.5 * gpu_total"), -2, STR(""),
         both("Half of the card is free", "半张卡空闲")}};
    struct cause cause = {
        .id = STR("limit_below_need"),
        .mechanism = MECHANISM_kv_cache_startup,
        .name = both("The pool is too small", "缓存池太小"),
        .evidence = kept(a, evidence, sizeof evidence),
        .evidence_count = COUNT(evidence)};
    c->causes = kept(a, &cause, sizeof cause);
    c->cause_count = 1;
    for (int i = 0; i < RANKING_COUNT_OF; i++) {
        c->ranking.micro[i] = 1000000 + i;
        c->ranking.origin[i] = both("By hand", "人工设定");
    }
}

struct corpus tiny_corpus(struct arena *a) {
    struct component components[] = {
        {.id = STR("ggml-metal"), .name = STR("ggml (Metal)"),
         .folds_into = STR("llama.cpp")},
        {.id = STR("llama.cpp"), .name = STR("llama.cpp")}};
    struct message messages[] = {
        {STR("report.do_first"), both("Do this first", "先做这一步")}};
    struct entry entries[] = {everything(a), plain_entry(a, "pytorch/cuda-oom"),
                              plain_entry(a, "pytorch/cuda-oom-forward")};
    struct signature head = {.id = STR("any"),
                             .pattern = STR("CUDA out of memory")};
    entries[TINY_HEAD].signatures = kept(a, &head, sizeof head);
    entries[TINY_HEAD].signature_count = 1;
    entries[TINY_FIRST].same_words_as = STR("pytorch/cuda-oom");
    struct engine engine = tiny_engine(a);
    struct corpus c = {.entries = kept(a, entries, sizeof entries),
                       .entry_count = COUNT(entries),
                       .engines = kept(a, &engine, sizeof engine),
                       .engine_count = 1,
                       .components = kept(a, components, sizeof components),
                       .component_count = COUNT(components),
                       .messages = kept(a, messages, sizeof messages),
                       .message_count = COUNT(messages)};
    add_models(a, &c);
    add_gpus(a, &c);
    add_cause(a, &c);
    return c;
}

struct str tiny_image(struct arena *a) {
    struct corpus c = tiny_corpus(a);
    struct pattern_list set = corpus_patterns(a, &c);
    return index_write(a, &c, &set, STR("a prefilter"));
}

struct reader *tiny_reader(struct arena *a) {
    return reader_new(index_open(a, tiny_image(a)), a);
}

const char *round_trip_loss(struct arena *a, const struct corpus *c) {
    char path[FIELD_PATH_MAX];
    struct pattern_list set = corpus_patterns(a, c);
    struct str image = index_write(a, c, &set, STR("a prefilter"));
    struct reader *r = reader_new(index_open(a, image), a);
    for (size_t i = 0; i < c->entry_count; i++) {
        const char *field = shape_difference(
            &shape_entry, &c->entries[i], reader_entry(r, (uint32_t)i), path);
        if (field != NULL) {
            return arena_printf(a, "%.*s: %s", STR_ARG(c->entries[i].id),
                                field).p;
        }
    }
    for (size_t i = 0; i < c->cause_count; i++) {
        const struct cause *got = reader_cause(r, c->causes[i].id);
        if (got == NULL || shape_difference(&shape_cause, &c->causes[i], got, path) != NULL) {
            return arena_printf(a, "cause %.*s",
                                STR_ARG(c->causes[i].id)).p;
        }
    }
    for (int i = 0; i < RANKING_COUNT_OF; i++) {
        if (reader_ranking(r)->micro[i] != c->ranking.micro[i]) {
            return ranking_spelling((enum ranking_number)i);
        }
    }
    return NULL;
}

static void set_word(struct str image, size_t at, uint32_t n) {
    for (int i = 0; i < 4; i++)
        ((char *)image.p)[at + (size_t)i] = (char)(n >> (8 * i));
}

void image_mend_checks(struct str image, size_t tables) {
    struct str pack = str_slice(image, tables, image.n);
    size_t from = (size_t)4 * (PACK_CHECK + 1);
    set_word(image, tables + (size_t)4 * PACK_TABLES_CHECK,
             check_of(PACK_MAGIC, str_slice(image, 0, tables)));
    set_word(image, tables + (size_t)4 * PACK_CHECK,
             check_of(PACK_MAGIC,
                      str_slice(pack, from, (size_t)4 * PACK_WORDS - from)));
}
