/* settings.c: reads files that have an engine's settings by name.
 *
 *     model: Qwen/Qwen3-8B            vllm serve --config FILE
 *     max-model-len: 8192
 *
 *     applications:                   Ray Serve's LLM applications
 *       - args: {llm_configs: [{model_loading_config: {model_source: ...},
 *                               engine_kwargs: {max_model_len: 8192},
 *                               accelerator_type: H100}]}
 *
 *     servingEngineSpec:              the chart of vLLM's production stack, and
 *       modelSpec:                    kind: VLLMRuntime of its operator
 *         - {modelURL: Qwen/Qwen3-8B, requestGPU: 1,
 *            vllmConfig: {maxModelLen: 8192}}
 *
 *     kind: Model                     kubeai.org
 *     spec: {engine: VLLM, url: hf://Qwen/Qwen3-8B, args: [...],
 *            resourceProfile: nvidia-gpu-l4:1}
 *
 * A key is read as the flag of that name. */
#include "launch/workload.h"

static void add_settings(const struct launch_file *f, struct workload *w,
                         const struct node *map) {
    const struct pair *pair;
    for (size_t i = 0; (pair = pair_item(map, i)) != NULL; i++) {
        struct str value = scalar_of(pair->value);
        if (value.n == 0 || STR_IS_ONE(value, "false", "null"))
            continue;
        struct str flag =
            arena_printf(f->a, "--%.*s", STR_ARG(pair->key->text));
        word_add(f->a, &w->words, arena_swap(f->a, flag, '_', '-'),
                 node_bytes(pair->key));
        if (!str_eq(value, STR("true")))
            node_word(f, &w->words, pair->value);
    }
}

static struct workload *start(const struct launch_file *f, struct str name,
                              const struct node *at) {
    struct workload *w = workload_new(f->a, f->out, name, node_bytes(at));
    word_add(f->a, &w->words, STR("vllm"), w->at);
    word_add(f->a, &w->words, STR("serve"), w->at);
    return w;
}

/* ---- vllm serve --config ---- */

static bool is_config(const struct node *root) {
    bool has_model = node_get(root, "model") != NULL ||
                     node_get(root, "model_tag") != NULL;
    for (size_t i = 0; i < root->count; i++)
        if (STR_IS_ONE(root->pairs[i].key->text, "max-model-len",
                       "max_model_len", "tensor-parallel-size",
                       "tensor_parallel_size", "gpu-memory-utilization",
                       "gpu_memory_utilization", "max-num-seqs",
                       "max_num_seqs", "kv-cache-dtype", "kv_cache_dtype"))
            return true;
    return has_model && node_get(root, "port") != NULL;
}

/* ---- the chart and the operator of vLLM's production stack ---- */

static void add_items(const struct launch_file *f, struct workload *w,
                      const struct node *list) {
    const struct node *item;
    for (size_t i = 0; (item = node_item(list, i)) != NULL; i++)
        node_word(f, &w->words, item);
}

