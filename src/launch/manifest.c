/* manifest.c: reads the containers of Kubernetes manifests, wherever they have
 * the spec of a pod (Deployment, StatefulSet, Job, LeaderWorkerSet,
 * RayService).
 *
 *     containers:
 *       - command: [...]  args: [...]  env:  envFrom:  image:
 *         resources: {limits: {nvidia.com/gpu: 2, memory: 64Gi}}
 *     volumes: an emptyDir of medium Memory, mounted on /dev/shm
 *     nodeSelector: {nvidia.com/gpu.product: ...}
 *
 *     kind: RayService, serveConfigV2: | a file of Ray Serve
 *
 * KServe's LLMInferenceService names the model outside of its pods:
 *
 *     spec: {model: {uri: hf://Qwen/Qwen3-8B}, parallelism: {tensor: 2},
 *            template: {containers: [{name: main,
 *                                     env: [VLLM_ADDITIONAL_ARGS]}]}} */
#include "launch/workload.h"

struct pod {
    const struct launch_file *f;
    struct arena *a;
    const struct node *root, *spec;
    const struct node *group_size; /* number of pods that serve together; NULL:
                                      one */
};

/* KServe mounts the model here: https://kserve.github.io/website */
#define MODEL_MOUNT "/mnt/models"

/* ---- the command ---- */

/* Turns Kubernetes' $(NAME) into ${NAME}. */
static struct str without_parens(struct arena *a, struct str text) {
    if (str_find(text, STR("$(")) == text.n)
        return text;
    struct buf out = buf_in(a, text.n + 1);
    bool is_inside = false;
    for (size_t i = 0; i < text.n; i++) {
        bool begins = text.p[i] == '(' && i > 0 && text.p[i - 1] == '$';
        if (begins || (is_inside && text.p[i] == ')')) {
            buf_add_char(&out, begins ? '{' : '}');
            is_inside = begins;
        } else {
            buf_add_char(&out, text.p[i]);
        }
    }
    return arena_str(a, buf_str(&out));
}

static void add_list(struct pod *p, struct workload *w,
                     const struct node *list, struct shell_script *script) {
    struct variables scope = {&w->env, false};
    const struct node *item;
    for (size_t i = 0; (item = node_item(list, i)) != NULL; i++) {
        struct str text = variables_filled(
            p->a, &scope, without_parens(p->a, scalar_of(item)));
        script_note(script, &w->words, item);
        w->is_list = true;
        if (text.n > 0)
            word_add(p->a, &w->words, text, node_bytes(item));
    }
}

static void read_command(struct pod *p, struct workload *w,
                         const struct node *container) {
    struct shell_script script = {0};
    add_list(p, w, member(container, "command"), &script);
    add_list(p, w, member(container, "args"), &script);
    words_unwrap(p->f, w, &script);
    const struct node *only = node_item(member(container, "args"), 0);
    if (w->words.count == 1 && only != NULL &&
        str_find_char(only->text, ' ') < only->text.n) {
        w->words.count = 0; /* one string with the whole command */
        words_of_line(p->f, only, &w->words);
        w->is_list = false;
    }
}

/* ---- LLMInferenceService ---- */

/* The model: its uri, or its name if only that looks like owner/name. */
static const struct node *model_served(struct pod *p) {
    const struct node *spec = member(p->root, "spec");
    const struct node *model = member(spec, "model");
    const struct node *uri = member(model, "uri");
    const struct node *name = member(model, "name");
    if (!str_eq(scalar_of(member(p->root, "kind")),
                STR("LLMInferenceService")) || scalar_of(uri).n == 0)
        return NULL;
    bool is_hub = str_starts(uri->text, STR("hf://"));
    bool is_id = str_find_char(scalar_of(name), '/') < scalar_of(name).n;
    return is_hub || !is_id ? uri : name;
}

static struct str without_scheme(struct str uri) {
    return str_starts(uri, STR("hf://")) ? str_from(uri, 5) : uri;
}

/* Makes the command of KServe's template, which mounts /dev/shm of 1 GiB and
 * appends $VLLM_ADDITIONAL_ARGS
 * (https://github.com/kserve/kserve/tree/master/config/llmisvcconfig). */
