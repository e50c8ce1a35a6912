/* settings.c: files that hold an engine's settings by name.
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
#include "base/limits.h"


struct file {
    struct arena *a;
    const struct source *src;
    struct workload_list *out;
};

static struct str flag_of_key(struct arena *a, struct str key) {
    struct str copy = arena_printf(a, "--%.*s", STR_ARG(key));
    for (size_t i = 2; i < copy.n; i++)
        if (copy.p[i] == '_')
            ((char *)copy.p)[i] = '-';
    return copy;
}

static void add_setting(struct file *f, struct workload *w,
                        const struct pair *pair) {
    const struct node *value = pair->value;
    struct str flag = flag_of_key(f->a, pair->key->text);
    struct span_of_file at = node_bytes(f->src, pair->key);
    if (value->kind != NODE_SCALAR || value->text.n == 0 ||
        str_eq(value->text, STR("false")) || str_eq(value->text, STR("null")))
        return;
    word_add(f->a, &w->words, flag, at);
    if (!str_eq(value->text, STR("true")))
        word_add(f->a, &w->words, value->text, node_bytes(f->src, value));
}

static struct workload *start(struct file *f, struct str name,
                              const struct node *at) {
    struct workload *w =
        workload_new(f->a, f->out, f->src, name, node_bytes(f->src, at));
    word_add(f->a, &w->words, STR("vllm"), w->at);
    word_add(f->a, &w->words, STR("serve"), w->at);
    return w;
}

/* ---- vllm serve --config ---- */

static bool is_config(const struct node *root) {
    static const char *const keys[] = {
        "max-model-len", "max_model_len", "tensor-parallel-size",
        "tensor_parallel_size", "gpu-memory-utilization",
        "gpu_memory_utilization", "max-num-seqs", "max_num_seqs",
        "kv-cache-dtype", "kv_cache_dtype"};
    bool has_model = node_get(root, "model") != NULL ||
                     node_get(root, "model_tag") != NULL;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (node_get(root, keys[i]) != NULL)
            return true;
    return has_model && node_get(root, "port") != NULL;
}

static void read_config(struct file *f, const struct node *root) {
    const struct node *model = node_or(node_get(root, "model"),
                                       node_get(root, "model_tag"));
    const struct node *at = node_or(model, root->pairs[0].key);
    struct workload *w = start(f, STR("vllm serve --config"), at);
    for (size_t i = 0; i < root->count; i++)
        add_setting(f, w, &root->pairs[i]);
}

/* ---- the chart and the operator of vLLM's production stack ---- */

static void add_named(struct file *f, struct workload *w,
                      const struct node *map, const char *key,
                      const char *flag) {
    const struct node *value = member(map, key);
    if (scalar_of(value).n == 0)
        return;
    word_add(f->a, &w->words, str_of(flag), node_bytes(f->src, value));
    word_add(f->a, &w->words, value->text, node_bytes(f->src, value));
}

static void add_items(struct file *f, struct workload *w,
                      const struct node *list) {
    const struct node *item;
    for (size_t i = 0; (item = node_item(list, i)) != NULL; i++)
        if (scalar_of(item).n > 0)
            word_add(f->a, &w->words, item->text, node_bytes(f->src, item));
}

static void add_stack_flags(struct file *f, struct workload *w,
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
        add_named(f, w, map, rows[i][0], rows[i][1]);
    add_items(f, w, member(map, "extraArgs"));
}

static void take_key(struct file *f, struct workload *w, const char *name,
                     const struct node *value) {
    if (scalar_of(value).n > 0)
        setting_add(f->a, &w->keys, str_of(name), value->text,
                    node_bytes(f->src, value));
}

/* modelSpec: [{name, repository, tag, modelURL, requestGPU, vllmConfig}] */
static bool read_stack(struct file *f, const struct node *spec) {
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
        if (member(item, "raySpec") == NULL) /* else laid over more pods */
            take_key(f, w, "gpus", member(item, "requestGPU"));
        take_key(f, w, "mem_limit", member(item, "limitMemory"));
        take_key(f, w, "shm_size", member(item, "shmSize"));
        add_stack_flags(f, w, item);
        add_stack_flags(f, w, config);
        found = true;
    }
    return found;
}