static void add_stack_flags(const struct launch_file *f, struct workload *w,
                            const struct node *map) {
    static const char *const rows[][2] = {
        {"modelURL", "--model"},
        {"maxModelLen", "--max-model-len"},
        {"maxNumSeqs", "--max-num-seqs"},
        {"dtype", "--dtype"},
        {"tensorParallelSize", "--tensor-parallel-size"},
        {"pipelineParallelSize", "--pipeline-parallel-size"},
        {"gpuMemoryUtilization", "--gpu-memory-utilization"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        node_option(f, &w->words, rows[i][1], member(map, rows[i][0]));
    add_items(f, w, member(map, "extraArgs"));
}

/* Reads modelSpec: [{name, repository, tag, modelURL, requestGPU,
 * vllmConfig}]. */
static bool read_stack(const struct launch_file *f, const struct node *spec) {
    const struct node *list = member(spec, "modelSpec"), *item;
    bool found = false;
    for (size_t i = 0; (item = node_item(list, i)) != NULL; i++) {
        const struct node *url = member(item, "modelURL");
        const struct node *config = member(item, "vllmConfig");
        if (scalar_of(url).n == 0)
            continue;
        struct workload *w =
            start(f, scalar_of(node_or(member(item, "name"), url)), url);
        w->image = arena_printf(
            f->a, "%.*s:%.*s", STR_ARG(scalar_of(member(item, "repository"))),
            STR_ARG(scalar_of(member(item, "tag"))));
        if (member(item, "raySpec") == NULL) /* with raySpec it uses several
                                                pods */
            node_key(f, w, "gpus", member(item, "requestGPU"));
        node_key(f, w, "mem_limit", member(item, "limitMemory"));
        node_key(f, w, "shm_size", member(item, "shmSize"));
        add_stack_flags(f, w, item);
        add_stack_flags(f, w, config);
        found = true;
    }
    return found;
}

/* Reads "nvidia-gpu-l4:2", two L4. A profile such as "cpu:4" has no GPU. */
static void profile_add(const struct launch_file *f, struct workload *w,
                        const struct node *profile) {
    struct str count, name = str_cut(scalar_of(profile), ':', &count);
    struct str behind = str_slice(name, str_find(name, STR("-gpu-")), name.n);
    struct str card = str_from(behind, behind.n > 5 ? 5 : behind.n);
    if (card.n == 0)
        return;
    setting_add(f->a, &w->keys, STR("gpu"), card_of_label(f->a, card),
                node_bytes(profile));
    setting_add(f->a, &w->keys, STR("gpus"),
                count.n > 0 ? str_trim(count) : STR("1"), node_bytes(profile));
}

static bool read_kubeai(const struct launch_file *f, const struct node *root) {
    const struct node *spec = member(root, "spec");
    const struct node *url = member(spec, "url");
    const struct node *profile = member(spec, "resourceProfile");
    struct str name = scalar_of(url);
    if (!str_starts(scalar_of(member(root, "apiVersion")),
                    STR("kubeai.org/")) ||
        !str_eq(scalar_of(member(spec, "engine")), STR("VLLM")) ||
        !str_starts(name, STR("hf://")) ||
        str_starts(scalar_of(profile), STR("cpu")))
        return false;
    struct workload *w =
        start(f, scalar_of(node_or(member(member(root, "metadata"), "name"),
                                   url)), url);
    word_add(f->a, &w->words, str_from(name, 5), node_bytes(url));
    profile_add(f, w, profile);
    add_items(f, w, member(spec, "args"));
    return true;
}

bool runtime_read(const struct launch_file *f, const struct node *root) {
    const struct node *spec = member(root, "spec");
    const struct node *model = member(spec, "model");
    const struct node *url = member(model, "modelURL");
    const struct node *name = member(member(root, "metadata"), "name");
    if (read_kubeai(f, root))
        return true;
    if (!str_eq(scalar_of(member(root, "kind")), STR("VLLMRuntime")) ||
        scalar_of(url).n == 0)
        return false;
    struct workload *w = start(f, scalar_of(node_or(name, url)), url);
    node_key(f, w, "gpus",
             member(member(member(spec, "deploymentConfig"), "resources"),
                    "gpu"));
    add_stack_flags(f, w, model);
    add_stack_flags(f, w, member(spec, "vllmConfig"));
    return true;
}

/* ---- Ray Serve ---- */

static void read_llm(const struct launch_file *f, const struct node *config) {
    const struct node *loading = member(config, "model_loading_config");
    const struct node *source = node_or(member(loading, "model_source"),
                                        member(loading, "model_id"));
    if (scalar_of(source).n == 0)
        return;
    const struct node *id = node_or(member(loading, "model_id"), source);
    struct workload *w = start(f, id->text, id);
    node_option(f, &w->words, "--model", source);
    add_settings(f, w, member(config, "engine_kwargs"));
    node_key(f, w, "gpu", member(config, "accelerator_type"));
}

/* Reads every map with a model_loading_config: llm_configs, llm_config,
 * prefill_config, decode_config. */
static bool find_llms(const struct launch_file *f, const struct node *n,
                      int depth) {
    if (n == NULL || depth > LINT_DEPTH_MAX)
        return false;
    if (node_get(n, "model_loading_config") != NULL) {
        read_llm(f, n);
        return true;
    }
    bool found = false;
    for (size_t i = 0; i < n->count; i++)
        found = find_llms(f, node_child(n, i), depth + 1) || found;
    return found;
}

bool settings_read_file(const struct launch_file *f, const struct node *root) {
    if (root->kind != NODE_MAP || root->count == 0)
        return false;
    if (is_config(root)) {
        const struct node *model = node_or(node_get(root, "model"),
                                           node_get(root, "model_tag"));
        const struct node *at = node_or(model, root->pairs[0].key);
        add_settings(f, start(f, STR("vllm serve --config"), at), root);
        return true;
    }
    return read_stack(f, member(root, "servingEngineSpec")) ||
           find_llms(f, root, 0);
}
