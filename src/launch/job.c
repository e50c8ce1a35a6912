/* job.c: files with a shell script for a cluster, and with its GPUs.
 *
 *     commands: [vllm serve $MODEL -tp $DSTACK_GPUS_NUM]     dstack
 *     resources: {gpu: H100:8}
 *
 *     run: vllm serve Qwen/Qwen3-8B                          SkyPilot
 *     resources: {accelerators: H100:8}
 *     envs: {MODEL: Qwen/Qwen3-8B}
 */
#include "launch/workload.h"

struct job {
    const struct launch_file *f;
    struct setting_list env, keys;
};

static void read_env(struct job *j, const struct node *env) {
    struct pair_said p;
    for (size_t i = 0; env != NULL && i < env->count; i++)
        if (pair_at(env, i, &p))
            setting_add(j->f->a, &j->env, p.name, p.value, p.at);
}

static void add_card(struct job *j, struct str name, struct str count,
                     struct span_of_file at) {
    setting_add(j->f->a, &j->keys, STR("gpu"), name, at);
    setting_add(j->f->a, &j->keys, STR("gpus"), count, at);
}

/* Reads "H100:8", "MI300X:8", "A100-80GB:4" or "24GB": a name and a count. A
 * name that is no GPU is ignored when facts are made. */
static void read_card(struct job *j, const struct node *card) {
    struct str text = scalar_of(card), count;
    if (card == NULL || card->kind != NODE_SCALAR || text.n == 0)
        return;
    struct str name = str_cut(text, ':', &count);
    int64_t cards = 1;
    if (count.n > 0 && !str_to_int(count, &cards))
        return;
    struct arena *a = j->f->a;
    struct span_of_file at = node_bytes(card);
    struct str number = arena_printf(a, "%lld", (long long)cards);
    add_card(j, name, number, at);
    setting_add(a, &j->env, STR("DSTACK_GPUS_NUM"), number, at);
    setting_add(a, &j->env, STR("SKYPILOT_NUM_GPUS_PER_NODE"), number, at);
}

static void read_cards(struct job *j, const struct node *resources) {
    const struct node *card = node_or(member(resources, "gpu"),
                                      member(resources, "accelerators"));
    const struct node *name = member(card, "name");
    const struct node *count = member(card, "count");
    if (card != NULL && card->kind == NODE_SCALAR) {
        read_card(j, card);
    } else if (card != NULL && card->kind == NODE_MAP && name != NULL &&
               count != NULL) {
        setting_add(j->f->a, &j->keys, STR("gpu"), scalar_of(name),
                    node_bytes(name));
        setting_add(j->f->a, &j->keys, STR("gpus"), scalar_of(count),
                    node_bytes(count));
    } else if (card != NULL && card->kind == NODE_MAP && card->count == 1 &&
               card->pairs[0].value->kind == NODE_SCALAR) {
        const struct pair *only = &card->pairs[0]; /* {H100: 8} */
        add_card(j, only->key->text, only->value->text, node_bytes(only->key));
    }
}

static void read_script(struct job *j, const struct node *text) {
    const struct launch_file *f = j->f;
    struct script s = {.src = f->src, .text = text->text, .node = text,
                       .names = &j->env};
    size_t before = f->out->count;
    if (text->kind != NODE_SCALAR)
        return;
    script_read(f->a, &s, f->engines, f->out);
    for (size_t i = before; i < f->out->count; i++)
        settings_copy(f->a, &f->out->at[i].keys, &j->keys);
}

bool job_read(const struct launch_file *f, const struct node *root) {
    struct job j = {.f = f};
    const struct node *commands = node_get(root, "commands"), *item;
    const struct node *run = node_get(root, "run");
    const struct node *resources = node_get(root, "resources");
    bool is_dstack = node_get(root, "type") != NULL && commands != NULL &&
                     commands->kind == NODE_LIST;
    bool is_sky = run != NULL && run->kind == NODE_SCALAR &&
                  resources != NULL;
    if (!is_dstack && !is_sky)
        return false;
    read_env(&j, node_or(node_get(root, "env"), node_get(root, "envs")));
    read_cards(&j, resources);
    for (size_t i = 0; is_dstack && (item = node_item(commands, i)) != NULL;
         i++)
        read_script(&j, item);
    if (is_sky)
        read_script(&j, run);
    return true;
}