/* "nvidia-gpu-l4:2" is two L4; what "cpu:4" starts takes no GPU's memory. */
static void take_profile(struct file *f, struct workload *w,
                         const struct node *profile) {
    struct str count, name = str_cut(scalar_of(profile), ':', &count);
    struct str behind = str_slice(name, str_find(name, STR("-gpu-")), name.n);
    struct str card = str_slice(behind, behind.n > 5 ? 5 : behind.n, behind.n);
    if (card.n == 0)
        return;
    setting_add(f->a, &w->keys, STR("gpu"), card_of_label(f->a, card),
                node_bytes(f->src, profile));
    setting_add(f->a, &w->keys, STR("gpus"),
                count.n > 0 ? str_trim(count) : STR("1"),
                node_bytes(f->src, profile));
}

static bool read_kubeai(struct file *f, const struct node *root) {
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
    word_add(f->a, &w->words, str_slice(name, 5, name.n),
             node_bytes(f->src, url));
    take_profile(f, w, profile);
    add_items(f, w, member(spec, "args"));
    return true;
}

bool runtime_read(struct arena *a, const struct source *src,
                  const struct node *root, struct workload_list *out) {
    struct file f = {a, src, out};
    const struct node *spec = member(root, "spec");
    const struct node *model = member(spec, "model");
    const struct node *url = member(model, "modelURL");
    const struct node *name = member(member(root, "metadata"), "name");
    if (read_kubeai(&f, root))
        return true;
    if (!str_eq(scalar_of(member(root, "kind")), STR("VLLMRuntime")) ||
        scalar_of(url).n == 0)
        return false;
    struct workload *w = start(&f, scalar_of(node_or(name, url)), url);
    take_key(&f, w, "gpus",
             member(member(member(spec, "deploymentConfig"), "resources"),
                    "gpu"));
    add_stack_flags(&f, w, model);
    add_stack_flags(&f, w, member(spec, "vllmConfig"));
    return true;
}

/* ---- Ray Serve ---- */

static void read_llm(struct file *f, const struct node *config) {
    const struct node *loading = member(config, "model_loading_config");
    const struct node *source = node_or(member(loading, "model_source"),
                                        member(loading, "model_id"));
    const struct node *kwargs = member(config, "engine_kwargs");
    const struct node *card = member(config, "accelerator_type");
    if (scalar_of(source).n == 0)
        return;
    const struct node *id = node_or(member(loading, "model_id"), source);
    struct workload *w = start(f, id->text, id);
    word_add(f->a, &w->words, STR("--model"), node_bytes(f->src, source));
    word_add(f->a, &w->words, source->text, node_bytes(f->src, source));
    for (size_t i = 0; kwargs != NULL && kwargs->kind == NODE_MAP &&
                       i < kwargs->count; i++)
        add_setting(f, w, &kwargs->pairs[i]);
    if (scalar_of(card).n > 0)
        setting_add(f->a, &w->keys, STR("gpu"), card->text,
                    node_bytes(f->src, card));
}

static bool walk(struct file *f, const struct node *n, int depth) {
    bool found = false;
    const struct node *list = node_get(n, "llm_configs"), *item;
    if (depth > LINT_DEPTH_MAX)
        return false;
    for (size_t i = 0; (item = node_item(list, i)) != NULL; i++, found = true)
        read_llm(f, item);
    for (size_t i = 0; list == NULL && n->kind != NODE_SCALAR &&
                       i < n->count; i++)
        found = walk(f, n->kind == NODE_MAP ? n->pairs[i].value : n->items[i],
                     depth + 1) || found;
    return found;
}

bool settings_read_file(struct arena *a, const struct source *src,
                        const struct node *root, struct workload_list *out) {
    struct file f = {a, src, out};
    if (root->kind != NODE_MAP || root->count == 0)
        return false;
    if (is_config(root)) {
        read_config(&f, root);
        return true;
    }
    return read_stack(&f, member(root, "servingEngineSpec")) ||
           walk(&f, root, 0);
}