static void serve_model(struct pod *p, struct workload *w,
                        const struct node *model,
                        const struct node *degrees) {
    struct word_list said = w->words;
    const struct lint_setting *more =
        setting_find(&w->env, STR("VLLM_ADDITIONAL_ARGS"));
    w->words = (struct word_list){0};
    word_add(p->a, &w->words, STR("vllm"), w->at);
    word_add(p->a, &w->words, STR("serve"), w->at);
    word_add(p->a, &w->words, without_scheme(model->text), node_bytes(model));
    node_option(p->f, &w->words, "--tensor-parallel-size",
                member(degrees, "tensor"));
    node_option(p->f, &w->words, "--pipeline-parallel-size",
                member(degrees, "pipeline"));
    if (setting_find(&w->keys, STR("shm_size")) == NULL)
        setting_add(p->a, &w->keys, STR("shm_size"), STR("1Gi"), w->at);
    words_copy(p->a, &w->words, &said, 0);
    if (more != NULL)
        words_split(p->a, &w->words, more->value, more->at);
    w->is_list = true;
}

static const struct node *degrees_of(struct pod *p) {
    const struct node *spec = member(p->root, "spec");
    const struct node *prefill = member(spec, "prefill");
    bool is_prefill = p->spec == member(prefill, "template") ||
                      p->spec == member(prefill, "worker");
    return member(is_prefill ? prefill : spec, "parallelism");
}

/* Reads the model of a service. Services that spread experts over pods (`data`)
 * are not checked. */
static void read_model(struct pod *p, struct workload *w) {
    const struct node *model = model_served(p), *degrees = degrees_of(p);
    if (model == NULL || !str_eq(w->name, STR("main")) ||
        scalar_of(member(degrees, "data")).n > 0)
        return;
    if (w->words.count == 0 || str_starts(w->words.at[0].text, STR("-")))
        serve_model(p, w, model, degrees);
    for (size_t i = 0; i < w->words.count; i++)
        if (str_eq(w->words.at[i].text, STR(MODEL_MOUNT)))
            w->words.at[i].text = without_scheme(model->text);
}

/* ---- environment, volumes, cards ---- */

/* The ConfigMap of {name: chat, optional: true}; NULL: no file has it. */
static const struct config_map *map_of(struct pod *p,
                                       const struct node *reference) {
    const struct node *name = member(reference, "name");
    const struct node *meta = member(p->root, "metadata");
    bool is_optional =
        str_eq(scalar_of(member(reference, "optional")), STR("true"));
    if (scalar_of(name).n == 0)
        return NULL;
    const struct config_map *map = config_map_named(
        p->f->beside, name->text, scalar_of(member(meta, "namespace")));
    if (map == NULL && !is_optional)
        remark(p->f->beside, "config_map_missing", node_bytes(name), name->text,
               STR(""));
    return map;
}

/* Adds all pairs of a ConfigMap, with a prefix before each name. */
static void read_env_from(struct pod *p, struct workload *w,
                          const struct node *list) {
    const struct node *item;
    for (size_t i = 0; (item = node_item(list, i)) != NULL; i++) {
        const struct config_map *map = map_of(p, member(item, "configMapRef"));
        struct str prefix = scalar_of(member(item, "prefix"));
        const struct pair *pair;
        for (size_t n = 0;
             (pair = pair_item(map ? map->data : NULL, n)) != NULL; n++)
            if (pair->value->kind == NODE_SCALAR)
                setting_add(p->a, &w->env,
                            arena_printf(p->a, "%.*s%.*s", STR_ARG(prefix),
                                         STR_ARG(pair->key->text)),
                            pair->value->text, node_bytes(pair->value));
    }
}

/* Reads valueFrom: {configMapKeyRef: {name: chat, key: MODEL}}. */
static void read_reference(struct pod *p, struct workload *w,
                           struct str name, const struct node *from) {
    const struct node *reference = member(from, "configMapKeyRef");
    const struct config_map *map = map_of(p, reference);
    const struct node *value =
        map != NULL ? pair_named(map->data,
                                 scalar_of(member(reference, "key")))
                    : NULL;
    if (value != NULL && value->kind == NODE_SCALAR && name.n > 0)
        setting_add(p->a, &w->env, name, value->text, node_bytes(value));
}

