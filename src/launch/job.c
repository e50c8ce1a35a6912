/* job.c: files with a shell script for a cluster, and with its GPUs.
 *
 *     commands: [vllm serve $MODEL -tp $DSTACK_GPUS_NUM]     dstack
 *     resources: {gpu: H100:8}
 *
 *     run: vllm serve Qwen/Qwen3-8B                          SkyPilot
 *     resources: {accelerators: H100:8}
 *     envs: {MODEL: Qwen/Qwen3-8B}
 *
 *     models:                                                llama-swap
 *       NAME: {cmd: llama-server --port ${PORT} -m ...,
 *              env: [CUDA_VISIBLE_DEVICES=0]}
 *     macros: {server: llama-server -ngl 99}
 */
#include "launch/workload.h"

struct job {
    const struct launch_file *f;
    struct workload common; /* environment and keys of all its workloads */
};

static void read_env(struct job *j, const struct node *env) {
    struct env_pair p;
    for (size_t i = 0; env != NULL && i < env->count; i++)
        if (pair_at(env, i, &p))
            setting_add(j->f->a, &j->common.env, p.name, p.value, p.at);
}

static void add_card(struct job *j, struct str name, struct str count,
                     struct span_of_file at) {
    setting_add(j->f->a, &j->common.keys, STR("gpu"), name, at);
    setting_add(j->f->a, &j->common.keys, STR("gpus"), count, at);
}

/* Reads "H100:8", "MI300X:8", "A100-80GB:4" or "24GB": a name and a count. A
 * name that is no GPU is ignored when facts are made. */
static void read_card(struct job *j, const struct node *card) {
    struct setting_list *env = &j->common.env;
    struct str count, name = str_cut(card->text, ':', &count);
    struct span_of_file at = node_bytes(card);
    int64_t cards = 1;
    if (name.n == 0 || (count.n > 0 && !str_to_int(count, &cards)))
        return;
    count = arena_printf(j->f->a, "%lld", (long long)cards);
    add_card(j, name, count, at);
    setting_add(j->f->a, env, STR("DSTACK_GPUS_NUM"), count, at);
    setting_add(j->f->a, env, STR("SKYPILOT_NUM_GPUS_PER_NODE"), count, at);
}

static void read_cards(struct job *j, const struct node *resources) {
    const struct node *card = node_or(member(resources, "gpu"),
                                      member(resources, "accelerators"));
    const struct node *name = member(card, "name");
    const struct node *count = member(card, "count");
    const struct pair *only = pair_item(card, 0); /* {H100: 8} */
    if (card != NULL && card->kind == NODE_SCALAR) {
        read_card(j, card);
    } else if (name != NULL && count != NULL) {
        node_key(j->f, &j->common, "gpu", name);
        node_key(j->f, &j->common, "gpus", count);
    } else if (only != NULL && card->count == 1 &&
               only->value->kind == NODE_SCALAR) {
        add_card(j, only->key->text, only->value->text, node_bytes(only->key));
    }
}

/* Reads the text of a scalar as a script. name: that of its workloads, of which
 * one runs at a time; empty: any. */
static void read_script(struct job *j, const struct node *node,
                        struct str text, struct str name) {
    const struct launch_file *f = j->f;
    struct script s = {.src = f->src, .text = text, .node = node,
                       .beside = f->beside, .names = &j->common.env};
    size_t before = f->out->count;
    if (node->kind != NODE_SCALAR)
        return;
    script_read(f->a, &s, f->engines, f->out);
    for (size_t i = before; i < f->out->count; i++) {
        struct workload *w = &f->out->at[i];
        settings_copy(f->a, &w->keys, &j->common.keys);
        w->name = name.n > 0 ? name : w->name;
        w->group = name;
    }
}

/* ---- llama-swap ---- */

/* The lines of a command as one line of the same length. */
static struct str one_line(struct arena *a, struct str text) {
    struct buf out = buf_in(a, text.n + 1);
    bool is_comment = false;
    for (size_t i = 0; i < text.n; i++) {
        bool begins = i == 0 || text.p[i - 1] == '\n';
        is_comment = begins ? str_starts(str_trim(str_from(text, i)), STR("#"))
                            : is_comment;
        bool is_cut = text.p[i] == '\n' ||
                      (text.p[i] == '\\' && i + 1 < text.n &&
                       text.p[i + 1] == '\n');
        buf_add_char(&out, is_cut || is_comment ? ' ' : text.p[i]);
    }
    return arena_str(a, buf_str(&out));
}

static void add_macros(struct job *j, const struct node *map) {
    const struct variables so_far = {&j->common.env, false};
    const struct pair *pair;
    for (size_t i = 0; (pair = pair_item(map, i)) != NULL; i++) {
        struct str value = one_line(j->f->a, scalar_of(pair->value));
        setting_add(j->f->a, &j->common.env, pair->key->text,
                    variables_filled(j->f->a, &so_far, value),
                    node_bytes(pair->key));
    }
}

static void read_swapped(struct job *j, const struct pair *model) {
    const struct node *cmd = member(model->value, "cmd");
    struct setting_list *env = &j->common.env;
    size_t names = env->count;
    if (scalar_of(cmd).n == 0)
        return;
    add_macros(j, member(model->value, "macros"));
    read_env(j, member(model->value, "env"));
    setting_add(j->f->a, env, STR("MODEL_ID"), model->key->text,
                node_bytes(model->key));
    read_script(j, cmd, one_line(j->f->a, cmd->text), model->key->text);
    env->count = names;
}

static bool read_swap(struct job *j, const struct node *root) {
    const struct node *models = node_get(root, "models");
    const struct pair *pair;
    bool found = false;
    for (size_t i = 0; (pair = pair_item(models, i)) != NULL; i++)
        found = found || member(pair->value, "cmd") != NULL;
    if (!found)
        return false;
    add_macros(j, node_get(root, "macros"));
    for (size_t i = 0; i < models->count; i++)
        read_swapped(j, &models->pairs[i]);
    return true;
}

bool job_read(const struct launch_file *f, const struct node *root) {
    struct job j = {.f = f};
    const struct node *commands = node_get(root, "commands"), *item;
    const struct node *run = node_get(root, "run");
    const struct node *resources = node_get(root, "resources");
    bool is_dstack = node_get(root, "type") != NULL && commands != NULL &&
                     commands->kind == NODE_LIST;
    bool is_sky = run != NULL && run->kind == NODE_SCALAR && resources != NULL;
    if (!is_dstack && !is_sky)
        return read_swap(&j, root);
    read_env(&j, node_or(node_get(root, "env"), node_get(root, "envs")));
    read_cards(&j, resources);
    for (size_t i = 0; is_dstack && (item = node_item(commands, i)) != NULL;
         i++)
        read_script(&j, item, item->text, STR(""));
    if (is_sky)
        read_script(&j, run, run->text, STR(""));
    return true;
}