static void read_env(struct pod *p, struct workload *w,
                     const struct node *list) {
    const struct node *item;
    for (size_t i = 0; (item = node_item(list, i)) != NULL; i++) {
        const struct node *name = member(item, "name");
        const struct node *value = member(item, "value");
        if (value == NULL && member(item, "valueFrom") != NULL)
            read_reference(p, w, scalar_of(name), member(item, "valueFrom"));
        else if (name != NULL)
            setting_add(p->a, &w->env, name->text, scalar_of(value),
                        node_bytes(value != NULL ? value : name));
    }
}

static const struct node *volume_named(struct pod *p, struct str name) {
    const struct node *list = member(p->spec, "volumes"), *item;
    for (size_t i = 0; (item = node_item(list, i)) != NULL; i++)
        if (str_eq(scalar_of(member(item, "name")), name))
            return item;
    return NULL;
}

/* Sets the size of /dev/shm. An emptyDir in memory without a limit may be as
 * large as the pod. */
static void read_shm(struct pod *p, struct workload *w,
                     const struct node *volume, const struct node *at) {
    const struct node *limit = member(member(volume, "emptyDir"), "sizeLimit");
    if (limit != NULL)
        node_key(p->f, w, "shm_size", limit);
    else
        setting_add(p->a, &w->keys, STR("shm_size"), STR("unlimited"),
                    node_bytes(at));
}

/* Replaces a path in a volume of the host by its path there. */
static void read_mounts(struct pod *p, struct workload *w,
                        const struct node *container) {
    const struct node *list = member(container, "volumeMounts"), *item;
    for (size_t i = 0; (item = node_item(list, i)) != NULL; i++) {
        const struct node *at = member(item, "mountPath");
        const struct node *volume =
            volume_named(p, scalar_of(member(item, "name")));
        if (str_eq(scalar_of(at), STR("/dev/shm")))
            read_shm(p, w, volume, at);
        words_mounted(p->a, &w->words,
                      scalar_of(member(member(volume, "hostPath"), "path")),
                      scalar_of(at));
    }
}

/* Labels of GKE's nodes that are not the names of GPUs with dashes for
 * blanks: */
static const char *const gke_cards[][2] = {
    {"nvidia-tesla-a100", "A100 40GB"},
    {"nvidia-h100-mega-80gb", "H100 80GB"},
    {"nvidia-h200-141gb", "H200"},
    {"nvidia-tesla-v100", "V100 16GB"},
};

struct str card_of_label(struct arena *a, struct str label) {
    for (size_t i = 0; i < sizeof gke_cards / sizeof *gke_cards; i++)
        if (str_eq(label, str_of(gke_cards[i][0])))
            return str_of(gke_cards[i][1]);
    return arena_swap(a, label, '-', ' ');
}

/* Reads the card in the node selector: "NVIDIA-H100-80GB-HBM3", as drivers
 * print it, or GKE's label. */
static void read_product(struct pod *p, struct workload *w) {
    const struct node *chosen = member(p->spec, "nodeSelector");
    const struct node *product =
        node_or(member(chosen, "nvidia.com/gpu.product"),
                member(chosen, "cloud.google.com/gke-accelerator"));
    if (scalar_of(product).n > 0)
        setting_add(p->a, &w->keys, STR("gpu"),
                    card_of_label(p->a, product->text), node_bytes(product));
}

static void read_limits(struct pod *p, struct workload *w,
                        const struct node *container) {
    static const char *const cards[] = {"nvidia.com/gpu", "amd.com/gpu"};
    const struct node *resources = member(container, "resources");
    const struct node *limits = member(resources, "limits");
    /* Ray runs an engine on several pods, which are not counted here. */
    bool is_of_ray = str_starts(scalar_of(member(p->root, "kind")), STR("Ray"));
    node_key(p->f, w, "mem_limit", member(limits, "memory"));
    for (size_t i = 0; i < 2 && !is_of_ray; i++)
        node_key(p->f, w, "gpus", member(limits, cards[i]));
    node_key(p->f, w, "nodes", p->group_size);
}

static void read_container(struct pod *p, const struct node *container) {
    const struct node *name = member(container, "name");
    struct str called = name != NULL ? name->text : STR("container");
    const struct node *at = node_or(name, container);
    size_t from = source_byte(at->src, at->place);
    struct workload *w =
        workload_new(p->a, p->f->out, called,
                     at->kind == NODE_SCALAR
                         ? node_bytes(at)
                         : (struct span_of_file){from, from + 1, at->src});
    const struct node *restart = member(p->spec, "restartPolicy");
    bool is_kept = STR_IS_ONE(scalar_of(member(p->root, "kind")),
                              "Deployment", "StatefulSet");
    w->is_container = true;
    w->is_in_pod = true;
    w->image = scalar_of(member(container, "image"));
    read_env_from(p, w, member(container, "envFrom"));
    read_env(p, w, member(container, "env"));
    read_limits(p, w, container);
    read_product(p, w);
    node_key(p->f, w, "restart", restart);
    if (restart == NULL && is_kept)
        setting_add(p->a, &w->keys, STR("restart"), STR("Always"), w->at);
    if (str_eq(scalar_of(member(p->spec, "hostIPC")), STR("true")))
        setting_add(p->a, &w->keys, STR("ipc"), STR("host"), w->at);
    const struct node *limits =
        member(member(container, "resources"), "limits");
    if (member(limits, "google.com/tpu") == NULL) /* there is no arithmetic for
                                                     TPUs */
        read_command(p, w, container);
    read_mounts(p, w, container);
    read_model(p, w);
}

static void find_pods(struct pod *p, const struct node *n, int depth) {
    if (n == NULL || depth > LINT_DEPTH_MAX)
        return;
    const struct node *containers = node_get(n, "containers"), *item;
    if (containers != NULL && containers->kind == NODE_LIST) {
        p->spec = n;
        for (size_t i = 0; (item = node_item(containers, i)) != NULL; i++)
            if (item->kind == NODE_MAP)
                read_container(p, item);
        return;
    }
    for (size_t i = 0; i < n->count; i++)
        find_pods(p, node_child(n, i), depth + 1);
}

/* ---- RayService ---- */

/* A copy of the file in which only the lines of a block scalar are not blank.
 * So its nodes have the same places as in the file. */
static const struct source *block_alone(struct arena *a,
                                        const struct node *scalar) {
    struct span_of_file at = node_bytes(scalar);
    struct str whole = at.src->text;
    struct buf out = buf_in(a, whole.n + 1);
    size_t from = line_end(whole, at.from);
    for (size_t i = 0; i < whole.n; i++)
        buf_add_char(&out, (i >= from && i < at.to) || whole.p[i] == '\n'
                               ? whole.p[i] : ' ');
    return source_new(a, at.src->path, arena_str(a, buf_str(&out)));
}

/* Reads serveConfigV2: |, a text of YAML. */
static void read_serve(const struct launch_file *f, const struct node *root) {
    const struct node *text = member(member(root, "spec"), "serveConfigV2");
    struct complaints c = {.a = f->a, .scratch = f->a};
    if (scalar_of(text).n == 0 ||
        str_find_char(text->text, '\n') == text->text.n)
        return;
    struct documents all = yaml_read_foreign(&c, block_alone(f->a, text));
    for (size_t i = 0; i < all.count && c.errors == 0; i++)
        settings_read_file(f, all.at[i]);
}

bool manifest_read(const struct launch_file *f, const struct node *root) {
    struct pod p = {.f = f, .a = f->a, .root = root};
    if (node_get(root, "kind") == NULL || node_get(root, "apiVersion") == NULL)
        return false;
    if (str_eq(scalar_of(member(root, "kind")), STR("RayService")))
        read_serve(f, root);
    const struct node *group =
        member(member(root, "spec"), "leaderWorkerTemplate");
    p.group_size = member(group, "size");
    /* KServe's templates start nothing until a service names a model. */
    if (!STR_IS_ONE(scalar_of(member(root, "kind")), "ServingRuntime",
                    "ClusterServingRuntime", "LLMInferenceServiceConfig"))
        find_pods(&p, root, 0);
    return true;
}
